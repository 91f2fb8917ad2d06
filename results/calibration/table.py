"""The table of README.md: what every calibration here found, from its runs."""

from pathlib import Path

from fedfact import calibrate, read_runs

RUNS = [("digits", "loss"), ("mnist", "loss"), ("mnist", "error"), ("cifar10", "error")]
HEAD = (
    "data",
    "measure",
    "b (95 %)",
    "worst misfit",
    "q",
    "q, a quarter",
    "charged",
    "worst misfit of A/m",
    "q of A/m, a quarter",
    "charged by A/m",
)


def misfit(law, mean):
    """The worst misfit, as a part of the mean."""
    return f"{law.misfit[law.worst] / mean[law.worst]:+.1%}"


def charged(priced):
    """The least and the largest part of what is proved that members are charged for."""
    parts = [priced.q / saving.ratio for saving in priced.savings]
    return f"{min(parts):.0%} to {max(parts):.0%}"


def row(name, measure):
    """One calibration: by all members' sizes trained, and by those up to a quarter of the whole."""
    runs = read_runs(Path(__file__).parent / name / "runs.csv", measure)
    found = calibrate(runs)
    quarter = [m for m in found.sizes.samples.tolist() if m <= found.whole / 4]
    few, mean, b = calibrate(runs, members=quarter), found.sizes.mean, found.law.exponent
    return (
        name,
        measure,
        f"{b.value:.3f} ({b.low:.3f} to {b.high:.3f})",
        misfit(found.law, mean) + ("" if found.law.holds else ", no power law"),
        f"{found.published.q:.2f}",
        f"{few.published.q:.2f}",
        charged(few.published),
        misfit(found.inverse.law, mean),
        f"{few.inverse.q:.2f}",
        charged(few.inverse),
    )


def main():
    """Print it as Markdown."""
    for cells in (HEAD, ["---"] * len(HEAD), *(row(*each) for each in RUNS)):
        print("|", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
