"""Write the ledgers of this folder anew, after a change of what ledgers say.

PYTHONPATH=src:tests/federation python tests/federation/ledgers/export.py
"""

import tempfile
from pathlib import Path

from fedfact.federation.ledger.export import export


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


if __name__ == "__main__":
    main()
