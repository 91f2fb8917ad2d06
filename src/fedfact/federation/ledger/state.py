"""What a ledger says so far: who belongs to the consortium, and how each of its seasons stands."""

from typing import Any

from ...errors import FedfactError, LedgerError
from ..agreement.consortium import Consortium
from ..wire.ledger_head import Cosigned, LedgerHead
from ..wire.tree import Tree
from .entries import (
    OF_CONSORTIUM,
    KeyAnswered,
    KeyReplaced,
    KeyRestored,
    KeyRetired,
    Registered,
    Restarted,
    Retired,
    SeasonOpened,
    read_entry,
)
from .entry import Entry
from .member_keys import MemberKeys
from .season import SeasonState
from .treasury import Treasury


class LedgerState:
    """The state of a consortium, taken from its entries one by one, in order."""

    def __init__(self) -> None:
        self._founded: Consortium | None = None
        self.keys = MemberKeys()
        self.retired: dict[str, Retired] = {}
        self.restarts: list[Restarted] = []
        self.cosigned: dict[str, LedgerHead] = {}  # the last head that each other key signed
        self.seasons: list[SeasonState] = []
        self.treasury = Treasury()
        self.last: Entry | None = None
        self._tree, self._hash = Tree(), ""

    def add(self, entry: Entry) -> Any:
        """Take the next entry, and return what it says."""
        document = read_entry(entry.kind, entry.body.encode())
        self.take(entry, document)
        return document

    def take(self, entry: Entry, document: Any) -> None:
        """Take the next entry, which says this."""
        if (entry.kind == "consortium") != (self._founded is None):
            raise LedgerError("a consortium comes first, and only once")
        if (entry.kind in OF_CONSORTIUM) != (entry.season == 0):
            raise LedgerError(f"an entry of this kind is of {'no' if entry.season else 'a'} season")
        if entry.kind == "season" or not entry.season:
            take = f"_take_{entry.kind.replace('-', '_')}"
            getattr(self, take)(document, entry.season)
            if entry.kind == "season":
                self.treasury.open(self.season.purse, entry.time[:10])
        elif not 1 <= entry.season <= len(self.seasons):
            raise LedgerError(f"an entry of season {entry.season}, which was not opened")
        else:
            if entry.kind == "payment":
                self.treasury.check(entry, document, self.consortium.money_unit)
            self.seasons[entry.season - 1].take(entry, document)
            if entry.kind == "payment":
                self.treasury.keep(entry, document)
        self._hash = self._hash or self.consortium.hash()
        self._tree.add(entry.hash)
        self.last = entry

    @property
    def consortium(self) -> Consortium:
        """Whose ledger it is."""
        if self._founded is None:
            raise LedgerError("the ledger is empty: no consortium was founded yet")
        return self._founded

    @property
    def members(self) -> dict[str, str]:
        """The members, each with the key that it signs with by now."""
        return self.keys.now()

    @property
    def next_season(self) -> int:
        """The number of the season that would be opened next."""
        return len(self.seasons) + 1

    @property
    def season_on(self) -> int:
        """The number of the season that is not settled, or else of the next one."""
        unsettled = self.seasons and self.season.settled is None
        return len(self.seasons) if unsettled else self.next_season

    @property
    def bound(self) -> set[str]:
        """Members without whose consent the ledger does not go on from an older state: all that
        signed contracts of the last season, or enrolled where none has signed yet."""
        if not self.seasons:
            return set()
        there = self.season.contracts or self.season.enrolments
        return there.keys() - self.retired.keys()

    @property
    def season(self) -> SeasonState:
        """The season that there is now."""
        if not self.seasons:
            raise LedgerError("the ledger has no season yet")
        return self.seasons[-1]

    def disputed_by(self, member: str) -> SeasonState | None:
        """The last season with a settlement that stands and that this member disputes."""
        for season in reversed(self.seasons):
            if season.settlement is not None and season.disputes.of(member, season.settlement):
                return season
        return None

    @property
    def head(self) -> LedgerHead:
        """What names the ledger as it is now, signed by the operator."""
        last = self.last
        if last is None:
            raise LedgerError("the ledger is empty: it has no head")
        root, signature = self._tree.root(), last.signature
        return LedgerHead(number=last.number, entry=last.hash, root=root, signature=signature)

    def is_signed(self) -> bool:
        """Whether the operator signed the last entry, and with it all before it."""
        return self.head.is_by(self.consortium.operator, self._hash)

    def _take_consortium(self, said: Consortium, season: int) -> None:
        self._founded = said

    def _take_member(self, said: Registered, season: int) -> None:
        self.keys.register(said.member, said.key, self._tree.size)

    def _take_retired(self, said: Retired, season: int) -> None:
        _require(said.member in self.members, "nobody who could retire")
        _require(said.member not in self.retired, "a member that is retired already")
        self.retired[said.member] = said

    def _take_key(self, said: KeyReplaced, season: int) -> None:
        self.keys.replace(said, self._tree.size)

    def _take_key_retired(self, said: KeyRetired, season: int) -> None:
        self.keys.retire(said, self.next_season)

    def _take_key_answer(self, said: KeyAnswered, season: int) -> None:
        self.keys.answer(said)

    def _take_key_restored(self, said: KeyRestored, season: int) -> None:
        self.keys.restore(said, self._tree.size, self.season_on)

    def _take_restart(self, said: Restarted, season: int) -> None:
        _require(said.after == self.head, "a restart after another head than the ledger's")
        at = (len(self.seasons), len(self.season.rounds) if self.seasons else 0)
        _require((said.season, said.rounds) == at, "a restart of another season or round")
        without = self.bound - said.said.keys()
        _require(not without, f"a restart without the consent of {', '.join(sorted(without))}")
        self.restarts.append(said)

    def _take_cosigned(self, said: Cosigned, season: int) -> None:
        before = self.cosigned.get(said.key)
        _require(said.key != self.consortium.operator, "a head that the operator signed twice")
        _require(said.head.number < self._tree.size, "a head of entries that are yet to come")
        _require(
            before is None or before.number < said.head.number,
            "a head before the last one that was signed by this key",
        )
        self.cosigned[said.key] = said.head

    def _take_season(self, said: SeasonOpened, season: int) -> None:
        terms, number = said.terms, self.next_season
        _require(season == terms.season == number, f"a season that is not number {number}")
        _require(terms.consortium == self.consortium.hash(), "terms of another consortium")
        _require(terms.operator == self.consortium.operator, "terms of another operator")
        self.consortium.check(terms.terms())
        partial = terms.disputes.arbiter in self.members.values()
        _require(not partial, "a season whose arbiter has the key of a member")
        there = self.members.keys() - self.retired.keys()
        _require(said.members.keys() <= there, "a season with others than the members")
        _require(
            not self.seasons or self.season.settled is not None,
            "a season before the one before it is settled",
        )
        self.seasons.append(SeasonState(said, self.keys))


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise LedgerError(otherwise)


def replay(entries: list[Entry]) -> LedgerState:
    """The state of all these entries."""
    state = LedgerState()
    for entry in entries:
        try:
            state.add(entry)
        except FedfactError as error:
            raise LedgerError(f"{entry.name}: {error}") from None
    return state
