"""The plan that is made of the code of a declared sequence: its rolls, and which of them odds must tell apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING, Any

from bot.rules.declared.calls import NONE
from bot.rules.declared.running import UNWORKABLE, Dice, Now, unworkable
from bot.rules.declared.settling import Note, settled
from bot.rules.dice import Die
from bot.rules.odds import Weighted, every_roll, group_sums
from bot.rules.pools import group_values, pool
from bot.rules.sequence import Line, Plan, Row, Ruled, Ruling, Settlement

if TYPE_CHECKING:
    from bot.rules.declared.segments import Code, Site


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
