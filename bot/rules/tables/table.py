"""A loaded table: every cell of a printed chart, its inputs and outputs, compiled to answer in
microseconds.

A table never rolls: where its card asks for dice, `owes` names them and the roll comes in as an
input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from bot.rules.dice import ZERO_IS_HIGHEST, Die
from bot.rules.errors import UserError
from bot.rules.inputs.options import (
    InputReader,
    Option,
    clean,
    make_missing_option_error,
    make_unknown_option_error,
)
from bot.rules.tables.formula import Formula
from bot.rules.tables.printed_edges import (
    fold_printed,
    list_names,
    list_ranges,
    order_by_edges,
    read_name,
    read_range,
)
from bot.rules.tables.says import TEXT, Say, TableHeadline
from bot.rules.text.normalize import normalize_value

Reader = Callable[[dict[str, Any]], None]
CHAIN = "table"
"""The output that names the table which is rolled next."""
PLAIN = {str, int, bool, float, type(None)}
ALONG = {*PLAIN, range}
KEPT = 256
"""How many answers a table remembers, and how many columns."""


class ModifierPart(NamedTuple):
    """One modifier that counts: the row's id, its name as shown, the total that it changes and
    its value.
    """

    id: str
    name: str
    total: str
    value: int | float


@dataclass(frozen=True, slots=True)
class Answer:
    """What a table says: the named outputs, each modifier that counts, and free text for
    display.
    """

    out: Mapping[str, Any]
    parts: tuple[ModifierPart, ...] = ()
    text: str = ""

    def __getitem__(self, name: str) -> Any:
        return self.out[name]

    def get(self, name: str, default: Any = None) -> Any:
        """An output, or `default` where the card leaves it blank."""
        return self.out.get(name, default)


class Modifier(NamedTuple):
    """A row of a table of modifiers: when it counts and what it adds to which total."""

    id: str
    name: str
    when: Formula | None
    adds: tuple[tuple[str, Formula], ...]


class Blank(NamedTuple):
    """A cell, or something else of a card, that whoever has the card is still to type; `where`
    says which.
    """

    where: str

    def make_error(self, title: str) -> UserError:
        """What to say of whoever comes to it."""
        hint = "Whoever has the card types it into the pack."
        return UserError(f"{title} is blank here: {self.where}.", hint=hint, code="blank-cell")


class Doubt(NamedTuple):
    """A cell that the card lost, garbled or misprinted: which cell, what we read, and which
    look-ups rest on it.

    Without `when` it is about the layout of the table, and is shown under the whole of it alone.
    """

    where: str
    say: str
    when: Formula | None

    @property
    def text(self) -> str:
        """Return the line for readers: `300+, bolt action: lost on the card; read as 1`."""
        return f"{self.where}: {self.say}"

    def concerns(self, values: Mapping[str, Any]) -> bool:
        """Return whether an answer with these values rests on the cell."""
        try:
            return self.when is not None and bool(self.when(values))
        except (KeyError, TypeError):  # a value behind the answer is not known without its roll
            return False


class TableRoll(NamedTuple):
    """The dice behind an input of a table of kind roll: `spec` by the value of `by`, owed only
    `when`.
    """

    option: str
    dice: Mapping[object, tuple[Die, ...]]
    by: str = ""
    when: Formula | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """One table of a game; equal to itself alone, so that others can keep what they made of it."""

    id: str
    title: str
    system: str
    source: str
    group: str
    kind: str
    inputs: tuple[Option, ...]
    outputs: Mapping[str, Any]
    summary: str = ""
    notes: str = ""
    example: Mapping[str, Any] = field(default_factory=dict)
    refuse: tuple[tuple[Formula, str], ...] = ()
    derive: tuple[tuple[str, Formula], ...] = ()
    bodies: tuple[Reader, ...] = ()
    modifiers: tuple[Modifier, ...] = ()
    then: tuple[tuple[str, Formula], ...] = ()
    rolls: tuple[TableRoll, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    text_by: tuple[Formula, ...] = ()
    leads: tuple[tuple[str, Formula], ...] = ()
    """Commands of its game that an answer may call for, and when."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    printed: Mapping[str, Any] = field(default_factory=dict)
    blank: tuple[Blank, ...] = ()
    also: tuple[str, ...] = ()
    """Further names that the card or its players have for it."""
    headline: TableHeadline | None = None
    """The sentence that its answer is told with, if its file has one."""
    unsure: tuple[Doubt, ...] = ()
    """Cells that the card lost or garbled, with our reading."""
    chain: Mapping[str, Table] = field(default_factory=dict)
    """The tables that its cells name by ids: who comes to such a cell rolls on that table next."""
    game: str = ""
    """What its game is called."""
    words: Mapping[str, str] = field(default_factory=dict)
    """How its game says tokens, where that is not their own spelling."""
    _options: Mapping[str, Option] = field(default_factory=dict)

    def read(self, given: Mapping[str, object]) -> Answer:
        """The answer for inputs as typed or as JSON. Raises UserError for bad input or what the
        card refuses.
        """
        return self._answer({**self.constants, **self._read_typed(given)})

    def check_filled(self) -> None:
        """Raise UserError where a cell is blank still."""
        if self.blank:
            raise self.blank[0].make_error(self.title)

    @property
    def depth(self) -> int:
        """Return how many tables are rolled one after another from here, this one included."""
        return 1 + max((behind.depth for behind in self.chain.values()), default=0)

    def select_handed_inputs(self, given: Mapping[str, object]) -> dict[str, object]:
        """What it takes of what another table was asked with, where it is rolled behind that."""
        names = {option.name for option in self.inputs} - self._roll_inputs
        return {name: value for name, value in given.items() if name in names}

    def list_lacking_inputs(self, other: Table) -> Iterator[str]:
        """The inputs that it needs behind another table, which does not take them."""
        known = {option.name for option in other.inputs}
        return (
            one.name
            for one in self.inputs
            if one.is_required and one.name not in {*known, *self._roll_inputs}
        )

    def get_option(self, name: str) -> Option:
        """An input. Raises KeyError."""
        return self._options[name]

    def answer_with_values(self, given: Mapping[str, object]) -> tuple[Answer, Mapping[str, Any]]:
        """The answer of `read`, and every value behind it by name: inputs, derived values, then
        outputs.
        """
        typed = self._read_typed(given)
        values = {**self.constants, **typed}
        answer = self._answer(values)
        derived = {name for name, _ in self.derive}
        return answer, {
            **values,
            **{name: value for name, value in typed.items() if name not in derived},
        }

    def format_sentence(self, given: Mapping[str, object], answer: Answer, say: Say) -> str:
        """Return the sentence of `says` for an answer; "" without one. `say` words a value."""
        if self.headline is None:
            return ""
        values: dict[str, Any] = dict.fromkeys(self.outputs)
        values.update(self.answer_with_values(given)[1])
        values.update(answer.out)
        values[TEXT] = answer.text
        return self.headline.write(values, say)

    def check_typed(self, given: Mapping[str, object]) -> None:
        """Raise UserError for an input that is left out or not taken; a roll may be left out."""
        self._read_plain_inputs(given)
        for name in self._roll_inputs & given.keys():
            clean(self._options[name], self.read_printed(name, given[name]))

    def list_next_commands(self, given: Mapping[str, object]) -> tuple[str, ...]:
        """Return the commands of its game that the answer for these inputs calls for.

        Empty if the inputs have no answer.
        """
        if not self.leads:
            return ()
        try:
            values = self.answer_with_values(given)[1]
        except UserError:
            return ()
        return tuple(command for command, when in self.leads if when(values))

    def _read_typed(self, given: Mapping[str, object]) -> dict[str, Any]:
        values = self._read_plain_inputs(given)
        if self.rolls:
            self._take_rolls(values, given, f"Table {self.id}")
        return values

    def _read_plain_inputs(self, given: Mapping[str, object]) -> dict[str, Any]:
        """The inputs that are no rolls."""
        plain = {
            key: self.read_printed(key, value)
            for key, value in given.items()
            if value is not None and key not in self._roll_inputs
        }
        return self._input_reader.read(plain, f"Table {self.id}")

    def read_printed(self, name: str, typed: object) -> object:
        """Return an input as typed, a printed range as the number that its row is found by.

        A roll of one die is read as the die shows it: 00 on a d100 is 100, 0 on a d10 is 10.
        """
        option = self._options.get(name)
        if option is None or not isinstance(typed, str):
            return typed
        if name in self._highest_for_zero and normalize_value(typed) in ("0", "00", "000"):
            return self._highest_for_zero[name]
        return read_name(
            option, read_range(option, typed, self._ranges), self._row_and_column_names
        )

    @cached_property
    def _highest_for_zero(self) -> Mapping[str, int]:
        """The highest face of each roll of one die that shows 0 for it, by the roll's name."""
        highest = dict[str, int]()
        for roll in self.rolls:
            lowest = self._options[roll.option].min
            dice = [*roll.dice.values()]
            sides = {die.sides for many in dice for die in many if die.faces is None}
            is_single = all(len(many) == 1 for many in dice)
            if is_single and lowest == 1 and len(sides) == 1 and sides <= {*ZERO_IS_HIGHEST}:
                highest[roll.option] = sides.pop()
        return highest

    @cached_property
    def _row_and_column_names(self) -> Mapping[tuple[str, str], object]:
        names = dict(list_names(self.printed))
        for option in self.inputs:
            for value in option.values if option.type == "enum" else ():
                if value in self.words:
                    names.setdefault((option.name, fold_printed(self.words[value])), value)
        return names

    @cached_property
    def _ranges(self) -> frozenset[str]:
        return list_ranges(self.printed)

    @cached_property
    def by_edges(self) -> tuple[str, ...]:
        """Names of the inputs in the order in which bare values are read."""
        ordered = order_by_edges(self.inputs, self._roll_inputs, self.printed)
        return tuple(option.name for option in ordered)

    @cached_property
    def _roll_inputs(self) -> frozenset[str]:
        return frozenset(roll.option for roll in self.rolls)

    @cached_property
    def _totals(self) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(total for modifier in self.modifiers for total, _ in modifier.adds)
        )

    @cached_property
    def _input_reader(self) -> InputReader:
        return InputReader(option for option in self.inputs if option.name not in self._roll_inputs)

    def __call__(self, **inputs: Any) -> Answer:
        """The answer for inputs that a sequence has at hand; those left out take their defaults.

        The latest answers are remembered, for a plan asks the same for every face of its dice; but
        what is in a tuple may be equal and of another kind.
        """
        is_plain = PLAIN.issuperset(map(type, inputs.values()))
        return self._answer_cache(**inputs) if is_plain else self._answer_typed(inputs)

    @cached_property
    def _answer_cache(self) -> Callable[..., Answer]:
        return lru_cache(KEPT, typed=True)(lambda **inputs: self._answer_typed(inputs))

    def get_column(self, output: str, /, **inputs: Any) -> tuple[Any, ...]:
        """One output along an input that is given as a range: what all faces of a die say, at once.
        The latest columns are remembered, as the latest answers are."""
        return self._column_cache(output, **inputs)

    @cached_property
    def _column_cache(self) -> Callable[..., tuple[Any, ...]]:
        return lru_cache(KEPT, typed=True)(self._compute_column)

    def _compute_column(self, output: str, /, **inputs: Any) -> tuple[Any, ...]:
        kinds = [*map(type, inputs.values())]
        if kinds.count(range) != 1 or not ALONG.issuperset(kinds):
            raise TypeError("a column is asked for with one range, and single values beside it")
        along = [*inputs][kinds.index(range)]
        return tuple(
            [self._answer_typed({**inputs, along: value}).out[output] for value in inputs[along]]
        )

    def _answer_typed(self, inputs: Mapping[str, Any]) -> Answer:
        values = dict(self.constants)
        for name, option in self._options.items():
            if name in inputs:
                value = inputs[name]
                values[name] = value if value is None else clean(option, value)
            elif option.is_required and name not in self._roll_inputs:
                raise make_missing_option_error(option, f"Table {self.id}")
            else:
                values[name] = (
                    False if option.type == "bool" and option.default is None else option.default
                )
        if unknown := inputs.keys() - self._options.keys():
            raise make_unknown_option_error(unknown.pop(), f"Table {self.id}", self._options)
        return self._answer(values)

    def owes(self, given: Mapping[str, object]) -> tuple[tuple[str, tuple[Die, ...]], ...]:
        """For each roll input that is missing and needed: its name and its dice.

        Raises UserError for bad input of a table that rolls, so that it is refused before a die
        falls; that of the others is refused when they are read.
        """
        if not self.rolls:
            return ()
        values = self._read_plain_inputs(given)
        owed = tuple(
            (roll.option, dice)
            for roll in self.rolls
            if given.get(roll.option) is None and (dice := self._get_dice(roll, values))
        )
        if owed:
            for roll in self.rolls:
                self._read_roll(roll, given, self._get_dice(roll, values))
        return owed

    def _get_dice(self, roll: TableRoll, values: Mapping[str, Any]) -> tuple[Die, ...]:
        if roll.when is not None and not roll.when({**self.constants, **values}):
            return ()
        return roll.dice[values[roll.by] if roll.by else None]

    def _take_rolls(self, values: dict[str, Any], given: Mapping[str, object], what: str) -> None:
        for roll in self.rolls:
            dice = self._get_dice(roll, values)
            value = self._read_roll(roll, given, dice)
            if value is None and dice:
                raise make_missing_option_error(self._options[roll.option], what)
            values[roll.option] = value

    def _read_roll(
        self, roll: TableRoll, given: Mapping[str, object], dice: tuple[Die, ...]
    ) -> Any:
        """Return what is typed for a roll of `dice`, None if nothing is. Raises UserError."""
        raw = self.read_printed(roll.option, given.get(roll.option))
        if raw is None:
            return None
        value = clean(self._options[roll.option], raw)
        if dice and all(die.faces is None for die in dice):
            low = len(dice)
            high = sum(die.sides for die in dice)
            if not low <= value <= high:
                problem = f"{roll.option} must be from {low} to {high}, not {value}: {len(dice)}d{dice[0].sides}."
                raise UserError(problem, option=roll.option, code="bad-value")
        return value

    def _answer(self, values: dict[str, Any]) -> Answer:
        """The answer for all inputs and the constants."""
        for refuse, say in self.refuse:
            if refuse(values):
                raise UserError(say.format_map(values), code="card-refuses")
        for name, formula in self.derive:
            values[name] = formula(values)
        for read in self.bodies:
            read(values)
        parts = self._list_modifiers(values) if self.modifiers else ()
        for name, formula in self.then:
            values[name] = formula(values)
        out = {
            name: values[name]
            for name in self.outputs
            if name != "text" and values.get(name) is not None
        }
        if "parts" in self.outputs:
            out["parts"] = [{"id": part.id, "value": part.value} for part in parts]
        text = self.join_texts([formula(values) for formula in self.text_by]) if self.texts else ""
        if "text" in self.outputs:
            out["text"] = text
        return Answer(out, parts, text)

    def _list_modifiers(self, values: dict[str, Any]) -> tuple[ModifierPart, ...]:
        parts: list[ModifierPart] = []
        for total in self._totals:
            values.setdefault(total, 0)
        for modifier in self.modifiers:
            for total, adds in modifier.adds:
                if modifier.when is not None and not modifier.when(values):
                    continue
                value = adds(values)
                if value:
                    values[total] += value
                    parts.append(ModifierPart(modifier.id, modifier.name, total, value))
        return tuple(parts)

    def join_texts(self, found: Iterable[Any]) -> str:
        """The texts, one behind another, whose keys the formulas of `text_by` came to."""
        keys: list[str] = []
        for key in found:
            if key.__class__ is str:
                keys.append(key)
            elif isinstance(key, list | tuple):
                keys += [one if one.__class__ is str else make_text_key(one) for one in key]
            else:
                keys.append(make_text_key(key))
        if len(keys) == 1:
            return self.texts.get(keys[0]) or ""
        return " ".join([text for text in dict.fromkeys(map(self.texts.get, keys)) if text])


def make_text_key(key: object) -> str:
    """A key of a table's texts as it is looked up: YAML reads a bare yes as true."""
    if isinstance(key, bool):
        return "yes" if key else "no"
    return str(key)


Tables = Mapping[str, Table]
