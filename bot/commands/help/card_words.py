"""Pages of help on the words of a game: its unit types, states, markers and scenarios."""

from bot.commands.help.pages import BACK, HELP
from bot.game.roster_file import whole_scenario
from bot.rules.errors import UserError, did_you_mean
from bot.rules.text.phrase import Typed, phrase
from bot.rulesets.system import SCENARIOS, System
from bot.ui.finding import list_unit_words, list_values
from bot.ui.registry import TABLE, Registry
from bot.ui.reply.parts import Entry, Group, Part, Small
from bot.ui.reply.reply import OPEN_FORM, Button, Reply

MOST_TABLES = 5
"""Maximum number of tables on the page of a word."""


def show_unit_word(id: str, word: str, registry: Registry) -> Reply:
    """Return the page of a unit type, state or marker of a game: its meaning, its numbers, and the
    tables that print it.

    Raises UserError with the nearest word.
    """
    game = registry.games[id]
    words = list_unit_words(game)
    if word not in words:
        hint = did_you_mean(word, words) or phrase("`/help {id} units` lists the words.", id=id)
        raise UserError(f'{id} has no word "{word[:40]}".', hint=hint, code="unknown-topic")
    kind, meaning = words[word]
    lines: list[Part] = []
    if meaning:
        lines.append(f"{meaning[:1].upper()}{meaning[1:]}.")
    lines += _list_numbers(game, word)
    lines += _list_tables(game, word)
    lines.append(Small(phrase("All words of a unit: `/help {id} units`", id=id)))
    title = word.replace("-", " ").capitalize()
    return Reply(
        title,
        tuple(lines),
        by=f"{kind}, {game.title}",
        buttons=(Button(f"{HELP}{id} units", "All words"), Button(f"{HELP}{id}", BACK)),
    )


def list_words(game: System) -> list[Part]:
    """Return the unit types, states and markers of a game under a heading for each kind, with their
    meanings.
    """
    by_kind: dict[str, list[str]] = {}
    for word, (kind, meaning) in list_unit_words(game).items():
        by_kind.setdefault(kind, []).append(f"{word}: {meaning}" if meaning else word)
    lines: list[Part] = []
    for kind, words in by_kind.items():
        lines.append(Group(f"{kind[:1].upper()}{kind[1:]}s", "", grave=True))
        if any(": " in word for word in words):
            lines += words
        else:
            lines.append(", ".join(words))
    return lines


def _list_numbers(game: System, type: str) -> list[Part]:
    """Return the numbers on the counter of a unit type, each with its meaning; [] if it has none."""
    counters = game.game["units"].get("counters") or {}
    numbers = (counters.get(type) or {}).get("numbers") or ()
    keys = game.words["units"].keys
    if not numbers:
        return []
    lines = [phrase("`{key}=` {help}", key=key, help=keys[key].help) for key in numbers]
    return [Group("Numbers on its counter", "", grave=True), *lines]


def _list_tables(game: System, word: str) -> list[Part]:
    """Return the tables that print the word, each with a button that shows it whole; [] if none
    does.
    """
    entries: list[Part] = []
    for table in game.tables.values():
        names = {value for option in table.inputs for value in (option.name, *list_values(option))}
        if word not in {name.replace("_", "-") for name in names}:
            continue
        typed = f"{game.id}{TABLE} {table.id}"
        text = Typed(f"/{typed} whole")
        entries.append(Entry(table.title, table.source, text, f"whole:{typed}", "Whole table"))
    if not entries:
        return []
    return [Group("Tables that use it", "", grave=True), *entries[:MOST_TABLES]]


def show_scenario(id: str, scenario: str, registry: Registry) -> Reply:
    """Return the page of a scenario, with a button that starts it. Raises UserError with the
    nearest name.
    """
    game = registry.games[id]
    if scenario not in game.scenarios:
        hint = did_you_mean(scenario, game.scenarios)
        message = f'{id} has no scenario "{scenario[:40]}".'
        raise UserError(message, hint=hint, code="unknown-topic")
    data = whole_scenario(game, scenario, game.read(f"{SCENARIOS}/{scenario}"))
    lines: list[Part] = []
    if data.get("about"):
        lines.append(str(data["about"]))
    command = f"game start {game.home} scenario={scenario}"
    lines.append(phrase("Start it: `/{command}`", command=command))
    return Reply(
        game.scenarios[scenario],
        tuple(lines),
        by=f"scenario, {game.title}",
        buttons=(
            Button(f"{OPEN_FORM}{command}", "Start a game", "primary"),
            Button(f"{HELP}{id}", BACK),
        ),
    )
