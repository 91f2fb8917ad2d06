"""After training: agents open their nonces, now that nothing the draw depends on can change.

With its nonce an agent signs the head of the ledger, which is the last delivery: a nonce that was
opened before that is found.
"""

from .contract import Contract
from .desk import Desk, Paused
from .draw import WITHHELD, commitment
from .enrolling import roster_hash
from .entries import Nonces
from .message import Evidence, Head, Message

TIMES_TO_OPEN = 2
"""How often an agent is asked for its nonce before it counts as withheld."""

NONCE = 32
"""Bytes of a nonce."""


def open_nonces(desk: Desk) -> None:
    """Ask for the nonces; where there is a draw, wait for who is away, and for a quorum."""
    record, contracts = desk.record, desk.record.contracts
    draws = record.money.rule == "sandwich"
    content = {"roster": roster_hash(contracts)}
    opened: dict[str, Evidence] = {}
    for k in range(TIMES_TO_OPEN):
        left = contracts.keys() - opened.keys()
        if draws and k > 0:
            desk.wait_for(left - record.gone)
        for agent, message in desk.ask("open", dict.fromkeys(sorted(left), content)).items():
            if isinstance(message, Message) and opens(message.head, contracts[agent]):
                opened[agent] = message.evidence
    least = 1 if desk.house.is_to_finish else desk.conduct.quorum
    if draws and len(opened) < least:
        raise Paused(
            f"{len(opened)} agents opened their nonces and the quorum is {desk.conduct.quorum}; "
            "resume when more are there, or with --finish if one nonce is to do"
        )
    withheld = sorted(contracts.keys() - opened.keys())
    desk.add(("nonces", Nonces(opened=opened, withheld=withheld, rule=WITHHELD)))


def opens(head: Head, contract: Contract) -> bool:
    """Whether a message opens the nonce that the contract commits to."""
    nonce = str(head.content.get("nonce")) if head.content.keys() == {"nonce", "ledger"} else ""
    try:
        secret = bytes.fromhex(nonce)
    except ValueError:
        return False
    fits = len(secret) == NONCE and secret.hex() == nonce
    return fits and commitment(secret, contract.agent) == contract.nonce
