"""The fields of every kind of entry, as tables for docs/ledger-format.md, from the code itself.

python docs/ledger_kinds.py
"""

import json
import re
from typing import Any

from fedfact.federation.agreement.contract import Enrolment
from fedfact.federation.agreement.delivery import Attestation
from fedfact.federation.agreement.restart import Consent
from fedfact.federation.agreement.statement_message import Answer, StatementMessage
from fedfact.federation.ledger.entries import OF_CONSORTIUM, OF_SEASON
from fedfact.federation.wire.message import Head
from fedfact.mechanism.exact import MOST_MONEY

_TEXTS = {
    "^[0-9a-f]{64}$": "64 hexadecimal digits",
    "^[0-9a-f]{128}$": "128 hexadecimal digits",
    "^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$": "a name",
}
SAID = (Head, Enrolment, Attestation, StatementMessage, Answer, Consent)
"""What members and the operator say in messages; entries hold some of it as evidence."""


def tables() -> list[str]:
    """A heading and a table for each kind of entry, then for each document inside them."""
    lines: list[str] = []
    inside: dict[str, Any] = {each.__name__: each.model_json_schema() for each in SAID}
    for title, kinds in (("no season", OF_CONSORTIUM), ("a season", OF_SEASON)):
        lines += [f"### Entries of {title}", ""]
        for kind, document in kinds.items():
            schema = document.model_json_schema()
            inside |= schema.get("$defs", {})
            lines += [f"`{kind}`: {_sentence(schema)}", "", *_table(schema), ""]
    lines += ["### Documents inside entries and messages", ""]
    for schema in list(inside.values()):
        inside |= schema.pop("$defs", {})
    for name, schema in sorted(inside.items()):
        lines += [f"*{_spaced(name)}*: {_sentence(schema)}", "", *_table(schema), ""]
    return lines[:-1]


def _sentence(schema: dict[str, Any]) -> str:
    """The first paragraph of what the code says of it."""
    said = schema["description"].partition("\n\n")[0]
    return re.sub(r"\s+", " ", said).replace("``", "`")


def _table(schema: dict[str, Any]) -> list[str]:
    rows = [f"| `{name}` | {_what(each)} |" for name, each in schema["properties"].items()]
    return ["| field | what it holds |", "| --- | --- |", *rows]


def _what(of: dict[str, Any]) -> str:
    """What a value may be, in words."""
    if "$ref" in of:
        return f"*{_spaced(of['$ref'].rpartition('/')[2])}*"
    if "anyOf" in of:
        return " or ".join(_what(each) for each in of["anyOf"])
    if "enum" in of or "const" in of:
        values = of.get("enum", [of.get("const")])
        return " or ".join(f"`{json.dumps(value)}`" for value in values)
    kind = of.get("type")
    if kind == "integer":
        return _number(of)
    if kind == "string":
        return _text(of)
    if kind == "array":
        return f"a list, each {_what(of['items'])}"
    if kind == "object":
        named = of.get("patternProperties", {"": of.get("additionalProperties")})
        inner = next(iter(named.values()))
        return f"for each name, {_what(inner)}" if isinstance(inner, dict) else "an object"
    return {"boolean": "true or false", "null": "null"}[str(kind)]


def _number(of: dict[str, Any]) -> str:
    low, high = of.get("minimum"), of.get("maximum")
    if high == MOST_MONEY:
        return "an amount in minor units"
    if low is not None and low == high:
        return f"the number {low}"
    if low is not None and high is not None:
        return f"a whole number from {low:,} to {high:,}"
    return "a whole number" if low is None else f"a whole number, {low:,} or more"


def _text(of: dict[str, Any]) -> str:
    if "pattern" in of:
        return _TEXTS.get(of["pattern"], _like(of["pattern"]))
    return f"text of at most {of['maxLength']} letters" if "maxLength" in of else "text"


def _like(pattern: str) -> str:
    """Text of a pattern, in a cell of a table."""
    cell = pattern.replace("|", "\\|")
    return f"text like `{cell}`"


def _spaced(name: str) -> str:
    return re.sub("(?<=.)(?=[A-Z])", " ", name).lower()


if __name__ == "__main__":
    print("\n".join(tables()))
