"""The training engines against the loop one would write, and how they grow with the agents.

Random images of the data sets' shapes, 16 agents, h = 6; choosing the images and averaging are
counted in. On the CPU: the networks of digits and MNIST. On a CUDA device, where there is one:
ResNet-18 on CIFAR-10's shape, with bf16, and the ceiling: one model that takes all images in
batches of 2,048, with no averages and no second model beside it. "Augmented" is with flips,
rotation and jitter, against the same without; on CUDA also as in the study ham10000-released.

    python bench/training.py [--only cpu|cuda|augmented]
"""

import argparse
import copy
import multiprocessing
import resource
import statistics
import time
from dataclasses import replace

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from fedfact.data import Dataset, Samples
from fedfact.models import Dropout, digits_cnn, mnist_cnn, resnet18_small, resnet50
from fedfact.models.small import Flatten
from fedfact.training import RECIPES, Augmentation, Job, Machine
from fedfact.training.average import average

H, FOREVER = 6, 10**6
TURNS = 5
SHAPES = {
    "digits": (8, 8, 1),
    "mnist": (28, 28, 1),
    "cifar10": (32, 32, 3),
    "ham10000": (150, 200, 3),
}
AUGMENT = Augmentation(True, True, 20.0, 0.1, 0.1, 0.1)
NETWORKS = {
    "digits": digits_cnn,
    "mnist": mnist_cnn,
    "cifar10": resnet18_small,
    "ham10000": resnet50,
}


def random_job(name, agents, samples):
    rng = np.random.default_rng(0)
    shape, count = SHAPES[name], agents * samples
    data = Samples(
        rng.integers(0, 256, (count, *shape), np.uint8), rng.integers(0, 10, count, np.int64)
    )
    test = Samples(data.images[:10], data.labels[:10])
    normal = (0.5,) * shape[2], (0.25,) * shape[2]
    dataset = Dataset("random", data, test, tuple("0123456789"), *normal)
    shards = np.split(rng.permutation(count), agents)
    return Job(dataset, lambda: NETWORKS[name](10), shards, RECIPES[name])


def augmented(job):
    grey = job.dataset.train.images.shape[3] == 1
    changes = replace(AUGMENT, hue=0.0) if grey else AUGMENT
    return replace(job, recipe=replace(job.recipe, augment=changes))


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def with_plain_layers(model):
    """The model with PyTorch's own layers in place of ours."""
    for module in list(model.modules()):
        for name, child in module.named_children():
            if isinstance(child, Dropout):
                setattr(module, name, nn.Dropout(child.probability))
            elif isinstance(child, Flatten):
                setattr(module, name, nn.Flatten())
    return model


def plain_loop(job, device):
    """Rounds of the loop one would write: agents in turn, PyTorch's defaults. Yields images."""
    data = job.dataset.train
    images, labels = (torch.tensor(values).to(device) for values in (data.images, data.labels))
    server = with_plain_layers(job.initial_model()).to(device)
    models = [copy.deepcopy(server).train() for _ in range(job.agents)]
    recipe = job.recipe
    if recipe.optimiser == "adam":
        optimisers = [torch.optim.Adam(m.parameters(), lr=recipe.rate) for m in models]
    else:
        options = {"lr": recipe.rate, "momentum": 0.9, "weight_decay": recipe.weight_decay}
        optimisers = [torch.optim.SGD(m.parameters(), **options) for m in models]
    for start in range(0, FOREVER, H):
        seen = 0
        for agent, (model, optimiser) in enumerate(zip(models, optimisers, strict=True)):
            model.load_state_dict(server.state_dict())
            batches = job.batches(agent)
            for step in range(start, start + H):
                chosen = torch.from_numpy(batches[step]).to(device)
                inputs = (images[chosen].permute(0, 3, 1, 2).float() / 255 - 0.5) / 0.25
                with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                    loss = cross_entropy(model(inputs.contiguous()), labels[chosen])
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                seen += len(chosen)
        server.load_state_dict(average([m.state_dict() for m in models], job.shares()))
        yield seen


def engine(job, machine):
    """Rounds of an engine. Yields images."""
    with machine.engine(job, [FOREVER] * job.agents) as running:
        for start in range(0, FOREVER, H):
            running.distribute()
            running.update([H] * job.agents)
            running.average()
            steps = range(start, start + H)
            yield sum(len(job.batches(a)[s]) for a in range(job.agents) for s in steps)


def rate(rounds, count, device):
    """Images a second over so many rounds."""
    wait(device)
    started = time.perf_counter()
    seen = sum(next(rounds) for _ in range(count))
    wait(device)
    return seen / (time.perf_counter() - started)


def one_model_rate(job, steps, batch=2048):
    """Images a second of one model with all the data and large batches."""
    everything = [np.arange(len(job.dataset.train) // batch * batch)]
    alone = replace(job, shards=everything, recipe=replace(job.recipe, batch=batch))
    with Machine("cuda").engine(alone, [FOREVER]) as running:
        running.update([3])
        wait("cuda")
        started = time.perf_counter()
        running.update([steps])
        wait("cuda")
        return steps * batch / (time.perf_counter() - started)


WAYS = {
    "plain loop, all threads": lambda job: plain_loop(job, "cpu"),
    "plain engine": lambda job: engine(job, Machine("cpu", plain=True)),
    "fast engine, fp32": lambda job: engine(job, Machine("cpu")),
    "fast engine, bf16": lambda job: engine(job, Machine("cpu", precision="bf16")),
    "fast engine, augmented": lambda job: engine(augmented(job), Machine("cpu")),
}


def serve(pipe, way, *about_job):
    """Train for so many rounds whenever asked to, and tell the rate; at last, the memory peak."""
    rounds = WAYS[way](random_job(*about_job))
    next(rounds)
    while count := pipe.recv():
        pipe.send(rate(rounds, count, "cpu"))
    pipe.send(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def on_cpu():
    print(
        f"{torch.get_num_threads()} threads; images/s, how many times the plain loop's, GiB at most"
    )
    spawn = multiprocessing.get_context("spawn")
    for name, samples, count in (("digits", 89, 10), ("mnist", 3_750, 1)):
        pipes, rates = {}, {way: [] for way in WAYS}
        for way in WAYS:
            pipes[way], theirs = spawn.Pipe()
            arguments = (theirs, way, name, 16, samples)
            spawn.Process(target=serve, args=arguments, daemon=True).start()
        for _ in range(TURNS):  # in turn, so that what else the machine does strikes all alike
            for way, pipe in pipes.items():
                pipe.send(count)
                rates[way].append(pipe.recv())
        for way, pipe in pipes.items():
            pipe.send(0)
            middle = statistics.median(rates[way])
            ratio = middle / statistics.median(rates["plain loop, all threads"])
            print(f"  {name:8}{way:26}{middle:10,.0f}{ratio:8.2f}x{pipe.recv():8.2f}", flush=True)
    print("the fast engine with more agents, digits, 32 samples each:")
    for agents in (4, 16, 64, 256):
        rounds = engine(random_job("digits", agents, 32), Machine("cpu"))
        next(rounds)
        print(f"  {agents:5} agents {rate(rounds, 2 + 1280 // agents // H, 'cpu'):10,.0f} images/s")
        rounds.close()


def on_cuda():
    job, cuda = random_job("cifar10", 16, 3_125), Machine("cuda")
    print(f"{torch.cuda.get_device_name()}; images/s")
    ceiling = one_model_rate(job, 60)
    torch.cuda.reset_peak_memory_stats()
    fast = cuda_rate(engine(job, cuda), 25)
    gib = torch.cuda.max_memory_allocated() / 2**30
    plain = cuda_rate(plain_loop(job, "cuda"), 3)
    print(f"  plain loop               {plain:10,.0f}")
    print(
        f"  fast engine, bf16        {fast:10,.0f}{fast / plain:8.2f}x, {gib:.1f} GiB at the peak"
    )
    print(f"  one model, batch 2,048   {ceiling:10,.0f}  the engine reaches {fast / ceiling:.0%}")
    for agents in (4, 16, 64, 256):
        several = cuda_rate(engine(random_job("cifar10", agents, 800), cuda), 10)
        print(f"  {agents:5} agents with 800  {several:10,.0f}")


def augmented_on_cuda():
    print(f"{torch.cuda.get_device_name()}; images/s of the fast engine, augmented and not")
    ham = random_job("ham10000", 10, 801)
    ham = replace(ham, recipe=replace(ham.recipe, batch=64, image_size=224))
    for name, job, count in (
        ("ResNet-18, 32x32", random_job("cifar10", 16, 3_125), 25),
        ("ResNet-50, 224x224", ham, 10),
    ):
        ways = (job, augmented(job))
        fast, changed = (cuda_rate(engine(way, Machine("cuda")), count) for way in ways)
        print(f"  {name:24}{fast:10,.0f}{changed:10,.0f}{changed / fast:8.2f}x", flush=True)


def cuda_rate(rounds, count):
    next(rounds)
    measured = rate(rounds, count, "cuda")
    rounds.close()
    return measured


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=["cpu", "cuda", "augmented"])
    arguments = parser.parse_args()
    if arguments.only in (None, "cpu"):
        on_cpu()
    if arguments.only in (None, "cuda") and torch.cuda.is_available():
        on_cuda()
    if arguments.only != "cpu" and torch.cuda.is_available():
        augmented_on_cuda()


if __name__ == "__main__":
    main()
