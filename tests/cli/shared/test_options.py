"""What commands that draw have in common: they refuse to begin what they could not end."""

import pytest

COMMAND = """
import sys
from fedfact.cli import main
sys.argv = {argv!r}
main()
"""


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "-o", "out"),
        ("run", "digits", "-o", "out"),
        ("lab", "collapse", "digits", "-o", "out"),
        ("calibrate", "--data", "digits", "-o", "out", "--plot", "curve.svg"),
        ("lab", "attack", "--populations", "100000", "--agents", "100", "--plot", "a.svg"),
    ],
    ids=" ".join,
)
def test_without_what_draws_no_work_is_begun(python_without, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    done = python_without("matplotlib", COMMAND.format(argv=["fedfact", *words]))
    assert done.stderr == "error: this needs matplotlib: pip install 'fedfact[plot]'\n"
    assert (done.returncode, done.stdout) == (2, "")
    assert list(tmp_path.iterdir()) == []
