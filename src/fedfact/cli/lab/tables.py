"""What the lab found, as text for people."""

from collections.abc import Callable
from typing import Any

from ...report.base.words import heads, place_in_order
from ..shared.output import print_table, stdout
from ..shared.tables import new_table

_REPLIED = "Rounds: until nobody wanted to change anything."
_LEARNED = (
    "Contribute: in a round, on average over the last tenth of them. Rounds: all that were played, "
    "if by then nobody would have gained 1 % of its loss alone by any one action instead."
)
_PLACED = (
    "Best placed: the median gain of whoever gains most, of the cheapest, the dearest and those in "
    "the middle."
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
    _by_rule("gain of an attacker", document, cells, _gain)
    _by_rule("gain of the best placed", document, cells, _best)
    tried = [cell for cell in document["cells"] if cell["gain"] is not None]
    errors = [cell["gain_error"] for cell in tried if not cell["gain_exact"]]
    exact = "All gains are exact"
    if errors:
        most = max((cell["gain_error"] for cell in tried if abs(cell["gain"]) <= 1), default=0)
        exact = f"Standard errors of gains up to 100 % are at most {part(most)}"
        exact += f"; {len(tried) - len(errors)} of {len(tried)} gains are exact"
    _by_rule("loss of an honest agent", document, cells, _harm)
    benchmarks = [rule["rule"] for rule in rules if rule["benchmark"]]
    stdout().print(
        "In parts of the attacker's loss alone, and of the honest agent's; below 0 the attack does "
        "not pay, or the honest gain by it. Who pays: h the honest, s the server, hs both. "
        "! an honest agent may end worse than alone; $ the server's money may run out; – does not "
        f"apply. {exact}. {_PLACED}"
        + (f" Benchmarks, not rules to sign: {', '.join(benchmarks)}." if benchmarks else "")
    )
    _other_curves(document)


def _by_rule(
    title: str,
    document: dict[str, Any],
    cells: dict[tuple[str, str], dict[str, Any]],
    text: Callable[[dict[str, Any]], str],
) -> None:
    """A row for each attack and a column for each rule."""
    rules = [rule["rule"] for rule in document["rules"]]
    table = new_table(title, *rules)
    for attack in document["attacks"]:
        table.add_row(attack["title"], *(text(cells[rule, attack["attack"]]) for rule in rules))
    print_table(table)


def _other_curves(document: dict[str, Any]) -> None:
    """Honest agents with other curves and with wrong ones, and attacks with a power law."""
    block = document["curves"]
    if block is None:
        return
    rules = [rule["rule"] for rule in document["rules"]]
    cells = {(cell["rule"], cell["case"]): cell for cell in block["cells"]}
    table = new_table("loss, all honest", *rules)
    for case in block["cases"]:
        table.add_row(case["title"], *(_honest(cells[rule, case["case"]]) for rule in rules))
    print_table(table)
    stdout().print(
        "Means over agents, in parts of the loss alone by the true curve, by which errors go; "
        "agents act by what the terms say. ! an agent may end worse than alone; – money does not "
        "go by the curve of the terms."
    )
    power = {(cell["rule"], cell["attack"]): cell for cell in block["power"]}
    _by_rule(f"gain, {block['cases'][1]['title']}", document, power, _gain)


def _honest(cell: dict[str, Any]) -> str:
    return f"{part(cell['loss'])}{'!' * bool(cell['irrational'])}" if cell["applies"] else "–"


def _one_rule(document: dict[str, Any], cells: dict[tuple[str, str], dict[str, Any]]) -> None:
    rule = document["rules"][0]
    columns = (
        "gain",
        "±",
        "best placed",
        "who",
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
            part(cell["best_gain"], sign=True),
            place_in_order(cell["best_place"]),
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
        f"and after, exact where there are four digits. {_PLACED}"
    )
    block = document["curves"]
    if block is None:
        return
    table = new_table("all honest", "samples", "mean loss", "worst off", "irrational", "server")
    for case, cell in zip(block["cases"], block["cells"], strict=True):
        found = ("samples_share", "loss", "worst", "irrational", "surplus")
        table.add_row(
            case["title"],
            *(part(cell[key], sign=key == "surplus") if cell["applies"] else "–" for key in found),
        )
    print_table(table)
    stdout().print(
        "Samples in parts of what all would use alone, and losses of the loss alone, by the true "
        "curve, by which errors go; agents act by what the terms say. Worst off: whatever is drawn."
    )


def _gain(cell: dict[str, Any]) -> str:
    if not cell["applies"]:
        return "–"
    return f"{part(cell['gain'], sign=True)}{'!' * bool(cell['irrational'])}{'$' * cell['deficit']}"


def _best(cell: dict[str, Any]) -> str:
    return part(cell["best_gain"], sign=True) if cell["applies"] else "–"


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
