"""What tests of commands that train share."""

import pytest


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """No data, no cache and no network but the test's own."""
    monkeypatch.delenv("FEDFACT_DATA", raising=False)
    monkeypatch.setenv("FEDFACT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr("fedfact.data.sets.mnist.MIRRORS", ("http://127.0.0.1:9/",))
    monkeypatch.setattr("fedfact.data.sources.download.PAUSE", 0)
