"""Before training: agents enrol and contracts are signed (steps 2 and 3)."""

from collections.abc import Mapping
from typing import Any

from ..mechanism import InputError
from .canonical import canonical, digest
from .contract import Contract, Enrolment, contracts_for, declining, unfit
from .desk import Desk, Paused
from .document import Document
from .entries import Agreed, Declined, Enrolled, Roster
from .message import Message
from .transport import Failure

MOST_ATTEMPTS = 100
"""How often contracts are offered anew because somebody declined."""


def enrol(desk: Desk) -> None:
    """Ask every member that has not answered yet for its report (step 2 of the protocol)."""
    record = desk.record
    new = set(desk.house.members) - record.enrolments.keys() - record.declined.keys()
    content = {"terms": desk.house.published.dump()}
    said = desk.ask("enrol", dict.fromkeys(sorted(new), content))
    entries: list[tuple[str, Document]] = []
    for agent, message in said.items():
        if isinstance(message, Failure):
            continue
        enrolment = Enrolment.take(message.head.content)
        entries.append(("enrolment", Enrolled(agent=agent, said=message.evidence)))
        if why := unfit(enrolment, record.money):
            entries.append(_declined(agent, why))
    desk.add(*entries)


def agree(desk: Desk) -> None:
    """Offer contracts until all who are left have signed theirs (step 3).

    Who is silent is left out, unless too few would be left: then it is waited for.
    """
    record = desk.record
    for _ in range(MOST_ATTEMPTS):
        offers = _offers(desk)
        content: dict[str, dict[str, Any]] = {
            agent: {
                "contract": contract.dump(),
                "signature": desk.house.key.sign("contract", contract.encoded()),
            }
            for agent, contract in offers.items()
        }
        said = desk.ask("agree", content)
        refused: list[tuple[str, Document]] = []
        silent: list[tuple[str, Document]] = []
        for agent, message in said.items():
            if isinstance(message, Failure):
                silent.append(_declined(agent, f"no answer: {message.reason}"))
            elif message.head.content != {"contract": offers[agent].hash()}:
                refused.append(_refusal(agent, message))
        if not refused and not silent:
            break
        desk.add(*refused)
        _require_enough(desk, len(record.enrolments) - len(silent))
        desk.add(*silent)
    else:
        raise Paused("contracts were declined again and again; look into the ledger for why")
    signed = [
        Agreed(
            contract=offers[agent],
            operator=content[agent]["signature"],
            said=message.evidence,
        )
        for agent, message in said.items()
        if isinstance(message, Message)
    ]
    roster = Roster(agents=len(offers), contracts=roster_hash(offers))
    desk.add(*(("contract", each) for each in signed), ("roster", roster))
    assert record.roster is not None


def _offers(desk: Desk) -> dict[str, Contract]:
    """The contracts for those enrolled; who makes a settlement impossible is turned away."""
    record = desk.record
    while True:
        _require_enough(desk, len(record.enrolments))
        try:
            return contracts_for(record.enrolments, record.money, record.federation)
        except InputError as error:
            if error.index is None:
                raise
            agent = sorted(record.enrolments)[error.index]
            desk.add(_declined(agent, str(error)))


def _require_enough(desk: Desk, agents: int) -> None:
    least = max(3, desk.conduct.quorum)
    if agents < least:
        raise Paused(
            f"{agents} agents take part and {least} are needed; start again when more are there"
        )


def roster_hash(contracts: Mapping[str, Contract]) -> str:
    """One hash of all contracts."""
    return digest(canonical({agent: contract.hash() for agent, contract in contracts.items()}))


def _declined(agent: str, why: Any) -> tuple[str, Declined]:
    """By the operator's word."""
    return "declined", Declined(agent=agent, by="operator", why=_words(why), said=None)


def _refusal(agent: str, message: Message) -> tuple[str, Declined]:
    """By the agent's own word, if it gave one; else the operator says that it did not sign."""
    why = _words(message.head.content.get("declines"))
    own = message.head.content == declining(why)
    return "declined", Declined(
        agent=agent,
        by="agent" if own else "operator",
        why=why if own else "did not sign what it was offered",
        said=message.evidence,
    )


def _words(why: Any) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in str(why))[:500]
