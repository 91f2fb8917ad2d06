"""What a check says that does not hold, and what all checks read: who said what."""

from ...errors import InputError
from ..ledger.entry import Entry
from ..ledger.season import SeasonState
from ..wire.message import OPERATOR, Evidence, Head

Replayed = tuple[list[tuple[Entry, object]], SeasonState]
"""All entries of a season with what they say, and the record of them all."""


class Fault(Exception):  # noqa: N818  (of the ledger, not of ours)
    """What is wrong, and with which entry."""

    def __init__(self, entry: Entry | None, why: str) -> None:
        super().__init__(why)
        self.entry, self.why = entry, why


class Unchecked(Exception):  # noqa: N818  (nothing is wrong)
    """What cannot be checked, because a copy is not there."""


class Contested(Exception):  # noqa: N818  (nobody knows whose)
    """What the member says and the ledger does not, and nobody else can know."""


def said_in(entry: Entry, evidence: Evidence, record: SeasonState, kind: str, member: str) -> Head:
    """What a member said, if it did."""
    try:
        head = evidence.read_head()
        wanted = (record.federation, kind, member, OPERATOR)
        if (head.federation, head.kind, head.sender, head.to) != wanted:
            raise Fault(entry, f"holds a message that is no {kind} of {member} to the operator")
        key = record.keys.at(member, entry.number)
        if not evidence.is_by(key):
            raise Fault(entry, f"holds a message that {member} did not sign")
        if record.keys.is_void(key, record.number):
            raise Fault(entry, f"holds a message that {member} signed with a key that is void")
        return head
    except (InputError, KeyError) as error:
        raise Fault(entry, str(error)) from None
