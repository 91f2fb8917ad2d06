"""After training: members open their nonces, now that nothing the draw depends on can change.

With its nonce a member signs the head of the ledger, which is the last delivery: a nonce that was
opened before that is found.
"""

from ...mechanism import rule_of
from ..agreement.contract import roster_hash
from ..agreement.draw import opens
from ..ledger.entries import Nonces
from ..wire.message import Evidence, Message
from .session import Paused, Session

TIMES_TO_OPEN = 2
"""How often a member is asked for its nonce before it counts as withheld."""


def open_nonces(session: Session) -> None:
    """Ask for the nonces; absent members get a chance, and a draw waits for a quorum."""
    record, contracts = session.record, session.record.contracts
    draws = rule_of(record.money).draws
    content = {"roster": roster_hash(contracts)}
    opened: dict[str, Evidence] = {}
    for k in range(TIMES_TO_OPEN):
        left = contracts.keys() - opened.keys()
        if k > 0 and left:
            session.give_a_chance(left - record.gone)
        for member, message in session.ask("open", dict.fromkeys(sorted(left), content)).items():
            if isinstance(message, Message) and opens(message.head, contracts[member]):
                opened[member] = message.evidence
    least = 1 if session.directory.is_to_finish else session.conduct.quorum
    if draws and len(opened) < least:
        raise Paused(
            f"{len(opened)} members opened their nonces and the quorum is "
            f"{session.conduct.quorum}; resume when more are there, or with --finish if one "
            "nonce is to do"
        )
    withheld = sorted(contracts.keys() - opened.keys())
    session.add(("nonces", Nonces(opened=opened, withheld=withheld)))
