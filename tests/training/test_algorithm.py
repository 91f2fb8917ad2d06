"""Algorithm 1 and training alone against averages by hand and a reference in NumPy.

The reference is softmax regression in double precision with its own gradients and optimisers; it
shares nothing with PyTorch but the numbers of the samples in each batch.
"""

import numpy as np
import pytest

from fedfact import InputError
from fedfact.training import Job, Machine, Recipe, train_federated, train_local

PLAIN = {"plain": True}
MACHINES = pytest.mark.parametrize("machine", [PLAIN, {"workers": 2}], ids=["plain", "workers"])


@MACHINES
@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_one_round_by_hand(make_data, make_linear, machine, optimiser):
    """From zero weights both classes have probability 1/2, so gradients are ±x/2 and ±1/2.

    Agent 0 has x = 1, 2, 3 of class 0: the mean gradients for class 0 are -1 and -1/2. Agent 1 has
    x = 4 of class 1: they are 2 and 1/2. With rate 1 and shares 3/4 and 1/4, SGD gives the server
    3/4 · 1 - 1/4 · 2 = 1/4 and 3/4 · 1/2 - 1/4 · 1/2 = 1/4. Adam's first step is the sign of the
    gradient: 3/4 - 1/4 = 1/2 for both.
    """
    data = make_data([1.0, 2.0, 3.0, 4.0], [0, 0, 0, 1], [1.0, -3.0], [0, 0])
    recipe = Recipe(optimiser, 1.0, batch=3, epochs=1, local_steps=1)
    job = Job(data, make_linear(), [np.arange(3), np.array([3])], recipe)
    result = train_federated(job, Machine("cpu", **machine))
    wanted = {"sgd": 0.25, "adam": 0.5}[optimiser]
    weight, bias = result.weights["1.weight"], result.weights["1.bias"]
    np.testing.assert_allclose(weight.flatten(), [wanted, -wanted], atol=1e-6)
    np.testing.assert_allclose(bias, [wanted, -wanted], atol=1e-6)
    # the two classes are 2 (w x + b) apart: 4 w at x = 1, -4 w at x = -3
    loss = np.log1p(np.exp([-4 * wanted, 4 * wanted])).mean()
    assert result.curve.final.loss == pytest.approx(loss, rel=1e-5)
    assert result.curve.final.accuracy == 0.5


@MACHINES
def test_alone_nothing_is_averaged(make_data, make_linear, machine):
    data = make_data([1.0, 2.0, 3.0, 4.0], [0, 0, 0, 1], [1.0], [0])
    recipe = Recipe("sgd", 1.0, batch=3, epochs=1, local_steps=1)
    job = Job(data, make_linear(), [np.arange(3), np.array([3])], recipe)
    curves = train_local(job, Machine("cpu", **machine))
    # at x = 1 the classes are 2 (1 + 1/2) apart for agent 0 and -2 (2 + 1/2) for agent 1
    losses = [curve.final.loss for curve in curves]
    assert losses == pytest.approx([np.log1p(np.exp(-3)), np.log1p(np.exp(5))], rel=1e-5)


class Softmax:
    """Softmax regression with its optimiser: w has a row for each class, the last column b."""

    def __init__(self, job, agent, horizon, first):
        self.w, self.job, self.horizon = first.copy(), job, horizon
        self.batches, self.step = job.batches(agent), 0
        self.m, self.v = np.zeros_like(first), np.zeros_like(first)

    def update(self, steps):
        recipe, train = self.job.recipe, self.job.dataset.train
        for _ in range(steps):
            rows = self.batches[self.step]
            x, y = inputs(train.images[rows]), train.labels[rows]
            errors = softmax(x @ self.w.T) - np.eye(len(self.w))[y]
            gradient = errors.T @ x / len(rows) + recipe.weight_decay * self.w
            rate = recipe.rate
            for drop in recipe.drops:
                rate /= 10 if self.step >= drop * self.horizon else 1
            self.step += 1
            if recipe.optimiser == "sgd":
                self.m = recipe.momentum * self.m + gradient
                self.w -= rate * self.m
            else:
                self.m = 0.9 * self.m + 0.1 * gradient
                self.v = 0.999 * self.v + 0.001 * gradient**2
                mean = self.m / (1 - 0.9**self.step)
                root = np.sqrt(self.v / (1 - 0.999**self.step))
                self.w -= rate * mean / (root + 1e-8)


def inputs(images):
    x = (images.astype(float).reshape(len(images), -1) - 100) / 10
    return np.hstack([x, np.ones((len(x), 1))])


def softmax(logits):
    e = np.exp(logits - logits.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def loss_of(job, w):
    x, y = inputs(job.dataset.test.images), job.dataset.test.labels
    return -np.log(softmax(x @ w.T)[np.arange(len(y)), y]).mean()


def reference(job, first, federated):
    """The server's weights and losses after every epoch, or every agent's losses."""
    sizes = np.array([len(shard) for shard in job.shards])
    per_epoch = [-(-m // job.recipe.batch) for m in sizes]
    epochs, h = job.recipe.epochs, job.recipe.local_steps
    if not federated:
        losses = []
        for number, steps in enumerate(per_epoch):
            agent = Softmax(job, number, epochs * steps, first)
            losses.append([])
            for _ in range(epochs):
                agent.update(steps)
                losses[-1].append(loss_of(job, agent.w))
        return losses
    total, server, losses = epochs * max(per_epoch), first, []
    agents = [Softmax(job, number, total, first) for number in range(len(sizes))]
    for start in range(0, total, h):
        end = min(start + h, total)
        for agent in agents:
            agent.w = server.copy()
            agent.update(end - start)
        server = sum(m * agent.w for m, agent in zip(sizes, agents, strict=True)) / sizes.sum()
        if end // max(per_epoch) > start // max(per_epoch):
            losses.append(loss_of(job, server))
    return server, losses


DROPS = (0.5, 0.75)
RECIPES = {
    "sgd": Recipe("sgd", 0.2, batch=3, epochs=4, local_steps=2),
    "momentum": Recipe("sgd", 0.1, momentum=0.9, batch=3, epochs=4, local_steps=2),
    "all of it": Recipe("sgd", 0.1, 0.9, 0.05, DROPS, batch=3, epochs=5, local_steps=3),
    "adam": Recipe("adam", 0.1, batch=3, epochs=4, local_steps=2),
    "adam, drops": Recipe("adam", 0.1, 0.0, 0.05, DROPS, batch=4, epochs=3, local_steps=1),
    "long rounds": Recipe("sgd", 0.1, momentum=0.5, batch=2, epochs=2, local_steps=100),
}
FIRST = np.array([[0.3, 0.1], [-0.2, 0.0], [0.1, -0.4]])


@pytest.fixture
def job(make_data, make_linear, make_shards):
    """Three classes of noisy numbers, agents with 10, 4 and 1 of them."""

    def make(recipe):
        rng = np.random.default_rng(1)
        labels = rng.integers(0, 3, 35)
        x = np.clip(2.0 * labels - 2 + rng.normal(size=35), -9, 9)
        data = make_data(x[:15], labels[:15], x[15:], labels[15:], classes=3)
        return Job(data, make_linear(*FIRST.T.tolist()), make_shards(10, 4, 1), recipe, 11)

    return make


@MACHINES
@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_federated_training_is_the_reference(job, recipe, machine):
    result = train_federated(job(recipe), Machine("cpu", **machine))
    server, losses = reference(job(recipe), FIRST, federated=True)
    weights = np.column_stack([result.weights["1.weight"], result.weights["1.bias"]])
    np.testing.assert_allclose(weights, server, atol=1e-5)
    np.testing.assert_allclose([s.loss for s in result.curve.scores], losses, rtol=1e-5)


@MACHINES
@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_local_training_is_the_reference(job, recipe, machine):
    curves = train_local(job(recipe), Machine("cpu", **machine))
    losses = [[score.loss for score in curve.scores] for curve in curves]
    np.testing.assert_allclose(losses, reference(job(recipe), FIRST, federated=False), rtol=1e-5)


def test_an_agent_alone_federates_with_itself(job):
    """With one agent the average is the agent's model: both trainings are one."""
    one = job(RECIPES["all of it"])
    one = Job(one.dataset, one.network, one.shards[:1], one.recipe, one.seed)
    machine = Machine("cpu", **PLAIN)
    per_epoch = one.steps_per_epoch()[0]
    assert one.recipe.local_steps < per_epoch
    alone = train_local(one, machine)[0]
    together = train_federated(one, machine).curve
    assert together.final == alone.final


@pytest.mark.parametrize("every", [0, -1])
def test_tests_at_no_epoch_are_refused(job, every):
    for train in (train_federated, train_local):
        with pytest.raises(InputError, match=f"{every} epochs apart; take 1 or more"):
            train(job(RECIPES["sgd"]), Machine("cpu", **PLAIN), every=every)
