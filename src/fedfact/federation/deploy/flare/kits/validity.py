"""How long certificates are still valid: said two months before they end, and once they have."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from .....errors import DeploymentError
from ....operator.directory import read_invitation
from .certificates import ADMIN, SERVER, own_name, read_certificate, read_own
from .kit import Kit, read_kit
from .paths import TLS, kit_path

WARN_DAYS = 60


def ending(whose: str, end: datetime, remedy: str, now: datetime | None = None) -> str | None:
    """In words, that a certificate ends soon or has ended; None if it is valid for long.

    >>> ending("the server's", datetime(2027, 3, 1, tzinfo=UTC), "renew it",
    ...        datetime(2027, 1, 20, tzinfo=UTC))
    "the server's certificate ends on 2027-03-01, in 40 days; renew it"
    """
    left = end - (now or datetime.now(UTC))
    if left < timedelta(0):
        return f"{whose} certificate has ended on {end:%Y-%m-%d}; {remedy}"
    if left > timedelta(days=WARN_DAYS):
        return None
    return f"{whose} certificate ends on {end:%Y-%m-%d}, in {left.days} days; {remedy}"


def endings_of_kit(kit: Kit, now: datetime | None = None) -> list[str]:
    """What a member should know of its kit."""
    remedy = "ask the operator for a new kit"
    own, authority = map(read_certificate, (kit.certificate, kit.authority))
    found = [
        ending("your", own.not_valid_after_utc, remedy, now),
        ending("the authority's", authority.not_valid_after_utc, remedy, now),
    ]
    return [words for words in found if words is not None]


def endings_of_operator(directory: Path, now: datetime | None = None) -> list[str]:
    """What an operator should know before it starts; refused where its own have ended."""
    remedy = (
        f"renew all with fedfact federation season renew {directory}, and send members the kits "
        "that it writes"
    )
    found, now = list[str](), now or datetime.now(UTC)
    for name, whose in (
        ("authority", "the authority's"),
        (own_name(SERVER), "the server's"),
        (own_name(ADMIN), "the operator's own"),
    ):
        certificate = read_own(directory / TLS / f"{name}.crt", f"{whose} certificate")
        end = certificate.not_valid_after_utc
        words = ending(whose, end, remedy, now)
        if words is not None and end < now:
            raise DeploymentError(f"{words}. Until then nobody can connect")
        found += [words] if words else []
    for member in read_invitation(directory)[1]:
        kit = kit_path(directory, member)
        if kit.exists():
            end = read_certificate(read_kit(kit).certificate).not_valid_after_utc
            words = ending(f"{member}'s", end, remedy, now)
            found += [words] if words else []
    return found
