"""Loss and accuracy on the test set, epoch by epoch."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from ..arrays import MOST_SAMPLES
from .evaluate import Score


@dataclass
class TrainingCurve:
    """The scores of one model while it trains: ``scores[k]`` after ``epochs[k]`` epochs."""

    epochs: list[int] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)

    def add(self, epoch: int, score: Score) -> None:
        """Add a point."""
        self.epochs.append(epoch)
        self.scores.append(score)

    @property
    def final(self) -> Score:
        """The score after the last epoch."""
        return self.scores[-1]

    @property
    def best(self) -> Score:
        """Where the loss was lowest: what one gets who stops early."""
        return min(self.scores, key=lambda score: score.loss)

    @property
    def best_epoch(self) -> int:
        """The epoch of the lowest loss."""
        return self.epochs[self.scores.index(self.best)]

    def rows(self) -> list[tuple[int, float, float]]:
        """Epoch, loss and accuracy of each point."""
        return [(epoch, *score) for epoch, score in zip(self.epochs, self.scores, strict=True)]

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[int, float, float]]) -> Self:
        """The curve with these points; refused where it is none."""
        points = [(epoch, float(loss), float(right)) for epoch, loss, right in rows]
        for epoch, *scores in points:
            whole = type(epoch) is int and 0 <= epoch <= MOST_SAMPLES
            if not whole or not all(map(math.isfinite, scores)):
                raise ValueError("no points of a curve")
        return cls([point[0] for point in points], [Score(*point[1:]) for point in points])
