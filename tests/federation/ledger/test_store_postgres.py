"""A ledger on a real PostgreSQL server, which is started here and stopped at the end."""

import shutil
from types import SimpleNamespace

import pytest

from fedfact.errors import LedgerError
from fedfact.federation.agreement.lines import Posting
from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import chain, verify
from fedfact.federation.ledger.store import Ledger, read_ledger
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.wire.keys import Key
from fedfact.federation.wire.transport import InProcess

from ..postgres import say, url_of

KEY = Key(bytes(range(32)))
PASSWORD = "kirsch-Baum+7"


@pytest.fixture
def url(server, request):
    """A data base of its own."""
    name = "d" + format(abs(hash(request.node.name)), "x")
    say(server, f"CREATE DATABASE {name}")
    yield url_of(server, name)
    say(server, f"DROP DATABASE {name} WITH (FORCE)")


def batch(number, size=3):
    return [(1, "posting", Posting(account="operator", amount=number))] * size


def restart(server):
    server.stop()
    server.ensure_postgres_running()


def test_a_ledger_in_postgres_is_like_one_in_a_file(url):
    with pytest.raises(LedgerError, match="there is no ledger in this data base"):
        read_ledger(url)
    ledger = Ledger.at(url, new=True)
    assert ledger.entries() == []
    added = ledger.add(KEY, batch(1)) + ledger.add(KEY, batch(2))
    assert ledger.entries() == added == read_ledger(url)
    assert ledger.entries(4) == added[4:]
    assert chain(added).startswith("6 entries")
    ledger.close()


def test_the_url_needs_no_driver(url):
    Ledger.at(url.replace("+psycopg", ""), new=True).close()
    assert read_ledger(url.replace("postgresql+psycopg", "postgresql")) == []


class Wrong:
    def encoded(self):
        raise RuntimeError("in the middle")


def test_a_batch_is_added_whole_or_not_at_all(url):
    ledger = Ledger.at(url, new=True)
    ledger.add(KEY, batch(1))
    with pytest.raises(RuntimeError, match="in the middle"):
        ledger.add(KEY, [*batch(2), (1, "posting", Wrong())])
    assert len(ledger.entries()) == 3
    ledger.close()


def test_two_writers_conflict_cleanly(url, monkeypatch):
    one, other = Ledger.at(url, new=True), Ledger.at(url)
    assert one.entries() == other.entries() == []
    one.add(KEY, batch(1))
    with pytest.raises(LedgerError, match="written to by somebody else"):
        other.add(KEY, batch(2))
    third, sign, due = Ledger.at(url), Key.sign, [True]

    def slow(key, purpose, data):
        if due:
            due.clear()
            one.add(KEY, batch(3))
        return sign(key, purpose, data)

    monkeypatch.setattr(Key, "sign", slow)  # between reading the head and writing after it
    with pytest.raises(LedgerError, match="written to by somebody else"):
        third.add(KEY, batch(4))
    assert chain(one.entries()).startswith("6 entries")
    for ledger in (one, other, third):
        ledger.close()


def test_a_lost_connection_is_made_again(server, url):
    ledger = Ledger.at(url, new=True)
    ledger.add(KEY, batch(1))
    restart(server)
    ledger.add(KEY, batch(2))
    say(
        server,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
    )
    assert chain(ledger.entries()).startswith("6 entries")
    server.stop()
    with pytest.raises(LedgerError, match="the ledger cannot be used"):
        ledger.add(KEY, batch(3))
    with pytest.raises(LedgerError, match="the ledger cannot be used"):
        read_ledger(url)
    server.ensure_postgres_running()
    ledger.add(KEY, batch(3))
    assert chain(ledger.entries()).startswith("9 entries")
    ledger.close()


def test_passwords_are_never_in_errors(server, url):
    """Demanded by the server, wrong, or of a server that is not there."""
    name = url.partition("@/")[2].partition("?")[0]
    rules = server.pgdata / "pg_hba.conf"
    before = rules.read_text()
    say(
        server,
        f"CREATE ROLE keeper LOGIN PASSWORD '{PASSWORD}'",
        f"ALTER DATABASE {name} OWNER TO keeper",
    )
    rules.write_text("local all keeper scram-sha-256\n" + before)
    say(server, "SELECT pg_reload_conf()")
    try:
        good = url_of(server, name, "keeper", PASSWORD)
        Ledger.at(good, new=True).close()
        assert read_ledger(good) == []
        elsewhere = good.replace("host=", "host=/nowhere")
        option = good + "&nonsense=1"
        for wrong in (
            good.replace("kirsch", "kirsche"),
            elsewhere,
            option,
            good.replace(name, "nil"),
        ):
            with pytest.raises(LedgerError) as refused:
                read_ledger(wrong)
            said = str(refused.value) + repr(refused.value.__cause__)
            assert "irsch" not in said
            assert "Baum" not in said
    finally:
        rules.write_text(before)
        say(server, "SELECT pg_reload_conf()")


SECRETS = ("member.key", "season-1/nonce.secret", "season-1/salt.secret")


@pytest.fixture
def twin(finished, tmp_path, url):
    """The finished sandwich federation once more with the same secrets, its ledger in Postgres."""
    house = finished.sandwich

    def made():
        place = tmp_path / "twin"
        (place / "operator" / "season-1").mkdir(parents=True)
        for secret in ("operator.key", "season-1/seed.secret"):
            shutil.copy2(house.directory / secret, place / "operator" / secret)
        for member, folder in house.members.items():
            (place / member / "season-1").mkdir(parents=True)
            for secret in SECRETS:
                shutil.copy2(folder / secret, place / member / secret)
        return type(house)(place, members=4, rule="sandwich", ledger=url)

    return SimpleNamespace(make=made, first=house)


MONEY = ("delivery", "reveal", "settlement", "line")


def money(entries):
    return [(entry.kind, entry.body) for entry in entries if entry.kind in MONEY]


def test_a_federation_on_postgres_settles_as_on_a_file(twin, url):
    house = twin.make()
    record = house.run()
    assert record.phase == "finished"
    entries = read_ledger(url)
    assert entries == house.entries() == read_ledger(str(house.directory))
    assert money(entries) == money(twin.first.entries())
    assert [entry.kind for entry in entries] == [entry.kind for entry in twin.first.entries()]
    assert record.contracts == twin.first.record().contracts
    assert [each.model for each in record.rounds] == [
        each.model for each in twin.first.record().rounds
    ]
    assert all(verdict.holds for verdict in verify(entries))
    for member, place in house.members.items():
        assert all(verdict.holds for verdict in verify_copy(entries, member, MemberFiles(place)))
    assert not (house.directory / "ledger.db").exists()
    assert (house.directory / "ledger.url").stat().st_mode & 0o777 == 0o600


class Restarting(InProcess):
    """Restarts the server before questions, or stops it while one is answered."""

    def __init__(self, members, server, stop_at):
        super().__init__(members)
        self.server, self.stop_at, self.asked = server, stop_at, []

    def ask(self, kind, requests, timeout):
        if kind not in self.asked:
            restart(self.server)
        self.asked.append(kind)
        said = super().ask(kind, requests, timeout)
        if (kind, self.asked.count(kind)) == self.stop_at:
            self.server.stop()
        return said


def test_the_server_may_go_and_come_back_between_phases(twin, server, url):
    house = twin.make()
    for stop_at in (("agree", 1), ("round", 2), ("statement", 1), None):
        transport = Restarting(house.handlers(), server, stop_at)
        if stop_at is None:
            house.run(transport)
            continue
        with pytest.raises(LedgerError, match="the ledger cannot be used"):
            house.run(transport)
        server.ensure_postgres_running()
    entries = read_ledger(url)
    assert all(verdict.holds for verdict in verify(entries))
    assert money(entries) == money(twin.first.entries())
    with OperatorDirectory(house.directory) as reopened:
        assert reopened.ledger.entries() == entries
