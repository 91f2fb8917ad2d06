"""Check an exported ledger without a line of fedfact: chain, tree, signatures and amounts.

    python examples/verifier.py ledger.jsonl

It follows docs/ledger-format.md, and needs the package `cryptography` only, for Ed25519. What it
does not know (a kind of entry that is newer than it) it checks as far as chain and signature go.
"""

import json
import sys
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from hashlib import sha256
from math import ceil, floor
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def canonical(document):
    """Its bytes: keys sorted, no space, UTF-8."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest(data):
    """SHA-256, in hexadecimal."""
    return sha256(data).hexdigest()


def require(holds, why):
    """End with a verdict, unless this holds."""
    if not holds:
        raise SystemExit(f"NOT sound: {why}")


def require_signed(public, purpose, data, signature, what):
    """End with a verdict, unless the owner of the key signed the data for this purpose."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), f"fedfact-{purpose}:".encode() + data)
    except (InvalidSignature, ValueError):
        require(False, f"{what}: not signed by {public[:16]}")


class Tree:
    """The root over a growing list (RFC 9162, section 2.1)."""

    def __init__(self):
        self.size, self.full = 0, []

    def add(self, entry):
        """One more leaf: the hash of an entry."""
        node, size = sha256(b"\0" + bytes.fromhex(entry)).digest(), self.size
        while size & 1:
            node, size = sha256(b"\1" + self.full.pop() + node).digest(), size >> 1
        self.full.append(node)
        self.size += 1

    def root(self):
        """The hash over all of them."""
        node = self.full[-1]
        for left in reversed(self.full[:-1]):
            node = sha256(b"\1" + left + node).digest()
        return node.hex()


def read(path):
    """Entries and what they say, once chain, tree and the operator's signatures hold."""
    previous, tree, entries = "0" * 64, Tree(), []
    with Path(path).open("rb") as lines:
        for number, line in enumerate(lines):
            entry = json.loads(line)
            require(canonical(entry) + b"\n" == line, f"line {number + 1}: not canonical")
            entry["said"] = json.loads(entry["body"])
            if number == 0:
                consortium, operator = digest(entry["body"].encode()), entry["said"]["operator"]
            require(entry["number"] == number, f"entry {number}: is numbered otherwise")
            require(entry["previous"] == previous, f"entry {number}: does not follow")
            hashed = [entry[k] for k in ("number", "season", "kind", "time", "body", "previous")]
            require(entry["hash"] == digest(canonical(hashed)), f"entry {number}: was changed")
            tree.add(entry["hash"])
            head = {"number": number, "entry": entry["hash"], "root": tree.root()}
            head["consortium"] = consortium
            require_signed(operator, "head", canonical(head), entry["signature"], f"entry {number}")
            previous = entry["hash"]
            entries.append(entry)
    return entries


def said(entry, evidence, key, kind, member, federation):
    """What a member said in a message, if it signed that."""
    head = json.loads(evidence["head"])
    what = f"entry {entry['number']}: {kind} of {member}"
    require_signed(key, "message", evidence["head"].encode(), evidence["signature"], what)
    wanted = (federation, kind, member, "operator")
    require((head["federation"], head["kind"], head["sender"], head["to"]) == wanted, what)
    return head["content"]


def power(scale, x, b):
    """scale·x^(−b): exact where b is 1, else to 40 decimal digits."""
    if b == 1:
        return scale / x
    with localcontext(Context(prec=60, Emin=-(10**6), Emax=10**6)):

        def decimal(number):
            return Decimal(number.numerator) / Decimal(number.denominator)

        value = decimal(scale) * (-decimal(b) * decimal(x).ln()).exp()
        return Fraction(Context(prec=40, Emin=-(10**6), Emax=10**6).plus(value))


def root(ratio, b):
    """The smallest whole number x, 1 or more, with x^b not below the ratio (to 40 digits)."""
    return max(1, ceil(power(Fraction(1), ratio, -1 / b)))


class Season:
    """What the entries of one season say, and the amounts that follow from it."""

    def __init__(self, terms):
        self.federation, money = digest(canonical(terms)), terms["money"]
        self.operator, self.rounds = terms["operator"], terms["training"]["rounds"]
        self.rule, self.b = money["rule"], Fraction(money["exponent"])
        self.unit, self.scale = Fraction(money["unit"]), Fraction(money["error_scale"])
        self.scale /= self.unit  # A in minor units
        self.kept, self.weight = 1 - Fraction(money["retention"]), Fraction(money["consistency"])
        self.minimum, self.escrow = money["minimum_samples"], money["escrow"]
        self.contracts, self.last, self.gone, self.held = {}, {}, set(), 0
        self.attended, self.asked, self.delivered, self.draw = {}, {}, {}, 0

    def floor_of(self, size):
        """The fewest samples that a member of this size is billed for."""
        least = self.minimum
        if self.escrow is not None:
            least = max(least, 3 * root(size * self.scale / self.escrow, self.b))
        return -(-least // 3)

    def delivery(self, member):
        """What a member is billed for, by its last attestation and the rounds it was there for."""
        contract, attested = self.contracts[member], self.last[member]
        late = self.held - attested["round"] > min(2, self.held // 3)
        left, least = member in self.gone or late, self.floor_of(contract["size"])
        planned, held = (1, 1) if left else (self.rounds, self.held)
        counted = min(contract["samples"] * held, attested["used"] * planned)
        billed = counted * self.attended[member] // (held * self.asked[member])
        return {
            "member": member, "promised": contract["samples"], "delivered": attested["used"],
            "counted": max(counted // held, least), "attended": self.attended[member],
            "asked": self.asked[member], "billed": max(billed, least),
            "last_round": attested["round"], "left": left,
        }  # fmt: skip

    def lines(self):
        """Everybody's amounts, worked out from the deliveries."""
        who = sorted(self.delivered)
        m = [self.delivered[x]["billed"] for x in who]
        u = [self.contracts[x]["size"] for x in who]
        left = [self.delivered[x]["left"] for x in who]
        n, M, U = len(who), sum(m), sum(u)
        fees, pools = self.sandwich(m, M) if self.rule == "sandwich" else self.balanced(m, u, M, U)
        if self.rule == "sandwich":
            group, won = self.groups(who)
            charges = [0] * n
            back = [floor(self.kept * pools[i] / (n // 3)) if won[i] else 0 for i in range(n)]
        else:
            group, won = [None] * n, [False] * n
            fees = [max(fees[i], 0) if left[i] else fees[i] for i in range(n)]
            charges = [0 if left[i] else self.charge(who[i]) for i in range(n)]
            back = [floor(self.kept * pools[i] / (n - 1)) for i in range(n)]
        found = {}
        for i, member in enumerate(who):
            gets = 0 if left[i] else back[i]
            name = "reward" if self.rule == "sandwich" else "rebate"
            net = gets - fees[i] - charges[i]
            found[member] = {
                "member": member, "samples": m[i], "counted": self.delivered[member]["counted"],
                "fee": fees[i], "charge": charges[i], "pool": pools[i], "reward": 0, "rebate": 0,
                "net": net, "group": group[i], "won": won[i],
                "postings": [{"account": f"member/{member}", "amount": net},
                             {"account": "operator", "amount": -net}],
            } | {name: gets}  # fmt: skip
        return found

    def sandwich(self, m, M):
        """⌊E(m) − E(M)⌋, and the same of all others without oneself."""

        def saving(one, total):
            if self.b == 1:
                return floor(self.scale / one - self.scale / total)
            fine = [ceil(power(self.scale * 2**20, Fraction(x), self.b)) for x in (one, total)]
            return (fine[0] - fine[1]) // 2**20

        n = range(len(m))
        pools = [sum(saving(m[j], M - m[i]) for j in n if j != i) for i in n]
        return [saving(x, M) for x in m], pools

    def balanced(self, m, u, M, U):
        """⌈u·[E(x) − E(M)]⌉, and Σ u_j·E(x_j) − (U − u)·E(T) over all others, never below 0."""
        n, fine = range(len(m)), 2 ** (20 + (max(u) - 1).bit_length())
        x = [Fraction(m[i] * U, u[i]) if self.rule == "shared" else Fraction(m[i]) for i in n]
        own = [u[i] * ceil(power(self.scale * fine, x[i], self.b)) for i in n]
        fees, pools = [], []
        for i in n:
            part = self.scale * (as_fine := 2 ** (20 + (u[i] - 1).bit_length()))
            saved = ceil(power(part, x[i], self.b)) - floor(power(part, Fraction(M), self.b))
            fees.append(-(-u[i] * saved // as_fine))
            without = ceil(power(self.scale * fine, Fraction(U * (M - m[i]), U - u[i]), self.b))
            pools.append(max(0, (sum(own) - own[i] - (U - u[i]) * without) // fine))
        return fees, pools

    def charge(self, member):
        """⌈κ[ℓ(counted) − least ℓ]⌉ less a sub-unit; ℓ(x) = u·E(reach·x) + c·x, convex in x."""
        contract, m = self.contracts[member], self.delivered[member]["counted"]
        signed = sum(each["size"] for each in self.contracts.values())
        u, cost = contract["size"], Fraction(contract["reported_cost"]) / self.unit
        reach = Fraction(signed, u) if self.rule == "shared" else Fraction(1)
        most = contract["capacity"] or 10**12
        least = min(self.floor_of(u), most)

        def loss(x):
            return power(u * self.scale, x * reach, self.b) + cost * x

        low, high = least, most
        while low < high:  # the first x from which one more sample no longer pays
            middle = (low + high) // 2
            low, high = (low, middle) if loss(middle) <= loss(middle + 1) else (middle + 1, high)
        return max(0, ceil(self.weight * (loss(m) - loss(low)) - Fraction(1, 2**20)))

    def groups(self, who):
        """Threes in the order of SHA-256("fedfact-group:SEED:ID"); the first median wins."""
        keys = {x: sha256(f"fedfact-group:{self.draw}:{x}".encode()).digest() for x in who}
        order = sorted(who, key=keys.__getitem__)
        group, won = dict.fromkeys(who), dict.fromkeys(who, False)
        for g in range(len(who) // 3):
            three = order[3 * g : 3 * g + 3]
            reports = {x: Fraction(self.contracts[x]["reported_cost"]) for x in three}
            won[next(x for x in three if reports[x] == sorted(reports.values())[1])] = True
            group.update(dict.fromkeys(three, g))
        return [group[x] for x in who], [won[x] for x in who]


def check(entries):
    """Members' signatures, and every amount, season by season; how many lines there were."""
    keys, seasons, lines = {}, {}, 0
    for entry in entries:
        kind, it, what = entry["kind"], entry["said"], f"entry {entry['number']} ({entry['kind']})"
        season = seasons.get(entry["season"])
        if kind == "member":
            keys[it["member"]] = it["key"]
        elif kind == "key":
            change = {name: it[name] for name in ("member", "replaces", "key")}
            signed = canonical(change | {"consortium": digest(entries[0]["body"].encode())})
            require(it["replaces"] == keys[it["member"]], f"{what}: replaces another key")
            require_signed(it["replaces"], "replaced key", signed, it["said"], what)
            require_signed(it["key"], "new key", signed, it["proof"], what)
            keys[it["member"]] = it["key"]
        elif kind == "key-restored":
            signed = canonical({name: it[name] for name in ("member", "key", "tls")})
            require_signed(it["key"], "request", signed, it["proof"], what)
            keys[it["member"]] = it["key"]
        elif kind == "season":
            seasons[entry["season"]] = Season(it["terms"])
        elif kind == "enrolment":
            member = it["member"]
            said(entry, it["said"], keys[member], "enrol", member, season.federation)
        elif kind == "contract":
            contract = it["contract"]
            member = contract["member"]
            signed = canonical(contract)
            require_signed(season.operator, "contract", signed, it["operator"], what)
            yes = said(entry, it["said"], keys[member], "agree", member, season.federation)
            require(yes == {"contract": digest(signed)}, f"{what}: {member} signed another")
            season.contracts[member] = contract
        elif kind == "leaves":
            season.gone.add(it["member"])
        elif kind == "round":
            season.held += 1
            away = [x for x, why in it["absent"].items() if why not in ("left", "not begun")]
            for member, evidence in it["attested"].items():
                key = keys[member]
                season.last[member] = said(entry, evidence, key, "round", member, season.federation)
                season.attended[member] = season.attended.get(member, 0) + 1
            for member in [*it["attested"], *away]:
                season.asked[member] = season.asked.get(member, 0) + 1
        elif kind == "delivery":
            require(it == season.delivery(it["member"]), f"{what}: is not what was attested")
            season.delivered[it["member"]] = it
        elif kind == "reveal":
            season.draw = int(it["draw"], 16)
        elif kind == "settlement":
            wanted = {} if it["void"] else season.lines()
            surplus = -sum(line["net"] for line in wanted.values())
            require(it["surplus"] == surplus >= 0, f"{what}: another surplus follows")
        elif kind == "line":
            require(it == wanted.get(it["member"]), f"{what}: other amounts follow")
            lines += 1
    return lines


if __name__ == "__main__":
    found = read(sys.argv[1])
    print(f"Sound: {len(found)} entries, {check(found)} lines, head {found[-1]['hash'][:16]}.")
