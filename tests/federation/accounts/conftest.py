"""Ledgers of seasons whose money comes and goes; and entries as a dishonest operator adds them."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from fedfact.federation.ledger.state import replay

from .. import dishonest as lie

LATE = "2026-12-31"


class Written:
    """A ledger's entries, to which payments are added as if the operator had entered them."""

    def __init__(self, entries, key):
        self.entries, self.key = list(entries), key

    def add(self, kind, values, season=1):
        last = self.entries[-1]
        entry = lie.with_body(replace(last, kind=kind, season=season), values)
        self.entries = lie.rewritten([*self.entries, entry], self.key)
        return len(self.entries) - 1

    def pay(self, payer, payee, amount, purpose="settlement", **more):
        accounts = [who if who == "operator" else f"member/{who}" for who in (payer, payee)]
        values = {"from": accounts[0], "to": accounts[1], "amount": amount, "purpose": purpose}
        day = self.entries[-1].time[:10]
        default = {"reference": f"r{len(self.entries)}", "date": day, "corrects": None}
        return self.add("payment", default | values | more)

    def reverse(self):
        record = replay(self.entries).season
        values = {"settlement": record.settlement, "why": "a mistake", "decision": None}
        return self.add("reversal", values)

    def settle_again(self):
        """The settlement and its lines once more, after a reversal."""
        first = [e for e in self.entries if e.kind in ("settlement", "line")]
        n = 1 + sum(e.kind == "line" for e in first) // sum(e.kind == "settlement" for e in first)
        self.entries = lie.rewritten([*self.entries, *first[:n]], self.key)

    @property
    def record(self):
        return replay(self.entries).season


@pytest.fixture
def written(finished):
    """A finished season, without deposits, whose surplus is kept."""
    house = finished.rebate
    return Written(house.entries(), lie.operator_key(house))


@pytest.fixture(scope="module")
def houses(tmp_path_factory, finished):
    """Finished seasons by whose the surplus is, with deposits."""
    from ..conftest import House

    found = {}
    for surplus in ("kept", "carried", "returned"):
        root = tmp_path_factory.mktemp("accounts") / surplus
        terms = f'deposit = 0\ndue_days = 0\nsurplus = "{surplus}"'
        house = House(root, members=4, rounds=2, payment=terms)
        with pytest.raises(Exception, match="training starts when all deposits are paid"):
            house.run()
        house.deposit()
        house.run()
        found[surplus] = house
    return SimpleNamespace(**found)
