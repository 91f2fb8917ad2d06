"""How a member follows a ledger that goes on from an older state than it was shown.

It does so only where nothing is lost to it, or its owner allows it (``restart``, once); and never
where its nonce was opened for a draw that could still be steered. What it kept of later rounds is
put aside: it trains them again, but for the round that comes next, whose reply it hands over again.
"""

from pathlib import Path
from shutil import copy2
from typing import Any

from ...errors import InputError
from ...io.files import write_whole
from ...io.folders import make_folder
from ...mechanism import rule_of
from ..agreement.restart import Consent, LastShown
from ..agreement.terms import Published
from ..wire.document import FORMAT
from ..wire.ledger_head import LedgerHead
from ..wire.tree import is_consistent
from .files import MemberFiles, seasons_kept
from .own_restarts import ALLOW, RESTARTS, OwnRestart, OwnRestarts, restarts
from .own_rounds import EARLIER, LAST, go_back

_OPENED = "opened.json"


def newest_shown(files: MemberFiles, number: Any) -> LastShown:
    """The newest head, and the newest that a ledger up to the entry of this number should have."""
    if type(number) is not int:
        raise InputError("a request that does not say how far the ledger goes")
    heads = files.followed()
    below = (head for head in heads if head.number <= number)
    return LastShown(
        newest=max(heads, key=lambda head: head.number, default=None),
        below=max(below, key=lambda head: head.number, default=None),
        season=max(seasons_kept(files.directory), default=0),
    )


def read_restart(content: dict[str, Any], published: Published) -> Consent:
    """What is asked for: a head that the operator signed, behind the member's own ones."""
    said = {name: value for name, value in content.items() if name not in ("proof", "key")}
    asked = Consent.take({**said, "lost": None})
    if not asked.after.is_by(published.operator, published.consortium):
        raise InputError("a head of the ledger that the operator did not sign")
    return asked


def check_restart(files: MemberFiles, asked: Consent, published: Published, proof: Any) -> Consent:
    """The member's consent, if it gives it."""
    made, shown = restarts(files.directory), newest_shown(files, asked.after.number)
    _require_follows(shown.below, asked.after, proof)
    if shown.newest is None or shown.newest.number <= asked.after.number:
        again = made and made[-1].consent.model_copy(update={"lost": None}) == asked
        return made[-1].consent if again else asked
    if not (files.directory / ALLOW).exists():
        raise InputError(
            f"the operator lost what came after entry {asked.after.number} of the ledger, of which "
            f"{shown.newest.number} was shown; if you know why, allow it with fedfact federation "
            "allow-restart"
        )
    _require_blind(files, asked, published)
    return asked.model_copy(update={"lost": shown.newest})


def too_far(files: MemberFiles, consent: Consent) -> int | None:
    """How many rounds it had answered up to the restart, where it went on beyond the next one."""
    until = _rounds(files, consent)
    last = files.last_round()
    if last is None or last.round <= until or (last.round == until + 1 and last.reply):
        return None
    return sum(each.round <= until for each in files.rounds())


def let_go(files: MemberFiles, consent: Consent, state: bytes | None) -> None:
    """Put aside what is lost, and go on from there; done twice, it is done once.

    ``state``: of the training as it was then, where it went too far.
    """
    made = restarts(files.directory)
    if consent.lost is None or (made and made[-1].consent == consent):
        (files.directory / ALLOW).unlink(missing_ok=True)
        return
    for season in seasons_kept(files.directory):
        folder = MemberFiles(files.directory, season).folder
        _put_aside(folder, f"lost-{len(made) + 1}", consent.after.number)
    if state is not None:
        go_back(files.folder, _rounds(files, consent), state)
    opened_at = _opened_at(files)
    if opened_at is None or opened_at >= consent.after.number:  # else the ledger has the nonce
        (files.folder / _OPENED).unlink(missing_ok=True)
    kept = OwnRestart(consent=consent, heads=len(files.heads()))
    document = OwnRestarts(format=FORMAT, restarts=[*made, kept])
    write_whole(files.directory / RESTARTS, document.encoded())
    (files.directory / ALLOW).unlink(missing_ok=True)


def _rounds(files: MemberFiles, consent: Consent) -> int:
    """The rounds of this very season that are not lost."""
    return consent.rounds if consent.season == files.season else 0


def _require_follows(below: LedgerHead | None, after: LedgerHead, proof: Any) -> None:
    """Refuse a ledger that does not hold what was shown of it up to there."""
    if below is None:
        return
    path = proof if isinstance(proof, list) and all(isinstance(x, str) for x in proof) else []
    try:
        sizes = below.number + 1, below.root, after.number + 1, after.root
        holds = is_consistent(*sizes, path)
    except ValueError:
        holds = False
    if not holds:
        raise InputError(f"the ledger was another up to entry {below.number} than was shown")


def _require_blind(files: MemberFiles, asked: Consent, published: Published) -> None:
    """Refuse to have a draw again whose nonce is known, while what it depends on can change."""
    if files.opened() is None or not rule_of(published.terms()).draws:
        return
    done = asked.season == files.season and asked.rounds == published.plan().rounds
    opened_at = _opened_at(files)
    if not done and (opened_at is None or opened_at > asked.after.number):
        raise InputError(
            "the nonce was opened in what is lost, and training is not over in what is left: the "
            "draw would not be blind any more; the season cannot be mended, only restored"
        )


def _opened_at(files: MemberFiles) -> int | None:
    """The entry that was the ledger's last when the nonce was opened, where it was."""
    opened = files.opened()
    if opened is None:
        return None
    return next((head.number for head in files.heads() if head.entry == opened.ledger), None)


def _put_aside(folder: Path, name: str, after: int) -> None:
    """Keep what is about to change for the owner, the first copies of it; what the member was shown
    of entries that are lost is only there from now on."""
    lost = [path for path in sorted((folder / "statements").glob("*.json")) if _of(path) > after]
    for path in (folder / LAST, folder / EARLIER, folder / _OPENED, *lost):
        if path.exists() and not (folder / name / path.name).exists():
            make_folder(folder / name)
            copy2(path, folder / name / path.name)
    for path in lost:
        path.unlink()


def _of(path: Path) -> int:
    """The number of the entry that a file is about, which its name ends with."""
    number = path.stem.rpartition("-")[2]
    return int(number) if number.isdigit() else 0
