"""What the tests of data share: a cache of their own, small files in every layout, real data."""

import gzip
import io
import os
import pickle
import tarfile
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parents[2]
REAL = Path(os.environ.get("FEDFACT_DATA") or ROOT.parent / "shared" / "data")

CIFAR10 = (
    *("airplane", "automobile", "bird", "cat", "deer"),
    *("dog", "frog", "horse", "ship", "truck"),
)
HAM10000 = ("akiec", "bcc", "bkl", "df", "mel", "nv", "vasc")


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """A cache for this test alone, and no directory of data sets."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("FEDFACT_CACHE", str(folder))
    monkeypatch.delenv("FEDFACT_DATA", raising=False)
    return folder / "fedfact"


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """No test may reach the network, but for servers of its own."""
    monkeypatch.setenv("no_proxy", "*")
    for module in ("mnist", "cifar10"):
        monkeypatch.setattr(f"fedfact.data.sets.{module}.MIRRORS", ("http://127.0.0.1:9/",))
    monkeypatch.setattr("fedfact.data.sources.download.PAUSE", 0)


@pytest.fixture
def real():
    """Where real data is, for the data set that the test names."""

    def folder(name):
        if not (REAL / name).is_dir():
            pytest.skip(f"no {name} in {REAL}; name a directory that has it in FEDFACT_DATA")
        return REAL

    return folder


def pixels(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def smooth(height, width, seed=0):
    """A picture that survives JPEG and resizing: a gradient of random colours."""
    a, b = np.random.default_rng(seed).integers(0, 256, (2, 3))
    ramp = np.linspace(0, 1, width)[None, :, None]
    return np.broadcast_to(np.rint(a + (b - a) * ramp), (height, width, 3)).astype(np.uint8)


def jpeg(array):
    file = io.BytesIO()
    Image.fromarray(array).save(file, "JPEG", quality=95)
    return file.getvalue()


def idx(array):
    sizes = b"".join(size.to_bytes(4, "big") for size in array.shape)
    return bytes([0, 0, 8, array.ndim]) + sizes + array.tobytes()


@pytest.fixture
def make_mnist():
    """Write MNIST in the idx format: 20 training and 10 test samples."""

    def make(folder, packed=True):
        folder.mkdir(parents=True, exist_ok=True)
        arrays = {
            "train-images-idx3-ubyte": pixels(20, 28, 28),
            "train-labels-idx1-ubyte": (np.arange(20) % 10).astype(np.uint8),
            "t10k-images-idx3-ubyte": pixels(10, 28, 28, seed=1),
            "t10k-labels-idx1-ubyte": np.arange(9, -1, -1).astype(np.uint8),
        }
        for name, array in arrays.items():
            if packed:
                (folder / f"{name}.gz").write_bytes(gzip.compress(idx(array)))
            else:
                (folder / name).write_bytes(idx(array))
        return arrays

    return make


@pytest.fixture
def make_cifar10():
    """Write CIFAR-10, batches of 4 images, in any layout: grids, pickles, or an archive."""

    def make(folder, layout):
        folder.mkdir(parents=True, exist_ok=True)
        images = pixels(6, 4, 32, 32, 3)
        labels = (np.arange(24) % 10).astype(np.uint8).reshape(6, 4)
        if layout == "grids":
            names = [*(f"train_{k}.webp" for k in range(1, 6)), "test.webp"]
            for name, batch in zip(names, images, strict=True):
                grid = batch.reshape(2, 2, 32, 32, 3).swapaxes(1, 2).reshape(64, 64, 3)
                Image.fromarray(grid).save(folder / name, lossless=True)
            np.savez(
                folder / "labels.npz", train=labels[:5].ravel(), test=labels[5], classes=CIFAR10
            )
            return images, labels
        names = [*(f"data_batch_{k}" for k in range(1, 6)), "test_batch"]
        data = {
            name: python2_pickle(
                {
                    b"batch_label": b"testing",
                    b"labels": labels[k].tolist(),
                    b"data": images[k].transpose(0, 3, 1, 2).reshape(4, 3072),
                    b"filenames": [b"a.png"] * 4,
                }
            )
            for k, name in enumerate(names)
        }
        if layout == "pickles":
            (folder / "cifar-10-batches-py").mkdir()
            for name, content in data.items():
                (folder / "cifar-10-batches-py" / name).write_bytes(content)
        else:
            with tarfile.open(folder / "cifar-10-python.tar.gz", "w:gz") as archive:
                for name, content in reversed(data.items()):  # the published one is in no order
                    member = tarfile.TarInfo(f"cifar-10-batches-py/{name}")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
        return images, labels

    return make


class Python2Pickler(pickle._Pickler):
    """Writes bytes and text as Python 2 wrote its strings, and truth as an old numpy did."""

    dispatch: ClassVar = dict(pickle._Pickler.dispatch)

    def save_old(self, value):
        data = value if isinstance(value, bytes) else value.encode()
        self.write(pickle.BINSTRING + len(data).to_bytes(4, "little") + data)
        self.memoize(value)

    def save_truth(self, value):
        self.save_long(int(value))

    dispatch[bytes] = dispatch[str] = save_old
    dispatch[bool] = save_truth


def python2_pickle(value):
    """A pickle like the published ones: of Python 2, with an old numpy."""
    file = io.BytesIO()
    Python2Pickler(file, protocol=2).dump(value)
    return file.getvalue().replace(b"numpy._core.multiarray", b"numpy.core.multiarray")


@pytest.fixture
def make_ham10000():
    """Write HAM10000: 20 images of 12 lesions, in one archive or as published."""

    def make(folder, layout, **changes):
        folder.mkdir(parents=True, exist_ok=True)
        ids = np.array([f"ISIC_{k:07}" for k in range(20)])
        lesions = np.array([f"HAM_{k % 12:07}" for k in range(20)])
        labels = (np.arange(20) % 7).astype(np.uint8)
        pictures = [smooth(150, 200, seed=k) for k in range(20)]
        if layout == "archive":
            files = [jpeg(picture) for picture in pictures]
            arrays = {
                "jpeg": np.frombuffer(b"".join(files), np.uint8),
                "offset": np.cumsum([0, *map(len, files)]),
                "label": labels,
                "classes": np.array(HAM10000),
                "image_id": ids,
                "lesion_id": lesions,
            }
            arrays |= changes
            np.savez(
                folder / "ham10000_200x150.npz",
                **{name: array for name, array in arrays.items() if array is not None},
            )
        else:
            lines = [
                f"{lesion},{image},{HAM10000[label]},histo,80.0,male,scalp"
                for lesion, image, label in zip(lesions, ids, labels, strict=True)
            ]
            header = "lesion_id,image_id,dx,dx_type,age,sex,localization"
            table = "\n".join([header, *reversed(lines)]) + "\n"
            (folder / "HAM10000_metadata.csv").write_text(table)
            for k, image in enumerate(ids):
                part = folder / f"HAM10000_images_part_{1 + k % 2}"
                part.mkdir(exist_ok=True)
                (part / f"{image}.jpg").write_bytes(jpeg(smooth(450, 600, seed=k)))
        return pictures, labels

    return make
