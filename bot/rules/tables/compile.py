"""The compiler that turns a table file into a Table, and checks all of it.

Errors name the file, and if possible the row and column.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from bot.rules.dice import AVERAGING, Die
from bot.rules.errors import Slip, TableError, UserError, did_you_mean, name_row_of_errors
from bot.rules.inputs.options import Option, build_option
from bot.rules.tables.axis import (
    BLANK,
    WIDEST,
    Axis,
    build_axis,
    build_heading_axis,
    describe_gap,
    find_gaps,
)
from bot.rules.tables.formula import Formula, compile_formula
from bot.rules.tables.print_pattern import CODE, list_names
from bot.rules.tables.says import compile_headline
from bot.rules.tables.table import (
    CHAIN,
    Blank,
    Doubt,
    Modifier,
    Reader,
    Table,
    TableRoll,
    make_text_key,
)

T = TypeVar("T")
KINDS = ("grid", "roll", "modifiers", "reference")
TABLE_KEYS = {
    "id", "title", "source", "group", "kind", "summary", "notes", "inputs", "outputs", "constants", "results",
    "refuse", "derive", "read", "rows", "then", "rolls", "texts", "text_by", "examples", "example", "private",
    "also", "says", "unsure", "leads",
}  # fmt: skip
MODIFIER_KEYS = ("id", "name", "when", "adds", "shown")
COLUMN_KEYS = ("by", "heads", "from", "to")
BAND_KEYS = ("by", "below")
DICE_KEYS = ("dice", "label", "when")
REFUSAL_KEYS = ("when", "say")
DOUBT_KEYS = ("where", "say", "when")
EXAMPLE_KEYS = ("given", "gives", "source")
OUTPUTS = ("int", "number", "bool", "text", "list", "token")
"""The types of an output that is not a list of tokens."""
BODY_KEYS = {
    "rows",
    "columns",
    "gives",
    "cells",
    "off_card",
    "by",
    "pick",
    "always",
    "open",
    "bands",
    "print",
    "heading",
    "names",
    "shows",
    "across",
}
_DICE = r"(\d{0,2})d(\d{1,4}|A)"


def parse_dice(text: str, label: str) -> tuple[Die, ...]:
    """Parse a short text such as `2d6`, `d20` or `1dA` (averaging dice) into dice with a label.

    Raises Slip for anything else.
    """
    match = re.fullmatch(_DICE, text.strip())
    if not match:
        raise Slip(f"{text!r} has no dice; write 2d6")
    if match[2] == "A":
        die = Die(label, 6, AVERAGING)
    else:
        die = Die(label, int(match[2]))
    return (die,) * int(match[1] or 1)


def compile_table(
    data: Mapping[str, Any],
    *,
    file: str,
    system: str,
    lists: Mapping[str, Sequence[str]],
    bounded: bool = False,
) -> Table:
    """Compile the content of a table file into a Table.

    Its examples are not run here, but by `check_examples`. `lists` are the lists of tokens of the
    game by name. The formulas of a `bounded` table, of a pack that a player wrote, are held to
    limits.

    Raises TableError with the row for any fault of the file.
    """
    with name_row_of_errors(file):
        return _Compiler(data, file, system, lists, bounded).compile_table()


def check_examples(table: Table, data: Mapping[str, Any], file: str) -> None:
    """Run the examples of a table file, and raise TableError for one that fails.

    The inputs `given` of an example must have the outputs `gives`, and may have others. The
    `example` for readers must have an answer, with a sentence if the table has sentences. An
    example that needs a blank cell is passed over.
    """
    if table.example:
        with name_row_of_errors(file, "example"):
            try:
                table.read(table.example)
            except UserError as error:
                if error.code != "blank-cell":
                    raise TableError(file, f"it fails: {error}") from None
            else:
                _check_headline(table, file)
    with name_row_of_errors(file, "examples"):
        examples = list(data.get("examples", ()))
    for number, example in enumerate(examples, 1):
        with name_row_of_errors(file, f"example {number}"):
            _check_example(table, number, example, file)


def _check_example(table: Table, number: int, example: Mapping[str, Any], file: str) -> None:
    """Raise TableError if a table does not give the outputs of its example `number`."""
    unknown_keys = [str(key) for key in example if key not in EXAMPLE_KEYS]
    if unknown_keys:
        problem = f"it has unknown keys {', '.join(unknown_keys)}"
        raise TableError(
            file, f"{problem}; write {{given: {{input: ...}}, gives: {{output: ...}}}}"
        )
    try:
        out = table.read(example["given"]).out
    except UserError as error:
        if error.code == "blank-cell":
            return
        raise TableError(file, f"example {number} fails: {error}") from None
    for name, value in example["gives"].items():
        if out.get(name) != value:
            problem = f"example {number} gives {name} {out.get(name)!r}, not {value!r}"
            raise TableError(file, problem)


def _check_headline(table: Table, file: str) -> None:
    """Raise TableError if `says` has no sentence for the table's example."""
    if table.headline is None:
        return
    answer = table.read(table.example)
    if not table.format_sentence(table.example, answer, str):
        raise TableError(file, "has no sentence for the table's example", row="says")


class _Compiler:
    """The compiler of one table file.

    `names` are all names that a formula may use, `blank` collects the blank cells and `chained` the
    ids of the tables that cells lead to, as the file is read. Each method raises TableError, or a
    Slip that the caller turns into one, for a part of the file that is wrong.
    """

    def __init__(
        self,
        data: Mapping[str, Any],
        file: str,
        system: str,
        lists: Mapping[str, Sequence[str]],
        bounded: bool = False,
    ) -> None:
        self.data = data
        self.file = file
        self.system = system
        self.lists = lists
        self.bounded = bounded
        self.blank: list[Blank] = []
        self.chained: dict[str, None] = {}
        self._check_keys(data, TABLE_KEYS, "the table")
        if not isinstance(data.get("private", False), bool):
            raise TableError(file, "private must be true or false", row="private")
        for key in ("id", "title", "source", "group", "kind", "outputs"):
            if not data.get(key):
                raise TableError(file, f"{key} is missing")
        if data["kind"] not in KINDS:
            raise TableError(
                file, f"kind {data['kind']} is unknown; it must be one of {', '.join(KINDS)}"
            )
        for key in ("title", "source", "summary", "notes"):
            if not isinstance(data.get(key, ""), str):
                raise TableError(file, "must be a text; quote it", row=key)
        also = data.get("also") or []
        if not isinstance(also, list) or any(not isinstance(name, str) for name in also):
            raise TableError(file, "must be a list of names; quote each", row="also")
        self.also = tuple(also)
        self.inputs = tuple(
            self._compile_mapping("inputs", lambda name, spec: build_option(name, spec, lists))
        )
        self.options = {option.name: option for option in self.inputs}
        self.outputs = dict(
            self._compile_mapping(
                "outputs", lambda name, spec: (name, self._read_output(name, spec))
            )
        )
        self.results: Mapping[Any, Any] = dict(
            self._compile_mapping("results", lambda code, meaning: (code, meaning))
        )
        self.constants: dict[str, Any] = {name: tuple(items) for name, items in lists.items()}
        self.constants |= dict(
            self._compile_mapping("constants", lambda name, value: (name, value))
        )
        self.names = {*self.options, *self.outputs, *self.constants}
        for part in ("derive", "then"):
            self.names |= set(self._compile_mapping(part, lambda name, _: str(name)))
        self.words = self._list_words()

    def _list_words(self) -> frozenset[str]:
        """Return the words that the inputs and outputs can be."""
        word_lists = [option.values for option in self.inputs]
        word_lists += [spec for spec in self.outputs.values() if isinstance(spec, tuple)]
        return frozenset(str(word) for words in word_lists for word in words)

    def compile_table(self) -> Table:
        """Compile all parts of the file into a Table. Call it once."""
        data = self.data
        readers = self._compile_readers()
        if self.chained:
            self.outputs[CHAIN] = tuple(self.chained)
        example = dict(self._compile_mapping("example", lambda name, value: (name, value)))
        file_text = str(data)
        used_constants = {
            name: value for name, value in self.constants.items() if name in file_text
        }
        table = Table(
            id=str(data["id"]).split("/")[-1],
            title=data["title"],
            system=self.system,
            source=str(data["source"]),
            group=data["group"],
            kind=data["kind"],
            inputs=self.inputs,
            outputs=self.outputs,
            summary=data.get("summary", ""),
            notes=data.get("notes", ""),
            example=example,
            refuse=tuple(self._compile_list("refuse", self.compile_refusal)),
            derive=tuple(
                self._compile_mapping(
                    "derive", lambda name, text: (name, self.compile_formula(text))
                )
            ),
            bodies=tuple(readers),
            modifiers=tuple(self._compile_list("rows", self.compile_modifier)),
            then=tuple(
                self._compile_mapping("then", lambda name, text: (name, self.compile_formula(text)))
            ),
            rolls=tuple(self._compile_mapping("rolls", self.compile_roll)),
            texts=dict(
                self._compile_mapping("texts", lambda key, text: (make_text_key(key), str(text)))
            ),
            text_by=self._compile_text_by(),
            leads=tuple(
                self._compile_mapping(
                    "leads", lambda run, when: (str(run), self.compile_formula(when))
                )
            ),
            constants=used_constants,
            printed=data,
            blank=tuple(self.blank),
            also=self.also,
            headline=compile_headline(
                data.get("says"), self.names, self.file, bounded=self.bounded
            ),
            unsure=tuple(self._compile_list("unsure", self._read_doubt)),
            _options=self.options,
        )
        if data["kind"] == "roll" and not table.rolls:
            raise TableError(self.file, "a table of kind roll lists its dice under rolls")
        if "text" in self.outputs and not table.texts:
            raise TableError(self.file, "the output text needs texts")
        return table

    def _compile_readers(self) -> list[Reader]:
        """Compile each body under `read`; errors name its number."""
        bodies = self.data.get("read") or []
        if not isinstance(bodies, list):
            bodies = [bodies]
        readers = []
        for number, body in enumerate(bodies, 1):
            with name_row_of_errors(self.file, "read" if number == 1 else f"read {number}"):
                readers.append(self.compile_body(body))
        return readers

    def _compile_text_by(self) -> tuple[Formula, ...]:
        """Compile the formulas for the keys of the free texts: one, or a list."""
        text_by = self.data.get("text_by") or ()
        sources = [text_by] if isinstance(text_by, str) else list(text_by)
        return tuple(self.compile_formula(source) for source in sources)

    def _compile_mapping(self, part: str, compile_entry: Callable[[Any, Any], T]) -> Iterator[T]:
        """Yield the result of `compile_entry` for the name and content of each entry of a mapping
        in the file; errors name the entry.
        """
        with name_row_of_errors(self.file, part):
            entries = list((self.data.get(part) or {}).items())
        for name, spec in entries:
            with name_row_of_errors(self.file, f"{part} {name}"):
                yield compile_entry(name, spec)

    def _compile_list(self, part: str, compile_entry: Callable[[Any], T]) -> Iterator[T]:
        """Yield the result of `compile_entry` for each entry of a list in the file; errors name its
        number.
        """
        with name_row_of_errors(self.file, part):
            entries = list(self.data.get(part) or ())
        for number, spec in enumerate(entries, 1):
            with name_row_of_errors(self.file, f"{part} {number}"):
                yield compile_entry(spec)

    # -- bodies -------------------------------------------------------------------------------------------

    def compile_body(self, body: Mapping[str, Any]) -> Reader:
        """Compile one body: rows with cells, a pick between bodies, or constant outputs
        (`always`).
        """
        if set(body) <= set(self.outputs) and not set(body) & BODY_KEYS:
            raise TableError(
                self.file, f"read contains {', '.join(body)}; put constant outputs under always"
            )
        self._check_keys(body, BODY_KEYS, "read")
        if "always" in body:
            constant = self.compile_result(body["always"], self._list_outputs(body), None, None)
            if isinstance(constant, Blank):
                return self._compile_unknown(constant)
            return lambda values: values.update(constant)
        if "pick" in body:
            return self._compile_pick(body)
        return self._compile_grid(body)

    def _compile_pick(self, body: Mapping[str, Any]) -> Reader:
        """Compile a choice between several bodies by the value of `by`.

        The reader raises UserError for a value that no body answers. If the file leaves one out,
        that is an error here, unless the body is `open`.
        """
        get_pick_value = self._compile_axis_value(body["by"])
        readers = [self.compile_body(picked) for picked in body["pick"].values()]
        axis = self._compile_axis(list(body["pick"]), body["by"], body)
        file = self.file

        def read_picked(values: dict[str, Any]) -> None:
            position = _find_position(axis, get_pick_value(values), file, body["by"])
            readers[position](values)

        return read_picked

    def _compile_grid(self, body: Mapping[str, Any]) -> Reader:
        """Compile rows with cells, in columns or without; a cell may have bands of its own."""
        if "rows" not in body or "cells" not in body:
            raise TableError(self.file, "read needs rows (what the rows stand for) and cells")
        get_row_value = self._compile_axis_value(body["rows"])
        gives = self._list_outputs(body)
        rows = self._compile_axis(list(body["cells"]), body["rows"], body)
        columns, get_column_value, width = self._compile_columns(body)
        self._check_print(body, gives)
        self._check_names(body)
        grid = self._compile_cells(body, gives, width)
        bands = body.get("bands")
        band_input = None if bands is None else bands["by"]
        file = self.file
        row_name = str(body["rows"])
        column_name = str((body.get("columns") or {}).get("by", ""))
        title = str(self.data["title"])

        def read_cell(values: dict[str, Any]) -> None:
            row = _find_position(rows, get_row_value(values), file, row_name)
            column = 0
            if columns is not None:
                column = _find_position(columns, get_column_value(values), file, column_name)
            cell = grid[row][column]
            outputs = cell if band_input is None else cell[values[band_input]]
            if outputs.__class__ is Blank:
                raise outputs.make_error(title)
            values.update(outputs)

        return read_cell

    def _compile_cells(
        self, body: Mapping[str, Any], gives: tuple[str, ...], width: int
    ) -> list[list[Any]]:
        """Compile the cells of a grid, row by row. Each is a mapping of outputs or a Blank, with
        bands a mapping of those by the value of the bands' input.
        """
        bands = body.get("bands")
        self._check_keys(bands or {}, BAND_KEYS, "bands")
        compile_cell = self.compile_result
        if bands is not None:
            compile_cell = partial(self._compile_bands, bands)
        grid = []
        for key, row in body["cells"].items():
            cells = self._compile_row(body, key, row, width)
            grid.append([compile_cell(cell, gives, key, head) for head, cell in cells])
        return grid

    def _compile_row(
        self, body: Mapping[str, Any], key: object, cell: Any, width: int
    ) -> Iterable[tuple[object, Any]]:
        """Return the cells of a row, each with a name of its column for errors.

        The name is None without columns, the printed head if the row has a blank cell, else the
        number of the column. Raises TableError for a row with more or fewer cells than columns.
        """
        if not body.get("columns"):
            return [(None, cell)]
        if not isinstance(cell, list) or len(cell) != width:
            count = _count_values(cell)
            problem = f"has {count} cell{'s' * (count != 1)} for {width} columns"
            raise TableError(self.file, problem, row=key)
        printed = _list_heads(body["columns"])
        heads = printed if BLANK in cell and BLANK not in printed else range(1, width + 1)
        return zip(heads, cell, strict=True)

    def _compile_bands(
        self,
        bands: Mapping[str, Any],
        cell: Any,
        gives: tuple[str, ...],
        row: object,
        column: object,
    ) -> Mapping[Any, Any]:
        """Compile a cell that is a small table of its own, `17:S 18:1 19-20:K`, into the outputs
        for each value of the input `by` of `bands`.

        Values under the first band give the code `below` of `bands`, if it is set. Any other gap,
        any overlap and any band out of order raises TableError.
        """
        option = self.options.get(str(bands.get("by")))
        if option is None or option.type != "int" or option.min is None or option.max is None:
            raise TableError(self.file, "bands needs by: a whole-number input with min and max")
        if option.max - option.min > WIDEST:
            raise TableError(self.file, f"bands need an input with at most {WIDEST} values")
        answers: dict[int, Mapping[str, Any]] = {}
        for part in str(cell).split():
            band, code = self._read_cell_band(part, option, row, column)
            outputs = self.compile_result(code, gives, row, column)
            for value in band:
                if value in answers:
                    raise TableError(self.file, f"answers {value} twice", row=row, column=column)
                answers[value] = outputs
        if "below" in bands and answers:
            below = self.compile_result(bands["below"], gives, row, column)
            answers = dict.fromkeys(range(int(option.min), min(answers)), below) | answers
        expected = range(int(option.min), int(option.max) + 1)
        if list(answers) != list(expected):
            differing = sorted(set(expected) ^ set(answers))
            problem = (
                f"must answer {option.min:g} to {option.max:g} once each, in order; "
                f"look at {differing or cell}"
            )
            raise TableError(self.file, problem, row=row, column=column)
        return answers

    def _read_cell_band(
        self, text: str, option: Option, row: object, column: object
    ) -> tuple[range, str]:
        """Read a band of a cell, `19-20:K`, as its numbers and its code.

        Raises TableError if it is no band or goes beyond the maximum of the option.
        """
        numbers, _, code = text.partition(":")
        limits = re.fullmatch(r"(-?\d+)(?:-(\d+))?", numbers)
        if not limits or not code:
            problem = f"{text!r} is not a band; write 17-18:code"
            raise TableError(self.file, problem, row=row, column=column)
        lower = int(limits[1])
        upper = int(limits[2] or limits[1])
        if option.max is not None and upper > option.max:
            problem = f"{text!r} goes beyond {option.max:g}"
            raise TableError(self.file, problem, row=row, column=column)
        return range(lower, upper + 1), code

    def _compile_columns(self, body: Mapping[str, Any]) -> tuple[Axis | None, Formula, int]:
        """Return the axis of a body's columns, the formula for the value that it is looked up by,
        and the number of columns. Without columns the axis is None and the number 0.
        """
        spec = body.get("columns")
        if spec is None:
            return None, lambda _: None, 0
        self._check_keys(spec, COLUMN_KEYS, "columns")
        get_column_value = self._compile_axis_value(spec["by"])
        clamp = body.get("off_card") in ("clamp", "columns")
        heads = _list_heads(spec)
        if BLANK in heads:
            blank = self._add_blank("the heads of the columns")
            return Axis({}), self._compile_unknown(blank), len(heads)
        for meaning in ("from", "to"):
            if meaning in spec:
                heads = spec[meaning]
                if list(heads) != sorted(set(heads)):
                    raise TableError(
                        self.file, f"column headings {heads} are not in ascending order"
                    )
                axis = build_heading_axis(heads, meaning=meaning, clamp=clamp)
                return axis, get_column_value, len(heads)
        if "heads" not in spec:
            raise TableError(self.file, "columns needs heads, from or to")
        axis = self._compile_axis(spec["heads"], spec["by"], body, clamp=clamp)
        return axis, get_column_value, len(spec["heads"])

    def _compile_axis(
        self,
        keys: list[object],
        value_name: object,
        body: Mapping[str, Any],
        *,
        clamp: bool | None = None,
    ) -> Axis:
        """Build the axis for the keys of rows, columns or picks that `value_name`, the name of an
        input or another value, is looked up in.

        `clamp` as in `build_axis`; None takes it from the body. Raises TableError for a key that
        the input cannot have, and for a value of the input that no key answers, unless the body is
        `open`.
        """
        option = self.options.get(str(value_name))
        if clamp is None:
            clamp = body.get("off_card") in ("clamp", "rows")
        words = option.values if option is not None else self.outputs.get(str(value_name))
        axis = build_axis(
            keys,
            self.file,
            decimal=option is not None and option.type == "number",
            clamp=clamp,
            words=words if isinstance(words, tuple) else (),
        )
        if option is None:
            return axis
        if option.type == "enum":
            for key in axis.exact:
                if key not in option.values:
                    problem = f"{value_name} has no value {key!r}{_explain_yaml_word(key)}"
                    raise TableError(self.file, problem, row=key)
        missing = [] if body.get("open") else list(find_gaps(axis, option))
        if missing:
            gap = describe_gap(keys, axis, missing[0]) if len(missing) == 1 else ""
            values = ", ".join(map(str, missing[:5]))
            raise TableError(self.file, f"nothing answers {value_name} {values}{gap}")
        return axis

    def _check_names(self, body: Mapping[str, Any]) -> None:
        """Raise TableError for an entry of `names` for a row or column that the body does not
        have.
        """
        columns = body.get("columns") or {}
        heads = _list_heads(columns) if columns else ()
        keys = {(key, type(key)) for key in (*body["cells"], *heads)}
        unknown = [key for key in body.get("names") or {} if (key, type(key)) not in keys]
        if unknown:
            raise TableError(
                self.file, "names has a row or column that does not exist", row=unknown[0]
            )

    def _check_print(self, body: Mapping[str, Any], gives: tuple[str, ...]) -> None:
        """Raise TableError for a `print` that names a row or value which the body does not have,
        and for `shows` or `across` in a body with columns.
        """
        if "shows" in body and body.get("columns"):
            raise TableError(self.file, "shows is for rows without columns; write print instead")
        if "across" in body and body.get("columns"):
            raise TableError(self.file, "across is for rows without columns")
        for pattern in (body.get("print", {}), *(body.get("shows") or {}).values()):
            self._check_patterns(body, gives, pattern)

    def _check_patterns(
        self, body: Mapping[str, Any], gives: tuple[str, ...], pattern: object
    ) -> None:
        """Raise TableError if a pattern names a value that is not in `gives`, or is at a row
        that the body does not have. There may be one for all rows, or one or several for each.
        """
        by_row = pattern if isinstance(pattern, Mapping) else {"*": pattern}
        for row, patterns in by_row.items():
            if row != "*" and row not in body["cells"]:
                raise TableError(self.file, "print has a row that is not in cells", row=row)
            for pattern in patterns if isinstance(patterns, list) else [patterns]:
                unknown = set(list_names(str(pattern))) - {CODE, *gives}
                if unknown:
                    raise TableError(
                        self.file, f"print names {min(unknown)}, which is not in gives", row=row
                    )

    def _list_outputs(self, body: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the outputs that the cells of a body list: its `gives`, else the
        only output that is not worked out elsewhere; () if there are several of those.
        """
        gives = body.get("gives")
        if gives is None:
            later = {
                *(self.data.get("derive") or {}),
                *(self.data.get("then") or {}),
                "text",
                "parts",
            }
            gives = [name for name in self.outputs if name not in later]
            if len(gives) != 1:
                gives = []
        return (gives,) if isinstance(gives, str) else tuple(gives)

    def _add_blank(self, label: str) -> Any:
        """Note that a part of the card is blank, and return its Blank."""
        blank = Blank(label)
        self.blank.append(blank)
        return blank

    def compile_result(self, cell: Any, gives: tuple[str, ...], row: object, column: object) -> Any:
        """Return the outputs of one cell by name, or a Blank for one that is not typed yet.

        A cell is a code of `results`, a mapping, a list of values in the order of `gives`, or one
        value. Raises TableError, which names `row` and `column`, for anything else and for a value
        that its output cannot have.
        """
        if cell == BLANK or (isinstance(cell, list) and BLANK in cell):
            label = f"row {row}" if column is None else f"row {row}, column {column}"
            return self._add_blank(label)
        code = cell
        if isinstance(cell, str | int) and not isinstance(cell, bool) and cell in self.results:
            cell = self.results[cell]
        if isinstance(cell, Mapping):
            outputs = dict(cell)
        elif len(gives) == 1:
            outputs = {gives[0]: cell}
        elif isinstance(cell, list) and gives and len(cell) == len(gives):
            outputs = dict(zip(gives, cell, strict=True))
        else:
            problem = self._describe_undefined(code, gives)
            raise TableError(self.file, problem, row=row, column=column)
        for name, value in outputs.items():
            self._check_output(name, value, row, column)
        return outputs

    def _describe_undefined(self, cell: Any, gives: tuple[str, ...]) -> str:
        """Return the problem with a cell that is neither a code nor outputs, and how to fix it."""
        if not isinstance(cell, list):
            if cell not in self.results:
                return f"the code {cell!r} is not defined"
            pairs = ", ".join(f"{name}: ..." for name in gives or self.outputs)
            return (
                f"results says that {cell} is {self.results[cell]!r}, but a cell gives "
                f"{', '.join(gives or self.outputs)}: write {{{pairs}}}"
            )
        if len(cell) == 1:
            return f"the code {cell!r} is not defined; write {cell[0]} without brackets"
        if gives:
            return (
                f"{cell!r} has {len(cell)} values, and gives names {len(gives)}: {', '.join(gives)}"
            )
        names = ", ".join(self.outputs)
        pairs = ", ".join(f"{name}: ..." for name in self.outputs)
        return (
            f"{cell!r} is a list: write gives: [{names}] for its order, or a mapping: {{{pairs}}}"
        )

    def _check_output(self, name: str, value: Any, row: object, column: object) -> None:
        """Raise TableError, which names `row` and `column`, unless a cell may give this value to
        the output `name`.

        The id of a table that is rolled next is added to `chained`. Names that begin with an
        underscore are for formulas of the file alone and take any value; they are added to `names`.
        """
        if name == CHAIN and name not in self.outputs:
            self.chained[str(value)] = None
            return
        if name not in self.outputs:
            if name in self.names or name.startswith("_"):
                self.names.add(name)
                return
            problem = f"gives {name}, which is not an output"
            raise TableError(self.file, problem, row=row, column=column)
        for item in value if isinstance(value, list) else [value]:
            problem = _find_type_error(name, item, self.outputs[name])
            if problem:
                raise TableError(self.file, problem, row=row, column=column)

    # -- other parts of the file ---------------------------------------------------------------------------

    def compile_refusal(self, item: Mapping[str, Any]) -> tuple[Formula, str]:
        """Compile an entry of `refuse` into its condition and its text, which may name inputs and
        constants in braces.
        """
        self._check_keys(item, REFUSAL_KEYS, "it")
        if not isinstance(item["say"], str):
            raise TypeError("say must be a text")
        from string import Formatter  # few tables refuse anything

        names = {*self.options, *self.constants}
        for _, name, format_spec, conversion in Formatter().parse(item["say"]):
            if name is not None and (name not in names or format_spec or conversion):
                raise Slip(
                    f"say names {name[:40]}, which this table does not have; write a brace twice"
                )
        return self.compile_formula(item["when"]), item["say"]

    def _read_doubt(self, item: Mapping[str, Any]) -> Doubt:
        """Return a cell that the card lost or garbled. Raises Slip for an entry without its texts."""
        self._check_keys(item, DOUBT_KEYS, "it")
        texts = item.get("where"), item.get("say")
        if not all(isinstance(text, str) and text for text in texts):
            raise Slip(
                "needs where (which cell) and say (what the card has there, and our reading)"
            )
        condition = self._compile_condition(item)
        return Doubt(str(item["where"]), str(item["say"]), condition)

    def compile_modifier(self, row: Mapping[str, Any]) -> Modifier:
        """Compile a row of a table of modifiers. `shown`, its text or texts by total, is checked
        here and used by the printed table.
        """
        row_id = row.get("id")
        self._check_keys(row, MODIFIER_KEYS, f"row {row_id}")
        adds = row.get("adds")
        if not isinstance(adds, Mapping):
            raise TableError(self.file, "needs adds: {total: value}", row=row_id)
        self._check_totals(adds, row_id)
        if not self._is_shown_text(row.get("shown", "")):
            raise TableError(self.file, "shown must be text, or text for each total", row=row_id)
        return Modifier(
            str(row["id"]),
            row["name"],
            self._compile_condition(row, row_id),
            tuple((total, self._compile_addition(value, row)) for total, value in adds.items()),
        )

    def _check_totals(self, adds: Mapping[str, Any], row_id: object) -> None:
        """Raise TableError if a modifier adds to a total that is neither an output nor used by
        another formula.
        """
        for total in adds:
            if total not in self.names:
                totals = [name for name in self.outputs if name not in ("parts", "text")]
                hint = did_you_mean(str(total), totals) or f"The outputs are {', '.join(totals)}."
                problem = f"adds to {str(total)[:40]}, which is not an output. {hint}"
                raise TableError(self.file, problem, row=row_id)

    def _is_shown_text(self, shown: object) -> bool:
        """Return whether `shown` of a modifier is a text, or a mapping of texts by outputs."""
        if isinstance(shown, Mapping):
            has_texts = all(isinstance(text, str) for text in shown.values())
            return has_texts and set(shown) <= set(self.outputs)
        return isinstance(shown, str)

    def _compile_condition(self, entry: Mapping[str, Any], row: object = None) -> Formula | None:
        """Compile the formula `when` of an entry, None if it has none."""
        condition = entry.get("when")
        return None if condition is None else self.compile_formula(condition, row)

    def _compile_addition(self, value: object, row: Mapping[str, Any]) -> Formula:
        """Compile the value that a modifier adds to a total; a blank one is noted."""
        if value != BLANK:
            return self.compile_formula(value, row["id"])
        return self._compile_unknown(self._add_blank(f"what {row['name']} adds"))

    def _compile_unknown(self, blank: Blank) -> Callable[[Mapping[str, Any]], Any]:
        """Return a formula without a value: it raises the error of a blank."""

        def raise_blank(_: Mapping[str, Any]) -> Any:
            raise blank.make_error(str(self.data["title"]))

        return raise_blank

    def compile_roll(self, name: str, spec: Any) -> TableRoll:
        """Compile an entry of `rolls` for the input `name`: a text such as `2d6`, or a mapping with
        its dice, which may differ by the value of another input.
        """
        if name not in self.options:
            raise TableError(self.file, f"rolls names {name}, which is not an input")
        spec = {"dice": spec} if isinstance(spec, str) else spec
        self._check_keys(spec, DICE_KEYS, "it")
        dice = spec["dice"]
        input_name = ""
        label = spec.get("label", name)
        try:
            if isinstance(dice, Mapping):
                input_name = dice["by"]
                dice_by_value: dict[object, tuple[Die, ...]] = {
                    key: parse_dice(text, label) for key, text in dice.items() if key != "by"
                }
            else:
                dice_by_value = {None: parse_dice(dice, label)}
        except Slip as error:
            raise TableError(self.file, str(error)) from None
        return TableRoll(name, dice_by_value, input_name, self._compile_condition(spec))

    def compile_formula(self, text: object, row: object = None) -> Formula:
        """Compile a formula with the names of this table; errors name `row`."""
        return compile_formula(
            text, self.names, self.file, row=row, bounded=self.bounded, words=self.words
        )

    def _compile_axis_value(self, name: object) -> Formula:
        """Return the formula for the value that an axis is looked up by.

        `name` is the name of an input or another value, or a formula.
        """
        if isinstance(name, str) and name in self.names:
            return lambda values: values[name]
        return self.compile_formula(name)

    def _read_output(self, name: str, spec: Any) -> Any:
        """Return the declaration of an output: one of OUTPUTS, or the tokens that it may have,
        written out or as the name of a list of the game.
        """
        if isinstance(spec, str) and spec in self.lists:
            return tuple(self.lists[spec])
        if isinstance(spec, list):
            for token in spec:
                if not isinstance(token, str | int | float) or isinstance(token, bool):
                    problem = f"the tokens of {name} must be text or numbers; quote them"
                    raise TableError(self.file, problem)
            return tuple(spec)
        if spec not in OUTPUTS:
            hint: str = did_you_mean(str(spec), (*self.lists, *OUTPUTS))
            if not hint:
                types = ", ".join(OUTPUTS)
                hint = f"It can be {types}, a list of game.yaml, or the words themselves."
            problem = f"there is no list {str(spec)[:40]}. {hint}"
            raise TableError(self.file, problem, row=f"outputs {name}")
        return spec

    def _check_keys(self, data: Mapping[str, Any], allowed: Iterable[str], label: str) -> None:
        """Raise TableError if a mapping has keys that are not allowed. `label` names it there."""
        unknown = [str(key) for key in data if key not in set(allowed)]
        if unknown:
            hint = did_you_mean(unknown[0], allowed)
            problem = f"{label} has unknown keys {', '.join(unknown)}. {hint}"
            raise TableError(self.file, problem.rstrip(". "), row=unknown[0])


def _find_type_error(name: str, value: Any, declaration: Any) -> str:
    """Return why the output `name`, with this declaration, cannot have a value; "" if it can.

    A declaration is a tuple of tokens or one of OUTPUTS. Every output may be None, and only tokens,
    int and bool are checked.
    """
    if value is None:
        return ""
    if isinstance(declaration, tuple) and value not in declaration:
        return f"{name} has no value {value!r}{_explain_yaml_word(value)}"
    if declaration == "int" and (isinstance(value, bool) or not isinstance(value, int)):
        return f"{name} is a whole number, not {value!r}"
    if declaration == "bool" and not isinstance(value, bool):
        return f"{name} is true or false, not {value!r}"
    return ""


def _explain_yaml_word(value: object) -> str:
    """Return the hint for a word that YAML has read as true or false; "" for any other value."""
    if isinstance(value, bool):
        return "; YAML reads NO, yes, on and off as true or false: quote the word"
    return ""


def _find_position(axis: Axis, value: object, file: str, name: str) -> int:
    """Return the position of the row or column that answers `value`.

    Raises UserError, which calls the value `name`, if there is none.
    """
    position = axis.find(value)
    if position is None:
        table = file.rsplit("/", 1)[-1].removesuffix(".yaml")
        number = value if isinstance(value, int) else None
        hint = ""
        if value is None:
            hint = " Steps that call a table roll first and pass it the result."
        raise UserError(
            f"{name} {value} is not on the card {table}.{hint}",
            option=name,
            code="not-on-card",
            about=number,
        )
    return position


def _list_heads(columns: Mapping[str, Any]) -> list[Any]:
    """Return the heads or headings of the columns, [] if they have none."""
    return list(columns.get("heads") or columns.get("from") or columns.get("to") or ())


def _count_values(cell: object) -> int:
    return len(cell) if isinstance(cell, list) else 1
