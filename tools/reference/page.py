"""docs/pack-keys.md: every key of every file of a pack."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.rules.tables.formula import FUNCTIONS
from tools.reference.function_texts import FUNCTION_TEXTS
from tools.reference.schema import PARTS
from tools.reference.shapes import describe_shape

_TITLES = {
    "input": "an input or attribute", "body": "a body under `read`", "modifier": "a row of a list of modifiers",
    "refusal": "an entry of `refuse`", "sentence": "an entry of `says`",
    "dice": "dice under `rolls`", "example": "one of `examples`", "step": "a step",
    "block": "a block", "row": "`row`", "refuse": "`refuse`", "line": "a line of `say`", "word": "`result` or `fate`",
    "said": "`headline`, `then`, `now` or `notes`", "change": "`change`", "joining": "`joins`", "units": "`units`",
    "counter": "one of `counters`",
    "unit_list": "one of `unit_lists`", "phase": "a phase", "rule": "one of `rules`", "track": "one of `tracks`",
    "begin": "one of `begins`",
    "result": "one of `results`", "columns": "`columns`",
    "bands": "`bands`", "rounds": "`rounds`", "ending": "one of `ends`", "carried": "one of `then`",
    "ban": "one of `bans`", "caution": "one of `cautions`",
    "ride": "one of `rides`", "landing": "one of `lands`", "unit": "a unit",
}  # fmt: skip


def page() -> str:
    """The text of the page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Every key of a pack"
    yield ""
    yield "`make docs` writes this page from what the loaders check; do not edit it."
    yield "Start with [the guide for authors](authors.md)."
    yield "[The files of a pack](pack-files.md) and [steps and formulas](sequences.md) explain what keys do together."
    yield "Your editor can use [schema/](schema): see [an editor that helps](packs.md#an-editor-that-helps)."
    yield ""
    files = [*(file for file, _ in PARTS.values()), "Functions of formulas"]
    yield f"On this page: {', '.join(f'[{file}](#{_anchor(file)})' for file in files)}."
    done: set[str] = set()
    for name, (file, parts) in PARTS.items():
        yield ""
        yield f"## {file}"
        if name == "sequences":
            yield ""
            yield "A mapping of sequences by their ids."
        for number, (part, keys) in enumerate(parts.items()):
            if part in done or (name == "sequences" and part in PARTS["steps"][1]):
                # steps have a place of their own
                continue
            done.add(part)
            yield ""
            if number or name == "sequences":
                yield f"### {_TITLES.get(part, f'a {part}')[:1].upper()}{_TITLES.get(part, f'a {part}')[1:]}"
                yield ""
            yield "| key | value | what it says |"
            yield "|---|---|---|"
            for key, (shape, says) in keys.items():
                yield f"| `{key}` | {_cell(describe_shape(shape))} | {_cell(says)} |"
    yield ""
    yield "## Functions of formulas"
    yield ""
    yield f"In tables: {', '.join(f'`{name}`' for name in sorted(FUNCTIONS))}."
    yield "In steps these, and every table of the game by its id:"
    yield ""
    yield "| function | gives |"
    yield "|---|---|"
    for call, says in FUNCTION_TEXTS:
        yield f"| {call} | {says} |"


def _anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
