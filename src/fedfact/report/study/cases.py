"""The cases that a report shows: every arm of every study, with its name and its numbers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...data.partition import parse_scheme
from ...data.registry import SETS
from ...study.files.columns import StudyTable
from ...study.files.directory import Result
from ..base.words import Cell


@dataclass(frozen=True, eq=False)
class Case:
    """One arm of one study.

    Attributes:
        study: what the study is about.
        name: how the case is called here, unlike all others.
        numbers: the arm's part of the summary.
    """

    result: Result
    study: str
    name: str
    numbers: dict[str, Any]

    @property
    def dataset(self) -> str:
        """Which data the study is about."""
        return str(self.result.summary["dataset"])

    @property
    def first_seed(self) -> int:
        """The seed that is shown where only one can be."""
        return int(min(self.result.summary["seeds"]))

    def agents(self) -> StudyTable:
        """The agents of the first seed, by reported cost."""
        table = where(self.result.agents, arm=self.numbers["arm"], seed=self.first_seed)
        order = np.argsort(table["reported_cost"], kind="stable")
        return {name: column[order] for name, column in table.items()}

    def rows(self, columns: Sequence[str]) -> list[list[Cell]]:
        """Case, agent and these columns of each of the agents; nothing where there is no such."""
        agents = self.agents()
        return [
            [self.name, str(name), *(float(agents[c][k]) if c in agents else None for c in columns)]
            for k, name in enumerate(agents["agent"])
        ]

    def settlement(self, rule: str) -> StudyTable:
        """The settlement of the first seed: by measured losses, or by the curve only."""
        return where(
            self.result.settlement,
            arm=self.numbers["arm"],
            seed=self.first_seed,
            rule=rule,
            input=self.numbers["settlement"][rule]["input"],
        )

    def is_measured(self, rule: str) -> bool:
        """Whether the rule settled measured losses."""
        return rule in self.result.measured

    def unit(self, rule: str) -> float:
        """What one unit of money is worth there: in test loss, or in that of the curve."""
        summary = self.result.summary
        return float(summary["unit"] if self.is_measured(rule) else summary["curve"]["unit"])

    def unlike(self) -> str:
        """How the case is called where the partition of its data plays no part."""
        return self.name if self.numbers["deviators"] else self.study


def where(table: StudyTable, **equal: Any) -> StudyTable:
    """The rows with these values."""
    kept: npt.NDArray[np.bool_] = np.ones(len(next(iter(table.values()))), np.bool_)
    for name, value in equal.items():
        kept &= table[name] == value
    return {name: column[kept] for name, column in table.items()}


def arm_name(arm: str) -> str:
    """As the paper writes it: dirichlet:0.3 is D-0.3."""
    return arm.replace("dirichlet:", "D-").replace(" free-ride", " free ride")


def title_of(result: Result) -> str:
    """What a study is about: its data."""
    return str(result.summary["title"])


def cases_of(results: Sequence[Result]) -> list[Case]:
    """All cases in the paper's order: by data, what deviates last, the less alike the later.

    A case is called by its arm, with several studies by data and arm, and where that is not enough
    by the study's own name or directory as well.
    """
    cases = [(result, arm) for result in results for arm in result.summary["arms"]]
    plain = [arm_name(arm["arm"]) for _, arm in cases]
    by_data = [f"{title_of(result)}, {arm_name(arm['arm'])}" for result, arm in cases]
    by_study = [
        f"{name} ({result.summary['study']})"
        for name, (result, _) in zip(by_data, cases, strict=True)
    ]
    by_folder = [
        f"{name} ({result.path})" for name, (result, _) in zip(by_data, cases, strict=True)
    ]
    names = plain if len(results) == 1 else by_data
    for longer in (by_study, by_folder):
        twice = Counter(names)
        names = [
            name if twice[name] == 1 else other for name, other in zip(names, longer, strict=True)
        ]
    found = [
        Case(result, title_of(result), name, arm)
        for name, (result, arm) in zip(names, cases, strict=True)
    ]
    return sorted(found, key=_order)


def _order(case: Case) -> tuple[int, bool, float]:
    """Where a case stands among others; those alike stay as they came."""
    data = SETS[case.dataset].order_in_paper or len(SETS)  # what the paper does not have comes last
    concentration = parse_scheme(str(case.numbers["partition"]))
    skew = 0.0 if concentration is None else 1 / concentration
    return data, bool(case.numbers["deviators"]), skew
