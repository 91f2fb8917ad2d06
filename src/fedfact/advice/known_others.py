"""What an agent knows, or assumes, of the other agents."""

from pathlib import Path

import numpy as np

from ..errors import InputError
from ..mechanism import (
    Others,
    Population,
    Terms,
    billing_floor,
    least_admitted,
    rule_of,
    whole_local_optimum,
)
from ..mechanism.population import MOST_IN_ALL
from ..settlement.agents import read_agents


def others_from_file(path: Path, terms: Terms) -> Others:
    """The others as a file has them; the agent that asks is not in it."""
    file = read_agents(path)
    if len(file.agents) < 2:
        raise InputError(f"{path}: has one agent; name two others at least, and not yourself")
    size = file.size
    try:
        everybody = Population(  # to check them as a settlement would; nobody else is called ""
            [*file.agents, ""],
            np.append(file.reported_cost, 1.0),
            np.append(file.samples, 1),
            size=None if size is None else np.append(size, 1),
        )
        floor = billing_floor(terms)
        everybody.refuse(
            everybody.samples[:-1] < floor,
            lambda k: f"has fewer samples than the {floor} that anybody is billed for",
        )
    except InputError as error:
        raise file.locate(error) from None
    return Others(file.samples.astype(float), file.reported_cost, size)


def others_like(true_cost: float, terms: Terms, agents: int, total: int | None) -> Others:
    """Others that are all alike: together with the agent that asks they have ``total`` samples.

    Without a total they are like that agent itself.
    """
    own = rule_of(terms).own_curve(terms.curve, 1, agents)
    like_me = max(int(whole_local_optimum(true_cost, own)), least_admitted(terms))
    if (like_me * agents if total is None else total) > MOST_IN_ALL:
        raise InputError(f"more than {MOST_IN_ALL:,} samples in all; check cost, total and agents")
    each = float(like_me) if total is None else (total - like_me) / (agents - 1)
    if each < billing_floor(terms):
        raise InputError(
            f"a total of {total:,} samples leaves the {agents - 1} others fewer than "
            f"{billing_floor(terms)} each, beside your {like_me:,}; the total counts all, you "
            "included"
        )
    return Others(np.full(agents - 1, each), np.full(agents - 1, float(own.fitting_cost(each))))
