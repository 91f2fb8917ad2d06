"""``fedfact verify``: check a ledger, or a proof about one, trusting nobody."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from .shared.options import AsJson
from .shared.output import print_json, say

if TYPE_CHECKING:
    from ..federation.audit.heads import Contradiction
    from ..federation.audit.verify import Verdict

Where = Annotated[
    str,
    typer.Argument(
        metavar="LEDGER", help="An operator's directory, ledger.db, a URL, or an export (.jsonl)."
    ),
]


UNSOUND = 3
"""The exit code of a ledger that does not verify."""

CONTESTED = 5
"""The exit code of a sound ledger that lacks what a member says it answered."""


def verify(
    where: Where,
    member: Annotated[
        Path | None,
        typer.Option(help="A member's directory: compare with the copies that it kept."),
    ] = None,
    heads: Annotated[
        str, typer.Option(help="Files heads.jsonl of members, to compare: FILE,...")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Replay a ledger offline: chain, signatures, seed, draw, every amount; or check a proof.

    Exit code 0 if all checks hold, 3 if one does not, 5 if the member's word is against it.
    """
    from ..federation.audit.verify import first_bad_entry, is_sound, phase_of

    if is_proof := where.endswith(".json"):
        verdicts = _of_proof(Path(where), member, heads)
        found: list[Contradiction] = []
    else:
        verdicts, found = _of_ledger(where, member, heads)
    contested = any(verdict.contested for verdict in verdicts)
    sound, first, phase = is_sound(verdicts), first_bad_entry(verdicts), phase_of(verdicts)
    if as_json:
        said: dict[str, Any] = {"sound": sound, "contested": contested}
        if not is_proof:
            said |= {"phase": phase, "first_bad_entry": first}
        checks = [asdict(verdict) for verdict in verdicts]
        print_json({**said, "checks": checks, "contradictions": [_pair(each) for each in found]})
    else:
        _print(verdicts)
        for each in found:
            say("These two heads contradict each other, and the operator signed both:")
            for source, head in zip(each.sources, (each.one, each.other), strict=True):
                say(f"  {source}: {head.encoded().decode()}")
        end = "" if first is None else f" The first bad entry is {first}."
        good, bad = "sound", f"NOT sound.{end}"
        so_far = "." if is_proof else f". So far it says: {phase}."
        say(f"The {'proof' if is_proof else 'ledger'} is {good + so_far if sound else bad}")
        if contested:
            say("What ? marks, the member contests: an answer was thrown away, or lost on its way.")
    if not sound:
        raise typer.Exit(UNSOUND)
    if contested:
        raise typer.Exit(CONTESTED)


def _of_ledger(
    where: str, member: Path | None, heads: str
) -> "tuple[list[Verdict], list[Contradiction]]":
    """What is found of a ledger, and heads that contradict each other."""
    from ..federation.audit.heads import compare_heads, heads_in
    from ..federation.audit.verify import verify_ledger
    from ..federation.ledger.state import replay

    entries, verdicts = verify_ledger(where)
    found: list[Contradiction] = []
    if member is not None:  # only then is code read that is not the auditor's
        from ..federation.audit.own_copy import verify_copy
        from ..federation.member.config import read_member_config
        from ..federation.member.files import MemberFiles

        files = MemberFiles(member)
        signed = files.contract()
        name = signed.member if signed else read_member_config(member / "member.toml", member).name
        verdicts += verify_copy(entries, name, files)
    if heads:
        kept = {name: heads_in(Path(name)) for name in heads.split(",")}
        verdict, found = compare_heads(kept, replay(entries[:1]).consortium, entries)
        verdicts.append(verdict)
    return verdicts, found


def _of_proof(path: Path, member: Path | None, heads: str) -> "list[Verdict]":
    """What is found of a proof."""
    from ..federation.audit.proofs import compare_with_own, read_proof, verify_proof

    if heads:
        raise InputError("heads are compared with a ledger; a proof, with --member DIRECTORY")
    proof = read_proof(path)
    verdicts = verify_proof(proof)
    if member is not None:
        from ..federation.member.files import MemberFiles

        files = MemberFiles(member)
        signed = files.published()
        own = compare_with_own(proof, signed.operator, signed.consortium, files.heads())
        verdicts.append(own)
    return verdicts


def _print(verdicts: "list[Verdict]") -> None:
    """One line a check, for people."""
    marks = {True: "✓", False: "✗", None: "–"}
    width = max(len(verdict.name) for verdict in verdicts)
    for verdict in verdicts:
        mark = "?" if verdict.contested else marks[verdict.holds]
        say(f"{mark} {verdict.name:<{width}}  {verdict.says}")


def _pair(found: "Contradiction") -> dict[str, Any]:
    """Two heads that contradict each other, as JSON."""
    heads = zip(found.sources, (found.one, found.other), strict=True)
    return {"heads": [{"from": source, **head.dump()} for source, head in heads]}
