"""A file of declared sequences, and one of them: checked when it is loaded, planned for given
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
    Sites,
    Steps,
    build_env,
    build_path,
    run_steps,
)
from bot.rules.declared.let_tell import Refuse
from bot.rules.declared.load import Loader
from bot.rules.declared.odds_limits import GIVEN, Counter, count_program_states
from bot.rules.declared.output_steps import UNIT, OutputStatement, build_resolution
from bot.rules.declared.pools import FacePool, Segment, WordedSegment, pools_in
from bot.rules.declared.program import Block, Partial, Slicer, Statement, walk_statements
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

# -- before any die falls: what is refused or lacking is found then, and the rows of odds

FoundRow = tuple[str, Any, int]
"""The path of an item's output, the item as odds show it, and how many it stands for."""


class Early(Partial):
    """Refuses what inputs alone decide; `rows` takes the units whose odds are shown, where these
    are wanted.
    """

    def __init__(self, rows: list[FoundRow] | None = None) -> None:
        self._rows = rows

    def meets(self, one: Statement, env: Env) -> None:
        """Raise the UserError of a refusal, or of dice that cannot be."""
        one.check(self, env)

    def enters(self, one: Statement, number: int, env: Env) -> None:
        """Take the row of an item; the first may stand for all."""
        if self._rows is None or not isinstance(one, For) or one.row is None:
            return
        text, by, alike = one.row
        if alike is None or not number:
            many = 1 if alike is None else self.value(alike, env)
            self._rows.append((build_path(one.within, by, env), self.value(text, env), many))


# -- a file, and a sequence of it

KEYS = ("lists", "formulas", "blocks", "sequences")
"""What a file of declared sequences may hold."""
_INDEX = re.compile(r"\[\d+\]")
_PLACE = re.compile(r"(?<![^.\[\]])([^.\[\]]+)\[(\d+)\]")
MOST_ASKED = 32
"""For how many sets of outputs the walk of their odds is kept."""
Pools = Mapping[str, Mapping[int, FacePool]]
Looks = Mapping[str, Callable[[str], tuple[Any, ...]]]


class Library:
    """The declared sequences of one file, each loaded when it is asked for."""

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
        """The sequence `id`, checked. Raises TableError."""
        spec = self._source["sequences"][id]
        where = ("sequences", id)
        if not isinstance(spec, Mapping) or "steps" not in spec:
            raise self.setting.make_error("a sequence needs steps", where)
        if strange := [key for key in spec if key not in ("steps", "outputs")]:
            raise self.setting.make_error(
                f"a sequence has no {strange[0]} here", where, str(strange[0]), ("steps", "outputs")
            )
        head = self.heads.get(id)
        if head is None:
            raise self.setting.make_error(
                f"there is no sequence {id} whose steps these are", where, id, self.heads
            )
        head = replace(head, outputs={**head.outputs, **(spec.get("outputs") or {})})
        formulas = self._formulas(head, spec)
        inputs = _list_input_names(head.inputs)
        sheet = StepCompiler(formulas, head.outputs, head.odds_by, frozenset(inputs))
        program = Loader(sheet, self._source.get("blocks") or {}).program(
            spec["steps"], inputs, (*where, "steps")
        )
        return Declared(id, head, sheet, _Proof(program, head.inputs, self.setting).block(program))

    def _formulas(self, head: SequenceHead, spec: Mapping[str, Any]) -> Formulas:
        """Return what reads the formulas of a sequence, with the words that it may write bare."""
        formulas = Formulas(self.setting)
        formulas.source = self._source
        formulas.tokens |= {
            word for said in head.outputs.values() for word in list_output_words(said)
        }
        formulas.tokens |= {str(word) for option in head.inputs for word in option.values}
        formulas.learn_all({key: self._source.get(key) for key in ("formulas", "blocks")})
        formulas.learn_all(spec)
        for name, text in (self._source.get("formulas") or {}).items():
            formulas.define(str(name), text, ("formulas", name))
        return formulas


class Declared:
    """One declared sequence: a program of statements, that makes the plan for given inputs.

    >>> head = SequenceHead((Option("mod", "int"),), {"total": "int"})
    >>> steps = [{"roll": {"roll": "1d6"}}, {"tell": {"total": "roll + mod"}}, {"headline": "{roll + mod} in all"}]
    >>> library = Library({"sequences": {"check": {"steps": steps}}}, Setting("steps.yaml"), {"check": head})
    >>> played = play(library.load_sequence("check").plan(Given({"mod": 2})), Script((4,)))
    >>> played.out, played.settlement.headline
    ({'total': 6}, '6 in all')
    """

    def __init__(self, id: str, head: SequenceHead, sheet: StepCompiler, program: Block) -> None:
        self.id = id
        self.head = head
        self.program = program
        self._sheet = sheet
        self.choices = sheet.choices
        self._checked = _drop_statements(
            program, lambda one: one.tells or isinstance(one, ForgetOwn)
        )
        self.tracks = tuple(sorted(sheet.formulas.tracks_read))
        """Those that its steps read or change, as formulas read them: `side.points`."""
        self.decks = sheet.decks
        """Those that its steps draw from, by id."""
        self._has_mods = any(option.type == "mods" for option in head.inputs)
        self._has_rows = any(
            isinstance(one, For) and one.row is not None for one in walk_statements(program)
        )
        self._walk = lru_cache(MOST_ASKED)(self._compile_odds)
        called = (sheet.formulas.readers[name].table for name in sorted(sheet.formulas.learnt))
        self._blank = tuple(table for table in called if table.blank)

    @cached_property
    def effects(self) -> Effects:
        """Find what the steps may change, and what the choices wait on."""
        return find_effects(self.program, self.tracks)

    @cached_property
    def read_tracks(self) -> frozenset[str]:
        """Return the tracks that formulas read, without those that steps only change."""
        read = {key for one in walk_statements(self.program) for key in one.reads}
        return frozenset(read.intersection(self.tracks))

    @cached_property
    def numbers_added_to(self) -> frozenset[str]:
        """Return the numbers of units that its steps add to."""
        notes = [one for one in walk_statements(self.program) if isinstance(one, OutputStatement)]
        return frozenset(
            key for one in notes if one.changes == UNIT for key in one.ready.get("add", ())
        )

    @cached_property
    def judges_units(self) -> bool:
        """Return whether a step says what becomes of a unit, or changes its state or markers."""
        return any(_judges_unit(one) for one in walk_statements(self.program))

    @property
    def missing_outputs(self) -> list[str]:
        """What is wrong with outputs that no step tells, and whose name is not in sight where
        the steps end.
        """
        return [f"output {path} {why}" for path, why in self._sheet.untold.items()]

    def drop_named_outputs(self, out: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs without those told by name: what logs from before there were such hold of
        it.
        """
        by_name = self._sheet.by_name
        lists = self._sheet.items

        def items(into: str) -> list[Any]:
            kept = [
                {key: one for key, one in item.items() if (into, key) not in by_name}
                for item in out[into]
            ]
            return [item for item in kept if item]

        return {
            key: items(key) if key in lists else value
            for key, value in out.items()
            if ("", key) not in by_name
        }

    def bound(self, units: int, path: str = "") -> Counter | None:
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
        for one in walk_statements(self.program):
            if isinstance(one, For) and one.row is not None:
                kinds.append(self._kind_of(_format_path(one.within, one.row[1])))
        if not kinds and self.head.odds_by:
            kinds.append(self._kind_of(self.head.odds_by))
        return tuple(kinds)

    def _kind_of(self, path: str) -> Any:
        """Return what the file says of an output: `pass | fail` of `units[0].result`."""
        first, *rest = _INDEX.sub("", path).split(".")
        kind = self.head.outputs.get(first, "")
        for name in rest:
            kind = list_item_outputs(kind).get(name, "")
        return kind

    def check_odds(self) -> None:
        """Raises TableError for odds that nobody could ever count, however few units are listed."""
        bound = self.bound(0)
        if bound is not None and bound.least > STATE_BUDGET:
            raise self._sheet.formulas.setting.make_error(
                f"the odds by {self.head.odds_by} can never be counted: the dice that are read later come to "
                f"{bound.least:,.0f} states, and {STATE_BUDGET:,} are the most",
                ("sequences", self.id),
            )

    def _compile_odds(self, asked: frozenset[str]) -> tuple[Steps, Sites, Pools, Looks]:
        """What carries out the odds of some outputs, its rolls, and what these look at of dice
        and cards.
        """
        kept = Slicer(asked).block(self.program)
        sites = Sites()
        return Here(sites).block(kept), sites, pools_in(kept), find_looks(kept)

    @cached_property
    def _play(self) -> tuple[Steps, Block, Steps, dict[str, Segment]]:
        """What is carried out before a die can fall or a side is asked; what is checked then of the
        rest; the rest, and its rolls."""
        waits = [
            one.rolls or any(isinstance(below, Choose) for below in walk_statements((one,)))
            for one in self.program
        ]
        at = waits.index(True) if True in waits else len(waits)
        known = _drop_statements(self.program[:at], lambda one: isinstance(one, ForgetOwn))
        sites = Sites()
        steps = Here(sites).block((*known, *Slicer(None).block(self.program[at:])))
        checked = _drop_statements(
            self.program[at:], lambda one: one.tells or isinstance(one, ForgetOwn)
        )
        return steps[:at], checked, steps[at:], _build_segments(sites, {})

    def plan(self, given: Given) -> Plan[Now]:
        """The plan for cleaned inputs. Raises UserError for what the steps refuse."""
        if self._has_mods:
            given.refuse_values()
        for table in self._blank:
            table.check_filled()
        known = self._build_start_values(given)
        env = build_env(known)
        try:
            start = self._start_state(known, env)
        except UNWORKABLE as error:
            raise make_unworkable_error(error) from None

        return Plan(
            start, self._play[3] if start.owes else {}, resolve_never, _add_empty_lists(env[TOLD], self._sheet),
            tell_nothing,
            tuple(env[LINES]), partial(self._focus, known),
            partial(self._list_rows, known) if self._has_rows else (), "",
            tuple(env[NOTES]), build_resolution,
        )  # fmt: skip

    def _list_rows(self, known: Mapping[str, Any]) -> tuple[OddsRow, ...]:
        """The units whose odds are shown."""
        found: list[FoundRow] = []
        Early(found).block(self._checked, dict(known))
        return tuple(
            [
                build_row(path, format_value(name))._replace(alike=alike)
                for path, name, alike in found
            ]
        )

    def _start_state(self, known: Mapping[str, Any], env: Env) -> Now:
        """The state after what comes before the first die; `env` takes what is set and told."""
        head, checked, tail, _ = self._play
        try:
            if (start := run_steps(head, env)) is not None:
                return start
            Early().block(checked, dict(env))
            return run_steps(tail, env) or END
        except (UserError, *UNWORKABLE):
            # a refusal comes before what is wrong with words
            Early().block(self._checked, dict(known))
            raise

    def _build_start_values(self, given: Given) -> dict[str, Any]:
        """The values that it begins with: tracks and piles as they were filled in, else as they
        start.
        """
        filled = given.values
        setting = self._sheet.formulas.setting
        known = build_values(self.head.inputs, given, setting.words)
        known |= {
            name: filled.get(name, setting.tracks[name.partition(".")[2]].start)
            for name in self.tracks
        }
        for id, made in self.decks.items():
            known[f"{DECK}{id}"] = filled.get(f"{DECK}{id}", build_pile(id, made.deck, {}))
        return known | {get_pick_key(name): filled.get(name, NONE) for name in self.choices}

    def _focus(self, known: Mapping[str, Any], paths: tuple[str, ...]) -> Plan[Now]:
        """The plan of the odds of some outputs, which remembers no more than these need."""
        steps, sites, pools, sights = self._walk(frozenset(_INDEX.sub("", path) for path in paths))
        env = build_env(
            {
                **known,
                **{name: known[name].group_by(seen) for name, seen in sights.items()},
                **find_places(paths),
            }
        )
        return Plan(
            run_steps(steps, env) or END, _build_segments(sites, pools), resolve_never, env[TOLD]
        )


def _judges_unit(one: Statement) -> bool:
    if not isinstance(one, OutputStatement):
        return False
    sets_state = one.changes == UNIT and "state" in one.ready.get("set", {})
    return "is" in one.ready or "mark" in one.ready or sets_state


def _format_path(within: Iterable[tuple[str, str]], output: str) -> str:
    """Return the path of an output without places: `units.result`."""
    return ".".join(filter(None, [*(listed for listed, _ in within), output]))


def _build_segments(sites: Sites, pools: Pools) -> dict[str, Segment]:
    """The steps of a plan, by name."""
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
    """The block without some of its statements."""
    return tuple(
        one.map_blocks(partial(_drop_statements, is_out=is_out)) for one in block if not is_out(one)
    )


def _list_input_names(options: tuple[Option, ...]) -> Names:
    """The names that a sequence begins with: its inputs, the words of its `mods`, and which were
    typed.
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
    options: Iterable[Option], given: Given, words: Mapping[str, UnitWords]
) -> dict[str, Any]:
    """The values of the names that a declared sequence begins with; of two with one name the
    later counts.
    """
    known: dict[str, Any] = {}
    for option in options:
        name = option.name
        value = given.values.get(option.name)
        if option.type in ("unit", "units"):
            as_read = words.get(option.units or "units", NO_WORDS).fill_state
            unit = given.roster.get(name)
            one = NONE if unit is None else as_read(unit)
            value = one if option.type == "unit" else tuple(map(as_read, given.lists.get(name, ())))
        elif option.type == "bool":
            value = value or name in given.mods if given.mods else value
        elif value is None and not option.is_required:
            value = NONE
        known[format_name(name)], known[f"{name}_typed"] = value, name in given.typed
        if option.type == "mods":
            known |= {str(word): given.flag(str(word)) for word in option.values}
    return known


def find_places(paths: Iterable[str]) -> dict[str, frozenset[int]]:
    """The places that are asked for in each list: `targets[0].men[2].fate` has one in `targets`
    and one in `men`.
    """
    found: dict[str, set[int]] = {}
    for path in paths:
        for deep, (listed, at) in enumerate(_PLACE.findall(path)):
            found.setdefault(get_asked_key(deep, listed), set()).add(int(at))
    return {key: frozenset(places) for key, places in found.items()}


def _add_empty_lists(told: dict[str, Any], sheet: StepCompiler) -> dict[str, Any]:
    """The outputs with lists that nobody enters empty, those told one by one behind what is
    known before.
    """
    before: dict[str, Any] = {}
    behind: dict[str, Any] = {}
    for name in sheet.lists:
        value = told.get(name, NONE)
        if value == NONE:
            (behind if name in sheet.by_item else before)[name] = []
        elif isinstance(value, tuple):
            told[name] = list(value)
    return {**before, **told, **behind}


# -- what must be known before any die falls: how many dice and items dice may make of something,
# what is refused

MORE = 'write the most: "{hits}d6, at most 20"'
FEWER = "take them from a list or a table"
LONGER = 'roll them all at once, "{hits}d6, at most 20", or go through numbers(min(hits, 40))'


class _Proof:
    """What dice may make of the formulas of a program.

    It is gone through with the longest lists; where that takes too long, with short ones, to see
    what hangs on dice.
    """

    def __init__(self, program: Block, options: tuple[Option, ...], setting: Setting) -> None:
        self._setting = setting
        known = (
            count_program_states(program, options, MAX_UNITS)
            if any(
                isinstance(one, Refuse)
                or (isinstance(one, RollStatement) and one.reads)
                or (isinstance(one, For) and _find_item_count(one))
                for one in walk_statements(program)
            )
            else None
        )
        self._known = known.seen if known is not None and known.whole else {}
        self._rough = (
            self._known
            if known is None or known.whole
            else count_program_states(program, options, 4).seen
        )

    def block(self, block: Block) -> Block:
        """The block with all bounds that can be said. Raises TableError where one is needed and
        is not known.
        """
        made = list(block)
        for at, one in enumerate(block):
            if isinstance(one, RollStatement):
                made[at] = replace(one, dice=tuple(map(self._limit_dice, one.dice)))
                continue
            if (
                isinstance(one, If)
                and self._depends_on_dice(one.when)
                and any(isinstance(below, Refuse) for below in walk_statements((one,)))
            ):
                raise self._setting.make_error(
                    "dice decide whether this is refused; refuse before they fall", one.when.where
                )
            if isinstance(one, For) and (counts := _find_item_count(one)) is not None:
                self._compute_most(
                    counts, "how long this list is", MAX_UNITS, LONGER, one.items.where
                )
            made[at] = one.map_blocks(self.block)
        return tuple(made)

    def _limit_dice(self, thrown: DiceRequest) -> DiceRequest:
        count = thrown.count
        sides = thrown.sides
        most = self._compute_most(
            count, "how many dice these are", MOST_DICE, MORE, count.where, thrown.most
        )
        high = self._compute_most(sides, "their sides", MOST_ROLLS, FEWER, sides.where)
        bounded = replace(thrown, most=most, high=high)
        if bounded.is_bounded and bounded.bound > MOST_ROLLS:
            raise self._setting.make_error(explain_too_large_roll(bounded), thrown.where)
        return bounded

    def _depends_on_dice(self, formula: Formula) -> bool:
        """Return whether dice decide it."""
        return self._rough.get(formula, GIVEN).size > 1

    def _compute_most(
        self, formula: Formula, what: str, limit: int, advice: str, where: Path, written: int = 0
    ) -> int:
        """The most that dice may make of it (or as is `written`), 0 where they do not decide it.

        Raises TableError if it is not known.
        """
        if not self._depends_on_dice(formula):
            return written
        some = self._known.get(formula, GIVEN).some
        if some is None and written:
            return written
        if some is None:
            raise self._setting.make_error(
                f"dice decide {what}, and nothing says the most; {advice}", where
            )
        if odd := [one for one in some if one != "A" and not str(one).lstrip("-").isdecimal()]:
            part = "may have a fraction; up(...) or down(...) rounds it"
            part = part if odd[0].__class__ is float else f"may come to {odd[0]}"
            part += (
                "; write max(0, ...) around what may be none" if odd[0] in ("none", None) else ""
            )
            raise self._setting.make_error(f"dice decide {what}, and it {part}", where)
        if written:
            return written
        if limit == MOST_ROLLS and (low := min(map(parse_sides, some))) < 1:
            raise self._setting.make_error(
                f"dice decide {what}, and it may come to {low}; {advice}", where
            )
        high = max(map(parse_sides, some))
        if high > limit:
            raise self._setting.make_error(
                f"dice decide {what}, and it may come to {high:,}; {advice}", where
            )
        return max(high, 1)


def _find_item_count(one: For) -> Formula | None:
    """What says how many items there are: of `numbers(hits)`, and of the dice of a roll."""
    items = one.items
    if items.kind == "numbers":
        return items.parts[0]
    return items if items.kind == "name" and items.value.endswith(FACES) else None
