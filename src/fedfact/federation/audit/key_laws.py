"""What is checked of members' keys: nobody's key was replaced without its word or a visible one."""

from ...errors import InputError
from ..agreement.key_change import check_new_key, is_answer_by, is_requested
from ..ledger.entries import KeyAnswered, KeyReplaced, KeyRestored
from ..ledger.entry import Entry
from ..ledger.state import LedgerState
from .findings import Fault


def keys(of: tuple[LedgerState, list[tuple[Entry, object]]]) -> str:
    """Members signed their new keys and answers themselves, and who came back has the new key.

    That it was the member who came back is the operator's word: only it can say, by `own_copy`.
    """
    state, documents = of
    consortium, restored = state.consortium.hash(), list[str]()
    changed = 0
    for entry, said in documents:
        try:
            if isinstance(said, KeyReplaced):
                signed = said.replaces, said.key, said.said, said.proof
                check_new_key(consortium, said.member, *signed)
                changed += 1
            elif isinstance(said, KeyAnswered):
                own = state.keys.at(said.member, entry.number)
                if not is_answer_by(own, consortium, said.member, said.key, said.words, said.said):
                    raise InputError(f"an answer that {said.member} did not sign")
            elif isinstance(said, KeyRestored):
                if not is_requested(said.key, said.member, said.tls, said.proof):
                    raise InputError(f"a key for {said.member} of somebody who does not have it")
                restored.append(f"{said.member} at entry {entry.number}")
        except InputError as error:
            raise Fault(entry, f"holds {error}") from None
    says = f"{len(state.members)} members, {changed} keys replaced by their members"
    return says + (f"; by the operator's word, {', '.join(restored)}" if restored else "")
