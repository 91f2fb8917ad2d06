"""``fedfact lab`` and ``fedfact compare``.

`fedfact.cli.app` takes them from their modules; from Python use `fedfact.lab`.
"""

__all__: list[str] = []
