"""A consortium from nothing, and its next season: keys and seeds are drawn, terms published.

What is made here is entered into the ledger by the next session (`session`). Terms that were
published are fixed; others are those of another season.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from ...errors import InputError
from ...io.files import clear_torn, reason, write_whole
from ...mechanism import Terms, billing_floor, rule_of
from ...mechanism.fees import misfit
from ...mechanism.population import MOST_SIZE
from ..agreement.consortium import Consortium
from ..agreement.disputes import Arbitration
from ..agreement.draw import commitment
from ..agreement.terms import Conduct, Offer, publish, read_federation_terms
from ..ledger.entry import FIRST
from ..ledger.state import replay
from ..ledger.store import Ledger, ledger_place, read_ledger
from ..wire.canonical import decimal
from ..wire.document import FORMAT
from ..wire.keys import Key, keep_secret
from ..wire.message import OPERATOR
from .directory import (
    AWAITED,
    CONSORTIUM,
    INVITED,
    MEMBERS,
    PUBLISHED,
    SEED,
    Invited,
    Members,
    read_invitation,
    read_stored,
)


def check_new(
    terms: Path,
    members: list[str],
    ledger: str | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Offer:
    """Refuse terms, members, sizes or a ledger's URL that cannot be; what the terms say."""
    offered = read_federation_terms(terms)
    check_names(members)
    roster = dict.fromkeys(members, 1)
    if len(roster) < len(members):
        raise InputError(f"the members are {', '.join(members)}; name each once")
    check_roster(offered.money, offered.conduct, roster, sized=False)
    try:
        publish(offered, consortium=FIRST, season=1, operator=FIRST, seed_commitment=FIRST)
        if sizes:
            _check_sizes(sizes, members, offered.money)
    except InputError as error:
        raise InputError(f"{terms}: {error}") from None
    if ledger is not None and "://" not in ledger:
        raise InputError(
            "the ledger's URL cannot be used; write sqlite:///PATH or "
            "postgresql://USER:PASSWORD@HOST/NAME"
        )
    return offered


def check_names(members: Iterable[str]) -> None:
    """Refuse what cannot name a member."""
    for member in members:
        try:
            Invited.take({"format": FORMAT, "members": {member: 1}})
        except InputError:
            raise InputError(
                f"{member!r} cannot name a member; take letters, digits, hyphens and underscores, "
                "a letter or digit first"
            ) from None
        if member == OPERATOR:
            raise InputError(f"a member cannot be called {OPERATOR}; name it otherwise")


def check_roster(terms: Terms, conduct: Conduct, roster: Mapping[str, int], *, sized: bool) -> None:
    """Refuse a season of these members, of these sizes, that could not be."""
    if len(roster) < max(3, conduct.quorum):
        raise InputError(
            f"the members are {', '.join(sorted(roster)) or 'nobody'}; name three or more, at "
            f"least the quorum of {conduct.quorum}"
        )
    if sized:
        _check_sizes(roster, list(roster), terms)


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


def refuse_partial(disputes: Arbitration, members: Mapping[str, str]) -> None:
    """Refuse an arbiter that is a member, by the keys that these registered."""
    if own := sorted(each for each in members if members[each] == disputes.arbiter):
        raise InputError(
            f"the arbiter has the key of {own[0]}, and nobody decides about its own money; name "
            "somebody else in [disputes], or leave arbiter out"
        )


def create(
    directory: Path,
    terms: Path,
    members: Mapping[str, str],
    ledger: str | None = None,
    sizes: Mapping[str, int] | None = None,
) -> None:
    """Make an operator's directory, with its first season.

    ``members``: the public key of each; ``sizes``: of every member, what the operator verified.
    """
    if (directory / CONSORTIUM).exists():
        raise InputError(f"{directory}: holds a federation already; name another directory")
    offered = check_new(terms, list(members), ledger, sizes)
    refuse_partial(offered.disputes, members)
    named = _registered(members)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(0o700)  # reports, samples and fees of all are nobody else's business
    except OSError as error:
        raise InputError(f"{directory}: cannot be made ({reason(error)})") from None
    if ledger is not None:
        _try_ledger(ledger)
        url = f"{ledger}\n".encode()
        write_whole(directory / "ledger.url", url, private=True)  # it may hold a password
    money = offered.money
    operator = Key(keep_secret(directory / "operator.key")).public
    consortium = Consortium(
        format=FORMAT,
        name=offered.name,
        operator=operator,
        currency=money.currency,
        unit=decimal(float(money.unit)),
    )
    write_whole(directory / MEMBERS, named.encoded())
    _publish(directory, consortium, 1, offered, dict.fromkeys(members, 1) | dict(sizes or {}))
    write_whole(directory / CONSORTIUM, consortium.encoded())  # last: with it, it is a federation
    for file in directory.iterdir():
        clear_torn(file)


def open_season(
    directory: Path,
    terms: Path,
    joining: Mapping[str, str] | None = None,
    without: Iterable[str] = (),
    sizes: Mapping[str, int] | None = None,
) -> int:
    """Publish the terms of the next season; its number.

    Invited are those of the season before but for some ``without`` it, those awaited (`invite`),
    and those ``joining``, with the keys that they register. The season before must be settled; it
    needs nobody from it.
    """
    published, before = read_invitation(directory)
    consortium = read_stored(directory / CONSORTIUM, Consortium)
    known = read_stored(directory / MEMBERS, Members).members
    awaited = directory / AWAITED
    state = replay(read_ledger(ledger_place(directory)))
    if len(state.seasons) < published.season or state.season.settled is None:
        raise InputError(
            f"{directory}: season {published.season} is not settled yet; end it with fedfact "
            "federation resume, or settle what was delivered so far with its --finish"
        )
    new = dict(joining or {})
    if awaited.exists():
        new = read_stored(awaited, Members).members | new
    gone = {*without}
    if strange := sorted(gone - before.keys() - new.keys()):
        raise InputError(f"{', '.join(strange)} took no part in season {published.season}")
    if other := sorted(m for m in new.keys() & known.keys() if new[m] != known[m]):
        raise InputError(f"{', '.join(other)}: registered with another key")
    if retired := sorted(new.keys() & state.retired.keys()):
        raise InputError(f"{', '.join(retired)}: retired for good; register under another id")
    there = [m for m in sorted({*before, *new} - gone) if m not in state.retired]
    offered = check_new(terms, there, None, sizes)
    try:
        consortium.check(offered.money)
    except InputError as error:
        raise InputError(f"{terms}: {error}") from None
    refuse_partial(offered.disputes, known | new)
    named = _registered(known | new)
    write_whole(directory / MEMBERS, named.encoded())
    number = published.season + 1
    _publish(directory, consortium, number, offered, dict.fromkeys(there, 1) | dict(sizes or {}))
    awaited.unlink(missing_ok=True)
    return number


def _registered(members: Mapping[str, str]) -> Members:
    """Members with their keys, each with one of its own: the ledger takes no others."""
    owner: dict[str, str] = {}
    for member, key in sorted(members.items()):
        if (other := owner.setdefault(key, member)) != member:
            raise InputError(f"{member} registered the key of {other}; each has a key of its own")
    return Members.take({"format": FORMAT, "members": dict(members)})


def _publish(
    directory: Path, consortium: Consortium, season: int, offer: Offer, sizes: dict[str, int]
) -> None:
    """Draw the season's seed, and publish its terms; without those, it is no season yet."""
    folder = directory / f"season-{season}"
    (folder / "models").mkdir(parents=True, exist_ok=True)
    published = publish(
        offer,
        consortium=consortium.hash(),
        season=season,
        operator=consortium.operator,
        seed_commitment=commitment(keep_secret(folder / SEED), "operator"),
    )
    invited = Invited.take({"format": FORMAT, "members": sizes})
    write_whole(folder / INVITED, invited.encoded())
    write_whole(folder / PUBLISHED, published.encoded())
    for file in folder.iterdir():
        clear_torn(file)


def _try_ledger(url: str) -> None:
    """Refuse a data base that cannot be reached, or that holds another federation's ledger."""
    ledger = Ledger.at(url, new=True)
    try:
        if ledger.entries():
            raise InputError("this data base holds the ledger of a federation; name another one")
    finally:
        ledger.close()
