"""`roll`: dice by count, sides and label, each a formula; at the roll the state is kept, and what follows waits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import inf, prod
from typing import Any

from bot.rules.declared.bounds import MOST_TRIED, MOST_VALUES, Counter, Known, Names, value
from bot.rules.declared.calls import MOST_DICE
from bot.rules.declared.formulas import Env, Formula, constant
from bot.rules.declared.program import NOTHING, OPEN, Block, Partial, Slicer, Statement, undecided
from bot.rules.declared.reading import Place
from bot.rules.declared.setting import FACES, Name, Path
from bot.rules.declared.walk import Dice, Do, Here, Keys, Loop, Now, Site
from bot.rules.dice import AVERAGING, Die
from bot.rules.errors import UserError

DICE = re.compile(r"(\{[^}]*\}|\d{0,2})d(A|\d{1,4}|\{[^}]*\})(?::\s+(.+))?")
MOST_ROLLS = 10_000


@dataclass(frozen=True, slots=True)
class Thrown:
    """Dice of one key: how many, of how many sides, and what they are called, or the name of each."""

    key: str
    count: Formula
    sides: Formula
    label: Formula

    def formulas(self) -> tuple[Formula, Formula, Formula]:
        """What decides which dice they are."""
        return self.count, self.sides, self.label


@dataclass(frozen=True)
class Roll(Statement):
    """Dice. `after` are the keys that are read once they have fallen, besides theirs; `faces` those of its own."""

    site: int
    dice: tuple[Thrown, ...] = ()
    after: Keys = NOTHING
    faces: Keys = NOTHING

    @property
    def name(self) -> str:
        """The step of the plan."""
        return f"{self.site:04}"

    @property
    def rolls(self) -> bool:
        return True

    def formulas(self) -> tuple[Formula, ...]:
        return tuple(formula for thrown in self.dice for formula in thrown.formulas())

    @cached_property
    def sets(self) -> Keys:
        return frozenset(thrown.key + ending for thrown in self.dice for ending in ("", FACES))

    def kept(self, slicer: Slicer) -> Block:
        if slicer.asked is not None and not self.sets & slicer.live:
            return ()
        kept = replace(self, after=slicer.live - self.sets, faces=self.sets & slicer.live)
        slicer.live = kept.before(slicer.live)
        return (kept,)

    def early(self, _fallen: bool, early: set[str], late: set[str], /) -> bool:
        return super().early(True, early, late)

    def partly(self, partial: Partial, env: Env, /) -> bool:
        partial.meets(self, env)
        env |= dict.fromkeys(self.sets, OPEN)
        return False

    def check(self, partial: Partial, env: Env, /) -> None:
        """Raise UserError for dice that cannot be."""
        specs = [tuple([partial.value(formula, env) for formula in thrown.formulas()]) for thrown in self.dice]
        dice_of(tuple([(count, sides, "" if label is OPEN else label) for count, sides, label in specs]))

    def do(self, here: Here, /) -> Do:
        """Owe it: its state holds what is read after it, and at last its dice where values decide these."""
        early, loops = here.early & self.after, here.loops
        fixed = _fixed(loops) & self.after
        keys = tuple(sorted((self.after | {loop.number for loop in loops}) - here.early - fixed))
        specs = [tuple([formula.run for formula in thrown.formulas()]) for thrown in self.dice]

        def asked(env: Env) -> Dice:
            return dice_of(tuple([tuple([spec(env) for spec in three]) for three in specs]))

        dice = None if self.reads else asked({})
        own, name = tuple([thrown.key for thrown in self.dice]), self.name
        here.sites[name] = Site(name, dice, own, self.faces, keys, early, loops, fixed, here.rest)
        if dice is None:
            return lambda env: Now(name, (*[env[key] for key in keys], asked(env)))
        return lambda env: Now(name, tuple([env[key] for key in keys]))

    def bound(self, counter: Counter, names: Names, states: float, /) -> float:
        """As many for each state as its dice have sums, or faces where these are read."""
        states = counter.roll(self.after, names, states)
        for thrown in self.dice:
            key = thrown.key
            sums, faces = _results(thrown.count, thrown.sides, names, counter)
            names[key], names[key + FACES] = sums, faces
            states *= faces.size if key + FACES in self.faces else sums.size if key in self.faces else 1
        return states


def _results(count: Formula, sides: Formula, names: Names, counter: Counter) -> tuple[Known, Known]:
    """The sums and the faces of some dice."""
    many, high = _numbers(count, names, MOST_DICE), _numbers(sides, names, inf)
    most = max(many) * max(high) if max(many) else 0
    some = frozenset(range(min(many), int(most) + 1)) if most <= MOST_VALUES else None
    size = max(1, most - min(many) + 1)
    counter.dice += 1
    sure = counter.sure and not count.reads and not sides.reads and sides.value != "A" and size != inf
    ways = max(high) ** max(many) if max(many) * max(high) <= MOST_TRIED else inf
    return Known(some, size, die=counter.dice if sure else 0), Known(frozenset(many), max(1, ways))


def _numbers(formula: Formula, names: Names, most: float) -> list[Any]:
    """How many dice or sides there may be; an averaging die has six."""
    some = value(formula, names).some
    if some is None:
        return [0, most]
    return [int(str(number)) if str(number).isdecimal() else 6 for number in some]


def _fixed(loops: tuple[Loop, ...]) -> Keys:
    """The keys of lists that say nothing beyond the number of the item: they are found again, not remembered."""
    fixed, outside = set[str](), set[str]()
    for loop in loops:
        own = {loop.key, loop.at}
        fixed |= own - loop.changed - outside
        outside |= own
    return frozenset(fixed)


def read_roll(said: object, place: Place, where: Path) -> Iterator[Statement]:
    """`roll: {check: "2d6: morale check"}`: the sum is `check`, its faces are `faces(check)`."""
    dice: list[Thrown] = []
    for name, written in place.mapping(said, where).items():
        at = (*where, name)
        place.named(name, at)
        found = DICE.fullmatch(str(written))
        if found is None:
            raise place.wrong(f'"{written}" must be dice, such as "2d6: morale check"', at)
        count, sides, label = found.groups()
        labels = (label or str(name).replace("_", " ")).split(" | ")
        if len(labels) > 1 and (str(len(labels)) != count or "{" in label):
            raise place.wrong(f'"{written}" needs as many dice as labels between |, written without formulas', at)
        many, high = place.text(count or "1", at), place.text(sides, at)
        called = constant(tuple(labels)) if len(labels) > 1 else place.text(labels[0], at)
        key = place.put(str(name), "number")
        place.names[f"{name}{FACES}"] = Name(key + FACES, "list")
        dice.append(Thrown(key, many, high, called))
    if dice:
        yield Roll(next(place.sheet.sites), tuple(dice))


@lru_cache(maxsize=512)
def dice_of(specs: tuple[tuple[Any, Any, str | tuple[str, ...]], ...]) -> Dice:
    """The dice by count, sides and label of each key, or a label for each. Raises UserError for too many."""
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


def _whole(written: str, least: int, most: int) -> int:
    if not written.lstrip("-").isdecimal() or int(written) < least:
        raise UserError(f"{written[:20]} cannot be the number of dice or sides.", code="bad-value")
    if int(written) > most:
        raise _too_many_dice()
    return int(written)
