"""The values of a game's log: events, persons, texts and dice secrets, and the change of a game.

The fields of the first four are the columns of a table in the store, which keeps them as they are.
"""

import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Json = dict[str, Any]

IMPORTED = "imported:"
"""The beginning of the `user` of a person who is known only from an imported file. No platform's
keys begin like this.
"""


class LoggedEvent(NamedTuple):
    """One event of a game's log; `body` is its canonical JSON, exactly as it was hashed."""

    game: str
    number: int  # from 1, without gaps
    body: str
    hash: str  # hex SHA-256 over the previous hash and the body

    @property
    def data(self) -> Json:
        """The body, parsed into a new dict."""
        return json.loads(self.body)  # type: ignore[no-any-return]


class Participant(NamedTuple):
    """The user and name of a person of one game. Deletable, unlike the random person id in the log.

    A person from an imported file has no account: `user` is IMPORTED and the hash by which an
    account may claim it.
    """

    game: str
    person: str
    user: str
    name: str


class LoggedText(NamedTuple):
    """Free text (or a sealed event) that is in the chain only as a salted hash. Deletable."""

    game: str
    event: int
    key: str  # which part of the event
    salt: str
    text: str
    person: str = ""  # who wrote it


@dataclass(frozen=True, slots=True)
class DiceSeed:
    """A secret seed of a game's dice, used from the event `first_event` on."""

    game: str
    epoch: int  # from 1
    seed: bytes = field(repr=False)
    commitment: str
    first_event: int
    texts: tuple[str, ...] = ()  # the players' own
    digest: str = ""  # of these texts; stays when they are deleted
    revealed: int | None = None  # the event that published it


class GameChange(NamedTuple):
    """A change of one game. With `version` 0 it creates the game, with at least one event, numbered
    from 1.
    """

    game: str
    version: int  # as it was loaded
    events: tuple[LoggedEvent, ...] = ()  # numbered from the game's next_event on
    state: Json | None = None  # a new snapshot of the state after the last event
