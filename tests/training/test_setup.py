"""Jobs from a few words: the paper's defaults, unequal samples, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from fedfact import InputError
from fedfact.data.dataset import Dataset, Samples
from fedfact.data.registry import SETS
from fedfact.training import RECIPES
from fedfact.training.setup import prepare


def sizes(job):
    return [len(shard) for shard in job.shards]


def test_defaults_are_the_papers():
    job = prepare("digits")
    assert sizes(job) == [89] * 16  # of 1,438
    assert job.recipe == RECIPES["digits"]
    assert job.seed == 0
    agents = {name: each.agents for name, each in SETS.items()}
    assert agents == {"digits": 16, "mnist": 16, "cifar10": 16, "ham10000": 10}
    assert len(set(np.concatenate(job.shards).tolist())) == 16 * 89  # no sample twice
    assert job.network()(torch.zeros(2, 1, 8, 8)).shape == (2, 10)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({"agents": 5}, [287] * 5),
        ({"samples": [300, 200, 100]}, [300, 200, 100]),
        ({"agents": 3, "samples": [300, 200, 100]}, [300, 200, 100]),
        ({"agents": 4, "samples": [50]}, [50] * 4),
        ({"samples": [50]}, [50] * 16),
        ({"agents": 1, "samples": [1438]}, [1438]),
        ({"samples": [1000, 438], "how": "dirichlet:0.3"}, [1000, 438]),
    ],
)
def test_samples_are_dealt_out_as_asked(words, expected):
    job = prepare("digits", **words)
    assert sizes(job) == expected
    assert len(set(np.concatenate(job.shards).tolist())) == sum(expected)


def test_the_seed_decides_the_partition_and_the_weights():
    one, same, other = (prepare("digits", agents=4, seed=seed) for seed in (1, 1, 2))
    assert one.describe() == same.describe()
    assert all((a == b).all() for a, b in zip(one.shards, same.shards, strict=True))
    assert {name for name, value in one.describe().items() if other.describe()[name] != value} == {
        "seed",
        "first weights",
        "samples of the agents",
    }


def test_a_recipe_of_ones_own_is_taken():
    recipe = replace(RECIPES["digits"], epochs=3)
    assert prepare("digits", recipe=recipe).recipe is recipe


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"agents": 0}, "agents are 0; take 1 or more"),
        ({"agents": -4}, "agents are -4; take 1 or more"),
        ({"agents": 3, "samples": [9, 9]}, "samples are given for 2 agents of 3; give one or 3"),
        ({"samples": []}, "samples are given for 0 agents of 16; give one or 16"),
        (
            {"samples": [1000, 439]},
            "2 agents want 1439 samples together, but there are 1438; take fewer agents",
        ),
        ({"agents": 16, "samples": [90]}, "16 agents want 1440 samples together"),
        ({"samples": [5, 0]}, r"agent 1 \(counted from 0\) is to get 0 samples; give every agent"),
        ({"samples": [-5, 3]}, r"agent 0 \(counted from 0\) is to get -5 samples"),
        ({"agents": 1439}, "1439 agents cannot share 1438 samples; take fewer agents"),
        ({"how": "sorted"}, "partition 'sorted' is not known; write iid or dirichlet"),
    ],
)
def test_what_cannot_be_dealt_out_is_refused(words, message):
    with pytest.raises(InputError, match=message):
        prepare("digits", **words)


def test_unknown_data_sets_are_refused():
    with pytest.raises(InputError, match=r"data set 'digit' is not known; did you mean digits\?"):
        prepare("digit")


@pytest.mark.parametrize(
    ("name", "side", "channels", "agents"), [("mnist", 28, 1, 16), ("cifar10", 32, 3, 16)]
)
def test_every_data_set_has_its_network_recipe_and_agents(
    monkeypatch, name, side, channels, agents
):
    samples = Samples(np.zeros((40, side, side, channels), np.uint8), np.arange(40) % 10)
    data = Dataset(
        name, samples, samples, tuple("0123456789"), (0.5,) * channels, (1.0,) * channels
    )
    monkeypatch.setattr("fedfact.training.setup.load", lambda *_, **__: data)
    job = prepare(name)
    assert sizes(job) == [2] * agents
    assert job.recipe == RECIPES[name]
    with torch.device("meta"):
        network, images = job.network(), torch.zeros(2, channels, side, side)
    assert network(images).shape == (2, 10)


def test_missing_weights_are_told_before_any_work(monkeypatch, tmp_path):
    samples = Samples(np.zeros((40, 8, 8, 3), np.uint8), np.arange(40) % 7)
    data = Dataset("ham10000", samples, samples, tuple("abcdefg"), (0.5,) * 3, (1.0,) * 3)
    monkeypatch.setattr("fedfact.training.setup.load", lambda *_, **__: data)
    with pytest.raises(InputError, match="has no ResNet-50 weights; put"):
        prepare("ham10000", directory=tmp_path)
