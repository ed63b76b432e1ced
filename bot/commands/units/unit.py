"""`/unit add`, `edit`, `remove` and `import`: fill and change the roster."""

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.commands.context import Context
from bot.commands.declare import declare_command
from bot.commands.turns.mentions import call_sides
from bot.commands.units.unit_words import describe_changes, describe_unit, describe_units
from bot.commands.untrusted_text import parse_untrusted
from bot.game import cups
from bot.game.counter_faces import REDUCED
from bot.game.events import set_system
from bot.game.rights import need_player, need_receiving_side, need_units
from bot.game.roster import (
    add_units,
    check_name,
    count_units,
    create_handle,
    create_unit,
    edit_unit,
    is_open,
    is_stat,
    split_word,
)
from bot.game.roster_file import build_units, check_roster_size, read_roster_text
from bot.game.roster_fitting import fit_roster
from bot.game.roster_line import FIRST_LINE
from bot.game.roster_sheet import number_name, split_count
from bot.game.sides import MAX_SIDE, find_side, is_valid_side_name
from bot.game.state import Game, Units, build_roster
from bot.presentation.firers_and_targets import build_asking_side
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.inputs.unit_selectors import expand_names, list_names
from bot.rules.inputs.units import RosterUnit, UnitWords, find_unit
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import comparison_key, normalize_name, word_key
from bot.rules.text.phrase import phrase
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import System
from bot.ui.common_options import UNITS, YAML, build_optional
from bot.ui.reply.packing import ZIPPED, get_file_name, get_file_note, get_zip_data
from bot.ui.reply.reply import NOTHING, Reply
from bot.ui.typing.command_text import quote_value
from bot.ui.uploads.workbook import is_workbook, read_workbook

STATS = Option(
    "stats",
    "str",
    "numbers, state and markers: morale=5 fp=2 state=shaken marker=+moved",
    complete="stats",
    label="Numbers, state and markers",
)

SHOWN = 60
MAX_NOTES = 12
_COUNT = re.compile(r"(?<!\S)count=([1-9]\d?)(?!\S)")
NAME = "name"
_NEW_NAME = re.compile(r'\s*name=("[^"]*"|[^"]+)\s*', re.IGNORECASE)
NO_WORDS = UnitWords((), {}, {})


@declare_command(
    "unit add",
    "Add units to the roster",
    Option("name", "str", 'name; "Squad 1..4" adds four; it stays in the log', max=40),
    Option("type", "str", "a unit type in this game", complete="unit-type"),
    build_optional("side", "the unit's side", complete="side"),
    replace(STATS, optional=True),
    build_optional("reduced", "its reduced side: morale=4 fp=1", label="Reduced side"),
    example='"Squad 1" squad US morale=5 fp=2 reduced="morale=4 fp=1"',
    title="Add units",
    verb="Add",
    needs_game=True,
)
async def add_to_roster(context: Context) -> Reply:
    """Add one unit to the roster, or several with numbers in their names.

    In a channel without a game this begins free play. Raises UserError for values that the rule set
    does not know, for a user who may not add units of that side, and if the game has ended.
    """
    options = context.clean_options()
    game = context.open_game()
    need_player(game, context.actor)
    system = _find_system(game, options["type"], context.systems)
    _check_name_is_whole(options["name"], options["type"], system)
    typed_side = options["side"]
    stats = options["stats"] or ""
    if typed_side and _is_state_not_side(typed_side, game, system):
        # No side was typed, so the first word is a state or marker.
        stats = f"{typed_side} {stats}"
        typed_side = None
    if options["reduced"]:
        stats = f"{stats} {REDUCED}: {options['reduced']}"
    side = _choose_side(game, context.actor.side, typed_side)
    names, stats = _apply_count(options["name"], stats)
    drawn_cards = cups.list_unit_cards(game)
    units: dict[str, RosterUnit] = {}
    for name in expand_names(names):
        unit = create_unit(
            name,
            options["type"],
            side,
            stats,
            system,
            {**game.units, **units},
            drawn_cards,
            started=game.started,
        )
        units[unit.name.casefold()] = unit
    need_units(game, context.actor, units.values())
    return _record_new_units(context, game, system, units)


def _check_name_is_whole(name: str, type_: str, system: System) -> None:
    """Raise UserError if the type is a number: it is the end of a name with a space that was typed
    without quotation marks, and no unit type follows it.
    """
    types = system.words["units"].types
    if not type_.isdecimal() or not types:
        return
    raise UserError(
        f'"{type_[:40]}" is not a unit type.',
        hint=phrase(
            "For a unit called {name} {number}: `/unit add {unit} {type}`. Types are {types}.",
            name=name[:40],
            number=type_[:40],
            unit=quote_value(f"{name} {type_}"[:40]),
            type=types[0],
            types=", ".join(types),
        ),
        option="type",
        code="unknown-type",
    )


def _is_state_not_side(word: str, game: Game, system: System) -> bool:
    """Return whether the word is a state, marker or number of a unit, and no side of the game."""
    folded_sides = [comparison_key(side) for side in game.sides]
    return is_stat(word, system) and comparison_key(word) not in folded_sides


def _apply_count(names: str, stats: str) -> tuple[str, str]:
    """Return names and stats with a typed count as a range of names.

    `2nd Squad` with `count=3` becomes `2nd Squad 1..3`, and `3x Squad` becomes `Squad 1..3`.
    """
    match = _COUNT.search(stats)
    if match is not None and ".." not in names:
        return f"{names} 1..{match[1]}", _COUNT.sub(" ", stats)
    bare_name, count = split_count(names.strip())
    if count:
        return number_name(bare_name, int(count)), stats
    return names, stats


def _record_new_units(context: Context, game: Game, system: System, units: Units) -> Reply:
    """Store the event that adds the units, and return its answer. The first `SHOWN` are listed."""
    game_after = add_units(game if game.started else set_system(game, system), units.values())
    names = [unit.name for unit in units.values()]
    subject = names[0] if len(names) == 1 else f"{len(names)} units"
    context.ledger.add("unit", game_after, result=f"{subject} added")
    lines = describe_units([*units.values()][:SHOWN], system)
    return Reply(f"{context.user_name} adds {subject}", tuple(lines))


@declare_command(
    "unit import",
    "Add a whole roster from CSV or YAML, after checking all of it",
    build_optional("text", "CSV or YAML, pasted"),
    build_optional(
        "file",
        "a sheet (CSV, Excel), YAML or an army list",
        type="file",
        values=(".csv", ".tsv", ".txt", ".json", ".xlsx", *YAML),
    ),
    example='text="name,type,side,morale\\nSquad 1,squad,US,5"',
    needs_game=True,
)
async def import_units(context: Context) -> Reply:
    """Add the units of a roster that was sent as a file or as text.

    Raises UserError, and adds none, if one line of it is wrong.
    """
    options = context.clean_options()
    file = options["file"]
    text = file if isinstance(file, str) and file else options["text"]
    if not text:
        sent_file = context.command.options.get("file")
        message = "/unit import needs text or a file."
        if isinstance(sent_file, str):
            message = f"{get_file_name(sent_file) or 'The file'} is empty."
        raise UserError(message, hint=FIRST_LINE, code="missing")
    if not str(text).startswith(ZIPPED):
        check_roster_size(str(text))
    game = context.open_game()
    need_player(game, context.actor)
    system_id, units, roster_notes = await parse_untrusted(
        context,
        read_units,
        str(text),
        game,
        context.actor.side,
        context.systems,
        get_file_name(file),
    )
    need_units(game, context.actor, units.values())
    reply = _record_new_units(context, game, context.systems[system_id], units)
    notes = [note for note in (get_file_note(file), *roster_notes) if note]
    return replace(reply, lines=(*reply.lines, *_format_notes(notes)))


def _format_notes(notes: Sequence[str]) -> list[str]:
    """Return at most `MAX_NOTES` notes as sentences, and a last one on how many more there are."""
    lines = [f"{note[:1].upper()}{note[1:]}." for note in notes[:MAX_NOTES]]
    if len(notes) > MAX_NOTES:
        left_out = format_count(len(notes) - MAX_NOTES, "more note")
        lines.append(f"And {left_out}.")
    return lines


def read_units(
    text: str, game: Game, own_side: str, systems: RuleSets, file: str = ""
) -> tuple[str, dict[str, RosterUnit], tuple[str, ...]]:
    """Read the text of a roster. Return the id of its rule set, the new units by folded name, and
    notes on what was guessed or left out.

    `own_side` is that of units without one, `file` the name of the file. Raises UserError that
    names line and column.
    """
    text, sheet_notes = _read_workbook_text(text, file)
    roster = read_roster_text(text)
    system = _find_system(game, str(roster.rows[0].values.get("type", "")), systems)
    roster = fit_roster(roster, system)
    units = build_units(
        roster.rows,
        system,
        lambda typed: _choose_side(game, own_side, typed),
        game.units,
        started=game.started,
    )
    return system.id, units, (*sheet_notes, *roster.notes)


def _read_workbook_text(text: str, file: str) -> tuple[str, list[str]]:
    """Return the first sheet of a workbook as text, and notes. Any other text is returned as it is,
    without notes.

    `file` is the name of the file. Raises UserError for a zip that is no workbook.
    """
    data = get_zip_data(text)
    if data is None:
        return text, []
    if not is_workbook(data):
        raise UserError(
            f"{file or 'The file'} is a zip file, not a roster. Nothing was added.",
            hint="Send CSV, an Excel workbook, YAML, or JSON from a list builder.",
            option="file",
            code="bad-roster",
        )
    sheets, notes = read_workbook(data, file or "The file")
    if not sheets:
        raise UserError("The workbook is empty.", hint=FIRST_LINE, code="missing")
    first_sheet, *other_sheets = sheets
    if other_sheets:
        names = join_names([sheet.title for sheet in other_sheets])
        notes.append(
            f"only sheet {first_sheet.title} was read; send these as separate files: {names}"
        )
    return first_sheet.text, [*notes, *first_sheet.questions]


def _find_system(game: Game, type_: str, systems: RuleSets) -> System:
    """Return the rule set of the game, one of `systems`. Free play without units takes the only rule set that has the
    unit type.

    Raises UserError if none or several rule sets have it.
    """
    folded = word_key(type_).replace(" ", "-")
    system = systems.get(game.system)
    if system is not None and (not is_open(game) or folded in system.words["units"].types):
        return system
    games = [system for system in systems.values() if system.base is None]
    fitting = [system for system in games if folded in system.words["units"].types]
    if len(fitting) == 1:
        return fitting[0]
    names = ", ".join(system.id for system in fitting or games)
    clause = f"{names} know" if fitting else f"none of {names} knows"
    message = f'No game has been started here yet, and {clause} the unit type "{type_[:30]}".'
    if not folded:
        message = (
            "No game has been started here yet, so a name alone doesn't say what type a unit is."
        )
    hint = phrase('Start a game: `/game start lnlt "Hill 875" sides="US, VC"`.')
    raise UserError(message, hint=hint, option="type", code="no-system")


def _choose_side(game: Game, own_side: str, typed: str | None) -> str:
    """Return the side of new units: the typed one, otherwise the player's own.

    Raises UserError for a typed side that the game does not have or that cannot name a side.
    """
    return _find_side(game, typed) if typed else own_side


def _find_side(game: Game, typed: str) -> str:
    """Return the side of the game that was typed. A game without sides takes any short name.

    Raises UserError if the game has sides but not this one, or if the name is too long or would be
    misread.
    """
    if game.sides:
        return find_side(game, typed)
    side = " ".join(typed.split())
    if not is_valid_side_name(side):
        raise UserError(
            f"A side's name can have at most {MAX_SIDE} characters, without ; = or quotation marks.",
            option="side",
            code="bad-name",
        )
    return side


@declare_command(
    "unit edit",
    "Change units by hand",
    UNITS,
    STATS,
    example='"Squad 1" state=shaken marker=+moved',
    needs_game=True,
)
async def edit_units(context: Context) -> Reply:
    """Change numbers, state, markers, side or name of one or several units by hand.

    Raises UserError for values that the rule set does not know, if nothing changes, and for a user
    who may not change these units.
    """
    options = context.clean_options()
    game = context.need_open()
    units = find_units(context, options[NAME])
    need_units(game, context.actor, units)
    system = context.system
    if system is None:
        hint = phrase('Start a game: `/game start lnlt "Hill 875"`.')
        raise UserError("No game has been started here yet.", hint=hint, code="no-system")
    new_name = _NEW_NAME.fullmatch(options["stats"])
    if new_name is not None:
        return _rename_unit(context, units, new_name[1].strip(' "'), system)
    changes: list[tuple[RosterUnit, RosterUnit]] = []
    for unit in units:
        new_handles = [changed_unit.handle for _, changed_unit in changes]
        edited_unit = _apply_stats(game, unit, options["stats"], system, new_handles)
        if edited_unit != unit:
            changes.append((unit, edited_unit))
    if not changes:
        subject = units[0].name if len(units) == 1 else f"Each of the {count_units(len(units))}"
        raise UserError(
            f"{subject} already has these values.",
            hint=describe_unit(units[0], system),
            code="no-change",
        )
    need_receiving_side(game, context.actor, [edited_unit for _, edited_unit in changes])
    subject = changes[0][1].name if len(changes) == 1 else count_units(len(changes))
    units_after = {**game.units}
    for unit, edited_unit in changes:
        units_after[unit.name.casefold()] = edited_unit
    context.ledger.add("unit", replace(game, units=units_after), result=f"{subject} edited")
    lines = _describe_edits(changes, system)
    unchanged_count = len(units) - len(changes)
    if unchanged_count:
        lines.append(f"{count_units(unchanged_count)} already had these values.")
    other_sides = {unit.side for unit, _ in changes} - {context.actor.side, ""}
    mention = await call_sides(context, context.game, other_sides)
    title = f"{context.user_name} edits {subject}"
    return Reply(title, tuple(lines), tone=NOTHING, mention=mention)


def _describe_edits(changes: list[tuple[RosterUnit, RosterUnit]], system: System) -> list[str]:
    """Return a line for each different edit, with the names of the units if there are several.

    `changes` are (unit before, unit after).
    """
    names_by_text: dict[str, list[str]] = {}
    for unit_before, unit_after in changes:
        text = describe_changes(unit_before, unit_after, system)
        names_by_text.setdefault(text, []).append(unit_after.name)
    if len(changes) == 1:
        return list(names_by_text)
    return [f"{join_names(names)}: {text}" for text, names in names_by_text.items()]


def _rename_unit(context: Context, units: list[RosterUnit], typed: str, system: System) -> Reply:
    """Give the unit the typed name. Its handle stays, and its event stores the old name.

    Raises UserError for several units, and for a name that is taken or cannot be one.
    """
    game = context.game
    unit = units[0]
    if len(units) > 1:
        raise UserError("You can rename only one unit at a time.", option="stats", code="bad-value")
    key = unit.name.casefold()
    other_units = {other_key: other for other_key, other in game.units.items() if other_key != key}
    name = check_name(typed, other_units, system.words["units"])
    new_key = name.casefold()
    if new_key == key:
        raise UserError(f"{unit.name} is already called that.", option="stats", code="no-change")
    renamed_unit = replace(unit, name=name)
    # The unit keeps its position in the roster.
    units_after = {}
    for other_key, other in game.units.items():
        if other_key == key:
            units_after[new_key] = renamed_unit
        else:
            units_after[other_key] = other
    title = f"{unit.name} is now {name}"
    context.ledger.add("unit", replace(game, units=units_after), result=title, renamed=unit.name)
    line = describe_unit(renamed_unit, system)
    return Reply(title, (line,), by=context.user_name, tone=NOTHING)


def _apply_stats(
    game: Game, unit: RosterUnit, stats: str, system: System, taken_handles: list[str]
) -> RosterUnit:
    """Return the unit with the typed numbers, states and markers. On another side it gets a handle
    of that side, other than the taken ones.

    Raises UserError for a word that the rule set does not know, or that is another unit.
    """
    stat_words = []
    edited_unit = unit
    for word in stats.split():
        key, equals, value = split_word(word)
        if key.casefold() == NAME and equals:
            hint = phrase("By itself: `/unit edit {handle} name=...`", handle=unit.handle)
            raise UserError(
                "Change the name by itself.", hint=hint, option="stats", code="bad-value"
            )
        if key.casefold() == "side" and equals:
            edited_unit = replace(edited_unit, side=_find_side(game, value))
        else:
            _check_no_unit(game, unit, word, stats)
            stat_words.append(word)
    edited_unit = edit_unit(edited_unit, " ".join(stat_words), system)
    if edited_unit.side != unit.side:
        handle = create_handle(edited_unit.side, game.units, taken_handles)
        edited_unit = replace(edited_unit, handle=handle)
    return edited_unit


def _check_no_unit(game: Game, unit: RosterUnit, word: str, stats: str) -> None:
    """Raise UserError if a word of the stats of one unit is another unit of the roster."""
    other = build_roster(game).get(word.strip(",;").casefold())
    if other is None or other.name == unit.name:
        return
    stats_without_word = " ".join(stats.replace(word, " ", 1).split())
    hint = phrase(
        'To change both: `/unit edit "{first}, {second}" {rest}`',
        first=unit.handle,
        second=other.handle,
        rest=stats_without_word,
    )
    raise UserError(
        f"{other.name} is another unit: put lists of units in quotation marks.",
        hint=hint,
        option="stats",
        code="unknown-marker",
    )


@declare_command(
    "unit remove", "Take units off the roster", UNITS, example='"Squad 1"', needs_game=True
)
async def remove_from_roster(context: Context) -> Reply:
    """Remove units from the roster. Raises UserError for a user who may not change these units."""
    game = context.need_open()
    units = find_units(context, context.clean_options()[NAME])
    need_units(game, context.actor, units)
    removed_keys = {unit.name.casefold() for unit in units}
    units_after = {key: unit for key, unit in game.units.items() if key not in removed_keys}
    subject = units[0].name if len(units) == 1 else count_units(len(units))
    context.ledger.add("unit", replace(game, units=units_after), result=f"{subject} removed")
    lines = describe_units(units, context.system)
    return Reply(f"{context.user_name} removes {subject}", tuple(lines))


def find_units(context: Context, typed: str) -> list[RosterUnit]:
    """Return the units with the typed name, handle or selector (`GI 1..10`, `all shaken`).

    There is at least one. Raises UserError if no unit of the roster is meant, or if it is unclear
    which.
    """
    game = context.need_game()
    roster = build_roster(game)
    try:
        if not roster or normalize_name(typed).casefold() in roster:
            return [find_unit(typed, roster)]
        words = context.system.words["units"] if context.system is not None else NO_WORDS
        names = list_names(
            typed, words, roster, build_asking_side(NAME, context.actor.side, context.system)
        )
        return [roster[name.casefold()] for name in names] or [find_unit(typed, roster)]
    except UserError as error:
        error.option = NAME
        raise
