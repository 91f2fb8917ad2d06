"""What a study is: data, agents and their costs, training, terms. Checked whole before any work.

A study is run for every *arm*: each partition of the data, and each number of agents that deviate
from what they agreed; and every arm for every seed.
"""

from dataclasses import replace
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ...arrays import LARGEST, SMALLEST
from ...data.description import SplitBy
from ...data.partition import parse_scheme
from ...data.registry import SETS, SPLIT, Name
from ...errors import InputError
from ...mechanism import RULES, Curve, Terms
from ...training.augmentation.settings import Augmentation
from ...training.recipe import RECIPES, Recipe

COARSEST = 1e-3
"""The most test loss that one unit of money may be worth."""

SPREAD = 0.1
"""Of costs that are drawn, where the study does not say."""

AtLeastOne = Annotated[int, Field(ge=1, le=1_000_000)]
Positive = Annotated[float, Field(ge=SMALLEST, le=LARGEST)]


def _sound_scheme(how: str) -> str:
    """The partition, if it is one, in the one way to write it: files are named by it."""
    try:
        concentration = parse_scheme(how)
    except InputError as error:
        raise ValueError(str(error)) from None
    return "iid" if concentration is None else f"dirichlet:{concentration!r}".removesuffix(".0")


class _Strict(BaseModel):
    """No unknown keys, no numbers in quotes, nothing that changes later."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class StudyCosts(_Strict):
    """True costs per sample, c_i.

    Without ``mean`` it is the one at which the m* of all agents together are all of the data. With
    samples given and no mean, costs are those at which the samples are m*, or drawn around those.

    Attributes:
        kind: ``uniform``, the same for all, as in the paper; ``gaussian`` and ``lognormal``, drawn
            anew for every seed; ``file``, as given.
        mean: of uniform and gaussian costs; the median of lognormal ones.
        spread: standard deviation as a part of the mean (lognormal: of the logarithm).
        file: CSV or JSON with the columns agent and true_cost, and perhaps samples.
        values, names: the costs themselves, and whose they are; a study that was run has those of
            the file here.
    """

    kind: Literal["uniform", "gaussian", "lognormal", "file"] = "uniform"
    mean: Positive | None = None
    spread: Annotated[float, Field(gt=0, le=1)] = SPREAD
    file: str | None = None
    values: tuple[Positive, ...] | None = None
    names: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.names is not None and len(self.names) != len(self.values or ()):
            raise ValueError(f"{len(self.names)} names for {len(self.values or ())} values")
        if self.names is not None and len(set(self.names)) < len(self.names):
            raise ValueError("agents of a costs file: one is there twice; keep one")
        given = self.file is not None or self.values is not None
        if (self.kind == "file") != given:
            raise ValueError("kind is file, and file names it, or neither")
        if self.spread != SPREAD and self.kind not in ("gaussian", "lognormal"):
            raise ValueError(
                f"spread is {self.spread:g}, and costs of kind {self.kind} have none; leave it out "
                f"or at {SPREAD}, or take kind gaussian or lognormal"
            )
        if self.kind == "file" and self.mean is not None:
            raise ValueError("costs come from a file; leave out mean")
        return self


class Deviators(_Strict):
    """Agents that do not do what they agreed.

    Attributes:
        kind: ``free-ride`` reports the truth and uses less data than agreed; ``misreport`` reports
            another cost and uses the data that fits the report.
        number: how many; several numbers are several arms.
        strength: the part of its data that a free rider holds back; what part of its cost a
            misreporter adds (below 0: takes off).
    """

    kind: Literal["free-ride", "misreport"]
    number: Annotated[int, Field(ge=0)] | tuple[Annotated[int, Field(ge=0)], ...]
    strength: Annotated[float, Field(gt=-1, le=1000)]

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.kind == "free-ride" and not 0 < self.strength < 1:
            raise ValueError("a free rider holds back a part of its data: strength in (0, 1)")
        if self.strength == 0:
            raise ValueError("a misreport adds a part of the cost: strength above -1 and not 0")
        if self.number == ():
            raise ValueError("number is empty; give one number, or several for several arms")
        return self

    def numbers(self) -> tuple[int, ...]:
        """One number for each arm."""
        return (self.number,) if isinstance(self.number, int) else self.number


class Augment(_Strict):
    """How training images are changed at random (see ``fedfact.training.Augmentation``)."""

    horizontal_flip: bool = False
    vertical_flip: bool = False
    rotation: Annotated[float, Field(ge=0, le=180)] = 0.0
    brightness: Annotated[float, Field(ge=0, le=1)] = 0.0
    contrast: Annotated[float, Field(ge=0, le=1)] = 0.0
    hue: Annotated[float, Field(ge=0, le=0.5)] = 0.0

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if not any(self.model_dump().values()):
            raise ValueError(
                "it changes nothing; give a flip, a rotation or a jitter, or leave it out"
            )
        return self


class Training(_Strict):
    """What differs from the data set's own recipe, and how often models are tested."""

    optimiser: Literal["sgd", "adam"] | None = None
    rate: Positive | None = None
    momentum: Annotated[float, Field(ge=0, lt=1)] | None = None
    weight_decay: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    drops: tuple[Annotated[float, Field(gt=0, le=1)], ...] | None = None
    batch: AtLeastOne | None = None
    epochs: AtLeastOne | None = None
    local_steps: AtLeastOne | None = None
    image_size: Annotated[int, Field(ge=1, le=4096)] | None = None
    augment: Augment | None = None
    weighted: bool | None = None
    test_every: AtLeastOne = 1


class StudyTerms(_Strict):
    """Terms of the settlements, by every rule; the curve decides how many samples are agreed."""

    error_scale: Positive = 1.0
    exponent: Annotated[float, Field(ge=0.05, le=2)] = 1.0
    alpha: Annotated[float, Field(ge=0, lt=2)] = 1.0
    unit: Positive = 1e-9
    retention: Annotated[float, Field(ge=0, le=1)] = 0.0
    consistency: Annotated[float, Field(ge=0, le=1e6)] = 1.0
    loss_value: Positive = 1.0

    @model_validator(mode="after")
    def _sound(self) -> Self:
        try:
            for rule in RULES:
                self.agreed(rule)
        except InputError as error:
            raise ValueError(str(error)) from None
        if self.unit / self.loss_value > COARSEST:
            raise ValueError(
                f"a unit of money is worth {self.unit / self.loss_value:g} of test loss, too much "
                f"to settle by; take a unit of at most {COARSEST * self.loss_value:g}"
            )
        return self

    @property
    def curve(self) -> Curve:
        """e(m) = A·m^(−b)."""
        return Curve(self.error_scale, self.exponent)

    def agreed(self, rule: str) -> Terms:
        """The terms of a settlement by this rule."""
        return Terms(rule=rule, **self.model_dump())


class Study(_Strict):
    """A study.

    Attributes:
        name: of the directory and the page.
        samples: agreed samples, one number or one for each agent; without, m* of the report.
        seeds: how many; the seeds are 0, 1, 2, ...
        score: the test losses that are settled: after the last epoch, or at the epoch of lowest
            test loss of each model.
        split: how the test set is set apart, where the data set leaves a choice.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)]
    dataset: Name
    agents: Annotated[int, Field(ge=3, le=1_000_000)]
    partitions: Annotated[
        tuple[Annotated[str, AfterValidator(_sound_scheme)], ...], Field(min_length=1)
    ] = ("iid",)
    samples: AtLeastOne | tuple[AtLeastOne, ...] | None = None
    seeds: Annotated[int, Field(ge=1, le=1000)] = 3
    score: Literal["final", "best"] = "final"
    split: SplitBy = "lesion"
    costs: StudyCosts = StudyCosts()
    training: Training = Training()
    terms: StudyTerms = StudyTerms()
    deviators: tuple[Deviators, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _as_the_paper(cls, given: object) -> object:
        """The paper's number of agents and the data's name, unless the study says others."""
        if isinstance(given, dict) and given.get("dataset") in list(SETS):
            return {"agents": SETS[given["dataset"]].agents, "name": given["dataset"], **given}
        return given

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(set(map(parse_scheme, self.partitions))) < len(self.partitions):
            raise ValueError("partitions: one is there twice; leave it out")
        self._has_effect()
        if isinstance(self.samples, tuple) and len(self.samples) != self.agents:
            raise ValueError(
                f"samples: {len(self.samples)} numbers for {self.agents} agents; give one or "
                f"{self.agents}"
            )
        if self.costs.values is not None and len(self.costs.values) != self.agents:
            raise ValueError(
                f"costs: {len(self.costs.values)} costs for {self.agents} agents; give as many"
            )
        lengths = {len(each.numbers()) for each in self.deviators} - {1}
        if len(lengths) > 1:
            raise ValueError("deviators: lists of numbers must be equally long, one for each arm")
        if len(set(self.deviations())) < len(self.deviations()):
            raise ValueError("deviators: two arms are the same; leave one out")
        most = max(map(sum, self.deviations()))
        if most > self.agents:
            raise ValueError(f"deviators: {most} deviate of {self.agents} agents; take fewer")
        return self

    def _has_effect(self) -> None:
        """Refuse what would be recorded and change nothing."""
        if self.split != "lesion" and not SETS[self.dataset].splits:
            some = " and ".join(SPLIT)
            raise ValueError(
                f"split is {self.split!r}, and only {some} has a test set to be set apart; leave "
                "it out"
            )
        if self.training.image_size and not SETS[self.dataset].pretrained:
            some = " and ".join(name for name, each in SETS.items() if each.pretrained)
            raise ValueError(
                f"training.image_size is {self.training.image_size}, and only the network of "
                f"{some} takes images of other sizes; leave it out"
            )
        augment = self.training.augment
        if augment and augment.hue and SETS[self.dataset].shape[2] == 1:
            raise ValueError(
                f"training.augment.hue is {augment.hue:g}, and images of {self.dataset} are grey; "
                "leave it out"
            )
        if self.training.momentum and self.recipe().optimiser == "adam":
            raise ValueError(
                f"training.momentum is {self.training.momentum:g}, and Adam takes none; leave it "
                "out, or take optimiser sgd"
            )

    def deviations(self) -> list[tuple[int, ...]]:
        """For each arm of a partition, how many agents deviate in each way."""
        arms = max((len(each.numbers()) for each in self.deviators), default=1)
        columns = [
            each.numbers() if len(each.numbers()) == arms else each.numbers() * arms
            for each in self.deviators
        ]
        return [tuple(column[k] for column in columns) for k in range(arms)]

    def recipe(self) -> Recipe:
        """How agents train."""
        given = self.training.model_dump(exclude_none=True, exclude={"test_every", "augment"})
        if self.training.augment is not None:
            given["augment"] = Augmentation(**self.training.augment.model_dump())
        made = replace(RECIPES[self.dataset], **given)
        return made if made.optimiser == "sgd" else replace(made, momentum=0.0)
