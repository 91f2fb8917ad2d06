"""``fedfact federation``: a consortium on real machines, over NVIDIA FLARE."""

from pathlib import Path
from typing import Annotated

import typer

from ...errors import InputError
from ...io.files import write_whole
from ..shared.options import AsJson
from ..shared.output import note, print_json, stderr, stdout
from .demo import demo
from .view import STOPPED, Tail, paths, print_overview, watching

federation = typer.Typer(
    name="federation",
    help="Run a federation between machines: contracts, training, settlement, statements.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
federation.command(epilog="Example:  fedfact federation demo")(demo)

Directory = Annotated[Path, typer.Argument(help="The operator's directory.")]
Config = Annotated[Path, typer.Option("--config", help="The member's agent.toml.")]
Wait = Annotated[
    float, typer.Option(min=0, help="Seconds to wait for all members before a quorum will do.")
]
Finish = Annotated[
    bool, typer.Option("--finish", help="Train no more: settle what was delivered so far.")
]


@federation.command(epilog="Example:  fedfact federation init consortium --members oak,elm,fir")
def init(
    directory: Directory,
    members: Annotated[str, typer.Option(help="Names of the members: oak,elm,fir.")],
    terms: Annotated[
        Path | None, typer.Option(help="TOML file with the terms (default: a small example).")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Name by which members reach the operator's machine.")
    ] = "localhost",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port there.")] = 8002,
    ledger: Annotated[
        str | None,
        typer.Option(help="URL of the ledger: postgresql://USER@HOST/NAME or sqlite:///PATH."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make an operator's directory: keys, published terms, and a kit for every member."""
    from ...federation.deploy.flare.kits.set_up import set_up  # here, because torch loads slowly
    from ...federation.operator.directory import DEFAULT_TERMS

    names = [name.strip() for name in members.split(",")]
    kits = set_up(directory, terms or DEFAULT_TERMS, names, host, port, ledger)
    if len(kits) == 3:
        note("of three members each can work out the two others' samples; better have more")
    if as_json:
        print_json({"directory": str(directory), "kits": {k: str(v) for k, v in kits.items()}})
        return
    say = stdout().print
    say(f"Made {directory}: the terms are published (terms.json) and fixed.")
    say("Send each member its own kit, by a way you trust; it holds the member's TLS key:")
    for member, kit in kits.items():
        say(f"  {member}: {kit}")
    say("Members run:   fedfact federation join KIT --config agent.toml")
    say(f"Then you run:  fedfact federation start {directory}")


@federation.command(epilog="Example:  fedfact federation join kits/oak --config oak/agent.toml")
def join(
    kit: Annotated[Path, typer.Argument(help="The kit that the operator sent.")],
    config: Config,
    check: Annotated[
        bool, typer.Option("--check", help="Only check kit, config and data; do not connect.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take part as a member, until stopped; what was begun goes on when it is started again."""
    from ...federation.deploy.flare.kits.paths import require_flare
    from ...federation.member.preparation import make_ready, preview

    require_flare()
    own = make_ready(kit, config)
    said = preview(config)
    if as_json:
        print_json(said)
    else:
        stdout().print(
            f"{own.name}: federation {said['federation']}, terms {said['terms'][:16]}. You report "
            f"{own.report:g} a sample and would use {said['samples']:,} of {said['capacity']:,} "
            f"samples; the fee is at most {said['largest_fee']:,} units of {said['unit']}."
        )
    if check:
        return
    from ...federation.deploy.flare.processes import run_site

    log = config.parent / "agent.log"
    tail = Tail(log)

    def show_news() -> bool:
        for line in tail.lines():
            stderr().print(line)
        return False

    note(f"connecting; what happens is in {log}, FLARE's in {kit / 'flare.log'}; end with Ctrl-C")
    run_site(kit, config.parent, show_news)
    show_news()


@federation.command(epilog="Example:  fedfact federation start consortium")
def start(
    directory: Directory, wait: Wait = 60.0, finish: Finish = False, as_json: AsJson = False
) -> None:
    """Run the operator: enrol, agree, train, settle, hand out statements; ends when all is done.

    Stopped or killed at any time, it goes on from the ledger when started again. Exit code 4 if it
    was stopped before the end, if too few members were there to go on, or if members that are owed
    a statement or the model did not come for it.
    """
    from ...federation.deploy.flare.kits.paths import require_flare
    from ...federation.deploy.flare.server.running import run_operator
    from ...federation.operator.directory import OperatorDirectory

    require_flare()
    OperatorDirectory(directory).ledger.close()
    with watching() as view:
        ending = run_operator(directory, view.show, wait, finish, note)
    if as_json:
        how = {"stopped": ending.unfinished is not None, "unfinished": ending.unfinished}
        print_json({**(ending.overview or {}), **how})
    elif ending.overview is not None:
        print_overview(ending.overview, running=False)
        stdout().print(paths(directory, ending.overview))
    if ending.unfinished is not None:
        note(f"{ending.unfinished}; go on with fedfact federation resume {directory}")
        raise typer.Exit(STOPPED)


@federation.command(epilog="Example:  fedfact federation resume consortium --finish")
def resume(
    directory: Directory, wait: Wait = 60.0, finish: Finish = False, as_json: AsJson = False
) -> None:
    """Go on with a federation that was stopped, killed or paused; exit codes as those of start."""
    from ...federation.operator.directory import (
        ledger_place,
        read_invitation,
        refuse_lost_ledger,
    )

    read_invitation(directory)
    refuse_lost_ledger(directory)
    place = ledger_place(directory)
    if "://" not in place and not Path(place).exists():
        raise InputError(f"{directory}: was not started yet; run fedfact federation start")
    start(directory, wait, finish, as_json)


@federation.command(epilog="Example:  fedfact federation status consortium")
def status(directory: Directory, as_json: AsJson = False) -> None:
    """Say how a federation stands: phase, rounds, promised and delivered samples, amounts."""
    from ...federation.deploy.flare.server.status import read_status
    from ...federation.ledger.state import replay
    from ...federation.ledger.store import read_ledger
    from ...federation.operator.directory import (
        ledger_place,
        read_invitation,
        refuse_lost_ledger,
    )
    from ...federation.operator.overview import overview

    published, invited = read_invitation(directory)
    place = ledger_place(directory)
    there = "://" in place or Path(place).exists()
    entries = read_ledger(place) if there else []
    running = read_status(directory) is not None
    if not entries:
        refuse_lost_ledger(directory, empty=True)
        phase = "starting" if running else "not started"
        if as_json:
            name = published.name
            print_json({"federation": name, "phase": phase, "invited": invited, "running": running})
        else:
            stdout().print(f"{published.name}: {phase}; invited: {', '.join(invited)}")
        return
    said = overview(replay(entries))
    if as_json:
        print_json({**said, "running": running})
    else:
        print_overview(said, running)


@federation.command(epilog="Example:  fedfact federation stop consortium")
def stop(directory: Directory, as_json: AsJson = False) -> None:
    """Stop the start that runs in this directory; nothing is lost."""
    from ...federation.deploy.flare.server.running import stop as end

    end(directory)
    if as_json:
        print_json({"stopped": True})
    else:
        note(f"stopped; go on with fedfact federation resume {directory}")


@federation.command(epilog="Example:  fedfact federation leave --config oak/agent.toml")
def leave(config: Config, as_json: AsJson = False) -> None:
    """Leave a federation with the next round: pay for what was delivered, forfeit the rest."""
    from ...federation.member.config import read_member_config

    own = read_member_config(config)
    write_whole(config.parent / "leave", b"")
    if as_json:
        print_json({"leaves": own.name})
    else:
        note(f"{own.name} leaves with the next round that it is asked for")


@federation.command(epilog="Example:  fedfact federation reverse consortium --why 'wrong A'")
def reverse(
    directory: Directory,
    why: Annotated[str, typer.Option(help="The reason, for the ledger.")],
    as_json: AsJson = False,
) -> None:
    """Undo the settlement by a reversing entry; resume would settle anew."""
    from ...federation.operator.run import reverse as undo

    number = undo(directory, why)
    if as_json:
        print_json({"reversed": number})
    else:
        note(f"reversed the settlement of entry {number}; no money moves now")
