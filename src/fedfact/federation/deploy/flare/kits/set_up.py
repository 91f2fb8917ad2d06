"""A consortium from nothing: the operator's directory, and a kit for every member."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from ....agreement.terms import publish, read_federation_terms
from ....operator.directory import (
    CONSORTIUM,
    MEMBERS,
    Members,
    ledger_place,
    read_invitation,
    read_stored,
)
from ....operator.entered.keys import restore
from ....operator.founding import check_new, create
from .issue import check_requests, issue, keep_requests
from .kit import Address, check_members
from .paths import kit_path
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
    what the operator verified of it. Where kits cannot be made, nothing is left behind; where it
    was killed before it had made them, it goes on.
    """
    members, there = list(requests), directory.exists()
    check_new(terms, members, ledger, sizes)
    check_members(members)
    address = Address.take({"host": host, "port": port})
    signing = check_requests(requests)
    try:
        roster = dict.fromkeys(members, 1) | dict(sizes or {})
        if not _is_half_made(directory, terms, roster, signing, ledger):
            create(directory, terms, signing, ledger, sizes)
        keep_requests(directory, requests)
        made = issue(directory, address)
        return {name: made[name] for name in members}
    except BaseException:
        if not there:
            shutil.rmtree(directory, ignore_errors=True)
        raise


def readmit(directory: Path, member: str, request: Path, why: str) -> Path:
    """Let a member in again that lost its keys, with those of a new request; its new kit."""
    said, _ = read_request(request, member)
    restore(directory, member, said.key, said.tls_hash, said.signature, why)
    keep_requests(directory, {member: request})
    return issue(directory)[member]


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
