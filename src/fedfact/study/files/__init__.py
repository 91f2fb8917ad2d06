"""The files of a study: where they may be, what is in them, how they are read and written."""

from .directory import Result, find_results, read_result

__all__ = ["Result", "find_results", "read_result"]
