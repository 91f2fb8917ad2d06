"""Data sets, one file each.

Each module has its ``DESCRIPTION``; `fedfact.data.registry` enters them, and others ask it.
"""

__all__: list[str] = []
