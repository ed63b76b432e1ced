"""The check of a whole pack: its faults, whatever looks odd in it, and how much it has. Packs from
strangers are checked in a process of its own.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from bot.game.cups import is_cup
from bot.game.roster_file import find_scenario
from bot.odds_pool.pool import Worker
from bot.packs.linter import lint_table
from bot.packs.sequence_check import (
    find_bad_dice,
    list_dead_brings,
    list_first_line_questions,
    list_lost_additions,
    list_strange_results,
)
from bot.presentation.firers_and_targets import list_refused_offers
from bot.rules.declared.compile_context import list_item_outputs
from bot.rules.errors import TableError, UserError, did_you_mean
from bot.rules.inputs.decks import GameDeck
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import MAX_UNITS
from bot.rules.odds.odds import STATE_BUDGET
from bot.rules.odds.rolls import TooManyStates
from bot.rules.tables.compile import OUTPUTS
from bot.rules.tables.table import Table
from bot.rules.text.names import format_count
from bot.rulesets.deck_file import FORMATION, SIDE
from bot.rulesets.deck_file import find_questions as find_deck_questions
from bot.rulesets.packs.archive import Content, read_content
from bot.rulesets.packs.pack import MOST_SHOWN, PackSystem
from bot.rulesets.play_once import count_odds, play_sequence, read_rounds
from bot.rulesets.system import DECKS, SCENARIOS, STEPS, TABLES, Sequence, System
from bot.runtime.entropy import create_throwaway_source
from bot.ui.registry import TABLE, Registry

MANY_STATES = 10_000
EXAMPLE_ROLLS = 100_000
"""Rolls that the odds of one example may look at: counted, not timed, so that no pack is refused
because a host is slow.
"""
MOST_CHARACTERS = 8_000
SITUATIONS = 30_000
"""Look-ups in all tables of a pack together. They take about a second."""
UNTRUSTED_SECONDS = 5.0
OWN_SECONDS = 20.0
LONGEST_SUMMARY = 100
MOST_BLANK = 12
"""Rows with blank cells that one question lists."""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check. Each fault and question is one line of text.

    Faults keep a pack from being used, questions do not.
    """

    faults: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    about: str = ""
    """The id, title and version of the pack, and how many tables, sequences and so on it has."""
    odds: tuple[str, ...] = ()
    """The most states that the odds of a sequence can have, one line for each large sequence."""


@dataclass(slots=True)
class _CheckResults:
    """The faults, questions and notes about odds that are collected during a check."""

    faults: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    odds: list[str] = field(default_factory=list)

    def report(self, about: str = "") -> Report:
        """Return the report on these results, without repeated lines."""
        return Report(
            tuple(dict.fromkeys(self.faults)),
            tuple(dict.fromkeys(self.questions)),
            about,
            tuple(self.odds),
        )


def check_content(content: Content, *, is_new: bool = True) -> Report:
    """Return the report on a pack's files. See `check_system` for `is_new`."""
    try:
        pack = PackSystem(content)
    except TableError as error:
        return Report((str(error),))
    return check_system(pack, is_new=is_new)


def check_system(system: System, *, is_new: bool = True) -> Report:
    """Return the report on a pack or a built-in game.

    A pack that is not new was accepted before. Checks that are for new packs only are skipped
    then, so that the games that are played with it can go on.
    """
    results = _CheckResults()
    try:
        system.words  # noqa: B018  # reads its game file whole
    except TableError as error:
        results.faults.append(str(error))
        return results.report()
    counts = [
        _check_tables(system, results),
        _check_sequences(system, results),
        _check_scenarios(system, results, is_new=is_new),
        _check_decks(system, results),
    ]
    if is_new and not results.faults:
        results.faults += list_strange_results(system)
        results.faults += list_dead_brings(system)
    if not results.faults:
        results.questions += _find_unknown_sequences(system)
        results.questions += _find_unknown_conditions(system)
        _check_pack(system, results, is_new=is_new)
    return results.report(_describe_system(system, counts))


def _describe_system(system: System, counts: list[int]) -> str:
    """Return a line with the id, title and version of a system, and the numbers of its tables,
    combat sequences, scenarios and decks. Decks are left out if there are none.
    """
    version = f", version {system.about.version}" if isinstance(system, PackSystem) else ""
    parts = list[str]()
    for count, kind in zip(counts, ("table", "combat sequence", "scenario", "deck"), strict=True):
        if count or kind != "deck":
            parts.append(format_count(count, kind))
    return f"{system.id}: {system.title}{version}: {', '.join(parts)}"


def _check_pack(system: System, results: _CheckResults, *, is_new: bool) -> None:
    """Add the faults and questions that only packs can have. Nothing is added for a built-in
    game, and no question for a pack that is not new.
    """
    if not isinstance(system, PackSystem):
        return
    try:
        system.check_whole()
        if is_new:
            system.check_new()
    except TableError as error:
        results.faults.append(str(error))
        return
    if is_new:
        results.questions += list_lost_additions(system)
        results.questions += _list_large_commands(system)
        results.questions += _list_new_types(system)


_REMARK = re.compile(
    r"(?P<file>(?:[a-z0-9-]+/)?(?P<name>(?:steps/|scenarios/|decks/)?[a-z0-9-]+\.yaml))"
    r"(?!.*(?:line|Line) \d)"
    r"(?:, row (?P<row>[^:]+?)(?=, column|:)(?:: \"(?P<unknown>[^\"]+)\" is not known)?"
    r"|, (?P<all>rows|columns)|: \"(?P<quoted>[^\"]+)\"|: (?P<first>\w+) )"
)


def add_positions(report: Report, content: Content) -> Report:
    """Return a report with the number of the line in each fault and question, if the key that it
    names is found in the file.
    """
    texts = {name: data.decode("utf-8", "replace") for name, data in content.items()}
    return replace(
        report,
        faults=tuple(_add_position(fault, texts) for fault in report.faults),
        questions=tuple(_add_position(question, texts) for question in report.questions),
    )


def _add_position(remark: str, texts: Mapping[str, str]) -> str:
    """Return a fault or question with `, line N` after the name of its file, or as it is if it
    names no file and key, has a line already, or the file has no such key.

    The words of a row such as `fire odds` are keys inside each other: each is looked for after the
    one before it.
    """
    parts = _REMARK.match(remark)
    text = texts.get(parts["name"], "") if parts else ""
    if parts is None or not text:
        return remark
    if parts["row"]:
        words = [parts["row"], *parts["row"].split()]
        if parts["unknown"]:
            words.append(parts["unknown"])
    else:
        words = [parts["all"] or parts["quoted"] or parts["first"]]
    position = -1
    for word in words:
        key = re.escape(word.rstrip(","))
        pattern = re.compile(
            rf"(?m)(?:^|[\s{{,\"'-]|id: )({key})[\"']?(?=\s*:|\s*,\s*(?:name|count):)"
        )
        match = pattern.search(text, max(position, 0))
        if match:
            position = match.start(1)
    if position < 0:
        return remark
    line = text.count("\n", 0, position) + 1
    return f"{parts['file']}, line {line}{remark[parts.end('file') :]}"


def _check_tables(system: System, results: _CheckResults) -> int:
    """Add the faults of all tables and the questions about them. Return how many there are."""
    ids = list(system.tables)
    max_situations = max(100, SITUATIONS // max(1, len(ids)))
    for id in ids:
        try:
            table = system.tables[id]
        except TableError as error:
            results.faults.append(str(error))
            continue
        _check_table(table, f"{system.id}/{id}.yaml", results, max_situations)
    return len(ids)


def _check_table(table: Table, file: str, results: _CheckResults, max_situations: int) -> None:
    """Add the faults of a table that loads, and the questions about it."""
    if not table.summary or len(table.summary) > LONGEST_SUMMARY:
        results.faults.append(
            f"{file}, row summary: the table needs a summary of at most {LONGEST_SUMMARY} characters"
        )
    if not (table.printed.get("examples") or table.example):
        results.questions.append(
            f"{file}: it has no examples; one from the rule book would show that the table is typed correctly"
        )
    if table.blank:
        rows = Counter(cell.label.partition(", column")[0] for cell in table.blank)
        first_rows = islice(rows.items(), MOST_BLANK)
        listed = ", ".join(f"{row} ({count})" for row, count in first_rows)
        blanks = format_count(len(table.blank), "blank", "blanks")
        results.questions.append(
            f"{file}: {blanks} to fill in from your card; a lookup that needs one is refused: {listed}"
        )
    faults, questions = lint_table(table, file, max_situations)
    results.faults += faults
    results.questions += questions


def _check_sequences(system: System, results: _CheckResults) -> int:
    """Add the faults of all combat sequences, the questions about them, and the size of their odds.
    Return how many sequences there are, 0 if they cannot be loaded.
    """
    try:
        sequences = system.sequences
    except TableError as error:
        results.faults.append(str(error))
        return 0
    for sequence in sequences.values():
        try:
            fault = _find_sequence_fault(system, sequence, results.questions)
        except TableError as error:
            fault = str(error)
        if fault:
            results.faults.append(fault)
        else:
            _count_states(sequence, results)
    return len(sequences)


def _count_states(sequence: Sequence, results: _CheckResults) -> None:
    """Add a line about the large odds of a sequence to `results`, or a question.

    The line has the most states that they have, from MANY_STATES to STATE_BUDGET. The question is
    about odds that are too large to count even for the smallest inputs. Nothing is added for
    others.
    """
    bound = None if sequence.declaration is None else sequence.declaration.bound(MAX_UNITS)
    if bound is None or bound.most == math.inf:
        return
    if MANY_STATES <= bound.most <= STATE_BUDGET:
        plural = "" if bound.most == 1 else "s"
        results.odds.append(f"{sequence.id}: at most {bound.most:,.0f} state{plural}")
    elif bound.least > STATE_BUDGET:
        row = _name_row(sequence)
        results.questions.append(
            f"{row}: its odds take too long to work out for {MAX_UNITS} units; do later steps need all those dice?"
        )


def _name_row(sequence: Sequence) -> str:
    """Return the file and row of a sequence, as faults begin: `few/sequences.yaml, row fire`."""
    return f"{sequence.system.id}/sequences.yaml, row {sequence.id}"


def _find_sequence_fault(system: System, sequence: Sequence, questions: list[str]) -> str:
    """Return what is wrong with a combat sequence, "" if nothing is.

    Its example is played, and the odds of the example are counted. What is not wrong, but odd, is
    added to `questions`. Raises TableError for a fault that is found while its steps are read.
    """
    row = f"{system.id}/sequences.yaml, row {sequence.id}"
    fault = _find_missing_part(system, sequence, row) or _find_output_fault(system, sequence, row)
    if fault:
        return fault
    required = [option.name for option in sequence.inputs if option.is_required]
    if required and not sequence.example:
        return f"{row}: it has no example; add one with inputs that work, such as example: {{{required[0]}: ...}}"
    try:
        return _try_example(system, sequence, row, questions)
    except UserError as error:
        return _format_fault(row, "its example fails", error) if error.code != "blank-cell" else ""
    except (ArithmeticError, ValueError, LookupError, NameError) as error:  # a division by zero
        return f"{row}: its example fails in a formula: {error}"
    except TypeError:
        return (
            f"{row}: its example fails, because a formula adds or compares two different kinds "
            "of value, such as a number and a word"
        )


def _format_fault(row: str, fault: str, error: UserError) -> str:
    """Return the fault with the error as its reason, after the place of the step that it comes from,
    or after the row of its sequence.
    """
    reason = str(error).removeprefix(f"{error.position}: ")
    return f"{error.position or row}: {fault}: {reason}"


def _find_missing_part(system: System, sequence: Sequence, row: str) -> str:
    """Return a fault if a sequence of a pack has no steps, or runs an unknown one; else ""."""
    if isinstance(system, PackSystem) and sequence.declaration is None and system.parent is None:
        return f"{row}: has no {STEPS}/{sequence.id}.yaml"
    next_ids = [ride.run for ride in sequence.rides]
    next_ids += [landing.run for landing in sequence.landings]
    for id in next_ids:
        if id not in system.sequences:
            hint = did_you_mean(id, system.sequences)
            return f"{row}: there is no sequence called {id} to run. {hint}".rstrip()
    return ""


def _find_output_fault(system: System, sequence: Sequence, row: str) -> str:
    """Return a fault of the outputs or odds that a sequence declares, "" if there is none.

    It returns an output that no step sets, a list that is most likely misspelled, and an output in
    `odds_row` that there is not. Raises TableError for a fault that its steps or rounds find
    themselves. `row` begins the text, see `_name_row`.
    """
    if sequence.declaration is not None:
        sequence.declaration.check_odds()
        missing_outputs = sequence.declaration.missing_outputs
        if missing_outputs:
            return f"{row} outputs: {missing_outputs[0]}"
    for name, kind in sequence.outputs.items():
        if not isinstance(kind, str) or not kind.isidentifier():
            continue
        if kind in OUTPUTS or kind in system.lists:
            continue
        hint = did_you_mean(kind, system.lists)
        if hint:
            return f"{row} outputs {name}: there is no list {kind}. {hint}"
    if sequence.rounds:
        read_rounds(sequence)
    outputs = set(sequence.outputs)
    for kind in sequence.outputs.values():
        outputs |= set(list_item_outputs(kind))
    unknown = [name for name in sequence.odds_row if name not in outputs]
    if unknown:
        hint = did_you_mean(str(unknown[0]), outputs)
        return f"{row} odds_row: there is no output {unknown[0]}. {hint}".rstrip()
    return ""


def _try_example(system: System, sequence: Sequence, row: str, questions: list[str]) -> str:
    """Play the example of a sequence with several dice, and count its odds.

    Return the fault of dice that have no result, else "". Adds questions about a sequence without
    odds or without a headline to `questions`. Raises UserError, and the errors of a formula.
    """
    example = sequence.add_default_choices(sequence.example)
    sequence.plan(sequence.read_inputs(example, {}))
    if sequence.declaration is not None:
        error = find_bad_dice(sequence)
        if error is not None:
            return _format_fault(row, "some rolls have no result", error)
    play = play_sequence(sequence, example, create_throwaway_source())
    if sequence.declaration is not None and play.dice and not sequence.odds_by:
        questions.append(
            f"{row}: it has no odds; add odds_by: OUTPUT to say which output they are for"
        )
    results = system.game.get("results") or {}
    if sequence.id not in results and "*" not in results:
        questions += list_first_line_questions(sequence, row)
    if not sequence.odds_by:
        return ""
    try:
        count_odds(sequence, example, rolls=EXAMPLE_ROLLS, seconds=None)
    except UserError as odds_error:
        if not odds_error.position:
            raise
        return _format_fault(row, "some rolls have no result", odds_error)
    return ""


def _list_new_types(system: System) -> Iterator[str]:
    """Yield a question about unit types that a pack adds to the game that it inherits. The combat
    sequences of that game know only its own types.
    """
    if system.parent is None:
        return
    inherited_types = system.parent.words["units"].types
    new_types = [type for type in system.words["units"].types if type not in inherited_types]
    if new_types:
        yield (
            f"{system.id}/game.yaml, row units types: the combat sequences of "
            f"{system.parent.id} do not know {', '.join(new_types)} and may refuse them; "
            "does the pack have its own for them?"
        )


def _list_large_commands(system: System) -> Iterator[str]:
    """Yield a question about each command of a pack that is too large for Discord, even with the
    shortest descriptions.
    """
    registry = Registry({system.id: system}, ())
    for name in (system.id, f"{system.id}{TABLE}"):
        count = count_characters(registry, name)
        if count > MOST_CHARACTERS:
            yield (
                f"{system.id}: Discord allows 8,000 characters for a command and its subcommands, but /{name} has "
                f"about {count:,}, so Discord would not show it. Leave out some inputs or inherited tables "
                "(TABLE.yaml with nothing but null), or split it into two packs"
            )


def count_characters(registry: Registry, name: str) -> int:
    """Return about how many characters a command has as Discord counts them: the names and
    shortest descriptions of the command, its subcommands and their options.

    Commands that only the bot gives are not registered with Discord, so they do not count.
    """
    count = len(name) + len(registry.describe_name(name))
    for spec in registry.list_below((name,)):
        if spec.is_for_bot:
            continue
        count += len(spec.path[-1])
        count += min(len(registry.get_title(spec)), LONGEST_SUMMARY)
        options = [option for option in spec.options if not option.form_only]
        for option in options[:MOST_SHOWN]:
            count += len(option.name)
            count += min(len(_get_shortest_help(option)), LONGEST_SUMMARY)
    return count


def _get_shortest_help(option: Option) -> str:
    if option.brief or option.help:
        return option.brief or option.help
    return option.name if option.type == "enum" else option.expectation


def _check_scenarios(system: System, results: _CheckResults, *, is_new: bool) -> int:
    """Add the fault of the first scenario that does not load. In a new system without faults,
    add units that offer something that is refused. Return how many scenarios there are.
    """
    try:
        names = system.list_files(SCENARIOS)
        for name in names:
            units = find_scenario(system, name).units
            if is_new and not results.faults:
                row = f"{system.id}/{SCENARIOS}/{name}.yaml, row units"
                refused = list_refused_offers(system, units.values())
                results.faults += [f"{row}: {fault}" for fault in refused]
    except (TableError, UserError) as error:
        results.faults.append(str(error))
    return len(names)


def _check_decks(system: System, results: _CheckResults) -> int:
    """Add the questions about all decks. Return how many decks there are; if one does not load,
    add its fault and return 0.
    """
    try:
        for id, deck in system.decks.items():
            file = f"{system.id}/{DECKS}/{id}.yaml"
            is_activation_cup = is_cup(id, system)
            results.questions += find_deck_questions(deck, file, leads=is_activation_cup)
            if is_activation_cup:
                results.questions += _find_unowned_chits(system, deck, file)
        return len(system.decks)
    except TableError as error:
        results.faults.append(str(error))
        return 0


def _find_unowned_chits(system: System, deck: GameDeck, file: str) -> Iterator[str]:
    """Yield a question about each chit of a side that no scenario has, and about each chit of a
    formation that no unit can have.
    """
    sides = list[str]()
    for name in system.list_files(SCENARIOS):
        sides += find_scenario(system, name).sides
    formation = system.words["units"].keys.get(FORMATION)
    formations = formation.values if formation is not None else ()
    for key, words in ((SIDE, [*dict.fromkeys(sides)]), (FORMATION, formations)):
        if not words:
            continue
        for id, facts in deck.said.items():
            word = str(facts.get(key, words[0]))
            if word not in words:
                hint = did_you_mean(word, words) or f"There are {', '.join(words)}."
                yield f'{file}, row cards {id}, column {key}: no unit belongs to "{word}". {hint}'


def _find_unknown_sequences(system: System) -> Iterator[str]:
    """Yield a question about each sequence that game.yaml names under results, odds or scores, and
    that neither the system nor the game it builds on has.
    """
    bases = [getattr(system, "parent", None), system.base]
    games = [system, *(game for game in bases if game is not None)]
    ids = [id for game in games for id in game.sequences] + ["*"]
    for part in ("results", "odds", "scores"):
        for id in system.game.get(part) or ():
            if id not in ids:
                hint = did_you_mean(str(id), ids)
                yield f"{system.id}/game.yaml, row {part} {id}: there is no such sequence. {hint}".strip()


def _find_unknown_conditions(system: System) -> Iterator[str]:
    """Yield a question about each word under `fixed` in game.yaml that no sequence of the system or
    of the game it builds on has as an input, a modifier or a track.
    """
    sequences = [*system.sequences.values()]
    if system.base is not None:
        sequences += system.base.sequences.values()
    words = set[str]()
    for sequence in sequences:
        for option in (*sequence.inputs, *sequence.tracks):
            words |= {option.name, *map(str, option.values)}
    for word in system.game.get("fixed") or ():
        if word not in words:
            hint = did_you_mean(str(word), words)
            question = "there is no such input or modifier."
            yield f"{system.id}/game.yaml, row fixed {word}: {question} {hint}".strip()


async def check_in_process(content: Content, seconds: float = UNTRUSTED_SECONDS) -> Report:
    """Return the report on a pack's files, made in a process of its own.

    The process is limited in time (`seconds`) and memory. A pack that exceeds a limit has this as
    its only fault.
    """
    worker = Worker(seconds, stays=False)
    try:
        return await worker.run(check_content, dict(content))
    except TooManyStates:
        fault = f"checking it takes more than {seconds:g} seconds or too much memory"
        return Report((fault,))
    finally:
        await worker.close()


def check_path(path: Path) -> Report:
    """Return the report on a folder, a zip or a built-in game's folder.

    A zip is taken for a stranger's and gets less time than a folder.
    """
    if path.resolve().parent == Path(TABLES).resolve() and (path / "game.yaml").is_file():
        return check_system(System(path.name))
    try:
        content = read_content(path)
    except TableError as error:
        return Report((str(error),))
    seconds = OWN_SECONDS if path.is_dir() else UNTRUSTED_SECONDS
    report = asyncio.run(check_in_process(content, seconds))
    return add_positions(report, content)


def format_report(report: Report) -> Iterator[str]:
    """Yield the lines of a report as the command line prints them."""
    yield from (f"fault     {fault}" for fault in report.faults)
    yield from (f"question  {question}" for question in report.questions)
    yield from (f"odds      {odds}" for odds in report.odds)
    yield report.about if not report.faults else f"{len(report.faults)} to fix"
