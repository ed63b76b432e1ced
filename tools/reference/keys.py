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
    "clamp": Key({"enum": [True, "low", "high", "both"]}, "uses the edge for values beyond it"),
    "brings": Key(
        TEXT,
        "what the unit in an input of type `unit` supplies if nothing is typed: a number (unit.morale), its state or"
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
        "in a sequence: it counts, and forms ask for it, only if this formula over other inputs is true",
    ),
    "in_play": Key(
        either({"const": MINE}, WORDS),
        "in a sequence's enum: decks whose cards are its words; in a game, the card must be in play."
        " Only its owner can use a deck's cards; `mine` is all decks with an owner",
    ),
    "used": Key(
        allow_words(USED),
        "with `in_play`: where the card goes once used; `after` is where its deck says. If left out,"
        " it stays in play",
    ),
    "role": Key(
        allow_words(ROLES),
        "for a sequence's units, if the name does not show it: they act, they help the units that "
        "act, or they are the targets",
    ),
    "likely": Key(
        WORDS,
        "states, markers and types of the units to offer first; an input takes units in a `lost` "
        "state only if it is listed here",
    ),
    "lends": Key(
        build_name_mapping(TEXT),
        "fills in the input from the roster. {from: firers, type: leader}: a leader"
        " listed among the firers. {from: firers, carried: lmg}: how many of these weapons they carry."
        " Also {from, type, not, beside}; a leader of their squad: {from, type, through, group, number,"
        " not, says}; the unit that lists it: {from, holder}; a unit that it lists: {from, held, type}",
    ),
    "through": Key(TEXT, "with `brings`: the attribute that names another unit to supply it"),
    "reads": Key(build_name_mapping(TEXT), "what the words of that unit mean here: {broken: bad}"),
    "counts": Key(
        build_name_mapping(either(TEXT, WORDS)),
        "for a flag: {from: a list of units, flags, types}; it counts automatically if one of these"
        " units has one of these flags, and forms tick its box",
    ),
    "phases": Key(
        build_name_mapping(TEXT, "phase"),
        "in a sequence's enum: the value that a phase of the game fills in; `own movement` is that of"
        " the side that acts, `*` any other phase; a whole number takes `turn`, the number of the turn",
    ),
}
