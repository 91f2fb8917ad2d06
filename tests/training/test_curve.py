"""Curves: the last point, the best point, and there and back through rows."""

from fedfact.training import Score, TrainingCurve


def test_final_and_best_are_kept_apart():
    curve = TrainingCurve()
    for epoch, loss, accuracy in [(2, 0.9, 0.5), (4, 0.3, 0.8), (6, 0.4, 0.9)]:
        curve.add(epoch, Score(loss, accuracy))
    assert curve.final == Score(0.4, 0.9)
    assert curve.best == Score(0.3, 0.8)
    assert curve.best_epoch == 4


def test_rows_and_back():
    rows = [(1, 0.5, 0.25), (3, 0.125, 1.0)]
    curve = TrainingCurve.from_rows(rows)
    assert curve.epochs == [1, 3]
    assert curve.scores == [Score(0.5, 0.25), Score(0.125, 1.0)]
    assert curve.rows() == rows
    assert curve == TrainingCurve.from_rows(iter(curve.rows()))


def test_of_equal_losses_the_first_is_the_best():
    curve = TrainingCurve([1, 2], [Score(0.5, 0.9), Score(0.5, 0.1)])
    assert (curve.best, curve.best_epoch) == (Score(0.5, 0.9), 1)
