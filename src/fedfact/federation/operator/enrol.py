"""Before training: members enrol and contracts are signed (steps 2 and 3)."""

from typing import Any

from ...errors import InputError
from ..agreement.contract import Contract, contracts_for, declining, roster_hash
from ..ledger.entries import Agreed, Declined, Enrolled, Roster
from ..wire.document import Document
from ..wire.message import Message
from ..wire.transport import Failure
from .session import Paused, Session

MOST_ATTEMPTS = 100
"""How often contracts are offered anew because somebody declined."""


def enrol(session: Session) -> None:
    """Ask every member that has not answered yet for its report (step 2 of the protocol)."""
    record = session.record
    sizes, terms, is_void = record.sizes, record.terms.dump(), record.keys.is_void
    new = sizes.keys() - record.enrolments.keys() - record.declined.keys()
    new -= {each for each, key in session.state.members.items() if is_void(key, record.number)}
    said = session.ask(
        "enrol", {each: {"terms": terms, "size": sizes[each]} for each in sorted(new)}
    )
    session.add(
        *(
            ("enrolment", Enrolled(member=member, said=message.evidence))
            for member, message in said.items()
            if isinstance(message, Message)
        )
    )


def agree(session: Session) -> None:
    """Offer contracts until every member still taking part has signed its own (step 3).

    Members that do not answer are left out, unless too few would remain: then we wait for them.
    """
    record = session.record
    for _ in range(MOST_ATTEMPTS):
        offers = _offers(session)
        content: dict[str, dict[str, Any]] = {
            member: {
                "contract": contract.dump(),
                "signature": session.directory.key.sign("contract", contract.encoded()),
            }
            for member, contract in offers.items()
        }
        said = session.ask("agree", content)
        refused: list[tuple[str, Document]] = []
        silent: list[tuple[str, Document]] = []
        for member, message in said.items():
            if isinstance(message, Failure):
                silent.append(_declined(member, f"no answer: {message.reason}"))
            elif message.head.content != {"contract": offers[member].hash()}:
                refused.append(_refusal(member, message))
        if not refused and not silent:
            break
        session.add(*refused)
        _require_enough(session, len(record.enrolments) - len(silent))
        session.add(*silent)
    else:
        raise Paused("contracts were declined again and again; look into the ledger for why")
    signed = [
        Agreed(
            contract=offers[member],
            operator=content[member]["signature"],
            said=message.evidence,
        )
        for member, message in said.items()
        if isinstance(message, Message)
    ]
    roster = Roster(members=len(offers), contracts=roster_hash(offers))
    session.add(*(("contract", each) for each in signed), ("roster", roster))
    assert record.roster is not None


def _offers(session: Session) -> dict[str, Contract]:
    """The contracts for those enrolled; whose report cannot be taken is turned away."""
    record = session.record
    while True:
        _require_enough(session, len(record.enrolments))
        try:
            return contracts_for(record.enrolments, record.money, record.federation, record.sizes)
        except InputError as error:
            if error.index is None:
                raise
            member = sorted(record.enrolments)[error.index]
            session.add(_declined(member, str(error)))


def _require_enough(session: Session, members: int) -> None:
    least = max(3, session.conduct.quorum)
    if members < least:
        raise Paused(
            f"{members} members take part and {least} are needed; start again when more are there"
        )


def _declined(member: str, why: Any) -> tuple[str, Declined]:
    """An entry that says, by the operator's word, that a member takes no part."""
    return "declined", Declined(member=member, by="operator", why=_words(why), said=None)


def _refusal(member: str, message: Message) -> tuple[str, Declined]:
    """By the member's own word, if it gave one; else the operator says that it did not sign."""
    why = _words(message.head.content.get("declines"))
    own = message.head.content == declining(why)
    return "declined", Declined(
        member=member,
        by="member" if own else "operator",
        why=why if own else "did not sign what it was offered",
        said=message.evidence,
    )


def _words(why: Any) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in str(why))[:500]
