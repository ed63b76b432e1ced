"""What the worker process is asked for: a picture as PNG, with the words that say the same.

Each function reads what it draws with when it is called: the first picture of a worker waits for nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.interface.reply.parts import Odds
from bot.picture.png import png, read_fonts
from bot.picture.svg import Picture
from bot.systems.catalog import system

Drawn = tuple[bytes, str]


def table_drawn(system_id: str, table_id: str, given: Mapping[str, object]) -> Drawn:
    """A table; with inputs, where it answers them. Raises UserError for inputs that it refuses."""
    from bot.picture.table import table_picture

    return _drawn(table_picture(system(system_id).table(table_id), given or None))


def odds_drawn(title: str, by: str, charts: tuple[Odds, ...], small: str) -> Drawn:
    """Odds as bars."""
    from bot.picture.odds import odds_picture

    return _drawn(odds_picture(title, by, charts, small))


def luck_drawn(title: str, tracks: Mapping[str, Sequence[tuple[int, float]]]) -> Drawn:
    """The luck of each side over a game."""
    from bot.picture.curves import luck_picture

    return _drawn(luck_picture(title, tracks))


def losses_drawn(title: str, turns: Sequence[str], losses: Mapping[str, Sequence[int]]) -> Drawn:
    """What each side lost, turn by turn."""
    from bot.picture.curves import losses_picture

    return _drawn(losses_picture(title, turns, losses))


def get_ready() -> None:
    """Read all that a picture needs, so that the first one need not wait for it."""
    import bot.picture.odds
    import bot.picture.table  # noqa: F401

    read_fonts()


def _drawn(picture: Picture) -> Drawn:
    return png(picture.svg), picture.alt
