"""``fedfact settle``: from a file of agents to a settlement."""

import secrets
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ..errors import InputError
from ..io.files import check_output, write_whole
from ..mechanism import RULES, Terms, rule_of
from ..mechanism import settle as settle_agents
from ..report import FIGURES
from ..settlement.agents import read_agents
from ..settlement.document import FORMATS as SETTLEMENTS
from ..settlement.document import document, encode, remarks
from ..settlement.statement import statement
from ..settlement.terms import read_terms
from .shared.options import AsJson, check_picture
from .shared.output import note, print_json
from .shared.tables import print_settlement, print_statement


def _known_rule(name: str | None) -> str | None:
    if name is not None and name not in RULES:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(map(repr, RULES))}.")
    return name


def settle(
    agents: Annotated[
        Path, typer.Argument(help="CSV or JSON: agent, reported_cost, samples (and more).")
    ],
    terms: Annotated[
        Path | None, typer.Option(help="The terms: TOML, or a federation's terms.json.")
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            callback=_known_rule, metavar=f"[{'|'.join(RULES)}]", help="How fees are given back."
        ),
    ] = None,
    error_scale: Annotated[
        float | None, typer.Option(help="A of the curve A·m^(−b), in the unit of the costs.")
    ] = None,
    exponent: Annotated[float | None, typer.Option(help="b of the curve, 0.05 to 2.")] = None,
    alpha: Annotated[float | None, typer.Option(help="α of the penalty, in [0, 2).")] = None,
    unit: Annotated[
        float | None, typer.Option(help="Value of one minor unit (0.01 for cents).")
    ] = None,
    currency: Annotated[
        str | None, typer.Option(help="What costs and amounts are in, such as EUR.")
    ] = None,
    retention: Annotated[float | None, typer.Option(help="ρ, the part the operator keeps.")] = None,
    consistency: Annotated[
        float | None, typer.Option(help="κ, weight of the consistency charge.")
    ] = None,
    loss_value: Annotated[
        float | None, typer.Option(help="v, value of one unit of measured loss.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of the draw.")] = None,
    input: Annotated[
        Literal["analytic", "measured"] | None,
        typer.Option(help="Fees by the curve or by measured losses (default: these if given)."),
    ] = None,
    statement_of: Annotated[
        str | None,
        typer.Option("--statement", metavar="AGENT", help="Only this agent's own lines."),
    ] = None,
    penalty: Annotated[
        bool,
        typer.Option(
            "--penalty",
            help="Show the free-rider penalty of Eq. 8 for comparison; it moves no money.",
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the settlement: .json, .parquet or .csv."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the settlement: .png, .svg or .pdf.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Settle: what every agent pays and receives, exactly, in whole minor units.

    Terms come from --terms, single ones from their options. Defaults: exponent 1, rule rebate,
    unit 1e-9, retention 0, consistency 1, loss value 1, alpha 1; without --seed a fresh one is
    drawn, if the rule draws.
    """
    inputs = (agents,) if terms is None else (agents, terms)
    if output is not None:
        check_output(output, SETTLEMENTS, inputs)
    check_picture(plot, FIGURES, *inputs)
    given: dict[str, Any] = {
        "rule": rule,
        "error_scale": error_scale,
        "exponent": exponent,
        "alpha": alpha,
        "unit": unit,
        "currency": currency,
        "retention": retention,
        "consistency": consistency,
        "loss_value": loss_value,
    }
    agreed = replace(
        Terms() if terms is None else read_terms(terms),
        **{name: value for name, value in given.items() if value is not None},
    )
    file = read_agents(agents)
    population = file.population(measured=None if input is None else input == "measured")
    if rule_of(agreed).draws and seed is None:
        seed = secrets.randbits(128)
        note(f"no seed given, drew one; repeat this with --seed {seed}")
    try:
        settlement = settle_agents(population, agreed, seed)
        if penalty and settlement.input == "analytic":
            _ = settlement.penalty  # refused here, where the row can be named
    except InputError as refusal:
        raise file.locate(refusal) from None
    if penalty and settlement.input == "measured":
        raise InputError(
            "--penalty is for fees by the curve; the penalty (Eq. 8) has no measured form"
        )
    told = None if statement_of is None else statement(settlement, statement_of, penalty=penalty)
    files = {}  # all are made before any is written
    if output is not None:
        files[output] = encode(settlement, output.suffix.lower(), file.true_cost, penalty=penalty)
    if plot is not None:
        from ..report.single.settlement import picture_of_settlement

        files[plot] = picture_of_settlement(settlement, plot.suffix.lower())
    for path, content in files.items():
        write_whole(path, content)
        note(f"wrote {path}")
    if told is not None:
        print_json(told.document()) if as_json else print_statement(told)
        return
    for remark in remarks(file, settlement):
        note(remark)
    if as_json:
        print_json(document(settlement, file.true_cost, penalty=penalty))
    else:
        print_settlement(settlement, file.true_cost, penalty)
