"""What the functions of formulas give, for the page that lists every key."""

FUNCTION_TEXTS = (
    ("`min max abs len`", "as they say"),
    (
        "`up down half_up half_down plain number`",
        "rounded up or down, half of it rounded up or down (`half_up(5)` is 3), "
        "2.0 as 2, a word as a number; `down(x + 0.5)` rounds to the nearest",
    ),
    (
        "`place(headings, value)`, `reach(ends, value)`, `index(list, item)`",
        "the column that a value is in, by where columns begin or end; the place of an item",
    ),
    ("`sum(list)`, `names(list)`", "the total of numbers or named parts; the names of named parts"),
    ("`numbers(5)`", "0 to 4, for `each`"),
    (
        "`first(list, n)`, `choose(list, places)`, `positions(typed, count)`",
        "the first n; the items at these places; places that were typed, 1 for the first",
    ),
    ("`faces(roll)`", "each die of a roll; `faces(roll)[at]` one of them"),
    (
        "`how_many(roll, face >= 5)`",
        "how many dice of a roll pass; `how_many('d20', face <= needed)`: how many faces of a die",
    ),
    (
        "`of(unit.lm, 0)`, `has(unit, 'fired')`",
        "a number that may be missing; whether a unit has a flag or marker",
    ),
    (
        "`rostered(units)`, `twice(units)`",
        "those on the roster; the first that is listed twice, or none",
    ),
    (
        "`called(units, at)`, `called_among(units, at)`",
        "the unit's word, numbered by its place, or among those of the same word",
    ),
    (
        "`parts(mods)`, `parts(mods, 'total')`",
        "the named modifiers of a table's answer, all or those of one total",
    ),
    ("`noted(mods, word)`", "the note (`texts`) that the table has for a word"),
    ("`describe(found)`", "what a table says, in a line: its `says`, else its outputs"),
    ("`after(text, ': ')`", "what comes after a mark in a text"),
    (
        "`text(a, b, ...)`, `commas(a, b, ...)`, `words(token)`, `upper`, `capital`",
        "a text of pieces; pieces with commas between, blank ones left out; "
        "a token as `words` of `game.yaml` says it; in capitals; with one capital",
    ),
    (
        "`signed(n)`, `minus(n)`, `joined(units)`, `typed(names)`",
        "+2; a number with the true minus; names as you say them; names as you type them",
    ),
)
"""Calls as an author writes them, each with what it gives."""
