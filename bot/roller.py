"""Where chance enters: fresh seeds, salts and ids from the operating system. All dice come from such a seed."""

from __future__ import annotations

import os

from bot.rules.dice import Source
from bot.rules.fair import Stream


def new_seed() -> bytes:
    """32 secret bytes for a game's dice."""
    return os.urandom(32)


def new_salt() -> str:
    """32 hex digits that keep a short text from being guessed by its hash."""
    return os.urandom(16).hex()


def new_id() -> str:
    """16 hex digits: the id of a game, a person in it, a draft."""
    return os.urandom(8).hex()


def throwaway() -> Source:
    """Dice outside any game: the same stream, from a seed that nobody keeps."""
    return Stream(new_seed(), "none", 0)
