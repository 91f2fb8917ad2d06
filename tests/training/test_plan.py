"""Plans: one document for one plan, everything else refused; and the networks they name."""

import json
from dataclasses import replace

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fedfact import InputError
from fedfact.data.sets import cifar10, digits, mnist
from fedfact.training import RECIPES, Augmentation, Recipe
from fedfact.training.model_bytes import from_bytes, to_bytes
from fedfact.training.networks import NETWORKS
from fedfact.training.plan import Plan

ADAM = Recipe("adam", 2e-3, drops=(0.5,), batch=16, local_steps=2)
examples = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""On a machine that others use as well."""

PLAN = Plan("digits", 6, 7, ADAM)


def test_a_plan_goes_into_a_document_and_back():
    plan = Plan("cifar10", 40, 2**63 - 1, RECIPES["cifar10"])
    document = plan.document()
    assert document == {
        "network": "cifar10",
        "rounds": 40,
        "seed": 2**63 - 1,
        "optimiser": "sgd",
        "rate": "0.05",
        "momentum": "0.9",
        "weight_decay": "0.0005",
        "drops": ["0.5", "0.75"],
        "batch": 128,
        "local_steps": 6,
    }
    assert Plan.read(json.loads(json.dumps(document))) == plan
    assert plan.horizon == 240
    assert plan == Plan("cifar10", 40, 2**63 - 1, replace(RECIPES["cifar10"], epochs=3))
    for name in NETWORKS:
        plan = Plan(name, 1, 0, replace(RECIPES[name], momentum=0, weight_decay=-0.0))
        assert Plan.read(plan.document()) == plan
        assert plan.document()["weight_decay"] == "0.0"


@examples
@given(
    st.builds(
        Recipe,
        st.sampled_from(["sgd", "adam"]),
        st.floats(1e-300, 1000.0),
        st.floats(0, 1, exclude_max=True),
        st.floats(0, 1000),
        st.lists(st.floats(0, 1, exclude_min=True), max_size=16).map(tuple),
        st.integers(1, 65_536),
        st.just(1),
        st.integers(1, 100_000),
    ),
    st.integers(1, 100_000),
    st.integers(0, 2**63 - 1),
)
def test_any_plan_goes_into_a_document_and_back(recipe, rounds, seed):
    plan = Plan("mnist", rounds, seed, recipe)
    document = plan.document()
    assert Plan.read(document) == plan
    assert Plan.read(document).document() == document


NOT_WHOLE = [0, -1, True, 1.0, "1", None, [1], 10**30]
NOT_DECIMAL = [0.5, 1, None, "", "nan", "inf", "-0.0", "0.50", ".5", "1e-1", "0.5 ", "1_0.0", "٠.٥"]
WRONG = {
    "network": ["", "ham10000", "digit", None, 3, ["digits"]],
    "optimiser": ["", "adamw", None, 3, ["sgd"]],
    "rounds": [*NOT_WHOLE, 100_001],
    "seed": [*NOT_WHOLE[1:], 2**63],
    "batch": [*NOT_WHOLE, 65_537],
    "local_steps": [*NOT_WHOLE, 100_001],
    "rate": [*NOT_DECIMAL, "0.0", "-1.0", "1000.1", "1e+300", "0." + "0" * 99 + "1"],
    "momentum": [*NOT_DECIMAL, "1.0", "-0.5"],
    "weight_decay": [*NOT_DECIMAL, "-0.5", "1000.1"],
    "drops": ["0.5", None, 0.5, {}, ["0.0"], ["1.5"], [0.5], ["0.5", None], ["0.5"] * 17],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG.items() for value in values]
)
def test_what_is_no_plan_is_refused(name, value):
    with pytest.raises(InputError):
        Plan.read(PLAN.document() | {name: value})


@pytest.mark.parametrize(
    "change", [{"image_size": 32}, {"augment": Augmentation(rotation=9.0)}, {"weighted": True}]
)
def test_what_a_plan_cannot_say_is_refused(change):
    with pytest.raises(InputError, match="plan: image size, augmentation and class weights are no"):
        replace(PLAN, recipe=replace(ADAM, **change))


@pytest.mark.parametrize("document", [None, [], "plan", 3, {}, {1: 2}])
def test_what_is_no_document_is_refused(document):
    with pytest.raises(InputError, match="plan: "):
        Plan.read(document)


def test_missing_and_unknown_keys_are_refused_by_name():
    for name in PLAN.document():
        document = PLAN.document()
        del document[name]
        with pytest.raises(InputError, match=f"plan: {name} is missing"):
            Plan.read(document)
    for name in ("epochs", "Rounds", ""):
        with pytest.raises(InputError, match=f"plan: '{name}' is not known"):
            Plan.read(PLAN.document() | {name: 3})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@examples
@given(st.sampled_from(sorted(WRONG)), json_values)
def test_any_value_makes_a_plan_or_a_refusal(name, value):
    try:
        plan = Plan.read(PLAN.document() | {name: value})
    except InputError:
        return
    assert plan.document() == PLAN.document() | {name: value}


def test_plans_made_in_python_are_checked_as_well():
    for wrong in (
        lambda: Plan("digit", 1, 0, ADAM),
        lambda: Plan("digits", 0, 0, ADAM),
        lambda: Plan("digits", 1.0, 0, ADAM),
        lambda: Plan("digits", 1, -1, ADAM),
        lambda: Plan("digits", 1, 0, replace(ADAM, rate=1e4)),
        lambda: Plan("digits", 1, 0, replace(ADAM, batch=10**6)),
        lambda: Plan("digits", 1, 0, replace(ADAM, drops=(0.5,) * 17)),
    ):
        with pytest.raises(InputError, match=r"plan: .+; "):
            wrong()


@pytest.mark.parametrize("module", [digits, mnist, cifar10])
def test_every_network_has_the_layout_of_its_model_and_its_data_sets_numbers(module):
    name = module.__name__.rsplit(".", 1)[1]
    network, plan = NETWORKS[name], Plan(name, 1, 0, RECIPES[name])
    weights = plan.initial_model().state_dict()
    assert [(key, f"torch.{kind}", shape) for key, kind, shape in plan.layout()] == [
        (key, str(value.dtype), tuple(value.shape)) for key, value in weights.items()
    ]
    assert plan.size() == sum(value.numel() * value.itemsize for value in weights.values())
    blank = network.blank()
    blank.load_state_dict(from_bytes(plan.initial(), plan.layout()))
    assert to_bytes(blank.state_dict()) == plan.initial()
    assert blank(torch.zeros(2, network.shape[2], *network.shape[:2])).shape == (2, 10)
    assert (network.classes, network.mean, network.std) == (
        module.CLASSES,
        module.MEAN,
        module.STD,
    )
