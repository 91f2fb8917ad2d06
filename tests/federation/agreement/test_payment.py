"""What terms say of payments: deposits, due dates, whose a surplus is."""

from types import SimpleNamespace

import pytest

from fedfact.errors import InputError
from fedfact.federation.agreement.payment import PaymentTerms
from fedfact.federation.agreement.terms import Published, publish, read_federation_terms
from fedfact.federation.operator.directory import DEFAULT_TERMS
from fedfact.settlement import read_terms

HASH = "ab" * 32
CONTRACT = SimpleNamespace(largest_fee=700, largest_charge=50)


@pytest.fixture
def read(tmp_path):
    def of(payment="", money='unit = 0.01\ncurrency = "EUR"'):
        path = tmp_path / "terms.toml"
        path.write_text(f"[money]\nerror_scale = 20000\n{money}\n{payment}\n")
        return read_federation_terms(path)

    return of


def published(offer):
    return publish(offer, consortium=HASH, season=1, operator=HASH, seed_commitment=HASH)


def test_without_the_section_there_are_no_deposits(read):
    assert read().payment == PaymentTerms(deposit=None, due_days=30, surplus="kept")
    assert read("[payment]").payment == read().payment
    assert read_federation_terms(DEFAULT_TERMS).payment == read().payment


def test_the_section_is_published_and_signed(read):
    offer = read('[payment]\ndeposit = 5000\ndue_days = 14\nsurplus = "carried"')
    assert offer.payment == PaymentTerms(deposit=5000, due_days=14, surplus="carried")
    terms = published(offer)
    assert terms.dump()["payment"] == {"deposit": 5000, "due_days": 14, "surplus": "carried"}
    assert Published.read(terms.encoded()) == terms
    assert terms.hash() != published(read()).hash()
    none = read('[payment]\ndeposit = "none"')
    assert published(none).hash() == published(read()).hash()


def test_published_terms_can_be_used_again(read, tmp_path):
    offer = read("[payment]\ndeposit = 0")
    path = tmp_path / "terms.json"
    path.write_bytes(published(offer).encoded())
    assert read_federation_terms(path) == offer
    assert read_terms(path) == offer.money


@pytest.mark.parametrize(
    ("payment", "says"),
    [
        ("deposit = -1", 'deposit is -1; write "none", or a whole number of minor units'),
        ("deposit = 1.5", "deposit is 1.5; write"),
        ("deposit = true", "deposit is True; write"),
        ('deposit = "all"', "deposit is 'all'; write"),
        ("deposit = 10000000000000000000", "deposit is 10000000000000000000; write"),
        ("due_days = -1", "not a valid payment terms: due_days"),
        ("due_days = 5000", "due_days"),
        ("due_days = 2.5", "a float has no place"),
        ('surplus = "mine"', "surplus: input should be 'kept', 'carried' or 'returned'"),
        ("due_day = 3", "unknown key 'due_day' in \\[payment\\]; did you mean due_days?"),
    ],
)
def test_what_cannot_be_is_refused(read, payment, says):
    with pytest.raises(InputError, match=says):
        read(f"[payment]\n{payment}")


def test_a_unit_that_the_currency_does_not_have_is_not_published(read):
    offer = read(money='unit = 0.01\ncurrency = "JPY"')
    with pytest.raises(InputError, match="amounts of JPY are whole multiples of 1"):
        published(offer)
    published(read(money='unit = 1\ncurrency = "JPY"'))
    published(read(money="unit = 1e-6"))


def test_a_deposit_covers_all_that_a_contract_can_ask_for():
    assert PaymentTerms().deposit_of(CONTRACT) == 0
    assert PaymentTerms(deposit=0).deposit_of(CONTRACT) == 750
    assert PaymentTerms(deposit=25).deposit_of(CONTRACT) == 775


def test_due_dates():
    assert PaymentTerms().due_date("2026-07-01") == "2026-07-31"
    assert PaymentTerms(due_days=0).due_date("2026-12-31") == "2026-12-31"
    for wrong in ("2026-13-01", "yesterday", "9999-12-31"):
        with pytest.raises(InputError, match="is no day on which amounts could be settled"):
            PaymentTerms().due_date(wrong)
