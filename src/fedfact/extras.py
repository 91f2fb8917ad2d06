"""Which extra of the package brings what is not installed, and how that is said."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from .errors import FedfactError

EXTRAS = {
    "torch": "train",
    "sklearn": "train",
    "PIL": "train",
    "pyarrow": "train",
    "matplotlib": "plot",
    "nvflare": "flare",
    "psutil": "flare",
    "psycopg": "postgres",
}
"""The extra that installs each package which may be missing."""


class MissingExtraError(FedfactError, ImportError):
    """A package of an extra is not installed. The message says which, and how to install it."""


def missing(error: ModuleNotFoundError) -> str | None:
    """What to say of a package that is not installed; None where it is none of an extra's."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return None
    return f"this needs {package}: pip install 'fedfact[{EXTRAS[package]}]'"


def require(package: str) -> None:
    """Refuse to begin what needs this package in the end; it is looked for and not loaded."""
    with naming_the_extra():
        if find_spec(package) is None:
            raise ModuleNotFoundError(name=package)


@contextmanager
def naming_the_extra() -> Iterator[None]:
    """Say which extra brings a package that is missing here; other errors pass as they are."""
    try:
        yield
    except ModuleNotFoundError as absent:
        remedy = missing(absent)
        if remedy is None:
            raise
        raise MissingExtraError(remedy) from None
