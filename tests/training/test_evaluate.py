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


@pytest.mark.parametrize("machine", [{"plain": True}, {"workers": 2}], ids=["plain", "workers"])
def test_weights_of_classes_by_hand(make_data, make_linear, machine):
    # three of four training samples are of class 0, though one of them is dealt to nobody: they
    # weigh 1/4, those of class 1 3/4; logits (2x, 1) of the test samples as above
    data = make_data([0.0, 0.5, 1.0, 2.0], [0, 0, 1, 0], [0.0, 0.5, 2.0, -1.0], [1, 0, 0, 0])
    recipe = Recipe("sgd", TINY, batch=2, epochs=1, local_steps=1, weighted=True)
    job = Job(data, make_linear((2.0, 0.0), (0.0, 1.0)), [np.array([0]), np.array([1, 2])], recipe)
    losses = [log(1 + exp(-1)), log(2), log(1 + exp(-3)), log(1 + exp(3))]
    wanted = (0.75 * losses[0] + 0.25 * sum(losses[1:])) / (0.75 + 3 * 0.25)
    for score in (
        train_federated(job, Machine("cpu", **machine)).curve.final,
        *(curve.final for curve in train_local(job, Machine("cpu", **machine))),
    ):
        assert score.loss == pytest.approx(wanted, rel=1e-6)
        assert score.accuracy == 0.75


def test_a_step_goes_down_the_weighted_loss(make_data, make_linear):
    """One step of gradient descent from zero, where both classes have probability a half."""
    data = make_data([1.0, 1.0, 2.0, 3.0], [0, 0, 0, 1])  # class 0 weighs 1/4, class 1 3/4
    recipe = Recipe("sgd", 0.1, batch=4, epochs=1, local_steps=1, weighted=True)
    job = Job(data, make_linear(), [np.arange(4)], recipe)
    weights = train_federated(job, Machine("cpu", plain=True)).weights
    total = 3 * 0.25 + 0.75
    # the gradient of class 1's logit: half for every sample of class 0, minus half for class 1
    bias = (0.25 * 3 * 0.5 - 0.75 * 0.5) / total
    slope = (0.25 * (1 + 1 + 2) * 0.5 - 0.75 * 3 * 0.5) / total
    np.testing.assert_allclose(weights["1.bias"], [0.1 * bias, -0.1 * bias], atol=1e-6)
    np.testing.assert_allclose(weights["1.weight"][:, 0], [0.1 * slope, -0.1 * slope], atol=1e-6)


def test_one_class_alone_cannot_be_weighted(make_data, make_linear):
    data = make_data([0.0, 1.0], [1, 1])
    with pytest.raises(InputError, match="weighted: all training samples are of one class"):
        Job(data, make_linear(), [np.arange(2)], Recipe("sgd", 0.1, weighted=True))


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
