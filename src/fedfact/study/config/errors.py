"""What is wrong with a study, in words: where, what, and what to write instead."""

import re
from difflib import get_close_matches

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ...errors import did_you_mean
from .study import Augment, Deviators, Study, StudyCosts, StudyTerms, Training

_TABLES: dict[str, type[BaseModel]] = {
    "": Study,
    "costs": StudyCosts,
    "training": Training,
    "training.augment": Augment,
    "terms": StudyTerms,
    "deviators": Deviators,
}


def in_words(error: ValidationError) -> str:
    """The first thing that is wrong: where, what, and the nearest name for an unknown key."""
    first = min(error.errors(), key=_weight)
    names: list[str] = []
    for part in first["loc"]:
        if isinstance(part, str):  # in a list of tables, a number comes before the key
            names.append(part)
        if ".".join(names) not in _TABLES:
            break
    key = ".".join(names)
    if first["type"] == "extra_forbidden":
        return f"unknown key {key!r}; {_nearest(names[-1], '.'.join(names[:-1]))}"
    if first["type"] == "missing":
        return f"{key} is missing; give it"
    if first["type"] == "value_error":
        return f"{key}: {first['ctx']['error']}" if key else str(first["ctx"]["error"])
    if first["type"] == "literal_error":
        expected = first["ctx"]["expected"]
        hint = did_you_mean(str(first["input"]), re.findall(r"'([^']*)'", expected))
        return f"{key} is {first['input']!r}; it must be {expected}{hint and f'; {hint}'}"
    if first["type"] == "string_pattern_mismatch":
        return f"{key} is {first['input']!r}; it must be of letters, digits, '.', '_' and '-'"
    wanted = first["msg"].replace("Input should", "it must").replace("valid tuple", "list")
    wanted = re.sub(r"\d{16,}", lambda digits: f"{float(digits[0]):g}", wanted)
    return f"{key} is {first['input']!r}; {wanted[0].lower()}{wanted[1:]}"


def _weight(each: ErrorDetails) -> tuple[bool, bool, int]:
    """What is missing comes last, and of that the data set first, from which the rest follows."""
    return each["type"] == "missing", each["loc"] != ("dataset",), -len(each["loc"])


def _nearest(name: str, table: str) -> str:
    """The same name in another table, else the nearest in its own, else the nearest anywhere."""
    places = {
        field: f"{other}.{field}".lstrip(".")
        for other in reversed(_TABLES)  # the first of them wins
        for field in _TABLES[other].model_fields
    }
    if name in places:
        return f"did you mean {places[name]}?"
    known = list(_TABLES.get(table, Study).model_fields)
    near = did_you_mean(name, known)
    if near or table:
        return near or f"the keys are {', '.join(known)}"
    far = get_close_matches(name, places, n=1)
    return f"did you mean {places[far[0]]}?" if far else f"the keys are {', '.join(known)}"
