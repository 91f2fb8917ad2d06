"""What `fedfact.lab.collapse` trains on: contributions in equilibrium, as images of a data set.

Contributions go with 1/√c, so one factor brings those of all rules to the images there are: to each
agent its own, as many as the rule that asks it for most makes it use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..mechanism import InputError, local_optimum
from ..mechanism.arrays import Floats, Ints
from ..progress import Report, silent
from ..training.seeds import generator
from .dynamics import contributions
from .rule import Rule
from .setting import Setting

Kind = Literal["local", "federated"]
"""Every agent alone, or all together."""

_HAIR = 1e-6
"""Of a sample: what a contribution may lack, by rounding, to count as whole."""


@dataclass(frozen=True)
class Case:
    """One rule with one kind of agents."""

    rule: Rule
    lies: bool

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.rule.title}, {'agents that lie' if self.lies else 'true reports'}"

    @property
    def kind(self) -> Kind:
        """Every agent by itself, or all together."""
        return "local" if self.rule.name == "local" else "federated"


@dataclass(frozen=True, eq=False)
class World:
    """One seed: whole samples (cases, n), the factor that made them so, and m* times the factor."""

    seed: int
    samples: Ints
    scale: float
    alone: Floats


def world(
    setting: Setting, cases: Sequence[Case], seed: int, images: int, report: Report = silent
) -> World:
    """What all agents of a seed use, in whole samples, in every case."""
    cost, wanted = setting.population(seed), np.empty((len(cases), setting.agents))
    for k, case in enumerate(cases):
        report(f"equilibria, seed {seed}", k, len(cases), "rules")
        wanted[k] = contributions(case.rule, setting, cost, case.lies)
    report(f"equilibria, seed {seed}", len(cases), len(cases), "rules")
    scale = images / float(wanted.max(axis=0).sum())
    samples = np.floor(scale * wanted + _HAIR).astype(np.int64)
    for case, used in zip(cases, samples, strict=True):
        if not used.any():
            raise InputError(
                f"{case.name}, seed {seed}: {images:,} images are too few for any of the "
                f"{setting.agents:,} agents to use one; take fewer agents, or more data"
            )
    A = float(setting.terms.required_error_scale)
    return World(seed, samples, scale, scale * local_optimum(cost, A))


def deal(images: int, room: Ints, seed: int) -> list[Ints]:
    """The images of each agent, in the order in which it takes them; no image is dealt twice.

    An agent that uses m of them uses its first m: under one rule a part of what under another.
    """
    order = generator(seed, "partition").permutation(images)
    ends = np.cumsum(room)
    return [order[end - size : end] for size, end in zip(room, ends, strict=True)]


def first_of_each(dealt: Sequence[Ints], samples: Ints) -> list[Ints]:
    """What is trained on where agents use so many of their images; who uses none is left out."""
    return [np.sort(images[:used]) for images, used in zip(dealt, samples, strict=True) if used > 0]
