"""Between the roster and the training: all deposits that the terms ask for are there."""

from .session import Paused, Session

_NAMED = 20  # members; of others it is said how many they are


def require_deposits(session: Session) -> None:
    """Pause until every deposit is recorded; a season that is to be finished waits for none."""
    record, directory = session.record, session.directory
    lacking = record.purse.lacking()
    if record.rounds or directory.is_to_finish or not lacking:
        return
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
