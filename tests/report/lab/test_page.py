"""The page of the lab: its figures, sentences that follow the numbers, and one file for all."""

import copy
import importlib.util
import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

from fedfact.cli.lab.compare import compare
from fedfact.errors import InputError
from fedfact.io.folders import check_folder
from fedfact.lab import Setting
from fedfact.lab import compare as play_all
from fedfact.mechanism.rules import Rebate
from fedfact.report.base.pictures import pictures
from fedfact.report.lab.advice import advice
from fedfact.report.lab.attacks import attacks
from fedfact.report.lab.contributions import contributions
from fedfact.report.lab.dynamics import dynamics
from fedfact.report.lab.page import STEMS, compare_charts, write_compare
from fedfact.report.lab.plays import times
from fedfact.report.lab.reports import reports_over_rounds
from fedfact.report.lab.samples import samples_over_rounds
from fedfact.report.lab.summary import summaries
from fedfact.report.lab.table import RULE_COLUMNS, restless, rules_side_by_side
from fedfact.report.lab.welfare import welfare

FACT = ("sandwich", "rebate")


def loaded(path):
    """A file of tests/report; under --import-mode=importlib it is not on the path."""
    file = Path(__file__).parents[1] / path
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


made = loaded("lab_documents.py")
NASTY, read = (getattr(loaded("study/test_page.py"), name) for name in ("NASTY", "read"))


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")


def words(svg):
    text = re.findall(r"<text[^>]*>([^<]*)", svg.decode())
    return {plain(line).replace("&gt;", ">").replace("&#x27;", "'") for line in text}


def changed(document, rule, *plays, **numbers):
    """The document with other numbers of a rule."""
    other = copy.deepcopy(document)
    for play in plays or ("true", "strategic", "learned"):
        for entry in other[play]["rules"] if other[play] else ():
            if entry["rule"] == rule:
                entry.update(numbers)
    return other


@pytest.fixture(scope="module")
def whole():
    return made.compared()


@pytest.fixture(scope="module")
def page(whole, tmp_path_factory):
    return write_compare(whole, tmp_path_factory.mktemp("compare"))


@pytest.fixture(scope="module")
def written(page):
    return read(page)


LABELS = {
    "welfare": ["training alone", "learning", "truthful", "strategic", "of the loss alone",
                "Samples collected", "What the server keeps, or pays", "190 %", "−30 %"],
    "contributions": ["true cost of a sample", "samples, of alone", "FACT rebate"],
    "attacks": ["reports the median", "made-up agents", "the attack pays", "+40", "−30", "–",
                "may end worse than alone", "the server's money may run out"],
    "samples-over-rounds": ["round", "samples, of alone", "RealFM"],
    "reports-over-rounds": ["round", "report ÷ median cost", "1e8", "strategic"],
}  # fmt: skip


def test_figures_carry_their_labels(whole):
    charts = compare_charts(whole)
    assert tuple(chart.stem for chart in charts) == STEMS
    for chart in charts:
        files = pictures(chart)
        assert set(LABELS[chart.stem]) <= words(files[".svg"]), chart.stem
        assert {len(row) for row in chart.rows} == {len(chart.header)}
        with Image.open(io.BytesIO(files[".png"])) as image:
            assert len(image.convert("RGB").getcolors(1 << 24)) > 20


def test_files_of_the_page(whole, page, tmp_path):
    figures = {file.name for file in (page.parent / "figures").iterdir()}
    assert page.name == "compare.html"
    assert figures == {f"{stem}{end}" for stem in STEMS for end in (".svg", ".png")}


def test_the_page_says_what_it_should(written, whole):
    text = " ".join(" ".join(written.text).split())
    for part in (
        "FACT and its rivals", "9 rules, 16 agents with costs norm:loc=1,scale=0.1, seed 0",
        "8 attacks are tried on 2,000 populations", "Rules side by side", "Which rule when",
        "fedfact compare", "error_scale", "What merge is.", "where rebate is from",
        "a liar gains at most", "The table behind it",
    ):  # fmt: skip
        assert part in text
    assert all(plain(chart.sentence) in text for chart in compare_charts(whole))


def test_the_page_needs_nothing_but_itself_and_has_every_id_once(written):
    ids = [attributes["id"] for _, attributes in written.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in written.tags:
        for name in ("src", "href", "xlink:href"):
            assert attributes.get(name, "#")[0] == "#" or attributes[name] == "data:,", tag
    policy = next(a["content"] for _, a in written.tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none';")


def test_pictures_take_the_colours_of_the_page(written):
    styles = " ".join(attributes.get("style") or "" for _, attributes in written.tags)
    assert not re.findall(r"#[0-9a-fA-F]{6}", styles)


def test_progress_is_told(tmp_path):
    seen = []
    small = made.compared(FACT, agents=3, learned=False, names=("median",))
    write_compare(small, tmp_path, lambda *progress: seen.append(progress))
    assert [done for _, done, _, _ in seen] == list(range(1, 11))
    assert seen[-1] == ("report", 10, 10, "figures")


@pytest.mark.parametrize("rules", [("local",), ("rebate",), FACT])
@pytest.mark.parametrize("learned", [False, True])
def test_few_rules_and_three_agents(tmp_path, rules, learned):
    document = made.compared(rules, agents=3, learned=learned, names=("median", "merge"))
    shown = read(write_compare(document, tmp_path))
    panels = 6 + 2 + 3 * len(rules)
    moved = sum(rule in made.FAR for rule in rules)
    panels -= len(rules) - moved if moved else 0  # reports that never move are not drawn
    assert sum(tag == "svg" for tag, _ in shown.tags) == panels


def test_a_rule_of_ones_own_played_from_python_is_on_the_page(tmp_path):
    """It was no command that played it, so the page shows none."""

    class Own(Rebate):
        name = "own"

    setting = Setting.read(agents=3)
    found = play_all(setting, rules=["rebate", Own()], populations=5, rounds=5)
    shown = read(write_compare(found.document(), tmp_path))
    assert {"FACT rebate", "FACT own"} <= {text.strip() for text in shown.text}
    assert sum(tag == "pre" for tag, _ in shown.tags) == 0


def test_names_stay_names(tmp_path):
    document = made.compared(FACT, agents=3, costs=NASTY, names=("median",))
    document["command"] = f"fedfact compare --costs {NASTY}"
    for part in ("true", "strategic", "learned", "attacks"):
        document[part]["rules"][0]["title"] = NASTY
    document["true"]["rules"][0]["source"] = NASTY
    document["attacks"]["attacks"][0]["title"] = NASTY
    shown = read(write_compare(document, tmp_path))
    assert sum(tag == "script" for tag, _ in shown.tags) == 1
    assert sum(NASTY in text for text in shown.text) > 10
    assert not any(attributes.get("id") == "q" for _, attributes in shown.tags)


def test_nothing_breaks_where_numbers_are_missing_or_huge(tmp_path):
    document = changed(made.compared(FACT, agents=3), "rebate", from_truth=1e300, surplus=-1e9)
    document = changed(document, "rebate", loss={"mean": 1e12, "worst": None})
    nothing = [made.no_cell(rule, attack) for rule in FACT for attack in made.ATTACKS]
    document["attacks"]["cells"] = nothing
    shown = " ".join(read(write_compare(document, tmp_path)).text)
    assert "None of these attacks can be tried on any of these rules." in shown
    assert "No attack was tried." in shown
    assert "somebody ends worse than alone under FACT rebate" in shown


def test_welfare_says_who_collects_and_who_pays(whole):
    text = plain(welfare(whole).sentence)
    assert "RealFM collects 240 %, the most, and plain federated learning 6.79 %, the least" in text
    assert "accuracy shaping (from 190 % to 6.79 %) and RealFM (from 240 % to 40 %)" in text
    assert "somebody ends worse than alone under no rule" in text
    assert text.endswith("from its own pocket under RealFM and reverse auction.")


def test_welfare_says_so_where_it_is_otherwise(whole):
    other = changed(whole, "rebate", "strategic", samples_share=0.5, surplus=-0.1)
    other = changed(other, "rebate", "true", loss={"mean": 0.9, "worst": 1.2})
    text = plain(welfare(other).sentence)
    assert "FACT rebate (from 100 % to 50 %)" in text
    assert "somebody ends worse than alone under FACT rebate;" in text
    assert "pocket under FACT rebate, RealFM and reverse auction" in text
    one = welfare(made.compared(("rebate",))).sentence
    assert plain(one).startswith("From agents that tell the truth FACT rebate collects 100 % of")


def test_who_contributes_is_said_once_for_all_who_do_the_same(whole):
    text = contributions(whole).sentence
    assert "Where agents tell the truth, all 16 contribute under every rule but plain" in text
    assert "Whether agents may lie or learn what pays, all 16 contribute under every" in text
    few = changed(made.compared(FACT, learned=False), "rebate", contributors=2)
    few = contributions(changed(few, "sandwich", contributors=1)).sentence
    assert few == (
        "Whether agents tell the truth or may lie, all 16 contribute under no rule: "
        "FACT sandwich (1) and FACT rebate (2)."
    )
    every = contributions(made.compared(FACT, learned=False)).sentence
    assert every == "Whether agents tell the truth or may lie, all 16 contribute under every rule."


def test_dynamics_say_whether_play_comes_to_rest(whole):
    text = plain(samples_over_rounds(whole).sentence)
    assert "tell the truth, contributions fall under plain federated learning (to 6.79 %)" in text
    assert "Strategic agents come to rest under every rule, after 7 rounds." in text
    assert "Learning goes on for 800 rounds." in text
    other = changed(whole, "shaping", "strategic", converged=False)
    assert "under every rule but accuracy shaping, after" in samples_over_rounds(other).sentence
    one = changed(made.compared(("rebate",)), "rebate", converged=False)
    assert "Truthful agents come to rest under no rule." in samples_over_rounds(one).sentence


def test_reports_say_how_far_from_the_truth(whole):
    chart = reports_over_rounds(whole)
    text = plain(chart.sentence)
    assert "at the truth under plain federated learning, FACT rebate and reverse auction." in text
    assert "FACT sandwich (8 %), accuracy shaping (1e8 times) and RealFM (320 %)" in text
    assert "FACT sandwich, accuracy shaping and RealFM all end with nearly the same" in text
    assert [panel.title for panel in chart.panels] == [
        title for rule, title in made.TITLES.items() if rule in made.FAR
    ]
    true = reports_over_rounds(made.compared(("rebate", "auction")))
    assert true.sentence == "Agents report their true cost under every rule, though they may lie."
    assert len(true.panels) == 2


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.08, "8 %"),
        (3.2, "320 %"),
        (34, "34.0 times"),
        (1e8, "1e8 times"),
        (2.5e15, "2.5e15 times"),
    ],
)
def test_how_far_in_words(value, said):
    assert plain(times(value)) == said


@pytest.mark.parametrize("key", ["true", "strategic", "learned"])
def test_one_way_to_play_makes_a_picture(key):
    play = made.equilibrium(FACT, lies=key != "true", rounds=40)
    chart = dynamics({key: play})
    titles = [panel.title for panel in chart.panels]
    assert "FACT rebate: samples" in titles
    assert ("FACT rebate: reports" in titles) == (key != "true")
    assert {len(row) for row in chart.rows} == {len(chart.header)}
    assert "round" in words(pictures(chart)[".svg"])
    assert titles.count("How to read it") == 1


def test_no_reports_are_drawn_that_nobody_asks_for():
    """The key is in their place."""
    play = made.equilibrium(("federated", "sandwich", "rebate"))
    play["rules"][0]["asks"] = False
    titles = [panel.title for panel in dynamics({"strategic": play}).panels]
    assert titles[:3] == [
        "plain federated learning: samples",
        "How to read it",
        "FACT sandwich: samples",
    ]
    assert "plain federated learning: reports" not in titles
    assert len(titles) == 6


def test_means_of_contributors_are_said():
    document = changed(made.compared(FACT), "sandwich", "learned", contributors=4.23)
    assert "FACT sandwich (4.2)" in contributions(document).sentence


def cells_of(*cells):
    rules = tuple(dict.fromkeys(cell["rule"] for cell in cells))
    names = tuple(dict.fromkeys(cell["attack"] for cell in cells))
    return {"attacks": made.attacks(rules, names, cells=list(cells))}


def test_attacks_say_which_pays_most():
    text = attacks(
        cells_of(
            made.cell("sandwich", "median", 0.2, irrational=0.1),
            made.cell("rebate", "median", 0.0),
            made.cell("sandwich", "claim", 0.966, deficit=True),
            made.no_cell("rebate", "claim"),
        )
    ).sentence
    assert plain(text) == (
        "2 of 3 attacks pay, most of all “claims data it did not use” under FACT sandwich (+96.6 % "
        "of the attacker's loss alone); none pays under FACT rebate. Somebody honest may end worse "
        "than alone under FACT sandwich; the server's money may run out under FACT sandwich."
    )


def test_attacks_say_so_where_none_pays_or_all_do():
    cells = [made.cell(rule, "median", 0.0) for rule in FACT]
    assert attacks(cells_of(*cells)).sentence.startswith("None of the 2 attacks pays. Somebody")
    cells = [made.cell(rule, "median", 0.1, deficit=True, irrational=1.0) for rule in FACT]
    text = attacks(cells_of(*cells)).sentence
    assert "every rule has one that pays" in text
    assert "worse than alone under every rule; the server's money may run out under every" in text


def test_a_gain_within_its_error_is_none():
    cells = [made.cell("rebate", "median", 0.01, gain_error=0.006)]
    assert attacks(cells_of(*cells)).sentence.startswith("None of the 1 attacks pays")


def test_a_cell_tells_all_of_it():
    cell = made.cell("realfm", "claim", 20.0, deficit=True, irrational=0.25, payer="both")
    document = cells_of(cell, made.cell("rebate", "claim", -1e9))
    written = words(pictures(attacks(document))[".svg"])
    assert {"+2k", "−1e11"} <= written
    (row, _) = attacks(document).rows
    assert row[:4] == ["RealFM", "claims data it did not use", 1, 20.0]
    assert plain(str(row[11])) == "25 %"
    assert row[12] == "yes"


def test_rules_side_by_side(whole):
    header, rows = rules_side_by_side(whole)
    assert {len(row) for row in rows} == {len(header)}
    by = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    assert set(by) == set(made.TITLES.values())
    sandwich, rebate = by["FACT sandwich"], by["FACT rebate"]
    assert sandwich["a liar gains at most"] == pytest.approx(96.6)  # made-up "claim" is one agent's
    assert rebate["samples, if agents lie"] == pytest.approx(100)
    assert by["training alone"]["an attack gains at most"] is None
    assert by["training alone"]["the best-placed gain at most"] is None
    assert rebate["an attack gains at most"] == pytest.approx(96.6)
    assert rebate["the best-placed gain at most"] == pytest.approx(1.5 * 96.6)
    assert by["training alone"]["the best attack"] == "none"
    assert set(RULE_COLUMNS) < set(header)


@pytest.mark.parametrize(("best", "told"), [(1.02, 102.0), (0.00005, 0.0), (-0.1, 0.0)])
def test_a_mean_does_not_hide_what_the_best_placed_gain(best, told):
    cells = [made.cell("rebate", "split", -0.2, best_gain=best), made.no_cell("sandwich", "split")]
    document = made.compared(FACT)
    document["attacks"] = made.attacks(FACT, ("split",), cells=cells)
    header, rows = rules_side_by_side(document)
    by = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    assert by["FACT rebate"]["an attack gains at most"] == 0
    assert by["FACT rebate"]["the best-placed gain at most"] == pytest.approx(told)
    assert by["FACT sandwich"]["the best-placed gain at most"] is None
    ((*_, gain, place),) = ([row[3], *row[5:7]] for row in attacks(document).rows)
    assert (gain, place) == (best, "cheapest")


def test_numbers_that_are_not_final_are_named(whole):
    assert restless(whole) == ""
    other = changed(whole, "penalised", "strategic", converged=False)
    assert restless(other).endswith("worth more rounds: PFL with penalty only.")


def test_samples_that_nobody_checks_are_no_lie():
    document = made.compared(("rebate",), names=("median",))
    about = {"attack": "unverified", "title": "claims", "attackers": 1, "about": ""}
    document["attacks"]["attacks"].append(about)
    document["attacks"]["cells"].append(made.cell("rebate", "unverified", 0.9))
    (summary,) = summaries(document)
    assert not summary.tempts
    assert summary.pays == []
    assert [hit.attack for hit in summary.claims] == ["claims"]
    _, (row,) = rules_side_by_side(document)
    assert row[9:14] == [0.0, 0.0, 0.0, pytest.approx(90), "none"]
    advised = answers(document)["Agents try whatever pays"]
    assert "No attack of the table pays where samples are counted: FACT rebate." in advised
    assert advised.endswith("Claims that nobody counts pay under FACT rebate.")


def answers(document):
    return {asked: plain(answer) for asked, answer in advice(document)}


def test_which_rule_when(whole):
    advised = answers(whole)
    assert advised["Costs are known for certain, and data is what counts"].startswith(
        "Most is collected by RealFM, 240 % of what all would use alone."
    )
    assert (
        "and reverse auction (51.8 %). Less: PFL with penalty only (6.79 %)"
        in (advised["Agents may lie about their costs, and data is what counts"])
    )
    assert (
        "plain federated learning"
        not in advised["Agents may lie about their costs, and data is what counts"]
    )
    assert "plain federated learning" not in advised["Agents try whatever pays"]
    assert advised["Nobody may end worse than alone"].startswith("Under every attack tried: ")
    assert advised["What all bear together counts"].startswith(
        "Of all losses alone, less what the server is left with: FACT rebate (56 %), FACT sandwich"
    )
    assert (
        "It pays under RealFM (20 % an agent) and reverse auction (30 % an agent)."
        in (advised["The server has no money of its own"])
    )


def test_a_rule_that_has_it_all_is_named():
    document = made.compared(FACT, names=("median",))
    advised = answers(document)["All of it at once"]
    assert advised.startswith("FACT rebate (agents bear less than alone; all contribute")
    document["attacks"]["cells"][1].update(gain=0.1)
    advised = answers(document)["All of it at once"]
    assert advised.startswith("No rule (agents bear less")
    assert "FACT rebate misses “no lie pays and no attack pays, samples being counted”." in advised


def test_a_place_for_the_page(tmp_path):
    wanted = (("compare.json", "compare.html"), ("figures",))
    check_folder(tmp_path / "new" / "deep", *wanted)
    check_folder(tmp_path, *wanted)
    (tmp_path / "file").write_text("")
    (tmp_path / "a" / "compare.html").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "figures").write_text("")
    for place, said in (
        ("file", "cannot be written to"),
        ("file/in", "cannot be written to"),
        ("a", "is a directory; remove it"),
        ("b", "is no directory to write to"),
        ("x" * 300, "cannot be made"),
    ):
        with pytest.raises(InputError, match=f"{said}.*name another directory with -o"):
            check_folder(tmp_path / place, *wanted)


@pytest.fixture
def command(monkeypatch):
    """``fedfact compare`` with a lab that has played already; and how often it was asked."""
    asked = []

    def played(setting, **options):
        asked.append((setting, options))
        document = made.compared(FACT, agents=3, learned=False, names=("median",))
        found = {key: document[key] for key in document if key != "command"}
        return SimpleNamespace(document=lambda: found)

    monkeypatch.setitem(compare.__globals__, "play_all", played)
    app = typer.Typer()
    app.command()(compare)
    app.command("other")(lambda: None)

    def run(*words):
        monkeypatch.setattr("sys.argv", ["fedfact", "compare", *map(str, words)])
        return CliRunner().invoke(app, ["compare", *map(str, words)])

    return run, asked


def test_the_command_writes_the_page_and_the_numbers(command, tmp_path):
    run, asked = command
    options = ("--agents", 5, "--populations", 7, "--rounds", 9, "--seed", 4)
    result = run(*options, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.output
    ((setting, told),) = asked
    assert setting.agents == 5
    assert (told["populations"], told["rounds"], told["seed"]) == (7, 9, 4)
    assert f"The page: {tmp_path / 'out' / 'compare.html'}" in result.output
    assert re.search(r"FACT rebate +100 +100 ", result.output)
    document = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert document["command"].startswith("fedfact compare --agents 5 --populations 7")
    assert document["command"] in (tmp_path / "out" / "compare.html").read_text()
    again = run(*options, "-o", tmp_path / "out", "--json")
    assert json.loads(again.stdout)["true"] == document["true"]


def test_the_command_refuses_before_it_plays(command, tmp_path):
    run, asked = command
    (tmp_path / "file").write_text("")
    refused = run("-o", tmp_path / "file")
    assert isinstance(refused.exception, InputError)
    assert "cannot be written to; name another directory with -o" in str(refused.exception)
    assert isinstance(run("--costs", "nrom", "-o", tmp_path / "new").exception, InputError)
    assert not (tmp_path / "new").exists()
    assert asked == []


@pytest.fixture(scope="module")
def study():
    """How the page of a study is tested; skipped where there is no playwright."""
    module = loaded("test_browser.py")
    if module.CHROMIUM is None:
        pytest.skip("no browser is installed")
    return module


@pytest.fixture(scope="module")
def browser(study):
    with study.sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=study.CHROMIUM, args=study.FLAGS)
        yield running
        running.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 375])
def test_the_page_in_a_browser(study, browser, page, width):
    faults = []
    shown = browser.new_page(**study.viewport(width))
    shown.on("console", lambda message: faults.append(f"console: {message.text}"))
    shown.on("pageerror", lambda error: faults.append(f"error: {error}"))
    shown.on("request", lambda request: faults.append(f"request: {request.url}"))
    shown.goto(page.as_uri())
    assert faults == [f"request: {page.as_uri()}"]
    boxes = shown.eval_on_selector_all(
        ".panel svg", "all => all.map(svg => [svg.clientWidth, svg.clientHeight])"
    )
    assert len(boxes) == 6 + 8 + 2 + 8 + 5
    assert all(300 < w <= width and h > 180 for w, h in boxes)
    for opened in (False, True):
        if opened:
            shown.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
        assert shown.evaluate("document.documentElement.scrollWidth") == width
    outside, smallest = shown.evaluate("""() => {
        const letters = [...document.querySelectorAll(".panel svg text")];
        const outside = letters.filter(text => {
            const svg = text.ownerSVGElement.getBoundingClientRect();
            const box = text.getBoundingClientRect();
            return box.left < svg.left - 4 || box.right > svg.right + 4 ||
                box.top < svg.top - 4 || box.bottom > svg.bottom + 4;
        }).map(text => text.textContent);
        const sizes = letters.map(text => {
            const { a, b } = text.getScreenCTM();
            return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
        });
        return [outside, Math.min(...sizes)];
    }""")
    assert outside == []
    assert smallest > 7.5
    for panel in (0, 6, 14, 16, 25):
        expected, told = study.hover(shown, panel, shown.mouse.move)
        assert expected in told
    assert len(faults) == 1
    shown.close()


def test_a_cell_can_be_asked(written):
    spots = [json.loads(a["data-points"]) for _, a in written.tags if "data-points" in a]
    told = [(plain(spot[2]), spot[3]) for panel in spots for spot in panel]
    assert (
        "an attacker gains 20 % ± 0.1 %, an honest agent loses 2 % ± 0.02 %; the honest pay",
        "FACT sandwich\nreports the median",
    ) in told


def test_numbers_without_end(tmp_path):
    """A document has None for them: they are left out, and nothing breaks."""

    def without(part):
        if isinstance(part, dict):
            return {key: without(value) for key, value in part.items()}
        if isinstance(part, list):
            return [without(value) for value in part]
        return None if isinstance(part, float) else part

    other = made.compared(("local", "sandwich-paper", "rebate"), names=("median", "merge"))
    for play in ("true", "strategic", "learned"):
        for k, entry in enumerate(other[play]["rules"]):
            if entry["rule"] == "sandwich-paper":
                agents = {**without(entry["agents"]), "cost": entry["agents"]["cost"]}
                other[play]["rules"][k] = {**without(entry), "agents": agents, "converged": False}
    other["attacks"]["cells"] = [
        without(cell) if cell["rule"] == "sandwich-paper" else cell
        for cell in other["attacks"]["cells"]
    ]
    assert write_compare(other, tmp_path).exists()
    row = next(row for row in rules_side_by_side(other)[1] if row[0].endswith("paper's pool"))
    assert row[1:3] == [None, None]
    assert "FACT sandwich with paper's pool" in restless(other)
    paper = next(each for each in summaries(other) if each.name == "sandwich-paper")
    assert (paper.hits, paper.rational) == ([], False)
