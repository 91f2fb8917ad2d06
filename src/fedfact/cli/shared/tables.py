"""Results as text for people."""

from rich import box
from rich.table import Table

from ...arrays import Floats
from ...mechanism import RULES, Settlement
from ...settlement.statement import Statement
from .output import print_table, stdout

_MOST_ROWS = 60


def new_table(*columns: str) -> Table:
    """A table whose first column is text and whose others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for k, column in enumerate(columns):
        table.add_column(column, justify="right" if k else "left", no_wrap=True)
    return table


def print_settlement(settlement: Settlement, true_cost: Floats | None) -> None:
    """The amounts of all agents, their totals, and what the operator is left with."""
    population, terms = settlement.population, settlement.terms
    amounts = settlement.rule.columns(settlement.input == "measured")
    draw = ["group", "won"] if settlement.rule.draws else []
    compare = ["alone", "settled"] if true_cost is not None else []
    table = new_table("agent", "samples", "reported cost", *amounts, *draw, *compare)
    alone, settled = (None, None) if true_cost is None else settlement.losses(true_cost)
    shown = range(min(len(population), _MOST_ROWS))
    for k in shown:
        row = [f"{getattr(settlement, name)[k]:,}" for name in amounts]
        if draw:
            row.append("–" if settlement.group[k] < 0 else str(settlement.group[k]))
            row.append("✓" if settlement.won[k] else "")
        if alone is not None and settled is not None:
            row += [f"{alone[k]:.6g}", f"{settled[k]:.6g}"]
        table.add_row(
            population.agents[k],
            f"{population.samples[k]:,}",
            f"{population.reported_cost[k]:g}",
            *row,
        )
    if len(shown) < len(population):
        table.add_row(f"… {len(population) - len(shown):,} more: use --output", *[""] * 2)
    table.add_section()
    totals = settlement.totals
    sums = (f"{totals[name]:,}" for name in amounts)
    table.add_row("total", f"{population.total:,}", "", *sums)
    print_table(table)
    console = stdout()
    rule = f"rule {terms.rule}"
    if settlement.rule.draws:
        rule += f", seed {settlement.seed}"
    part = "; the penalty is part of the fee" if settlement.input == "analytic" else ""
    console.print(
        f"{rule}, {settlement.input}; amounts in units of {float(terms.unit):g}; "
        f"net = received − paid{part}."
    )
    paid = totals["fee"] + totals["charge"]
    share = f" ({settlement.surplus / paid:.2%} of what was paid)" if paid else ""
    console.print(f"surplus {settlement.surplus:,}{share}")
    if settlement.shortfall:
        console.print(
            f"shortfall {settlement.shortfall:,}: federation hurt more than it helped; "
            "compensations are paid in part and nobody is rewarded"
        )


def print_statement(told: Statement) -> None:
    """One agent's own lines."""
    console = stdout()
    console.print(f"Statement for {told.agent}", style="bold")
    console.print(
        f"You reported a cost of {told.reported_cost:g} per sample and delivered "
        f"{told.samples:,} samples. Rule: {told.rule}; amounts in units of {told.unit:g}."
    )
    if RULES[told.rule].draws:
        place = "left over by the draw" if told.group is None else f"in group {told.group}"
        console.print(f"You were {place}{' and won' if told.won else ''}.")
    width = max(len(f"{line.amount:,}") for line in told.lines)
    for line in told.lines:
        console.print(f"\n{line.name:>12}  {line.amount:>{width},}  {line.effect}")
        console.print(f"{'':>14}{line.formula} =\n{'':>14}{line.filled}", soft_wrap=True)
