"""The commands of ``fedfact accounts``."""

__all__: list[str] = []
