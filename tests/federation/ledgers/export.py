"""Write the ledgers of this folder anew, after a change of what ledgers say.

PYTHONPATH=src:tests/federation python tests/federation/ledgers/export.py
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from fedfact.federation.ledger.export import export
from fedfact.federation.operator.session import Paused

ROOT = Path(__file__).parents[3]
ACCOUNTS = ROOT / "docs" / "accounts.md"


def main():
    """Four members, three rounds, under each rule, from enrolment to statements.

    Under ``shared`` members have sizes and the curve another exponent than 1. In ``seasons`` there
    are two, of the sandwich rule; between them one member leaves and one joins.
    """
    from conftest import SIZED, House  # beside this folder; pytest collects this file too

    kinds = {"rebate": {"rule": "rebate"}, "sandwich": {"rule": "sandwich"}, "shared": SIZED}
    kinds["seasons"] = kinds["sandwich"]
    for name, how in kinds.items():
        with tempfile.TemporaryDirectory() as folder:
            house = House(Path(folder) / name, members=4, **how)
            house.run()
            if name == "seasons":
                house.next_season(joining=["fir"], leaving=["birch"])
                house.run()
            path = Path(__file__).with_name(f"{name}.jsonl")
            path.write_bytes(export(house.entries()))
    with tempfile.TemporaryDirectory() as folder:
        paid = paid_as_shown(House, Path(folder))
        (ROOT / "examples" / "accounts.jsonl").write_bytes(export(paid.entries()))


def paid_as_shown(House, root):
    """The season of docs/accounts.md, whose payments are entered by the page's own commands."""
    text = ACCOUNTS.read_text(encoding="utf-8")
    terms = re.search(r"(?ms)^```toml\n\[payment\]\n(.*?)^```$", text)
    house = House(root / "house", members=4, payment=terms[1])
    (root / "consortium").symlink_to(house.directory)
    code = "import sys; from fedfact.cli import main; main()"
    shell = f'fedfact() {{ "{sys.executable}" -c "{code}" "$@"; }}'
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    try:
        house.run()
    except Paused:
        for block in re.findall(r"(?m)^```sh\n(.*?)^```$", text, re.DOTALL):
            script = ["bash", "-euo", "pipefail", "-c", f"{shell}\n{block}"]
            done = subprocess.run(script, cwd=root, env=env, capture_output=True, text=True)
            assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
            if house.record().purse.lacking() == {} and not house.record().rounds:
                house.run()
    return house


if __name__ == "__main__":
    main()
