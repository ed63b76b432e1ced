"""`when` and `each`: two branches, and steps for each item of a list, with values that each item
keeps.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from bot.rules.declared.compile_context import FACES
from bot.rules.declared.formula import Env, Formula
from bot.rules.declared.formula_functions import LISTS
from bot.rules.declared.interpreter import Do, Frame, Here, Keys, Loop, Now, OuterList, run_steps
from bot.rules.declared.let_tell import Let, Tell
from bot.rules.declared.odds_limits import (
    GIVEN,
    Names,
    PossibleValues,
    StateCounter,
    compute_known,
    count_combinations,
    get_single_value,
    merge_known,
)
from bot.rules.declared.program import (
    NOTHING,
    OPEN,
    Block,
    KnownValuesPass,
    Slicer,
    Statement,
    open_changed_keys,
    walk_statements,
)
from bot.rules.errors import UserError
from bot.rules.inputs.units import MAX_UNITS


@dataclass(frozen=True)
class If(Statement):
    """A statement with two branches. `after` are the keys that are read after both."""

    when: Formula
    then: Block
    other: Block
    after: Keys = NOTHING

    def blocks(self) -> tuple[Block, ...]:
        return self.then, self.other

    def slice(self, slicer: Slicer) -> Block:
        """Return the needed parts of both branches."""
        kept_blocks = list[Block]()
        live = slicer.live
        tells = slicer.tells
        any_tells = False
        keys_before = self.reads
        for inner in self.blocks():
            slicer.live = live
            slicer.tells = tells
            kept_blocks.append(slicer.block(inner))
            any_tells = slicer.tells or any_tells
            keys_before = keys_before | slicer.live
        slicer.live = live
        slicer.tells = any_tells
        if not any(kept_blocks):
            return ()
        slicer.live = keys_before
        return (If(self.when, kept_blocks[0], kept_blocks[1], live),)

    def map_blocks(self, make: Callable[[Block], Block], /) -> Statement:
        return replace(self, then=make(self.then), other=make(self.other))

    def run_partly(self, known_pass: KnownValuesPass, env: Env, /) -> bool:
        """Run one branch, or both if the condition is open."""
        holds = known_pass.value(self.when, env)
        if holds is not OPEN:
            return known_pass.block(self.then if holds else self.other, env)
        if not self.then and not self.other:
            return False
        branches = dict(env), dict(env)
        known_pass.unsure += 1
        branch_ends = [
            known_pass.block(block, branch)
            for block, branch in zip(self.blocks(), branches, strict=True)
        ]
        known_pass.unsure -= not any(branch_ends)
        open_changed_keys(env, self.assigns, *branches)
        return all(branch_ends)

    def do(self, context: Here, /) -> Do:
        run_condition = self.when.run
        then_steps = context.block(self.then)
        other_steps = context.block(self.other)
        return lambda env: run_steps(then_steps if run_condition(env) else other_steps, env)

    def bound(self, counter: StateCounter, names: Names, states: float, /) -> float:
        """Return the states after both branches: the sum if dice choose one, else the larger.

        A branch that is certainly not taken does not count. Updates the possible values in `names`.
        """
        condition = compute_known(self.when, names)
        counter.sees(self.when, condition)
        if condition.some is not None and len({bool(value) for value in condition.some}) == 1:
            return counter.block(
                self.then if next(iter(condition.some)) else self.other, names, states
            )
        sure = counter.sure
        names_after = list[Names]()
        states_after = list[float]()
        for inner in self.blocks():
            counter.sure = False
            inside = dict(names)
            states_after.append(counter.block(inner, inside, states))
            names_after.append(inside)
        counter.sure = sure and not any(
            statement.ends or statement.tells
            for statement in walk_statements(self.then + self.other)
        )
        for key in names_after[0].keys() | names_after[1].keys():
            names[key] = merge_known(
                names_after[0].get(key, GIVEN), names_after[1].get(key, GIVEN), condition.size > 1
            )
        return sum(states_after) if self.rolls and condition.size > 1 else max(states_after)


class ItemRow(NamedTuple):
    """The row in which odds show an item of a loop."""

    name: Formula
    output: str
    """The output of the item whose odds the row shows; "" for a list of single values."""
    item_count: Formula | None
    """The number of items that the first one stands for; None if each has its own row."""


@dataclass(frozen=True)
class For(Statement):
    """A loop over the items of a list, or over one of them."""

    items: Formula
    only: Formula | None
    """The index of the only item to visit; None to visit all."""
    loop: Loop
    body: Block
    outer_lists: tuple[OuterList, ...] = ()
    row: ItemRow | None = None
    """The row in which odds show each item, if they do."""
    head: Keys = NOTHING
    """The keys that are read from each item on."""
    after: Keys = NOTHING
    """The keys that are read after the last item."""
    asked: str = ""
    """The key of the indices that odds ask for, if only the items at these matter."""

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
        """Return the part that an item needs, including what the next item may read."""
        live = slicer.live
        loop = self.loop
        head = live
        through = self.sets - {loop.key, loop.at}
        slicer.live_after.append(live)
        while True:
            slicer.live = head | through
            tells = slicer.tells
            body = slicer.block(self.body)
            carried = slicer.live - self.sets
            if carried <= head and slicer.tells == tells:
                break
            head |= carried
        slicer.live_after.pop()
        slicer.live = live
        if not body:
            return ()
        sliced = replace(self, body=body, head=head, after=live)
        if slicer.asked is not None and not sliced.rolls and sliced._is_independent():
            sliced = replace(
                sliced, asked=get_asked_key(len(self.outer_lists) - 1, self.outer_lists[-1].name)
            )
        slicer.live = sliced.get_keys_read_before(live)
        return (sliced,)

    def _is_independent(self) -> bool:
        """Return whether the steps for one item matter only to that item's own outputs.

        False if the next item or a later step reads what they set.
        """
        outer_lists = self.outer_lists
        below = list(walk_statements(self.body))
        if (
            not outer_lists
            or self.only
            or outer_lists[-1].index_key != self.loop.number
            or any(statement.ends for statement in below)
        ):
            return False
        if (self.assigns - self.sets) & self.after:
            return False
        carried = {
            key
            for statement in below
            if not isinstance(statement, Own | For)
            for key in statement.sets
        } - self.sets
        if carried & self.head:  # what one item sets the next one reads
            return False
        return all(
            statement.outer_lists[: len(outer_lists)] == outer_lists
            for statement in below
            if isinstance(statement, Tell)
        )

    def map_blocks(self, make: Callable[[Block], Block], /) -> Statement:
        return replace(self, body=make(self.body))

    def run_partly(self, known_pass: KnownValuesPass, env: Env, /) -> bool:
        """Run each item. If dice choose the index or the list is not known, any item may be run."""
        loop = self.loop
        list_value = known_pass.value(self.items, env)
        if list_value is OPEN:
            anything = dict.fromkeys(self.assigns, OPEN)
            env |= anything
            known_pass.unsure += 1
            known_pass.block(self.body, env)
            known_pass.unsure -= 1
            env |= anything
            return False
        items = env[loop.items] = get_items(list_value)
        chosen_index = None if self.only is None else known_pass.value(self.only, env)
        if loop.chosen:
            env[loop.chosen] = chosen_index
        for number, item in enumerate(items):
            if self.asked and number not in env[self.asked]:
                continue
            inside = dict(env) if chosen_index is OPEN else env
            inside |= {loop.number: number, loop.key: item, loop.at: number}
            known_pass.enters(self, number, inside)
            if loop.chosen and chosen_index is not OPEN and number != chosen_index:
                continue
            is_over = known_pass.block(self.body, inside)
            if chosen_index is OPEN:
                open_changed_keys(env, self.assigns, inside)
            elif is_over:
                return True
        return False

    def do(self, context: Here, /) -> Do:
        """Return the function that runs each item. After a roll it goes on with the next item."""
        items, number, key, at_key, only = self.loop
        asked_key = self.asked
        through = self.items.run
        run_only = self.only.run if self.only else None

        def run_items(env: Env, first: int) -> Now | None:
            item_list = env[items]
            only_index = env[only] if only else None
            for item_index in range(first, len(item_list)):
                is_skipped = only and item_index != only_index
                is_unasked = asked_key and item_index not in env[asked_key]
                if is_skipped or is_unasked:
                    continue
                env[number], env[key], env[at_key] = item_index, item_list[item_index], item_index
                if (owed := run_steps(steps, env)) is not None:
                    return owed
            return None

        def start(env: Env) -> Now | None:
            env[items] = item_list = get_items(through(env))
            if run_only is not None:
                env[only] = run_only(env) if item_list else None
            return run_items(env, 0)

        follows: Frame = ([(lambda env: run_items(env, env[number] + 1), ())], 0)
        steps = replace(context, rest=(follows, *context.rest)).block(self.body)
        return start

    def bound(self, counter: StateCounter, names: Names, states: float, /) -> float:
        """Return the states after the items of the longest list.

        The list may end after any possible length. Updates the possible values in `names`.
        """
        loop = self.loop
        if self.only is not None:
            chosen_values = PossibleValues(size=compute_known(self.only, names).size)
            names |= dict.fromkeys((loop.number, loop.at, loop.key, loop.chosen), chosen_values)
            return counter.block(self.body, names, states)
        items = compute_known(self.items, names)
        if self.items.kind == "numbers":
            counter.sees(self.items.parts[0], compute_known(self.items.parts[0], names))
        lengths = self._list_lengths(items, counter)
        names_after = dict(names) if min(lengths) == 0 else {}
        is_sure = counter.sure and len(lengths) == 1
        most_states = states
        for number in range(min(max(lengths), MAX_UNITS)):
            counter.sure = counter.sure and (is_sure or not items.some)
            names |= dict.fromkeys((loop.number, loop.at), PossibleValues(frozenset((number,))))
            names[loop.key] = PossibleValues(items.items, items.size) if items.size > 1 else GIVEN
            states = counter.block(self.body, names, states)
            most_states = max(most_states, states)
            if number + 1 >= min(lengths):  # the list may end here
                names_after = {
                    key: merge_known(names_after.get(key, values), values)
                    for key, values in names.items()
                }
        names |= names_after
        return most_states

    def _list_lengths(self, items: PossibleValues, counter: StateCounter) -> set[Any]:
        """Return the possible lengths of the list: for the faces of a roll its numbers of dice.

        If the lists are not known, they are the shortest and the longest length.
        """
        if self.items.kind == "name" and self.items.value.endswith(FACES):
            counter.sees(self.items, items)
            return set(items.some or (0, counter.units))
        if not items.some:
            return {0, counter.units}
        return {len(possible_list) for possible_list in items.some}


def get_asked_key(deep: int, listed: str) -> str:
    """Return the key of the indices that odds ask for in a list at this depth."""
    return f"asked {deep} {listed}"


def get_items(items: Any) -> tuple[Any, ...]:
    """Return the items of a list, none for any other value. Raises UserError for too many."""
    if not isinstance(items, LISTS):
        return ()
    if len(items) > MAX_UNITS:
        raise UserError(f"A list has at most {MAX_UNITS} items here.", code="card-refuses")
    return tuple(items)


# -- what each item keeps

Kept = tuple[tuple[int, Any], ...]
"""The values that items keep, as (index of the item, value)."""


def build_item_value(kept_key: str, loop: Loop, key: str, shown_name: str) -> tuple[list[Let], Let]:
    """Return the statements that read an item's value before its steps, and the one that keeps it
    after them.

    `shown_name` names the value in the error for an item that has none.
    """
    number = loop.number

    def get(env: Env) -> Any:
        item_index = env[number]
        for kept_index, item_value in env[kept_key]:
            if kept_index == item_index:
                return item_value
        listed, _, mine = shown_name.rpartition(" ")
        return Unset(f"{listed}[{item_index}].{mine}")

    def drop(env: Env) -> Kept:
        return _drop_item(env[kept_key], env[number])

    def keep(env: Env) -> Kept:
        item_value: Kept = env[kept_key]
        return (
            item_value
            if env[key].__class__ is Unset
            else (*_drop_item(item_value, env[number]), (env[number], env[key]))
        )

    reads = (kept_key, number)
    first_lets: list[Let] = [
        ReadOwn(key, Formula("own", "any", get, reads=reads)),
        ForgetOwn(kept_key, Formula("own", "any", drop, reads=reads)),
    ]
    return first_lets, Put(kept_key, Formula("own", "any", keep, reads=(*reads, key)))


def _drop_item(pairs: Kept, number: int) -> Kept:
    """Return the values of all other items."""
    return tuple([pair for pair in pairs if pair[0] != number])


class Unset:
    """The value of an item that has none. Any use of it raises KeyError with its name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _missing(self, *_: Any) -> Any:
        raise KeyError(self._name)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __hash__ = __str__ = _missing
    __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __floordiv__ = __neg__ = __iter__ = (
        __len__
    ) = _missing


class Own(Let):
    """A statement about the values that items keep."""

    def bound(self, _counter: StateCounter, names: Names, states: float, /) -> float:
        """Return `states` as it is, and set the possible values after it in `names`.

        They are set by item, or all together if a die chose the item.
        """
        kept_values, index_values, *new_values = [names.get(key, GIVEN) for key in self.value.reads]
        known_index = get_single_value(index_values)
        names[self.key] = (
            self.combine_known(kept_values, known_index, new_values)
            if known_index is not None
            else _multiply_known((kept_values, index_values, *new_values))
        )
        return states

    def combine_known(
        self, kept_values: PossibleValues, known_index: int, new_values: list[PossibleValues]
    ) -> PossibleValues:
        """Return the possible values that items keep after it, if it is for item `known_index`.

        `kept_values` are those before it. `new_values` are those that it gives to the item: one, or
        none if the item keeps nothing after it.
        """
        by_item = {
            item_index: values
            for item_index, values in kept_values.own.items()
            if item_index != known_index
        }
        for values in new_values:
            by_item[known_index] = values
        return replace(_multiply_known(by_item.values()), own=by_item)


def _multiply_known(possible: Iterable[PossibleValues]) -> PossibleValues:
    return PossibleValues(size=count_combinations(possible))


class Put(Own):
    """A statement that keeps a value of the current item."""


class ReadOwn(Own):
    """A statement that reads the value that the current item keeps."""

    def combine_known(
        self, kept_values: PossibleValues, known_index: int, _new_values: list[PossibleValues]
    ) -> PossibleValues:
        return kept_values.own.get(known_index, GIVEN)


class ForgetOwn(Own):
    """A statement that forgets the value of the current item, if nothing reads it after the item's
    steps.
    """

    def is_wanted(self, slicer: Slicer, /) -> bool:
        """Return whether the values of other items are read later, and none after the last item."""
        return self.key in slicer.live and self.key not in slicer.live_after[-1]

    def run_partly(self, _known_pass: KnownValuesPass, _env: Env, /) -> bool:
        return False
