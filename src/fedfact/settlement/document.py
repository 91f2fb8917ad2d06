"""A settlement as a document, and as the content of a file: JSON, Parquet or CSV."""

import json
from dataclasses import asdict
from typing import Any

from .._version import __version__
from ..arrays import Floats
from ..io.tables import to_csv
from ..mechanism import Settlement
from ..mechanism.exact import exact_sum
from ..mechanism.settlement import AMOUNTS
from .agents import AgentsFile
from .plausible import remark_on_fit

FORMATS = (".json", ".parquet", ".csv")
"""Endings of a file's name, each with its format."""


def columns(
    settlement: Settlement, true_cost: Floats | None = None, *, penalty: bool = False
) -> dict[str, list[Any]]:
    """One list for each column, in the order of the agents.

    Compensations appear where losses were measured, and penalties (Eq. 8) where they are asked
    for. With true costs, so do each agent's loss had it trained alone on the same data, and the
    loss it ends with, in minor units too, though not in whole ones.
    """
    table: dict[str, list[Any]] = {"agent": list(settlement.population.agents)}
    for name in _amounts(settlement, penalty):
        table[name] = getattr(settlement, name).tolist()
    table["group"] = [None if g < 0 else g for g in settlement.group.tolist()]
    table["won"] = settlement.won.tolist()
    if true_cost is not None:
        unit = float(settlement.terms.unit)
        alone, settled = (loss / unit for loss in settlement.losses(true_cost))
        table |= {"loss_alone": alone.tolist(), "loss_settled": settled.tolist()}
    return table


def _amounts(settlement: Settlement, penalty: bool) -> list[str]:
    left_out = set() if settlement.input == "measured" else {"compensation"}
    shown = [name for name in AMOUNTS if name not in left_out]
    return [shown[0], "penalty", *shown[1:]] if penalty else shown


def summary(settlement: Settlement, *, penalty: bool = False) -> dict[str, Any]:
    """All that is not about one agent: totals, terms, seed, and whether the terms look wrong."""
    measured = settlement.input == "measured"
    fit = None if measured else remark_on_fit(settlement.population, settlement.terms)
    terms = {
        name: value if isinstance(value, int | str | None) else float(value)
        for name, value in asdict(settlement.terms).items()
    }
    return {
        "surplus": settlement.surplus,
        "shortfall": settlement.shortfall,
        "seed": settlement.seed,
        "input": settlement.input,
        **terms,
        "samples": settlement.population.total,
        "totals": settlement.totals
        | ({"penalty": exact_sum(settlement.penalty)} if penalty else {}),
        "remarks": [fit] if fit else [],
        "fedfact": __version__,
    }


def document(
    settlement: Settlement, true_cost: Floats | None = None, *, penalty: bool = False
) -> dict[str, Any]:
    """The whole settlement as one JSON document."""
    table = columns(settlement, true_cost, penalty=penalty)
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return {"agents": rows, **summary(settlement, penalty=penalty)}


def encode(
    settlement: Settlement,
    ending: str,
    true_cost: Floats | None = None,
    *,
    penalty: bool = False,
) -> bytes:
    """The content of a file with this ending. CSV has the agents only."""
    if ending == ".json":
        whole = document(settlement, true_cost, penalty=penalty)
        return f"{json.dumps(whole, indent=2, allow_nan=False)}\n".encode()
    table = columns(settlement, true_cost, penalty=penalty)
    if ending == ".parquet":
        import pyarrow as pa  # here, because it loads slowly
        import pyarrow.parquet as pq

        meta = {"fedfact": json.dumps(summary(settlement, penalty=penalty))}
        sink = pa.BufferOutputStream()
        pq.write_table(pa.table(table).replace_schema_metadata(meta), sink)
        content: bytes = sink.getvalue().to_pybytes()
        return content
    table["won"] = ["true" if won else "false" for won in table["won"]]
    return to_csv(table).encode()


def remarks(file: AgentsFile, settlement: Settlement) -> list[str]:
    """What somebody who settles this file should know, though it is no error."""
    notes = []
    if file.ignored:
        notes.append(f"{file.path}: columns without a meaning here: {', '.join(file.ignored)}")
    n = len(settlement.population)
    if n < 6:
        notes.append(f"{n} agents; six or more are recommended")
    notes += settlement.rule.remarks(n)
    terms, population = settlement.terms, settlement.population
    if settlement.input == "analytic":
        tiny = float(terms.curve.error(population.samples).max()) < float(terms.unit)
        if fit := remark_on_fit(population, terms):
            notes.append(fit)
    else:
        tiny = not settlement.fee.any() and not settlement.compensation.any()
    if tiny:
        notes.append(f"no fee comes to more than one unit of {float(terms.unit):g}; is it right?")
    return notes
