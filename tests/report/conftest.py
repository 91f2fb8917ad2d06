"""Results of studies that were never run: plausible numbers in the files of real ones."""

import numpy as np
import pytest

from fedfact.io.files import write_json
from fedfact.study.files.directory import read_result, write_tables
from fedfact.study.measure.interval import estimate

FACTS = ("fact_paper", "fact_realised", "fact_believed", "fact_settled", "fact_rebate")
TITLES = {"digits": "Digits", "mnist": "MNIST", "cifar10": "CIFAR-10", "ham10000": "HAM10000"}
PAPER_ARMS = ("iid", "dirichlet:0.6", "dirichlet:0.3")
BY_CURVE = {"sandwich": 0.5625, "rebate": 0.53125, "shared": 0.25}
ADDED = np.linspace(-0.5, 0.5, 41)


@pytest.fixture(scope="session")
def make_result(tmp_path_factory):
    """Write the directory of a study and read it: ``make_result("cifar10", agents=16)``."""

    def make(dataset="cifar10", name=None, **options):
        folder = tmp_path_factory.mktemp("results")
        return _make_directory(folder / (name or dataset), dataset, **options)

    return make


def _make_directory(
    path, dataset, *, study=None, title=None, arms=PAPER_ARMS, agents=16, seeds=3, epochs=40,
    classes=None, change=None,
):  # fmt: skip
    """``arms`` are names, or (name, free riders); ``change(summary)`` may spoil the summary."""
    path.mkdir(parents=True)
    classes = classes or [str(k) for k in range(7 if dataset == "ham10000" else 10)]
    arms = [arm if isinstance(arm, tuple) else (arm, None) for arm in arms]
    made = [_Arm(name, riders, agents, seeds, epochs, len(classes)) for name, riders in arms]
    tables = {
        table: {
            column: [row[column] for arm in made for row in getattr(arm, table)]
            for column in getattr(made[0], table)[0]
        }
        for table in ("curves", "agents", "settlement")
    }
    summary = {
        "study": study or dataset, "title": title or TITLES[dataset], "dataset": dataset,
        "agents": agents, "seeds": list(range(seeds)), "score": "final", "unit": 1e-9,
        "curve": {"error_scale": 1.0, "exponent": 1.0, "unit": 1e-9},
        "classes": classes, "arms": [arm.summary() for arm in made],
    }  # fmt: skip
    if change:
        change(summary)
    write_tables(path, **tables)
    write_json(path / "summary.json", summary)
    write_json(
        path / "manifest.json",
        {
            "command": f"fedfact run {dataset}", "fedfact": "0.1.0", "python": "3.11.9",
            "torch": "2.13.0", "commit": "18a2755", "hardware": {"gpu": "H200", "cores": 16},
            "device": "cuda bf16", "seconds": {"iid": {"local": 123.4}}, "finished": "2026-11-16",
        },
    )  # fmt: skip
    (path / "study.toml").write_text(f'name = "{dataset}"\nagents = {agents}\n')
    return read_result(path)


class _Arm:
    def __init__(self, name, riders, agents, seeds, epochs, classes):
        self.declared, riders = riders is not None, riders or 0
        self.name = f"{name}, {riders} of {agents} free-ride" if self.declared else name
        self.partition, self.riders, self.n = name, riders, agents
        self.curves, self.agents, self.settlement = [], [], []
        self.classes, self.epochs = classes, epochs
        self.skew = {"iid": 100.0}.get(name, 0.6)
        for seed in range(seeds):
            self._add(seed, np.random.default_rng([seed, len(self.name), riders]))

    def _add(self, seed, rng):
        n, groups = self.n, self.n // 3
        cost = 1e-7 * rng.normal(1, 0.1, n)
        optimum = np.sqrt(1 / cost)
        rides = np.arange(n) >= n - self.riders
        samples = np.where(rides, optimum / 4, optimum).astype(int)
        epoch = np.arange(1, self.epochs + 1)
        local = 1.4 + 0.1 * rng.normal(size=n) + 0.5 * (self.skew < 1) + 0.3 * rides
        end = 0.6 + 0.02 * rng.normal() + 0.03 * self.riders
        for agent, last in [*((f"agent-{k + 1:02}", local[k]) for k in range(n)), (None, end)]:
            loss = last + (2.3 - last) * np.exp(-epoch / 8) + 0.01 * rng.normal(size=len(epoch))
            loss[-1] = last
            self.curves += [
                {
                    "arm": self.name, "seed": seed, "training": "local" if agent else "federated",
                    "agent": agent, "epoch": int(e), "loss": float(v), "accuracy": float(1 - v / 3),
                }
                for e, v in zip(epoch, loss, strict=True)
            ]  # fmt: skip
        gain = local - end
        rank = np.argsort(np.argsort(cost))
        win = 3 * groups / n * rank * (n - 1 - rank) / ((n - 1) * (n - 2) / 2)
        others = gain.sum() - gain
        labels = (rng.dirichlet(np.full(self.classes, self.skew), n) * samples[:, None]).astype(int)
        columns = {
            "true_cost": cost, "reported_cost": cost, "optimum": optimum,
            "agreed": optimum.astype(int), "samples": samples, "labels": labels.tolist(),
            "local_loss": local, "federated_loss": np.full(n, end), "local_accuracy": 1 - local / 3,
            "federated_accuracy": np.full(n, 1 - end / 3), "gain": gain, "win_probability": win,
            "fact_paper": local - others / n, "fact_realised": local - win * 3 / n * others,
            "fact_believed": local - 1.5 / n * others,
            "fact_settled": local - win * others / groups,
            "fact_rebate": local - others / (n - 1), "if_lost": local,
            "if_won": local - others / groups,
            "spread": others / groups * np.sqrt(win * (1 - win)), "best_samples": optimum,
            "contributes": ~rides, "alone_by_curve": 2 / optimum,
            **{f"by_curve_{rule}": part * 2 / optimum for rule, part in BY_CURVE.items()},
            **{f"deviation_cost_{rule}": np.where(rides, part, 1e-9) * 2 / optimum
               for rule, part in BY_CURVE.items()},
            **{f"rational_{rule}": np.ones(n, bool) for rule in BY_CURVE},
        }  # fmt: skip
        for k in range(n):
            kind = "free-ride" if rides[k] else "honest"
            row = {"arm": self.name, "seed": seed, "agent": f"agent-{k + 1:02}", "kind": kind}
            for key, values in columns.items():
                value = values[k]
                row[key] = value.item() if isinstance(value, np.generic) else value
            self.agents.append(row)
        won = np.isin(np.arange(n), rng.permutation(n)[:groups])
        asked = [("sandwich", "measured"), ("rebate", "measured"),
                 *((rule, "analytic") for rule in BY_CURVE)]  # fmt: skip
        for rule, source in asked:
            fee = (gain * 1e9).astype(int)
            if rule == "shared":  # half of the agents are paid
                fee = fee // 1000 * np.where(np.arange(n) < n // 2, -1, 1)
            pool = fee.sum() - fee
            reward = np.where(won, pool // groups, 0) * (rule == "sandwich")
            rebate = pool // (n - 1) * (rule == "rebate")
            amounts = {
                "fee": fee, "charge": 0 * fee, "compensation": 0 * fee,
                "reward": reward, "rebate": rebate, "net": reward + rebate - fee,
                "samples": samples // (4 if rule == "shared" else 1),
            }  # fmt: skip
            self.settlement += [
                {
                    "arm": self.name, "seed": seed, "rule": rule, "input": source,
                    "agent": f"agent-{k + 1:02}",
                    **{key: int(values[k]) for key, values in amounts.items()},
                    "group": float(k % groups) if k < 3 * groups else float("nan"),
                    "won": bool(won[k]) and rule == "sandwich",
                }
                for k in range(n)
            ]  # fmt: skip

    def _mean(self, column):
        seeds = sorted({row["seed"] for row in self.agents})
        values = [[r[column] for r in self.agents if r["seed"] == seed] for seed in seeds]
        return estimate([float(np.mean(v)) for v in values])

    def summary(self):
        count = len(self.agents)
        seeds = [r["seed"] for r in self.agents[:: self.n]]
        loss = {k.removesuffix("_loss"): self._mean(k) for k in ("local_loss", "federated_loss")}
        loss |= {fact: self._mean(fact) for fact in FACTS}
        ratio = {
            fact: estimate([a / b for a, b in zip(loss["local"]["seeds"], loss[fact]["seeds"],
                                                  strict=True)])
            for fact in FACTS
        }  # fmt: skip
        accuracy = {key: self._mean(f"{key}_accuracy") for key in ("local", "federated")}
        rng = np.random.default_rng(0)
        at = ADDED[::4]
        height = [0.4 + 0.02 * seed for seed in seeds]
        samples = np.linspace(1000, 6000, 101)
        penalty = {
            "samples": samples.tolist(),
            "curves": [
                {
                    "alpha": a,
                    "values": (3e-4 + 1e-11 / (2 - a) * (samples - 3100) ** 2).tolist(),
                    "lowest": 3100.0,
                    "total": (4e-4 + 1e-11 / (2 - a) * (samples - 3150) ** 2).tolist(),
                    "best": 3150.0,
                }
                for a in (0.5, 1.0, 1.5)
            ],
            "optimum": 3150.0,
        }
        passed = {"passed": count, "of": count}
        truth = {
            "added": ADDED.tolist(),
            "believed": [(h * np.exp(-20 * ADDED**2)).tolist() for h in height],
            "simulated_at": at.tolist(),
            "simulated": [
                (h * np.exp(-20 * at**2) + 1e-3 * rng.normal(size=len(at))).tolist() for h in height
            ],
            "realised": [(0.7 * h * np.exp(-20 * (ADDED - 0.05) ** 2)).tolist() for h in height],
            "trials": 100_000,
        }
        riders = [{"kind": "free-ride", "number": self.riders, "strength": 0.75}]
        share = estimate([1 - self.n // 3 / self.n] * len(seeds))
        return {
            "arm": self.name, "partition": self.partition,
            "deviators": riders if self.declared else [],
            "accuracy": accuracy, "loss": loss, "ratio": ratio,
            "at_local_loss": {"sandwich": share, "rebate": estimate([0.0] * len(seeds))},
            "spread": {"agent": self._mean("spread"), "mean": estimate([0.01] * len(seeds))},
            "best": {"accuracy": accuracy, "loss": loss, "ratio": ratio},
            "truthfulness": truth, "penalty": penalty,
            "samples": estimate([3125.0] * len(seeds)),
            "by_curve": {
                rule: {
                    "samples": estimate([781.0 if rule == "shared" else 3125.0] * len(seeds)),
                    "loss": estimate([part] * len(seeds)),
                }
                for rule, part in BY_CURVE.items()
            },
            "checks": {
                "contribution": {"passed": count - self.riders * len(seeds), "of": count},
                **{f"rational_{rule}": passed for rule in BY_CURVE},
            },
            "settlement": {
                rule: {
                    "input": "analytic" if rule == "shared" else "measured",
                    "surplus": [surplus] * len(seeds),
                    "shortfall": [0] * len(seeds),
                }
                for rule, surplus in (("sandwich", 5), ("rebate", 7), ("shared", 1))
            },
        }  # fmt: skip
