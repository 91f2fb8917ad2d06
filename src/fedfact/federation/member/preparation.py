"""Before a member joins: its config is checked, and what it would sign is shown."""

import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...io.files import write_whole
from ...mechanism import rule_of
from ..agreement.contract import agreed_samples, least_billed
from ..agreement.terms import Published, read_published
from .config import MemberConfig, read_member_config
from .member import CONFIG, TERMS, Member


def make_ready(offered: Published, config: Path) -> MemberConfig:
    """Check a member's config, and lay the terms that it is offered beside it.

    Terms that lie there already must be the same: one directory serves one federation.
    """
    own = read_member_config(config)
    if config.name != CONFIG:
        raise InputError(f"{config}: call the file {CONFIG}, in a directory of its own")
    beside = config.parent / TERMS
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
    """What a member would report and use, and the most it could be asked for, before it joins."""
    agent = Member(config.parent, read_member_config(config), read_published(config.parent / TERMS))
    enrolment, terms = agent.enrolment(), agent.published.terms()
    rule, least = rule_of(terms), least_billed(terms)
    capped = enrolment.capacity is not None
    return {
        "name": agent.config.name,
        "federation": agent.published.name,
        "terms": agent.published.hash(),
        "operator": agent.published.operator,
        "reported_cost": agent.config.report,
        "samples": agreed_samples(enrolment, terms),
        "capacity": agent.capacity,
        "largest_fee": int(terms.error_scale_in_units // least),
        "largest_charge": 0 if capped else rule.charge_for(agent.config.report, least, terms),
        "most_fee": agent.config.most_fee,
        "unit": agent.published.money["unit"],
        "currency": agent.published.money["currency"],
    }
