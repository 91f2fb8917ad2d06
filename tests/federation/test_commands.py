"""`fedfact verify`, `statement`, `ledger` and `federation`, as their users meet them."""

import errno
import json
import os
import shutil
import sqlite3
from dataclasses import dataclass

import pytest

from fedfact.cli.federation.view import Tail, paths, print_overview
from fedfact.errors import InputError
from fedfact.federation.agreement.terms import read_published
from fedfact.federation.deploy.flare.kits.kit import Address, OwnAddress, read_kit
from fedfact.federation.deploy.flare.kits.paths import ADDRESS
from fedfact.federation.deploy.flare.server import running
from fedfact.federation.ledger.state import replay
from fedfact.federation.ledger.store import read_ledger
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.operator.overview import overview
from fedfact.federation.operator.session import Paused
from fedfact.federation.wire.keys import Key
from fedfact.federation.wire.ledger_head import LedgerHead
from fedfact.federation.wire.transport import Failure

TERMS = """
name = "test"
[money]
error_scale = 20000.0
[training]
network = "digits"
rounds = 3
"""


@dataclass
class Done:
    stdout: str
    stderr: str

    @property
    def json(self):
        return json.loads(self.stdout)


@pytest.fixture
def run(fedfact):
    """A command that must end with this exit status."""

    def do(*words, status=0):
        done = fedfact(*words)
        assert done.code == status, done.err
        assert "Traceback" not in done.err
        return Done(done.out, done.err)

    return do


@pytest.fixture
def requests(run, tmp_path):
    """What three members have sent the operator, as init takes it."""
    requests_of = ("oak", "elm", "fir")
    for name in requests_of:
        (tmp_path / name).mkdir()
        own = tmp_path / name / "member.toml"
        own.write_text(f'name = "{name}"\ntrue_cost = 1.0\ndata = "digits:0/3"\n')
        made = run("federation", "request", "--config", own, "--json").json
        assert made == {"request": str(tmp_path / name / f"{name}.request.json")}
    return ", ".join(f"{name}={tmp_path / name / name}.request.json" for name in requests_of)


@pytest.fixture
def place(finished, tmp_path):
    """A copy of a finished federation, to be changed."""
    shutil.copytree(finished.rebate.root, tmp_path / "house")
    return tmp_path / "house"


def test_verify_says_what_holds(run, place):
    out = run("verify", place / "operator").stdout
    assert out.count("✓") == 16
    assert out.endswith("The ledger is sound. So far it says: finished.\n")
    own = run("verify", place / "operator", "--member", place / "birch", "--json").json
    assert own["sound"] is True
    assert own["first_bad_entry"] is None
    assert {"own heads", "own contract", "own nonce"} <= {each["name"] for each in own["checks"]}


def test_a_changed_ledger_is_found_and_the_entry_named(run, place):
    with sqlite3.connect(place / "operator" / "ledger.db") as data:
        data.execute("update fedfact_ledger set body = replace(body, '1', '2') where number = 7")
    data.close()
    done = run("verify", place / "operator", status=3)
    assert "✗ chain" in done.stdout
    assert "The ledger is NOT sound. The first bad entry is 7." in done.stdout
    assert run("verify", place / "operator", "--json", status=3).json["first_bad_entry"] == 7


def set_row(place, number, **columns):
    """Write to a row of the ledger what its columns are to hold; bytes as text."""
    with sqlite3.connect(place / "operator" / "ledger.db") as data:
        for column, value in columns.items():
            text = "CAST(? AS TEXT)" if isinstance(value, bytes) else "?"
            command = f"update fedfact_ledger set {column} = {text} where number = ?"
            data.execute(command, (value, number))
    data.close()


def test_an_entry_that_cannot_be_read_is_found_and_named(run, place, tmp_path):
    export = tmp_path / "ledger.jsonl"
    run("ledger", "export", place / "operator", "-o", export)
    set_row(place, 7, body=b"{\xff}")
    lines = export.read_bytes().split(b"\n")
    export.write_bytes(b"\n".join([*lines[:7], lines[7][:-1], *lines[8:]]))
    for where in (place / "operator", export):
        done = run("verify", where, status=3)
        assert "✗ entries" in done.stdout
        assert "The ledger is NOT sound. The first bad entry is 7." in done.stdout
        assert run("verify", where, "--json", status=3).json["first_bad_entry"] == 7
        own = run("verify", where, "--member", place / "birch", "--json", status=3).json
        assert own["first_bad_entry"] <= 7
        assert "restore the ledger" in run("ledger", "show", where, status=2).stderr
    export.write_bytes(b"{}\n")
    found = run("verify", export, "--json", status=3).json
    assert (found["first_bad_entry"], found["phase"]) == (0, None)
    run("verify", export, "--member", place / "birch", status=3)


def test_an_unfinished_ledger_says_how_far_it_goes(run, place, tmp_path):
    export = tmp_path / "ledger.jsonl"
    run("ledger", "export", place / "operator", "-o", export)
    export.write_bytes(b"".join(export.read_bytes().splitlines(keepends=True)[:18]))
    assert run("verify", export).stdout.endswith(
        "The ledger is sound. So far it says: training, 3 of 3 rounds.\n"
    )
    assert run("verify", export, "--json").json["phase"] == "training, 3 of 3 rounds"


def test_an_answer_that_is_not_there_is_contested(run, place, tmp_path):
    export = tmp_path / "ledger.jsonl"
    run("ledger", "export", place / "operator", "-o", export)
    lines = export.read_bytes().splitlines(keepends=True)
    end = next(k for k, line in enumerate(lines) if b'"acknowledged"' in line)
    export.write_bytes(b"".join(lines[:end]))
    seen = place / "birch" / "heads.jsonl"  # of what came after it was shown no head
    heads = seen.read_bytes().splitlines(keepends=True)
    seen.write_bytes(b"".join(each for each in heads if json.loads(each)["number"] < end))
    (place / "birch" / "member.toml").unlink()  # an auditor does not get it
    done = run("verify", export, "--member", place / "birch", status=5)
    assert "? own answers" in done.stdout
    assert "What ? marks, the member contests" in done.stdout
    found = run("verify", export, "--member", place / "birch", "--json", status=5).json
    assert (found["sound"], found["contested"]) == (True, True)


def test_an_unknown_kind_of_entry_is_refused_and_named(run, place):
    set_row(place, 3, kind="__init__")
    refused = run("ledger", "show", place / "operator", "--json", status=2).stderr
    assert "entry 3 (__init__): unknown kind of entry '__init__'" in refused


def test_what_a_ledger_says_cannot_steer_a_terminal(run, place):
    nasty = "\x1b]0;x\x07\x1b[2J\n\x9b31m\u202e"
    set_row(place, 3, kind=nasty, time=nasty, hash=nasty)
    set_row(place, 2, body=f'{{"{nasty}":1}}'.replace("\n", "\\n"))
    for words in (["ledger", "show"], ["verify"], ["statement"], ["ledger", "show", "--json"]):
        command = words[0] if words[0] != "ledger" else "ledger show"
        status = {"verify": 3, "statement": 3}.get(command, 2 if "--json" in words else 0)
        more = ["birch"] if words == ["statement"] else []
        done = run(*command.split(), place / "operator", *more, *words[2:], status=status)
        for text in (done.stdout, done.stderr):
            assert text.replace("\n", "").isprintable()
    assert len(run("ledger", "show", place / "operator").stdout.split("\n")) == 5 + 37


def test_there_are_no_statements_of_a_ledger_that_does_not_hold(run, place):
    set_row(place, 7, signature="00" * 64)
    for more in ([], ["--json"]):
        done = run("statement", place / "operator", "birch", *more, status=3)
        assert done.stdout == ""
        assert "is not sound, so there are no statements (signatures: entry 7" in done.stderr


def test_a_ledger_travels_as_an_export(run, place, tmp_path):
    run("ledger", "export", place / "operator", "-o", tmp_path / "ledger.jsonl")
    assert (tmp_path / "ledger.jsonl").stat().st_mode & 0o777 == 0o600
    assert "sound" in run("verify", tmp_path / "ledger.jsonl").stdout
    assert run("ledger", "export", place / "operator", "-o", tmp_path / "l.txt", status=2)
    shown = run("ledger", "show", tmp_path / "ledger.jsonl", "--json").json
    assert [entry["number"] for entry in shown] == list(range(len(shown)))
    assert shown[0]["body"]["name"] == "test"
    listed = run("ledger", "show", place / "operator", "--from", "25").stdout
    assert "settlement" not in listed.split("\n")[1]
    assert "reveal" not in listed


def test_a_statement_is_of_one_member(run, place):
    out = run("statement", place / "operator", "birch").stdout
    assert "Statement for birch" in out
    assert out.endswith(
        "Promised 141 samples, delivered 141 by your own signed count, in 3 of the 3 rounds you "
        "were asked for; billed 141.\n"
    )
    assert "alder" not in out
    said = run("statement", place / "operator", "birch", "--json").json
    assert said["member"] == "birch"
    refused = run("statement", place / "operator", "nobody", status=2)
    assert "there is no member 'nobody'" in refused.stderr


@pytest.mark.parametrize("command", ["verify", "statement", "ledger show"])
def test_what_is_no_ledger_is_refused_in_words(run, tmp_path, command):
    (tmp_path / "some.db").write_text("no data base")
    more = ["birch"] if command == "statement" else []
    for name in ("nothing", "some.db"):
        done = run(*command.split(), tmp_path / name, *more, status=2)
        assert done.stderr.startswith("error: ")
        assert "Traceback" not in done.stderr


def test_the_way_of_an_operator(run, tmp_path, requests):
    (tmp_path / "terms.toml").write_text(TERMS)
    new, terms = tmp_path / "new", ("--terms", tmp_path / "terms.toml")
    init = ("federation", "init", new, "--members", requests)
    said = run(*init, *terms, "--port", 28101, "--json").json
    assert list(said["kits"]) == ["oak", "elm", "fir"]
    for member, kit in said["kits"].items():
        assert kit == str(new / "kits" / f"{member}.kit.json")
        assert "PRIVATE KEY" not in (new / "kits" / f"{member}.kit.json").read_text()
    again = run(*init, status=2)
    assert "holds a federation already; name another directory" in again.stderr
    assert run("federation", "status", new).stdout == "test: not started; invited: elm, fir, oak\n"
    early = run("federation", "status", new, "--json").json
    assert (early["phase"], early["invited"]) == ("not started", ["elm", "fir", "oak"])
    assert not (new / "ledger.db").exists()
    assert "run fedfact federation start" in run("federation", "resume", new, status=2).stderr
    assert "federation init" in run("federation", "resume", tmp_path, status=2).stderr
    assert "nothing runs there" in run("federation", "stop", new, status=2).stderr


def test_an_init_that_was_killed_goes_on(run, tmp_path, requests):
    new = tmp_path / "new"
    init = ("federation", "init", new, "--port", 28103, "--members")
    run(*init, requests)
    key, kits = (new / "operator.key").read_text(), new / "kits"
    sent = (kits / "oak.kit.json").read_bytes()
    (kits / "elm.kit.json").unlink()
    other = requests.replace("fir=", "ash=")
    assert "is of 'fir', not of ash" in run(*init, other, status=2).stderr
    moved = run("federation", "init", new, "--members", requests, "--port", 1, status=2)
    assert "the kits there are for localhost:28103" in moved.stderr
    run(*init, requests)
    assert (new / "operator.key").read_text() == key
    assert (kits / "oak.kit.json").read_bytes() == sent
    terms = [read_kit(kits / f"{name}.kit.json").terms for name in ("oak", "elm", "fir")]
    assert terms == [read_published(new / "season-1/terms.json")] * 3


def test_members_sizes_are_taken_or_refused_in_words(run, tmp_path, requests):
    (tmp_path / "terms.toml").write_text(TERMS)
    init = ("federation", "init", tmp_path / "new", "--terms", tmp_path / "terms.toml")
    init = (*init, "--port", 28105, "--members", requests, "--sizes")
    assert (
        "'elm' says no member's size; write NAME=SIZE" in run(*init, "oak=3,elm", status=2).stderr
    )
    assert "'oak=x' says no member's" in run(*init, "oak=x", status=2).stderr
    assert "'oak' has two sizes" in run(*init, "oak=3,oak=4", status=2).stderr
    assert "every member or for none; look at fir" in run(*init, "oak=3,elm=1", status=2).stderr
    assert not (tmp_path / "new").exists()
    run(*init, "oak=3, elm=1, fir=2")
    members = json.loads((tmp_path / "new" / "season-1/invited.json").read_text())
    assert members == {"format": 1, "members": {"oak": 3, "elm": 1, "fir": 2}}
    (tmp_path / "other.toml").write_text(TERMS.replace("[money]", '[money]\nrule = "sandwich"'))
    other = ("federation", "init", tmp_path / "other", "--terms", tmp_path / "other.toml")
    refused = run(*other, "--members", requests, "--sizes", "oak=3,elm=1,fir=2", status=2)
    assert "the sandwich rule knows no sizes" in refused.stderr


def test_money_is_shown_in_its_currency(run, finished, capsys):
    """Also where a member is paid instead of paying a fee."""
    operator = finished.shared.directory
    state = replay(read_ledger(str(operator)))
    record = state.season
    line = record.lines["cedar"]
    out = run("statement", operator, "cedar").stdout
    assert f"-{-line.fee / 100:.2f} EUR  paid to you\n" in out
    assert f"{line.net / 100:.2f} EUR  to you\n" in out
    print_overview(overview(state), running=False)
    status = capsys.readouterr().out
    assert "net, EUR" in status
    assert f"{line.net / 100:.2f}" in status
    assert "rule shared, amounts in EUR" in status
    assert f"surplus {record.settled.surplus / 100:.2f} EUR" in run("verify", operator).stdout


def test_a_surplus_of_charges_is_told_apart(finished, capsys):
    said = overview(replay(read_ledger(str(finished.shared.directory))))
    assert said["charges"] == 0
    for charges in (0, 250):
        print_overview(said | {"surplus": 300, "charges": charges}, running=False)
        status = " ".join(capsys.readouterr().out.split())
        assert "surplus 3.00 EUR" in status
        assert "The surplus is the operator's" in status
        assert ("(2.50 EUR of it charges)" in status) is (charges > 0)
        assert ("Charges are given back to nobody" in status) is (charges > 0)


def test_who_will_not_be_admitted_is_told_before_it_joins(run, tmp_path, requests):
    terms = TERMS.replace("[money]", "[money]\nminimum_samples = 150")
    (tmp_path / "terms.toml").write_text(terms)
    init = ("federation", "init", tmp_path / "new", "--members", requests, "--port", 28106)
    run(*init, "--terms", tmp_path / "terms.toml")
    kit, own = tmp_path / "new" / "kits" / "oak.kit.json", tmp_path / "oak" / "member.toml"
    done = run("federation", "join", kit, "--config", own, "--check")
    assert (
        "you will not be admitted: its reported cost asks for 141 samples, and the terms admit "
        "members with 150 or more"
    ) in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("ledger", "said"),
    [
        ("foo", "write sqlite:///PATH or postgresql://"),
        ("sqlite:////no/such/place/ledger.db", "the ledger cannot be used"),
    ],
)
def test_a_ledger_that_cannot_be_is_refused_at_once(run, tmp_path, requests, ledger, said):
    new = tmp_path / "new"
    init = ("federation", "init", new, "--members", requests, "--ledger", ledger)
    assert said in run(*init, status=2).stderr
    assert not new.exists()


def test_a_ledger_serves_one_federation(run, tmp_path, requests, place):
    url = f"sqlite:///{place / 'operator' / 'ledger.db'}"
    init = ("federation", "init", tmp_path / "new", "--members", requests, "--ledger", url)
    assert "holds the ledger of a federation" in run(*init, status=2).stderr


def test_a_reader_is_not_told_to_resume(run, place):
    said = run("verify", place / "terms.toml", status=2).stderr
    assert "name an operator's directory" in said
    assert "resume" not in said


def test_the_way_of_a_member(run, tmp_path, requests):
    (tmp_path / "terms.toml").write_text(TERMS)
    run(
        "federation", "init", tmp_path / "new", "--members", requests, "--terms",
        tmp_path / "terms.toml", "--port", 28102,
    )  # fmt: skip
    kit, own = tmp_path / "new" / "kits" / "oak.kit.json", tmp_path / "oak" / "member.toml"
    own.parent.chmod(0o755)
    join = ("federation", "join", kit, "--config", own, "--check")
    out = run(*join).stdout
    assert own.parent.stat().st_mode & 0o777 == 0o700
    assert "You report 1 a sample and would use up to 141 of 479 samples" in out
    assert "The server is localhost:28102." in out
    assert not (tmp_path / "oak" / "flare").exists()
    assert run(*join, "--json").json["samples"] == 141
    own.write_text('name = "elm"\ntrue_cost = 1.0\ndata = "digits:0/3"\n')
    assert "is of oak, and member.toml says name = 'elm'" in run(*join, status=2).stderr
    own.write_text('name = "oak"\ntrue_costs = 1.0\ndata = "digits:0/3"\n')
    assert "did you mean true_cost?" in run(*join, status=2).stderr
    own.write_text('name = "oak"\ntrue_cost = 1.0\ndata = "missing.npz"\n')
    assert "missing.npz: there is no such file" in run(*join, status=2).stderr
    (tmp_path / "oak" / "member.toml").write_text('name = "oak"\ntrue_cost = 1.0\ndata = "x:0"\n')
    assert run("federation", "leave", "--config", own, "--json").json == {"leaves": "oak"}
    assert (tmp_path / "oak" / "season-1/leave").exists()


def test_a_kit_is_for_who_made_the_request(run, new, tmp_path):
    own, kits = tmp_path / "oak" / "member.toml", new / "kits"
    join = ("federation", "join", "--config", own, "--check")
    (tmp_path / "oak" / "tls.key").rename(tmp_path / "tls.key")
    gone = run(*join, kits / "oak.kit.json", status=2).stderr
    assert f"{tmp_path / 'oak' / 'tls.key'}: is not there; restore it, or send the" in gone
    run("federation", "request", "--config", own)
    assert "is for another key" in run(*join, kits / "oak.kit.json", status=2).stderr
    assert "is of elm, and" in run(*join, kits / "elm.kit.json", status=2).stderr
    assert "is a directory; name the kit" in run(*join, kits, status=2).stderr
    assert not (tmp_path / "oak" / "season-1/terms.json").exists()


def test_a_settlement_is_reversed(run, place, finished):
    number = run("federation", "reverse", place / "operator", "--why", "a test", "--json").json
    assert number == {"reversed": finished.rebate.record().settlement}
    assert "sound" in run("verify", place / "operator").stdout
    assert "no settlement stands" in run("verify", place / "operator").stdout
    done = run("statement", place / "operator", "birch", status=2)
    assert "is not settled (settlement reversed)" in done.stderr
    twice = run("federation", "reverse", place / "operator", "--why", "again", status=2)
    assert "there is no settlement to reverse" in twice.stderr


@pytest.fixture
def new(run, tmp_path, requests):
    """An operator's directory, made but not started."""
    run("federation", "init", tmp_path / "new", "--members", requests, "--port", 28104)
    return tmp_path / "new"


def test_a_federation_that_was_stopped_has_an_exit_code_of_its_own(run, new, monkeypatch):
    monkeypatch.setattr(running, "supervise", lambda *rest, **options: False)
    done = run("federation", "start", new, status=4)
    assert f"stopped before the end; go on with fedfact federation resume {new}" in done.stderr
    stopped = {"stopped": True, "unfinished": "stopped before the end"}
    assert run("federation", "resume", new, "--json", status=4).json == stopped
    monkeypatch.setattr(running, "supervise", lambda *rest, **options: True)
    over = {"stopped": False, "unfinished": None}
    assert run("federation", "resume", new, "--json").json == over


def test_a_paused_federation_has_the_exit_code_of_one_that_can_go_on(run, new, monkeypatch):
    def pause(*rest, **options):
        raise Paused("2 members take part and 3 are needed; start again when more are there")

    monkeypatch.setattr(running, "supervise", pause)
    done = run("federation", "start", new, status=4)
    assert "2 members take part and 3 are needed" in done.stderr
    assert f"go on with fedfact federation resume {new}" in done.stderr
    assert run("federation", "resume", new, "--json", status=4).json["stopped"] is True


def test_members_that_never_came_for_their_statements_are_named(run, place, monkeypatch):
    """Settled is not finished: the exit code says so until everybody has what it is owed."""
    place, said = place / "operator", read_ledger(place / "operator")
    last = max(entry.number for entry in said if entry.kind == "acknowledged")
    with sqlite3.connect(place / "ledger.db") as data:
        data.execute("delete from fedfact_ledger where number >= ?", (last,))
    data.close()
    own = OwnAddress(format=1, server=Address(host="localhost", port=28104))
    (place / ADDRESS).write_bytes(own.encoded())
    monkeypatch.setattr(running, "supervise", lambda *rest, **options: rest[2]())
    said = running.run_operator(place, lambda *how: None, 0)
    unsigned = [
        f"{name} has not signed the head of the ledger" for name in ("alder", "birch", "cedar")
    ]
    assert said.unfinished == ", ".join(["settled, but elm has not got its statement", *unsigned])
    assert said.overview["owed"] == {"elm": "statement"}
    assert said.overview["phase"] == "settled, 1 statements to hand out"


def test_a_demo_that_was_stopped_says_so(run, tmp_path, monkeypatch):
    started = []

    class Site:
        def __init__(self, kit, directory):
            started.append(self)

        def stop(self):
            started.remove(self)

    monkeypatch.setattr(running, "supervise", lambda *rest, **options: False)
    monkeypatch.setattr("fedfact.federation.deploy.flare.demo.start_site", Site)
    place = tmp_path / "demo"
    done = run("federation", "demo", "--directory", place, status=4)
    assert f"go on with fedfact federation demo --directory {place}" in done.stderr
    assert done.stdout == ""
    again = run("federation", "demo", "--directory", place, "--json", status=4).json
    assert again == {
        "overview": None, "stopped": True, "unfinished": "stopped before the end",
    }  # fmt: skip
    assert started == []
    assert (place / "alder").stat().st_mode & 0o777 == 0o700


def test_what_finish_wants_is_for_one_start(run, new, place, monkeypatch):
    monkeypatch.setattr(running, "supervise", lambda *rest, **options: False)
    early = run("federation", "start", new, "--finish", status=2).stderr
    assert "no round was trained yet, so there is nothing to settle; go on without" in early
    assert not (new / "season-1/finish").exists()
    (new / "season-1/finish").touch()  # as a command left it that was stopped
    run("federation", "start", new, status=4)
    assert not (new / "season-1/finish").exists()
    trained = replay(read_ledger(str(place / "operator"))[:18]).season
    running.set_finish(new / "season-1", trained, wanted=True)
    assert (new / "season-1/finish").exists()
    monkeypatch.setattr(running, "read_status", lambda directory: (None, None))
    run("federation", "resume", new, status=4)  # one that runs there already is left alone
    assert (new / "season-1/finish").exists()


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ("oak=x,elm=x", "name three or more"),
        ("oak=x,oak=x,elm=x", "'oak' is named twice"),
        ("oak=x,Oak=x,elm=x", "'oak' is named twice"),
        ("oak=x,elm=x,../Fir=x", "'../Fir' cannot name a member; take letters, digits, hyphens"),
        ("operator=x,elm=x,fir=x", "a member cannot be called operator"),
        ("server=x,elm=x,fir=x", "a member cannot be called 'server'"),
        ("oak,elm=x,fir=x", "'oak' does not say where the member's request is; write NAME="),
        ("oak=x,elm=x,fir=x", "x: cannot be read (no such file or directory); give the request"),
    ],
)
@pytest.mark.parametrize("there", [False, True])
def test_members_that_cannot_be(run, tmp_path, members, said, there):
    if there:
        (tmp_path / "new").mkdir()
    done = run("federation", "init", tmp_path / "new", "--members", members, status=2)
    assert said in done.stderr
    assert (tmp_path / "new").exists() == there
    assert not [*tmp_path.glob("new/*")]


@pytest.mark.parametrize("host", ["no host", "-x", "a/../b", "x" * 64, "a..b", "ü"])
def test_hosts_that_cannot_be(run, tmp_path, requests, host):
    init = ("federation", "init", tmp_path / "new", "--members", requests, f"--host={host}")
    assert f"{host!r} is no host name; give the one" in run(*init, status=2).stderr
    assert not (tmp_path / "new").exists()


def test_two_members_have_two_keys(run, tmp_path, requests):
    shutil.copy(tmp_path / "oak" / "tls.key", tmp_path / "elm" / "tls.key")
    run("federation", "request", "--config", tmp_path / "elm" / "member.toml")
    done = run("federation", "init", tmp_path / "new", "--members", requests, status=2)
    assert "elm.request.json: has a key of oak; each member makes keys of its own" in done.stderr


def test_terms_that_cannot_be_leave_nothing_behind(run, tmp_path):
    for wrong, said in (
        ("[money]\nerror_scale = -1.0\n", "error_scale"),
        ("[money]\nerror_scale = 1.0\nalpha = 1.0\n", "alpha has no place in a federation's terms"),
        ("[money]\nloss_value = 2.0\n", "do not settle by measured losses"),
        ("[money]\nerror_scal = 1.0\n", "did you mean error_scale?"),
        ("[training]\nnetwork = 'digit'\n", "digits"),
    ):
        (tmp_path / "terms.toml").write_text(wrong)
        done = run(
            "federation", "init", tmp_path / "new", "--members", "a=a,b=b,c=c",
            "--terms", tmp_path / "terms.toml", status=2,
        )  # fmt: skip
        assert said in done.stderr
        assert not (tmp_path / "new").exists()


def test_a_void_federation_says_so(make_house, wired, capsys):
    house = make_house()

    def before(member, kind, request):
        return Failure("timeout") if (member, kind) == ("alder", "round") else request

    house.run(wired(house, before))
    said = overview(house.state())
    assert said["void"]
    assert said["members"]["birch"]["state"] == "void"
    assert "statement" not in paths(house.directory, said)
    print_overview(said, running=False)
    assert f"void: {said['void']}" in capsys.readouterr().out


def test_the_tail_of_a_log_is_what_is_new_and_whole(tmp_path):
    log = tmp_path / "member.log"
    log.write_text("old\n")
    tail = Tail(log)
    assert tail.lines() == []
    with log.open("a") as file:
        file.write("new \x1b[31m\nhal")
        file.flush()
        assert tail.lines() == ["new  [31m"]
        file.write("f\n")
    assert tail.lines() == ["half"]
    assert Tail(tmp_path / "none").lines() == []


def test_a_head_that_was_cut_short_is_cut_off(tmp_path, monkeypatch):
    files, path = MemberFiles(tmp_path), tmp_path / "heads.jsonl"
    key = Key(b"\1" * 32)
    heads = [LedgerHead.signed(key, "0" * 64, k, f"{k}" * 64, "0" * 64) for k in range(3)]
    files.see_head(heads[0])

    def full(handle):
        os.truncate(path, path.stat().st_size - 9)
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(InputError, match="no space left"):
            files.see_head(heads[1])
    files.see_head(heads[2])
    assert MemberFiles(tmp_path).heads() == [heads[0], heads[2]]


def test_every_command_has_json_and_help(run):
    for words in (
        ["verify"], ["statement"], ["ledger", "show"], ["ledger", "export"],
        *(["federation", name] for name in (
            "request", "init", "join", "start", "resume", "status", "stop", "leave", "reverse",
            "demo")),
    ):  # fmt: skip
        assert "--json" in run(*words, "--help").stdout, words
