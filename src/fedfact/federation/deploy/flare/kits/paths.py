"""Where the kits of a consortium lie in its directory."""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .....errors import DeploymentError, InputError

_FLARE = "2.9.0"

ADMIN = "operator@fedfact.org"
"""The operator's name in FLARE; it stands in the consortium's certificates only."""


@dataclass(frozen=True, slots=True)
class Kits:
    """The directories to hand out: each member gets its own and no other."""

    server: Path
    admin: Path
    members: dict[str, Path]


def find_kits(directory: Path) -> Kits:
    """The kits that were made in a consortium's directory."""
    server, admin, members = (directory / "kits" / name for name in ("server", "admin", "members"))
    if not all((kit / "startup").is_dir() for kit in (server, admin)) or not members.is_dir():
        raise InputError(f"{directory}: holds no kits; make them with fedfact federation init")
    sites = {kit.name: kit for kit in sorted(members.iterdir()) if (kit / "startup").is_dir()}
    return Kits(server, admin, sites)


def require_flare() -> None:
    """Refuse to go on without the FLARE that this package was written for (see ``wall``)."""
    try:
        found = version("nvflare")
    except PackageNotFoundError:
        found = "none"
    if found != _FLARE:
        raise DeploymentError(
            f"NVIDIA FLARE {_FLARE} is needed and {found} is there; pip install 'fedfact[flare]'"
        )
