"""Kits for the members of the season that is on, from the requests that they once sent.

A member's request is kept: its keys are certified anew for each season, without asking it again.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from .....errors import InputError
from .....io.files import write_whole
from .....io.folders import make_folder
from ....agreement.terms import Published
from ....operator.members import Membership
from ....wire.document import FORMAT
from .certificates import Authority, read_certificate, same_key
from .kit import Address, Kit, OwnAddress, read_kit
from .paths import ADDRESS, TLS, kit_path, read_address, request_path
from .request import read_request


def check_requests(
    requests: Mapping[str, Path], others: Mapping[str, Path] | None = None
) -> dict[str, str]:
    """The keys that members sign with; each has keys of its own, which none of the others has."""
    signing: dict[str, str] = {}
    connecting: dict[str, RSAPublicKey] = {}
    for name, path in {**(others or {}), **requests}.items():
        said, connects = read_request(path, name)
        signs = said.key
        alike = [other for other, known in connecting.items() if same_key(connects, known)]
        alike += [other for other, known in signing.items() if known == signs]
        if alike:
            raise InputError(f"{path}: has a key of {alike[0]}; each member makes keys of its own")
        signing[name], connecting[name] = signs, connects
    return {name: signing[name] for name in requests}


def keep_requests(directory: Path, requests: Mapping[str, Path]) -> None:
    """Keep what members sent, for the kits of all seasons."""
    for name, path in requests.items():
        kept = request_path(directory, name)
        make_folder(kept.parent)
        write_whole(kept, path.read_bytes())


def kept_requests(directory: Path) -> dict[str, Path]:
    """The requests of all members that are kept."""
    found = sorted(request_path(directory, "any").parent.glob("*.request.json"))
    return {path.name.removesuffix(".request.json"): path for path in found}


def issue(
    directory: Path,
    address: Address | None = None,
    now: datetime | None = None,
    *,
    renew: bool = False,
) -> dict[str, Path]:
    """The kit of every member that may connect in the season that is on.

    To ``renew`` is to make all of them, and the operator's own certificates, anew; else what is
    there and right stays as it is. Kits of all others are removed.
    """
    where = directory / ADDRESS
    told = read_address(directory) if where.exists() or address is None else address
    if address not in (None, told):
        raise InputError(f"{where}: the kits there are for {told}; give the same host and port")
    address = told
    make_folder(directory / TLS)
    (directory / TLS).chmod(0o700)
    there = Membership.of(directory)
    keys = {name: _connecting(directory, name) for name in sorted(there.admitted)}
    authority = Authority(directory / TLS, now, renew=renew)
    kits = {name: kit_path(directory, name) for name in keys}
    make_folder(directory / "kits")
    for path in {*(directory / "kits").glob("*.kit.json")} - {*kits.values()}:
        path.unlink()
    for name, path in kits.items():
        if not renew and path.exists() and _is_for(read_kit(path), keys[name], there.published):
            continue
        made = Kit(
            format=FORMAT,
            member=name,
            server=address,
            authority=authority.pem,
            certificate=authority.certify(name, keys[name]),
            terms=there.published,
        )
        write_whole(path, made.encoded())
    write_whole(where, OwnAddress(format=FORMAT, server=address).encoded())
    return kits


def _connecting(directory: Path, member: str) -> RSAPublicKey:
    """The key that a member connects with, by the request that it sent."""
    path = request_path(directory, member)
    if not path.exists():
        raise InputError(f"{path}: is gone; restore it, or invite {member} with its request")
    return read_request(path, member)[1]


def _is_for(kit: Kit, key: RSAPublicKey, terms: Published) -> bool:
    same = same_key(key, read_certificate(kit.certificate).public_key())
    return same and kit.terms == terms
