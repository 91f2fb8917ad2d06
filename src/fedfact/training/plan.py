"""What a federation trains, the same for all members: part of what they sign.

A plan can be written as a document of JSON values without floats (decimal numbers are text), in one
way only, so that equal plans have equal documents and a document has one plan. Reading and writing
it needs no PyTorch: only what makes weights does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..errors import InputError, did_you_mean
from .networks import NETWORKS, Network
from .recipe import Recipe

if TYPE_CHECKING:
    from torch import nn

    from .model_bytes import Layout

WHOLE = {
    "rounds": (1, 100_000),
    "seed": (0, 2**63 - 1),
    "batch": (1, 65_536),
    "local_steps": (1, 100_000),
}
"""Whole numbers, each from the first to the last of these."""

DECIMAL = {"rate": 1000.0, "momentum": 1.0, "weight_decay": 1000.0}
"""Decimal numbers from 0 to at most these."""

MOST_DROPS = 16
_KEYS = ("network", "optimiser", "drops", *WHOLE, *DECIMAL)


@dataclass(frozen=True)
class Plan:
    """The network by its name, T rounds, the seed, and the recipe.

    ``recipe.local_steps`` is h; the rate follows its schedule over the T h steps of a member that
    takes part in every round. Epochs are not counted, so ``recipe.epochs`` is put to 1.
    """

    network: str
    rounds: int
    seed: int
    recipe: Recipe

    def __post_init__(self) -> None:
        if self.network not in NETWORKS:
            known = ", ".join(NETWORKS)
            hint = f"{did_you_mean(self.network, NETWORKS)} ".lstrip()
            raise InputError(f"plan: network is {_short(self.network)}; {hint}known are {known}")
        recipe = self.recipe
        if recipe.image_size or recipe.augment or recipe.weighted:
            raise InputError(
                "plan: image size, augmentation and class weights are no part of a plan; leave "
                "them out of its recipe"
            )
        for name, (least, most) in WHOLE.items():
            value = getattr(self if name in ("rounds", "seed") else recipe, name)
            if type(value) is not int or not least <= value <= most:
                raise _wrong(name, value, f"a whole number from {least} to {most}")
        for name, largest in DECIMAL.items():
            if not 0 <= getattr(recipe, name) <= largest:
                raise _wrong(name, getattr(recipe, name), f"a number from 0 to {largest:g}")
        if len(recipe.drops) > MOST_DROPS:
            raise _wrong("drops", recipe.drops, f"at most {MOST_DROPS} of them")
        object.__setattr__(self, "recipe", replace(recipe, epochs=1))

    @property
    def horizon(self) -> int:
        """T h, the steps of a member that takes part in every round."""
        return self.rounds * self.recipe.local_steps

    def layout(self) -> Layout:
        """Name, type and shape of each tensor of the network, in the order of its state dict."""
        return _layout(self.network)

    def size(self) -> int:
        """The bytes of one model."""
        from .model_bytes import size_of

        return size_of(self.layout())

    def initial_model(self) -> nn.Module:
        """The network with its first weights."""
        from .job import initial_model

        return initial_model(self.network_itself().new, self.seed)

    def initial(self) -> bytes:
        """The first weights, as bytes."""
        from .model_bytes import to_bytes

        return to_bytes(self.initial_model().state_dict())

    def network_itself(self) -> Network:
        """The network of the name."""
        return NETWORKS[self.network]

    def document(self) -> dict[str, Any]:
        """The plan as text and whole numbers by name, and the drops of the rate as a list."""
        recipe = self.recipe
        return {
            "network": self.network,
            "optimiser": recipe.optimiser,
            "drops": [_text(drop) for drop in recipe.drops],
            "rounds": self.rounds,
            "seed": self.seed,
            "batch": recipe.batch,
            "local_steps": recipe.local_steps,
            **{name: _text(getattr(recipe, name)) for name in DECIMAL},
        }

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Plan:
        """The plan of a document; anything that no plan is written as is refused."""
        if not isinstance(document, Mapping):
            raise InputError(f"plan: is no object but {_short(document)}; give {', '.join(_KEYS)}")
        for key in [*_KEYS, *document]:
            if key not in document:
                raise InputError(f"plan: {key} is missing; give {', '.join(_KEYS)}")
            if key not in _KEYS:
                raise InputError(f"plan: {_short(key)} is not known; give {', '.join(_KEYS)} alone")
        drops = document["drops"]
        for name in ("network", "optimiser"):
            if type(document[name]) is not str:
                raise _wrong(name, document[name], "a name as text")
        if type(drops) is not list or len(drops) > MOST_DROPS:
            raise _wrong("drops", drops, f"a list of at most {MOST_DROPS} numbers as text")
        for name in WHOLE:
            if type(document[name]) is not int:
                raise _wrong(name, document[name], "a whole number")
        settings: dict[str, Any] = {name: _number(name, document[name]) for name in DECIMAL}
        settings["drops"] = tuple(_number("drops", drop) for drop in drops)
        settings |= {name: document[name] for name in ("optimiser", "batch", "local_steps")}
        return cls(document["network"], document["rounds"], document["seed"], Recipe(**settings))


@lru_cache
def _layout(network: str) -> Layout:
    from .model_bytes import layout_of

    return layout_of(NETWORKS[network].outline().state_dict())


def _text(number: float) -> str:
    return repr(float(number) + 0.0)  # there is one zero, not two


def _number(name: str, text: object) -> float:
    """The number of a text, if it is as we write it: 0.002, and not 2E-03."""
    if type(text) is str and len(text) <= 32:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if math.isfinite(number) and _text(number) == text:
            return number
    raise _wrong(name, text, 'a decimal number as text, such as "0.002"')


def _wrong(name: str, value: object, wanted: str) -> InputError:
    return InputError(f"plan: {name} is {_short(value)}; give {wanted}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
