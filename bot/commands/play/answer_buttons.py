"""Buttons and menus under an answer to dice, *Same shot, other target* among them; and the question
before a shot at one's own side or at nobody."""

from collections.abc import Iterable, Iterator, Mapping

from bot.commands.context import Context, save_draft
from bot.game.counter_faces import describe_condition
from bot.game.roster import get_hex, has_left_fight, sort_units
from bot.game.state import Game, Json
from bot.preferences.forms import OF_EVENT, build_form_button
from bot.presentation.firers_and_targets import Aim, find_own_targets, has_no_target
from bot.presentation.unit_reasons import list_fit_targets
from bot.rules.errors import UserError
from bot.rules.inputs.options import ACTS, HELPS, OF_HEX, Option, is_of_target
from bot.rules.inputs.units import MAX_UNITS, RosterUnit
from bot.rules.sequence.sequence import Line
from bot.rules.text.names import join_names
from bot.rules.text.phrase import Phrase, Typed, split_pieces
from bot.rulesets.system import FIRES, Sequence
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
"""Targets in a menu; one entry more opens the form."""
MANY = 4
"""From so many targets on a shot may as well be at all there are."""
ALL, HEX = "all", "hex:"
LONGEST_HEX = 20


def find_retarget_option(spec: CommandSpec) -> Option | None:
    """The option that says whom a shot is at; None where the same cannot be done to another."""
    if spec.verb not in FIRES:
        return None
    return next(
        (
            option
            for option in spec.options
            if option.name in TARGETS and option.type in ("units", "unit")
        ),
        None,
    )


def build_target_menu(
    context: Context, spec: CommandSpec, was: Game, side: str, facts: Json, number: int
) -> tuple[Menu, ...]:
    """The menu under a shot: units in play that it could be fired at, those beside its target
    first; `side` is that of who fires."""
    option = find_retarget_option(spec)
    game = context.game
    if option is None or not facts.get("inputs", {}).get(option.name) or not game.units:
        return ()
    acting = frozenset(facts.get("acting", ()))
    used = {unit["name"] for unit in facts.get("used", ())} - acting
    at = [was.units[name.casefold()] for name in used if name.casefold() in was.units]
    units = list_opponents(game, acting, side)
    if len(at) == 1:  # at the same one again is *Again*
        units = [unit for unit in units if unit.name != at[0].name]
    if not units:
        return ()
    near = {get_hex(unit) for unit in at} - {""}
    where = {unit.name: get_hex(unit) for unit in units}
    units.sort(key=lambda unit: where[unit.name] not in near)
    system = context.systems.get(game.system)
    sequence = context.systems[spec.system].sequences[spec.target]
    units = list_fit_targets(sequence, option, units)
    if not units:
        return ()
    shown = units[:MOST]
    sound = system.words["units"].sound.replace("-", " ") if system is not None else ""
    states = {unit.name: describe_condition(unit, system) or sound for unit in shown}
    entries = [
        (one.handle, one.name, _describe_unit(one, states[one.name], where[one.name]))
        for one in shown
    ]
    if option.type == "units":
        entries = [
            *entries,
            *_list_group_entries(
                {one.name: where[one.name] for one in units}, many=len(at) >= MANY
            ),
        ][:MOST]
    listed = [
        MenuEntry(f"other:{context.ledger.row}:{number}:{whom}", *told) for whom, *told in entries
    ]
    another = MenuEntry(build_change_button(context.ledger.row, number).action, "Type another…")
    return (Menu("Same shot, other target", (*listed, another), "Other target"),)


def build_change_button(row: str, number: int) -> Button:
    """A button that opens the form of what event `number` of the game `row` did, filled in, for
    whoever presses it.
    """
    return Button(f"{OPEN_FORM}{OF_EVENT}{row}:{number}", "Change…")


def suggest_first_shot(context: Context) -> Phrase:
    """What to type for a first shot, one's own first unit at the first of another side; empty
    where it takes more.
    """
    game = context.game
    units = [unit for unit in sort_units(context.game.units.values()) if not has_left_fight(unit)]
    side = game.players.get(context.user_name) or next(iter(game.sides), "")
    own = next((unit.handle for unit in units if unit.side == side), "")
    other = next((unit.handle for unit in units if unit.side not in ("", side)), "")
    for spec in context.registry.list_below((game.system,)) if own and other else ():
        target = find_retarget_option(spec)
        needed = [option for option in spec.options if option.is_required and option is not target]
        if target is not None and len(needed) == 1 and needed[0].part == ACTS:
            shot = format_command(spec, {needed[0].name: own, target.name: other})
            return Phrase("A first shot: ", Typed(shot))
    return Phrase()


def list_opponents(game: Game, acting: frozenset[str], side: str) -> list[RosterUnit]:
    """The units in play that those who act could fire at; `side` is theirs where no unit of the
    roster acts.
    """
    sides = {unit.side for unit in game.units.values() if unit.name in acting} or {side}
    units = [unit for unit in game.units.values() if not unit.side or unit.side not in sides]
    return sort_units(
        unit for unit in units if unit.name not in acting and not has_left_fight(unit)
    )


def find_menu_units(whom: str, units: Iterable[RosterUnit]) -> list[RosterUnit]:
    """The units that an entry of the menu stands for: a handle, `hex:H5`, or all."""
    units = list(units)
    if whom == ALL:
        return units
    if whom.startswith(HEX):
        return [unit for unit in units if get_hex(unit) == whom.removeprefix(HEX)]
    return [unit for unit in units if unit.handle == whom]


def find_units_by_handle(handle: str, game: Game) -> list[RosterUnit]:
    """The unit with this handle, also one that is gone."""
    return [unit for unit in game.units.values() if unit.handle == handle]


def _list_group_entries(units: Mapping[str, str], *, many: bool) -> Iterator[tuple[str, str, str]]:
    """Entries for all `units` (where each is, by name) of a hex, and for all there are where the
    shot was at many.
    """
    hexes: dict[str, list[str]] = {}
    for name, where in units.items():
        hexes.setdefault(where, []).append(name)
    for where, names in hexes.items():
        if where and 1 < len(names) <= MAX_UNITS and len(where) < LONGEST_HEX:
            yield f"{HEX}{where}", f"All in {where}", join_names(names)
    if many and 1 < len(units) <= MAX_UNITS:
        yield ALL, "All of them", f"{len(units)} units"


def _describe_unit(unit: RosterUnit, state: str, where: str) -> str:
    """What one chooses by: type where the name does not say it, all that ails it, hex."""
    kind = "" if unit.type.casefold() in unit.name.casefold() else unit.type
    return " · ".join(filter(None, (kind, state, where)))


def replace_targets(
    spec: CommandSpec,
    inputs: Mapping[str, object],
    option: Option,
    targets: Iterable[RosterUnit],
    *,
    same_hex: bool = False,
) -> dict[str, object]:
    """Return the inputs of a shot at other targets.

    What was given of the old targets is left out, and of their hex unless the others are in the
    same one: the new ones bring it for themselves.
    """
    left_out = {
        other.name
        for other in _list_target_options(spec.options, option)
        if not (same_hex and other.of == OF_HEX)
    }
    kept = {name: value for name, value in inputs.items() if name not in left_out}
    return {**kept, option.name: "; ".join(target.name for target in targets)}


def describe_left_out(
    spec: CommandSpec, inputs: Mapping[str, object], kept: Mapping[str, object]
) -> str:
    """Return what of the old target's hex does not count for the new target, as a sentence."""
    left_out = [
        option
        for option in spec.options
        if option.of and option.name in inputs and option.name not in kept
    ]
    words = [
        option.display_name
        if option.type == "bool"
        else f"{option.display_name} {inputs[option.name]}"
        for option in left_out
        if inputs[option.name] not in (option.default, False, None, "")
    ]
    return f"Not carried over from the last target: {join_names(words)}." if words else ""


def _list_target_options(options: Iterable[Option], target: Option) -> Iterable[Option]:
    """Options that speak of the target: its numbers, its hex, and who is aboard."""
    for option in options:
        aboard = option.type in ("units", "unit") and option.part not in (ACTS, HELPS)
        if option is target or aboard or is_of_target(option, target.name):
            yield option


def ask_before_shot(
    context: Context, sequence: Sequence, options: Mapping[str, object], aim: Aim, side: str
) -> Reply | None:
    """What whoever fires so, for `side`, is asked first; None where nothing needs asking, or they
    were asked.

    Who rolls real dice has been asked before the first of them.
    """
    if context.is_confirmed or any(map(str.isdigit, str(options.get("hand") or ""))):
        return None
    verb = context.spec.verb
    button = ""
    if own := find_own_targets(sequence, aim, side):
        whose = "your" if not side or own[0].side == side else f"{own[0].side}'s"
        button = f"{verb} at {whose} own {join_names(unit.name for unit in own)}"
    elif has_no_target(sequence, options, aim):
        button = f"{verb} at nobody"
    if not button:
        return None
    draft = save_draft(context, context.spec.path, options)
    return Reply(
        f"{button}?",
        (Phrase("Nothing is rolled yet: ", Typed(format_command(context.spec, options))),),
        private=True,
        buttons=(
            Button(
                f"anyway:{draft.key}",
                button if len(button) <= LONGEST else f"{verb} at them",
                "primary" if own else "plain",
            ),
            Button(
                f"form:draft:{draft.key}",
                *(("Change…",) if own else ("Choose a target", "primary")),
            ),
            Button(f"cancel:{draft.key}", "Cancel"),
        ),
    )


LONGEST = 60
"""Characters of a button that names whom a shot is at."""


MOST_LED = 2
"""Buttons for what an answer calls for next."""
PLACEHOLDERS = ("NAME", "NUMBER")
"""A placeholder in a command, which the reader fills in."""


def build_sequence_buttons(reply: Reply, registry: Registry) -> tuple[Button, ...]:
    """Return a button for each combat sequence whose command is printed in an answer: it opens the
    form.
    """
    texts = [part.text if isinstance(part, Small) else part for part in reply.lines]
    pieces = [piece for text in texts if isinstance(text, str) for piece in split_pieces(text)]
    found: dict[str, Button] = {}
    for piece in pieces:
        if not isinstance(piece, Typed):
            continue
        try:
            parsed = parse_text(piece, registry)
        except UserError:
            continue
        if parsed.spec.family == "sequence":
            typed = parsed.options.items()
            options = {name: value for name, value in typed if value not in PLACEHOLDERS}
            label = _get_button_name(parsed.spec, options)
            found[label] = build_form_button(parsed.spec.path, options, label, registry)
    return tuple(found.values())[:MOST_LED]


def _get_button_name(spec: CommandSpec, options: Mapping[str, object]) -> str:
    """Return what a command is called on its button: `PAATC`, `Random Selection`."""
    words = [
        option.format_word(str(options[option.name]))
        for option in spec.options
        if option.type == "enum" and option.name in options
    ]
    return words[0] if words else spec.title


def build_roll_buttons(
    context: Context, reply: Reply, kind: str, facts: Json, number: int
) -> tuple[Button, ...]:
    """What hangs under every roll beside *Undo*: once more, changed, its odds.

    A roll that the card refused has no *Again*, which would be refused too.
    """
    if kind == "sequence" and _is_refused(facts):
        return (_build_mending_button(context, facts, number),)
    buttons = [context.build_button("again", "Again", number)]
    if kind == "sequence":
        buttons.append(build_change_button(context.ledger.row, number))
        if facts.get("dice"):
            counted = any(isinstance(part, Group) for part in reply.lines)
            if not counted:
                buttons.append(context.build_button("odds", "Odds", number))
            if counted or count_shown_dice(reply) < len(facts["dice"]):
                buttons.append(context.build_button("dice", "Dice", number))
    return tuple(buttons)


def _is_refused(facts: Json) -> bool:
    """Return whether the card allowed none of the units of an event to roll."""
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
    """Return how many dice stand in the lines that an answer shows at once; `6 ×3` is three."""
    lines = [part for at, part in enumerate(reply.lines) if at not in reply.trace]
    faces = [str(die) for line in lines if isinstance(line, Line) for die in line.dice]
    return sum(int(face.partition(TIMES)[2] or 1) for face in faces)


TIMES = "\u00a0×"
"""Between a face and how often it fell, where alike dice stand together."""
