"""`fedfact accounts`, as an operator and its accountant meet it."""

import csv
import json
import shutil
import stat

import pytest

from fedfact.federation.operator.session import Paused

DEPOSITS = 'deposit = 0\ndue_days = 0\nsurplus = "returned"'


@pytest.fixture
def run(fedfact):
    def do(*words, status=0):
        done = fedfact("accounts", *words)
        assert done.code == status, done.err
        assert "Traceback" not in done.err
        return done

    return do


@pytest.fixture
def directory(finished, tmp_path):
    """A copy of a finished season, to which payments can be added."""
    shutil.copytree(finished.rebate.directory, tmp_path / "operator")
    return tmp_path / "operator"


@pytest.fixture
def lines(finished):
    return finished.rebate.record().lines


def euros(minor):
    return f"{minor / 100:,.2f}"


def paying(directory, member, amount, purpose="settlement", reference="4711"):
    words = ("--from", f"member/{member}", "--amount", euros(amount), "--purpose", purpose)
    return ("pay", directory, *words, "--reference", reference)


def test_a_payment_is_entered_and_shown(run, directory, lines):
    owed = -lines["alder"].net
    done = run(*paying(directory, "alder", owed))
    says = f"note: entered {euros(owed)} EUR from member/alder to operator (settlement, season 1)"
    assert says in done.err
    shown = run("balance", directory).out
    assert f"at the bank {euros(owed)} EUR; deposits held 0.00 EUR" in shown
    assert shown.startswith("test on ")
    assert "debits are above 0, credits below" in shown
    told = run("statement", directory, "alder").out
    assert told.startswith("Statement of account for alder, on ")
    row = next(line.split() for line in told.splitlines() if "settlement from" in line)
    assert row[-5:] == ["settlement", "from", "alder:", "4711", euros(owed)]
    assert "Season 1: paid." in told


def test_what_is_due_is_said_to_the_cent(run, directory, lines):
    told = run("statement", directory, "alder").out
    assert f"Season 1: due; you owe {euros(-lines['alder'].net)} EUR, due on " in told
    late = run("statement", directory, "alder", "--on", "2999-01-01").out
    assert "Season 1: short; you owe" in late
    claim = next(name for name, line in lines.items() if line.net > 0)
    told = run("statement", directory, claim).out
    assert f"you get {euros(lines[claim].net)} EUR by " in told
    assert "of which 0.00 EUR can be paid now of what was collected." in told


def test_documents(run, directory, lines):
    owed = -lines["alder"].net
    entered = json.loads(run(*paying(directory, "alder", owed), "--json").out)
    number = entered["entry"]
    assert entered == {
        "unit": "0.01",
        "currency": "EUR",
        "entry": number,
        "season": 1,
        "from": "member/alder",
        "to": "operator",
        "amount": owed,
        "purpose": "settlement",
        "reference": "4711",
        "date": entered["date"],
        "corrects": None,
    }
    said = json.loads(run("balance", directory, "--json").out)
    assert (said["consortium"], said["unit"], said["currency"]) == ("test", "0.01", "EUR")
    assert said["accounts"]["operator/bank"] == owed
    assert sum(said["accounts"].values()) == 0
    (mine,) = (each for each in said["dues"] if each["member"] == "alder")
    assert (mine["season"], mine["net"], mine["state"], mine["owes"]) == (1, -owed, "paid", 0)
    journal = json.loads(run("journal", directory, "--json").out)["transactions"]
    assert journal[-1]["entry"] == number
    assert journal[-1]["moves"] == [
        {"account": "operator/bank", "amount": owed},
        {"account": "member/alder/receivable", "amount": -owed},
    ]
    assert json.loads(run("journal", directory, "--season", 2, "--json").out)["transactions"] == []
    own = json.loads(run("statement", directory, "alder", "--json").out)
    assert own["member"] == "alder"
    assert [each["entry"] for each in own["transactions"]] == [
        each["entry"] for each in journal if "alder" in each["narration"]
    ]
    assert {each["member"] for each in own["dues"]} == {"alder"}


def test_a_statement_names_no_other_member(run, directory, lines):
    run(*paying(directory, "alder", -lines["alder"].net))
    for words in ((), ("--json",)):
        told = run("statement", directory, "alder", *words).out
        assert "alder" in told
        assert not any(other in told for other in lines if other != "alder")


def test_the_journal_lists_every_move(run, directory, lines):
    assert "There are no transactions." in run("journal", directory, "--season", 2).out
    shown = run("journal", directory).out
    for name, line in lines.items():
        assert f"settlement of {name}" in shown
        assert f"member/{name}/fees" in shown
        assert euros(-line.fee) in shown


def test_a_mistake_is_corrected_by_naming_its_entry(run, directory, lines):
    owed = -lines["alder"].net
    number = json.loads(run(*paying(directory, "alder", owed), "--json").out)["entry"]
    undone = json.loads(run("pay", directory, "--corrects", number, "--json").out)
    assert (undone["from"], undone["to"]) == ("operator", "member/alder")
    assert (undone["amount"], undone["corrects"]) == (owed, number)
    assert "at the bank 0.00 EUR" in run("balance", directory).out
    says = "--corrects says it all: the same amount back, of the same season; leave out the other"
    assert says in run("pay", directory, "--corrects", number, "--amount", "1", status=2).err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "say who paid how much what for: --from, --amount, --purpose and --reference"),
        (("--from", "member/alder", "--amount", "1", "--purpose", "deposit"), "say who paid"),
        (
            ("--from", "member/oak", "--amount", "1", "--purpose", "deposit", "--reference", "r"),
            "not entered: a payment of oak, who has no contract",
        ),
        (
            ("--from", "member/elm", "--amount", ".5", "--purpose", "deposit", "--reference", "r"),
            "'.5' is no amount; write digits and a point",
        ),
    ],
)
def test_what_is_not_entered(run, directory, words, says):
    assert says in run("pay", directory, *words, status=2).err
    assert "at the bank 0.00 EUR" in run("balance", directory).out


def test_who_is_not_there_has_no_statement(run, directory):
    refused = run("statement", directory, "oak", status=2).err
    assert "there is no member 'oak' in this consortium" in refused
    refused = run("balance", directory, "--on", "tomorrow", status=2).err
    assert "is no date; write it as in 2026-07-01" in refused


def test_exports_and_what_they_are_read_from(run, directory, lines, fedfact, tmp_path):
    """The same from a directory, a ledger and an export; a file is its owner's alone."""
    assert fedfact("ledger", "export", directory, "-o", tmp_path / "all.jsonl").code == 0
    contents = set()
    for k, where in enumerate((directory, directory / "ledger.db", tmp_path / "all.jsonl")):
        out = tmp_path / f"{k}.csv"
        done = run("export", where, "--to", "csv", "-o", out)
        assert f"wrote {out}: 5 transactions" in done.err
        assert stat.S_IMODE(out.stat().st_mode) == 0o600
        contents.add(out.read_bytes())
    (content,) = contents
    rows = list(csv.DictReader(content.decode().splitlines()))
    fees = {row["account"]: row["amount"] for row in rows if row["account"].endswith("/fees")}
    assert fees == {f"member/{n}/fees": f"{-line.fee / 100:.2f}" for n, line in lines.items()}
    out = tmp_path / "a.beancount"
    said = json.loads(run("export", directory, "--to", "beancount", "-o", out, "--json").out)
    assert said == {"output": str(out), "transactions": 5}
    assert out.read_text().startswith('option "title" "test"')
    refused = run("export", directory, "--to", "csv", "-o", out, status=2).err
    assert "end the name in .csv" in refused


def test_an_empty_ledger_has_no_accounts(run, make_house):
    assert "there is no ledger" in run("balance", make_house().directory, status=2).err


def test_a_season_with_deposits_from_the_first_to_the_last_cent(run, make_house):
    """Deposits, settlement, a surplus returned, refunds: in the end only its rest is left."""
    house = make_house(members=4, rounds=2, payment=DEPOSITS)
    with pytest.raises(Paused):
        house.run()
    shown = run("balance", house.directory).out
    for member, lacks in house.record().purse.lacking().items():
        assert f"deposit lacks {euros(lacks)}" in shown
        told = run("statement", house.directory, member).out
        assert f"your deposit lacks {euros(lacks)} EUR." in told
        run(*paying(house.directory, member, lacks, "deposit", f"deposit of {member}"))
    house.run()
    nets = {name: line.net for name, line in house.record().lines.items()}
    share = house.record().settled.surplus // 4

    def give(member, amount, purpose):
        words = ("--from", "operator", "--to", f"member/{member}", "--amount", euros(amount))
        reference = f"{purpose} {member}"
        run("pay", house.directory, *words, "--purpose", purpose, "--reference", reference)

    for member in sorted(nets, key=nets.get):
        if nets[member] < 0:
            run(*paying(house.directory, member, -nets[member], reference=f"debt of {member}"))
        else:
            give(member, nets[member], "settlement")
    told = run("statement", house.directory, "elm").out
    assert f"; {euros(share)} EUR of the surplus can be returned to you." in told
    for member in nets:
        give(member, share, "surplus")
        give(member, house.record().purse.positions[member].held, "refund")
    rest = house.record().settled.surplus - 4 * share
    said = run("balance", house.directory).out
    assert f"at the bank {euros(rest)} EUR; deposits held 0.00 EUR; surplus {euros(rest)}" in said
    assert "Still open" not in said
