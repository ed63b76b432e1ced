"""Every key of a sequence and of its steps."""

from __future__ import annotations

from bot.rules.declared.draws import DRAW
from bot.rules.declared.rolls import DICE
from bot.rules.shapes import (
    ANY,
    TEXT,
    WORDS,
    Key,
    Keys,
    allow_items,
    build_name_mapping,
    either,
    ref,
)
from tools.reference.shapes import (
    FORMULA,
    SAID,
    allow_list,
)

STEPS_FILE: Keys = {
    "steps": Key(ref("steps"), "the steps, in their order"),
    "outputs": Key(
        build_name_mapping({"type": ["string", "array"]}, "output"),
        "outputs, defined more exactly than in sequences.yaml",
    ),
    "lists": Key(
        build_name_mapping(
            {"type": ["array", "object"], "title": "words, or words by their names"}
        ),
        "lists for formulas",
    ),
    "formulas": Key(
        build_name_mapping(TEXT, "name(inputs)"),
        "named formulas; each may call those above it",
    ),
    "blocks": Key(build_name_mapping(ref("block")), "named steps, for use"),
}
BLOCK: Keys = {
    "needs": Key(WORDS, "the outer names that it sees"),
    "with": Key(build_name_mapping(FORMULA), "names that are set for it"),
    "steps": Key(ref("steps"), "its steps"),
}
STEP: Keys = {
    "each": Key(
        FORMULA,
        "runs the step once for each item of a list, called `unit` or the name in `as`; "
        "`at` is its place, 0 for the first",
    ),
    "as": Key(TEXT, "with each: what the item is called; `unit` if left out"),
    "into": Key(TEXT, "with each: the output list that its items set"),
    "only": Key(FORMULA, "with each: only the item at that place, which a die may choose"),
    "row": Key(
        either(SAID, ref("row")), "with each: the odds have a row for each item, under this name"
    ),
    "when": Key(FORMULA, "runs this step only if the formula is true"),
    "else": Key(ref("steps"), "the steps otherwise"),
    "refuse": Key(
        either(SAID, ref("refuse")),
        "refuses the inputs; only under a `when` that no die decides",
    ),
    "draw": Key(
        build_name_mapping({"type": "string", "pattern": f"^{DRAW.pattern}$"}),
        'cards of a deck, in the order written: `chances`, `"chances: a label"`, `"chances, into play"`',
    ),
    "roll": Key(
        build_name_mapping({"type": "string", "pattern": f"^{DICE.pattern}$"}),
        'dice, in the order written: `"2d6: label"`, `"{hits}d6, at most 20: label"`, `4d6kh3`; '
        "the name is their sum, `faces(name)` each of them; `2d6: colored | white` has a label for "
        "each die, `1dA` is an averaging die (2 3 3 4 4 5)",
    ),
    "test": Key(ref("test"), "dice against a number"),
    "pool": Key(ref("pool"), "how many dice pass"),
    "spread": Key(ref("spread"), "assigns losses to the units of a list, in order"),
    "choose": Key(
        build_name_mapping(ref("choice")), "asks a side to choose; the name is that of the choice"
    ),
    "let": Key(
        build_name_mapping({**FORMULA, "type": [*FORMULA["type"], "array"]}),
        "values, set in order; `unit.name` is one of each unit, kept for the next "
        "`each` of the same list: set it for every unit, not below a `when`",
    ),
    "add": Key(
        build_name_mapping(build_name_mapping(FORMULA, "label"), "list"),
        "named parts, without those of 0; `sum(list)` is their total",
    ),
    "tell": Key(
        build_name_mapping(FORMULA, "output"),
        "sets outputs: of the item within an `each`, otherwise of the sequence; an output that no "
        "step sets takes the value of its name at the end",
    ),
    "say": Key(allow_list(ref("line")), "a line of the answer, or several"),
    "result": Key(
        allow_list(either(SAID, ref("word"))),
        "the word for a unit; the current one, if none is named",
    ),
    "fate": Key(
        allow_list(either(SAID, ref("word"))),
        "what the first line of the answer says about a unit; one of the game's results",
    ),
    "change": Key(
        allow_list(ref("change")),
        "changes a unit on the roster, or a track; a unit that is not on the roster is skipped",
    ),
    "joins": Key(
        allow_list(either(TEXT, ref("joining"))),
        "a unit that comes into play next to a roster unit, on its side",
    ),
    "headline": Key(
        allow_list(either(SAID, ref("said"))),
        "the result in a few words; if several, the last one; if none, the words of `result`",
    ),
    "then": Key(allow_list(either(SAID, ref("said"))), "what the players must do"),
    "now": Key(allow_list(either(SAID, ref("said"))), "what else changed"),
    "notes": Key(allow_list(either(SAID, ref("said"))), "small print"),
    "use": Key(TEXT, "the steps of a block"),
    "with": Key(build_name_mapping(FORMULA), "with use: names that are set for the block"),
    "gives": Key(
        build_name_mapping(FORMULA), "with use: names that the block returns, {outer: inner}"
    ),
    "steps": Key(ref("steps"), "steps below this one"),
    "stop": Key(FORMULA, "ends the sequence here, if the formula is true"),
}
_DICE = {"type": "string", "pattern": f"^{DICE.pattern}$"}
TEST: Keys = {
    "dice": Key(_DICE, 'the dice: `"2d6: morale check"`'),
    "plus": Key(
        allow_list(either(FORMULA, build_name_mapping(FORMULA, "label"))),
        "what is added to them, by name",
    ),
    "at_most": Key(FORMULA, "this or less passes"),
    "at_least": Key(FORMULA, "this or more passes"),
    "gives": Key(allow_items(TEXT), "the words for passed and failed: [pass, fail]"),
    "as": Key(TEXT, "the name of its outcome; `result`, if left out"),
    "label": Key(SAID, "the label of its line"),
    "says": Key(SAID, 'what its line says; "needs 7 or less", if left out'),
}
POOL: Keys = {
    "dice": Key(_DICE, 'the dice: `"{hits}d6, at most 20: armour"`'),
    "success": Key(FORMULA, "what passes; `face` is the die"),
    "gives": Key(TEXT, "the name for the number that pass"),
    "explodes": Key(ANY, "faces that add another die: `6`, `>=5`"),
    "rerolls": Key(ANY, "faces to reroll: `1`, `<3`"),
    "label": Key(SAID, "the label of its line"),
    "says": Key(SAID, 'what its line says; "3 of 5 saved", if left out'),
}
SPREAD: Keys = {
    "loss": Key(FORMULA, "how much is lost"),
    "over": Key(FORMULA, "the units, in their order"),
    "from": Key(TEXT, "the number that goes down"),
    "lost": Key(TEXT, "the word and state of a unit that has none left"),
    "gives": Key(TEXT, "what the loss of each is called: `unit.fell`, if left out"),
    "words": Key(
        allow_items(TEXT), "what the other units become: [unhurt, loses]; their state, if left out"
    ),
    "into": Key(TEXT, "the output list that they set"),
    "row": Key(either(SAID, ref("row")), "the odds have a row for each unit"),
}
CHOICE: Keys = {
    "who": Key(TEXT, "whose side is asked: an input of units, or `actor`"),
    "ask": Key(SAID, "the question"),
    "options": Key(
        build_name_mapping(SAID, "word"), "two to six words, each with the text of its button"
    ),
    "else": Key(TEXT, "the option chosen if nobody answers in time"),
}
ROW: Keys = {
    "name": Key(SAID, "its name"),
    "by": Key(TEXT, "the output that its odds are counted by"),
    "alike": Key(FORMULA, "the first stands for this many identical items"),
}
REFUSE: Keys = {
    "say": Key(SAID, "what is wrong"),
    "hint": Key(SAID, "what to do; commands in backticks"),
    "option": Key(SAID, "the option at fault"),
    "code": Key(
        {"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$"},
        "one of the error codes; card-refuses, if left out",
    ),
}
LINE: Keys = {
    "label": Key(SAID, "what was rolled"),
    "dice": Key(allow_list(TEXT), "the rolls that it shows, by their names"),
    "parts": Key(
        allow_list(either(FORMULA, build_name_mapping(FORMULA, "label"))),
        "what was added, by name: a mapping, an added list, or `parts(mods)` of a table; with dice "
        "they count as added to these, so column shifts need their own line",
    ),
    "contributors": Key(
        allow_list(either(FORMULA, build_name_mapping(FORMULA, "label"))),
        "what was combined before that",
    ),
    "total": Key(FORMULA, "the total"),
    "result": Key(SAID, "what it means"),
    "unit": Key(SAID, "the unit of the line, so that a long answer can leave it out"),
    "when": Key(FORMULA, "only if the formula is true"),
}
WORD: Keys = {
    "unit": Key(FORMULA, "which unit; the current one, if left out"),
    "is": Key(SAID, "the word"),
    "more": Key(SAID, "the words after it"),
    "when": Key(FORMULA, "only if the formula is true"),
}
SAID_KEYS: Keys = {
    "say": Key(SAID, "the text"),
    "when": Key(FORMULA, "only if the formula is true"),
}
JOINING: Keys = {
    "unit": Key(FORMULA, "the unit it joins; the current one, if left out"),
    "type": Key(TEXT, "its type"),
    "state": Key(SAID, "its state"),
    "mark": Key(allow_list(SAID), "its markers"),
    "when": Key(FORMULA, "only if the formula is true"),
}
CHANGE: Keys = {
    "unit": Key(FORMULA, "which unit; the current one, if left out"),
    "track": Key(TEXT, "instead of a unit: a track of the game to set or add to"),
    "set": Key(either(FORMULA, build_name_mapping(FORMULA, "attribute")),
               "attributes, or state; for a track, its value; none leaves it unchanged"),
    "add": Key(either(FORMULA, build_name_mapping(FORMULA, "attribute")),
               "added to whole numbers that the unit has or that have a default, or to a track"),
    "mark": Key(allow_list(SAID), "markers to put on"),
    "unmark": Key(allow_list(SAID), "markers to take off"),
    "give": Key(build_name_mapping(FORMULA, "attribute"), "a name that is added to a list"),
    "take": Key(build_name_mapping(FORMULA, "attribute"), "a name that is taken off a list"),
    "of": Key(TEXT, "all units whose attribute of this name names the unit; for a side's track: side or foe"),
    "drop": Key(FORMULA, "with of: removes the unit from those lists"),
    "turn": Key(FORMULA, "flips it to its reduced side first"),
    "when": Key(FORMULA, "only if the formula is true"),
}  # fmt: skip
