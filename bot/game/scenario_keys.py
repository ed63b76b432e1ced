"""The keys of a scenario file: what each may hold, and what it says.

`bot/game/roster_file.py` checks a scenario by them; the schema for editors and the page for authors
are made from them, and errors quote them. Its units are read as a roster, which has its own errors.
"""

from collections.abc import Mapping
from typing import Any

from bot.game.scenario_base import ON, WITHOUT
from bot.rules.shapes import (
    ANY,
    TEXT,
    WORDS,
    Key,
    Keys,
    Part,
    allow_items,
    allow_words,
    build_name_mapping,
    either,
    ref,
)

PLAYS = "plays"
ITSELF = "itself"
"""The word of a side that plays itself."""
MAX_ABOUT = 500
MAX_WINS = 200
MAX_TURNS = 200
MAX_TITLE = 60

SCENARIO: Keys = {
    "title": Key({"type": "string", "minLength": 1, "maxLength": MAX_TITLE}, "its name"),
    ON: Key(
        TEXT,
        "the scenario it builds on, from the same pack or from the game that the pack extends;"
        " its sides, texts, tracks and units stay unless they are changed here",
    ),
    WITHOUT: Key(WORDS, f"with `{ON}`: units of that scenario that are not in this one"),
    "sides": Key({**WORDS, "minItems": 2}, "the names of two sides or more"),
    PLAYS: Key(
        build_name_mapping(allow_words((ITSELF,)), "side"),
        f"sides that play themselves, by `solo` of game.yaml: {{VC: {ITSELF}}}; players take the"
        " other sides",
    ),
    "about": Key({"type": "string", "maxLength": MAX_ABOUT}, "a few sentences"),
    "turns": Key(
        {"type": "integer", "minimum": 1, "maximum": MAX_TURNS},
        "the number of its last turn; after it the card asks who won",
    ),
    "wins": Key({"type": "string", "maxLength": MAX_WINS}, "who wins, in one sentence"),
    "tracks": Key(
        build_name_mapping(ANY, "track"),
        "tracks with a different start: {weather: rain, points: {US: 12, VC: 8}}",
    ),
    "units": Key(
        allow_items(ref("unit")),
        f"the units, each with name, type and side; with `{ON}` the name of a unit and what is new",
    ),
}
UNIT: Keys = {
    "name": Key(TEXT, "its name; `Squad 1..3` makes three"),
    "type": Key(TEXT, "a unit type of the game"),
    "side": Key(TEXT, "one of the sides"),
    "state": Key(TEXT, "its state, if not the first"),
    "markers": Key(either(TEXT, WORDS), "its markers"),
    "flags": Key(either(TEXT, WORDS), "its flags"),
    "stats": Key(
        TEXT, "numbers in one text, attack=4 defense=5; each attribute is also a key: attack: 4"
    ),
}
WHOLE = Part(SCENARIO, ("title", "sides", "units"))
BUILT_ON_ANOTHER = Part(SCENARIO, ("title", ON))


def get_parts(data: Any) -> Mapping[str, Part]:
    """Return the parts by which a scenario is checked, whether it is built on another one or not."""
    is_built_on_another = isinstance(data, Mapping) and ON in data
    return {"scenario": BUILT_ON_ANOTHER if is_built_on_another else WHOLE}
