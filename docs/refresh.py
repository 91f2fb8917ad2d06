"""Run the commands shown in README.md, docs/*.md and results, and put what they print under them.

A block that starts with ```console holds lines ``$ command``, each followed by its output. This
program runs the commands in a copy of the examples, replaces the outputs and keeps the figures
they draw. ``tests/test_docs.py`` fails when a block does not say what its command prints; of a
block that starts with ```console measured, whose numbers depend on the machine, only the words
must agree. What a command prints as Markdown stands between <!-- $ command --> and <!-- end -->.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "results").glob("*/README.md")),
]
BLOCK = re.compile(r"^```console(?: measured)?\n(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)
MARKDOWN = re.compile(r"^<!-- \$ (.*?) -->\n(.*?)(?=^<!-- end -->$)", re.DOTALL | re.MULTILINE)


def refreshed(page: Path, scratch: Path) -> str:
    """The text of a page with the output of its commands as it is now."""
    for folder in ("examples", "publications", "results"):
        shutil.copytree(ROOT / folder, scratch / folder, dirs_exist_ok=True)
    (scratch / "docs" / "figures").mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "docs" / "ledger_kinds.py", scratch / "docs")
    bin_ = str(Path(sys.executable).parent)
    env = {**os.environ, "PATH": bin_ + os.pathsep + os.environ["PATH"], "LC_ALL": "C.UTF-8"}

    def printed(command: str) -> list[str]:
        done = subprocess.run(
            command, shell=True, cwd=scratch, env=env, check=True, stdout=subprocess.PIPE
        )
        return [line.rstrip() for line in done.stdout.decode().splitlines()]

    def console(block: re.Match[str]) -> str:
        text = block.group().partition("\n")[0] + "\n"
        for line in block.group(1).splitlines():
            if line.startswith("$ "):
                text += "\n".join([line, *printed(line[2:])]).rstrip() + "\n"
        return text

    def markdown(block: re.Match[str]) -> str:
        return "\n".join([f"<!-- $ {block.group(1)} -->", *printed(block.group(1)), ""])

    text = BLOCK.sub(console, page.read_text(encoding="utf-8"))
    return MARKDOWN.sub(markdown, text)


def main() -> None:
    """Rewrite all pages, and the figures that their commands draw."""
    with tempfile.TemporaryDirectory() as folder:
        for page in PAGES:
            page.write_text(refreshed(page, Path(folder)), encoding="utf-8")
        (ROOT / "docs" / "figures").mkdir(exist_ok=True)
        for figure in Path(folder, "docs", "figures").iterdir():
            shutil.copy(figure, ROOT / "docs" / "figures")


if __name__ == "__main__":
    main()
