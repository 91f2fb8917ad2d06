"""Who verifies runs none of the code that it checks: what is loaded, in a Python of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

LEDGER = Path(__file__).parents[1] / "ledgers" / "rebate.jsonl"

LOADED = """
import json, sys
{use}
parts = ("operator", "member", "deploy")
ours = [name for name in sys.modules if name.startswith(tuple(f"fedfact.federation.{{p}}." for p in parts))]
print("\\n" + json.dumps([*sorted(ours), *(m for m in ("torch", "nvflare") if m in sys.modules)]))
"""  # noqa: E501


def loaded(use):
    """The modules of operator, members and deployments that are there after this."""
    command = [sys.executable, "-c", LOADED.format(use=use)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "use",
    [
        "from fedfact import verify\nfrom fedfact.federation.ledger import read_export\n"
        f"from pathlib import Path; assert verify(read_export(Path({str(LEDGER)!r})))",
        f"from fedfact.federation import verify_ledger; assert verify_ledger({str(LEDGER)!r})",
        "from fedfact.federation.audit import is_sound, verify, verify_ledger",
        "from fedfact.cli import main\n"
        f"sys.argv = ['fedfact', 'verify', {str(LEDGER)!r}]\n"
        "try:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code",
        "from fedfact.cli import main\n"
        f"sys.argv = ['fedfact', 'statement', {str(LEDGER)!r}, 'member-1']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass",
    ],
    ids=["verify", "verify_ledger", "audit", "command", "statement"],
)
def test_a_ledger_is_verified_without_the_steps_that_made_it(use):
    assert loaded(use) == []


def test_with_a_members_copies_only_what_reads_them_is_loaded():
    found = loaded("from fedfact.federation.audit import verify_copy")
    kept = ("files", "own_keys", "own_restarts", "own_rounds")
    assert found == [f"fedfact.federation.member.{name}" for name in kept]
