"""How long a calibration's fit takes, how it grows with sizes, and against scipy's curve_fit.

The fit gives intervals by profile besides its three numbers. curve_fit gives the three numbers from
a first guess; as that may lead it astray, it is run from several.
"""

import time

import numpy as np
from scipy.optimize import curve_fit

from fedfact.calibration import Runs, calibrate
from fedfact.calibration.fit import fit, smoothed_variance

SIZES = [7, 70, 700]
MEMBERS = [100, 1_000, 10_000]
SEEDS = 5
GUESSES = [(a, b, c) for a in (0.1, 1.0, 10.0) for b in (0.2, 0.5, 1.0, 1.5) for c in (0.0, 0.1)]


def runs(sizes):
    """Losses of a power law with 3 % of noise, at so many sizes."""
    rng = np.random.default_rng(0)
    x = np.unique(np.geomspace(50, 10**6, sizes).round()).astype(np.int64)
    samples = np.repeat(x, SEEDS)
    loss = (3 * samples**-0.45 + 0.1) * (1 + 0.03 * rng.standard_normal(len(samples)))
    return Runs(samples, np.tile(np.arange(SEEDS), len(x)), loss)


def best_of(work, times=5):
    """Seconds of the fastest of several."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def by_scipy(sizes):
    """The three numbers by curve_fit, from every guess; the best of them."""
    sigma = np.sqrt(smoothed_variance(sizes) / sizes.count)

    def curve(m, a, b, c):
        with np.errstate(over="ignore"):  # on the way from a bad guess
            return a * m ** -np.clip(b, -5, 20) + c

    def squares(found):
        return float((((sizes.mean - curve(sizes.samples, *found)) / sigma) ** 2).sum())

    options = {"sigma": sigma, "maxfev": 10_000}
    found = [
        curve_fit(curve, sizes.samples.astype(float), sizes.mean, guess, **options)[0]
        for guess in GUESSES
    ]
    return min(found, key=squares)


def main():
    print(f"{'sizes':>7} {'runs':>7} {'fit, ms':>9} {'all, ms':>9} {'curve_fit':>10}")
    taken = {}
    for count in SIZES:
        data = runs(count)
        sizes = data.sizes()
        taken[count] = best_of(lambda sizes=sizes: fit(sizes))
        whole = best_of(lambda data=data: calibrate(data, members=MEMBERS))
        theirs = best_of(lambda sizes=sizes: by_scipy(sizes), 2)
        row = f"{len(sizes.samples):>7,} {len(data):>7,} {taken[count] * 1e3:>9.1f}"
        print(f"{row} {whole * 1e3:>9.1f} {theirs / taken[count]:>9.1f}x")
        mine = fit(sizes)
        three = (mine.scale.value, mine.exponent.value, mine.floor.value)
        assert np.allclose(three, by_scipy(sizes), rtol=1e-3)
    growth = taken[SIZES[-1]] / taken[SIZES[0]]
    print(f"time of the fit, {SIZES[-1]:,} sizes against {SIZES[0]}: {growth:.1f}x")
    print(f"curve_fit: from {len(GUESSES)} guesses, without intervals, relative to our fit")


if __name__ == "__main__":
    main()
