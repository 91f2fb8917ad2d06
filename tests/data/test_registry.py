"""Loading by name: which directory is searched, and what is said when there is nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from fedfact import InputError
from fedfact.data import DATASETS, load
from fedfact.data.sources.locate import cache_directory, data_directory


def test_names_are_those_of_the_documentation():
    assert DATASETS == ("digits", "mnist", "cifar10", "ham10000")


@pytest.mark.parametrize(
    ("name", "hint"), [("mnsit", "did you mean mnist?"), ("CIFAR-10", "known are"), ("", "known")]
)
def test_an_unknown_name(name, hint):
    with pytest.raises(InputError) as error:
        load(name)
    assert hint in str(error.value)
    assert "digits, mnist, cifar10, ham10000" in str(error.value)


def test_an_unknown_split():
    with pytest.raises(InputError, match="split 'patient' is not known"):
        load("ham10000", split="patient")


def test_the_directory_given_counts_most(tmp_path, monkeypatch, cache):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    assert data_directory(None) == cache / "data"
    monkeypatch.setenv("FEDFACT_DATA", "")
    assert data_directory(None) == cache / "data"
    monkeypatch.setenv("FEDFACT_DATA", str(one))
    assert data_directory(None) == one
    assert data_directory(two) == two


def test_a_directory_that_is_not_there(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    with pytest.raises(InputError, match=r"gone: there is no such directory .* name another"):
        load("mnist", gone)
    monkeypatch.setenv("FEDFACT_DATA", str(gone))
    with pytest.raises(InputError, match=r"gone: there is no such directory .* FEDFACT_DATA"):
        load("mnist")
    gone.write_text("")
    with pytest.raises(InputError, match="gone: is not a directory"):
        load("mnist")


def test_the_cache_is_where_the_user_wants_it(monkeypatch):
    monkeypatch.setenv("FEDFACT_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    assert cache_directory() == Path("/a/fedfact")
    monkeypatch.setenv("FEDFACT_CACHE", "")
    assert cache_directory() == Path("/b/fedfact")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/c")
    assert cache_directory() == Path("/c/.cache/fedfact")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_directory() == Path("/c/.cache/fedfact")


def test_a_user_without_a_home(monkeypatch):
    def nowhere():
        raise RuntimeError

    monkeypatch.delenv("FEDFACT_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(InputError, match="name a directory in FEDFACT_CACHE"):
        load("mnist")


@pytest.mark.parametrize("name", ["mnist", "cifar10"])
def test_offline_and_nothing_there_says_what_to_put_where(tmp_path, name):
    with pytest.raises(InputError) as error:
        load(name, tmp_path)
    file = {"mnist": "t10k-labels-idx1-ubyte.gz", "cifar10": "cifar-10-python.tar.gz"}[name]
    for part in (str(tmp_path / name), file, "--data-dir", "FEDFACT_DATA", "download failed"):
        assert part in str(error.value)
    assert list((tmp_path / name).iterdir()) == []


def test_a_file_that_may_not_be_read(tmp_path, make_mnist, monkeypatch):
    make_mnist(tmp_path)

    def forbidden(path, most):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("fedfact.data.sets.mnist.read_bytes", forbidden)
    with pytest.raises(InputError, match=r"ubyte\.gz: cannot be read \(permission denied\)"):
        load("mnist", tmp_path)


def test_nothing_heavy_is_loaded_before_it_is_needed():
    code = "import sys, fedfact.data; print({'torch', 'sklearn', 'PIL'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
