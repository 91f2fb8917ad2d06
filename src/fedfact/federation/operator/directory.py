"""The operator's directory: the consortium, its ledger, and a folder for each season.

consortium.json  what begins the ledger       members.json  the key that each member registered
awaited.json     who is invited to the next    contacts.json  who they are (600, `members`)
operator.key     signs for it (600)           ledger.db     the ledger, or
season-N/        of each season               ledger.url    where it is instead (600)

Of a season:
terms.json       the terms as published       invited.json  who is invited, of what size
seed.secret      its part of the draw (600)   models/       the model after the last rounds
finish           if it is there: settle now, with what was delivered so far

Beside the ledger: mend, if it is there, goes on from an older one, if all members consent; restored
says that it comes from a backup, and was not compared with what members were shown yet.
"""

from pathlib import Path
from typing import Self, TypeVar

from ...errors import InputError
from ...io import limits
from ...io.files import reason, write_whole
from ...io.regular import read_bytes
from ..agreement.consortium import Consortium
from ..agreement.contract import Size
from ..agreement.draw import commitment
from ..agreement.terms import Published, seasons_in
from ..ledger.store import Ledger
from ..ledger.store import ledger_place as ledger_place
from ..wire.canonical import digest
from ..wire.document import Document, Hash, Name, Stored
from ..wire.keys import Key, read_secret

CONSORTIUM, MEMBERS, AWAITED = "consortium.json", "members.json", "awaited.json"
PUBLISHED, INVITED, SEED = "terms.json", "invited.json", "seed.secret"

DEFAULT_TERMS = Path(__file__).with_name("terms.toml")
"""Terms for a first try, with every key explained."""

_Kind = TypeVar("_Kind", bound=Document)

FINISH, MEND, RESTORED = "finish", "mend", "restored"
_MODEL_LOST = (
    "restore it; if it is lost for good, resume with --finish, which settles what was delivered so "
    "far, without a model for the members"
)

WRITTEN_AFTER_ENTRIES = ("season-*/models/round-*.bin", "operator.log")
WRITTEN_AT_START = ("flare/server/status.json",)
"""What is there only after a ledger had entries, and only after it was made."""

KEPT = 2  # models: of the last round in the ledger, and of the one being written to it


class Members(Stored):
    """The members of the consortium, each with the key that it registered."""

    members: dict[Name, Hash]


class Invited(Stored):
    """The members that are invited to a season, each with the size that was verified, or 1."""

    members: dict[Name, Size]


class OperatorDirectory:
    """An operator's directory, opened for reading and writing, in the season that is on.

    Or in an earlier one, where something is left to do: to answer a dispute, to settle anew.
    """

    def __init__(self, directory: Path, season: int | None = None) -> None:
        self.path, self.season = directory, season_folder(directory, season)
        self.published, self.members = read_invitation(directory, season)
        self.consortium = read_stored(directory / CONSORTIUM, Consortium)
        self.keys = read_stored(directory / MEMBERS, Members).members
        self.key = Key(read_secret(directory / "operator.key"))
        self.seed = read_secret(self.season / SEED)
        if self.key.public != self.consortium.operator:
            raise InputError(
                f"{directory}: operator.key is not the key of {CONSORTIUM}; restore it"
            )
        if commitment(self.seed, "operator") != self.published.seed_commitment:
            raise InputError(f"{self.season}: {SEED} is not the seed of {PUBLISHED}; restore it")
        refuse_lost_ledger(directory)
        self.ledger = Ledger.at(ledger_place(directory), new=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.ledger.close()

    @property
    def is_to_finish(self) -> bool:
        """Whether the operator wants to settle now."""
        return (self.season / FINISH).exists()

    @property
    def is_to_mend(self) -> bool:
        """Whether the operator wants to go on from an older ledger."""
        return (self.path / MEND).exists()

    @property
    def last_season(self) -> int:
        """The last season whose terms were published."""
        return seasons_in(self.path)[-1]

    @property
    def is_restored(self) -> bool:
        """Whether it comes from a backup, and nobody has looked yet how old that is."""
        return (self.path / RESTORED).exists()

    def is_up_to_date(self) -> None:
        """Note that the ledger is as new as what members were shown."""
        (self.path / MEND).unlink(missing_ok=True)
        (self.path / RESTORED).unlink(missing_ok=True)

    def save_model(self, number: int, model: bytes) -> None:
        """Keep the model after a round (0: before the first)."""
        folder = self.season / "models"
        write_whole(folder / f"round-{number}.bin", model)
        (folder / f"round-{number - KEPT}.bin").unlink(missing_ok=True)

    def load_model(self, number: int, wanted: str) -> bytes:
        """The model after a round, if it is the one that the ledger has the digest of."""
        path = self.season / "models" / f"round-{number}.bin"
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


def season_folder(directory: Path, season: int | None = None) -> Path:
    """The folder of a season: of the one that is on, the last one whose terms were published."""
    seasons = seasons_in(directory)
    if not seasons or not (directory / CONSORTIUM).is_file():
        raise InputError(
            f"{directory}: is no federation's directory; make one with fedfact federation init"
        )
    if season is not None and season not in seasons:
        raise InputError(f"{directory}: there is no season {season}; the last is {seasons[-1]}")
    return directory / f"season-{season or seasons[-1]}"


def read_invitation(directory: Path, season: int | None = None) -> tuple[Published, dict[str, int]]:
    """The published terms of the season that is on, or of another, and who is invited, with their
    sizes."""
    folder = season_folder(directory, season)
    published = read_stored(folder / PUBLISHED, Published).checked()
    if folder.name != f"season-{published.season}":
        raise InputError(f"{folder}: has the terms of season {published.season}; restore it")
    return published, read_stored(folder / INVITED, Invited).members


def read_stored(path: Path, kind: type[_Kind]) -> _Kind:
    """A document that the operator keeps."""
    try:
        return kind.read(read_bytes(path, limits.KEPT))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({reason(error)}); restore it") from None
    except InputError as error:
        raise InputError(f"{path}: {error}; restore it") from None
