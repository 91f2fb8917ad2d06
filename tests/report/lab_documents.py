"""Documents of the lab that no lab wrote: plausible numbers for the charts and the page."""

import numpy as np

TITLES = {
    "local": "training alone",
    "federated": "plain federated learning",
    "penalised": "PFL, penalty only",
    "sandwich-paper": "FACT sandwich, paper's pool",
    "sandwich": "FACT sandwich",
    "rebate": "FACT rebate",
    "shaping": "accuracy shaping",
    "realfm": "RealFM",
    "auction": "reverse auction",
}
ATTACKS = {
    "median": ("reports the median", 1),
    "inflate": ("overstates its cost", 1),
    "withhold": ("free-rides", 1),
    "claim": ("claims data it did not use", 1),
    "pair": ("two agree on a report", 2),
    "merge": ("two pose as one", 2),
    "split": ("one poses as three", 1),
    "flood": ("made-up agents", 5),
}
SCALE = 1e6
SHARE = {"federated": (0.06, 0.06), "penalised": (1, 0.01), "shaping": (1.9, 0.06),
         "realfm": (2.4, 0.4), "auction": (0.5, 0.5)}  # fmt: skip
MEAN = {"local": (1, 1), "penalised": (1, 0.6), "shaping": (1, 0.6), "auction": (0.97, 0.97)}
FAR = {"penalised": 1e8, "sandwich": 0.08, "sandwich-paper": 0.09, "shaping": 1e8, "realfm": 3.2}
GAINS = {"sandwich": 0.2, "sandwich-paper": 0.19, "penalised": 0.4, "shaping": 0.5, "realfm": 0.3}


def equilibrium(rules=tuple(TITLES), *, agents=16, lies=True, how="replies", costs=None, rounds=7):
    rng = np.random.default_rng(agents)
    cost = rng.normal(1, 0.1, agents)
    entries = [_rule(name, cost, lies, rounds) for name in rules]
    return {
        "agents": agents, "costs": costs or "norm:loc=1,scale=0.1", "seed": 0, "how": how,
        "knows": "all", "lies": lies, "error_scale": SCALE, "rules": entries,
    }  # fmt: skip


def _rule(name, cost, lies, rounds):
    n, alone = len(cost), np.sqrt(SCALE / cost)
    share = SHARE.get(name, (1, 1))[lies]
    far = FAR.get(name, 0) if lies else 0
    samples = share * alone
    if name == "federated" or share < 0.1:
        samples = np.where(cost == cost.min(), alone, 0.0)
    if name == "auction":
        samples = np.where(cost <= np.median(cost), alone, 0.0)
    mean = MEAN.get(name, (0.56, 0.56))[lies]
    low, mid, high = np.quantile(cost, (0.1, 0.5, 0.9)) / np.median(cost)
    steps = 0 if name == "local" else rounds
    way = np.linspace(0, 1, steps + 1)
    end = 1 + far if far > 1 else 1
    return {
        "rule": name, "title": TITLES[name], "source": f"where {name} is from",
        "needs": "verified samples, reports", "gives_model": name != "auction",
        "converged": True, "rounds": steps, "samples": float(samples.sum()),
        "samples_share": float(samples.sum() / alone.sum()),
        "contributors": int((samples > 0.01 * alone).sum()),
        "loss": {"mean": mean, "worst": min(1.0, mean * 1.5)},
        "shut_out": n - n // 2 if name == "auction" else 0,
        "surplus": {"auction": -0.3, "realfm": -0.2, "sandwich": 0.02, "rebate": 0.01}.get(name, 0),
        "cost_to_all": mean, "from_truth": far,
        "agents": {
            "cost": cost.tolist(), "report": (cost * end).tolist(), "samples": samples.tolist(),
            "loss": np.full(n, mean).tolist(),
        },
        "history": {
            "round": list(range(steps + 1)),
            "samples_share": (1 + way * (samples.sum() / alone.sum() - 1)).tolist(),
            "loss": (1 + way * (mean - 1)).tolist(),
            "from_truth": (way * far).tolist(),
            "report_low": (end**way * (low + way * (mid - low) * (far > 0))).tolist(),
            "report_mid": (end**way * mid).tolist(),
            "report_high": (end**way * (high + way * (mid - high) * (far > 0))).tolist(),
        },
    }  # fmt: skip


def cell(rule, attack, gain=0.0, **others):
    return {
        "rule": rule, "attack": attack, "applies": True, "gain": gain, "gain_error": 0.001,
        "best_gain": 1.5 * gain, "best_place": 0.0,
        "honest": gain / 10, "honest_error": 0.0002, "worst": gain / 5,
        "payer": "the honest" if gain > 0 else "nobody", "irrational": 0.0, "deficit": False,
        "surplus": 0.01, "surplus_before": 0.02, "wins": None, "wins_before": None, **others,
    }  # fmt: skip


def no_cell(rule, attack):
    return dict.fromkeys(cell(rule, attack)) | {
        "rule": rule, "attack": attack, "applies": False,
    }  # fmt: skip


def attacks(rules=tuple(TITLES), names=tuple(ATTACKS), *, agents=16, costs=None, cells=None):
    if cells is None:
        cells = [_tried(rule, attack) for rule in rules for attack in names]
    return {
        "agents": agents, "costs": costs or "norm:loc=1,scale=0.1", "seed": 0, "populations": 2000,
        "attacks": [
            {"attack": name, "title": ATTACKS[name][0], "attackers": ATTACKS[name][1],
             "about": f"What {name} is."}
            for name in names
        ],
        "rules": [{"rule": name, "title": TITLES[name]} for name in rules],
        "cells": cells,
    }  # fmt: skip


def _tried(rule, attack):
    if rule == "local" or (rule == "federated" and attack in ("median", "inflate")):
        return no_cell(rule, attack)
    if attack in ("median", "inflate"):
        gain = GAINS.get(rule, 0 if attack == "median" else -0.02)
        wins = {"wins": 0.94, "wins_before": 0.63} if "sandwich" in rule else {}
        return cell(rule, attack, gain, **wins)
    if attack == "claim":
        return cell(rule, attack, 0.966, payer="both", irrational=0.25, deficit=rule == "realfm")
    if attack == "merge":
        return cell(rule, attack, 0.0 if rule == "auction" else 0.17)
    return cell(rule, attack, -0.3 if attack == "withhold" else 0.003, gain_error=0)


def compared(rules=tuple(TITLES), *, agents=16, costs=None, learned=True, names=tuple(ATTACKS)):
    """The document that the page is made of."""
    common = {"agents": agents, "costs": costs}
    return {
        "command": "fedfact compare",
        "setting": {"agents": agents, "costs": costs or "norm:loc=1,scale=0.1", "error_scale": 1e6},
        "true": equilibrium(rules, lies=False, rounds=3, **common),
        "strategic": equilibrium(rules, **common),
        "learned": equilibrium(rules, how="hedge", rounds=800, **common) if learned else None,
        "attacks": attacks(rules, names, **common),
    }
