"""The networks, in plain PyTorch."""

from .resnet import resnet18_small, resnet50
from .small import Dropout, bring_generator, digits_cnn, mnist_cnn
from .weights import pretrained_resnet50

__all__ = [
    "Dropout",
    "bring_generator",
    "digits_cnn",
    "mnist_cnn",
    "pretrained_resnet50",
    "resnet18_small",
    "resnet50",
]
