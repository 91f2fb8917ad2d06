"""The encrypted stream: what was written is read, and nothing else, whoever changed the file."""

import io
import random

import pytest

from fedfact.errors import InputError
from fedfact.federation.backup import sealed
from fedfact.federation.backup.sealed import CHUNK, START, Opener, Sealer, check_passphrase

WORDS = "apple river stone"
HEAD, SEALED = len(START) + 32, CHUNK + 16


def written(*data, passphrase=WORDS):
    file = io.BytesIO()
    sealer = Sealer(file, passphrase)
    for each in data:
        sealer.write(each)
    sealer.close()
    return file.getvalue()


def read(data, passphrase=WORDS, size=1 << 16):
    opener, parts = Opener(io.BytesIO(data), passphrase), []
    while part := opener.read(size):
        parts.append(part)
    return b"".join(parts)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 7])
def test_what_was_written_is_read(size):
    plain = random.Random(size).randbytes(size)
    data = written(plain[: size // 3], plain[size // 3 :])
    assert read(data) == plain
    assert read(data, size=3 * CHUNK) == plain
    chunks = max(1, -(-size // CHUNK))
    assert len(data) == HEAD + size + 16 * chunks
    assert plain[:16] not in data or size < 16


@pytest.mark.usefixtures("quick")
def test_two_of_the_same_have_nothing_in_common_but_the_format():
    one, other = written(b"x" * 99), written(b"x" * 99)
    assert one[: len(START)] == other[: len(START)] == START == b"fedfact backup 1\n"
    assert one[HEAD:] != other[HEAD:]


@pytest.mark.usefixtures("quick")
def test_any_changed_byte_is_refused():
    data = written(b"y" * 200)
    for place in range(len(data)):
        wrong = bytearray(data)
        wrong[place] ^= 1
        with pytest.raises(InputError, match=r"passphrase is another|no backup|another format"):
            read(bytes(wrong))


@pytest.mark.usefixtures("quick")
def test_chunks_cannot_be_cut_off_moved_doubled_or_added():
    plain = random.Random(1).randbytes(3 * CHUNK + 5)
    data = written(plain)
    head, chunks = data[:HEAD], [data[k : k + SEALED] for k in range(HEAD, len(data), SEALED)]
    other = written(plain)[HEAD:]
    for order in ([0], [0, 1], [0, 1, 2], [0, 2, 1, 3], [1, 0, 2, 3], [0, 1, 1, 2, 3], [0, 3], []):
        with pytest.raises(InputError, match=r"cut short|passphrase is another"):
            read(head + b"".join(chunks[k] for k in order))
    for wrong in (data + b"\0", data + data[-21:], data[:-1], head + other):
        with pytest.raises(InputError, match=r"cut short|passphrase is another"):
            read(wrong)


@pytest.mark.usefixtures("quick")
def test_nothing_is_given_out_before_it_was_checked():
    data = bytearray(written(b"z" * (CHUNK + 1)))
    data[-1] ^= 1
    opener = Opener(io.BytesIO(bytes(data)), WORDS)
    assert opener.read(CHUNK) == b"z" * CHUNK
    with pytest.raises(InputError, match="cut short"):
        opener.read(1)


def test_another_passphrase_opens_nothing_and_a_guess_costs_memory():
    data = written(b"secret")
    assert sealed._WORK * sealed._BLOCK * 128 == 128 << 20
    assert read(data) == b"secret"
    with pytest.raises(InputError, match="the passphrase is another"):
        read(data, passphrase=WORDS + " ")


def test_another_format_and_another_file_are_told_apart():
    with pytest.raises(InputError, match="another format than 1"):
        read(START.replace(b"1", b"2") + bytes(99))
    for data in (b"", b"PK\3\4" + bytes(99)):
        with pytest.raises(InputError, match="no backup of fedfact's"):
            read(data)


def test_a_passphrase_has_a_length():
    assert check_passphrase("x" * 12) == "x" * 12
    with pytest.raises(InputError, match="a passphrase of 11 letters; take 12 or more"):
        check_passphrase("x" * 11)
