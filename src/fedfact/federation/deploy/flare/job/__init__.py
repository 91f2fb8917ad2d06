"""The job that runs the protocol, and how bytes travel in it."""
