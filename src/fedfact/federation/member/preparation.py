"""Before a member joins: its config is checked, and what it would sign is shown."""

import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...io.files import write_whole
from ...io.folders import make_folder
from ...mechanism import Standing, billing_floor, rule_of
from ...mechanism.fees import largest_fee
from ..agreement.contract import agreed_samples, unfit
from ..agreement.terms import Published, read_published
from .config import MemberConfig, read_member_config
from .files import TERMS_FILE, MemberFiles, seasons_kept
from .member import CONFIG, Member


def make_ready(offered: Published, config: Path) -> MemberConfig:
    """Check a member's config, and lay the terms that it is offered into a folder beside it.

    Terms of that season that lie there already must be the same, and those of other seasons of the
    same consortium: one directory serves one consortium.
    """
    own = read_member_config(config)
    if config.name != CONFIG:
        raise InputError(f"{config}: call the file {CONFIG}, in a directory of its own")
    seasons = seasons_kept(config.parent)
    for season in seasons:
        beside = MemberFiles(config.parent, season).folder / TERMS_FILE
        known = read_published(beside)
        same = (known.consortium, known.operator) == (offered.consortium, offered.operator)
        if not same or (known.season == offered.season and known != offered):
            raise InputError(
                f"{beside}: is of another federation than the kit; give each federation a directory"
            )
    if seasons and offered.season < seasons[-1]:
        raise InputError(
            f"the kit is of season {offered.season}, and {config.parent} has joined season "
            f"{seasons[-1]}; ask the operator for the newest kit"
        )
    close_directory(config.parent)
    if offered.season not in seasons:
        folder = MemberFiles(config.parent, offered.season).folder
        make_folder(folder)
        write_whole(folder / TERMS_FILE, offered.encoded())
    return own


def close_directory(directory: Path) -> None:
    """Make a member's directory its owner's alone: nobody else's business is in it."""
    with suppress(OSError):  # of a directory that is another's, that one sees to it
        if not directory.stat().st_mode & stat.S_IWOTH:  # such as a folder for all
            directory.chmod(0o700)


def preview(config: Path) -> dict[str, Any]:
    """What a member would report and use, and the most it could be asked for, before it joins.

    Who the others are it does not know yet: amounts and samples are the most for any others.
    """
    member = Member(config.parent, read_member_config(config))
    terms, size = member.published.terms(), member.config.size or 1
    enrolment, least = member.enrolment(size), billing_floor(terms, size)
    fewest = Standing(3, size, size + 2, enrolment.capacity)
    return {
        "name": member.config.name,
        "federation": member.published.name,
        "terms": member.published.hash(),
        "operator": member.published.operator,
        "reported_cost": member.config.report,
        "size": size,
        "samples": agreed_samples(enrolment, terms, size, fewest.all_sizes),
        "unfit": unfit(enrolment, terms, size, fewest.all_sizes),
        "capacity": member.capacity,
        "largest_fee": largest_fee(least, terms, size),
        "largest_charge": rule_of(terms).charge_for(member.config.report, least, fewest, terms),
        "most_fee": member.config.most_fee,
        "unit": member.published.money["unit"],
        "currency": member.published.money["currency"],
    }
