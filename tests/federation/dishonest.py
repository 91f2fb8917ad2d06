"""A dishonest operator: it changes entries, then chains and signs all of them anew."""

import json
from dataclasses import replace

from fedfact.federation.wire.canonical import canonical
from fedfact.federation.wire.keys import Key, read_secret


def operator_key(house):
    return Key(read_secret(house.directory / "operator.key"))


def rewritten(entries, key, keep_times=False):
    """These entries, numbered, chained and signed as if they had always been so."""
    previous, made, time = "0" * 64, [], ""
    for number, entry in enumerate(entries):
        time = entry.time if keep_times else max(time, entry.time)
        entry = replace(entry, number=number, previous=previous, time=time)
        entry = replace(entry, hash=entry.own_hash())
        entry = replace(entry, signature=key.sign("entry", entry.hash.encode()))
        made.append(entry)
        previous = entry.hash
    return made


def body(entry):
    return json.loads(entry.body)


def with_body(entry, values):
    return replace(entry, body=canonical(values).decode())


def numbers(entries, kind):
    return [entry.number for entry in entries if entry.kind == kind]


def changed(entries, key, number, change):
    """The ledger with one entry's body changed by a function, chained and signed anew."""
    entries = list(entries)
    values = body(entries[number])
    values = change(values) or values
    entries[number] = with_body(entries[number], values)
    return rewritten(entries, key)
