"""The closed list of events: their kinds, the fields of each, and what each may change.

Only Grognard writes a log, so anything else in one was put there by somebody else. The list only
grows: logs of every release stay readable. `bot/verification/follows/event.py` decides whether an
event may follow those before it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from bot.rules.proof.chain import has_large_number
from bot.rules.proof.fair import MAX_SIDES, PROTOCOL

EVENTS: Mapping[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
"""The list as data, in event_kinds.json.

- `common`: the fields that every event has.
- `kinds`: the kinds of events, see `Kind`.
- `fields`, `game`: the type of each field of an event, and of each field of the game.
- `records`: the types of the fields of objects. A `field?` may be left out.
- `faces`: the only faces other than numbers that dice of rules have.

A type is the name of a record or of a check in `_BASE`, or one of these:

- `word+`: a list of words; `word*`: a list that may be empty; `card+400`: at most 400 entries.
- `{word:hash}`: an object that has words for keys and hashes for values; `{word:hash}+`: at least
  one of them; `{word:hash}+4`: at most 4.
- `=left|=silent`: one of two texts; `value|none`: one of two types.
"""
MOST_VERSIONS = int(EVENTS["game"]["packs"].removeprefix("hash*"))
"""Maximum number of pack versions that a game remembers."""


class Trait(StrEnum):
    """A property of a kind of event."""

    UNITS = "units"
    """It may change units."""
    CARDS = "cards"
    """It may change the cards out of their piles."""
    BESIDE = "beside"
    """It happens outside the game itself, so undo passes over it."""
    FINAL = "final"
    """Undo does not take it back: others have acted on it, or it gave a secret away."""
    BARRIER = "barrier"
    """No undo crosses it."""
    PLAYING = "playing"
    """It needs a game that is started and not over."""
    QUIET = "quiet"
    """Undo passes over it if it changed nothing."""
    SEALABLE = "sealable"
    """It may be rolled under seal."""
    OUTCOME = "outcome"
    """It holds an outcome of dice or tables."""
    COMBAT = "combat"
    """It holds an outcome of a combat sequence, or of a part of one."""
    CONTINUES = "continues"
    """It continues a sequence that asked a side for a choice. Its `event` is the one that asked."""


class Kind(NamedTuple):
    """A kind of event, as in `EVENTS`."""

    needs: tuple[str, ...] = ()
    """The fields that it must have, besides the common ones."""
    may: tuple[str, ...] = ()
    """The fields that it may have."""
    changes: tuple[str, ...] = ()
    """The fields of the game that it may change."""
    traits: tuple[Trait, ...] = ()
    results: tuple[str, ...] = ()
    """The only results that it may state; empty if any text may be one."""


def _read_kind(kind: Mapping[str, Any]) -> Kind:
    """Read a kind of event from the list."""
    return Kind(
        needs=tuple(kind["needs"]),
        may=tuple(kind["may"]),
        changes=tuple(kind["changes"]),
        traits=tuple(map(Trait, kind["traits"])),
        results=tuple(kind.get("results", ())),
    )


KINDS: Mapping[str, Kind] = {name: _read_kind(kind) for name, kind in EVENTS["kinds"].items()}


def list_kinds_with(trait: Trait) -> tuple[str, ...]:
    """Return the kinds of events that have a trait."""
    return tuple(name for name, kind in KINDS.items() if trait in kind.traits)


COMMON = tuple(EVENTS["common"])
PATCH = ("before", "after")


def find_shape_faults(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with an event in itself, whatever came before it.

    That is its kind, its fields and their types, too large a number, a change that its kind may not
    make, its result, or its dice.
    """
    name = body.get("kind")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        yield f"Grognard writes no event of the kind {shorten_value(name)}."
        return
    is_passed_over = Trait.BESIDE in kind.traits or Trait.QUIET in kind.traits
    keeps_field = ("keeps",) if is_passed_over else ()
    yield from _find_field_faults(
        body,
        f"an event of the kind {name}",
        (*COMMON, *kind.needs),
        (*kind.may, *keeps_field, "said"),
    )
    if has_large_number(body):
        yield _LARGE
    yield from _find_patch_faults(body, kind)
    if kind.results and body.get("result") not in kind.results:
        yield f"its words are not any that Grognard writes: {shorten_value(body.get('result'))}."
    yield from _find_roll_faults(body)
    if body.get("hand") is False:
        yield "its hand cannot be read: False."


def find_content_faults(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield the faults of the sealed content of an event.

    It has the shape of an event, but holds `changes` of units in place of a patch.
    """
    name = content.get("kind")
    if not isinstance(name, str) or name not in list_kinds_with(Trait.SEALABLE):
        yield f"what was sealed in it is of the kind {shorten_value(name)}, which cannot be sealed."
        return
    if has_large_number(content):
        yield _LARGE
        return
    kind = KINDS[name]
    excluded = (*PATCH, "closes", "extends", "upkeep", "uses")
    may = (field for field in kind.may if field not in excluded)
    optional_fields = (*may, "changes", "tracks")
    required_fields = ("kind", *kind.needs)
    yield from _find_field_faults(
        content, "what was sealed in it", required_fields, optional_fields
    )
    if any("deck" in die for die in content.get("dice", ()) if isinstance(die, dict)):
        yield "it draws cards under seal."
    yield from _find_roll_faults(content)


def _find_field_faults(
    body: Mapping[str, Any], subject: str, needs: tuple[str, ...], may: tuple[str, ...]
) -> Iterator[str]:
    """Yield a sentence for each field that is missing, not allowed, or of the wrong type.

    `subject` begins the sentences. `needs` are the required fields, `may` the optional ones.
    """
    for field in needs:
        if field not in body:
            yield f"{subject} needs {field}."
    for field, value in body.items():
        if field not in needs and field not in may:
            yield f"{subject} cannot hold {shorten_value(field)}."
        elif not _FIELDS[field](value):
            yield f"its {field} cannot be read: {shorten_value(value)}."


def _find_patch_faults(body: Mapping[str, Any], kind: Kind) -> Iterator[str]:
    """Yield the faults of the fields `before` and `after`, and of the changes in them."""
    for name in PATCH:
        if body.get(name, {}) != {} and not _RECORDS["patch"](body[name]):
            return  # _find_field_faults reports this
    before = body.get("before", {})
    after = body.get("after", {})
    for part in ("game", "units", "cards"):
        if not _is_one_change(before.get(part, {}), after.get(part, {})):
            yield "before and after do not describe the same change."
    for field in after.get("game", {}):
        if field not in kind.changes:
            yield f"an event of the kind {body['kind']} cannot change {shorten_value(field)}."
    for part in (Trait.UNITS, Trait.CARDS):
        if after.get(part) and part not in kind.traits:
            yield f"an event of the kind {body['kind']} cannot change {part}."


def _is_one_change(previous: Mapping[str, Any], current: Mapping[str, Any]) -> bool:
    """Return whether two parts of a patch have the same keys, and another value for each.

    A value of another type, such as 1 for True, is another value. Two empty parts are fine.
    """
    if previous.keys() != current.keys():
        return False
    for key, value in previous.items():
        if value == current[key] and type(value) is type(current[key]):
            return False
    return True


def _find_roll_faults(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield the faults of a roll, sequence or table in its texts, dice and cards.

    A roll may have a label. A sequence or table has no texts but closed faces, names one edition of
    the rules, and throws dice with printed faces only. Only open sequences draw cards.
    """
    texts = body.get("texts")
    text_keys = {*texts} if isinstance(texts, dict) else set()
    dice = body.get("dice")
    listed_dice = dice if isinstance(dice, list) else []
    draws_cards = any("deck" in die for die in listed_dice if isinstance(die, dict))
    if draws_cards and body["kind"] != "sequence":
        yield "it draws cards, which only sequences do."
    if body["kind"] == "roll" and text_keys - {"label"}:
        yield "it cannot hold any text but a label."
    if "edition" not in KINDS[body["kind"]].needs:
        return
    if text_keys != list_closed_face_keys(body):
        yield "it holds texts other than the faces it closes."
    if body.get("hand") and any(map(names_card, listed_dice)):
        yield "it closes faces of real cards."
    for number, die in enumerate(listed_dice, 1):
        if isinstance(die, dict) and "faces" in die and die["faces"] != EVENTS["faces"]:
            label = shorten_value(die.get("label"))
            faces = shorten_value(die["faces"])
            yield f"die {number} ({label}) has faces that no rule asks for: {faces}."


def names_card(die: object) -> bool:
    """Return whether a die of an event draws from a deck with closed cards.

    Such a die names the card drawn, and its face is closed.
    """
    return isinstance(die, dict) and "deck" in die and isinstance(die.get("value"), str)


def list_closed_face_keys(body: Mapping[str, Any]) -> set[str]:
    """Return the keys of the texts for the faces that a sequence closes: `face.1`, `face.2`.

    A card of known place comes without a die.
    """
    dice = body.get("dice")
    rows = enumerate(dice if isinstance(dice, list) else (), 1)
    return {f"face.{number}" for number, die in rows if names_card(die) and die.get("sides")}


def shorten_value(value: object) -> str:
    """Shorten a value from a file to fit one line: at most 70 characters."""
    text = " ".join(str(value).split())
    return text if len(text) <= 70 else f"{text[:67]}..."


_LARGE = "it has a whole number of 2^53 or more, which not every reader of JSON takes for the same."


def is_number(value: object, minimum: int = 0, below: int = 2**53) -> TypeGuard[int]:
    """Return whether a value is a whole number that every reader of JSON reads the same."""
    return type(value) is int and minimum <= value < below


def is_hash(value: object) -> bool:
    """Return whether a value is a SHA-256 in hex digits."""
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def _is_text(value: object, min_length: int, max_length: int) -> bool:
    return isinstance(value, str) and min_length <= len(value) <= max_length


def _is_value(value: object) -> bool:
    """Return whether a value is a number or a word of a unit, or a list of them."""
    if isinstance(value, list):
        return len(value) <= 200 and all(
            not isinstance(item, list) and _is_value(item) for item in value
        )
    return isinstance(value, bool | int | float) or _is_text(value, 0, 200)


def _is_game_patch(value: object) -> bool:
    """Return whether a value maps fields of the game to values of their types.

    Fields that nothing may change count as fitting: `_find_patch_faults` reports them.
    """
    if not isinstance(value, dict):
        return False
    return all(_GAME.get(field, _is_any)(item) for field, item in value.items())


def _is_units_patch(value: object) -> bool:
    """Return whether a value maps case-folded names to units, or to None for no unit."""
    if not isinstance(value, dict):
        return False
    return all(unit is None or _is_unit_with_key(unit, key) for key, unit in value.items())


def _is_unit_with_key(unit: Any, key: str) -> bool:
    return _RECORDS["unit"](unit) and unit["name"].casefold() == key


Check = Callable[[Any], bool]
_BASE: dict[str, Check] = {
    "whole": is_number,
    "count": lambda value: is_number(value, 1),
    # Unix seconds that a calendar can still show
    "time": lambda value: is_number(value, 0, 10**11),
    "sides": lambda value: is_number(value, 1, MAX_SIDES + 1),
    "protocol": lambda value: type(value) is int and value == PROTOCOL,
    "word": lambda value: _is_text(value, 1, 200),
    "digits": lambda value: _is_text(value, 1, 200) and value.isdecimal(),
    "name": lambda value: _is_text(value, 0, 200),
    "text": lambda value: _is_text(value, 1, 8_000),
    "hash": is_hash,
    "true": lambda value: value is True,
    "yes": lambda value: isinstance(value, bool),
    "none": lambda value: value is None,
    "face": lambda value: type(value) in (int, str),
    "value": _is_value,
    "object": lambda value: isinstance(value, dict) and bool(value),
    "game": _is_game_patch,
    "units": _is_units_patch,
}


def _is_consistent_die(die: Mapping[str, Any]) -> bool:
    """Return whether the fields of a die go together.

    Its faces are as many as its sides. A closed card of known place has no sides. A die that draws
    a card names its deck and the card's place, and has no faces of its own.
    """
    sides = die["sides"]
    if "faces" in die and len(die["faces"]) != sides:
        return False
    if sides == 0 and not names_card(die):
        return False
    if sides > MAX_SIDES:
        return False
    if ("deck" in die) != ("to" in die):
        return False
    return not ("deck" in die and "faces" in die)


def _is_consistent_unit(unit: Mapping[str, Any]) -> bool:
    """Return whether a unit has its markers in order, each once, and is turned only with a back."""
    marks = unit.get("marks", [])
    if sorted(set(marks)) != marks:
        return False
    return "back" in unit or "turned" not in unit


_RECORD_CHECKS: Mapping[str, Check] = {
    "die": _is_consistent_die,
    "unit": _is_consistent_unit,
    "patch": bool,  # not empty
}
"""The check of a whole record, after those of its fields."""


def _is_any(_value: object) -> bool:
    """Return True: the check of fields and records that have none."""
    return True


def _build_check(kind: str) -> Check:
    """Build the function that checks whether a value has this kind, as written in `EVENTS`."""
    match = re.fullmatch(r"\{(\w+):(.+)\}(\+?)(\d*)", kind)
    if match:
        min_size = len(match[3])
        max_size = int(match[4] or 2**53)
        return _build_object_check(match[1], match[2], min_size, max_size)
    if "|" in kind:
        checks = [_build_check(alternative) for alternative in kind.split("|")]
        return lambda value: any(check(value) for check in checks)
    match = re.fullmatch(r"(\w+)([*+])(\d*)", kind)
    if match:
        min_size = int(match[2] == "+")
        max_size = int(match[3] or 2**53)
        return _build_list_check(match[1], min_size, max_size)
    if kind.startswith("="):
        return lambda value: isinstance(value, str) and value == kind[1:]
    return _RECORDS.get(kind) or _BASE[kind]


def _build_object_check(key_kind: str, item_kind: str, min_size: int, max_size: int) -> Check:
    """Build the check of an object with keys and items of these kinds."""
    key_fits = _build_check(key_kind)
    fits = _build_check(item_kind)
    return lambda value: (
        isinstance(value, dict)
        and min_size <= len(value) <= max_size
        and all(key_fits(key) and fits(item) for key, item in value.items())
    )


def _build_list_check(item_kind: str, min_size: int, max_size: int) -> Check:
    """Build the check of a list with items of this kind."""
    fits = _build_check(item_kind)
    return lambda value: (
        isinstance(value, list) and min_size <= len(value) <= max_size and all(map(fits, value))
    )


def _build_record_check(name: str, fields: Mapping[str, str]) -> Check:
    """Build the function that checks whether a value is a dict with these fields.

    A `?` marks an optional field.
    """
    needs = {field for field in fields if field[-1] != "?"}
    checks = {field.rstrip("?"): _build_check(kind) for field, kind in fields.items()}
    extra_check = _RECORD_CHECKS.get(name, _is_any)

    def is_record(value: object) -> bool:
        if not isinstance(value, dict) or not needs <= value.keys() <= checks.keys():
            return False
        if not all(checks[field](item) for field, item in value.items()):
            return False
        return extra_check(value)

    return is_record


_RECORDS: dict[str, Check] = {}
for _name, _fields_of in EVENTS["records"].items():  # each may hold those before it
    _RECORDS[_name] = _build_record_check(_name, _fields_of)
_GAME: dict[str, Check] = {name: _build_check(kind) for name, kind in EVENTS["game"].items()}
_FIELDS = {name: _build_check(kind) for name, kind in EVENTS["fields"].items()}
