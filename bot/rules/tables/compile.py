"""From the text of a table file to a Chart: validated whole, with errors that name file, row and
column.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from bot.rules.dice import AVERAGING, Die
from bot.rules.errors import Slip, TableError, UserError, did_you_mean, name_row_of_errors
from bot.rules.inputs.options import build_option
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
"""What an output may be, beside words."""
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
    """The dice of a short text such as `2d6`, `d20` or `1dA`. Raises Slip for anything else."""
    found = re.fullmatch(_DICE, text.strip())
    if not found:
        raise Slip(f"{text!r} names no dice; write 2d6")
    die = Die(label, 6, AVERAGING) if found[2] == "A" else Die(label, int(found[2]))
    return (die,) * int(found[1] or 1)


def compile_chart(
    data: Mapping[str, Any],
    *,
    file: str,
    system: str,
    lists: Mapping[str, Sequence[str]],
    bounded: bool = False,
) -> Table:
    """The Chart that a table file describes. Raises TableError; the file's examples are run by
    `check_examples`.

    The formulas of a `bounded` one, of a pack, are held to limits.
    """
    with name_row_of_errors(file):
        return _Compiler(data, file, system, lists, bounded).compile_table()


def check_examples(table: Table, data: Mapping[str, Any], file: str) -> None:
    """Run each example of a table file: `given` inputs must give exactly the `gives` outputs.
    Raises TableError.
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
            if strange := [str(key) for key in example if key not in EXAMPLE_KEYS]:
                raise TableError(file, f"example {number} has unknown keys {', '.join(strange)}")
            try:
                out = table.read(example["given"]).out
            except UserError as error:
                if error.code == "blank-cell":
                    continue
                raise TableError(file, f"example {number} fails: {error}") from None
            for name, value in example["gives"].items():
                if out.get(name) != value:
                    raise TableError(
                        file, f"example {number} gives {name} {out.get(name)!r}, not {value!r}"
                    )


def _check_headline(table: Table, file: str) -> None:
    """Raise TableError if `says` has no sentence for the example of the table."""
    if table.headline is None:
        return
    answer = table.read(table.example)
    if not table.format_sentence(table.example, answer, str):
        raise TableError(file, "has no sentence for the example of the table", row="says")


class _Compiler:
    """One table file on its way to a Chart; holds what every part of it needs to see."""

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
            raise TableError(file, "private is true or false", row="private")
        for key in ("id", "title", "source", "group", "kind", "outputs"):
            if not data.get(key):
                raise TableError(file, f"{key} is missing")
        if data["kind"] not in KINDS:
            raise TableError(
                file, f"kind {data['kind']} is unknown; it is one of {', '.join(KINDS)}"
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

    def compile_table(self) -> Table:
        data = self.data
        bodies = data.get("read") or []
        readers = []
        for number, body in enumerate(bodies if isinstance(bodies, list) else [bodies], 1):
            with name_row_of_errors(self.file, "read" if number == 1 else f"read {number}"):
                readers.append(self.compile_body(body))
        if self.chained:
            self.outputs[CHAIN] = tuple(self.chained)
        text_by = data.get("text_by") or ()
        example = dict(self._compile_mapping("example", lambda name, value: (name, value)))
        written = str(data)
        used = {name for name in self.constants if name in written}
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
            text_by=tuple(
                self.compile_formula(text)
                for text in ([text_by] if isinstance(text_by, str) else list(text_by))
            ),
            leads=tuple(
                self._compile_mapping(
                    "leads", lambda run, when: (str(run), self.compile_formula(when))
                )
            ),
            constants={name: value for name, value in self.constants.items() if name in used},
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
            raise TableError(self.file, "a table of kind roll names its dice under rolls")
        if "text" in self.outputs and not table.texts:
            raise TableError(self.file, "the output text needs texts")
        return table

    def _compile_mapping(self, part: str, read: Callable[[Any, Any], T]) -> Iterator[T]:
        """What `read` makes of each entry of a mapping in the file; an error names the entry."""
        with name_row_of_errors(self.file, part):
            entries = list((self.data.get(part) or {}).items())
        for name, spec in entries:
            with name_row_of_errors(self.file, f"{part} {name}"):
                yield read(name, spec)

    def _compile_list(self, part: str, read: Callable[[Any], T]) -> Iterator[T]:
        """What `read` makes of each entry of a list in the file; an error names its number."""
        with name_row_of_errors(self.file, part):
            entries = list(self.data.get(part) or ())
        for number, spec in enumerate(entries, 1):
            with name_row_of_errors(self.file, f"{part} {number}"):
                yield read(spec)

    # -- bodies -------------------------------------------------------------------------------------------

    def compile_body(self, body: Mapping[str, Any]) -> Reader:
        """A reader that adds a body's outputs to the values; a body is rows, columns, a pick or
        constants.
        """
        if set(body) <= set(self.outputs) and not set(body) & BODY_KEYS:
            raise TableError(
                self.file, f"read holds {', '.join(body)}; put constant outputs under always"
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
        by = self._compile_axis_value(body["by"])
        bodies = list(body["pick"].values())
        readers = [self.compile_body(item) for item in bodies]
        keys = self._compile_axis(list(body["pick"]), body["by"], body)
        file = self.file

        def read(values: dict[str, Any]) -> None:
            readers[_find_position(keys, by(values), file, body["by"])](values)

        return read

    def _compile_grid(self, body: Mapping[str, Any]) -> Reader:
        if "rows" not in body or "cells" not in body:
            raise TableError(self.file, "read needs rows (what the rows stand for) and cells")
        row_of = self._compile_axis_value(body["rows"])
        gives = self._list_outputs(body)
        cells = body["cells"]
        rows = self._compile_axis(list(cells), body["rows"], body)
        columns, column_of, width = self._compile_columns(body)
        self._check_print(body, gives)
        self._check_names(body)
        bands = body.get("bands")
        self._check_keys(bands or {}, BAND_KEYS, "bands")
        one = self.compile_result if bands is None else partial(self._compile_bands, bands)
        grid = [
            [
                one(item, gives, key, head)
                for head, item in self._compile_row(body, key, cell, width)
            ]
            for key, cell in cells.items()
        ]
        by = None if bands is None else bands["by"]
        file = self.file
        row_name = str(body["rows"])
        column_name = str((body.get("columns") or {}).get("by", ""))

        title = str(self.data["title"])

        def read(values: dict[str, Any]) -> None:
            row = _find_position(rows, row_of(values), file, row_name)
            column = (
                0
                if columns is None
                else _find_position(columns, column_of(values), file, column_name)
            )
            cell = grid[row][column]
            found = cell if by is None else cell[values[by]]
            if found.__class__ is Blank:
                raise found.make_error(title)
            values.update(found)

        return read

    def _compile_row(
        self, body: Mapping[str, Any], key: object, cell: Any, width: int
    ) -> Iterable[tuple[object, Any]]:
        """Return the cells of a row, each with the head or number of its column.

        Raises TableError for a row of another length than the columns have.
        """
        if not body.get("columns"):
            return [(None, cell)]
        if not isinstance(cell, list) or len(cell) != width:
            raise TableError(
                self.file,
                f"has {_count_values(cell)} cell{'s' * (_count_values(cell) != 1)} for {width} columns",
                row=key,
            )
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
        """A cell that is a small table of its own, `17:S 18:1 19-20:K`: what each value of the
        input `by` gives.

        Values under the first band give `below`, if the table says so; any other gap or overlap is
        an error.
        """
        option = self.options.get(str(bands.get("by")))
        if option is None or option.type != "int" or option.min is None or option.max is None:
            raise TableError(self.file, "bands needs by: a whole-number input with min and max")
        if option.max - option.min > WIDEST:
            raise TableError(self.file, f"bands go by an input of at most {WIDEST} values")
        answers: dict[int, Mapping[str, Any]] = {}
        for part in str(cell).split():
            band, _, code = part.partition(":")
            edges = re.fullmatch(r"(-?\d+)(?:-(\d+))?", band)
            if not edges or not code:
                raise TableError(
                    self.file, f"{part!r} is not a band; write 17-18:code", row=row, column=column
                )
            if int(edges[2] or edges[1]) > option.max:
                raise TableError(
                    self.file, f"{part!r} goes beyond {option.max:g}", row=row, column=column
                )
            out = self.compile_result(code, gives, row, column)
            for value in range(int(edges[1]), int(edges[2] or edges[1]) + 1):
                if value in answers:
                    raise TableError(self.file, f"answers {value} twice", row=row, column=column)
                answers[value] = out
        if "below" in bands and answers:
            below = self.compile_result(bands["below"], gives, row, column)
            answers = dict.fromkeys(range(int(option.min), min(answers)), below) | answers
        if list(answers) != list(range(int(option.min), int(option.max) + 1)):
            missing = set(range(int(option.min), int(option.max) + 1)) ^ set(answers)
            say = f"must answer {option.min:g} to {option.max:g} once, in order; look at {sorted(missing) or cell}"
            raise TableError(self.file, say, row=row, column=column)
        return answers

    def _compile_columns(self, body: Mapping[str, Any]) -> tuple[Axis | None, Formula, int]:
        spec = body.get("columns")
        if spec is None:
            return None, lambda _: None, 0
        self._check_keys(spec, COLUMN_KEYS, "columns")
        by = self._compile_axis_value(spec["by"])
        clamp = body.get("off_card") in ("clamp", "columns")
        if BLANK in (heads := _list_heads(spec)):
            unknown = self._compile_unknown(self._add_blank("the heads of the columns"))
            return Axis({}), unknown, len(heads)
        for meaning in ("from", "to"):
            if meaning in spec:
                heads = spec[meaning]
                if list(heads) != sorted(set(heads)):
                    raise TableError(self.file, f"column headings {heads} do not rise")
                return build_heading_axis(heads, meaning=meaning, clamp=clamp), by, len(heads)
        if "heads" not in spec:
            raise TableError(self.file, "columns needs heads, from or to")
        return (
            self._compile_axis(spec["heads"], spec["by"], body, clamp=clamp),
            by,
            len(spec["heads"]),
        )

    def _compile_axis(
        self, keys: list[object], by: object, body: Mapping[str, Any], *, clamp: bool | None = None
    ) -> Axis:
        option = self.options.get(str(by))
        if clamp is None:
            clamp = body.get("off_card") in ("clamp", "rows")
        words = option.values if option is not None else self.outputs.get(str(by))
        found = build_axis(
            keys,
            self.file,
            decimal=option is not None and option.type == "number",
            clamp=clamp,
            words=words if isinstance(words, tuple) else (),
        )
        if option is not None:
            if option.type == "enum":
                for key in found.exact:
                    if key not in option.values:
                        raise TableError(
                            self.file,
                            f"{by} has no value {key!r}{_explain_yaml_word(key)}",
                            row=key,
                        )
            missing = [] if body.get("open") else list(find_gaps(found, option))
            if missing:
                around = describe_gap(keys, found, missing[0]) if len(missing) == 1 else ""
                raise TableError(
                    self.file, f"nothing answers {by} {', '.join(map(str, missing[:5]))}{around}"
                )
        return found

    def _check_names(self, body: Mapping[str, Any]) -> None:
        """Raise TableError for a `names` that heads a row or column which the body does not have."""
        columns = body.get("columns") or {}
        heads = _list_heads(columns) if columns else ()
        known = {(key, type(key)) for key in (*body["cells"], *heads)}
        unknown = [key for key in body.get("names") or {} if (key, type(key)) not in known]
        if unknown:
            raise TableError(
                self.file, "names heads a row or column that is not there", row=unknown[0]
            )

    def _check_print(self, body: Mapping[str, Any], gives: tuple[str, ...]) -> None:
        """Raise TableError for a `print` that names a row or value which the body does not have."""
        if "shows" in body and body.get("columns"):
            raise TableError(self.file, "shows is for rows without columns; write print instead")
        if "across" in body and body.get("columns"):
            raise TableError(self.file, "across is for rows without columns")
        for pattern in (body.get("print", {}), *(body.get("shows") or {}).values()):
            self._check_patterns(body, gives, pattern)

    def _check_patterns(
        self, body: Mapping[str, Any], gives: tuple[str, ...], pattern: object
    ) -> None:
        by_row = pattern if isinstance(pattern, Mapping) else {"*": pattern}
        for row, patterns in by_row.items():
            if row != "*" and row not in body["cells"]:
                raise TableError(self.file, "print names a row that cells do not have", row=row)
            for pattern in patterns if isinstance(patterns, list) else [patterns]:
                unknown = set(list_names(str(pattern))) - {CODE, *gives}
                if unknown:
                    raise TableError(
                        self.file, f"print names {min(unknown)}, which gives does not have", row=row
                    )

    def _list_outputs(self, body: Mapping[str, Any]) -> tuple[str, ...]:
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

    def _add_blank(self, where: str) -> Any:
        self.blank.append(Blank(where))
        return self.blank[-1]

    def compile_result(self, cell: Any, gives: tuple[str, ...], row: object, column: object) -> Any:
        """The outputs of one cell: a code of `results`, a mapping, a list in the order of `gives`,
        or one value; Blank for one that is not typed yet."""
        if cell == BLANK or (isinstance(cell, list) and BLANK in cell):
            return self._add_blank(
                f"row {row}" if column is None else f"row {row}, column {column}"
            )
        if isinstance(cell, str | int) and not isinstance(cell, bool) and cell in self.results:
            cell = self.results[cell]
        if isinstance(cell, Mapping):
            out = dict(cell)
        elif len(gives) == 1:
            out = {gives[0]: cell}
        elif isinstance(cell, list) and gives and len(cell) == len(gives):
            out = dict(zip(gives, cell, strict=True))
        else:
            raise TableError(
                self.file, self._describe_undefined(cell, gives), row=row, column=column
            )
        for name, value in out.items():
            self._check_value(name, value, row, column)
        return out

    def _describe_undefined(self, cell: Any, gives: tuple[str, ...]) -> str:
        """Return what is wrong with a cell that is no code and no outputs."""
        if not isinstance(cell, list):
            return f"the code {cell!r} is not defined"
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

    def _check_value(self, name: str, value: Any, row: object, column: object) -> None:
        if name == CHAIN and name not in self.outputs:
            self.chained[str(value)] = None
            return
        if name not in self.outputs:
            if name in self.names or name.startswith("_"):
                self.names.add(name)
                return
            raise TableError(
                self.file, f"gives {name}, which is not an output", row=row, column=column
            )
        tokens = self.outputs[name]
        for item in value if isinstance(value, list) else [value]:
            if item is not None and isinstance(tokens, tuple) and item not in tokens:
                raise TableError(
                    self.file,
                    f"{name} has no value {item!r}{_explain_yaml_word(item)}",
                    row=row,
                    column=column,
                )
            if (
                item is not None
                and tokens == "int"
                and (isinstance(item, bool) or not isinstance(item, int))
            ):
                raise TableError(
                    self.file, f"{name} is a whole number, not {item!r}", row=row, column=column
                )
            if item is not None and tokens == "bool" and not isinstance(item, bool):
                raise TableError(
                    self.file, f"{name} is true or false, not {item!r}", row=row, column=column
                )

    # -- the rest -----------------------------------------------------------------------------------------

    def compile_refusal(self, item: Mapping[str, Any]) -> tuple[Formula, str]:
        self._check_keys(item, REFUSAL_KEYS, "it")
        if not isinstance(item["say"], str):
            raise TypeError("say must be a text")
        from string import Formatter  # few tables refuse anything

        for _, name, form, conversion in Formatter().parse(item["say"]):
            if name is not None and (
                name not in {*self.options, *self.constants} or form or conversion
            ):
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
        when = item.get("when")
        return Doubt(
            str(item["where"]),
            str(item["say"]),
            None if when is None else self.compile_formula(when),
        )

    def compile_modifier(self, row: Mapping[str, Any]) -> Modifier:
        self._check_keys(row, MODIFIER_KEYS, f"row {row.get('id')}")
        when = row.get("when")
        adds = row.get("adds")
        if not isinstance(adds, Mapping):
            raise TableError(self.file, "needs adds: {total: value}", row=row.get("id"))
        shown = row.get("shown", "")
        if not isinstance(shown, str) and not (
            isinstance(shown, Mapping)
            and set(shown) <= set(self.outputs)
            and all(isinstance(text, str) for text in shown.values())
        ):
            raise TableError(
                self.file, "shown is a text, or a text for each total", row=row.get("id")
            )
        return Modifier(
            str(row["id"]),
            row["name"],
            None if when is None else self.compile_formula(when, row["id"]),
            tuple((total, self._compile_addition(value, row)) for total, value in adds.items()),
        )

    def _compile_addition(self, value: object, row: Mapping[str, Any]) -> Formula:
        if value != BLANK:
            return self.compile_formula(value, row["id"])
        return self._compile_unknown(self._add_blank(f"what {row['name']} adds"))

    def _compile_unknown(self, blank: Blank) -> Callable[[Mapping[str, Any]], Any]:
        """What finds nothing but a blank."""

        def unknown(_: Mapping[str, Any]) -> Any:
            raise blank.make_error(str(self.data["title"]))

        return unknown

    def compile_roll(self, name: str, spec: Any) -> TableRoll:
        if name not in self.options:
            raise TableError(self.file, f"rolls names {name}, which is not an input")
        spec = {"dice": spec} if isinstance(spec, str) else spec
        self._check_keys(spec, DICE_KEYS, "it")
        dice = spec["dice"]
        by = ""
        label = spec.get("label", name)
        try:
            if isinstance(dice, Mapping):
                by = dice["by"]
                table: dict[object, tuple[Die, ...]] = {
                    key: parse_dice(text, label) for key, text in dice.items() if key != "by"
                }
            else:
                table = {None: parse_dice(dice, label)}
        except Slip as error:
            raise TableError(self.file, str(error)) from None
        when = spec.get("when")
        return TableRoll(name, table, by, None if when is None else self.compile_formula(when))

    def compile_formula(self, text: object, row: object = None) -> Formula:
        return compile_formula(text, self.names, self.file, row=row, bounded=self.bounded)

    def _compile_axis_value(self, name: object) -> Formula:
        """How to find the row or column: the name of an input or derived value, or a formula."""
        if isinstance(name, str) and name in self.names:
            return lambda values: values[name]
        return self.compile_formula(name)

    def _read_output(self, name: str, spec: Any) -> Any:
        if isinstance(spec, str) and spec in self.lists:
            return tuple(self.lists[spec])
        if isinstance(spec, list):
            if any(
                not isinstance(token, str | int | float) or isinstance(token, bool)
                for token in spec
            ):
                raise TableError(
                    self.file, f"the tokens of {name} must be text or numbers; quote them"
                )
            return tuple(spec)
        if spec not in OUTPUTS:
            near = did_you_mean(str(spec), (*self.lists, *OUTPUTS))
            hint = (
                near
                or f"It may be {', '.join(OUTPUTS)}, a list of game.yaml, or the words themselves."
            )
            raise TableError(
                self.file, f"there is no list {str(spec)[:40]}. {hint}", row=f"outputs {name}"
            )
        return spec

    def _check_keys(self, data: Mapping[str, Any], known: Iterable[str], what: str) -> None:
        if unknown := [str(key) for key in data if key not in set(known)]:
            hint = did_you_mean(unknown[0], known)
            raise TableError(
                self.file,
                f"{what} has unknown keys {', '.join(unknown)}. {hint}".rstrip(". "),
                row=unknown[0],
            )


def _explain_yaml_word(value: object) -> str:
    """What to do about a word that YAML has read as true or false."""
    return (
        "; YAML reads NO, yes, on and off as true or false: quote the word"
        if isinstance(value, bool)
        else ""
    )


def _find_position(keys: Axis, value: object, file: str, name: str) -> int:
    """Position of the row or column that answers `value`. Raises UserError off the card."""
    at = keys.find(value)
    if at is None:
        table = file.rsplit("/", 1)[-1].removesuffix(".yaml")
        about = value if isinstance(value, int) else None
        unrolled = (
            " Steps that call a table roll first and hand it what fell." if value is None else ""
        )
        raise UserError(
            f"{name} {value} is not on the card {table}.{unrolled}",
            option=name,
            code="not-on-card",
            about=about,
        )
    return at


def _list_heads(columns: Mapping[str, Any]) -> list[Any]:
    """What is printed above the columns."""
    return list(columns.get("heads") or columns.get("from") or columns.get("to") or ())


def _count_values(cell: object) -> int:
    return len(cell) if isinstance(cell, list) else 1
