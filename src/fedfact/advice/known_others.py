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


def others_from_file(path: Path, terms: Terms, own_size: int | None = None) -> Others:
    """The others as a file has them; the agent that asks is not in it."""
    file = read_agents(path)
    if file.size is not None and own_size is None:
        raise InputError(f"{path}: the others have sizes; give yours with --size")
    if len(file.agents) < 2:
        raise InputError(f"{path}: has one agent; name two others at least, and not yourself")
    size = file.size
    try:
        everybody = Population(  # to check them as a settlement would; nobody else is called ""
            [*file.agents, ""],
            np.append(file.reported_cost, 1.0),
            np.append(file.samples, 1),
            size=None if size is None else np.append(size, own_size or 1),
        )
        floor = billing_floor(terms)
        everybody.refuse(
            everybody.samples[:-1] < floor,
            lambda k: f"has fewer samples than the {floor} that anybody is billed for",
        )
    except InputError as error:
        raise file.locate(error) from None
    return Others(file.samples.astype(float), file.reported_cost, size)


def others_like(
    true_cost: float, terms: Terms, agents: int, total: int | None, size: int = 1
) -> Others:
    """Others that are all alike, in size too: with the one that asks they have ``total`` samples.

    Without a total they are like that agent itself.
    """
    own = rule_of(terms).own_curve(terms.curve, size, size * agents)
    like_me = max(int(whole_local_optimum(true_cost, own)), least_admitted(terms, size))
    if (like_me * agents if total is None else total) > MOST_IN_ALL:
        raise InputError(f"more than {MOST_IN_ALL:,} samples in all; check cost, total and agents")
    each = float(like_me) if total is None else (total - like_me) / (agents - 1)
    if each < (floor := billing_floor(terms, size)):
        raise InputError(
            f"a total of {total:,} samples leaves the {agents - 1} others fewer than "
            f"{floor} each, beside your {like_me:,}; the total counts all, you "
            "included"
        )
    sizes = None if size == 1 else np.full(agents - 1, size)
    cost = float(own.fitting_cost(each))
    return Others(np.full(agents - 1, each), np.full(agents - 1, cost), sizes)
