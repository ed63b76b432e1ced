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
"""The name under which a headline finds the free text of its table's answer."""
_SENTENCE = re.compile(r".+?[.?!](?=\s+[A-Z(]|$)", re.DOTALL)
_UNWORKABLE = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError)


class _WrittenValue(NamedTuple):
    read: Formula
    has_sign: bool
    is_name: bool


class _WrittenIf(NamedTuple):
    test: Formula
    parts: tuple[_Compiled, ...]
    otherwise: tuple[_Compiled, ...]


_Compiled = str | PluralPart | _WrittenValue | _WrittenIf


class Sentence(NamedTuple):
    """One sentence, and the formula that says when it is the headline; None for always."""

    when: Formula | None
    parts: tuple[_Compiled, ...]


class TableHeadline(NamedTuple):
    """The sentences that a table's answer may be told with; the first that fits is said."""

    sentences: tuple[Sentence, ...]

    def write(self, values: Mapping[str, Any], say: Say) -> str:
        """Return the sentence for the values behind an answer; "" if none fits or works."""
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

    `source` is a text, or a list of texts with the formula that says when each fits. Raises
    TableError.
    """
    if source is None:
        return None
    known = {*names, *_build_functions(str), TEXT}
    sentences = []
    for number, spec in enumerate(source if isinstance(source, list) else [source], 1):
        row = "says" if number == 1 else f"says {number}"
        sentences.append(_compile_sentence(spec, known, file, row, bounded))
    return TableHeadline(tuple(sentences))


def _compile_sentence(
    spec: object, names: set[str], file: str, row: str, bounded: bool
) -> Sentence:
    if isinstance(spec, str):
        spec = {"say": spec}
    if not isinstance(spec, Mapping) or not isinstance(spec.get("say"), str):
        raise TableError(file, "must be a text, or a list of {when, say}; quote it", row=row)
    if strange := [str(key) for key in spec if key not in SENTENCE_KEYS]:
        raise TableError(file, f"has unknown keys {', '.join(strange)}", row=row)

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
    compiled: list[_Compiled] = []
    has_number = False
    for part in parts:
        if isinstance(part, ConditionalPart):
            test = formula(part.test)
            text = _compile_parts(part.parts, formula)
            otherwise = _compile_parts(part.otherwise, formula)
            compiled.append(_WrittenIf(test, text, otherwise))
        elif isinstance(part, PluralPart) and not has_number:
            raise Slip(f"there is no number before {{{part.one}|{part.many}}}, which goes by one")
        elif isinstance(part, str | PluralPart):
            compiled.append(part)
        else:
            has_number = True
            is_name = part.formula.strip().isidentifier() and part.formula.strip() != TEXT
            compiled.append(_WrittenValue(formula(part.formula.strip()), part.has_sign, is_name))
    return tuple(compiled)


def _write(
    parts: Iterable[_Compiled], values: Mapping[str, Any], say: Say, numbers: list[float]
) -> str:
    """Return the parts as a text; `numbers` are those that were said before."""
    pieces = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(part)
        elif isinstance(part, PluralPart):
            is_one = bool(numbers) and abs(numbers[-1]) == 1
            pieces.append(part.one if is_one else part.many)
        elif isinstance(part, _WrittenIf):
            holds = part.test(values)
            pieces.append(_write(part.parts if holds else part.otherwise, values, say, numbers))
        else:
            pieces.append(_write_value(part, values, say, numbers))
    return "".join(pieces)


def _write_value(
    part: _WrittenValue, values: Mapping[str, Any], say: Say, numbers: list[float]
) -> str:
    """Return a value in words; a text that a formula gives is kept as written."""
    value = part.read(values)
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        numbers.append(value)
        return format_signed(value) if part.has_sign else say(value)
    if isinstance(value, str) and not part.is_name:
        return value
    return say(value)


def _build_functions(say: Say) -> dict[str, Callable[..., Any]]:
    """Return what a headline may call beside the functions of every formula."""

    def join_words(items: Any, joiners: str = "and") -> str:
        """Return items as a, b and c; with several joiners (`and/or, or`) each goes into its gap."""
        listed = items if isinstance(items, list | tuple) else [items]
        words = [say(item) for item in listed if not is_blank(item)]
        if "," in joiners:
            return join_items(words, joiners)
        return f" {joiners} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))

    def get_first_sentence(text: str) -> str:
        found = _SENTENCE.match(text)
        return (found[0] if found else text).removesuffix(".")

    return {
        "words": say,
        "joined": join_words,
        "upper": lambda value: say(value).upper(),
        "capital": lambda value: say(value)[:1].upper() + say(value)[1:],
        "article": lambda value: add_article(say(value)),
        "first_sentence": get_first_sentence,
    }
