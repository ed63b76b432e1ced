"""What was filled into a form, as options of its command. What the form did not show stays as it
was.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, clean, split_words
from bot.rules.inputs.units import index_by_name
from bot.ui.form.form import (
    FLAGS,
    HOW,
    OTHERS,
    ROLL,
    WAY,
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
"""By field: a text, a list of values chosen, or a file as the platform describes it."""


@dataclass(frozen=True, slots=True)
class FormResult:
    """The options after a form was filled in, what is to be done with them (which they say too),
    and the first thing that was wrong."""

    options: dict[str, object]
    how: str = ROLL
    problem: UserError | None = None


def evaluate_form(
    spec: CommandSpec, known: CompletionContext, form: Form, filled: Filled
) -> FormResult:
    """What has become of a form."""
    known = keep_usable_context(known, spec)
    after = dict(form.given)
    problem = None
    how = get_roll_mode(spec, form.given)
    for field in form.fields:
        if field.name not in filled:
            continue
        given = filled[field.name]
        try:
            if field.name == HOW:
                how = (_to_list(given) or [how])[0]
            elif field.name == FLAGS:
                roster_flags = find_roster_flags(spec, form.given, known)
                after = _with_way(spec, after, field, _to_list(given))
                after = _apply_flags(spec, after, field, _to_list(given), roster_flags)
            elif field.name == REST:
                after = _merge_rest(spec, after, field, str(given or ""))
            elif field.name == OTHERS:
                after = _apply_other_units(spec, after, field, str(given or ""), known)
            else:
                after = _apply_option(after, field, given, known)
        except UserError as error:
            problem = problem or error
            after = _set_option(
                after, field.name, given if isinstance(given, str) and field.name != REST else ""
            )
    asked = {option.name for option in drop_inactive_options(spec, after).options}
    shown = {name for field in form.fields for name in (field.name, *field.covers)}
    after = {
        name: value
        for name, value in after.items()
        if name in asked or spec.find_option(name) is None
    }
    further = [option for option in spec.options if option.when and option.name in asked - shown]
    if further and problem is None:
        problem = UserError(
            f"One more thing: {further[0].display_name}?", option=further[0].name, code="one-more"
        )
    if form.find_field(HOW) is None:  # odds may be asked for in the line
        how = get_roll_mode(spec, after)
    return FormResult(set_roll_mode(spec, after, how), how, problem)


def _to_list(given: object) -> list[str]:
    return (
        [str(one) for one in given]
        if isinstance(given, list | tuple)
        else [str(given)]
        if given
        else []
    )


def _set_option(options: Mapping[str, object], name: str, value: object) -> dict[str, object]:
    after = {key: kept for key, kept in options.items() if key != name}
    if value is not None and value is not False and value != "":  # a 0 is something
        after[name] = value
    return after


def _apply_option(
    options: dict[str, object], field: Field, given: object, known: CompletionContext
) -> dict[str, object]:
    option = field.option
    assert option is not None
    if field.kind == "picks":
        before = str(options.get(field.name) or "")
        offered = [pick.value for pick in field.picks]
        return _set_option(
            options, field.name, update_unit_list(before, known, offered, _to_list(given))
        )
    if field.kind == "ticks":
        return _set_option(options, field.name, " ".join(_to_list(given)) or None)
    if field.kind == "pick":
        chosen = (_to_list(given) or [""])[0]
        is_unit = option.type == "unit" or option.complete == "unit"
        names = {unit.handle: unit.name for unit in known.roster if is_unit}
        value = names.get(chosen, chosen.removeprefix(TYPED))
        return _set_option(options, field.name, "" if value == option.default else value)
    if field.kind in ("file", "channel"):
        return _set_option(options, field.name, given)
    text = str(given or "").strip()
    if option.type == "units" or option.many:
        text = "; ".join(
            part for line in text.split("\n") if (part := line.strip().strip(";").strip())
        )
    return _set_option(options, field.name, clean(option, text) if text else "")


def _with_way(
    spec: CommandSpec, options: dict[str, object], field: Field, taken: list[str]
) -> dict[str, object]:
    """Return the options with the way to roll that was ticked among the modifiers. Raises UserError
    for two ways.
    """
    offered = {pick.value for pick in field.picks if pick.value.startswith(WAY)}
    chosen = [value.removeprefix(WAY) for value in taken if value in offered]
    if len(chosen) > 1:
        raise UserError(
            "A sealed roll, or your own dice?",
            hint="Tick one, or none.",
            option=chosen[0],
            code="not-together",
        )
    now = get_roll_mode(spec, options)
    if chosen:
        return set_roll_mode(spec, options, chosen[0])
    return set_roll_mode(spec, options, ROLL) if WAY + now in offered else options


def _apply_flags(
    spec: CommandSpec,
    options: dict[str, object],
    field: Field,
    taken: list[str],
    roster_flags: frozenset[str],
) -> dict[str, object]:
    """Return the options with the flags that were ticked.

    A flag that a unit brings (`roster_flags`) counts by itself: it is written down if it was unticked.
    """
    picks = [pick for pick in field.picks if not pick.value.startswith(WAY)]
    taken = [word for word in taken if not word.startswith(WAY)]
    steps = [pick.value.split("=") for pick in picks if "=" in pick.value]
    options = _apply_steps(spec, options, steps, taken)
    taken = [word for word in taken if "=" not in word]
    offered = [pick.value for pick in picks if "=" not in pick.value]
    flags = _list_default_flags(spec, roster_flags)
    words = [word for word in split_words(options.get("mods") or ()) if word not in offered]
    after = {
        name: value for name, value in options.items() if name not in offered and name != "mods"
    }
    after |= {
        word: word in taken for word in offered if word in flags and (word in taken) != flags[word]
    }
    words += [word for word in offered if word in taken and word not in flags]
    return after | ({"mods": " ".join(words)} if words else {})


def _apply_steps(
    spec: CommandSpec, options: dict[str, object], steps: list[list[str]], taken: list[str]
) -> dict[str, object]:
    """The options with the one number that was ticked of each, or without it. Raises UserError
    for two of one.
    """
    for name in dict.fromkeys(name for name, _ in steps):
        chosen = [value for step, value in steps if step == name and f"{name}={value}" in taken]
        if len(chosen) > 1 and (option := spec.find_option(name)) is not None:
            message = f"{shorten_label(option.display_name)} {' and '.join(chosen)}: which one?"
            raise UserError(message, hint="Tick one, or none.", option=name, code="not-together")
        option = spec.find_option(name)
        is_number = option is not None and option.type == "int"
        value: object = chosen[0] if chosen else ""
        options = _set_option(options, name, int(chosen[0]) if chosen and is_number else value)
    return options


def _apply_other_units(
    spec: CommandSpec, options: dict[str, object], field: Field, text: str, known: CompletionContext
) -> dict[str, object]:
    """The units typed beside the menus, each in the list that its side is meant for."""
    named = index_by_name(known.roster)
    after = dict(options)
    for item in filter(None, map(str.strip, text.replace(",", ";").replace("\n", ";").split(";"))):
        unit = named.get(item.partition("..")[0].strip().casefold())
        own = unit is None or unit.side in ("", known.own_side)
        meant = [
            name
            for name in field.covers
            if (option := spec.find_option(name)) and takes_own_units(option) == own
        ]
        name = (meant or [*field.covers])[0]
        after[name] = "; ".join(str(part) for part in (after.get(name), item) if part)
    return after


def _merge_rest(
    spec: CommandSpec, options: dict[str, object], field: Field, text: str
) -> dict[str, object]:
    """Merge a form's line of free text into the options.

    It replaces every option that the line showed; units and modifiers that it adds join those
    already there.
    """
    read = read_rest(spec, text, field.option.name if field.option is not None else "")
    words = [word for word in split_words(options.get("mods") or ()) if word not in field.covers]
    after = {
        name: value
        for name, value in options.items()
        if name not in field.covers and name != "mods"
    }
    words += [word for word in split_words(read.pop("mods", "")) if word not in words]
    for name, value in read.items():
        after = _apply_value(spec, after, name, value)
    return after | ({"mods": " ".join(words)} if words else {})


def _apply_value(
    spec: CommandSpec, options: dict[str, object], name: str, value: object
) -> dict[str, object]:
    """Return the options with a value from the line of free text."""
    option = spec.find_option(name)
    after = dict(options)
    if option is None or _is_default(option, value):
        after.pop(name, None)
    elif option.type == "units" or option.many:
        after[name] = "; ".join(str(part) for part in (after.get(name), value) if part)
    else:
        after[name] = clean(option, value)
    return after


def _is_default(option: Option, value: object) -> bool:
    """Return whether a value is the default; no is said all the same where a unit brings yes."""
    if option.type == "bool" and option.brings:
        return False
    return value == bool(option.default) or str(value) == str(option.default)


def _list_default_flags(spec: CommandSpec, roster_flags: frozenset[str]) -> dict[str, bool]:
    """Return each flag as it counts if nobody ticks or unticks it."""
    return {
        option.name: bool(option.default) or option.name in roster_flags
        for option in spec.options
        if option.type == "bool"
    }
