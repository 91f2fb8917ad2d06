"""Kits: what the server, the operator and each member need to trust each other.

For this adapter alone; `fedfact.federation.deploy.flare` offers what others use.
"""

__all__: list[str] = []
