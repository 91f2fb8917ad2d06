"""Commands that train: ``run``, ``train`` and ``report``."""
