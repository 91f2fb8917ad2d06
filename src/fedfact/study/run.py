"""A study from its first sample to its summary (DESIGN: config, data, train, measure, settle)."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..data import load
from ..data.locate import data_directory
from ..files import alone, clear_torn, reason, write_whole
from ..mechanism import InputError
from ..models.weights import find_weights
from ..progress import Report, silent
from ..training import Machine
from .arm import arms
from .config import Study
from .directory import Columns, write_json, write_tables
from .manifest import manifest
from .measured import Measured, measure
from .members import members
from .summary import summary
from .trained import job_of, train
from .write_toml import to_toml

TRAINED = "trained"
"""The folder of what was trained, one file for each arm and seed."""


def check_directory(output: Path, *, resume: bool) -> None:
    """Refuse a directory that could not be written, or that holds a study that is not to go on."""
    if (output / "study.toml").exists() and not resume:
        raise InputError(
            f"{output}: holds a study already; go on with it by --resume (what is finished is not "
            "done again), or name another directory with -o"
        )
    try:
        (output / TRAINED).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=output):
            pass
    except OSError as error:
        raise InputError(
            f"{output}: cannot be written to ({reason(error)}); name another directory with -o"
        ) from None


def run_study(
    study: Study,
    machine: Machine,
    output: Path,
    *,
    resume: bool = False,
    data_dir: Path | None = None,
    command: str = "fedfact run",
    report: Report = silent,
    note: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Run a study and write its results to a directory; return the summary.

    Everything is checked before the first training. What was trained before is read, not repeated;
    a training that was killed goes on from its last checkpoint.
    """
    check_directory(output, resume=resume)
    with alone(output, wait=False):
        if study.dataset == "ham10000":
            find_weights(data_directory(data_dir))  # told of before the images are decoded
        dataset = load(study.dataset, data_dir, split=study.split, report=report)
        there, plan = len(dataset.train), arms(study)
        taking_part = {
            (arm, seed): members(study, arm, seed, there)
            for arm in plan
            for seed in range(study.seeds)
        }
        write_whole(output / "study.toml", to_toml(study).encode())
        results: list[list[Measured]] = []
        for arm in plan:
            results.append([])
            for seed in range(study.seeds):
                who, path = taking_part[arm, seed], output / TRAINED / f"{arm.slug}-seed{seed}.json"
                clear_torn(path)
                job = job_of(study, arm, seed, who, dataset, data_dir)
                number = len(taking_part), sum(map(len, results)) + 1
                progress = _named(f"{arm.name}, seed {seed}", number, report)
                trained = train(job, machine, path, study.training.test_every, progress, note)
                results[-1].append(measure(study, arm, seed, who, trained))
        document = summary(study, dataset.classes, results)
        flat = [one for seeds in results for one in seeds]
        write_tables(
            output,
            curves=_stacked([one.curves() for one in flat]),
            agents=_stacked([one.agents() for one in flat]),
            settlement=_stacked([one.settlements() for one in flat]),
        )
        seconds = {f"{one.arm.name}, seed {one.seed}": one.trained.seconds for one in flat}
        write_json(output / "manifest.json", manifest(command, machine, seconds))
        write_json(output / "summary.json", document)  # last: with it the study is finished
    return document


def _named(name: str, number: tuple[int, int], report: Report) -> Report:
    """Reports of one training of many, told apart by its name."""
    of, k = number

    def told(what: str, done: int, total: int, unit: str) -> None:
        report(f"{k}/{of} {name}: {what}", done, total, unit)

    return told


def _stacked(tables: list[Columns]) -> Columns:
    """Tables of the same columns, one below the other."""
    return {name: [row for table in tables for row in table[name]] for name in tables[0]}
