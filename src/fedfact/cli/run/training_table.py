"""A training as text for people."""

from typing import Any

from ..shared.output import print_table, stdout
from ..shared.tables import new_table


def print_training(result: dict[str, Any]) -> None:
    """Loss and accuracy, alone and together, at the end and at the best epoch."""
    table = new_table("trained", "loss", "accuracy", "best loss", "accuracy there")
    rows = []
    if "local" in result:
        agents = result["local"]["agents"]
        rows.append(("alone, mean", result["local"]))
        if len(agents) > 1:
            order = sorted(agents, key=lambda agent: float(agent["final"]["loss"]))
            rows += [("alone, best agent", order[0]), ("alone, worst agent", order[-1])]
    if "federated" in result:
        rows.append(("together", result["federated"]))
    for name, ends in rows:
        final, best = ends["final"], ends["best"]
        table.add_row(
            name,
            f"{final['loss']:.4f}",
            f"{final['accuracy']:.2%}",
            f"{best['loss']:.4f}",
            f"{best['accuracy']:.2%}",
        )
    print_table(table)
    job, samples = result["job"], result["samples"]
    spread = (
        f"{samples[0]:,}" if len(set(samples)) == 1 else f"{min(samples):,} to {max(samples):,}"
    )
    stdout().print(
        f"{job['data set'].split()[0]}: {job['agents']} agents with {spread} samples, "
        f"{job['partition']}, "
        f"{job['epochs']} epochs, {job['local steps']} local steps, seed {job['seed']}, "
        f"{job['arithmetic']}; scores on the test set."
    )
