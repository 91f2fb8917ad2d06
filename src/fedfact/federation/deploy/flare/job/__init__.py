"""The job that runs the protocol, and how bytes travel in it.

For this adapter alone.
"""

__all__: list[str] = []
