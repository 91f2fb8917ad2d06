"""``fedfact report``: the page of one study again, or of several side by side."""

from pathlib import Path
from typing import Annotated

import typer

from ..mechanism import InputError
from .console import print_json, stdout
from .progress import progress_bar


def report(
    directories: Annotated[
        list[Path], typer.Argument(help="Directories that `fedfact run` wrote.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Directory of the page (default: the study's own)."),
    ] = None,
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="Only print the table, in Markdown, with the commands."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summaries as JSON.")] = False,
) -> None:
    """Draw the figures and the page of finished studies, several of them side by side."""
    from ..study.directory import read_result  # here, because pyarrow loads slowly
    from .study_table import print_markdown, print_studies

    if output is None and len(directories) > 1 and not markdown:
        raise InputError("several studies make one page; say where with -o DIR")
    results = [read_result(directory) for directory in directories]
    if markdown:
        print_markdown(results)
        return
    from ..report.study import write_report  # here, because matplotlib loads slowly

    with progress_bar() as (told, _):
        page = write_report(results, output or directories[0], told)
    summaries = [result.summary for result in results]
    if as_json:
        print_json(summaries)
    else:
        print_studies(summaries)
        stdout().print(f"\nThe page: {page}", soft_wrap=True)
