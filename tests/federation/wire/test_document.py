"""Documents: strict, complete, and with nothing in them that a terminal would obey."""

import pytest

from fedfact.errors import InputError
from fedfact.federation.agreement.lines import Posting
from fedfact.federation.ledger.entries import Declined, Roster
from fedfact.federation.wire.document import Document, Name


class Defaults(Document):
    name: Name
    count: int = 3


def test_a_document_says_all_its_fields_itself():
    assert Defaults(name="a").dump() == {"name": "a", "count": 3}
    assert Defaults.read(b'{"count":3,"name":"a"}') == Defaults(name="a")
    with pytest.raises(InputError, match="a field is missing"):
        Defaults.read(b'{"name":"a"}')


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"account": "operator"}, "amount"),
        ({"account": "operator", "amount": 1, "more": 1}, "more"),
        ({"account": "operator", "amount": "1"}, "amount"),
        ({"account": "operator", "amount": True}, "amount"),
        ({"account": "operator", "amount": 2**63 - 1}, "amount"),
        ({"account": "operator\n", "amount": 1}, "account"),
        ({"account": "member/", "amount": 1}, "account"),
        ({"account": "member/ä", "amount": 1}, "account"),
        ([], "not a valid posting"),
        (None, "not a valid posting"),
    ],
)
def test_a_document_is_strict_and_names_the_wrong_field(values, says):
    with pytest.raises(InputError, match=says):
        Posting.take(values)


def test_hashes_are_lower_case_and_whole():
    for wrong in ("A" * 64, "a" * 63, "a" * 65, "a" * 64 + "\n", "g" * 64):
        with pytest.raises(InputError, match="contracts"):
            Roster.take({"members": 3, "contracts": wrong})


def test_words_that_reach_a_terminal_are_printable():
    with pytest.raises(InputError, match="control characters"):
        Declined.take({"member": "elm", "by": "operator", "why": "\x1b[2J", "said": None})
