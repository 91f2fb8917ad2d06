"""The seed of the draw: it takes all secrets, and nobody steers it."""

import hashlib
import itertools
import random

import numpy as np
import pytest
from scipy import stats

from fedfact.errors import InputError
from fedfact.federation.agreement.draw import commitment, draw_seed
from fedfact.federation.ledger.state import replay
from fedfact.mechanism.competition import compete

NONCES = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("ann", "bob", "cy", "dee")}
SEED = bytes(range(32))


def plainly(seed, nonces):
    """The rule once more, from the text of the documentation."""
    text = b"fedfact-draw:" + seed
    for member, nonce in sorted(nonces.items()):
        text += b":" + member.encode() + b"=" + nonce.encode()
    return int(hashlib.sha256(text).hexdigest(), 16)


def test_the_seed_is_what_the_rule_says():
    random.seed(1)
    for _ in range(200):
        seed = random.randbytes(32)
        nonces = {f"member-{k}": random.randbytes(32).hex() for k in random.sample(range(99), 7)}
        assert draw_seed(seed, nonces) == plainly(seed, nonces)
    assert draw_seed(SEED, {}) == int(hashlib.sha256(b"fedfact-draw:" + SEED).hexdigest(), 16)


def test_the_order_of_the_members_does_not_count():
    seeds = {
        draw_seed(SEED, {member: NONCES[member] for member in order})
        for order in itertools.permutations(NONCES)
    }
    assert len(seeds) == 1


def test_every_bit_of_every_secret_changes_it():
    seeds = {draw_seed(SEED, NONCES)}
    for bit in range(256):
        turned = int.from_bytes(SEED, "big") ^ 1 << bit
        seeds.add(draw_seed(turned.to_bytes(32, "big"), NONCES))
        for member, nonce in NONCES.items():
            other = f"{int(nonce, 16) ^ 1 << bit:064x}"
            seeds.add(draw_seed(SEED, NONCES | {member: other}))
    assert len(seeds) == 1 + 256 * 5


def test_a_nonce_of_another_member_is_another_draw():
    swapped = NONCES | {"ann": NONCES["bob"], "bob": NONCES["ann"]}
    without = {member: nonce for member, nonce in NONCES.items() if member != "dee"}
    assert len({draw_seed(SEED, nonces) for nonces in (NONCES, swapped, without)}) == 3


def test_a_commitment_is_for_one_secret_and_one_member():
    plain = hashlib.sha256(b"fedfact-commitment:ann:" + SEED).hexdigest()
    assert commitment(SEED, "ann") == plain
    assert commitment(SEED, "bob") != plain
    assert commitment(SEED, "operator") != plain
    assert commitment(SEED[::-1], "ann") != plain


class Nonces:
    """The nonces entry of a ledger whose members opened these."""

    def __init__(self, said, withheld=()):
        self.opened = {member: self.Said(nonce) for member, nonce in said.items()}
        self.withheld = list(withheld)

    class Said:
        def __init__(self, nonce):
            self.content = {"nonce": nonce}

        def read_head(self):
            return self


@pytest.fixture(scope="module")
def record(finished):
    return replay(finished.sandwich.entries()).season


def test_the_ledger_of_a_federation_has_the_draw_of_the_rule(finished, record):
    seed = (finished.sandwich.directory / "season-1/seed.secret").read_text().strip()
    nonces = {
        member: (place / "season-1/nonce.secret").read_text().strip()
        for member, place in finished.sandwich.members.items()
    }
    assert record.revealed.seed == seed
    assert int(record.revealed.draw, 16) == plainly(bytes.fromhex(seed), nonces)
    assert record.nonces.opened.keys() == nonces.keys()
    assert record.nonces.withheld == []


def test_a_withheld_nonce_is_replaced_by_its_commitment(record, monkeypatch):
    members = sorted(record.contracts)
    opened = dict.fromkeys(members[1:], NONCES["ann"])
    monkeypatch.setattr(record, "nonces", Nonces(opened, members[:1]))
    wanted = opened | {members[0]: record.contracts[members[0]].nonce}
    assert record.seed_of_draw(SEED) == plainly(SEED, wanted)


def test_nobody_chooses_a_draw_by_how_it_spells_its_nonce(record, monkeypatch):
    members, nonce, seeds = sorted(record.contracts), NONCES["ann"], set()
    for spelt in (nonce, nonce.upper(), nonce.title(), f" {nonce[:4]} {nonce[4:]}\n"):
        monkeypatch.setattr(
            record, "nonces", Nonces(dict.fromkeys(members, nonce) | {members[0]: spelt})
        )
        seeds.add(record.seed_of_draw(SEED))
    assert seeds == {plainly(SEED, dict.fromkeys(members, nonce))}


@pytest.mark.parametrize("nonce", [None, "", 5, [], "zz", "0" * 63])
def test_what_is_no_nonce_is_refused_or_nothing(record, monkeypatch, nonce):
    members = sorted(record.contracts)
    monkeypatch.setattr(record, "nonces", Nonces(dict.fromkeys(members, nonce)))
    if nonce == "":
        assert record.seed_of_draw(SEED) == plainly(SEED, dict.fromkeys(members, ""))
    else:
        with pytest.raises(InputError, match="hexadecimal"):
            record.seed_of_draw(SEED)


def test_groups_drawn_by_such_seeds_are_uniform():
    """Who is left over, who meets whom, and who wins a tie: each by chi-square at 1 in 10,000."""
    members, draws = ["ann", "bob", "cy", "dee"], 6000
    left, won = np.zeros(4), np.zeros(4)
    for number in range(draws):
        nonces = {
            member: hashlib.sha256(f"{member}-{number}".encode()).hexdigest() for member in members
        }
        group, winner = compete(members, np.ones(4), draw_seed(SEED, nonces))
        left += group == -1
        won += winner
    assert left.sum() == won.sum() == draws
    assert stats.chisquare(left).pvalue > 1e-4
    assert stats.chisquare(won).pvalue > 1e-4


def test_pairs_meet_equally_often():
    members, met = list("abcdef"), dict.fromkeys(itertools.combinations(range(6), 2), 0)
    for number in range(3000):
        group, _ = compete(members, np.ones(6), draw_seed(number.to_bytes(32, "big"), NONCES))
        for pair in met:
            met[pair] += int(group[pair[0]] == group[pair[1]])
    assert sum(met.values()) == 3000 * 6
    assert stats.chisquare(list(met.values())).pvalue > 1e-4
