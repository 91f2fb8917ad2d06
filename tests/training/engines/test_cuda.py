"""The CUDA engine against the plain one, on small jobs.

They agree as far as two orders of summation can: fp32 closely, bf16 nearly. Dropout draws other
numbers on CUDA than on the CPU, so the two are compared on networks without.

Where there is a device but no pytest:
``PYTHONPATH=src python tests/training/engines/test_cuda.py``.
"""

import sys
import tempfile
import traceback
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from fedfact.data.dataset import Dataset, Samples
from fedfact.models import digits_cnn
from fedfact.training import (
    Augmentation,
    Checkpoint,
    Job,
    Machine,
    Recipe,
    train_federated,
    train_local,
)
from fedfact.training.average import average
from fedfact.training.device_images import DeviceImages
from fedfact.training.engines.flat import move_into

try:
    import pytest

    pytestmark = pytest.mark.skipif(
        not torch.cuda.is_available(), reason="there is no CUDA device here"
    )
except ImportError:  # run as a script
    pass

# How far losses may be apart, as a share. Other orders of summation move them by less than 1e-6 in
# these jobs, TF32 in place of fp32 by 1e-3.
FP32, BF16 = 1e-4, 0.05
ADAM = Recipe("adam", 5e-3, batch=8, epochs=2, local_steps=2)
SGD = Recipe("sgd", 0.05, 0.9, 5e-4, (0.5, 0.75), batch=8, epochs=2, local_steps=3)
AUGMENTED = replace(
    ADAM, image_size=12, augment=Augmentation(True, True, 20.0, 0.1, 0.1, 0.1), weighted=True
)
UNLIKE = (21, 16, 3)  # batches of 8, 8, 5; of 8, 8; of 3


def images(m, seed, side=8):
    """Images at random, of four labels of which each is brightest in a quarter of its own."""
    labels, half = np.arange(m) % 4, side // 2
    pixels = np.random.default_rng(seed).integers(0, 160, (m, side, side, 1))
    for image, label in zip(pixels, labels, strict=True):
        top, left = divmod(label, 2)
        image[top * half : (top + 1) * half, left * half : (left + 1) * half] += 95
    return Samples(pixels.astype(np.uint8), labels)


def cnn():
    """Convolutions and batch norm, and no dropout."""
    return nn.Sequential(
        *(nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU()),
        *(nn.Conv2d(16, 32, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU()),
        *(nn.Flatten(), nn.Linear(32 * 4 * 4, 4)),
    )


def make_job(recipe=ADAM, samples=UNLIKE, network=cnn, test=301):
    data = Dataset(
        "quarters", images(sum(samples), 0), images(test, 1), tuple("abcd"), (0.4,), (0.2,)
    )
    shards = np.split(np.arange(sum(samples)), np.cumsum(samples)[:-1])
    return Job(data, network, shards, recipe, 5)


def coloured_cnn():
    """The same for three channels and images of any size."""
    layers = list(cnn())
    layers[0] = nn.Conv2d(3, 16, 3, padding=1, bias=False)
    layers[-2:] = [nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32 * 2 * 2, 4)]
    return nn.Sequential(*layers)


def augmented_job(recipe=AUGMENTED):
    """Images of 8 x 6 pixels in colour, scaled up to 12 x 12, with one class that is rare."""
    job = make_job(network=coloured_cnn)
    rng = np.random.default_rng(2)

    def coloured(samples, labels):
        pixels = np.repeat(samples.images[:, :, 1:7], 3, axis=3) * 0.6
        pixels += rng.integers(0, 100, pixels.shape)
        return Samples(pixels.astype(np.uint8), labels)

    rare = np.where(np.arange(len(job.dataset.train)) % 8 == 3, 0, job.dataset.train.labels)
    train = coloured(job.dataset.train, rare)
    test = coloured(job.dataset.test, job.dataset.test.labels)
    data = Dataset("coloured", train, test, tuple("abcd"), (0.4,) * 3, (0.2,) * 3)
    return replace(job, dataset=data, recipe=recipe)


def plain():
    return Machine("cpu", plain=True)


def cuda(precision="fp32"):
    return Machine("cuda", precision=precision)


def near(one, other, share):
    """Curves with the same epochs and nearly the same losses."""
    assert one.epochs == other.epochs
    losses = [np.array([score.loss for score in curve.scores]) for curve in (one, other)]
    np.testing.assert_allclose(*losses, rtol=share)


def compare(job, share, precision="fp32"):
    near(train_federated(job, cuda(precision)).curve, train_federated(job, plain()).curve, share)
    for one, other in zip(
        train_local(job, cuda(precision)), train_local(job, plain()), strict=True
    ):
        near(one, other, share)


def test_fp32_is_close_with_unlike_agents_and_odd_batches():
    compare(make_job(), FP32)


def test_fp32_is_close_with_momentum_decay_and_drops():
    compare(make_job(SGD), FP32)


def test_fp32_is_close_without_momentum():
    compare(make_job(replace(SGD, momentum=0.0)), FP32)


def test_fp32_is_close_with_more_agents_than_streams():
    compare(make_job(samples=(9, 8, 17, 3, 8, 1, 16, 5, 2, 11)), FP32)


def test_fp32_is_close_with_rounds_of_many_epochs_and_a_short_last_one():
    compare(make_job(replace(ADAM, epochs=3, local_steps=7)), FP32)


def test_fp32_is_close_with_one_agent():
    compare(make_job(samples=(20,)), FP32)


def test_fp32_is_close_on_more_test_images_than_are_taken_at_a_time():
    compare(make_job(replace(ADAM, epochs=1), test=2501), FP32)


def test_bf16_is_near():
    compare(make_job(), BF16, "bf16")
    compare(make_job(SGD), BF16, "bf16")


def test_weights_are_close_and_named_as_the_networks():
    job = make_job()
    ours, theirs = train_federated(job, cuda()).weights, train_federated(job, plain()).weights
    assert list(ours) == list(theirs) == list(cnn().state_dict())
    for name, value in theirs.items():
        assert ours[name].device.type == "cpu"
        assert (ours[name].dtype, ours[name].shape) == (value.dtype, value.shape)
        if name.endswith("num_batches_tracked"):
            assert ours[name].item() == value.item() == 2 * 3
        else:
            torch.testing.assert_close(ours[name], value, rtol=1e-2, atol=5e-3)
    cnn().load_state_dict(ours)


def test_weights_that_were_given_out_do_not_change():
    job = make_job()
    with cuda().engine(job, [6] * 3) as engine:
        first = engine.weights()
        kept = {name: value.clone() for name, value in first.items()}
        for name, value in job.initial_model().state_dict().items():
            assert torch.equal(first[name], value)
        engine.distribute()
        engine.update([2] * 3)
        engine.average()
        assert all(torch.equal(first[name], kept[name]) for name in kept)
        assert not torch.equal(engine.weights()["0.weight"], kept["0.weight"])


def test_the_average_is_the_average():
    job = make_job()
    with cuda().engine(job, [6] * 3) as engine:
        engine.distribute()
        engine.update([2] * 3)
        rows = [agent["weights"] for agent in engine.state(models=True)["agents"]]
        engine.average()
        server = engine.weights()
    models = []
    for row in rows:
        model = cnn().to(memory_format=torch.channels_last)
        move_into(row.clone(), model, keep=False)
        models.append(model.state_dict())
    assert not torch.equal(models[0]["0.weight"], models[1]["0.weight"])
    for name, value in average(models, job.shares()).items():
        if value.is_floating_point():
            torch.testing.assert_close(server[name], value, rtol=1e-5, atol=1e-6)


def test_augmented_images_are_those_of_the_cpu():
    job = augmented_job()
    rows, draws = torch.arange(40), torch.from_numpy(job.draws(1, 3, 40))
    ours, theirs = (
        DeviceImages(job.dataset, job.dataset.train, torch.device(device), job.recipe).batch(
            rows.to(device), draws.to(device)
        )[0]
        for device in ("cuda", "cpu")
    )
    assert ours.shape == (40, 3, 12, 12)
    assert ours.is_contiguous(memory_format=torch.channels_last)
    torch.testing.assert_close(ours.cpu(), theirs, rtol=0, atol=1e-3)


def test_fp32_is_close_with_augmentation_and_weights():
    compare(augmented_job(), FP32)
    compare(augmented_job(replace(AUGMENTED, weighted=False)), FP32)
    compare(augmented_job(replace(AUGMENTED, augment=None)), FP32)


def test_bf16_is_near_with_augmentation_and_weights():
    compare(augmented_job(), BF16, "bf16")


def test_each_agent_and_each_step_has_draws_of_its_own():
    job = augmented_job()
    whole = replace(job, shards=[job.shards[0]] * 2, recipe=replace(AUGMENTED, batch=21))
    first, second = train_local(whole, cuda())
    assert abs(first.final.loss - second.final.loss) > 1e-4
    near(train_local(whole, cuda())[0], first, FP32)


def test_agents_that_take_no_step_stay_where_they_are():
    job = make_job()
    with cuda().engine(job, [6] * 3) as engine:
        engine.distribute()
        before = engine.state(models=True)["agents"]
        engine.update([2, 0, 1])
        after = engine.state(models=True)["agents"]
    assert [agent["step"] for agent in after] == [2, 0, 1]
    moved = [
        not torch.equal(a["weights"], b["weights"]) for a, b in zip(before, after, strict=True)
    ]
    assert moved == [True, False, True]


class Stop(Exception):  # noqa: N818
    pass


def stopped_and_resumed(train, job, precision, share):
    """Stop at every report of progress in turn, go on, and compare with never stopping."""
    reports = []
    whole = train(job, cuda(precision), progress=lambda *call: reports.append(call))
    for moment in range(1, len(reports)):
        with tempfile.TemporaryDirectory() as folder:
            checkpoint, left = Checkpoint(Path(folder) / "c", job.describe()), [moment]

            def report(*call, left=left):
                left[0] -= 1
                if left[0] < 0:
                    raise Stop

            try:
                train(job, cuda(precision), checkpoint=checkpoint, progress=report)
            except Stop:
                pass
            else:
                raise AssertionError("was not stopped")
            again = train(job, cuda(precision), checkpoint=checkpoint)
        if isinstance(whole, list):
            for one, other in zip(again, whole, strict=True):
                near(one, other, share)
        else:
            near(again.curve, whole.curve, share)
            for name, value in whole.weights.items():
                torch.testing.assert_close(again.weights[name], value, rtol=1e-2, atol=5e-3)


def test_going_on_is_never_stopping():
    for recipe in (ADAM, SGD):
        job = make_job(replace(recipe, epochs=3))
        stopped_and_resumed(train_federated, job, "fp32", FP32)
        stopped_and_resumed(train_local, job, "fp32", FP32)


def test_going_on_is_never_stopping_with_augmentation_and_weights():
    job = augmented_job(replace(AUGMENTED, epochs=3))
    stopped_and_resumed(train_federated, job, "fp32", FP32)
    stopped_and_resumed(train_local, job, "fp32", FP32)


def test_going_on_is_never_stopping_with_dropout_and_bf16():
    job = make_job(replace(ADAM, epochs=3), network=lambda: digits_cnn(4))
    stopped_and_resumed(train_federated, job, "bf16", BF16)


def test_dropout_is_drawn_and_drawn_again_the_same():
    job = make_job(network=lambda: digits_cnn(4))
    one, again = (train_federated(job, cuda()).curve for _ in range(2))
    near(one, again, FP32)
    assert one.final.loss != train_federated(replace(job, seed=6), cuda()).curve.final.loss
    # agents with the same samples, all in one batch, differ by their dropout alone
    whole = replace(job, shards=[job.shards[0]] * 2, recipe=replace(ADAM, batch=21))
    first, second = train_local(whole, cuda())
    assert abs(first.final.loss - second.final.loss) > 1e-4


def test_nothing_is_drawn_from_the_common_generators():
    torch.manual_seed(1)
    states = torch.get_rng_state(), torch.cuda.get_rng_state()
    train_federated(make_job(network=lambda: digits_cnn(4)), cuda())
    assert torch.equal(torch.get_rng_state(), states[0])
    assert torch.equal(torch.cuda.get_rng_state(), states[1])


def main():
    """Run all tests; the exit status is the number of those that failed."""
    if not torch.cuda.is_available():
        sys.exit("there is no CUDA device here")
    failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            try:
                test()
            except Exception:
                traceback.print_exc()
                failed += 1
                print("FAILED", name, flush=True)
            else:
                print("ok", name, flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
