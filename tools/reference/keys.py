"""Every key of an input and of a scenario.

Words and types come from the loaders; a test holds the keys against theirs.
"""

from __future__ import annotations

from typing import get_args

from bot.rules.inputs.options import ROLES, OptionType
from bot.rules.shapes import (
    FLAG,
    NUMBER,
    TEXT,
    WORDS,
    Key,
    Keys,
    allow_words,
    build_name_mapping,
    either,
)
from bot.rulesets.system import MINE, USED

INPUT: Keys = {
    "type": Key(
        allow_words((*get_args(OptionType), "string")),
        "a table takes int, number, bool and enum; `str` if left out",
    ),
    "help": Key(TEXT, "what it is"),
    "brief": Key(TEXT, "the help in a few words, where there is little room"),
    "form_only": Key(FLAG, "forms and typed commands have it, Discord's slash command does not"),
    "of": Key(
        {"enum": ["target", "target-hex"]},
        "it belongs to the target, or to all in the target's hex: forms and *Other target* do not carry it over",
    ),
    "min": Key(NUMBER, "the minimum"),
    "max": Key(NUMBER, "the maximum"),
    "values": Key(
        either(TEXT, WORDS), "the words of an enum or of mods, or a list of the game that has them"
    ),
    "default": Key(
        {"type": ["string", "number", "boolean", "null", "array"]},
        "the value if nothing is typed",
    ),
    "optional": Key(FLAG, "can be left out, and is then none"),
    "clamp": Key({"enum": [True, "low", "high", "both"]}, "reads the edge for what is beyond it"),
    "brings": Key(
        TEXT,
        "what the unit of an input of type `unit` brings where nothing is typed: a number (unit.morale), its state or"
        " type (unit.state), whether it has a flag, is in a state or of a type (target.dug-in); one of several"
        " (target.cover|hull-down) or all of them (unit.vehicle+moving)",
    ),
    "units": Key(TEXT, "the list of units that it is read as, from unit_lists"),
    "complete": Key(TEXT, "what completion offers while typing"),
    "free": Key(FLAG, "also takes a unit that is not on the roster"),
    "meanings": Key(build_name_mapping(TEXT, "word"), "what each word means"),
    "label": Key(TEXT, "its display name"),
    "most": Key(
        {"type": "integer", "minimum": 1},
        "how many units a list takes: 1 for one unit, read as `name[0]`",
    ),
    "when": Key(
        TEXT,
        "of a sequence: it counts, and is asked for, only where this formula over other inputs holds",
    ),
    "in_play": Key(
        either({"const": MINE}, WORDS),
        "of a sequence's enum: decks whose cards are its words; in a game, one in play. Of a deck"
        " with an owner only that side can use them; `mine` is all such decks",
    ),
    "used": Key(
        allow_words(USED),
        "with `in_play`: where the card goes once it is used; `after` is where its deck says. It"
        " stays in play if left out",
    ),
    "role": Key(
        allow_words(ROLES),
        "of a sequence's units, where the name does not say it: they act, they help those who act, "
        "or it is done to them",
    ),
    "likely": Key(
        WORDS,
        "states, markers and types of the units that are offered first; only an input that names a "
        "`lost` state here takes a unit in it",
    ),
    "lends": Key(
        build_name_mapping(TEXT),
        "an input that fills itself in from the roster. {from: firers, type: leader}: a leader who is"
        " listed among the firers. {from: firers, carried: lmg}: how many of these weapons they carry."
        " Also {from, type, not, beside}; a leader of their squad: {from, type, through, group, number,"
        " not, says}; the unit that lists it: {from, holder}; a unit that it lists: {from, held, type}",
    ),
    "through": Key(TEXT, "with `brings`: the attribute with the unit that brings it otherwise"),
    "reads": Key(build_name_mapping(TEXT), "what a word of that unit is here: {broken: bad}"),
    "counts": Key(
        build_name_mapping(either(TEXT, WORDS)),
        "of a flag: {from: a list of units, flags, types}; it counts by itself if one of these units"
        " has one of these flags, and a form has it ticked",
    ),
    "phases": Key(
        build_name_mapping(TEXT, "phase"),
        "of a sequence's enum: the value that a phase of the game fills in; `own movement` is that of"
        " the side that acts, `*` any other phase; a whole number takes `turn`, the number of the turn",
    ),
}
