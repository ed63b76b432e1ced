"""The closed list of what an event may be: its kinds, the fields that each may hold, and what each
may change.

A log is written by us alone, so whatever else is in one was put there by somebody else. The list
only grows: logs of every release stay readable. Whether an event may follow on those before it is
decided in `bot/verification/follows/event.py`.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from bot.rules.proof.chain import has_large_number
from bot.rules.proof.fair import MAX_SIDES, PROTOCOL

EVENTS: Mapping[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
"""The list as data, in event_kinds.json.

Of each kind: the fields that it `needs` and `may` have besides the `common` ones, the fields of the
game that it `changes`, its `traits`, and the only `results` that it may tell if these depend on
nothing.

The traits: it may change `units`, or `cards` out of their piles; it happens `beside` the game, so
that undo passes over it; it is `final`, so that undo does not take it back, since others have acted
on it or it gave a secret away; it is a `barrier` that no undo crosses; it needs a game that is
`playing`; it is `quiet`, so that undo passes over it if it changed nothing; it may be rolled under
seal (`sealable`); it holds an `outcome` of dice or tables, or that of a `combat` sequence; it
`continues` a sequence that asked a side for a choice, and its `event` is the one that asked.

Of each field what it holds: `word+` is a list of words, `word*` one that may be empty,
`{word:hash}` an object with words for keys. A number behind these is the most entries.
`=left|=silent` is one of two texts. A `field?` of a record may be left out. The rest are names of
records, or of `_BASE`. `faces` are the only ones of their own that dice of rules have.
"""
MOST_VERSIONS = int(EVENTS["game"]["packs"].removeprefix("hash*"))
"""The most versions of packs that a game remembers."""


class Kind(NamedTuple):
    """A kind of event, as `EVENTS` has it."""

    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    game: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


KINDS: Mapping[str, Kind] = {
    name: Kind(
        tuple(kind["needs"]),
        tuple(kind["may"]),
        tuple(kind["changes"]),
        tuple(kind["traits"]),
        tuple(kind.get("results", ())),
    )
    for name, kind in EVENTS["kinds"].items()
}


def list_kinds_with(trait: str) -> tuple[str, ...]:
    """The kinds of which this is true: `beside`, `final` and so on."""
    return tuple(name for name, kind in KINDS.items() if trait in kind.traits)


COMMON = tuple(EVENTS["common"])
PATCH = ("before", "after")


def find_shape_faults(body: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with an event by itself: kind, fields, their types, what it may change."""
    name = body.get("kind")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        yield f"Grognard writes no event of the kind {shorten_value(name)}."
        return
    keeps = ("keeps",) if {"beside", "quiet"} & {*kind.traits} else ()
    yield from _find_field_faults(
        body, f"an event of the kind {name}", (*COMMON, *kind.needs), (*kind.may, *keeps, "said")
    )
    if has_large_number(body):
        yield _LARGE
    yield from _find_patch_faults(body, kind)
    if kind.words and body.get("result") not in kind.words:
        yield f"its words are none that Grognard writes: {shorten_value(body.get('result'))}."
    yield from _find_roll_faults(body)
    if body.get("hand") is False:
        yield "its hand cannot be read: False."


def find_content_faults(content: Mapping[str, Any]) -> Iterator[str]:
    """The same for what was sealed in an event, which holds `changes` of units in place of a
    patch.
    """
    name = content.get("kind")
    if not isinstance(name, str) or name not in list_kinds_with("sealable"):
        yield f"what was sealed in it is of the kind {shorten_value(name)}, which cannot be sealed."
    elif has_large_number(content):
        yield _LARGE
    else:
        may = (
            field
            for field in KINDS[name].may
            if field not in (*PATCH, "closes", "extends", "upkeep", "uses")
        )
        more = (*may, "changes", "tracks")
        yield from _find_field_faults(
            content, "what was sealed in it", ("kind", *KINDS[name].needs), more
        )
        if any("deck" in die for die in content.get("dice", ()) if isinstance(die, dict)):
            yield "it draws cards under seal."
        yield from _find_roll_faults(content)


def _find_field_faults(
    body: Mapping[str, Any], what: str, needs: tuple[str, ...], may: tuple[str, ...]
) -> Iterator[str]:
    for field in needs:
        if field not in body:
            yield f"{what} needs {field}."
    for field, value in body.items():
        if field not in needs and field not in may:
            yield f"{what} cannot hold {shorten_value(field)}."
        elif not _FIELDS[field](value):
            yield f"its {field} cannot be read: {shorten_value(value)}."


def _find_patch_faults(body: Mapping[str, Any], kind: Kind) -> Iterator[str]:
    if not all(body.get(name, {}) == {} or _RECORDS["patch"](body[name]) for name in PATCH):
        return  # said already
    before = body.get("before", {})
    after = body.get("after", {})
    for part in ("game", "units", "cards"):
        was = before.get(part, {})
        now = after.get(part, {})
        if was.keys() != now.keys() or any(
            was[key] == now[key] and type(was[key]) is type(now[key]) for key in was
        ):
            yield "before and after do not tell one change."
    for field in after.get("game", {}):
        if field not in kind.game:
            yield f"an event of the kind {body['kind']} cannot change {shorten_value(field)}."
    for part in ("units", "cards"):
        if after.get(part) and part not in kind.traits:
            yield f"an event of the kind {body['kind']} cannot change {part}."


def _find_roll_faults(body: Mapping[str, Any]) -> Iterator[str]:
    """Of rolls, which may have a label; of sequences and tables, which have no texts but closed
    faces, name one edition of the rules, and throw dice with no other faces than printed ones. Only
    open sequences draw cards."""
    texts = body.get("texts")
    dice = body.get("dice")
    if body["kind"] != "sequence" and any(
        "deck" in die for die in dice or () if isinstance(die, dict)
    ):
        yield "it draws cards, which only sequences do."
    if body["kind"] == "roll" and isinstance(texts, dict) and {*texts} - {"label"}:
        yield "it cannot hold other texts than a label."
    if "edition" not in KINDS[body["kind"]].needs:
        return
    if {*(texts if isinstance(texts, dict) else ())} != list_closed_face_keys(body):
        yield "it holds other texts than the faces that it closes."
    if body.get("hand") and any(map(names_card, dice if isinstance(dice, list) else ())):
        yield "it closes faces of real cards."
    for at, note in enumerate(dice if isinstance(dice, list) else (), 1):
        if isinstance(note, dict) and "faces" in note and note["faces"] != EVENTS["faces"]:
            yield (
                f"die {at} ({shorten_value(note.get('label'))}) has faces that no rule asks for: "
                f"{shorten_value(note['faces'])}."
            )


def names_card(die: object) -> bool:
    """Return whether a die of an event is of a deck with closed cards: it names the card that it
    drew, its face is closed.
    """
    return isinstance(die, dict) and "deck" in die and isinstance(die.get("value"), str)


def list_closed_face_keys(body: Mapping[str, Any]) -> set[str]:
    """The keys of the texts with the faces that a sequence closes; a card of known place comes
    without a die.
    """
    dice = body.get("dice")
    rows = enumerate(dice if isinstance(dice, list) else (), 1)
    return {f"face.{at}" for at, die in rows if names_card(die) and die.get("sides")}


def shorten_value(value: object) -> str:
    """Something from a file, short enough for one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= 70 else f"{text[:67]}..."


_LARGE = "it has a whole number of 2^53 or more, which not every reader of JSON takes for the same."


def is_number(value: object, least: int = 0, below: int = 2**53) -> TypeGuard[int]:
    """A whole number that every reader of JSON understands alike."""
    return type(value) is int and least <= value < below


def is_hash(value: object) -> bool:
    """A SHA-256 in hex digits."""
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def _is_text(value: object, least: int, most: int) -> bool:
    return isinstance(value, str) and least <= len(value) <= most


def _is_value(value: object) -> bool:
    """A number or word of a unit, or several."""
    if isinstance(value, list):
        return len(value) <= 200 and all(
            not isinstance(item, list) and _is_value(item) for item in value
        )
    return isinstance(value, bool | int | float) or _is_text(value, 0, 200)


Check = Callable[[Any], bool]
_BASE: dict[str, Check] = {
    "whole": is_number,
    "count": lambda value: is_number(value, 1),
    "time": lambda value: is_number(value, 0, 10**11),  # Unix seconds that a calendar can still show
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
    "game": lambda value: (
        isinstance(value, dict) and all(_GAME.get(field, _is_any)(item) for field, item in value.items())
    ),
    "units": lambda value: isinstance(value, dict) and all(
        unit is None or (_RECORDS["unit"](unit) and unit["name"].casefold() == key) for key, unit in value.items()
    ),
}  # fmt: skip
_MORE: Mapping[str, Check] = {
    "die": lambda die: (
        (len(die.get("faces", ())) == die["sides"] or "faces" not in die)
        and (0 < die["sides"] <= MAX_SIDES or (die["sides"] == 0 and names_card(die)))
        and len(die.keys() & {"deck", "to"}) in (0, 2)
        and not {"deck", "faces"} <= die.keys()
    ),
    "unit": lambda unit: (
        sorted(set(marks := unit.get("marks", []))) == marks
        and ("back" in unit or "turned" not in unit)
    ),
    "patch": bool,
}
"""What a record must be besides: the faces of a die are as many as its sides, markers in order."""


def _is_any(_value: object) -> bool:
    return True  # a field that nothing may change, which is said by itself


def _build_check(kind: str) -> Check:
    """Build the function that checks whether a value has this kind, as written in `EVENTS`."""
    if found := re.fullmatch(r"\{(\w+):(.+)\}(\+?)(\d*)", kind):
        key_fits = _build_check(found[1])
        fits = _build_check(found[2])
        least = len(found[3])
        most = int(found[4] or 2**53)
        return lambda value: (
            isinstance(value, dict) and least <= len(value) <= most
            and all(key_fits(key) and fits(item) for key, item in value.items())
        )  # fmt: skip
    if "|" in kind:
        checks = [_build_check(one) for one in kind.split("|")]
        return lambda value: any(check(value) for check in checks)
    if found := re.fullmatch(r"(\w+)([*+])(\d*)", kind):
        fits = _build_check(found[1])
        least = int(found[2] == "+")
        most = int(found[3] or 2**53)
        return lambda value: (
            isinstance(value, list) and least <= len(value) <= most and all(map(fits, value))
        )
    if kind.startswith("="):
        return lambda value: isinstance(value, str) and value == kind[1:]
    return _RECORDS.get(kind) or _BASE[kind]


def _build_record_check(name: str, fields: Mapping[str, str]) -> Check:
    """Build the function that checks whether a value is a dict with these fields. A `?` marks an
    optional field.
    """
    needs = {field for field in fields if field[-1] != "?"}
    checks = {field.rstrip("?"): _build_check(kind) for field, kind in fields.items()}
    more = _MORE.get(name, _is_any)
    return lambda value: (
        isinstance(value, dict) and needs <= value.keys() <= checks.keys()
        and all(checks[field](item) for field, item in value.items()) and more(value)
    )  # fmt: skip


_RECORDS: dict[str, Check] = {}
for _name, _fields_of in EVENTS["records"].items():  # each may hold those before it
    _RECORDS[_name] = _build_record_check(_name, _fields_of)
_GAME: dict[str, Check] = {name: _build_check(kind) for name, kind in EVENTS["game"].items()}
_FIELDS = {name: _build_check(kind) for name, kind in EVENTS["fields"].items()}
