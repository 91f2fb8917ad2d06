"""Every command that reads a file, with the files that it reads and how these are damaged.

A target that is new belongs here. ``share`` is how many of a thousand cases are its own.
"""

from collections.abc import Callable
from dataclasses import dataclass

from . import mutations as change
from .base import COLLAPSE, SIZES, TRAIN

SEED = ("--seed", "7")


@dataclass(frozen=True)
class Target:
    """A command: in which folder of the base, what it reads there, and what it may write."""

    name: str
    share: int
    folder: str
    files: dict[str, Callable]
    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    """Only where all is well; ``*``: what a member is sent is kept, though it may be declined."""
    goes_on: bool = False
    """Whether it goes on with what it finds, and so may write it anew."""
    refusal: str = ""
    """What it says of undamaged files, where it refuses them too."""
    ends: bool = True
    """Whether it ends soon, in a process where nothing is cut short: no playing, no waiting."""


OPERATOR = {
    "consortium.json": change.json_file,
    "members.json": change.json_file,
    "operator.key": change.text_file,
    "season-1/terms.json": change.json_file,
    "season-1/invited.json": change.json_file,
    "season-1/seed.secret": change.text_file,
    "address.json": change.json_file,
}
J, T, C = change.json_file, change.toml_file, change.csv_file
PLAIN = "plain"
TARGETS = [
    Target(
        "settle CSV",
        100,
        PLAIN,
        {"agents.csv": C},
        ("settle", "agents.csv", "--terms", "flat.toml", *SEED, "--json"),
    ),
    Target(
        "settle JSON",
        60,
        PLAIN,
        {"agents.json": J},
        ("settle", "agents.json", "--terms", "flat.toml", *SEED, "--json"),
    ),
    Target(
        "settle to CSV",
        20,
        PLAIN,
        {"agents.csv": C},
        ("settle", "agents.csv", "--terms", "flat.toml", *SEED, "-o", "out.csv", "--json"),
        ("out.csv",),
    ),
    Target(
        "settle terms",
        60,
        PLAIN,
        {"terms.toml": T},
        ("settle", "agents.csv", "--terms", "terms.toml", *SEED, "--json"),
    ),
    Target(
        "settle flat terms",
        40,
        PLAIN,
        {"flat.toml": T},
        ("settle", "agents.csv", "--terms", "flat.toml", *SEED, "--json"),
    ),
    Target(
        "settle published terms",
        40,
        PLAIN,
        {"terms.json": J},
        ("settle", "agents.csv", "--terms", "terms.json", *SEED, "--json"),
    ),
    Target(
        "advise",
        25,
        PLAIN,
        {"terms.toml": T, "agents.csv": C},
        ("advise", "--cost", "1e-6", "--terms", "terms.toml", "--others", "agents.csv", "--json"),
    ),
    Target("calibrate", 25, PLAIN, {"runs.csv": C}, ("calibrate", "runs.csv", "--json")),
    Target("run", 100, PLAIN, {"study.toml": T}, ("run", "study.toml", "-o", "runs")),
    Target(
        "run costs",
        25,
        PLAIN,
        {"agents.csv": C},
        ("run", "costs.toml", "-o", "runs"),
    ),
    Target(
        "lab costs",
        20,
        PLAIN,
        {"agents.csv": C},
        ("lab", "attack", "--costs", "agents.csv", "--json"),
        ends=False,
    ),
    Target(
        "lab terms",
        40,
        PLAIN,
        {"flat.toml": T},
        ("lab", "equilibrium", "--terms", "flat.toml", "--json"),
        ends=False,
    ),
    Target(
        "realfm costs",
        10,
        PLAIN,
        {"agents.csv": C},
        ("lab", "realfm", "--costs", "agents.csv", "--json"),
        ends=False,
    ),
    Target(
        "compare costs",
        20,
        PLAIN,
        {"agents.json": J},
        (
            "compare",
            "--costs",
            "agents.json",
            "--populations",
            "9",
            "--rounds",
            "9",
            "-o",
            "compared",
        ),
        ("compared",),
        ends=False,
    ),
    Target(
        "init",
        40,
        PLAIN,
        {"terms.toml": T},
        (
            "federation",
            "init",
            "made",
            "--members",
            ",".join(
                f"{name}=../join/{name}/{name}.request.json" for name in ("oak", "elm", "fir")
            ),
            "--terms",
            "terms.toml",
        ),
    ),
    Target(
        "init request",
        15,
        "join",
        {"oak/oak.request.json": J},
        (
            "federation",
            "init",
            "made",
            "--members",
            ",".join(f"{name}={name}/{name}.request.json" for name in ("oak", "elm", "fir")),
        ),
    ),
    Target(
        "join kit",
        25,
        "join",
        {"oak.kit.json": J},
        ("federation", "join", "oak.kit.json", "--config", "oak/member.toml", "--check"),
        ("*",),
    ),
    Target(
        "join config",
        20,
        "join",
        {"oak/member.toml": T},
        ("federation", "join", "oak.kit.json", "--config", "oak/member.toml", "--check"),
        ("*",),
    ),
    Target(
        "join data",
        6,
        "join",
        {"oak/own.npz": change.npz_file},
        ("federation", "join", "oak.kit.json", "--config", "oak/member.toml", "--check"),
        ("*",),
    ),
    Target(
        "join pictures",
        5,
        "join",
        {"painted/pictures/*/*.png": change.text_file},
        ("federation", "join", "oak.kit.json", "--config", "painted/member.toml", "--check"),
        ("*",),
    ),
    Target(
        "request",
        12,
        "join",
        {"oak/member.toml": T, "oak/tls.key": change.text_file},
        ("federation", "request", "--config", "oak/member.toml", "--json"),
        goes_on=True,
    ),
    Target(
        "leave",
        30,
        "house",
        {"birch/member.toml": T},
        ("federation", "leave", "--config", "birch/member.toml", "--json"),
        ("birch",),
    ),
    Target(
        "start",
        20,
        "join",
        {f"operator/{name}": how for name, how in OPERATOR.items()},
        ("federation", "start", "operator", "--json"),
        goes_on=True,
        ends=False,
    ),
    Target(
        "resume",
        12,
        "house",
        {"operator/ledger.db": change.sqlite_file, "operator/season-1/terms.json": J},
        ("federation", "resume", "operator", "--finish", "--json"),
        goes_on=True,
        ends=False,
    ),
    Target(
        "stop",
        20,
        "join",
        {"operator/address.json": J},
        ("federation", "stop", "operator", "--json"),
        refusal="nothing runs there",
    ),
    Target(
        "reverse",
        12,
        "house",
        {"operator/ledger.db": change.sqlite_file}
        | {f"operator/{name}": how for name, how in OPERATOR.items() if name != "address.json"},
        ("federation", "reverse", "operator", "--why", "wrong", "--json"),
        goes_on=True,
    ),
    Target(
        "ledger by URL",
        20,
        "house/operator",
        {"ledger.db": change.sqlite_file},
        ("ledger", "show", "sqlite:///ledger.db", "--json"),
    ),
    Target(
        "ledger's URL",
        26,
        "house",
        {"elsewhere/ledger.url": change.text_file},
        ("ledger", "show", "elsewhere", "--json"),
    ),
    Target(
        "ledger show",
        40,
        "house",
        {"ledger.jsonl": change.text_file},
        ("ledger", "show", "ledger.jsonl", "--json"),
    ),
    Target(
        "ledger show SQLite",
        20,
        "house/operator",
        {"ledger.db": change.sqlite_file},
        ("ledger", "show", "ledger.db", "--json"),
    ),
    Target(
        "accounts",
        10,
        "house",
        {"ledger.jsonl": change.text_file},
        ("accounts", "balance", "ledger.jsonl", "--json"),
    ),
    Target(
        "accounts export",
        10,
        "house/operator",
        {"ledger.db": change.sqlite_file},
        ("accounts", "export", "ledger.db", "--to", "beancount", "-o", "out.beancount"),
        writes=("out.beancount",),
    ),
    Target(
        "ledger export",
        20,
        "house/operator",
        {"ledger.db": change.sqlite_file},
        ("ledger", "export", "ledger.db", "-o", "out.jsonl"),
        ("out.jsonl",),
    ),
    Target(
        "verify",
        20,
        "house",
        {"ledger.jsonl": change.text_file},
        ("verify", "ledger.jsonl", "--json"),
    ),
    Target(
        "verify SQLite",
        12,
        "house",
        {"operator/ledger.db": change.sqlite_file},
        ("verify", "operator", "--json"),
    ),
    Target(
        "statement",
        12,
        "house",
        {"ledger.jsonl": change.text_file},
        ("statement", "ledger.jsonl", "birch", "--json"),
    ),
    Target(
        "verify --member",
        8,
        "house",
        {
            f"birch/{name}": how
            for name, how in {
                "heads.jsonl": change.text_file,
                "season-1/contract.json": J,
                "season-1/training.bin": change.text_file,
                "season-1/rounds.jsonl": change.text_file,
                "season-1/statements/*.json": J,
            }.items()
        },
        ("verify", "ledger.jsonl", "--member", "birch", "--json"),
    ),
    Target(
        "status",
        30,
        "house",
        {
            "operator/season-1/terms.json": J,
            "operator/season-1/invited.json": J,
            "operator/members.json": J,
        },
        ("federation", "status", "operator", "--json"),
    ),
    Target(
        "report",
        5,
        "study",
        {"summary.json": J, "manifest.json": J, "study.toml": T},
        ("report", ".", "-o", "page"),
        ("page",),
    ),
    Target(
        "report tables",
        5,
        "study",
        {"*.parquet": change.parquet_file},
        ("report", ".", "-o", "page"),
        ("page",),
    ),
    Target(
        "run --resume",
        5,
        "study",
        {"trained/*.json": J, "study.toml": T},
        ("run", "../plain/study.toml", "-o", ".", "--resume"),
        goes_on=True,
    ),
    Target(
        "train",
        5,
        "training",
        {"*.checkpoint": change.checkpoint_file, "summary.json": J},
        (*TRAIN, "-o", "."),
        goes_on=True,
    ),
    Target(
        "collapse",
        5,
        "collapse",
        {"trained/*.json": J, "setting.json": J},
        (*COLLAPSE, "-o", "."),
        goes_on=True,
    ),
    Target(
        "calibrate --resume",
        5,
        "calibrated",
        {"trained/*.json": J},
        (*SIZES, "-o", "."),
        goes_on=True,
    ),
    Target(
        "train data",
        5,
        "data",
        {"mnist/*": change.text_file},
        ("train", "mnist", *TRAIN[2:], "--data-dir", "."),
    ),
]
