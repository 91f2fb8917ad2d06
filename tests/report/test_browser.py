"""The page in a real browser: it works, fits a phone, tells values, and can be dark."""

import shutil

import pytest
from PIL import Image

from fedfact.report.study.page import write_report

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason=f"none of {', '.join(NAMES)} is installed"),
]


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def report(make_result, tmp_path_factory):
    """Three studies, with all figures that there are."""
    few = {"agents": 10, "seeds": 2, "epochs": 12}
    results = [
        make_result("mnist", arms=("iid", "dirichlet:0.3"), **few),
        make_result("ham10000", arms=("iid",), **few),
        make_result("mnist", "riders", arms=[("iid", 0), ("iid", 4)], change=lengthen, **few),
    ]
    return write_report(results, tmp_path_factory.mktemp("out"))


LONG = "iid, 2 of 10 free-ride, 1 of 10 misreport -0.5, 1 of 10 misreport +0.5"


def lengthen(summary):
    """A name such as arms have where agents deviate in several ways."""
    summary["title"] = f"MNIST, {LONG}"


@pytest.fixture
def open_page(browser, report):
    """Open the report; nothing may go wrong and nothing may be fetched until the test ends."""
    faults, pages = [], []

    def open_it(**options):
        page = browser.new_page(**options)
        page.on("console", lambda message: faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("request", lambda request: faults.append(f"request: {request.url}"))
        page.goto(report.as_uri())
        assert faults == [f"request: {report.as_uri()}"]
        faults.clear()
        pages.append(page)
        return page

    yield open_it
    assert faults == []
    for page in pages:
        page.close()


def viewport(width):
    return {"viewport": {"width": width, "height": 800}}


@pytest.mark.parametrize("width", [1280, 375])
def test_all_figures_are_there_and_the_page_fits(open_page, tmp_path, width):
    page = open_page(**viewport(width))
    boxes = page.eval_on_selector_all(
        ".panel svg", "all => all.map(svg => [svg.clientWidth, svg.clientHeight])"
    )
    assert len(boxes) == 2 * 4 + 1 + 3 + 2 + 3 * 7 + 1 + 3
    assert all(w > 300 and h > 180 for w, h in boxes)
    assert all(w <= width for w, _ in boxes)
    assert len(page.query_selector_all("section")) == 13 + 4
    for opened in (False, True):
        if opened:
            page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.screenshot(path=tmp_path / f"{width}.png")
    with Image.open(tmp_path / f"{width}.png") as image:
        assert image.width == width
        assert len(image.convert("RGB").getcolors(1 << 24)) > 50


@pytest.mark.parametrize("width", [1280, 375])
def test_letters_stay_inside_their_panel(open_page, width):
    outside = open_page(**viewport(width)).evaluate("""() =>
        [...document.querySelectorAll(".panel svg text")].flatMap(text => {
            const svg = text.ownerSVGElement.getBoundingClientRect();
            const box = text.getBoundingClientRect();
            const fits = box.left >= svg.left - 4 && box.right <= svg.right + 4 &&
                box.top >= svg.top - 4 && box.bottom <= svg.bottom + 4;
            return fits ? [] : [text.textContent];
        })""")
    assert outside == []


def test_letters_are_large_enough_on_a_phone(open_page):
    page = open_page(**viewport(375))
    smallest = page.evaluate("""() =>
        Math.min(...[...document.querySelectorAll(".panel svg text")].map(text => {
            const { a, b } = text.getScreenCTM();
            return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
        }))""")
    assert smallest > 7.5


def test_key_numbers_can_be_read_on_a_phone_beside_a_long_name(open_page):
    page = open_page(**viewport(375))
    first, rest = page.evaluate("""() => {
        const cells = [...document.querySelectorAll("#numbers table:first-of-type td")];
        const width = cell => cell.getBoundingClientRect().width;
        const other = cell => cell.previousElementSibling !== null;
        return [
            Math.max(...cells.filter(cell => !other(cell)).map(width)),
            Math.max(...cells.filter(other).map(width)),
        ];
    }""")
    assert first <= 0.42 * 375
    assert first + rest <= 375 - 2 * 16


def hover(page, number, act):
    """Point at the first place of a panel; what it should say, and what the page says."""
    panel = page.locator(".panel").nth(number)
    panel.locator("svg").scroll_into_view_if_needed()
    x, y, label, text = panel.evaluate("panel => JSON.parse(panel.dataset.points)[0]")[:4]
    box = panel.locator("svg").bounding_box()
    scale = panel.locator("svg").evaluate("svg => svg.clientWidth / svg.viewBox.baseVal.width")
    act(box["x"] + x * scale, box["y"] + y * scale)
    tip = page.locator("#tip")
    tip.wait_for(state="visible")
    return f"{label}\n{text}", tip.inner_text()


@pytest.mark.parametrize("panel", [0, 2, 4, 10, 20])
def test_pointing_shows_the_value(open_page, panel):
    page = open_page(**viewport(1280))
    expected, shown = hover(page, panel, page.mouse.move)
    assert expected in shown
    assert page.locator(".panel circle").count() == 1
    page.mouse.move(5, 5)
    assert page.locator("#tip").is_hidden()
    assert page.locator(".panel circle").count() == 0


def test_touching_shows_the_value_inside_the_screen(open_page):
    page = open_page(**viewport(375), has_touch=True)
    expected, shown = hover(page, 2, page.touchscreen.tap)
    assert expected in shown
    tip = page.locator("#tip").bounding_box()
    assert tip["x"] >= 0
    assert tip["x"] + tip["width"] <= 375
    page.touchscreen.tap(5, 5)
    assert page.locator("#tip").is_hidden()


def background(page):
    return page.evaluate("getComputedStyle(document.documentElement).backgroundColor")


def letters(page):
    return page.eval_on_selector(".panel svg text", "text => getComputedStyle(text).fill")


def test_dark_where_the_reader_wants_it_dark(open_page):
    light, dark = (open_page(**viewport(1280), color_scheme=scheme) for scheme in ("light", "dark"))
    assert background(light) == "rgb(255, 255, 255)"
    assert background(dark) == "rgb(21, 23, 26)"
    assert letters(light) != letters(dark)


def test_the_button_changes_light_and_dark(open_page):
    page = open_page(**viewport(1280), color_scheme="light")
    page.click("#theme")
    assert background(page) == "rgb(21, 23, 26)"
    page.click("#theme")
    assert background(page) == "rgb(255, 255, 255)"
