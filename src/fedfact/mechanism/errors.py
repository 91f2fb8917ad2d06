"""The one exception by which an input is refused."""


class InputError(ValueError):
    """An input that is refused. The message says what is wrong and what to do instead.

    ``index`` is the position of the agent at fault, where one agent is.
    """

    def __init__(self, message: str, index: int | None = None) -> None:
        super().__init__(message)
        self.index = index
