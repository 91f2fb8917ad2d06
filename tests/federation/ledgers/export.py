"""Write the ledgers of this folder anew, after a change of what ledgers say.

PYTHONPATH=src:tests/federation python tests/federation/ledgers/export.py
"""

import tempfile
from pathlib import Path

from conftest import House
from fedfact.federation.ledger.export import export


def main():
    """Four members, three rounds, under each rule, from enrolment to statements."""
    for rule in ("rebate", "sandwich"):
        with tempfile.TemporaryDirectory() as folder:
            house = House(Path(folder) / rule, agents=4, rule=rule)
            house.run()
            path = Path(__file__).with_name(f"{rule}.jsonl")
            path.write_bytes(export(house.entries()))


if __name__ == "__main__":
    main()
