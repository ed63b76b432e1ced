"""The conversion of typed options of a table, command or sequence to values, from which a plan is
made.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.rules.dice import FATE_SIGNS
from bot.rules.errors import UserError
from bot.rules.inputs.options import (
    ACTING,
    ACTS,
    InputReader,
    Option,
    clean,
    get_role_of_name,
    is_left_out,
    make_missing_option_error,
)
from bot.rules.inputs.relations import LinkedValue, find_leader_rating, find_linked_value
from bot.rules.inputs.units import (
    Roster,
    RosterUnit,
    Unit,
    UnitWords,
    build_unit,
    find_unit,
    parse_units,
    split_left_out,
)
from bot.rules.text.normalize import ITEM_ENDS, plain_signs

Whole = int  # the class below has a method of that name


@dataclass(frozen=True, slots=True)
class Given:
    """Values of a sequence's inputs by name. Unit lists are parsed, roster units found, and
    defaults filled in.

    `typed` are the names of inputs that were typed, not supplied by a roster unit or by default;
    also words of `mods` that were typed by name, such as assault=no. `sources` are the related
    units that were asked for a value, by option: the squad of a man, its leader. `roles` are those
    of inputs whose names do not say it.
    """

    values: Mapping[str, Any]
    lists: Mapping[str, tuple[Unit, ...]] = field(default_factory=dict)
    roster: Mapping[str, Unit] = field(default_factory=dict)
    typed: frozenset[str] = frozenset()
    sources: Mapping[str, LinkedValue] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)

    def get_role(self, name: str) -> str:
        """Return what the units of an input do: acts, helps or targets; "" if nothing says it."""
        return self.roles.get(name) or get_role_of_name(name)

    def list_acting_units(self) -> tuple[Unit, ...]:
        """Return the units that act, those of inputs for one unit first."""
        single = [unit for name, unit in self.roster.items() if self.get_role(name) == ACTS]
        lists = sorted(self.lists, key=_get_list_rank)
        return (
            *single,
            *(unit for name in lists if self.get_role(name) == ACTS for unit in self.lists[name]),
        )

    def flag(self, name: str) -> bool:
        """Return whether a bool input is set, or the word is in `mods`."""
        return bool(self.values.get(name)) or name in self.mods

    def flags(self, names: Sequence[str]) -> dict[str, bool]:
        """Return the bool inputs and words of `mods` that are set, as a table takes them."""
        flags_set = dict.fromkeys(filter(self.values.get, names), True)
        for word in self.mods:
            if word in names:
                flags_set[word] = True
        return flags_set

    def int(self, name: str) -> Whole:
        """Return a whole number that was given or has a default."""
        return int(self.values[name])

    def number(self, name: str) -> float:
        """Return a whole or decimal number."""
        value: float = self.values[name]
        return value

    def get_optional(self, name: str) -> Whole | None:
        """Return a whole number, None if it was left out."""
        value = self.values.get(name)
        return None if value is None else int(value)

    def word(self, name: str) -> str:
        """Return the token of an enum, or a text."""
        return str(self.values[name])

    def units(self, name: str) -> tuple[Unit, ...]:
        """Return the units of a list, in the order typed."""
        return self.lists.get(name, ())

    def unit(self, name: str) -> Unit | None:
        """Return the roster unit of an option of type unit, None if it was left out."""
        return self.roster.get(name)

    def find_option(self, error: UserError) -> str:
        """Return the option that holds the unit of an error, "" if it is not known."""
        for name, units in self.lists.items():
            if any(unit is error.about for unit in units):
                return name
        everybody = [*self.lists.items(), *((name, (unit,)) for name, unit in self.roster.items())]
        return next(
            (
                name
                for name, units in everybody
                for unit in units
                if error.message.startswith(f"{unit.word} ")
            ),
            "",
        )

    @property
    def mods(self) -> tuple[str, ...]:
        """The other words of `mods`."""
        words: tuple[str, ...] = self.values.get("mods") or ()
        return words

    def refuse_values(self) -> None:
        """Raise UserError for a word of `mods` with a value, such as smoke=2: these words have no
        values.
        """
        for word in self.mods:
            name, equals, _ = word.partition("=")
            if equals:
                problem = f'mods takes {name} without a value, not "{word[:40]}".'
                raise UserError(
                    problem, hint=f"Type {name}.", option="mods", code="unknown-modifier"
                )


def read_given(
    reader: InputReader,
    raw: Mapping[str, object],
    words: Mapping[str, UnitWords],
    roster: Roster,
    *,
    subject: str,
) -> Given:
    """Convert all inputs of a sequence. Numbers that are left out come from units or leaders.

    `words` are the game's unit lists by name, with "units" among them; `subject` is the name of the
    sequence for messages. Each such number comes from the roster unit that its option names, or
    from a leader.

    Raises UserError for an input that is unknown or missing, and for a value or unit that does not
    fit.
    """
    values = reader.read(raw, subject)
    lists, units_by_option = _read_units(reader, values, words, roster, subject)
    sources = dict[str, LinkedValue]()
    for option in reader.bringing_options:
        if not is_left_out(option, raw.get(option.name)):
            continue
        linked_value = _find_source(option, units_by_option, roster)
        if linked_value:
            sources[option.name] = linked_value
        values[option.name] = _get_brought_value(
            option, units_by_option, linked_value, values[option.name], subject
        )
    for option in reader.leader_options:
        if not is_left_out(option, raw.get(option.name)):
            continue
        led_option = option.lends["from"]
        units = lists.get(led_option, ())
        if led_option in units_by_option:
            units = (units_by_option[led_option],)
        rating = find_leader_rating(option, units, roster)
        if rating:
            sources[option.name] = rating
            values[option.name] = clean(option, rating.value)
    roles = {option.name: option.role for option in reader.units if option.role}
    typed_names = _list_typed_names(reader.options, raw)
    return Given(values, lists, units_by_option, typed_names, sources, roles)


def _read_units(
    reader: InputReader,
    values: Mapping[str, Any],
    words: Mapping[str, UnitWords],
    roster: Roster,
    subject: str,
) -> tuple[dict[str, tuple[Unit, ...]], dict[str, Unit]]:
    """Return the units of each option that takes a list, and the unit of each that takes one.

    Options without a value are left out. Raises UserError, also for a required list without units
    and for a list with too many.
    """
    lists: dict[str, tuple[Unit, ...]] = {}
    units_by_option: dict[str, Unit] = {}
    for option in reader.units:
        name = option.name
        value = values[option.name]
        if value is None:
            continue
        if option.type == "unit":
            unit = _find_unit(option, value, words, roster)
            units_by_option[name] = words[option.units or "units"].add_defaults(unit)
            continue
        unit_words = words[option.units or "units"]
        typed = parse_units(value, unit_words, roster, option=name)
        units = tuple(map(unit_words.add_defaults, typed))
        lists[name] = units
        if not units and option.is_required:
            raise make_missing_option_error(option, subject)
        if option.most and len(units) > option.most:
            limit = "one unit" if option.most == 1 else f"at most {option.most} units"
            problem = f"{name} takes {limit}, not {len(units)}."
            raise UserError(problem, option=name, code="too-many")
    return lists, units_by_option


def _get_list_rank(name: str) -> int:
    return ACTING.index(name) if name in ACTING else len(ACTING)


def _list_typed_names(options: Mapping[str, Option], raw: Mapping[str, object]) -> frozenset[str]:
    """Return the options, and the words of `mods`, for which something was typed."""
    mods = options.get("mods")
    words = mods.values if mods is not None else ()
    return frozenset(
        name
        for name, value in raw.items()
        if (name in options and not is_left_out(options[name], value))
        or (name in words and value not in (None, ""))
    )


def _find_unit(option: Option, value: str, words: Mapping[str, UnitWords], roster: Roster) -> Unit:
    """Return the roster unit that is typed for an option, without the flags that are left out for
    this roll; for an option with `free` also a unit that is not on the roster.

    Raises UserError, which names the option, for an unknown unit.
    """
    unit_words = words[option.units or "units"]
    name, left_out = split_left_out(value, roster)
    if left_out:
        (unit,) = parse_units(_format_item(name, left_out), unit_words, roster, option=option.name)
        return unit
    try:
        roster_unit: RosterUnit = find_unit(value, roster)
    except UserError as error:
        if option.free:
            return _parse_unknown_unit(value, unit_words)
        error.option = option.name
        raise
    return build_unit(roster_unit, unit_words)


def _format_item(name: str, flags: str) -> str:
    quote = "'" if '"' in name else '"'
    return f"{quote}{name}{quote}{flags}"


def _parse_unknown_unit(value: str, words: UnitWords) -> Unit:
    """Parse a unit that is not on the roster: a type with numbers, else words for the report.

    Raises UserError for what follows a type and its numbers, if a unit has no such thing.
    """
    pieces = value.split()
    if "=" not in value:
        return Unit(value.strip(), "")
    try:
        (unit,) = parse_units(value, words, {}, option="")
    except (UserError, ValueError) as error:
        if isinstance(error, UserError) and pieces[0].casefold() in words.types:
            raise
        return Unit(value.strip(), "")
    return unit


def _find_source(
    option: Option, units_by_option: Mapping[str, Unit], roster: Roster
) -> LinkedValue | None:
    """Return the value from the unit that the option's own unit is linked to; None for no link.

    What the unit itself brings goes first, apart from a state in which nothing ails it.
    """
    unit_option, _, key = option.brings.partition(".")
    unit = units_by_option.get(unit_option)
    if not option.through or unit is None:
        return None
    own_value = _get_unit_value(unit, key, option)
    is_sound = key == "state" and own_value == option.default
    return find_linked_value(option, unit, roster) if own_value is None or is_sound else None


def _get_brought_value(
    option: Option,
    units_by_option: Mapping[str, Unit],
    source: LinkedValue | None,
    default: Any,
    subject: str,
) -> Any:
    """Return the value of an option that was left out: that of `source`, else of the unit that
    brings it, else `default`.

    Raises UserError if there is none of these and the option needs a value.
    """
    unit_option, _, key = option.brings.partition(".")
    if source is not None and source.value is not None:
        return source.value
    unit = units_by_option.get(unit_option)
    value = None if unit is None else _get_unit_value(unit, key, option)
    if value is not None:
        return value
    if default is None and not option.optional and option.type != "bool":
        raise make_missing_option_error(option, subject)
    return default


def _get_unit_value(unit: Unit, key: str, option: Option) -> Any:
    """Return the value that a roster unit has for an option, or None.

    `key` is "state" or "type" (the unit's own, if the option knows that word), a flag, state or type
    (True if the unit has it, see `has_flag`) or a number of the unit.
    """
    if key == "type":
        word = option.reads.get(unit.type, unit.type)
        return word if word in option.values else None
    if key == "state":
        return unit.state if unit.state in option.values else None
    if option.type == "bool":
        return has_flag(unit, key) or None
    return unit.numbers.get(key)


def has_flag(unit: Unit, keys: str) -> bool:
    """Return whether a unit has a flag, a state or a type.

    `keys` may name several: one of `go-firm|firm`, or both of `vehicle+moving`.
    """
    unit_flags = {*unit.flags, unit.state, unit.type}
    return any(unit_flags.issuperset(key.split("+")) for key in keys.split("|"))


_HAND = Option("hand", "str")


def parse_hand_dice(raw: object, *, cards: bool = False) -> tuple[int | str, ...]:
    """Parse typed real dice: `5,2,3`, `5 2 3`, or for fate dice `+,-,0`.

    A `?` at the end asks for the next die. With `cards`, values may be ids of cards, or names
    between commas. Raises UserError for anything else.
    """
    text = clean(_HAND, raw)
    by_commas = cards and ITEM_ENDS.search(text)
    values = _faces_in(text, ITEM_ENDS if by_commas else _DICE_ENDS)
    if values and values[-1] == "?":
        return parse_hand_dice(",".join(values[:-1]), cards=cards) if len(values) > 1 else ()
    if not 0 < len(values) <= 200 or not all(
        cards or value in FATE_SIGNS or _FACE.fullmatch(value) for value in values
    ):
        raise UserError(
            f'hand takes dice such as 5,2,3, not "{text[:40]}".', option="hand", code="bad-hand"
        )
    return tuple(int(value) if _FACE.fullmatch(value) else value for value in values)


def _faces_in(text: str, separators: re.Pattern[str]) -> list[str]:
    """Return the values in a text, faces in plain signs; the name of a card stays as typed."""
    values = [word.strip() for word in separators.split(text) if word.strip()]
    plain = [plain_signs(value) for value in values]
    return [
        face if _FACE.fullmatch(face) or face in FATE_SIGNS else value
        for face, value in zip(plain, values, strict=True)
    ]


_DICE_ENDS = re.compile(r"[\s,;\uff0c\u3001\u060c\uff1b\u061b]+")
_FACE = re.compile(r"-?\d{1,7}")
