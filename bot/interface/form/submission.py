"""What was filled into a form, as options of its command. What the form did not show stays as it
was.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.interface.form.form import (
    FLAGS,
    HOW,
    OTHERS,
    ROLL,
    WAY,
    Field,
    Form,
    asked_now,
    set_roll_mode,
    way_asked,
)
from bot.interface.form.line_and_keypad import REST, read_rest, short
from bot.interface.form.roster_flags import find_roster_flags
from bot.interface.form.unit_menu import TYPED, chosen_units
from bot.interface.spec import CommandSpec
from bot.interface.typing.complete import Known, fitting, is_own
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, clean, words_of
from bot.rules.inputs.units import by_name

Filled = Mapping[str, object]
"""By field: a text, a list of values chosen, or a file as the platform describes it."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The options after a form was filled in, what is to be done with them (which they say too),
    and the first thing that was wrong."""

    options: dict[str, object]
    how: str = ROLL
    problem: UserError | None = None


def take(spec: CommandSpec, known: Known, form: Form, filled: Filled) -> Taken:
    """What has become of a form."""
    known = fitting(known, spec)
    after = dict(form.given)
    problem = None
    how = way_asked(spec, form.given)
    for field in form.fields:
        if field.name not in filled:
            continue
        given = filled[field.name]
        try:
            if field.name == HOW:
                how = (_listed(given) or [how])[0]
            elif field.name == FLAGS:
                roster_flags = find_roster_flags(spec, form.given, known)
                after = _with_way(spec, after, field, _listed(given))
                after = _with_flags(spec, after, field, _listed(given), roster_flags)
            elif field.name == REST:
                after = _merge_rest(spec, after, field, str(given or ""))
            elif field.name == OTHERS:
                after = _with_others(spec, after, field, str(given or ""), known)
            else:
                after = _with_option(after, field, given, known)
        except UserError as error:
            problem = problem or error
            after = _set(
                after, field.name, given if isinstance(given, str) and field.name != REST else ""
            )
    asked = {option.name for option in asked_now(spec, after).options}
    shown = {name for field in form.fields for name in (field.name, *field.covers)}
    after = {
        name: value for name, value in after.items() if name in asked or spec.option(name) is None
    }
    further = [option for option in spec.options if option.when and option.name in asked - shown]
    if further and problem is None:
        problem = UserError(
            f"One more thing: {further[0].shown}?", option=further[0].name, code="one-more"
        )
    if form.field(HOW) is None:  # odds may be asked for in the line
        how = way_asked(spec, after)
    return Taken(set_roll_mode(spec, after, how), how, problem)


def _listed(given: object) -> list[str]:
    return (
        [str(one) for one in given]
        if isinstance(given, list | tuple)
        else [str(given)]
        if given
        else []
    )


def _set(options: Mapping[str, object], name: str, value: object) -> dict[str, object]:
    after = {key: kept for key, kept in options.items() if key != name}
    if value is not None and value is not False and value != "":  # a 0 is something
        after[name] = value
    return after


def _with_option(
    options: dict[str, object], field: Field, given: object, known: Known
) -> dict[str, object]:
    option = field.option
    assert option is not None
    if field.kind == "picks":
        before = str(options.get(field.name) or "")
        offered = [pick.value for pick in field.picks]
        return _set(options, field.name, chosen_units(before, known, offered, _listed(given)))
    if field.kind == "ticks":
        return _set(options, field.name, " ".join(_listed(given)) or None)
    if field.kind == "pick":
        chosen = (_listed(given) or [""])[0]
        is_unit = option.type == "unit" or option.complete == "unit"
        names = {unit.handle: unit.name for unit in known.roster if is_unit}
        value = names.get(chosen, chosen.removeprefix(TYPED))
        return _set(options, field.name, "" if value == option.default else value)
    if field.kind in ("file", "channel"):
        return _set(options, field.name, given)
    text = str(given or "").strip()
    if option.type == "units" or option.many:
        text = "; ".join(
            part for line in text.split("\n") if (part := line.strip().strip(";").strip())
        )
    return _set(options, field.name, clean(option, text) if text else "")


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
    now = way_asked(spec, options)
    if chosen:
        return set_roll_mode(spec, options, chosen[0])
    return set_roll_mode(spec, options, ROLL) if WAY + now in offered else options


def _with_flags(
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
    options = _with_steps(spec, options, steps, taken)
    taken = [word for word in taken if "=" not in word]
    offered = [pick.value for pick in picks if "=" not in pick.value]
    flags = _untouched_flags(spec, roster_flags)
    words = [word for word in words_of(options.get("mods") or ()) if word not in offered]
    after = {
        name: value for name, value in options.items() if name not in offered and name != "mods"
    }
    after |= {
        word: word in taken for word in offered if word in flags and (word in taken) != flags[word]
    }
    words += [word for word in offered if word in taken and word not in flags]
    return after | ({"mods": " ".join(words)} if words else {})


def _with_steps(
    spec: CommandSpec, options: dict[str, object], steps: list[list[str]], taken: list[str]
) -> dict[str, object]:
    """The options with the one number that was ticked of each, or without it. Raises UserError
    for two of one.
    """
    for name in dict.fromkeys(name for name, _ in steps):
        chosen = [value for step, value in steps if step == name and f"{name}={value}" in taken]
        if len(chosen) > 1 and (option := spec.option(name)) is not None:
            message = f"{short(option.shown)} {' and '.join(chosen)}: which one?"
            raise UserError(message, hint="Tick one, or none.", option=name, code="not-together")
        option = spec.option(name)
        is_number = option is not None and option.type == "int"
        value: object = chosen[0] if chosen else ""
        options = _set(options, name, int(chosen[0]) if chosen and is_number else value)
    return options


def _with_others(
    spec: CommandSpec, options: dict[str, object], field: Field, text: str, known: Known
) -> dict[str, object]:
    """The units typed beside the menus, each in the list that its side is meant for."""
    named = by_name(known.roster)
    after = dict(options)
    for item in filter(None, map(str.strip, text.replace(",", ";").replace("\n", ";").split(";"))):
        unit = named.get(item.partition("..")[0].strip().casefold())
        own = unit is None or unit.side in ("", known.own_side)
        meant = [
            name for name in field.covers if (option := spec.option(name)) and is_own(option) == own
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
    words = [word for word in words_of(options.get("mods") or ()) if word not in field.covers]
    after = {
        name: value
        for name, value in options.items()
        if name not in field.covers and name != "mods"
    }
    words += [word for word in words_of(read.pop("mods", "")) if word not in words]
    for name, value in read.items():
        after = _with_value(spec, after, name, value)
    return after | ({"mods": " ".join(words)} if words else {})


def _with_value(
    spec: CommandSpec, options: dict[str, object], name: str, value: object
) -> dict[str, object]:
    """Return the options with a value from the line of free text."""
    option = spec.option(name)
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


def _untouched_flags(spec: CommandSpec, roster_flags: frozenset[str]) -> dict[str, bool]:
    """Return each flag as it counts if nobody ticks or unticks it."""
    return {
        option.name: bool(option.default) or option.name in roster_flags
        for option in spec.options
        if option.type == "bool"
    }
