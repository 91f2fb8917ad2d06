"""A whole consortium on one machine: operator and three members, each a process of its own."""

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
from ...ledger.entry import Entry
from ...ledger.state import replay
from ...ledger.store import read_ledger
from ...member.files import MemberFiles
from ...operator.directory import (
    CONSORTIUM,
    DEFAULT_TERMS,
    OperatorDirectory,
    ledger_place,
    read_invitation,
)
from .kits.paths import kit_path
from .kits.request import make_request
from .kits.set_up import set_up
from .processes import start_site
from .server.running import Show, run_operator
from .site.joining import take_kit

MEMBERS = {"alder": 1.25, "birch": 1.6, "cedar": 2.2}
"""Who takes part, and what a sample costs each: some 400, 354 and 302 samples are best for them."""

_PATIENCE = 60.0


def run_demo(directory: Path, rounds: int, show: Show) -> dict[str, Any]:
    """Set up what is not there, run it to the end, verify it; what came of it.

    Where it was ``stopped`` before the end, nothing has come of it yet; ``unfinished`` says why.
    """
    start, operator = time.monotonic(), directory / "operator"
    if not (operator / CONSORTIUM).exists():
        _make(directory, rounds)
    members = list(read_invitation(operator)[1])
    with ExitStack() as running:
        for name in members:
            own = directory / name
            kit = take_kit(kit_path(operator, name), own / "member.toml")
            running.callback(start_site(kit, own).stop)
        ending = run_operator(operator, show, _PATIENCE)
    if ending.unfinished is not None:
        return {"overview": ending.overview, "stopped": True, "unfinished": ending.unfinished}
    entries = read_ledger(ledger_place(operator))
    verdicts = verify(entries)
    for name in members:
        verdicts += verify_copy(entries, name, MemberFiles(directory / name))
    with OperatorDirectory(operator) as opened:
        plan = opened.published.plan()
    model = MemberFiles(directory / members[0]).folder / "model.bin"
    return {
        "overview": ending.overview,
        "stopped": False,
        "sound": is_sound(verdicts),
        "checks": [asdict(verdict) for verdict in verdicts],
        "members": _better_off(entries),
        "accuracy": _accuracy(plan, model) if model.exists() else None,
        "seconds": time.monotonic() - start,
    }


def _accuracy(plan: Plan, model: Path) -> float:
    return score(plan, model.read_bytes(), load("digits").test).accuracy


def _better_off(entries: list[Entry]) -> dict[str, dict[str, float]]:
    """Each member's loss alone and as settled, which in a demo is no secret."""
    record = replay(entries).season
    if record.revealed is None:
        return {}
    settlement = record.settlement_now()
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
    requests = {}
    for k, (name, cost) in enumerate(MEMBERS.items()):
        make_folder(directory / name)
        (directory / name / "member.toml").write_text(
            f'name = "{name}"\ntrue_cost = {cost}\ndata = "digits:{k}/{len(MEMBERS)}"\n'
        )
        requests[name] = make_request(directory / name / "member.toml")
    set_up(directory / "operator", terms, requests, "localhost", _free_port())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])
