"""What an agent knows, or assumes, of the other agents."""

from pathlib import Path

import numpy as np

from ..mechanism import InputError, Others, Terms, whole_local_optimum
from .agents_file import read_agents


def others_from_file(path: Path) -> Others:
    """The others as a file has them; the agent that asks is not in it."""
    file = read_agents(path)
    if len(file.agents) < 2:
        raise InputError(
            f"{path}: has {len(file.agents)} agent; name two others at least, and not yourself"
        )
    return Others(file.samples.astype(float), file.reported_cost)


def others_like(true_cost: float, terms: Terms, agents: int, total: int | None) -> Others:
    """Others that are all alike: together with the agent that asks they have ``total`` samples.

    Without a total they are like that agent itself.
    """
    A = float(terms.required_error_scale)
    own = int(whole_local_optimum(true_cost, A))
    each = float(own) if total is None else (total - own) / (agents - 1)
    if each < 1:
        raise InputError(
            f"a total of {total:,} samples leaves the {agents - 1} others less than one each, "
            f"beside your {own:,}; the total counts all agents, you included"
        )
    return Others(np.full(agents - 1, each), np.full(agents - 1, A / each**2))
