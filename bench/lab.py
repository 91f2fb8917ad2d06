"""What strategic play costs: 1,000 rounds with 1,000 agents, the table of attacks, and growth."""

import time
from collections.abc import Callable

import numpy as np

from fedfact.lab import GameRule, Setting, Table
from fedfact.lab.attacks.table import attack
from fedfact.lab.play.dynamics import replies
from fedfact.lab.play.hedge import hedge
from fedfact.mechanism import Others, best_response

FEW, MANY = 1_000, 10_000
ROUNDS = 1_000


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def growth(work: Callable[[int], Callable[[], object]]) -> float:
    """Time per agent with many agents, as a multiple of that with few."""
    small = min(seconds(work(FEW)) for _ in range(5))
    return seconds(work(MANY)) / MANY / (small / FEW)


def named(setting: Setting, name: str) -> GameRule:
    return setting.rule(name, setting.agents)


def against_the_plain_way() -> None:
    """One agent after another, each by search, as mechanism.best_response does it."""
    setting = Setting.read(agents=100)
    cost, rule = setting.population(0), named(setting, "sandwich")
    samples = rule.agreed(setting.terms, cost)
    table, belief = Table.of(setting.terms, cost, samples), setting.belief("all")

    def plain() -> None:
        for i in range(len(cost)):
            others = Others(np.delete(samples, i), np.delete(cost, i))
            best_response("sandwich", float(cost[i]), others, setting.terms)

    ours = min(seconds(lambda: rule.reply(table, cost, belief)) for _ in range(5))
    ratio = seconds(plain) / ours
    print(f"best replies of 100 agents: {ratio:,.0f} times as fast as one agent after another")


def main() -> None:
    against_the_plain_way()
    setting = Setting.read(agents=FEW)
    cost = setting.population(0)
    for rule in setting.rules():

        def reply(n: int, rounds: int = 10, name: str = rule.name) -> Callable[[], object]:
            world = Setting.read(agents=n)
            costs, played = world.population(0), named(world, name)
            return lambda: replies(played, world, costs, rounds=rounds, stop=False)

        def learn(n: int, rounds: int = 10, name: str = rule.name) -> Callable[[], object]:
            world = Setting.read(agents=n)
            costs, played = world.population(0), named(world, name)
            return lambda: hedge(played, world, costs, rounds=rounds)

        reply(FEW, 2)(), learn(FEW, 2)()  # once, for libraries to load
        best = seconds(lambda rule=rule: replies(rule, setting, cost, rounds=ROUNDS, stop=False))
        learned = seconds(lambda rule=rule: hedge(rule, setting, cost, rounds=ROUNDS))
        print(
            f"{rule.title}: {ROUNDS:,} rounds of {FEW:,} agents, best replies {best:.1f} s and "
            f"Hedge {learned:.1f} s; time per agent with {MANY:,} agents {growth(reply):.2f}x and "
            f"{growth(learn):.2f}x that of {FEW:,}"
        )
    table = seconds(lambda: attack(Setting.read()))
    print(f"the table of attacks, 16 agents, default precision: {table:.1f} s")
    few = seconds(lambda: attack(Setting.read(agents=100), populations=100))
    many = seconds(lambda: attack(Setting.read(agents=1_000), populations=100))
    print(
        f"the table of attacks, 100 populations: time per agent with 1,000 agents "
        f"{many / few / 10:.2f}x that of 100"
    )


if __name__ == "__main__":
    main()
