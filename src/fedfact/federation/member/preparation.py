"""Before a member joins: its config is checked, and what it would sign is shown."""

import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...io.files import write_whole
from ...mechanism import Standing, billing_floor, rule_of
from ...mechanism.fees import largest_fee
from ..agreement.contract import agreed_samples, unfit
from ..agreement.terms import Published, read_published
from .config import MemberConfig, read_member_config
from .member import CONFIG, TERMS_FILE, Member


def make_ready(offered: Published, config: Path) -> MemberConfig:
    """Check a member's config, and lay the terms that it is offered beside it.

    Terms that lie there already must be the same: one directory serves one federation.
    """
    own = read_member_config(config)
    if config.name != CONFIG:
        raise InputError(f"{config}: call the file {CONFIG}, in a directory of its own")
    beside = config.parent / TERMS_FILE
    if beside.exists() and read_published(beside) != offered:
        raise InputError(
            f"{beside}: is of another federation than the kit; give each federation a directory"
        )
    close_directory(config.parent)
    write_whole(beside, offered.encoded())
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
    agent = Member(
        config.parent, read_member_config(config), read_published(config.parent / TERMS_FILE)
    )
    terms, size = agent.published.terms(), agent.config.size or 1
    enrolment, least = agent.enrolment(size), billing_floor(terms, size)
    fewest = Standing(3, size, size + 2, enrolment.capacity)
    return {
        "name": agent.config.name,
        "federation": agent.published.name,
        "terms": agent.published.hash(),
        "operator": agent.published.operator,
        "reported_cost": agent.config.report,
        "size": size,
        "samples": agreed_samples(enrolment, terms, size, fewest.all_sizes),
        "unfit": unfit(enrolment, terms, size, fewest.all_sizes),
        "capacity": agent.capacity,
        "largest_fee": largest_fee(least, terms, size),
        "largest_charge": rule_of(terms).charge_for(agent.config.report, least, fewest, terms),
        "most_fee": agent.config.most_fee,
        "unit": agent.published.money["unit"],
        "currency": agent.published.money["currency"],
    }
