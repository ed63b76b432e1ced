"""The keys of game.yaml: what each may hold, and what it says.

`bot/rulesets/game_file.py` checks a game by them; the schema for editors and the page for authors
are made from them, and errors quote them.
"""

from collections.abc import Mapping

from bot.rules.shapes import (
    FLAG,
    NUMBER,
    SINGLE_VALUE,
    TEXT,
    TEXT_WITH_UNIT,
    WHOLE,
    WORDS,
    Key,
    Keys,
    Part,
    Schema,
    allow_items,
    allow_words,
    build_name_mapping,
    build_number_mapping,
    either,
    ref,
)

TONES = ("hurt", "shaken", "game", "nothing")
LED_BY = "led_by"
SINCE = ("lost", "met")
ANY = "any"
FRAMES: Mapping[str, str] = {
    "infantry": "a box with an X",
    "weapon": "a box with an upward arrow on a base",
    "mortar": "a box with an upward arrow on a circle",
    "artillery": "a box with a dot",
    "armor": "a box with an ellipse",
    "mechanized": "a box with an ellipse over an X",
    "soft": "a box with a wheeled vehicle",
    "helicopter": "a box with a rotor: two triangles, tip to tip, under a bar",
    "air": "a box with two triangles, tip to tip",
    "leader": "a box with a star",
    "person": "a box with head and shoulders",
    "medical": "a box with an upright cross",
    ANY: "an empty box",
}
"""The frames of counters, each with the drawing in it."""
GO = ("both", "impulses", "initiative", "own", "other")
"""The ways to decide which side acts in a phase, see docs/phases.md. The last two are for games in
which each side has a turn of its own.
"""
SOLO = "solo"
ORDER = "order"
"""The output of a sequence that gives orders: the order."""
CHOSEN = "chosen"
"""The output of such a sequence that says which unit has it: its position, from 1."""
MOST_BEGINS = 5
"""Most sequences that a phase runs when it begins."""
DRAW_UP = "draw"
OWN_HAND = "hand"
OWN_BUTTONS = ("pass", "done", "next", DRAW_UP, OWN_HAND)
"""The buttons of a phase that are no sequences of the game."""


NAMED: Schema = either(WORDS, build_name_mapping(TEXT, "word"))
"""Words, or words with help."""


GAME: Keys = {
    "title": Key(TEXT, "the game's name; a pack gives it in pack.yaml"),
    "edition": Key(
        {"type": "integer", "minimum": 1},
        "starts at 1; raise it when the same dice give a different result",
    ),
    "publisher": Key(TEXT, "who publishes the game; for a pack its author"),
    "notice": Key(TEXT, "the legal notice; a pack gives it in pack.yaml"),
    "author": Key(TEXT, "who wrote the rules"),
    "groups": Key(
        build_name_mapping(TEXT, "group"),
        "the table groups with their titles, in menu order (at most 25)",
    ),
    "lists": Key(
        build_name_mapping(WORDS),
        "word lists that inputs and outputs can use; quote numbers, yes and no",
    ),
    "units": Key(ref("units"), "the units of the game"),
    "unit_lists": Key(
        build_name_mapping(ref("unit_list")),
        "unit lists with words of their own that inputs can use",
    ),
    "turns": Key(allow_words(("together", "by-side")), "by-side: each side has a turn of its own"),
    "phases": Key(allow_items(ref("phase")), "the phases of a turn, in order"),
    "results": Key(
        build_name_mapping(build_name_mapping(ref("result"), "result"), "sequence"),
        'results in words, worst first; `"*"` is every sequence',
    ),
    "odds": Key(
        build_name_mapping(either(TEXT, build_name_mapping(WORDS, "question")), "sequence"),
        "the results that matter to players, with {} for the unit; or questions, each with the results that"
        " answer it",
    ),
    "scores": Key(
        build_name_mapping(build_number_mapping(NUMBER, "result"), "sequence"),
        "how good a result is for the acting side; luck is measured by it",
    ),
    "fixed": Key(
        WORDS,
        "inputs and modifiers that players cannot choose, such as night: *What if* leaves them out"
        " unless they are set",
    ),
    "labels": Key(
        build_name_mapping(TEXT, "option"), "the display name of an option or a modifier"
    ),
    "words": Key(build_name_mapping(TEXT, "word"), "the display name of a word in a table"),
    "also": Key(build_name_mapping(WORDS, "word"), "other words on the card that mean this one"),
    "arms": Key(build_name_mapping(TEXT, "weapon"), "the name of a weapon in answers"),
    "rules": Key(
        build_name_mapping(ref("rule")),
        "optional rules, which a game switches on or off: `/game settings rule`",
    ),
    "tracks": Key(
        build_name_mapping(ref("track")),
        "what the game keeps besides its units: weather, a side's points (at most 20)",
    ),
    SOLO: Key(ref("solo"), "how a side plays itself, see pack-solo.md"),
}
UNITS: Keys = {
    "types": Key(NAMED, "unit types"),
    "attributes": Key(
        build_name_mapping(ref("input")), "a unit's numbers and words, written like inputs"
    ),
    "flags": Key(build_name_mapping(TEXT), "facts that can be true of a unit, with help text"),
    "states": Key(NAMED, "states; the first is the normal one"),
    "state_flags": Key(build_name_mapping(WORDS, "state"), "the flags that a state sets"),
    "markers": Key(NAMED, "markers that a unit can have"),
    "marker_flags": Key(build_name_mapping(TEXT, "marker"), "the flag that a marker sets"),
    "classes": Key(build_name_mapping(WORDS), "several types under one word"),
    "well": Key(NAMED, "normal states, in which a unit has lost nothing"),
    "hurt": Key(NAMED, "states, markers or attributes of a unit that has lost strength"),
    "lost": Key(
        NAMED, "states of a unit that is out of the game: it can neither act nor be aimed at"
    ),
    "reduced": Key(build_name_mapping(TEXT, "type"), "the type of the unit's other side"),
    "reduced_states": Key(NAMED, "states of a unit on its other side"),
    "only": Key(
        build_name_mapping(WORDS, "state or marker"),
        "the types or classes that can have it; all if left out",
    ),
    "counters": Key(build_name_mapping(ref("counter"), "type"), "how counters of a type look"),
    "starts": Key(
        build_name_mapping(build_name_mapping(either(NUMBER, TEXT), "type"), "attribute"),
        "default numbers and words of a type's units in a game",
    ),
}
COUNTER: Keys = {
    "frame": Key(allow_words(FRAMES), "the symbol in its box"),
    "numbers": Key(WORDS, "attributes printed below it"),
}
UNIT_LIST: Keys = {
    "types": Key(either(TEXT, WORDS), "the types in it, or one of the game's lists"),
    "keys": Key(build_name_mapping(ref("input")), "more numbers and words for its units"),
    "flags": Key(build_name_mapping(TEXT), "more flags, with help text"),
    "bare": Key(TEXT, "the type that a bare number counts"),
    "repeat": Key(TEXT, "the key that repeats a unit: count=3"),
}
PHASE: Keys = {
    "name": Key(TEXT, "short, in the log"),
    "title": Key(TEXT, "on the turn card"),
    "go": Key(allow_words(GO), "which side acts, see phases.md"),
    "passes": Key(
        {"type": "integer", "minimum": 1}, "how many passes in a row end a phase of impulses"
    ),
    LED_BY: Key(
        {"type": "string", "minLength": 1},
        "the deck whose chits, drawn one by one, say who acts; leave out go and passes",
    ),
    "buttons": Key(
        WORDS, f"sequences of the game, {', '.join(OWN_BUTTONS)}; the first is the main one"
    ),
    "brief": Key(TEXT, "what to do, in a sentence"),
    "remember": Key(WORDS, "reminders: shown on turn 1, later behind a button"),
    "names": Key(WORDS, "units in these states are listed on the card"),
    "calls": Key(allow_items(ref("call")), "units listed on the card, and the roll they must make"),
    "needs": Key(
        build_name_mapping(TEXT, "button"),
        "the track that each button uses up: {march: orders}; at 0 the button steps back",
    ),
    "clears": Key(WORDS, "markers, flags and numbers that are removed when it begins"),
    "begins": Key(
        {**allow_items(ref("begin")), "maxItems": MOST_BEGINS},
        f"sequences that it runs when it begins, for units or once without any (at most {MOST_BEGINS})",
    ),
}
BEGIN: Keys = {
    "run": Key(
        TEXT, "the sequence; it takes `units`, one `unit` or no unit, and needs nothing else"
    ),
    "units": Key(
        allow_words(("own", "all")),
        "own (the default): the units of the side whose turn it is; or all; not if it takes no unit",
    ),
    "states": Key(WORDS, "only units in these states"),
    "has": Key(WORDS, "or with one of these markers, or one of these numbers above 0"),
    "once": Key(
        allow_words(("turn",)), "turn: with turns by-side, only in the turn of the first side"
    ),
}
CALL: Keys = {
    "says": Key(TEXT_WITH_UNIT, "the line of the card; {} stands for the units"),
    "states": Key(WORDS, "units in these states"),
    "has": Key(WORDS, "units with one of these markers, or one of these numbers above 0"),
    "since": Key(
        allow_items(allow_words(SINCE)),
        "units that lost a man, or met a medium or heavy machine gun, this turn",
    ),
    "later": Key(FLAG, "not in the turn when they entered that state"),
    "number": Key(TEXT, "the number shown after each name"),
    "roll": Key(
        TEXT, "the sequence they must roll; a unit that has rolled it this turn is not listed"
    ),
    "button": Key(TEXT, "the button that rolls it for all of them"),
}
RULE: Keys = {
    "title": Key(
        {"type": "string", "pattern": r"\S", "title": "text"},
        "its name in the answers that it affects",
    ),
    "help": Key(TEXT, "what it does, shown in `/game settings`"),
    "default": Key(FLAG, "whether it is on by default"),
    "sets": Key(
        build_name_mapping(
            build_name_mapping({"type": ["string", "number", "boolean"]}, "input"), "sequence"
        ),
        "the default value of each input: {sequence: {input: value}}",
    ),
    "leads": Key(
        build_name_mapping(TEXT, "phase"),
        "phases that the deck `elements` then leads, with a card for each unit; units with this"
        " marker have given up theirs",
    ),
}
TRACK: Keys = {
    "title": Key({"type": "string", "maxLength": 40}, "its display name"),
    "words": Key(WORDS, "its words in order, 2 to 24; quote yes, no, on and off"),
    "min": Key(WHOLE, "for a track of numbers: the minimum, 0 if left out"),
    "max": Key(WHOLE, "for a track of numbers: the maximum"),
    "start": Key(
        {"type": ["string", "integer"]},
        "its starting value; if left out, the first word or the number closest to 0",
    ),
    "of": Key(
        allow_words(("side", "game")),
        "side: each side has its own; if left out, the whole game shares one",
    ),
    "shown": Key(FLAG, "no: left off the cards and the board; only `/track show` shows it"),
    "wins": Key(
        allow_words(("highest", "lowest")),
        "for a score with a value for each side: which side wins; it gives the winner at the end",
    ),
}
RESULT: Keys = {
    "tone": Key(allow_words(TONES), "how bad it is: the color of the answer"),
    "weight": Key(allow_words(("bold", "first")), "in bold; first: also listed before all others"),
    "says": Key(TEXT_WITH_UNIT, "the first line of an answer; {} stands for the unit"),
    "many": Key(TEXT_WITH_UNIT, "the same for several units"),
    "word": Key(TEXT, "the word on its own"),
}
SOLO_KEYS: Keys = {
    "phases": Key(
        build_name_mapping(ref("solo_phase"), "phase"), "what such a side does in each phase"
    ),
    "orders": Key(
        build_name_mapping(ref("solo_order"), "order"), "what each order of its table means"
    ),
}
SOLO_PHASE: Keys = {
    "run": Key(
        TEXT,
        f"a sequence of `units` with the outputs {CHOSEN} and {ORDER}: it says which unit acts, and"
        " how; or a sequence without them, run for all such units when the phase begins",
    ),
    "states": Key(WORDS, "only units in these states"),
    "types": Key(WORDS, "only units of these types or classes"),
    "sets": Key(
        build_name_mapping(SINGLE_VALUE, "input"), "more inputs for the sequence: {cover: true}"
    ),
}
SOLO_ORDER: Keys = {
    "says": Key(TEXT_WITH_UNIT, "what the unit does, in a sentence; {} stands for it"),
    "states": Key(WORDS, "possible only in these states"),
    "types": Key(WORDS, "possible only for these types or classes"),
    "friend_states": Key(
        WORDS, "possible only if another unit of its side is in one of these states"
    ),
    "run": Key(
        TEXT, "the sequence that it plays; if that refuses the unit, the order is impossible"
    ),
    "unit": Key(TEXT, "the input of that sequence that takes the unit"),
    "against": Key(TEXT, "the input that takes an enemy: the player picks which one with a button"),
    "against_states": Key(
        WORDS, "only enemies in these states; if there is none, it is impossible"
    ),
    "against_types": Key(WORDS, "only enemies of these types or classes"),
    "also_against": Key(
        TEXT,
        "the question about other enemies, such as those in the same hex: each has a button",
    ),
    "asks": Key(TEXT_WITH_UNIT, "the question: Whom does {} see?"),
    "nobody": Key(
        TEXT, "the button for when it can act against nobody; the order is then impossible"
    ),
    "together": Key(
        TEXT,
        "the question of which other units on its side act with it: each that can act now has a"
        " button",
    ),
    "how": Key(
        build_name_mapping(build_name_mapping(SINGLE_VALUE, "input"), "button"),
        "buttons that describe the situation, each with inputs: {In cover: {tm: 1}}",
    ),
    "how_asks": Key(TEXT, "the question above them"),
    "sets": Key(build_name_mapping(SINGLE_VALUE, "input"), "inputs that are always the same"),
    "mark": Key(WORDS, "markers that the unit gets"),
    "else": Key(TEXT, "the order that it gets if this one is impossible; if left out, none"),
}

PARTS: Mapping[str, Part] = {
    "game": Part(GAME, ("title", "edition", "publisher", "notice", "groups", "units")),
    "units": Part(UNITS, ("types",)),
    "counter": Part(COUNTER),
    "unit_list": Part(UNIT_LIST),
    "phase": Part(PHASE, ("name",)),
    "call": Part(CALL, ("says",)),
    "begin": Part(BEGIN, ("run",)),
    "rule": Part(RULE, ("title",)),
    "track": Part(TRACK),
    "result": Part(RESULT),
    "solo": Part(SOLO_KEYS, ("phases",)),
    "solo_phase": Part(SOLO_PHASE, ("run",)),
    "solo_order": Part(SOLO_ORDER, ("says",)),
}
"""The parts of game.yaml, the outermost first. Attributes and other inputs are parts as well; see
`bot/rules/inputs/options.py`.
"""
