"""Whole federations in one process: an operator's directory and members' directories."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import verify
from fedfact.federation.member.files import MemberFiles, own_key
from fedfact.federation.member.member import open_member
from fedfact.federation.member.preparation import make_ready
from fedfact.federation.operator.directory import OperatorDirectory, read_invitation
from fedfact.federation.operator.entered.pay import Paid, pay
from fedfact.federation.operator.founding import create, open_season
from fedfact.federation.operator.run import operate
from fedfact.federation.operator.session import Session
from fedfact.federation.wire.transport import Failure, InProcess
from fedfact.money import MoneyUnit

from . import postgres

TERMS = """
name = "test"
[money]
error_scale = {scale}
exponent = {exponent}
unit = 0.01
currency = "EUR"
rule = "{rule}"
minimum_samples = 20
[training]
network = "digits"
rounds = {rounds}
local_steps = {steps}
[conduct]
quorum = {quorum}
"""
SIZES = {"alder": 3, "birch": 1, "cedar": 2, "elm": 4}
SIZED = {"rule": "shared", "exponent": 0.6, "scale": 1500.0, "sizes": SIZES}
COSTS = {"alder": 2.0, "birch": 1.0, "cedar": 0.5, "elm": 1.5, "fir": 3.0}


class House:
    """An operator's directory with members beside it, made but not started."""

    def __init__(
        self,
        root: Path,
        *,
        members=3,
        rule="rebate",
        rounds=3,
        quorum=2,
        ledger=None,
        exponent=1.0,
        scale=20000.0,
        sizes=None,
        arbiter=None,
        payment="",
    ):
        self.root, self.directory = root, root / "operator"
        names = list(COSTS)[:members]
        root.mkdir(exist_ok=True, parents=True)
        steps = {1: 7, 2: 4}.get(rounds, 3)  # enough for everybody to use all it agreed to
        terms = TERMS.format(
            rule=rule, rounds=rounds, quorum=quorum, steps=steps, exponent=exponent, scale=scale
        )
        if arbiter is not None:
            terms += f'[disputes]\narbiter = "{arbiter}"\nanswer_days = 7\n'
        (root / "terms.toml").write_text(f"{terms}[payment]\n{payment}\n")
        self.members = {name: root / name for name in names}
        for k, (name, place) in enumerate(self.members.items()):
            place.mkdir(exist_ok=True)
            self.configure(name, data=f"digits:{k}/{members}", true_cost=COSTS[name])
        keys = {name: own_key(place) for name, place in self.members.items()}
        create(self.directory, root / "terms.toml", keys, ledger, sizes)
        self.invite()

    def invite(self):
        """Lay the terms of the season that is on where its members look for them."""
        published, invited = read_invitation(self.directory)
        for name in invited:
            make_ready(published, self.members[name] / "member.toml")

    def next_season(self, *, joining=(), leaving=(), terms=None, sizes=None):
        """Publish the next season, and have its members take its kits; who joins is new."""
        for name in joining:
            self.members[name] = self.root / name
            self.members[name].mkdir(exist_ok=True)
            self.configure(name, data=f"digits:{list(COSTS).index(name)}/5", true_cost=COSTS[name])
        keys = {name: own_key(self.members[name]) for name in joining}
        terms = terms or self.root / "terms.toml"
        number = open_season(self.directory, terms, keys, leaving, sizes)
        self.invite()
        return number

    def configure(self, name, **keys):
        lines = [f"{k} = {v!r}".replace("'", '"') for k, v in {"name": name, **keys}.items()]
        (self.root / name / "member.toml").write_text("\n".join(lines) + "\n")

    def handlers(self):
        return {name: open_member(place) for name, place in self.members.items()}

    def run(self, transport=None):
        operate(self.directory, transport or InProcess(self.handlers()))
        return self.record()

    def pay(self, payer, amount, purpose, **more):
        """Record a payment of so many minor units, under a reference of its own."""
        unit = MoneyUnit("0.01", "EUR")
        more = {"reference": f"transfer {len(self.entries())}"} | more
        paid = Paid(payer=payer, amount=unit.amount(amount), purpose=purpose, **more)
        return pay(self.directory, paid)

    def deposit(self):
        """Record all deposits that are missing."""
        for member, amount in sorted(self.record().purse.lacking().items()):
            self.pay(f"member/{member}", amount, "deposit")

    def state(self):
        with OperatorDirectory(self.directory) as house:
            return Session(house, InProcess({})).state

    def record(self):
        return self.state().season

    def entries(self):
        with OperatorDirectory(self.directory) as house:
            return house.ledger.entries()


@pytest.fixture
def make_house(tmp_path):
    """A function that makes a `House`."""
    return lambda name="house", **how: House(tmp_path / name, **how)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """One finished federation under each rule; not to be changed.

    ``sized`` is by the shared rule, its members have sizes and its curve another exponent than 1.
    """
    root = tmp_path_factory.mktemp("finished")
    kinds = {rule: {"rule": rule} for rule in ("rebate", "sandwich", "shared")} | {"sized": SIZED}
    houses = {name: House(root / name, members=4, **how) for name, how in kinds.items()}
    for house in houses.values():
        house.run()
    return SimpleNamespace(**houses)


@pytest.fixture(scope="session")
def two_seasons(tmp_path_factory):
    """A consortium that settled twice; birch left in between, and fir joined. Not to be changed."""
    house = House(tmp_path_factory.mktemp("seasons") / "house", members=4, rule="sandwich")
    house.run()
    house.next_season(joining=["fir"], leaving=["birch"])
    house.run()
    return house


class Wire(InProcess):
    """In process, with what a test does to messages on the way, and a log of all of them.

    ``before(member, kind, request)`` and ``after(member, kind, reply)`` return what goes on from
    there: bytes, or a `Failure`.
    """

    def __init__(self, house, before=None, after=None):
        self.members = house.handlers()
        super().__init__(self.members)
        self.before = before or (lambda member, kind, request: request)
        self.after = after or (lambda member, kind, reply: reply)
        self.log = []

    def _one(self, member, kind, request):
        request = self.before(member, kind, request)
        if isinstance(request, Failure):
            return request
        reply = self.after(member, kind, super()._one(member, kind, request))
        self.log.append((member, kind, request, reply))
        return reply


def outcome(record):
    """All that matters of a record, whenever it was written."""
    return {
        "contracts": record.contracts,
        "declined": record.declined,
        "models": [(done.start, done.model) for done in record.rounds],
        "there": [sorted(done.attested) for done in record.rounds],
        "absent": [done.absent for done in record.rounds],
        "deliveries": record.deliveries,
        "revealed": record.revealed,
        "settled": record.settled,
        "lines": record.lines,
        "balances": record.balances(),
    }


def check(house):
    """The ledger of a house verifies, also by its members' own copies, and money balances."""
    entries = house.entries()
    verdicts = verify(entries)
    for name, place in house.members.items():
        verdicts += verify_copy(entries, name, MemberFiles(place))
    # Contested are answers that the wires of tests lose on the way.
    assert [each for each in verdicts if not each.holds and not each.contested] == []
    record = house.record()
    assert sum(record.balances().values()) == 0
    return record


@pytest.fixture(scope="session")
def wired():
    """`Wire`."""
    return Wire


@pytest.fixture(scope="session")
def sound():
    """`check`."""
    return check


@pytest.fixture(scope="session")
def essence():
    """`outcome`."""
    return outcome


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server."""
    yield from postgres.running()
