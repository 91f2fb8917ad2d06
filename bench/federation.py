"""What the federation costs: a round between machines, against the plain loop; the ledger.

Three members train digits over NVIDIA FLARE (mutual TLS, loopback), in one process over the same
protocol, and in a plain loop without any protocol. The models of the first two are compared. Last,
what a member keeps of a round is written and read again, early and late in a very long training.
"""

import itertools
import shutil
import statistics
import tempfile
import time
from datetime import datetime
from pathlib import Path

from fedfact.data.member_data import load_site
from fedfact.federation.audit.verify import verify
from fedfact.federation.deploy.flare.demo import MEMBERS, run_demo
from fedfact.federation.ledger.entry import Entry
from fedfact.federation.ledger.state import replay
from fedfact.federation.ledger.store import read_ledger
from fedfact.federation.member import own_rounds
from fedfact.federation.member.member import open_member
from fedfact.federation.member.own_rounds import LastRound, OwnRound, keep_round, last_round
from fedfact.federation.operator.directory import CONSORTIUM, INVITED, PUBLISHED, SEED
from fedfact.federation.operator.directory import MEMBERS as MEMBERS_FILE
from fedfact.federation.operator.run import operate
from fedfact.federation.wire.transport import InProcess
from fedfact.training.plan import Plan
from fedfact.training.site.average import mean_of
from fedfact.training.site.site import Site

ROUNDS = 40


def seconds_a_round(entries: list[Entry]) -> float:
    rounds = [entry for entry in entries if (entry.season, entry.kind) == (1, "round")]
    times = [datetime.fromisoformat(entry.time) for entry in rounds]
    return statistics.median((b - a).total_seconds() for a, b in itertools.pairwise(times))


def in_process(deployed: Path, folder: Path) -> list[Entry]:
    """Its first season in one process: the same secrets, terms and configs."""
    operator, members = folder / "operator", {}
    (operator / "season-1/models").mkdir(parents=True)
    for name in (CONSORTIUM, MEMBERS_FILE, "operator.key"):
        shutil.copy(deployed / "operator" / name, operator)
    for name in (PUBLISHED, INVITED, SEED):
        shutil.copy(deployed / "operator/season-1" / name, operator / "season-1")
    for member in MEMBERS:
        (folder / member / "season-1").mkdir(parents=True)
        for name in ("member.toml", "member.key"):
            shutil.copy(deployed / member / name, folder / member)
        for name in ("terms.json", "nonce.secret", "salt.secret"):
            shutil.copy(deployed / member / "season-1" / name, folder / member / "season-1")
        members[member] = open_member(folder / member)
    operate(operator, InProcess(members))
    return read_ledger(str(operator))


def plain(plan: Plan) -> float:
    """Seconds a round of nothing but training and averaging."""
    sites = [
        Site(plan, load_site(f"digits:{k}/3", Path()), name, 400, bytes(32))
        for k, name in enumerate(MEMBERS)
    ]
    total = sum(site.samples for site in sites)
    shares = [site.samples / total for site in sites]
    model, taken = plan.initial(), []
    for _ in range(plan.rounds):
        start = time.perf_counter()
        models = [site.update(model, plan.recipe.local_steps) for site in sites]
        model = mean_of(models, shares, plan)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def seconds_to_keep(folder: Path, first: int, rounds: int = 20) -> float:
    """Of what a member writes and reads in a round, from this one on; a model has 40,000 bytes."""
    taken, body = [], bytes(40_000)
    for number in range(first, first + rounds):
        own = OwnRound(round=number, used=400, late=False)
        start = time.perf_counter()
        last_round(folder)
        keep_round(folder, LastRound("0" * 64, own, body, body))
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def skip(folder: Path, rounds: int) -> None:
    """Have the last round kept be this one, as if all those before it had been, one by one."""
    chain, lines = "0" * 64, []
    for number in range(1, rounds + 1):
        lines.append(OwnRound(round=number, used=400, late=False).encoded() + b"\n")
        chain = own_rounds.chained(chain, lines[-1]) if number < rounds else chain
    length = sum(map(len, lines[:-1]))
    (folder / own_rounds.EARLIER).write_bytes(b"".join(lines[:-1]))
    last = LastRound("0" * 64, OwnRound(round=rounds, used=400, late=False), b"", b"")
    own_rounds.write_last(folder, last, length, chain)


def keeping() -> None:
    """Print what a round costs a member's disk, early and late in a very long training."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in (100, 100_000):
            skip(folder, number - 1)
            seconds = seconds_to_keep(folder, number)
            size = (folder / "training.bin").stat().st_size
            print(
                f"what a member keeps, at round {number:,}: {seconds * 1000:.1f} ms a round, "
                f"training.bin has {size:,} bytes"
            )


def main() -> None:
    keeping()
    with tempfile.TemporaryDirectory() as folder:
        deployed, alone = Path(folder, "deployed"), Path(folder, "alone")
        alone.mkdir()
        found = run_demo(deployed, ROUNDS, lambda said, status: None)
        over_flare = read_ledger(str(deployed / "operator"))
        within = in_process(deployed, alone)
        plan = replay(within).seasons[0].terms.plan()
        loop = plain(plan)
    rounds = seconds_a_round(over_flare), seconds_a_round(within)
    last = [replay(entries).seasons[0].rounds[-1].model for entries in (over_flare, within)]
    same = last[0] == last[1]
    print(f"from nothing to settled and verified, three members: {found['seconds']:.0f} s")
    print(
        f"a round of digits: plain loop {loop:.3f} s, protocol in one process {rounds[1]:.3f} s, "
        f"between processes over FLARE {rounds[0]:.3f} s: {rounds[0] - loop:.3f} s over the loop"
    )
    print(
        f"the models after {ROUNDS} rounds are {'equal' if same else 'NOT equal'} to the last bit"
    )
    start = time.perf_counter()
    verify(over_flare)
    print(f"verify: {len(over_flare) / (time.perf_counter() - start):,.0f} entries a second")


if __name__ == "__main__":
    main()
