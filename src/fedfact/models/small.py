"""The small convolutional networks: one for digits, one for MNIST.

Blocks of a 3x3 convolution, batch norm, ReLU and dropout, then one linear layer on what is left of
the image. The paper says "a small convolutional neural network" and no more; these are ours.
"""

import torch
from torch import Tensor, nn


class Dropout(nn.Module):
    """Dropout of whole feature maps, drawn from a generator of its own.

    PyTorch's dropout draws from one generator for the whole process, so that what an agent draws
    would depend on which others train beside it. Here each agent brings its own (``generator``).
    """

    def __init__(self, probability: float) -> None:
        super().__init__()
        self.probability = probability
        self.generator: torch.Generator | None = None

    def forward(self, maps: Tensor) -> Tensor:
        """``maps`` (images x maps x height x width) with some maps zero, the others larger."""
        if not self.training or self.probability == 0:
            return maps
        keep = maps.new_empty((*maps.shape[:2], 1, 1))
        keep.bernoulli_(1 - self.probability, generator=self.generator)
        return maps * keep.div_(1 - self.probability)


class Block(nn.Sequential):
    """3x3 convolution, batch norm, ReLU, dropout."""

    def __init__(self, inputs: int, outputs: int, stride: int, dropout: float) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
            Dropout(dropout),
        )


def digits_cnn(classes: int) -> nn.Module:
    """The network for scikit-learn's digits: 8x8 pixels, 16 and 32 channels."""
    return nn.Sequential(
        Block(1, 16, stride=1, dropout=0.0),
        Block(16, 32, stride=2, dropout=0.25),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, classes),
    )


def mnist_cnn(classes: int) -> nn.Module:
    """The network for MNIST: 28x28 pixels, blocks of 32, 64 and 128 channels, each halving."""
    return nn.Sequential(
        Block(1, 32, stride=2, dropout=0.25),
        Block(32, 64, stride=2, dropout=0.25),
        Block(64, 128, stride=2, dropout=0.25),
        nn.Flatten(),
        nn.Linear(128 * 4 * 4, classes),
    )
