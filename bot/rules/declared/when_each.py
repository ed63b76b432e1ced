"""`when` and `each`: two ways to go on, and steps for each item of a list, with values that each
item keeps.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bot.rules.declared.compile_context import FACES
from bot.rules.declared.formula import Env, Formula
from bot.rules.declared.formula_functions import LISTS
from bot.rules.declared.interpreter import Do, Frame, Here, Keys, Loop, Now, run_steps
from bot.rules.declared.let_tell import Let, Tell
from bot.rules.declared.odds_limits import (
    GIVEN,
    Counter,
    Names,
    PossibleValues,
    compute_known,
    count_combinations,
    get_single_value,
    merge_known,
)
from bot.rules.declared.program import (
    NOTHING,
    OPEN,
    Block,
    Partial,
    Slicer,
    Statement,
    open_changed_keys,
    walk_statements,
)
from bot.rules.errors import UserError
from bot.rules.inputs.units import MAX_UNITS


@dataclass(frozen=True)
class If(Statement):
    """Two ways to go on. `after` are the keys that are read after both."""

    when: Formula
    then: Block
    other: Block
    after: Keys = NOTHING

    def blocks(self) -> tuple[Block, ...]:
        return self.then, self.other

    def slice(self, slicer: Slicer) -> Block:
        """What is needed of the two ways."""
        ways = list[Block]()
        live = slicer.live
        tells = slicer.tells
        told = False
        before = self.reads
        for way in self.blocks():
            slicer.live = live
            slicer.tells = tells
            ways.append(slicer.block(way))
            told = slicer.tells or told
            before = before | slicer.live
        slicer.live = live
        slicer.tells = told
        if not any(ways):
            return ()
        slicer.live = before
        return (If(self.when, ways[0], ways[1], live),)

    def map_blocks(self, make: Callable[[Block], Block], /) -> Statement:
        return replace(self, then=make(self.then), other=make(self.other))

    def run_partly(self, partial: Partial, env: Env, /) -> bool:
        """One way, or both where it is open."""
        when = partial.value(self.when, env)
        if when is not OPEN:
            return partial.block(self.then if when else self.other, env)
        if not self.then and not self.other:
            return False
        ways = dict(env), dict(env)
        partial.unsure += 1
        ends = [partial.block(block, way) for block, way in zip(self.blocks(), ways, strict=True)]
        partial.unsure -= not any(ends)
        open_changed_keys(env, self.assigns, *ways)
        return all(ends)

    def do(self, here: Here, /) -> Do:
        when = self.when.run
        then = here.block(self.then)
        other = here.block(self.other)
        return lambda env: run_steps(then if when(env) else other, env)

    def bound(self, counter: Counter, names: Names, states: float, /) -> float:
        """Those of both ways, where dice choose between them."""
        when = compute_known(self.when, names)
        counter.sees(self.when, when)
        if when.some is not None and len({bool(found) for found in when.some}) == 1:
            return counter.block(self.then if next(iter(when.some)) else self.other, names, states)
        sure = counter.sure
        ends = list[Names]()
        after = list[float]()
        for way in self.blocks():
            counter.sure = False
            inside = dict(names)
            after.append(counter.block(way, inside, states))
            ends.append(inside)
        counter.sure = sure and not any(
            one.ends or one.tells for one in walk_statements(self.then + self.other)
        )
        for key in ends[0].keys() | ends[1].keys():
            names[key] = merge_known(
                ends[0].get(key, GIVEN), ends[1].get(key, GIVEN), when.size > 1
            )
        return sum(after) if self.rolls and when.size > 1 else max(after)


@dataclass(frozen=True)
class For(Statement):
    """Steps for each item of a list, or for that at the one place `only`. `row` says how odds show
    an item.

    `head` are the keys that are read from each item on, `after` those that are read after the last.
    `asked` is the key of the places that odds ask for, where nothing but the items at these is of
    any use.
    """

    items: Formula
    only: Formula | None
    loop: Loop
    body: Block
    within: tuple[tuple[str, str], ...] = ()
    row: tuple[Formula, str, Formula | None] | None = None
    head: Keys = NOTHING
    after: Keys = NOTHING
    asked: str = ""

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        return (self.items,) if self.only is None else (self.items, self.only)

    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)

    @cached_property
    def sets(self) -> Keys:
        loop = self.loop
        return frozenset((loop.items, loop.number, loop.key, loop.at, loop.chosen)) - {""}

    def get_keys_read_before(self, live: Keys) -> Keys:
        loop = self.loop
        return (
            (self.head | live) - {loop.items, loop.number, loop.chosen}
            | self.reads
            | ({self.asked} - {""})
        )

    def slice(self, slicer: Slicer) -> Block:
        """What is needed for an item, which the next one may read."""
        live = slicer.live
        loop = self.loop
        head = live
        through = self.sets - {loop.key, loop.at}
        slicer.live_after.append(live)
        while True:
            slicer.live = head | through
            tells = slicer.tells
            body = slicer.block(self.body)
            more = slicer.live - self.sets
            if more <= head and slicer.tells == tells:
                break
            head |= more
        slicer.live_after.pop()
        slicer.live = live
        if not body:
            return ()
        kept = replace(self, body=body, head=head, after=live)
        if slicer.asked is not None and not kept.rolls and kept._is_independent():
            kept = replace(kept, asked=get_asked_key(len(self.within) - 1, self.within[-1][0]))
        slicer.live = kept.get_keys_read_before(live)
        return (kept,)

    def _is_independent(self) -> bool:
        """Return whether the steps for one item matter only to that item's own outputs.

        False if the next item or a later step reads what they set.
        """
        within = self.within
        below = list(walk_statements(self.body))
        if (
            not within
            or self.only
            or within[-1][1] != self.loop.number
            or any(one.ends for one in below)
        ):
            return False
        if (self.assigns - self.sets) & self.after:
            return False
        carried = {
            key for one in below if not isinstance(one, Own | For) for key in one.sets
        } - self.sets
        if carried & self.head:  # what one item sets the next one reads
            return False
        return all(one.within[: len(within)] == within for one in below if isinstance(one, Tell))

    def map_blocks(self, make: Callable[[Block], Block], /) -> Statement:
        return replace(self, body=make(self.body))

    def run_partly(self, partial: Partial, env: Env, /) -> bool:
        """Each item; where dice choose the place, any may be the one, and any item of a list
        that is not known.
        """
        loop = self.loop
        found = partial.value(self.items, env)
        if found is OPEN:
            anything = dict.fromkeys(self.assigns, OPEN)
            env |= anything
            partial.unsure += 1
            partial.block(self.body, env)
            partial.unsure -= 1
            env |= anything
            return False
        items = env[loop.items] = get_items(found)
        chosen = None if self.only is None else partial.value(self.only, env)
        if loop.chosen:
            env[loop.chosen] = chosen
        for number, item in enumerate(items):
            if self.asked and number not in env[self.asked]:
                continue
            inside = dict(env) if chosen is OPEN else env
            inside |= {loop.number: number, loop.key: item, loop.at: number}
            partial.enters(self, number, inside)
            if loop.chosen and chosen is not OPEN and number != chosen:
                continue
            ends = partial.block(self.body, inside)
            if chosen is OPEN:
                open_changed_keys(env, self.assigns, inside)
            elif ends:
                return True
        return False

    def do(self, here: Here, /) -> Do:
        """Each item; a roll on the way goes on with the next one."""
        items, number, key, at, only = self.loop
        asked = self.asked
        through = self.items.run
        chosen = self.only.run if self.only else None

        def run_items(env: Env, first: int) -> Now | None:
            some = env[items]
            wanted = env[only] if only else None
            for place in range(first, len(some)):
                if (only and place != wanted) or (asked and place not in env[asked]):
                    continue
                env[number], env[key], env[at] = place, some[place], place
                if (owed := run_steps(steps, env)) is not None:
                    return owed
            return None

        def start(env: Env) -> Now | None:
            env[items] = some = get_items(through(env))
            if chosen is not None:
                env[only] = chosen(env) if some else None
            return run_items(env, 0)

        follows: Frame = ([(lambda env: run_items(env, env[number] + 1), ())], 0)
        steps = replace(here, rest=(follows, *here.rest)).block(self.body)
        return start

    def bound(self, counter: Counter, names: Names, states: float, /) -> float:
        """Each item of the longest list in turn; it may end after any that it may have."""
        loop = self.loop
        if self.only is not None:
            chosen = PossibleValues(size=compute_known(self.only, names).size)
            names |= dict.fromkeys((loop.number, loop.at, loop.key, loop.chosen), chosen)
            return counter.block(self.body, names, states)
        items = compute_known(self.items, names)
        if self.items.kind == "numbers":
            counter.sees(self.items.parts[0], compute_known(self.items.parts[0], names))
        lists = items.some
        if self.items.kind == "name" and self.items.value.endswith(FACES):
            # as many as there are dice
            counter.sees(self.items, items)
            lengths = set(lists or (0, counter.units))
        else:
            lengths = {len(some) for some in lists} if lists else {0, counter.units}
        ends = dict(names) if min(lengths) == 0 else {}
        sure = counter.sure and len(lengths) == 1
        most = states
        for number in range(min(max(lengths), MAX_UNITS)):
            counter.sure = counter.sure and (sure or not lists)
            names |= dict.fromkeys((loop.number, loop.at), PossibleValues(frozenset((number,))))
            names[loop.key] = PossibleValues(items.items, items.size) if items.size > 1 else GIVEN
            states = counter.block(self.body, names, states)
            most = max(most, states)
            if number + 1 >= min(lengths):  # the list may end here
                ends = {
                    key: merge_known(ends.get(key, known), known) for key, known in names.items()
                }
        names |= ends
        return most


def get_asked_key(deep: int, listed: str) -> str:
    """The key of the places in a list that odds ask for; it may be in another list."""
    return f"asked {deep} {listed}"


def get_items(items: Any) -> tuple[Any, ...]:
    """What a step goes through; nothing for what is no list. Raises UserError for too many."""
    if not isinstance(items, LISTS):
        return ()
    if len(items) > MAX_UNITS:
        raise UserError(f"A list has at most {MAX_UNITS} items here.", code="card-refuses")
    return tuple(items)


# -- what each item keeps

Kept = tuple[tuple[int, Any], ...]
"""The items by their places, with the value that each has kept."""


def build_item_value(kept: str, loop: Loop, key: str, shown: str) -> tuple[list[Let], Let]:
    """Before the steps for an item: its value is at hand; after them: it is kept. `shown` is
    said where it lacks.
    """
    number = loop.number

    def get(env: Env) -> Any:
        place = env[number]
        for at, found in env[kept]:
            if at == place:
                return found
        listed, _, mine = shown.rpartition(" ")
        return Unset(f"{listed}[{place}].{mine}")

    def drop(env: Env) -> Kept:
        return _drop_item(env[kept], env[number])

    def keep(env: Env) -> Kept:
        found: Kept = env[kept]
        return (
            found
            if env[key].__class__ is Unset
            else (*_drop_item(found, env[number]), (env[number], env[key]))
        )

    reads = (kept, number)
    before: list[Let] = [
        ReadOwn(key, Formula("own", "any", get, reads=reads)),
        ForgetOwn(kept, Formula("own", "any", drop, reads=reads)),
    ]
    return before, Put(kept, Formula("own", "any", keep, reads=(*reads, key)))


def _drop_item(kept: Kept, number: int) -> Kept:
    """What the other items have kept."""
    return tuple([pair for pair in kept if pair[0] != number])


class Unset:
    """What an item has not kept: whoever makes anything of it is shown what is missing."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _missing(self, *_: Any) -> Any:
        raise KeyError(self._name)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __hash__ = __str__ = _missing
    __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __floordiv__ = __neg__ = __iter__ = (
        __len__
    ) = _missing


class Own(Let):
    """A value that has to do with what each item keeps."""

    def bound(self, _counter: Counter, names: Names, states: float, /) -> float:
        """As many as each item has; where a die chose the item, all that may come of it."""
        before, place, *new = [names.get(key, GIVEN) for key in self.value.reads]
        at = get_single_value(place)
        names[self.key] = (
            self.combine_known(before, at, new)
            if at is not None
            else _multiply_known((before, place, *new))
        )
        return states

    def combine_known(
        self, before: PossibleValues, at: int, new: list[PossibleValues]
    ) -> PossibleValues:
        """What is known after it, of the item at a place."""
        own = {place: known for place, known in before.own.items() if place != at}
        for known in new:
            own[at] = known
        return replace(_multiply_known(own.values()), own=own)


def _multiply_known(some: Iterable[PossibleValues]) -> PossibleValues:
    return PossibleValues(size=count_combinations(some))


class Put(Own):
    """The item at hand keeps a value."""


class ReadOwn(Own):
    """The value that the item at hand has kept."""

    def combine_known(
        self, before: PossibleValues, at: int, _new: list[PossibleValues]
    ) -> PossibleValues:
        return before.own.get(at, GIVEN)


class ForgetOwn(Own):
    """What the item at hand has kept is forgotten, where nothing reads it once it is done."""

    def is_wanted(self, slicer: Slicer, /) -> bool:
        """Where the others' values are read, and none of them after the last item."""
        return self.key in slicer.live and self.key not in slicer.live_after[-1]

    def run_partly(self, _partial: Partial, _env: Env, /) -> bool:
        return False
