"""Whether terms and reported costs go together with the samples that agents use.

Honest agents use what is best for them at their costs. If most use many times that, or a small part
of it, the curve is more likely wrong than they are, or stands in another unit than the costs.
"""

import numpy as np

from ..arrays import ArrayLike, Floats, floats
from ..mechanism import Population, Terms, billing_floor, rule_of

FAR = 3
"""How many times what is best agents may use, or the inverse, before that is remarked."""


def remark_on_fit(population: Population, terms: Terms) -> str | None:
    """What to look into, if the agents' samples are far from what suits their reports."""
    size = 1 if population.size is None else population.size
    signed = population.total_size if population.signed_size is None else population.signed_size
    return remark_on_samples(
        population.samples, population.reported_cost, size, signed, terms, population.capacity
    )


def remark_on_samples(
    samples: ArrayLike,
    reported_cost: ArrayLike,
    size: ArrayLike,
    total_size: int,
    terms: Terms,
    capacity: ArrayLike | None = None,
    at: str = "its reported cost",
) -> str | None:
    """The same in columns; ``at`` names the cost in words."""
    wanted: Floats = rule_of(terms).own_curve(terms.curve, size, total_size).optimum(reported_cost)
    sizes, kind = np.unique(size, return_inverse=True)
    floors = np.array([billing_floor(terms, int(u)) for u in sizes])[kind]
    wanted = np.maximum(wanted, floors.reshape(np.shape(size)))
    if capacity is not None:
        wanted = np.minimum(wanted, capacity)
    times = float(np.median(floats(samples) / wanted))
    if 1 / FAR <= times <= FAR:
        return None
    how = f"{times:,.1f} times as many" if times > 1 else f"{1 / times:,.1f} times fewer"
    than = "as" if times > 1 else "than"
    return (
        f"the median agent uses {how} samples {than} would be best at {at} under these terms; "
        "check error_scale and exponent, and that costs are in their unit"
    )
