"""The compiler of formulas and texts in declared sequences: each part is checked, typed and
compiled once.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import reduce
from inspect import signature
from keyword import iskeyword
from typing import Any

from bot.rules.declared.compile_context import (
    FACE,
    FACES,
    Name,
    Names,
    Path,
    Setting,
    describe_type,
    get_answer_type,
    get_stated_type,
    list_answering_tables,
    list_table_words,
    may_be_missing,
    merge_types,
)
from bot.rules.declared.formula import (
    SIGNS,
    TYPES,
    Env,
    Formula,
    Run,
    build_constant,
    build_formula,
    build_name,
    compile_call,
)
from bot.rules.declared.formula_functions import (
    CALLS,
    MOST_NUMBER,
    NONE,
    RESULTS,
    TableReader,
    build_list,
    get_item,
    get_output,
    make_hashable,
)
from bot.rules.errors import did_you_mean
from bot.rules.inputs.decks import GameDeck
from bot.rules.inputs.tracks import OWNERS
from bot.rules.inputs.units import get_example
from bot.rules.tables.answer_words import NEXT
from bot.rules.tables.formula import _NODES as NODES
from bot.rules.tables.formula import SINGLE_EQUALS
from bot.rules.tables.table import Table
from bot.rules.text.template import ConditionalPart, PluralPart, TemplatePart, read_template

MOST_CHARACTERS, MOST_DEEP = 1_000, 40
ALL = "ALL_"
"""The keyword that stands for the `*` of `table(*)`."""
_MISSING = {"number": 0, "bool": False}
"""The default of an output by its type, for an answer that is not there. A word is none."""
_WORDS = {"true": True, "false": False, "none": NONE}
_PLAIN = {
    "invalid syntax": "it is not a formula",
    "unterminated string literal": "a quotation mark is never closed",
    "expected 'else' after 'if' expression": "an if in a formula needs an else",
}
"""Plain words for Python's errors about a formula that it cannot read."""
_WORD = re.compile(
    r"'[^']*'|\"[^\"]*\"|(?<![\w.-])[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*(?![\w(]|\s*=[^=])"
)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_DIE = re.compile(r"d([1-9]\d{0,2})")
_HYPHENED = re.compile(r"(?<!\w)[A-Za-z]\w*(?:-\w+)+")
_CALLED = re.compile(r"(?<![a-z_0-9])([a-z_0-9]+)\(")


class Formulas:
    """The compiler for the formulas of one game's file. `tokens` are the words that need no
    quotes.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.lists = {
            name.replace("-", "_"): make_hashable(items) for name, items in setting.lists.items()
        }
        self.readers = {
            id.replace("-", "_"): TableReader(setting.tables, id) for id in setting.tables
        }
        self.units, self.tokens = setting.build_vocabulary()
        self.own: dict[str, tuple[int, str, Callable[..., Any]]] = {}
        """The file's own formulas: number of values, type and function."""
        self.learnt: set[str] = set()
        self.tracks, self.tracks_read = setting.build_track_names(), set[str]()
        self.cards: dict[str, GameDeck] = {}
        """The decks of drawn cards, by the keys of the cards."""
        self.hidden: dict[str, tuple[str, Path]] = {}
        """Names that are set only below a step: the step's key, and its path."""
        self.answers: set[str] = set()
        """Names that were set to an answer of a table."""
        self.source: object = None
        """The source of the file, used only for hints in errors."""

    def test(self, source: object, names: Names, path: Path) -> Formula:
        """Compile a condition, such as that of a `when`. Raises TableError for one that would
        always hold.
        """
        formula = self.formula(source, names, path)
        if problem := explain_always_true(formula):
            raise self.setting.make_error(problem, path)
        return formula

    def define(self, head: str, source: object, path: Path) -> None:
        """Define a formula of the file, such as `state(u)`. It may call those defined before it.

        Raises TableError for a head or formula that cannot be read, and for a name that is taken.
        """
        match = re.fullmatch(r"([a-z][a-z0-9_]*)\(([a-z0-9_, ]*)\)", head)
        if match is None:
            raise self.setting.make_error(f'"{head}" must be written as name(a, b)', path)
        if any(
            match[1] in names_in_use
            for names_in_use in (CALLS, self.own, self.lists, self.readers, _WORDS)
        ):
            raise self.setting.make_error(f"{match[1]} is already a table or function", path)
        names = [take.strip() for take in match[2].split(",") if take.strip()]
        formula = self._read(source, {name: Name(name, "any") for name in names}, path)
        if tracks_read := self.tracks_read & {*formula.reads}:
            raise self.setting.make_error(
                f"a formula in the file takes a track as a value: {match[1]}({min(tracks_read)})",
                path,
            )
        run = formula.run
        self.own[match[1]] = (
            len(names),
            formula.type,
            lambda *values: run(dict(zip(names, values, strict=True))),
        )

    def formula(self, source: object, names: Names, path: Path) -> Formula:
        """Compile a formula that may use `names`. An `a and b` as a whole is true or false.

        Raises TableError if it cannot be read, is too long, or uses other names.
        """
        formula = self._read(source, names, path)
        if formula.kind == "and" and formula.type != "bool":
            run = formula.run
            formula = replace(formula, run=lambda env: bool(run(env)))
        return formula

    def _read(self, source: object, names: Names, path: Path) -> Formula:
        """Parse and compile a formula as the file has it.

        Raises TableError if it cannot be read, is too long, or uses other names.
        """
        text = source if isinstance(source, str) else repr(source)
        if len(text) > MOST_CHARACTERS:
            raise self.setting.make_error(
                f"a formula has at most {MOST_CHARACTERS} characters", path
            )
        self._learn(text)
        ready = self._quote_words(text.strip(), names).replace("\n", " ")
        ready = re.sub(r"\(\s*\*\s*(?=[,)])", f"({ALL}=true", ready)
        try:
            tree = ast.parse(ready, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            problem = (
                getattr(error, "msg", "").partition(" (detected")[0] or "it is nested too deep"
            )
            problem = _PLAIN.get(problem, problem)
            problem += self._advice(problem, ready, text)
            raise self.setting.make_error(
                f'"{text[:80]}" cannot be read: {problem}', path
            ) from None
        return replace(
            _FormulaMaker(self, names, path, text).part(tree),
            source=text,
            where=path,
            setting=self.setting,
        )

    def _advice(self, problem: str, ready: str, formula_text: str) -> str:
        """Return what the author of a formula that cannot be read may have meant."""
        for word in _HYPHENED.findall(_QUOTED.sub("", ready)):
            reserved = [part for part in word.split("-") if iskeyword(part)]
            if reserved:
                near = did_you_mean(word, self.tokens)
                hint = f". {near}" if near else f"; quote it if it is a word of the game: '{word}'"
                return f"; {word} is not a known word, so {reserved[0]} in it is read as {reserved[0]}{hint}"
        return _advice(problem, formula_text)

    def learn_all(self, source: object) -> None:
        """Add the words of all tables that the source calls to the words that need no quotes."""
        for name in _CALLED.findall(repr(source)):
            if name in self.readers:
                self.tokens |= list_table_words(self.readers[name].table)

    def track(self, name: str, path: Path) -> Name:
        """Return the name of a track that is read or changed, and record its use. Raises TableError
        for an unknown track.
        """
        if name not in self.tracks:
            raise self.setting.make_error(f"there is no track {name} here", path, name, self.tracks)
        self.tracks_read.add(name)
        return self.tracks[name]

    def text(self, template: object, names: Names, path: Path) -> Formula:
        """Compile a text with formulas in braces, such as `against {unit.morale}`.

        `{+mod}` shows its sign, `{n} hit{|s}` has the plural of its number, and
        `{, crew lost when crew == lost | , crew safe}` is the part before `when` if the test holds,
        else the part after the `|`. Raises TableError for a text that cannot be read.
        """
        try:
            parts = read_template(str(template))
        except ValueError as error:
            raise self.setting.make_error(str(error), path) from None
        pieces = self._pieces(parts, names, path, [])
        if not pieces or (len(pieces) == 1 and pieces[0].startswith(("'", '"'))):
            return build_constant(str(template))
        return self.formula(f"text({', '.join(pieces)})", names, path)

    def _pieces(
        self, parts: Iterable[TemplatePart], names: Names, path: Path, numbers: list[str]
    ) -> list[str]:
        """Return the parts of a text as formulas; `numbers` are those in braces before it."""
        pieces: list[str] = []
        for part in parts:
            if isinstance(part, str):
                pieces.append(repr(part))
            elif isinstance(part, ConditionalPart):
                first = self._pieces(part.parts, names, path, numbers)
                second = self._pieces(part.otherwise, names, path, numbers)
                pieces.append(
                    f"(text({', '.join(first)}) if {part.test} else text({', '.join(second)}))"
                )
            elif isinstance(part, PluralPart):
                number = self._nearest_number(part, names, path, numbers)
                pieces.append(f"({part.singular!r} if ({number}) in [1, -1] else {part.plural!r})")
            else:
                numbers.append(part.formula)
                pieces.append(f"signed({part.formula})" if part.has_sign else f"({part.formula})")
        return pieces

    def _nearest_number(
        self, plural: PluralPart, names: Names, path: Path, numbers: list[str]
    ) -> str:
        """Return the formula of the number that a plural goes by. Raises TableError for none."""
        for number in reversed(numbers):
            if self._counts(number, names, path):
                return number
        raise self.setting.make_error(
            f"there is no number before {{{plural.singular}|{plural.plural}}}, which needs one",
            path,
        )

    def _counts(self, source: str, names: Names, path: Path) -> bool:
        return self.formula(source, names, path).type in ("number", "any")

    def is_hidden(self, name: str) -> str:
        """Return what is wrong with a name that is set only below a step, and how to fix it."""
        below, path = self.hidden[name]
        location = (
            f" ({file_position.split(',')[0]})"
            if (file_position := self.setting.place(path))
            else ""
        )
        article = "an" if below == "each" else "a"
        value = NONE if name in self.answers else 0
        return (
            f"{name} is set only below {article} {below}{location}; "
            f"set it before that: let: {{{name}: {value}}}"
        )

    def _learn(self, text: str) -> None:
        """Add the words of the tables that a formula calls to the words that need no quotes."""
        for name in _CALLED.findall(text):
            if name in self.readers and name not in self.learnt:
                self.learnt.add(name)
                self.tokens |= list_table_words(self.readers[name].table)

    def _quote_words(self, source: str, names: Names) -> str:
        """Return the formula with quotes around bare words: those that the game knows and that are
        no names.
        """

        def quote(match: re.Match[str]) -> str:
            word = match[0]
            hidden = any(word in names_in_sight for names_in_sight in (names, self.lists, _WORDS))
            hidden = hidden or (word == "face" and "how_many(" in source)
            return word if hidden or word[0] in "'\"" or word not in self.tokens else repr(word)

        return _WORD.sub(quote, source)


def _advice(problem: str, written: str) -> str:
    """Return a hint about what the author of an unreadable formula may have meant, or ""."""
    if "was never closed" in problem:
        return "; quote it, if it has a comma"
    if re.search(r"\b\d*d\d+\b", written):
        return "; dice are rolled by roll, and a formula reads their name"
    if problem.startswith("positional argument"):
        return "; name every input, as in shifts(ground=ground, river=river)"
    if SINGLE_EQUALS.search(written):
        return "; == compares"
    return ""


class _FormulaMaker:
    """The compiler of one formula: for each kind of syntax what is allowed, its type and its
    function.

    Types: number, bool, text, none, unit, units, list, parts, any, and `table:ID` for an answer
    (see `get_answer_type`). All methods raise TableError for a wrong formula.
    """

    def __init__(self, formulas: Formulas, names: Names, path: Path, text: str) -> None:
        self.formulas = formulas
        self.names = names
        self.where = path
        self._written = text
        self._deep = 0

    def part(self, node: ast.AST) -> Formula:
        """Compile one part of the formula."""
        maker = getattr(self, f"_{type(node).__name__.lower()}", None)
        if maker is None or not isinstance(node, (*NODES, ast.Attribute)):
            raise self._make_error(explain_not_allowed(node))
        self._deep += 1
        if self._deep > MOST_DEEP:
            raise self._make_error("a formula is nested too deep")
        formula: Formula = maker(node)
        self._deep -= 1
        return formula

    def _make_error(self, problem: str, name: str = "", candidates: Any = ()) -> Exception:
        return self.formulas.setting.make_error(problem, self.where, name, candidates)

    def _constant(self, node: ast.Constant) -> Formula:
        """Compile a constant. Raises TableError for a value that formulas cannot have."""
        value = node.value
        if isinstance(value, int | float) and abs(value) > MOST_NUMBER:
            raise self._make_error(f"{value} is too large")
        if type(value) not in TYPES:
            raise self._make_error(f"{value!r} is not allowed in a formula")
        return build_constant(value, "none" if value == NONE else "")

    def _name(self, node: ast.Name) -> Formula:
        """Compile a name: that of a value in scope, of a list of the game, or a word such as none.

        Raises TableError for any other name, with a hint at the likely mistake.
        """
        bound = self.names.get(node.id)
        lists = self.formulas.lists
        if bound is not None:
            return build_name(bound.key, bound.type)
        if node.id in lists:
            items = lists[node.id]
            return build_formula("list", "list", lambda _env: items)
        if node.id in _WORDS:
            return build_constant(_WORDS[node.id], "none" if node.id == "none" else "")
        if node.id in self.formulas.hidden:
            raise self._make_error(self.formulas.is_hidden(node.id))
        if node.id.endswith("_next"):
            base_name = node.id.removesuffix("_next")
            if base_name in self.names:
                raise self._make_error(
                    f"there is no name {node.id} here; a table's name is available from the next step on"
                )
            if base_name.split("_next")[0] in self.formulas.hidden:
                raise self._make_error(self.formulas.is_hidden(base_name.split("_next")[0]))
        if re.search(rf"'gives': \[[^\[\]]*'{node.id}'", repr(self.formulas.source)):
            raise self._make_error(
                f"there is no name {node.id} here yet: quote the word, '{node.id}', or name it in an output"
            )
        if (kind := self._kind_of_call(node.id)) is not None:
            raise self._make_error(
                f"there is no name {node.id} here, and the {kind} {node.id} needs ( ) after it; "
                f"quote it if it is a word: '{node.id}'"
            )
        for word in _HYPHENED.findall(self._written):  # a word of the game, read as a sum
            if node.id in word.split("-") and did_you_mean(word, self.formulas.tokens):
                raise self._make_error(f"there is no word {word} here", word, self.formulas.tokens)
        raise self._make_error(
            f"there is no name {node.id} here",
            node.id,
            [*self.names, *lists, *self.formulas.tokens],
        )

    def _kind_of_call(self, name: str) -> str | None:
        """Return what a name is that can only be called; None for any other name."""
        formulas = self.formulas
        if name in formulas.readers:
            return "table"
        if name in formulas.own:
            return "formula"
        return "function" if name in CALLS else None

    def _make_card_error(self, name: str, deck: GameDeck, attribute: str) -> Exception:
        """Return the error for what the cards of a deck do not have, or only some of them."""
        lacking = ", ".join(deck.list_lacking(attribute))
        if not lacking:
            problem = f"{name} is from {deck.id}: its cards have no {attribute}"
            return self._make_error(problem, attribute, [*deck.kinds, "id", "name"])
        nothing = "0"
        if any(isinstance(facts.get(attribute), str) for facts in deck.said.values()):
            nothing = "none"
        return self._make_error(
            f"{name} is from {deck.id}: all cards need {attribute}. "
            f"Write {attribute}: {nothing} for {lacking}"
        )

    def _attribute(self, node: ast.Attribute) -> Formula:
        """Compile an attribute: a name with a dot, a track, or an attribute of an answer or a unit.

        Raises TableError if the value before the dot has no such attribute.
        """
        if isinstance(node.value, ast.Name) and (
            dotted := self.names.get(f"{node.value.id}.{node.attr}")
        ):
            return build_name(dotted.key, dotted.type)
        if (
            isinstance(node.value, ast.Name)
            and node.value.id in OWNERS
            and node.value.id not in self.names
        ):
            track = self.formulas.track(f"{node.value.id}.{node.attr}", self.where)
            return build_name(track.key, track.type)
        if (further := self._next_name(node)) is not None:
            return self._name(ast.Name(further))
        owner = self.part(node.value)
        attribute = node.attr
        units = self.formulas.units
        type_ = "any"
        if owner.kind == "name" and (deck := self.formulas.cards.get(owner.value)) is not None:
            raise self._make_card_error(owner.value, deck, attribute)
        if owner.type == "unit":
            if attribute not in units:
                raise self._make_error(f"a unit has no {attribute}", attribute, units)
            type_ = units[attribute]
        elif list_answering_tables(owner.type):
            return self._output(owner, attribute)
        elif owner.type not in ("any", "none"):
            raise self._make_error(f"{describe_type(owner.type)} has no {attribute}")
        missing = build_constant(False) if units.get(attribute) == "bool" else None
        run = owner.compile_attribute(attribute, missing, self._example(attribute))
        return build_formula("attribute", type_, run, owner, value=attribute)

    def _example(self, attribute: str) -> str:
        """Return a value that the attribute of a unit takes."""
        option = self.formulas.setting.attributes.get(attribute)
        return "5" if option is None else get_example(option)

    def _next_name(self, node: ast.expr) -> str | None:
        """Return the name that `answer.next.next` stands for, `answer_next_next`.

        A plain name is returned as it is. Return None for anything else.
        """
        if isinstance(node, ast.Name):
            return node.id
        if not isinstance(node, ast.Attribute) or node.attr != NEXT:
            return None
        base_name = self._next_name(node.value)
        bound = self.names.get(base_name or "")
        tables = self.formulas.setting.tables
        if bound is None or not (ids := list_answering_tables(bound.type)):
            return None
        if any(NEXT in tables[id].outputs for id in ids):  # an output of that name
            return None
        further = f"{base_name}_next"
        if further not in self.names and not any(tables[id].chain for id in ids):
            raise self._make_error(f"no table is rolled after {' or '.join(ids)}")
        return further

    def _output(self, owner: Formula, name: str) -> Formula:
        """Compile an output of an answer. Raises TableError if none of its tables has it."""
        tables = [self.formulas.setting.tables[id] for id in list_answering_tables(owner.type)]
        kinds: list[str] = []
        all_outputs: dict[str, Any] = {}
        for table in tables:
            outputs = {**table.outputs, **table.constants, "text": "text"}
            all_outputs |= outputs
            if name in outputs:
                is_constant = name in table.constants and name not in table.outputs
                value = outputs[name]
                kinds.append(
                    TYPES.get(type(value), "any") if is_constant else get_stated_type(value)
                )
        if not kinds:
            ids = " or ".join(table.id for table in tables)
            raise self._make_error(f"table {ids} has no output {name}", name, all_outputs)
        type_ = reduce(merge_types, kinds)
        if may_be_missing(owner.type) or len(kinds) < len(tables):
            default = _MISSING.get(type_, NONE)
            answer = owner.run
            return build_formula(
                "attribute",
                type_,
                lambda env: get_output(answer(env), name, default),
                owner,
                value=name,
            )
        return build_formula(
            "attribute", type_, owner.compile_attribute(name, None), owner, value=name
        )

    def _call(self, node: ast.Call) -> Formula:
        """Compile the call of a table or function.

        Raises TableError for any other name, and for values that it does not take.
        """
        if not isinstance(node.func, ast.Name):
            raise self._make_error("only tables and functions can be called")
        name = node.func.id
        formulas = self.formulas
        if name == "faces":
            return self._faces(node)
        if name == "how_many":
            return self._how_many(node)
        parts = [self.part(argument) for argument in node.args]
        words = {str(word.arg): self.part(word.value) for word in node.keywords}
        if name in formulas.readers:
            return self._table(node, formulas.readers[name], words)
        if name not in formulas.own and name not in CALLS:
            callables = [*formulas.readers, *formulas.own, *CALLS]
            raise self._make_error(f"there is no table or function {name}", name, callables)
        if node.keywords:
            raise self._make_error(f"{name} takes its values without names")
        if name in formulas.own:
            return self._call_own_function(name, parts)
        return self._call_function(name, parts)

    def _call_own_function(self, name: str, parts: list[Formula]) -> Formula:
        """Compile the call of a function that the game's file declares.

        Raises TableError for a wrong number of values.
        """
        count, type_, function = self.formulas.own[name]
        if len(parts) != count:
            value_count = f"{count} value{'' if count == 1 else 's'}"
            raise self._make_error(f"{name} takes {value_count}, not {len(parts)}")
        return build_formula("call", type_, compile_call(function, *parts), *parts)

    def _call_function(self, name: str, parts: list[Formula]) -> Formula:
        """Compile the call of a function that every formula has.

        Raises TableError for a wrong number of values, and for `has` with an unknown marker.
        """
        if not is_right_count(name, len(parts)):
            value_count = f"{len(parts)} value{'' if len(parts) == 1 else 's'}"
            raise self._make_error(f"{name} does not take {value_count}")
        if name == "has" and parts[1].kind == "constant":
            self._check_marker(parts[1].value)
        if name == "of" and parts[0].kind == "attribute":
            # of(unit.lm, 0): a number that may be missing
            (owner,) = parts[0].parts
            attribute = parts[0].value
            run = owner.compile_attribute(attribute, parts[1])
            return build_formula(name, "any", run, owner, parts[1], value=attribute)
        phrases = self.formulas.setting.said
        if name == "words" and phrases:
            word = compile_call(lambda token: phrases.get(str(token)) or CALLS[name](token), *parts)
            return build_formula("call", "text", word, *parts)
        return build_formula(name, RESULTS[name], compile_call(CALLS[name], *parts), *parts)

    def _check_marker(self, word: Any) -> None:
        """Raise TableError if no unit of the game can have this flag or marker.

        A game without any flags and markers is not checked.
        """
        markers = self.formulas.setting.marks
        if markers and word not in markers:
            raise self._make_error(f"there is no marker or flag {word}", str(word), markers)

    def _faces(self, node: ast.Call) -> Formula:
        """Compile the faces of the roll that is the first argument."""
        assert isinstance(node.func, ast.Name)
        count = 1 if node.func.id == "faces" else 2
        roll = ""
        if len(node.args) == count and isinstance(node.args[0], ast.Name):
            roll = node.args[0].id
        faces = self.names.get(roll + FACES)
        if faces is None:
            arguments = "the name of a roll and a test" if count > 1 else "the name of a roll"
            raise self._make_error(f"{node.func.id}(...) takes {arguments}", roll)
        return build_name(faces.key, "list")

    def _how_many(self, node: ast.Call) -> Formula:
        """Compile `how_many(roll, test)`: the number of faces of a roll for which a test holds.

        The first argument may also be a die such as 'd6', of which all faces are tested.
        """
        die = None
        if len(node.args) == 2:
            die = _DIE.fullmatch(str(getattr(node.args[0], "value", "")))
        if die:
            kind = "call"
            faces = build_constant(tuple(range(1, int(die[1]) + 1)), "list")
        else:
            kind = "how_many"
            faces = self._faces(node)
        names_outside = self.names
        self.names = {**names_outside, "face": Name(FACE, "number")}
        test = self.part(node.args[1])
        self.names = names_outside
        count = build_formula(kind, "number", faces.compile_count(test), faces, test)
        return replace(count, reads=tuple(key for key in count.reads if key != FACE))

    def _table(self, node: ast.Call, reader: TableReader, words: dict[str, Formula]) -> Formula:
        """Compile the call of a table.

        `words` are the formulas of its inputs by name; with the name ALL among them, further inputs
        are the names in scope that match. Raises TableError for an input without a name, an unknown
        one, and one that is missing.
        """
        table = reader.table
        if node.args:
            raise self._make_error(
                f"give the inputs of table {table.id} by name: {table.id}(input=value)"
            )
        takes_names = words.pop(ALL, None)
        inputs = {input_name(word): part for word, part in words.items()}
        self._check_table_inputs(table, inputs)
        if takes_names is not None:
            for word, name in find_matching_inputs(table, self.names).items():
                if word not in inputs:
                    inputs[word] = build_name(name.key, name.type)
        for option in table.inputs:
            if option.is_required and option.name not in inputs:
                raise self._make_error(f"table {table.id} needs {option.name}")
        run = compile_call(reader.by(tuple(inputs)), *inputs.values())
        return build_formula("call", get_answer_type((table.id,)), run, *inputs.values())

    def _check_table_inputs(self, table: Table, inputs: Mapping[str, Formula]) -> None:
        """Raise TableError for an input that a table does not have, and for a formula whose type
        the input cannot have.
        """
        options = {option.name: option for option in table.inputs}
        unknown_names = sorted(inputs.keys() - options)
        if unknown_names:
            problem = f"table {table.id} has no input {unknown_names[0]}"
            raise self._make_error(problem, unknown_names[0], options)
        for name, part in inputs.items():
            if part.type in ("unit", "units", "parts") or list_answering_tables(part.type):
                problem = f"table {table.id} does not take {describe_type(part.type)} as {name}"
                raise self._make_error(problem)
            if part.type == "list" and options[name].type in ("enum", "int", "bool", "number"):
                raise self._make_error(
                    f"table {table.id} takes a word or number as {name}, not a list; quote the word"
                )

    def _test(self, part: Formula) -> Formula:
        """Return a part that is used as a condition. Raises TableError if it would always hold."""
        if problem := explain_always_true(part):
            raise self._make_error(problem)
        return part

    def _ifexp(self, node: ast.IfExp) -> Formula:
        """Compile `A if TEST else B`. Raises TableError for a test that would always hold."""
        test = self._test(self.part(node.test))
        body = self.part(node.body)
        alternative = self.part(node.orelse)
        holds = test.run
        run_body = body.run
        run_alternative = alternative.run

        def run(env: Env) -> Any:
            return run_body(env) if holds(env) else run_alternative(env)

        type_ = merge_types(body.type, alternative.type)
        return build_formula("if", type_, run, test, body, alternative)

    def _boolop(self, node: ast.BoolOp) -> Formula:
        """Compile `and` or `or`. As in Python, the value is that of the last part looked at.

        Raises TableError for a part that would always hold.
        """
        parts = [self._test(self.part(value)) for value in node.values]
        kind = "and" if isinstance(node.op, ast.And) else "or"
        join = _compile_and if kind == "and" else _compile_or
        run = reduce(join, [part.run for part in parts])
        type_ = "bool" if {part.type for part in parts} == {"bool"} else "any"
        return build_formula(kind, type_, run, *parts)

    def _compare(self, node: ast.Compare) -> Formula:
        """Compile a comparison, also a chain such as `2 <= n < 5`. Raises TableError for operands that
        cannot be compared.
        """
        parts = [self.part(part) for part in (node.left, *node.comparators)]
        if any(part.type == "units" for part in parts) and any(
            isinstance(op, ast.Eq | ast.NotEq) for op in node.ops
        ):
            raise self._make_error("a list of units cannot equal anything; quote the word")
        for sign, left, right in zip(node.ops, parts, parts[1:], strict=False):
            if isinstance(sign, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
                self._check_order(left, right)
            else:
                self._check_equal(left, right)
                self._check_equal(right, left)
        pairs = zip(map(self._sign, node.ops), parts, parts[1:], strict=False)
        comparisons = [compile_call(sign, *pair) for sign, *pair in pairs]
        return build_formula("compare", "bool", reduce(_compile_and, comparisons), *parts)

    def _check_order(self, left: Formula, right: Formula) -> None:
        """Raise TableError for values of which none is the larger, such as a number and a word."""
        for number, compared in ((left, right), (right, left)):
            if number.type == "number" and not is_ordered(compared.type):
                raise self._make_error(
                    f"a number cannot be more or less than {describe_type(compared.type)}; == compares words"
                )

    def _check_equal(self, attribute: Formula, value: Formula) -> None:
        """Raise TableError for what the first of two values can never be: a number for a text, or
        a state or type that no unit has.
        """
        is_number = value.kind == "constant" and value.type == "number"
        if attribute.type == "text" and is_number:
            raise self._make_error(
                f"a text never equals the number {value.value}; quote it: '{value.value}'"
            )
        if attribute.kind == "attribute" and attribute.parts[0].type == "unit":
            setting = self.formulas.setting
            if attribute.value == "state":
                self._check_words(value, "state", setting.states)
            elif attribute.value == "type":
                self._check_words(value, "unit type", setting.unit_types)

    def _check_words(self, value: Formula, kind: str, valid_words: list[str]) -> None:
        """Raise TableError for a word, or one of a list, that is written and not known."""
        constant = value.value if value.kind == "constant" and valid_words else ()
        for word in constant if isinstance(constant, tuple) else (constant,):
            if isinstance(word, str) and word not in (*valid_words, NONE, ""):
                raise self._make_error(f"there is no {kind} {word}", word, valid_words)

    def _unaryop(self, node: ast.UnaryOp) -> Formula:
        """Compile `not` or a minus sign. Raises TableError for a value that it cannot take."""
        self._check_allowed(node.op)
        value = self.part(node.operand)
        if isinstance(node.op, ast.Not):
            self._test(value)
            return build_formula("not", "bool", compile_call(operator.not_, value), value)
        self._number(value)
        return build_formula("minus", "number", compile_call(operator.neg, value), value)

    def _binop(self, node: ast.BinOp) -> Formula:
        """Compile an operation of arithmetic. Raises TableError for a value that is not a number."""
        sign = self._sign(node.op)
        left = self._number(self.part(node.left))
        right = self._number(self.part(node.right))
        kind = "plus" if isinstance(node.op, ast.Add) else "sign"
        run = compile_call(sign, left, right)
        return build_formula(kind, "number", run, left, right)

    def _number(self, part: Formula) -> Formula:
        """Return a part that is used as a number. Raises TableError if it cannot be one."""
        if part.type in ("text", "list", "unit", "units", "parts") or list_answering_tables(
            part.type
        ):
            raise self._make_error(f"{describe_type(part.type)} cannot be used in arithmetic")
        return part

    def _check_allowed(self, sign: ast.AST) -> None:
        """Raise TableError for a sign of Python that formulas do not have."""
        if not isinstance(sign, NODES):
            raise self._make_error(explain_not_allowed(sign))

    def _sign(self, sign: ast.AST) -> Callable[[Any, Any], Any]:
        self._check_allowed(sign)
        return SIGNS[type(sign)]

    def _tuple(self, node: ast.Tuple | ast.List) -> Formula:
        """Compile a list; a list of constants is a constant."""
        parts = [self.part(part) for part in node.elts]
        if parts and all(part.kind == "constant" for part in parts):
            return build_constant(tuple([part.value for part in parts]), "list")
        return build_formula("list", "list", compile_call(build_list, *parts), *parts)

    _list = _tuple

    def _subscript(self, node: ast.Subscript) -> Formula:
        """Compile the item at an index of a list, or a face of a roll."""
        index = self.part(node.slice)
        items = self.part(node.value)
        face = items.kind == "name" and items.value.endswith(FACES)
        type_ = "number" if face else "unit" if items.type == "units" else "any"
        return build_formula("item", type_, compile_call(get_item, items, index), items, index)


def _compile_and(first: Run, second: Run) -> Run:
    return lambda env: first(env) and second(env)


def _compile_or(first: Run, second: Run) -> Run:
    return lambda env: first(env) or second(env)


def explain_always_true(formula: Formula) -> str:
    """Return why a formula that is asked whether it holds always would, and what to write; "" for
    one that may not.

    A unit, an answer or a word that is not there is none, which is a word and counts as true.
    """
    if formula.kind not in ("name", "attribute", "item") or formula.value in ("name", "side"):
        return ""
    name = formula.source or str(formula.value or "this")
    if formula.type == "unit" or list_answering_tables(formula.type):
        return f"{name} is always true, even if there is none; write ... != none"
    if formula.type == "text":
        return f"{name} is a word, which is always true; compare it: {name} == ..."
    return ""


def is_ordered(type_: str) -> bool:
    """Return whether a value of this type may be more or less than a number."""
    return type_ in ("number", "bool", "any", "none")


# -- what may be written

_NO_LOOP = "a loop is not allowed in a formula; go through the list with each"
_NO_BRACES = "a formula needs no braces; they are for texts"
_INSTEAD = {
    ast.Pow: "** is not allowed in a formula; multiply",
    ast.BitAnd: "& is not allowed in a formula; write and",
    ast.BitOr: "| is not allowed in a formula; write or",
    ast.BitXor: "^ is not allowed in a formula; multiply",
    ast.UAdd: "a + before a number is not allowed in a formula; leave it out",
    ast.Set: _NO_BRACES,
    ast.Dict: _NO_BRACES,
    ast.ListComp: _NO_LOOP,
    ast.GeneratorExp: _NO_LOOP,
    ast.NamedExpr: ":= is not allowed in a formula; set names with let",
    ast.JoinedStr: "f'...' is not allowed in a formula; write text(a, b)",
    ast.Slice: "list[a:b] is not allowed in a formula; first(list, n) gives the first n",
}
"""Hints for Python syntax that formulas do not have."""


def input_name(word: str) -> str:
    """Return the name of an input as the table has it: `from_` becomes `from`."""
    return word[:-1] if word.endswith("_") and iskeyword(word[:-1]) else word


def explain_not_allowed(node: ast.AST) -> str:
    """Return what is wrong with Python syntax that formulas do not have."""
    return _INSTEAD.get(type(node), f"{type(node).__name__} is not allowed in a formula")


def is_right_count(name: str, count: int) -> bool:
    """Return whether a function takes this number of values."""
    try:
        signature(CALLS[name]).bind(*(None,) * count)
    except TypeError:
        return False
    except ValueError:  # Python does not say
        return count > 0
    return True


def find_matching_inputs(table: Table, names: Mapping[str, Name]) -> dict[str, Name]:
    """Return the inputs of a table that have a name in `names`, each with that name: the meaning of
    `table(*)`.
    """
    formula_names = {
        option.name: f"{option.name}_" if iskeyword(option.name) else option.name
        for option in table.inputs
    }
    return {name: names[word] for name, word in formula_names.items() if word in names}
