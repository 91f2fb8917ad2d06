"""Every command that reads a file, with the files that it reads and how these are damaged.

A target that is new belongs here. ``share`` is how many of a thousand cases are its own.
"""

from collections.abc import Callable
from dataclasses import dataclass

from . import mutations as change
from .base import TRAIN

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
    "terms.json": change.json_file,
    "members.json": change.json_file,
    "operator.key": change.text_file,
    "seed.secret": change.text_file,
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
            "oak=../join/oak/oak.request.json,elm=../join/elm/elm.request.json,fir=../join/fir/fir.request.json",
            "--terms",
            "terms.toml",
        ),
    ),
    Target(
        "init request",
        15,
        "join",
        {"oak/oak.request.json": change.text_file},
        (
            "federation",
            "init",
            "made",
            "--members",
            "oak=oak/oak.request.json,elm=elm/elm.request.json,fir=fir/fir.request.json",
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
        "join",
        {"oak/member.toml": T},
        ("federation", "leave", "--config", "oak/member.toml", "--json"),
        ("oak",),
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
        {"operator/ledger.db": change.sqlite_file, "operator/terms.json": J},
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
        "verify --agent",
        8,
        "house",
        {
            f"birch/{name}": how
            for name, how in {
                "contract.json": J,
                "heads.jsonl": change.text_file,
                "training.bin": change.text_file,
                "rounds.jsonl": change.text_file,
                "statements/*.json": J,
            }.items()
        },
        ("verify", "ledger.jsonl", "--agent", "birch", "--json"),
    ),
    Target(
        "status",
        30,
        "house",
        {"operator/terms.json": J, "operator/members.json": J},
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
        "train data",
        5,
        "data",
        {"mnist/*": change.text_file},
        ("train", "mnist", *TRAIN[2:], "--data-dir", "."),
    ),
]
