"""All rules on one population: honest reports, lies, learners, and every attack."""

from typing import Any

from ..progress import Report, silent
from .attack import POPULATIONS, attack, check_size
from .attack_names import BY, check_by
from .dynamics import ROUNDS
from .equilibrium import equilibrium
from .setting import Setting


def compare(
    setting: Setting,
    *,
    populations: int = POPULATIONS,
    rounds: int = ROUNDS,
    by: float = BY,
    seed: int = 0,
    report: Report = silent,
) -> dict[str, Any]:
    """What becomes of the same agents under every rule."""
    check_by(by)
    check_size(setting, populations)
    play: dict[str, Any] = {"rounds": rounds, "seed": seed, "report": report}
    return {
        "setting": setting.describe(),
        "true": equilibrium(setting, lies=False, **play),
        "strategic": equilibrium(setting, **play),
        "learned": equilibrium(setting, how="hedge", **play),
        "attacks": attack(setting, populations=populations, by=by, seed=seed, report=report),
    }
