"""The page about studies: the paper's figures, and ours."""
