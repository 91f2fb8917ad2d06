"""What a collapse trains on: contributions in equilibrium, as images of a data set.

Contributions go with c^(−1/(1+b)), so one factor brings those of all rules to the images there are:
to each agent its own, as many as the rule that asks it for most makes it use.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...errors import InputError
from ...lab.game.rule import GameRule
from ...lab.play.dynamics import contributions
from ...lab.setting import Setting
from ...mechanism import local_optimum
from ...progress import Progress, silent
from ...training.kept import Kind
from ...training.seeds import generator

_HAIR = 1e-6
"""Of a sample: what a contribution may lack, by rounding, to count as whole."""


@dataclass(frozen=True)
class Scenario:
    """One rule with one kind of agents."""

    rule: GameRule
    lies: bool

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.rule.title}, {'agents that lie' if self.lies else 'true reports'}"

    @property
    def kind(self) -> Kind:
        """Every agent by itself, or all together."""
        return "federated" if self.rule.federates else "local"


@dataclass(frozen=True, eq=False)
class Collected:
    """One seed: whole samples (scenarios, n), the factor that made them so, and m* times it."""

    seed: int
    samples: Ints
    scale: float
    alone: Floats


def collect(
    setting: Setting,
    scenarios: Sequence[Scenario],
    seed: int,
    images: int,
    progress: Progress = silent,
) -> Collected:
    """What all agents of a seed use, in whole samples, in every scenario."""
    cost, wanted = setting.population(seed), np.empty((len(scenarios), setting.agents))
    for k, scenario in enumerate(scenarios):
        progress(f"equilibria, seed {seed}", k, len(scenarios), "rules")
        wanted[k] = contributions(scenario.rule, setting, cost, scenario.lies)
    progress(f"equilibria, seed {seed}", len(scenarios), len(scenarios), "rules")
    scale = images / float(wanted.max(axis=0).sum())
    samples = np.floor(scale * wanted + _HAIR).astype(np.int64)
    for scenario, used in zip(scenarios, samples, strict=True):
        if not used.any():
            raise InputError(
                f"{scenario.name}, seed {seed}: {images:,} images are too few for any of the "
                f"{setting.agents:,} agents to use one; take fewer agents, or more data"
            )
    return Collected(seed, samples, scale, scale * local_optimum(cost, setting.terms.curve))


def deal(images: int, room: Ints, seed: int) -> list[Ints]:
    """The images of each agent, in the order in which it takes them; no image is dealt twice.

    An agent that uses m of them uses its first m: under one rule a part of what under another.
    """
    order = generator(seed, "partition").permutation(images)
    ends = np.cumsum(room)
    return [order[end - size : end] for size, end in zip(room, ends, strict=True)]


def first_of_each(dealt: Sequence[Ints], samples: Ints) -> list[Ints]:
    """The images that each agent trains on; agents that use none are left out."""
    return [np.sort(images[:used]) for images, used in zip(dealt, samples, strict=True) if used > 0]
