"""Write the ledgers of this folder anew, after a change of what ledgers say.

PYTHONPATH=src:tests/federation python tests/federation/ledgers/export.py
"""

import tempfile
from pathlib import Path

from fedfact.federation.ledger.export import export


def main():
    """Four members, three rounds, under each rule, from enrolment to statements.

    Under ``shared`` members have sizes and the curve another exponent than 1.
    """
    from conftest import SIZED, House  # beside this folder; pytest collects this file too

    kinds = {"rebate": {"rule": "rebate"}, "sandwich": {"rule": "sandwich"}, "shared": SIZED}
    for name, how in kinds.items():
        with tempfile.TemporaryDirectory() as folder:
            house = House(Path(folder) / name, members=4, **how)
            house.run()
            path = Path(__file__).with_name(f"{name}.jsonl")
            path.write_bytes(export(house.entries()))


if __name__ == "__main__":
    main()
