"""The verifier in examples/, written from docs/ledger-format.md alone, agrees with ours."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from fedfact.federation.audit.verify import is_sound, verify
from fedfact.federation.ledger.export import export
from fedfact.federation.member.own_keys import make_new_key
from fedfact.federation.operator.entered.keys import accept
from fedfact.federation.operator.founding import open_season
from fedfact.federation.wire.message import read_message
from fedfact.federation.wire.transport import Failure

from .dishonest import changed, numbers, operator_key, rewritten

VERIFIER = Path(__file__).parents[2] / "examples" / "verifier.py"
FIXTURES = sorted((Path(__file__).parent / "ledgers").glob("*.jsonl"))


def run(path):
    done = subprocess.run(
        [sys.executable, "-I", VERIFIER, path], capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout + done.stderr


def verdict(entries, folder):
    """What it says of these entries: its exit code and its words."""
    path = folder / "ledger.jsonl"
    path.write_bytes(export(entries))
    return run(path)


def test_it_imports_nothing_of_fedfact():
    imported = set()
    for node in ast.walk(ast.parse(VERIFIER.read_text())):
        if isinstance(node, ast.Import):
            imported |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    foreign = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names
    assert foreign == {"cryptography"}


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_it_finds_the_kept_ledgers_sound(path):
    code, words = run(path)
    assert code == 0, words
    assert "Sound: " in words
    assert f"{8 if path.stem == 'seasons' else 4} lines" in words


@pytest.mark.parametrize("kind", ["rebate", "sandwich", "shared", "sized"])
def test_it_finds_what_was_run_just_now_sound(finished, kind, tmp_path):
    code, words = verdict(getattr(finished, kind).entries(), tmp_path)
    assert code == 0, words


def test_it_follows_members_that_leave_and_come_late(make_house, wired, sound, tmp_path):
    house = make_house(members=5, rounds=6)
    (house.members["elm"] / "season-1/leave").touch()

    def after(member, kind, reply):
        number = kind == "round" and read_message(reply, 1 << 20).head.content.get("round")
        lost = (member, number) in {("birch", 2), ("cedar", 4), ("cedar", 5), ("cedar", 6)}
        return Failure("timeout") if lost else reply

    house.run(wired(house, after=after))
    sound(house)
    code, words = verdict(house.entries(), tmp_path)
    assert code == 0, words


def test_it_follows_members_that_have_other_keys(make_house, sound, tmp_path):
    house = make_house(members=3)
    house.run()
    named = house.state().consortium.hash()
    accept(house.directory, make_new_key(house.members["birch"], named, "birch"))
    open_season(house.directory, house.root / "terms.toml")
    house.invite()
    house.run()
    sound(house)
    entries = house.entries()
    code, words = verdict(entries, tmp_path)
    assert code == 0, words
    (number,) = numbers(entries, "key")

    def forged(change):
        change["said"] = change["proof"]

    code, words = verdict(changed(entries, operator_key(house), number, forged), tmp_path)
    assert (code, f"entry {number} (key)" in words) == (1, True)


def test_it_follows_an_early_end(make_house, wired, sound, tmp_path):
    house = make_house(members=4)

    def after(member, kind, reply):
        if kind == "agree":
            (house.directory / "season-1/finish").touch()
        return reply

    house.run(wired(house, after=after))
    assert len(sound(house).rounds) == 1
    code, words = verdict(house.entries(), tmp_path)
    assert code == 0, words


@pytest.mark.parametrize("kind", ["rebate", "sandwich", "shared", "sized"])
@pytest.mark.parametrize("field", ["fee", "charge", "pool", "net", "rebate", "samples"])
def test_an_amount_that_an_operator_changed_is_found(finished, tmp_path, kind, field):
    house = getattr(finished, kind)
    entries, key = house.entries(), operator_key(house)
    number = numbers(entries, "line")[1]

    def more(line):
        line[field] += 1

    code, words = verdict(changed(entries, key, number, more), tmp_path)
    assert code == 1
    assert f"NOT sound: entry {number} (line): other amounts follow" in words


def test_any_changed_byte_is_found(finished, tmp_path):
    entries = finished.sandwich.entries()
    path = tmp_path / "ledger.jsonl"
    data = export(entries)
    for at in range(0, len(data), max(1, len(data) // 40)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        code, words = run(path)
        assert code == 1, (at, words)


def test_an_entry_that_was_dropped_or_signed_by_another_is_found(finished, tmp_path):
    entries, other = finished.rebate.entries(), operator_key(finished.shared)
    last = numbers(entries, "line")[-1]
    code, words = verdict(entries[:last] + entries[last + 1 :], tmp_path)
    assert code == 1
    assert "is numbered otherwise" in words
    code, words = verdict(rewritten(entries, other), tmp_path)
    assert code == 1
    assert "not signed by" in words


def test_both_agree_on_a_changed_delivery(finished, tmp_path):
    house = finished.rebate
    entries, key = house.entries(), operator_key(house)
    number = numbers(entries, "delivery")[0]

    def more(delivery):
        delivery["delivered"] -= 1

    dishonest = changed(entries, key, number, more)
    assert not is_sound(verify(dishonest))
    code, words = verdict(dishonest, tmp_path)
    assert code == 1
    assert "is not what was attested" in words
