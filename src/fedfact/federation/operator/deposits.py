"""Between the roster and the training: all deposits that the terms ask for are there."""

from .session import Paused, Session

_NAMED = 20  # members; of others it is said how many they are


def has_deposits(session: Session) -> bool:
    """Whether every deposit is recorded; pause until then.

    A season that is to be finished waits for none: it ends without training, and without money but
    for the deposits, which go back.
    """
    record, directory = session.record, session.directory
    lacking = record.purse.lacking()
    if record.rounds or not lacking:
        return True
    if directory.is_to_finish:
        return False
    money = record.money.money_unit
    named = [f"{member} lacks {money.money(lacking[member])}" for member in sorted(lacking)]
    if len(named) > _NAMED:
        named[_NAMED:] = [f"and {len(named) - _NAMED} more"]
    first = min(lacking)
    raise Paused(
        f"training starts when all deposits are paid: {', '.join(named)}; record each that came "
        f"with fedfact accounts pay {directory.path} --from member/{first} --amount "
        f"{money.amount(lacking[first])} --purpose deposit --reference WORDS, then start again, or "
        "end the season without them by resuming with --finish"
    )
