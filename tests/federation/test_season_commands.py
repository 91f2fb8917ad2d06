"""`fedfact federation season`, `invite` and `retire`, and what other commands say of seasons."""

import json
import shutil

import pytest

from fedfact.federation.deploy.flare.kits import certificates
from fedfact.federation.deploy.flare.kits.paths import kit_path
from fedfact.federation.deploy.flare.server import running
from fedfact.federation.deploy.flare.site.joining import take_kit
from fedfact.federation.member.member import open_member
from fedfact.federation.operator.founding import open_season
from fedfact.federation.operator.run import operate
from fedfact.federation.wire.transport import InProcess

TERMS = """
name = "test"
[money]
error_scale = 20000.0
currency = "EUR"
unit = 0.01
[training]
network = "digits"
rounds = 3
[conduct]
quorum = 2
"""
MEMBERS = ("oak", "elm", "fir", "ash")


@pytest.fixture
def run(fedfact):
    """A command that must end with this exit status; its stdout, stderr, and JSON if asked for."""

    def do(*words, status=0):
        done = fedfact(*words)
        assert done.code == status, done.err
        assert "Traceback" not in done.err
        return (json.loads(done.out) if "--json" in words and not status else done.out), done.err

    return do


def request_of(run, root, name):
    (root / name).mkdir()
    own = root / name / "member.toml"
    own.write_text(f'name = "{name}"\ntrue_cost = 1.0\ndata = "digits:0/3"\n')
    return run("federation", "request", "--config", own, "--json")[0]["request"]


def init(run, root):
    requests = ",".join(f"{name}={request_of(run, root, name)}" for name in MEMBERS)
    (root / "terms.toml").write_text(TERMS)
    words = ("--members", requests, "--terms", root / "terms.toml", "--port", 28109)
    run("federation", "init", root / "new", *words)
    return root / "new"


def play(root, new, members):
    """The season that is on, its messages in memory."""
    for name in members:
        take_kit(kit_path(new, name), root / name / "member.toml")
    operate(new, InProcess({name: open_member(root / name) for name in members}))


@pytest.fixture
def house(run, tmp_path):
    """An operator's directory after its first season."""
    new = init(run, tmp_path)
    play(tmp_path, new, MEMBERS)
    return new


def test_the_life_of_a_consortium(run, tmp_path, house):
    entry, _ = run("federation", "retire", house, "elm", "--why", "it closed", "--json")
    assert (entry["retired"], entry["erased"]) == ("elm", False)
    request = request_of(run, tmp_path, "yew")
    out, _ = run(
        "federation", "invite", house, "--members", f"yew={request}",
        "--contact", "yew=Yew Clinic, it@yew.example",
    )  # fmt: skip
    assert out.startswith("yew: in season 2, whose terms you publish with fedfact federation")
    listed, _ = run("federation", "season", "list", house)
    assert "invited to the next season: yew" in listed
    assert "retired: elm, it closed" in listed
    new = ("federation", "season", "new", house, "--terms", tmp_path / "terms.toml")
    out, _ = run(*new, "--without", "fir")
    assert "Season 2 of " in out
    assert [line.split(":")[0].strip() for line in out.splitlines() if ".kit.json" in line] == [
        "ash", "oak", "yew",
    ]  # fmt: skip
    out, _ = run("federation", "status", house)
    assert out == "test, season 2: not started; invited: ash, oak, yew; season 1: finished\n"
    assert "season 2 is not settled yet" in run(*new, status=2)[1]
    play(tmp_path, house, ("ash", "oak", "yew"))
    rows = run("federation", "season", "list", house, "--json")[0]["seasons"]
    assert [(row["season"], row["phase"], row["members"]) for row in rows] == [
        (1, "finished", ["ash", "elm", "fir", "oak"]),
        (2, "finished", ["ash", "oak", "yew"]),
    ]
    assert "So far it says: season 1: finished; season 2: finished." in run("verify", house)[0]
    assert "So far" in run("verify", house, "--member", tmp_path / "oak")[0]
    assert run("federation", "status", house)[0].startswith("test, season 2: finished; not running")


def test_statements_are_of_a_season(run, tmp_path, house):
    first, _ = run("statement", house, "oak", "--json")
    run("federation", "season", "new", house, "--terms", tmp_path / "terms.toml", "--without=elm")
    assert run("statement", house, "oak", "--json")[0] == first
    play(tmp_path, house, ("ash", "fir", "oak"))
    second, _ = run("statement", house, "oak", "--json")
    assert (first["season"], second["season"]) == (1, 2)
    assert first["lines"] != second["lines"]
    assert run("statement", house, "oak", "--season", 1, "--json")[0] == first
    assert run("statement", house, "oak")[0].startswith("Season 2, test")
    assert "no member 'elm' in the settlement" in run("statement", house, "elm", status=2)[1]
    assert run("statement", house, "elm", "--season", 1)[0].startswith("Season 1, test")
    gone = run("statement", house, "oak", "--season", 3, status=2)[1]
    assert "has 2 seasons, and season 3 is none of them" in gone


def test_while_a_season_is_on_the_statement_is_of_the_last_that_is_settled(run, tmp_path, house):
    first, _ = run("statement", house, "oak", "--json")
    run("federation", "season", "new", house, "--terms", tmp_path / "terms.toml")

    def stop(kind, request):
        raise KeyboardInterrupt if kind == "enrol" else TimeoutError

    with pytest.raises(KeyboardInterrupt):
        operate(house, InProcess(dict.fromkeys(MEMBERS, stop)))
    assert run("statement", house, "oak", "--json")[0] == first
    early = run("statement", house, "oak", "--season", 2, status=2)[1]
    assert "season 2 is not settled (enrolling)" in early


def test_the_ledger_shows_the_season_of_each_entry(run, house):
    lines = run("ledger", "show", house)[0].splitlines()
    assert lines[1].split()[:2] == ["entry", "season"]
    rows = [line.split() for line in lines[3:-1]]
    assert [row[1] for row in rows if row[-3] == "season"] == ["1"]
    assert {len(row) for row in rows if row[-3] in ("consortium", "member")} == {6}
    assert {len(row) for row in rows if row[-3] == "round"} == {7}


def test_who_is_known_is_erased(run, house):
    run("federation", "invite", house, "--contact", "elm=Dr. Smith", "--contact", "oak=Dr. Jones")
    assert "Smith" in (house / "contacts.json").read_text()
    assert "Smith" not in run("ledger", "show", house, "--json")[0].__repr__()
    early = run("federation", "retire", house, "elm", "--erase", status=2)[1]
    assert "elm is not retired; only who is retired can be erased" in early
    run("federation", "retire", house, "elm", "--why", "it closed", "--erase")
    assert "Smith" not in (house / "contacts.json").read_text()
    assert "Jones" in (house / "contacts.json").read_text()
    assert "sound" in run("verify", house)[0]
    run("federation", "retire", house, "elm", "--erase")  # again: nothing more


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("invite", "HOUSE"), "say whom to invite"),
        (("invite", "HOUSE", "--members", "yew"), "'yew' does not say where"),
        (("invite", "HOUSE", "--contact", "oak"), "'oak' says no contact; write NAME=WORDS"),
        (("invite", "HOUSE", "--contact", "yew=x"), "yew: no members"),
        (("retire", "HOUSE", "elm"), "give a reason in words"),
        (("retire", "HOUSE", "yew", "--why", "x"), "has no member 'yew'"),
        (("season", "new", "HOUSE", "--terms", "none.toml"), "none.toml"),
        (("season", "new", "HOUSE", "--terms", "TERMS", "--without", "yew"), "yew took no part"),
        (("season", "new", "HOUSE", "--terms", "TERMS", "--without", "elm,oak"), "three or more"),
        (("season", "new", "HOUSE", "--terms", "OTHER"), "one consortium has one unit of money"),
        (("season", "list", "NOWHERE"), "is no federation's directory"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(run, tmp_path, house, words, said):
    other = tmp_path / "other.toml"
    other.write_text(TERMS.replace("0.01", "1.0"))
    places = {"HOUSE": house, "TERMS": tmp_path / "terms.toml", "OTHER": other}
    places["NOWHERE"] = tmp_path
    before = {path: path.read_bytes() for path in house.rglob("*") if path.is_file()}
    done = run("federation", *(places.get(word, word) for word in words), status=2)
    assert said in done[1]
    assert {path: path.read_bytes() for path in house.rglob("*") if path.is_file()} == before


def test_start_ends_with_what_to_do_next(run, house, monkeypatch):
    monkeypatch.setattr(running, "supervise", lambda *rest, **options: rest[2]())
    _, said = run("federation", "start", house)
    assert "season 1 is over; invite and retire members as you like, then publish" in said
    assert f"fedfact federation season new {house} --terms FILE" in said


def test_after_a_reversal_status_says_so(run, house):
    run("federation", "reverse", house, "--why", "a wrong count")
    out, _ = run("federation", "status", house)
    assert out.startswith("test, season 1: settlement reversed; not running")
    assert out.count("settlement reversed") == 1 + len(MEMBERS)
    assert "training" not in out


def test_ends_of_certificates_are_said_before(run, tmp_path, monkeypatch):
    monkeypatch.setattr(certificates, "VALID_DAYS", 30)
    new = init(run, tmp_path)
    join = ("federation", "join", new / "kits" / "oak.kit.json", "--check")
    _, said = run(*join, "--config", tmp_path / "oak" / "member.toml")
    assert "note: your certificate ends on " in said
    assert "in 29 days; ask the operator for a new kit" in said
    monkeypatch.setattr(running, "supervise", lambda *rest, **options: False)
    _, said = run("federation", "start", new, status=4)
    assert "note: the server's certificate ends on " in said
    assert f"renew all with fedfact federation season renew {new}, and send members" in said
    monkeypatch.setattr(certificates, "VALID_DAYS", 360)
    kits, _ = run("federation", "season", "renew", new, "--json")
    assert sorted(kits["kits"]) == sorted(MEMBERS)
    assert "certificate ends" not in run("federation", "start", new, status=4)[1]
    _, said = run(*join, "--config", tmp_path / "oak" / "member.toml")
    assert "certificate ends" not in said


def test_a_season_that_owes_something_says_so_before_it_is_past(run, tmp_path):
    new = init(run, tmp_path)
    for name in MEMBERS:
        take_kit(kit_path(new, name), tmp_path / name / "member.toml")
    handlers = {name: open_member(tmp_path / name) for name in MEMBERS}

    def deaf(kind, request):
        if kind == "statement":
            raise TimeoutError
        return handlers["elm"](kind, request)

    operate(new, InProcess({**handlers, "elm": deaf}))
    terms = ("--terms", tmp_path / "terms.toml")
    _, said = run("federation", "season", "new", new, *terms)
    assert "elm has not got its statement of season 1" in said
    assert f"fedfact statement {new} elm --season 1 prints it" in " ".join(said.split())
    assert run("statement", new, "elm", "--season", 1)[0]


def test_a_season_made_by_halves_is_made_whole(run, tmp_path, house):
    """Killed after its terms were published, and before its kits were there."""
    open_season(house, tmp_path / "terms.toml")
    shutil.rmtree(house / "kits")
    kits, _ = run("federation", "season", "renew", house, "--json")
    for kit in kits["kits"].values():
        assert json.loads((tmp_path / kit).read_bytes())["terms"]["season"] == 2


def test_every_command_has_json_and_help(run):
    for words in (
        ["season", "new"],
        ["season", "list"],
        ["season", "renew"],
        ["invite"],
        ["retire"],
    ):
        assert "--json" in run("federation", *words, "--help")[0], words
