"""An older ledger is mended: all who are bound by it consent to go on from where it ends.

What the lost entries said is done again: members answer the same where it is the same question, and
hand over the last round again that they trained; rounds before that are trained again. What cannot
be mended, a member refuses to consent to, and says why.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ....errors import InputError
from ...agreement.restart import Consent, LastShown
from ...ledger.entries import Restarted
from ...ledger.entry import Entry
from ...ledger.state import LedgerState
from ...wire.message import Message
from ...wire.proofs import Proofs
from ...wire.transport import Failure
from ..directory import OperatorDirectory
from .compare import StaleLedger

Ask = Callable[[str, Mapping[str, dict[str, Any]]], Mapping[str, Message | Failure]]


def restarted(
    state: LedgerState,
    entries: Sequence[Entry],
    shown: Mapping[str, LastShown],
    lost: Collection[str],
    ask: Ask,
) -> Restarted:
    """The entry by which the ledger goes on, with the consent of all who must give it.

    Each is given the proof that what it was ``shown`` up to there is still in the ledger.
    """
    if not entries:
        raise StaleLedger("the ledger is empty: there is nothing to go on from; restore a backup")
    needed, proofs = state.bound | {*lost}, Proofs([entry.hash for entry in entries])
    after, season = state.head, len(state.seasons)
    rounds = len(state.season.rounds) if state.seasons else 0
    about = {"after": after.dump(), "season": season, "rounds": rounds}
    contents = {}
    for member in sorted(needed):
        below = shown[member].below if member in shown else None
        proof = proofs.consistency(below.number + 1) if below else []
        contents[member] = {**about, "proof": proof}
    said, missing = {}, []
    for member, reply in ask("restart", contents).items():
        why = reply.detail or reply.reason if isinstance(reply, Failure) else _other(reply, about)
        if isinstance(reply, Message) and not why:
            said[member] = reply.evidence
        else:
            missing.append(f"{member} ({why})")
    if missing:
        raise StaleLedger(
            f"the ledger can go on from entry {after.number} only if all who are bound by it "
            f"consent, and these have not: {', '.join(missing)}. Each allows it once, with fedfact "
            "federation allow-restart; then mend again"
        )
    return Restarted(after=after, season=season, rounds=rounds, said=said)


def _other(reply: Message, about: dict[str, Any]) -> str:
    """What is wrong with a consent, if anything."""
    try:
        said = Consent.take(reply.head.content).dump()
    except InputError as error:
        return str(error)
    return "" if {name: said[name] for name in about} == about else "consents to something else"


def remove_newer_models(directory: OperatorDirectory, rounds: int) -> None:
    """Models of rounds that are to be trained again."""
    for path in (directory.season / "models").glob("round-*.bin"):
        number = path.stem.partition("-")[2]
        if number.isdigit() and int(number) > rounds:
            path.unlink(missing_ok=True)
