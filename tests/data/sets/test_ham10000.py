"""HAM10000: two layouts, the split by lesion, and how each kind of damage is refused."""

import numpy as np
import pytest
from PIL import Image

from fedfact import InputError
from fedfact.data import load
from fedfact.data.split import split_whole

TABLE = "HAM10000_metadata.csv"


@pytest.mark.parametrize("folder", ["ham10000", "HAM10000", "."])
@pytest.mark.parametrize("layout", ["archive", "published"])
def test_every_layout_gives_the_pictures(tmp_path, make_ham10000, layout, folder):
    pictures, labels = make_ham10000(tmp_path / folder, layout)
    for _ in ("decoded", "from the cache"):
        data = load("ham10000", tmp_path)
        assert data.train.images.shape[1:] == (150, 200, 3)
        assert len(data.train) + len(data.test) == 20
        for samples in (data.train, data.test):
            for image, label in zip(samples.images, samples.labels, strict=True):
                distance = [
                    np.abs(image.astype(int) - picture).mean() + 100 * (label != other)
                    for picture, other in zip(pictures, labels, strict=True)
                ]
                assert min(distance) < 4


def test_both_layouts_are_split_in_the_same_way(tmp_path, make_ham10000):
    make_ham10000(tmp_path / "one", "archive")
    make_ham10000(tmp_path / "two", "published")
    for split in ("lesion", "image", "stratified"):
        one, two = (load("ham10000", tmp_path / name, split=split) for name in ("one", "two"))
        assert one.test.labels.tolist() == two.test.labels.tolist()
        assert one.train.labels.tolist() == two.train.labels.tolist()


@pytest.mark.parametrize(("name", "delimiter"), [("", ","), ("", "\t"), (".tab", "\t")])
def test_the_table_may_be_named_and_separated_as_published(
    tmp_path, make_ham10000, name, delimiter
):
    make_ham10000(tmp_path, "published")
    before = load("ham10000", tmp_path)
    text = (tmp_path / TABLE).read_text().replace(",", delimiter)
    (tmp_path / TABLE).unlink()
    (tmp_path / f"HAM10000_metadata{name}").write_text(text)
    after = load("ham10000", tmp_path)
    assert after.train.labels.tolist() == before.train.labels.tolist()


def test_splits_have_the_sizes_they_promise(tmp_path, make_ham10000):
    make_ham10000(tmp_path, "archive")
    by_image = load("ham10000", tmp_path, split="image")
    assert (len(by_image.train), len(by_image.test)) == (16, 4)
    by_class = load("ham10000", tmp_path, split="stratified")
    assert (len(by_class.train), len(by_class.test)) == (16, 4)
    counts = np.bincount([k % 7 for k in range(20)])  # six of three images, one of two
    assert (np.bincount(by_class.test.labels, minlength=7) <= np.ceil(counts / 5)).all()
    by_lesion = load("ham10000", tmp_path, split="lesion")
    assert len(by_lesion.train) >= 16


def test_progress_is_said_in_images(tmp_path, make_ham10000):
    make_ham10000(tmp_path, "published")
    said = []
    load("ham10000", tmp_path, progress=lambda *what: said.append(what))
    assert said == [("decode ham10000", 20, 20, "images")]


def test_images_that_are_there_twice_or_not_in_the_table_do_no_harm(tmp_path, make_ham10000):
    make_ham10000(tmp_path, "published")
    copy = tmp_path / "copy"
    copy.mkdir()
    source = tmp_path / "HAM10000_images_part_1" / "ISIC_0000000.jpg"
    (copy / source.name).write_bytes(source.read_bytes())
    (copy / "ISIC_9999999.jpg").write_bytes(b"not in the table")
    source.rename(source.with_suffix(".JPG"))
    assert len(load("ham10000", tmp_path, split="image").train) == 16


def refused(tmp_path, *parts):
    with pytest.raises(InputError) as error:
        load("ham10000", tmp_path)
    for part in parts:
        assert part in str(error.value)


def test_it_is_not_downloaded_but_said_where_it_is(tmp_path):
    refused(tmp_path, str(tmp_path), "doi:10.7910/DVN/DBW86T", str(tmp_path / "ham10000"), TABLE)


NINETEEN = np.array([f"ISIC_{k:07}" for k in range(19)])
ARCHIVES = {
    "no jpeg": ({"jpeg": None}, "the array jpeg is missing"),
    "no ids": ({"image_id": None}, "the array image_id is missing"),
    "fewer ids": ({"image_id": NINETEEN}, "there are 19 images, 20 lesions and 20 labels"),
    "twice": ({"image_id": np.array(["ISIC_7"] * 20)}, "image ISIC_7 is there twice"),
    "label of 7": ({"label": np.full(20, 7)}, "label 7 of sample 0 is out of range"),
    "classes": ({"classes": np.array(["nv"])}, "the classes are nv, not akiec"),
    "jpeg cut short": ({"jpeg": np.zeros(99, np.uint8)}, "do not cut into 20 images"),
    "offsets": ({"offset": np.zeros(20, int)}, "do not cut into 20 images"),
    "backwards": ({"offset": np.arange(20, -1, -1)}, "do not cut into 20 images"),
    "no images": (
        {
            name: np.array([], dtype=kind)
            for name, kind in [("image_id", "U9"), ("lesion_id", "U9"), ("label", int)]
        },
        "there are no images",
    ),
}


@pytest.mark.parametrize("case", ARCHIVES)
def test_archives_that_do_not_fit(tmp_path, make_ham10000, case):
    changes, message = ARCHIVES[case]
    make_ham10000(tmp_path, "archive", **changes)
    refused(tmp_path, str(tmp_path / "ham10000_200x150.npz"), message)


def test_an_archive_with_a_picture_that_is_none(tmp_path, make_ham10000):
    offset = np.arange(21) * 10
    make_ham10000(tmp_path, "archive", jpeg=np.zeros(200, np.uint8), offset=offset)
    refused(tmp_path, "image ISIC_0000000: cannot be decoded")


def test_an_archive_with_a_picture_of_another_size(tmp_path, make_ham10000):
    Image.new("RGB", (20, 15)).save(tmp_path / "small.jpg")
    small = np.frombuffer((tmp_path / "small.jpg").read_bytes(), np.uint8)
    offset = np.arange(21) * len(small)
    make_ham10000(tmp_path, "archive", jpeg=np.tile(small, 20), offset=offset)
    refused(tmp_path, "image ISIC_0000000: is 20 x 15, not 200 x 150 pixels")


@pytest.mark.parametrize("keep", [0, 100, 5000])
def test_a_published_picture_that_is_damaged(tmp_path, make_ham10000, keep):
    make_ham10000(tmp_path, "published")
    path = tmp_path / "HAM10000_images_part_2" / "ISIC_0000007.jpg"
    path.write_bytes(path.read_bytes()[:keep])
    refused(tmp_path, "ISIC_0000007.jpg: cannot be decoded")


def test_a_table_with_ids_that_have_no_picture(tmp_path, make_ham10000):
    make_ham10000(tmp_path, "published")
    for path in (tmp_path / "HAM10000_images_part_2").iterdir():
        path.unlink()
    refused(tmp_path, TABLE, "10 of its 20 images", "the first is ISIC_0000001.jpg")


HEADER = "lesion_id,image_id,dx\n"
TABLES = {
    "empty": (b"", "column image_id is missing"),
    "binary": (b"PK\3\4\0\xff", "is not UTF-8 text"),
    "no dx": (b"lesion_id,image_id\nHAM_1,ISIC_1\n", "column dx is missing, found lesion_id"),
    "semicolons": (HEADER.replace(",", ";").encode(), "separated by commas or tabs"),
    "header only": (HEADER.encode(), "there are no images"),
    "short row": (f"{HEADER}HAM_1,ISIC_1\n".encode(), "line 2: dx is empty"),
    "no lesion": (f"{HEADER} ,ISIC_1,nv\n".encode(), "line 2: lesion_id is empty"),
    "diagnosis": (f"{HEADER}HAM_1,ISIC_1,cold\n".encode(), "line 2: dx is 'cold'; known are akiec"),
    "twice": (f"{HEADER}HAM_1,ISIC_1,nv\nHAM_2,ISIC_1,nv\n".encode(), "is there twice"),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables_that_do_not_fit(tmp_path, case):
    content, message = TABLES[case]
    (tmp_path / TABLE).write_bytes(content)
    refused(tmp_path, str(tmp_path / TABLE), message)


def test_too_few_images_to_split(tmp_path):
    (tmp_path / TABLE).write_text(f"{HEADER}HAM_1,ISIC_1,nv\n")
    Image.new("RGB", (600, 450)).save(tmp_path / "ISIC_1.jpg")
    refused(tmp_path, "1 images are too few")


def test_real_ham10000(real, monkeypatch):
    monkeypatch.setenv("FEDFACT_CACHE", str(__file__))  # 900 MB that need not be written
    folder = real("ham10000")
    data = load("ham10000", folder)
    assert (len(data.train), len(data.test)) == (8012, 2003)
    both = np.bincount(data.train.labels) + np.bincount(data.test.labels)
    assert both.tolist() == [327, 514, 1099, 115, 1113, 6705, 142]
    few = data.test.images[::10]
    assert few.mean(axis=(0, 1, 2)) / 255 == pytest.approx([0.7634, 0.5461, 0.5706], abs=0.02)
    archive = folder / "ham10000" / "ham10000_200x150.npz"
    if archive.is_file():
        lesion = np.load(archive)["lesion_id"]
        train, test = split_whole(lesion)
        assert not set(lesion[train]) & set(lesion[test])
        assert len(set(lesion)) == 7470
