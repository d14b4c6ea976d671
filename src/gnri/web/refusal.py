"""Why a request is not answered, as a status and a sentence."""

from starlette.responses import JSONResponse

STOPPING = "the server is stopping; start it again and ask once more"


class Refusal(Exception):  # noqa: N818 - an answer, not a mistake
    """A request that is refused; the message is shown to the person as it is."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def answer(status: int, message: str) -> JSONResponse:
    """The refusal as a response."""
    headers = {"Retry-After": "2"} if status == 503 else None
    return JSONResponse({"error": message}, status, headers)
