"""A study as TOML text, so that what was run can be run again. Only the shapes a study has."""

import json
from dataclasses import asdict
from typing import Any

from .study import Study


def to_toml(study: Study) -> str:
    """The study with every key it has, the recipe's included."""
    keys = study.model_dump(mode="json", exclude_none=True)
    recipe = asdict(study.recipe())
    keys["training"] = {
        name: value
        for name in type(study.training).model_fields
        if (value := recipe.get(name, getattr(study.training, name))) is not None
    }
    lines = [_line(k, v) for k, v in keys.items() if k != "deviators" and not isinstance(v, dict)]
    lines += _tables(keys)
    for each in keys["deviators"]:
        lines += ["", "[[deviators]]", *(_line(key, value) for key, value in each.items())]
    return "\n".join(lines) + "\n"


def _tables(keys: dict[str, Any], above: str = "") -> list[str]:
    """The tables among the keys, each followed by those within it."""
    lines: list[str] = []
    for name, table in keys.items():
        if isinstance(table, dict):
            lines += ["", f"[{above}{name}]"]
            lines += [_line(k, v) for k, v in table.items() if not isinstance(v, dict)]
            lines += _tables(table, f"{above}{name}.")
    return lines


def _line(key: str, value: Any) -> str:
    return f"{key} = {_value(value)}"


def _value(value: Any) -> str:
    """JSON's strings, numbers, truth values and lists are TOML's as well."""
    return json.dumps(value, ensure_ascii=False)
