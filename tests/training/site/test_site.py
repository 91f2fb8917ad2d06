"""A member's training: exactly Algorithm 3, by bytes alone, saved and restored to the last bit."""

import hashlib
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from fedfact import InputError
from fedfact.data import Dataset, Samples, load
from fedfact.data.content import index_digest_of
from fedfact.data.sets import digits
from fedfact.models import digits_cnn
from fedfact.training import RECIPES, Job, Machine, Recipe
from fedfact.training.agent import Agent
from fedfact.training.average import average
from fedfact.training.batches import Batches
from fedfact.training.device_images import DeviceImages
from fedfact.training.model_bytes import to_bytes
from fedfact.training.plan import Plan
from fedfact.training.seeds import derive, generator
from fedfact.training.site.average import mean_of
from fedfact.training.site.site import Site, score

SALT = bytes(range(32))
ADAM = Recipe("adam", 2e-3, drops=(0.5,), batch=16, local_steps=2)
SGD = Recipe("sgd", 0.05, momentum=0.9, weight_decay=5e-4, drops=(0.5, 0.75), batch=16)
PLAIN_SGD = Recipe("sgd", 0.05, batch=16)
PLAN = Plan("digits", 6, 7, ADAM)


def make_samples(m, seed=0, shape=(8, 8, 1)):
    rng = np.random.default_rng(seed)
    return Samples(rng.integers(0, 256, (m, *shape), dtype=np.uint8), np.arange(m) % 10)


def make_site(plan=PLAN, m=50, agent="ann", most=40, salt=SALT, seed=0):
    return Site(plan, make_samples(m, seed), agent, most, salt)


# what a member does


def by_hand(plan, sizes, rounds):
    """Algorithm 1 with Algorithm 3 from the definitions: the server's weights after each round."""
    data, agents = [], []
    for name, m in sizes.items():
        samples = make_samples(m, m)
        digests = [
            hashlib.sha256(struct.pack("<3I", 8, 8, 1) + x.tobytes() + struct.pack("<q", y))
            for x, y in zip(samples.images, samples.labels.tolist(), strict=True)
        ]
        rows = np.array(sorted(range(m), key=lambda row: digests[row].digest()))
        number = int.from_bytes(hashlib.sha256(name.encode()).digest(), "big")
        seed = derive(plan.seed, "site", number)
        own = samples.take(generator(seed, "samples").permutation(rows)[:30])
        data.append(own)
        dataset = Dataset("digits", own, own, digits.CLASSES, digits.MEAN, digits.STD)
        network = partial(digits_cnn, 10)
        job = Job(dataset, network, [np.arange(len(own))], plan.recipe, seed)
        images = DeviceImages(dataset, own, torch.device("cpu"))
        steps = plan.rounds * plan.recipe.local_steps
        agents.append(Agent(job, 0, network(), images, steps, "fp32"))
    first = Job(dataset, network, [np.arange(1)], plan.recipe, plan.seed).initial_model()
    weights, shares = first.state_dict(), np.array([len(own) for own in data], float)
    for _ in range(rounds):
        for agent in agents:
            agent.model.load_state_dict(weights)
            agent.update(plan.recipe.local_steps)
        weights = average([a.model.state_dict() for a in agents], shares / shares.sum())
        yield b"".join(value.contiguous().numpy().tobytes() for value in weights.values())


@pytest.fixture
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("recipe", [ADAM, SGD, PLAIN_SGD])
def test_a_federation_of_sites_is_algorithm_1_to_the_last_bit(recipe, one_thread):
    plan, sizes = Plan("digits", 5, 3, recipe), {"ann": 20, "bob": 50, "cy": 33}
    sites = [Site(plan, make_samples(m, m), name, 30, SALT) for name, m in sizes.items()]
    assert [site.samples for site in sites] == [20, 30, 30]
    weights = plan.initial()
    for expected in by_hand(plan, sizes, 5):
        updates = [site.update(weights, recipe.local_steps) for site in sites]
        weights = mean_of(updates, [20 / 80, 30 / 80, 30 / 80], plan)
        assert weights == expected
    assert {site.step for site in sites} == {plan.horizon}


def test_the_first_weights_are_those_of_a_job(job):
    plan = Plan("digits", 1, 9, ADAM)
    model = replace(job, network=partial(digits_cnn, 10), seed=9).initial_model()
    assert plan.initial() == to_bytes(model.state_dict())
    assert plan.size() == len(plan.initial())
    assert plan.initial() == plan.initial() != replace(plan, seed=10).initial()


@pytest.mark.parametrize("recipe", [ADAM, SGD, PLAIN_SGD])
def test_saved_and_restored_after_any_round_it_goes_on_exactly(recipe):
    plan = Plan("digits", 6, 7, recipe)
    site, weights = make_site(plan), plan.initial()
    states, models, seen = [site.state()], [weights], [(site.used, site.index_digest())]
    for _ in range(6):
        weights = site.update(weights, recipe.local_steps)
        states.append(site.state())
        models.append(weights)
        seen.append((site.used, site.index_digest()))
    assert len({*states}) == 7
    for r in range(7):
        again = make_site(plan)
        again.restore(states[r])
        assert again.state() == states[r]
        assert (again.used, again.index_digest()) == seen[r]
        for k in range(r, 6):
            assert again.update(models[k], recipe.local_steps) == models[k + 1]
            assert again.state() == states[k + 1]
    site.restore(states[2])  # one that is further may go back
    assert site.update(models[2], recipe.local_steps) == models[3]


def test_restored_numbers_lie_in_memory_as_the_parameters_do():
    plan = Plan("mnist", 3, 0, replace(SGD, local_steps=1))
    samples = make_samples(20, shape=(28, 28, 1))
    site = Site(plan, samples, "ann", 20, SALT)
    site.update(plan.initial(), 1)
    again = Site(plan, samples, "ann", 20, SALT)
    again.restore(site.state())
    strides = [
        (parameter.stride(), again._agent.optimiser.state[parameter]["momentum_buffer"].stride())
        for parameter in again._agent.model.parameters()
    ]
    assert any(parameter != tuple(sorted(parameter, reverse=True)) for parameter, _ in strides)
    assert all(parameter == moment for parameter, moment in strides)


def test_the_result_depends_on_plan_agent_and_contents_and_on_nothing_else():
    def result(plan=PLAN, agent="ann", most=30, rows=slice(None), salt=SALT):
        samples = make_samples(50).take(np.arange(50)[rows])
        return Site(plan, samples, agent, most, salt).update(PLAN.initial(), 2)

    usual = result()
    assert result(rows=slice(None, None, -1)) == usual  # in another order
    assert result(rows=np.arange(100) % 50) == usual  # all twice
    assert result(salt=bytes(32)) == usual
    torch.manual_seed(1)
    assert result() == usual
    others = [result(agent="bob"), result(replace(PLAN, seed=8)), result(most=29)]
    others += [result(rows=slice(1, None)), result(agent="ann/0"), result(agent="")]
    assert len({usual, *others}) == 7


def test_the_result_does_not_depend_on_threads_and_leaves_their_number():
    threads = torch.get_num_threads()
    try:
        results = set()
        for number in (1, 2, 3):
            torch.set_num_threads(number)
            results.add(make_site().update(PLAN.initial(), 2))
            assert torch.get_num_threads() == number
        assert len(results) == 1
    finally:
        torch.set_num_threads(threads)


def test_sites_in_threads_of_one_process_give_the_same():
    names = [f"agent {k}" for k in range(6)]
    first, start = PLAN.initial(), threading.Barrier(6)
    expected = [make_site(agent=name).update(first, 2) for name in names]

    def together(name):
        start.wait()
        return make_site(agent=name).update(first, 2)

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(together, names)) == expected


# samples


@pytest.mark.parametrize(("m", "most", "batch"), [(50, 40, 16), (5, 9, 2), (7, 7, 7), (3, 1, 8)])
def test_used_is_what_the_batches_have_touched(m, most, batch):
    plan = Plan("digits", 12, 1, replace(ADAM, batch=batch, local_steps=1))
    samples = make_samples(m)
    site, weights = Site(plan, samples, "ann", most, SALT), plan.initial()
    assert site.samples == min(m, most)
    number = int.from_bytes(hashlib.sha256(b"ann").digest(), "big")
    batches = Batches(np.arange(site.samples), batch, derive(1, "site", number), 0)
    touched = set()
    assert (site.used, site.index_digest()) == (0, hashlib.sha256(b"").hexdigest())
    for step in range(12):
        weights = site.update(weights, 1)
        touched |= {*batches[step].tolist()}
        assert site.used == len(touched)
    assert site.used == site.samples
    if most >= m:
        assert site.index_digest() == index_digest_of(samples, SALT)


def test_the_digest_is_of_the_samples_that_the_network_was_shown(monkeypatch):
    shown = set()
    batch = DeviceImages.batch

    def note(self, indices, draws):
        assert draws is None  # a federation's images are used as they are
        for row in indices.tolist():
            shown.add((self.images[row].numpy().tobytes(), int(self.labels[row])))
        return batch(self, indices)

    monkeypatch.setattr(DeviceImages, "batch", note)
    site, weights = make_site(), PLAN.initial()
    for _ in range(3):
        weights = site.update(weights, 1)
        images = np.array([np.frombuffer(x, np.uint8).reshape(8, 8, 1) for x, _ in shown])
        samples = Samples(images, np.array([y for _, y in shown]))
        assert site.used == len(shown)
        assert site.index_digest() == index_digest_of(samples, SALT)


def test_the_same_samples_count_once():
    samples = make_samples(20)
    twice = samples.take(np.arange(40) % 20)
    site = Site(PLAN, twice, "ann", 30, SALT)
    assert site.samples == 20
    site.update(site_weights := PLAN.initial(), 2)
    assert site.used == 20
    assert site.index_digest() == index_digest_of(samples, SALT)
    one = Samples(np.zeros((9, 8, 8, 1), np.uint8), np.zeros(9, np.int64))
    lone = Site(PLAN, one, "ann", 9, SALT)
    lone.update(site_weights, 2)
    assert (lone.samples, lone.used) == (1, 1)


def test_wrong_arguments_are_refused():
    good = make_samples(12)
    for samples, words in (
        (make_samples(12, shape=(8, 8, 3)), "the images are 8 x 8 x 3, and the network digits"),
        (make_samples(12, shape=(28, 28, 1)), "takes 8 x 8 x 1"),
        (Samples(good.images, good.labels + 1), "label 10 of sample 9 .*from 0 to 9"),
        (Samples(good.images, good.labels - 1), "label -1 of sample 0"),
        (good.take(np.arange(0)), "no samples"),
    ):
        with pytest.raises(InputError, match=words):
            Site(PLAN, samples, "ann", 5, SALT)
        with pytest.raises(InputError, match=words):
            score(PLAN, PLAN.initial(), samples)
    with pytest.raises(InputError, match="at most 0 samples"):
        Site(PLAN, good, "ann", 0, SALT)
    with pytest.raises(InputError, match="salt is 16 bytes"):
        Site(PLAN, good, "ann", 5, bytes(16))


def test_steps_beyond_the_plan_and_wrong_weights_are_refused_and_change_nothing():
    site, weights = make_site(), PLAN.initial()
    state = site.state()
    for steps in (0, -1, 13):
        with pytest.raises(InputError, match=f"{steps} steps are asked for after 0 of the 12"):
            site.update(weights, steps)
    poisoned = np.float32(np.nan).tobytes() + weights[4:]
    for wrong in (b"", weights[:-1], weights + b"\0", poisoned):
        with pytest.raises(InputError, match=r"of a model|a model is"):
            site.update(wrong, 1)
    assert site.state() == state
    site.update(weights, 12)
    with pytest.raises(InputError, match="1 steps are asked for after 12"):
        site.update(weights, 1)


def test_a_training_that_diverges_is_told_of():
    plan = Plan("digits", 1, 0, Recipe("sgd", 1000.0, weight_decay=1000.0, batch=8, local_steps=40))
    with pytest.raises(InputError, match="NaN or infinite numbers; the training diverged"):
        make_site(plan).update(plan.initial(), 40)


# states


def test_a_damaged_state_is_refused():
    site = make_site(Plan("digits", 6, 7, PLAIN_SGD))
    site.update(PLAN.initial(), 2)
    data = site.state()
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 << place % 8
        with pytest.raises(InputError, match="damaged"):
            site.restore(bytes(changed))
    for torn in (*(data[:length] for length in range(len(data))), data + b"\0", data * 2):
        with pytest.raises(InputError, match="damaged"):
            site.restore(torn)
    assert site.state() == data


def test_a_damaged_state_with_tensors_is_refused():
    site = make_site()
    site.update(PLAN.initial(), 2)
    data = site.state()
    for place in range(0, len(data), 997):
        changed = bytearray(data)
        changed[place] ^= 1
        with pytest.raises(InputError, match="damaged"):
            site.restore(bytes(changed))


def resealed(body):
    return body + hashlib.sha256(body).digest()


def test_a_state_that_is_whole_and_wrong_is_refused():
    site = make_site()
    site.update(PLAN.initial(), 2)
    body = site.state()[:-32]
    for wrong, words in (
        (b"fedfact site 2\n" + body[15:], "this version"),
        (body[:-4], "not of this network"),
        (body + bytes(4), "not of this network"),
        (body[:47] + bytes(8) + body[55:], "not of this network"),  # step 0 has no tensors
        (body[:15] + bytes(32) + body[47:], "of another training"),
        (bytes(54), "damaged"),
    ):
        with pytest.raises(InputError, match=words):
            make_site().restore(resealed(wrong))
    make_site().restore(resealed(body))


def test_a_state_of_another_training_is_refused():
    site = make_site(most=50)
    site.update(PLAN.initial(), 2)
    make_site(most=51).restore(site.state())  # the same samples
    for other in (
        make_site(agent="bob", most=50),
        make_site(replace(PLAN, seed=8), most=50),
        make_site(replace(PLAN, rounds=7), most=50),
        make_site(Plan("digits", 6, 7, replace(ADAM, rate=1e-3)), most=50),
        make_site(most=49),
        make_site(most=50, salt=bytes(32)),
        make_site(most=50, seed=1),
    ):
        with pytest.raises(InputError, match="of another training"):
            other.restore(site.state())


# scores


def test_the_score_is_that_of_the_plain_engine():
    data = load("digits")
    plan = Plan("digits", 4, 2, RECIPES["digits"])
    job = Job(data, partial(digits_cnn, 10), [np.arange(300)], plan.recipe, 2)
    with Machine("cpu", plain=True).engine(job, [12]) as engine:
        engine.distribute()
        engine.update([12])
        engine.average()
        assert score(plan, to_bytes(engine.weights()), data.test) == engine.test()


def test_three_members_learn_the_digits():
    data = load("digits")
    plan = Plan("digits", 30, 0, RECIPES["digits"])
    parts = np.array_split(np.arange(900), 3)
    sites = [Site(plan, data.train.take(p), f"m{k}", 300, SALT) for k, p in enumerate(parts)]
    weights = plan.initial()
    for _ in range(30):
        weights = mean_of([site.update(weights, 3) for site in sites], [1 / 3] * 3, plan)
    assert score(plan, weights, data.test).accuracy > 0.92
