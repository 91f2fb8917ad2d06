"""Ledgers that were exported once verify, byte for byte; `ledgers/export.py` wrote them."""

from pathlib import Path

import pytest

from fedfact.federation.audit.verify import is_sound, verify_ledger
from fedfact.federation.ledger.export import export, read_export

LEDGERS = Path(__file__).parents[1] / "ledgers"


@pytest.mark.parametrize("rule", ["rebate", "sandwich", "shared"])
def test_a_ledger_that_was_exported_is_sound(rule):
    path = LEDGERS / f"{rule}.jsonl"
    entries, verdicts = verify_ledger(str(path))
    assert is_sound(verdicts)
    assert [each.says for each in verdicts if each.name == "amounts"] == ["4 lines, 1 settlement"]
    assert len(entries) == 37
    assert export(read_export(path)) == path.read_bytes()


def test_a_ledger_of_two_seasons_is_sound():
    path = LEDGERS / "seasons.jsonl"
    entries, verdicts = verify_ledger(str(path))
    assert is_sound(verdicts)
    assert [each.says for each in verdicts if each.name == "amounts"] == [
        "season 1: 4 lines, 1 settlement; season 2: 4 lines, 1 settlement"
    ]
    assert {entry.season for entry in entries} == {0, 1, 2}
    assert export(read_export(path)) == path.read_bytes()
