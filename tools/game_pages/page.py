"""The page of one game, for a player who opens it for the first time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

from bot.commands.dispatch import load_shared_registry
from bot.game.roster_file import find_scenario
from bot.rules.tables.table import Table
from bot.rulesets.system import Sequence, System
from bot.ui.common_options import PICTURE, PRIVATE, ROLL_OPTIONS, WHOLE
from bot.ui.glossary import describe_choices, format_all_unit_words
from bot.ui.spec import CommandSpec
from tools.game_pages.option_tables import (
    format_options,
    format_unit_words,
    format_words,
    list_modifiers,
)
from tools.game_pages.play import Answer, play_examples
from tools.game_pages.printed_tables import format_printed_table, split_sentences
from tools.pictures import get_first_picture

TURNS = Path(__file__).with_name("turns.yaml")
NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
DICE = {"asl": 21, "baps": 24, "lnlt": 21, "nhis": 10, "ucn": 1}
"""The number that all dice of a page come from, chosen so that its examples show something."""
WHOSE_MOVE = {
    "both": "both sides at once",
    "impulses": "the sides take turns",
    "initiative": "the side with the initiative, then the other",
    "own": "the side whose turn it is",
    "other": "the other side",
}
SIDES = ["Red", "Blue"]
"""Sides in the example of a game that comes without a scenario."""
HAND_OVER = ("done", "pass")
"""Buttons for which a player types `/game pass`. *Next phase* is explained once for all phases."""
SHORT = ("/game next", "/game pass", "/game end")
"""Commands of which the page shows the first line of the answer: the rest repeats the page."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A sequence or a table with its command and its heading on the page."""

    spec: CommandSpec
    title: str
    heading: str

    @property
    def link(self) -> str:
        """The address of its heading, as GitHub and the site build it."""
        return f"#{build_anchor(self.heading)}"


@lru_cache(8)
def build_page(game: System) -> str:
    """Return the page of a game as Markdown. Its examples are played once."""
    return "\n".join(_Page(game).list_lines()) + "\n"


def build_anchor(heading: str) -> str:
    """Return the anchor of a heading.

    >>> build_anchor("Direct fire: `/lnlt fire`")
    'direct-fire-lnlt-fire'
    """
    return re.sub(r"[^a-z0-9 _-]", "", heading.casefold()).replace(" ", "-")


class _Page:
    """The parts of a page, with the answers to its examples."""

    def __init__(self, game: System) -> None:
        self.game = game
        registry = load_shared_registry()
        self.sequences = {
            spec.target: Entry(spec, game.sequences[spec.target].title, "")
            for spec in registry.list_below((game.id,))
        }
        self.sequences = {
            id: Entry(entry.spec, entry.title, f"{entry.title}: `{entry.spec.name}`")
            for id, entry in self.sequences.items()
        }
        table_specs = {spec.target: spec for spec in registry.list_below((f"{game.id}-table",))}
        self.tables = {
            id: Entry(table_specs[id], table.title, f"{table.title}: `{id}`")
            for id, table in game.tables.items()
        }
        units = game.game.get("units") or {}
        self.markers = {*(units.get("markers") or ()), *(units.get("flags") or ())}
        self.has_mods = any(
            option.type == "mods" and option.values
            for entry in self.sequences.values()
            for option in entry.spec.options
        )
        self.start = self._list_start_commands()
        self.turn = [*load_turns().get(game.id, ()), "/game end confirm"]
        self.answers = self._play()
        self.sections: dict[str, Callable[[], Iterator[str]]] = {"Start a fight": self._list_start}
        if game.game.get("phases"):
            self.sections["How a turn goes"] = self._list_turn
        if self.sequences:
            self.sections["Attacks and checks"] = self._list_sequences
            self.sections["Words for units"] = self._list_unit_words
        self.sections["Tables"] = self._list_tables

    def _list_start_commands(self) -> list[str]:
        """Return the commands that start the game, with its scenario if it comes with one."""
        for id in self.game.scenarios:
            return [f"/game start {self.game.id} scenario={id}", "/unit list"]
        return [f"/game start {self.game.id} sides={','.join(SIDES)}"]

    def _play(self) -> dict[str, Answer]:
        """Return the answers to the examples of sequences and tables by command; those of the start
        and the turn are numbered, as a command may come twice.
        """
        opening = [*self.start, *self.turn]
        examples = [
            entry.spec.example for entry in (*self.sequences.values(), *self.tables.values())
        ]
        answers = play_examples([*opening, *examples], DICE.get(self.game.id, 1))
        by_command = dict(zip(examples, answers[len(opening) :], strict=True))
        self.opening = list(zip(opening, answers[: len(opening)], strict=True))
        return by_command

    def list_lines(self) -> Iterator[str]:
        """Yield the lines of the page, from its title to its last table."""
        yield f"# {self.game.title}"
        yield ""
        yield f"<!-- Made by `make docs` from tables/{self.game.id} and tools/game_pages: do not edit. -->"
        yield ""
        yield split_sentences(str(self.game.game.get("notice", "")))
        yield ""
        yield from self._list_how_to_read()
        for section in self.sections.values():
            yield ""
            yield from section()

    def _list_how_to_read(self) -> Iterator[str]:
        parts = [
            f"[{title}](#{build_anchor(title)})" for title in self.sections if title != "Tables"
        ]
        tables = ", ".join(
            f"[{title}](#{build_anchor(f'Tables: {title}')})"
            for title in self.game.game["groups"].values()
        )
        yield f"{' · '.join(parts)} · Tables: {tables}"
        yield ""
        yield (
            "Examples are written as you type them on Slack and in the [console](first-fight.md); "
            "your dice will differ."
        )
        yield (
            "On Discord, pick the command and fill in the same options. "
            "A command without options opens a form."
        )

    def _list_start(self) -> Iterator[str]:
        yield "## Start a fight"
        yield ""
        sides = [*SIDES]
        alone = ""
        for id, title in self.game.scenarios.items():
            scenario = find_scenario(self.game, id)
            if scenario.self_played:
                link = "[against a side that plays itself](games.md#play-alone)"
                alone = f"`/solo {self.game.id}` starts *{title}*, {link}."
                continue
            sides = [*scenario.sides]
            yield f"A small scenario comes with the game, *{title}*:"
            yield ""
        yield from format_console(self.opening[: len(self.start)])
        yield ""
        joined = " and ".join(f"`/game join {side}`" for side in sides)
        yield f"Pick a side: {joined}. On your own, play all sides without joining."
        if alone:
            yield alone
        yield (
            "For a fight of your own: [start without a scenario](games.md), [add units](units.md)."
        )

    def _list_turn(self) -> Iterator[str]:
        yield "## How a turn goes"
        yield ""
        yield (
            "`/game next` starts the next phase, whose card reminds you what to do. "
            "[Turns](turns.md) has the rest."
        )
        if self.game.game.get("turns") == "by-side":
            yield "Each side goes through all phases before the turn number goes up."
        yield ""
        for number, phase in enumerate(self.game.game["phases"], 1):
            yield from self._list_phase(number, phase)
        if len(self.turn) > 1:
            yield ""
            yield "One turn, typed:"
            yield ""
            yield from format_console(self.opening[len(self.start) :])

    def _list_phase(self, number: int, phase: Mapping[str, object]) -> Iterator[str]:
        """Yield a phase as an item of the list: whose move it is, what to type, what to remember."""
        title = str(phase.get("title") or phase["name"])
        whose = WHOSE_MOVE[str(phase.get("go", "both"))]
        if passes := phase.get("passes"):
            whose += f", {NUMBERS.get(int(str(passes)), passes)} passes in a row end it"
        typed = []
        for button in phase.get("buttons") or ():  # type: ignore[attr-defined]
            if button in self.sequences:
                entry = self.sequences[button]
                typed.append(f"[`{entry.spec.name}`]({entry.link})")
            elif button in HAND_OVER and "`/game pass`" not in typed:
                typed.append("`/game pass`")
        commands = f": {', '.join(typed)}" if typed else ""
        yield f"{number}. **{title}**, {whose}{commands}"
        for line in phase.get("remember") or ():  # type: ignore[attr-defined]
            yield f"    - {line}"
        markers = [name for name in phase.get("clears") or () if name in self.markers]  # type: ignore[attr-defined]
        if markers:
            words = ", ".join(name.replace("-", " ").replace("_", " ") for name in markers)
            yield f"    - These come off when it begins: {words}."

    def _list_sequences(self) -> Iterator[str]:
        yield "## Attacks and checks"
        yield ""
        yield (
            "These examples spell out their units, so they work without a game. "
            "In a game, name units on the roster, which fills in the rest."
        )
        yield (
            "Options in bold are required. Type a yes-or-no option alone, any other with its value (`hand=5,2`); "
            "the default is in bold."
        )
        if self.has_mods:
            yield "On Discord, words marked † go into `mods`."
        yield (
            f"`/help {self.game.id} NAME modifiers` lists the options in the bot, "
            "and the dice in their order for `hand`."
        )
        yield ""
        yield from format_options("each also takes", ROLL_OPTIONS)
        yield ""
        yield _join_links(self.sequences.values())
        shared = {option.name for option in ROLL_OPTIONS}
        for id, entry in self.sequences.items():
            yield ""
            yield from self._list_sequence(entry, self.game.sequences[id], shared)

    def _list_sequence(self, entry: Entry, sequence: Sequence, shared: set[str]) -> Iterator[str]:
        yield f"### {entry.heading}"
        yield ""
        yield split_sentences(sequence.summary)
        yield ""
        yield from format_console([(entry.spec.example, self.answers[entry.spec.example])])
        options = tuple(option for option in entry.spec.options if option.name not in shared)
        tables = [self.game.tables[id] for id in sequence.modifiers if id in self.game.tables]
        words = {option.name for table in tables for option in table.inputs}
        if options:
            yield ""
            yield from format_options("option", options, words)
        if modifiers := ", ".join(list_modifiers(options, words)):
            links = ", ".join(f"[{table.title}]({self.tables[table.id].link})" for table in tables)
            yield ""
            yield f"Modifiers, explained in {links}: {modifiers}."
        for line in describe_choices(sequence):
            yield ""
            yield line
        yield ""
        yield f"Card: {sequence.source}."

    def _list_unit_words(self) -> Iterator[str]:
        yield "## Words for units"
        yield ""
        yield (
            "The roster has each unit's numbers and state. "
            "For any other unit, type its type and these words, with a `;` between two units."
        )
        yield ""
        yield from format_unit_words(list_unit_words(self.game))

    def _list_tables(self) -> Iterator[str]:
        tables_by_group = {
            title: [table for table in self.game.tables.values() if table.group == group]
            for group, title in self.game.game["groups"].items()
        }
        groups = [(title, tables) for title, tables in tables_by_group.items() if tables]
        for number, (title, tables) in enumerate(groups):
            yield f"## Tables: {title}" if number == 0 else f"\n## Tables: {title}"
            yield ""
            if number == 0:
                yield from self._list_table_options()
                yield ""
            yield _join_links([self.tables[table.id] for table in tables])
            for table in tables:
                yield ""
                yield from self._list_table(self.tables[table.id], table)

    def _list_table_options(self) -> Iterator[str]:
        yield (
            "Each table as printed, with an example. The bot answers with the cell and the rows "
            "around it; without options, with the whole table."
        )
        yield f"{format_words((PRIVATE, PICTURE, WHOLE))}."
        first = next(iter(self.tables.values())).spec
        yield f"On Discord, tables are sorted by group: `{first.name}`."
        if picture := get_first_picture(self.game):
            title, address = picture
            yield ""
            yield f"![{title}, as a picture]({address})"

    def _list_table(self, entry: Entry, table: Table) -> Iterator[str]:
        yield f"### {entry.heading}"
        yield ""
        yield split_sentences(table.summary)
        yield f"Card: {table.source}."
        yield ""
        answer = self.answers[entry.spec.example]
        yield from format_console([(entry.spec.example, Answer("", (answer.title,)))])
        yield from format_printed_table(table, entry.spec.options)


def list_unit_words(game: System) -> Iterator[str]:
    """Yield the lines of the bot's own help about the words of a unit, each once.

    If only some lists of units take a word, its line ends with the names of these lists.
    """
    lists_by_line: dict[str, list[str]] = {}
    for title, lines in format_all_unit_words(game):
        for line in lines:
            lists_by_line.setdefault(line, []).append(title)
    options = Counter(
        title.partition(" of ")[0] for title in {t for ts in lists_by_line.values() for t in ts}
    )
    for line, titles in lists_by_line.items():
        names = []
        for title in titles:
            name, _, _ = title.partition(" of ")
            names.append(title if options[name] > 1 else name)
        is_everywhere = " of " not in "".join(titles)
        yield line if is_everywhere else f"{line} (only in {'; '.join(names)})"


@lru_cache(1)
def load_turns() -> Mapping[str, list[str]]:
    """Return the commands of the first turn by game."""
    return yaml.safe_load(TURNS.read_text("utf-8"))  # type: ignore[no-any-return]


def format_console(played: list[tuple[str, Answer]]) -> Iterator[str]:
    """Yield commands and their answers as a block to be read, and tested."""
    yield "```console"
    for command, answer in played:
        yield f"> {command}"
        yield from answer.lines[:1] if command.startswith(SHORT) else answer.lines
    yield "```"


def _join_links(entries: object) -> str:
    return " · ".join(f"[{entry.title}]({entry.link})" for entry in entries)  # type: ignore[attr-defined]
