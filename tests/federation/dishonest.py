"""A dishonest operator: it changes entries, then chains and signs all of them anew."""

import json
from dataclasses import replace

from fedfact.federation.wire.canonical import canonical, digest
from fedfact.federation.wire.keys import Key, read_secret
from fedfact.federation.wire.ledger_head import LedgerHead
from fedfact.federation.wire.tree import Tree


def operator_key(house):
    return Key(read_secret(house.directory / "operator.key"))


def rewritten(entries, key, keep_times=False):
    """These entries, numbered, chained and signed as if they had always been so."""
    previous, made, time, tree = "0" * 64, [], "", Tree()
    consortium = digest(entries[0].body.encode())
    for number, entry in enumerate(entries):
        time = entry.time if keep_times else max(time, entry.time)
        entry = replace(entry, number=number, previous=previous, time=time)
        entry = replace(entry, hash=entry.own_hash())
        tree.add(entry.hash)
        head = LedgerHead.signed(key, consortium, number, entry.hash, tree.root())
        entry = replace(entry, signature=head.signature)
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


def before_witnesses(entries):
    """The ledger as it was before members signed its end; so laws are seen that they do not need.

    (With what they signed, an operator that chains and signs anew is found whatever it changed.)
    """
    return [entry for entry in entries if entry.kind != "witnessed"]
