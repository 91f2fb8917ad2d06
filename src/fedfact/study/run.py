"""A study from its first sample to its summary (DESIGN: config, data, train, measure, settle)."""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..data import load
from ..data.locate import data_directory
from ..files import alone, clear_torn, read_text, reason, write_whole
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
from .trained import job_of, read_trained, train
from .write_toml import to_toml

TRAINED = "trained"
"""The folder of what was trained, one file for each arm and seed."""

_FREE = ("name", "partitions", "seeds", "score", "deviators", "terms")
"""What may differ when a study goes on: it adds arms or seeds, or only settles anew."""


def check_directory(study: Study, output: Path, *, resume: bool) -> None:
    """Refuse, before any work, a directory that cannot be written or holds another study."""
    file = output / "study.toml"
    if file.exists() and not resume:
        raise InputError(
            f"{output}: holds a study already; go on with it by --resume (what is finished is not "
            "done again), or name another directory with -o"
        )
    if file.exists():
        _check_same(file, study)
    there = next(path for path in (output, *output.absolute().parents) if path.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise InputError(f"{output}: cannot be written to; name another directory with -o")


def _check_same(file: Path, study: Study) -> None:
    """Refuse to go on in the directory of a study whose trainings are others."""
    try:
        old = _flat(tomllib.loads(read_text(file, "another directory with -o")))
    except ValueError as error:
        raise InputError(f"{file}: is not valid TOML ({error}); name another directory") from None
    new = _flat(tomllib.loads(to_toml(study)))
    for key in dict.fromkeys((*old, *new)):
        if old.get(key) != new.get(key):
            raise InputError(
                f"{file}: is of another study ({key}: {old.get(key)} there, {new.get(key)} here); "
                "name another directory with -o"
            )


def _flat(table: dict[str, Any]) -> dict[str, Any]:
    """The keys that decide how agents train, those within tables as table.key."""
    flat = {"terms.error_scale": table.get("terms", {}).get("error_scale")}
    for key, value in table.items():
        if key not in _FREE:
            inner = value if isinstance(value, dict) else {"": value}
            flat |= {f"{key}.{name}".rstrip("."): each for name, each in inner.items()}
    return flat


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

    Everything is checked before the first training, and before anything is written. What was
    trained before is read, not repeated; a training that was killed goes on from its checkpoint.
    Where all of it is there, neither the data nor the device is needed: it is only settled anew.
    """
    check_directory(study, output, resume=resume)
    parts = [
        (arm, seed, output / TRAINED / f"{arm.slug}-seed{seed}.json")
        for arm in arms(study)
        for seed in range(study.seeds)
    ]
    dataset, before = None, [path for _, _, path in parts if path.exists()]
    if len(before) < len(parts):
        if study.dataset == "ham10000":
            find_weights(data_directory(data_dir))  # told of before the images are decoded
        dataset = load(study.dataset, data_dir, split=study.split, report=report)
    there = read_trained(before[0]).images if dataset is None else len(dataset.train)
    plan = [(arm, seed, path, members(study, arm, seed, there)) for arm, seed, path in parts]
    try:
        (output / TRAINED).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{output}: cannot be made ({reason(error)}); name another directory with -o"
        ) from None
    with alone(output, wait=False):
        write_whole(output / "study.toml", to_toml(study).encode())
        measured: list[Measured] = []
        work = [2 * study.recipe().epochs * int(who.samples.sum()) for _, _, _, who in plan]
        for k, (arm, seed, path, who) in enumerate(plan):
            if dataset is None:
                trained = read_trained(path)
            else:
                clear_torn(path)
                job = job_of(study, arm, seed, who, dataset, data_dir)
                progress = _part(report, sum(work[:k]), work[k], sum(work))
                trained = train(job, machine, path, study.training.test_every, progress, note)
            measured.append(measure(study, arm, seed, who, trained))
            note(f"{k + 1} of {len(plan)} done: {measured[-1].in_words()}")
        report("study", sum(work), sum(work), "images")
        by_arm = [measured[k : k + study.seeds] for k in range(0, len(plan), study.seeds)]
        document = summary(study, by_arm)
        write_tables(
            output,
            curves=_stacked([one.curves() for one in measured]),
            agents=_stacked([one.agents() for one in measured]),
            settlement=_stacked([one.settlements() for one in measured]),
        )
        seconds = {f"{one.arm.name}, seed {one.seed}": one.trained.seconds for one in measured}
        if dataset is not None or not (output / "manifest.json").exists():
            write_json(output / "manifest.json", manifest(command, machine, seconds))
        write_json(output / "summary.json", document)  # last: with it the study is finished
    return document


def _part(report: Report, before: int, images: int, in_all: int) -> Report:
    """Reports of one training, which comes in two halves, as a part of the whole study's."""

    def told(what: str, done: int, total: int, unit: str) -> None:
        first = 0 if what == "local" else images // 2
        report("study", before + first + images // 2 * done // max(total, 1), in_all, unit)

    return told


def _stacked(tables: list[Columns]) -> Columns:
    """Tables of the same columns, one below the other."""
    return {name: [row for table in tables for row in table[name]] for name in tables[0]}
