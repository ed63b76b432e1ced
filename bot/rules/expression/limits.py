"""How much of everything there may be, so that an expression is bounded before a die is rolled."""

from __future__ import annotations

MAX_LENGTH = 1_000  # characters of an expression
MAX_DEPTH = 50  # parentheses inside parentheses
MAX_NUMBER = 10**9  # any number that is typed
MAX_RESULT = 10**15  # any result; JSON readers keep whole numbers exact up to 9 * 10**15
MAX_DICE = 1_000  # dice of an expression, repeats and the worst of rerolls and explosions included
MAX_REPEATS = 20
MAX_WORDS = 40  # characters of a label or of a face
EXTRA_DICE = 20  # a pool that rerolls or explodes draws at most this many further dice, plus two for each die written
MAX_MODIFIERS = 12  # things that follow one pool
