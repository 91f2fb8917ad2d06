"""All rules on one population: what the table of a comparison has of its parts."""

from fedfact.lab import Setting, compare
from fedfact.mechanism import Terms


def test_rows_have_the_mean_and_the_best_placed_of_the_best_attack():
    """With exponential costs a second name pays the cheapest more than any attack on average."""
    setting = Setting.read("expon", 8, Terms(error_scale=1e6))
    found = compare(setting, populations=40, rounds=5, rules=["rebate", "local"])
    alone, rebate = found.rows()
    cells = found.attacks.cells_of("rebate")
    assert rebate["best_attack"] == max(cell.gain for cell in cells if cell.applies)
    assert rebate["best_placed"] == max(cell.best_gain for cell in cells if cell.applies)
    assert rebate["best_placed"] > rebate["best_attack"]
    assert abs(alone["best_placed"]) < 1e-9
