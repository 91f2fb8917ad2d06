"""ResNet-18 for small images and ResNet-50 for large ones, the networks of CIFAR-10 and HAM10000.

He, Zhang, Ren and Sun, "Deep residual learning for image recognition", CVPR 2016. Parameters and
buffers are named as torchvision names them, so its checkpoints load as they are. The forward pass
has one path whatever the values, so it can be captured as a CUDA graph, and it keeps the memory
format (channels last or not) of its input.
"""

from collections.abc import Callable
from functools import partial

from torch import Tensor, nn
from torch.nn.functional import relu


def _conv(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.Conv2d:
    """A convolution without bias that keeps the image size at stride 1, with He's initial values.

    They are normal with variance 2 / fan-out, which keeps the size of gradients through depth.
    """
    conv = nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=False)
    nn.init.kaiming_normal_(conv.weight, mode="fan_out", nonlinearity="relu")
    return conv


def _shortcut(inputs: int, outputs: int, stride: int) -> nn.Module:
    """What a block adds its work to: its input, projected only where the shape changes."""
    if stride == 1 and inputs == outputs:
        return nn.Identity()
    return nn.Sequential(_conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))


class BasicBlock(nn.Module):
    """Two 3x3 convolutions and a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = _conv(inputs, outputs, 3, stride)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = _conv(outputs, outputs, 3)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = _shortcut(inputs, outputs, stride)

    def forward(self, x: Tensor) -> Tensor:
        """Features of a batch of features."""
        y = relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        return relu(y + self.downsample(x), inplace=True)


class Bottleneck(nn.Module):
    """A 3x3 convolution on a quarter of the channels, between two 1x1, and a shortcut."""

    def __init__(
        self, inputs: int, outputs: int, stride: int, *, stride_in_first: bool = False
    ) -> None:
        super().__init__()
        width = outputs // 4
        first, second = (stride, 1) if stride_in_first else (1, stride)
        self.conv1 = _conv(inputs, width, 1, first)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = _conv(width, width, 3, second)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = _conv(width, outputs, 1)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.downsample = _shortcut(inputs, outputs, stride)

    def forward(self, x: Tensor) -> Tensor:
        """Features of a batch of features."""
        y = relu(self.bn1(self.conv1(x)), inplace=True)
        y = relu(self.bn2(self.conv2(y)), inplace=True)
        y = self.bn3(self.conv3(y))
        return relu(y + self.downsample(x), inplace=True)


Block = Callable[[int, int, int], nn.Module]
"""Makes a block from its input channels, its output channels and its stride."""


def _stage(block: Block, inputs: int, outputs: int, depth: int, stride: int) -> nn.Sequential:
    """``depth`` blocks in a row, of which the first changes the shape."""
    rest = (block(outputs, outputs, 1) for _ in range(depth - 1))
    return nn.Sequential(block(inputs, outputs, stride), *rest)


class ResNet(nn.Module):
    """A residual network: a stem, four stages of ``depths`` blocks, the mean, a linear layer.

    ``channels`` are those that the first stage gives; each next stage doubles them and halves the
    image. ``small_stem`` is for images of about 32 pixels: a 3x3 convolution in place of the 7x7
    and the pooling, which would quarter the image. Initial values come from torch's global
    generator.
    """

    def __init__(
        self,
        block: Block,
        channels: int,
        depths: tuple[int, int, int, int],
        classes: int,
        *,
        small_stem: bool = False,
    ) -> None:
        super().__init__()
        self.conv1 = _conv(3, 64, 3) if small_stem else _conv(3, 64, 7, 2)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.Identity() if small_stem else nn.MaxPool2d(3, 2, padding=1)
        self.layer1 = _stage(block, 64, channels, depths[0], 1)
        self.layer2 = _stage(block, channels, 2 * channels, depths[1], 2)
        self.layer3 = _stage(block, 2 * channels, 4 * channels, depths[2], 2)
        self.layer4 = _stage(block, 4 * channels, 8 * channels, depths[3], 2)
        self.fc = nn.Linear(8 * channels, classes)

    def forward(self, images: Tensor) -> Tensor:
        """Logits (images, classes) of a batch of images (images, 3, height, width)."""
        x = self.maxpool(relu(self.bn1(self.conv1(images)), inplace=True))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        logits: Tensor = self.fc(x.mean(dim=(2, 3)))
        return logits


def resnet18_small(classes: int) -> ResNet:
    """ResNet-18 for images of about 32 pixels, with a 3x3 stem and no pooling.

    >>> sum(p.numel() for p in resnet18_small(10).parameters())
    11173962
    """
    return ResNet(BasicBlock, 64, (2, 2, 2, 2), classes, small_stem=True)


def resnet50(classes: int, *, stride_in_first: bool = False) -> ResNet:
    """ResNet-50 for images of 64 pixels or more.

    ``stride_in_first`` has stages 2 to 4 halve the image in their first 1x1 convolution, as the
    paper and Keras do, and not in the 3x3 after it, as torchvision does. The parameters have the
    same names and shapes either way: trained ones only work with the stride they had.
    """
    block = partial(Bottleneck, stride_in_first=stride_in_first)
    return ResNet(block, 256, (3, 4, 6, 3), classes)
