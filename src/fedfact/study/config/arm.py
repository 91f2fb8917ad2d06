"""One arm of a study: a partition of the data, and how many agents deviate in each way."""

from dataclasses import dataclass

from .study import Deviators, Study


@dataclass(frozen=True)
class Arm:
    """``deviators`` are the ways to deviate that the study declares, with how many do so."""

    partition: str
    agents: int
    deviators: tuple[tuple[Deviators, int], ...] = ()

    @property
    def name(self) -> str:
        """In words: "iid", or "iid, 4 of 10 free-ride"."""
        kinds = [each.kind for each, _ in self.deviators]
        words = [
            f"{number} of {self.agents} {each.kind}"
            + (f" {each.strength:+.4g}" if kinds.count(each.kind) > 1 else "")
            for each, number in self.deviators
        ]
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
