"""The walk-through in docs/deploy.md, executed as it is written, in a fresh directory."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fedfact.federation.ledger.export import export
from fedfact.federation.ledger.state import replay
from fedfact.federation.ledger.store import read_ledger

from .conftest import free_port, kill

pytestmark = pytest.mark.thorough
ROOT = Path(__file__).parents[4]
PAGE, VERIFIER = ROOT / "docs" / "deploy.md", ROOT / "examples" / "verifier.py"


def test_the_walk_through(tmp_path):
    text = PAGE.read_text(encoding="utf-8").replace("28002", str(free_port()))
    blocks = re.findall(r"(?m)^```sh\n(.*?)^```$", text, re.DOTALL)
    bin_ = str(Path(sys.executable).parent)
    env = {**os.environ, "PATH": bin_ + os.pathsep + os.environ["PATH"]}
    members, printed = [], ""
    try:
        for block in blocks:
            script = ["bash", "-euo", "pipefail", "-c", block]
            if " join " in block and "--check" not in block:  # goes on until it is stopped
                with (tmp_path / f"member-{len(members)}.out").open("wb") as log:
                    members.append(
                        subprocess.Popen(
                            script, cwd=tmp_path, env=env, stdout=log, stderr=log, text=True
                        )
                    )
                continue
            done = subprocess.run(
                script, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300
            )
            printed += done.stdout
            assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    finally:
        for member in members:
            kill(member)
    assert len(members) == 6
    assert printed.count("The ledger is sound.") == 5
    assert "finished" in printed
    assert "Statement for oak" in printed
    assert "oak: federation skin-clinics" in printed


def test_the_demo_from_nothing_to_a_verified_ledger(tmp_path):
    command = [sys.executable, "-c", "from fedfact.cli import main; main()", "federation", "demo"]
    place = tmp_path / "demo"
    done = subprocess.run(
        [*command, "--directory", str(place), "--json"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["sound"]
    assert found["overview"]["season"] == 2
    assert {member["state"] for member in found["overview"]["members"].values()} == {
        "statement agreed"
    }
    exported = place / "ledger.jsonl"
    exported.write_bytes(export(read_ledger(str(place / "operator"))))
    verifier = [sys.executable, "-I", str(VERIFIER), str(exported)]
    checked = subprocess.run(verifier, capture_output=True, text=True, timeout=60)
    assert (checked.returncode, checked.stdout[:7]) == (0, "Sound: "), checked.stdout
    first, second = found["seasons"]
    assert (set(first["members"]), set(second["members"])) == (
        {"alder", "birch", "cedar", "elm", "fir"},
        {"alder", "birch", "cedar", "fir", "hazel"},
    )
    for season in (first, second):
        assert season["accuracy"] > 0.9
        assert all(loss["settled"] < loss["alone"] for loss in season["members"].values())
        for member in season["members"]:
            model = place / member / f"season-{season['season']}" / "model.bin"
            assert model.stat().st_size == 40312
    state = replay(read_ledger(place / "operator"))
    assert list(state.retired) == ["elm"]
    assert [record.phase for record in state.seasons] == ["finished", "finished"]
