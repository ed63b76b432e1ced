"""The values filled into a form, as options of its command. Options that the form did not show
stay as they are.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, clean, split_words
from bot.rules.inputs.units import index_by_name
from bot.ui.form.form import (
    FLAGS,
    HOW,
    OTHERS,
    ROLL,
    ROLL_MODE_PREFIX,
    Field,
    Form,
    drop_inactive_options,
    get_roll_mode,
    set_roll_mode,
)
from bot.ui.form.line_and_keypad import REST, read_rest, shorten_label
from bot.ui.form.roster_flags import find_roster_flags
from bot.ui.form.unit_menu import TYPED, update_unit_list
from bot.ui.spec import CommandSpec
from bot.ui.typing.complete import CompletionContext, keep_usable_context, takes_own_units

Filled = Mapping[str, object]
"""The values of a form by field: a text, a list of chosen values, or a file as the platform
describes it.
"""


@dataclass(frozen=True, slots=True)
class FormResult:
    """The result of a submitted form: the options, the roll mode that they set (one of ROLL, ODDS,
    SECRET and HAND), and the first refusal, if any.
    """

    options: dict[str, object]
    roll_mode: str = ROLL
    problem: UserError | None = None


def evaluate_form(
    spec: CommandSpec, context: CompletionContext, form: Form, filled: Filled
) -> FormResult:
    """Return the options of a form with the values that were filled in.

    Fields that are not in `filled` keep their values. A refused value becomes the result's problem;
    if it is a text it stays in the options, except that of the line for everything else. If the
    values make a further option count that the form did not show, the problem asks for it.
    """
    context = keep_usable_context(context, spec)
    options = dict(form.options)
    problem = None
    for field in form.fields:
        if field.name == HOW or field.name not in filled:
            continue
        value = filled[field.name]
        try:
            if field.name == FLAGS:
                options = _apply_ticked_roll_mode(spec, options, field, _to_list(value))
            options = _apply_field(spec, options, field, value, form, context)
        except UserError as error:
            problem = problem or error
            is_text = isinstance(value, str) and field.name != REST
            options = _set_option(options, field.name, value if is_text else "")
    active = {option.name for option in drop_inactive_options(spec, options).options}
    options = {
        name: value
        for name, value in options.items()
        if name in active or spec.find_option(name) is None
    }
    problem = problem or _ask_for_new_option(spec, form, active)
    roll_mode = _read_roll_mode(spec, form, filled, options)
    return FormResult(set_roll_mode(spec, options, roll_mode), roll_mode, problem)


def _read_roll_mode(
    spec: CommandSpec, form: Form, filled: Filled, options: Mapping[str, object]
) -> str:
    """Return the roll mode chosen in the form, or else the one that it was opened with.

    Without a field for it, the roll mode follows from the options: the line of text can set it.
    """
    if form.find_field(HOW) is None:
        return get_roll_mode(spec, options)
    selected = _to_list(filled.get(HOW))
    return selected[0] if selected else get_roll_mode(spec, form.options)


def _apply_field(
    spec: CommandSpec,
    options: dict[str, object],
    field: Field,
    value: object,
    form: Form,
    context: CompletionContext,
) -> dict[str, object]:
    """Return the options with the value of one field. Raises UserError if it is refused."""
    if field.name == FLAGS:
        roster_flags = find_roster_flags(spec, form.options, context)
        return _apply_flags(spec, options, field, _to_list(value), roster_flags)
    if field.name == REST:
        return _merge_rest(spec, options, field, str(value or ""))
    if field.name == OTHERS:
        return _apply_other_units(spec, options, field, str(value or ""), context)
    return _apply_option(options, field, value, context)


def _ask_for_new_option(spec: CommandSpec, form: Form, active: set[str]) -> UserError | None:
    """Return the refusal that asks for the first option which counts by now, but was not in the
    form; None if there is no such option.
    """
    form_names = {name for field in form.fields for name in (field.name, *field.covers)}
    for option in spec.options:
        if option.when and option.name in active and option.name not in form_names:
            message = f"One more thing: {option.display_name}?"
            return UserError(message, option=option.name, code="one-more")
    return None


def _to_list(value: object) -> list[str]:
    """Return the chosen values of a field as texts; [] for an empty value."""
    if isinstance(value, list | tuple):
        return [str(item) for item in value]
    return [str(value)] if value else []


def _set_option(options: Mapping[str, object], name: str, value: object) -> dict[str, object]:
    """Return the options with one of them set, as the last; without it if the value is None, False
    or "". A 0 is a value.
    """
    changed = {key: other for key, other in options.items() if key != name}
    if value is not None and value is not False and value != "":
        changed[name] = value
    return changed


def _apply_option(
    options: dict[str, object], field: Field, value: object, context: CompletionContext
) -> dict[str, object]:
    """Return the options with the value of the field of a single option. Raises UserError if it is
    refused.
    """
    option = field.option
    assert option is not None
    name = field.name
    if field.kind in ("file", "channel"):
        return _set_option(options, name, value)
    if field.kind == "picks":
        text = str(options.get(name) or "")
        offered = [pick.value for pick in field.picks]
        return _set_option(options, name, update_unit_list(text, context, offered, _to_list(value)))
    if field.kind == "ticks":
        return _set_option(options, name, " ".join(_to_list(value)) or None)
    if field.kind == "pick":
        selected = _read_single_pick(option, (_to_list(value) or [""])[0], context)
        return _set_option(options, name, "" if selected == option.default else selected)
    text = str(value or "").strip()
    if option.type == "units" or option.many:
        text = _join_lines(text)
    return _set_option(options, name, clean(option, text) if text else "")


def _read_single_pick(option: Option, entry: str, context: CompletionContext) -> str:
    """Return the value of an entry of a menu: for the handle of a unit, its name; else the entry
    without the mark for typed units (TYPED).
    """
    is_unit = option.type == "unit" or option.complete == "unit"
    if is_unit:
        for unit in context.roster:
            if unit.handle == entry:
                return unit.name
    return entry.removeprefix(TYPED)


def _join_lines(text: str) -> str:
    """Return the lines of a list as one line, with a semicolon between items."""
    lines = (line.strip().strip(";").strip() for line in text.split("\n"))
    return "; ".join(line for line in lines if line)


def _apply_ticked_roll_mode(
    spec: CommandSpec, options: dict[str, object], field: Field, ticked: list[str]
) -> dict[str, object]:
    """Return the options with the roll mode that was ticked among the modifiers.

    If the present mode was offered and nothing is ticked, it is a plain roll. Raises UserError for
    two modes.
    """
    offered = {pick.value for pick in field.picks if pick.value.startswith(ROLL_MODE_PREFIX)}
    modes = [value.removeprefix(ROLL_MODE_PREFIX) for value in ticked if value in offered]
    if len(modes) > 1:
        raise UserError(
            "A sealed roll, or your own dice?",
            hint="Tick one, or none.",
            option=modes[0],
            code="not-together",
        )
    if modes:
        return set_roll_mode(spec, options, modes[0])
    current = get_roll_mode(spec, options)
    if ROLL_MODE_PREFIX + current in offered:
        return set_roll_mode(spec, options, ROLL)
    return options


def _apply_flags(
    spec: CommandSpec,
    options: dict[str, object],
    field: Field,
    ticked: list[str],
    roster_flags: frozenset[str],
) -> dict[str, object]:
    """Return the options with the flags, modifiers and numbers that were ticked; roll modes are
    ignored.

    Only flags that differ from what counts without a tick are stored: one that a unit brings
    (`roster_flags`) is stored if it is unticked. Raises UserError for two values of one number.
    """
    picks = [pick.value for pick in field.picks if not pick.value.startswith(ROLL_MODE_PREFIX)]
    steps = [value.split("=") for value in picks if "=" in value]
    options = _apply_steps(spec, options, steps, ticked)
    offered = [value for value in picks if "=" not in value]
    defaults = _list_default_flags(spec, roster_flags)
    words, changed = _split_off_words(options, offered)
    for word in offered:
        is_ticked = word in ticked
        if word in defaults and is_ticked != defaults[word]:
            changed[word] = is_ticked
        elif is_ticked and word not in defaults:
            words.append(word)
    if words:
        changed["mods"] = " ".join(words)
    return changed


def _split_off_words(
    options: Mapping[str, object], replaced: Collection[str]
) -> tuple[list[str], dict[str, object]]:
    """Return the modifier words and the other options, each without those named in `replaced`."""
    words = [word for word in split_words(options.get("mods") or ()) if word not in replaced]
    others = {
        name: value for name, value in options.items() if name not in replaced and name != "mods"
    }
    return words, others


def _apply_steps(
    spec: CommandSpec, options: dict[str, object], steps: list[list[str]], ticked: list[str]
) -> dict[str, object]:
    """Return the options with the value that was ticked for each number, or without the number.

    `steps` are the offered [name, value] pairs. Raises UserError for two values of one number.
    """
    for name in dict.fromkeys(name for name, _ in steps):
        values = [value for step, value in steps if step == name and f"{name}={value}" in ticked]
        option = spec.find_option(name)
        if len(values) > 1 and option is not None:
            message = f"{shorten_label(option.display_name)} {' and '.join(values)}: which one?"
            raise UserError(message, hint="Tick one, or none.", option=name, code="not-together")
        selected: object = values[0] if values else ""
        if values and option is not None and option.type == "int":
            selected = int(values[0])
        options = _set_option(options, name, selected)
    return options


def _apply_other_units(
    spec: CommandSpec,
    options: dict[str, object],
    field: Field,
    text: str,
    context: CompletionContext,
) -> dict[str, object]:
    """Return the options with the units that were typed in the line next to the menus.

    Each is added to the list for its side (_find_list_for_side). A unit without a side, or not on
    the roster, goes with the player's own.
    """
    roster = index_by_name(context.roster)
    changed = dict(options)
    items = text.replace(",", ";").replace("\n", ";").split(";")
    for item in filter(None, map(str.strip, items)):
        unit = roster.get(item.partition("..")[0].strip().casefold())
        is_own = unit is None or unit.side in ("", context.own_side)
        name = _find_list_for_side(spec, field, is_own=is_own)
        changed[name] = _join_items(changed.get(name), item)
    return changed


def _find_list_for_side(spec: CommandSpec, field: Field, *, is_own: bool) -> str:
    """Return the first list covered by the line of other units that takes own units, or the other
    side's; the first of all if there is none.
    """
    for name in field.covers:
        option = spec.find_option(name)
        if option is not None and takes_own_units(option) == is_own:
            return name
    return field.covers[0]


def _join_items(items: object, item: object) -> str:
    """Return a list of units, as text, with one more item."""
    return "; ".join(str(part) for part in (items, item) if part)


def _merge_rest(
    spec: CommandSpec, options: dict[str, object], field: Field, text: str
) -> dict[str, object]:
    """Return the options with a form's line of free text merged in. Raises UserError for a piece
    that names nothing of the command.

    The line replaces every option that it covers; units and modifiers that it adds join those
    already set.
    """
    bare = field.option.name if field.option is not None else ""
    typed = read_rest(spec, text, bare)
    words, changed = _split_off_words(options, field.covers)
    words += [word for word in split_words(typed.pop("mods", "")) if word not in words]
    for name, value in typed.items():
        changed = _apply_value(spec, changed, name, value)
    if words:
        changed["mods"] = " ".join(words)
    return changed


def _apply_value(
    spec: CommandSpec, options: dict[str, object], name: str, value: object
) -> dict[str, object]:
    """Return the options with a value from the line of free text; a default removes the option.
    Raises UserError if the value is refused.
    """
    option = spec.find_option(name)
    changed = dict(options)
    if option is None or _is_default(option, value):
        changed.pop(name, None)
    elif option.type == "units" or option.many:
        changed[name] = _join_items(changed.get(name), value)
    else:
        changed[name] = clean(option, value)
    return changed


def _is_default(option: Option, value: object) -> bool:
    """Return whether a value is the default; never for a flag that a unit may bring, as `no` has to
    be stored then.
    """
    if option.type == "bool" and option.brings:
        return False
    return value == bool(option.default) or str(value) == str(option.default)


def _list_default_flags(spec: CommandSpec, roster_flags: frozenset[str]) -> dict[str, bool]:
    """Return {flag: whether it counts if nobody ticks or unticks it}."""
    return {
        option.name: bool(option.default) or option.name in roster_flags
        for option in spec.options
        if option.type == "bool"
    }
