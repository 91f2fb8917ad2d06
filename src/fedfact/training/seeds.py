"""Where randomness comes from: one number for each (seed, purpose, agent, ...), and no other.

Nothing is drawn from a common stream, so what one agent draws does not depend on the others, on
how many workers there are, or on whether the training was stopped and resumed on the way.
"""

import hashlib

import numpy as np


def derive(seed: int, purpose: str, *numbers: int) -> int:
    """A number below 2^63 for this seed and purpose, unlike that of any other."""
    text = "/".join(["fedfact", str(seed), purpose, *map(str, numbers)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def generator(seed: int, purpose: str, *numbers: int) -> np.random.Generator:
    """numpy's generator for this seed and purpose."""
    return np.random.default_rng(derive(seed, purpose, *numbers))
