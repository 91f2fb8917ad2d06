"""Federations on real machines: a transport, and how operator and members are started."""
