"""A member's samples from one line: every form, and how each kind of mistake is refused."""

import io
import pickle
import sys
import tracemalloc
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image

from fedfact import InputError
from fedfact.data import load
from fedfact.data.member_data import load_site
from fedfact.data.sources import image_folders
from fedfact.io import limits


def pixels(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def refused(text, base, *words, **options):
    with pytest.raises(InputError) as caught:
        load_site(text, base, **options)
    for word in words:
        assert word in str(caught.value)
    assert ";" in str(caught.value)  # what is wrong; what to do


def contents(samples):
    return [x.tobytes() + bytes([y]) for x, y in zip(samples.images, samples.labels, strict=True)]


# parts of data sets


def test_parts_of_digits_are_equal_disjoint_and_always_the_same(tmp_path):
    parts = [load_site(f"digits:{k}/7", tmp_path) for k in range(7)]
    train = load("digits").train
    assert [len(part) for part in parts] == [len(train) // 7] * 7
    assert parts[0].images.shape[1:] == (8, 8, 1)
    left = contents(train)
    for part in parts:
        assert len({*part.labels.tolist()}) == 10
        for content in contents(part):
            left.remove(content)  # it is there, and was in no part before
    again = load_site("digits:3/7", tmp_path / "elsewhere")
    assert (again.images == parts[3].images).all()
    assert (again.labels == parts[3].labels).all()


def test_the_parts_do_not_change_from_version_to_version(tmp_path):
    train = load("digits").train
    order = np.random.default_rng(2024).permutation(1438)
    for k in range(3):
        rows = np.sort(order[479 * k : 479 * (k + 1)])
        part = load_site(f"digits:{k}/3", tmp_path)
        assert (part.images == train.images[rows]).all()
        assert (part.labels == train.labels[rows]).all()


def test_one_part_of_one_is_everything(tmp_path):
    assert len(load_site("digits:0/1", tmp_path)) == len(load("digits").train)


def test_parts_of_mnist_and_cifar10_come_from_the_data_directory(
    tmp_path, make_mnist, make_cifar10
):
    make_mnist(tmp_path / "mnist")
    make_cifar10(tmp_path / "cifar10", "grids")
    parts = [load_site(f"mnist:{k}/3", tmp_path / "base", tmp_path) for k in range(3)]
    assert [part.images.shape for part in parts] == [(6, 28, 28, 1)] * 3
    assert load_site("cifar10:1/2", tmp_path, tmp_path).images.shape == (10, 32, 32, 3)


@pytest.mark.parametrize(
    "text",
    [
        *("digits", "digits:", "digits:3/3", "digits:0/0", "digits:-1/3", "digits:1", "digits:a/b"),
        *("digits:0/3/", "digits: 0/3", "digits:0/3 ", "digits:٠/٣", "mnist:load", "digits:1e0/3"),
        "digits:0/9999999999",
    ],
)
def test_what_is_no_part_is_refused(tmp_path, text):
    refused(text, tmp_path, "write", ":K/N")


def test_more_parts_than_samples_are_refused(tmp_path):
    refused("digits:0/1439", tmp_path, "1439 parts", "1438 training samples")


@pytest.mark.parametrize("text", ["", " ", "ham10000", "nowhere", "a b:c", "os.path", "x:", ":x"])
def test_what_is_not_known_is_refused_with_the_forms(tmp_path, text):
    refused(text, tmp_path, repr(text), "digits:K/N", "PATH.npz", "DIRECTORY/", ":function")


# npz


def test_an_archive_is_read_relative_to_the_config(tmp_path):
    images, labels = pixels(5, 4, 3, 2), np.array([4, 0, 1, 1, 99], np.uint8)
    np.savez(tmp_path / "own.npz", images=np.asfortranarray(images), labels=labels, more=labels)
    for text in ("own.npz", str(tmp_path / "own.npz"), "../" + tmp_path.name + "/own.npz"):
        samples = load_site(text, tmp_path)
        assert (samples.images == images).all()
        assert samples.images.dtype == np.uint8
        assert samples.images.flags.c_contiguous
        assert samples.labels.tolist() == labels.tolist()
        assert samples.labels.dtype == np.int64


def test_grey_images_need_no_channel_and_archives_may_be_compressed(tmp_path):
    images = pixels(5, 4, 3)
    np.savez_compressed(tmp_path / "own.npz", images=images, labels=np.arange(5))
    samples = load_site("own.npz", tmp_path)
    assert samples.images.shape == (5, 4, 3, 1)
    assert (samples.images[..., 0] == images).all()


GOOD = {"images": pixels(5, 4, 3, 1), "labels": np.arange(5)}
WRONG = {
    "no labels": ({"labels": None}, ["labels is missing, found images", "numpy.savez"]),
    "no images": ({"images": None}, ["images is missing"]),
    "floats": ({"images": GOOD["images"] / 255}, ["images are float64 of shape (5, 4, 3, 1)"]),
    "int64": ({"images": GOOD["images"].astype(int)}, ["images are int64"]),
    "flat": ({"images": pixels(5, 12)}, ["shape (5, 12)"]),
    "five axes": ({"images": pixels(5, 4, 3, 1, 1)}, ["shape (5, 4, 3, 1, 1)"]),
    "one number": ({"images": np.uint8(3)}, ["shape ()"]),
    "no samples": ({"images": pixels(0, 4, 3, 1), "labels": np.arange(0)}, ["at least one"]),
    "no pixels": ({"images": pixels(5, 0, 3, 1)}, ["shape (5, 0, 3, 1)"]),
    "fewer labels": ({"labels": np.arange(4)}, ["5 images and 4 labels"]),
    "labels of 2 axes": ({"labels": np.ones((5, 1), int)}, ["labels are int64 of shape (5, 1)"]),
    "half labels": ({"labels": np.arange(5) / 2}, ["labels are float64"]),
    "truth": ({"labels": np.ones(5, bool)}, ["labels are bool"]),
    "names": ({"labels": np.array(list("abcde"))}, ["labels are <U1"]),
    "negative": ({"labels": np.array([0, 1, -1, 0, 0])}, ["label -1 of sample 2"]),
    "huge": ({"labels": np.array([0, 2**64 - 1, 0, 0, 0], np.uint64)}, [f"label {2**64 - 1} of"]),
    "too many classes": ({"labels": np.array([0, 0, 0, 0, 100_000])}, ["label 100000 of sample 4"]),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_arrays_are_refused_by_what_is_wrong(tmp_path, kind):
    changes, words = WRONG[kind]
    arrays = {name: array for name, array in (GOOD | changes).items() if array is not None}
    np.savez(tmp_path / "own.npz", **arrays)
    refused("own.npz", tmp_path, str(tmp_path / "own.npz"), *words)


class Trap:
    def __reduce__(self):
        return pytest.fail, ("it was unpickled",)


def test_nothing_is_unpickled(tmp_path):
    objects = np.array([Trap()] * 5, object)
    np.savez(tmp_path / "own.npz", images=GOOD["images"], labels=objects)
    refused("own.npz", tmp_path, "cannot be read as an .npz file", "numpy.savez")
    (tmp_path / "own.npz").write_bytes(pickle.dumps(Trap()))
    refused("own.npz", tmp_path, "cannot be read as an .npz file")


def test_a_damaged_archive_is_refused(tmp_path):
    path = tmp_path / "own.npz"
    np.savez(path, **GOOD)
    data = path.read_bytes()
    for damaged in (b"", data[:-30], data[:100], data[100:], b"PK\3\4" + bytes(99)):
        path.write_bytes(damaged)
        refused("own.npz", tmp_path, str(path))
    for place in range(0, len(data), 7):  # any changed byte: refused, or read, but never a crash
        changed = bytearray(data)
        changed[place] ^= 0xFF
        path.write_bytes(changed)
        with suppress(InputError):
            load_site("own.npz", tmp_path)
    refused("none.npz", tmp_path, "there is no such file")
    (tmp_path / "folder.npz").mkdir()
    refused("folder.npz", tmp_path, "there is no such file")


def test_an_archive_that_would_fill_the_memory_is_refused_unread(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "own.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("images.npy", bytes(1 << 22))
        archive.writestr("labels.npy", b"")
    monkeypatch.setattr(limits, "SAMPLES", 1 << 20)
    monkeypatch.setattr(np.lib.format, "read_array", lambda *_: pytest.fail("it was read"))
    refused("own.npz", tmp_path, "takes more than", "fewer or smaller")


# directories


@pytest.fixture
def pictures(tmp_path):
    """Two classes of three and one grey pictures, PNG, of 4 x 6 pixels."""
    images = pixels(4, 4, 6)
    for k, name in enumerate(["cat/b.png", "cat/a.PNG", "cat/c.png", "ant/z.png"]):
        path = tmp_path / "own" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(images[k]).save(path)
    (tmp_path / "own" / ".hidden").mkdir()
    (tmp_path / "own" / "cat" / ".DS_Store").write_bytes(b"x")
    (tmp_path / "own" / "README").write_text("notes")
    return images


def test_pictures_are_read_class_by_class_and_by_name(tmp_path, pictures):
    for text in ("own/", "own", f"{tmp_path}/own/"):
        samples = load_site(text, tmp_path)
        assert samples.labels.tolist() == [0, 1, 1, 1]  # ant before cat
        assert (samples.images[..., 0] == pictures[[3, 1, 0, 2]]).all()


def test_a_list_of_classes_numbers_them_and_may_name_some_without_a_folder(tmp_path, pictures):
    (tmp_path / "own" / "classes.txt").write_text("\ufeffdog\ncat \n\nbee\nant\n", "utf-8")
    samples = load_site("own/", tmp_path)
    assert samples.labels.tolist() == [1, 1, 1, 3]
    assert (samples.images[..., 0] == pictures[[1, 0, 2, 3]]).all()


def test_colour_and_jpeg_are_read(tmp_path):
    (tmp_path / "own" / "x").mkdir(parents=True)
    flat = np.full((8, 8, 3), 120, np.uint8)
    Image.fromarray(flat).save(tmp_path / "own" / "x" / "a.jpg")
    Image.fromarray(flat).save(tmp_path / "own" / "x" / "b.JPEG")
    samples = load_site("own/", tmp_path)
    assert samples.images.shape == (2, 8, 8, 3)
    assert np.abs(samples.images.astype(int) - 120).max() <= 1


def add(path, array=None, **options):
    def change(root):
        (root / path).parent.mkdir(exist_ok=True)
        if array is None:
            (root / path).write_text("no picture")
        else:
            Image.fromarray(array).save(root / path, **options)

    return change


WRONG_FOLDERS = {
    "another size": (add("cat/d.png", pixels(6, 4)), ["cat/d.png: is 6 x 4 x 1", "4 x 6 x 1"]),
    "colour among grey": (add("cat/d.png", pixels(4, 6, 3)), ["cat/d.png: is 4 x 6 x 3"]),
    "transparent": (add("cat/d.png", pixels(4, 6, 4)), ["cat/d.png: is in mode RGBA", "grey (L)"]),
    "16 bits": (add("cat/d.png", pixels(4, 6).astype(np.uint16)), ["cat/d.png: is in mode I"]),
    "no picture": (add("cat/d.png"), ["cat/d.png: cannot be decoded"]),
    "another kind": (add("cat/d.gif", pixels(4, 6)), ["cat/d.gif: is no PNG or JPEG"]),
    "gif by another name": (
        add("cat/d.png", pixels(4, 6), format="GIF"),
        ["cat/d.png: cannot be decoded"],
    ),
    "a folder inside": (lambda root: (root / "cat/d.png").mkdir(), ["cat/d.png: is no PNG or"]),
    "not listed": (add("classes.txt"), ["own/ant: is no class of classes.txt"]),
    "twice": (lambda r: (r / "classes.txt").write_text("cat\nant\ncat"), ["cat is there twice"]),
}


@pytest.mark.parametrize("kind", WRONG_FOLDERS)
def test_what_is_no_such_picture_is_refused_by_its_name(tmp_path, pictures, kind):
    change, words = WRONG_FOLDERS[kind]
    change(tmp_path / "own")
    refused("own/", tmp_path, *words)


def test_a_cut_picture_is_refused(tmp_path, pictures):
    path = tmp_path / "own" / "cat" / "b.png"
    path.write_bytes(path.read_bytes()[:-30])
    refused("own/", tmp_path, f"{path}: cannot be decoded")


def test_a_picture_whose_head_lies_about_a_length_takes_no_memory(tmp_path, pictures):
    path = tmp_path / "own" / "cat" / "b.png"
    data = path.read_bytes()
    at = data.index(b"IDAT")
    path.write_bytes(data[: at - 4] + (1 << 30).to_bytes(4, "big") + data[at:])
    tracemalloc.start()
    try:
        with suppress(InputError):
            load_site("own/", tmp_path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 100 * limits.MIB


def test_directories_without_pictures_are_refused(tmp_path):
    refused("none/", tmp_path, "there is no such directory")
    (tmp_path / "own").mkdir()
    refused("own/", tmp_path, "has no folders")
    (tmp_path / "own" / "cat").mkdir()
    refused("own/", tmp_path, "there are no pictures")


def test_too_many_or_too_large_pictures_are_refused(tmp_path, pictures, monkeypatch):
    monkeypatch.setattr(limits, "SAMPLES", 4 * 24 - 1)
    monkeypatch.setattr(image_folders, "read_bytes", lambda path, most: path.read_bytes())
    refused("own/", tmp_path, "4 pictures")
    monkeypatch.setattr(limits, "PIXELS", 23)
    refused("own/", tmp_path, "ant/z.png: is 4 x 6 x 1, which is too large")


# functions


@pytest.fixture
def write_module(tmp_path):
    """Write the member's own module beside its config; forgotten after the test."""
    before = {*sys.modules}

    def write(code, name="members_own"):
        (tmp_path / f"{name}.py").write_text(f"import numpy as np\n{code}\n")

    yield write
    for name in {*sys.modules} - before:
        if name.startswith("members_"):
            del sys.modules[name]


def test_a_function_beside_the_config_is_called(tmp_path, write_module):
    write_module("def samples():\n    import members_more\n    return members_more.both")
    write_module("both = np.full((3, 2, 2), 7, np.uint8), [0, 1, 2]", "members_more")
    path = [*sys.path]
    samples = load_site("members_own:samples", tmp_path)
    assert samples.images.shape == (3, 2, 2, 1)
    assert samples.labels.tolist() == [0, 1, 2]
    assert samples.labels.dtype == np.int64
    assert sys.path == path


def test_a_function_of_an_installed_package_is_found_first(tmp_path, write_module, monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    write_module("def rgb_to_hsv(): return np.ones((1, 1, 1), np.uint8), [0]", "colorsys")
    refused("colorsys:rgb_to_hsv", tmp_path, "rgb_to_hsv() missing 3 required")


BODIES = {
    "raises": ("raise KeyError('disk')", "does not return images and labels (KeyError: 'disk')"),
    "nothing": ("pass", "does not return images and labels (TypeError"),
    "three": ("return 1, 2, 3", "does not return images and labels (ValueError"),
    "ragged": ("return [[1], [1, 2]], [0, 1]", "does not return images and labels (ValueError"),
    "lists": ("return [[[1]]], [0]", "images are int64"),
    "objects": ("return np.array([None]), [0]", "images are object"),
    "labels": ("return np.ones((2, 1, 1), np.uint8), [0]", "2 images and 1 labels"),
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_function_that_returns_something_else_is_refused(tmp_path, write_module, kind):
    body, words = BODIES[kind]
    write_module(f"def samples():\n    {body}")
    refused("members_own:samples", tmp_path, "members_own:samples: ", words)


def test_a_function_that_is_not_there_is_refused(tmp_path, write_module):
    write_module("def samples(path): pass\nnumber = 3")
    refused("members_none:samples", tmp_path, "cannot be imported", str(tmp_path))
    refused("members_own.sub:samples", tmp_path, "cannot be imported")
    refused("members_own:none", tmp_path, "cannot be imported (AttributeError")
    refused("members_own:number", tmp_path, "TypeError: 'int' object is not callable")
    refused("members_own:samples", tmp_path, "TypeError", "no arguments")
    write_module("raise RuntimeError('broken')", "members_broken")
    refused("members_broken:samples", tmp_path, "RuntimeError: broken")


def test_a_function_that_ends_the_process_is_refused(tmp_path, write_module):
    write_module("def samples():\n    raise SystemExit(7)")
    refused("members_own:samples", tmp_path, "does not return images and labels (SystemExit: 7)")
    write_module("raise SystemExit(0)", "members_ending")
    refused("members_ending:samples", tmp_path, "cannot be imported (SystemExit: 0)")


@pytest.mark.parametrize(
    "text", ["x" * 10_000, "x" * 300 + ".npz", "x" * 300 + "/", "a\0b", "\x1b.npz"]
)
def test_a_line_that_no_file_can_be_called_is_refused(tmp_path, text):
    refused(text, tmp_path)


@pytest.mark.parametrize("content", [b"", b"no header", b"\x93NUMPY\x01\x00v\x00{", bytes(500)])
def test_a_member_of_an_archive_without_a_header_is_refused(tmp_path, content):
    with zipfile.ZipFile(tmp_path / "own.npz", "w") as archive:
        archive.writestr("images.npy", content)
        archive.writestr("labels.npy", content)
    refused("own.npz", tmp_path, "cannot be read as an .npz file")


def test_a_length_that_nothing_is_packed_to_is_refused_unread(tmp_path, monkeypatch):
    """Header and archive both say a gigabyte, in a hundred bytes."""
    head = io.BytesIO()
    shape = {"descr": "|u1", "fortran_order": False, "shape": (1 << 24, 8, 8)}
    np.lib.format.write_array_header_1_0(head, shape)
    with zipfile.ZipFile(tmp_path / "own.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("images.npy", head.getvalue())
        archive.writestr("labels.npy", b"")
        archive.getinfo("images.npy").file_size += 1 << 30  # what the index at the end says
    monkeypatch.setattr(np.lib.format, "read_array", lambda *_: pytest.fail("it was read"))
    refused("own.npz", tmp_path, "images.npy is longer than it can be")


def test_a_header_that_claims_more_than_there_is_is_refused_unread(tmp_path, monkeypatch):
    np.savez(tmp_path / "good.npz", images=pixels(4, 4, 4), labels=np.zeros(4, int))
    with (
        zipfile.ZipFile(tmp_path / "good.npz") as good,
        zipfile.ZipFile(tmp_path / "own.npz", "w") as archive,
    ):
        images = good.read("images.npy")
        archive.writestr(
            "images.npy", images.replace(b"(4, 4, 4), }    ", b"(4000000000, 4, 4)"[:16])
        )
        archive.writestr("labels.npy", good.read("labels.npy"))
    monkeypatch.setattr(np.lib.format, "read_array", lambda *_: pytest.fail("it was read"))
    refused("own.npz", tmp_path, "cannot be read as an .npz file")
