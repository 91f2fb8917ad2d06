"""ResNet-50 as trained on ImageNet-1k, from a file in the data directory.

Two kinds of file are known, both for RGB in 0..1 less (0.485, 0.456, 0.406) over
(0.229, 0.224, 0.225):

- ``resnet50_imagenet1k_v1stride_fp16.npz``: Keras's weights under torchvision's names, with the
  stride in the first convolution of a block;
- ``resnet50-*.pth``: a checkpoint of torchvision, with the stride in the 3x3 convolution.
"""

import hashlib
import io
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from ..errors import InputError
from ..io import limits
from ..io.files import reason
from ..io.regular import read_bytes
from .resnet import ResNet, resnet50

ARRAYS = "resnet50_imagenet1k_v1stride_fp16.npz"
CHECKPOINT = "resnet50-*.pth"
_COUNTS = "num_batches_tracked"
_OPTIONS = (
    f"{ARRAYS} or a torchvision checkpoint {CHECKPOINT} (such as "
    "https://download.pytorch.org/models/resnet50-0676ba61.pth)"
)


def find_weights(directory: Path) -> Path:
    """The file of weights in ``<directory>/weights``, or else in ``<directory>``.

    The arrays go before a checkpoint, and checkpoints by name.
    """
    for place in (directory / "weights", directory):
        for pattern in (ARRAYS, CHECKPOINT):
            for path in sorted(place.glob(pattern)):
                return path
    raise InputError(
        f"{directory}: has no ResNet-50 weights; put {_OPTIONS} into {directory / 'weights'}"
    )


def pretrained_resnet50(classes: int, directory: Path) -> ResNet:
    """ResNet-50 with the weights found in ``directory`` and a fresh last layer.

    Only that layer is random: it is the one thing drawn from torch's global generator.
    """
    model = _imagenet_resnet50(find_weights(directory))
    model.fc = nn.Linear(model.fc.in_features, classes)
    return model


def _imagenet_resnet50(path: Path) -> ResNet:
    """The network of a file of weights as it was trained, with ImageNet's 1,000 classes."""
    # Without memory of its own the network costs no time to initialise and no random numbers.
    with torch.device("meta"):
        model = resnet50(1000, stride_in_first=path.suffix == ".npz")
    # Batch norm with a momentum does not use its counts of batches, and old files have none.
    found = {k: tensor for k, tensor in _read(path).items() if not k.endswith(_COUNTS)}
    shapes = {
        k: tensor.shape for k, tensor in model.state_dict().items() if not k.endswith(_COUNTS)
    }
    if unknown := found.keys() - shapes.keys():
        raise _refusal(path, f"holds {min(unknown)}, which ResNet-50 does not have")
    for name, shape in shapes.items():
        if name not in found:
            raise _refusal(path, f"has no {name}")
        if found[name].shape != shape:
            raise _refusal(path, f"{name} is {tuple(found[name].shape)}, not {tuple(shape)}")
        if not found[name].is_floating_point():
            raise _refusal(path, f"{name} holds {found[name].dtype}, not floating-point numbers")
        found[name] = found[name].float().contiguous()
        if not found[name].isfinite().all():
            raise _refusal(path, f"{name} holds NaN or infinite numbers")
    model.load_state_dict(found, assign=True)
    return model


def _read(path: Path) -> dict[str, Tensor]:
    """The tensors of a file by name, as they are stored."""
    try:
        data = read_bytes(path, limits.MODEL)
    except OSError as error:
        raise _refusal(path, f"cannot be read ({reason(error)})") from None
    # torch.load does not see changed bits, but torchvision's names hold digits of the sha256.
    named = re.fullmatch(r"resnet50-([0-9a-f]{8})\.pth", path.name)
    if named and not hashlib.sha256(data).hexdigest().startswith(named[1]):
        raise _refusal(path, "is damaged: its sha256 does not begin with the digits in its name")
    try:
        if path.suffix == ".npz":
            with np.load(io.BytesIO(data)) as arrays:
                return {name: torch.from_numpy(array) for name, array in arrays.items()}
        stored = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except Exception:  # damaged bytes lead the readers to nearly any exception there is
        kind = "an npz file of arrays" if path.suffix == ".npz" else "a checkpoint of tensors"
        raise _refusal(path, f"is damaged, or is not {kind}") from None
    if not isinstance(stored, Mapping):
        raise _refusal(path, "is not a checkpoint of tensors by name")
    for name, tensor in stored.items():
        if not isinstance(tensor, Tensor):
            raise _refusal(path, f"{name} is not a tensor")
    return {str(name): tensor.detach() for name, tensor in stored.items()}


def _refusal(path: Path, problem: str) -> InputError:
    """What to raise for a file that is there but cannot be used."""
    return InputError(f"{path}: {problem}; replace it by a whole copy of {_OPTIONS}")
