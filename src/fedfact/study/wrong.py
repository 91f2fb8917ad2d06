"""What is wrong with a study, in words: where, what, and what to write instead."""

import re

from pydantic import BaseModel, ValidationError

from ..mechanism.errors import did_you_mean
from .config import Costs, Deviators, Study, StudyTerms, Training

_TABLES: dict[str, type[BaseModel]] = {
    "": Study,
    "costs": Costs,
    "training": Training,
    "terms": StudyTerms,
    "deviators": Deviators,
}


def in_words(error: ValidationError) -> str:
    """The first thing that is wrong: where, what, and the nearest name for an unknown key."""
    first = min(error.errors(), key=lambda each: (each["type"] == "missing", -len(each["loc"])))
    names = [str(first["loc"][0])] if first["loc"] else []
    if names and names[0] in _TABLES:  # within, the key comes first or, in a list, after its number
        names += [part for part in first["loc"][1:3] if isinstance(part, str)][:1]
    key = ".".join(names)
    if first["type"] == "extra_forbidden":
        model = _TABLES.get(names[0] if len(names) > 1 else "", Study)
        known = list(model.model_fields)
        remedy = did_you_mean(names[-1], known) or f"the keys are {', '.join(known)}"
        return f"unknown key {key!r}; {remedy}"
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
