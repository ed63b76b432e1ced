"""A pack read whole: its faults, what looks odd in it, and how much it has. Called in a process of
its own for what a stranger wrote."""

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
from bot.packs.sequence_check import find_bad_dice, list_lost_additions, list_strange_results
from bot.presentation.firers_and_targets import list_refused_offers
from bot.rules.declared.compile_context import list_item_outputs
from bot.rules.errors import TableError, UserError, did_you_mean
from bot.rules.inputs.decks import GameDeck
from bot.rules.inputs.units import MAX_UNITS
from bot.rules.odds.odds import STATE_BUDGET
from bot.rules.odds.rolls import TooManyStates
from bot.rules.tables.compile import OUTPUTS
from bot.rules.text.names import format_count
from bot.rulesets.deck_file import FORMATION, SIDE
from bot.rulesets.deck_file import find_questions as asked_of
from bot.rulesets.packs.archive import Content, read_content
from bot.rulesets.packs.pack import MOST_SHOWN, PackSystem
from bot.rulesets.play_once import count_odds, play_sequence, read_rounds
from bot.rulesets.system import DECKS, SCENARIOS, STEPS, TABLES, Sequence, System
from bot.runtime.entropy import create_throwaway_source
from bot.ui.registry import TABLE, Registry

MANY_STATES = 10_000
EXAMPLE_ROLLS = 100_000
"""What the odds of one example may look at: counted, not timed, so that a pack is not refused
where a host is slow.
"""
MOST_CHARACTERS = 8_000
SITUATIONS = 30_000
"""Look-ups of a whole pack: a second or so."""
UNTRUSTED_SECONDS = 5.0
OWN_SECONDS = 20.0
LONGEST_SUMMARY = 100
MOST_BLANK = 12
"""So many rows with blanks are named."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found: faults, one line each; questions; and what the pack is and has, in a
    line.
    """

    faults: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    about: str = ""
    odds: tuple[str, ...] = ()
    """How many states the odds of a sequence have at most, one line each where it is known."""


@dataclass(slots=True)
class _CheckResults:
    faults: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    odds: list[str] = field(default_factory=list)

    def report(self, about: str = "") -> Report:
        return Report(
            tuple(dict.fromkeys(self.faults)),
            tuple(dict.fromkeys(self.questions)),
            about,
            tuple(self.odds),
        )


def check_content(content: Content, *, is_new: bool = True) -> Report:
    """The report on a pack's files; of one that is not new, nothing that was not asked when it
    came.
    """
    try:
        pack = PackSystem(content)
    except TableError as error:
        return Report((str(error),))
    return check_system(pack, is_new=is_new)


def check_system(system: System, *, is_new: bool = True) -> Report:
    """The report on a system, of a pack or of the house."""
    found = _CheckResults()
    try:
        system.words  # noqa: B018  # reads its game file whole
    except TableError as error:
        found.faults.append(str(error))
        return found.report()
    counts = [
        _check_tables(system, found),
        _check_sequences(system, found),
        _check_scenarios(system, found, is_new=is_new),
        _check_decks(system, found),
    ]
    if is_new and not found.faults:
        found.faults += list_strange_results(system)
    if not found.faults:
        found.questions += _find_unknown_sequences(system)
        _check_pack(system, found, is_new=is_new)
    version = f", version {system.about.version}" if isinstance(system, PackSystem) else ""
    named = zip(counts, ("table", "combat sequence", "scenario", "deck"), strict=True)
    has = ", ".join(format_count(count, what) for count, what in named if count or what != "deck")
    return found.report(f"{system.id}: {system.title}{version}: {has}")


def _check_pack(system: System, found: _CheckResults, *, is_new: bool) -> None:
    """Add what is asked of a pack beyond a built-in game."""
    if not isinstance(system, PackSystem):
        return
    try:
        system.check_whole()
        if is_new:
            system.check_new()
    except TableError as error:
        found.faults.append(str(error))
        return
    if is_new:
        found.questions += list_lost_additions(system)
        found.questions += [*_list_large_commands(system), *_list_new_types(system)]


_SAID = re.compile(
    r"(?P<file>(?:[a-z0-9-]+/)?(?P<name>(?:steps/|scenarios/|decks/)?[a-z0-9-]+\.yaml))"
    r"(?!.*(?:line|Line) \d)(?:, row (?P<row>[^:]+?)(?=, column|:)|, (?P<all>rows|columns)"
    r"|: \"(?P<quoted>[^\"]+)\"|: (?P<first>\w+) )"
)


def add_positions(report: Report, content: Content) -> Report:
    """The report with the lines of its faults and questions, as far as the text of the files
    shows them.
    """
    texts = {name: data.decode("utf-8", "replace") for name, data in content.items()}
    lines = [
        tuple(_add_position(said, texts) for said in some)
        for some in (report.faults, report.questions)
    ]
    return replace(report, faults=lines[0], questions=lines[1])


def _add_position(said: str, texts: Mapping[str, str]) -> str:
    found = _SAID.match(said)
    text = texts.get(found["name"], "") if found else ""
    if found is None or not text:
        return said
    at = -1
    words = (
        [found["row"], *found["row"].split()]
        if found["row"]
        else [found["all"] or found["quoted"] or found["first"]]
    )
    for word in words:
        key = re.escape(word.rstrip(","))
        if key_at := re.compile(
            rf"(?m)(?:^|[\s{{,\"'-]|id: )({key})[\"']?(?=\s*:|\s*,\s*(?:name|count):)"
        ).search(text, max(at, 0)):
            at = key_at.start(1)
    return (
        f"{found['file']}, line {text.count(chr(10), 0, at) + 1}{said[found.end('file') :]}"
        if at >= 0
        else said
    )


def _check_tables(system: System, found: _CheckResults) -> int:
    ids = list(system.tables)
    most = max(100, SITUATIONS // max(1, len(ids)))
    for id in ids:
        file = f"{system.id}/{id}.yaml"
        try:
            table = system.tables[id]
        except TableError as error:
            found.faults.append(str(error))
            continue
        if not table.summary or len(table.summary) > LONGEST_SUMMARY:
            found.faults.append(
                f"{file}, row summary: help needs one, of at most {LONGEST_SUMMARY} characters"
            )
        if not (table.printed.get("examples") or table.example):
            found.questions.append(
                f"{file}: it has no examples; one from the rule book shows that it is typed right"
            )
        if table.blank:
            rows = Counter(one.where.partition(", column")[0] for one in table.blank)
            named = ", ".join(f"{row} ({count})" for row, count in islice(rows.items(), MOST_BLANK))
            what = f"{format_count(len(table.blank), 'blank', 'blanks')} to be typed from your card"
            found.questions.append(f"{file}: {what}; who comes to one is refused: {named}")
        wrong, odd = lint_table(table, file, most)
        found.faults += wrong
        found.questions += odd
    return len(ids)


def _check_sequences(system: System, found: _CheckResults) -> int:
    try:
        sequences = system.sequences
    except TableError as error:
        found.faults.append(str(error))
        return 0
    for sequence in sequences.values():
        try:
            fault = _find_sequence_fault(system, sequence, found)
        except TableError as error:
            fault = str(error)
        if fault:
            found.faults.append(fault)
        else:
            _count_states(sequence, found)
    return len(sequences)


def _count_states(sequence: Sequence, found: _CheckResults) -> None:
    """Say how many states the odds of a sequence come to at most, and ask about those that may
    be too many.
    """
    bound = None if sequence.declaration is None else sequence.declaration.bound(MAX_UNITS)
    if bound is None or bound.most == math.inf:
        return
    if MANY_STATES <= bound.most <= STATE_BUDGET:
        found.odds.append(
            f"{sequence.id}: at most {bound.most:,.0f} state{'' if bound.most == 1 else 's'}"
        )
    elif bound.least > STATE_BUDGET:
        where = f"{sequence.system.id}/sequences.yaml, row {sequence.id}"
        found.questions.append(
            f"{where}: its odds are too large to count for {MAX_UNITS} units; must so many dice be read later?"
        )


def _find_sequence_fault(system: System, sequence: Sequence, found: _CheckResults) -> str:
    """What is wrong with a combat sequence that is played and counted once, as its example is.
    Raises TableError.
    """
    where = f"{system.id}/sequences.yaml, row {sequence.id}"
    if isinstance(system, PackSystem) and sequence.declaration is None and system.parent is None:
        return f"{where}: has no {STEPS}/{sequence.id}.yaml"
    next_ids = [ride.run for ride in sequence.rides]
    next_ids += [landing.run for landing in sequence.landings]
    for id in next_ids:
        if id not in system.sequences:
            hint = did_you_mean(id, system.sequences)
            return f"{where}: there is no sequence {id} to run. {hint}".rstrip()
    if sequence.declaration is not None:
        sequence.declaration.check_odds()
        if untold := sequence.declaration.missing_outputs:
            return f"{where} outputs: {untold[0]}"
    for name, said in sequence.outputs.items():
        is_word = (
            isinstance(said, str) and said.isidentifier() and said not in (*OUTPUTS, *system.lists)
        )
        if is_word and (near := did_you_mean(said, system.lists)):
            return f"{where} outputs {name}: there is no list {said}. {near}"
    if sequence.rounds:
        read_rounds(sequence)
    outputs = {
        *sequence.outputs,
        *(name for said in sequence.outputs.values() for name in list_item_outputs(said)),
    }
    if strange := [name for name in sequence.odds_row if name not in outputs]:
        hint = did_you_mean(str(strange[0]), outputs)
        return f"{where} odds_row: there is no output {strange[0]}. {hint}".rstrip()
    needed = [option.name for option in sequence.inputs if option.is_required]
    if needed and not sequence.example:
        return f"{where}: it has no example; write inputs that run: example: {{{needed[0]}: ...}}"
    try:
        example = sequence.add_default_choices(sequence.example)
        sequence.plan(sequence.read_inputs(example, {}))
        if sequence.declaration is not None and (why := find_bad_dice(sequence)):
            return f"{where}: some dice come to no result: {why}"
        played = play_sequence(sequence, example, create_throwaway_source())
        if sequence.declaration is not None and played.dice and not sequence.odds_by:
            found.questions.append(
                f"{where}: it has no odds; odds_by: OUTPUT says by which output they are counted"
            )
        if not played.settlement.headline and {sequence.id, "*"}.isdisjoint(
            system.game.get("results") or {}
        ):
            found.questions.append(
                f"{where}: no step has a headline, so its answers begin without a result"
            )
        if sequence.odds_by:
            count_odds(sequence, example, rolls=EXAMPLE_ROLLS, seconds=None)
    except UserError as error:
        return f"{where}: its example fails: {error}" if error.code != "blank-cell" else ""
    except (
        ArithmeticError,
        ValueError,
        TypeError,
        LookupError,
        NameError,
    ) as error:  # a division by zero
        kinds = "it adds or compares what is not of one kind, such as a number and a word"
        return f"{where}: its example fails in a formula: {kinds if isinstance(error, TypeError) else error}"
    return ""


def _list_new_types(system: System) -> Iterator[str]:
    """Unit types that a pack adds to the game which it inherits, whose sequences know their own
    alone.
    """
    if system.parent is not None:
        known = system.parent.words["units"].types
        if new := [type for type in system.words["units"].types if type not in known]:
            yield (
                f"{system.id}/game.yaml, row units types: the combat sequences of {system.parent.id} know nothing of "
                f"{', '.join(new)} and may refuse them; has the pack some for them?"
            )


def _list_large_commands(system: System) -> Iterator[str]:
    """Commands that Discord would not take, counted with their shortest descriptions."""
    known = Registry({system.id: system})
    for name in (system.id, f"{system.id}{TABLE}"):
        if (count := count_characters(known, name)) > MOST_CHARACTERS:
            yield (
                f"{system.id}: Discord takes 8,000 characters for a command with all that is below it, and /{name} has "
                f"about {count:,}: it would be missing there. Leave out inputs, or tables of the game that it inherits "
                "(TABLE.yaml with nothing but null), or make two packs of it"
            )


def count_characters(known: Registry, name: str) -> int:
    """About what Discord counts of a command: names and descriptions on every level."""
    specs = list(known.list_below((name,)))
    words = (
        len(name)
        + len(known.describe_name(name))
        + sum(
            len(spec.path[-1]) + min(len(known.get_title(spec)), LONGEST_SUMMARY) for spec in specs
        )
    )
    shown = [[option for option in spec.options if not option.form_only] for spec in specs]
    inputs = [option for options in shown for option in options[:MOST_SHOWN]]
    help = [
        option.brief
        or option.help
        or (option.name if option.type == "enum" else option.expectation)
        for option in inputs
    ]
    return (
        words
        + sum(len(option.name) for option in inputs)
        + sum(min(len(text), LONGEST_SUMMARY) for text in help)
    )


def _check_scenarios(system: System, found: _CheckResults, *, is_new: bool) -> int:
    try:
        names = system.list_files(SCENARIOS)
        for name in names:
            units = find_scenario(system, name).units
            if is_new and not found.faults:
                where = f"{system.id}/{SCENARIOS}/{name}.yaml, row units"
                found.faults += [
                    f"{where}: {said}" for said in list_refused_offers(system, units.values())
                ]
    except (TableError, UserError) as error:
        found.faults.append(str(error))
    return len(names)


def _check_decks(system: System, found: _CheckResults) -> int:
    try:
        for id, made in system.decks.items():
            file = f"{system.id}/{DECKS}/{id}.yaml"
            leads = is_cup(id, system)
            found.questions += asked_of(made, file, leads=leads)
            found.questions += _find_unowned_chits(system, made, file) if leads else ()
        return len(system.decks)
    except TableError as error:
        found.faults.append(str(error))
        return 0


def _find_unowned_chits(system: System, made: GameDeck, file: str) -> Iterator[str]:
    """Chits of a side that no scenario has, or of a formation that no unit can be of."""
    formation = system.words["units"].keys.get(FORMATION)
    sides = {
        side: ""
        for name in system.list_files(SCENARIOS)
        for side in find_scenario(system, name).sides
    }
    for key, words in (
        (SIDE, [*sides]),
        (FORMATION, formation.values if formation is not None else ()),
    ):
        for id, said in made.said.items():
            if words and (word := str(said.get(key, words[0]))) not in words:
                hint = did_you_mean(word, words) or f"There are {', '.join(words)}."
                yield f'{file}, row cards {id}, column {key}: nobody is of "{word}". {hint}'


def _find_unknown_sequences(system: System) -> Iterator[str]:
    """What game.yaml says of sequences that there are not."""
    above = [game for game in (getattr(system, "parent", None), system.base) if game is not None]
    known = [id for game in (system, *above) for id in game.sequences] + ["*"]
    for part in ("results", "odds", "scores"):
        for id in system.game.get(part) or ():
            if id not in known:
                hint = did_you_mean(str(id), known)
                yield f"{system.id}/game.yaml, row {part} {id}: there is no such sequence. {hint}".strip()


async def check_in_process(content: Content, seconds: float = UNTRUSTED_SECONDS) -> Report:
    """The report on a pack's files, made in a process of its own under limits of time and
    memory.
    """
    worker = Worker(seconds, stays=False)
    try:
        return await worker.run(check_content, dict(content))
    except TooManyStates:
        return Report(
            (
                f"it takes more than {seconds:g} seconds or too much memory to check: it is too costly",
            )
        )
    finally:
        await worker.close()


def check_path(path: Path) -> Report:
    """The report on a folder, a zip or a built-in system's folder. A zip is somebody else's: it
    gets little time.
    """
    if path.resolve().parent == Path(TABLES).resolve() and (path / "game.yaml").is_file():
        return check_system(System(path.name))
    try:
        content = read_content(path)
    except TableError as error:
        return Report((str(error),))
    seconds = OWN_SECONDS if path.is_dir() else UNTRUSTED_SECONDS
    return add_positions(asyncio.run(check_in_process(content, seconds)), content)


def format_report(report: Report) -> Iterator[str]:
    """A report as it is printed."""
    yield from (f"fault     {fault}" for fault in report.faults)
    yield from (f"question  {question}" for question in report.questions)
    yield from (f"odds      {odds}" for odds in report.odds)
    yield report.about if not report.faults else f"{len(report.faults)} to put right"
