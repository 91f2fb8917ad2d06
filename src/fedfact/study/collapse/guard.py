"""The directory of `fedfact.study.collapse.run`: made, gone on with, or refused before any work."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...io.files import alone, clear_torn, read_text, write_json
from ...io.folders import OTHER, check_folder, make_folder

DOCUMENT = "collapse.json"
WORDS = "setting.json"
"""What decides the trainings; there from the first one on."""
TRAINED = "trained"
PICTURES = ("collapse.png", "collapse.svg")


def check_place(output: Path, words: dict[str, Any], *, resume: bool) -> None:
    """Refuse a directory that cannot be written to, or that holds other trainings than these.

    ``words`` say what decides the trainings. The number of seeds does not: seeds may be added.
    """
    check_folder(output, (DOCUMENT, WORDS, *PICTURES), (TRAINED,))
    holds = any((output / name).exists() for name in (DOCUMENT, WORDS, TRAINED))
    if holds and not resume:
        raise InputError(
            f"{output}: holds results already; go on with them by --resume (what is finished is "
            f"not done again), or {OTHER}"
        )
    if (output / WORDS).exists():
        _check_same(output / WORDS, words)


def _check_same(file: Path, words: dict[str, Any]) -> None:
    """Refuse to go on where other trainings are."""
    text = read_text(file, "the directory that `fedfact lab collapse` wrote")
    try:
        before = dict(json.loads(text))
    except (ValueError, TypeError, RecursionError):
        raise InputError(f"{file}: is damaged; delete it, or {OTHER}") from None
    now = json.loads(json.dumps(words))
    for key in dict.fromkeys((*before, *now)):
        if before.get(key) != now.get(key):
            raise InputError(
                f"{file}: is of other trainings ({key}: {before.get(key)} there, {now.get(key)} "
                f"here); {OTHER}"
            )


@contextmanager
def opened(output: Path, words: dict[str, Any], *, resume: bool) -> Iterator[None]:
    """The directory, for this process alone, without the document: its work has begun."""
    make_folder(output)
    with alone(output, wait=False):
        check_place(output, words, resume=resume)  # nobody came first while data was loaded
        (output / TRAINED).mkdir(exist_ok=True)
        for name in (DOCUMENT, WORDS, *PICTURES):
            clear_torn(output / name)
        write_json(output / WORDS, words)
        (output / DOCUMENT).unlink(missing_ok=True)  # not finished until it is there again
        yield
