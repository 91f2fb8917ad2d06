"""Scores on a known model, by hand, whatever the size of the test set."""

from math import exp, log, nan

import numpy as np
import pytest

from fedfact import InputError
from fedfact.training import Job, Machine, Recipe, train_federated, train_local

TINY = 1e-30  # a rate so low that no weight moves


@pytest.fixture
def untrained(make_data, make_linear):
    """A job whose agents keep their first weights: logits (2x, 1), for these test samples."""

    def make(test, labels):
        data = make_data([0.0, 1.0], [0, 1], test, labels)
        network = make_linear((2.0, 0.0), (0.0, 1.0))
        recipe = Recipe("sgd", TINY, batch=2, epochs=1, local_steps=1)
        return Job(data, network, [np.array([0]), np.array([1])], recipe)

    return make


@pytest.mark.parametrize("machine", [{"plain": True}, {"workers": 2}], ids=["plain", "workers"])
def test_loss_and_accuracy_by_hand(untrained, machine):
    # logits (0, 1), (1, 1), (4, 1), (-2, 1); a tie goes to the first class
    job = untrained([0.0, 0.5, 2.0, -1.0], [1, 0, 0, 0])
    losses = [log(1 + exp(-1)), log(2), log(1 + exp(-3)), log(1 + exp(3))]
    for score in (
        train_federated(job, Machine("cpu", **machine)).curve.final,
        *(curve.final for curve in train_local(job, Machine("cpu", **machine))),
    ):
        assert score.loss == pytest.approx(sum(losses) / 4, rel=1e-6)
        assert score.accuracy == 0.75


@pytest.mark.parametrize("size", [1, 3, 249, 250, 251, 999, 1000, 1001])
def test_every_test_sample_counts_once(untrained, size):
    rng = np.random.default_rng(size)
    x, labels = rng.integers(-30, 31, size) / 10, rng.integers(0, 2, size)
    right, wrong = np.where(labels == 0, 2 * x, 1), np.where(labels == 0, 1, 2 * x)
    score = train_federated(untrained(x, labels), Machine("cpu", plain=True)).curve.final
    assert score.loss == pytest.approx(np.log1p(np.exp(wrong - right)).mean(), rel=1e-5)
    said = np.where(2 * x >= 1, 0, 1)  # x in tenths is never near 1/2 but at it
    assert score.accuracy == np.mean(said == labels)


def test_a_training_that_diverges_is_told(make_data, make_linear, monkeypatch):
    data = make_data([1.0, -1.0], [0, 1])
    recipe = Recipe("sgd", 0.1, batch=2, epochs=3, local_steps=1)
    job = Job(data, make_linear((nan, 0.0)), [np.array([0]), np.array([1])], recipe)
    with pytest.raises(InputError) as refusal:
        train_federated(job, Machine("cpu", plain=True))
    assert str(refusal.value) == (
        "the loss of the federated model is nan after 1 epochs: the training diverged; take a "
        "lower learning rate or fewer local steps"
    )
    with pytest.raises(InputError, match=r"the loss of the model of agent 0 is nan after 2 epochs"):
        train_local(job, Machine("cpu", workers=2), every=2)
