"""``fedfact federation dispute``: the operator answers and enters, the arbiter decides."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ...errors import InputError
from ...io.files import check_output, write_whole
from ..shared.options import AsJson
from ..shared.output import note, print_json, stdout
from .options import Directory

if TYPE_CHECKING:
    from ...federation.agreement.disputes import Counts

dispute = typer.Typer(
    name="dispute",
    help="Answer a member that disputes its statement, or decide and enter what becomes of it.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Whose = Annotated[str, typer.Argument(help="The member that disputes its statement.")]


def arbiter_key(
    file: Annotated[Path, typer.Argument(help="Where the secret key is to lie.")],
    as_json: AsJson = False,
) -> None:
    """As the arbiter, make your key: the terms name its public part, under [disputes].

    The file is yours alone. Where it is there already, its public part is printed again.
    """
    from ...federation.wire.keys import Key, keep_secret

    public = Key(keep_secret(file)).public
    if as_json:
        print_json({"arbiter": public})
        return
    stdout().print(f'arbiter = "{public}"', soft_wrap=True)
    note(f"this line belongs under [disputes] in the terms; keep {file}, you sign with it")


def cosigned(
    directory: Directory,
    file: Annotated[Path, typer.Argument(help="The head, as fedfact ledger cosign wrote it.")],
    as_json: AsJson = False,
) -> None:
    """As the operator, enter a head of the ledger that a third party signed."""
    from ...federation.audit.proofs import read_cosigned
    from ...federation.operator.run import cosigned as take

    signed = read_cosigned(file)
    take(directory, signed)
    if as_json:
        print_json({"key": signed.key, "head": signed.head.number})
    else:
        note(f"entered: key {signed.key[:16]} signed the ledger up to entry {signed.head.number}")


@dispute.command(epilog="Example:  fedfact federation dispute answer consortium oak --says 'see 4'")
def answer(
    directory: Directory,
    member: Whose,
    says: Annotated[str, typer.Option(help="The answer, which the member is shown.")],
    as_json: AsJson = False,
) -> None:
    """As the operator, answer a dispute, once; the next resume shows the member the answer."""
    from ...federation.operator.run import answer as give

    number = give(directory, member, says)
    if as_json:
        print_json({"answered": member, "settlement": number})
    else:
        note(f"answered {member}; fedfact federation resume {directory} shows it the answer")


@dispute.command(
    epilog="Example:  fedfact federation dispute decide ledger.jsonl oak --key arbiter.key "
    "--outcome reversed --corrected oak=120:4:4 --says 'round 4 was in time' -o oak.decision.json"
)
def decide(
    where: Annotated[str, typer.Argument(metavar="LEDGER", help="An export of the ledger.")],
    member: Whose,
    key: Annotated[Path, typer.Option(help="Your key, as arbiter-key made it.")],
    outcome: Annotated[
        Literal["stands", "reversed"], typer.Option(help="What becomes of the settlement.")
    ],
    says: Annotated[str, typer.Option(help="Why; those whom it concerns are shown it.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .json.")],
    corrected: Annotated[
        str,
        typer.Option(
            help="Counts that were wrong: MEMBER=SAMPLES:ROUNDS:LAST,... with the samples that it "
            "used, the rounds that it took part in, and the last of these."
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """As the arbiter, decide a dispute by an export of the ledger, which is verified first.

    The file is for the operator, who enters it. Each count is that of the whole training. The
    member that disputes, and those whose counts you correct, are shown all of the decision.
    """
    from ...federation.agreement.disputes import DecisionFile
    from ...federation.audit.arbiter import decide as sign
    from ...federation.ledger.store import read_ledger
    from ...federation.wire.document import FORMAT, checked_words
    from ...federation.wire.keys import Key, read_secret

    check_output(output, (".json",), (key,))
    decision = sign(
        read_ledger(where),
        member,
        Key(read_secret(key)),
        outcome=outcome,
        corrected=_counts(corrected),
        says=checked_words(says, "a reason"),
    )
    write_whole(output, DecisionFile(format=FORMAT, decision=decision).encoded())
    if as_json:
        print_json(decision.dump())
    else:
        note(f"wrote {output}: send it to the operator, who enters it with dispute enter")


def _counts(said: str) -> "dict[str, Counts]":
    """Members and counts as they stand on the command line."""
    from ...federation.agreement.disputes import Counts

    found: dict[str, Counts] = {}
    for each in said.split(",") if said else ():
        member, _, counts = each.strip().partition("=")
        parts = counts.split(":")
        if len(parts) != 3 or not all(p.isascii() and p.isdigit() and len(p) < 16 for p in parts):
            raise InputError(
                f"{each!r} gives no counts; write MEMBER=SAMPLES:ROUNDS:LAST, as in oak=120:4:4"
            )
        if member in found:
            raise InputError(f"{member!r} has counts twice; give each member one set")
        values = dict(zip(("delivered", "attended", "last_round"), map(int, parts), strict=True))
        found[member] = Counts.take(values)
    return found


@dispute.command(epilog="Example:  fedfact federation dispute enter consortium oak.decision.json")
def enter(
    directory: Directory,
    file: Annotated[Path, typer.Argument(help="The decision, as the arbiter sent it.")],
    as_json: AsJson = False,
) -> None:
    """As the operator, enter what the arbiter decided, with all that follows from it.

    Where the settlement is reversed, the next resume shows it to the members and settles anew.
    """
    from ...federation.audit.arbiter import read_decision
    from ...federation.operator.run import enter as take

    decision = read_decision(file)
    take(directory, decision)
    if as_json:
        print_json({"member": decision.member, "outcome": decision.outcome})
        return
    what = "stands" if decision.outcome == "stands" else "is reversed"
    note(
        f"entered: settlement {decision.settlement} {what}; fedfact federation resume {directory} "
        "tells the members"
    )
