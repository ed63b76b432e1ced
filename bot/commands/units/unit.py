"""`/unit add`, `edit`, `remove` and `import`: the roster as it is filled and changed."""

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
from bot.game.rights import need_player, need_units
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
from bot.rulesets.catalog import get_systems
from bot.rulesets.system import System
from bot.ui.common_options import UNITS, YAML, build_optional
from bot.ui.reply.packing import ZIPPED, get_file_name, get_file_note, get_zip_data
from bot.ui.reply.reply import NOTHING, Reply
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
    Option("type", "str", "unit type of the game", complete="unit-type"),
    build_optional("side", "the side that the unit is on", complete="side"),
    replace(STATS, optional=True),
    build_optional("reduced", "its reduced side: morale=4 fp=1", label="Reduced side"),
    example='"Squad 1" squad US morale=5 fp=2 reduced="morale=4 fp=1"',
    title="Add units",
    verb="Add",
    needs_game=True,
)
async def add_to_roster(context: Context) -> Reply:
    """Add one unit, or a numbered row of them."""
    options = context.clean_options()
    game = context.open_game()
    need_player(game, context.actor)
    system = _find_system(game, options["type"])
    typed = options["side"]
    stats = options["stats"] or ""
    if (
        typed
        and is_stat(typed, system)
        and comparison_key(typed) not in map(comparison_key, game.sides)
    ):
        typed, stats = (
            None,
            f"{typed} {stats}",
        )  # no side was typed: the first bare word is a state or marker
    if options["reduced"]:
        stats = f"{stats} {REDUCED}: {options['reduced']}"
    side = _choose_side(game, context.actor.side, typed)
    units: dict[str, RosterUnit] = {}
    names = options["name"]
    if (
        found := _COUNT.search(stats)
    ) is not None and ".." not in names:  # 2nd Squad count=3 is 2nd Squad 1..3
        names = f"{names} 1..{found[1]}"
        stats = _COUNT.sub(" ", stats)
    else:
        bare_name, count = split_count(names.strip())  # 3x Squad is Squad 1..3
        names = number_name(bare_name, int(count)) if count else names
    drawn = cups.list_unit_cards(game)
    for name in expand_names(names):
        unit = create_unit(
            name,
            options["type"],
            side,
            stats,
            system,
            {**game.units, **units},
            drawn,
            started=game.started,
        )
        units[unit.name.casefold()] = unit
    need_units(game, context.actor, units.values())
    return _record_new_units(context, game, system, units)


def _record_new_units(context: Context, game: Game, system: System, units: Units) -> Reply:
    after = add_units(game if game.started else set_system(game, system), units.values())
    names = [unit.name for unit in units.values()]
    told = names[0] if len(names) == 1 else f"{len(names)} units"
    context.ledger.add("unit", after, result=f"{told} added")
    return Reply(
        f"{context.user_name} adds {told}", tuple(describe_units([*units.values()][:SHOWN], system))
    )


@declare_command(
    "unit import",
    "Add a whole roster from CSV or YAML, checked before anything is added",
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
    """A whole roster; everything in it is checked before any unit is added. Raises UserError."""
    options = context.clean_options()
    file = options["file"]
    text = file if isinstance(file, str) and file else options["text"]
    if not text:
        sent = context.command.options.get("file")
        name = get_file_name(sent) or "The file"
        is_sent = isinstance(sent, str)
        what = f"{name} is empty." if is_sent else "/unit import needs text or a file."
        raise UserError(what, hint=FIRST_LINE, code="missing")
    if not str(text).startswith(ZIPPED):
        check_roster_size(str(text))
    game = context.open_game()
    need_player(game, context.actor)
    id, units, notes = await parse_untrusted(
        context, read_units, str(text), game, context.actor.side, get_file_name(file)
    )
    need_units(game, context.actor, units.values())
    reply = _record_new_units(context, game, context.systems[id], units)
    notes = tuple(filter(None, (get_file_note(file), *notes)))
    return replace(reply, lines=(*reply.lines, *_format_notes(notes)))


def _format_notes(notes: Sequence[str]) -> list[str]:
    """Return what was understood and left out, each note as a sentence."""
    lines = [f"{note[:1].upper()}{note[1:]}." for note in notes[:MAX_NOTES]]
    if len(notes) > MAX_NOTES:
        more = format_count(len(notes) - MAX_NOTES, "more note")
        lines.append(f"And {more}.")
    return lines


def read_units(
    text: str, game: Game, own_side: str, file: str = ""
) -> tuple[str, dict[str, RosterUnit], tuple[str, ...]]:
    """Return the system of a roster by its id, the new units of the game by folded name, and what
    was guessed or left out.

    `own_side` is that of units without one. Raises UserError that names line and column.
    """
    text, sheet_notes = _read_workbook_text(text, file)
    roster = read_roster_text(text)
    system = _find_system(game, str(roster.rows[0].values.get("type", "")))
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
    """Return the first sheet of a workbook as text, and notes; any other text as it is. Raises
    UserError for another zip.
    """
    data = get_zip_data(text)
    if data is None:
        return text, []
    if not is_workbook(data):
        raise UserError(
            f"{file or 'The file'} is a zip, and no roster. Nothing was added.",
            hint="Send CSV, an Excel workbook, YAML, or the JSON of a list builder.",
            option="file",
            code="bad-roster",
        )
    sheets, notes = read_workbook(data, file or "The file")
    if not sheets:
        raise UserError("The workbook is empty.", hint=FIRST_LINE, code="missing")
    first, *others = sheets
    if others:
        names = join_names([sheet.title for sheet in others])
        notes.append(
            f"sheet {first.title} is read; left out: {names}, which go into files of their own"
        )
    return first.text, [*notes, *first.questions]


def _find_system(game: Game, type_: str) -> System:
    """The game's system; free play without units takes the only one that knows the unit type."""
    folded = word_key(type_).replace(" ", "-")
    system = get_systems().get(game.system)
    if system is not None and (not is_open(game) or folded in system.words["units"].types):
        return system
    games = [system for system in get_systems().values() if system.base is None]
    fitting = [system for system in games if folded in system.words["units"].types]
    if len(fitting) == 1:
        return fitting[0]
    names = ", ".join(system.id for system in fitting or games)
    known = f"{names} know" if fitting else f"none of {names} knows"
    what = f'This channel has no system yet, and {known} the unit type "{type_[:30]}".'
    if not folded:
        what = "This channel has no system yet, so no type can be read from a name."
    hint = phrase('Start a game: `/game start lnlt "Hill 875" sides="US, VC"`.')
    raise UserError(what, hint=hint, option="type", code="no-system")


def _choose_side(game: Game, own_side: str, typed: str | None) -> str:
    """The side of new units: as typed, else the player's own."""
    return _find_side(game, typed) if typed else own_side


def _find_side(game: Game, typed: str) -> str:
    """A side of the game; in one that named none any short name. Raises UserError."""
    if game.sides:
        return find_side(game, typed)
    side = " ".join(typed.split())
    if not is_valid_side_name(side):
        raise UserError(
            f"A side has at most {MAX_SIDE} characters, and no ; = or quotation marks.",
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
    """Change numbers, state, markers, side or name by hand; what is typed is for each of several
    units. Raises UserError."""
    options = context.clean_options()
    game = context.need_open()
    units = find_units(context, options[NAME])
    need_units(game, context.actor, units)
    if (system := context.system) is None:
        hint = phrase('Start a game: `/game start lnlt "Hill 875"`.')
        raise UserError("This channel has no system yet.", hint=hint, code="no-system")
    if (new_name := _NEW_NAME.fullmatch(options["stats"])) is not None:
        return _rename_unit(context, units, new_name[1].strip(' "'), system)
    changed: list[tuple[RosterUnit, RosterUnit]] = []
    for unit in units:
        new = _apply_stats(game, unit, options["stats"], system, [now.handle for _, now in changed])
        if new != unit:
            changed.append((unit, new))
    if not changed:
        who = units[0].name if len(units) == 1 else f"Each of the {count_units(len(units))}"
        raise UserError(
            f"{who} already has these values.",
            hint=describe_unit(units[0], system),
            code="no-change",
        )
    need_units(game, context.actor, [new for _, new in changed])
    who = changed[0][1].name if len(changed) == 1 else count_units(len(changed))
    after = {**game.units, **{unit.name.casefold(): new for unit, new in changed}}
    context.ledger.add("unit", replace(game, units=after), result=f"{who} edited")
    told: dict[str, list[str]] = {}
    for old, new in changed:
        told.setdefault(describe_changes(old, new, system), []).append(new.name)
    lines = [
        f"{join_names(names)}: {said}" if len(changed) > 1 else said for said, names in told.items()
    ]
    if same := len(units) - len(changed):
        lines.append(f"{count_units(same)} had these values already.")
    theirs = {unit.side for unit, _ in changed} - {context.actor.side, ""}
    mention = await call_sides(context, context.game, theirs)
    return Reply(f"{context.user_name} edits {who}", tuple(lines), tone=NOTHING, mention=mention)


def _rename_unit(context: Context, units: list[RosterUnit], typed: str, system: System) -> Reply:
    """The unit under another name; its handle stays, and the log knows it by both."""
    game = context.game
    unit = units[0]
    if len(units) > 1:
        raise UserError("One unit at a time gets a new name.", option="stats", code="bad-value")
    key = unit.name.casefold()
    rest = {at: other for at, other in game.units.items() if at != key}
    name = check_name(typed, rest, system.words["units"])
    if name.casefold() == key:
        raise UserError(f"{unit.name} is called that already.", option="stats", code="no-change")
    after = {(name.casefold() if at == key else at): other for at, other in game.units.items()}
    after[name.casefold()] = replace(unit, name=name)
    told = f"{unit.name} is now {name}"
    context.ledger.add("unit", replace(game, units=after), result=told, renamed=unit.name)
    return Reply(
        told, (describe_unit(after[name.casefold()], system),), by=context.user_name, tone=NOTHING
    )


def _apply_stats(
    game: Game, unit: RosterUnit, stats: str, system: System, taken: list[str]
) -> RosterUnit:
    """The unit with what was typed; on another side it gets a handle of that side."""
    rest = []
    changed = unit
    for word in stats.split():
        key, equals, value = split_word(word)
        if key.casefold() == NAME and equals:
            hint = phrase("By itself: `/unit edit {handle} name=...`", handle=unit.handle)
            raise UserError("A new name goes alone.", hint=hint, option="stats", code="bad-value")
        if key.casefold() == "side" and equals:
            changed = replace(changed, side=_find_side(game, value))
        else:
            _check_no_unit(game, unit, word, stats)
            rest.append(word)
    changed = edit_unit(changed, " ".join(rest), system)
    if changed.side != unit.side:
        changed = replace(changed, handle=create_handle(changed.side, game.units, taken))
    return changed


def _check_no_unit(game: Game, unit: RosterUnit, word: str, stats: str) -> None:
    """Raise UserError for another unit among the numbers and states of one."""
    other = build_roster(game).get(word.strip(",;").casefold())
    if other is None or other.name == unit.name:
        return
    rest = " ".join(stats.replace(word, " ", 1).split())
    hint = phrase(
        'For both type: `/unit edit "{first}, {second}" {rest}`',
        first=unit.handle,
        second=other.handle,
        rest=rest,
    )
    raise UserError(
        f"{other.name} is another unit: list units in quotation marks.",
        hint=hint,
        option="stats",
        code="unknown-marker",
    )


@declare_command(
    "unit remove", "Take units off the roster", UNITS, example='"Squad 1"', needs_game=True
)
async def remove_from_roster(context: Context) -> Reply:
    """Take units off the roster."""
    game = context.need_open()
    units = find_units(context, context.clean_options()[NAME])
    need_units(game, context.actor, units)
    gone = {unit.name.casefold() for unit in units}
    after = {key: other for key, other in game.units.items() if key not in gone}
    who = units[0].name if len(units) == 1 else count_units(len(units))
    context.ledger.add("unit", replace(game, units=after), result=f"{who} removed")
    return Reply(f"{context.user_name} removes {who}", tuple(describe_units(units, context.system)))


def find_units(context: Context, typed: str) -> list[RosterUnit]:
    """The units that a name, a range or a choice means: at least one. Raises UserError."""
    game = context.need_game()
    roster = build_roster(game)
    try:
        if not roster or normalize_name(typed).casefold() in roster:
            return [find_unit(typed, roster)]
        words = context.system.words["units"] if context.system is not None else NO_WORDS
        names = list_names(typed, words, roster, build_asking_side(NAME, context.actor.side))
        return [roster[name.casefold()] for name in names] or [find_unit(typed, roster)]
    except UserError as error:
        error.option = NAME
        raise
