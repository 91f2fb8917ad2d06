"""The commands of ``fedfact federation``.

`fedfact.cli.app` takes them from their modules; from Python use `fedfact.federation`.
"""

__all__: list[str] = []
