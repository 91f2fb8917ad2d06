"""docs/accounts.md: its commands run as they stand, and lead to the ledger that it shows."""

from pathlib import Path

import pytest

from fedfact.federation.accounts import book_of
from fedfact.federation.audit.verify import is_sound, verify_ledger
from fedfact.federation.ledger.export import read_export

from ..conftest import House
from ..ledgers.export import ROOT, paid_as_shown

EXAMPLE = ROOT / "examples" / "accounts.jsonl"


@pytest.mark.thorough
def test_the_commands_of_the_page(tmp_path, sound):
    house = paid_as_shown(House, tmp_path)
    sound(house)
    assert book_of(house.entries()).balances() == book_of(read_export(EXAMPLE)).balances()


def test_the_ledger_that_the_page_shows_is_sound():
    _, verdicts = verify_ledger(str(EXAMPLE))
    assert is_sound(verdicts)
    assert Path(EXAMPLE).stat().st_size < 100_000
