"""Algorithm 3 and the rounds of Algorithm 1, step by step: who uses which samples, and when."""

import hashlib
import threading
from itertools import chain

import numpy as np
import pytest
import torch
from torch import nn

from fedfact.training import Job, Machine, Recipe, train_federated, train_local


class Log:
    """Makes a network that notes the samples it sees, which are their own numbers in tenths."""

    def __init__(self, hook=lambda seen: None):
        self.trained, self.all, self.threads = [], [], set()
        log = self

        class Noting(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(1, 2)

            def forward(self, images):
                seen = (images.flatten() * 10).round().int().tolist()
                log.all.append((self.training, seen))
                log.threads.add(torch.get_num_threads())
                if self.training:
                    log.trained.append(seen)
                    hook(seen)
                return self.layer(images.flatten(1))

        self.network = Noting

    def of(self, shard):
        """The batches that an agent used."""
        return [seen for seen in self.trained if seen[0] in shard]


@pytest.fixture
def make_job(make_data, make_shards):
    def make(log, samples, batch, epochs, h, seed=3):
        m = sum(samples)
        data = make_data(np.arange(m) / 10, np.arange(m) % 2, [9.9], [0])
        recipe = Recipe("sgd", 0.01, batch=batch, epochs=epochs, local_steps=h)
        return Job(data, log.network, make_shards(*samples), recipe, seed)

    return make


def order(shard, agent, epoch, seed=3):
    """An epoch of an agent, from the definition of seeds."""
    head = hashlib.sha256(f"fedfact/{seed}/batches/{agent}/{epoch}".encode()).digest()[:8]
    rng = np.random.default_rng(int.from_bytes(head, "big") // 2)
    return rng.permutation(shard).tolist()


def test_federated_training_step_by_step(make_job):
    """m = (5, 2), batches of 2, h = 4, E = 2: 6 steps, in rounds of 4 and 2."""
    log = Log()
    train_federated(make_job(log, (5, 2), batch=2, epochs=2, h=4), Machine("cpu", plain=True))
    a, b = order(range(5), 0, 0), order(range(5), 0, 1)
    c = [order([5, 6], 1, epoch) for epoch in range(6)]
    first = [a[:2], a[2:4], a[4:], b[:2], *c[:4]]  # agent 0 pauses within its second epoch
    second = [b[2:4], b[4:], *c[4:]]  # and resumes there; agent 1 goes on cycling
    test = (False, [99])
    assert log.all == [*((True, x) for x in first), test, *((True, x) for x in second), test]


def test_local_training_step_by_step(make_job):
    """Alone, everyone does its own 2 epochs, 3 steps or 1 each, and is tested after both."""
    log = Log()
    train_local(make_job(log, (5, 2), batch=2, epochs=2, h=2), Machine("cpu", plain=True))
    a, b = order(range(5), 0, 0), order(range(5), 0, 1)
    c = [order([5, 6], 1, epoch) for epoch in range(2)]
    first = [a[:2], a[2:4], c[0], a[4:]]
    second = [b[:2], b[2:4], c[1], b[4:]]
    tests = [(False, [99])] * 2
    assert log.all == [*((True, x) for x in first), *tests, *((True, x) for x in second), *tests]


@pytest.mark.parametrize("h", [1, 2, 3, 4, 5, 7, 100])
def test_pauses_change_no_batch(make_job, h):
    """Whatever h, agents use the same samples in the same order; only the averages move."""
    log, shards = Log(), [range(7), range(7, 10), range(10, 11)]
    train_federated(make_job(log, (7, 3, 1), batch=3, epochs=4, h=h), Machine("cpu", plain=True))
    for agent, shard in enumerate(shards):
        used = log.of(shard)
        assert len(used) == 4 * 3  # the largest has 3 batches an epoch; the others go on cycling
        per_epoch = -(-len(shard) // 3)
        for epoch in range(12 // per_epoch):
            seen = used[epoch * per_epoch : (epoch + 1) * per_epoch]
            assert list(chain(*seen)) == order(shard, agent, epoch)


@pytest.mark.parametrize(("h", "epochs"), [(1, [1, 2, 3]), (2, [1, 2, 3]), (4, [1, 2, 3])])
def test_tests_come_at_the_first_average_after_an_epoch(make_job, h, epochs):
    """3 steps an epoch, 9 in all: averages at multiples of h, and at 9."""
    log = Log()
    job = make_job(log, (5, 2), batch=2, epochs=3, h=h)
    curve = train_federated(job, Machine("cpu", plain=True)).curve
    assert curve.epochs == epochs
    steps, tested = 0, []
    for training, _ in log.all:
        steps += training
        if not training:
            tested.append(steps // 2)  # of two agents
    assert tested == {1: [3, 6, 9], 2: [4, 6, 9], 4: [4, 8, 9]}[h]


def test_a_round_of_several_epochs_is_tested_at_its_end(make_job):
    log = Log()
    job = make_job(log, (2, 2), batch=2, epochs=5, h=2)
    assert train_federated(job, Machine("cpu", plain=True)).curve.epochs == [2, 4, 5]


@pytest.mark.parametrize(
    ("every", "epochs"), [(1, [1, 2, 3, 4, 5]), (2, [2, 4, 5]), (5, [5]), (9, [5])]
)
def test_how_often_is_an_option_and_the_last_epoch_is_always_tested(make_job, every, epochs):
    log = Log()
    job, machine = make_job(log, (4, 3), batch=2, epochs=5, h=1), Machine("cpu", plain=True)
    assert train_federated(job, machine, every=every).curve.epochs == epochs
    assert [curve.epochs for curve in train_local(job, machine, every=every)] == [epochs] * 2
    assert sum(not training for training, _ in log.all) == 3 * len(epochs)


def test_workers_train_agents_at_a_time_each_on_one_thread(make_job):
    """Every step waits for the same step of the other agents, so all three must be under way."""
    barrier = threading.Barrier(3, timeout=60)
    plain, log = Log(), Log(lambda seen: barrier.wait())
    train_federated(make_job(plain, (5, 2, 4), 2, 2, 2), Machine("cpu", plain=True))
    train_federated(make_job(log, (5, 2, 4), 2, 2, 2), Machine("cpu", workers=3))
    for shard in (range(5), range(5, 7), range(7, 11)):
        assert log.of(shard) == plain.of(shard)
    assert plain.threads == log.threads == {1}


def test_who_finishes_first_does_not_matter(make_job, bits):
    """Every step of agent 0 waits for one of agent 2, so that the last overtakes the first."""
    steps = threading.Semaphore(0)

    def hook(seen):
        if seen[0] in range(7, 11):
            steps.release()
        elif seen[0] in range(5):
            assert steps.acquire(timeout=60)

    one = train_federated(make_job(Log(), (5, 2, 4), 2, 2, 2), Machine("cpu", plain=True))
    other = train_federated(make_job(Log(hook), (5, 2, 4), 2, 2, 2), Machine("cpu", workers=3))
    assert bits(one.weights) == bits(other.weights)


def test_reports_count_images_up_to_all_of_them(make_job):
    log, calls = Log(), []
    job = make_job(log, (5, 2), batch=2, epochs=2, h=4)

    def report(what, done, total, unit):
        calls.append((what, done, total, unit))

    train_federated(job, Machine("cpu", plain=True), progress=report)
    # after 4 steps agent 0 is at 5 + 2 images and agent 1 at 4 times 2; after 6 at 10 and 12
    assert calls == [("federated", done, 22, "images") for done in (0, 15, 22)]
    calls.clear()
    train_local(job, Machine("cpu", plain=True), progress=report)
    assert calls == [("local", done, 14, "images") for done in (0, 7, 14)]
