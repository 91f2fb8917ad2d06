"""Before training: agents enrol, contracts are signed, nonces are opened (steps 2 and 3)."""

from collections.abc import Mapping
from typing import Any

from ..mechanism import InputError
from .canonical import canonical, digest
from .contract import Contract, Enrolment, contracts_for, unfit
from .desk import Desk, Paused
from .document import Document
from .draw import WITHHELD, commitment
from .entries import Agreed, Declined, Enrolled, Nonces, Roster
from .message import Evidence, Head, Message
from .transport import Failure

TIMES_TO_OPEN = 2
"""How often an agent is asked for its nonce before it counts as withheld."""

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
                why = message.head.content.get("declines", "did not sign")
                refused.append(_declined(agent, why, message.evidence))
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


def open_nonces(desk: Desk) -> None:
    """Ask for the nonces, now that nobody can be let in or left out any more."""
    contracts = desk.record.contracts
    content = {"roster": roster_hash(contracts)}
    opened: dict[str, Evidence] = {}
    for _ in range(TIMES_TO_OPEN):
        left = sorted(contracts.keys() - opened.keys())
        for agent, message in desk.ask("open", dict.fromkeys(left, content)).items():
            if isinstance(message, Message) and opens(message.head, contracts[agent]):
                opened[agent] = message.evidence
    withheld = sorted(contracts.keys() - opened.keys())
    desk.add(("nonces", Nonces(opened=opened, withheld=withheld, rule=WITHHELD)))


def roster_hash(contracts: Mapping[str, Contract]) -> str:
    """One hash of all contracts."""
    return digest(canonical({agent: contract.hash() for agent, contract in contracts.items()}))


def opens(head: Head, contract: Contract) -> bool:
    """Whether a message opens the nonce that the contract commits to."""
    nonce = str(head.content.get("nonce")) if head.content.keys() == {"nonce"} else ""
    try:
        secret = bytes.fromhex(nonce)
    except ValueError:
        return False
    return secret.hex() == nonce and commitment(secret, contract.agent) == contract.nonce


def _declined(agent: str, why: Any, said: Evidence | None = None) -> tuple[str, Declined]:
    """By its own word, if it gave one."""
    words = "".join(letter if letter.isprintable() else "?" for letter in str(why))[:500]
    by = "operator" if said is None else "agent"
    return "declined", Declined(agent=agent, by=by, why=words, said=said)
