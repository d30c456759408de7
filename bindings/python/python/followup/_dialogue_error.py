"""The error of a dialogue."""


class DialogueError(ValueError):
    """Why a dialogue does not accept an answer, another end of a question, guidance or a history.

    The dialogue is unchanged.
    """

    code: str
    """The reason as one word, such as `already_answered`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[1])
