"""One process of the fuzzer: its cases, one after the other, each within its limits.

``python -m tests.fuzz.worker BASE TARGET FIRST LAST`` tries cases of one target and prints what is
wrong with any; a case is drawn from its target and number alone, so naming both repeats it.
``all`` for a target takes each in its share.
"""

import contextlib
import faulthandler
import functools
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import unicodedata
from pathlib import Path

import typer.main

from fedfact import cli
from fedfact.errors import InputError

from .targets import TARGETS

CODES = {0, 2, 3, 4, 5, 130}
"""Those that docs/guide.md lists, less 1, which is a fault of ours."""

SECONDS, MEMORY = 10, 1 << 30

GOOD = "so far it is good"
"""What a command says here instead of training, or playing, for long."""

NO_MEMORY = re.compile("more memory than there is|alloc|MemoryError")
"""What is said where the limit on memory struck, by us, by numpy, pyarrow or torch."""


class TooLong(BaseException):
    pass


def too_long(*_):
    raise TooLong


def set_up_process():
    """Commands are built once; what they would train or play for long, they only check."""
    typer.main.get_command = functools.lru_cache(typer.main.get_command)
    import fedfact.federation.deploy.flare.kits.set_up as kits
    import fedfact.federation.deploy.flare.server.running as running
    import fedfact.report.study.page as report
    import fedfact.study.run as study
    import fedfact.training.kept as kept
    from fedfact.study.files.guard import check_directory

    def checked_only(*_, **__):
        raise InputError(GOOD)

    def check_run(given, machine, folder, *, resume, **_):
        check_directory(given, folder, resume=resume)
        if not resume:
            raise InputError(GOOD)
        return run(given, machine, folder, resume=True)

    def population(setting, **_):
        setting.populations(2, 0)
        raise InputError(GOOD)

    def trained(*given, output, **how):
        return train(*given, output=output, **how) if output else checked_only()

    run, study.run_study = study.run_study, check_run
    train, kept.run = kept.run, trained
    kits.create = kits._certify = running.supervise = checked_only
    write, calls = report.write_report, []

    def sometimes(results, output, *rest):
        calls.append(results)
        if len(calls) % 40 == 0:
            return write(results, output, *rest)
        report.page(results, report.charts_of(results)[:0], lambda: None)
        return output / "report.html"

    report.write_report = sometimes
    modules = sys.modules
    modules["fedfact.cli.lab.commands"].play = population
    modules["fedfact.cli.lab.commands"].try_all = population
    modules["fedfact.cli.lab.compare"].play_all = population
    modules["fedfact.cli.lab.realfm"].play = population


def command(words):
    """Exit code and what was printed; any crash comes through."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv, code = ["fedfact", *words], 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.main()
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        sys.argv = before
    return code, out.getvalue(), err.getvalue()


class Sandbox:
    """A copy of a folder of the base; after each case it is as it was."""

    def __init__(self, folder):
        self.folder = folder
        self.files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        self.before = self.look()

    def look(self):
        """Names, sizes and times of all that is there."""
        seen = {}
        stack = [os.fspath(self.folder)]
        while stack:
            for each in os.scandir(stack.pop()):
                about = each.stat(follow_symlinks=False)
                if each.is_dir(follow_symlinks=False):
                    stack.append(each.path)
                    seen[each.path] = None
                else:
                    seen[each.path] = (about.st_size, about.st_mtime_ns)
        return seen

    def restore(self):
        """All as it was."""
        now = self.look()
        for path in sorted(now.keys() - self.before.keys(), reverse=True):
            shutil.rmtree(path) if now[path] is None else Path(path).unlink()
        for path, content in self.files.items():
            if now.get(os.fspath(path)) != self.before[os.fspath(path)]:
                path.parent.mkdir(exist_ok=True, parents=True)
                path.write_bytes(content)
        self.before = self.look()


def draw(target, sandbox, number):
    """The file that this case damages, and how it is then."""
    rng = random.Random(f"{target.name}, case {number}")
    name = rng.choice(sorted(target.files))
    found = sorted(sandbox.folder.glob(name)) if "*" in name else [sandbox.folder / name]
    path = rng.choice(found)
    return path, target.files[name](sandbox.files.get(path, b""), rng)


def attempt(target, sandbox, number, run=None):
    """What is wrong with a case, in words; nothing if all is well. ``run`` runs the command."""
    path, wrong = draw(target, sandbox, number)
    path.write_bytes(wrong)
    mark, before = path.stat().st_mtime_ns, sandbox.look()
    try:
        code, out, err = (run or within_limits)(target.words, sandbox.folder)
    except TooLong:
        return f"takes more than {SECONDS} s: {traceback.format_exc(limit=-6)}"
    except BaseException:
        return f"crashes: {traceback.format_exc(limit=-6)}"
    problems = []
    if NO_MEMORY.search(err):
        problems.append(f"takes more memory than 1 GiB: {err[-800:]}")
    if code not in CODES:
        problems.append(f"exit code {code}: {err[-800:]}")
    kinds = {unicodedata.category(each) for each in {*out, *err} - {"\n"}}
    if "Traceback" in err or kinds & {"Cc", "Cf", "Cs"}:
        problems.append(f"prints what it should not: {err[-800:]!r} {out[-200:]!r}")
    if code == 2 and not err.strip():
        problems.append("is refused without a word")
    after = sandbox.look()
    if any(name.endswith(".part") for name in after):
        problems.append("leaves a file half-written")
    if not target.goes_on:
        new = {Path(name).relative_to(sandbox.folder).parts[0] for name in after.keys() - {*before}}
        if "*" not in target.writes and (new - set(target.writes) or (new and code == 2)):
            problems.append(f"leaves {sorted(new)} behind, and exits {code}")
        if {name: after.get(name) for name in before} != before or path.stat().st_mtime_ns != mark:
            problems.append("changes its input")
    return "; ".join(problems)


def stops_short(target, sandbox):
    """How a command ends before its own work, though all that it reads is whole; '' if it works.

    Were it not looked at, every damaged file would be refused for another reason than its damage.
    """
    code, _, err = within_limits(target.words, sandbox.folder)
    sandbox.restore()
    good = target.refusal in err if target.refusal else code == 0 or GOOD in err
    return "" if good else f"refuses undamaged files, exit code {code}: {err[-800:]}"


def within_limits(words, folder):
    """Run a command in this process; one that computes, or that waits, for too long is stopped."""
    os.chdir(folder)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of this process, not of the others
    faulthandler.dump_traceback_later(12 * SECONDS, exit=True)
    try:
        return command(words)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()


def main(base, wanted, first, last):
    """Try the cases from ``first`` to ``last`` (of a thousand each, where all are wanted)."""
    set_up_process()
    signal.signal(signal.SIGPROF, too_long)
    tried, spent = 0, {}
    with tempfile.TemporaryDirectory() as own:
        root = Path(own) / "base"
        shutil.copytree(base, root)
        for target in TARGETS:
            if wanted not in ("all", target.name):
                continue
            start = time.process_time()
            sandbox = Sandbox(root / target.folder)
            os.chdir(sandbox.folder)
            with contextlib.suppress(InputError):
                command(target.words)  # all modules are loaded before memory is counted
            sandbox.restore()
            limit_memory()
            if problem := stops_short(target, sandbox):
                said = {"target": target.name, "number": 0, "problem": problem}
                print(json.dumps(said), flush=True)
            many = target.share if wanted == "all" else 1
            for number in range(first * many, last * many):
                Path(own, "case").write_text(f"{target.name}, {number}")
                try:
                    problem = attempt(target, sandbox, number)
                except MemoryError:
                    problem = "takes more than 1 GiB"
                tried += 1
                if problem:
                    said = {"target": target.name, "number": number, "problem": problem}
                    print(json.dumps(said), flush=True)
                sandbox.restore()
            os.chdir(own)
            spent[target.name] = round(time.process_time() - start, 2)
    print(json.dumps({"tried": tried, "seconds": spent}), flush=True)


def limit_memory():
    """No more address space than there is now, and a GiB."""
    with open("/proc/self/statm") as file:  # noqa: PTH123 (no path of ours)
        now = int(file.read().split()[0]) * resource.getpagesize()
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, most))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
