"""Options that several commands have, and the names of the groups of commands."""

from typing import Any

from bot.rules.inputs.options import Option, OptionType

YAML = (".yaml", ".yml")


def build_flag(name: str, help: str, brief: str = "", **fields: Any) -> Option:
    """Return a flag: an option that is typed as a word, such as `public`. `fields` are further fields
    of Option.
    """
    return Option(name, "bool", help, brief=brief, **fields)


def build_optional(name: str, help: str, *, type: OptionType = "str", **fields: Any) -> Option:
    """Return an option that may be left out; `fields` are further fields of Option."""
    return Option(name, type, help, optional=True, **fields)


HAND_DICE = build_optional("hand", "real dice, in the order asked: 5,2,3", brief="real dice: 5,2,3")
COMPARE = "compare"
ROLL_OPTIONS = (
    build_flag(
        "odds", "show only you the exact odds, without rolling", brief="exact odds, no roll"
    ),
    build_flag(
        COMPARE,
        "the odds with and without each modifier and firer",
        brief="odds, one thing changed",
    ),
    build_flag(
        "secret", "a sealed roll: only you see it until it is revealed", brief="a sealed roll"
    ),
    HAND_DICE,
)

ROUNDS = build_optional(
    "rounds",
    "the odds after that many rounds, and to the end",
    type="int",
    brief="odds of rounds",
    min=1,
    max=20,
)
"""The option of sequences that go on for several rounds."""

PICTURE = build_flag("picture", "also draw a picture", brief="drawn")
PRIVATE = build_flag("private", "only you see the answer", brief="only for you")
WHOLE = build_flag("whole", "the entire table, only for you", brief="all of it")


UNITS = Option(
    "name",
    "str",
    "one unit or several: us1, Squad 1..4, all shaken, side:US",
    complete="unit",
    many=True,
    label="Which units",
)
PAST_GAME = build_optional(
    "game", "another game from this channel: its number or title", complete="game"
)
ANY_DECK = build_optional(
    "deck", "which deck; standard-52 and standard-54 are always there", complete="deck"
)
CARDS = Option("cards", "str", "which: 7, 12; or all")
DECK = build_optional("deck", "which deck, if the game has several", complete="deck")
PACK = Option(
    "pack", "str", "its id; add the version or hash if there are several versions", complete="pack"
)

GROUPS = {
    "game": "This channel's game: sides, turns, undo, settings, export",
    "seek": "Find an opponent",
    "result": "Games that count: agreed before the first roll, confirmed at the end",
    "ladder": "Standings: ratings, form, scenario balance",
    "unit": "The units of this channel's game",
    "fair": "Dice that anybody can check",
    "privacy": "What the bot stores about you",
    "deck": "Cards and chits, drawn so that anyone can check them",
    "order": "Sealed orders, opened together",
    "track": "What the game tracks besides its units: weather, points",
    "me": "Your own reminders and games",
    "macro": "Saved commands with gaps, your own and the server's",
    "pack": "Your own games: add, enable, export them; for managers",
    "setup": "This server's games, links and channel for seekers; for managers",
}
"""The purposes of the groups of commands, by their first word."""
