"""`roll`: dice by count, sides and label, each a formula; at the roll the state is kept, and what
follows waits.

Dice that are kept, dropped, rerolled or explode have the words of /roll, and are thrown and counted
as it does.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice, product
from math import inf, prod
from typing import Any, NamedTuple

from bot.rules.declared.compile_context import FACES, SHOWN, Name, Path, describe_type
from bot.rules.declared.formula import Env, Formula, build_constant
from bot.rules.declared.formula_functions import MOST_DICE
from bot.rules.declared.interpreter import LINES, Dice, Do, Here, Keys, Now
from bot.rules.declared.odds_limits import (
    MOST_TRIED,
    MOST_VALUES,
    Counter,
    Names,
    PossibleValues,
    compute_known,
)
from bot.rules.declared.program import (
    NOTHING,
    OPEN,
    Partial,
    Slicer,
    Statement,
    make_undecided_error,
)
from bot.rules.declared.step_parser import StepScope
from bot.rules.dice import AVERAGING, Die
from bot.rules.errors import UserError
from bot.rules.expression.chances import (
    compute_odds,
    compute_width,
    count_die_ways,
    is_chained,
    list_faces,
    sum_dice,
    sum_rerolled_dice,
    unpack,
)
from bot.rules.expression.model import Expression, ExpressionError, Pool
from bot.rules.expression.rolling import KEPT, build_throw, mark_dice
from bot.rules.expression.sum_parser import compute_range, parse
from bot.rules.odds.rolls import ROLLS_AT_ONCE, TooManyStates
from bot.rules.odds.rolls import list_pool_rolls as all_rolls
from bot.rules.sequence.sequence import MOST_ROLLED, make_too_many_dice_error
from bot.rules.text.line import Line

DICE = re.compile(
    r"(\{[^}]*\}|\d{0,2})d(A|\d{1,4}|\{[^}]*\})((?:[khldro!][khldro!<>=0-9]*)?)(?:, at most (\d{1,3}))?(?::\s+(.+))?"
)
MOST_ROLLS = 10_000
"""The most that the dice of one roll may come to: dice times sides."""
Spec = tuple[Any, Any, Any]
"""Count, sides and label of some dice, or a label for each."""


@dataclass(frozen=True, slots=True)
class DiceRequest:
    """Dice of one key: how many, of how many sides, and what they are called, or the name of each.

    `words` are those of /roll, as in `4d6kh3`. `most` and `high` are the most dice and sides where
    dice decide them, or where it is written; else 0.
    """

    key: str
    count: Formula
    sides: Formula
    label: Formula
    words: str = ""
    most: int = 0
    high: int = 0
    where: Path = ()

    @property
    def bound(self) -> int:
        """The most that its dice may come to, as far as the file says how many there are."""
        count = int(self.count.value) if self.count.kind == "constant" else self.most or MOST_DICE
        sides = parse_sides(self.sides.value) if self.sides.kind == "constant" else self.high
        return count * (sides or MOST_ROLLS)

    @property
    def is_bounded(self) -> bool:
        """Return whether the file says how many dice of how many sides there are at most."""
        has_count = self.count.kind == "constant" or self.most > 0
        return has_count and (self.sides.kind == "constant" or self.high > 0)

    @property
    def formulas(self) -> tuple[Formula, Formula, Formula]:
        """What decides which dice they are."""
        return self.count, self.sides, self.label

    def limit(self, spec: Spec) -> Spec:
        """The same with no more dice than may be; what dice will decide as large as it may be."""
        count, sides, label = spec
        if self.most:
            count = self.most if count is OPEN else min(max(_read_number(count), 0), self.most)
        return (
            count,
            self.high if sides is OPEN and self.high else sides,
            "" if label is OPEN else label,
        )


@dataclass(frozen=True, kw_only=True)
class RandomStatement(Statement):
    """What dice fall for. `after` are the keys that are read once they have fallen, besides theirs;
    `faces` those of its own."""

    name: str = field(kw_only=False)
    """The step of the plan."""
    after: Keys = NOTHING
    faces: Keys = NOTHING

    @property
    def rolls(self) -> bool:
        return True

    def is_wanted(self, slicer: Slicer, /) -> bool:
        return slicer.asked is None or bool(self.sets & slicer.live)

    def simplify(self, slicer: Slicer, /) -> Statement:
        return replace(self, after=slicer.live - self.sets, faces=self.sets & slicer.live)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys whose values its state holds, in this order."""
        return tuple(sorted(self.after))


@dataclass(frozen=True)
class RollStatement(RandomStatement):
    """Dice."""

    dice: tuple[DiceRequest, ...] = ()

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        return tuple(formula for thrown in self.dice for formula in thrown.formulas)

    @cached_property
    def dice_keys(self) -> tuple[str, ...]:
        """The keys of its dice, in their order."""
        return tuple([thrown.key for thrown in self.dice])

    @property
    def words(self) -> str:
        """The words of /roll for its dice."""
        return self.dice[0].words

    @cached_property
    def sets(self) -> Keys:
        ends = ("", FACES, SHOWN) if self.words else ("", FACES)
        return frozenset(thrown.key + ending for thrown in self.dice for ending in ends)

    def run_partly(self, partial: Partial, env: Env, /) -> bool:
        partial.meets(self, env)
        env |= dict.fromkeys(self.sets, OPEN)
        return False

    @cached_property
    def constant_dice(self) -> Dice | None:
        """The dice, where no value decides them."""
        specs = () if self.reads or self.words else self.dice
        return (
            build_dice(tuple([tuple([one.run({}) for one in thrown.formulas]) for thrown in specs]))
            if specs
            else None
        )

    def check(self, partial: Partial, env: Env, /) -> None:
        """Raise UserError for dice that cannot be."""
        due = list[Spec]()
        sure = not partial.unsure
        for thrown in self.dice if self.constant_dice is None else ():
            count, _, _ = spec = tuple([partial.value(formula, env) for formula in thrown.formulas])
            sure = sure and count is not OPEN
            due.append(thrown.limit(spec))
            if thrown.words:
                build_pool(_read_number(due[-1][0]), due[-1][1], thrown.words)
        dice = (self.constant_dice or build_dice(tuple(due))).dice
        partial.dice += len(dice) if sure else 0
        if partial.dice > MOST_ROLLED:
            raise make_too_many_dice_error()

    def do(self, here: Here, /) -> Do:
        """Owe it: its state holds what is read after it, and at last what dice they are where
        values decide that.
        """
        runs = [
            (thrown, tuple([formula.run for formula in thrown.formulas])) for thrown in self.dice
        ]

        def build_specs(env: Env) -> tuple[Spec, ...]:
            specs: list[Spec] = []
            for thrown, (count, sides, label) in runs:
                spec: Spec = (count(env), sides(env), label(env))
                specs.append(thrown.limit(spec) if thrown.most else spec)
                if thrown.most and (due := _read_number(spec[0])) > thrown.most:
                    env[LINES].append(
                        Line(spec[2], result=f"{thrown.most} dice of {due}, the card's most")
                    )
            return tuple(specs)

        name = self.name
        keys = self.keys
        here.sites[name] = self, here.rest
        if self.words:
            return lambda env: Now(name, (*[env[key] for key in keys], build_specs(env), ()))
        if self.constant_dice is None:
            return lambda env: Now(name, (*[env[key] for key in keys], build_specs(env)))
        return lambda env: Now(name, tuple([env[key] for key in keys]))

    def bound(self, counter: Counter, names: Names, states: float, /) -> float:
        """As many for each state as its dice have sums, or faces where these are read."""
        states = counter.roll(self.after, names, states)
        for thrown in self.dice:
            key = thrown.key
            for formula in (thrown.count, thrown.sides):
                if formula.reads:
                    counter.sees(formula, compute_known(formula, names))
            sums, faces = _compute_results(thrown, names, counter)
            names[key], names[key + FACES] = sums, faces
            if thrown.words:
                names[key + SHOWN] = faces
            states *= (
                faces.size if key + FACES in self.faces else sums.size if key in self.faces else 1
            )
        return states


def _compute_results(
    thrown: DiceRequest, names: Names, counter: Counter
) -> tuple[PossibleValues, PossibleValues]:
    """The sums and the faces of some dice."""
    count = thrown.count
    sides = thrown.sides
    many = _list_numbers(count, names, MOST_DICE)
    high = _list_numbers(sides, names, thrown.high or inf)
    many = [min(number, thrown.most or MOST_DICE) for number in many if number >= 0] or [0]
    most = max(many) * max(high) if max(many) else 0
    if thrown.words and most != inf:
        return _compute_worded_results(thrown, max(many), int(max(high)))
    some = frozenset(range(min(many), int(most) + 1)) if most <= MOST_VALUES else None
    size = max(1, most - min(many) + 1)
    counter.dice += 1
    sure = (
        counter.sure and not count.reads and not sides.reads and sides.value != "A" and size != inf
    )
    ways = max(high) ** max(many) if max(many) * max(high) <= MOST_TRIED else inf
    faces = frozenset(range(1, int(max(high)) + 1)) if max(high) <= MOST_VALUES else None
    return PossibleValues(some, size, die=counter.dice if sure else 0), PossibleValues(
        frozenset(many), max(1, ways), items=faces
    )


def _compute_worded_results(
    thrown: DiceRequest, many: int, high: int
) -> tuple[PossibleValues, PossibleValues]:
    """The same of dice with words, however many are kept or come in addition."""
    pool = build_pool(many, high, thrown.words)
    some = (
        frozenset(range(compute_range(pool).high + 1))
        if compute_range(pool).high <= MOST_VALUES
        else None
    )
    counts = frozenset(range(pool.cost + 1))
    return PossibleValues(some, compute_range(pool).high + 1), PossibleValues(
        counts, inf if pool.cost * high > MOST_TRIED else high**pool.cost
    )


def _list_numbers(formula: Formula, names: Names, most: float) -> list[Any]:
    """Return how many dice or sides there may be."""
    some = compute_known(formula, names).some
    if some is None:
        return [0, most]
    return list(map(parse_sides, some))


def parse_sides(number: Any) -> int:
    """A number of dice or sides; an averaging die has six."""
    return int(number) if str(number).lstrip("-").isdecimal() else 6


def read_roll(said: object, place: StepScope, where: Path) -> Iterator[Statement]:
    """`roll: {check: "2d6: morale check"}`: the sum is `check`, its faces are `faces(check)`.
    Raises TableError.
    """
    dice: list[DiceRequest] = []
    for name, written in place.mapping(said, where).items():
        at = (*where, name)
        place.check_name(name, at)
        found = DICE.fullmatch(str(written))
        if found is None:
            raise place.make_error(f'"{written}" must be dice, such as "2d6: morale check"', at)
        count, sides, words, most, label = found.groups()
        labels = (label or str(name).replace("_", " ")).split(" | ")
        if len(labels) > 1 and (str(len(labels)) != count or "{" in label or words):
            raise place.make_error(
                f'"{written}" needs as many dice as labels between |, written without formulas', at
            )
        many = (
            place.formula(count[1:-1], at)
            if count.startswith("{")
            else build_constant(int(count or 1))
        )
        if many.type not in ("number", "any", "text"):
            raise place.make_error(f"{describe_type(many.type)} cannot be the number of dice", at)
        if most and (many.kind == "constant" or not 0 < int(most) <= MOST_DICE):
            raise place.make_error(
                f"at most goes with a count in braces, and with 1 to {MOST_DICE} dice", at
            )
        high = place.text(sides, at)
        called = build_constant(tuple(labels)) if len(labels) > 1 else place.text(labels[0], at)
        key = place.set_name(str(name), "number")
        place.names[f"{name}{FACES}"] = Name(key + FACES, "list")
        if words:
            _check_words(place, many, sides, words, at)
            place.names[f"{name}{SHOWN}"] = Name(key + SHOWN, "list")
        else:
            place.names.pop(f"{name}{SHOWN}", None)
        reads = any(
            before.key in formula.reads for before in dice for formula in (many, high, called)
        )
        thrown = DiceRequest(key, many, high, called, words, int(most or 0), where=at)
        if thrown.is_bounded and thrown.bound > MOST_ROLLS:
            raise place.make_error(explain_too_large_roll(thrown), at)
        together = prod(one.bound for one in (*dice, thrown))
        if dice and (reads or words or dice[-1].words or together > MOST_ROLLS):
            yield RollStatement(f"{next(place.sheet.sites):04}", tuple(dice))
            dice = []
        dice.append(thrown)
    if dice:
        yield RollStatement(f"{next(place.sheet.sites):04}", tuple(dice))


def explain_too_large_roll(thrown: DiceRequest) -> str:
    """Return what is wrong with dice that may come to more than one roll does."""
    sides = parse_sides(thrown.sides.value) if thrown.sides.kind == "constant" else thrown.high
    most = MOST_ROLLS // sides
    return (
        f"{thrown.bound // sides} dice of {sides} sides may come to {thrown.bound:,}, "
        f"and one roll to {MOST_ROLLS:,}; roll {most} at most"
    )


def _check_words(place: StepScope, count: Formula, sides: str, words: str, where: Path) -> None:
    """Raise TableError for words that /roll would not take for these dice, as far as they are
    written plainly.
    """
    try:
        if not sides.startswith("{"):
            build_pool(1, sides, words)
            parse(f"{count.value if count.kind == 'constant' else MOST_DICE}d{sides}{words}")
    except UserError as error:
        raise place.make_error(str(getattr(error, "reason", error)), where) from None


@lru_cache(maxsize=512)
def build_dice(specs: tuple[Spec, ...]) -> Dice:
    """The dice of each key. Raises UserError for too many."""
    some: list[tuple[Die, ...]] = []
    for count, faces, name in specs:
        if OPEN in (count, faces):
            raise make_undecided_error("the number or sides of its dice")
        labels = (name,) * _read_whole(count, 0, MOST_DICE) if isinstance(name, str) else name
        die = Die("", 6, AVERAGING) if faces == "A" else Die("", _read_whole(faces, 1, MOST_ROLLS))
        if len(labels) * die.sides > MOST_ROLLS:
            raise _make_too_many_dice_error(labels, die)
        some.append(tuple([Die(label, die.sides, die.faces) for label in labels]))
    ends = [sum(map(len, some[: at + 1])) for at in range(len(some))]
    return Dice(
        tuple(die for dice in some for die in dice), tuple(zip([0, *ends], ends, strict=False))
    )


def _make_too_many_dice_error(labels: Sequence[str], die: Die) -> UserError:
    """Return the error for dice that come to more than one roll does."""
    what = f"{len(labels)}{die.name}" + (f" ({labels[0]})" if labels[0] else "")
    return UserError(
        f"{what} is too much for one roll: dice times sides may come to {MOST_ROLLS:,}.",
        hint="Take fewer units.",
        code="too-large",
    )


def _read_whole(written: object, least: int, most: int) -> int:
    number = _read_number(written)
    if number < least:
        raise _make_no_number_error(written)
    if number > most:
        what = "dice" if most == MOST_DICE else "sides"
        raise UserError(
            f"{number:,} {what} are too many for one roll: {most:,} at most.",
            hint="Take fewer units.",
            code="too-large",
        )
    return number


def _read_number(written: Any) -> int:
    """A whole number, as a number or as a text."""
    if written.__class__ is int:
        return written
    if not str(written).lstrip("-").isdecimal():
        raise _make_no_number_error(written)
    return int(str(written))


def _make_no_number_error(written: object) -> UserError:
    return UserError(
        f"{str(written)[:20]} cannot be the number of dice or sides.", code="bad-value"
    )


# -- dice with words

Tests = tuple[tuple[Any, ...], ...]
"""Of each test that looks at the dice: what it makes of each face."""


MOST_LAID = 500_000_000
"""Bytes that are added up for the odds of dice that go on, which takes about half a second."""


class WordedResult(NamedTuple):
    """What dice with words come to: the sum of what counts, these faces, and all as an answer
    shows them.
    """

    total: int
    faces: tuple[Any, ...]
    shown: tuple[Any, ...] = ()


Ways = tuple[tuple[int, tuple[WordedResult]], ...]
"""What dice with words may come to, each with how many equally likely rolls come to it."""


@lru_cache(maxsize=256)
def build_pool(count: int, sides: object, words: str) -> Pool:
    """So many dice of so many sides with these words. Raises UserError for words that they do
    not take.
    """
    try:
        expression = parse(f"{MOST_DICE}d{sides}{words}", is_early=True)
    except ExpressionError as error:
        raise UserError(
            f"d{sides}{words} cannot be rolled: {error.reason}.", code="bad-dice"
        ) from None
    (pool,) = expression.pools or (None,)
    if pool is None or len(expression.program) > 1 or expression.against or pool.count_if:
        raise UserError(
            f'"{words}" is not for a roll here: how_many(roll, face >= 5) counts dice.',
            code="bad-dice",
        )
    return replace(pool, count=count, label=f"d{sides}{words}")


class _Owed(Exception):
    """More dice must fall."""


def sum_worded_dice(pool: Pool, drawn: tuple[Any, ...]) -> WordedResult | None:
    """What these dice come to, None while further ones are owed."""
    left = iter(drawn)

    def draw(_die: object, count: int) -> list[Any]:
        some = [*islice(left, count)]
        if len(some) < count:
            raise _Owed
        return some

    try:
        faces, fates, total, _ = build_throw(pool)(draw)
    except _Owed:
        return None
    if fates is None:
        return WordedResult(total, tuple(faces), tuple(faces))
    shown = [int(one) if one.isdecimal() else one for one in mark_dice(map(str, faces), fates)]
    kept = [face for face, fate in zip(faces, fates, strict=True) if fate & KEPT]
    return WordedResult(total, tuple(kept), tuple(shown))


@lru_cache(maxsize=256)
def list_worded_rolls(pool: Pool, summed: bool, single: bool, tests: Tests | None) -> Ways:
    """The rolls that differ for whoever reads their sum, or single faces: by `tests` alone, or
    (None) in their order.

    Raises UserError for what is too much, or cannot be counted.
    """
    if not pool.count or not (summed or single):
        return ((1, (WordedResult(0, ()),)),)
    if not single:
        ways = compute_odds(Expression(None, (pool,), (pool,))).ways
        return tuple((some, (WordedResult(int(total), ()),)) for total, some in ways.items())
    if is_chained(pool):
        if tests is None or summed or pool.picks:
            hint = "Their sum alone can be counted" + (
                "." if pool.picks else ", or how many of them pass a test."
            )
            what = f"The odds of {pool.count}{pool.label} cannot be counted die by die."
            raise UserError(what, hint=hint, code="no-odds")
        return _group_open_dice(pool, tests)
    die = count_die_ways(pool)
    plain = replace(pool, once=())
    classes = tuple([(some, (face,)) for face, some in die.items()])
    if tests is None:
        if len(die) ** pool.count > ROLLS_AT_ONCE:
            raise TooManyStates
        rolls: Any = product(classes, repeat=pool.count)
        found = [
            (prod(some for some, _ in roll), tuple(face for _, (face,) in roll)) for roll in rolls
        ]
    else:
        found = list(all_rolls(pool.count, classes))
    return tuple((some, (sum_worded_dice(plain, faces),)) for some, faces in found)  # type: ignore[misc]


def _group_open_dice(pool: Pool, tests: Tests) -> Ways:
    """Dice that go on, by how many of those that lie in the end pass which tests; who passes
    none is left out.
    """
    seen = dict(zip(pool.values, zip(*tests, strict=True), strict=True))
    classes = [one for one in dict.fromkeys(seen.values()) if one != ((bool, True),) * len(tests)]
    most = pool.cost + 1
    width = compute_width(pool.sides**pool.cost)
    if (
        most ** len(classes) * width * (pool.count * pool.extra if pool.once else pool.cost)
        > MOST_LAID
    ):
        raise TooManyStates
    worth = {one: most**at for at, one in enumerate(classes)}
    if pool.once:
        fields = sum_rerolled_dice(
            pool, [worth.get(seen[value], 0) for value in pool.values], 0, 8 * width
        )
    else:
        fields = sum_dice(
            pool, list_faces(pool, [worth.get(one, 0) for one in seen.values()])[1], 0, 8 * width
        )
    shown = {worth[one]: value for value, one in seen.items() if one in worth}
    found = []
    for number, some in unpack(fields, width, 0).items():
        faces = [face for up, face in shown.items() for _ in range(number // up % most)]
        found.append((some, (WordedResult(sum(faces), tuple(faces)),)))
    return tuple(found)
