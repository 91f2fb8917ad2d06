"""A whole consortium on one machine, through two seasons: each member a process of its own."""

import re
import socket
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ....data import load
from ....errors import InputError
from ....io.folders import make_folder
from ....training.plan import Plan
from ....training.site.site import score
from ...audit.own_copy import verify_copy
from ...audit.verify import is_sound, verify
from ...ledger.season import SeasonState
from ...ledger.state import replay
from ...ledger.store import read_ledger
from ...member.files import MemberFiles
from ...operator.directory import CONSORTIUM, DEFAULT_TERMS, ledger_place
from ...operator.members import Membership
from .kits.paths import kit_path
from .kits.request import make_request
from .kits.set_up import set_up
from .processes import start_site
from .seasons import invite_members, new_season, retire_member
from .server.running import Ending, Show, run_operator
from .site.joining import take_kit

MEMBERS = {"alder": 3.6, "birch": 4.2, "cedar": 5.0, "elm": 5.8, "fir": 7.0, "hazel": 4.6}
"""Who takes part, and what a sample costs each: some 235 down to 169 samples are best for them."""

LEAVES, JOINS, WHY = "elm", "hazel", "it has no more data of this kind"
"""Between the two seasons."""

_SEASONS, _PATIENCE = 2, 60.0


def run_demo(directory: Path, rounds: int, show: Show) -> dict[str, Any]:
    """Set up what is not there, run it to the end, verify it; what came of it.

    Where it was ``stopped`` before the end, nothing has come of it yet; ``unfinished`` says why.
    """
    start, operator = time.monotonic(), directory / "operator"
    if not (operator / CONSORTIUM).exists():
        _make(directory, rounds)
    while True:
        ending, season = _run_season(directory, show), Membership.of(operator).published.season
        if ending.unfinished is not None:
            said = {"stopped": True, "unfinished": ending.unfinished}
            return {"overview": ending.overview, **said}
        if season == _SEASONS:
            break
        _between(directory)
    entries = read_ledger(ledger_place(operator))
    verdicts, state = verify(entries), replay(entries)
    for name in state.members:
        verdicts += verify_copy(entries, name, MemberFiles(directory / name))
    return {
        "overview": ending.overview,
        "stopped": False,
        "sound": is_sound(verdicts),
        "checks": [asdict(verdict) for verdict in verdicts],
        "seasons": [_came_of(directory, season) for season in state.seasons],
        "seconds": time.monotonic() - start,
    }


def _run_season(directory: Path, show: Show) -> Ending:
    """The season that is on: every member joins, the operator runs it to its end."""
    operator = directory / "operator"
    with ExitStack() as running:
        for name in Membership.of(operator).invited:
            own = directory / name
            kit = take_kit(kit_path(operator, name), own / "member.toml")
            running.callback(start_site(kit, own).stop)
        return run_operator(operator, show, _PATIENCE)


def _between(directory: Path) -> None:
    """One member leaves, another one comes; the same terms again. Killed here, it goes on."""
    operator = directory / "operator"
    if LEAVES not in Membership.of(operator).state.retired:
        retire_member(operator, LEAVES, WHY)
    invite_members(operator, {JOINS: _request(directory, JOINS)})
    new_season(operator, directory / "terms.toml")


def _came_of(directory: Path, record: SeasonState) -> dict[str, Any]:
    """Of a season: who was better off, and how good the model is."""
    plan, model = record.terms.plan(), None
    for name in record.contracts:
        model = MemberFiles(directory / name, record.number).folder / "model.bin"
        if model.exists():
            break
    there = model is not None and model.exists()
    return {
        "season": record.number,
        "members": _better_off(record),
        "accuracy": _accuracy(plan, model) if there and model is not None else None,
    }


def _accuracy(plan: Plan, model: Path) -> float:
    return score(plan, model.read_bytes(), load("digits").test).accuracy


def _better_off(record: SeasonState) -> dict[str, dict[str, float]]:
    """Each member's loss alone and as settled, which in a demo is no secret."""
    settlement = None if record.revealed is None else record.settlement_now()
    if settlement is None:
        return {}
    members = settlement.population.agents
    alone, settled = settlement.losses([MEMBERS[member] for member in members])
    return {
        member: {"alone": float(alone[k]), "settled": float(settled[k])}
        for k, member in enumerate(members)
    }


def _make(directory: Path, rounds: int) -> None:
    if directory.exists() and any(directory.iterdir()):
        raise InputError(f"{directory}: holds something else; name another with --directory")
    make_folder(directory)
    terms = directory / "terms.toml"
    text = DEFAULT_TERMS.read_text()
    terms.write_text(re.sub(r"(?m)^rounds = \d+ *", f"rounds = {rounds} ", text))
    requests = {name: _request(directory, name) for name in MEMBERS if name != JOINS}
    set_up(directory / "operator", terms, requests, "localhost", _free_port())


def _request(directory: Path, name: str) -> Path:
    """The request of a member whose directory is made for it."""
    own, k = directory / name, list(MEMBERS).index(name)
    make_folder(own)
    (own / "member.toml").write_text(
        f'name = "{name}"\ntrue_cost = {MEMBERS[name]}\ndata = "digits:{k}/{len(MEMBERS)}"\n'
    )
    return make_request(own / "member.toml")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])
