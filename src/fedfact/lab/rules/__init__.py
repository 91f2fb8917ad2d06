"""FACT and its rivals as games."""
