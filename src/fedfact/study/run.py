"""A study from its first sample to its summary (config, data, training, measuring, settling)."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..io.files import alone, clear_torn, write_json, write_whole
from ..io.folders import make_folder
from ..mechanism import PAPER_RULE
from ..mechanism.fees import shown_penalty
from ..progress import Progress, part_of, silent
from ..training import Job, Machine
from ..training.setup import load_to_train
from .config.agents import StudyAgents, agents_of
from .config.arm import Arm, arms
from .config.load import read_study
from .config.study import Study
from .config.write_toml import to_toml
from .files.directory import ColumnLists, Result, read_result, write_tables
from .files.guard import FILES, TRAINED, check_directory
from .files.manifest import manifest
from .files.trained import (
    KINDS,
    Trained,
    about_job,
    about_study,
    clear,
    job_of,
    read_trained,
    train,
)
from .measure.ends import settled
from .measure.measured import Measured, measure
from .measure.summary import summary


@dataclass(frozen=True, eq=False)
class Part:
    """One arm with one seed: who takes part, the file it is kept in, and what is known of it."""

    arm: Arm
    seed: int
    who: StudyAgents
    path: Path
    job: Job | None
    about: dict[str, Any]

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.arm.name}, seed {self.seed}"

    def read(self, study: Study) -> Measured | None:
        """What was trained before, if it was, settled; refused if it is of another training."""
        if not self.path.exists():
            return None
        return self.measure(study, read_trained(self.path, study, self.about, self.who))

    def train(self, machine: Machine, progress: Progress, note: Callable[[str], None]) -> Trained:
        """Train it, which takes the data."""
        assert self.job is not None  # there is one for each part if any is to be trained
        return train(self.job, machine, self.path, self.about, progress, note)

    def measure(self, study: Study, trained: Trained) -> Measured:
        """Settle what was trained."""
        try:
            return measure(study, self.arm, self.seed, self.who, trained)
        except InputError as error:  # losses beyond all money: the training went astray
            raise InputError(f"{study.name}, {self.name}: {error}") from None


def run_study(
    study: Study,
    machine: Machine,
    output: Path | str,
    *,
    resume: bool = False,
    data_dir: Path | str | None = None,
    command: str = "fedfact run",
    progress: Progress = silent,
    note: Callable[[str], None] = lambda text: None,
) -> Result:
    """Run a study, write its results to a directory and return them.

    Everything is checked before the first training, and before anything is written. What was
    trained before is read, not repeated; a training that was killed goes on from its checkpoint.
    Where all of it is there, neither the data nor the device is needed: it is only settled anew.
    """
    output, data_dir = Path(output), Path(data_dir) if data_dir else None
    check_directory(study, output, resume=resume)
    parts = _plan(study, machine, output, data_dir, progress)
    before = [part.read(study) for part in parts]
    make_folder(output / TRAINED)
    with alone(output, wait=False):
        for name in FILES:
            clear_torn(output / name)
        check_directory(study, output, resume=resume)  # nobody came first while data was loaded
        same = _is_finished(study, output)
        write_whole(output / "study.toml", to_toml(study).encode())
        (output / "summary.json").unlink(missing_ok=True)  # not finished until it is there again
        measured: list[Measured] = []
        work = [2 * study.recipe().epochs * int(part.who.samples.sum()) for part in parts]
        for k, (part, done) in enumerate(zip(parts, before, strict=True)):
            if done is None:
                share = part_of(progress, "study", sum(work[:k]), work[k], sum(work), KINDS)
                done = part.measure(study, part.train(machine, share, note))
            clear(part.path)
            measured.append(done)
            note(f"{k + 1} of {len(parts)} done: {done.in_words()}")
        progress("study", sum(work), sum(work), "images")
        by_arm = [measured[k : k + study.seeds] for k in range(0, len(parts), study.seeds)]
        document = summary(study, by_arm)
        write_tables(
            output,
            curves=_stacked([one.curves() for one in measured]),
            agents=_stacked([one.agents() for one in measured]),
            settlement=_stacked([one.settlements() for one in measured]),
        )
        seconds = {
            part.name: one.trained.seconds for part, one in zip(parts, measured, strict=True)
        }
        file = output / "manifest.json"
        seeds, now = list(range(study.seeds)), None in before
        write_json(file, manifest(file, command, machine, seeds, seconds, now=now, same=same))
        write_json(output / "summary.json", document)  # last: with it the study is finished
    return read_result(output)


def _is_finished(study: Study, output: Path) -> bool:
    """Whether this very study was run here to its end."""
    file = output / "study.toml"
    there = file.exists() and (output / "summary.json").exists()
    return there and to_toml(read_study(str(file))) == to_toml(study)


def _plan(
    study: Study, machine: Machine, output: Path, data_dir: Path | None, progress: Progress
) -> list[Part]:
    """All parts of a study; with jobs, and so with the data, if any is still to be trained."""
    places = [
        (arm, seed, output / TRAINED / f"{arm.slug}-seed{seed}.json")
        for arm in arms(study)
        for seed in range(study.seeds)
    ]
    dataset = None
    if all(path.exists() for _, _, path in places):
        arm, seed, path = places[0]
        there = read_trained(path, study, about_study(study, arm, seed), None).images
    else:
        dataset = load_to_train(study.dataset, data_dir, study.split, progress)
        there = len(dataset.train)
    parts = []
    for arm, seed, path in places:
        who = agents_of(study, arm, seed, there)
        _check_terms(study, arm, who)
        job, about = None, about_study(study, arm, seed)
        if dataset is not None:
            job = job_of(study, arm, seed, who, dataset, data_dir)
            about = about_job(job, machine, study.training.test_every)
        parts.append(Part(arm, seed, who, path, job, about))
    return parts


def _check_terms(study: Study, arm: Arm, who: StudyAgents) -> None:
    """Refuse terms that could not be settled, or drawn, which the curve tells before training."""
    try:
        by_papers_rule = settled(study, who, seed=0)[PAPER_RULE.name]
        shown_penalty(by_papers_rule.population, by_papers_rule.terms)  # Figure 3
    except InputError as error:
        raise InputError(f"{study.name}, {arm.name}: {error}") from None


def _stacked(tables: list[ColumnLists]) -> ColumnLists:
    """Tables of the same columns, one below the other."""
    return {name: [row for table in tables for row in table[name]] for name in tables[0]}
