"""Kits: what the server, the operator and each member need to trust each other."""
