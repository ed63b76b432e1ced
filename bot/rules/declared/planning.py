"""The plan that is made of the code of a declared sequence: its rolls, and which of them odds must tell apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from bot.rules.declared.calls import NONE
from bot.rules.declared.running import UNWORKABLE, Dice, Now, unworkable
from bot.rules.declared.settling import Note, settled
from bot.rules.dice import Die
from bot.rules.odds.odds import Weighted, every_roll, group_sums
from bot.rules.odds.pools import group_values, pool
from bot.rules.sequence.sequence import Line, Plan, Row, Ruling, Settlement, Step, no_closing

if TYPE_CHECKING:
    from bot.rules.declared.segments import Code, Site


class Segment:
    """One roll of a plan, a `Step`: what comes after it."""

    __slots__ = ("_code", "_dice", "_site")

    exact_only: ClassVar[frozenset[str]] = frozenset()
    comes: ClassVar[None] = None

    def __init__(self, site: Site, code: Callable[..., Any], dice: Mapping[Any, Dice]) -> None:
        self._site, self._code, self._dice = site, code, dice

    def rule(self, state: Now, faces: tuple[Any, ...], /) -> Ruling[Now]:
        """What the roll comes to."""
        try:
            after, told, lines, notes = self._code(state[1], faces)
            while after.__class__ is tuple:
                after = after[0](*after[1:])
        except UNWORKABLE as error:
            raise unworkable(error) from None
        return Ruling(after, told, lines.copy, notes)

    @property
    def dice(self) -> tuple[Die, ...] | Callable[[Now], tuple[Die, ...]]:
        """The dice, or how they are found where they are not always the same."""
        return self.asks if self._site.dice is None else self._site.dice.dice

    def asks(self, state: Now, /) -> tuple[Die, ...]:
        """The dice in this state."""
        always = self._site.dice
        return self._asked(state).dice if always is None else always.dice

    def _asked(self, state: Now) -> Dice:
        site = self._site
        if site.dice is not None:
            return site.dice
        if not site.loops:
            return self._dice[(site.name,)]
        values = state.values
        return self._dice[(site.name, *[values[at] for at in site.loops])]

    def groups(self, state: Now) -> Weighted:
        """The rolls that differ for whoever reads them."""
        asked = self._asked(state)
        some = [asked.dice[first:last] for first, last in asked.cuts]
        looks = self._looks(state, some)
        return grouped(
            tuple(
                [
                    (tuple([(die.sides, die.faces) for die in dice]), *reads, looks.get(at))
                    for at, (dice, reads) in enumerate(zip(some, self._site.reads, strict=True))
                ]
            )
        )

    grouped = groups

    def _looks(self, _state: Now, _dice: list[tuple[Die, ...]]) -> Mapping[int, Looks | None]:
        """What is looked at of the dice of each key, where that is less than every face."""
        return {}


class LookedAt(Segment):
    """A roll of which the odds look at no more than its `looks` say."""

    __slots__ = ("_kept", "_made")

    def __init__(self, site: Site, code: Callable[..., Any], dice: Mapping[Any, Dice], made: Sequence[Looking]) -> None:
        super().__init__(site, code, dice)
        self._made = made
        self._kept: dict[tuple[Any, ...], Looks | None] = {}

    def _looks(self, state: Now, dice: list[tuple[Die, ...]]) -> Mapping[int, Looks | None]:
        return {at: self._look(state, number, dice[at]) for number, (at, *_) in enumerate(self._site.looks)}

    def _look(self, state: Now, number: int, dice: tuple[Die, ...]) -> Looks | None:
        """What is looked at of these dice in this state; None where every face counts."""
        if not dice:
            return None
        values = [state.values[at] for at in self._site.looks[number][2]]
        key = (number, dice[0], *values)
        if key not in self._kept:
            try:
                found = tuple(self._made[number](faces_of(dice[0]), *values))
                hash(found)
            except UNWORKABLE:  # whoever rolls this face is told so
                found = None
            self._kept[key] = found
        return self._kept[key]


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
    code: Code, values: Iterable[Any]
) -> tuple[Now, dict[str, Step[Now]], dict[str, Any], list[Line], list[Note]]:
    """The code run to its first roll, `values` for its inputs: the state, the steps, the outputs, lines and notes."""
    dice: dict[Any, Dice] = {}
    told: dict[str, Any] = {}
    lines: list[Line] = []
    notes: list[Note] = []
    try:
        state, segments = code.begin(dice, told, lines, notes, *values)
        while state.__class__ is tuple:
            state = state[0](*state[1:])
    except UNWORKABLE as error:
        raise unworkable(error) from None
    if state.owes is None:
        return state, {}, told, lines, notes
    steps: dict[str, Step[Now]] = {}
    sites = code.sites
    if len(segments) == len(sites):
        for at, site in enumerate(sites):
            steps[site.name] = Segment(site, segments[at], dice)
        return state, steps, told, lines, notes
    looks = iter(segments[len(sites) :])
    for site, run in zip(sites, segments, strict=False):
        made = [*islice(looks, len(site.looks))]
        steps[site.name] = LookedAt(site, run, dice, made) if made else Segment(site, run, dice)
    return state, steps, told, lines, notes


def plan_of(
    code: Code,
    values: Iterable[Any],
    lists: Sequence[str],
    by_item: frozenset[str],
    rows: Sequence[Row] | Callable[[], Sequence[Row]],
    focus: Callable[[tuple[str, ...]], Plan[Now]] | None,
) -> Plan[Now]:
    """The plan to be played: lists that nobody enters are empty, those told `by_item` behind what is known before."""
    start, steps, told, lines, notes = begun(code, values)
    if lists:
        told = _with_lists(told, lists, by_item)
    return Plan(start, steps, never, told, no_closing, tuple(lines), focus, rows, None, tuple(notes), settled)


def _with_lists(told: dict[str, Any], lists: Sequence[str], by_item: frozenset[str]) -> dict[str, Any]:
    before: dict[str, Any] = {}
    behind: dict[str, Any] = {}
    for name in lists:
        value = told.get(name, NONE)
        if value == NONE:
            (behind if name in by_item else before)[name] = []
        elif isinstance(value, tuple):
            told[name] = list(value)
    return {**before, **told, **behind}


def odds_plan(code: Code, values: Iterable[Any]) -> Plan[Now]:
    """The plan to be counted."""
    start, steps, told, _, _ = begun(code, values)
    return Plan(start, steps, never, told)


def never(_out: Any) -> Settlement:
    """Nobody asks: a declared sequence settles by its notes."""
    raise AssertionError("a declared sequence settles by its notes")
