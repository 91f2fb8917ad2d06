"""The terms of one season of a federation as they are published: all that every member signs.

Money (A, b, rule, unit, ...), training (network, recipe, rounds), conduct (quorum, deadlines),
payment (deposits, due dates, whose a surplus is), who decides disputes, the consortium and its
operator's public key, and the commitment to the operator's secret seed. The hash of these bytes
names the season: every message carries it.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from ...errors import InputError, check_keys, did_you_mean
from ...io import limits
from ...io.regular import read_bytes
from ...mechanism import Terms, billing_floor
from ...mechanism.exact import as_fraction
from ...mechanism.fees import misfit
from ...settlement.terms import FIELDS, TEXTS, read_sections, section, terms_of
from ...training.plan import DECIMAL, Plan
from ...training.recipe import RECIPES
from ..wire.canonical import decimal, number_of, without_floats
from ..wire.document import FORMAT, Document, Hash, Name, Stored
from .disputes import Arbitration
from .payment import PaymentTerms, payment_terms

_RECIPE = ("optimiser", "drops", "batch", "local_steps", *DECIMAL)
_NOT_HERE = {
    "loss_value": "federations do not settle by measured losses, since a member could hand in a "
    "baseline of its own making; fees follow the curve (error_scale, exponent)",
    "alpha": "it belongs to the penalty of the paper's figures, which no federation asks for",
}
"""Keys of other terms, and why they have no place in a federation's."""

_MONEY = tuple(name for name in FIELDS if name not in _NOT_HERE)
_WHOLE = ("minimum_samples", "escrow")  # all other numbers are decimal, as texts


class Conduct(Document):
    """How long members have to answer, and how many must take part."""

    quorum: Annotated[int, Field(ge=2, le=10_000)] = 3
    round_seconds: Annotated[int, Field(ge=1, le=604_800)] = 60
    answer_seconds: Annotated[int, Field(ge=1, le=604_800)] = 60


SeasonNumber = Annotated[int, Field(ge=1, le=10_000)]


class Published(Stored):
    """The published terms."""

    consortium: Hash
    season: SeasonNumber
    name: Name
    operator: Hash
    seed_commitment: Hash
    money: dict[str, Any]
    training: dict[str, Any]
    conduct: Conduct
    payment: PaymentTerms
    disputes: Arbitration

    def terms(self) -> Terms:
        """The terms of the settlement."""
        texts = {name: value for name, value in self.money.items() if name in TEXTS}
        numbers = {name: value for name, value in self.money.items() if name not in TEXTS}
        _refuse_elsewhere(self.money)
        if self.money.keys() != {*_MONEY}:
            wanted = ", ".join(sorted(_MONEY))
            raise InputError(f"the money terms must be {wanted}, no more or less")
        if numbers["error_scale"] is None:
            raise InputError(f"error_scale is missing: {_NOT_HERE['loss_value']}")
        for name in numbers.keys() - {*_WHOLE}:
            if not isinstance(numbers[name], str):
                raise InputError(f"{name} is {numbers[name]!r}; write it as text, such as '0.5'")
            numbers[name] = number_of(numbers[name])
        terms = Terms(**texts, **numbers)
        if reason := misfit(billing_floor(terms), terms):
            raise InputError(reason)
        terms.money_unit.check_currency()
        return terms

    def plan(self) -> Plan:
        """What is trained."""
        return Plan.read(self.training)

    def checked(self) -> "Published":
        """Itself, if all parts of it are sound."""
        self.terms()
        self.plan()
        if self.disputes.arbiter == self.operator:
            raise InputError(
                "the arbiter has the operator's key, and nobody decides about its own work; name "
                "somebody else in [disputes], or leave arbiter out"
            )
        return self


class Offer(NamedTuple):
    """What a file of terms says: the season's name, money, training and all else."""

    name: str
    money: Terms
    plan: Plan
    conduct: Conduct
    payment: PaymentTerms
    disputes: Arbitration = Arbitration()


def publish(
    offer: Offer, *, consortium: str, season: int, operator: str, seed_commitment: str
) -> Published:
    """The terms, ready to be published."""
    money = {name: _written(name, getattr(offer.money, name)) for name in _MONEY}
    return Published.take(
        {
            "format": FORMAT,
            "consortium": consortium,
            "season": season,
            "name": offer.name,
            "operator": operator,
            "seed_commitment": seed_commitment,
            "money": money,
            "training": offer.plan.document(),
            "conduct": offer.conduct.dump(),
            "payment": offer.payment.dump(),
            "disputes": offer.disputes.dump(),
        }
    ).checked()


def _refuse_elsewhere(money: Mapping[str, Any]) -> None:
    """Refuse keys that other terms have and a federation's have not, and say why."""
    for name, why in _NOT_HERE.items():
        if name in money:
            raise InputError(f"{name} has no place in a federation's terms: {why}. Leave it out")


def _written(name: str, value: Any) -> Any:
    """A value of the terms, in the one way in which it is published: 1 and 1.0 are the same."""
    if value is None or name in TEXTS or name in _WHOLE:
        return value
    text = decimal(value)
    if as_fraction(number_of(text)) != as_fraction(value):
        raise InputError(f"{name} is {value}; it has more digits than a decimal number can hold")
    return text


def read_federation_terms(path: Path) -> Offer:
    """Name, money and all else from a file of terms, whichever of the three it is.

    Where it does not say how to train, that is as in the network's own recipe. Terms that another
    federation published can be used again: its keys and its seed are not taken over.
    """
    table = read_sections(path)
    try:
        _refuse_elsewhere(section(table, "money"))
        terms = terms_of(table, _MONEY)
        said = _section(table, "conduct", list(Conduct.model_fields))
        conduct = Conduct.take(Conduct().dump() | said)
        said = _section(table, "disputes", list(Arbitration.model_fields))
        disputes = Arbitration.take(Arbitration().dump() | said)
        plan = _plan(_section(table, "training", ("network", "rounds", "seed", *_RECIPE)))
        payment = payment_terms(_section(table, "payment", list(PaymentTerms.model_fields)))
        name = table.get("name", "federation")
        return Offer(name, terms, plan, conduct, payment, disputes)
    except (InputError, TypeError) as error:
        raise InputError(f"{path}: {error}") from None


def _plan(said: dict[str, Any]) -> Plan:
    """What is trained; of the recipe, what is not said is that of the network's own data set."""
    network = said.get("network", "digits")
    if not isinstance(network, str) or network not in RECIPES:
        remedy = did_you_mean(str(network), RECIPES) or f"choose of {', '.join(RECIPES)}"
        raise InputError(f"network is {network!r}; {remedy}")
    own = Plan(network, said.get("rounds", 100), said.get("seed", 0), RECIPES[network])
    numbers = {k: float(v) if k in DECIMAL and type(v) is int else v for k, v in said.items()}
    return Plan.read(own.document() | without_floats(numbers))


def _section(table: dict[str, Any], name: str, known: Iterable[str]) -> dict[str, Any]:
    found = section(table, name)
    check_keys(found, known, f" in [{name}]")
    return found


def seasons_in(directory: Path) -> list[int]:
    """The seasons whose terms lie in an operator's or a member's directory, in order."""
    places = directory.glob("season-*/terms.json")
    numbers = (path.parent.name.removeprefix("season-") for path in places)
    return sorted(int(each) for each in numbers if re.fullmatch("[1-9][0-9]{0,4}", each))


def read_published(path: Path) -> Published:
    """The published terms in a file."""
    try:
        data = read_bytes(path, limits.KEPT)
    except OSError:
        raise InputError(f"{path}: is not there; fedfact federation join lays it there") from None
    try:
        return Published.read(data).checked()
    except InputError as error:
        raise InputError(f"{path}: {error}; remove it, and start fedfact federation join") from None
