"""One arm of a study: a partition of the data, and how many agents deviate in each way."""

from dataclasses import dataclass

from .config import Deviators, Study


@dataclass(frozen=True)
class Arm:
    """``deviators[k]`` agents deviate in the k-th way that the study declares."""

    partition: str
    agents: int
    deviators: tuple[tuple[Deviators, int], ...] = ()

    @property
    def name(self) -> str:
        """In words: "iid", or "iid, 4 of 10 free-ride"."""
        words = [f"{number} of {self.agents} {each.kind}" for each, number in self.deviators]
        return ", ".join([self.partition, *words])

    @property
    def slug(self) -> str:
        """For names of files."""
        return self.name.replace(", ", "+").replace(" ", "-").replace(":", "-")


def arms(study: Study) -> list[Arm]:
    """All arms, partition by partition."""
    return [
        Arm(partition, study.agents, tuple(zip(study.deviators, numbers, strict=True)))
        for partition in study.partitions
        for numbers in study.deviations()
    ]
