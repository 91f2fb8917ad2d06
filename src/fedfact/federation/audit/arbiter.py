"""The arbiter's part: a decision about a dispute, from a ledger that was checked first."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from ...errors import InputError
from ...io import limits
from ...io.regular import read_bytes
from ..agreement.disputes import Counts, Decision, DecisionFile, corrected_delivery
from ..ledger.entry import Entry
from ..ledger.state import replay
from ..wire.keys import Key
from .verify import is_sound, verify


def decide(
    entries: list[Entry],
    member: str,
    key: Key,
    *,
    outcome: Literal["stands", "reversed"],
    corrected: Mapping[str, Counts],
    says: str,
) -> Decision:
    """Decide what a member disputes of the settlement that stands.

    A ledger that is not sound, a key that is not the arbiter's, and counts that no training could
    lead to are refused.
    """
    verdicts = verify(entries)
    if not is_sound(verdicts):
        wrong = next(each for each in verdicts if each.holds is False)
        raise InputError(
            f"the ledger is not sound ({wrong.name}: {wrong.says}), so nothing can be decided by "
            "it; ask the operator and the members for theirs"
        )
    record = replay(entries).disputed_by(member)
    if record is None or (settlement := record.settlement) is None:
        raise InputError(f"{member} disputes no settlement that stands")
    if record.terms.disputes.arbiter != key.public:
        raise InputError("this is not the key of the arbiter whom the terms name")
    dispute = record.disputes.of(member, settlement)
    assert dispute is not None
    if dispute.decision is not None:
        raise InputError(f"the dispute of {member} is decided already: {dispute.decision.outcome}")
    if corrected and outcome == "stands":
        raise InputError("a settlement that stands has no counts to correct")
    for name, counts in corrected.items():
        if name not in record.deliveries:
            raise InputError(f"{name} delivered nothing, so there is no count to correct")
        corrected_delivery(
            record.deliveries[name],
            counts,
            record.contracts[name],
            record.money,
            record.rounds_so_far,
            record.gone,
        )
    return Decision.signed(
        key,
        terms=record.federation,
        settlement=settlement,
        dispute=dispute.opened.hash,
        member=member,
        outcome=outcome,
        corrected=dict(corrected),
        says=says,
    )


def read_decision(path: Path) -> Decision:
    """The decision in a file, as the arbiter handed it on."""
    try:
        return DecisionFile.read(read_bytes(path, limits.KEPT)).decision
    except OSError:
        raise InputError(f"{path}: is not there; name the file that the arbiter sent") from None
    except InputError as error:
        raise InputError(f"{path}: {error}; ask the arbiter for it again") from None
