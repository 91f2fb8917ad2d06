"""Recipes: the paper's settings, the falling rate, what is refused."""

import math

import pytest
import torch

from fedfact import InputError
from fedfact.training import RECIPES, Recipe


def test_the_settings_of_the_paper():
    adam = {"optimiser": "adam", "momentum": 0.0, "weight_decay": 0.0, "drops": ()}
    plain = {"image_size": None, "augment": None, "weighted": False}
    common = {"epochs": 100, "local_steps": 6, **plain}
    sgd = {"optimiser": "sgd", "momentum": 0.9, "weight_decay": 5e-4, "drops": (0.5, 0.75)}
    assert {name: vars(recipe) for name, recipe in RECIPES.items()} == {
        "digits": {**adam, **common, "rate": 2e-3, "batch": 32, "local_steps": 3},
        "mnist": {**adam, **common, "rate": 1e-3, "batch": 128},
        "cifar10": {**sgd, **common, "rate": 0.05, "batch": 128},
        "ham10000": {**adam, **common, "rate": 1e-3, "batch": 128},
    }


def test_the_rate_falls_at_half_and_three_quarters():
    recipe = Recipe("sgd", 0.5, drops=(0.5, 0.75))
    rates = [recipe.rate_at(step, 8) for step in range(8)]
    assert rates == pytest.approx([0.5] * 4 + [0.05] * 2 + [0.005] * 2, rel=1e-12)
    odd = [recipe.rate_at(step, 5) for step in range(5)]  # 2.5 and 3.75 steps
    assert odd == pytest.approx([0.5] * 3 + [0.05] + [0.005], rel=1e-12)


def test_the_rate_stays_without_drops():
    assert {Recipe("adam", 0.1).rate_at(step, 10) for step in range(10)} == {0.1}


def test_the_optimiser_gets_what_the_recipe_says():
    parameters = [torch.nn.Parameter(torch.zeros(2))]
    sgd = Recipe("sgd", 0.3, momentum=0.7, weight_decay=0.01).make_optimiser(parameters)
    assert isinstance(sgd, torch.optim.SGD)
    group = sgd.param_groups[0]
    assert [group[k] for k in ("lr", "momentum", "weight_decay", "nesterov", "dampening")] == [
        *(0.3, 0.7, 0.01, False, 0)
    ]
    adam = Recipe("adam", 0.3, weight_decay=0.01).make_optimiser(parameters)
    assert isinstance(adam, torch.optim.Adam)
    group = adam.param_groups[0]
    assert [group[k] for k in ("lr", "betas", "weight_decay", "eps")] == [
        *(0.3, (0.9, 0.999), 0.01, 1e-8)
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 0}, "epochs is 0; it must be 1 or more"),
        ({"epochs": -3}, "epochs is -3; it must be 1 or more"),
        ({"batch": 0}, "batch is 0; it must be 1 or more"),
        ({"local_steps": 0}, "local steps is 0; it must be 1 or more"),
        ({"image_size": 0}, "image size is 0; it must be 1 or more"),
        ({"rate": 0.0}, "the learning rate is 0.0; it must be a positive number"),
        ({"rate": -1.0}, "the learning rate is -1.0; it must be a positive number"),
        ({"rate": math.nan}, "the learning rate is nan; it must be a positive number"),
        ({"rate": math.inf}, "the learning rate is inf; it must be a positive number"),
    ],
)
def test_impossible_recipes_are_refused(change, message):
    with pytest.raises(InputError) as refusal:
        Recipe(**{"optimiser": "sgd", "rate": 0.1, **change})
    assert str(refusal.value) == message


def test_an_unknown_optimiser_is_refused():
    with pytest.raises(InputError, match="optimiser 'rmsprop' is not known; take sgd or adam"):
        Recipe("rmsprop", 0.1)
