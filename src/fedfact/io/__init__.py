"""Files that are there whole or not at all, folders, and tables."""

from .columns import Columns
from .files import (
    alone,
    check_output,
    clear_torn,
    keep_names,
    log_line,
    printable,
    read_text,
    read_toml,
    reason,
    whole_file,
    write_json,
    write_whole,
)
from .folders import check_folder, make_folder
from .tables import read_columns

__all__ = [
    "Columns",
    "alone",
    "check_folder",
    "check_output",
    "clear_torn",
    "keep_names",
    "log_line",
    "make_folder",
    "printable",
    "read_columns",
    "read_text",
    "read_toml",
    "reason",
    "whole_file",
    "write_json",
    "write_whole",
]
