"""The free-rider dilemma trained for real: the model that each rule ends with.

Under every rule agents use what is best for them, all others doing the same (Thm 2: under plain
federated learning all but one use nothing). These samples are dealt out and trained on. Twice: with
reports that are true, and with agents that lie where it pays.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Ints
from ...data.registry import FROM_SCRATCH, SETS
from ...errors import InputError, did_you_mean
from ...io.files import write_json
from ...lab.setting import Setting
from ...progress import Progress, silent
from ...training import RECIPES, Job, Machine, Recipe, Score
from ...training.kept import Kind, Planned, train_all
from ...training.setup import assemble, load_to_train
from .guard import DOCUMENT, TRAINED, check_place, opened
from .result import Collapse, TrainedCase
from .samples import Collected, Scenario, collect, deal, first_of_each

SEEDS = 3
NESTED = "iid, nested"
COMMAND = "fedfact lab collapse"


def run_collapse(
    dataset: str,
    setting: Setting,
    machine: Machine,
    output: Path,
    *,
    seeds: int = SEEDS,
    recipe: Recipe | None = None,
    resume: bool = False,
    data_dir: Path | None = None,
    progress: Progress = silent,
    note: Callable[[str], None] = lambda text: None,
) -> Collapse:
    """Train what every rule collects, write what that ends with to a directory and return it.

    Everything is checked before the first training. What was trained before is read, not repeated;
    a training that was killed goes on from its checkpoint.
    """
    check_words(dataset, seeds)
    recipe = recipe or RECIPES[dataset]
    words = {
        "dataset": dataset,
        "agents": setting.agents,
        "costs": setting.costs if setting.given is None else list(setting.given),
        "terms": repr(setting.terms),
        **recipe.describe(),
        "arithmetic": machine.arithmetic,
    }
    check_place(output, words, resume=resume)
    data = load_to_train(dataset, data_dir, "lesion", progress)
    if setting.agents > len(data.train):
        raise InputError(
            f"{setting.agents:,} agents cannot share {len(data.train):,} images; take fewer agents"
        )
    rules = [rule for rule in setting.rules() if not rule.benchmark]
    scenarios = [Scenario(rule, lies) for lies in (False, True) for rule in rules]
    by_seed = [
        collect(setting, scenarios, seed, len(data.train), progress) for seed in range(seeds)
    ]
    jobs = partial(assemble, data, recipe=recipe, how=NESTED, directory=data_dir)
    images = len(data.train)
    plan = [_plan(each, scenarios, jobs, images, machine, output / TRAINED) for each in by_seed]
    once = {one.path: one for row in plan for one in row}
    kept = {path: one.kept() for path, one in once.items()}
    with opened(output, words, resume=resume):
        scores = train_all(once, kept, machine, progress, note)
        found = Collapse(
            dataset=dataset,
            title=SETS[dataset].title,
            agents=setting.agents,
            costs=setting.costs,
            epochs=recipe.epochs,
            seeds=tuple(range(seeds)),
            samples_available=len(data.train),
            scale=tuple(each.scale for each in by_seed),
            alone=float(np.mean([each.alone for each in by_seed])),
            cases=tuple(
                _case(case, [each.samples[k] for each in by_seed], [row[k] for row in plan], scores)
                for k, case in enumerate(scenarios)
            ),
        )
        write_json(output / DOCUMENT, found.document())  # last: with it the work is finished
    return found


def check_words(dataset: str, seeds: int) -> None:
    """Refuse data that has no part here, and numbers that make no sense."""
    if dataset not in FROM_SCRATCH:
        near = did_you_mean(dataset, FROM_SCRATCH) or f"take {', '.join(FROM_SCRATCH)}"
        raise InputError(f"data set {dataset!r} is not one of the lab; {near}")
    if not 1 <= seeds <= 1000:
        raise InputError(f"seeds are {seeds}; take 1 to 1000")


def recipe_of(dataset: str, epochs: int | None = None) -> Recipe:
    """The data set's own, with so many epochs."""
    check_words(dataset, 1)
    return RECIPES[dataset] if epochs is None else replace(RECIPES[dataset], epochs=epochs)


def _plan(
    collected: Collected,
    scenarios: Sequence[Scenario],
    jobs: Callable[..., Job],
    images: int,
    machine: Machine,
    folder: Path,
) -> list[Planned]:
    """The training of every case with one seed; equal ones are one."""
    dealt = deal(images, collected.samples.max(axis=0), collected.seed)
    plan: dict[tuple[Kind, bytes], Planned] = {}
    for case, samples in zip(scenarios, collected.samples, strict=True):
        key = case.kind, samples.tobytes()
        if key not in plan:
            job = jobs(first_of_each(dealt, samples), seed=collected.seed)
            plan[key] = Planned.plan(case.kind, job, machine, folder, COMMAND)
    return [
        plan[case.kind, s.tobytes()] for case, s in zip(scenarios, collected.samples, strict=True)
    ]


def _case(
    case: Scenario,
    samples: Sequence[Ints],
    trained: Sequence[Planned],
    scores: dict[Path, list[Score]],
) -> TrainedCase:
    """What one case ended with, by seed. Samples and contributors are those behind one model."""
    apart, used = case.kind == "local", [each[each > 0] for each in samples]
    loss, accuracy = np.array([np.mean(scores[one.path], axis=0) for one in trained]).T
    return TrainedCase(
        case.rule.name,
        case.rule.title,
        case.lies,
        case.rule.gives_model,
        samples=_floats(each.mean() if apart else each.sum() for each in used),
        contributors=_floats(1 if apart else len(each) for each in used),
        largest_share=_floats(1 if apart else each.max() / each.sum() for each in used),
        accuracy=_floats(accuracy),
        loss=_floats(loss),
        trained=tuple(one.path.name for one in trained),
    )


def _floats(values: Iterable[Any]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
