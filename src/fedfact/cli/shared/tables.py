"""Results as text for people."""

from rich import box
from rich.table import Table

from ...arrays import Floats
from ...mechanism import RULES, Settlement
from ...mechanism.exact import exact_sum
from ...settlement.statement import Statement
from .output import print_table, stdout

_MOST_ROWS = 60

_LEAST_NEEDED = ("reported cost", "group", "samples", "alone", "settled")
"""Columns of a settlement that a narrow terminal has no room for, the first to go first."""


def new_table(*columns: str) -> Table:
    """A table whose first column is text and whose others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for k, column in enumerate(columns):
        table.add_column(column, justify="right" if k else "left", no_wrap=True)
    return table


def print_settlement(settlement: Settlement, true_cost: Floats | None, penalty: bool) -> None:
    """The amounts of all agents, their totals, and what the operator is left with."""
    n, terms, console = len(settlement.population), settlement.terms, stdout()
    rule = f"rule {terms.rule}"
    if settlement.rule.draws:
        rule += f", seed {settlement.seed}"
    console.print(
        f"{rule}, {settlement.input}; amounts in {terms.money_unit.name}; net = received − paid."
    )
    print_table(_settlement_table(settlement, true_cost, penalty), _LEAST_NEEDED)
    if n > _MOST_ROWS:
        console.print(f"… {n - _MOST_ROWS:,} more agents: use --output")
    if penalty:
        console.print(
            "penalty: the free-rider penalty of Eq. 8, shown for comparison; it moves no money and "
            "may exceed the fee."
        )
    _print_surplus(settlement)


def _settlement_table(settlement: Settlement, true_cost: Floats | None, penalty: bool) -> Table:
    """A row for each agent, as far as they are shown, and their totals."""
    population, money = settlement.population, settlement.terms.money_unit
    amounts = list(settlement.rule.columns(settlement.input == "measured"))
    if penalty:
        amounts.insert(1, "penalty")
    draw = ["group", "won"] if settlement.rule.draws else []
    compare = ["alone", "settled"] if true_cost is not None else []
    table = new_table("agent", "samples", "reported cost", *amounts, *draw, *compare)
    alone, settled = (None, None) if true_cost is None else settlement.losses(true_cost)
    columns = [getattr(settlement, name) for name in amounts]
    for k in range(min(len(population), _MOST_ROWS)):
        row = [money.amount(int(column[k])) for column in columns]
        if draw:
            row.append("–" if settlement.group[k] < 0 else str(settlement.group[k]))
            row.append("✓" if settlement.won[k] else "")
        if alone is not None and settled is not None:
            row += [money.loss(alone[k]), money.loss(settled[k])]
        table.add_row(
            population.agents[k],
            f"{population.samples[k]:,}",
            f"{population.reported_cost[k]:g}",
            *row,
        )
    table.add_section()
    sums = [money.amount(exact_sum(column)) for column in columns]
    table.add_row("total", f"{population.total:,}", "", *sums, *[""] * len(draw + compare))
    return table


def _print_surplus(settlement: Settlement) -> None:
    """What the operator is left with and why, or what compensations lack."""
    totals, money, console = settlement.totals, settlement.terms.money_unit, stdout()
    paid = totals["fee"] + totals["charge"]
    parts = [f"{settlement.surplus / paid:.2%} of what was paid"] if paid else []
    if totals["charge"]:
        parts.append(f"{money.money(totals['charge'])} of it charges")
    share = f" ({', '.join(parts)})" if parts else ""
    console.print(f"surplus {money.money(settlement.surplus)}{share}")
    if settlement.surplus:
        console.print(surplus_says(settlement.rule.name, totals["charge"] > 0))
    if settlement.shortfall:
        console.print(
            f"shortfall {money.money(settlement.shortfall)}: federation hurt more than it helped; "
            "compensations are paid in part and nobody is rewarded"
        )


def surplus_says(rule: str, charged: bool = False) -> str:
    """Whose a surplus is, and why there is one."""
    why = RULES[rule].surplus_reason
    if not charged:
        return f"The surplus is the operator's: {why}."
    return (
        "The surplus is the operator's. Charges are given back to nobody, so that nobody gains by "
        f"another's; as for the rest, {why}."
    )


def print_statement(statement: Statement) -> None:
    """One agent's own lines."""
    console, money = stdout(), statement.money_unit
    one = f"{statement.unit:g} {statement.currency}".rstrip()
    console.print(f"Statement for {statement.agent}", style="bold")
    console.print(
        f"You reported a cost of {statement.reported_cost:g} per sample and delivered "
        f"{statement.samples:,} samples. Rule: {statement.rule}; "
        f"formulas give units of {one}."
    )
    if RULES[statement.rule].draws:
        group = statement.group
        drawn = "left over by the draw" if group is None else f"in group {group}"
        console.print(f"You were {drawn}{' and won' if statement.won else ''}.")
    width = max(len(money.money(line.amount)) for line in statement.lines)
    for line in statement.lines:
        amount = f"{money.money(line.amount):>{width}}"
        console.print(f"\n{line.name:>12}  {amount}  {line.effect}", soft_wrap=True)
        console.print(f"{'':>14}{line.formula} =\n{'':>14}{line.filled}", soft_wrap=True)
