"""The commands that every game shares, with their options: defined here once for every adapter,
help and docs.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from bot.rules.inputs.options import Option, OptionType
from bot.ui.spec import CommandSpec


def _build_spec(
    path: str,
    summary: str,
    *options: Option,
    example: str = "",
    private: bool = False,
    title: str = "",
    verb: str = "",
) -> CommandSpec:
    """A command of the family that its first word names; `example` is what follows the path in
    it.
    """
    words = tuple(path.split())
    typed = f"/{path} {example}".rstrip()
    needs_game = (
        words[0] in _OF_GAMES
        or path in _OF_HANDS
        or (words[0] == "game" and words[1] not in _OF_FREE_PLAY)
    )
    return CommandSpec(
        words,
        summary,
        words[0],
        options,
        private,
        typed,
        title=title,
        verb=verb,
        needs_game=needs_game,
    )


_private = partial(_build_spec, private=True)
"""A command whose answer only who asks sees."""

_OF_GAMES = ("choose", "unit", "order", "pack", "setup", "track")
"""Families without a use in free play of one's own: it has no roster, no sides and no server."""
_OF_HANDS = ("hand", "deck deal", "deck peek", "deck play", "deck give")
_OF_FREE_PLAY = (
    "status",
    "list",
    "settings",
    "undo",
    "redo",
    "reveal",
    "export",
    "stats",
    "delete",
)
"""What `/game` does for free play, too."""


YAML = (".yaml", ".yml")


def _build_flag(name: str, help: str, brief: str = "", **more: Any) -> Option:
    return Option(name, "bool", help, brief=brief, **more)


def _build_optional(name: str, help: str, *, type: OptionType = "str", **more: Any) -> Option:
    """An option that may be left out."""
    return Option(name, type, help, optional=True, **more)


_HAND = _build_optional("hand", "real dice in the order asked for: 5,2,3", brief="real dice: 5,2,3")
COMPARE = "compare"
ROLL_OPTIONS = (
    _build_flag(
        "odds", "answer the exact odds privately and roll nothing", brief="exact odds, no roll"
    ),
    _build_flag(
        COMPARE,
        "the odds with and without each modifier and firer",
        brief="odds, one thing changed",
    ),
    _build_flag(
        "secret", "a sealed roll: only you see it until it is revealed", brief="a sealed roll"
    ),
    _HAND,
)

ROUNDS = _build_optional(
    "rounds",
    "the odds after so many rounds, and to the end",
    type="int",
    brief="odds of rounds",
    min=1,
    max=20,
)
"""Of sequences that go on for several rounds."""

PICTURE = _build_flag("picture", "a picture of it, too", brief="drawn")
PRIVATE = _build_flag("private", "only you see the answer", brief="only for you")
WHOLE = _build_flag("whole", "all of the table, only for you", brief="all of it")

_FORMATS = ("full", "compact")
_EVENT_KINDS = ("roll", "sequence", "table", "unit", "deck", "game", "undo", "fair")

_DICE = Option("dice", "dice", "dice to roll, such as 2d6+3, 4d6kh3 or 10d10>=8", complete="dice")
_UNIT = Option(
    "name",
    "str",
    "one unit or several: us1, Squad 1..4, all shaken, side:US",
    complete="unit",
    many=True,
    label="Which units",
)
_SIDE = Option("side", "str", "side", complete="side")
_STATS = Option(
    "stats",
    "str",
    "numbers, state and markers: morale=5 fp=2 state=shaken marker=+moved",
    complete="stats",
    label="Numbers, state and markers",
)
_GAME = _build_optional(
    "game", "another game that was played here: its number or title", complete="game"
)
_FILES = "json (import takes it back), html (a page to read and check), csv or markdown"
_FORMAT = Option(
    "format", "enum", _FILES, values=("json", "html", "csv", "markdown"), default="json"
)
_ROLL = _build_spec(
    "roll",
    "Roll dice",
    _DICE,
    _build_optional("label", "what the roll is for"),
    *ROLL_OPTIONS,
    example="2d6+3",
)
_ANY_DECK = _build_optional(
    "deck", "which deck; standard-52 and standard-54 are always there", complete="deck"
)
_CARDS = Option("cards", "str", "which: 7, 12; or all")
_DECK = _build_optional("deck", "which deck, where there are several", complete="deck")
_MACRO = Option("name", "str", "what the macro is called", complete="macro")
_SHARED = _build_flag("server", "everybody's here rather than your own; managers only")
_PACK = Option(
    "pack", "str", "its id; with its version or hash where there are several", complete="pack"
)

_OTHERS = (
    _build_spec("game join", "Play for a side", _SIDE, example="US"),
    _build_spec("game leave", "Leave your side"),
    _private("game status", "Sides, turn, phase and dice of the game"),
    _build_spec("game next", "Advance to the next phase and show its reminders"),
    _build_spec(
        "game pass",
        "Hand over to the next side",
        _build_flag("done", "you moved or acted without dice: this counts as no pass"),
    ),
    _build_spec(
        "game initiative",
        "Roll for the initiative, or say who has it",
        _build_optional("side", "who has it; left out: roll for it", complete="side"),
        example="US",
    ),
    _build_spec(
        "game plan",
        "Announce reinforcements and events for a turn; alone: what is planned",
        _build_optional(
            "turn", "the turn on whose card it is announced", type="int", min=1, max=200
        ),
        _build_optional("text", "what happens then"),
        _build_optional("remove", "the number of a plan to remove", type="int", min=1, max=10**9),
        example='4 "US reinforcements at A1"',
    ),
    _build_spec(
        "game board",
        "One message with the phase, who is to play and the units, kept up to date",
        _build_flag("off", "the board no longer follows the game", optional=True),
    ),
    _private(
        "game end",
        "End the game with its story; asks first",
        _build_optional("winner", "the side that won, or draw", complete="winner"),
        _build_optional("text", "how it ended, in a sentence"),
        _build_flag("confirm", "end it now"),
        _build_flag("reveal", "reveal the seed too, so that everybody can check the dice"),
        example='winner=US text="The hill is taken at a price."',
    ),
    _private("game list", "Every game that was played in this channel"),
    _private("game open", "Read a game that was played here", _GAME, example="1"),
    _build_spec("game resume", "Take up a game again that was played here", _GAME, example="1"),
    _build_spec(
        "game undo",
        "Undo the last thing you did, or the event with a number",
        _build_optional("event", "its number, such as #41", type="int", min=1, max=10**9),
    ),
    _build_spec("game redo", "Redo what was undone last"),
    _build_spec(
        "game reveal",
        "Open a sealed roll of yours",
        Option(
            "event",
            "int",
            "its number, such as #41",
            min=1,
            max=10**9,
            complete="sealed",
            label="Sealed roll",
        ),
        _GAME,
        example="41",
    ),
    _build_spec(
        "game settings",
        "How this game is played: dice by hand, length of answers, game master and more",
        _build_optional(
            "hand_dice",
            "allow dice rolled by hand",
            type="enum",
            values=("yes", "no"),
            label="Dice rolled by hand",
        ),
        _build_optional(
            "answers",
            "long or short answers",
            type="enum",
            values=_FORMATS,
            label="Length of answers",
        ),
        _build_optional(
            "confirm",
            "ask before the same shot is fired at another target",
            type="enum",
            values=("yes", "no"),
            label="Ask before the same shot",
        ),
        _build_optional(
            "strict",
            "refuse a second shot, or one out of turn or phase",
            type="enum",
            values=("yes", "no"),
            label="Refuse shots out of order",
        ),
        _build_optional("master", "the new game master", complete="player", label="Game master"),
        _build_optional(
            "threads",
            "threads here play the channel's game, or their own",
            type="enum",
            values=("channel", "own"),
            label="Game in threads",
        ),
        _build_optional(
            "pictures",
            "pictures of lookups and odds here",
            type="enum",
            values=("never", "on-demand", "always"),
        ),
        _build_optional(
            "pack",
            "another version of the pack that is played",
            complete="pack",
            label="Version of the pack",
        ),
        _build_optional(
            "rule",
            "an optional rule of the game, on or off: fog=on",
            complete="rule",
            label="Optional rule",
        ),
        example="answers=compact",
    ),
    _build_spec(
        "game transfer",
        "Move the game to another channel",
        Option("channel", "str", "channel", complete="channel"),
        example="#campaign",
    ),
    _private(
        "game link",
        "Play one game from two channels: get a code, or give one",
        _build_optional("code", "the code from the other channel; off: end the link of this one"),
    ),
    _private(
        "game export",
        "The game as a file: JSON, a page to read and check, CSV of rolls, Markdown",
        _FORMAT,
        _GAME,
        example="html",
    ),
    _build_spec(
        "game import",
        "Bring an exported game into this channel",
        Option(
            "file",
            "file",
            "JSON or page of an exported game",
            values=(".json", ".html", ".htm", ".gz"),
        ),
        example="file=game.json",
    ),
    _private(
        "game share",
        "An address at which others can watch the game live",
        _build_flag("off", "end the address"),
    ),
    _build_spec("game claim", "Claim your side and moves in an imported game"),
    _private(
        "game delete",
        "Delete the game and all its data; asks first",
        _build_flag("confirm", "delete it now"),
        _GAME,
    ),
    _private("game stats", "Luck against expectation, by side and kind of roll", _GAME),
    _build_spec(
        "unit add",
        "Add units to the roster",
        Option("name", "str", 'name; "Squad 1..4" adds four; it stays in the log', max=40),
        Option("type", "str", "unit type of the game", complete="unit-type"),
        _build_optional("side", "the side that the unit is on", complete="side"),
        replace(_STATS, optional=True),
        _build_optional("reduced", "its reduced side: morale=4 fp=1", label="Reduced side"),
        example='"Squad 1" squad US morale=5 fp=2 reduced="morale=4 fp=1"',
        title="Add units",
        verb="Add",
    ),
    _build_spec(
        "unit edit",
        "Change units by hand",
        _UNIT,
        _STATS,
        example='"Squad 1" state=shaken marker=+moved',
    ),
    _build_spec("unit remove", "Take units off the roster", _UNIT, example='"Squad 1"'),
    _build_spec(
        "unit list",
        "The roster",
        _build_optional("side", "only this side", complete="side"),
        _build_optional("state", "only those in this state, or with this marker", complete="state"),
        _build_flag("all", "eliminated units too"),
        _build_flag("public", "show it to the channel"),
    ),
    _private("unit show", "A unit with all its numbers", _UNIT, example='"Squad 1"'),
    _build_spec(
        "unit import",
        "Add a whole roster from CSV or YAML, checked before anything is added",
        _build_optional("text", "CSV or YAML, pasted"),
        _build_optional(
            "file",
            "a sheet (CSV, Excel), YAML or an army list",
            type="file",
            values=(".csv", ".tsv", ".txt", ".json", ".xlsx", *YAML),
        ),
        example='text="name,type,side,morale\\nSquad 1,squad,US,5"',
    ),
    _private(
        "log",
        "What happened, newest first",
        Option("count", "int", "how many events", min=1, max=200, default=10),
        _build_optional("unit", "only this unit, or these: us1..us4", complete="unit", many=True),
        _build_optional("side", "only this side", complete="side"),
        _build_optional("kind", "only this kind", type="enum", values=_EVENT_KINDS),
        Option("page", "int", "page", min=1, max=10000, default=1),
        _GAME,
        _build_optional("since", "me: what happened since you left; or the number of an event"),
        _build_flag("story", "as a story, by turn and phase: who did what to whom"),
        example="20",
    ),
    _build_spec("again", "Repeat the last roll or sequence with the same inputs"),
    _build_spec(
        "deck draw",
        "Draw cards or chits, one die each, that anybody can prove",
        _ANY_DECK,
        Option("count", "int", "how many", min=1, max=60, default=1),
        Option(
            "to",
            "enum",
            "play: for all to see; me: closed, into your hand; full: until that is full",
            values=("play", "me", "full"),
            default="play",
        ),
        _build_optional(
            "hand",
            "the cards you drew from a real deck on your table, by name",
            brief="cards of a real deck",
        ),
        example="standard-52",
    ),
    _build_spec(
        "deck deal",
        "Deal closed cards to each side that somebody plays",
        Option("count", "int", "how many each", min=1, max=30, default=1),
        _ANY_DECK,
        example="5 standard-52",
    ),
    _private(
        "deck peek",
        "Look at the next cards of a pile; all are told that you did, and they are drawn first",
        Option("count", "int", "how many", min=1, max=60, default=1),
        _DECK,
        example="3",
    ),
    _build_spec("deck play", "Play cards out of your hand", _CARDS, _DECK, example="7"),
    _private(
        "deck give",
        "Give cards of your hand to another side, closed",
        _CARDS,
        Option("to", "str", "which side; without sides, who", complete="side"),
        _DECK,
        example="7 VC",
    ),
    _build_spec(
        "deck make",
        "A deck or cup for the evening",
        Option("cards", "str", "1..20, or words: Ambush x3, Air strike; or standard-52"),
        _build_optional("name", "what it is called: cup"),
        _build_flag("once", "when the pile is empty nothing more is drawn: the discards stay out"),
        example='"1..20" cup',
    ),
    _build_spec(
        "deck discard",
        "Discard cards that are in play, or in your hand",
        _CARDS,
        _DECK,
        _build_flag("out", "out of the game rather than to the discards"),
        example="all",
    ),
    _build_spec(
        "deck return",
        "Put cards in play, discards or cards of your hand back into the pile",
        Option("cards", "str", "which: 7, 12; or all in play"),
        _DECK,
        Option(
            "place",
            "enum",
            "top or bottom: drawn first or last",
            values=("pile", "top", "bottom"),
            default="pile",
        ),
        example="all",
    ),
    _build_spec(
        "deck shuffle",
        "Shuffle the discards back in, or put names in order",
        _build_optional("what", "a deck; or names: Alice, Bob, Carol", complete="deck"),
        example='"Alice, Bob, Carol"',
    ),
    _private("deck show", "What is in the pile, in play and discarded", _DECK),
    _build_spec(
        "choose",
        "What your side was asked: casualties or going to ground, and the like",
        _build_optional(
            "option",
            "one of its options; several with commas where it asks for each unit",
            complete="choice",
        ),
        _build_optional(
            "event",
            "the number of the question; if omitted, the first one waiting for you",
            type="int",
            min=1,
            max=10**9,
        ),
        _HAND,
        example="suppressed event=12",
    ),
    _private(
        "hand",
        "Your own cards, which only you see",
        _build_flag("agree", "you agree that hands are opened when the game ends"),
    ),
    _private(
        "order write",
        "Seal your side's orders; all open together",
        _build_optional("text", "what your side does", label="Your orders"),
        _build_optional(
            "command", "a roll or sequence to have ready when they open", label="Roll to have ready"
        ),
        example='"Squads 3 + 4 advance to H5"',
    ),
    _private("order show", "Who is in, when they open, and yours"),
    _build_spec("order open", "Open the orders when all are in"),
    _build_spec(
        "order deadline",
        "Open them at the latest then, whoever is in",
        Option("within", "str", "2d or 36h from now; off for none"),
        example="2d",
    ),
    _private("track show", "What the game keeps beside its units, such as the weather"),
    _build_spec(
        "track set",
        "Set a track: your side's own, or the game's as its director",
        Option("name", "str", "which track", complete="track"),
        Option("to", "str", "its new value; +1 or -1 moves it up or down", complete="track-value"),
        _build_optional("side", "whose it is; left out: your side's", complete="side"),
        example="weather mud",
    ),
    _build_spec("fair show", "How the dice are proved: commitment, texts, head hash", _GAME),
    _build_spec(
        "fair add",
        "Mix your own words into the dice before the first roll",
        Option("text", "str", "any text"),
        example='"nobody knew this before"',
    ),
    _build_spec("fair close", "Close the texts; whoever added the last one cannot"),
    _build_spec("fair reveal", "Publish the seed so that every roll can be recomputed"),
    _private("me show", "How you are reminded when it's your move"),
    _private(
        "me ping",
        "Be reminded when it's your move, never in your quiet hours",
        _build_optional("interval", "hours between reminders: 4h; off for none"),
        _build_optional("quiet", "hours without reminders: 22-7; off for none"),
        _build_optional("zone", "your time zone: Europe/Berlin", complete="zone"),
        _build_optional(
            "where",
            "in the game's channel, or by direct message",
            type="enum",
            values=("channel", "dm"),
        ),
        example="interval=4h quiet=22-7 zone=Europe/Berlin",
    ),
    _private("me games", "All your games, and who is to play"),
    _private(
        "macro add",
        "Save a command under a name, with gaps to fill when it runs",
        Option("name", "str", "a short name: h", max=24),
        Option("text", "str", "the command, a gap as {name} or {name=default}", complete="command"),
        _SHARED,
        example='h "roll {n=1}d10>=8"',
    ),
    _private(
        "macro run",
        "Run a macro; what it asks for is filled in order, or by name",
        _MACRO,
        _build_optional("values", "what fills its gaps: 3, or n=3", complete="values"),
        example="h n=3",
    ),
    _private("macro list", "Your macros and the server's"),
    _private("macro remove", "Delete a macro", _MACRO, _SHARED, example="h"),
    _private("macro export", "Your macros as a file, to keep or to bring elsewhere", _SHARED),
    _private(
        "macro import",
        "Macros from such a file: each line a name, a colon and a command",
        Option("file", "file", "a file of exported macros", values=(".txt",)),
        _SHARED,
        example="file=macros.txt",
    ),
    _private("privacy show", "What is kept about you here"),
    _private("privacy export", "Your data as a file"),
    _private(
        "privacy delete", "Delete your name and texts", _build_flag("confirm", "delete them now")
    ),
    _private(
        "help",
        "Help on everything, with examples that run",
        _build_optional("topic", "a command, table or game", complete="topic"),
        example="lnlt fire",
    ),
    _private(
        "find",
        "Find a table, a sequence, a unit type, a state or a page of help by its name",
        Option("words", "str", "what is printed: melee odds, 6a, hesitant", complete="find"),
        example="melee odds",
    ),
    _private(
        "pack add",
        "Bring your own game: it is checked, shown, and stays off until you enable it",
        _build_optional(
            "file",
            "a zip, one YAML file, or a table (CSV, Excel, JSON)",
            type="file",
            values=(".zip", ".json", ".csv", ".tsv", ".txt", ".md", ".xlsx", *YAML),
        ),
        _build_optional("text", "the pack as one text, pasted"),
        _build_optional("deck", "the list of a SealDice file that is to be a deck of cards"),
        example='text="pack.yaml: {id: few-acres, title: A Few Acres}"',
    ),
    _private("pack list", "The packs of this server"),
    _private(
        "pack show", "What is in a pack, and what looks odd in it", _PACK, example="few-acres"
    ),
    _private(
        "pack enable",
        "Play a pack here: its commands are there for everybody on this server",
        _PACK,
        example="few-acres",
    ),
    _private(
        "pack disable", "Switch a pack off; games that play it go on", _PACK, example="few-acres"
    ),
    _private(
        "pack export", "A pack as a zip, to keep, change or send on", _PACK, example="few-acres"
    ),
    _private(
        "pack remove",
        "Take a version of a pack off this server; games that play it go on",
        _PACK,
        example="few-acres",
    ),
    _private(
        "setup systems",
        "Which games are enabled here",
        _build_optional(
            "systems", "games to enable, or all", complete="systems", label="Rule sets"
        ),
        example="lnlt ucn",
        title="Rule sets",
        verb="Save",
    ),
    _private("setup rights", "What the bot may do in this channel, and what to ask an admin for"),
    _private(
        "setup links",
        "Channels here that share a game with others",
        _build_optional("end", "id of the channel to unlink, as listed"),
    ),
)


def build_start_command(games: Iterable[str]) -> CommandSpec:
    """`/game start`, with the systems that can be started."""
    ids = tuple(games)
    called = "a title, by default that of the scenario or rules; it stays in the log"
    return _build_spec(
        "game start",
        "Start a new game in this channel",
        _build_optional(
            "system",
            "the rules; a scenario comes with its own",
            type="enum",
            values=ids,
            complete="system",
            label="Game",
        ),
        _build_optional("name", called, max=60, label="Title"),
        _build_optional(
            "sides", "sides, separated by commas: US, VC; a scenario comes with its own"
        ),
        _build_optional(
            "scenario", "sides and units ready to play, such as ford of lnlt", complete="scenario"
        ),
        _build_flag(
            "carry", "carry over the roster of the previous game", label="Carry the roster over"
        ),
        example='lnlt "Hill 875" sides="US, VC"',
        title="Start a game",
        verb="Start",
    )


GROUPS = {
    "game": "The game of this channel: sides, turns, undo, settings, export",
    "unit": "The units of this channel's game",
    "fair": "Dice that anybody can check",
    "privacy": "What is kept about you",
    "deck": "Cards and chits, drawn so that anybody can prove it",
    "order": "Sealed orders, opened together",
    "track": "What the game keeps beside its units: weather, points",
    "me": "Your own reminders and games",
    "macro": "Saved commands with gaps, your own and the server's",
    "pack": "Your own games: add, enable, export them; for managers",
    "setup": "Which games are enabled and which channels are linked; for managers",
}
"""What the commands behind a name are for."""


def list_shared_commands(games: Iterable[str]) -> tuple[CommandSpec, ...]:
    """The commands that every system shares, in the order of help; `games` are the systems that
    can be started.
    """
    return (_ROLL, build_start_command(games), *_OTHERS)
