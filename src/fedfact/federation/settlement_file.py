"""A settlement as a document, and as a file: JSON, Parquet or CSV, written whole or not at all."""

import csv
import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .._version import __version__
from ..mechanism import Settlement, total
from ..mechanism.arrays import Floats
from ..mechanism.losses import local_loss
from .agents_file import AgentsFile
from .output import write_whole

AMOUNTS = ("fee", "penalty", "charge", "compensation", "reward", "rebate", "net")
FORMATS = (".json", ".parquet", ".csv")
"""Endings of a file's name, each with its format."""


def columns(settlement: Settlement, true_cost: Floats | None = None) -> dict[str, list[Any]]:
    """One list for each column, in the order of the agents.

    Compensations appear where losses were measured. With true costs, so do each agent's loss had
    it trained alone on the same data, and the loss it ends with.
    """
    table: dict[str, list[Any]] = {"agent": list(settlement.population.agents)}
    for name in AMOUNTS:
        if name != "compensation" or settlement.input == "measured":
            table[name] = getattr(settlement, name).tolist()
    table["group"] = [None if g < 0 else g for g in settlement.group.tolist()]
    table["won"] = settlement.won.tolist()
    if true_cost is not None:
        alone, settled = losses(settlement, true_cost)
        table |= {"loss_alone": alone.tolist(), "loss_settled": settled.tolist()}
    return table


def losses(settlement: Settlement, true_cost: Floats) -> tuple[Floats, Floats]:
    """Each agent's loss alone, and after the settlement: federated loss less what it received."""
    population, terms = settlement.population, settlement.terms
    paid = -settlement.net * float(terms.unit)
    if population.local_loss is None or population.federated_loss is None:
        A = float(terms.required_error_scale)
        alone = local_loss(population.samples, true_cost, A)
        return alone, A / population.total + true_cost * population.samples + paid
    cost, value = true_cost * population.samples, float(terms.loss_value)
    return (
        value * population.local_loss + cost,
        value * population.federated_loss + cost + paid,
    )


def summary(settlement: Settlement) -> dict[str, Any]:
    """All that is not about one agent: totals, terms, seed."""
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
        "totals": {name: total(getattr(settlement, name)) for name in AMOUNTS},
        "fedfact": __version__,
    }


def document(settlement: Settlement, true_cost: Floats | None = None) -> dict[str, Any]:
    """The whole settlement as one JSON document."""
    table = columns(settlement, true_cost)
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return {"agents": rows, **summary(settlement)}


def remarks(file: AgentsFile, settlement: Settlement) -> list[str]:
    """What somebody who settles this file should know, though it is no error."""
    notes = []
    if file.ignored:
        notes.append(f"{file.path}: columns without a meaning here: {', '.join(file.ignored)}")
    n = len(settlement.population)
    if n < 6:
        notes.append(f"{n} agents; six or more are recommended")
    if settlement.terms.rule == "sandwich" and n % 3:
        notes.append(f"{n % 3} of {n} agents left over by the draw: they pay and cannot win")
    if not settlement.fee.any() and not settlement.compensation.any():
        notes.append(f"all fees round to 0 units of {float(settlement.terms.unit):g}; is it right?")
    if settlement.shortfall:
        notes.append(
            f"federation hurt more than it helped: compensations lack {settlement.shortfall:,}"
        )
    return notes


def write_settlement(path: Path, settlement: Settlement, true_cost: Floats | None = None) -> None:
    """Write the settlement in the format of the file's ending."""
    suffix = path.suffix.lower()
    if suffix == ".json":
        data = (json.dumps(document(settlement, true_cost), indent=2) + "\n").encode()
    elif suffix == ".parquet":
        import pyarrow as pa  # here, because it loads slowly
        import pyarrow.parquet as pq

        table = pa.table(columns(settlement, true_cost))
        meta = {"fedfact": json.dumps(summary(settlement))}
        sink = pa.BufferOutputStream()
        pq.write_table(table.replace_schema_metadata(meta), sink)
        data = sink.getvalue().to_pybytes()
    else:
        text = io.StringIO(newline="")
        table = columns(settlement, true_cost)
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
        data = text.getvalue().encode()
    write_whole(path, data)
