"""What the functions of formulas give, for the page that lists every key."""

FUNCTION_TEXTS = (
    ("`min max abs len`", "what their names say"),
    (
        "`up down half_up half_down plain number`",
        "rounded up or down, half of it rounded up or down (`half_up(5)` is 3), "
        "2.0 as 2, a word as a number; `down(x + 0.5)` rounds to the nearest",
    ),
    (
        "`place(headings, value)`, `reach(ends, value)`, `index(list, item)`",
        "the column of a value, by where columns begin or end; the position of an item",
    ),
    ("`sum(list)`, `names(list)`", "the total of numbers or named parts; the names of named parts"),
    ("`numbers(5)`", "0 to 4, for `each`"),
    (
        "`first(list, n)`, `choose(list, places)`, `positions(typed, count)`",
        "the first n; the items at these positions; positions that were typed, 1 for the first",
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
        "the units on the roster; the first unit that is listed twice, or none",
    ),
    (
        "`called(units, at)`, `called_among(units, at)`",
        "the unit's word, numbered by its position, or among units with the same word",
    ),
    (
        "`parts(mods)`, `parts(mods, 'total')`",
        "the named modifiers of a table's answer, all or those of one total",
    ),
    ("`noted(mods, word)`", "the table's note (`texts`) for a word"),
    ("`describe(found)`", "a table's result in one line: its `says`, or else its outputs"),
    ("`after(text, ': ')`", "the part of a text after this mark"),
    (
        "`text(a, b, ...)`, `commas(a, b, ...)`, `words(token)`, `upper`, `capital`",
        "pieces as one text; pieces separated by commas, without blank ones; "
        "a token in the words of `game.yaml`; in capitals; with one capital",
    ),
    (
        "`signed(n)`, `minus(n)`, `joined(units)`, `typed(names)`",
        "+2; a number with a true minus sign; names as you say them; names as you type them",
    ),
)
"""Calls as an author writes them, each with what it gives."""
