"""A consortium from nothing: the operator's directory, and a kit for every member."""

import shutil
from pathlib import Path

from .....io.files import write_whole
from ....agreement.terms import publish, read_federation_terms
from ....member.member import TERMS
from ....operator.directory import PUBLISHED, check_new, create, ledger_place, read_invitation
from .paths import require_flare


def set_up(
    directory: Path,
    terms: Path,
    members: list[str],
    host: str = "localhost",
    port: int = 8002,
    ledger: str | None = None,
) -> dict[str, Path]:
    """Make an operator's directory and the kits; what each member is to be sent.

    Where kits cannot be made, nothing is left behind; where it was killed before it had made them,
    it goes on.
    """
    require_flare()
    from .provision import check_names, provision

    name, there = check_new(terms, members, ledger)[0], directory.exists()
    check_names(name, members, host, port)
    try:
        if not _is_half_made(directory, terms, members, ledger):
            create(directory, terms, members, ledger)
        kits = provision(directory, name, members, host, port)
    except BaseException:
        if not there:
            shutil.rmtree(directory, ignore_errors=True)
        raise
    for kit in kits.members.values():
        write_whole(kit / TERMS, (directory / PUBLISHED).read_bytes())
    return kits.members


def _is_half_made(directory: Path, terms: Path, members: list[str], ledger: str | None) -> bool:
    """Whether it holds this very federation, published already, but not all of its kits."""
    if not (directory / PUBLISHED).exists():
        return False
    published, invited = read_invitation(directory)
    again = publish(*read_federation_terms(terms), published.operator, published.seed_commitment)
    kits = [directory / "kits" / "members" / member / TERMS for member in members]
    place = str(directory / "ledger.db") if ledger is None else ledger
    return (
        (invited, again) == (members, published)
        and not all(kit.exists() for kit in kits)
        and ledger_place(directory) == place
    )
