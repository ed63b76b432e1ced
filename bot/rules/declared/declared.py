"""A file of declared sequences, and one sequence of it: checked when loaded, planned for given
inputs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import Any

from bot.rules.declared.choices import Choose, get_pick_key
from bot.rules.declared.compile_context import (
    FACES,
    NUMBERS,
    Name,
    Names,
    Path,
    SequenceHead,
    Setting,
    format_name,
    list_item_outputs,
    list_output_words,
)
from bot.rules.declared.draws import Draw, DrawSegment, find_looks
from bot.rules.declared.effects import find_effects
from bot.rules.declared.formula import Env, Formula
from bot.rules.declared.formula_functions import (
    MOST_DICE,
    NONE,
    UNWORKABLE,
    format_value,
    make_unworkable_error,
)
from bot.rules.declared.formulas import Formulas
from bot.rules.declared.interpreter import (
    END,
    LINES,
    NOTES,
    TOLD,
    Here,
    Now,
    OuterList,
    Sites,
    Steps,
    build_env,
    build_path,
    run_steps,
)
from bot.rules.declared.let_tell import Refuse
from bot.rules.declared.load import Loader
from bot.rules.declared.odds_limits import GIVEN, StateCounter, count_program_states
from bot.rules.declared.output_steps import UNIT, OutputStatement, build_resolution
from bot.rules.declared.pools import FacePool, Segment, WordedSegment, pools_in
from bot.rules.declared.program import Block, KnownValuesPass, Slicer, Statement, walk_statements
from bot.rules.declared.rolls import (
    MOST_ROLLS,
    DiceRequest,
    RollStatement,
    explain_too_large_roll,
    parse_sides,
)
from bot.rules.declared.step_parser import StepCompiler
from bot.rules.declared.when_each import For, ForgetOwn, If, get_asked_key
from bot.rules.errors import UserError
from bot.rules.inputs.decks import DECK, build_pile
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import MAX_UNITS, NO_WORDS, UnitWords
from bot.rules.odds.odds import STATE_BUDGET
from bot.rules.sequence.effects import Effects
from bot.rules.sequence.sequence import OddsRow, Plan, build_row, resolve_never, tell_nothing
from bot.rules.text.names import join_names

# -- before any die falls: what is refused or lacking is found then, and the rows of odds

FoundRow = tuple[str, Any, int]
"""The path of an item's output, the item as odds show it, and the number of items like it.
"""


class Early(KnownValuesPass):
    """A pass that raises the refusals that inputs alone decide. `rows` collects the units whose
    odds are shown, if these are wanted.
    """

    def __init__(self, rows: list[FoundRow] | None = None) -> None:
        self._rows = rows

    def meets(self, statement: Statement, env: Env) -> None:
        """Raise UserError for a refusal, or for impossible dice."""
        statement.check(self, env)

    def enters(self, statement: Statement, number: int, env: Env) -> None:
        """Add the row of an item. The first item may stand for all."""
        if self._rows is None or not isinstance(statement, For) or statement.row is None:
            return
        row = statement.row
        if row.item_count is not None and number:
            return
        count = 1 if row.item_count is None else self.value(row.item_count, env)
        path = build_path(statement.outer_lists, row.output, env)
        self._rows.append((path, self.value(row.name, env), count))


# -- a file, and a sequence of it

KEYS = ("lists", "formulas", "blocks", "sequences")
"""The keys that a file of declared sequences may have."""
_INDEX = re.compile(r"\[\d+\]")
_PLACE = re.compile(r"(?<![^.\[\]])([^.\[\]]+)\[(\d+)\]")
MOST_ASKED = 32
"""The number of sets of outputs for which a compiled program is cached."""
Pools = Mapping[str, Mapping[int, FacePool]]
Looks = Mapping[str, Callable[[str], tuple[Any, ...]]]


class Library:
    """The declared sequences of one file. Each is loaded on request."""

    def __init__(
        self, source: Mapping[str, Any], setting: Setting, heads: Mapping[str, SequenceHead]
    ) -> None:
        for key in KEYS:
            if not isinstance(source.get(key) or {}, Mapping):
                raise setting.make_error(f"{key} must be a mapping", (key,))
        if strange := [key for key in source if key not in KEYS]:
            raise setting.make_error(
                f"there is no {strange[0]} here", (str(strange[0]),), str(strange[0]), KEYS
            )
        lists = dict(source.get("lists") or {})
        for name, items in lists.items():
            if not isinstance(items, list | Mapping):
                raise setting.make_error(
                    f"{name} must be a list, or a mapping of words", ("lists", name)
                )
            lists[name] = items if isinstance(items, Mapping) else tuple(items)
        self.setting = replace(setting, lists={**setting.lists, **lists})
        self.heads, self.ids = heads, tuple(source.get("sequences") or {})
        self._source = source

    def load_sequence(self, id: str) -> Declared:
        """Load and check the sequence `id`.

        Raises TableError for any fault in its steps, and if the game does not declare the sequence.
        """
        spec = self._source["sequences"][id]
        path = ("sequences", id)
        if not isinstance(spec, Mapping) or "steps" not in spec:
            raise self.setting.make_error("a sequence needs steps", path)
        if strange := [key for key in spec if key not in ("steps", "outputs")]:
            raise self.setting.make_error(
                f"a sequence has no {strange[0]} here", path, str(strange[0]), ("steps", "outputs")
            )
        head = self.heads.get(id)
        if head is None:
            raise self.setting.make_error(
                f"there is no sequence {id} for these steps", path, id, self.heads
            )
        head = replace(head, outputs={**head.outputs, **(spec.get("outputs") or {})})
        formulas = self._formulas(head, spec)
        inputs = _list_input_names(head.inputs)
        sheet = StepCompiler(formulas, head.outputs, head.odds_by, frozenset(inputs))
        program = Loader(sheet, self._source.get("blocks") or {}).program(
            spec["steps"], inputs, (*path, "steps")
        )
        return Declared(id, head, sheet, _Proof(program, head.inputs, self.setting).block(program))

    def _formulas(self, head: SequenceHead, spec: Mapping[str, Any]) -> Formulas:
        """Return the compiler for the formulas of a sequence, with the words that need no
        quotes.
        """
        formulas = Formulas(self.setting)
        formulas.source = self._source
        formulas.tokens |= {
            word for kind in head.outputs.values() for word in list_output_words(kind)
        }
        formulas.tokens |= {str(word) for option in head.inputs for word in option.values}
        formulas.learn_all({key: self._source.get(key) for key in ("formulas", "blocks")})
        formulas.learn_all(spec)
        for name, text in (self._source.get("formulas") or {}).items():
            formulas.define(str(name), text, ("formulas", name))
        return formulas


class Declared:
    """One declared sequence: a program of statements that makes the plan for given inputs.

    >>> head = SequenceHead((Option("mod", "int"),), {"total": "int"})
    >>> steps = [{"roll": {"roll": "1d6"}}, {"tell": {"total": "roll + mod"}}, {"headline": "{roll + mod} in all"}]
    >>> library = Library({"sequences": {"check": {"steps": steps}}}, Setting("steps.yaml"), {"check": head})
    >>> played = play(library.load_sequence("check").plan(Given({"mod": 2})), Script((4,)))
    >>> played.out, played.resolution.headline
    ({'total': 6}, '6 in all')
    """

    def __init__(self, id: str, head: SequenceHead, sheet: StepCompiler, program: Block) -> None:
        self.id = id
        self.head = head
        self.program = program
        self._sheet = sheet
        self.choices = sheet.choices
        self._checked = _drop_statements(
            program, lambda statement: statement.tells or isinstance(statement, ForgetOwn)
        )
        self.tracks = tuple(sorted(sheet.formulas.tracks_read))
        """The tracks that its steps read or change, as formulas name them: `side.points`."""
        self.decks = sheet.decks
        """The decks that its steps draw from, by id."""
        self._has_mods = any(option.type == "mods" for option in head.inputs)
        self._has_rows = any(
            isinstance(statement, For) and statement.row is not None
            for statement in walk_statements(program)
        )
        self._walk = lru_cache(MOST_ASKED)(self._compile_odds)
        called_tables = (
            sheet.formulas.readers[name].table for name in sorted(sheet.formulas.learnt)
        )
        self._blank = tuple(table for table in called_tables if table.blank)

    @cached_property
    def effects(self) -> Effects:
        """The possible effects of the steps, and the tracks that the choices hold."""
        return find_effects(self.program, self.tracks)

    @cached_property
    def read_tracks(self) -> frozenset[str]:
        """The tracks that formulas read, without those that steps only change."""
        keys_read = {key for statement in walk_statements(self.program) for key in statement.reads}
        return frozenset(keys_read.intersection(self.tracks))

    @cached_property
    def numbers_added_to(self) -> frozenset[str]:
        """The numbers of units that its steps add to."""
        notes = [
            statement
            for statement in walk_statements(self.program)
            if isinstance(statement, OutputStatement)
        ]
        return frozenset(
            key
            for statement in notes
            if statement.changes == UNIT
            for key in statement.ready.get("add", ())
        )

    @cached_property
    def judges_units(self) -> bool:
        """True if a step decides the fate of a unit, or changes its state or markers."""
        return any(_judges_unit(statement) for statement in walk_statements(self.program))

    @property
    def missing_outputs(self) -> list[str]:
        """The problems of outputs that no step sets and that have no name of their own at the end
        of the steps.
        """
        return [f"output {path} {problem}" for path, problem in self._sheet.untold.items()]

    def drop_named_outputs(self, out: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outputs without those set by name: logs from before this feature do not have
        them.
        """
        by_name = self._sheet.by_name
        lists = self._sheet.items

        def items(into: str) -> list[Any]:
            items_left = [
                {key: item_value for key, item_value in item.items() if (into, key) not in by_name}
                for item in out[into]
            ]
            return [item for item in items_left if item]

        return {
            key: items(key) if key in lists else value
            for key, value in out.items()
            if ("", key) not in by_name
        }

    def bound(self, units: int, path: str = "") -> StateCounter | None:
        """Return the counter of the states that the odds of the output `path` need, with `units`
        items in each list. Without `path`, the output that the odds are by; return None if there is
        none.
        """
        path = _INDEX.sub("", path or self.head.odds_by)
        return (
            count_program_states(
                Slicer(frozenset((path,))).block(self.program), self.head.inputs, units
            )
            if path
            else None
        )

    def result_kinds(self) -> tuple[Any, ...]:
        """Return the kinds of the outputs that its odds are by, those of its rows first."""
        kinds: list[Any] = []
        for statement in walk_statements(self.program):
            if isinstance(statement, For) and statement.row is not None:
                kinds.append(
                    self._kind_of(_format_path(statement.outer_lists, statement.row.output))
                )
        if not kinds and self.head.odds_by:
            kinds.append(self._kind_of(self.head.odds_by))
        return tuple(kinds)

    def _kind_of(self, path: str) -> Any:
        """Return what the file says of an output: `pass | fail` of `units[0].result`."""
        first, *item_names = _INDEX.sub("", path).split(".")
        kind = self.head.outputs.get(first, "")
        for name in item_names:
            kind = list_item_outputs(kind).get(name, "")
        return kind

    def check_odds(self) -> None:
        """Raises TableError for odds that nobody could ever count, however few units are listed."""
        bound = self.bound(0)
        if bound is not None and bound.least > STATE_BUDGET:
            problem = (
                f"the odds by {self.head.odds_by} can never be computed: the dice that are "
                f"read later lead to {bound.least:,.0f} states, and the limit is {STATE_BUDGET:,}"
            )
            keys = [key for key in bound.live if key.isidentifier()]
            if keys:
                problem += f". Add up {join_names(keys)} before this roll, or look up their result"
            raise self._sheet.formulas.setting.make_error(
                problem, bound.where or ("sequences", self.id)
            )

    def _compile_odds(self, outputs: frozenset[str]) -> tuple[Steps, Sites, Pools, Looks]:
        """Compile the program for the odds of some outputs: its steps, its rolls, and what it looks
        at of dice and cards.
        """
        program = Slicer(outputs).block(self.program)
        sites = Sites()
        return Here(sites).block(program), sites, pools_in(program), find_looks(program)

    @cached_property
    def _play(self) -> tuple[Steps, Block, Steps, dict[str, Segment]]:
        """The program for play: the steps before the first roll or question, the statements to
        check after them, the other steps, and the rolls by name.
        """
        waits = [
            statement.rolls
            or any(isinstance(below, Choose) for below in walk_statements((statement,)))
            for statement in self.program
        ]
        first_wait = waits.index(True) if True in waits else len(waits)
        head = _drop_statements(
            self.program[:first_wait], lambda statement: isinstance(statement, ForgetOwn)
        )
        sites = Sites()
        steps = Here(sites).block((*head, *Slicer(None).block(self.program[first_wait:])))
        checked = _drop_statements(
            self.program[first_wait:],
            lambda statement: statement.tells or isinstance(statement, ForgetOwn),
        )
        return steps[:first_wait], checked, steps[first_wait:], _build_segments(sites, {})

    def plan(self, inputs: Given) -> Plan[Now]:
        """Return the plan for cleaned inputs. Raises UserError if the steps refuse them."""
        if self._has_mods:
            inputs.refuse_values()
        for table in self._blank:
            table.check_filled()
        values = self._build_start_values(inputs)
        env = build_env(values)
        try:
            start = self._start_state(values, env)
        except UNWORKABLE as error:
            raise make_unworkable_error(error) from None

        return Plan(
            start, self._play[3] if start.next_step else {}, resolve_never, _add_empty_lists(env[TOLD], self._sheet),
            tell_nothing,
            tuple(env[LINES]), partial(self._focus, values),
            partial(self._list_rows, values) if self._has_rows else (), "",
            tuple(env[NOTES]), build_resolution,
        )  # fmt: skip

    def _list_rows(self, values: Mapping[str, Any]) -> tuple[OddsRow, ...]:
        """Return the rows of the units whose odds are shown."""
        rows: list[FoundRow] = []
        Early(rows).block(self._checked, dict(values))
        return tuple(
            [
                build_row(path, format_value(name))._replace(unit_count=count)
                for path, name, count in rows
            ]
        )

    def _start_state(self, values: Mapping[str, Any], env: Env) -> Now:
        """Run the steps before the first die and return the state.

        `env` collects values and outputs. Raises UserError if a step refuses to go on, or if a
        formula cannot use the values.
        """
        head, checked, tail, _ = self._play
        try:
            if (start := run_steps(head, env)) is not None:
                return start
            Early().block(checked, dict(env))
            return run_steps(tail, env) or END
        except (UserError, *UNWORKABLE):
            # a refusal comes before what is wrong with words
            Early().block(self._checked, dict(values))
            raise

    def _build_start_values(self, inputs: Given) -> dict[str, Any]:
        """Return the values at the start by key: inputs, and tracks, piles and choices as given or
        at their defaults.
        """
        filled = inputs.values
        setting = self._sheet.formulas.setting
        values = build_values(self.head.inputs, inputs, setting.words)
        values |= {
            name: filled.get(name, setting.tracks[name.partition(".")[2]].start)
            for name in self.tracks
        }
        for id, pile_deck in self.decks.items():
            values[f"{DECK}{id}"] = filled.get(f"{DECK}{id}", build_pile(id, pile_deck.deck, {}))
        return values | {get_pick_key(name): filled.get(name, NONE) for name in self.choices}

    def _focus(self, values: Mapping[str, Any], paths: tuple[str, ...]) -> Plan[Now]:
        """Return the plan for the odds of some outputs. Its states hold only what these need."""
        steps, sites, pools, sights = self._walk(frozenset(_INDEX.sub("", path) for path in paths))
        env = build_env(
            {
                **values,
                **{name: values[name].group_by(look) for name, look in sights.items()},
                **find_places(paths),
            }
        )
        return Plan(
            run_steps(steps, env) or END, _build_segments(sites, pools), resolve_never, env[TOLD]
        )


def _judges_unit(statement: Statement) -> bool:
    """Return whether a statement decides the fate of a unit, or changes its state or markers."""
    if not isinstance(statement, OutputStatement):
        return False
    sets_state = statement.changes == UNIT and "state" in statement.ready.get("set", {})
    return "is" in statement.ready or "mark" in statement.ready or sets_state


def _format_path(outer_lists: Iterable[OuterList], output: str) -> str:
    """Return the path of an output without places: `units.result`."""
    return ".".join(filter(None, [*(listed for listed, _ in outer_lists), output]))


def _build_segments(sites: Sites, pools: Pools) -> dict[str, Segment]:
    """Return the steps of a plan by name."""
    rolls = dict[str, Segment]()
    for name, site in sites.items():
        step = (
            DrawSegment
            if isinstance(site[0], Draw)
            else WordedSegment
            if site[0].words
            else Segment
        )
        rolls[name] = step(site, pools.get(name, {}))
    return rolls


def _drop_statements(block: Block, is_out: Callable[[Statement], bool]) -> Block:
    """Return the block without the statements for which `is_out` returns true, at every depth."""
    return tuple(
        statement.map_blocks(partial(_drop_statements, is_out=is_out))
        for statement in block
        if not is_out(statement)
    )


def _list_input_names(options: tuple[Option, ...]) -> Names:
    """Return the names at the start of a sequence: its inputs, the words of its `mods`, and for
    each input whether it was typed.
    """
    kinds = NUMBERS | {"units": "units", "unit": "unit"}
    names: Names = {}
    for option in options:
        name = format_name(option.name)
        names[name] = Name(name, kinds.get(option.type, "text"))
        names[f"{option.name}_typed"] = Name(f"{option.name}_typed", "bool")
        if option.type == "mods":
            names |= {str(word): Name(str(word), "bool") for word in option.values}
    return names


def build_values(
    options: Iterable[Option], inputs: Given, words: Mapping[str, UnitWords]
) -> dict[str, Any]:
    """Return the values of the inputs by the names that formulas use. If two inputs share a name,
    the later one counts.
    """
    values: dict[str, Any] = {}
    for option in options:
        name = option.name
        value = inputs.values.get(option.name)
        if option.type in ("unit", "units"):
            as_read = words.get(option.units or "units", NO_WORDS).fill_state
            unit = inputs.roster.get(name)
            value_or_none = NONE if unit is None else as_read(unit)
            value = (
                value_or_none
                if option.type == "unit"
                else tuple(map(as_read, inputs.lists.get(name, ())))
            )
        elif option.type == "bool":
            value = value or name in inputs.mods if inputs.mods else value
        elif value is None and not option.is_required:
            value = NONE
        values[format_name(name)], values[f"{name}_typed"] = value, name in inputs.typed
        if option.type == "mods":
            values |= {str(word): inputs.flag(str(word)) for word in option.values}
    return values


def find_places(paths: Iterable[str]) -> dict[str, frozenset[int]]:
    """Return the requested indices of each list by key: `targets[0].men[2].fate` has one in
    `targets` and one in `men`.
    """
    indices: dict[str, set[int]] = {}
    for path in paths:
        for deep, (listed, index) in enumerate(_PLACE.findall(path)):
            indices.setdefault(get_asked_key(deep, listed), set()).add(int(index))
    return {key: frozenset(places) for key, places in indices.items()}


def _add_empty_lists(outputs: dict[str, Any], sheet: StepCompiler) -> dict[str, Any]:
    """Return the outputs with an empty list for each list that no step sets. Lists that are set
    item by item come last.
    """
    leading: dict[str, Any] = {}
    trailing: dict[str, Any] = {}
    for name in sheet.lists:
        value = outputs.get(name, NONE)
        if value == NONE:
            (trailing if name in sheet.by_item else leading)[name] = []
        elif isinstance(value, tuple):
            outputs[name] = list(value)
    return {**leading, **outputs, **trailing}


# -- what must be known before any die falls: how many dice and items dice may make of something,
# what is refused

MORE = 'give a maximum: "{hits}d6, at most 20"'
FEWER = "take them from a list or a table"
LONGER = 'roll them all at once, "{hits}d6, at most 20", or go through numbers(min(hits, 40))'


class _Proof:
    """Bounds on the values that dice may give to the formulas of a program.

    They are computed with the longest lists. If that takes too long, short lists show at least
    which formulas depend on dice.
    """

    def __init__(self, program: Block, options: tuple[Option, ...], setting: Setting) -> None:
        self._setting = setting
        counter = (
            count_program_states(program, options, MAX_UNITS)
            if any(
                isinstance(statement, Refuse)
                or (isinstance(statement, RollStatement) and statement.reads)
                or (isinstance(statement, For) and _find_item_count(statement))
                for statement in walk_statements(program)
            )
            else None
        )
        self._known = counter.seen if counter is not None and counter.whole else {}
        self._rough = (
            self._known
            if counter is None or counter.whole
            else count_program_states(program, options, 4).seen
        )

    def block(self, block: Block) -> Block:
        """Return the block with all limits of dice filled in. Raises TableError if a required one
        is not known.
        """
        statements = list(block)
        for index, statement in enumerate(block):
            if isinstance(statement, RollStatement):
                statements[index] = replace(
                    statement, dice=tuple(map(self._limit_dice, statement.dice))
                )
                continue
            if (
                isinstance(statement, If)
                and self._depends_on_dice(statement.when)
                and any(isinstance(below, Refuse) for below in walk_statements((statement,)))
            ):
                raise self._setting.make_error(
                    "dice decide whether this is refused; refuse before they are rolled",
                    statement.when.where,
                )
            if isinstance(statement, For) and (counts := _find_item_count(statement)) is not None:
                self._compute_most(
                    counts, "how long this list is", MAX_UNITS, LONGER, statement.items.where
                )
            statements[index] = statement.map_blocks(self.block)
        return tuple(statements)

    def _limit_dice(self, request: DiceRequest) -> DiceRequest:
        """Return the dice with `most` and `high` filled in where dice decide their count or sides.

        Raises TableError if the highest value is unknown or not allowed.
        """
        count = request.count
        sides = request.sides
        most_dice = self._compute_most(
            count, "how many dice these are", MOST_DICE, MORE, count.where, request.most
        )
        high = self._compute_most(sides, "their sides", MOST_ROLLS, FEWER, sides.where)
        bounded = replace(request, most=most_dice, high=high)
        if bounded.is_bounded and bounded.bound > MOST_ROLLS:
            raise self._setting.make_error(explain_too_large_roll(bounded), request.where)
        return bounded

    def _depends_on_dice(self, formula: Formula) -> bool:
        return self._rough.get(formula, GIVEN).size > 1

    def _compute_most(
        self,
        formula: Formula,
        subject: str,
        limit: int,
        advice: str,
        path: Path,
        stated_most: int = 0,
    ) -> int:
        """Return the highest value that dice may give to a formula (or the stated one), 0 if dice
        do not decide it.

        Raises TableError if it is not known or above `limit`.
        """
        if not self._depends_on_dice(formula):
            return stated_most
        possible = self._known.get(formula, GIVEN).some
        if possible is None and stated_most:
            return stated_most
        if possible is None:
            raise self._setting.make_error(
                f"dice decide {subject}, and nothing sets a maximum; {advice}", path
            )
        if odd := [
            value for value in possible if value != "A" and not str(value).lstrip("-").isdecimal()
        ]:
            part = "may have a fraction; up(...) or down(...) rounds it"
            part = part if odd[0].__class__ is float else f"may be {odd[0]}"
            part += (
                "; write max(0, ...) around a value that may be none"
                if odd[0] in ("none", None)
                else ""
            )
            raise self._setting.make_error(f"dice decide {subject}, and it {part}", path)
        if stated_most:
            return stated_most
        if limit == MOST_ROLLS and (low := min(map(parse_sides, possible))) < 1:
            raise self._setting.make_error(
                f"dice decide {subject}, and it may be {low}; {advice}", path
            )
        high = max(map(parse_sides, possible))
        if high > limit:
            raise self._setting.make_error(
                f"dice decide {subject}, and it may be {high:,}; {advice}", path
            )
        return max(high, 1)


def _find_item_count(loop: For) -> Formula | None:
    """Return the formula of the number of items, for `numbers(hits)` and the faces of a roll; else
    None.
    """
    items = loop.items
    if items.kind == "numbers":
        return items.parts[0]
    return items if items.kind == "name" and items.value.endswith(FACES) else None
