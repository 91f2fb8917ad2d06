"""Messages: any changed byte, another receiver, federation or question is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedfact.errors import InputError
from fedfact.federation.wire.canonical import MOST, canonical
from fedfact.federation.wire.keys import Key
from fedfact.federation.wire.message import OPERATOR, Evidence, Head, read_message, write_message

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
SAID = {"federation": "f" * 64, "kind": "round", "sender": "alder", "to": OPERATOR}


def written(key=KEY, **changes):
    fields = {
        "content": {"round": 1, "note": "grün"},
        "answers": "a" * 64,
        "body": b"\x00model\xff",
    }
    return write_message(key, **SAID | fields | changes)


def taken(data, most_body=100, **wanted):
    message = read_message(data, most_body)
    message.check(**SAID | {"public": KEY.public} | wanted)
    return message


def test_a_message_reads_back_as_it_was_written():
    message = taken(written())
    assert message.head.content == {"round": 1, "note": "grün"}
    assert message.head.answers == "a" * 64
    assert message.body == b"\x00model\xff"
    assert message.evidence.read_head() == message.head
    assert message.evidence.is_by(KEY.public)
    assert not message.evidence.is_by(OTHER.public)


def test_every_changed_byte_is_refused():
    data, refused = written(), 0
    for place in range(len(data)):
        for change in (1, 2, 4, 8, 16, 32, 64, 128, 255):
            wrong = bytearray(data)
            wrong[place] ^= change
            with pytest.raises(InputError):
                taken(bytes(wrong))
            refused += 1
    assert refused == 9 * len(data)


def test_every_missing_or_added_byte_is_refused():
    data = written()
    for place in range(len(data)):
        for wrong in (
            data[:place],
            data[:place] + data[place + 1 :],
            data[:place] + b"0" + data[place:],
        ):
            with pytest.raises(InputError):
                taken(wrong)
    with pytest.raises(InputError):
        taken(data + b"\x00")


@given(st.binary(max_size=200))
def test_any_other_bytes_are_refused(data):
    with pytest.raises(InputError):
        read_message(data, 1000)


def test_the_sizes_of_body_and_head_are_bounded():
    assert taken(written(body=b"x" * 100), 100).body == b"x" * 100
    with pytest.raises(InputError, match="longer than the 99 bytes allowed"):
        read_message(written(body=b"x" * 100), 99)
    with pytest.raises(InputError, match="longer than the 0 bytes allowed"):
        read_message(written(body=b"x"))
    for length in (MOST + 1, 2**32 - 1, 2**31):
        with pytest.raises(InputError, match="cut short or has too long a head"):
            read_message(length.to_bytes(4, "big") + bytes(2 * MOST), 2**40)
    with pytest.raises(InputError, match="too long a head"):
        read_message(written(content={"note": "x" * MOST}), 100)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("federation", "e" * 64),
        ("kind", "statement"),
        ("sender", "birch"),
        ("to", "birch"),
        ("to", "alder"),
    ],
)
def test_a_message_for_another_is_refused(field, value):
    with pytest.raises(InputError, match=f"a message of another {field}: '{value}'"):
        taken(written(**{field: value}))


def test_a_message_that_another_signed_is_refused():
    with pytest.raises(InputError, match="a message that alder did not sign"):
        taken(written(key=OTHER))
    mine, other = written(), written(key=OTHER)
    length = 4 + int.from_bytes(mine[:4], "big")
    with pytest.raises(InputError, match="did not sign"):
        taken(mine[:length] + other[length : length + 64] + mine[length + 64 :])


def test_a_body_cannot_be_moved_to_another_message():
    mine, other = written(), written(body=b"\x00modem\xff")
    with pytest.raises(InputError, match="body is not the one that was signed"):
        taken(mine[:-7] + other[-7:])


@pytest.mark.parametrize(
    "change",
    [
        {"federation": "F" * 64},
        {"federation": "f" * 63},
        {"sender": "a b"},
        {"sender": "../x"},
        {"to": ""},
        {"kind": "x" * 64},
        {"answers": "a"},
        {"content": {"deep": [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}},
    ],
    ids=str,
)
def test_a_head_that_is_signed_but_malformed_is_refused(change):
    with pytest.raises(InputError):
        taken(written(**change), **{k: v for k, v in change.items() if k in SAID})


@pytest.mark.parametrize("content", [[], None, "text", 1, True])
def test_content_is_an_object(content):
    with pytest.raises(InputError, match="content"):
        read_message(written(content=content), 100)


def test_a_head_has_no_other_fields():
    head = read_message(written(), 100).head.dump()
    with pytest.raises(InputError, match="more"):
        Head.take({**head, "more": 1})
    for name in head:
        with pytest.raises(InputError, match=name):
            Head.take({key: value for key, value in head.items() if key != name})


def test_evidence_is_of_one_head():
    evidence = read_message(written(), 100).evidence
    for place in range(len(evidence.head)):
        letter = "0" if evidence.head[place] != "0" else "1"
        text = evidence.head[:place] + letter + evidence.head[place + 1 :]
        assert not Evidence(head=text, signature=evidence.signature).is_by(KEY.public)


def test_the_hash_names_head_and_body():
    hashes = {
        read_message(data, 100).hash
        for data in (
            written(),
            written(body=b"other"),
            written(content={}),
            written(answers=None),
            written(to="birch"),
        )
    }
    assert len(hashes) == 5
    assert read_message(written(), 100).hash == read_message(written(key=OTHER), 100).hash


def test_no_float_is_ever_signed():
    with pytest.raises(InputError, match="float"):
        written(content={"loss": 0.5})
    assert canonical({"loss": "0.5"})
