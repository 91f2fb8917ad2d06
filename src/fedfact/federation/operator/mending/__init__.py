"""What comes first: a ledger that is older than what members were shown is refused, or mended.

For `session`, which does it before anything else.
"""

__all__: list[str] = []
