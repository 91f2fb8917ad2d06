"""The engines agree to the last bit: plain and fast, any number of workers, time and again."""

from dataclasses import replace
from itertools import chain

import pytest
import torch

from fedfact import InputError
from fedfact.models import Dropout, mnist_cnn
from fedfact.training import Job, Machine, Recipe, train_federated, train_local

MACHINES = [{"plain": True}, {"workers": 1}, {"workers": 2}, {"workers": 3}, {}]


def both(job, **machine):
    """All that both trainings give."""
    federated = train_federated(job, Machine("cpu", **machine))
    local = train_local(job, Machine("cpu", **machine))
    return federated.weights, federated.curve.rows(), [curve.rows() for curve in local]


@pytest.fixture
def mnist_job(make_images, make_shards):
    recipe = Recipe("sgd", 0.05, 0.9, 5e-4, (0.5,), batch=8, epochs=2, local_steps=1)
    return Job(make_images(28, 24, 20), lambda: mnist_cnn(4), make_shards(13, 8, 3), recipe)


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_all_engines_agree_to_the_last_bit(job, bits, machine):
    assert any(isinstance(module, Dropout) for module in job.network().modules())
    weights, federated, local = both(job, plain=True)
    again = both(job, **machine)
    assert bits(weights) == bits(again[0])
    assert (federated, local) == again[1:]


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_all_engines_agree_on_augmented_images_and_weighted_classes(augmented_job, bits, machine):
    weights, federated, local = both(augmented_job, plain=True)
    again = both(augmented_job, **machine)
    assert bits(weights) == bits(again[0])
    assert (federated, local) == again[1:]


def test_augmentation_and_weights_each_make_another_training(augmented_job):
    recipe = augmented_job.recipe
    losses = {
        train_federated(replace(augmented_job, recipe=each), Machine("cpu")).curve.final.loss
        for each in (
            recipe,
            replace(recipe, augment=None),
            replace(recipe, augment=replace(recipe.augment, rotation=0.0)),
            replace(recipe, weighted=False),
        )
    }
    assert len(losses) == 4


@pytest.mark.parametrize("machine", [MACHINES[0], *MACHINES[2:4]], ids=str)
def test_all_engines_agree_on_the_network_of_mnist(mnist_job, bits, machine):
    weights, federated, local = both(mnist_job, plain=True)
    again = both(mnist_job, **machine)
    assert bits(weights) == bits(again[0])
    assert (federated, local) == again[1:]


@pytest.mark.parametrize("machine", [{"plain": True}, {"workers": 2}], ids=str)
def test_the_threads_of_pytorch_do_not_matter_and_are_given_back(mnist_job, bits, machine):
    before = torch.get_num_threads()
    try:
        results = []
        for threads in (1, 3):
            torch.set_num_threads(threads)
            results.append(bits(list(both(mnist_job, **machine))))
            assert torch.get_num_threads() == threads
            with pytest.raises(InputError, match="diverged"):
                both(replace(mnist_job, recipe=replace(mnist_job.recipe, rate=1e30)), **machine)
            assert torch.get_num_threads() == threads
        assert results[0] == results[1]
    finally:
        torch.set_num_threads(before)


def test_nothing_is_drawn_from_the_common_generator(job, bits):
    torch.manual_seed(1)
    state = torch.get_rng_state()
    one = bits(list(both(job, workers=2)))
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(2)
    assert bits(list(both(job, workers=2))) == one


def test_another_seed_gives_another_training(job):
    one, other = both(job, plain=True), both(replace(job, seed=6), plain=True)
    assert one[1] != other[1]
    assert one[2] != other[2]


def test_alone_an_agent_does_not_feel_the_others(job):
    _, _, alone = both(job, workers=2)
    a, b, c = job.shards
    _, _, beside_others = both(replace(job, shards=[a, b[:4], c, b[4:]]), workers=2)
    _, _, by_itself = both(replace(job, shards=[a]), workers=2)
    assert beside_others[0] == by_itself[0] == alone[0]
    assert beside_others[2] == alone[2]
    assert beside_others[1] != alone[1]


def test_agents_with_the_same_samples_draw_batches_and_dropout_of_their_own(job):
    twins = replace(job, shards=[job.shards[0], job.shards[0]])
    _, _, (one, other) = both(twins, plain=True)
    assert one != other
    # one batch an epoch and a sum over all samples: only dropout tells the twins apart
    whole = replace(twins, recipe=replace(job.recipe, batch=20))
    _, _, (one, other) = both(whole, plain=True)
    assert abs(one[-1][1] - other[-1][1]) > 1e-4


def test_dropout_differs_from_step_to_step(make_images, make_shards):
    masks = []

    class Noting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.drop, self.layer = Dropout(0.5), torch.nn.Linear(64, 4)

        def forward(self, images):
            if self.training:
                masks.append(tuple(self.drop(torch.ones(1, 64, 1, 1)).flatten().tolist()))
            return self.layer(images.flatten(1))

    recipe = Recipe("sgd", 0.1, batch=20, epochs=5, local_steps=2)
    job = Job(make_images(8, 40, 4), Noting, make_shards(20, 20), recipe)
    train_federated(job, Machine("cpu", plain=True))
    assert len(masks) == len(set(masks)) == 10


def test_batch_norm_counts_and_averages(job):
    """Its means and variances are averaged as weights are, its count is of the steps taken."""
    names = list(job.network().state_dict())
    count = next(name for name in names if name.endswith("num_batches_tracked"))
    weights = train_federated(job, Machine("cpu", plain=True)).weights
    assert list(weights) == names
    assert weights[count].item() == 4 * 3
    whole = replace(job, recipe=replace(job.recipe, batch=20, epochs=1, local_steps=1))
    server = train_federated(whole, Machine("cpu", plain=True)).weights
    images = torch.tensor(whole.dataset.train.images).permute(0, 3, 1, 2) / 255
    images = (images - whole.dataset.mean[0]) / whole.dataset.std[0]
    first = next(m for m in whole.initial_model().modules() if isinstance(m, torch.nn.Conv2d))
    with torch.no_grad():
        means = [first(images[shard]).mean(dim=(0, 2, 3)) for shard in whole.shards]
    mean = sum(len(s) / 40 * m for s, m in zip(whole.shards, means, strict=True))
    name = count.replace("num_batches_tracked", "running_mean")
    torch.testing.assert_close(server[name], 0.1 * mean)


@pytest.mark.parametrize("machine", [{"plain": True}, {"workers": 2}], ids=str)
def test_bf16_lands_near(job, machine):
    _, federated, local = both(job, plain=True)
    _, near, near_local = both(job, precision="bf16", **machine)
    assert near != federated
    for row, close in zip(chain(federated, *local), chain(near, *near_local), strict=True):
        assert close[0] == row[0]
        assert close[1] == pytest.approx(row[1], rel=0.05)
    assert federated[-1][1] < 0.8 * federated[0][1]  # and there was something to learn


def test_results_are_the_callers_own(job, bits):
    """Weights that were given out do not change when the engine goes on."""
    with Machine("cpu", plain=True).engine(job, [12] * 3) as engine:
        first = engine.weights()
        kept = bits(first)
        engine.distribute()
        engine.update([2] * 3)
        engine.average()
        assert bits(first) == kept
        assert bits(engine.weights()) != kept
