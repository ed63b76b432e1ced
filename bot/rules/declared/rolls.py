"""`roll`: dice by count, sides and label, each a formula; at the roll the state is kept, and what follows waits."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import inf, prod
from typing import Any

from bot.rules.declared.dice_words import pool_of
from bot.rules.declared.formula_functions import MOST_DICE
from bot.rules.declared.formulas import Env, Formula, constant
from bot.rules.declared.odds_limits import MOST_TRIED, MOST_VALUES, Counter, Known, Names, value
from bot.rules.declared.program import NOTHING, OPEN, Block, Partial, Slicer, Statement, undecided
from bot.rules.declared.setting import FACES, SHOWN, Name, Path, spoken
from bot.rules.declared.step_reader import Place
from bot.rules.declared.walk import LINES, Dice, Do, Here, Keys, Now, Site
from bot.rules.dice import AVERAGING, Die
from bot.rules.errors import UserError
from bot.rules.expression.cost import reach
from bot.rules.expression.sum_parser import parse
from bot.rules.sequence.sequence import MOST_ROLLED, too_many_dice
from bot.rules.text.line import Line

DICE = re.compile(
    r"(\{[^}]*\}|\d{0,2})d(A|\d{1,4}|\{[^}]*\})((?:[khldro!][khldro!<>=0-9]*)?)(?:, at most (\d{1,3}))?(?::\s+(.+))?"
)
MOST_ROLLS = 10_000
Spec = tuple[Any, Any, Any]
"""Count, sides and label of some dice, or a label for each."""


@dataclass(frozen=True, slots=True)
class Thrown:
    """Dice of one key: how many, of how many sides, and what they are called, or the name of each.

    `words` are those of /roll, as in `4d6kh3`. `most` and `high` are the most dice and sides where dice decide them, or
    where it is written; else 0.
    """

    key: str
    count: Formula
    sides: Formula
    label: Formula
    words: str = ""
    most: int = 0
    high: int = 0

    def formulas(self) -> tuple[Formula, Formula, Formula]:
        """What decides which dice they are."""
        return self.count, self.sides, self.label

    def at_most(self, spec: Spec) -> Spec:
        """The same with no more dice than may be; what dice will decide as large as it may be."""
        count, sides, label = spec
        if self.most:
            count = self.most if count is OPEN else min(max(_number(count), 0), self.most)
        return count, self.high if sides is OPEN and self.high else sides, "" if label is OPEN else label


@dataclass(frozen=True, kw_only=True)
class Falling(Statement):
    """What dice fall for. `after` are the keys that are read once they have fallen, besides theirs; `faces` those of
    its own."""

    site: int = field(kw_only=False)
    after: Keys = NOTHING
    faces: Keys = NOTHING

    @property
    def name(self) -> str:
        """The step of the plan."""
        return f"{self.site:04}"

    @property
    def rolls(self) -> bool:
        return True

    def kept(self, slicer: Slicer) -> Block:
        if slicer.asked is not None and not self.sets & slicer.live:
            return ()
        kept = replace(self, after=slicer.live - self.sets, faces=self.sets & slicer.live)
        slicer.live = kept.before(slicer.live)
        return (kept,)

    def owe(self, here: Here, dice: Dice | None, own: tuple[str, ...], words: str = "") -> tuple[str, ...]:
        """Note the roll that it is there; returns the keys that its state holds, which are read after it."""
        keys = tuple(sorted(self.after))
        here.sites[self.name] = Site(self, dice, own, self.faces, keys, here.rest, words)
        return keys


@dataclass(frozen=True)
class Roll(Falling):
    """Dice."""

    dice: tuple[Thrown, ...] = ()

    def formulas(self) -> tuple[Formula, ...]:
        return tuple(formula for thrown in self.dice for formula in thrown.formulas())

    @cached_property
    def sets(self) -> Keys:
        ends = ("", FACES, SHOWN) if self.dice[0].words else ("", FACES)
        return frozenset(thrown.key + ending for thrown in self.dice for ending in ends)

    def partly(self, partial: Partial, env: Env, /) -> bool:
        partial.meets(self, env)
        env |= dict.fromkeys(self.sets, OPEN)
        return False

    def check(self, partial: Partial, env: Env, /) -> None:
        """Raise UserError for dice that cannot be."""
        due, sure = list[Spec](), not partial.unsure
        for thrown in self.dice:
            count, _, _ = spec = tuple([partial.value(formula, env) for formula in thrown.formulas()])
            sure = sure and count is not OPEN
            due.append(thrown.at_most(spec))
            if thrown.words:
                pool_of(_number(due[-1][0]), due[-1][1], thrown.words)
        dice = dice_of(tuple(due)).dice
        partial.dice += len(dice) if sure else 0
        if partial.dice > MOST_ROLLED:
            raise too_many_dice()

    def do(self, here: Here, /) -> Do:
        """Owe it: its state holds what is read after it, and at last what dice they are where values decide that."""
        runs = [(thrown, tuple([formula.run for formula in thrown.formulas()])) for thrown in self.dice]

        def asked(env: Env) -> tuple[Spec, ...]:
            specs: list[Spec] = []
            for thrown, (count, sides, label) in runs:
                spec: Spec = (count(env), sides(env), label(env))
                specs.append(thrown.at_most(spec) if thrown.most else spec)
                if thrown.most and (due := _number(spec[0])) > thrown.most:
                    env[LINES].append(Line(spec[2], result=f"{thrown.most} dice of {due}, the card's most"))
            return tuple(specs)

        words = self.dice[0].words
        dice = None if self.reads or words else dice_of(asked({}))
        own, name = tuple([thrown.key for thrown in self.dice]), self.name
        keys = self.owe(here, dice, own, words)
        if words:
            return lambda env: Now(name, (*[env[key] for key in keys], asked(env), ()))
        if dice is None:
            return lambda env: Now(name, (*[env[key] for key in keys], asked(env)))
        return lambda env: Now(name, tuple([env[key] for key in keys]))

    def bound(self, counter: Counter, names: Names, states: float, /) -> float:
        """As many for each state as its dice have sums, or faces where these are read."""
        states = counter.roll(self.after, names, states)
        for thrown in self.dice:
            key = thrown.key
            for formula in (thrown.count, thrown.sides):
                if formula.reads:
                    counter.sees(formula, value(formula, names))
            sums, faces = _results(thrown, names, counter)
            names[key], names[key + FACES] = sums, faces
            if thrown.words:
                names[key + SHOWN] = faces
            states *= faces.size if key + FACES in self.faces else sums.size if key in self.faces else 1
        return states


def _results(thrown: Thrown, names: Names, counter: Counter) -> tuple[Known, Known]:
    """The sums and the faces of some dice."""
    count, sides = thrown.count, thrown.sides
    many, high = _numbers(count, names, MOST_DICE), _numbers(sides, names, thrown.high or inf)
    many = [min(number, thrown.most or MOST_DICE) for number in many if number >= 0] or [0]
    most = max(many) * max(high) if max(many) else 0
    if thrown.words and most != inf:
        return _worded(thrown, max(many), int(max(high)))
    some = frozenset(range(min(many), int(most) + 1)) if most <= MOST_VALUES else None
    size = max(1, most - min(many) + 1)
    counter.dice += 1
    sure = counter.sure and not count.reads and not sides.reads and sides.value != "A" and size != inf
    ways = max(high) ** max(many) if max(many) * max(high) <= MOST_TRIED else inf
    faces = frozenset(range(1, int(max(high)) + 1)) if max(high) <= MOST_VALUES else None
    return Known(some, size, die=counter.dice if sure else 0), Known(frozenset(many), max(1, ways), items=faces)


def _worded(thrown: Thrown, many: int, high: int) -> tuple[Known, Known]:
    """The same of dice with words, however many are kept or come in addition."""
    pool = pool_of(many, high, thrown.words)
    some = frozenset(range(reach(pool).high + 1)) if reach(pool).high <= MOST_VALUES else None
    counts = frozenset(range(pool.cost + 1))
    return Known(some, reach(pool).high + 1), Known(counts, inf if pool.cost * high > MOST_TRIED else high**pool.cost)


def _numbers(formula: Formula, names: Names, most: float) -> list[Any]:
    """How many dice or sides there may be."""
    some = value(formula, names).some
    if some is None:
        return [0, most]
    return list(map(sides_of, some))


def sides_of(number: Any) -> int:
    """A number of dice or sides; an averaging die has six."""
    return int(number) if str(number).lstrip("-").isdecimal() else 6


def read_roll(said: object, place: Place, where: Path) -> Iterator[Statement]:
    """`roll: {check: "2d6: morale check"}`: the sum is `check`, its faces are `faces(check)`. Raises TableError."""
    dice: list[Thrown] = []
    for name, written in place.mapping(said, where).items():
        at = (*where, name)
        place.named(name, at)
        found = DICE.fullmatch(str(written))
        if found is None:
            raise place.wrong(f'"{written}" must be dice, such as "2d6: morale check"', at)
        count, sides, words, most, label = found.groups()
        labels = (label or str(name).replace("_", " ")).split(" | ")
        if len(labels) > 1 and (str(len(labels)) != count or "{" in label or words):
            raise place.wrong(f'"{written}" needs as many dice as labels between |, written without formulas', at)
        many = place.formula(count[1:-1], at) if count.startswith("{") else constant(int(count or 1))
        if many.type not in ("number", "any", "text"):
            raise place.wrong(f"{spoken(many.type)} cannot be the number of dice", at)
        if most and (many.kind == "constant" or not 0 < int(most) <= MOST_DICE):
            raise place.wrong(f"at most goes with a count in braces, and with 1 to {MOST_DICE} dice", at)
        high = place.text(sides, at)
        called = constant(tuple(labels)) if len(labels) > 1 else place.text(labels[0], at)
        key = place.put(str(name), "number")
        place.names[f"{name}{FACES}"] = Name(key + FACES, "list")
        if words:
            _check_words(place, many, sides, words, at)
            place.names[f"{name}{SHOWN}"] = Name(key + SHOWN, "list")
        else:
            place.names.pop(f"{name}{SHOWN}", None)
        reads = any(before.key in formula.reads for before in dice for formula in (many, high, called))
        if dice and (reads or words or dice[-1].words):
            yield Roll(next(place.sheet.sites), tuple(dice))
            dice = []
        dice.append(Thrown(key, many, high, called, words, int(most or 0)))
    if dice:
        yield Roll(next(place.sheet.sites), tuple(dice))


def _check_words(place: Place, count: Formula, sides: str, words: str, where: Path) -> None:
    """Raise TableError for words that /roll would not take for these dice, as far as they are written plainly."""
    try:
        if not sides.startswith("{"):
            pool_of(1, sides, words)
            parse(f"{count.value if count.kind == 'constant' else MOST_DICE}d{sides}{words}")
    except UserError as error:
        raise place.wrong(str(getattr(error, "reason", error)), where) from None


@lru_cache(maxsize=512)
def dice_of(specs: tuple[Spec, ...]) -> Dice:
    """The dice of each key. Raises UserError for too many."""
    some: list[tuple[Die, ...]] = []
    for count, faces, name in specs:
        if OPEN in (count, faces):
            raise undecided("the number or sides of its dice")
        labels = (name,) * _whole(count, 0, MOST_DICE) if isinstance(name, str) else name
        die = Die("", 6, AVERAGING) if faces == "A" else Die("", _whole(faces, 1, MOST_ROLLS))
        some.append(tuple([Die(label, die.sides, die.faces) for label in labels]))
    if prod(max(len(dice) * max((die.sides for die in dice), default=1), 1) for dice in some) > MOST_ROLLS:
        raise _too_many_dice()
    ends = [sum(map(len, some[: at + 1])) for at in range(len(some))]
    return Dice(tuple(die for dice in some for die in dice), tuple(zip([0, *ends], ends, strict=False)))


def _too_many_dice() -> UserError:
    return UserError("These are too many dice at once.", code="too-large")


def _whole(written: object, least: int, most: int) -> int:
    number = _number(written)
    if number < least:
        raise _no_number(written)
    if number > most:
        raise _too_many_dice()
    return number


def _number(written: Any) -> int:
    """A whole number, as a number or as a text."""
    if written.__class__ is int:
        return written
    if not str(written).lstrip("-").isdecimal():
        raise _no_number(written)
    return int(str(written))


def _no_number(written: object) -> UserError:
    return UserError(f"{str(written)[:20]} cannot be the number of dice or sides.", code="bad-value")
