"""The sources of chance: new seeds, salts and ids from the operating system.

All dice come from such a seed.
"""

import os

from bot.rules.dice import Source
from bot.rules.proof.fair import Stream

_CODE = "0123456789ABCDEFGHJKMNPQRSTUVWXYZ"  # no I, L, O
_LOOKALIKES = str.maketrans("OIL", "011")


def create_seed() -> bytes:
    """Create 32 secret bytes for a game's dice."""
    return os.urandom(32)


def create_salt() -> str:
    """Create 32 hex digits that protect the hash of a short text from guesses."""
    return os.urandom(16).hex()


def create_id() -> str:
    """Create 16 hex digits: the id of a game, a person in it, or a draft."""
    return os.urandom(8).hex()


def create_code(length: int = 8) -> str:
    """Create a code to type by hand, of letters and digits that nobody confuses."""
    code = ""
    while len(code) < length:
        code += "".join(_CODE[byte] for byte in os.urandom(length) if byte < len(_CODE))
    return code[:length]


def read_code(typed: str) -> str:
    """Return a typed code in the letters of `create_code`, whatever its case and look-alikes."""
    return "".join(typed.split()).upper().translate(_LOOKALIKES)


def create_address() -> str:
    """Create 48 hex digits: the part of an address that nobody can guess."""
    return os.urandom(24).hex()


def create_throwaway_source() -> Source:
    """Create dice for use outside any game, from a seed that nobody keeps."""
    return Stream(create_seed(), "none", 0)
