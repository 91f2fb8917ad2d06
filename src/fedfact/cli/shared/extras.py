"""Which extra of the package brings what a command lacks."""

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


def missing(error: ModuleNotFoundError) -> str | None:
    """What to say of a package that is not installed; None where it is none of an extra's."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return None
    return f"this needs {package}: pip install 'fedfact[{EXTRAS[package]}]'"
