"""Units as typed into an option: `squad morale=5; half-squad morale=5 shaken; "2nd Plt HQ"
tm=2`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from typing import Any

from bot.rules.errors import Hint, UserError, did_you_mean, suggest_names, with_sign_of
from bot.rules.inputs.loadout import read_loadout
from bot.rules.inputs.options import Option, clean, clean_whole
from bot.rules.text.normalize import NameIndex, comparison_key, plain_signs
from bot.rules.text.phrase import Phrase, phrase

MAX_UNITS = 40
SEPARATED = "Put a semicolon or a comma between units"
_NO = ("no", "off")
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d"}
_QUOTE = re.compile(f"[{''.join(_QUOTES)}]")


@dataclass(frozen=True, slots=True)
class Back:
    """The hidden side of a counter: its unit type ("" for the same) and its numbers."""

    type: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class RosterUnit:
    """A unit of the channel's roster: name, handle (`us3`), type, numbers, state, markers and
    flags.

    `back` is the hidden side of its counter, if the roster has one. `turned` means that the reduced
    side is up.
    """

    name: str
    handle: str
    type: str
    side: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict)
    state: str = ""
    marks: frozenset[str] = frozenset()
    back: Back | None = None
    turned: bool = False


Roster = Mapping[str, RosterUnit]
"""Roster units by name and by handle, both with case folded. Most are a `NameIndex`."""


def index_by_name(units: Iterable[RosterUnit]) -> Roster:
    """Return a roster that finds these units by name and by handle, in small letters.

    A name takes precedence over another unit's handle.
    """
    units = [*units]
    return NameIndex(
        {
            **{unit.handle.casefold(): unit for unit in units},
            **{unit.name.casefold(): unit for unit in units},
        }
    )


@dataclass(frozen=True)
class UnitWords:
    """The words of a unit list of a game: types, number keys, flags, and the meaning of roster
    states.
    """

    types: tuple[str, ...]
    keys: Mapping[str, Option]
    flags: Mapping[str, str]
    marks: Mapping[str, str] = field(default_factory=dict)
    """The flags that roster markers stand for (lnlt: ops-complete is ops)."""
    states: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The flags of each state (shaken-wounded is shaken and wounded)."""
    sound: str = ""
    """The state without any flags (good-order)."""
    fresh: str = ""
    """The state of a unit that has none yet, if the game has one for all units."""
    known_states: tuple[str, ...] = ()
    """All states."""
    reduced: Mapping[str, str] = field(default_factory=dict)
    """The type of the reduced side, by type."""
    reduced_states: tuple[str, ...] = ()
    """The states of a unit on that side."""
    bare: str = ""
    """The type that a number alone stands for."""
    repeat: str = ""
    """The key that repeats an item."""

    def join_states(self, state: str, word: str) -> str:
        """Return the state of a unit in `state` that also becomes `word`: wounded and shaken make
        shaken-wounded.
        """
        joined = {*self.states.get(state, ()), *self.states.get(word, ())}
        return self._find_state(joined, word) if word in self.states else word

    def remove_state(self, state: str, word: str) -> str:
        """Return the state without `word`: shaken-wounded without shaken is wounded. Return "" if
        none is left.
        """
        if state == word:
            return ""
        removed = {*self.states.get(word, ())}
        remaining = {*self.states.get(state, ())} - removed
        return (
            self._find_state(remaining, "")
            if removed and remaining != {*self.states.get(state, ())}
            else state
        )

    def _find_state(self, flags: set[str], otherwise: str) -> str:
        """Return the state with exactly these flags."""
        return next(
            (state for state, state_flags in self.states.items() if {*state_flags} == flags),
            otherwise,
        )

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """The values of attributes for a unit that has none of its own."""
        return {
            name: clean(option, option.default)
            for name, option in self.keys.items()
            if option.default is not None
        }

    @cached_property
    def typable_states(self) -> frozenset[str]:
        """The states that may be typed after a unit: in a pack all of them."""
        further_states = self.known_states if self.fresh else ()
        return frozenset((*self.states, self.sound, *further_states))

    def add_defaults(self, unit: Unit) -> Unit:
        """Return the unit with defaults for attributes that it lacks."""
        if not self.defaults:
            return unit
        return replace(unit, numbers={**self.defaults, **unit.numbers})

    def fill_state(self, unit: Unit) -> Unit:
        """Return the unit as formulas read it: with a state, even if it is new or only flags were
        typed.
        """
        flags = {flag for flags in self.states.values() for flag in flags} & unit.flags
        state = unit.state or self._find_state(flags, self.fresh) if self.fresh else unit.state
        return replace(unit, state=state)  # an object of its own, also where an item was repeated

    @property
    def states_as_markers(self) -> frozenset[str]:
        """States that an older roster may hold as markers, because typing them only set a flag."""
        return frozenset(self.states.keys() & self.flags.keys())

    def get_state(self, unit: RosterUnit) -> str:
        """Return a roster unit's state. In older rosters a marker may stand for a typed state.

        It never replaces what the unit is otherwise: a wreck stays a wreck.
        """
        state = unit.state
        for mark in sorted(unit.marks & self.states_as_markers) if unit.marks else ():
            if state in ("", self.sound):
                state = mark
            elif state in self.states:
                state = self._find_state({*self.states[state], *self.states[mark]}, state)
        return state


NO_WORDS = UnitWords((), {}, {})
"""The words of a game without units."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One item of a unit list: the values of the roster, and those typed over them."""

    word: str
    """The type or roster name as typed."""
    type: str
    numbers: Mapping[str, Any] = field(default_factory=dict, hash=False)
    flags: frozenset[str] = frozenset()
    """The flags that were typed or come from the roster unit."""
    name: str = ""
    """The roster name; "" for a unit that is on no roster."""
    state: str = ""
    marks: frozenset[str] = frozenset()
    """The markers of the roster unit."""
    reduced: Back | None = None
    """The hidden side of the counter, if the unit is on its reduced side."""
    side: str = ""
    """The side of the roster unit."""

    def number(self, key: str, default: int | None = None, example: str = "5") -> int:
        """Return a whole number of the unit. Raises UserError with unit and key if it is missing;
        its hint shows the `example`.
        """
        value = self.numbers.get(key, default)
        if value is None:
            hint = f"Type it after the unit: {self.word} {key}={example}."
            raise UserError(f"{self.word} needs {key}.", hint=hint, code="unit-needs", about=self)
        return int(value)


def parse_units(text: str, words: UnitWords, roster: Roster, *, option: str) -> tuple[Unit, ...]:
    """Parse a list of units, in the order typed. An empty text is an empty list.

    Raises UserError with the item, the fault and what was expected; `option` is put on the error
    for forms.
    """
    try:
        items = [item for piece in split_items(plain_signs(text)) if (item := piece.strip())]
        if words.bare and len(items) == 1 and items[0].isdecimal() and len(items[0]) < 6:
            count = int(items[0])
            check_count(count)
            return (Unit(words.bare, words.bare),) * count
        units: list[Unit] = []
        for item in items:
            units += _parse_item(item, words, roster)
            if len(units) > MAX_UNITS:
                check_count(len(units))
    except UserError as error:
        error.option = error.option or option
        raise
    return tuple(units)


_HANDLE = re.compile(r"[a-z]{1,4}x?\d+")
"""The form of a handle: `us9` is no misspelt `us7`, but another unit."""


def find_unit(name: str, roster: Roster) -> RosterUnit:
    """Return the roster unit with this name or handle, ignoring case. Raises UserError with the
    most similar name.
    """
    quoted = re.fullmatch(r'["“\'](.*)["”\']', name.strip())
    key = (quoted[1] if quoted else name.strip()).casefold()
    if key in roster:
        return roster[key]
    near = _make_blank_hint(key, roster)
    if not near and not _HANDLE.fullmatch(key):
        near = did_you_mean(name, [unit.name for unit in roster.values()])
    message = f'No unit is called "{name[:40]}".'
    raise UserError(
        message, hint=near or phrase("`/unit list` shows them all."), code="unknown-unit", about=key
    )


def _make_blank_hint(word: str, roster: Roster) -> Hint:
    """Return the hint for a name typed without its blanks: `gun1` for Gun 1."""
    return suggest_names(
        word,
        sorted(
            {
                unit.name
                for unit in roster.values()
                if comparison_key(unit.name.replace(" ", "")) == comparison_key(word)
            }
        ),
    )


def build_unit(unit: RosterUnit, words: UnitWords) -> Unit:
    """Return the list item of a roster unit: its numbers and state, with its markers as flags."""
    state = words.get_state(unit)
    flags = {flag for mark in unit.marks if (flag := words.marks.get(mark, mark)) in words.flags}
    flags.update(words.states.get(state, ()))
    down = None if unit.turned else unit.back
    return Unit(
        unit.name,
        unit.type,
        dict(unit.numbers),
        frozenset(flags),
        unit.name,
        state,
        unit.marks,
        down,
        unit.side,
    )


def get_example(option: Option) -> str:
    """Return a value that an attribute takes, for hints."""
    if option.values and option.type != "mods":
        return option.values[0]
    half = int(option.max or 5) // 2
    return str(max(half, int(option.min or 0), 1))


def check_count(count: int) -> None:
    """Raise UserError for more units than a list holds."""
    if count > MAX_UNITS:
        raise UserError(
            f"A list can have at most {MAX_UNITS} units.", hint="Split the attack.", code="too-many"
        )


def split_items(text: str) -> list[str]:
    """Return the items of a list as typed, separated by `;` outside of quotation marks.

    Raises UserError for a mark that is not closed, and as soon as there is one item more than a
    list holds.
    """
    if _QUOTE.search(text) is None:
        items = text.split(";", MAX_UNITS + 1)
        check_count(len(items) - 1)
        return items
    items = list[str]()
    begin = 0
    quote = ""
    is_blank = True
    for index, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign == ";":
            items.append(text[begin:index])
            check_count(len(items))
            begin = index + 1
            is_blank = True
        elif is_blank and sign in _QUOTES:
            quote = _QUOTES[sign]
            is_blank = False
        else:
            is_blank = is_blank and sign.isspace()
    if quote:
        hint = f"End the name with {quote}"
        raise UserError(
            f"The quotation mark in {text[begin:][:30]} is not closed.",
            hint=hint,
            code="bad-quotes",
        )
    return [*items, text[begin:]]


def _parse_item(item: str, words: UnitWords, roster: Roster) -> list[Unit]:
    """Parse one item of a list: a unit with its numbers, flags and state, as often as it says.

    Raises UserError for an unknown unit or word, a value that does not fit, and a word that is
    given twice.
    """
    base, tokens = _parse_head(item, words, roster)
    tokens = join_pairs(tokens, words)
    numbers = {**base.numbers}
    flags = {*base.flags}
    state = base.state
    repeat = 1
    keys = words.keys
    repeats = words.repeat
    keys_given: set[str] = set()
    for token in tokens:
        key, equals, value = token.partition("=")
        key = key.casefold()
        if token[-1] == ",":
            hint = "Separate units with a semicolon: squad; leader"
            raise UserError(f'"{token[:40]}" ends with a comma.', hint=hint, code="bad-unit")
        if key in keys_given:
            raise UserError(f'"{key[:40]}" is given twice in "{item[:40]}".', code="given-twice")
        keys_given.add(key)
        if equals and key == repeats:
            repeat = clean(Option(key, "int", min=1, max=MAX_UNITS), value)
        elif equals and (option := keys.get(key)) is not None:
            numbers[key] = (
                clean_whole(option, value) if option.type == "int" else parse_value(option, value)
            )
        elif (flag := _find_flag(key, words)) and not equals:
            flags.add(flag)
        elif (left_out := _leave_out(key, value, flags, state, words)) is not None:
            attribute, flags, state = left_out
            numbers.pop(attribute, None)
        elif not equals and key.replace("_", "-") in words.typable_states:
            state = key.replace("_", "-")
            flags = flags.difference(*words.states.values()).union(words.states.get(state, ()))
        else:
            raise _make_unknown_error(base, token, words, item, roster)
    unit = Unit(
        base.word,
        base.type,
        numbers,
        frozenset(flags),
        base.name,
        state,
        base.marks,
        base.reduced,
        base.side,
    )
    return [unit] * repeat


_VALUE = re.compile(r"[+-]?[0-9]+")


def join_pairs(pieces: Iterable[str], words: UnitWords) -> list[str]:
    """Return the words after a unit, with each name and number joined to one word.

    >>> join_pairs(["fp", "2", "ops"], UnitWords((), {"fp": Option("fp", "int")}, {}))
    ['fp=2', 'ops']
    """
    joined: list[str] = []
    waiting = ""
    for piece in pieces:
        if waiting and _fits_key(piece, waiting, words):
            joined[-1] = f"{waiting}={piece}"
            waiting = ""
            continue
        joined.append(piece)
        key = piece.casefold()
        is_name = (key in words.keys or key == words.repeat) and not _find_flag(key, words)
        waiting = piece if is_name else ""
    return joined


def _fits_key(piece: str, name: str, words: UnitWords) -> bool:
    """Return whether a word can be the value of this number or attribute."""
    option = words.keys.get(name.casefold())
    if option is None or option.type == "int":
        return _VALUE.fullmatch(plain_signs(piece)) is not None
    if option.values:
        return piece.casefold() in option.values
    folded = piece.casefold().partition("=")[0]
    return "=" not in piece and folded not in words.keys and not _find_flag(folded, words)


def _find_flag(key: str, words: UnitWords) -> str:
    """Return the flag that a word or a marker names, or ""."""
    flag = key.replace("-", "_")
    if flag in words.flags:
        return flag
    if key in words.flags:
        return key
    return words.marks.get(key.replace("_", "-"), "")


def _leave_out(
    key: str, value: str, flags: set[str], state: str, words: UnitWords
) -> tuple[str, set[str], str] | None:
    """Return the attribute to remove, and the flags and the state that remain; None if the word
    leaves nothing out.

    `-hesitant` leaves out a state or a flag, `-cover` an attribute; `ops=no` is the same as `-ops`.
    `-shaken` of a unit that is shaken and wounded leaves it wounded.
    """
    name = key[1:] if key.startswith("-") and not value else key if value in _NO else ""
    state_word = name.replace("_", "-")
    if (
        state
        and state_word in words.known_states
        and words.remove_state(state, state_word) != state
    ):
        other_state = words.remove_state(state, state_word) or words.fresh or words.sound
        remaining = flags.difference(words.states.get(state, ()), [_find_flag(name, words)])
        return "", remaining.union(words.states.get(other_state, ())), other_state
    if flag := _find_flag(name, words):
        return "", flags - {flag}, state
    option = words.keys.get(name.replace("-", "_"))
    return None if option is None or option.type == "str" else (option.name, flags, state)


_LEFT_OUT = re.compile(r"(?P<name>\S.{0,80}?)(?P<rest>( -[a-z][a-z_-]{0,40}){1,8})", re.IGNORECASE)


def split_left_out(item: str, roster: Roster) -> tuple[str, str]:
    """Return the name of a roster unit and what is left out for this roll: `Rifle 2`, ` -moved`.

    The second one is empty if the item is not such a unit with such words.
    """
    match = _LEFT_OUT.fullmatch(plain_signs(item).strip())
    if match is None:
        return item, ""
    name = match["name"].strip("\"'\u201c\u201d\u2018\u2019")
    return (name, match["rest"]) if name.casefold() in roster else (item, "")


def parse_value(option: Option, raw: str) -> Any:
    """Parse a number or word of a unit. Several whole numbers are typed as sw=3,2, several weapons
    as loadout=2xrifle,lmg.
    """
    if option.type != "mods":
        return clean(option, raw)
    if option.values:
        return read_loadout(option, raw)
    single = Option(option.name, "int", min=option.min, max=option.max)
    return tuple([clean_whole(single, part) for part in plain_signs(raw).split(",") if part])


def _make_unknown_error(
    base: Unit, token: str, words: UnitWords, item: str, roster: Roster
) -> UserError:
    """Return the error for a word after a unit that is neither a number with its key nor a flag."""
    key, equals, _ = token.partition("=")
    key = key.casefold()
    flag = key.replace("-", "_")
    if key in words.keys and not equals:
        return UserError(
            f"{base.word}: {key} needs a value.",
            hint=f"Write it without a space: {key}={get_example(words.keys[key])}.",
            code="no-value",
        )
    if flag in words.flags and equals:
        return UserError(
            f"{base.word}: {flag} is a flag and takes no value.",
            hint=f"Write just {flag}, or -{flag} if a roster unit should go without it.",
            code="bad-unit",
        )
    if token.isdecimal() and not base.name:
        return _make_bare_number_error(base, token, words, item, roster)
    return _make_unknown_attribute_error(token, words)


def _make_bare_number_error(
    base: Unit, token: str, words: UnitWords, item: str, roster: Roster
) -> UserError:
    """Return the error for a number without a key after a unit type, as in `squad 7`."""
    unit_name = item[: item.find(token) + len(token)]  # as it was typed
    hint: str = did_you_mean(unit_name, [unit.name for unit in roster.values()])
    if not hint:
        key = next(iter(words.keys), "fp")
        hint = f"Write a number with its name: {base.word} {key}={token[:6]}."
    problem = f'The roster has no unit "{unit_name[:40]}", and {base.word} takes no number without a name.'
    return UserError(problem, hint=hint, code="unknown-unit")


def _make_unknown_attribute_error(token: str, words: UnitWords) -> UserError:
    """Return the error for a number, flag or state that units of the game do not have."""
    key, equals, _ = token.partition("=")
    key = key.casefold()
    name = key.lstrip("+-")
    states = words.known_states if words.fresh else ()
    nearest = Hint()
    if len(name) > 1:
        nearest = did_you_mean(name, [*words.keys, *words.flags, *states])
    if name != key:
        nearest = with_sign_of(token, nearest)
    if equals:
        kind = "number"
        candidates = tuple(words.keys)
    else:
        kind = "flag or state" if states else "flag"
        candidates = (*words.flags, *states)
    hint: str = nearest
    if not hint:
        hint = f"Units here have no {kind}s."
        if candidates:
            hint = f"Expected one of {', '.join(candidates)}."
    problem = f'"{token[:40]}" is not a unit {kind} here.'
    return UserError(problem, hint=hint, code="unknown-attribute")


def _parse_head(item: str, words: UnitWords, roster: Roster) -> tuple[Unit, list[str]]:
    """Return the unit at the start of an item, and the words after it.

    The item begins with a quoted name, the name of a roster unit or a unit type. Raises UserError
    if it begins with none of these.
    """
    quote = _QUOTES.get(item[0])
    if quote:
        name, _, words_after = item[1:].partition(quote)
        return build_unit(find_unit(name, roster), words), words_after.split()
    pieces = item.split()
    if roster:
        for length in range(min(len(pieces), 12), 0, -1):  # the longest roster name that fits
            key = " ".join(pieces[:length]).casefold()
            if key in roster:
                return build_unit(roster[key], words), pieces[length:]
    word = pieces[0].casefold()
    for type_ in (word, word.replace("_", "-")):
        if type_ in words.types:
            return Unit(type_, type_), pieces[1:]
    raise _make_unknown_unit_error(pieces, words, roster)


def _make_unknown_unit_error(pieces: list[str], words: UnitWords, roster: Roster) -> UserError:
    """Return the error for an item that begins neither with a roster unit nor with a unit type.

    `pieces` are the words of the item.
    """
    word = pieces[0].casefold()
    typed_name = _read_name(pieces)
    names = [unit.name for unit in roster.values()]
    list_hint = phrase("`/unit list` shows them all.")
    if word.isdecimal() and len(pieces) > 1:
        if _is_type(pieces[1], words):
            return _make_leading_count_error(word, words)
        nearest = did_you_mean(typed_name, names)
        message = f'No unit is called "{typed_name[:40]}" here.'
        hint = nearest or list_hint
        return UserError(message, hint=hint, code="unknown-unit", about=typed_name)
    blank_hint = _make_blank_hint(word, roster)
    if blank_hint or _HANDLE.fullmatch(word):
        return _make_unknown_handle_error(word, blank_hint or list_hint, roster)
    if typed_name != pieces[0]:
        nearest = did_you_mean(typed_name, names)
        if nearest:
            message = f"There is no {typed_name[:40]}."
            return UserError(message, hint=nearest, code="unknown-unit", about=typed_name)
    nearest = did_you_mean(word, [*words.types, *names])
    if roster:
        message = f'No unit is called "{typed_name[:40]}".'
        hint = nearest or list_hint
        return UserError(message, hint=hint, code="unknown-unit", about=typed_name)
    message = f'There is no unit type "{pieces[0][:40]}".'
    types_hint = f"{SEPARATED}; unit types are {', '.join(words.types)}."
    return UserError(message, hint=nearest or types_hint, code="unknown-unit", about=typed_name)


def _make_unknown_handle_error(word: str, hint: Hint | Phrase, roster: Roster) -> UserError:
    """Return the error for a handle that no unit has, or that is typed where there is no roster."""
    message = f'No unit has the handle "{word[:40]}".'
    if not roster:
        message = f'No unit is called "{word[:40]}": there are no units here yet.'
        hint = phrase(
            "A scenario comes with units: `/game start`. Or type a unit's type and numbers."
        )
    return UserError(message, hint=hint, code="unknown-unit", about=word)


def _make_leading_count_error(word: str, words: UnitWords) -> UserError:
    """Return the error for a number before a unit type, as in `3 squads`."""
    advice = "each by itself: squad; squad"
    if words.repeat:
        advice = f"{words.repeat}={word[:3]} after it"
    problem = f'A list item begins with a unit, not with the number "{word[:10]}".'
    return UserError(problem, hint=f"Write {advice}.", code="bad-unit")


def _is_type(word: str, words: UnitWords) -> bool:
    """Return whether a word is a unit type, also in the plural or misspelt: `squads`."""
    folded = word.casefold().replace("_", "-")
    return folded.removesuffix("s") in words.types or bool(did_you_mean(folded, words.types))


def _read_name(pieces: list[str]) -> str:
    """Return the name at the start of an item: everything up to the first number with its key."""
    return " ".join(takewhile(lambda piece: "=" not in piece, pieces))
