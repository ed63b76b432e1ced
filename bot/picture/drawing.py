"""What the worker process is asked for: a picture as PNG, with the words that say the same."""

from __future__ import annotations

from collections.abc import Mapping

from bot.interface.parts import Odds
from bot.picture.curves import Track, luck_picture
from bot.picture.odds import odds_picture
from bot.picture.png import png
from bot.picture.svg import Picture
from bot.picture.table import table_picture
from bot.systems.catalog import system

Drawn = tuple[bytes, str]


def table_drawn(system_id: str, table_id: str, given: Mapping[str, object]) -> Drawn:
    """A table; with inputs, where it answers them. Raises UserError for inputs that it refuses."""
    return _drawn(table_picture(system(system_id).table(table_id), given or None))


def odds_drawn(title: str, by: str, charts: tuple[Odds, ...], small: str) -> Drawn:
    """Odds as bars."""
    return _drawn(odds_picture(title, by, charts, small))


def luck_drawn(title: str, tracks: Mapping[str, Track]) -> Drawn:
    """The luck of each side over a game."""
    return _drawn(luck_picture(title, tracks))


def _drawn(picture: Picture) -> Drawn:
    return png(picture.svg), picture.alt
