"""Engines: the plain one, CPU workers, CUDA graphs. All answer to one interface."""
