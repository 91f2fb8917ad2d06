"""Advice as text for people."""

from ..federation.advice import Advice
from ..federation.recommendation import assumptions, recommendation
from .console import print_table, stdout
from .tables import new_table


def print_advice(advice: Advice) -> None:
    """What to do, what it costs and brings, what a lie would do, and what that rests on."""
    console, terms, alone = stdout(), advice.terms, advice.alone
    console.print(recommendation(advice), style="bold")
    console.print(
        f"\nYour optimum is m* = {advice.optimum:,.6g}; use {advice.samples:,} samples. Training "
        f"alone you end at a loss of {alone:.6g}.\nYour fee is {advice.fee:,} units of "
        f"{float(terms.unit):g} (never above {advice.largest_fee:,}, whoever the others are)."
    )
    table = new_table("loss under", "worst", "believed", "realised", "best", "realised, of alone")
    for outcome in advice.outcomes:
        values = (outcome.worst, outcome.believed, outcome.realised, outcome.best)
        mark = " (these terms)" if outcome.rule == terms.rule else ""
        share = f"{outcome.realised / alone - 1:+.1%}"
        table.add_row(outcome.rule + mark, *(f"{value:.6g}" for value in values), share)
    print_table(table)
    console.print("What it would change, in percent of your loss alone (+ is worse for you):")
    plays = ["federated", "penalised", "sandwich", "sandwich_realised", "rebate"]
    titles = ["no mechanism", "penalty only", "sandwich", "sandwich, realised", "rebate"]
    if not advice.knows_reports:
        del plays[3], titles[3]
    table = new_table("if you …", *titles)
    for deviation in advice.deviations:
        changes = (getattr(deviation, play) for play in plays)
        table.add_row(deviation.name, *(f"{change:+.1%}" for change in changes))
    print_table(table)
    console.print("This takes for granted:")
    for assumption in assumptions(advice):
        console.print(f" · {assumption}")
