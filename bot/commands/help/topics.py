"""What help says on topics that are no single command, each in a few short lines."""

from __future__ import annotations

from dataclasses import dataclass

from bot.interface.reply.parts import Grid, Part
from bot.interface.reply.reply import Button, Reply
from bot.rules.text.phrase import phrase


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic: its title, a few words on it, and its lines."""

    title: str
    about: str
    lines: tuple[str, ...] = ()


TOPICS = {
    "dice": Topic("Dice", "what /roll understands"),
    "version": Topic("Version", "what runs here"),
    "units": Topic(
        "Units",
        "how to write who fires at whom",
        (
            phrase("On the roster a unit has a name and a handle: `/unit list`"),
            phrase("Several at once: `us3,us4` or `VC 1..9`"),
            phrase("Without a roster write its type and numbers: `squad fp=2; leader lm=1`"),
            phrase("What a unit may carry in your rule set: `/help lnlt units`"),
        ),
    ),
    "odds": Topic(
        "Odds",
        "exact chances, nothing rolled",
        (
            phrase("Write odds behind an attack: nothing is rolled, only you see the answer."),
            "They are counted over every possible roll, not tried out.",
            "Roll it under them does just that attack, once. Odds under a result shows what its chances were.",
            "What if, or compare behind an attack, shows what each modifier and each firer is worth.",
        ),
    ),
    "hand": Topic(
        "Your own dice",
        "roll on your table, enter what they show",
        (
            phrase("Write them in the order asked for: `/roll 2d6 hand=5,2`"),
            "If one is missing, the answer names it and offers its faces.",
            "The log marks them as rolled by hand. The game master may switch them off in the settings.",
        ),
    ),
    "undo": Topic(
        "Undo",
        "take back the last action",
        (
            phrase("Press Undo under a result, or type `/game undo`. It takes back what changed the game last."),
            "Once dice were rolled, the other side has to agree; they are called.",
            phrase("`/game redo` brings it back until something new happens. The log keeps both."),
        ),
    ),
    "sealed": Topic(
        "Sealed rolls",
        "rolled now, shown later",
        (
            "Write secret behind a roll or an attack: only you see it, and it can no longer change.",
            phrase("Open it with Reveal, or `/game reveal`"),
        ),
    ),
    "fair dice": Topic(
        "Fair dice",
        "how to check that nobody chose them",
        (
            "The seed of all dice is promised before the first roll; each die follows from it.",
            phrase("Mix in words of your own before that: `/fair add`"),
            phrase("After the game `/fair reveal` publishes the seed, and anybody can recompute every roll."),
        ),
    ),
}


def _version() -> tuple[Part, ...]:
    """Which release this is, where its source is, and the edition of each rule set."""
    from importlib.metadata import PackageNotFoundError, metadata

    from bot.process.release import NAME, release
    from bot.systems.catalog import systems

    try:
        pages = metadata(NAME).get_all("Project-URL") or []
    except PackageNotFoundError:  # run from its source, not installed
        pages = []
    where = [page.replace(", ", ": ", 1) for page in pages]
    editions = tuple((game.id, f"edition {game.edition}") for game in systems().values())
    source = where or ["Source: ask whoever hosts it; README.md begins there, CHANGELOG.md says what is new."]
    return (f"Grognard {release()}", *source, Grid(editions), "A log says under which edition each result was rolled.")


def topic_page(name: str) -> Reply:
    """Help on a topic."""
    topic = TOPICS[name]
    lines: tuple[Part, ...] = topic.lines
    if name == "version":
        lines = _version()
    if name == "dice":
        from bot.rules.expression import GUIDE

        lines = (Grid(tuple(GUIDE)),)
    return Reply(topic.title, lines, by=topic.about, buttons=(Button("help:", "Back"),))
