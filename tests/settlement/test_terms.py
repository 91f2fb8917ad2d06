"""Terms are read from the flat file, from a federation's terms.toml and from its terms.json."""

from pathlib import Path

import pytest

from fedfact import InputError, Terms
from fedfact.federation.agreement.terms import publish, read_federation_terms
from fedfact.federation.operator.directory import DEFAULT_TERMS
from fedfact.settlement.terms import read_terms

HASH = "0" * 64


@pytest.fixture
def files(tmp_path):
    """The same money three times: flat, a federation's, and published."""
    flat, own, published = (tmp_path / name for name in ("flat.toml", "terms.toml", "terms.json"))
    flat.write_text('error_scale = 20000.5\nunit = 0.01\nrule = "sandwich"\nminimum_samples = 20\n')
    own.write_text(f'name = "woods"\n[money]\n{flat.read_text()}[training]\nnetwork = "digits"\n')
    hashes = {"consortium": HASH, "operator": HASH, "seed_commitment": HASH}
    published.write_bytes(publish(read_federation_terms(own), season=2, **hashes).encoded())
    return flat, own, published


def test_all_three_say_the_same(files):
    wanted = Terms(error_scale=20000.5, unit=0.01, rule="sandwich", minimum_samples=20)
    assert [read_terms(path) for path in files] == [wanted] * 3


def test_the_terms_that_come_along_are_read():
    assert read_terms(DEFAULT_TERMS) == read_federation_terms(DEFAULT_TERMS)[1]


@pytest.mark.parametrize("which", [0, 1, 2])
def test_advice_and_settlements_take_each_of_them(files, which, fedfact, agents_csv):
    asked = fedfact("advise", "--cost", "1", "--terms", files[which], "--json")
    assert asked.code == 0, asked.err
    assert '"rule": "sandwich"' in asked.out
    settled = fedfact("settle", agents_csv, "--terms", files[which], "--seed", "1", "--json")
    assert settled.code == 0, settled.err


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("t.json", "{", "is not valid JSON"),
        ("t.json", "[]", "is no object"),
        ("t.json", '{"money": 3}', "money is no section"),
        ("t.json", '{"money": {"unit": "much"}}', "unit is 'much'; it must be a number"),
        (
            "t.json",
            '{"money": {"unot": "1.0"}}',
            r"unknown key 'unot' in \[money\]",
        ),
        ("t.toml", "[money]\nunit = '0.1'", "unit is '0.1'; it must be a number"),
        ("t.toml", "[money]\nunit = 0.1\n[monye]", "unknown key 'monye'; did you mean money"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(tmp_path, name, text, says):
    path = Path(tmp_path / name)
    path.write_text(text)
    with pytest.raises(InputError, match=rf"{name}: {says}"):
        read_terms(path)
