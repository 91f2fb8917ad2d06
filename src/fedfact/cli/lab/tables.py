"""What the lab found, as text for people."""

from typing import Any

from ...report.base.words import heads
from ..shared.output import print_table, stdout
from ..shared.tables import new_table

_REPLIED = "Rounds: until nobody wanted to change anything."
_LEARNED = (
    "Contribute: in a round, on average over the last tenth of them. Rounds: all that were played, "
    "if by then nobody would have gained 1 % of its loss alone by any one action instead."
)


def print_equilibrium(document: dict[str, Any]) -> None:
    """Where each rule ended."""
    columns = (
        "samples",
        "of alone",
        "contribute",
        "mean loss",
        "worst off",
        "server",
        "all together",
        "from truth",
    )
    table = new_table("rule", *columns, "rounds")
    for rule in document["rules"]:
        table.add_row(
            rule["title"],
            "–" if rule["samples"] is None else f"{rule['samples']:,.0f}",
            part(rule["samples_share"]),
            f"{heads(rule['contributors'])} of {document['agents']}",
            part(rule["loss"]["mean"]),
            part(rule["loss"]["worst"]),
            part(rule["surplus"], sign=True),
            part(rule["cost_to_all"]),
            part(rule["from_truth"]),
            f"{rule['rounds']:,}" if rule["converged"] else "no rest",
        )
    print_table(table)
    stdout().print(
        "Losses, what the server is left with for each agent, and the two together (all loss less "
        "what the server has), in parts of the loss of training alone; samples in parts of what "
        "all would use alone. From truth: by how much reports differ from costs, on average. "
        + (_LEARNED if document["how"] == "hedge" else _REPLIED)
    )


def print_attacks(document: dict[str, Any]) -> None:
    """The gains of all attacks under all rules, and what the honest lose; of one, everything."""
    cells = {(cell["rule"], cell["attack"]): cell for cell in document["cells"]}
    rules = document["rules"]
    if len(rules) == 1:
        _one_rule(document, cells)
        return
    table = new_table("gain of an attacker", *(rule["rule"] for rule in rules))
    for attack in document["attacks"]:
        found = (cells[rule["rule"], attack["attack"]] for rule in rules)
        table.add_row(attack["title"], *map(_gain, found))
    print_table(table)
    tried = [cell for cell in document["cells"] if cell["gain"] is not None]
    errors = [cell["gain_error"] for cell in tried if not cell["gain_exact"]]
    exact = "All gains are exact"
    if errors:
        most = max((cell["gain_error"] for cell in tried if abs(cell["gain"]) <= 1), default=0)
        exact = f"Standard errors of gains up to 100 % are at most {part(most)}"
        exact += f"; {len(tried) - len(errors)} of {len(tried)} gains are exact"
    table = new_table("loss of an honest agent", *(rule["rule"] for rule in rules))
    for attack in document["attacks"]:
        found = (cells[rule["rule"], attack["attack"]] for rule in rules)
        table.add_row(attack["title"], *map(_harm, found))
    print_table(table)
    stdout().print(
        "In parts of the attacker's loss alone, and of the honest agent's; below 0 the attack does "
        "not pay, or the honest gain by it. Who pays: h the honest, s the server, hs both. "
        "! an honest agent may end worse than alone; $ the server's money may run out; – does not "
        f"apply. {exact}."
    )


def _one_rule(document: dict[str, Any], cells: dict[tuple[str, str], dict[str, Any]]) -> None:
    rule = document["rules"][0]
    columns = (
        "gain",
        "±",
        "honest lose",
        "±",
        "worst",
        "who pays",
        "irrational",
        "deficit",
        "wins",
    )
    table = new_table(rule["title"], *columns)
    for attack in document["attacks"]:
        cell = cells[rule["rule"], attack["attack"]]
        if not cell["applies"]:
            table.add_row(attack["title"], *["–"] * len(columns))
            continue
        both = (_wins(cell, key) for key in ("wins_before", "wins"))
        wins = "" if cell["wins"] is None else " → ".join(both)
        table.add_row(
            attack["title"],
            part(cell["gain"], sign=True),
            _error(cell, "gain"),
            part(cell["honest"], sign=True),
            _error(cell, "honest"),
            part(cell["worst"], sign=True),
            cell["payer"],
            part(cell["irrational"]),
            "own purse" if rule["purse"] else "may be" if cell["deficit"] else "never",
            wins,
        )
    print_table(table)
    stdout().print(
        "Gains of an attacker and losses of an honest agent by the attack, in parts of the loss "
        "alone, with standard errors, or exact; worst: of the honest agent that loses most. "
        "Irrational: honest agents that may end worse than alone. Wins: of the attackers, before "
        "and after, exact where there are four digits."
    )


def _gain(cell: dict[str, Any]) -> str:
    if not cell["applies"]:
        return "–"
    return f"{part(cell['gain'], sign=True)}{'!' * bool(cell['irrational'])}{'$' * cell['deficit']}"


def _harm(cell: dict[str, Any]) -> str:
    """Of an honest agent on average, and who pays."""
    if not cell["applies"]:
        return "–"
    payer = {"the honest": "h", "the server": "s", "both": "hs"}.get(cell["payer"], "")
    return f"{part(cell['honest'], sign=True)} {payer:2}"


def _error(cell: dict[str, Any], key: str) -> str:
    """Its standard error."""
    return "exact" if cell[f"{key}_exact"] else part(cell[f"{key}_error"])


def _wins(cell: dict[str, Any], key: str) -> str:
    digits = 4 if cell[f"{key}_exact"] else 2
    return "–" if cell[key] is None else f"{cell[key]:.{digits}f}"


def part(value: float | None, *, sign: bool = False) -> str:
    """A part as a percentage, with as many digits as are worth it; – where there is none."""
    plus = "+" if sign else ""
    if value is None:
        return "–"
    if abs(value) < 1e-6:
        return "0 %"
    if abs(value) >= 100:
        return f"{value:{plus}.0e} x".replace("-", "−")
    digits = ".1f" if abs(value) >= 1e-3 else ".1g"
    return f"{100 * value:{plus}{digits}} %".replace("-", "−")
