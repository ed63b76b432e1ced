"""How grave an answer is: by its words first, then by weight, and last by the colour of its bar."""

from __future__ import annotations

HURT, SHAKEN, NOTHING = "hurt", "shaken", "nothing"
GAME, WAITING, SEALED, OVER = "game", "waiting", "sealed", "over"
COLORS = {
    HURT: 0xDA373C,
    SHAKEN: 0xE08A1E,
    NOTHING: 0x80848E,
    GAME: 0x3E7CB1,
    WAITING: 0xF0B232,
    SEALED: 0x8E6BBF,
    OVER: 0x4E5058,
}
"""Of the bar beside an answer: lost or wounded; shaken or pinned; no effect; game, turn, table, help; somebody is
waited for; sealed; undone, refused, settled."""
GRAVITY = (HURT, SHAKEN, GAME, NOTHING)
"""The tones of results, worst first; that of the game is for good news (a unit rallies)."""
PLAIN = frozenset({NOTHING, OVER})
"""Tones whose first line has no weight."""
