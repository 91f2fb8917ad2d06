"""``fedfact report``: the page of one study again, or of several side by side."""

from pathlib import Path
from typing import Annotated

import typer

from ...errors import InputError
from ..shared.options import AsJson
from ..shared.output import print_json, stdout
from ..shared.progress import progress_bar


def report(
    directories: Annotated[
        list[Path],
        typer.Argument(help="Directories that `fedfact run` wrote, or that hold several such."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Directory of the page (default: the one named)."),
    ] = None,
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="Only print the table, in Markdown, with the commands."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Draw the figures and the page of finished studies, several of them side by side."""
    from ...study.files.directory import find_results, read_result  # here: pyarrow loads slowly
    from .study_table import print_markdown, print_studies

    if markdown and (output or as_json):
        raise InputError("--markdown only prints a table; leave out -o and --json, or --markdown")
    if output is None and len(directories) > 1 and not markdown:
        raise InputError("several directories make one page; say where with -o DIR")
    found = [path for directory in directories for path in find_results(directory)]
    results = [read_result(path) for path in dict.fromkeys(found)]
    if markdown:
        print_markdown(results)
        return
    from ...report.study.page import write_report  # here, because matplotlib loads slowly

    with progress_bar() as (told, _):
        page = write_report(results, output or directories[0], told)
    if as_json:
        print_json([result.summary for result in results])
    else:
        print_studies(results)
        stdout().print(f"\nThe page: {page}", soft_wrap=True)
