"""What a reader may point at: the numbers that were drawn, where they were drawn."""

import html
import json
import re

import numpy as np
import pytest
from matplotlib.figure import Figure

from fedfact.report.base.hotspots import hotspots
from fedfact.report.base.inline import inline
from fedfact.report.study.charts import charts_of


def spots_of(panel):
    """[x, y, label, text, ...] as the page has them."""
    found = re.search('data-points="([^"]*)"', inline(panel, "p-", "Says."))
    return json.loads(html.unescape(found[1]))


def hover_texts(panel, label):
    return [spot[3] for spot in spots_of(panel) if spot[2] == label]


@pytest.fixture
def charts(make_result):
    result = make_result("cifar10", arms=("iid",), seeds=2)
    return result, {chart.stem: chart.panels[0] for chart in charts_of([result])}


def test_lines_carry_their_points(charts):
    result, panels = charts
    curves = result.curves
    federated = curves["training"] == "federated"
    means = [curves["loss"][federated & (curves["epoch"] == e)].mean() for e in range(1, 41)]
    assert hover_texts(panels["figure-5-test-loss"], "federated mean, 95 %") == [
        f"epoch {epoch}\ntest loss {mean:.4g}" for epoch, mean in enumerate(means, 1)
    ]


def test_percentages_are_told_as_percentages(charts):
    result, panels = charts
    texts = hover_texts(panels["figure-1-truthfulness"], "believed, 2F(1−F)")
    assert len(texts) == 41
    peak = np.mean([max(c) for c in result.summary["arms"][0]["truthfulness"]["believed"]])
    assert texts[20] == f"added to the true cost 0 %\nnet improvement in loss {peak:.4g}"


def test_bars_carry_mean_and_interval(charts):
    result, panels = charts
    local = result.summary["arms"][0]["loss"]["local"]
    texts = hover_texts(panels["figure-2-losses"], "mean over agents and seeds")
    assert len(texts) == 7
    interval = f"({local['low']:.4g} to {local['high']:.4g})"
    assert texts[0] == f"local\ntest loss {local['mean']:.4g} {interval}"
    assert texts[1].startswith("FACT, paper (p = ⅓)\n")
    assert texts[-1].startswith("federated, if nobody free rode\n")


def test_stacked_bars_carry_their_own_part(charts):
    result, panels = charts
    first = (result.agents["seed"] == 0) & (result.agents["arm"] == "iid")
    labels = np.stack(result.agents["labels"][first])
    order = np.argsort(result.agents["reported_cost"][first])
    assert hover_texts(panels["class-mix"], "3") == [
        f"agent {k}\nsamples used {count:.4g}" for k, count in enumerate(labels[order, 3], 1)
    ]


def test_money_is_told_by_agent(charts):
    result, panels = charts
    table = result.settlement
    fee = table["fee"][(table["seed"] == 0) & (table["rule"] == "sandwich")]
    texts = dict(text.split("\n") for text in hover_texts(panels["money-flow"], "fee"))
    assert texts["agent-05"] == f"{-fee[4] * 1e-9:.4g}"


def test_dots_that_cannot_happen_are_not_there(charts):
    result, panels = charts
    first = result.agents["seed"] == 0
    can_win = (result.agents["win_probability"][first] > 0).sum()
    assert len(hover_texts(panels["outcomes"], "sandwich, if won")) == can_win == 14
    assert len(hover_texts(panels["outcomes"], "sandwich, if lost")) == 16


def test_places_are_where_the_points_are_drawn():
    figure = Figure((4, 3), 72)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, 4), ylim=(0, 3))
    axes.plot([1, 3], [1, 2], label="line")
    axes.plot([0, 4], [0, 0])
    axes.axvline(2, label="not data")
    axes.bar([2], [1], 0.5, bottom=0.5, label="bar")
    axes.scatter([0.5], [2.5], label="dot")
    places = {(s.label, s.x, s.y) for s in hotspots(axes)}
    assert places == {
        ("line", 72, 144), ("line", 216, 72), ("bar", 144, 108), ("dot", 36, 36),
    }  # fmt: skip
    (box,) = [s.box for s in hotspots(axes) if s.box]
    assert box == (126, 108, 162, 180)


def test_long_lines_are_thinned_but_keep_their_ends():
    axes = Figure().subplots()
    axes.plot(np.arange(1000), np.arange(1000), label="long")
    texts = [spot.text for spot in hotspots(axes)]
    assert len(texts) == 60
    assert (texts[0], texts[-1]) == ("0\n0", "999\n999")
