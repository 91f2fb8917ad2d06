"""Between two seasons: members are invited and retire, terms are published, kits are made anew."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ....errors import InputError
from ...operator.directory import MEMBERS, Members, read_invitation, read_stored
from ...operator.founding import open_season
from ...operator.members import Membership, erase_contact, invite, keep_contacts, retire
from .kits.issue import check_requests, issue, keep_requests, kept_requests
from .kits.kit import check_members
from .kits.paths import kit_path, request_path
from .server.status import read_status


@dataclass(frozen=True, slots=True)
class NewSeason:
    """A season whose terms are published: its kits, and who is still owed what of the last one."""

    number: int
    kits: dict[str, Path]
    owed: dict[str, str]


def new_season(
    directory: Path,
    terms: Path,
    without: Iterable[str] = (),
    sizes: Mapping[str, int] | None = None,
    now: datetime | None = None,
) -> NewSeason:
    """Publish the terms of the next season, and make kits for all that are invited to it."""
    _refuse_running(directory)
    before = Membership.of(directory)
    owed = before.state.seasons[-1].owed if before.begun else {}
    number = open_season(directory, terms, {}, without, sizes)
    return NewSeason(number, renew(directory, now), owed)


def renew(directory: Path, now: datetime | None = None) -> dict[str, Path]:
    """Make all certificates of the season that is on anew, and the kits that hold them."""
    return issue(directory, now=now, renew=True)


@dataclass(frozen=True, slots=True)
class Invitation:
    """Members that are in the season of this number; their kits, if its terms are published."""

    season: int
    kits: dict[str, Path]


def invite_members(
    directory: Path,
    requests: Mapping[str, Path],
    sizes: Mapping[str, int] | None = None,
    contacts: Mapping[str, str] | None = None,
) -> Invitation:
    """Take members into the next season that begins, by the requests that they sent."""
    _refuse_running(directory)
    known = read_stored(directory / MEMBERS, Members).members
    kept = kept_requests(directory)
    check_members(sorted({*known, *kept, *requests}))
    others = {name: path for name, path in kept.items() if name not in requests}
    signing = check_requests(requests, others)
    if strange := sorted({*(contacts or {})} - known.keys() - kept.keys() - signing.keys()):
        raise InputError(f"{', '.join(strange)}: no members; a contact is of one that is, or comes")
    published, _ = read_invitation(directory)
    season = invite(directory, signing, sizes) if signing else published.season
    keep_requests(directory, requests)
    if contacts:
        keep_contacts(directory, dict(contacts))
    invited = read_invitation(directory)[1]
    made = issue(directory) if signing and season == published.season else {}
    return Invitation(season, {name: made[name] for name in signing if name in invited and made})


def retire_member(directory: Path, member: str, why: str) -> int | None:
    """Enter that a member is in no season to come; the number of the entry, if it has one.

    Its kit is removed, unless the season that is on owes it something still.
    """
    _refuse_running(directory)
    number = retire(directory, member, why)
    if number is None:  # it was never in a season: nothing of it is kept
        request_path(directory, member).unlink(missing_ok=True)
    if member not in Membership.of(directory).admitted:
        kit_path(directory, member).unlink(missing_ok=True)
    return number


def erase(directory: Path, member: str) -> None:
    """Forget who a retired member is: its contact, its request, its kit. The ledger has its id."""
    now = Membership.of(directory)
    if member not in now.state.retired:
        raise InputError(f"{member} is not retired; only who is retired can be erased")
    if member in now.admitted:
        raise InputError(
            f"{member} has a part in season {now.published.season} still; erase it when it has its "
            "statement, or when the next season is published"
        )
    erase_contact(directory, member)
    request_path(directory, member).unlink(missing_ok=True)
    kit_path(directory, member).unlink(missing_ok=True)


def _refuse_running(directory: Path) -> None:
    if read_status(directory) is not None:
        raise InputError(
            f"{directory}: a start runs there; end it first with fedfact federation stop"
        )
