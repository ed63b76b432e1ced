"""What the code of a declared sequence calls while it runs, and the plan that is made of the code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from bot.rules.declared.calls import NONE, said
from bot.rules.declared.settling import Note, pieced, settled
from bot.rules.dice import AVERAGING, Die
from bot.rules.errors import UserError
from bot.rules.inputs.units import MAX_UNITS
from bot.rules.odds import Weighted, every_roll, group_sums
from bot.rules.pools import group_values, pool
from bot.rules.sequence import Line, Plan, Row, Ruled, Ruling, Settlement

if TYPE_CHECKING:
    from bot.rules.declared.segments import Code, Site

MOST_ROLLS, MOST_DICE = 10_000, 200
UNWORKABLE = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)
"""What Python raises where a formula makes no sense of its values, such as a word less 1."""


def unworkable(error: Exception) -> UserError:
    """The error that a player sees."""
    shown = " ".join(str(error).split())[:120]
    if isinstance(error, KeyError):
        shown = f"nothing has set {shown}"
    return UserError(f"The steps of this sequence cannot be worked out: {shown}.", code="card-refuses")


class Now(NamedTuple):
    """The state: which roll is owed, and the values that are still read after it."""

    owes: str | None
    values: tuple[Any, ...] = ()


class Dice(NamedTuple):
    """The dice of one roll, and where those of each key begin and end."""

    dice: tuple[Die, ...]
    cuts: tuple[tuple[int, int], ...]


class Open:
    """A value that only dice will decide."""

    def __str__(self) -> str:
        return OPEN_WORD


OPEN_WORD = "open "
"""No word of a game ends in a blank."""
OPEN = Open()


def dice_of(specs: Iterable[Iterable[Any]]) -> Dice:
    """The dice by count, sides and label of each key. Raises UserError for too many."""
    return _dice(
        tuple(
            [
                (said(many), said(sides), label if label.__class__ is tuple else said(label))
                for many, sides, label in specs
            ]
        )
    )


@lru_cache(maxsize=512)
def _dice(specs: tuple[tuple[str, str, str | tuple[str, ...]], ...]) -> Dice:
    some: list[tuple[Die, ...]] = []
    for count, faces, name in specs:
        if OPEN_WORD in (count, faces):
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


def undecided(what: str) -> UserError:
    """The error for what a roll would have to decide."""
    return UserError("A roll cannot decide this part of a sequence.", hint=what, code="card-refuses")


def listed(items: Any) -> tuple[Any, ...]:
    """What a step goes through; nothing for what is no list. Raises UserError for too many."""
    if items is OPEN:
        raise undecided("the list that a step goes through")
    if not isinstance(items, list | tuple):
        return ()
    if len(items) > MAX_UNITS:
        raise UserError(f"A list has at most {MAX_UNITS} items here.", code="card-refuses")
    return tuple(items)


def refuse(say: Any, hint: Sequence[Any], option: Any, code: str) -> None:
    """Raise the UserError of a refusal."""
    if OPEN in (say, option, *hint):
        raise undecided("what a refusal says")
    raise UserError(str(say), hint=pieced([str(piece) for piece in hint]), option=str(option) or None, code=code)


Named = tuple[str | None, Any]


def line(
    label: str, dice: Iterable[Any], parts: Iterable[Named], total: Any, result: str, more: Iterable[Named], unit: str
) -> Line:
    """A line of the answer."""
    faces = tuple([face for faces in dice for face in faces]) if dice else ()
    total = None if total is None or total == NONE else total
    return Line(label, faces, _counted(parts), total, result, _counted(more), unit)


def _counted(named: Iterable[Named]) -> tuple[tuple[str, Any], ...]:
    """Named parts in a row, those of 0 left out."""
    if not named:
        return ()
    counted: list[tuple[str, Any]] = []
    for word, value in named:
        if word is None:
            counted += value
        elif value:
            counted.append((word, value))
    return tuple(counted)


def added(before: tuple[Any, ...], label: str, value: Any) -> tuple[Any, ...]:
    """Named parts with one more, unless it is 0."""
    return (*before, (label, value)) if value else before


class Unset:
    """What an item has not kept: whoever makes anything of it is shown what is missing."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _missing(self, *_: Any) -> Any:
        raise KeyError(self._name)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __hash__ = __str__ = _missing
    __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __floordiv__ = __neg__ = __iter__ = __len__ = _missing


Kept = tuple[tuple[int, Any], ...]


def own_get(kept: Kept, number: int, called: str) -> Any:
    """What an item of a list has kept; `called` is the list, and the name of the value."""
    for at, value in kept:
        if at == number:
            return value
    listed, _, mine = called.rpartition(" ")
    return Unset(f"{listed}[{number}].{mine}")


def own_drop(kept: Kept, number: int) -> Kept:
    """What the other items have kept."""
    return tuple([pair for pair in kept if pair[0] != number])


def own_set(kept: Kept, number: int, value: Any) -> Kept:
    """What all have kept once this item keeps `value`."""
    if value.__class__ is Unset:
        return kept
    return (*own_drop(kept, number), (number, value))


def or_null(value: Any) -> Any:
    """None, which is null in a log, for what is not there."""
    return None if value == NONE else value


def twice(name: str) -> None:
    """Raise UserError for an output that is told once more."""
    raise UserError(f"The steps of this sequence tell {name} twice.", code="card-refuses")


def seen(faces: Sequence[Any], look: Callable[[Any], Any]) -> tuple[Any, ...]:
    """What a formula makes of each face of a die."""
    made = [look(face) for face in faces]
    return tuple([(value.__class__, value) for value in made])


def passing(faces: Sequence[Any], test: Callable[[Any], Any]) -> tuple[bool, ...]:
    """Which faces of a die pass a test."""
    return tuple([bool(test(face)) for face in faces])


SCOPE: Mapping[str, Any] = {
    "now ": Now, "end ": Now(None), "dice_of ": dice_of, "listed ": listed, "refuse ": refuse, "line ": line,
    "added ": added, "own get ": own_get, "own drop ": own_drop, "own set ": own_set, "twice ": twice,
    "or_null ": or_null, "seen ": seen, "passing ": passing,
    "sum ": sum, "len ": len, "enumerate ": enumerate, "open ": OPEN,
}  # fmt: skip
"""What generated code calls, under names that no formula can write."""


class Segment:
    """One roll of a plan: what comes after it."""

    __slots__ = ("code", "dice", "looked", "looks", "site")

    def __init__(self, site: Site, code: Callable[..., Any], dice: dict[Any, Dice], looks: Sequence[Looking]) -> None:
        self.site, self.code, self.dice, self.looks = site, code, dice, looks
        self.looked: dict[tuple[Any, ...], Looks | None] = {}

    def rule(self, state: Now, faces: tuple[Any, ...]) -> Ruling[Now]:
        """What the roll comes to."""
        try:
            after, told, lines, notes = self.code(state.values, faces)
            while after.__class__ is tuple:
                after = after[0](*after[1:])
        except UNWORKABLE as error:
            raise unworkable(error) from None
        return Ruling(after, told, lines.copy, notes)

    def asks(self, state: Now) -> tuple[Die, ...]:
        """The dice, where they are not always the same."""
        return self._asked(state).dice

    def _asked(self, state: Now) -> Dice:
        return self.site.dice or self.dice[(self.site.name, *[state.values[at] for at in self.site.loops])]

    def groups(self, state: Now) -> Weighted:
        """The rolls that differ for whoever reads them."""
        asked = self._asked(state)
        some = [asked.dice[first:last] for first, last in asked.cuts]
        looks: dict[int, Looks | None] = {}
        if self.looks:
            looks = {at: self._looks(state, number, some[at]) for number, (at, *_) in enumerate(self.site.looks)}
        return grouped(
            tuple(
                [
                    (tuple([(die.sides, die.faces) for die in dice]), *reads, looks.get(at))
                    for at, (dice, reads) in enumerate(zip(some, self.site.reads, strict=True))
                ]
            )
        )

    def _looks(self, state: Now, number: int, dice: tuple[Die, ...]) -> Looks | None:
        """What is looked at of these dice in this state; None where every face counts."""
        if not dice:
            return None
        values = [state.values[at] for at in self.site.looks[number][2]]
        key = (number, dice[0], *values)
        if key not in self.looked:
            try:
                found = tuple(self.looks[number](faces_of(dice[0]), *values))
                hash(found)
            except UNWORKABLE:  # whoever rolls this face is told so
                found = None
            self.looked[key] = found
        return self.looked[key]

    def step(self) -> Ruled[Now]:
        """The step of the plan."""
        dice = self.site.dice.dice if self.site.dice is not None else self.asks
        return Ruled(dice, self.rule, self.groups)


Looking = Callable[..., list[tuple[int | None, tuple[Any, ...]]]]
Looks = tuple[tuple[int | None, tuple[Any, ...]], ...]
"""What is looked at of alike dice: of the one at a place, or (None) of them all, what is seen of each face."""


def faces_of(die: Die) -> tuple[Any, ...]:
    """The faces of a die."""
    return die.faces or tuple(range(1, die.sides + 1))


Shape = tuple[tuple[int, tuple[Any, ...] | None], ...]


@lru_cache(maxsize=256)
def grouped(keys: tuple[tuple[Shape, bool, bool, Looks | None], ...]) -> Weighted:
    """The rolls that differ for whoever reads them: dice of which only the sum is read count by their sum."""
    kinds: list[Any] = []
    for shape, summed, single, looks in keys:
        dice = tuple(Die("", sides, faces) for sides, faces in shape)
        if not summed and not single:
            kinds.append(
                ((prod(die.sides for die in dice), tuple([die.faces[0] if die.faces else 1 for die in dice])),)
            )
        elif looks is not None:
            kinds.append(pooled(dice, looks))
        elif single or not dice or dice[0].faces:
            kinds.append(every_roll(dice))
        else:
            kinds.append(group_sums(len(dice), dice[0].sides))
    return tuple(
        (prod(ways for ways, _ in some), tuple(f for _, faces in some for f in faces)) for some in product(*kinds)
    )


def pooled(dice: tuple[Die, ...], looks: Looks) -> Weighted:
    """Alike dice by what is looked at: single ones at their places, of the others how many there are of each kind."""
    faces = faces_of(dice[0])
    tests = [seen for at, seen in looks if at is None]
    apart: dict[int, list[tuple[Any, ...]]] = {}
    for at, seen in looks:
        if at.__class__ is int and 0 <= at < len(dice):
            apart.setdefault(at, []).append(seen)

    def kinds(looked: list[tuple[Any, ...]]) -> Weighted:
        places = {face: at for at, face in enumerate(faces)}
        return group_values(faces, lambda face: tuple([seen[places[face]] for seen in looked]))

    return pool(len(dice), kinds(tests), tuple([(at, kinds([*tests, *own])) for at, own in sorted(apart.items())]))


def begun(
    code: Code, values: Mapping[str, Any]
) -> tuple[Now, dict[str, Ruled[Now]], dict[str, Any], list[Line], list[Note]]:
    """The code run to its first roll: the state, the steps, the outputs, lines and notes."""
    dice: dict[Any, Dice] = {}
    told: dict[str, Any] = {}
    lines: list[Line] = []
    notes: list[Note] = []
    try:
        state, segments = code.begin(dice, told, lines, notes, *[values[key] for key in code.inputs])
        while state.__class__ is tuple:
            state = state[0](*state[1:])
    except UNWORKABLE as error:
        raise unworkable(error) from None
    if state.owes is None:
        return state, {}, told, lines, notes
    sites = code.sites
    if len(segments) == len(sites):
        steps = {site.name: Segment(site, run, dice, ()).step() for site, run in zip(sites, segments, strict=True)}
        return state, steps, told, lines, notes
    looks = iter(segments[len(sites) :])
    steps = {
        site.name: Segment(site, run, dice, list(islice(looks, len(site.looks)))).step()
        for site, run in zip(sites, segments, strict=False)
    }
    return state, steps, told, lines, notes


class Rows(Sequence[Row]):
    """The units whose odds are shown, found when they are asked for."""

    def __init__(self, find: Callable[[], tuple[Row, ...]]) -> None:
        self._find = find
        self._rows: tuple[Row, ...] | None = None

    @property
    def rows(self) -> tuple[Row, ...]:
        """All of them."""
        if self._rows is None:
            self._rows = self._find()
        return self._rows

    def __getitem__(self, at: Any) -> Any:
        return self.rows[at]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)


def plan_of(
    code: Code,
    values: Mapping[str, Any],
    lists: Sequence[str],
    by_item: frozenset[str],
    rows: Sequence[Row],
    focus: Callable[[tuple[str, ...]], Plan[Now]] | None,
) -> Plan[Now]:
    """The plan to be played: lists that nobody enters are empty, those told `by_item` behind what is known before."""
    start, steps, told, lines, notes = begun(code, values)
    if lists:
        empty = [name for name in lists if told.get(name, NONE) == NONE]
        told = {
            **{name: [] for name in empty if name not in by_item},
            **{key: list(value) if key in lists and isinstance(value, tuple) else value for key, value in told.items()},
            **{name: [] for name in empty if name in by_item},
        }
    return Plan(
        start, steps, never, told, lines=tuple(lines), focus=focus, rows=rows, notes=tuple(notes), settles=settled
    )


def odds_plan(code: Code, values: Mapping[str, Any]) -> Plan[Now]:
    """The plan to be counted."""
    start, steps, told, _, _ = begun(code, values)
    return Plan(start, steps, never, told)


def never(_out: Any) -> Settlement:
    """Nobody asks: a declared sequence settles by its notes."""
    raise AssertionError("a declared sequence settles by its notes")
