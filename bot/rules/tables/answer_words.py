"""What a table answered in the words of its game: tokens, names of outputs, and all of it in a line."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from bot.rules.tables.print_pattern import is_blank
from bot.rules.tables.table import CHAIN, Answer, Table
from bot.rules.text.line import format_minus

NEXT = "next"
"""In the outputs of a table: those of the table that was rolled after it."""
FEW = 3
"""An answer with this many outputs or more names each of them."""
_BESIDE = ("text", "parts", CHAIN)
_HYPHEN = re.compile(r"(?<=[a-z])-|-(?=[a-z])|_")


def format_value(value: object, words: Mapping[str, str]) -> str:
    """Return a key or value of a table as players say it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return format_minus(value)
    if isinstance(value, list | tuple):
        return ", ".join(format_value(item, words) for item in value)
    text = str(value)
    if word := words.get(text):
        return word
    if ", " in text:
        return ", ".join(format_value(part, words) for part in text.split(", "))
    pieces = [piece for part in text.strip("_").split() for piece in _HYPHEN.split(part)]
    return " ".join(_format_word(piece, words) for piece in pieces if piece) or text


def _format_word(piece: str, words: Mapping[str, str]) -> str:
    """Return a part of a token as the game says it; a single letter is no word of its own there."""
    return piece if len(piece) == 1 else words.get(piece, piece)


def format_label(name: object, words: Mapping[str, str], say: Callable[[object], str]) -> str:
    """Return the name of an output as the game says it: `output b` in its words, else the name."""
    return words.get(f"output {name}") or say(name)


def select_outputs(answer: Answer) -> dict[str, Any]:
    """Return what a table says by the names of its outputs, without its free text."""
    out = answer.out
    # a table of its own may have an output `next`
    beside = (*_BESIDE, NEXT) if CHAIN in out else _BESIDE
    return {name: value for name, value in out.items() if name not in beside}


def list_outputs(answer: Answer, words: Mapping[str, str]) -> str:
    """Return the outputs in a few words, for a table without `says`.

    What is false, zero or none is left out, unless there is nothing else.
    """
    outputs = select_outputs(answer)
    telling = {name: value for name, value in outputs.items() if not _is_nothing(value)}
    if not telling:
        return answer.text or ", ".join(
            _say_nothing(name, value, words) for name, value in outputs.items()
        )
    pieces = []
    for name, value in telling.items():
        is_number = isinstance(value, int | float) or str(value)[:1].isdigit()
        is_named = is_number or (name != "result" and len(telling) >= FEW)
        if isinstance(value, bool):
            pieces.append(format_output_name(name, words))
        elif is_named:
            pieces.append(f"{format_output_name(name, words)} {format_value(value, words)}")
        else:
            pieces.append(format_value(value, words))
    return ", ".join(pieces)


def _is_nothing(value: object) -> bool:
    """Return whether a value of an output says nothing by itself: false, zero or none."""
    return is_blank(value) or value == 0


def _say_nothing(name: str, value: object, words: Mapping[str, str]) -> str:
    """Return the words for an output that is false, zero or none: "no effect", "moves: no"."""
    if isinstance(value, bool):
        return f"{format_output_name(name, words)}: no"
    if isinstance(value, int | float):
        return f"{format_output_name(name, words)} 0"
    return "no effect" if name == "result" else f"no {format_output_name(name, words)}"


def format_output_name(name: str, words: Mapping[str, str]) -> str:
    """Return the name of an output as players say it."""
    return format_label(name, words, lambda value: format_value(value, words))


def describe_answer(table: Table, given: Mapping[str, Any], answer: Answer) -> str:
    """Return an answer in a line: the sentence of the table's `says`, else its outputs."""
    words = table.words
    sentence = table.format_sentence(given, answer, partial(format_value, words=words))
    return sentence or list_outputs(answer, words)
