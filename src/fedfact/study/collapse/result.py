"""What the collapse ended with: every rule twice, with true reports and with agents that lie."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...results import Tabular, text_table

_MEASURES = ("samples", "contributors", "largest_share", "accuracy", "loss")


@dataclass(frozen=True)
class TrainedCase:
    """One rule with one kind of agents, by seed.

    Attributes:
        gives_model: whether agents get the model; else it is the server's.
        samples, contributors, largest_share: of the data behind one model.
        accuracy, loss: test scores of the model, the mean over agents where each has its own.
        trained: the files of the trainings.
    """

    rule: str
    title: str
    lies: bool
    gives_model: bool
    samples: tuple[float, ...]
    contributors: tuple[float, ...]
    largest_share: tuple[float, ...]
    accuracy: tuple[float, ...]
    loss: tuple[float, ...]
    trained: tuple[str, ...] = field(repr=False)

    def document(self) -> dict[str, Any]:
        """As it stands in ``collapse.json``."""
        return {
            "rule": self.rule,
            "title": self.title,
            "lies": self.lies,
            "gives_model": self.gives_model,
            **{name: _over_seeds(getattr(self, name)) for name in _MEASURES},
            "trained": list(self.trained),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Collapse(Tabular):
    """The free-rider dilemma, trained.

    Attributes:
        samples_available: images that there are; ``scale``, by seed, brings contributions to them.
        alone: samples that are best for an agent alone, the mean.
    """

    dataset: str
    title: str
    agents: int
    costs: str
    epochs: int
    seeds: tuple[int, ...]
    samples_available: int
    scale: tuple[float, ...]
    alone: float
    cases: tuple[TrainedCase, ...]

    def rows(self) -> list[dict[str, Any]]:
        """One row a rule and kind of agents: the means over seeds."""
        return [
            {
                "rule": case.rule,
                "lies": case.lies,
                **{name: float(np.mean(getattr(case, name))) for name in _MEASURES},
            }
            for case in self.cases
        ]

    def __repr__(self) -> str:
        """Say what was trained, and show the means of every case."""
        about = f"{self.title}, {self.agents:,} agents, seeds {len(self.seeds):,}"
        return f"Collapse on {about}\n{text_table(self.rows(), shown=len(self.cases))}"

    def document(self) -> dict[str, Any]:
        """All of it, as it stands in ``collapse.json``."""
        return {
            "dataset": self.dataset,
            "title": self.title,
            "agents": self.agents,
            "costs": self.costs,
            "epochs": self.epochs,
            "seeds": list(self.seeds),
            "samples_available": self.samples_available,
            "scale": list(self.scale),
            "alone": self.alone,
            "cases": [case.document() for case in self.cases],
        }


def _over_seeds(values: Sequence[float]) -> dict[str, Any]:
    """The values and their mean."""
    return {"values": list(values), "mean": float(np.mean(values))}
