"""What is checked of restarts: nobody's entries were let go of without that member's word."""

from ...errors import InputError
from ..agreement.restart import Consent
from ..ledger.entries import Restarted
from ..ledger.entry import Entry
from ..ledger.state import LedgerState
from ..wire.message import OPERATOR
from .findings import Fault


def restarts(of: tuple[LedgerState, list[tuple[Entry, object]]]) -> str:
    """Where the operator lost entries, all who were bound by the ledger signed that it goes on.

    That they are all there is for the order; what was lost, only their own heads say.
    """
    state, documents = of
    found = list[str]()
    for entry, said in documents:
        if not isinstance(said, Restarted):
            continue
        lost = [_check(entry, said, member, state) for member in sorted(said.said)]
        newest = max((number for number in lost if number is not None), default=None)
        gone = "nothing" if newest is None else f"what was shown up to entry {newest}"
        found.append(f"after entry {said.after.number} all let go of {gone}")
    return "; ".join(found) or "none"


def _check(entry: Entry, said: Restarted, member: str, state: LedgerState) -> int | None:
    """The entry up to which this member let go of what it was shown."""
    consortium, evidence = state.consortium, said.said[member]
    try:
        head = evidence.read_head()
        wanted = (consortium.hash(), "restart", member, OPERATOR)
        if (head.federation, head.kind, head.sender, head.to) != wanted:
            raise InputError(f"a message that is no consent of {member} to the operator")
        if not evidence.is_by(state.keys.at(member, entry.number)):
            raise InputError(f"a consent that {member} did not sign")
        consent = Consent.take(head.content)
        to = (consent.after, consent.season, consent.rounds)
        if to != (said.after, said.season, said.rounds):
            raise InputError(f"a consent of {member} to something else")
        lost = consent.lost
        if lost is None:
            return None
        if lost.number <= said.after.number or not lost.is_by(
            consortium.operator, consortium.hash()
        ):
            raise InputError(f"a lost head of {member} that the operator did not sign")
        return lost.number
    except (InputError, KeyError) as error:
        raise Fault(entry, f"holds {error}") from None
