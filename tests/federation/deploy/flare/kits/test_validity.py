"""Certificates end: it is said before, they are renewed, and no kit of the season is locked out."""

import shutil
from datetime import UTC, datetime, timedelta

import pytest

from fedfact.errors import DeploymentError, InputError
from fedfact.federation.deploy.flare.kits import certificates
from fedfact.federation.deploy.flare.kits.certificates import (
    AUTHORITY_DAYS,
    VALID_DAYS,
    objection,
    read_certificate,
)
from fedfact.federation.deploy.flare.kits.issue import issue
from fedfact.federation.deploy.flare.kits.kit import read_kit
from fedfact.federation.deploy.flare.kits.validity import (
    ending,
    endings_of_kit,
    endings_of_operator,
)
from fedfact.federation.deploy.flare.site.joining import take_kit

NOW = datetime.now(UTC)


def in_days(days):
    """The clock, moved so far ahead; half a day more, since certificates begin an hour early."""
    return NOW + timedelta(days=days, hours=-12)


@pytest.fixture
def house(kits, tmp_path):
    """A copy of an operator's directory and its members', to be changed."""
    shutil.copytree(kits.root, tmp_path / "house")
    return tmp_path / "house"


def test_the_end_is_said_sixty_days_ahead():
    end = datetime(2027, 3, 1, tzinfo=UTC)
    say = lambda days: ending("your", end, "ask", end - timedelta(days=days))  # noqa: E731
    assert say(60.01) is None
    assert say(60) == "your certificate ends on 2027-03-01, in 60 days; ask"
    assert say(0.5) == "your certificate ends on 2027-03-01, in 0 days; ask"
    assert say(-0.5) == "your certificate has ended on 2027-03-01; ask"


def test_a_member_is_told_of_its_own_and_of_the_authoritys(kits):
    kit = read_kit(kits.kits["oak"])
    assert endings_of_kit(kit, in_days(VALID_DAYS - 62)) == []
    [own] = endings_of_kit(kit, in_days(VALID_DAYS - 40))
    assert own.startswith("your certificate ends on ")
    assert own.endswith("in 40 days; ask the operator for a new kit")
    late, authority = endings_of_kit(kit, in_days(AUTHORITY_DAYS - 10))
    assert late.startswith("your certificate has ended on ")
    assert authority.startswith("the authority's certificate ends on ")


def test_an_operator_is_told_of_all_and_cannot_start_with_one_that_has_ended(kits):
    assert endings_of_operator(kits.directory, in_days(VALID_DAYS - 62)) == []
    found = endings_of_operator(kits.directory, in_days(VALID_DAYS - 40))
    assert [words.partition(" certificate")[0] for words in found] == [
        "the server's", "the operator's own", "elm's", "fir's", "oak's",
    ]  # fmt: skip
    for words in found:
        assert f"in 40 days; renew all with fedfact federation season renew {kits.directory}" in (
            words
        )
    with pytest.raises(DeploymentError, match=r"the server's certificate has ended on .*nobody"):
        endings_of_operator(kits.directory, in_days(VALID_DAYS + 1))


def test_a_kit_whose_certificate_has_ended_is_refused_in_words(kits, house):
    later = in_days(VALID_DAYS + 1)
    path, config = kits.kits["oak"], house / "oak" / "member.toml"
    with pytest.raises(InputError, match=r"has expired, it on .*; ask the operator for another"):
        take_kit(path, config, later)


def test_renewed_kits_are_good_where_the_old_ones_have_ended(house):
    later = in_days(VALID_DAYS + 1)
    old = (house / "operator" / "tls" / "server.crt").read_bytes()
    made = issue(house / "operator", now=later, renew=True)
    assert sorted(made) == ["elm", "fir", "oak"]
    assert endings_of_operator(house / "operator", later) == []
    kit = take_kit(made["oak"], house / "oak" / "member.toml", later)
    assert endings_of_kit(kit, later) == []
    assert (house / "operator" / "tls" / "server.crt").read_bytes() != old
    assert issue(house / "operator", now=later) == made  # and no kit is made again without need
    assert read_kit(made["oak"]) == kit


def test_a_renewed_authority_locks_out_nobody(house, kits):
    """Its key stays: old and new certificates of both sides verify each other as long as they are
    valid, and a new kit is good when the old authority's certificate has ended."""
    tls = house / "operator" / "tls"
    old = read_kit(kits.kits["oak"])
    soon = in_days(AUTHORITY_DAYS - 100)
    kit = read_kit(issue(house / "operator", now=soon, renew=True)["oak"])
    assert kit.authority != old.authority
    server = read_certificate((tls / "server.crt").read_text())
    for authority in map(read_certificate, (old.authority, kit.authority)):
        server.verify_directly_issued_by(authority)
        own = read_certificate(kit.certificate)
        assert objection(own, authority, "oak", soon) is None
    after = in_days(AUTHORITY_DAYS + 1)
    assert objection(own, read_certificate(kit.authority), "oak", after) is None
    assert "has expired, the authority on" in objection(
        own, read_certificate(old.authority), "oak", after
    )


def test_an_authority_that_is_valid_for_long_stays_as_it_is(house):
    path = house / "operator" / "tls" / "authority.crt"
    before = path.read_bytes()
    issue(house / "operator", now=in_days(AUTHORITY_DAYS - VALID_DAYS - 2), renew=True)
    assert path.read_bytes() == before
    issue(house / "operator", now=in_days(AUTHORITY_DAYS - VALID_DAYS + 2), renew=True)
    assert path.read_bytes() != before


def test_a_damaged_certificate_of_the_operators_is_named(house):
    path = house / "operator" / "tls" / "server.crt"
    path.write_text("x")
    with pytest.raises(InputError, match=r"server.crt: is not the server's certificate; restore"):
        endings_of_operator(house / "operator")
    path.write_bytes((house / "operator" / "tls" / "authority.crt").read_bytes())
    assert certificates.read_own(path, "it").subject == certificates._AUTHORITY
