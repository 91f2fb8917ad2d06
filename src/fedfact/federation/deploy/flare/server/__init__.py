"""The operator's machine: FLARE's server, supervised, with our protocol as its job."""
