"""The headline of a table: `says` in its file, a sentence with formulas in braces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from bot.rules.errors import Slip, TableError, UserError
from bot.rules.tables.formula import Formula, compile_formula
from bot.rules.tables.print_pattern import format_signed, is_blank, join_items
from bot.rules.text.names import add_article
from bot.rules.text.template import ConditionalPart, PluralPart, TemplatePart, read_template

Say = Callable[[object], str]
"""Puts a value into the words of its game."""
SENTENCE_KEYS = ("when", "say")
MOST_CHARACTERS = 300
TEXT = "text"
"""The name that a headline uses for the free text of its table's answer."""
_SENTENCE = re.compile(r".+?[.?!](?=\s+[A-Z(]|$)", re.DOTALL)
_UNWORKABLE = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError)


class _CompiledValue(NamedTuple):
    """The value of a formula in a headline; `is_name` if the formula is a single name."""

    formula: Formula
    has_sign: bool
    is_name: bool


class _CompiledCondition(NamedTuple):
    """Parts that are written if the formula `test` holds, and parts that are written if not."""

    test: Formula
    parts: tuple[_Compiled, ...]
    otherwise: tuple[_Compiled, ...]


_Compiled = str | PluralPart | _CompiledValue | _CompiledCondition


class Sentence(NamedTuple):
    """One sentence, and the formula that must hold for it to be the headline; None if it always
    fits.
    """

    when: Formula | None
    parts: tuple[_Compiled, ...]


class TableHeadline(NamedTuple):
    """The sentences for a table's answers; the first that fits is written."""

    sentences: tuple[Sentence, ...]

    def write(self, values: Mapping[str, Any], say: Say) -> str:
        """Return the sentence for the values of an answer, at most MOST_CHARACTERS long, without
        its full stop.

        `say` puts a value into the words of the game. Return "" if no sentence fits, or if a
        formula in the one that fits has no value.
        """
        scope = {**_build_functions(say), **values}
        try:
            for sentence in self.sentences:
                if sentence.when is None or sentence.when(scope):
                    text = _write(sentence.parts, scope, say, [])
                    return text.strip(" ,;:").removesuffix(".")[:MOST_CHARACTERS]
        except (UserError, *_UNWORKABLE):
            return ""
        return ""


def compile_headline(
    source: object, names: Iterable[str], file: str, *, bounded: bool
) -> TableHeadline | None:
    """Return the headline that `says` of a table file describes, None if it has none.

    `source` is a text, or a list of texts and of mappings `{when, say}`, in which the formula
    `when` must hold. `names` are those that the formulas may use; `bounded` formulas are held to
    limits. Raises TableError, which names `file` and the number of the sentence.
    """
    if source is None:
        return None
    all_names = {*names, *_build_functions(str), TEXT}
    specs = source if isinstance(source, list) else [source]
    sentences = []
    for number, spec in enumerate(specs, 1):
        row = "says" if number == 1 else f"says {number}"
        sentences.append(_compile_sentence(spec, all_names, file, row, bounded))
    return TableHeadline(tuple(sentences))


def _compile_sentence(
    spec: object, names: set[str], file: str, row: str, bounded: bool
) -> Sentence:
    """Compile one sentence, a text or `{when, say}`. Raises TableError, which names `row`."""
    if isinstance(spec, str):
        spec = {"say": spec}
    if not isinstance(spec, Mapping) or not isinstance(spec.get("say"), str):
        raise TableError(file, "must be a text, or a list of {when, say}; quote it", row=row)
    unknown_keys = [str(key) for key in spec if key not in SENTENCE_KEYS]
    if unknown_keys:
        raise TableError(file, f"has unknown keys {', '.join(unknown_keys)}", row=row)

    def formula(text: object) -> Formula:
        return compile_formula(text, names, file, row=row, bounded=bounded)

    try:
        parts = read_template(spec["say"])
    except ValueError as error:
        raise TableError(file, str(error), row=row) from None
    try:
        compiled = _compile_parts(parts, formula)
    except Slip as error:
        raise TableError(file, str(error), row=row) from None
    when = spec.get("when")
    return Sentence(None if when is None else formula(when), compiled)


def _compile_parts(
    parts: Iterable[TemplatePart], formula: Callable[[object], Formula]
) -> tuple[_Compiled, ...]:
    """Compile the formulas in the parts of a sentence with `formula`.

    Raises Slip for a plural without a number before it.
    """
    compiled: list[_Compiled] = []
    has_number = False
    for part in parts:
        if isinstance(part, ConditionalPart):
            test = formula(part.test)
            text = _compile_parts(part.parts, formula)
            otherwise = _compile_parts(part.otherwise, formula)
            compiled.append(_CompiledCondition(test, text, otherwise))
        elif isinstance(part, PluralPart) and not has_number:
            forms = f"{{{part.singular}|{part.plural}}}"
            raise Slip(f"there is no number before {forms}, which needs one")
        elif isinstance(part, str | PluralPart):
            compiled.append(part)
        else:
            has_number = True
            source = part.formula.strip()
            is_name = source.isidentifier() and source != TEXT
            compiled.append(_CompiledValue(formula(source), part.has_sign, is_name))
    return tuple(compiled)


def _write(
    parts: Iterable[_Compiled], values: Mapping[str, Any], say: Say, numbers: list[float]
) -> str:
    """Return the parts as a text. Each number that is written is appended to `numbers`, because
    a plural goes by the last of them.
    """
    pieces = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(part)
        elif isinstance(part, PluralPart):
            is_singular = bool(numbers) and abs(numbers[-1]) == 1
            pieces.append(part.singular if is_singular else part.plural)
        elif isinstance(part, _CompiledCondition):
            branch = part.parts if part.test(values) else part.otherwise
            pieces.append(_write(branch, values, say, numbers))
        else:
            pieces.append(_write_value(part, values, say, numbers))
    return "".join(pieces)


def _write_value(
    part: _CompiledValue, values: Mapping[str, Any], say: Say, numbers: list[float]
) -> str:
    """Return a value in words, "" for None; a number is also appended to `numbers`.

    Text that is the value of a formula other than a single name is kept as it is.
    """
    value = part.formula(values)
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        numbers.append(value)
        return format_signed(value) if part.has_sign else say(value)
    if isinstance(value, str) and not part.is_name:
        return value
    return say(value)


def _build_functions(say: Say) -> dict[str, Callable[..., Any]]:
    """Return the functions by name that a headline may call in addition to those of every formula.

    `say` puts a value into the words of the game.
    """

    def join_words(items: Any, joiners: str = "and") -> str:
        """Return the items that are not blank as `a, b and c`; several joining words, separated by
        commas (`and/or, or`), are put into one gap each.
        """
        listed = items if isinstance(items, list | tuple) else [items]
        words = [say(item) for item in listed if not is_blank(item)]
        if "," in joiners:
            return join_items(words, joiners)
        return f" {joiners} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))

    def get_first_sentence(text: str) -> str:
        sentence = _SENTENCE.match(text)
        return (sentence[0] if sentence else text).removesuffix(".")

    return {
        "words": say,
        "joined": join_words,
        "upper": lambda value: say(value).upper(),
        "capital": lambda value: say(value)[:1].upper() + say(value)[1:],
        "article": lambda value: add_article(say(value)),
        "first_sentence": get_first_sentence,
    }
