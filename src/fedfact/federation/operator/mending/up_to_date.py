"""Nothing is written to a ledger that is older than what members were shown of it.

They are asked before a session writes its first entry, those that can be; an older ledger is told
of in words, or mended where the operator wants that (`mend`).
"""

from collections.abc import Mapping
from typing import Any

from ....errors import InputError
from ...agreement.restart import LastShown
from ...ledger.entry import Entry
from ...ledger.state import LedgerState
from ...wire.message import Message
from ...wire.transport import Failure
from ..asking import Asking
from ..directory import OperatorDirectory, refuse_lost_ledger
from .compare import Compared, StaleLedger, compare, in_words, refuse_newer_models
from .restart import remove_newer_models, restarted

_MOST_WAIT = 30.0


def bring_up_to_date(
    directory: OperatorDirectory,
    state: LedgerState,
    entries: list[Entry],
    asking: Asking,
    there: set[str],
) -> bool:
    """Compare the ledger with the heads of the members that are there; refuse it, or mend it.

    Whether anybody was there to say that it is up to date.
    """
    if not entries:
        refuse_lost_ledger(directory.path, empty=True)
    season, last = directory.published.season, directory.last_season
    rounds = len(state.seasons[season - 1].rounds) if len(state.seasons) >= season else 0
    consortium = directory.consortium
    wait = min(directory.published.conduct.answer_seconds, _MOST_WAIT)

    def ask(
        kind: str, contents: Mapping[str, dict[str, Any]], keys: Mapping[str, str]
    ) -> dict[str, Message | Failure]:
        federation = consortium.hash()
        return asking.ask(kind, contents, federation=federation, keys=keys, seconds=wait)

    def restart(kind: str, contents: Mapping[str, dict[str, Any]]) -> dict[str, Message | Failure]:
        keys = state.members
        named = {member: {"key": keys[member], **each} for member, each in contents.items()}
        return ask(kind, named, keys)

    number = {"number": len(entries) - 1}
    replies = ask("shown", dict.fromkeys(sorted(there & directory.keys.keys()), number), {})
    shown = {
        member: each for member, reply in replies.items() if (each := _shown(reply, directory))
    }
    found = compare(entries, shown, last, state.restarts)
    if found.lost and not directory.is_to_mend:
        raise StaleLedger(in_words(directory, entries, found.lost))
    if directory.is_to_mend:
        _require_all(state, found)
        if found.lost:
            document = restarted(state, entries, shown, found.lost, restart)
            directory.ledger.add(directory.key, [(0, "restart", document)], state.add)
        remove_newer_models(directory, rounds)
    elif entries:
        refuse_newer_models(directory, rounds)
        _require_enough(directory, state, found)
    directory.is_up_to_date()
    return bool(shown)


def _require_all(state: LedgerState, found: Compared) -> None:
    if absent := sorted(state.bound - found.fits - found.lost.keys()):
        raise StaleLedger(
            f"the ledger cannot be mended without {', '.join(absent)}, who are bound by it; mend "
            "when they are there"
        )


def _require_enough(directory: OperatorDirectory, state: LedgerState, found: Compared) -> None:
    """Where a ledger comes from a backup, members must say how old that is."""
    if directory.is_restored:
        enough = max(1, min(directory.published.conduct.quorum, len(state.bound)))
        if len(found.fits) < enough:
            raise StaleLedger(
                f"{directory.path}: comes from a backup, and members must say whether they saw "
                f"more than it has; resume it when {enough} are there"
            )


def _shown(reply: Message | Failure, directory: OperatorDirectory) -> LastShown | None:
    """What a member was shown, if the operator signed all of it."""
    if isinstance(reply, Failure):
        return None
    try:
        shown = LastShown.take(reply.head.content)
    except InputError:
        return None
    consortium = directory.consortium
    heads = [head for head in (shown.newest, shown.below) if head is not None]
    ours = all(head.is_by(consortium.operator, consortium.hash()) for head in heads)
    return shown if ours else None
