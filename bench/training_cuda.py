"""The CUDA engine against a plain loop on the same device, and against one model alone.

Random images of CIFAR-10's shape, ResNet-18, 16 agents with 3,125 each, h = 6, bf16. Data
selection and averaging are counted in. The ceiling is one model that takes all images in batches
of 2,048: no averaging, no small batches, no second model.
"""

import argparse
import copy
import time
from dataclasses import replace

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from fedfact.data import Dataset, Samples
from fedfact.models import resnet18_small
from fedfact.training import RECIPES, Job
from fedfact.training.agent import channels_last
from fedfact.training.average import average
from fedfact.training.cuda import CudaEngine
from fedfact.training.pixels import Pixels

H = 6


def job(agents, samples):
    rng = np.random.default_rng(0)
    count = agents * samples
    images = rng.integers(0, 256, (count, 32, 32, 3), np.uint8)
    data = Samples(images, rng.integers(0, 10, count))
    dataset = Dataset("random", data, data, tuple("0123456789"), (0.5,) * 3, (0.25,) * 3)
    shards = np.split(rng.permutation(count), agents)
    return Job(dataset, lambda: resnet18_small(10), shards, replace(RECIPES["cifar10"], epochs=1))


def rate_of_engine(task, rounds, **options):
    """Images a second, and the peak of memory in GiB."""
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    started = time.perf_counter()
    engine = CudaEngine(task, [10_000] * task.agents, **options)
    torch.cuda.synchronize()
    ready = time.perf_counter() - started
    images, before = 0, 0.0
    for number in range(-2, rounds):
        if number == 0:
            torch.cuda.synchronize()
            before = time.perf_counter()
        engine.distribute()
        engine.update([H] * task.agents)
        engine.average()
        if number >= 0:
            at = (number + 2) * H
            images += sum(
                len(task.batches(i)[at + s]) for i in range(task.agents) for s in range(H)
            )
    torch.cuda.synchronize()
    taken = time.perf_counter() - before
    peak = torch.cuda.max_memory_allocated() / 2**30
    return images / taken, peak, ready


def rate_of_plain_loop(task, rounds):
    """The loop one would write: agents in turn, every operation launched by itself."""
    device = torch.device("cuda")
    data = Pixels(task.dataset, task.dataset.train, device)
    first = channels_last(task.initial_model()).to(device)
    models = [copy.deepcopy(first).train() for _ in range(task.agents)]
    optimisers = [
        torch.optim.SGD(m.parameters(), 0.05, momentum=0.9, weight_decay=5e-4) for m in models
    ]
    images, before = 0, 0.0
    for number in range(-1, rounds):
        if number == 0:
            torch.cuda.synchronize()
            before = time.perf_counter()
        for agent, (model, optimiser) in enumerate(zip(models, optimisers, strict=True)):
            model.load_state_dict(first.state_dict())
            for step in range(H):
                chosen = torch.from_numpy(task.batches(agent)[(number + 1) * H + step]).to(device)
                inputs, labels = data.batch(chosen)
                with torch.autocast("cuda", torch.bfloat16):
                    loss = cross_entropy(model(inputs), labels)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                images += len(chosen) if number >= 0 else 0
        first.load_state_dict(average([m.state_dict() for m in models], task.shares()))
    torch.cuda.synchronize()
    return images / (time.perf_counter() - before)


def rate_of_one_model(task, steps, batch=2048):
    """The ceiling: one model, large batches, everything in one graph."""
    alone = Job(
        task.dataset,
        task.network,
        [np.arange(len(task.dataset.train.labels) // batch * batch)],
        replace(task.recipe, batch=batch),
    )
    engine = CudaEngine(alone, [10_000])
    engine.update([3])
    torch.cuda.synchronize()
    before = time.perf_counter()
    engine.update([steps])
    torch.cuda.synchronize()
    return steps * batch / (time.perf_counter() - before)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--streams", type=int, nargs="*", default=[])
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("no CUDA device here: nothing measured")
        return
    task = job(16, 3_125)
    for streams in arguments.streams:
        fast, peak, ready = rate_of_engine(task, arguments.rounds, streams=streams)
        print(f"{streams} streams: {fast:,.0f} images/s, {peak:.1f} GiB, ready in {ready:.1f} s")
    ceiling = rate_of_one_model(task, 60)
    fast, peak, ready = rate_of_engine(task, arguments.rounds)
    plain = rate_of_plain_loop(task, 3)
    print(f"device                        {torch.cuda.get_device_name()}")
    print(f"plain loop                    {plain:,.0f} images/s")
    print(f"CUDA engine                   {fast:,.0f} images/s, {peak:.1f} GiB at most")
    print(f"one model, batch 2,048        {ceiling:,.0f} images/s")
    print(f"engine against plain loop     {fast / plain:.2f}x")
    print(f"share of the ceiling          {fast / ceiling:.0%}")
    for agents in (4, 16, 64, 256):
        rate, peak, _ = rate_of_engine(job(agents, 800), 10)
        print(f"{agents:4} agents with 800 samples   {rate:,.0f} images/s, {peak:.1f} GiB")


if __name__ == "__main__":
    main()
