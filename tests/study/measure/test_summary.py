"""Every number of a tiny study's summary, computed again from its curves and its agents' lines."""

import math

import pytest

FACTS = ("fact_paper", "fact_realised", "fact_believed", "fact_settled", "fact_rebate")
RULES = {"sandwich": ("measured", "analytic"), "rebate": ("measured", "analytic"),
         "shared": ("analytic",)}  # fmt: skip
CASES = [(arm, seed) for arm in range(2) for seed in range(2)]
TERMS = {
    "plain": [],
    "terms": [
        *("terms.unit=1e-6", "terms.loss_value=3.0", "terms.retention=0.25", "terms.alpha=0.5"),
        *("score=best", "costs.kind=lognormal", "costs.spread=0.4", "agents=6"),
    ],
    "deviators": [
        'deviators=[{kind="free-ride", number=[0, 2], strength=0.6},'
        ' {kind="misreport", number=1, strength=0.5}]',
        *('partitions=["iid"]', "agents=8", "seeds=2", "costs.mean=1e-3"),
    ],
}


class Half:
    """One arm with one seed: what the summary says, and what follows from the tables."""

    def __init__(self, output, arm, seed, theory, lines, summary):
        self.theory, self.seed, self.summary = theory, seed, summary["arms"][arm]
        where = {"arm": self.summary["arm"], "seed": seed}
        self.agents = lines(output, "agents", **where)
        self.settlement = lines(output, "settlement", **where)
        self.local = {agent["agent"]: [] for agent in self.agents}
        self.federated = []
        for point in lines(output, "curves", **where):
            curve = self.federated if point["agent"] is None else self.local[point["agent"]]
            assert point["training"] == ("federated" if point["agent"] is None else "local")
            curve.append((point["epoch"], point["loss"], point["accuracy"]))
        self.terms = {"unit": 1e-9, "loss_value": 1.0, "retention": 0.0}

    def column(self, name):
        return [agent[name] for agent in self.agents]

    def scores(self, score):
        """Loss and accuracy alone of each agent, and together."""

        def pick(curve):
            ranked = sorted(curve, key=lambda point: point[0 if score == "final" else 1])
            return ranked[-1 if score == "final" else 0][1:]

        alone = [pick(curve) for curve in self.local.values()]
        return [each[0] for each in alone], [each[1] for each in alone], pick(self.federated)

    def readings(self, score):
        local, _, (together, _) = self.scores(score)
        reports = self.column("reported_cost")
        return self.theory.readings(reports, local, [together] * len(local), **self.terms)


@pytest.fixture(scope="module", params=TERMS)
def study(request, tmp_path_factory, run_tiny, tiny):
    if not TERMS[request.param]:
        return request.param, tiny
    output = tmp_path_factory.mktemp(request.param) / "out"
    run_tiny(output, *TERMS[request.param])
    return request.param, output


@pytest.fixture
def halves(study, theory, lines, summary_of):
    """All arms with all seeds, and the whole summary."""
    which, output = study
    summary = summary_of(output)
    found = [Half(output, *case, theory, lines, summary) for case in CASES]
    if which == "terms":
        for half in found:
            half.terms = {"unit": 1e-6, "loss_value": 3.0, "retention": 0.25}
    return found, summary


def near(value, **options):
    return pytest.approx(value, **{"rel": 1e-11, "abs": 1e-13, **options})


def test_the_summary_says_what_was_run(halves, study):
    _, summary = halves
    which, _ = study
    agents = {"plain": 7, "terms": 6, "deviators": 8}[which]
    assert (summary["study"], summary["dataset"], summary["title"]) == ("tiny", "digits", "Digits")
    assert (summary["agents"], summary["seeds"]) == (agents, [0, 1])
    assert summary["score"] == ("best" if which == "terms" else "final")
    assert summary["classes"] == [str(k) for k in range(10)]
    names = {"deviators": ["iid, 0 of 8 free-ride, 1 of 8 misreport",
                           "iid, 2 of 8 free-ride, 1 of 8 misreport"]}  # fmt: skip
    assert [arm["arm"] for arm in summary["arms"]] == names.get(which, ["iid", "dirichlet:0.3"])
    numbers = [[each["number"] for each in arm["deviators"]] for arm in summary["arms"]]
    assert numbers == ([[0, 1], [2, 1]] if which == "deviators" else [[], []])


def test_there_is_a_line_for_each_test_of_each_model(halves):
    for half in halves[0]:
        for curve in (*half.local.values(), half.federated):
            assert [point[0] for point in curve] == [1, 2, 3]
            assert all(loss > 0 and 0 <= accuracy <= 1 for _, loss, accuracy in curve)


def test_the_directory_holds_what_it_should_and_nothing_else(tiny):
    files = {str(path.relative_to(tiny)) for path in tiny.rglob("*") if path.is_file()}
    parts = [f"trained/{arm}-seed{k}.json" for arm in ("iid", "dirichlet-0.3") for k in range(2)]
    assert files == {
        "study.toml", "manifest.json", "summary.json", "curves.parquet", "agents.parquet",
        "settlement.parquet", *parts,
    }  # fmt: skip


def test_who_uses_all_it_has_contributes_and_who_holds_back_does_not(run_tiny, tmp_path, lines):
    """Agents 1 to 4 have less than m* = 50, agent 5 as much, agents 6 and 7 use more."""
    run_tiny(
        tmp_path / "out",
        *("samples=[20, 30, 40, 48, 50, 52, 60]", "costs.kind=uniform", "seeds=1"),
        *('partitions=["iid"]', 'deviators=[{kind="free-ride", number=[0, 4], strength=0.5}]'),
    )
    free, ridden = (
        lines(tmp_path / "out", "agents", arm=f"iid, {number} of 7 free-ride") for number in (0, 4)
    )
    assert [agent["contributes"] for agent in free] == [True] * 5 + [False] * 2
    for before, agent in zip(free, ridden, strict=True):
        rides = agent["kind"] == "free-ride"
        assert agent["contributes"] == (before["contributes"] and not rides)
    charges = lines(tmp_path / "out", "settlement", rule="rebate", input="analytic")[:7]
    assert [row["charge"] > 0 for row in charges] == [False] * 5 + [True] * 2  # capped: no charge


def test_accuracies_losses_and_ratios_follow_from_the_curves(halves):
    found, summary = halves
    for half in found:
        scores = {score: half.summary for score in ("final", "best") if score == summary["score"]}
        other = "final" if summary["score"] == "best" else "best"
        scores[other] = half.summary[other]
        assert set(half.summary[other]) == {"accuracy", "loss", "ratio"}
        for score, said in scores.items():
            _, accuracy, (_, together) = half.scores(score)
            of = half.readings(score)
            mean = {name: half.theory.mean(of[name]) for name in ("local", "federated", *FACTS)}
            for name, value in mean.items():
                assert said["loss"][name]["seeds"][half.seed] == near(value), (score, name)
            assert set(said["loss"]) == set(mean)
            for name in FACTS:
                ratio, losses = said["ratio"][name], said["loss"][name]["seeds"]
                assert (ratio is None) == (min(losses) <= 0), name
                if ratio is not None:
                    assert ratio["seeds"][half.seed] == near(mean["local"] / mean[name]), name
            expected = {"local": half.theory.mean(accuracy), "federated": together}
            for name, value in expected.items():
                assert said["accuracy"][name]["seeds"][half.seed] == near(value)


def test_the_tiny_study_has_something_of_everything(tiny, lines):
    """Else the tests here would see less than they seem to."""
    agents = lines(tiny, "agents")
    assert {agent["gain"] > 0 for agent in agents} == {True, False}
    curves = lines(tiny, "curves", training="local")
    last = {(c["arm"], c["seed"], c["agent"]): c["loss"] for c in curves}
    assert any(c["loss"] < last[c["arm"], c["seed"], c["agent"]] for c in curves)  # not best last
    assert sum(row["reward"] > 0 for row in lines(tiny, "settlement", input="measured")) >= 4
    assert any(row["compensation"] > 0 for row in lines(tiny, "settlement"))


def test_each_agent_has_its_own_line(halves):
    found, summary = halves
    for half in found:
        local, accuracy, (loss, together) = half.scores(summary["score"])
        n, of = len(half.agents), half.readings(summary["score"])
        assert half.column("agent") == [f"agent-{k + 1:02d}" for k in range(n)]
        assert half.column("local_loss") == local
        assert half.column("local_accuracy") == accuracy
        assert half.column("federated_loss") == [loss] * n
        assert half.column("federated_accuracy") == [together] * n
        assert half.column("gain") == near([a - loss for a in local])
        for name in (*FACTS, "if_lost", "if_won", "win_probability", "spread"):
            assert half.column(name) == near(of[name], abs=1e-9 if name == "spread" else 1e-13)


def test_the_share_left_with_its_local_loss(halves):
    found, summary = halves
    for half in found:
        sandwich, rebate = half.readings(summary["score"])["at_local_loss"]
        said = half.summary["at_local_loss"]
        assert said["sandwich"]["seeds"][half.seed] == near(sandwich)
        assert said["rebate"]["seeds"][half.seed] == rebate


def test_the_spread_of_an_agent_is_exact_and_that_of_the_mean_simulated(halves):
    found, summary = halves
    for half in found:
        of, said = half.readings(summary["score"]), half.summary["spread"]
        spread = half.theory.mean(of["spread"])
        assert said["agent"]["seeds"][half.seed] == near(spread, abs=1e-9)
        # 10,000 draws: the error of a standard deviation is about 1/√20,000 of it, or 0.7 %.
        wanted = of["spread_of_mean"]
        assert said["mean"]["seeds"][half.seed] == pytest.approx(wanted, rel=0.06, abs=1e-12)


def test_intervals_are_students(halves, theory):
    found, summary = halves
    for half in found:
        other = "best" if summary["score"] == "final" else "final"
        for block in (half.summary, half.summary[other]):
            for group in ("accuracy", "loss", "ratio", "at_local_loss", "spread"):
                for said in filter(None, block.get(group, {}).values()):
                    assert len(said["seeds"]) == 2
                    mean, low, high = theory.estimate(said["seeds"])
                    assert said["mean"] == near(mean)
                    assert (said["low"], said["high"]) == (near(low), near(high))


def test_belief_in_the_truth_follows_the_normal_distribution(halves):
    found, summary = halves
    for half in found:
        said = half.summary["truthfulness"]
        assert said["added"] == near([k / 100 for k in range(-50, 51)])
        prize = half.theory.mean(half.readings(summary["score"])["prize"])
        F = [half.theory.normal_cdf(x / 0.1) for x in said["added"]]
        believed = said["believed"][half.seed]
        assert believed == near([2 * p * (1 - p) * prize for p in F], abs=1e-12)
        assert (max if prize > 0 else min)(believed) == believed[50] == near(prize / 2)


def test_the_simulation_agrees_with_the_closed_form(halves):
    found, summary = halves
    for half in found:
        said = half.summary["truthfulness"]
        assert said["trials"] == 100_000
        assert said["simulated_at"] == near([k / 20 for k in range(-10, 11)])
        prize = half.theory.mean(half.readings(summary["score"])["prize"])
        for x, simulated in zip(said["simulated_at"], said["simulated"][half.seed], strict=True):
            F = half.theory.normal_cdf(x / 0.1)
            chance = 2 * F * (1 - F)
            error = math.sqrt(chance * (1 - chance) / 100_000)
            assert abs(simulated / prize - chance) <= 4 * error + 1e-5, x
        assert said["simulated"][half.seed] != said["simulated"][1 - half.seed]


def test_the_realised_curve_counts_wins_against_these_very_reports(halves):
    found, summary = halves
    for half in found:
        said = half.summary["truthfulness"]
        prize = half.readings(summary["score"])["prize"]
        cost, reports = half.column("true_cost"), half.column("reported_cost")
        for k in range(0, 101, 10):
            gains = [
                p * float(half.theory.chance_against(
                    cost[i] * (1 + said["added"][k]), reports[:i] + reports[i + 1 :]
                ))
                for i, p in enumerate(prize)
            ]  # fmt: skip
            assert said["realised"][half.seed][k] == near(half.theory.mean(gains))


def test_penalty_curves_are_lemma_1(halves, study):
    alpha = 0.5 if study[0] == "terms" else 1.0
    for half in halves[0]:
        if half.seed:
            continue
        said = half.summary["penalty"]
        cost = sorted(half.column("true_cost"))
        n = len(cost)
        median = (cost[(n - 1) // 2] + cost[n // 2]) / 2
        agent = min(half.agents, key=lambda each: abs(each["true_cost"] - median))
        S = sum(half.column("samples")) - agent["samples"]
        assert said["cost"] == near(median)
        assert said["optimum"] == near(1 / math.sqrt(median))
        assert said["samples"] == near([2 * said["optimum"] * k / 200 for k in range(201)])
        assert [curve["alpha"] for curve in said["curves"]] == [alpha, 1.9]
        for curve in said["curves"]:
            paid = [
                half.theory.penalty(m, S, median, 1.0, curve["alpha"]) + median * m
                for m in said["samples"]
            ]
            total = [p + 1 / (m + S) for p, m in zip(paid, said["samples"], strict=True)]
            assert curve["values"] == near(paid, rel=1e-9)
            assert curve["total"] == near(total, rel=1e-9)
            assert curve["best"] == pytest.approx(said["optimum"], rel=1e-5)  # Thm 3
            assert curve["lowest"] < said["optimum"]


def test_checks_count_agents_of_all_seeds(halves, theory):
    found, summary = halves
    for said in summary["arms"]:
        both = [half for half in found if half.summary is said]
        agents = [agent for half in both for agent in half.agents]
        for name, column in (
            ("contribution", "contributes"),
            ("rational_sandwich", "rational_sandwich"),
            ("rational_rebate", "rational_rebate"),
            ("rational_shared", "rational_shared"),
        ):
            honest = name in ("contribution", "rational_shared")
            asked = [a for a in agents if not honest or a["kind"] == "honest"]
            passed = sum(agent[column] for agent in asked)
            assert said["checks"][name] == {"passed": passed, "of": len(asked)}
        for half in both:
            of = half.readings(summary["score"])
            unit = half.terms["unit"] / half.terms["loss_value"]
            for k, agent in enumerate(half.agents):
                worst = of["local"][k] + unit * (1 + 1e-6)
                assert agent["rational_sandwich"] == (of["if_lost"][k] <= worst)
                assert agent["rational_rebate"] == (of["fact_rebate"][k] <= worst)
                assert agent["rational_shared"] or agent["kind"] != "honest"


def test_honest_agents_contribute_and_deviators_do_not(halves):
    for half in halves[0]:
        for agent in half.agents:
            assert agent["contributes"] == (agent["kind"] == "honest")
            if agent["kind"] != "misreport":
                best = 1 / math.sqrt(agent["true_cost"])
                assert agent["best_samples"] == pytest.approx(best, rel=1e-5)  # Thm 3
            for rule in RULES:
                assert agent[f"deviation_cost_{rule}"] > -1e-12


def test_deviating_under_the_sandwich_costs_what_the_formula_says(halves, theory):
    """By A/m: the local loss less chance times (1 - rho)·pool/G."""
    for half in halves[0]:
        used, reports = half.column("samples"), half.column("reported_cost")
        kept, groups = 1 - half.terms["retention"], len(used) // 3
        for k, agent in enumerate(half.agents):
            c, others = agent["true_cost"], [m for j, m in enumerate(used) if j != k]
            others_told = [report for j, report in enumerate(reports) if j != k]
            prize = kept * sum(1 / m - 1 / sum(others) for m in others) / groups
            losses = [
                1 / m + c * m - prize * float(theory.win_chances([*others_told, told])[-1])
                for m, told in (
                    (agent["samples"], agent["reported_cost"]),
                    (theory.best_whole_samples(c, 1.0), c),
                )
            ]
            cost = agent["deviation_cost_sandwich"]
            assert cost == pytest.approx(losses[0] - losses[1], abs=1e-12)


def test_deviating_under_the_other_rules_costs_loss_and_charge(halves, theory):
    """By A/m, x = m or n·m: A/x + c·m and the charge A/x + c'·m - 2√(A·c'), less those of m*."""
    for half in halves[0]:
        n = len(half.agents)
        for rule, times in (("rebate", 1), ("shared", n)):
            used = [row["samples"] for row in half.settlement if row["rule"] == rule][-n:]
            for agent, m in zip(half.agents, used, strict=True):
                c, report, A = agent["true_cost"], agent["reported_cost"], 1 / times
                lost, honest = (
                    A / x + c * x + A / x + told * x - 2 * math.sqrt(A * told)
                    for x, told in ((m, report), (theory.best_whole_samples(c, A), c))
                )
                cost = agent[f"deviation_cost_{rule}"]
                assert cost == pytest.approx(lost - honest, abs=1e-12)


def test_what_rules_leave_by_the_curve_follows_from_their_settlements(halves, theory):
    found, summary = halves
    for half in found:
        said = half.summary["by_curve"]
        assert list(said) == list(RULES)
        cost = half.column("true_cost")
        best = [theory.best_whole_samples(c, 1.0) for c in cost]
        alone = [1 / m + c * m for m, c in zip(best, cost, strict=True)]
        assert half.column("alone_by_curve") == near(alone)
        for rule in RULES:
            rows = [r for r in half.settlement if (r["rule"], r["input"]) == (rule, "analytic")]
            used = [row["samples"] for row in rows]
            assert said[rule]["samples"]["seeds"][half.seed] == near(theory.mean(used))
            ends = half.column(f"by_curve_{rule}")
            assert said[rule]["loss"]["seeds"][half.seed] == near(sum(ends) / sum(alone))
            if rule == "sandwich":
                continue  # its draw is not its mean
            for row, c, end in zip(rows, cost, ends, strict=True):
                lost = 1 / sum(used) + c * row["samples"]
                assert end == near(lost - summary["curve"]["unit"] * row["net"])
        assert half.summary["samples"]["seeds"][half.seed] == near(
            theory.mean(half.column("samples"))
        )


def test_shared_is_settled_by_the_curve_only_with_samples_of_its_own(halves, theory):
    for half in halves[0]:
        rows = [row for row in half.settlement if row["rule"] == "shared"]
        assert {row["input"] for row in rows} == {"analytic"}
        assert half.summary["settlement"]["shared"]["input"] == "analytic"
        n = len(half.agents)
        for row, agent in zip(rows, half.agents, strict=True):
            part = 0.4 if agent["kind"] == "free-ride" else 1
            best = theory.best_whole_samples(agent["reported_cost"], 1 / n)
            assert row["samples"] == max(1, math.floor(part * best + 1e-6))


def test_costs_reports_and_samples_fit_together(halves, theory):
    for half in halves[0]:
        for agent in half.agents:
            report = agent["true_cost"] * (1.5 if agent["kind"] == "misreport" else 1)
            assert agent["reported_cost"] == near(report)
            assert agent["optimum"] == near(1 / math.sqrt(report))
            assert agent["agreed"] == theory.best_whole_samples(agent["reported_cost"], 1.0)
            part = 0.4 if agent["kind"] == "free-ride" else 1
            assert agent["samples"] == math.floor(part * agent["agreed"] + 1e-6)
            assert (len(agent["labels"]), sum(agent["labels"])) == (10, agent["samples"])


def test_settlements_conserve_money(halves, study):
    for half in halves[0]:
        n = len(half.agents)
        for rule, inputs in RULES.items():
            for source in inputs:
                rows = [r for r in half.settlement if (r["rule"], r["input"]) == (rule, source)]
                assert [row["agent"] for row in rows] == half.column("agent")
                for row in rows:
                    received = row["reward"] + row["rebate"] + row["compensation"]
                    assert row["net"] == received - row["fee"] - row["charge"]
                    assert min(row[name] for name in ("charge", "reward", "rebate")) >= 0
                    assert row["fee"] >= 0 or rule == "shared"
                    assert row["won"] or not row["reward"]
                    assert row["reward"] == 0 or rule == "sandwich"
                    assert row["rebate"] == 0 or rule != "sandwich"
                surplus = -sum(row["net"] for row in rows)
                assert surplus >= 0
                if source == inputs[0]:
                    assert half.summary["settlement"][rule]["surplus"][half.seed] == surplus
                groups = [row["group"] for row in rows]
                drawn = range(n // 3) if rule == "sandwich" else ()
                assert sorted(g for g in groups if g is not None) == sorted([*drawn] * 3)
                for g in drawn:
                    group = [k for k in range(n) if groups[k] == g]
                    (winner,) = (k for k in group if rows[k]["won"])
                    reports = half.column("reported_cost")
                    assert reports[winner] == sorted(reports[k] for k in group)[1]
                assert sum(row["won"] for row in rows) == len(drawn)
        draws = [
            [(row["group"], row["won"]) for row in half.settlement
             if (row["rule"], row["input"]) == ("sandwich", source)]
            for source in ("measured", "analytic")
        ]  # fmt: skip
        assert draws[0] == draws[1]


def test_settled_amounts_are_the_waterfalls(halves, study):
    found, summary = halves
    for half in found:
        local, _, (together, _) = half.scores(summary["score"])
        n, retention = len(local), half.terms["retention"]
        money = {name: half.terms[name] for name in ("unit", "loss_value")}
        fee, compensation, pool, missing = half.theory.waterfall(local, [together] * n, **money)
        for rule, among in (("sandwich", n // 3), ("rebate", n - 1)):
            rows = [r for r in half.settlement if (r["rule"], r["input"]) == (rule, "measured")]
            assert [row["fee"] for row in rows] == fee
            assert [row["compensation"] for row in rows] == compensation
            for row, each in zip(rows, pool, strict=True):
                given = half.theory.share(each, among, retention)
                assert row["rebate"] == (given if rule == "rebate" else 0)
                assert row["reward"] == (given if row["won"] else 0)
                assert row["charge"] == 0
            assert half.summary["settlement"][rule]["shortfall"][half.seed] == missing


def analytic(half, rule):
    """The rows by the curve, their samples, and K."""
    rows = [r for r in half.settlement if (r["rule"], r["input"]) == (rule, "analytic")]
    return rows, [row["samples"] for row in rows], 1 / half.theory.exact(half.terms["unit"])


def test_sandwich_amounts_by_the_curve_follow_the_formula(halves):
    for half in halves[0]:
        rows, m, K = analytic(half, "sandwich")
        assert m == half.column("samples")
        M, n = sum(m), len(m)
        for k, row in enumerate(rows):
            assert row["fee"] == math.floor(K / m[k] - K / M)
            left = M - m[k]
            pool = sum(math.floor(K / m[j] - K / left) for j in range(n) if j != k)
            given = half.theory.share(pool, n // 3, half.terms["retention"])
            assert (row["rebate"], row["charge"]) == (0, 0)
            assert row["reward"] == (given if row["won"] else 0)


@pytest.mark.parametrize("rule", ["rebate", "shared"])
def test_balanced_amounts_by_the_curve_follow_the_formula(halves, theory, rule):
    """Fees and charges rounded up, rebates down; x = m, or n·m under shared."""
    for half in halves[0]:
        rows, m, K = analytic(half, rule)
        M, n, kept = sum(m), len(m), 1 - theory.exact(half.terms["retention"])
        e = [K / (x * (n if rule == "shared" else 1)) for x in m]
        for k, (row, agent) in enumerate(zip(rows, half.agents, strict=True)):
            assert 0 <= row["fee"] - (e[k] - K / M) < 1.01
            others = theory.exact(n * (M - m[k])) / (n - 1)
            back = kept * (sum(e) - e[k] - (n - 1) * K / others) / (n - 1)
            assert 0 <= back - row["rebate"] < 1.01
            c = theory.exact(agent["reported_cost"]) * K
            best = theory.best_whole_samples(agent["reported_cost"], e[0] * m[0] / K)
            charge = e[k] + c * m[k] - e[k] * m[k] / best - c * best
            assert 0 <= row["charge"] - charge < 1.01


def test_the_unit_of_the_summary_turns_amounts_into_losses(halves):
    found, summary = halves
    for half in found:
        for row, agent in zip(half.settlement, half.agents, strict=False):
            assert (row["rule"], row["input"]) == ("sandwich", "measured")
            ends = agent["federated_loss"] - summary["unit"] * row["net"]
            assert ends == near(agent["if_won"] if row["won"] else agent["if_lost"])
