"""A member's machine: FLARE's site, and our answer to each task."""
