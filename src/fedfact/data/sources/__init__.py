"""Where data comes from, and in which formats."""
