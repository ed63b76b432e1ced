"""What must be known before any die falls: how many dice and items dice may make of something, and what is refused."""

from dataclasses import replace

from bot.rules.declared.branches import For, If
from bot.rules.declared.formula_functions import MOST_DICE
from bot.rules.declared.formulas import Formula
from bot.rules.declared.odds_limits import GIVEN, counted
from bot.rules.declared.program import Block, everything
from bot.rules.declared.rolls import MOST_ROLLS, Roll, Thrown, sides_of
from bot.rules.declared.setting import FACES, Path, Setting
from bot.rules.declared.values import Refuse
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import MAX_UNITS

MORE = 'write the most: "{hits}d6, at most 20"'
FEWER = "take them from a list or a table"
LONGER = 'roll them all at once, "{hits}d6, at most 20", or go through numbers(min(hits, 40))'


def proved(program: Block, options: tuple[Option, ...], setting: Setting) -> Block:
    """The program with the bounds of all that hangs on dice. Raises TableError where one is not known."""
    return _Proof(program, options, setting).block(program)


class _Proof:
    """What dice may make of the formulas of a program.

    It is gone through with the longest lists; where that takes too long, with short ones, to see what hangs on dice.
    """

    def __init__(self, program: Block, options: tuple[Option, ...], setting: Setting) -> None:
        self._setting = setting
        known = counted(program, options, MAX_UNITS) if any(map(_matters, everything(program))) else None
        self._known = known.seen if known is not None and known.whole else {}
        self._rough = self._known if known is None or known.whole else counted(program, options, 4).seen

    def block(self, block: Block) -> Block:
        """The block with all bounds that can be said. Raises TableError where one is needed and is not known."""
        made = list(block)
        for at, one in enumerate(block):
            if isinstance(one, Roll):
                made[at] = replace(one, dice=tuple(map(self._bounded, one.dice)))
                continue
            if isinstance(one, If) and self._hangs(one.when) and any(_refuses(way) for way in one.blocks()):
                raise self._setting.wrong(
                    "dice decide whether this is refused; refuse before they fall", one.when.where
                )
            if isinstance(one, For) and (counts := _counts(one)) is not None:
                self._most(counts, "how long this list is", MAX_UNITS, LONGER, one.items.where)
            made[at] = one.below(self.block)
        return tuple(made)

    def _bounded(self, thrown: Thrown) -> Thrown:
        count, sides = thrown.count, thrown.sides
        most = self._most(count, "how many dice these are", MOST_DICE, MORE, count.where, thrown.most)
        return replace(thrown, most=most, high=self._most(sides, "their sides", MOST_ROLLS, FEWER, sides.where))

    def _hangs(self, formula: Formula) -> bool:
        """Whether dice decide it."""
        return self._rough.get(formula, GIVEN).size > 1

    def _most(self, formula: Formula, what: str, limit: int, advice: str, where: Path, written: int = 0) -> int:
        """The most that dice may make of it (or as is `written`), 0 where they do not decide it.

        Raises TableError if it is not known.
        """
        if not self._hangs(formula):
            return written
        some = self._known.get(formula, GIVEN).some
        if some is None and written:
            return written
        if some is None:
            raise self._setting.wrong(f"dice decide {what}, and nothing says the most; {advice}", where)
        if odd := [one for one in some if one != "A" and not str(one).lstrip("-").isdecimal()]:
            part = "may have a fraction; up(...) or down(...) rounds it"
            part = part if odd[0].__class__ is float else f"may come to {odd[0]}"
            part += "; write max(0, ...) around what may be none" if odd[0] in ("none", None) else ""
            raise self._setting.wrong(f"dice decide {what}, and it {part}", where)
        if written:
            return written
        if limit == MOST_ROLLS and (low := min(map(sides_of, some))) < 1:
            raise self._setting.wrong(f"dice decide {what}, and it may come to {low}; {advice}", where)
        high = max(map(sides_of, some))
        if high > limit:
            raise self._setting.wrong(f"dice decide {what}, and it may come to {high:,}; {advice}", where)
        return max(high, 1)


def _matters(one: object) -> bool:
    """Whether a statement needs something proved."""
    if isinstance(one, For):
        return _counts(one) is not None
    return (isinstance(one, Roll) and bool(one.reads)) or isinstance(one, Refuse)


def _counts(one: For) -> Formula | None:
    """What says how many items there are: of `numbers(hits)`, and of the dice of a roll."""
    items = one.items
    if items.kind == "numbers":
        return items.parts[0]
    return items if items.kind == "name" and items.value.endswith(FACES) else None


def _refuses(block: Block) -> bool:
    return any(isinstance(one, Refuse) for one in everything(block))
