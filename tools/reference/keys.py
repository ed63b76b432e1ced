"""Every key of pack.yaml, game.yaml, an input, a scenario and a deck.

Words and types come from the loaders; a test holds the keys against theirs.
"""

from __future__ import annotations

from typing import get_args

from bot.rules.inputs.decks import KEEP
from bot.rules.inputs.options import ROLES, OptionType
from bot.rulesets.deck_file import AFTER, DEAD, EMPTY
from bot.rulesets.game_file import FRAMES, GO, OWN_BUTTONS, SINCE, TONES
from bot.rulesets.packs.pack import LONGEST
from bot.rulesets.system import MINE, USED
from tools.reference.shapes import (
    ANY,
    FLAG,
    NUMBER,
    TEXT,
    WHOLE,
    WORDS,
    Key,
    Keys,
    Schema,
    allow_items,
    allow_words,
    build_name_mapping,
    either,
    ref,
)  # fmt: skip

NAMED: Schema = either(WORDS, build_name_mapping(TEXT, "word"))
"""Words, or words with help."""


def _short(name: str) -> Schema:
    return {"type": "string", "maxLength": LONGEST[name]}


PACK: Keys = {
    "id": Key(
        {"type": "string", "pattern": "^[a-z][a-z0-9]*(-[a-z0-9]+)*$", "maxLength": 20},
        "its commands: /few-table ...",
    ),
    "title": Key(_short("title"), "the game's name"),
    "version": Key(
        either(_short("version"), NUMBER), "which version this is, in words of your own"
    ),
    "author": Key(_short("author"), "who typed it in"),
    "licence": Key(_short("licence"), "under which others may have it"),
    "notice": Key(_short("notice"), "shown in help; left out: title, version, author and licence"),
    "rules": Key(
        _short("rules"),
        "where its rules are, if they come with it; else help asks for the rule book",
    ),
    "inherits": Key(
        _short("inherits"),
        "only for house rules: a built-in game, of which the pack has what differs",
    ),
    "extends": Key(
        _short("extends"), "only for an extension: a built-in game, whose games the pack adds to"
    ),
    "private": Key(FLAG, "no export and no page has its files, only their hash"),
}

GAME: Keys = {
    "title": Key(TEXT, "the game's name; a pack has it in pack.yaml"),
    "edition": Key({"type": "integer", "minimum": 1}, "raised when the same dice come to another result; else 1"),
    "publisher": Key(TEXT, "who publishes the game; a pack: its author"),
    "notice": Key(TEXT, "legal notice; a pack has it in pack.yaml"),
    "author": Key(TEXT, "who wrote the rules"),
    "groups": Key(build_name_mapping(TEXT, "id"),
    "groups of tables with their titles, in the order of menus (at most 25)"),
    "lists": Key(build_name_mapping(WORDS), "lists of words that inputs and outputs name; quote numbers, yes and no"),
    "units": Key(ref("units"), "what units there are"),
    "unit_lists": Key(build_name_mapping(ref("unit_list")),
    "lists of units with words of their own, which an input names"),
    "turns": Key(allow_words(("together", "by-side")), "by-side: each side has a turn of its own"),
    "phases": Key(allow_items(ref("phase")), "the phases of a turn, in order"),
    "results": Key(build_name_mapping(build_name_mapping(ref("result"), "result"), "sequence"),
                   'results in words, worst first; `"*"` is every sequence'),
    "odds": Key(build_name_mapping(either(TEXT, build_name_mapping(WORDS, "question")), "sequence"),
                "what one decides by, with {} for the unit; or questions with the results that answer them"),
    "scores": Key(build_name_mapping(build_name_mapping(NUMBER, "result"), "sequence"),
    "how good a result is for who acts, for luck"),
    "labels": Key(build_name_mapping(TEXT, "option"), "what people call an option or a modifier"),
    "words": Key(build_name_mapping(TEXT, "word"), "how a word of a table is said"),
    "also": Key(build_name_mapping(allow_items(TEXT), "word"), "further words of the card, which are read as this one"),
    "arms": Key(build_name_mapping(TEXT, "weapon"), "what a weapon is called in a story"),
    "rules": Key(build_name_mapping(ref("rule")),
    "optional rules, which a game switches on or off: `/game settings rule`"),
    "tracks": Key(build_name_mapping(ref("track")),
    "what the game keeps beside its units: weather, a side's points (at most 20)"),
}  # fmt: skip

UNITS: Keys = {
    "types": Key(NAMED, "unit types"),
    "attributes": Key(
        build_name_mapping(ref("input")), "numbers and words that a unit has, written as inputs are"
    ),
    "flags": Key(build_name_mapping(TEXT), "what may be said of a unit, with help"),
    "states": Key(NAMED, "states; the first when all is well"),
    "state_flags": Key(build_name_mapping(WORDS, "state"), "the flags that a state sets"),
    "markers": Key(NAMED, "markers that a unit bears"),
    "marker_flags": Key(build_name_mapping(TEXT, "marker"), "the flag that a marker sets"),
    "classes": Key(build_name_mapping(WORDS), "several types under one word"),
    "well": Key(NAMED, "states in which nothing ails a unit"),
    "hurt": Key(NAMED, "states, markers or attributes of one that has lost strength"),
    "lost": Key(NAMED, "states of one that is out of the game"),
    "reduced": Key(
        build_name_mapping(TEXT, "type"), "the type that a unit becomes on its other side"
    ),
    "reduced_states": Key(NAMED, "states of a unit on its other side"),
    "only": Key(
        build_name_mapping(WORDS, "state or marker"),
        "the types, or classes of them, that may have it; else all",
    ),
    "counters": Key(build_name_mapping(ref("counter"), "type"), "how counters of a type look"),
    "starts": Key(
        build_name_mapping(build_name_mapping(either(NUMBER, TEXT), "type"), "attribute"),
        "what units of a type have in a game that was started, unless something else is typed",
    ),
}
COUNTER: Keys = {
    "frame": Key(allow_words(FRAMES), "the sign in its box"),
    "numbers": Key(WORDS, "attributes printed below it"),
}
UNIT_LIST: Keys = {
    "types": Key(either(TEXT, WORDS), "the types in it, or a list of the game"),
    "keys": Key(build_name_mapping(ref("input")), "further numbers and words of its units"),
    "flags": Key(build_name_mapping(TEXT), "further flags, with help"),
    "bare": Key(TEXT, "the type that a number alone counts"),
    "repeat": Key(TEXT, "the key that repeats a unit: count=3"),
}
PHASE: Keys = {
    "name": Key(TEXT, "short, in the log"),
    "title": Key(TEXT, "on the card of the turn"),
    "go": Key(allow_words(GO), "whose go it is, see phases.md"),
    "passes": Key(
        {"type": "integer", "minimum": 1}, "so many passes in a row end a phase of impulses"
    ),
    "led_by": Key(
        TEXT,
        "the deck whose chits say whose go it is, drawn one by one; in the place of go and passes",
    ),
    "buttons": Key(
        WORDS, f"sequences of the game, {', '.join(OWN_BUTTONS)}; the first one leads on"
    ),
    "brief": Key(TEXT, "what to do, in a sentence"),
    "remember": Key(WORDS, "reminders: in full on turn 1, later behind a button"),
    "names": Key(WORDS, "units in these states are named on the card"),
    "calls": Key(
        allow_items(ref("call")), "whom the card calls by name, and the roll that they owe"
    ),
    "needs": Key(
        build_name_mapping(TEXT, "button"),
        "the track that each button uses up: {march: orders}; at 0 it leads no longer",
    ),
    "clears": Key(WORDS, "markers, flags and numbers that come off when it begins"),
    "begins": Key(
        allow_items(ref("begin")),
        "sequences that it runs when it begins, on units or once for nobody (at most 5)",
    ),
}
BEGIN: Keys = {
    "run": Key(
        TEXT, "the sequence, which takes `units`, one `unit` or nobody, and may leave out all else"
    ),
    "units": Key(
        allow_words(("own", "all")),
        "own, those of the side whose turn it is (if left out); or all; not where it takes nobody",
    ),
    "states": Key(WORDS, "only units in these states"),
    "has": Key(WORDS, "or with one of these markers, or of these numbers over 0"),
}
CALL: Keys = {
    "says": Key({"type": "string", "pattern": r"\{\}"}, "the line of the card, {} are the units"),
    "states": Key(WORDS, "units in these states"),
    "has": Key(WORDS, "units with one of these markers, or of these numbers over 0"),
    "since": Key(
        allow_items(allow_words(SINCE)),
        "units that lost a man, or met a medium or heavy machine gun, this turn",
    ),
    "later": Key(FLAG, "not in the turn in which they came into that state"),
    "number": Key(TEXT, "the number said behind each name"),
    "roll": Key(TEXT, "the sequence that they owe; who has rolled it this turn is not called"),
    "button": Key(TEXT, "the button that rolls it for all of them"),
}
RULE: Keys = {
    "title": Key(TEXT, "its name, in the answers that it counts in"),
    "help": Key(TEXT, "what it does, in `/game settings`"),
    "default": Key(FLAG, "whether it is on where nobody chose"),
    "sets": Key(build_name_mapping(build_name_mapping({"type": ["string", "number", "boolean"]}, "input"), "sequence"),
                "what each input is then where nothing is typed: {sequence: {input: value}}"),
    "leads": Key(build_name_mapping(TEXT, "phase"),
    "phases that a deck `elements` leads then, with a card for each unit; those "
                 "with the marker named have given up theirs"),
}  # fmt: skip
TRACK: Keys = {
    "title": Key({"type": "string", "maxLength": 40}, "its name for people"),
    "words": Key(WORDS, "its words in their order, 2 to 24; quote yes, no, on and off"),
    "min": Key(WHOLE, "of one with numbers: the least, 0 if left out"),
    "max": Key(WHOLE, "the most"),
    "start": Key(
        {"type": ["string", "integer"]},
        "what it is at first: the first word, or 0 or what is nearest to it",
    ),
    "of": Key(allow_words(("side", "game")), "side: each side has its own; left out: the game's"),
    "shown": Key(FLAG, "no: kept off cards and board; `/track show` has it"),
    "wins": Key(
        allow_words(("highest", "lowest")),
        "of one for each side that is the score: which side wins; the ending shows it",
    ),
}
RESULT: Keys = {
    "tone": Key(allow_words(TONES), "how grave it is: the color beside an answer"),
    "weight": Key(allow_words(("bold", "first")), "in bold; first: also named before all others"),
    "says": Key(
        {"type": "string", "pattern": r"\{\}"}, "the first line of an answer, {} is the unit"
    ),
    "many": Key({"type": "string", "pattern": r"\{\}"}, "the same of several units"),
    "word": Key(TEXT, "the word alone"),
}

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
    "min": Key(NUMBER, "the least"),
    "max": Key(NUMBER, "the most"),
    "values": Key(
        either(TEXT, WORDS), "the words of an enum or of mods, or a list of the game that has them"
    ),
    "default": Key(
        {"type": ["string", "number", "boolean", "null", "array"]},
        "what counts where nothing is typed",
    ),
    "optional": Key(FLAG, "may be left out, and is none then"),
    "clamp": Key({"enum": [True, "low", "high", "both"]}, "reads the edge for what is beyond it"),
    "brings": Key(
        TEXT,
        "what a unit brings where nothing is typed: a number (unit.morale), its state or"
        " type (unit.state), whether it has a flag, is in a state or of a type (target.dug-in); one of several"
        " (target.cover|hull-down) or all of them (unit.vehicle+moving)",
    ),
    "units": Key(TEXT, "the list of units that it is read as, from unit_lists"),
    "complete": Key(TEXT, "what is offered while typing"),
    "free": Key(FLAG, "a unit that no roster knows is taken, too"),
    "meanings": Key(build_name_mapping(TEXT, "word"), "what each word means"),
    "label": Key(TEXT, "what people call it"),
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
    "likely": Key(WORDS, "states, markers and types of the units that are offered first"),
    "lends": Key(
        build_name_mapping(TEXT),
        "which unit fills it in: {from, type, not, beside}, {from, carried, most}, or a leader of"
        " their squad: {from, type, through, group, number, not, says}; who has it in a list of names:"
        " {from, holder}, or a unit in such a list: {from, held, type}",
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

SCENARIO: Keys = {
    "title": Key({"type": "string", "maxLength": 60}, "its name"),
    "builds_on": Key(
        TEXT,
        "the scenario that it is built on: one of the same pack, or of the game that the pack extends;"
        " it has its sides, texts, tracks and units, but for what is written here",
    ),
    "without": Key(WORDS, "with `builds_on`: units of that scenario that are not in this one"),
    "sides": Key({"type": "array", "items": TEXT, "minItems": 2}, "two sides or more"),
    "about": Key({"type": "string", "maxLength": 500}, "a few sentences"),
    "turns": Key(
        {"type": "integer", "minimum": 1, "maximum": 200},
        "the number of its last turn; after it the card asks who won",
    ),
    "wins": Key({"type": "string", "maxLength": 200}, "who wins, in one sentence"),
    "tracks": Key(
        build_name_mapping(ANY, "track"),
        "tracks that start otherwise: {weather: rain, points: {US: 12, VC: 8}}",
    ),
    "units": Key(
        allow_items(ref("unit")),
        "the units, each with name, type and side; with `builds_on` the name of a unit and what is new of it",
    ),
}
SCENARIO_UNIT: Keys = {
    "name": Key(TEXT, "its name; `Squad 1..3` makes three"),
    "type": Key(TEXT, "a unit type of the game"),
    "side": Key(TEXT, "one of the sides"),
    "state": Key(TEXT, "its state, if not the first"),
    "markers": Key(either(TEXT, WORDS), "markers that it bears"),
    "flags": Key(either(TEXT, WORDS), "flags of it"),
    "stats": Key(TEXT, "numbers in one text: attack=4 defense=5"),
}

DECK: Keys = {
    "title": Key({"type": "string", "maxLength": 60}, "its name for people"),
    "cards": Key({**allow_items(ref("card")), "minItems": 1, "maxItems": 400}, "its cards, in the order of faces"),
    "after": Key(allow_words(AFTER),
    "where a card in play goes when it is discarded: the discards, out of the game, or "
                 "back into the pile; for all cards that say nothing else"),
    "keep": Key(allow_words(KEEP), "hand: it is drawn closed, into hands; open if left out"),
    "hand_limit": Key({"type": "integer", "minimum": 1, "maximum": 60}, "so many of its cards are the most in a hand"),
    "owner": Key(TEXT, "the side whose deck it is: only that side draws from it by button, and uses its cards"),
    "empty": Key(allow_words(EMPTY),
    "what an empty pile does: reshuffle takes the discards in, refuse draws nothing more"),
    "shown": Key(FLAG, "no: kept off cards of turns and the board; `/deck show` has it"),
    "dead": Key(allow_words(DEAD),
    "of a deck that leads a phase, what a chit does of which no unit is left: again sets it "
                "aside and draws another, out takes it out of the game first"),
}  # fmt: skip
CARD: Keys = {
    "id": Key(
        {"type": ["string", "integer"]}, "what the log calls it: letters, digits and -, at most 40"
    ),
    "name": Key(
        {"type": ["string", "integer"]}, "what people call it, without commas; its id if left out"
    ),
    "count": Key(
        {"type": "integer", "minimum": 1, "maximum": 1000},
        "how many of it there are, 1 if left out",
    ),
    "after": Key(allow_words(AFTER), "where it goes when it is discarded out of play"),
}
