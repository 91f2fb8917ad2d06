"""The page: what stands on it, that it is one file, and that names from files stay names."""

import json
import re
from html.parser import HTMLParser

import pytest

from fedfact import RULES
from fedfact.errors import InputError
from fedfact.report.study.charts import STEMS
from fedfact.report.study.page import page, write_report


class Reader(HTMLParser):
    """Tags with their attributes, text, and whether every tag is closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(path):
    reader = Reader(path.read_text())
    assert not reader.open
    return reader


@pytest.fixture(scope="module")
def written(make_result, tmp_path_factory):
    """The page of a small study, read."""
    result = make_result("cifar10", seeds=2, epochs=8)
    return read(write_report([result], tmp_path_factory.mktemp("out")))


def test_files_of_a_report(make_result, tmp_path):
    seen = []
    path = write_report(
        [make_result("digits", arms=("iid",), seeds=1, epochs=3)],
        tmp_path / "out",
        lambda *progress: seen.append(progress),
    )
    assert path == tmp_path / "out" / "report.html"
    stems = [*STEMS[:3], *STEMS[4:6], *STEMS[7:12]]
    figures = sorted(file.name for file in (tmp_path / "out" / "figures").iterdir())
    assert figures == sorted(f"{stem}{end}" for stem in stems for end in (".svg", ".png"))
    assert seen[-1] == ("report", 20, 20, "figures")
    assert [done for _, done, _, _ in seen] == list(range(1, 21))


def test_figures_that_are_no_longer_there_go_and_others_stay(make_result, tmp_path):
    folder = tmp_path / "out" / "figures"
    folder.mkdir(parents=True)
    for name in ("robustness.svg", "figure-7-ham10000-curves.png", "mine.png"):
        (folder / name).write_text("old")
    write_report([make_result("digits", arms=("iid",), seeds=1, epochs=3)], tmp_path / "out")
    assert not (folder / "robustness.svg").exists()
    assert not (folder / "figure-7-ham10000-curves.png").exists()
    assert (folder / "mine.png").exists()


def test_nothing_to_report_is_refused(tmp_path):
    with pytest.raises(InputError, match="no studies to report; name the directory"):
        write_report([], tmp_path)


def test_a_place_that_cannot_be_written_is_refused(make_result, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot be made .* name another directory with -o"):
        write_report([make_result("digits", arms=("iid",), seeds=1)], tmp_path / "file")


def test_the_page_says_what_it_should(written):
    text = " ".join(" ".join(written.text).split())
    for part in (
        "FACT on CIFAR-10", "1 study, 3 cases, 16 agents, 2 seeds each", "Key numbers",
        "Figure 1 in the paper", "Not in the paper", "✓ 32 of 32", "fedfact run cifar10",
        'name = "cifar10"', "gpu H200", "What the losses mean",
    ):  # fmt: skip
        assert part in text


def test_the_page_says_whose_the_surplus_is_and_why_there_is_one(written):
    text = " ".join(" ".join(written.text).split())
    assert "Surplus is the operator's" in text
    assert f"Under sandwich, {RULES['sandwich'].surplus_reason}." in text
    assert f"Under rebate and shared, {RULES['rebate'].surplus_reason}." in text


@pytest.mark.parametrize(
    ("other", "said"), [("best", "epoch of lowest test loss"), ("final", "after the last epoch")]
)
def test_the_score_that_was_not_settled_is_shown_too(make_result, other, said):
    def change(summary):
        (arm,) = summary["arms"]
        arm[other] = arm.pop("best")

    result = make_result("digits", arms=("iid",), seeds=1, epochs=3, change=change)
    text = page([result], [], lambda: None)
    assert said in text
    assert text.count("<details><summary>The same") == 1


def test_the_page_needs_nothing_but_itself(written):
    for tag, attributes in written.tags:
        for name in ("src", "href", "xlink:href", "action", "data", "poster", "srcset"):
            assert attributes.get(name, "#")[0] == "#" or attributes[name] == "data:,", tag
    policy = next(a["content"] for t, a in written.tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none';")


def test_ids_are_there_once_and_references_lead_somewhere(written):
    ids = [attributes["id"] for _, attributes in written.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    used = {a["href"][1:] for _, a in written.tags if a.get("href", "").startswith("#")}
    used |= {
        found
        for _, attributes in written.tags
        for value in attributes.values()
        for found in re.findall(r"url\(#([^)]+)\)", value or "")
    }
    assert used <= set(ids)
    assert len(used) > 40


def test_pictures_are_told_to_those_who_cannot_see_them(written):
    pictures = [attributes for tag, attributes in written.tags if tag == "svg"]
    assert len(pictures) == 35
    for attributes in pictures:
        assert attributes["role"] == "img"
        assert attributes["aria-label"].endswith(".")
        assert len(attributes["aria-label"]) > 60


def test_pictures_take_the_colours_of_the_page(written):
    styles = " ".join(attributes.get("style") or "" for _, attributes in written.tags)
    fixed = set(re.findall(r"#[0-9a-fA-F]{6}", styles))
    assert fixed <= {"#7e57c2", "#8d6e63", "#90a4ae"}  # classes: the same on light and dark
    assert "font-family" not in styles
    assert "DejaVu" not in styles


NASTY = '<script>alert(\'1\')</script>"&$x_2$ --> #0072B2 id="q" url(#z)'


def test_names_from_files_stay_names(make_result, tmp_path):
    def change(summary):
        summary["classes"] = [NASTY, *summary["classes"][1:]]
        summary["title"] = summary["study"] = NASTY

    one = make_result("cifar10", "one", arms=("iid",), seeds=1, epochs=3, change=change)
    two = make_result("mnist", "two", arms=("iid",), seeds=1, epochs=3)
    one.manifest.update({"command": f"fedfact run {NASTY}", NASTY: {NASTY: NASTY}})
    (one.settlement["agent"], one.agents["agent"]) = (
        table["agent"].copy() for table in (one.settlement, one.agents)
    )
    one.settlement["agent"][0] = one.agents["agent"][0] = NASTY
    shown = read(write_report([one, two], tmp_path / "out"))
    assert sum(tag == "script" for tag, _ in shown.tags) == 1
    assert sum(NASTY in text for text in shown.text) > 20
    assert not any(attributes.get("id") == "q" for _, attributes in shown.tags)
    spots = [json.loads(a["data-points"]) for _, a in shown.tags if "data-points" in a]
    assert any(spot[2] == NASTY for panel in spots for spot in panel)


@pytest.mark.parametrize(("agents", "epochs"), [(3, 1), (60, 200)])
def test_studies_of_any_size(make_result, tmp_path, agents, epochs):
    options = {"arms": ("iid",), "agents": agents, "seeds": 1, "epochs": epochs}
    shown = read(write_report([make_result("digits", **options)], tmp_path / "out"))
    assert sum(tag == "svg" for tag, _ in shown.tags) == 13


@pytest.mark.slow
@pytest.mark.thorough
def test_the_page_of_a_whole_study_is_small(make_result, tmp_path):
    path = write_report([make_result("cifar10")], tmp_path / "out")
    assert path.stat().st_size < 2_000_000
