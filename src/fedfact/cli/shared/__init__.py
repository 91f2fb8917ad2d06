"""What the commands share: where output goes, options, the progress bar, tables.

For the commands alone.
"""

__all__: list[str] = []
