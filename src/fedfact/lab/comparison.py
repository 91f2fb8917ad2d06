"""All rules on one population: honest reports, lies, learners, and every attack."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..progress import Progress, silent
from .attacks.registry import BY, check_by
from .attacks.table import POPULATIONS, AttackTable, attack, check_size
from .play.dynamics import ROUNDS
from .play.equilibrium import Equilibrium, equilibrium
from .results import LabResult
from .rules.registry import Choices
from .setting import Setting


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(LabResult):
    """The same agents under every rule: telling the truth, lying, learning, and attacking."""

    setting: Setting
    true: Equilibrium
    strategic: Equilibrium
    learned: Equilibrium
    attacks: AttackTable

    def rows(self) -> list[dict[str, Any]]:
        """A row for each rule: samples and losses, if agents tell the truth, lie or learn.

        Of attacks the largest gain: on average, and of those that are best placed for one.
        """
        plays = {"true": self.true, "strategic": self.strategic, "learned": self.learned}
        rows = []
        for rule in self.attacks.rules:
            ends = {key: play.end_of(rule.name) for key, play in plays.items()}
            cells = self.attacks.cells_of(rule.name)
            rows.append(
                {
                    "rule": rule.name,
                    **{f"samples_share_{key}": end.samples_share for key, end in ends.items()},
                    **{f"mean_loss_{key}": end.mean_loss for key, end in ends.items()},
                    "best_attack": _most(cell.gain for cell in cells),
                    "best_placed": _most(cell.best_gain for cell in cells),
                }
            )
        return rows

    def document(self) -> dict[str, Any]:
        """The setting and the documents of all parts."""
        return {
            "setting": self.setting.describe(),
            "true": self.true.document(),
            "strategic": self.strategic.document(),
            "learned": self.learned.document(),
            "attacks": self.attacks.document(),
        }


def _most(gains: Iterable[float | None]) -> float | None:
    """The largest, of attacks that can be tried."""
    return max((gain for gain in gains if gain is not None), default=None)


def compare(
    setting: Setting,
    *,
    populations: int = POPULATIONS,
    rounds: int = ROUNDS,
    by: float = BY,
    seed: int = 0,
    rules: Choices | None = None,
    progress: Progress = silent,
) -> Comparison:
    """What becomes of the same agents under every rule, or those given by name or as objects."""
    check_by(by)
    check_size(setting, populations)
    play: dict[str, Any] = {"rounds": rounds, "seed": seed, "rules": rules, "progress": progress}
    return Comparison(
        setting,
        equilibrium(setting, lies=False, **play),
        equilibrium(setting, **play),
        equilibrium(setting, how="hedge", **play),
        attack(
            setting,
            populations=populations,
            by=by,
            seed=seed,
            rules=rules,
            curves=True,
            progress=progress,
        ),
    )
