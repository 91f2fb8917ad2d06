"""What an agent knows, or assumes, of the other agents."""

from pathlib import Path

import numpy as np

from ..errors import InputError
from ..mechanism import Others, Population, Terms, whole_local_optimum
from ..mechanism.population import MOST_IN_ALL
from ..settlement.agents import read_agents


def others_from_file(path: Path, terms: Terms) -> Others:
    """The others as a file has them; the agent that asks is not in it."""
    file = read_agents(path)
    if len(file.agents) < 2:
        raise InputError(f"{path}: has one agent; name two others at least, and not yourself")
    try:
        everybody = Population(  # to check them as a settlement would; nobody else is called ""
            [*file.agents, ""], np.append(file.reported_cost, 1.0), np.append(file.samples, 1)
        )
        everybody.refuse(
            everybody.samples[:-1] < terms.minimum_samples,
            lambda k: f"has fewer samples than the {terms.minimum_samples} that the terms ask for",
        )
    except InputError as error:
        raise file.locate(error) from None
    return Others(file.samples.astype(float), file.reported_cost)


def others_like(true_cost: float, terms: Terms, agents: int, total: int | None) -> Others:
    """Others that are all alike: together with the agent that asks they have ``total`` samples.

    Without a total they are like that agent itself.
    """
    A = float(terms.required_error_scale)
    own = max(int(whole_local_optimum(true_cost, A)), terms.minimum_samples)
    if (own * agents if total is None else total) > MOST_IN_ALL:
        raise InputError(f"more than {MOST_IN_ALL:,} samples in all; check cost, total and agents")
    each = float(own) if total is None else (total - own) / (agents - 1)
    if each < terms.minimum_samples:
        raise InputError(
            f"a total of {total:,} samples leaves the {agents - 1} others fewer than "
            f"{terms.minimum_samples} each, beside your {own:,}; the total counts all, you included"
        )
    return Others(np.full(agents - 1, each), np.full(agents - 1, A / each**2))
