"""A consortium from nothing: the operator's directory, its certificates, a kit for every member."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from .....errors import InputError
from .....io.files import write_whole
from .....io.folders import make_folder
from ....agreement.terms import publish, read_federation_terms
from ....operator.directory import PUBLISHED, check_new, create, ledger_place, read_invitation
from .certificates import Authority, read_certificate, same_key
from .kit import Address, Kit, check_members, read_kit
from .paths import ADDRESS, TLS, kit_path
from .request import read_request


def set_up(
    directory: Path,
    terms: Path,
    requests: dict[str, Path],
    host: str = "localhost",
    port: int = 8002,
    ledger: str | None = None,
    sizes: Mapping[str, int] | None = None,
) -> dict[str, Path]:
    """Make an operator's directory and the kits; what each member is to be sent.

    ``requests``: of each member, the request that it made (see ``request``); ``sizes``: of each,
    what the operator verified of it. Where kits cannot be
    made, nothing is left behind; where it was killed before it had made them, it goes on.
    """
    members, there = list(requests), directory.exists()
    check_new(terms, members, ledger, sizes)
    check_members(members)
    address = Address.take({"host": host, "port": port})
    keys = _read_requests(requests)
    try:
        roster = dict.fromkeys(members, 1) | dict(sizes or {})
        if not _is_half_made(directory, terms, roster, ledger):
            create(directory, terms, members, ledger, sizes)
        return _certify(directory, keys, address)
    except BaseException:
        if not there:
            shutil.rmtree(directory, ignore_errors=True)
        raise


def _read_requests(requests: dict[str, Path]) -> dict[str, RSAPublicKey]:
    keys: dict[str, RSAPublicKey] = {}
    for name, path in requests.items():
        key = read_request(path, name)
        twin = next((other for other, known in keys.items() if same_key(key, known)), None)
        if twin is not None:
            raise InputError(f"{path}: has the key of {twin}; each member makes a key of its own")
        keys[name] = key
    return keys


def _certify(directory: Path, keys: dict[str, RSAPublicKey], address: Address) -> dict[str, Path]:
    """Certificates and kits, as far as they are not there already."""
    where = directory / ADDRESS
    if where.exists() and where.read_bytes() != address.encoded():
        told = Address.read(where.read_bytes())
        raise InputError(f"{where}: the kits there are for {told}; give the same host and port")
    make_folder(directory / TLS)
    (directory / TLS).chmod(0o700)
    authority, terms = Authority(directory / TLS), read_invitation(directory)[0]
    kits = {name: kit_path(directory, name) for name in keys}
    for name, path in kits.items():
        if path.exists() and _is_for(read_kit(path), keys[name]):
            continue
        make_folder(path.parent)
        made = Kit(
            version=1,
            member=name,
            server=address,
            authority=authority.pem,
            certificate=authority.certify(name, keys[name]),
            terms=terms,
        )
        write_whole(path, made.encoded())
    write_whole(where, address.encoded())
    return kits


def _is_for(kit: Kit, key: RSAPublicKey) -> bool:
    return same_key(key, read_certificate(kit.certificate).public_key())


def _is_half_made(
    directory: Path, terms: Path, members: dict[str, int], ledger: str | None
) -> bool:
    """Whether it holds this very federation, published already, but not all of its kits."""
    if not (directory / PUBLISHED).exists():
        return False
    published, invited = read_invitation(directory)
    again = publish(*read_federation_terms(terms), published.operator, published.seed_commitment)
    place = str(directory / "ledger.db") if ledger is None else ledger
    return (
        (invited, again) == (members, published)
        and not all(kit_path(directory, member).exists() for member in members)
        and ledger_place(directory) == place
    )
