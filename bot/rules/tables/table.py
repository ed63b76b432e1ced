"""A loaded table: every cell of a printed chart, its inputs and outputs, compiled to answer in
microseconds.

A table never rolls. If its card asks for dice, `list_needed_rolls` names them, and the roll is
passed in as an input.
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
"""A compiled body of a table: adds its outputs to the values. Raises UserError if no cell fits."""
CHAIN = "table"
"""The output that names the table which is rolled next."""
PLAIN = {str, int, bool, float, type(None)}
"""Types of inputs whose answers are cached."""
PLAIN_OR_RANGE = {*PLAIN, range}
MAX_CACHED = 256
"""Maximum number of answers that a table caches, and of columns."""


class ModifierPart(NamedTuple):
    """A modifier that applies to an answer: the id and displayed name of its row, the name of the
    total that it changes, and its value.
    """

    id: str
    name: str
    total: str
    value: int | float


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a table: its outputs by name, the modifiers that apply, and free text to
    display.
    """

    out: Mapping[str, Any]
    parts: tuple[ModifierPart, ...] = ()
    text: str = ""

    def __getitem__(self, name: str) -> Any:
        return self.out[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return an output, or `default` if the answer does not have it."""
        return self.out.get(name, default)


class Modifier(NamedTuple):
    """A row of a table of modifiers: the condition for it (None: always), and for each total that
    it changes a formula for the value.
    """

    id: str
    name: str
    when: Formula | None
    adds: tuple[tuple[str, Formula], ...]


class Blank(NamedTuple):
    """A cell, column head or modifier that players type from their own card, and have not typed
    yet. `label` names it: `row 3, column 2`.
    """

    label: str

    def make_error(self, title: str) -> UserError:
        """Return the error, with code `blank-cell`, for an answer that needs it."""
        hint = "If you have the card, type it into the pack."
        return UserError(f"{title} is blank here: {self.label}.", hint=hint, code="blank-cell")


class Doubt(NamedTuple):
    """A cell that the card lost, garbled or misprinted.

    `where` names the cell, `say` has the state of the card and our reading, and `when` tells for
    the values of an answer if it rests on the cell. Without `when` the doubt concerns the layout
    of the table, and is shown only with the whole table.
    """

    where: str
    say: str
    when: Formula | None

    @property
    def text(self) -> str:
        """The line for readers: `300+, bolt action: lost on the card; read as 1`."""
        return f"{self.where}: {self.say}"

    def concerns(self, values: Mapping[str, Any]) -> bool:
        """Return whether an answer with these values rests on the cell."""
        try:
            return self.when is not None and bool(self.when(values))
        except (KeyError, TypeError):  # the roll that a value needs is missing
            return False


class TableRoll(NamedTuple):
    """An input that is rolled. `dice` has its dice by the value of the input `by`; if `by` is "",
    the only dice are under None. If the formula `when` is set, it is rolled only if that holds.
    """

    option: str
    dice: Mapping[object, tuple[Die, ...]]
    by: str = ""
    when: Formula | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """One table of a game.

    It is equal only to itself, so that it can be a key of caches.
    """

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
    """Commands of its game that an answer may call for, each with the formula that decides it."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    printed: Mapping[str, Any] = field(default_factory=dict)
    """The file of the table, as it was read."""
    blank: tuple[Blank, ...] = ()
    also: tuple[str, ...] = ()
    """Further names that the card or its players have for it."""
    headline: TableHeadline | None = None
    """The sentences for its answers, if its file has any."""
    unsure: tuple[Doubt, ...] = ()
    """Cells that the card lost or garbled, with our reading."""
    chain: Mapping[str, Table] = field(default_factory=dict)
    """The tables, by id, that its cells name: an answer from such a cell is rolled on there."""
    game: str = ""
    """The name of its game."""
    words: Mapping[str, str] = field(default_factory=dict)
    """The text that players read for a token, if it is not the token itself."""
    _options: Mapping[str, Option] = field(default_factory=dict)

    def read(self, inputs: Mapping[str, object]) -> Answer:
        """Return the answer for inputs as typed or as JSON.

        Raises UserError for bad or missing input, and if the card refuses it or has no answer.
        """
        return self._answer({**self.constants, **self._read_typed(inputs)})

    def check_filled(self) -> None:
        """Raise UserError if the table has a blank cell."""
        if self.blank:
            raise self.blank[0].make_error(self.title)

    @property
    def depth(self) -> int:
        """The number of tables that may be rolled one after another, this one included."""
        return 1 + max((table.depth for table in self.chain.values()), default=0)

    def select_handed_inputs(self, inputs: Mapping[str, object]) -> dict[str, object]:
        """Return those inputs of the table before this one in a chain that this one takes, too.

        Rolls are not passed on.
        """
        names = {option.name for option in self.inputs} - self._roll_inputs
        return {name: value for name, value in inputs.items() if name in names}

    def list_lacking_inputs(self, previous: Table) -> Iterator[str]:
        """Yield the names of the required inputs that `previous`, the table before this one in a
        chain, does not take. Rolls do not count.
        """
        available = {option.name for option in previous.inputs} | self._roll_inputs
        for option in self.inputs:
            if option.is_required and option.name not in available:
                yield option.name

    def get_option(self, name: str) -> Option:
        """Return the input of this name. Raises KeyError."""
        return self._options[name]

    def answer_with_values(self, inputs: Mapping[str, object]) -> tuple[Answer, Mapping[str, Any]]:
        """Return the answer of `read`, and by name all values that it was worked out from or
        consists of: constants, inputs, derived values and outputs.

        An input keeps its value if an output has its name. Raises UserError like `read`.
        """
        input_values = self._read_typed(inputs)
        values = {**self.constants, **input_values}
        answer = self._answer(values)
        derived = {name for name, _ in self.derive}
        for name, value in input_values.items():
            if name not in derived:
                values[name] = value
        return answer, values

    def format_sentence(self, inputs: Mapping[str, object], answer: Answer, say: Say) -> str:
        """Return the sentence of `says` for the answer to `inputs`; "" if there is none.

        `say` puts a value into words.
        """
        if self.headline is None:
            return ""
        values: dict[str, Any] = dict.fromkeys(self.outputs)
        _, answer_values = self.answer_with_values(inputs)
        values.update(answer_values)
        values.update(answer.out)
        values[TEXT] = answer.text
        return self.headline.write(values, say)

    def check_typed(self, inputs: Mapping[str, object]) -> None:
        """Raise UserError for a bad or unknown input and for a required one that is missing.

        Only a roll may be missing.
        """
        self._read_plain_inputs(inputs)
        for name in self._roll_inputs & inputs.keys():
            clean(self._options[name], self.read_printed(name, inputs[name]))

    def list_next_commands(self, inputs: Mapping[str, object]) -> tuple[str, ...]:
        """Return the commands of its game that the answer for these inputs calls for.

        Empty if the inputs have no answer.
        """
        if not self.leads:
            return ()
        try:
            _, values = self.answer_with_values(inputs)
        except UserError:
            return ()
        return tuple(command for command, applies in self.leads if applies(values))

    def _read_typed(self, inputs: Mapping[str, object]) -> dict[str, Any]:
        """Return the values of all inputs by name, with defaults.

        Raises UserError for a value that does not fit, a missing input, and a name that is no
        input.
        """
        values = self._read_plain_inputs(inputs)
        if self.rolls:
            self._take_rolls(values, inputs, f"Table {self.id}")
        return values

    def _read_plain_inputs(self, inputs: Mapping[str, object]) -> dict[str, Any]:
        """Return the values of the inputs that are not rolled, with defaults.

        Raises UserError for a value that does not fit, a missing input, and a name that is no
        input.
        """
        plain = {
            key: self.read_printed(key, value)
            for key, value in inputs.items()
            if value is not None and key not in self._roll_inputs
        }
        return self._input_reader.read(plain, f"Table {self.id}")

    def read_printed(self, name: str, typed: object) -> object:
        """Return an input as typed, or the value for a printed range or a printed name of a row.

        A roll of one die is read as the die shows it: 00 on a d100 is 100, 0 on a d10 is 10.
        """
        option = self._options.get(name)
        if option is None or not isinstance(typed, str):
            return typed
        if name in self._highest_for_zero and normalize_value(typed) in ("0", "00", "000"):
            return self._highest_for_zero[name]
        value = read_range(option, typed, self._ranges)
        return read_name(option, value, self._row_and_column_names)

    @cached_property
    def _highest_for_zero(self) -> Mapping[str, int]:
        """The highest face for each input that is a roll of one die which shows 0 for that face."""
        highest = dict[str, int]()
        for roll in self.rolls:
            lowest = self._options[roll.option].min
            alternatives = [*roll.dice.values()]
            sides = {die.sides for dice in alternatives for die in dice if die.faces is None}
            is_single = all(len(dice) == 1 for dice in alternatives)
            if is_single and lowest == 1 and len(sides) == 1 and sides <= {*ZERO_IS_HIGHEST}:
                highest[roll.option] = sides.pop()
        return highest

    @cached_property
    def _row_and_column_names(self) -> Mapping[tuple[str, str], object]:
        """The key of each row and column that has a name, as `list_names` has them, and each token
        of an input by the text that players read for it.
        """
        names = dict(list_names(self.printed))
        for option in self.inputs:
            if option.type != "enum":
                continue
            for value in option.values:
                if value in self.words:
                    names.setdefault((option.name, fold_printed(self.words[value])), value)
        return names

    @cached_property
    def _ranges(self) -> frozenset[str]:
        return list_ranges(self.printed)

    @cached_property
    def by_edges(self) -> tuple[str, ...]:
        """The names of the inputs, in the order in which values without names are read."""
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
        """Return the answer for the values of a sequence; inputs left out take their defaults.

        Raises UserError like `read`. The latest answers are cached, because a sequence asks the
        same for every face of its dice. Answers for lists and tuples are not: equal ones may hold
        values of different types.
        """
        is_plain = PLAIN.issuperset(map(type, inputs.values()))
        return self._answer_cache(**inputs) if is_plain else self._answer_typed(inputs)

    @cached_property
    def _answer_cache(self) -> Callable[..., Answer]:
        return lru_cache(MAX_CACHED, typed=True)(lambda **inputs: self._answer_typed(inputs))

    def get_column(self, output: str, /, **inputs: Any) -> tuple[Any, ...]:
        """Return one output for each value of the input that is passed as a range, such as all
        faces of a die. The latest columns are cached.

        Raises TypeError unless exactly one input is a range and the others are plain values.
        """
        return self._column_cache(output, **inputs)

    @cached_property
    def _column_cache(self) -> Callable[..., tuple[Any, ...]]:
        return lru_cache(MAX_CACHED, typed=True)(self._compute_column)

    def _compute_column(self, output: str, /, **inputs: Any) -> tuple[Any, ...]:
        """Compute the column that `get_column` returns."""
        types = [*map(type, inputs.values())]
        if types.count(range) != 1 or not PLAIN_OR_RANGE.issuperset(types):
            raise TypeError("a column needs one range, and single values next to it")
        range_input = [*inputs][types.index(range)]
        answers = [
            self._answer_typed({**inputs, range_input: value}) for value in inputs[range_input]
        ]
        return tuple([answer.out[output] for answer in answers])

    def _answer_typed(self, inputs: Mapping[str, Any]) -> Answer:
        """Return the answer for values by name, without a look at the cache.

        Raises UserError for a value that does not fit, a missing input, a name that is no input,
        and if the table has no answer for these values.
        """
        values = dict(self.constants)
        for name, option in self._options.items():
            if name in inputs:
                value = inputs[name]
                values[name] = value if value is None else clean(option, value)
            elif option.is_required and name not in self._roll_inputs:
                raise make_missing_option_error(option, f"Table {self.id}")
            elif option.type == "bool" and option.default is None:
                values[name] = False
            else:
                values[name] = option.default
        unknown_names = inputs.keys() - self._options.keys()
        if unknown_names:
            raise make_unknown_option_error(unknown_names.pop(), f"Table {self.id}", self._options)
        return self._answer(values)

    def list_needed_rolls(
        self, inputs: Mapping[str, object]
    ) -> tuple[tuple[str, tuple[Die, ...]], ...]:
        """Return the name and dice of each roll that `inputs` need and do not have.

        Raises UserError for bad input of a table that rolls, so that it is refused before a die
        falls. Input of other tables is not checked.
        """
        if not self.rolls:
            return ()
        values = self._read_plain_inputs(inputs)
        needed = []
        for roll in self.rolls:
            if inputs.get(roll.option) is None:
                dice = self._get_dice(roll, values)
                if dice:
                    needed.append((roll.option, dice))
        if needed:
            for roll in self.rolls:
                self._read_roll(roll, inputs, self._get_dice(roll, values))
        return tuple(needed)

    def _get_dice(self, roll: TableRoll, values: Mapping[str, Any]) -> tuple[Die, ...]:
        """Return the dice of a roll for the values of the other inputs; () if it is not rolled."""
        if roll.when is not None and not roll.when({**self.constants, **values}):
            return ()
        return roll.dice[values[roll.by] if roll.by else None]

    def _take_rolls(self, values: dict[str, Any], inputs: Mapping[str, object], title: str) -> None:
        """Add the value of each roll among `inputs` to `values`; None for one that is not rolled.

        Raises UserError, which names the table by `title`, for a bad roll and a missing one.
        """
        for roll in self.rolls:
            dice = self._get_dice(roll, values)
            value = self._read_roll(roll, inputs, dice)
            if value is None and dice:
                raise make_missing_option_error(self._options[roll.option], title)
            values[roll.option] = value

    def _read_roll(
        self, roll: TableRoll, inputs: Mapping[str, object], dice: tuple[Die, ...]
    ) -> Any:
        """Return the value among `inputs` for a roll, None if there is none.

        Raises UserError for a bad value, and for one that `dice` with numbered faces cannot show.
        """
        raw = self.read_printed(roll.option, inputs.get(roll.option))
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
        """Return the answer for the values of all inputs and constants. Derived values and outputs
        are added to `values`.

        Raises UserError if the card refuses the inputs or has no answer for them.
        """
        for is_refused, say in self.refuse:
            if is_refused(values):
                raise UserError(say.format_map(values), code="card-refuses")
        for name, formula in self.derive:
            values[name] = formula(values)
        for read_body in self.bodies:
            read_body(values)
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
        text = ""
        if self.texts:
            text = self.join_texts([formula(values) for formula in self.text_by])
        if "text" in self.outputs:
            out["text"] = text
        return Answer(out, parts, text)

    def _list_modifiers(self, values: dict[str, Any]) -> tuple[ModifierPart, ...]:
        """Return the modifiers that apply and are not 0, and add their values to the totals in
        `values`.
        """
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

    def join_texts(self, key_values: Iterable[Any]) -> str:
        """Return the free texts of the table for the values of its `text_by` formulas, one after
        another, each once.

        A value is the key of a text or a list of keys. Keys without a text are left out.
        """
        keys: list[str] = []
        for value in key_values:
            if value.__class__ is str:
                keys.append(value)
            elif isinstance(value, list | tuple):
                keys += [key if key.__class__ is str else make_text_key(key) for key in value]
            else:
                keys.append(make_text_key(value))
        if len(keys) == 1:
            return self.texts.get(keys[0]) or ""
        texts = dict.fromkeys(map(self.texts.get, keys))
        return " ".join([text for text in texts if text])


def make_text_key(key: object) -> str:
    """Return the text key for a value: yes and no for truth values, because YAML reads a bare yes
    as true.
    """
    if isinstance(key, bool):
        return "yes" if key else "no"
    return str(key)


Tables = Mapping[str, Table]
