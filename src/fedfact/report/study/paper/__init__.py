"""The paper's figures, one a file."""
