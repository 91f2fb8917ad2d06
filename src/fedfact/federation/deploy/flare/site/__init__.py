"""A member's machine: FLARE's site, and our answer to each task.

For this adapter alone: FLARE starts it.
"""

__all__: list[str] = []
