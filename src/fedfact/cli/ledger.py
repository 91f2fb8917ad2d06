"""``fedfact ledger``, ``verify`` and ``statement``: read a ledger, check it, take one's part."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ..files import check_output, write_whole
from ..mechanism import InputError
from .console import note, print_json, print_table, stdout
from .lab_options import AsJson
from .tables import new_table, print_statement

Where = Annotated[
    str,
    typer.Argument(
        metavar="LEDGER", help="An operator's directory, ledger.db, a URL, or an export (.jsonl)."
    ),
]

UNSOUND = 3
"""The exit code of a ledger that does not verify."""

ledger = typer.Typer(
    name="ledger",
    help="Show or export a federation's ledger.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


@ledger.command(epilog="Example:  fedfact ledger show consortium --from 10")
def show(
    where: Where,
    start: Annotated[int, typer.Option("--from", min=0, help="First entry to show.")] = 0,
    as_json: AsJson = False,
) -> None:
    """List the entries: number, time, kind, hash and size; with --json all they say."""
    from ..federation.entries import read_entry
    from ..federation.ledger import read_ledger

    entries = read_ledger(where)[start:]
    if as_json:
        print_json(
            [
                {**asdict(entry), "body": read_entry(entry.kind, entry.body.encode()).dump()}
                for entry in entries
            ]
        )
        return
    table = new_table("entry", "time (UTC)", "kind", "bytes", "hash")
    for entry in entries:
        time = entry.time[:19].replace("T", " ")
        size = f"{len(entry.body):,}"
        table.add_row(str(entry.number), time, entry.kind, size, entry.hash[:16])
    print_table(table)


@ledger.command(epilog="Example:  fedfact ledger export consortium -o ledger.jsonl")
def export(
    where: Where,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .jsonl.")],
    as_json: AsJson = False,
) -> None:
    """Write all entries to a file that verify takes, to hand to an auditor."""
    from ..federation.ledger import export as to_bytes
    from ..federation.ledger import read_ledger

    check_output(output, (".jsonl",), (Path(where),))
    entries = read_ledger(where)
    write_whole(output, to_bytes(entries))
    if as_json:
        print_json({"entries": len(entries), "head": entries[-1].hash if entries else None})
    else:
        note(f"wrote {output}: {len(entries)} entries")


def verify(
    where: Where,
    agent: Annotated[
        Path | None,
        typer.Option(help="An agent's directory: compare with the copies that it kept."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Replay a ledger offline: chain, signatures, seed, draw, every amount.

    Exit code 0 if all checks hold, 3 if one does not.
    """
    from ..federation.agent_config import read_agent_config
    from ..federation.agent_files import AgentFiles
    from ..federation.ledger import read_ledger
    from ..federation.verify import verify as check
    from ..federation.verify import verify_copy

    entries = read_ledger(where)
    verdicts = check(entries)
    if agent is not None:
        name = read_agent_config(agent / "agent.toml").name
        verdicts += verify_copy(entries, name, AgentFiles(agent))
    sound = all(verdict.holds for verdict in verdicts)
    first = min((v.entry for v in verdicts if v.entry is not None), default=None)
    if as_json:
        print_json(
            {"sound": sound, "first_bad_entry": first, "checks": [asdict(v) for v in verdicts]}
        )
    else:
        marks = {True: "✓", False: "✗", None: "–"}
        width = max(len(verdict.name) for verdict in verdicts)
        for verdict in verdicts:
            stdout().print(
                f"{marks[verdict.holds]} {verdict.name:<{width}}  {verdict.says}", soft_wrap=True
            )
        end = "" if first is None else f" The first bad entry is {first}."
        stdout().print("The ledger is sound." if sound else f"The ledger is NOT sound.{end}")
    if not sound:
        raise typer.Exit(UNSOUND)


def statement(
    where: Where,
    agent: Annotated[str, typer.Argument(help="Whose.")],
    as_json: AsJson = False,
) -> None:
    """Print one agent's statement: its own lines, each with its formula and numbers filled in."""
    from ..federation.ledger import read_ledger
    from ..federation.money import settlement_of
    from ..federation.record import replay
    from ..federation.statement import statement as tell

    record = replay(read_ledger(where))
    if record.settled is None or record.revealed is None:
        raise InputError(f"{where}: is not settled ({record.phase}); there are no statements yet")
    settlement = settlement_of(record.deliveries.values(), record.revealed, record)
    if settlement is None:
        raise InputError(f"{where}: {record.settled.void}")
    told = tell(settlement, agent)
    if as_json:
        print_json(told.document())
        return
    print_statement(told)
    delivery = record.deliveries[agent]
    stdout().print(
        f"\nPromised {delivery.promised:,} samples, delivered {delivery.delivered:,} by your own "
        f"signed count, billed {delivery.billed:,}."
    )
