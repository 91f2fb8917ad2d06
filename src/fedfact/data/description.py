"""What is known of a data set before it is read: its words, its network, and how it is trained."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..progress import Progress
from .dataset import Dataset

SplitBy = Literal["lesion", "image", "stratified"]
"""How a test set is set apart: with no lesion on both sides, image by image, or image by image with
a fifth of every class."""

_WORDS = {"stratified": "image, stratified by class"}

Loader = Callable[[Path | None, SplitBy, Progress], Dataset]

PAPER_PARTITIONS = ("iid", "dirichlet:0.6", "dirichlet:0.3")
"""Those of the paper's Figures 1 and 2."""


@dataclass(frozen=True)
class Description:
    """One data set, in plain values: nothing here needs PyTorch.

    Attributes:
        title: how people write its name.
        shape: height, width and channels of an image.
        classes: what its labels stand for, in their order.
        mean, std: of each channel, for pixels scaled to 0..1.
        load: reads it from a directory, or from where it is by default.
        agents: how many share it in the paper.
        network: the name of its network in ``fedfact.models``.
        recipe: the settings of ``fedfact.training.Recipe``.
        preset: what differs from a study's defaults in the study of its name.
        pretrained: whether the network starts from a file of weights.
        splits: how its test set can be set apart, the default first; empty where it has its own.
        order_in_paper: its position among the data sets of the paper, from 1; 0 if not there.
    """

    name: str
    title: str
    shape: tuple[int, int, int]
    classes: tuple[str, ...]
    mean: tuple[float, ...]
    std: tuple[float, ...]
    load: Loader
    agents: int
    network: str
    recipe: Mapping[str, Any]
    preset: Mapping[str, Any] = field(default_factory=dict)
    pretrained: bool = False
    splits: tuple[SplitBy, ...] = ()
    order_in_paper: int = 0

    def scheme(self, partition: str, split: SplitBy) -> str:
        """In words, how samples were dealt out, and the test samples set apart."""
        return f"{partition}, split by {_WORDS.get(split, split)}" if self.splits else partition

    def title_of(self, split: SplitBy) -> str:
        """The title of the data set split so, which is said where it is not the default."""
        if split not in self.splits[1:]:
            return self.title
        return f"{self.title} by {_WORDS.get(split, split)}"
