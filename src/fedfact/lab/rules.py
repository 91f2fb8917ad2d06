"""All rules of the lab, in the order of its tables."""

from collections.abc import Iterable

from ..mechanism import InputError, Terms, local_optimum
from ..mechanism.errors import did_you_mean
from .auction import Auction
from .penalised import Penalised
from .plain import Federated, Local
from .realfm import RealFM
from .rebate import Rebate
from .rule import Rule
from .sandwich import PaperSandwich, Sandwich
from .shaping import Shaping

NAMES = (
    "local",
    "federated",
    "penalised",
    "sandwich-paper",
    "sandwich",
    "rebate",
    "shaping",
    "realfm",
    "auction",
)


def all_rules(terms: Terms, agents: int, median: float) -> list[Rule]:
    """Every rule, for so many agents.

    What the server of an auction or of RealFM has to fix beforehand follows from the median of the
    distribution of costs, and from no report: a job is what an agent of that cost would use alone,
    every second agent gets one, and profit is counted from a model of one job on.
    """
    job = float(local_optimum(median, float(terms.required_error_scale)))
    return [
        Local(),
        Federated(),
        Penalised(),
        PaperSandwich(),
        Sandwich(),
        Rebate(),
        Shaping(),
        RealFM(start=job),
        Auction(jobs=max(1, agents // 2), size=job),
    ]


def check_names(names: Iterable[str]) -> None:
    """Refuse a rule that is not there."""
    for name in names:
        if name not in NAMES:
            near = did_you_mean(name, NAMES) or f"choose from {', '.join(NAMES)}"
            raise InputError(f"rule {name!r} is not known; {near}")
