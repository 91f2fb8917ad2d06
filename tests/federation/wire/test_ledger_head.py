"""The head of a ledger: signed for one consortium, one entry and one tree."""

import pytest

from fedfact.errors import InputError
from fedfact.federation.wire.keys import Key
from fedfact.federation.wire.ledger_head import PURPOSE, LedgerHead, signed_part

KEY = Key(bytes(range(32)))
CONSORTIUM, ENTRY, ROOT, OTHER = "c" * 64, "e" * 64, "f" * 64, "0" * 64


@pytest.fixture
def head():
    return LedgerHead.signed(KEY, CONSORTIUM, 7, ENTRY, ROOT)


def test_a_head_is_what_the_operator_signed(head):
    assert head.is_by(KEY.public, CONSORTIUM)
    assert LedgerHead.read(head.encoded()) == head
    assert head.dump() == {
        "number": 7,
        "entry": ENTRY,
        "root": ROOT,
        "signature": head.signature,
    }


def test_what_is_signed_is_written_in_one_way():
    said = f'{{"consortium":"{CONSORTIUM}","entry":"{ENTRY}","number":7,"root":"{ROOT}"}}'
    assert signed_part(CONSORTIUM, 7, ENTRY, ROOT) == said.encode()
    assert (
        KEY.sign(PURPOSE, said.encode())
        == LedgerHead.signed(KEY, CONSORTIUM, 7, ENTRY, ROOT).signature
    )
    assert PURPOSE == "head"


@pytest.mark.parametrize(
    "change",
    [
        {"number": 8},
        {"number": 0},
        {"entry": OTHER},
        {"root": OTHER},
        {"entry": ROOT, "root": ENTRY},
        {"signature": "0" * 128},
    ],
    ids=str,
)
def test_any_other_head_is_not_signed(head, change):
    assert not head.model_copy(update=change).is_by(KEY.public, CONSORTIUM)


def test_a_head_is_worth_nothing_elsewhere(head):
    """Of another consortium with the same operator, by another operator, for another purpose."""
    assert not head.is_by(KEY.public, OTHER)
    assert not head.is_by(Key(bytes(32)).public, CONSORTIUM)
    said = signed_part(CONSORTIUM, 7, ENTRY, ROOT)
    for purpose in ("entry", "message", "contract", ""):
        forged = head.model_copy(update={"signature": KEY.sign(purpose, said)})
        assert not forged.is_by(KEY.public, CONSORTIUM)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"number": -1}, "number"),
        ({"number": True}, "number"),
        ({"number": "7"}, "number"),
        ({"entry": "e" * 63}, "entry"),
        ({"root": "F" * 64}, "root"),
        ({"root": None}, "root"),
        ({"signature": "0" * 127}, "signature"),
        ({"season": 1}, "season"),
    ],
    ids=str,
)
def test_what_is_no_head_is_refused(head, change, says):
    with pytest.raises(InputError, match=f"not a valid ledger head: {says}"):
        LedgerHead.take(head.dump() | change)


def test_a_head_is_whole(head):
    for name in head.dump():
        part = {key: value for key, value in head.dump().items() if key != name}
        with pytest.raises(InputError, match=f"not a valid ledger head: {name}"):
            LedgerHead.take(part)
