"""One version of a game, with everything that a command needs besides its log.

A `LoadedGame` holds the game with the head of its chain, its players and the dice secret in force.
"""

from collections.abc import Mapping
from typing import NamedTuple

from bot.game.game_log import IMPORTED, DiceSeed, Participant
from bot.game.state import Game

SNAPSHOT_EVERY = 25
"""Events between two snapshots, and so the most that loading replays."""
HANDS = "hands"
"""Key of the text with the contents of closed hands after an event. It is in no chain and no file.
"""


class DoneButton(NamedTuple):
    """The last shot of a game that has *Done* under it."""

    shot_number: int = 0
    """The number of its event, 0 if no shot has the button."""
    is_known: bool = True
    """Whether `shot_number` holds. If not, the log has to be searched."""


UNKNOWN_DONE_BUTTON = DoneButton(is_known=False)


class StoredHands(NamedTuple):
    """The contents of all closed hands after an event."""

    event_number: int = 0
    """The last event that moved closed cards, 0 if that is not known."""
    text: str = ""
    """The hands as canonical JSON, "" if they are not known."""


class LoadedGame(NamedTuple):
    """One version of a game, as loaded from the store."""

    row: str
    """The game's id in the store. `game.id` is another one if the game was imported."""
    game: Game
    version: int
    """Counts the commits to the game. A commit on an older version is a Conflict."""
    head: str
    """The hash of the last event, which covers all events before it."""
    persons: Mapping[str, Participant]
    """All who took part, by person id."""
    seed: DiceSeed
    """The dice secret in force."""
    places: tuple[str, ...]
    """The keys of the channels that play the game."""
    snapshot_at: int
    """The number of the event after which the last snapshot was stored."""
    has_board: bool = False
    """Whether a channel has a pinned board of the game."""
    is_unasked: bool = False
    """Whether a check has found no open request to undo."""
    digits_event: int = -1
    """The last event whose answer ended with digits of the head, -1 if that is not known."""
    done_button: DoneButton = UNKNOWN_DONE_BUTTON
    hands: StoredHands = StoredHands()

    @property
    def may_be_asked(self) -> bool:
        """Return whether somebody may have asked another player to agree to an undo.

        Nobody has in a game of one person, or if a check has found no request.
        """
        return self.game.solo in ("", "*") and not self.is_unasked

    def find_person(self, user: str) -> Participant | None:
        """Return the person of a platform's user in this game."""
        return find_person(user, self.persons, self.game)


def find_person(user: str, persons: Mapping[str, Participant], game: Game) -> Participant | None:
    """Return the person of a platform's user in a game, None if they did not take part.

    A user who claimed a name from a file can have several persons. The one with a seat is returned.
    """
    candidates = [person for person in persons.values() if person.user == user]
    if not candidates:
        return None
    for candidate in candidates:
        if candidate.person in game.players or candidate.person == game.master:
            return candidate
    return candidates[0]


def is_imported(person: Participant) -> bool:
    """Return whether a person comes from an imported file and belongs to no account."""
    return person.user.startswith(IMPORTED)
