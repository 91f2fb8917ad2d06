"""How a member checks what it was told of a settlement, before it agrees.

It sees its own line and the sums that its formulas need (M, the pool, the number of members). With
these it works out every amount again.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from ...mechanism import Terms, rule_of
from ...mechanism.exact import floor_difference
from ...mechanism.rules import GIVEN
from ..agreement.contract import Contract, least_billed
from ..agreement.statement_message import StatementMessage
from ..wire.canonical import number_of


def objections(
    told: StatementMessage,
    contract: Contract,
    terms: Terms,
    used: int,
    *,
    planned: int = 0,
    answered: int = 0,
) -> list[str]:
    """What is wrong with a statement, by the agent's own contract and its own count of samples.

    ``planned``: rounds in the terms; ``answered``: the last one that it answered well in time.
    """
    line, left, K = told.line, told.left, terms.error_scale_in_units
    m, rule = line.samples, rule_of(terms)
    exempt = left or contract.capped
    cost = number_of(contract.reported_cost)
    back = 0 if left else rule.back_for(line.pool, told.agents, line.won, terms)
    wanted = {
        "agent": contract.agent,
        "samples": (
            contract.samples
            if not left and told.rounds < planned
            else max(used, least_billed(terms))
        ),
        "fee": int(floor_difference(K, np.array([m]), told.samples)[0]),
        "charge": 0 if exempt else rule.charge_for(cost, m, terms),
        **rule.in_columns(back),
        "net": sum(getattr(line, name) for name in GIVEN) - line.fee - line.charge,
    }
    wrong = [
        f"{name} is {getattr(line, name)}, by my count {value}"
        for name, value in wanted.items()
        if getattr(line, name) != value
    ]
    if left and answered > told.last_round:
        wrong.append(f"I answered in time until round {answered}, not {told.last_round}")
    wrong += _beyond(told, contract, K)
    for name, value in _shown(told.statement):
        if value != getattr(line, name, None):
            wrong.append(f"the statement shows {name} {value}, the ledger has another")
    for name in ("fee", "charge"):
        if getattr(line, name) > getattr(contract, f"largest_{name}"):
            wrong.append(f"{name} exceeds the largest {name} of the contract")
    return wrong


def _beyond(told: StatementMessage, contract: Contract, K: Fraction) -> list[str]:
    """Sums over all agents that no others could bring about: nobody bills beyond a contract, and
    a pool is the smallest where all others have equal samples (1/m is convex)."""
    m, M, n = told.line.samples, told.samples, told.agents
    if n > contract.agents or not m < M <= contract.samples + contract.others_samples:
        return [f"{n} agents with {M} samples are not what the contract allows for"]
    if told.line.pool < K * (n - 1) * (n - 2) / (M - m) - (n - 1):
        return [f"a pool of {told.line.pool} is less than any others would put up"]
    return []


def _shown(statement: dict[str, Any]) -> list[tuple[str, Any]]:
    """What a statement says in words, by name."""
    shown = [(name, statement.get(name)) for name in ("agent", "samples", "group", "won", "net")]
    lines = statement.get("lines")
    for line in lines if isinstance(lines, list) else []:
        if isinstance(line, dict):
            shown.append((str(line.get("name")), line.get("amount")))
    return shown
