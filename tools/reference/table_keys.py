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
    "also": Key(allow_items(TEXT), "further names that the card or its players have for it"),
    "unsure": Key(
        allow_items(ref("doubt")), "cells that the card lost or garbled, and what is read there"
    ),
    "group": Key(TEXT, "one of the groups of game.yaml"),
    "kind": Key(
        allow_words(KINDS),
        "grid; roll, a grid with dice; modifiers, a list of what counts; reference, words by a key",
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
        "what the codes of cells mean; [a, b] in the order of gives, or {output: value}",
    ),
    "refuse": Key(allow_items(ref("refusal")), "what the card rules out"),
    "derive": Key(
        build_name_mapping(FORMULA), "worked out before the table is read; _name is not shown"
    ),
    "rolls": Key(
        build_name_mapping(either(TEXT, ref("dice")), "input"),
        "the dice of an input that may be left out",
    ),
    "read": Key(allow_list(ref("body")), "one body, or a list of them"),
    "rows": Key(
        allow_items(ref("modifier")), "of a list of modifiers: what counts, and what it adds"
    ),
    "then": Key(build_name_mapping(FORMULA, "output"), "worked out at last"),
    "texts": Key(build_name_mapping(SAID, "key"), "texts by keys, for the output text"),
    "text_by": Key(allow_list(FORMULA), "the formula that gives the key of the text, or several"),
    "leads": Key(
        build_name_mapping(FORMULA, "command"),
        "commands of the game that the answer offers: {check kind=paatc: \"'g' in effects\"}",
    ),
    "says": Key(
        allow_list(either(SAID, ref("sentence"))),
        "the answer as a sentence, `{hits} hit{|s}, {crew lost when crew_lost | crew safe}`; of"
        " several the first whose `when` holds. Without it the outputs are listed",
    ),
    "example": Key(build_name_mapping(ANY, "input"), "for help; it must run"),
    "examples": Key(allow_items(ref("example")), "each is run as a test"),
    "private": Key(
        FLAG, "typed from one's own card: no export and no page has the files of the pack"
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
        "the first and last line also answer for values beyond them",
    ),
    "open": Key(FLAG, "leaves gaps"),
    "bands": Key(ref("bands"), "each cell is a small table of its own: 17:S 18-20:K"),
    "print": Key(
        either(TEXT, build_name_mapping(allow_list(TEXT), "row")),
        "how a cell of several values stands on the card: `{enter}[{extra}] -- {exit}`; "
        "`{+name}` with its sign, `{n+name}` added to n, `{½name}` with ½, `{name|-}` a dash if "
        "there is none, `{name: or}` joins a list, `{name.2}` is its second item, `{code}` the code "
        "of the cell; "
        "what stands in <> is left out if a value in it is none, of `{name?}` also if it is 0",
    ),
    "shows": Key(
        build_name_mapping(either(TEXT, build_name_mapping(TEXT, "row")), "head"),
        "for rows without columns: what stands in each column of the card, as in print",
    ),
    "across": Key(FLAG, "for rows without columns: on the card they stand side by side"),
    "heading": Key(TEXT, "what stands above this part; a case of pick is headed by its key"),
    "names": Key(
        build_name_mapping(TEXT, "key"),
        "headings of rows and columns, if not the words of their keys",
    ),
    "pick": Key(build_name_mapping(ref("body"), "key"), "one of several bodies, chosen by `by`"),
    "by": Key(FORMULA, "the formula that picks"),
    "always": Key(CELL, "outputs that are the same for all"),
}
COLUMNS: Keys = {
    "by": Key(FORMULA, "the input or derived name"),
    "heads": Key(allow_items({"type": ["string", "number", "boolean"]}), "keys, as rows have them"),
    "from": Key(
        allow_items({"type": ["number", "string"]}), "from this figure on; `_` while it is blank"
    ),
    "to": Key(
        allow_items({"type": ["number", "string"]}), "up to this figure; `_` while it is blank"
    ),
}
BANDS: Keys = {
    "by": Key(TEXT, "a whole-number input with min and max"),
    "below": Key(CELL, "the result of values under the first band"),
}
MODIFIER: Keys = {
    "id": Key(TEXT, "its word"),
    "name": Key(SAID, "what the answer calls it"),
    "when": Key(FORMULA, "when it counts; always, if left out"),
    "adds": Key(build_name_mapping(FORMULA, "output"), "what it adds to which total"),
    "shown": Key(
        either(TEXT, build_name_mapping(TEXT, "output")),
        "its number as the card prints it, where that is no plain number: `+4 each`, `N/A`",
    ),
}
SENTENCE: Keys = {
    "when": Key(FORMULA, "when it is the headline; always, if left out"),
    "say": Key(SAID, "the sentence, over the inputs, derived names, outputs and `text`"),
}
DOUBT: Keys = {
    "where": Key(TEXT, "which cell: its row and column"),
    "say": Key(TEXT, "what the card has there, and our reading: `lost on the card; read as 1`"),
    "when": Key(FORMULA, "which look-ups show it, too; none, if left out"),
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
