"""``fedfact federation``: a consortium on real machines, over NVIDIA FLARE."""

from pathlib import Path
from typing import Annotated

import typer

from ...errors import InputError
from ...io.files import write_whole
from ..shared.options import AsJson
from ..shared.output import note, print_json, stderr, stdout
from .demo import demo
from .dispute import arbiter_key, cosigned, dispute
from .keys import key
from .mending import allow_restart, set_to_mend
from .named import read_requests, read_sizes
from .options import Config, Directory
from .season import invite, retire, season
from .view import STOPPED, Tail, money_unit, paths, print_overview, watching

federation = typer.Typer(
    name="federation",
    help="Run a federation between machines: contracts, training, settlement, statements.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
federation.command(epilog="Example:  fedfact federation demo")(demo)
federation.add_typer(season)
federation.command(
    epilog="Example:  fedfact federation invite consortium --members yew=yew.request.json"
)(invite)
federation.command(epilog="Example:  fedfact federation retire consortium elm --why ill")(retire)
federation.add_typer(key)
federation.command(
    name="allow-restart",
    epilog="Example:  fedfact federation allow-restart --config oak/member.toml",
)(allow_restart)
federation.command(epilog="Example:  fedfact federation arbiter-key arbiter.key")(arbiter_key)
federation.add_typer(dispute)
federation.command(epilog="Example:  fedfact federation cosigned consortium head.json")(cosigned)

Wait = Annotated[
    float, typer.Option(min=0, help="Seconds to wait for all members before a quorum will do.")
]
Finish = Annotated[
    bool, typer.Option("--finish", help="Train no more: settle what was delivered so far.")
]


@federation.command(epilog="Example:  fedfact federation request --config oak/member.toml")
def request(config: Config, as_json: AsJson = False) -> None:
    """As a member, make the request for a certificate that the operator needs for your kit.

    The key for it stays beside the config. Made again, the request is the same.
    """
    from ...federation.deploy.flare.kits.request import make_request

    path = make_request(config)
    if as_json:
        print_json({"request": str(path)})
        return
    stdout().print(f"Wrote {path}: send it to the operator, who must know that it is yours.")


@federation.command(
    epilog="Example:  fedfact federation init consortium --members oak=o.json,elm=e.json,fir=f.json"
)
def init(
    directory: Directory,
    members: Annotated[
        str,
        typer.Option(help="Each member's name and the request it sent: NAME=REQUEST,..."),
    ],
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
    sizes: Annotated[
        str,
        typer.Option(help="Each member's size, if sizes differ, as you verified it: NAME=SIZE,..."),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Make an operator's directory: keys, published terms, and a kit for every member.

    Each member makes its request with fedfact federation request.
    """
    from ...federation.deploy.flare.kits.set_up import set_up  # here, because torch loads slowly
    from ...federation.operator.directory import DEFAULT_TERMS

    requests, sized = read_requests(members), read_sizes(sizes)
    kits = set_up(directory, terms or DEFAULT_TERMS, requests, host, port, ledger, sized)
    if len(kits) == 3:
        note("of three members each can work out the two others' samples; better have more")
    if as_json:
        print_json({"directory": str(directory), "kits": {k: str(v) for k, v in kits.items()}})
        return
    say = stdout().print
    say(f"Made {directory}: the terms are published (terms.json) and fixed.")
    say("Send each member its own kit; it holds no secret, but must reach them unchanged:")
    for member, kit in kits.items():
        say(f"  {member}: {kit}")
    say("Members run:   fedfact federation join KIT --config member.toml")
    say(f"Then you run:  fedfact federation start {directory}")


@federation.command(
    epilog="Example:  fedfact federation join oak.kit.json --config oak/member.toml"
)
def join(
    kit: Annotated[Path, typer.Argument(help="The kit that the operator sent, a file.")],
    config: Config,
    check: Annotated[
        bool, typer.Option("--check", help="Only check kit, config and data; do not connect.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take part as a member until the season is over; started again, it goes on with what it began.

    The kit of the next season is joined with in the same directory.
    """
    from ...federation.deploy.flare.kits.paths import require_flare, site_workspace
    from ...federation.deploy.flare.kits.validity import endings_of_kit
    from ...federation.deploy.flare.site.joining import take_kit
    from ...federation.member.preparation import preview

    require_flare()
    own = take_kit(kit, config)
    for words in endings_of_kit(own):
        note(words)
    said = preview(config)
    if as_json:
        print_json(said)
    else:
        money = money_unit(said).money
        fee, charge = said["largest_fee"], said["largest_charge"]
        stdout().print(
            f"{said['name']}: federation {said['federation']}, season {own.terms.season}, terms "
            f"{said['terms'][:16]}. You "
            f"report {said['reported_cost']:g} a sample and would use up to {said['samples']:,} of "
            f"{said['capacity']:,} samples. At worst you pay "
            f"{money(fee + charge)}: a fee of {money(fee)}, a charge of {money(charge)}. "
            f"The server is {own.server}."
        )
        if said["deposit"]:
            note(
                f"training starts when you have deposited what your contract can ask for, up to "
                f"{money(said['deposit'])}; what you do not owe in the end comes back"
            )
        if said["unfit"] is not None:
            note(f"you will not be admitted: {said['unfit']}")
        if said["most_fee"] is not None and said["most_fee"] < fee + charge:
            note(f"most_fee allows {money(said['most_fee'])}; you will decline such a contract")
    if check:
        return
    from ...federation.deploy.flare.processes import run_site
    from ...federation.deploy.flare.site.ending import SeasonsEnd, how_it_ended
    from ...federation.member.files import MemberFiles

    log = config.parent / "member.log"
    tail, ended = Tail(log), SeasonsEnd(own, config.parent, note)

    def show_news() -> bool:
        for line in tail.lines():
            stderr().print(line)
        return ended()

    over = how_it_ended(MemberFiles(config.parent))
    if over is not None:
        note(f"{over}. Connecting all the same, since a settlement may be made anew")

    flare = site_workspace(config.parent) / "flare.log"
    note(f"connecting; what happens is in {log}, FLARE's in {flare}; end with Ctrl-C")
    try:
        run_site(own, config.parent, show_news)
    finally:
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
    from ...federation.deploy.flare.kits.validity import endings_of_operator
    from ...federation.deploy.flare.server.running import run_operator
    from ...federation.operator.directory import OperatorDirectory

    require_flare()
    OperatorDirectory(directory).ledger.close()
    for words in endings_of_operator(directory):
        note(words)
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
    if ending.overview is not None:
        note(
            f"season {ending.overview['season']} is over; invite and retire members as you like, "
            f"then publish the next: fedfact federation season new {directory} --terms FILE"
        )


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


@federation.command(epilog="Example:  fedfact federation mend consortium")
def mend(directory: Directory, wait: Wait = 60.0, as_json: AsJson = False) -> None:
    """Go on from a ledger that is older than what members were shown; exit codes as those of start.

    For a backup that lacks the newest entries, when there is no newer one. All who signed contracts
    must be there, and each that was shown more must allow it (allow-restart).
    """
    set_to_mend(directory)
    start(directory, wait, False, as_json)


@federation.command(epilog="Example:  fedfact federation status consortium")
def status(directory: Directory, as_json: AsJson = False) -> None:
    """Say how a federation stands: phase, rounds, promised and delivered samples, amounts."""
    from ...federation.deploy.flare.server.status import read_status
    from ...federation.operator.directory import refuse_lost_ledger
    from ...federation.operator.members import Membership
    from ...federation.operator.overview import overview

    now, running = Membership.of(directory), read_status(directory) is not None
    if now.begun:
        said = overview(now.state)
        if as_json:
            print_json({**said, "running": running})
        else:
            print_overview(said, running)
        return
    if now.state.last is None:
        refuse_lost_ledger(directory, empty=True)
    name, season = now.published.name, now.published.season
    phase, invited = "starting" if running else "not started", sorted(now.invited)
    if as_json:
        said = {"federation": name, "season": season, "phase": phase, "invited": invited}
        print_json({**said, "running": running})
        return
    before = f"; season {season - 1}: {now.state.season.phase}" if now.state.seasons else ""
    which = f"{name}, season {season}" if season > 1 else name
    stdout().print(f"{which}: {phase}; invited: {', '.join(invited)}{before}", soft_wrap=True)


@federation.command(epilog="Example:  fedfact federation stop consortium")
def stop(directory: Directory, as_json: AsJson = False) -> None:
    """Stop the start that runs in this directory; nothing is lost."""
    from ...federation.deploy.flare.server.running import stop as end

    end(directory)
    if as_json:
        print_json({"stopped": True})
    else:
        note(f"stopped; go on with fedfact federation resume {directory}")


@federation.command(epilog="Example:  fedfact federation leave --config oak/member.toml")
def leave(config: Config, as_json: AsJson = False) -> None:
    """Leave a federation with the next round: pay for what was delivered, forfeit the rest."""
    from ...federation.member.config import read_member_config
    from ...federation.member.files import LEAVE, MemberFiles

    own, files = read_member_config(config), MemberFiles(config.parent)
    files.published()  # who has joined no season cannot leave one
    write_whole(files.folder / LEAVE, b"")
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
