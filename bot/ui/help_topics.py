"""The topics of help other than commands, games and their tables."""

from dataclasses import dataclass

from bot.rules.text.phrase import phrase


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of help: its title, a short description, and the lines of its page."""

    title: str
    about: str
    lines: tuple[str, ...] = ()


TOPICS = {
    "dice": Topic("Dice", "every way to write dice"),
    "version": Topic("Version", "what runs here"),
    "units": Topic(
        "Units",
        "how to write who fires at whom",
        (
            phrase("On the roster, each unit has a name and a handle: `/unit list`"),
            phrase("Several at once: `us3,us4` or `VC 1..9`"),
            phrase("Without a roster, write its type and numbers: `squad fp=2; leader lm=1`"),
            phrase("What you can write about a unit in your game: `/help lnlt units`"),
        ),
    ),
    "odds": Topic(
        "Odds",
        "exact chances, nothing rolled",
        (
            "Add odds to any attack: only you see them, and nothing is rolled.",
            "They cover every possible roll; nothing is estimated.",
            "Press Roll it below the odds to make exactly that attack, once.",
            "Press Odds below a result to see what its chances were.",
            "Press What if, or add compare to an attack, to see what each modifier and each firer is worth.",
        ),
    ),
    "real dice": Topic(
        "Your own dice",
        "roll on your table, enter what they show",
        (
            phrase("Type them in the order the bot asks for: `/roll 2d6 hand=5,2`"),
            "If one is missing, the bot names it and offers its faces.",
            "The log marks them as rolled by hand. The game master can turn them off in the settings.",
        ),
    ),
    "undo": Topic(
        "Undo",
        "take back the last action",
        (
            phrase("Press Undo under a result, or type `/game undo` for the last thing you did."),
            "If it isn't the newest event in the game, Undo names it and asks you first.",
            "If you pressed Done after a shot, that is undone too. Shots at other units don't block it.",
            "If dice were rolled, the other side has to agree; the bot pings them.",
            phrase("`/game redo` brings it back until something new happens. The log keeps both."),
        ),
    ),
    "sealed": Topic(
        "Sealed rolls",
        "rolled now, shown later",
        (
            "Add secret to a roll or an attack: only you see it, and it can no longer change.",
            phrase("To show it to everyone, press Open it or type `/game reveal`"),
        ),
    ),
    "fair dice": Topic(
        "Fair dice",
        "how to check that nobody rigged them",
        (
            "The bot commits to a seed before the first roll; every die is computed from it.",
            phrase("Before that, you can mix in your own words: `/fair add`"),
            phrase(
                "After the game, `/fair reveal` publishes the seed, and anybody can recompute every roll."
            ),
        ),
    ),
}
