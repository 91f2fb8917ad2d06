"""A consortium from nothing: the operator's directory, and a kit for every member."""

import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..files import read_text, write_whole
from ..mechanism import InputError
from .agent_config import AgentConfig, read_agent_config
from .consortium import PUBLISHED, check_new, create, ledger_place, read_invitation
from .consortium import TERMS as OWN_TERMS
from .contract import agreed_samples, least_billed
from .flare.kits import require_flare
from .join import CONFIG, TERMS, Agent
from .published import read_published

DEFAULT_TERMS = Path(__file__).with_name("terms.toml")
"""Terms for a first try, with every key explained."""


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
    from .flare.provision import check_names, provision

    name, there = check_new(terms, members, ledger), directory.exists()
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
    kits = [directory / "kits" / "members" / member / TERMS for member in members]
    place = str(directory / "ledger.db") if ledger is None else ledger
    return (
        read_invitation(directory)[1] == members
        and not all(kit.exists() for kit in kits)
        and read_text(directory / OWN_TERMS, "its terms") == read_text(terms, "a TOML file")
        and ledger_place(directory) == place
    )


def make_ready(kit: Path, config: Path) -> AgentConfig:
    """Check a member's kit and config, and lay the kit's terms beside the config.

    Terms that lie there already must be the same: one directory serves one federation. From here
    on the directory is its owner's alone: costs, contract and training are nobody else's business.
    """
    own = read_agent_config(config)
    published = read_published(kit / TERMS)
    if config.name != CONFIG:
        raise InputError(f"{config}: call the file {CONFIG}, in a directory of its own")
    if kit.resolve().name != own.name:
        raise InputError(f"{config}: name is {own.name!r}, and the kit is of {kit.resolve().name}")
    beside = config.parent / TERMS
    if beside.exists() and read_published(beside) != published:
        raise InputError(
            f"{beside}: is of another federation than the kit; give each federation a directory"
        )
    with suppress(OSError):  # of a directory that is another's, that one sees to it
        if not config.parent.stat().st_mode & stat.S_IWOTH:  # such as a folder for all
            config.parent.chmod(0o700)
    write_whole(beside, published.encoded())
    return own


def preview(config: Path) -> dict[str, Any]:
    """What a member would report and use, and the most it could be asked for, before it joins."""
    agent = Agent(config.parent, read_agent_config(config), read_published(config.parent / TERMS))
    enrolment, terms = agent.enrolment(), agent.published.terms()
    return {
        "name": agent.config.name,
        "federation": agent.published.name,
        "terms": agent.published.hash(),
        "operator": agent.published.operator,
        "reported_cost": agent.config.report,
        "samples": agreed_samples(enrolment, terms),
        "capacity": agent.capacity,
        "largest_fee": int(terms.error_scale_in_units // least_billed(terms)),
        "unit": agent.published.money["unit"],
    }
