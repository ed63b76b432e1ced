"""The commands that every game shares, with their options: defined here once for every adapter, help and docs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bot.interface.spec import CommandSpec
from bot.rules.inputs.options import Option

ROLL_OPTIONS = (
    Option("odds", "bool", help="answer the exact odds privately and roll nothing", brief="exact odds, no roll"),
    Option(
        "compare", "bool", help="the odds with and without each modifier and firer", brief="odds, one thing changed"
    ),
    Option("secret", "bool", help="a sealed roll: only you see it until it is revealed", brief="a sealed roll"),
    Option("hand", "str", optional=True, help="real dice in the order asked for: 5,2,3", brief="real dice: 5,2,3"),
)

ROUNDS = Option(
    "rounds",
    "int",
    help="the odds after so many rounds, and to the end",
    brief="odds of rounds",
    min=1,
    max=20,
    optional=True,
)
"""Of sequences that go on for several rounds."""

PICTURE = Option("picture", "bool", help="a picture of it, too", brief="drawn")
PRIVATE = Option("private", "bool", help="only you see the answer", brief="only for you")
WHOLE = Option("whole", "bool", help="all of the table, only for you", brief="all of it")

_FORMATS = ("full", "compact")
_EVENT_KINDS = ("roll", "sequence", "table", "unit", "game", "undo", "fair")


def _option(name: str, type_: Any = "str", help_: str = "", **more: Any) -> Option:
    optional = more.pop("optional", True)
    return Option(name, type_, help_, optional=optional, **more)


_DICE = Option("dice", "dice", "dice to roll, such as 2d6+3, 4d6kh3 or 10d10>=8", complete="dice")
_UNIT = Option("name", "str", "one unit or several: us1, Squad 1..4, all shaken, side:US", complete="unit", many=True)
_SIDE = Option("side", "str", "side", complete="side")
_STATS = Option(
    "stats", "str", "numbers, state and markers: morale=5 fp=2 state=shaken marker=+moved", complete="stats"
)

_GAME = _option("game", help_="another game that was played here: its number or title", complete="game")

ROLL = (
    CommandSpec(
        ("roll",),
        "Roll dice",
        "roll",
        (_DICE, _option("label", help_="what the roll is for"), *ROLL_OPTIONS),
        example="/roll 2d6+3",
    ),
)

GAME = (
    CommandSpec(
        ("game", "join"),
        "Play for a side",
        "game",
        (_SIDE,),
        example="/game join US",
    ),
    CommandSpec(("game", "leave"), "Leave your side", "game", example="/game leave"),
    CommandSpec(
        ("game", "status"), "Sides, turn, phase and dice of the game", "game", example="/game status", private=True
    ),
    CommandSpec(("game", "next"), "Advance to the next phase and show its reminders", "game", example="/game next"),
    CommandSpec(
        ("game", "pass"),
        "Hand the go over to the next side",
        "game",
        (Option("done", "bool", help="you moved or acted without dice: this counts as no pass"),),
        example="/game pass",
    ),
    CommandSpec(
        ("game", "initiative"),
        "Roll for the initiative, or say who has it",
        "game",
        (_option("side", help_="who has it; left out: roll for it", complete="side"),),
        example="/game initiative US",
    ),
    CommandSpec(
        ("game", "plan"),
        "Announce reinforcements and events for a turn; alone: what is planned",
        "game",
        (
            _option("turn", "int", "the turn on whose card it is announced", min=1, max=200),
            _option("text", help_="what happens then"),
            _option("remove", "int", "the number of a plan to remove", min=1, max=10**9),
        ),
        example='/game plan 4 "US reinforcements at A1"',
    ),
    CommandSpec(
        ("game", "board"),
        "One message that shows phase, go and units, kept up to date",
        "game",
        (_option("off", "bool", "the board no longer follows the game"),),
        example="/game board",
    ),
    CommandSpec(
        ("game", "end"),
        "End the game with its story; asks first",
        "game",
        (
            _option("winner", help_="the side that won, or draw", complete="winner"),
            _option("text", help_="how it ended, in a sentence"),
            Option("confirm", "bool", help="end it now"),
            Option("reveal", "bool", help="reveal the seed too, so that everybody can check the dice"),
        ),
        private=True,
        example='/game end winner=US text="The hill is taken at a price."',
    ),
    CommandSpec(
        ("game", "list"), "Every game that was played in this channel", "game", private=True, example="/game list"
    ),
    CommandSpec(
        ("game", "open"), "Read a game that was played here", "game", (_GAME,), private=True, example="/game open 1"
    ),
    CommandSpec(
        ("game", "resume"), "Take up a game again that was played here", "game", (_GAME,), example="/game resume 1"
    ),
    CommandSpec(("game", "undo"), "Undo the last event", "game", example="/game undo"),
    CommandSpec(("game", "redo"), "Redo what was undone last", "game", example="/game redo"),
    CommandSpec(
        ("game", "reveal"),
        "Open a sealed roll of yours",
        "game",
        (Option("event", "int", "its number, such as #41", min=1, max=10**9), _GAME),
        example="/game reveal 41",
    ),
    CommandSpec(
        ("game", "settings"),
        "How this game is played: dice by hand, length of answers, game master and more",
        "game",
        (
            _option("hand_dice", "enum", "allow dice rolled by hand", values=("yes", "no")),
            _option("answers", "enum", "long or short answers", values=_FORMATS),
            _option("confirm", "enum", "ask before the same shot is fired at another target", values=("yes", "no")),
            _option("strict", "enum", "refuse a second shot, or one out of go or phase", values=("yes", "no")),
            _option("master", help_="the new game master", complete="player"),
            _option("threads", "enum", "threads here play the channel's game, or their own", values=("channel", "own")),
            _option("pictures", "enum", "pictures of lookups and odds here", values=("never", "on-demand", "always")),
            _option("pack", help_="another version of the pack that is played", complete="pack"),
            _option("rule", help_="an optional rule of the game, on or off: fog=on", complete="rule"),
        ),
        example="/game settings answers=compact",
    ),
    CommandSpec(
        ("game", "transfer"),
        "Move the game to another channel",
        "game",
        (Option("channel", "str", "channel", complete="channel"),),
        example="/game transfer #campaign",
    ),
    CommandSpec(
        ("game", "link"),
        "Play one game from two channels: get a code, or give one",
        "game",
        (_option("code", help_="the code from the other channel; off: end the link of this one"),),
        private=True,
        example="/game link",
    ),
    CommandSpec(
        ("game", "export"),
        "The game as a file: JSON, a page to read and check, CSV of rolls, Markdown",
        "game",
        (
            Option(
                "format",
                "enum",
                "json (import takes it back), html (a page to read and check), csv or markdown",
                values=("json", "html", "csv", "markdown"),
                default="json",
            ),
            _GAME,
        ),
        private=True,
        example="/game export html",
    ),
    CommandSpec(
        ("game", "import"),
        "Bring an exported game into this channel",
        "game",
        (Option("file", "file", "JSON or page from /game export"),),
        example="/game import file=game.json",
    ),
    CommandSpec(
        ("game", "share"),
        "An address at which others can watch the game live",
        "game",
        (Option("off", "bool", help="end the address"),),
        private=True,
        example="/game share",
    ),
    CommandSpec(("game", "claim"), "Claim your side and moves in an imported game", "game", example="/game claim"),
    CommandSpec(
        ("game", "delete"),
        "Delete the game and all its data; asks first",
        "game",
        (Option("confirm", "bool", help="delete it now"), _GAME),
        private=True,
        example="/game delete",
    ),
    CommandSpec(
        ("game", "stats"),
        "Luck against expectation, by side and kind of roll",
        "game",
        (_GAME,),
        private=True,
        example="/game stats",
    ),
)

UNIT = (
    CommandSpec(
        ("unit", "add"),
        "Add units to the roster",
        "unit",
        (
            Option("name", "str", 'name; "Squad 1..4" adds four', max=40),
            Option("type", "str", "unit type of the game", complete="unit-type"),
            _option("side", help_="the side that the unit is on", complete="side"),
            replace(_STATS, optional=True),
            _option("reduced", help_="its reduced side: morale=4 fp=1", label="Reduced side"),
        ),
        title="Add units",
        verb="Add",
        example='/unit add "Squad 1" squad US morale=5 fp=2 reduced="morale=4 fp=1"',
    ),
    CommandSpec(
        ("unit", "edit"),
        "Change units by hand",
        "unit",
        (_UNIT, _STATS),
        example='/unit edit "Squad 1" state=shaken marker=+moved',
    ),
    CommandSpec(("unit", "remove"), "Take units off the roster", "unit", (_UNIT,), example='/unit remove "Squad 1"'),
    CommandSpec(
        ("unit", "list"),
        "The roster",
        "unit",
        (
            _option("side", help_="only this side", complete="side"),
            _option("state", help_="only those in this state, or with this marker", complete="state"),
            Option("all", "bool", help="eliminated units too"),
            Option("public", "bool", help="show it to the channel"),
        ),
        example="/unit list",
    ),
    CommandSpec(
        ("unit", "show"),
        "A unit with all its numbers",
        "unit",
        (_UNIT,),
        private=True,
        example='/unit show "Squad 1"',
    ),
    CommandSpec(
        ("unit", "import"),
        "Add a whole roster from CSV or YAML, checked before anything is added",
        "unit",
        (_option("text", help_="CSV or YAML, pasted"), _option("file", "file", "a CSV or YAML file")),
        example='/unit import text="name,type,side,morale\\nSquad 1,squad,US,5"',
    ),
)

LOG = (
    CommandSpec(
        ("log",),
        "What happened, newest first",
        "log",
        (
            Option("count", "int", "how many events", min=1, max=200, default=10),
            Option("unit", "str", "only this unit, or these: us1..us4", optional=True, complete="unit", many=True),
            _option("side", help_="only this side", complete="side"),
            _option("kind", "enum", "only this kind", values=_EVENT_KINDS),
            Option("page", "int", "page", min=1, max=10_000, default=1),
            _GAME,
            _option("since", help_="me: what happened since you left; or the number of an event"),
            Option("story", "bool", help="as a story, by turn and phase: who did what to whom"),
        ),
        private=True,
        example="/log 20",
    ),
)

AGAIN = (CommandSpec(("again",), "Repeat the last roll or sequence with the same inputs", "again", example="/again"),)

FAIR = (
    CommandSpec(
        ("fair", "show"),
        "How the dice are proved: commitment, texts, head hash",
        "fair",
        (_GAME,),
        example="/fair show",
    ),
    CommandSpec(
        ("fair", "add"),
        "Mix your own words into the dice before the first roll",
        "fair",
        (Option("text", "str", "any text"),),
        example='/fair add "nobody knew this before"',
    ),
    CommandSpec(("fair", "close"), "Close the texts; whoever added the last one cannot", "fair", example="/fair close"),
    CommandSpec(
        ("fair", "reveal"), "Publish the seed so that every roll can be recomputed", "fair", example="/fair reveal"
    ),
)

PRIVACY = (
    CommandSpec(("privacy", "show"), "What is kept about you here", "privacy", private=True, example="/privacy show"),
    CommandSpec(("privacy", "export"), "Your data as a file", "privacy", private=True, example="/privacy export"),
    CommandSpec(
        ("privacy", "delete"),
        "Delete your name and texts",
        "privacy",
        (Option("confirm", "bool", help="delete them now"),),
        private=True,
        example="/privacy delete",
    ),
)

HELP = (
    CommandSpec(
        ("help",),
        "Help on everything, with examples that run",
        "help",
        (_option("topic", help_="a command, table or game", complete="topic"),),
        private=True,
        example="/help lnlt fire",
    ),
)

ORDER = (
    CommandSpec(
        ("order", "write"),
        "Seal your side's orders; all open together",
        "order",
        (
            _option("text", help_="what your side does"),
            _option("command", help_="a roll or sequence to have ready when they open"),
        ),
        private=True,
        example='/order write "Squads 3 + 4 advance to H5"',
    ),
    CommandSpec(
        ("order", "show"), "Who is in, when they open, and yours", "order", private=True, example="/order show"
    ),
    CommandSpec(("order", "open"), "Open the orders when all are in", "order", example="/order open"),
    CommandSpec(
        ("order", "deadline"),
        "Open them at the latest then, whoever is in",
        "order",
        (Option("within", "str", help="2d or 36h from now; off for none"),),
        example="/order deadline 2d",
    ),
)

ME = (
    CommandSpec(("me", "show"), "How you are reminded when it is your go", "me", private=True, example="/me show"),
    CommandSpec(
        ("me", "ping"),
        "Be reminded when it is your go, never in your quiet hours",
        "me",
        (
            _option("interval", help_="hours between reminders: 4h; off for none"),
            _option("quiet", help_="hours without reminders: 22-7; off for none"),
            _option("zone", help_="your time zone: Europe/Berlin", complete="zone"),
            _option("where", "enum", "in the game's channel, or by direct message", values=("channel", "dm")),
        ),
        private=True,
        example="/me ping interval=4h quiet=22-7 zone=Europe/Berlin",
    ),
    CommandSpec(("me", "games"), "All your games, and whose go it is", "me", private=True, example="/me games"),
)

_MACRO = Option("name", "str", help="what the macro is called", complete="macro")
_SHARED = Option("server", "bool", help="everybody's here rather than your own; managers only")

MACRO = (
    CommandSpec(
        ("macro", "add"),
        "Save a command under a name, with gaps to fill when it runs",
        "macro",
        (
            Option("name", "str", help="a short name: h", max=24),
            Option("text", "str", help="the command, a gap as {name} or {name=default}", complete="command"),
            _SHARED,
        ),
        private=True,
        example='/macro add h "roll {n=1}d10>=8"',
    ),
    CommandSpec(
        ("macro", "run"),
        "Run a macro; what it asks for is filled in order, or by name",
        "macro",
        (_MACRO, _option("values", help_="what fills its gaps: 3, or n=3", complete="values")),
        private=True,
        example="/macro run h n=3",
    ),
    CommandSpec(("macro", "list"), "Your macros and the server's", "macro", private=True, example="/macro list"),
    CommandSpec(
        ("macro", "remove"), "Delete a macro", "macro", (_MACRO, _SHARED), private=True, example="/macro remove h"
    ),
    CommandSpec(
        ("macro", "export"),
        "Your macros as a file, to keep or to bring elsewhere",
        "macro",
        (_SHARED,),
        private=True,
        example="/macro export",
    ),
    CommandSpec(
        ("macro", "import"),
        "Macros from such a file: each line a name, a colon and a command",
        "macro",
        (Option("file", "file", "a file from /macro export"), _SHARED),
        private=True,
        example="/macro import file=macros.txt",
    ),
)

SETUP = (
    CommandSpec(
        ("setup", "systems"),
        "Which games are enabled here",
        "setup",
        (_option("systems", help_="games to enable, or all", complete="systems", label="Rule sets"),),
        title="Rule sets",
        verb="Save",
        private=True,
        example="/setup systems lnlt ucn",
    ),
    CommandSpec(
        ("setup", "links"),
        "Channels here that share a game with others",
        "setup",
        (_option("end", help_="id of the channel to unlink, as listed"),),
        private=True,
        example="/setup links",
    ),
)


_PACK = Option("pack", "str", help="its id; with its version or hash where there are several", complete="pack")

PACKS = (
    CommandSpec(
        ("pack", "add"),
        "Bring your own game: it is checked, shown, and stays off until you enable it",
        "pack",
        (_option("file", "file", "a zip, or one YAML file"), _option("text", help_="the pack as one text, pasted")),
        private=True,
        example='/pack add text="pack.yaml: {id: few-acres, title: A Few Acres}"',
    ),
    CommandSpec(("pack", "list"), "The packs of this server", "pack", private=True, example="/pack list"),
    CommandSpec(
        ("pack", "show"),
        "What is in a pack, and what looks odd in it",
        "pack",
        (_PACK,),
        private=True,
        example="/pack show few-acres",
    ),
    CommandSpec(
        ("pack", "enable"),
        "Play a pack here: its commands are there for everybody on this server",
        "pack",
        (_PACK,),
        private=True,
        example="/pack enable few-acres",
    ),
    CommandSpec(
        ("pack", "disable"),
        "Switch a pack off; games that play it go on",
        "pack",
        (_PACK,),
        private=True,
        example="/pack disable few-acres",
    ),
    CommandSpec(
        ("pack", "export"),
        "A pack as a zip, to keep, change or send on",
        "pack",
        (_PACK,),
        private=True,
        example="/pack export few-acres",
    ),
    CommandSpec(
        ("pack", "remove"),
        "Take a version of a pack off this server; games that play it go on",
        "pack",
        (_PACK,),
        private=True,
        example="/pack remove few-acres",
    ),
)


def start_command(games: Iterable[str]) -> CommandSpec:
    """`/game start`, with the systems that can be started."""
    return CommandSpec(
        ("game", "start"),
        "Start a new game in this channel",
        "game",
        (
            _option(
                "system",
                "enum",
                "the rules; a scenario brings them",
                values=tuple(games),
                complete="system",
                label="Game",
            ),
            _option("name", help_="what the game is called; else as its scenario or rules are", max=60, label="Title"),
            _option("sides", help_="sides, separated by commas: US, VC; a scenario brings them"),
            _option("scenario", help_="sides and units ready to play, such as ford of lnlt", complete="scenario"),
            Option("carry", "bool", help="carry over the roster of the previous game", label="Carry the roster over"),
        ),
        title="Start a game",
        verb="Start",
        example='/game start lnlt "Hill 875" sides="US, VC"',
    )


GROUPS = {
    "game": "The game of this channel: sides, turns, undo, settings, export",
    "unit": "The units of this channel's game",
    "fair": "Dice that anybody can check",
    "privacy": "What is kept about you",
    "order": "Sealed orders, opened together",
    "me": "Your own reminders and games",
    "macro": "Saved commands with gaps, your own and the server's",
    "pack": "Your own games: add, enable, export them; for managers",
    "setup": "Which games are enabled and which channels are linked; for managers",
}
"""What the commands behind a name are for."""


def shared_commands(games: Iterable[str]) -> tuple[CommandSpec, ...]:
    """The commands that every system shares, in the order of help; `games` are the systems that can be started."""
    return (
        *ROLL,
        start_command(games),
        *GAME,
        *UNIT,
        *LOG,
        *AGAIN,
        *ORDER,
        *FAIR,
        *ME,
        *MACRO,
        *PRIVACY,
        *HELP,
        *PACKS,
        *SETUP,
    )
