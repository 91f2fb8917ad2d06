"""Where data comes from, and in which formats.

For `fedfact.data` alone.
"""

__all__: list[str] = []
