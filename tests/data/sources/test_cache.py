"""The cache: decoded once, found again, made again when damaged, never in the way."""

import os

import numpy as np
import pytest

from fedfact.data.dataset import Samples
from fedfact.data.sources.cache import cached

SHAPE = (2, 3, 1)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source"
    path.write_bytes(b"12345")
    return path


class Decoder:
    """Counts how often it is asked."""

    def __init__(self):
        self.times = 0

    def __call__(self):
        self.times += 1
        images = np.arange(4 * 6, dtype=np.uint8).reshape(4, *SHAPE)
        return Samples(images, np.arange(4, dtype=np.int64))


def files(cache):
    return sorted((cache / "decoded").iterdir())


def test_decoded_once(source, cache):
    decode = Decoder()
    first, second = (cached("x", [source], SHAPE, decode) for _ in range(2))
    assert decode.times == 1
    for samples in (first, second):
        assert np.array_equal(samples.images, decode().images)
        assert np.array_equal(samples.labels, decode().labels)
    assert [path.name.split("-")[-1] for path in files(cache)] == [
        "images.npy",
        "images.sha256",
        "labels.npy",
        "labels.sha256",
    ]


def test_writing_to_the_arrays_does_not_change_the_cache(source):
    samples = cached("x", [source], SHAPE, Decoder())
    samples.images[:] = 99
    samples.labels[:] = 99
    again = cached("x", [source], SHAPE, Decoder())
    assert again.images[0, 0, 0, 0] == 0
    assert again.labels[0] == 0


def test_another_time_size_name_or_version_is_decoded_anew(source, monkeypatch):
    decode = Decoder()
    cached("x", [source], SHAPE, decode)
    os.utime(source, ns=(1, 1))
    cached("x", [source], SHAPE, decode)
    assert decode.times == 2
    source.write_bytes(b"123456")
    os.utime(source, ns=(1, 1))
    cached("x", [source], SHAPE, decode)
    assert decode.times == 3
    other = source.rename(source.with_name("other"))
    cached("x", [other], SHAPE, decode)
    assert decode.times == 4
    monkeypatch.setattr("fedfact.data.sources.cache.VERSION", 99)
    cached("x", [other], SHAPE, decode)
    assert decode.times == 5


def npy(array):
    def write(path):
        with path.open("wb") as file:
            np.save(file, array)

    return write


def zipped(path):
    with path.open("wb") as file:
        np.savez(file, a=np.zeros(3))


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "too long": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "header cut": lambda path: path.write_bytes(path.read_bytes()[:20]),
    "header changed": lambda path: path.write_bytes(path.read_bytes().replace(b"descr", b"d\0scr")),
    "garbage": lambda path: path.write_bytes(b"garbage" * 100),
    "another kind": npy(np.zeros((4, *SHAPE), np.float32)),
    "fewer": npy(np.zeros((3, *SHAPE), np.uint8)),
    "another shape": npy(np.zeros((4, 3, 2, 1), np.uint8)),
    "objects": npy(np.array([{}], dtype=object)),
    "an archive": zipped,
    "gone": lambda path: path.unlink(),
    "one bit": lambda path: path.write_bytes(
        path.read_bytes()[:-1] + bytes([path.read_bytes()[-1] ^ 1])
    ),
    "no checksum": lambda path: path.with_suffix(".sha256").unlink(),
}


@pytest.mark.parametrize("part", ["images", "labels"])
@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_file_is_made_again(source, cache, case, part):
    cached("x", [source], SHAPE, Decoder())
    path = next(path for path in files(cache) if part in path.name)
    whole = path.read_bytes()
    DAMAGE[case](path)
    decode = Decoder()
    samples = cached("x", [source], SHAPE, decode)
    assert decode.times == 1
    assert np.array_equal(samples.images, decode().images)
    assert path.read_bytes() == whole


def test_no_cache_where_none_can_be_written(source, monkeypatch):
    monkeypatch.setenv("FEDFACT_CACHE", str(source))  # a file is no directory
    decode = Decoder()
    for _ in range(2):
        assert len(cached("x", [source], SHAPE, decode)) == 4
    assert decode.times == 2


def test_a_failure_to_decode_or_to_write_leaves_nothing(source, cache, monkeypatch):
    def broken():
        raise RuntimeError

    with pytest.raises(RuntimeError):
        cached("x", [source], SHAPE, broken)
    assert not cache.exists()

    def full(file, array, **options):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    assert len(cached("x", [source], SHAPE, Decoder())) == 4
    assert files(cache) == []
