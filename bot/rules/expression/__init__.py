"""Dice expressions, such as `2d6+3` or `10d10>=8`: read and bounded first, rolled with any source of dice after.

Numbers are whole; `/` drops the fraction, so 7/2 is 3 and -7/2 is -3. On one die a reroll comes before an
explosion; when all dice lie, keep and drop follow in the order written, and counting comes last. Rerolls and
explosions of a pool draw at most 20 further dice, plus two for each die written.
"""

from bot.rules.expression.model import Expression, ExpressionError
from bot.rules.expression.rolling import Fate, Result, Rolling, roll
from bot.rules.expression.sum_parser import check, parse, worst_cost

# What can be written, for help and completion: each example, and what it does.
GUIDE = (
    ("2d6+3", "two six-sided dice plus 3; also - * / and parentheses"),
    ("4d6kh3", "keep the highest 3 (kl lowest; dh, dl drop)"),
    ("d20", "one die; d% has 100 sides"),
    ("2d6r1", "reroll each 1 (r<3, r>=5; ro1 rerolls only once)"),
    ("3d6!", "a 6 brings another die (!5, !>=5)"),
    ("10d10>=8", "count the dice that show 8 or more (> < <= =)"),
    ("2d6+3>=8", "hold the sum against 8; of dice alone (2d6)>=8 or 2d6 sum>=8"),
    ("4dF", "fate dice: -1, 0 or +1"),
    ("3dA", "averaging dice: 2, 3, 3, 4, 4, 5"),
    ("2d[hit,miss,miss]", "dice with faces of your own"),
    ("2d6 [morale] + 1 [leader]", "labels"),
    ("3x 2d6+1", "the same roll 3 times"),
)

__all__ = [
    "GUIDE",
    "Expression",
    "ExpressionError",
    "Fate",
    "Result",
    "Rolling",
    "check",
    "parse",
    "roll",
    "worst_cost",
]
