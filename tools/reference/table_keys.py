"""Every key of a table."""

from __future__ import annotations

from bot.rules.shapes import (
    ANY,
    FLAG,
    TEXT,
    Key,
    Keys,
    Schema,
    allow_items,
    allow_words,
    build_name_mapping,
    either,
    ref,
)
from bot.rules.tables.compile import KINDS, OUTPUTS
from tools.reference.shapes import (
    CELL,
    FORMULA,
    SAID,
    allow_list,
)

OUTPUT: Schema = either(allow_words(OUTPUTS), TEXT, allow_items({"type": ["string", "number"]}))

TABLE: Keys = {
    "id": Key(TEXT, "SYSTEM/TABLE; a pack leaves it out"),
    "title": Key(TEXT, "what the card calls it"),
    "source": Key(TEXT, "card and rule number"),
    "also": Key(allow_items(TEXT), "other names for it, from the card or its players"),
    "unsure": Key(
        allow_items(ref("doubt")), "cells that are missing or garbled on the card, and our reading"
    ),
    "group": Key(TEXT, "one of the groups of game.yaml"),
    "kind": Key(
        allow_words(KINDS),
        "grid; roll, a grid with dice; modifiers, a list of modifiers; reference, texts by a key",
    ),
    "summary": Key(TEXT, "for help, at most 100 characters"),
    "notes": Key(TEXT, "small print"),
    "inputs": Key(build_name_mapping(ref("input")), "the values that it is looked up by"),
    "outputs": Key(
        build_name_mapping(OUTPUT),
        f"{', '.join(OUTPUTS)}, a list of the game, or the words themselves",
    ),
    "constants": Key(build_name_mapping(ANY), "values for formulas"),
    "results": Key(
        build_name_mapping(CELL, "code"),
        "what the codes in cells mean; [a, b] in the order of gives, or {output: value}",
    ),
    "refuse": Key(allow_items(ref("refusal")), "what the card rules out"),
    "derive": Key(
        build_name_mapping(FORMULA), "worked out before the table is read; _name is not shown"
    ),
    "rolls": Key(
        build_name_mapping(either(TEXT, ref("dice")), "input"),
        "the dice to roll if the input is left out",
    ),
    "read": Key(allow_list(ref("body")), "one body, or a list of them"),
    "rows": Key(
        allow_items(ref("modifier")), "in a list of modifiers: each modifier and what it adds"
    ),
    "then": Key(build_name_mapping(FORMULA, "output"), "worked out last"),
    "texts": Key(build_name_mapping(SAID, "key"), "texts by keys, for the output text"),
    "text_by": Key(allow_list(FORMULA), "the formula, or formulas, for the key of the text"),
    "leads": Key(
        build_name_mapping(FORMULA, "command"),
        "commands that the answer offers: {check kind=paatc: \"'g' in effects\"}",
    ),
    "says": Key(
        allow_list(either(SAID, ref("sentence"))),
        "the answer as a sentence, `{hits} hit{|s}, {crew lost when crew_lost | crew safe}`; of"
        " several, the first whose `when` is true. Without it the outputs are listed",
    ),
    "example": Key(build_name_mapping(ANY, "input"), "for help; it must run"),
    "examples": Key(allow_items(ref("example")), "each is run as a test"),
    "private": Key(
        FLAG, "typed from the owner's card: the pack's files are in no export and on no page"
    ),
    "like": Key(TEXT, "another table that supplies everything not written here"),
}
BODY: Keys = {
    "rows": Key(FORMULA, "the input or derived name that picks the row"),
    "columns": Key(ref("columns"), "what picks the column; without it a row has one cell"),
    "gives": Key(allow_list(TEXT), "the outputs of a cell"),
    "cells": Key(
        build_name_mapping(CELL, "key"),
        "a row for each key: 2-5, 13+, -3..-1, `squad, crew`, or * for all others",
    ),
    "off_card": Key(
        allow_words(("clamp", "rows", "columns")),
        "the first and last line also apply to values beyond them",
    ),
    "open": Key(FLAG, "leaves gaps"),
    "bands": Key(ref("bands"), "each cell is a small table of its own: 17:S 18-20:K"),
    "print": Key(
        either(TEXT, build_name_mapping(allow_list(TEXT), "row")),
        "how a cell of several values looks on the card: `{enter}[{extra}] -- {exit}`; "
        "`{+name}` with its sign, `{n+name}` added to n, `{½name}` with ½, `{name|-}` a dash if "
        "there is none, `{name: or}` joins a list, `{name.2}` is its second item, `{code}` the code "
        "of the cell; "
        "anything in <> is left out if a value in it is none, of `{name?}` also if it is 0",
    ),
    "shows": Key(
        build_name_mapping(either(TEXT, build_name_mapping(TEXT, "row")), "head"),
        "for rows without columns: the columns of the card, with patterns as in print",
    ),
    "across": Key(FLAG, "for rows without columns: on the card they are next to each other"),
    "heading": Key(TEXT, "the heading above this part; a case of pick has its key as heading"),
    "names": Key(
        build_name_mapping(TEXT, "key"),
        "headings of rows and columns, if different from their keys",
    ),
    "pick": Key(build_name_mapping(ref("body"), "key"), "one of several bodies, chosen by `by`"),
    "by": Key(FORMULA, "the formula that picks"),
    "always": Key(CELL, "outputs that are the same for all"),
}
COLUMNS: Keys = {
    "by": Key(FORMULA, "the input or derived name"),
    "heads": Key(allow_items({"type": ["string", "number", "boolean"]}), "keys, as rows have them"),
    "from": Key(allow_items({"type": ["number", "string"]}), "from this number on; `_` if blank"),
    "to": Key(allow_items({"type": ["number", "string"]}), "up to this number; `_` if blank"),
}
BANDS: Keys = {
    "by": Key(TEXT, "a whole-number input with min and max"),
    "below": Key(CELL, "the result of values below the first band"),
}
MODIFIER: Keys = {
    "id": Key(TEXT, "its word"),
    "name": Key(SAID, "what the answer calls it"),
    "when": Key(FORMULA, "when it counts; always, if left out"),
    "adds": Key(build_name_mapping(FORMULA, "output"), "what it adds to which total"),
    "shown": Key(
        either(TEXT, build_name_mapping(TEXT, "output")),
        "its number as printed, if it is not a plain number: `+4 each`, `N/A`",
    ),
}
SENTENCE: Keys = {
    "when": Key(FORMULA, "when it is used; always, if left out"),
    "say": Key(SAID, "the sentence, over the inputs, derived names, outputs and `text`"),
}
DOUBT: Keys = {
    "where": Key(TEXT, "which cell: its row and column"),
    "say": Key(TEXT, "what the card has, and our reading: `lost on the card; read as 1`"),
    "when": Key(FORMULA, "look-ups that also show it; none, if left out"),
}
REFUSAL: Keys = {
    "when": Key(FORMULA, "when it is ruled out"),
    "say": Key(TEXT, "why; {input} is its value"),
}
TABLE_DICE: Keys = {
    "dice": Key(
        either(TEXT, build_name_mapping(TEXT, "value")),
        "2d6, 1dA for averaging dice, or {by: input, value: 1d6, ...}",
    ),
    "label": Key(TEXT, "what the answer calls the dice"),
    "when": Key(FORMULA, "when they are rolled"),
}
EXAMPLE: Keys = {
    "given": Key(build_name_mapping(ANY, "input"), "inputs"),
    "gives": Key(build_name_mapping(ANY, "output"), "the outputs that these inputs must give"),
    "source": Key(TEXT, "where it is in the rule book"),
}
