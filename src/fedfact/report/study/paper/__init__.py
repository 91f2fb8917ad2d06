"""The paper's figures, one a file."""

__all__: list[str] = []
