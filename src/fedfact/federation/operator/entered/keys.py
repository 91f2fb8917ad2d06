"""Members' keys, as the operator enters them into the ledger: replaced, retired, restored.

What a member hands in is looked at before it is entered: it must be signed by the key that the
ledger has of that member, name this consortium, and bring in a key that was nobody's before.
"""

from pathlib import Path

from ....errors import InputError
from ....io.files import alone, read_small
from ...agreement.key_change import KeyAnswer, NewKey, is_answer_by, is_requested
from ...ledger.entries import KeyAnswered, KeyReplaced, KeyRestored, KeyRetired
from ...wire.document import Document
from ...wire.transport import InProcess
from ..directory import OperatorDirectory
from ..session import Session

_MOST = 16_384
_WANTED = "the file that the member made with fedfact federation key new or key answer"


def accept(directory: Path, file: Path) -> tuple[str, str]:
    """Enter what a member handed in: its new key, or its answer; the member and the kind."""
    data = read_small(file, _MOST, _WANTED)
    try:
        said = _read(data)
        with alone(directory, wait=False), OperatorDirectory(directory) as opened:
            session = Session(opened, InProcess({}))
            return said.member, _enter(session, said)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


def retire(directory: Path, member: str, why: str) -> int:
    """Declare a member's key void; the number of the season from which on it is."""
    with alone(directory, wait=False), OperatorDirectory(directory) as opened:
        session = Session(opened, InProcess({}))
        key, season = _key_of(session, member), session.state.next_season
        _require_free(session, key)
        said = KeyRetired(member=member, key=key, season=season, why=_reason(why))
        session.add_of_none(("key-retired", said))
        return season


def restore(directory: Path, member: str, key: str, tls: str, proof: str, why: str) -> int:
    """Confirm the key of a member that lost its own; the number of the entry.

    What is confirmed already is not entered again. ``tls`` and ``proof`` are of the request that it
    made (`key_change.is_requested`).
    """
    with alone(directory, wait=False), OperatorDirectory(directory) as opened:
        session = Session(opened, InProcess({}))
        _key_of(session, member)
        if not is_requested(key, member, tls, proof):
            raise InputError(f"whoever made this request of {member} does not have its key")
        number, current = session.state.keys.all_of(member)[-1]
        if current == key and session.state.keys.came_back(member, number):
            return number
        _require_new(session, key)
        said = KeyRestored(member=member, key=key, tls=tls, proof=proof, why=_reason(why))
        session.add_of_none(("key-restored", said))
        return session.state.head.number


def _read(data: bytes) -> NewKey | KeyAnswer:
    return NewKey.read(data) if b'"proof"' in data else KeyAnswer.read(data)


def _enter(session: Session, said: NewKey | KeyAnswer) -> str:
    key = _key_of(session, said.member)
    if said.consortium != session.state.consortium.hash():
        raise InputError(f"is of a member of another consortium than {session.directory.path}")
    kind, document = (
        _new_key(session, said, key) if isinstance(said, NewKey) else _answer(session, said, key)
    )
    session.add_of_none((kind, document))
    return kind


def _new_key(session: Session, said: NewKey, key: str) -> tuple[str, Document]:
    if said.replaces != key:
        raise InputError(
            f"replaces a key that {said.member} has not; the member makes another with fedfact "
            "federation key new"
        )
    said.check()
    _require_free(session, key)
    _require_new(session, said.key)
    part = said.dump()
    return "key", KeyReplaced(**{name: part[name] for name in KeyReplaced.model_fields})


def _answer(session: Session, said: KeyAnswer, key: str) -> tuple[str, Document]:
    about = (session.state.consortium.hash(), said.member, said.key, said.words)
    if not is_answer_by(key, *about, said.said):
        raise InputError(f"is not signed by {said.member}")
    part = said.dump()
    return "key-answer", KeyAnswered(**{name: part[name] for name in KeyAnswered.model_fields})


def _key_of(session: Session, member: str) -> str:
    if member not in session.state.members:
        raise InputError(f"{member!r} is no member; there are {', '.join(session.state.members)}")
    return session.state.keys.of(member)


def _require_free(session: Session, key: str) -> None:
    if key in session.state.keys.retired:
        raise InputError(
            "its key was retired, so nothing is signed with it any more; confirm another with "
            "fedfact federation key restore"
        )


def _require_new(session: Session, key: str) -> None:
    if (owner := session.state.keys.owner(key)) is not None:
        raise InputError(f"brings in a key that {owner} has or had; a key is taken only once")


def _reason(why: str) -> str:
    if not why.strip() or not why.isprintable():
        raise InputError("give a reason in words, for the ledger")
    return why[:500]
