"""Backups in a moment: scrypt does its full work in one test only."""

import pytest

from fedfact.federation.backup import sealed


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(sealed, "_WORK", 2)
