"""What ``summary.json`` and ``manifest.json`` hold, key by key and type by type.

A report takes what it draws from these, so both are checked as a whole when they are read. Keys
that a later version adds are left alone.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from ...arrays import LARGEST
from ...data.partition import parse_scheme
from ...data.registry import SETS
from ...errors import InputError
from ...mechanism.exact import MOST_MONEY
from .keys import facts, measured_of, rational_of

AGAIN = "finish the study anew with --resume, or name another directory"

FiniteNumber = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
PositiveFinite = Annotated[float, Field(gt=0, le=LARGEST, allow_inf_nan=False)]
WholeMoney = Annotated[int, Field(ge=-MOST_MONEY, le=MOST_MONEY)]
ZeroOrMore = Annotated[int, Field(ge=0, le=10**12)]
Values = list[FiniteNumber]


def _words(text: str) -> str:
    if not text.isprintable():
        raise ValueError("has control characters")
    return text


def _known(name: str) -> str:
    if name not in SETS:
        raise ValueError("is no data set that is known")
    return name


def _scheme(partition: str) -> str:
    parse_scheme(partition)
    return partition


PlainText = Annotated[str, Field(max_length=500), AfterValidator(_words)]


def _between(of: "Estimate") -> "Estimate":
    low, mean, high = of["low"], of["mean"], of["high"]
    if (low is None) != (high is None) or (
        low is not None and high is not None and not low <= mean <= high
    ):
        raise ValueError("the mean is not within its interval")
    return of


@with_config(ConfigDict(extra="allow"))
class Estimate(TypedDict):
    """A mean over seeds, the ends of its interval (None with one seed), and the values."""

    mean: FiniteNumber
    low: FiniteNumber | None
    high: FiniteNumber | None
    seeds: Annotated[Values, Field(min_length=1)]


Numbers = dict[str, Annotated[Estimate, AfterValidator(_between)]]
Ratios = dict[str, Annotated[Estimate, AfterValidator(_between)] | None]


@with_config(ConfigDict(extra="allow"))
class Scored(TypedDict):
    """What is measured by one score."""

    accuracy: Numbers
    loss: Numbers
    ratio: Ratios


@with_config(ConfigDict(extra="allow"))
class Deviator(TypedDict):
    """How many agents deviate, and how."""

    kind: PlainText
    number: ZeroOrMore
    strength: FiniteNumber


@with_config(ConfigDict(extra="allow"))
class Truthfulness(TypedDict):
    """Figure 1: curves by seed."""

    added: Annotated[Values, Field(min_length=1)]
    simulated_at: Annotated[Values, Field(min_length=1)]
    trials: ZeroOrMore
    believed: Annotated[list[Values], Field(min_length=1)]
    simulated: Annotated[list[Values], Field(min_length=1)]
    realised: Annotated[list[Values], Field(min_length=1)]


@with_config(ConfigDict(extra="allow"))
class PenaltyCurve(TypedDict):
    """One α of Figure 3."""

    alpha: FiniteNumber
    values: Values
    total: Values
    lowest: FiniteNumber
    best: FiniteNumber


@with_config(ConfigDict(extra="allow"))
class Penalty(TypedDict):
    """Figure 3."""

    samples: Annotated[Values, Field(min_length=1)]
    optimum: Annotated[FiniteNumber, Field(gt=0)]
    curves: Annotated[list[PenaltyCurve], Field(min_length=1)]


@with_config(ConfigDict(extra="allow"))
class Passed(TypedDict):
    """Of how many agents how many pass a check."""

    passed: ZeroOrMore
    of: ZeroOrMore


@with_config(ConfigDict(extra="allow"))
class Left(TypedDict):
    """What a rule leaves the operator with, or lacks, seed by seed, and by what it settled."""

    input: Literal["measured", "analytic"]
    surplus: Annotated[list[WholeMoney], Field(min_length=1)]
    shortfall: Annotated[list[WholeMoney], Field(min_length=1)]


@with_config(ConfigDict(extra="allow"))
class ArmSummary(Scored):
    """One arm of a study."""

    arm: PlainText
    partition: Annotated[PlainText, AfterValidator(_scheme)]
    deviators: list[Deviator]
    samples: Annotated[Estimate, AfterValidator(_between)]
    by_curve: dict[PlainText, Numbers]
    at_local_loss: Numbers
    spread: Numbers
    truthfulness: Truthfulness
    penalty: Penalty
    checks: dict[PlainText, Passed]
    settlement: Annotated[dict[PlainText, Left], Field(min_length=2)]
    best: NotRequired[Scored]
    final: NotRequired[Scored]


@with_config(ConfigDict(extra="allow"))
class TheCurve(TypedDict):
    """A·m^(−b), and what one unit of money is worth in it."""

    error_scale: PositiveFinite
    exponent: PositiveFinite
    unit: PositiveFinite


@with_config(ConfigDict(extra="allow"))
class Summary(TypedDict):
    """A study summed up."""

    study: PlainText
    title: PlainText
    dataset: Annotated[str, AfterValidator(_known)]
    agents: Annotated[int, Field(ge=1, le=10**7)]
    seeds: Annotated[list[Annotated[int, Field(ge=0, le=2**62)]], Field(min_length=1)]
    unit: FiniteNumber
    curve: TheCurve
    classes: Annotated[list[PlainText], Field(min_length=1)]
    arms: Annotated[list[ArmSummary], Field(min_length=1)]


@with_config(ConfigDict(extra="allow"))
class Manifest(TypedDict):
    """By whom and on what a study was run."""

    command: str
    seconds: dict[str, dict[str, FiniteNumber]]


_SUMMARY, _MANIFEST = TypeAdapter(Summary), TypeAdapter(Manifest)


def check_summary(path: Path, document: Any) -> None:
    """Refuse what is no summary of a study, and name the key."""
    _check(path, document, _SUMMARY, "summary")
    names = [arm["arm"] for arm in document["arms"]]
    if len({*names}) < len(names) or len({*document["seeds"]}) < len(document["seeds"]):
        raise _refusal(path, "summary", "an arm or a seed is there twice")
    for k, arm in enumerate(document["arms"]):
        if why := _odd(arm, document["arms"][0]):
            raise _refusal(path, "summary", f"arms.{k}.{why}")


def check_manifest(path: Path, document: Any) -> None:
    """Refuse what is no manifest of a study, and name the key."""
    _check(path, document, _MANIFEST, "manifest")


def _odd(arm: Any, first: Any) -> str:
    """What an arm lacks of what goes together, in words: each rule has keys of its own."""
    rules, measured = list(arm["settlement"]), measured_of(arm)
    if rules != list(first["settlement"]) or measured != measured_of(first):
        return "settlement: is by other rules than the first arm's"
    wanted = {
        "accuracy": ("local", "federated"),
        "loss": ("local", "federated", *facts(measured)),
        "ratio": facts(measured),
        "at_local_loss": measured,
        "spread": ("agent", "mean"),
        "checks": ("contribution", *map(rational_of, rules)),
    }
    for table, keys in wanted.items():
        for key in keys:
            if key not in arm[table]:
                return f"{table}.{key}: field required"
    if list(arm["by_curve"]) != rules:
        return "by_curve: is of other rules than settlement"
    for rule in rules:
        for key in ("samples", "loss"):
            if key not in arm["by_curve"][rule]:
                return f"by_curve.{rule}.{key}: field required"
    for score in ("best", "final"):
        if "fact_paper" not in arm.get(score, arm)["ratio"]:
            return f"{score}.ratio.fact_paper: field required"
    figure, penalty = arm["truthfulness"], arm["penalty"]
    lengths = {"believed": "added", "realised": "added", "simulated": "simulated_at"}
    for key, at in lengths.items():
        if any(len(line) != len(figure[at]) for line in figure[key]):
            return f"truthfulness.{key}: is not as long as {at}"
    for curve in penalty["curves"]:
        if not len(curve["values"]) == len(curve["total"]) == len(penalty["samples"]):
            return "penalty.curves: are not as long as samples"
    return ""


def _check(path: Path, document: Any, form: TypeAdapter[Any], what: str) -> None:
    try:
        form.validate_python(document, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))[:200] or "it"
        raise _refusal(path, what, f"{where}: {first['msg'].lower()}") from None


def _refusal(path: Path, what: str, why: str) -> InputError:
    return InputError(f"{path}: is not the {what} of a study ({why}); {AGAIN}")
