"""A consortium from nothing: the operator's directory, its certificates, a kit for every member."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from .....errors import InputError
from .....io.files import write_whole
from .....io.folders import make_folder
from ....agreement.terms import publish, read_federation_terms
from ....operator.directory import (
    CONSORTIUM,
    MEMBERS,
    Members,
    ledger_place,
    read_invitation,
    read_stored,
)
from ....operator.founding import check_new, create
from ....operator.keys import restore
from ....wire.document import FORMAT
from .certificates import Authority, read_certificate, same_key
from .kit import Address, Kit, check_members, read_kit
from .paths import ADDRESS, TLS, kit_path, read_address
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
    signing, connecting = _read_requests(requests)
    try:
        roster = dict.fromkeys(members, 1) | dict(sizes or {})
        if not _is_half_made(directory, terms, roster, signing, ledger):
            create(directory, terms, signing, ledger, sizes)
        return _certify(directory, connecting, address)
    except BaseException:
        if not there:
            shutil.rmtree(directory, ignore_errors=True)
        raise


def readmit(directory: Path, member: str, request: Path, why: str) -> Path:
    """Let a member in again that lost its keys, with those of a new request; its new kit."""
    said, connects = read_request(request, member)
    address = read_address(directory)
    restore(directory, member, said.key, said.tls_hash, said.signature, why)
    return _certify(directory, {member: connects}, address)[member]


def _read_requests(
    requests: dict[str, Path],
) -> tuple[dict[str, str], dict[str, RSAPublicKey]]:
    """The keys that members sign with, and those that they connect with; each has its own."""
    signing: dict[str, str] = {}
    connecting: dict[str, RSAPublicKey] = {}
    for name, path in requests.items():
        said, connects = read_request(path, name)
        signs = said.key
        alike = [other for other, known in connecting.items() if same_key(connects, known)]
        alike += [other for other, known in signing.items() if known == signs]
        if alike:
            raise InputError(f"{path}: has a key of {alike[0]}; each member makes keys of its own")
        signing[name], connecting[name] = signs, connects
    return signing, connecting


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
            format=FORMAT,
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
    directory: Path,
    terms: Path,
    sizes: dict[str, int],
    keys: dict[str, str],
    ledger: str | None,
) -> bool:
    """Whether it holds this very federation, published already, but not all of its kits."""
    if not (directory / CONSORTIUM).exists():
        return False
    published, invited = read_invitation(directory)
    again = publish(
        read_federation_terms(terms),
        consortium=published.consortium,
        season=published.season,
        operator=published.operator,
        seed_commitment=published.seed_commitment,
    )
    registered = read_stored(directory / MEMBERS, Members).members
    place = str(directory / "ledger.db") if ledger is None else ledger
    return (
        (invited, registered, again) == (sizes, keys, published)
        and not all(kit_path(directory, member).exists() for member in sizes)
        and ledger_place(directory) == place
    )
