"""The buttons and menus under an answer to a roll, such as *Same shot, other target*.

Also the question before a shot at the player's own side or at nobody.
"""

from collections.abc import Iterable, Iterator, Mapping

from bot.commands.context import Context, save_draft
from bot.game.counter_faces import describe_condition
from bot.game.roster import get_hex, sort_units
from bot.game.state import Game, Json
from bot.presentation.firers_and_targets import Aim, find_own_targets, format_shot, has_no_target
from bot.presentation.unit_reasons import list_fit_targets
from bot.rules.errors import UserError
from bot.rules.inputs.options import ACTS, HELPS, OF_HEX, Option, is_of_target
from bot.rules.inputs.units import MAX_UNITS, RosterUnit
from bot.rules.sequence.sequence import Line
from bot.rules.text.names import join_names
from bot.rules.text.phrase import Phrase, Typed, split_pieces
from bot.rulesets.system import FIRES, Sequence, System, is_lost
from bot.ui.form.form_buttons import OF_EVENT, build_form_button
from bot.ui.registry import Registry
from bot.ui.reply.parts import Group, Small
from bot.ui.reply.reply import OPEN_FORM, Button, Menu, MenuEntry, Reply
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import format_command, parse_text

TARGETS = ("targets", "target")
NOT_ALLOWED = "not-allowed"
"""The result of what the card forbids."""
NONE = "none"
"""The word of a choice that was left out."""
MOST = 24
"""Maximum number of targets in a menu. One more entry opens the form."""
MANY = 4
"""Number of targets from which the menu offers to fire at all units."""
ALL, HEX = "all", "hex:"
LONGEST_HEX = 20


def find_retarget_option(spec: CommandSpec) -> Option | None:
    """Return the option with the targets of a shot; None if the command fires at no units."""
    if spec.verb not in FIRES:
        return None
    for option in spec.options:
        if option.name in TARGETS and option.type in ("units", "unit"):
            return option
    return None


def build_target_menu(
    context: Context, spec: CommandSpec, game_before: Game, side: str, facts: Json, number: int
) -> tuple[Menu, ...]:
    """Build the menu of other targets under a shot; nothing if there are none.

    Units in the hex of the old targets come first. `game_before` is the game before the shot,
    `side` that of the firers, `facts` are the fields of the event.
    """
    option = find_retarget_option(spec)
    game = context.game
    if option is None or not facts.get("inputs", {}).get(option.name) or not game.units:
        return ()
    acting = frozenset(facts.get("acting", ()))
    target_names = {unit["name"] for unit in facts.get("used", ())} - acting
    old_targets = [
        game_before.units[name.casefold()]
        for name in target_names
        if name.casefold() in game_before.units
    ]
    system = context.system
    units = list_opponents(game, acting, side, system)
    if len(old_targets) == 1:  # at the same one again is *Again*
        units = [unit for unit in units if unit.name != old_targets[0].name]
    if not units:
        return ()
    near_hexes = {get_hex(unit) for unit in old_targets} - {""}
    hex_of = {unit.name: get_hex(unit) for unit in units}
    units.sort(key=lambda unit: hex_of[unit.name] not in near_hexes)
    sequence = context.systems[spec.system].sequences[spec.target]
    units = list_fit_targets(sequence, option, units)
    if not units:
        return ()
    listed_units = units[:MOST]
    well_word = system.words["units"].sound.replace("-", " ") if system is not None else ""
    states = {unit.name: describe_condition(unit, system) or well_word for unit in listed_units}
    entries = []
    for unit in listed_units:
        description = _describe_unit(unit, states[unit.name], hex_of[unit.name])
        entries.append((unit.handle, unit.name, description))
    if option.type == "units":
        hexes = {unit.name: hex_of[unit.name] for unit in units}
        entries += _list_group_entries(hexes, many=len(old_targets) >= MANY)
    menu_entries = [
        MenuEntry(f"other:{context.ledger.row}:{number}:{key}", label, description)
        for key, label, description in entries[:MOST]
    ]
    form_entry = MenuEntry(build_change_button(context.ledger.row, number).action, "Type another…")
    return (Menu("Same shot, other target", (*menu_entries, form_entry), "Other target"),)


def build_change_button(row: str, number: int) -> Button:
    """Build the button that opens the filled form of event `number` of the game `row`."""
    return Button(f"{OPEN_FORM}{OF_EVENT}{row}:{number}", "Change…")


def suggest_first_shot(context: Context) -> Phrase:
    """Return the command of a first shot: the player's first unit at the first of another side.

    Empty if there are no such units, or if a shot takes more inputs.
    """
    game = context.game
    units = [unit for unit in sort_units(game.units.values()) if not is_lost(unit, context.system)]
    side = game.players.get(context.user_name) or next(iter(game.sides), "")
    own_unit = next((unit.handle for unit in units if unit.side == side), "")
    other_unit = next((unit.handle for unit in units if unit.side not in ("", side)), "")
    for spec in context.registry.list_below((game.system,)) if own_unit and other_unit else ():
        target = find_retarget_option(spec)
        required = [
            option for option in spec.options if option.is_required and option is not target
        ]
        if target is not None and len(required) == 1 and required[0].part == ACTS:
            shot = format_command(spec, {required[0].name: own_unit, target.name: other_unit})
            return Phrase("Your first shot: ", Typed(shot))
    return Phrase()


def list_opponents(
    game: Game, acting: frozenset[str], side: str, system: System | None
) -> list[RosterUnit]:
    """Return the units in play that the acting units could fire at, in the order of the roster.

    `acting` are names. `side` is the side of the firers if no unit of the roster acts,
    `system` the game's.
    """
    sides = {unit.side for unit in game.units.values() if unit.name in acting} or {side}
    units = [unit for unit in game.units.values() if not unit.side or unit.side not in sides]
    return sort_units(
        unit for unit in units if unit.name not in acting and not is_lost(unit, system)
    )


def find_menu_units(entry: str, units: Iterable[RosterUnit]) -> list[RosterUnit]:
    """Return those of `units` that an entry of the menu means: a handle, `hex:H5`, or `all`."""
    units = list(units)
    if entry == ALL:
        return units
    if entry.startswith(HEX):
        return [unit for unit in units if get_hex(unit) == entry.removeprefix(HEX)]
    return [unit for unit in units if unit.handle == entry]


def find_units_by_handle(handle: str, game: Game) -> list[RosterUnit]:
    """Return the unit with this handle as a list, even if it has left the fight."""
    return [unit for unit in game.units.values() if unit.handle == handle]


def _list_group_entries(units: Mapping[str, str], *, many: bool) -> Iterator[tuple[str, str, str]]:
    """Yield (key, label, description) for the units of each hex, and with `many` for all units.

    `units` gives the hex of each unit by name.
    """
    hexes: dict[str, list[str]] = {}
    for name, hex in units.items():
        hexes.setdefault(hex, []).append(name)
    for hex, names in hexes.items():
        if hex and 1 < len(names) <= MAX_UNITS and len(hex) < LONGEST_HEX:
            yield f"{HEX}{hex}", f"All in {hex}", join_names(names)
    if many and 1 < len(units) <= MAX_UNITS:
        yield ALL, "All of them", f"{len(units)} units"


def _describe_unit(unit: RosterUnit, state: str, hex: str) -> str:
    """Return a unit's type, if its name does not have it, with its state and hex."""
    kind = "" if unit.type.casefold() in unit.name.casefold() else unit.type
    return " · ".join(filter(None, (kind.replace("-", " "), state, hex)))


def replace_targets(
    spec: CommandSpec,
    inputs: Mapping[str, object],
    option: Option,
    targets: Iterable[RosterUnit],
    *,
    same_hex: bool = False,
) -> dict[str, object]:
    """Return the inputs of a shot at other targets.

    Inputs about the old targets are dropped, and inputs about their hex as well, unless the new
    targets are in the same hex.
    """
    dropped_names = set[str]()
    for target_option in _list_target_options(spec.options, option):
        if not same_hex or target_option.of != OF_HEX:
            dropped_names.add(target_option.name)
    remaining = {name: value for name, value in inputs.items() if name not in dropped_names}
    return {**remaining, option.name: "; ".join(target.name for target in targets)}


def describe_left_out(
    spec: CommandSpec, inputs: Mapping[str, object], carried_over: Mapping[str, object]
) -> str:
    """Return the sentence about inputs of the old target's hex that were dropped; "" for none."""
    words = []
    for option in spec.options:
        if not option.of or option.name not in inputs or option.name in carried_over:
            continue
        value = inputs[option.name]
        if value in (option.default, False, None, ""):
            continue
        words.append(option.display_name if option.type == "bool" else option.format_value(value))
    return f"Not carried over from the last target: {join_names(words)}." if words else ""


def _list_target_options(options: Iterable[Option], target: Option) -> Iterable[Option]:
    """Yield the options about the target: its numbers, its hex, and the units aboard."""
    for option in options:
        is_aboard = option.type in ("units", "unit") and option.part not in (ACTS, HELPS)
        if option is target or is_aboard or is_of_target(option, target.name):
            yield option


def ask_before_shot(
    context: Context, sequence: Sequence, options: Mapping[str, object], aim: Aim, side: str
) -> Reply | None:
    """Build the question before a shot at the player's own side or at nobody; None without need.

    A player who has answered it, or who has typed real dice, is not asked. `side` is that of the
    firers.
    """
    if context.is_confirmed or any(map(str.isdigit, str(options.get("hand") or ""))):
        return None
    verb = context.spec.verb
    question = ""
    own_targets = find_own_targets(sequence, aim, side)
    if own_targets:
        owner = "your" if not side or own_targets[0].side == side else f"{own_targets[0].side}'s"
        names = join_names(unit.name for unit in own_targets)
        question = f"{format_shot(verb)} {owner} own {names}"
    elif has_no_target(sequence, options, aim):
        shot = format_shot(verb)
        question = f"{verb} without a target" if shot == verb else f"{shot} nobody"
    if not question:
        return None
    draft = save_draft(context, context.spec.path, options)
    return Reply(
        f"{question}?",
        (
            Phrase(
                "Nothing has been rolled. Your command: ",
                Typed(format_command(context.spec, options)),
            ),
        ),
        private=True,
        buttons=(
            Button(
                f"anyway:{draft.key}",
                question if len(question) <= LONGEST else f"{format_shot(verb)} them",
                "primary" if own_targets else "plain",
            ),
            Button(
                f"form:draft:{draft.key}",
                *(("Change…",) if own_targets else ("Choose a target", "primary")),
            ),
            Button(f"cancel:{draft.key}", "Cancel"),
        ),
    )


LONGEST = 60
"""Maximum number of characters of a button that names the targets of a shot."""


MOST_LED = 2
"""Maximum number of buttons for the sequences that an answer names as the next step."""
PLACEHOLDERS = ("NAME", "NUMBER")
"""Placeholders in a printed command, which the reader fills in."""


def build_sequence_buttons(reply: Reply, registry: Registry) -> tuple[Button, ...]:
    """Build a button for each combat sequence whose command an answer prints. It opens the form."""
    texts = [part.text if isinstance(part, Small) else part for part in reply.lines]
    pieces = [piece for text in texts if isinstance(text, str) for piece in split_pieces(text)]
    buttons: dict[str, Button] = {}
    for piece in pieces:
        if not isinstance(piece, Typed):
            continue
        try:
            parsed = parse_text(piece, registry)
        except UserError:
            continue
        if parsed.spec.family == "sequence":
            items = parsed.options.items()
            options = {name: value for name, value in items if value not in PLACEHOLDERS}
            label = _get_button_name(parsed.spec, options)
            buttons[label] = build_form_button(parsed.spec.path, options, label, registry)
    return tuple(buttons.values())[:MOST_LED]


def _get_button_name(spec: CommandSpec, options: Mapping[str, object]) -> str:
    """Return the label of a command's button: `PAATC`, `Random Selection`."""
    words = [
        option.format_word(str(options[option.name]))
        for option in spec.options
        if option.type == "enum" and option.name in options
    ]
    return words[0] if words else spec.title


def build_roll_buttons(
    context: Context, reply: Reply, kind: str, facts: Json, number: int
) -> tuple[Button, ...]:
    """Build the buttons under a roll, except *Undo*: *Again*, *Change…*, *Odds* and *Dice*.

    A roll that the card refused has no *Again*, which would be refused too.
    """
    if kind == "sequence" and _is_refused(facts):
        return (_build_mending_button(context, facts, number),)
    buttons = [context.build_button("again", "Again", number)]
    if kind == "sequence":
        buttons.append(build_change_button(context.ledger.row, number))
        if facts.get("dice"):
            is_grouped = any(isinstance(part, Group) for part in reply.lines)
            if not is_grouped:
                buttons.append(context.build_odds_button(number))
            if is_grouped or count_shown_dice(reply) < len(facts["dice"]):
                buttons.append(context.build_button("dice", "Dice", number))
    return tuple(buttons)


def _is_refused(facts: Json) -> bool:
    """Return whether the card allowed none of the units of an event to roll.

    `facts` are the fields of the event. False if it has dice, or any other result than NOT_ALLOWED.
    """
    if facts.get("dice"):
        return False
    out = facts.get("out", {})
    rows = [out]
    for value in out.values():
        if isinstance(value, list):
            rows += value
    results = set[str]()
    for row in rows:
        if isinstance(row, dict):
            results |= {str(row[name]) for name in ("result", "outcome") if name in row}
    return results == {NOT_ALLOWED}


def _build_mending_button(context: Context, facts: Json, number: int) -> Button:
    """Return *Change…* in colour, called after the choice that was left out: *Who rallies them…*."""
    inputs = facts.get("inputs", {})
    left_out = [
        option.display_name
        for option in context.spec.options
        if option.type == "enum" and option.label and inputs.get(option.name) == NONE
    ]
    button = build_change_button(context.ledger.row, number)._replace(style="primary")
    if not left_out:
        return button
    return button._replace(label=f"{left_out[0]}…")


def count_shown_dice(reply: Reply) -> int:
    """Return the number of dice in an answer's lines outside its trace. `6 ×3` counts as three."""
    lines = [part for index, part in enumerate(reply.lines) if index not in reply.trace]
    faces = [str(die) for line in lines if isinstance(line, Line) for die in line.dice]
    return sum(int(face.partition(TIMES)[2] or 1) for face in faces)


TIMES = "\u00a0×"
"""The sign between a face and its number, in a line that groups identical dice."""
