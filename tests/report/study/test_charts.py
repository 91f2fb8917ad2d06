"""The figures: which there are, what stands on them, and sentences that follow the numbers."""

import io
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

from fedfact.mechanism import RULES
from fedfact.report.base.chart import WIDTH
from fedfact.report.base.flow import draw_flow
from fedfact.report.base.pictures import drawn, pictures
from fedfact.report.base.style import styled
from fedfact.report.study.charts import STEMS, charts_of

PAPER = STEMS[:3] + STEMS[4:6]
HAM = (STEMS[3], STEMS[6])
OURS = STEMS[7:12]


def by_stem(results):
    return {chart.stem: chart for chart in charts_of(results)}


def words(svg):
    """Everything that is written on a picture."""
    return [re.sub("&gt;", ">", text) for text in re.findall(r"<text[^>]*>([^<]*)", svg.decode())]


def test_figures_of_a_study_in_their_order(make_result):
    charts = charts_of([make_result("cifar10", seeds=2)])
    assert [chart.stem for chart in charts] == [*PAPER, *OURS]
    assert [chart.number for chart in charts] == [1, 2, 3, 5, 6, *[None] * 5]
    for chart in charts:
        number = {"realised-against-believed": 6, "money-flow": 9}
        number |= {"figure-3-penalty": 1, "rules-by-curve": 1}  # those of all arms
        assert len(chart.panels) == number.get(chart.stem, 3)
        assert chart.rows
        assert {len(row) for row in chart.rows} == {len(chart.header)}


def test_ham10000_has_its_own_figures(make_result):
    assert list(by_stem([make_result("ham10000", arms=("iid",), seeds=1)])) == [*HAM, *OURS]


def test_several_studies_side_by_side(make_result):
    charts = by_stem(
        [make_result("mnist", seeds=2), make_result("ham10000", arms=("iid",), agents=10, seeds=1)]
    )
    assert list(charts) == sorted([*PAPER, *HAM]) + list(OURS)
    names = [panel.title for panel in charts["figure-2-losses"].panels]
    assert names == ["MNIST, iid", "MNIST, D-0.6", "MNIST, D-0.3"]
    ham = [panel.title for panel in charts["figure-4-ham10000"].panels]
    assert ham == [f"HAM10000, iid: {what}" for what in ("losses", "truthfulness", "penalty")]
    assert len(charts["class-mix"].panels) == 4


def test_two_studies_of_the_same_data_are_told_apart(make_result):
    one = make_result("mnist", "a", study="by-lesion", arms=("iid",), seeds=1)
    two = make_result("mnist", "b", study="by-image", arms=("iid",), seeds=1)
    three = make_result("mnist", "c", study="by-image", arms=("iid",), seeds=1)

    def names(*results):
        return [panel.title for panel in by_stem(results)["class-mix"].panels]

    assert names(one, two) == ["MNIST, iid (by-lesion)", "MNIST, iid (by-image)"]
    assert names(one, two, three)[1:] == [f"MNIST, iid ({r.path})" for r in (two, three)]


def test_studies_come_in_the_papers_order(make_result):
    riders = make_result("mnist", "r", arms=[("iid", 0), ("iid", 2)], agents=10, seeds=1)
    results = [
        make_result("digits", "d", arms=("iid",), seeds=1),
        riders,
        make_result("mnist", "a", arms=("dirichlet:0.3",), seeds=1),
        make_result("mnist", "b", arms=("iid",), seeds=1),
        make_result("cifar10", "c", arms=("dirichlet:0.6", "iid"), seeds=1),
    ]
    charts = by_stem(results)
    assert [panel.title for panel in charts["figure-2-losses"].panels] == [
        "CIFAR-10, iid", "CIFAR-10, D-0.6", "MNIST, iid", "MNIST, D-0.3", "Digits, iid"
    ]  # fmt: skip
    assert {panel.title.split(":")[0] for panel in charts["robustness"].panels} == {"MNIST, iid"}
    alone = by_stem([riders])["figure-2-losses"]
    assert [panel.title for panel in alone.panels] == [
        "iid, 0 of 10 free ride", "iid, 2 of 10 free ride"
    ]  # fmt: skip


LABELS = {
    "figure-1-truthfulness": ["added to the true cost", "net improvement in loss", "0 %",
                              "simulated, 100,000 trials", "believed, 2F(1−F)"],
    "figure-2-losses": ["local", "FACT, paper (p = ⅓)", "FACT, believed (p = ½)",
                        "if nobody free rode", "test loss, mean over agents"],
    "figure-3-penalty": ["samples used, m", "penalty + cost of data", "α = 1.5", " m* = 3,150"],
    "figure-5-test-loss": ["epoch", "test loss", "local mean, 95 %", "local, all agents"],
    "figure-6-test-accuracy": ["epoch", "test accuracy", "50 %"],
    "realised-against-believed": ["probability of winning", "paper, ⅓", "exact", "test loss"],
    "outcomes": ["loss it ends with", "sandwich, if lost", "rebate"],
    "rules-by-curve": ["alone", "shared", "25\N{NO-BREAK SPACE}%, 781 samples",
                       "loss of all agents, relative to training alone"],
    "money-flow": ["fee", "reward", "rebate", "net", "agent-16", "paid to the agent",
                   "iid: shared, by the curve"],
    "class-mix": ["samples used", "agent, by reported cost", "9"],
}  # fmt: skip


def test_files_carry_their_labels(make_result):
    for chart in charts_of([make_result("cifar10", seeds=2, epochs=5)]):
        files = pictures(chart)
        assert set(files) == {".svg", ".png"}
        written = words(files[".svg"])
        assert set(LABELS[chart.stem]) <= set(written)
        assert {panel.title for panel in chart.panels} <= set(written)
        with Image.open(io.BytesIO(files[".png"])) as image:
            assert image.width == min(chart.columns, len(chart.panels)) * 552
            assert len(image.convert("RGB").getcolors(1 << 24)) > 20


LESIONS = ["actinic keratoses", "basal cell carcinoma", "benign keratosis", "dermatofibroma",
           "melanoma", "melanocytic nevi", "vascular lesions"]  # fmt: skip


def outside(chart):
    """The panels of which something reaches into their neighbour, or beyond the picture."""
    with styled(letters=True):
        figure = drawn(chart)
        figure.draw_without_rendering()
    found, edges = [], {}
    for axes in figure.axes:
        legend, row = axes.get_legend(), axes.get_subplotspec().rowspan.start
        name = axes.get_title(loc="left")
        title = next(text for text in axes.findobj(Text) if text.get_text() == name)
        titled = title.get_window_extent()
        title.set_visible(False)  # it may stand above the neighbour's tick labels
        box = Bbox.union([axes.get_tightbbox(), *([legend.get_window_extent()] if legend else [])])
        for part, own in (("title", titled), ("rest", box)):
            inside = edges.get((row, part), 0) <= own.x0 and own.x1 <= figure.bbox.x1
            if not inside or own.y0 < 0 or own.y1 > figure.bbox.y1:
                found.append(f"{part} of {name}")
            edges[row, part] = own.x1
    return found


@pytest.mark.parametrize("agents", [10, pytest.param(120, marks=pytest.mark.thorough)])
def test_letters_stay_inside_their_panel(make_result, agents):
    few = {"agents": agents, "seeds": 2, "epochs": 5}
    riders = make_result("mnist", "r", arms=[("iid", 0), ("iid", 2)], **few)
    results = [
        make_result("cifar10", **few),
        make_result("ham10000", arms=("iid",), classes=LESIONS, **few),
    ]
    for chart in (*charts_of(results), *charts_of([riders])):
        assert outside(chart) == [], chart.stem


def test_long_titles_are_broken(make_result):
    chart = by_stem([make_result("mnist", arms=("iid",), seeds=1)])["figure-2-losses"]
    title = "iid, 2 of 10 free ride, 1 of 10 misreport -0.5, 1 of 10 misreport +0.5"
    assert outside(replace(chart, panels=[replace(chart.panels[0], title=title)] * 3)) == []


def test_a_wide_legend_leaves_the_axes_their_width(make_result):
    charts = by_stem([make_result("mnist", seeds=2, epochs=5)])
    with styled(letters=True):
        figure = drawn(charts["figure-6-test-accuracy"])
        figure.draw_without_rendering()
    assert all(axes.bbox.width > 0.75 * WIDTH * figure.dpi for axes in figure.axes)


def test_ticks_do_not_run_into_each_other(make_result):
    """With amounts as small as those that gave −0.125, −0.100, ... all in a row."""
    result = make_result("mnist", arms=("iid",), seeds=1)
    for name in ("fee", "reward", "rebate", "net"):
        result.settlement[name] = result.settlement[name] // 12
    with styled(letters=True):
        figure = drawn(by_stem([result])["money-flow"])
        figure.draw_without_rendering()
        for axes in figure.axes:
            low, high = axes.get_xlim()
            ticks = [t for t in axes.xaxis.get_major_ticks() if low <= t.get_loc() <= high]
            boxes = [tick.label1.get_window_extent() for tick in ticks]
            assert len(boxes) > 2
            assert all(a.x1 + 3 < b.x0 for a, b in pairwise(boxes))


def test_of_very_many_agents_something_is_seen(make_result):
    """White edges of dots would wipe out the dots beneath them."""
    charts = by_stem([make_result("mnist", arms=("iid",), agents=700, seeds=1, epochs=2)])
    chances = charts["realised-against-believed"].panels[0]
    with styled(letters=True):
        figure = Figure((WIDTH, chances.height), 100)
        chances.draw(figure.subplots())
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png")
    with Image.open(buffer) as image:
        colours = {c: n for n, c in image.convert("RGB").getcolors(1 << 24)}
    assert colours.get((0x56, 0xB4, 0xE9), 0) > 300  # the exact probabilities


def test_bars_end_below_the_upper_edge(make_result):
    chart = by_stem([make_result("mnist", arms=("dirichlet:0.3",), seeds=1)])["class-mix"]
    figure = Figure()
    axes = figure.subplots()
    chart.panels[0].draw(axes)
    top = max(bar.get_y() + bar.get_height() for bars in axes.containers for bar in bars)
    assert axes.get_ylim() == (0, pytest.approx(1.05 * top))


def test_the_same_results_give_the_same_files(make_result):
    chart = charts_of([make_result("digits", arms=("iid",), seeds=1)])[1]
    assert pictures(chart) == pictures(chart)


def spoil(path, value):
    """A change of every arm's summary at a path of keys."""

    def change(summary):
        for arm in summary["arms"]:
            *most, last = path
            at = arm
            for key in most:
                at = at[key]
            at[last] = value(at[last]) if callable(value) else value

    return change


def scaled(factor):
    def by(estimate):
        return {**estimate, "mean": factor * estimate["mean"], "low": None, "high": None}

    return by


def sentence(make_result, stem, change=None, **options):
    options = {"arms": ("iid",), "seeds": 2, **options}
    chart = by_stem([make_result("cifar10", change=change, **options)])[stem]
    return chart.sentence.replace("\N{NO-BREAK SPACE}", " ")


def test_truthfulness_says_where_the_peak_is(make_result):
    stem = "figure-1-truthfulness"
    assert "gains most by reporting its true cost;" in sentence(make_result, stem)


@pytest.mark.parametrize(
    ("believed", "said"),
    [
        (lambda curves: [[*curve[2:], 0, 0] for curve in curves], "iid peaks at −5 %"),
        (lambda curves: [[-v for v in curve] for curve in curves], "iid peaks at −50 %"),
        (lambda curves: [[1.0] * len(curve) for curve in curves], "iid: flat"),
    ],
)
def test_truthfulness_says_so_where_the_peak_is_elsewhere(make_result, believed, said):
    change = spoil(("truthfulness", "believed"), believed)
    text = sentence(make_result, "figure-1-truthfulness", change)
    assert "does not gain most by reporting its true cost" in text
    assert said in text


def test_losses_say_where_fact_lies(make_result):
    stem = "figure-2-losses"
    assert "lies between local and federated loss;" in sentence(make_result, stem)


@pytest.mark.parametrize(
    ("key", "factor", "said"),
    [
        ("fact_paper", 9, "iid: above local"),
        ("fact_paper", 0.1, "iid: below federated"),
        ("federated", 9, "iid: below federated"),
    ],
)
def test_losses_say_so_where_fact_is_not_between(make_result, key, factor, said):
    text = sentence(make_result, "figure-2-losses", spoil(("loss", key), scaled(factor)))
    assert "does not lie between local and federated loss" in text
    assert said in text


def test_no_ratio_is_told_where_there_is_none(make_result):
    """Of a loss that is not above 0."""

    def change(summary):
        for key in ("fact_paper", "fact_believed"):
            summary["arms"][0]["ratio"][key] = summary["arms"][0]["best"]["ratio"][key] = None

    result = make_result("cifar10", change=change, arms=("iid",), seeds=2)
    chart = by_stem([result])["figure-2-losses"]
    assert "times the loss" not in chart.sentence
    shown = {row[1]: row[5] for row in chart.rows}
    assert shown["FACT, believed (p = ½)"] is None
    assert shown["FACT, realised (exact p)"] > 1


def test_only_where_nobody_deviates_is_the_federated_loss_that_of_nobody(make_result):
    arms = [("iid", 0), ("iid", 8)]
    chart = by_stem([make_result("mnist", arms=arms, agents=10, seeds=2)])["figure-2-losses"]
    assert [row[1] for row in chart.rows if row[1].startswith("federated")] == [
        "federated, if nobody free rode", "federated"
    ]  # fmt: skip


def test_one_case_of_three_that_differs_is_named(make_result):
    def change(summary):
        loss = summary["arms"][2]["loss"]
        loss["fact_paper"] = scaled(9)(loss["fact_paper"])

    arms = ("iid", "dirichlet:0.6", "dirichlet:0.3")
    text = sentence(make_result, "figure-2-losses", change, arms=arms)
    assert "in 2 of 3 cases, but not in D-0.3 (D-0.3: above local)" in text


def test_penalty_says_where_it_is_lowest(make_result):
    stem = "figure-3-penalty"
    assert "lowest at m*, so free riding does not pay; m* is 3,150" in sentence(make_result, stem)


def test_penalty_says_so_where_it_is_not_lowest_at_the_optimum(make_result):
    change = spoil(("penalty", "optimum"), 5000.0)
    text = sentence(make_result, "figure-3-penalty", change)
    assert "not lowest at m* (iid: −37 %); m* is 5,000" in text


def test_penalty_says_where_the_papers_curve_is_lowest(make_result):
    text = sentence(make_result, "figure-3-penalty")
    assert "which the paper draws, are lowest 1.59 % below m*" in text


@pytest.mark.parametrize(("stem", "better"), [("loss", "lower"), ("accuracy", "higher")])
def test_curves_say_who_ends_better(make_result, stem, better):
    figure = f"figure-{5 if stem == 'loss' else 6}-test-{stem}"
    assert f"is {better} than that of agents alone" in sentence(make_result, figure)


@pytest.mark.parametrize(("stem", "better"), [("loss", "lower"), ("accuracy", "higher")])
def test_curves_say_so_where_federation_is_worse(make_result, stem, better):
    result = make_result("cifar10", arms=("iid",), seeds=2)
    federated = result.curves["training"] == "federated"
    result.curves["loss"] = result.curves["loss"] + 5 * federated
    result.curves["accuracy"] = result.curves["accuracy"] - federated
    figure = f"figure-{5 if stem == 'loss' else 6}-test-{stem}"
    assert f"is not {better} than that of agents alone" in by_stem([result])[figure].sentence


def test_robustness_only_where_agents_deviate(make_result):
    arms = [("iid", riders) for riders in (0, 1, 4, 8)]
    result = make_result("mnist", arms=arms, agents=10, seeds=2)
    chart = by_stem([result])["robustness"]
    titles = [panel.title for panel in chart.panels]
    assert titles == [
        f"iid: {what}"
        for what in ("accuracy", "loss as settled", "cost of deviating, by the curve")
    ]
    assert "From 0 to 8 deviating agents" in chart.sentence
    assert "deviating costs those who do it" in chart.sentence
    written = words(pictures(chart)[".svg"])
    lines = {f"{rule}, {who}" for rule in RULES for who in ("honest", "free riders")}
    assert {"agents that deviate", *lines} <= set(written)
    agents = result.agents
    for rule, column in (("sandwich", "fact_settled"), ("rebate", "fact_rebate")):
        shown = [row[3] for row in chart.rows if row[2] == f"test loss, {rule}, free riders"]
        rides = [
            agents[column][(agents["arm"] == f"iid, {k} of 10 free-ride")
                           & (agents["kind"] == "free-ride")].mean()
            for k in (1, 4, 8)
        ]  # fmt: skip
        assert shown == pytest.approx(rides)
        assert f"under {rule} honest with " in chart.sentence
    assert "measured settlements take no consistency charge" in chart.sentence
    for rule, part in (("sandwich", 0.5625), ("rebate", 0.53125), ("shared", 0.25)):
        costs = [row[3] for row in chart.rows if row[2].endswith(f"alone, {rule}, free riders")]
        assert costs == pytest.approx([part] * 3)
        assert f"{100 * part:.3g}\N{NO-BREAK SPACE}% under {rule}" in chart.sentence


def test_a_rule_that_settles_by_the_curve_only_says_with_which_samples(make_result):
    charts = by_stem([make_result("cifar10", seeds=2)])
    assert (
        "Agents trained on 3,125 samples each, and shared would"
        in charts["rules-by-curve"].sentence
    )
    assert "ask for 781, so nothing of it is measured here" in charts["rules-by-curve"].sentence
    flow = charts["money-flow"].sentence
    assert "Shared is settled by the curve, with the samples that are best under it: 781 an" in flow
    assert "where 3,125 were trained on, and 8 of them are paid instead of paying a fee" in flow
    for stem in ("figure-2-losses", "outcomes"):
        assert not any("shared" in str(cell) for row in charts[stem].rows for cell in row)


def test_a_fee_below_zero_is_drawn_as_received():
    amounts = {"fee": np.array([3.0, -2.0]), "rebate": np.array([1.0, 1.0]),
               "net": np.array([-2.0, 3.0])}  # fmt: skip
    axes = Figure().subplots()
    draw_flow(axes, ["payer", "paid"], amounts)
    bars = {
        str(bars.get_label()): [(bar.get_x(), bar.get_width()) for bar in bars]
        for bars in axes.containers
    }
    assert bars == {
        "fee": [(0, -3)], "paid to the agent": [(0, 2)], "rebate": [(0, 1), (2, 1)]
    }  # fmt: skip


def test_studies_that_deviate_are_told_of_one_by_one(make_result):
    few = {"agents": 10, "seeds": 1, "epochs": 3}
    one = make_result("mnist", "a", study="one", arms=[("iid", 0), ("iid", 2)], **few)
    two = make_result("mnist", "b", study="two", arms=[("iid", 1), ("iid", 8)], **few)
    chart = by_stem([one, two])["robustness"]
    assert "MNIST, iid (one): From 0 to 2 deviating agents" in chart.sentence
    assert "MNIST, iid (two): From 1 to 8 deviating agents" in chart.sentence
    assert len(chart.panels) == 6
