"""``fedfact report`` as a researcher meets it."""

import json
import re
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fedfact.report.study.page import write_report
from fedfact.study.config.load import read_study
from fedfact.study.files.directory import read_result
from fedfact.study.run import run_study
from fedfact.training import Machine

KEYS = ("agents=6", "seeds=1", 'partitions=["iid"]', "training.epochs=1", "costs.mean=1e-3")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The directory of a small study without its page; not to be changed."""
    output = tmp_path_factory.mktemp("report") / "small"
    study = read_study("digits", [*KEYS, "name=small"])
    run_study(study, Machine("cpu"), output, command="fedfact run small.toml")
    return output


@pytest.fixture
def study(kept, tmp_path, monkeypatch):
    """The same, to be changed, and named from where we are."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(kept, tmp_path / "small")
    return Path("small")


@pytest.fixture
def no_page(monkeypatch):
    """Pages take seconds; here one line does."""

    def write(results, folder, report=None):
        folder.mkdir(parents=True, exist_ok=True)
        names = [result.summary["study"] for result in results]
        (folder / "report.html").write_text(" ".join(names))
        return folder / "report.html"

    monkeypatch.setattr("fedfact.report.study.page.write_report", write)


@pytest.mark.slow
def test_the_page_is_made_again_to_the_last_byte(fedfact, study):
    write_report([read_result(study)], study)
    first = {path: path.read_bytes() for path in study.rglob("*") if path.is_file()}
    (study / "report.html").unlink()
    shutil.rmtree(study / "figures")
    result = fedfact("report", study)
    assert result.code == 0
    assert result.out.endswith("\nThe page: small/report.html\n")
    assert {path: path.read_bytes() for path in study.rglob("*") if path.is_file()} == first


@pytest.mark.slow
def test_several_studies_make_one_page(fedfact, study, tmp_path):
    shutil.copytree(study, tmp_path / "other")
    summary = json.loads((tmp_path / "other" / "summary.json").read_text())
    summary["study"] = "the-other-one"
    (tmp_path / "other" / "summary.json").write_text(json.dumps(summary))
    before = {path: path.read_bytes() for path in study.rglob("*") if path.is_file()}
    result = fedfact("report", study, "other", "-o", "new/both")
    assert result.code == 0
    assert result.out.endswith("\nThe page: new/both/report.html\n")
    assert "Digits, iid (small)" in result.out
    assert "Digits, iid (the-other-one)" in result.out
    page = (tmp_path / "new" / "both" / "report.html").read_text()
    assert "the-other-one" in page
    assert "small" in page
    assert any((tmp_path / "new" / "both" / "figures").iterdir())
    assert {path: path.read_bytes() for path in study.rglob("*") if path.is_file()} == before


def test_several_studies_need_a_place(fedfact, study, no_page):
    result = fedfact("report", study, study)
    assert (result.code, result.out) == (2, "")
    assert "make one page; say where with -o DIR" in result.err
    assert not (study / "report.html").exists()


def test_the_json_document_has_the_summaries(fedfact, study, no_page):
    result = fedfact("report", study, "--json")
    assert result.code == 0
    assert json.loads(result.out) == [json.loads((study / "summary.json").read_text())]


def test_markdown_is_a_table_with_the_command(fedfact, study, no_page):
    result = fedfact("report", study, "--markdown")
    assert result.code == 0
    rows = [line for line in result.out.splitlines() if line.startswith("|")]
    widths = {row.count("|") for row in rows}
    assert len(rows) == 3  # names, a line, one study of one arm
    assert len(widths) == 1
    assert set(rows[1]) <= set("|-: ")
    assert "fedfact run small.toml" in result.out
    loss = json.loads((study / "summary.json").read_text())["arms"][0]["loss"]
    numbers = re.findall(r"\d+\.\d+", rows[2])
    for name in ("local", "federated", "fact_paper", "fact_rebate"):
        mean = loss[name]["mean"]
        assert any(abs(float(x) - mean) <= 10.0 ** -len(x.partition(".")[2]) for x in numbers)


@pytest.mark.parametrize("more", [["-o", "there"], ["--json"]])
def test_markdown_with_what_it_would_ignore_is_refused(fedfact, study, no_page, more):
    result = fedfact("report", study, "--markdown", *more)
    assert (result.code, result.out) == (2, "")
    assert "--markdown only prints a table; leave out -o and --json" in result.err


def test_a_ratio_without_a_meaning_is_a_dash(fedfact, study, no_page):
    summary = json.loads((study / "summary.json").read_text())
    for numbers in (summary["arms"][0], summary["arms"][0]["best"]):
        numbers["ratio"]["fact_paper"] = None
    (study / "summary.json").write_text(json.dumps(summary))
    row = fedfact("report", study, "--markdown").out.splitlines()[2]
    assert row.count("| – |") == 2
    assert re.search(r"local / FACT +–", fedfact("report", study).out)


def test_a_directory_without_a_study_is_refused(fedfact, study, tmp_path, no_page):
    (tmp_path / "empty").mkdir()
    for wrong in ("empty", "nowhere", "small/summary.json"):
        for words in ([wrong], [study, wrong, "-o", "both"]):
            result = fedfact("report", *words)
            assert (result.code, result.out) == (2, "")
            assert f"{wrong}: holds no finished study" in result.err
            assert "fedfact run" in result.err
    assert not (tmp_path / "both").exists()


def test_an_unfinished_study_is_refused_with_the_remedy(fedfact, study, no_page):
    (study / "summary.json").unlink()
    result = fedfact("report", study)
    assert (result.code, result.out) == (2, "")
    assert "finish it with --resume" in result.err


@pytest.mark.parametrize("name", ["curves.parquet", "agents.parquet", "settlement.parquet",
                                  "summary.json", "manifest.json", "study.toml"])  # fmt: skip
@pytest.mark.parametrize("damage", ["torn", "gone", "garbage"])
def test_a_damaged_file_is_named(fedfact, study, no_page, name, damage):
    path = study / name
    if damage == "gone":
        path.unlink()
    else:
        half = path.read_bytes()[: path.stat().st_size // 2]
        path.write_bytes(half if damage == "torn" else b"\0garbage")
    result = fedfact("report", study)
    assert "Traceback" not in result.err
    if (name, damage) == ("study.toml", "torn"):
        return  # half a text is a text
    assert (result.code, result.out) == (2, "")
    assert str(study if (name, damage) == ("summary.json", "gone") else path) in result.err


@pytest.mark.slow
@pytest.mark.parametrize("content", ["{}", "[]", '{"study": "small", "arms": []}'])
def test_a_summary_that_is_none_is_refused(fedfact, study, content):
    """Such as that of another command, or of another version."""
    (study / "summary.json").write_text(content)
    result = fedfact("report", study)
    assert (result.code, result.out) == (2, "")
    assert "Traceback" not in result.err
    assert "small/summary.json" in result.err


def spoilt(document):
    """The document without each of its keys, two deep."""
    for key, value in document.items():
        yield key, {k: v for k, v in document.items() if k != key}
        yield f"no {key}", {**document, key: None}
        if isinstance(value, dict):
            for inner in value:
                less = {k: v for k, v in value.items() if k != inner}
                yield f"{key}.{inner}", {**document, key: less}


# Words that need not be there, or may be nothing.
NEEDLESS = ("best", "no best", "no arm", "no partition", "penalty.cost")


def test_an_arm_that_lacks_something_is_refused(fedfact, study, no_page):
    whole = json.loads((study / "summary.json").read_text())
    for lacks, arm in spoilt(whole["arms"][0]):
        if lacks in NEEDLESS or lacks.startswith("best."):
            continue
        (study / "summary.json").write_text(json.dumps({**whole, "arms": [arm]}))
        result = fedfact("report", study)
        assert (result.code, result.out) == (2, ""), lacks
        assert "small/summary.json: is not the summary of a study (" in result.err


@pytest.mark.parametrize("key", ["seconds", "command"])
def test_a_manifest_that_lacks_something_is_refused(fedfact, study, no_page, key):
    made = json.loads((study / "manifest.json").read_text())
    del made[key]
    (study / "manifest.json").write_text(json.dumps(made))
    for more in ([], ["--markdown"]):
        result = fedfact("report", study, *more)
        assert (result.code, result.out) == (2, "")
        assert "small/manifest.json: is not the manifest of a study (" in result.err


def test_an_output_that_cannot_be_made_exits_2(fedfact, study, tmp_path):
    (tmp_path / "file").write_text("")
    for output in ("file", "file/below"):
        result = fedfact("report", study, "-o", output)
        assert (result.code, result.out) == (2, "")
        assert f"error: {output}" in result.err
        assert "cannot be " in result.err
        assert "name another" in result.err


def test_help_and_no_directory(fedfact):
    result = fedfact("report", "-h")
    assert result.code == 0
    assert "--markdown" in result.out
    nothing = fedfact("report")
    assert nothing.code == 2
    assert "Missing argument" in nothing.err


@pytest.mark.parametrize("source", ["curves", "settlement"])
def test_tables_that_do_not_belong_there_are_refused(fedfact, study, source):
    shutil.copy(study / f"{source}.parquet", study / "agents.parquet")
    result = fedfact("report", study)
    assert (result.code, result.out) == (2, "")
    assert "agents.parquet: does not fit summary.json (" in result.err


DELETED = object()
WRONG = (None, True, -1, 1e300, float("nan"), 10**400, "x", "\x1b[31m", [], {}, [[1]], {"mean": 1})


@pytest.mark.slow
def test_no_value_of_another_type_is_taken_from_a_summary(fedfact, study, no_page):
    """Each value in turn is made another: it is refused with file and key, or shown."""
    whole = json.loads((study / "summary.json").read_text())
    for k, way in enumerate(ways(whole)):
        for new in (WRONG[k % len(WRONG)], WRONG[(5 * k + 3) % len(WRONG)]):
            wrong = inside = json.loads(json.dumps(whole))
            for step in way[:-1]:
                inside = inside[step]
            inside[way[-1]] = new
            (study / "summary.json").write_text(json.dumps(wrong))
            result = fedfact("report", study)
            assert result.code in (0, 2), (way, new, result.err)
            if result.code == 2:
                assert "error: small/" in result.err


def ways(document):
    """The way to each value of a document, of a list only the first one."""
    inner = document.items() if isinstance(document, dict) else list(enumerate(document))[:1]
    for key, value in inner:
        yield (key,)
        if isinstance(value, dict | list):
            yield from ((key, *rest) for rest in ways(value))


@pytest.mark.parametrize(
    ("table", "column", "values", "says"),
    [
        ("agents", "local_loss", "x", "column local_loss is not all numbers"),
        ("agents", "local_loss", float("nan"), "column local_loss has numbers out of range"),
        ("agents", "labels", [1, 2], "has not a count for each of the 10 classes"),
        ("agents", "if_won", None, "column if_won is not all numbers"),
        ("settlement", "fee", 0.5, "column fee is not all whole numbers"),
        ("settlement", "won", 1, "column won is not all true or false"),
        ("settlement", "charge", DELETED, "column charge is missing"),
        ("curves", "epoch", 1, None),
        ("curves", "training", "local", "a training has no tests"),
    ],
)
def test_no_column_of_another_kind_is_taken(fedfact, study, table, column, values, says):
    path = study / f"{table}.parquet"
    read = pq.read_table(path)
    if values is DELETED:
        read = read.drop_columns([column])
    else:
        at = read.column_names.index(column)
        read = read.set_column(at, column, pa.array([values] * read.num_rows))
    pq.write_table(read, path)
    result = fedfact("report", study, "--markdown")
    if says is None:
        assert result.code == 0
    else:
        assert (result.code, result.out) == (2, "")
        assert f"{table}.parquet: does not fit summary.json" in result.err
        assert says in result.err


@pytest.mark.parametrize("name", ["summary.json", "manifest.json", "study.toml", "agents.parquet"])
def test_results_that_links_lead_out_of_are_refused(fedfact, study, tmp_path, name):
    shutil.move(study / name, tmp_path / "elsewhere")
    (study / name).symlink_to(tmp_path / "elsewhere")
    result = fedfact("report", study)
    assert (result.code, result.out) == (2, "")
    assert f"small/{name}: leads out of small" in result.err


@pytest.mark.parametrize("name", ["report.html", "figures", "figures/class-mix.png"])
def test_a_page_is_written_nowhere_that_links_lead_to(fedfact, study, tmp_path, name):
    """Results that somebody else made overwrite nothing of who looks at them."""
    own = tmp_path / "own"
    shutil.rmtree(study / "figures", ignore_errors=True)
    (study / name).unlink(missing_ok=True)
    if name == "figures":
        own.mkdir()
    else:
        own.write_text("mine")
        (study / "figures").mkdir()
    (study / name).symlink_to(own)
    result = fedfact("report", study)
    assert (result.code, result.out) == (2, "")
    assert f"small/{name}: leads out of small; remove the link" in result.err
    assert [*own.iterdir()] == [] if own.is_dir() else own.read_text() == "mine"
