"""The operator's directory: terms, keys, ledger, and the model after the last rounds.

terms.json    the terms as published             members.json  who is invited, of what size
operator.key  signs for the operator (600)       seed.secret   its part of the draw (600)
models/       the model after the last rounds    ledger.db     the ledger, or
finish        if it is there: settle now,        ledger.url    where it is instead (600)
              with what was delivered so far
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from ...errors import InputError
from ...io import limits
from ...io.files import clear_torn, reason, write_whole
from ...io.regular import read_bytes
from ...mechanism import Terms, billing_floor, rule_of
from ...mechanism.fees import misfit
from ...mechanism.population import MOST_SIZE
from ...training.plan import Plan
from ..agreement.contract import Size
from ..agreement.draw import commitment
from ..agreement.terms import Conduct, Published, publish, read_federation_terms
from ..ledger.entry import FIRST
from ..ledger.store import Ledger
from ..ledger.store import ledger_place as ledger_place
from ..wire.canonical import digest
from ..wire.document import Document, Name
from ..wire.keys import Key, keep_secret, read_secret
from ..wire.message import OPERATOR

PUBLISHED, MEMBERS = "terms.json", "members.json"

DEFAULT_TERMS = Path(__file__).with_name("terms.toml")
"""Terms for a first try, with every key explained."""

FINISH = "finish"
_MODEL_LOST = (
    "restore it; if it is lost for good, resume with --finish, which settles what was delivered so "
    "far, without a model for the members"
)

WRITTEN_AFTER_ENTRIES = ("models/round-*.bin", "operator.log")
WRITTEN_AT_START = ("flare/server/status.json",)
"""What is there only after a ledger had entries, and only after it was made."""

KEPT = 2  # models: of the last round in the ledger, and of the one being written to it


class Invited(Document):
    """The invited members, each with the size that the operator verified, or 1."""

    members: dict[Name, Size]


class OperatorDirectory:
    """An operator's directory, opened for reading and writing."""

    def __init__(self, directory: Path) -> None:
        self.path = directory
        self.published, self.members = read_invitation(directory)
        self.key = Key(read_secret(directory / "operator.key"))
        self.seed = read_secret(directory / "seed.secret")
        if self.key.public != self.published.operator:
            raise InputError(f"{directory}: operator.key is not the key of terms.json; restore it")
        if commitment(self.seed, "operator") != self.published.seed_commitment:
            raise InputError(f"{directory}: seed.secret is not the seed of terms.json; restore it")
        refuse_lost_ledger(directory)
        self.ledger = Ledger.at(ledger_place(directory), new=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.ledger.close()

    @property
    def is_to_finish(self) -> bool:
        """Whether the operator wants to settle now."""
        return (self.path / FINISH).exists()

    def save_model(self, number: int, model: bytes) -> None:
        """Keep the model after a round (0: before the first)."""
        folder = self.path / "models"
        write_whole(folder / f"round-{number}.bin", model)
        (folder / f"round-{number - KEPT}.bin").unlink(missing_ok=True)

    def load_model(self, number: int, wanted: str) -> bytes:
        """The model after a round, if it is the one that the ledger has the digest of."""
        path = self.path / "models" / f"round-{number}.bin"
        try:
            model = read_bytes(path, limits.MODEL)
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({reason(error)}); {_MODEL_LOST}") from None
        if digest(model) != wanted:
            raise InputError(f"{path}: is not the model that the ledger names; {_MODEL_LOST}")
        return model


def refuse_lost_ledger(directory: Path, *, empty: bool = False) -> None:
    """Refuse to begin anew where the ledger is gone, or is ``empty``, of a federation that was
    started: members would be shown a second one, and refuse it."""
    place = ledger_place(directory)
    gone = "://" not in place and not Path(place).exists()
    if not gone and not empty:
        return
    signs = (*WRITTEN_AFTER_ENTRIES, *(WRITTEN_AT_START if gone else ()))
    found = next((each for sign in signs for each in sorted(directory.glob(sign))), None)
    if found is not None:
        raise InputError(
            f"{directory}: the ledger is {'gone' if gone else 'empty'}, but {found} says that the "
            "federation was started; restore the ledger from a backup"
        )


def read_invitation(directory: Path) -> tuple[Published, dict[str, int]]:
    """The published terms, and the invited members with their sizes."""
    where = directory / PUBLISHED
    if not where.is_file():
        raise InputError(
            f"{directory}: is no federation's directory; make one with fedfact federation init"
        )
    try:
        published = Published.read(read_bytes(where, limits.KEPT)).checked()
        members = Invited.read(read_bytes(directory / MEMBERS, limits.KEPT)).members
        return published, members
    except (InputError, OSError) as error:
        raise InputError(f"{directory}: terms.json or members.json: {error}") from None


def check_new(
    terms: Path,
    members: list[str],
    ledger: str | None = None,
    sizes: Mapping[str, int] | None = None,
) -> tuple[str, Terms, Plan, Conduct]:
    """Refuse terms, members, sizes or a ledger's URL that cannot be; what the terms say."""
    name, money, plan, conduct = offered = read_federation_terms(terms)
    for member in members:
        try:
            Invited.take({"members": {member: 1}})
        except InputError:
            raise InputError(
                f"{member!r} cannot name a member; take letters, digits, hyphens and underscores, "
                "a letter or digit first"
            ) from None
    if len(set(members)) < max(3, conduct.quorum) or len(set(members)) < len(members):
        raise InputError(
            f"the members are {', '.join(members) or 'nobody'}; name three or more, at least the "
            f"quorum of {conduct.quorum}, each once"
        )
    if OPERATOR in members:
        raise InputError(f"a member cannot be called {OPERATOR}; name it otherwise")
    try:
        publish(name, money, plan, conduct, FIRST, FIRST)
        if sizes:
            _check_sizes(sizes, members, money)
    except InputError as error:
        raise InputError(f"{terms}: {error}") from None
    if ledger is not None and "://" not in ledger:
        raise InputError(
            "the ledger's URL cannot be used; write sqlite:///PATH or "
            "postgresql://USER:PASSWORD@HOST/NAME"
        )
    return offered


def _check_sizes(sizes: Mapping[str, int], members: list[str], terms: Terms) -> None:
    """Refuse sizes that the rule does not know, or that are not all members'."""
    rule = rule_of(terms)
    if not rule.knows_sizes:
        raise InputError(f"the {rule.name} rule knows no sizes; leave them out, or take another")
    if odd := sorted(sizes.keys() ^ set(members)):
        raise InputError(
            f"sizes must be given for every member or for none; look at {', '.join(odd)}"
        )
    for member, size in sizes.items():
        if not 1 <= size <= MOST_SIZE:
            raise InputError(
                f"the size of {member} is {size:,}; give a whole number from 1 to {MOST_SIZE:,}"
            )
        if reason := misfit(billing_floor(terms, size), terms, size):
            raise InputError(f"{member}: {reason}")


def create(
    directory: Path,
    terms: Path,
    members: list[str],
    ledger: str | None = None,
    sizes: Mapping[str, int] | None = None,
) -> None:
    """Make an operator's directory: keys and secret seed are drawn, the terms published.

    From here on the terms are fixed; others need another directory. ``sizes``: of every member,
    what the operator verified of it.
    """
    if (directory / PUBLISHED).exists():
        raise InputError(f"{directory}: holds a federation already; name another directory")
    offered = check_new(terms, members, ledger, sizes)
    named = Invited.take({"members": dict.fromkeys(members, 1) | dict(sizes or {})})
    try:
        (directory / "models").mkdir(parents=True, exist_ok=True)
        directory.chmod(0o700)  # reports, samples and fees of all are nobody else's business
    except OSError as error:
        raise InputError(f"{directory}: cannot be made ({reason(error)})") from None
    if ledger is not None:
        _try_ledger(ledger)
    key, seed = Key(keep_secret(directory / "operator.key")), directory / "seed.secret"
    committed = commitment(keep_secret(seed), "operator")
    published = publish(*offered, key.public, committed)
    if ledger is not None:
        url = f"{ledger}\n".encode()
        write_whole(directory / "ledger.url", url, private=True)  # it may hold a password
    write_whole(directory / MEMBERS, named.encoded())
    write_whole(directory / PUBLISHED, published.encoded())  # last: with it, it is a federation
    for file in directory.iterdir():
        clear_torn(file)


def _try_ledger(url: str) -> None:
    """Refuse a data base that cannot be reached, or that holds another federation's ledger."""
    ledger = Ledger.at(url, new=True)
    try:
        if ledger.entries():
            raise InputError("this data base holds the ledger of a federation; name another one")
    finally:
        ledger.close()
