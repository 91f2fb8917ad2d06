"""Both sides are backed up mid-season, restored into fresh directories, and go on to the end."""

import json
import shutil
import threading

import pytest

from fedfact.errors import InputError
from fedfact.federation.backup.back_up import back_up
from fedfact.federation.backup.restore import restore
from fedfact.federation.deploy.in_process import operate
from fedfact.federation.ledger.store import read_ledger
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.member.member import open_member
from fedfact.federation.operator.session import Paused
from fedfact.federation.wire.message import read_message
from fedfact.federation.wire.transport import Failure, InProcess

WORDS = "apple river stone"


def pause(house, wired, kind="round", number=3):
    def before(member, asked, request):
        content = read_message(request, len(request)).head.content
        due = asked == kind and content.get("round", number) == number
        return Failure("unreachable") if due else request

    with pytest.raises(Paused):
        house.run(wired(house, before))


def moved(house, root):
    """Everybody's directory through a backup, into fresh ones; then the old ones are gone."""
    root.mkdir()
    for name, place in {"operator": house.directory, **house.members}.items():
        back_up(place, root / f"{name}.backup", WORDS)
        restore(root / f"{name}.backup", root / name, WORDS)
        shutil.rmtree(place)
    house.root, house.directory = root, root / "operator"
    house.members = {name: root / name for name in house.members}
    return house


def modes(root):
    return {
        path.relative_to(root).as_posix(): path.stat().st_mode & 0o777
        for path in [*root.rglob("*")]
        if "ledger" not in path.name and path.suffix != ".bin"
    }


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("rule", "kind", "number"),
    [("rebate", "agree", None), ("rebate", "round", 3), ("sandwich", "open", None)],
)
def test_both_sides_go_on_from_a_backup_to_the_same_end(
    make_house, wired, sound, essence, tmp_path, rule, kind, number
):
    house = make_house(members=4, rule=rule, rounds=4)
    straight = make_house("straight", members=4, rule=rule, rounds=4)
    pause(house, wired, kind, number)
    entries, before = house.entries(), modes(house.directory)
    house = moved(house, tmp_path / "new")
    assert read_ledger(str(house.directory)) == entries
    assert {
        name: mode for name, mode in before.items() if mode != modes(house.directory).get(name)
    } == {}
    record = house.run()
    assert record.phase == "finished"
    assert sound(house) is not None
    mine, other = essence(record), essence(straight.run())
    for name in ("there", "absent", "deliveries"):
        assert mine[name] == other[name]


@pytest.mark.usefixtures("quick")
def test_secrets_stay_their_owners_and_nothing_is_readable(make_house, tmp_path):
    house = make_house(members=3)
    house.run()
    output = tmp_path / "operator.backup"
    done = back_up(house.directory, output, WORDS)
    assert done.entries == len(house.entries())
    data = output.read_bytes()
    assert output.stat().st_mode & 0o777 == 0o600
    for secret in (b"operator.key", b"birch", (house.directory / "operator.key").read_bytes()):
        assert secret not in data
    about = restore(output, tmp_path / "again", WORDS)
    assert (about.of, about.entries) == ("operator", done.entries)
    assert (tmp_path / "again").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "again/operator.key").stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "again/ledger.jsonl").exists()


@pytest.mark.usefixtures("quick")
def test_a_directory_that_is_there_is_not_touched(make_house, tmp_path):
    house = make_house(members=3)
    back_up(house.directory, tmp_path / "operator.backup", WORDS)
    (tmp_path / "there").mkdir()
    restore(tmp_path / "operator.backup", tmp_path / "there", WORDS)  # it is empty
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("there", "link", "operator.backup"):
        with pytest.raises(InputError, match="is there already; restore to a new directory"):
            restore(tmp_path / "operator.backup", tmp_path / name, WORDS)
    with pytest.raises(InputError, match="the passphrase is another"):
        restore(tmp_path / "operator.backup", tmp_path / "new", "another passphrase")
    assert not (tmp_path / "new").exists()
    assert [path.name for path in tmp_path.glob(".*.part")] == []


@pytest.mark.usefixtures("quick")
def test_a_backup_that_is_taken_while_the_operator_works_can_be_gone_on_from(
    make_house, tmp_path, sound
):
    house = make_house(members=4, rounds=40)
    taken, failed = [], []

    def take():
        while not (house.directory / "season-1/models/round-0.bin").exists():
            pass
        for k in range(8):
            try:
                back_up(house.directory, tmp_path / f"{k}.backup", WORDS)
                taken.append(k)
            except Exception as error:
                failed.append(error)

    thread = threading.Thread(target=take)
    thread.start()
    house.run()
    thread.join()
    assert failed == []
    ends = []
    for k in taken:
        restore(tmp_path / f"{k}.backup", tmp_path / f"again-{k}", WORDS)
        entries = read_ledger(str(tmp_path / f"again-{k}"))
        assert house.entries()[: len(entries)] == entries
        rounds = [json.loads(each.body) for each in entries if each.kind == "round"]
        ends.append(len(entries))
        if rounds and len(rounds) < 40:
            models = tmp_path / f"again-{k}/season-1/models"
            assert (models / f"round-{len(rounds)}.bin").exists()
    assert ends == sorted(ends)


@pytest.mark.usefixtures("quick")
def test_links_are_left_out_and_named_and_flares_files_are_not_taken(make_house, tmp_path):
    house = make_house(members=3)
    place = house.members["birch"]
    (place / "data").symlink_to("/")
    (place / "season-1/other").symlink_to("terms.json")
    (place / "flare").mkdir()
    (place / "flare/log").touch()
    (place / ".member.toml.x.part").touch()
    done = back_up(place, tmp_path / "birch.backup", WORDS)
    assert sorted(done.links) == ["data", "season-1/other"]
    restore(tmp_path / "birch.backup", tmp_path / "birch", WORDS)
    there = sorted(
        each.relative_to(tmp_path / "birch").as_posix() for each in (tmp_path / "birch").rglob("*")
    )
    assert there == ["keys.json", "member.key", "member.toml", "season-1", "season-1/terms.json"]


@pytest.mark.usefixtures("quick")
def test_a_ledger_elsewhere_comes_back_as_a_file(make_house, tmp_path, sound, wired):
    house = make_house(members=4, ledger=f"sqlite:///{tmp_path / 'elsewhere.db'}")
    pause(house, wired, number=2)
    back_up(house.directory, tmp_path / "operator.backup", WORDS)
    restore(tmp_path / "operator.backup", tmp_path / "operator", WORDS)
    assert not (tmp_path / "operator/ledger.url").exists()
    operate(
        tmp_path / "operator",
        InProcess({name: open_member(place) for name, place in house.members.items()}),
    )
    house.directory = tmp_path / "operator"
    assert sound(house).phase == "finished"


@pytest.mark.usefixtures("quick")
def test_what_is_no_directory_of_ours_and_a_file_inside_it_are_refused(make_house, tmp_path):
    house = make_house(members=3)
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match="is no operator's directory, nor a member's"):
        back_up(tmp_path / "other", tmp_path / "x.backup", WORDS)
    with pytest.raises(InputError, match="keep a backup somewhere else"):
        back_up(house.directory, house.directory / "x.backup", WORDS)
    with pytest.raises(InputError, match="12 or more"):
        back_up(house.directory, tmp_path / "x.backup", "short")
    assert not (tmp_path / "x.backup").exists()


@pytest.mark.usefixtures("quick")
def test_a_lost_model_is_told_before_anything_is_written(make_house, wired, tmp_path, monkeypatch):
    from fedfact.federation.backup import back_up as module

    house = make_house(members=4)
    pause(house, wired, number=2)
    monkeypatch.setattr(module, "_PAUSE", 0)
    (house.directory / "season-1/models/round-1.bin").write_bytes(b"x")
    with pytest.raises(InputError, match="lacks the model of the last round"):
        back_up(house.directory, tmp_path / "x.backup", WORDS)
    assert not (tmp_path / "x.backup").exists()


@pytest.mark.usefixtures("quick")
def test_the_commands(make_house, fedfact, tmp_path):
    house = make_house(members=3)
    secret = tmp_path / "words"
    secret.write_text(WORDS + "\n")
    how = ("--passphrase-file", secret)
    file = tmp_path / "birch.backup"
    done = fedfact("backup", house.members["birch"], "-o", file, *how, "--json")
    assert json.loads(done.out) == {
        "file": str(file),
        "files": 4,
        "entries": None,
        "links_left_out": [],
    }
    done = fedfact("restore", file, tmp_path / "birch", *how, "--json")
    assert json.loads(done.out)["of"] == "member"
    assert (
        MemberFiles(tmp_path / "birch").key.public == MemberFiles(house.members["birch"]).key.public
    )
    asked = fedfact("restore", file, tmp_path / "other")
    assert (asked.code, "give --passphrase-file" in asked.err) == (2, True)
