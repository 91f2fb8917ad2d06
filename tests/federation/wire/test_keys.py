"""Keys: secrets in files of mode 600, signatures that are worth nothing for another purpose."""

import logging
import os
import pickle
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from fedfact.errors import InputError
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.wire.keys import Key, is_signed, keep_secret, read_secret

SECRET = bytes(range(32))
ORDER = 2**252 + 27742317777372353535851937790883648493  # of the group that Ed25519 signs in


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_secret_is_made_with_mode_600_whatever_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        secret = keep_secret(tmp_path / "member.key")
    finally:
        os.umask(before)
    assert mode(tmp_path / "member.key") == 0o600
    assert len(secret) == 32
    assert keep_secret(tmp_path / "member.key") == secret == read_secret(tmp_path / "member.key")
    assert [path.name for path in tmp_path.iterdir()] == ["member.key"]


@pytest.mark.parametrize("wrong", [0o640, 0o604, 0o660, 0o644, 0o601, 0o610, 0o777])
def test_a_secret_that_others_may_touch_is_refused(tmp_path, wrong):
    path = tmp_path / "member.key"
    keep_secret(path)
    path.chmod(wrong)
    for read in (read_secret, keep_secret):
        with pytest.raises(
            InputError, match=f"others may read this secret .mode {wrong:o}.; chmod"
        ):
            read(path)
    path.chmod(0o400)
    read_secret(path)


@pytest.mark.parametrize(
    "text", ["", "\n", "ab", "ab" * 31, "ab" * 33, "zz" * 32, "é" * 64, "\0" * 64]
)
def test_a_damaged_secret_is_refused_and_not_drawn_again(tmp_path, text):
    path = tmp_path / "member.key"
    path.touch(0o600)
    path.write_text(text)
    with pytest.raises(InputError, match=r"member\.key"):
        keep_secret(path)
    assert path.read_text() == text


def test_places_without_a_secret_are_refused_in_words(tmp_path):
    with pytest.raises(InputError, match="the secret cannot be read"):
        read_secret(tmp_path / "nothing")
    with pytest.raises(InputError, match="cannot be made"):
        keep_secret(tmp_path / "no" / "directory" / "member.key")
    with pytest.raises(InputError, match="cannot be read"):
        keep_secret(tmp_path)


DRAW = """
import sys, time
from pathlib import Path
from fedfact.federation.wire.keys import keep_secret
print("ready", flush=True)
for number in sys.stdin:
    print(keep_secret(Path(sys.argv[1]) / f"{number.strip()}.key").hex(), flush=True)
"""


def test_two_processes_that_draw_at_once_agree(tmp_path):
    command = [sys.executable, "-c", DRAW, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    both = [subprocess.Popen(command, **pipes) for _ in range(2)]
    try:
        for process in both:
            assert process.stdout.readline() == "ready\n"
        numbers = "".join(f"{number}\n" for number in range(200))
        for process in both:
            process.stdin.write(numbers)
            process.stdin.flush()
        drawn = [process.communicate(timeout=60)[0].split() for process in both]
    finally:
        for process in both:
            process.kill()
            process.communicate()
    assert len(drawn[0]) == 200
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == 200
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        f"{number}.key" for number in range(200)
    )


def test_what_a_killed_process_left_is_never_taken_for_a_secret(tmp_path):
    (tmp_path / ".member.key.0badcafe.part").write_text("ab")
    secret = keep_secret(tmp_path / "member.key")
    assert len(secret) == 32


def test_a_new_secret_outlives_a_power_cut(tmp_path, monkeypatch):
    """Its name is on the disk, too, before anybody relies on it."""
    synced, sync = [], os.fsync

    def note(handle):
        synced.append(os.fstat(handle).st_ino)
        sync(handle)

    monkeypatch.setattr(os, "fsync", note)
    keep_secret(tmp_path / "member.key")
    assert synced == [(tmp_path / "member.key").stat().st_ino, tmp_path.stat().st_ino]
    keep_secret(tmp_path / "member.key")
    assert len(synced) == 2


@pytest.mark.parametrize("name", ["member.key", "season-1/nonce.secret", "season-1/salt.secret"])
def test_a_secret_that_is_gone_after_a_contract_was_signed_is_not_drawn_anew(
    finished, tmp_path, name
):
    shutil.copytree(finished.rebate.members["birch"], tmp_path / "birch")
    (tmp_path / "birch" / name).unlink()
    files = MemberFiles(tmp_path / "birch")
    with pytest.raises(InputError, match=rf"{name}: is gone, and .* needs it; restore it"):
        getattr(files, Path(name).stem.replace("member", "key"))
    assert not (tmp_path / "birch" / name).exists()


def test_nothing_printed_shows_the_secret(caplog, tmp_path):
    key = Key(SECRET)
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("test").warning("%s %r %s", key, key, [key])
    shown = f"{key} {key!r} {[key]} {vars(key)} {caplog.text}"
    assert SECRET.hex() not in shown
    assert repr(SECRET) not in shown
    assert key.public[:16] in str(key)
    with pytest.raises(TypeError):
        pickle.dumps(key)


def test_errors_do_not_show_the_secret(tmp_path):
    path = tmp_path / "member.key"
    path.touch(0o600)
    path.write_text(SECRET.hex() + "00")
    with pytest.raises(InputError) as refused:
        read_secret(path)
    assert SECRET.hex()[:16] not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_signature_is_worth_something_for_one_purpose_one_text_and_one_key():
    key, other = Key(SECRET), Key(bytes(32))
    signature = key.sign("entry", b"data")
    assert is_signed(key.public, "entry", b"data", signature)
    assert not is_signed(other.public, "entry", b"data", signature)
    assert not is_signed(key.public, "entry", b"date", signature)
    for purpose in ("contract", "message", "signed contract", "", "entr", "entry:"):
        assert not is_signed(key.public, purpose, b"data", signature)
    assert not is_signed(key.public, "message", b"entry:data", signature)


def test_a_signature_has_one_spelling():
    key = Key(SECRET)
    signature = key.sign("entry", b"data")
    assert signature == signature.lower()
    wrong = [
        signature.upper(),
        signature[:-2],
        signature[:-1],
        signature + "00",
        signature + "\n",
        " " + signature[:-1],
        signature[:64] + " " + signature[64:],
        "",
        "é" * 128,
        "zz" * 64,
        "00" * 64,
        key.public + key.public,
    ]
    assert not [each for each in wrong if is_signed(key.public, "entry", b"data", each)]


def test_every_flipped_bit_of_a_signature_is_found():
    key = Key(SECRET)
    signature = bytes.fromhex(key.sign("entry", b"data"))
    for bit in range(512):
        flipped = bytearray(signature)
        flipped[bit // 8] ^= 1 << bit % 8
        assert not is_signed(key.public, "entry", b"data", flipped.hex())


def test_a_malleated_signature_is_refused():
    key = Key(SECRET)
    for text in (b"data", b"other", b"third"):
        signature = bytes.fromhex(key.sign("entry", text))
        s = int.from_bytes(signature[32:], "little")
        for turns in range(1, 16):
            if s + turns * ORDER < 2**256:
                moved = signature[:32] + (s + turns * ORDER).to_bytes(32, "little")
                assert not is_signed(key.public, "entry", text, moved.hex())


def test_public_keys_have_one_spelling():
    key = Key(SECRET)
    signature = key.sign("entry", b"data")
    for public in (key.public.upper(), key.public[:-2], "", "zz" * 32, f" {key.public}", "é" * 64):
        assert not is_signed(public, "entry", b"data", signature)


def test_a_public_key_for_which_anybody_can_sign_is_refused():
    weak = [0, 1, 2**255 - 19 - 1, 2**255 - 19, 2**255 - 19 + 1]
    weak += [point + 2**255 for point in weak]
    forged = (b"\x01" + bytes(63)).hex()  # S = 0 and R the neutral point
    for point in weak:
        public = point.to_bytes(32, "little").hex()
        for text in range(32):
            assert not is_signed(public, "entry", b"%d" % text, forged)
