"""Kits: what the server, the operator and each member need to trust each other.

FLARE's provisioning makes a certificate authority and one kit each, with a key and a certificate
of its own. Then ``lock_down`` narrows what may happen with them: a site builds our executor and
nothing else, takes no code from a job and shows nobody its files.

The authority's key stays in ``authority``, with the operator.
"""

import contextlib
import io
import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nvflare.lighter.constants import CtxKey
from nvflare.lighter.prov_utils import prepare_builders
from nvflare.lighter.provision import prepare_project
from nvflare.lighter.provisioner import Provisioner

from .....errors import DeploymentError, InputError
from .....io.files import read_text, write_json
from .....io.folders import make_folder
from .lock_down import lock_down_server, lock_down_site
from .paths import ADMIN, Kits, find_kits, require_flare

_ORG = "fedfact"
_MEMBER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,30}")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
_IMPL = "nvflare.lighter.impl"


def provision(
    directory: Path,
    name: str,
    members: Sequence[str],
    host: str = "localhost",
    port: int = 8002,
) -> Kits:
    """Make the kits of a consortium whose server the members reach as ``host:port``.

    Called again, it makes the kits that are missing and leaves those that are there alone.
    On ``localhost`` everything listens on the loopback interface only.
    """
    require_flare()
    check_names(name, members, host, port)
    project = _project(name, members, host, port)
    _check_same_server(directory / "project.yml", project)
    make_folder(directory / "kits" / "members")
    authority = directory / "authority"
    make_folder(authority)
    authority.chmod(0o700)
    write_json(directory / "project.yml", project)  # JSON is YAML
    made = _run(project, authority)
    _place(made / host, directory / "kits" / "server", lock_down_server)
    _place(made / ADMIN, directory / "kits" / "admin", lambda kit: None)
    for member in members:
        _place(made / member, directory / "kits" / "members" / member, lock_down_site)
    shutil.rmtree(made)
    for key in authority.rglob("*"):
        key.chmod(0o700 if key.is_dir() else 0o600)
    return find_kits(directory)


def check_names(name: str, members: Sequence[str], host: str, port: int) -> None:
    """Refuse names and ports that FLARE or a file system could not do with."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot name a federation; take up to 31 letters, digits, hyphens and "
            "underscores, a letter or digit first"
        )
    if not _HOST.fullmatch(host):
        raise InputError(f"{host!r} is no host name; give the one that members reach the server by")
    if not 1 <= port <= 65535:
        raise InputError(f"{port} is no port; take one from 1 to 65535")
    if not members:
        raise InputError("a federation needs members; name at least one")
    for member in members:
        if not _MEMBER.fullmatch(member) or member.lower() in {"server", host.lower()}:
            raise InputError(
                f"{member!r} cannot name a member; take letters, digits, hyphens and underscores, "
                "a letter or digit first, and neither 'server' nor the host's name"
            )
    lower = [member.lower() for member in members]
    twice = next((member for member in members if lower.count(member.lower()) > 1), None)
    if twice is not None:
        raise InputError(f"{twice!r} is named twice as a member; give each a name of its own")


def _check_same_server(path: Path, project: dict[str, Any]) -> None:
    """Kits that are there already must lead to the same server."""
    if not path.exists():
        return
    try:
        server = json.loads(read_text(path, "what init wrote"))["participants"][0]
        there = f"{server['name']}:{server['fed_learn_port']}"
    except (ValueError, LookupError, TypeError):
        raise InputError(f"{path}: is damaged; restore it") from None
    wanted = project["participants"][0]
    if server != wanted:
        raise InputError(f"{path}: the kits there are for {there}; give the same host and port")


def _project(name: str, members: Sequence[str], host: str, port: int) -> dict[str, Any]:
    server = {
        "name": host,
        "type": "server",
        "org": _ORG,
        "fed_learn_port": port,
        "admin_port": port,
    }
    sites = [{"name": member, "type": "client", "org": _ORG} for member in members]
    admin = {"name": ADMIN, "type": "admin", "org": _ORG, "role": "project_admin"}
    builders: list[dict[str, Any]] = [
        {"path": f"{_IMPL}.workspace.WorkspaceBuilder"},
        {
            "path": f"{_IMPL}.static_file.StaticFileBuilder",
            "args": {"config_folder": "config", "scheme": "tcp"},
        },
        {"path": f"{_IMPL}.cert.CertBuilder", "args": {"root_valid_days": 3650}},
        {"path": f"{_IMPL}.signature.SignatureBuilder"},
    ]
    return {
        "api_version": 3,
        "name": name,
        "description": "a fedfact federation",
        "participants": [server, *sites, admin],
        "builders": builders,
    }


def _run(project: dict[str, Any], authority: Path) -> Path:
    """FLARE's provisioning, which prints; where its kits are."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        provisioner = Provisioner(str(authority), prepare_builders(project))
        context = provisioner.provision(prepare_project(project))
    if context.get(CtxKey.BUILD_ERROR) or not context.get(CtxKey.CURRENT_PROD_DIR):
        raise DeploymentError(f"{authority}: FLARE could not make kits; it says: {said.getvalue()}")
    return Path(context[CtxKey.CURRENT_PROD_DIR])


def _place(made: Path, kit: Path, lock_down: Callable[[Path], None]) -> None:
    """Put a kit where it belongs in full or not at all; one that is there stays as it is."""
    if kit.exists():
        return
    for key in made.rglob("*.key"):
        key.chmod(0o600)
    for unused in [*made.rglob("*.sh"), *made.rglob("readme.txt"), *made.rglob("*.ipynb")]:
        unused.unlink()  # FLARE's own way to start it
    lock_down(made)
    made.chmod(0o700)
    made.rename(kit)
