"""MNIST: where its files may be, and how each kind of damage is refused."""

import gzip

import numpy as np
import pytest

from fedfact import InputError
from fedfact.data import load

IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("folder", ["mnist", "MNIST/raw", "."])
def test_files_are_read_wherever_they_may_be(tmp_path, make_mnist, folder, packed):
    arrays = make_mnist(tmp_path / folder, packed)
    data = load("mnist", tmp_path)
    assert data.train.images.shape == (20, 28, 28, 1)
    assert data.train.images.dtype == np.uint8
    assert data.train.labels.dtype == np.int64
    assert (len(data.train), len(data.test)) == (20, 10)
    assert (data.train.images[..., 0] == arrays[IMAGES]).all()
    assert data.test.labels.tolist() == list(range(9, -1, -1))
    assert data.classes == tuple("0123456789")
    data.train.images[0] = 0  # torch wants arrays that may be written to


def test_a_file_that_was_unpacked_under_its_packed_name_is_read(tmp_path, make_mnist):
    make_mnist(tmp_path, packed=True)
    path = tmp_path / f"{IMAGES}.gz"
    path.write_bytes(gzip.decompress(path.read_bytes()))
    assert len(load("mnist", tmp_path).train) == 20


def cut(data):
    return data[:-1]


def magic(data):
    return b"\0\0\x09" + data[3:]


def fewer(data):
    """One label less, rightly written."""
    return data[:4] + (19).to_bytes(4, "big") + data[8:-1]


def none(data):
    return data[:4] + bytes(4) + data[8:16]


DAMAGE = {
    "cut short": (IMAGES, cut, "is cut short, 15695 bytes where its header says 15696"),
    "header only": (IMAGES, lambda data: data[:10], "is cut short"),
    "too long": (IMAGES, lambda data: data + b"x", "is too long"),
    "magic": (IMAGES, magic, "(it starts with 00000903, not 00000803)"),
    "empty": (LABELS, lambda data: b"", "(it starts with nothing, not 00000801)"),
    "images for labels": (
        LABELS,
        lambda data: b"\0\0\x08\x03" + data[4:],
        "not an idx file of lab",
    ),
    "fewer labels": (LABELS, fewer, "there are 20 images and 19 labels"),
    "a label of 10": (LABELS, lambda data: data[:-1] + b"\x0a", "label 10 of sample 19 is out of"),
    "27 pixels": (
        IMAGES,
        lambda data: data[:8] + b"\0\0\0\x1b" + data[12:16] + data[16 : 16 + 20 * 27 * 28],
        "images are 27 x 28, not 28 x 28",
    ),
}


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("case", DAMAGE)
def test_damaged_content_is_refused(tmp_path, make_mnist, case, packed):
    name, damage, message = DAMAGE[case]
    make_mnist(tmp_path, packed)
    path = tmp_path / (f"{name}.gz" if packed else name)
    data = path.read_bytes()
    path.write_bytes(gzip.compress(damage(gzip.decompress(data))) if packed else damage(data))
    with pytest.raises(InputError) as error:
        load("mnist", tmp_path)
    assert message in str(error.value)
    assert str(path) in str(error.value) or path.name in str(error.value)


def test_no_images_at_all_are_refused(tmp_path, make_mnist):
    make_mnist(tmp_path, packed=False)
    for name in (IMAGES, LABELS):
        path = tmp_path / name
        path.write_bytes(none(path.read_bytes())[: 16 if name == IMAGES else 8])
    with pytest.raises(InputError):
        load("mnist", tmp_path)


@pytest.mark.parametrize("keep", [slice(0, 100), slice(0, -4)])
def test_a_truncated_gzip_file_is_refused(tmp_path, make_mnist, keep):
    make_mnist(tmp_path)
    path = tmp_path / f"{IMAGES}.gz"
    path.write_bytes(path.read_bytes()[keep])
    with pytest.raises(InputError, match=r"train-images-idx3-ubyte\.gz: cannot be unpacked"):
        load("mnist", tmp_path)


def test_gzip_with_changed_bytes_is_refused(tmp_path, make_mnist):
    make_mnist(tmp_path)
    path = tmp_path / f"{IMAGES}.gz"
    data = bytearray(path.read_bytes())
    data[500] ^= 255
    path.write_bytes(data)
    with pytest.raises(InputError, match="cannot be unpacked"):
        load("mnist", tmp_path)


def test_real_mnist(real):
    data = load("mnist", real("mnist"))
    assert (len(data.train), len(data.test)) == (60_000, 10_000)
    counts = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert np.bincount(data.train.labels).tolist() == counts
    assert np.bincount(data.test.labels).sum() == 10_000
    assert data.train.images.mean() / 255 == pytest.approx(data.mean[0], abs=1e-7)
    assert data.train.images.std() / 255 == pytest.approx(data.std[0], abs=1e-7)


def test_a_file_that_unpacks_to_gigabytes_is_refused(tmp_path, make_mnist, monkeypatch):
    make_mnist(tmp_path)
    path = tmp_path / "train-images-idx3-ubyte.gz"
    path.write_bytes(gzip.compress(bytes(1 << 20)))
    monkeypatch.setattr("fedfact.data.sets.mnist.MOST_BYTES", 1 << 19)
    with pytest.raises(InputError, match="unpacks to more than 524,288 bytes"):
        load("mnist", tmp_path)
