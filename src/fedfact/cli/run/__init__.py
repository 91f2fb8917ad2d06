"""Commands that train: ``run``, ``train`` and ``report``.

`fedfact.cli.app` takes them from their modules; from Python use `fedfact` itself.
"""

__all__: list[str] = []
