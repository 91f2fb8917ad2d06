"""Where things lie in the operator's directory and in a member's."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .....errors import DeploymentError, InputError
from .....io import limits
from .....io.files import read_small
from .kit import Address, OwnAddress

_FLARE = "2.9.0"

TLS, ADDRESS = "tls", "address.json"
"""The operator's keys and certificates for connections (700), and where members reach it."""


def kit_path(directory: Path, member: str) -> Path:
    """The kit that a member is to be sent."""
    return directory / "kits" / f"{member}.kit.json"


def request_path(directory: Path, member: str) -> Path:
    """The request that a member sent, kept to certify its key anew for each season."""
    return directory / "requests" / f"{member}.request.json"


def server_workspace(directory: Path) -> Path:
    """What FLARE's server reads and writes, in the operator's directory."""
    return directory / "flare" / "server"


def admin_workspace(directory: Path) -> Path:
    """What FLARE's administration client reads, in the operator's directory."""
    return directory / "flare" / "admin"


def site_workspace(directory: Path) -> Path:
    """What FLARE's site reads and writes, in a member's directory."""
    return directory / "flare"


def read_address(directory: Path) -> Address:
    """Where members reach the operator whose directory this is."""
    path = directory / ADDRESS
    if not path.is_file():
        raise InputError(f"{directory}: has no kits; make them with fedfact federation init")
    data = read_small(path, limits.KEPT, "the address that init wrote")
    try:
        return OwnAddress.read(data).server
    except InputError as error:
        raise InputError(f"{path}: {error}; restore it") from None


def require_flare() -> None:
    """Refuse to go on without the FLARE that `message_filter` was written for."""
    try:
        found = version("nvflare")
    except PackageNotFoundError:
        found = "none"
    if found != _FLARE:
        raise DeploymentError(
            f"NVIDIA FLARE {_FLARE} is needed and {found} is there; pip install 'fedfact[flare]'"
        )
