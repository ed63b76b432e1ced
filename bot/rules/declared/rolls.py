"""`roll`: dice with count, sides and label as formulas. At a roll the state is kept, and the steps
after it wait.

Dice that are kept, dropped, rerolled or that explode have the words of /roll, and follow its rules.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
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
    Names,
    PossibleValues,
    StateCounter,
    compute_known,
)
from bot.rules.declared.program import (
    NOTHING,
    OPEN,
    KnownValuesPass,
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
"""The highest product of dice and sides in one roll."""
Spec = tuple[Any, Any, Any]
"""Count, sides and label of some dice; the label may be one for each die."""


@dataclass(frozen=True, slots=True)
class DiceRequest:
    """The dice of one key: formulas of their count, sides and label (or a label for each).

    `words` are those of /roll, as in `4d6kh3`. `most` and `high` are the highest count and number
    of sides, if dice decide them or the file states them; else 0.
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
        """The highest product of dice and sides that the file allows."""
        count = int(self.count.value) if self.count.kind == "constant" else self.most or MOST_DICE
        sides = parse_sides(self.sides.value) if self.sides.kind == "constant" else self.high
        return count * (sides or MOST_ROLLS)

    @property
    def is_bounded(self) -> bool:
        """True if the file limits the number of dice and sides."""
        has_count = self.count.kind == "constant" or self.most > 0
        return has_count and (self.sides.kind == "constant" or self.high > 0)

    @property
    def formulas(self) -> tuple[Formula, Formula, Formula]:
        """The formulas that decide which dice they are."""
        return self.count, self.sides, self.label

    def limit(self, spec: Spec) -> Spec:
        """Return the dice with no more than `most`; open counts and sides become the highest
        possible.
        """
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
    """A statement that needs a roll. `after` are the keys that are read after it, without its own;
    `faces` are its own keys that are read.
    """

    name: str = field(kw_only=False)
    """The name of the step in the plan."""
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
        """The keys whose values its state holds, in order."""
        return tuple(sorted(self.after))


@dataclass(frozen=True)
class RollStatement(RandomStatement):
    """A roll of dice."""

    dice: tuple[DiceRequest, ...] = ()

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        return tuple(formula for request in self.dice for formula in request.formulas)

    @cached_property
    def dice_keys(self) -> tuple[str, ...]:
        """The keys of its dice, in order."""
        return tuple([request.key for request in self.dice])

    @property
    def words(self) -> str:
        """The words of /roll for its dice."""
        return self.dice[0].words

    @cached_property
    def sets(self) -> Keys:
        suffixes = ("", FACES, SHOWN) if self.words else ("", FACES)
        return frozenset(request.key + ending for request in self.dice for ending in suffixes)

    def run_partly(self, known_pass: KnownValuesPass, env: Env, /) -> bool:
        known_pass.meets(self, env)
        env |= dict.fromkeys(self.sets, OPEN)
        return False

    @cached_property
    def constant_dice(self) -> Dice | None:
        """The dice, if no value decides them, else None."""
        specs = () if self.reads or self.words else self.dice
        return (
            build_dice(
                tuple(
                    [tuple([formula.run({}) for formula in request.formulas]) for request in specs]
                )
            )
            if specs
            else None
        )

    def check(self, known_pass: KnownValuesPass, env: Env, /) -> None:
        """Raise UserError for impossible dice."""
        due = list[Spec]()
        sure = not known_pass.unsure
        for request in self.dice if self.constant_dice is None else ():
            count, _, _ = spec = tuple(
                [known_pass.value(formula, env) for formula in request.formulas]
            )
            sure = sure and count is not OPEN
            due.append(request.limit(spec))
            if request.words:
                build_pool(_read_number(due[-1][0]), due[-1][1], request.words)
        dice = (self.constant_dice or build_dice(tuple(due))).dice
        known_pass.dice += len(dice) if sure else 0
        if known_pass.dice > MOST_ROLLED:
            raise make_too_many_dice_error()

    def do(self, context: Here, /) -> Do:
        """Return the function that stops for the roll.

        Its state holds the values that are read after it, and last the dice, if values decide them.
        """
        runs = [
            (request, tuple([formula.run for formula in request.formulas])) for request in self.dice
        ]

        def build_specs(env: Env) -> tuple[Spec, ...]:
            specs: list[Spec] = []
            for request, (count, sides, label) in runs:
                spec: Spec = (count(env), sides(env), label(env))
                specs.append(request.limit(spec) if request.most else spec)
                if request.most and (due := _read_number(spec[0])) > request.most:
                    env[LINES].append(
                        Line(spec[2], result=f"{request.most} dice of {due}, the card's most")
                    )
            return tuple(specs)

        name = self.name
        keys = self.keys
        context.sites[name] = self, context.rest
        if self.words:
            return lambda env: Now(name, (*[env[key] for key in keys], build_specs(env), ()))
        if self.constant_dice is None:
            return lambda env: Now(name, (*[env[key] for key in keys], build_specs(env)))
        return lambda env: Now(name, tuple([env[key] for key in keys]))

    def bound(self, counter: StateCounter, names: Names, states: float, /) -> float:
        """Return the states after the roll: `states` times the number of its results.

        These are the possible sums, or the faces if those are read. Updates the possible values in
        `names`.
        """
        where = self.dice[0].where if self.dice else ()
        states = counter.roll(self.after, names, states, where)
        for request in self.dice:
            key = request.key
            for formula in (request.count, request.sides):
                if formula.reads:
                    counter.sees(formula, compute_known(formula, names))
            sums, faces = _compute_results(request, names, counter)
            names[key], names[key + FACES] = sums, faces
            if request.words:
                names[key + SHOWN] = faces
            if key + FACES in self.faces:
                states *= faces.size
            elif key in self.faces:
                states *= sums.size
        return states


def _compute_results(
    request: DiceRequest, names: Names, counter: StateCounter
) -> tuple[PossibleValues, PossibleValues]:
    """Return the possible sums and faces of some dice. Counts the dice in `counter`, unless they
    have words of /roll.
    """
    numbers = _list_numbers(request.count, names, MOST_DICE)
    limit = request.most or MOST_DICE
    counts = [min(number, limit) for number in numbers if number >= 0] or [0]
    least_count = min(counts)
    count = max(counts)
    sides = max(_list_numbers(request.sides, names, request.high or inf))
    largest_sum = count * sides if count else 0
    if request.words and largest_sum != inf:
        return _compute_worded_results(request, count, int(sides))
    sums = _list_whole_numbers(least_count, largest_sum)
    size = max(1, largest_sum - least_count + 1)
    counter.dice += 1
    is_constant = not request.count.reads and not request.sides.reads
    is_sure = counter.sure and is_constant and request.sides.value != "A" and size != inf
    possible_sums = PossibleValues(sums, size, die=counter.dice if is_sure else 0)
    roll_count = sides**count if count * sides <= MOST_TRIED else inf
    faces = _list_whole_numbers(1, sides)
    return possible_sums, PossibleValues(frozenset(counts), max(1, roll_count), items=faces)


def _list_whole_numbers(first: int, last: float) -> frozenset[int] | None:
    """Return the whole numbers from `first` to `last`, None if `last` is above MOST_VALUES."""
    if last > MOST_VALUES:
        return None
    return frozenset(range(first, int(last) + 1))


def _compute_worded_results(
    request: DiceRequest, count: int, high: int
) -> tuple[PossibleValues, PossibleValues]:
    """Return the possible sums and numbers of faces of dice with words of /roll, such as `kh3`.

    They are bounds for up to `count` dice with up to `high` sides, whatever is dropped, rerolled or
    added.
    """
    pool = build_pool(count, high, request.words)
    largest_sum = compute_range(pool).high
    possible_sums = PossibleValues(_list_whole_numbers(0, largest_sum), largest_sum + 1)
    counts = frozenset(range(pool.cost + 1))
    roll_count = inf if pool.cost * high > MOST_TRIED else high**pool.cost
    return possible_sums, PossibleValues(counts, roll_count)


def _list_numbers(formula: Formula, names: Names, limit: float) -> list[Any]:
    """Return the possible numbers of dice or sides."""
    values = compute_known(formula, names).some
    if values is None:
        return [0, limit]
    return list(map(parse_sides, values))


def parse_sides(number: Any) -> int:
    """Return a number of dice or sides; an averaging die has six."""
    return int(number) if str(number).lstrip("-").isdecimal() else 6


def read_roll(spec: object, scope: StepScope, path: Path) -> Iterator[Statement]:
    """Read `roll: {check: "2d6: morale check"}`: the sum is `check`, its faces are `faces(check)`.

    Raises TableError for dice that cannot be read, or are too many.
    """
    requests: list[DiceRequest] = []
    for name, text in scope.mapping(spec, path).items():
        request = _read_dice(name, str(text), scope, (*path, name))
        if requests and _needs_own_roll(request, requests):
            yield RollStatement(f"{next(scope.sheet.sites):04}", tuple(requests))
            requests = []
        requests.append(request)
    if requests:
        yield RollStatement(f"{next(scope.sheet.sites):04}", tuple(requests))


def _read_dice(name: Any, text: str, scope: StepScope, path: Path) -> DiceRequest:
    """Read the dice of one key, such as `2d6: morale check`.

    Adds the names of their sum and faces to the scope. Raises TableError for a text that is no
    dice, and for more dice than a roll may have.
    """
    scope.check_name(name, path)
    match = DICE.fullmatch(text)
    if match is None:
        raise scope.make_error(f'"{text}" must be dice, such as "2d6: morale check"', path)
    count_text, sides_text, words, limit, label_text = match.groups()
    labels = (label_text or str(name).replace("_", " ")).split(" | ")
    if len(labels) > 1 and (str(len(labels)) != count_text or "{" in label_text or words):
        problem = f'"{text}" needs as many dice as labels between |, written without formulas'
        raise scope.make_error(problem, path)
    count = _read_dice_count(count_text, limit, scope, path)
    sides = scope.text(sides_text, path)
    if len(labels) > 1:
        label = build_constant(tuple(labels))
    else:
        label = scope.text(labels[0], path)
    key = scope.set_name(str(name), "number")
    scope.names[f"{name}{FACES}"] = Name(key + FACES, "list")
    if words:
        _check_words(scope, count, sides_text, words, path)
        scope.names[f"{name}{SHOWN}"] = Name(key + SHOWN, "list")
    else:
        scope.names.pop(f"{name}{SHOWN}", None)
    request = DiceRequest(key, count, sides, label, words, int(limit or 0), where=path)
    if request.is_bounded and request.bound > MOST_ROLLS:
        raise scope.make_error(explain_too_large_roll(request), path)
    return request


def _read_dice_count(text: str, limit: str, scope: StepScope, path: Path) -> Formula:
    """Read the number of dice: digits, a formula in braces, or "" for one die.

    `limit` is the maximum that the file states for a formula, "" for none. Raises TableError if the
    type of the formula is neither number, text nor any, and if `limit` is not from 1 to MOST_DICE
    or the count is a constant.
    """
    if text.startswith("{"):
        count = scope.formula(text[1:-1], path)
    else:
        count = build_constant(int(text or 1))
    if count.type not in ("number", "any", "text"):
        problem = f"{describe_type(count.type)} cannot be the number of dice"
        raise scope.make_error(problem, path)
    if limit and (count.kind == "constant" or not 0 < int(limit) <= MOST_DICE):
        problem = f"at most goes with a count in braces, and with 1 to {MOST_DICE} dice"
        raise scope.make_error(problem, path)
    return count


def _needs_own_roll(request: DiceRequest, earlier_requests: list[DiceRequest]) -> bool:
    """Return whether dice cannot be rolled together with the dice before them.

    They cannot if their formulas read the earlier dice, if they or the dice just before them have
    words of /roll, or if all of them together would be too many.
    """
    earlier_keys = {earlier.key for earlier in earlier_requests}
    if any(not earlier_keys.isdisjoint(formula.reads) for formula in request.formulas):
        return True
    if request.words or earlier_requests[-1].words:
        return True
    together = prod(each_request.bound for each_request in (*earlier_requests, request))
    return together > MOST_ROLLS


def explain_too_large_roll(request: DiceRequest) -> str:
    """Return what is wrong with dice that may come to more than one roll does."""
    sides = parse_sides(request.sides.value) if request.sides.kind == "constant" else request.high
    limit = MOST_ROLLS // sides
    return (
        f"{request.bound // sides} dice of {sides} sides may add up to {request.bound:,}, "
        f"and the limit for one roll is {MOST_ROLLS:,}; roll at most {limit}"
    )


def _check_words(scope: StepScope, count: Formula, sides: str, words: str, path: Path) -> None:
    """Raise TableError for words that /roll refuses for these dice, as far as they are
    constants.
    """
    try:
        if not sides.startswith("{"):
            build_pool(1, sides, words)
            parse(f"{count.value if count.kind == 'constant' else MOST_DICE}d{sides}{words}")
    except UserError as error:
        raise scope.make_error(str(getattr(error, "reason", error)), path) from None


@lru_cache(maxsize=512)
def build_dice(specs: tuple[Spec, ...]) -> Dice:
    """Return the dice of each key. Raises UserError for too many."""
    dice_by_key: list[tuple[Die, ...]] = []
    for count, faces, name in specs:
        if OPEN in (count, faces):
            raise make_undecided_error("the number or sides of its dice")
        labels = (name,) * _read_whole(count, 0, MOST_DICE) if isinstance(name, str) else name
        die = Die("", 6, AVERAGING) if faces == "A" else Die("", _read_whole(faces, 1, MOST_ROLLS))
        if len(labels) * die.sides > MOST_ROLLS:
            raise _make_too_many_dice_error(labels, die)
        dice_by_key.append(tuple([Die(label, die.sides, die.faces) for label in labels]))
    cuts = [sum(map(len, dice_by_key[: index + 1])) for index in range(len(dice_by_key))]
    return Dice(
        tuple(die for dice in dice_by_key for die in dice),
        tuple(zip([0, *cuts], cuts, strict=False)),
    )


def _make_too_many_dice_error(labels: Sequence[str], die: Die) -> UserError:
    """Return the error for dice above the limit of one roll."""
    subject = f"{len(labels)}{die.name}" + (f" ({labels[0]})" if labels[0] else "")
    return UserError(
        f"{subject} is too much for one roll: dice times sides can be at most {MOST_ROLLS:,}.",
        hint="Take fewer units.",
        code="too-large",
    )


def _read_whole(text: object, least: int, limit: int) -> int:
    """Return a whole number from `least` to `limit`. Raises UserError for anything else."""
    number = _read_number(text)
    if number < least:
        raise _make_no_number_error(text)
    if number > limit:
        kind = "dice" if limit == MOST_DICE else "sides"
        raise UserError(
            f"{number:,} {kind} are too many for one roll: at most {limit:,}.",
            hint="Take fewer units.",
            code="too-large",
        )
    return number


def _read_number(value: Any) -> int:
    """Return a whole number, given as a number or a text.

    Raises UserError for anything else.
    """
    if value.__class__ is int:
        return value
    if not str(value).lstrip("-").isdecimal():
        raise _make_no_number_error(value)
    return int(str(value))


def _make_no_number_error(text: object) -> UserError:
    return UserError(f"{str(text)[:20]} cannot be the number of dice or sides.", code="bad-value")


# -- dice with words

Tests = tuple[tuple[Any, ...], ...]
"""For each test of the dice, its result for each face."""


MOST_LAID = 500_000_000
"""The most bytes to add up for the odds of open-ended dice, which takes about half a second."""


class WordedResult(NamedTuple):
    """The result of dice with words: the sum and faces of the dice that count, and all dice as the
    answer shows them.
    """

    total: int
    faces: tuple[Any, ...]
    shown: tuple[Any, ...] = ()


Ways = tuple[tuple[int, tuple[WordedResult]], ...]
"""Possible results of dice with words, as (weight, (result,))."""


@lru_cache(maxsize=256)
def build_pool(count: int, sides: object, words: str) -> Pool:
    """Return a pool of `count` dice with the words of /roll, such as `kh3`.

    `sides` is what follows the d: 6, or `A` for an averaging die. Raises UserError for words that
    the dice do not take, and for those that count successes.
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
            f'"{words}" cannot be used for a roll here: how_many(roll, face >= 5) counts dice.',
            code="bad-dice",
        )
    return replace(pool, count=count, label=f"d{sides}{words}")


class _Owed(Exception):
    """The signal that more dice must be rolled."""


def sum_worded_dice(pool: Pool, faces_drawn: tuple[Any, ...]) -> WordedResult | None:
    """Return the result of these faces, None while more dice must be rolled."""
    remaining = iter(faces_drawn)

    def draw(_die: object, count: int) -> list[Any]:
        drawn_now = [*islice(remaining, count)]
        if len(drawn_now) < count:
            raise _Owed
        return drawn_now

    try:
        faces, fates, total, _ = build_throw(pool)(draw)
    except _Owed:
        return None
    if fates is None:
        return WordedResult(total, tuple(faces), tuple(faces))
    shown_faces = [
        int(mark) if mark.isdecimal() else mark for mark in mark_dice(map(str, faces), fates)
    ]
    kept_faces = [face for face, fate in zip(faces, fates, strict=True) if fate & KEPT]
    return WordedResult(total, tuple(kept_faces), tuple(shown_faces))


@lru_cache(maxsize=256)
def list_worded_rolls(pool: Pool, summed: bool, single: bool, tests: Tests | None) -> Ways:
    """Return the results that differ for later steps, which read the sum or single faces: only by
    `tests`, or (None) in order.

    Raises UserError for odds that are too large or cannot be counted.
    """
    if not pool.count or not (summed or single):
        return ((1, (WordedResult(0, ()),)),)
    if not single:
        weights = compute_odds(Expression(None, (pool,), (pool,))).ways
        return tuple((weight, (WordedResult(int(total), ()),)) for total, weight in weights.items())
    if is_chained(pool):
        if tests is None or summed or pool.picks:
            raise _make_no_odds_error(pool)
        return _group_open_dice(pool, tests)
    face_weights = count_die_ways(pool)
    if tests is None:
        weighted_rolls = _list_ordered_rolls(face_weights, pool.count)
    else:
        classes = tuple([(weight, (face,)) for face, weight in face_weights.items()])
        weighted_rolls = list(all_rolls(pool.count, classes))
    plain = replace(pool, once=())
    return tuple((weight, (sum_worded_dice(plain, faces),)) for weight, faces in weighted_rolls)  # type: ignore[misc]


def _make_no_odds_error(pool: Pool) -> UserError:
    """Return the error for open-ended dice whose rolls cannot be listed."""
    hint = "Only their sum can be counted, or how many of them pass a test."
    if pool.picks:
        hint = "Only their sum can be counted."
    problem = f"The odds of {pool.count}{pool.label} cannot be computed die by die."
    return UserError(problem, hint=hint, code="no-odds")


def _list_ordered_rolls(face_weights: Mapping[Any, int], count: int) -> list[tuple[int, Any]]:
    """Return the weight and faces of each roll of `count` dice, in which the order of dice counts.

    Raises TooManyStates for more than ROLLS_AT_ONCE rolls.
    """
    if len(face_weights) ** count > ROLLS_AT_ONCE:
        raise TooManyStates
    return [
        (prod([face_weights[face] for face in faces]), faces)
        for faces in product(face_weights, repeat=count)
    ]


def _group_open_dice(pool: Pool, tests: Tests) -> Ways:
    """Return the results of open-ended dice by the number of final dice that pass each test. Dice
    that pass none are left out.
    """
    looks = dict(zip(pool.values, zip(*tests, strict=True), strict=True))
    classes = [
        look for look in dict.fromkeys(looks.values()) if look != ((bool, True),) * len(tests)
    ]
    base = pool.cost + 1
    width = compute_width(pool.sides**pool.cost)
    if (
        base ** len(classes) * width * (pool.count * pool.extra if pool.once else pool.cost)
        > MOST_LAID
    ):
        raise TooManyStates
    worth = {look: base**index for index, look in enumerate(classes)}
    if pool.once:
        fields = sum_rerolled_dice(
            pool, [worth.get(looks[value], 0) for value in pool.values], 0, 8 * width
        )
    else:
        fields = sum_dice(
            pool, list_faces(pool, [worth.get(look, 0) for look in looks.values()])[1], 0, 8 * width
        )
    face_by_unit = {worth[look]: value for value, look in looks.items() if look in worth}
    groups = []
    for number, weight in unpack(fields, width, 0).items():
        faces = [face for up, face in face_by_unit.items() for _ in range(number // up % base)]
        groups.append((weight, (WordedResult(sum(faces), tuple(faces)),)))
    return tuple(groups)
