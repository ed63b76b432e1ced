"""Answers of tables in the words of their game: values, names of outputs, and the whole in a line.

`words` maps a token, an output (`output b`) or another key of the tables to the text that players
read for it.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from bot.rules.tables.print_pattern import is_blank
from bot.rules.tables.table import CHAIN, Answer, Table
from bot.rules.text.line import format_minus

NEXT = "next"
"""The output that holds the outputs of the table that was rolled after this one."""
FEW = 3
"""An answer with this many outputs or more names each of them."""
_UNLISTED = ("text", "parts", CHAIN)
"""Outputs that are shown elsewhere than in the list of outputs."""
_HYPHEN = re.compile(r"(?<=[a-z])-|-(?=[a-z])|_")


def format_value(value: object, words: Mapping[str, str]) -> str:
    """Return a key or value of a table as text for players.

    Truth values are yes or no, items of a list are joined by commas, and a token gets the text of
    `words`. A token without one is split at spaces, underscores and hyphens next to small letters,
    and each part is looked up by itself.
    """
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
    """Return the text of `words` for a part of a token, or the part itself if `words` has none or
    it is a single letter.
    """
    return piece if len(piece) == 1 else words.get(piece, piece)


def format_label(name: object, words: Mapping[str, str], say: Callable[[object], str]) -> str:
    """Return the text for the name of an output: the entry of `words` for `output NAME`, else the
    name as `say` puts it.
    """
    return words.get(f"output {name}") or say(name)


def select_outputs(answer: Answer) -> dict[str, Any]:
    """Return the outputs of a table by name, without its free text, its list of modifiers, and the
    table that is rolled next with its outputs.
    """
    out = answer.out
    # a table that leads to no other one may have an output of its own named `next`
    unlisted = (*_UNLISTED, NEXT) if CHAIN in out else _UNLISTED
    return {name: value for name, value in out.items() if name not in unlisted}


def list_outputs(answer: Answer, words: Mapping[str, str]) -> str:
    """Return the outputs as a short text, for a table without a sentence (`says`).

    Outputs that are false, zero or none are left out. If there is nothing else, it is the free text
    of the answer, or without one all of them.
    """
    outputs = select_outputs(answer)
    positive = {name: value for name, value in outputs.items() if not _is_nothing(value)}
    if not positive:
        negative = [_say_nothing(name, value, words) for name, value in outputs.items()]
        return answer.text or ", ".join(negative)
    pieces = []
    for name, value in positive.items():
        is_number = isinstance(value, int | float) or str(value)[:1].isdigit()
        is_named = is_number or (name != "result" and len(positive) >= FEW)
        if isinstance(value, bool):
            pieces.append(format_output_name(name, words))
        elif is_named:
            pieces.append(f"{format_output_name(name, words)} {format_value(value, words)}")
        else:
            pieces.append(format_value(value, words))
    return ", ".join(pieces)


def _is_nothing(value: object) -> bool:
    """Return whether the value of an output is 0 or blank (`is_blank`)."""
    return is_blank(value) or value == 0


def _say_nothing(name: str, value: object, words: Mapping[str, str]) -> str:
    """Return the text for an output that is false ("moves: no"), zero ("hits 0") or none ("no
    hits", for the output `result` "no effect").
    """
    if isinstance(value, bool):
        return f"{format_output_name(name, words)}: no"
    if isinstance(value, int | float):
        return f"{format_output_name(name, words)} 0"
    return "no effect" if name == "result" else f"no {format_output_name(name, words)}"


def format_output_name(name: str, words: Mapping[str, str]) -> str:
    """Return the name of an output as text for players."""
    return format_label(name, words, lambda value: format_value(value, words))


def describe_answer(table: Table, inputs: Mapping[str, Any], answer: Answer) -> str:
    """Return the answer to `inputs` in a line: the sentence of the table's `says`, or without one
    its outputs.
    """
    words = table.words
    sentence = table.format_sentence(inputs, answer, partial(format_value, words=words))
    return sentence or list_outputs(answer, words)
