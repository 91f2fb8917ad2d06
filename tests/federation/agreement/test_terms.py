"""Published terms: read strictly, equal terms have equal hashes, wrong ones are refused."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedfact.errors import InputError
from fedfact.federation.agreement.disputes import Arbitration
from fedfact.federation.agreement.payment import PaymentTerms
from fedfact.federation.agreement.terms import (
    Conduct,
    Offer,
    Published,
    publish,
    read_federation_terms,
)
from fedfact.mechanism import Terms
from fedfact.training.plan import Plan
from fedfact.training.recipe import RECIPES

PLAN = Plan("digits", 3, 0, RECIPES["digits"])
SAID = {"error_scale": 20000.0, "unit": 0.01, "minimum_samples": 20}


def published(plan=PLAN, conduct=None, **money):
    return offer(Offer("test", Terms(**SAID | money), plan, conduct or Conduct(), PaymentTerms()))


def offer(said, season=1):
    hashes = {"consortium": "c" * 64, "operator": "a" * 64, "seed_commitment": "b" * 64}
    return publish(said, season=season, **hashes)


def changed(**parts):
    document = published().dump()
    for name, value in parts.items():
        part, _, key = name.partition("__")
        if key:
            document[part] = {**document[part], key: value}
        else:
            document[part] = value
    return document


def test_terms_read_back_as_they_were_published():
    terms = published(exponent=0.37, retention=0.125, escrow=10**9, rule="sandwich")
    again = Published.read(terms.encoded()).checked()
    assert again == terms
    assert again.hash() == terms.hash()
    assert again.terms() == Terms(
        **SAID, exponent=0.37, retention=0.125, escrow=10**9, rule="sandwich"
    )
    assert again.plan() == PLAN


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"error_scale": 20000}, {"error_scale": 20000.0}),
        ({"exponent": 1}, {"exponent": 1.0}),
        ({"exponent": Fraction(1, 2)}, {"exponent": 0.5}),
        ({}, {"alpha": 0.3}),
        ({}, {"loss_value": 7.0}),
        ({"retention": 0}, {"retention": -0.0}),
        ({"retention": Fraction(1, 8)}, {"retention": 0.125}),
        ({"unit": Fraction(1, 100)}, {"unit": 0.01}),
        ({"consistency": 2}, {"consistency": 2.0}),
    ],
)
def test_equal_terms_have_equal_hashes(one, other):
    same = Terms(**SAID | one) == Terms(**SAID | other)
    assert same or "unit" in one or other.keys() & {"alpha", "loss_value"}
    assert published(**one).hash() == published(**other).hash()
    assert published(**one).encoded() == published(**other).encoded()


@given(st.floats(1e-3, 1e6), st.floats(0.05, 1.9), st.integers(1, 10**6), st.integers(2, 9))
def test_what_differs_has_another_hash(scale, b, samples, quorum):
    said = {"error_scale": scale, "exponent": b, "minimum_samples": samples}
    one = published(**said)
    assert published(**said).hash() == one.hash()
    others = [
        published(**said | {"error_scale": scale * 1.5}),
        published(**said | {"exponent": b + 0.1}),
        published(**said | {"minimum_samples": samples + 1}),
        published(**said | {"rule": "sandwich"}),
        published(**said | {"conduct": Conduct(quorum=quorum + 10)}),
    ]
    assert one.hash() not in {other.hash() for other in others}


def test_the_same_terms_in_another_season_have_another_hash():
    said = Offer("test", Terms(**SAID), PLAN, Conduct(), PaymentTerms())
    assert offer(said).hash() == published().hash()
    assert len({offer(said, season).hash() for season in (1, 2, 3)}) == 3


def test_a_number_beyond_decimals_is_refused_and_not_rounded():
    with pytest.raises(InputError, match="more digits"):
        published(error_scale=12345678901234567891)
    with pytest.raises(InputError, match="more digits"):
        published(consistency=Fraction(1, 3))


def test_what_has_no_place_in_a_federation_is_refused_with_the_reason(read):
    """Measured settlements, and the penalty of the paper's figures."""
    assert not published().money.keys() & {"alpha", "loss_value"}
    for key, why in (
        ("loss_value", "federations do not settle by measured losses, since a member could hand"),
        ("alpha", "it belongs to the penalty of the paper's figures"),
    ):
        says = f"{key} has no place in a federation's terms: {why}"
        with pytest.raises(InputError, match=says):
            Published.take(changed(**{f"money__{key}": "1.0"})).checked()
        with pytest.raises(InputError, match=says):
            read(TOML.replace("unit =", f"{key} = 1.0\nunit ="))
    with pytest.raises(InputError, match=r"error_scale is missing: federations do not settle by m"):
        published(error_scale=None)
    with pytest.raises(InputError, match=r"error_scale is missing: federations do not settle by m"):
        offer(read(TOML.replace("error_scale = 20000\n", "")))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"money__exponent": 1}, "exponent is 1; write it as text"),
        ({"money__exponent": "1"}, "'1' is no number as it should be written"),
        ({"money__retention": "-0.0"}, "'-0.0' is no number"),
        ({"money__exponent": "nan"}, "'nan' is no number"),
        ({"money__exponent": ["1.0"]}, "exponent is \\['1.0'\\]; write it as text"),
        ({"money__exponent": "2.5"}, "exponent is 2.5; it must be between 0.05 and 2"),
        ({"money__error_scale": None}, "error_scale is missing"),
        ({"money__error_scale": "0.0"}, "error_scale"),
        ({"money__error_scale": "1e+300"}, "error_scale"),
        ({"money__minimum_samples": "20"}, "minimum_samples"),
        ({"money__minimum_samples": True}, "minimum_samples"),
        ({"money__minimum_samples": 0}, "minimum_samples"),
        ({"money__escrow": "5.0"}, "escrow"),
        ({"money__rule": "lottery"}, "rule is 'lottery'; choose"),
        ({"money__rule": ["rebate"]}, "rule"),
        ({"money__rule": None}, "rule"),
        ({"money__more": "1.0"}, "no more or less"),
        ({"money": {}}, "no more or less"),
        ({"money": []}, "money"),
        ({"training": {}}, "network is missing"),
        ({"training__more": 1}, "more"),
        ({"training__rounds": "3"}, "rounds"),
        ({"training__network": ["digits"]}, "network"),
        ({"training__drops": "0.5"}, "drops"),
        ({"conduct": {}}, "a field is missing"),
        ({"conduct__quorum": 1}, "quorum"),
        ({"conduct__quorum": 3.0}, "float"),
        ({"conduct__round_seconds": 0}, "round_seconds"),
        ({"format": 2}, "a published of format 2, and this fedfact reads format 1; use"),
        ({"format": True}, "format"),
        ({"format": "1"}, "format"),
        ({"version": 1}, "version"),
        ({"consortium": "c" * 63}, "consortium"),
        ({"consortium": None}, "consortium"),
        ({"season": 0}, "season"),
        ({"season": 10_001}, "season"),
        ({"season": True}, "season"),
        ({"season": "1"}, "season"),
        ({"name": "a b"}, "name"),
        ({"operator": "A" * 64}, "operator"),
        ({"seed_commitment": None}, "seed_commitment"),
        ({"extra": 1}, "extra"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_terms_are_refused(wrong, says):
    with pytest.raises(InputError, match=says):
        Published.take(changed(**wrong)).checked()


@pytest.mark.parametrize("missing", list(published().dump()))
def test_every_part_must_be_there(missing):
    document = published().dump()
    del document[missing]
    with pytest.raises(InputError, match=r"missing|required"):
        Published.take(document).checked()


TOML = """
name = "test"
[money]
error_scale = 20000
unit = 0.01
[training]
network = "digits"
rounds = 3
[conduct]
quorum = 2
"""


@pytest.fixture
def read(tmp_path):
    path = tmp_path / "terms.toml"

    def of(text):
        path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
        return read_federation_terms(path)

    return of


def test_a_file_says_what_differs_from_the_defaults(read):
    name, terms, plan, conduct, payment, disputes = read(TOML)
    assert name == "test"
    assert terms == Terms(error_scale=20000.0, unit=0.01)
    assert plan.rounds == 3
    assert conduct == Conduct(quorum=2)
    assert conduct.round_seconds == 60
    assert payment == PaymentTerms()
    assert disputes == Arbitration(arbiter=None, answer_days=14)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("unit =", "units =", "unknown key 'units' in \\[money\\]; did you mean unit"),
        ("quorum =", "quorom =", "unknown key 'quorom' in \\[conduct\\]; did you mean quorum"),
        ("rounds =", "round =", "unknown key 'round' in \\[training\\]; did you mean rounds"),
        ("rounds =", "zzz =", "unknown key 'zzz' in \\[training\\]; the keys are network"),
        ("[conduct]", "[conducts]", "unknown key 'conducts'; did you mean conduct"),
        ("[money]", "[[money]]", "money is no section; write \\[money\\]"),
        ("20000", '"20000"', "error_scale is '20000'; it must be a number"),
        ("20000", "nan", "error_scale"),
        ("20000", "true", "error_scale"),
        ("20000", "1979-05-27", "error_scale"),
        ('"digits"', '"digit"', "network is 'digit'; did you mean digits"),
        ('"digits"', '"zzz"', "network is 'zzz'; choose of"),
        ('"digits"', '["digits"]', "network is \\['digits'\\]"),
        ("rounds = 3", "rounds = 0", "rounds"),
        ("rounds = 3", "rounds = 3.0", "rounds"),
        ("quorum = 2", "quorum = 2.0", "float"),
        ("quorum = 2", "quorum = 1", "quorum"),
        ("[money]", "[money", "is not valid TOML"),
        ("rounds = 3", "rounds = " + "[" * 5000, "is not valid TOML"),
        ("20000", "1" * 5000, "is not valid TOML"),
    ],
    ids=lambda text: text[:30],
)
def test_a_wrong_file_is_refused_with_its_name_and_the_nearest_key(read, old, new, says):
    assert old in TOML
    with pytest.raises(InputError, match=says) as refused:
        read(TOML.replace(old, new))
    assert "terms.toml" in str(refused.value)


def test_a_file_that_is_no_text_is_refused(read, tmp_path):
    with pytest.raises(InputError, match="not UTF-8"):
        read(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read"):
        read_federation_terms(tmp_path / "nowhere.toml")


def test_flat_and_published_terms_are_offered_as_well(read, tmp_path):
    """A flat file leaves the training to the network's recipe; published terms say all of it."""
    offered = read(TOML)
    (tmp_path / "terms.json").write_bytes(offer(offered).encoded())
    assert read_federation_terms(tmp_path / "terms.json") == offered
    flat = read("error_scale = 20000\nunit = 0.01\n")
    assert flat == offered._replace(name="federation", plan=flat.plan, conduct=Conduct())
    assert flat.plan.recipe == offered.plan.recipe
    with pytest.raises(InputError, match="loss_value has no place"):
        read("error_scale = 20000\nloss_value = 1.0\n")
