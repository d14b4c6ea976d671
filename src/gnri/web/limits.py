"""How much the server takes, keeps and does at once."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What is beyond these is refused, with a message that names the limit."""

    body: int = 64 * 2**20
    """Bytes of one request, counted while they come in."""
    buffered: int = 256 * 2**20
    """Bytes of all requests that are being read at one time."""
    rows: int = 200_000
    columns: int = 1_000
    tables: int = 8
    """Tables kept for open pages; of more, the one used longest ago goes."""
    idle: float = 1_800.0
    """Seconds after which a table that nobody asks for is freed."""
    workers: int = 2
    """Jobs at one time."""
    waiting: int = 16
    """Jobs that may wait for a worker."""
    seconds: float = 120.0
    """The longest that a job may run."""
    reading: float = 60.0
    """The longest that a request may take to come in, in seconds."""

    def as_dict(self) -> dict[str, float]:
        """For the page, so that it can say no before a file is sent."""
        return asdict(self)
