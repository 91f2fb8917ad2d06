"""The operator's machine: FLARE's server, supervised, with our protocol as its job.

For this adapter alone; `fedfact.federation.deploy.flare` offers what others use.
"""

__all__: list[str] = []
