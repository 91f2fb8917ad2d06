"""Pretrained ResNet-50: both kinds of file, every kind of bad one, and what the real one sees."""

import hashlib
import io
import os
import pickle
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from fedfact import InputError
from fedfact.models import weights
from fedfact.models.resnet import resnet50
from fedfact.models.weights import ARRAYS, find_weights, pretrained_resnet50

CHECKPOINT = "resnet50-made.pth"
SHARED = Path(__file__).parents[3] / "shared" / "data"
DATA = Path(os.environ.get("FEDFACT_DATA") or SHARED)
REAL = (DATA / "weights" / ARRAYS, DATA / ARRAYS)
needs_weights = pytest.mark.skipif(
    not any(path.is_file() for path in REAL),
    reason=f"no {ARRAYS} in FEDFACT_DATA nor beside the checkout",
)


def state():
    """A whole state dict in which every tensor repeats a number of its own: small on disk."""
    with torch.device("meta"):
        shapes = {name: tensor.shape for name, tensor in resnet50(1000).state_dict().items()}
    return {
        name: torch.tensor((k + 1) / 512).expand(shape) if shape else torch.tensor(77)
        for k, (name, shape) in enumerate(shapes.items())
    }


def write(path, tensors):
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".pth":
        torch.save(tensors, path)
    else:
        np.savez_compressed(path, **{name: np.asarray(t) for name, t in tensors.items()})
    return path


@pytest.mark.parametrize("place", [".", "weights"])
@pytest.mark.parametrize("name", [ARRAYS, CHECKPOINT])
def test_both_kinds_of_file_in_both_places(tmp_path, name, place):
    made = state()
    if name == ARRAYS:  # as the real file: half precision, and no counts of batches
        made = {k: t.half() if t.ndim > 1 else t for k, t in made.items() if t.ndim}
    write(tmp_path / place / name, made)
    torch.manual_seed(11)
    model = pretrained_resnet50(7, tmp_path)
    torch.manual_seed(11)
    fresh = torch.nn.Linear(2048, 7)

    found = model.state_dict()
    assert found.keys() == state().keys()
    for key, tensor in found.items():
        assert tensor.device.type == "cpu"
        if key.startswith("fc."):
            assert torch.equal(tensor, fresh.state_dict()[key.removeprefix("fc.")])
        elif key.endswith("num_batches_tracked"):
            assert tensor == 0
        else:
            assert tensor.dtype == torch.float32
            assert torch.equal(tensor, made[key].float()), key
    assert all(parameter.requires_grad for parameter in model.parameters())
    assert model.training
    first, second = (1, 2) if name == CHECKPOINT else (2, 1)
    for layer in (model.layer2, model.layer3, model.layer4):
        assert layer[0].conv1.stride == (first, first)
        assert layer[0].conv2.stride == (second, second)
    # Parameters have memory of their own: an optimiser can change them in place.
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.sub_(1.0)


def test_which_file_is_taken(tmp_path):
    (tmp_path / "weights").mkdir()
    for name in (
        "resnet50-b.pth",
        "resnet50-a.pth",
        ARRAYS,
        "weights/resnet50-z.pth",
        "weights/resnet50-y.pth",
        f"weights/{ARRAYS}",
    ):
        (tmp_path / name).touch()
        assert find_weights(tmp_path) == tmp_path / name
    (tmp_path / "resnet50.pth").touch()
    (tmp_path / "weights" / "resnet101-63fe2227.pth").touch()
    assert find_weights(tmp_path) == tmp_path / "weights" / ARRAYS


@pytest.mark.parametrize("there", [True, False])
def test_no_file_says_what_to_put_where(tmp_path, there):
    directory = tmp_path if there else tmp_path / "nowhere"
    with pytest.raises(InputError) as refused:
        pretrained_resnet50(7, directory)
    message = str(refused.value)
    assert message.startswith(f"{directory}: has no ResNet-50 weights; put {ARRAYS} or ")
    assert "https://download.pytorch.org/models/resnet50-0676ba61.pth" in message
    assert message.endswith(f"into {directory / 'weights'}")


def assert_refused(path, problem):
    with pytest.raises(InputError) as refused:
        pretrained_resnet50(7, path.parent)
    message = str(refused.value)
    assert message.startswith(f"{path}: {problem}; replace it by ")
    assert ARRAYS in message
    assert "resnet50-*.pth" in message


def spoilt(value, at=0):
    """A bias of the first batch norm with one number replaced."""
    bias = torch.zeros(64, dtype=torch.float64)
    bias[at] = value
    return bias


BAD_TENSORS = {
    "missing": ({"layer3.5.bn2.running_var": None}, "has no layer3.5.bn2.running_var"),
    "no fc": ({"fc.weight": None}, "has no fc.weight"),
    "unknown": ({"extra": torch.ones(3)}, "holds extra, which ResNet-50 does not have"),
    "classes": ({"fc.weight": torch.ones(10, 2048)}, "fc.weight is (10, 2048), not (1000, 2048)"),
    "stem": (
        {"conv1.weight": torch.ones(64, 3, 3, 3)},
        "conv1.weight is (64, 3, 3, 3), not (64, 3, 7, 7)",
    ),
    "scalar": ({"bn1.bias": torch.tensor(0.0)}, "bn1.bias is (), not (64,)"),
    "NaN": ({"bn1.bias": spoilt(float("nan"))}, "bn1.bias holds NaN or infinite numbers"),
    "infinite": ({"bn1.bias": spoilt(-float("inf"), 63)}, "bn1.bias holds NaN or infinite numbers"),
    "too large": ({"bn1.bias": spoilt(1e300)}, "bn1.bias holds NaN or infinite numbers"),
    "integers": (
        {"bn1.bias": torch.ones(64, dtype=torch.int32)},
        "bn1.bias holds torch.int32, not floating-point numbers",
    ),
    "complex": (
        {"bn1.bias": torch.ones(64, dtype=torch.complex64)},
        "bn1.bias holds torch.complex64, not floating-point numbers",
    ),
}


@pytest.mark.parametrize(("changes", "problem"), BAD_TENSORS.values(), ids=BAD_TENSORS.keys())
def test_bad_tensors_are_refused(tmp_path, changes, problem):
    tensors = {k: t for k, t in {**state(), **changes}.items() if t is not None}
    path = write(tmp_path / CHECKPOINT, tensors)
    assert_refused(path, problem)


@pytest.mark.parametrize("case", ["missing", "classes", "NaN"])
def test_bad_arrays_are_refused(tmp_path, case):
    changes, problem = BAD_TENSORS[case]
    tensors = {k: t for k, t in {**state(), **changes}.items() if t is not None}
    assert_refused(write(tmp_path / ARRAYS, tensors), problem)


def flipped(data):
    """One bit changed in the middle, where the numbers are."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


DAMAGE = {
    "empty": lambda data: b"",
    "a web page": lambda data: b"<html>404: not found</html>",
    "random": lambda data: np.random.default_rng(0).bytes(4096),
    "cut short": lambda data: data[: len(data) // 2],
    "one array": lambda data: npy(np.zeros(3)),
}


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
@pytest.mark.parametrize(
    ("name", "kind"),
    [(ARRAYS, "an npz file of arrays"), (CHECKPOINT, "a checkpoint of tensors")],
)
def test_damaged_files_are_refused(tmp_path, name, kind, damage):
    path = write(tmp_path / name, {"conv1.weight": torch.randn(64, 3, 7, 7)})
    path.write_bytes(damage(path.read_bytes()))
    assert_refused(path, f"is damaged, or is not {kind}")


def test_a_changed_bit_and_arrays_of_text_are_refused(tmp_path):
    path = write(tmp_path / ARRAYS, {"conv1.weight": torch.randn(64, 3, 7, 7)})
    path.write_bytes(flipped(path.read_bytes()))
    assert_refused(path, "is damaged, or is not an npz file of arrays")
    np.savez(path, **{"conv1.weight": np.array(["a", "b"])})
    assert_refused(path, "is damaged, or is not an npz file of arrays")
    np.savez(path, **{"conv1.weight": np.array([{}, []], dtype=object)})
    assert_refused(path, "is damaged, or is not an npz file of arrays")


def test_torchvisions_names_hold_the_checksum(tmp_path):
    made = write(tmp_path / CHECKPOINT, state())
    data = made.read_bytes()
    path = made.rename(tmp_path / f"resnet50-{hashlib.sha256(data).hexdigest()[:8]}.pth")
    pretrained_resnet50(7, tmp_path)
    path.write_bytes(flipped(data))
    assert_refused(path, "is damaged: its sha256 does not begin with the digits in its name")


def test_a_directory_in_the_place_of_the_file_is_refused(tmp_path):
    (tmp_path / ARRAYS).mkdir()
    assert_refused(tmp_path / ARRAYS, "cannot be read (is a directory)")


def test_a_checkpoint_of_other_things_is_refused(tmp_path):
    path = tmp_path / CHECKPOINT
    torch.save([torch.ones(3)], path)
    assert_refused(path, "is not a checkpoint of tensors by name")
    torch.save({"epoch": 3, "state_dict": state()}, path)
    assert_refused(path, "epoch is not a tensor")


class Trap:
    """Pickled, it is a call that the one who loads it makes."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


def test_no_code_in_a_file_is_run(tmp_path):
    sprung = tmp_path / "sprung"
    for save in (torch.save, lambda trap, path: path.write_bytes(pickle.dumps(trap))):
        path = tmp_path / CHECKPOINT
        save(Trap(sprung), path)
        assert_refused(path, "is damaged, or is not a checkpoint of tensors")
    path = tmp_path / ARRAYS
    np.savez(path, **{"conv1.weight": np.array([Trap(sprung)], dtype=object)})
    assert_refused(path, "is damaged, or is not an npz file of arrays")
    assert not sprung.exists()


@pytest.fixture(scope="module")
def real():
    """The network of the real file, as it was trained, and one with its stride elsewhere."""
    right = weights._imagenet_resnet50(next(path for path in REAL if path.is_file())).eval()
    wrong = resnet50(1000)
    wrong.load_state_dict(right.state_dict())
    return right, wrong.eval()


def normalised(images):
    """Images (n, height, width, 3) of bytes as ImageNet's networks want them."""
    x = torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2) / 255
    mean, deviation = torch.tensor([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])
    return (x - mean[:, None, None]) / deviation[:, None, None]


@needs_weights
def test_the_real_file_loads_strictly(real):
    right, _ = real
    path = next(path for path in REAL if path.is_file())
    with np.load(path) as arrays:
        stored = dict(arrays.items())
    found = {k: t for k, t in right.state_dict().items() if t.ndim}
    assert len(stored) == 267
    assert stored.keys() == found.keys()
    for name, array in stored.items():
        assert np.array_equal(found[name].numpy(), array.astype(np.float32)), name
    assert all(t.dtype == torch.float32 for t in found.values())


# ImageNet's classes that are a kind of each class of CIFAR-10.
KINDS = [
    [404, 895],  # airplane: airliner, warplane
    [436, 511, 627, 656, 661, 751, 817],  # automobile: wagon, convertible, ..., sports car
    [*range(7, 25), *range(80, 101), *range(127, 147)],  # bird
    [281, 282, 283, 284, 285],  # cat
    [350, 351, 352, 353],  # deer: ibex, hartebeest, impala, gazelle
    [*range(151, 269)],  # dog
    [30, 31, 32],  # frog
    [339, 340],  # horse: sorrel, zebra
    [403, 472, 510, 554, 625, 628, 724, 780, 814, 833, 914],  # ship
    [555, 569, 675, 717, 864, 867],  # truck
]


@needs_weights
@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "cifar10").is_dir(), reason=f"no cifar10 in {DATA}")
def test_the_real_network_knows_photographs(real):
    right, wrong = real
    rows = Image.open(DATA / "cifar10" / "test.webp").convert("RGB").crop((0, 0, 3200, 32))
    tiles = [rows.crop((32 * k, 0, 32 * k + 32, 32)) for k in range(50)]
    photos = normalised([np.asarray(t.resize((128, 128), Image.Resampling.BICUBIC)) for t in tiles])
    labels = np.load(DATA / "cifar10" / "labels.npz")["test"][:50]
    with torch.no_grad():
        logits, moved = right(photos), wrong(photos)
    guesses = torch.stack([logits[:, kinds].amax(1) for kinds in KINDS], dim=1).argmax(1)
    assert (guesses.numpy() == labels).mean() >= 0.5  # by chance 0.1
    assert 1 < logits.std() < 10
    assert abs(logits.mean()) < 1
    # The same parameters with the stride in the 3x3 convolution are another function.
    assert (moved - logits).std() > 0.3 * logits.std()


@needs_weights
@pytest.mark.skipif(not (DATA / "ham10000").is_dir(), reason=f"no ham10000 in {DATA}")
def test_the_real_network_tells_lesions_apart(real):
    right, wrong = real
    with np.load(DATA / "ham10000" / "ham10000_200x150.npz") as file:
        offset, data = file["offset"], file["jpeg"]
    images = [
        np.asarray(Image.open(io.BytesIO(data[a:b].tobytes()))) for a, b in pairwise(offset[:9])
    ]
    seen = []
    handle = right.layer4.register_forward_hook(lambda *call: seen.append(call[-1]))
    with torch.no_grad():
        logits, moved = right(normalised(images)), wrong(normalised(images))
    handle.remove()
    assert logits.argmax(1).unique().numel() >= 5
    assert logits.isfinite().all()
    assert 0.1 < seen[0].mean() < 2  # of the features, which are never negative
    assert 1 < logits.std() < 10
    assert (moved - logits).std() > 0.3 * logits.std()
