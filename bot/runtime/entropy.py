"""Where chance enters: fresh seeds, salts and ids from the operating system. All dice come from
such a seed.
"""

import os

from bot.rules.dice import Source
from bot.rules.proof.fair import Stream

_CODE = "0123456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no I, L, O


def create_seed() -> bytes:
    """32 secret bytes for a game's dice."""
    return os.urandom(32)


def create_salt() -> str:
    """32 hex digits that keep a short text from being guessed by its hash."""
    return os.urandom(16).hex()


def create_id() -> str:
    """16 hex digits: the id of a game, a person in it, a draft."""
    return os.urandom(8).hex()


def create_code(length: int = 8) -> str:
    """Random letters and digits that are not mistaken for each other, to be typed by hand."""
    code = ""
    while len(code) < length:
        code += "".join(_CODE[byte] for byte in os.urandom(length) if byte < len(_CODE))
    return code[:length]


def create_address() -> str:
    """48 hex digits: the part of an address that nobody guesses."""
    return os.urandom(24).hex()


def create_throwaway_source() -> Source:
    """Dice outside any game: the same stream, from a seed that nobody keeps."""
    return Stream(create_seed(), "none", 0)
