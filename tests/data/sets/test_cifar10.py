"""CIFAR-10: one data set in three layouts, and how each kind of damage is refused."""

import io
import os
import pickle
import tarfile

import numpy as np
import pytest
from PIL import Image

from fedfact import InputError
from fedfact.data import load
from fedfact.data.sets import cifar10

LAYOUTS = ["grids", "pickles", "archive"]


@pytest.mark.parametrize("folder", ["cifar10", "."])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_samples(tmp_path, make_cifar10, layout, folder):
    images, labels = make_cifar10(tmp_path / folder, layout)
    for _ in ("decoded", "from the cache"):
        data = load("cifar10", tmp_path)
        assert (data.train.images == images[:5].reshape(20, 32, 32, 3)).all()
        assert (data.test.images == images[5]).all()
        assert data.train.labels.tolist() == labels[:5].ravel().tolist()
        assert data.test.labels.tolist() == labels[5].tolist()
        assert data.train.labels.dtype == np.int64
        data.train.images[0] = 0  # torch wants arrays that may be written to
    assert data.classes[3] == "cat"


def test_progress_ends_at_the_total(tmp_path, make_cifar10):
    make_cifar10(tmp_path, "grids")
    said = []
    load("cifar10", tmp_path, progress=lambda *what: said.append(what))
    assert said[0] == ("decode cifar10 train", 1, 5, "files")
    assert said[-2:] == [
        ("decode cifar10 train", 5, 5, "files"),
        ("decode cifar10 test", 1, 1, "files"),
    ]


def refused(tmp_path, *parts):
    with pytest.raises(InputError) as error:
        load("cifar10", tmp_path)
    for part in parts:
        assert part in str(error.value)


def test_a_layout_with_a_file_missing_is_named_not_downloaded(tmp_path, make_cifar10):
    make_cifar10(tmp_path, "grids")
    (tmp_path / "train_3.webp").unlink()
    (tmp_path / "test.webp").unlink()
    refused(tmp_path, "train_1.webp is there, but train_3.webp, test.webp not")


def test_a_whole_layout_counts_more_than_a_broken_one(tmp_path, make_cifar10):
    make_cifar10(tmp_path, "grids")
    make_cifar10(tmp_path, "pickles")
    (tmp_path / "train_3.webp").unlink()
    assert len(load("cifar10", tmp_path).train) == 20


@pytest.mark.parametrize("content", [b"", b"RIFF", b"not a picture" * 100])
def test_a_grid_that_is_no_picture(tmp_path, make_cifar10, content):
    make_cifar10(tmp_path, "grids")
    (tmp_path / "train_3.webp").write_bytes(content)
    refused(tmp_path, str(tmp_path / "train_3.webp"), "cannot be decoded")


def test_a_grid_that_is_cut_short(tmp_path, make_cifar10):
    make_cifar10(tmp_path, "grids")
    path = tmp_path / "test.webp"
    path.write_bytes(path.read_bytes()[:-2000])
    refused(tmp_path, str(path), "cannot be decoded")


def test_a_grid_of_a_wrong_size(tmp_path, make_cifar10):
    make_cifar10(tmp_path, "grids")
    Image.new("RGB", (64, 63)).save(tmp_path / "test.webp")
    refused(tmp_path, "test.webp: is 64 x 63 pixels")


CLASSES = np.array(cifar10.CLASSES)
LABELS = {
    "fewer": ({"train": np.zeros(19, np.uint8)}, "there are 20 images and 19 labels"),
    "label of 10": ({"test": np.full(4, 10, np.uint8)}, "label 10 of sample 0 is out of range"),
    "negative": ({"test": np.array([0, 0, -1, 0])}, "label -1 of sample 2 is out of range"),
    "floats": ({"train": np.zeros(20)}, "labels are an array of float64"),
    "missing": ({"test": None}, "the array test is missing, found train, classes"),
    "classes": ({"classes": CLASSES[::-1]}, "the classes are truck, ship"),
    "objects": ({"test": np.array([{}], dtype=object)}, "cannot be read as an .npz file"),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels_that_do_not_fit(tmp_path, make_cifar10, case):
    changes, message = LABELS[case]
    make_cifar10(tmp_path, "grids")
    arrays = {"train": np.zeros(20, np.uint8), "test": np.zeros(4, np.uint8), "classes": CLASSES}
    arrays = {name: array for name, array in (arrays | changes).items() if array is not None}
    np.savez(tmp_path / "labels.npz", **arrays)
    refused(tmp_path, str(tmp_path), message)


@pytest.mark.parametrize("content", [b"", b"PK\3\4 but no archive", b"\x93NUMPY"])
def test_labels_that_are_no_archive(tmp_path, make_cifar10, content):
    make_cifar10(tmp_path, "grids")
    (tmp_path / "labels.npz").write_bytes(content)
    refused(tmp_path, str(tmp_path / "labels.npz"), "cannot be read as an .npz file")


def test_labels_that_are_a_single_array(tmp_path, make_cifar10):
    make_cifar10(tmp_path, "grids")
    with (tmp_path / "labels.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    refused(tmp_path, "labels.npz: cannot be read as an .npz file")


class Evil:
    def __reduce__(self):
        return os.mkdir, ("owned",)


ROWS = np.zeros((4, 3072), np.uint8)
BATCHES = {
    "code": ({b"data": Evil()}, f"it asks for {os.mkdir.__module__}.mkdir"),
    "no dictionary": ([1, 2], "has no array 'data'"),
    "no labels": ({b"data": ROWS}, "has no array 'data' and list 'labels'"),
    "a short row": ({b"data": ROWS[:, :-1], b"labels": [0] * 4}, "uint8 of shape (4, 3071)"),
    "floats": ({b"data": ROWS.astype(float), b"labels": [0] * 4}, "data is float64"),
    "fewer labels": ({b"data": ROWS, b"labels": [0] * 3}, "4 images and 3 labels"),
    "label of 10": ({b"data": ROWS, b"labels": [0, 0, 0, 10]}, "label 10 of sample 3"),
    "label in words": ({b"data": ROWS, b"labels": [0, 0, 0, b"cat"]}, "not a whole number"),
    "no images": ({b"data": ROWS[:0], b"labels": []}, "there are no images"),
}


@pytest.mark.parametrize("layout", ["pickles", "archive"])
@pytest.mark.parametrize("case", BATCHES)
def test_batches_that_are_none(tmp_path, make_cifar10, monkeypatch, case, layout):
    monkeypatch.chdir(tmp_path)
    content, message = BATCHES[case]
    replace(tmp_path, make_cifar10, layout, pickle.dumps(content, protocol=4))
    refused(tmp_path, "data_batch_2", message)
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("content", [b"", b"hello", pickle.dumps({b"data": ROWS})[:-100]])
def test_batches_that_are_damaged(tmp_path, make_cifar10, content):
    replace(tmp_path, make_cifar10, "pickles", content)
    refused(tmp_path, "data_batch_2", "cannot be read as a batch of CIFAR-10")


def replace(tmp_path, make_cifar10, layout, content):
    """Write CIFAR-10 with other content in batch 2."""
    make_cifar10(tmp_path, "pickles")
    folder = tmp_path / "cifar-10-batches-py"
    (folder / "data_batch_2").write_bytes(content)
    if layout == "archive":
        with tarfile.open(tmp_path / "cifar-10-python.tar.gz", "w:gz") as archive:
            archive.add(folder, "cifar-10-batches-py")
        for path in folder.iterdir():
            path.unlink()


@pytest.mark.parametrize("keep", [20, 1000, -100])
def test_an_archive_that_is_cut_short(tmp_path, make_cifar10, keep):
    make_cifar10(tmp_path, "archive")
    path = tmp_path / "cifar-10-python.tar.gz"
    path.write_bytes(path.read_bytes()[:keep])
    refused(tmp_path, f"{path}: cannot be unpacked")


def test_an_archive_without_a_batch(tmp_path):
    with tarfile.open(tmp_path / "cifar-10-python.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("cifar-10-batches-py/readme.html"), io.BytesIO())
    refused(tmp_path, "cifar-10-batches-py/data_batch_1 is not in it")


def test_real_cifar10(real):
    data = load("cifar10", real("cifar10"))
    assert (len(data.train), len(data.test)) == (50_000, 10_000)
    assert np.bincount(data.train.labels).tolist() == [5_000] * 10
    assert np.bincount(data.test.labels).tolist() == [1_000] * 10
    mean = data.train.images.mean(axis=(0, 1, 2), dtype=np.float64) / 255
    assert mean == pytest.approx(data.mean, abs=1e-6)
    again = load("cifar10", real("cifar10"))
    assert np.array_equal(again.test.images, data.test.images)
