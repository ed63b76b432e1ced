"""The closed list of what an event may be: its kinds, the fields that each may hold, and what each may change.

A log is written by us alone, so whatever else is in one was put there by somebody else. The list only grows:
logs of every release stay readable. Whether an event follows on those before it is for `bot/game/follows/event.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from bot.rules.dice import AVERAGING
from bot.rules.proof.fair import MAX_SIDES, NO_TEXTS

LONGEST = 200
LONGEST_TEXT = 8_000
MOST_VERSIONS = 20
"""Versions of packs that a game remembers."""
MOST_RULES = 200
"""Optional rules that a game may have switched, of all versions of its pack."""
LATEST = 10**11  # Unix seconds that a calendar can still show


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event: fields it needs and may hold beside the common ones, fields of the game it may change, and
    whether it may change units. `words` are the only results it may tell, where these do not hang on anything."""

    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    game: tuple[str, ...] = ()
    units: bool = False
    words: tuple[str, ...] = ()


COMMON = ("number", "at", "who", "side", "kind", "behind")
PATCH = ("before", "after")
_TURN = ("turn", "phase", "turn_of", "go", "passes")
_UNDONE = (
    *_TURN,
    "initiative",
    "plans",
    "orders",
    "orders_due",
    "system",
    "players",
    "hand_dice",
    "answers",
    "confirm",
    "rules",
    "master",
    "packs",
)
KINDS: Mapping[str, Kind] = {
    "start": Kind(
        ("game", "secret"), ("free", "unannounced", "result", *PATCH),
        ("system", "name", "started", "sides", "master", "turn", "phase", "turn_of", "go", "packs"),
        units=True,
    ),
    "join": Kind(PATCH, (), ("players",)),
    "leave": Kind(PATCH, (), ("players",)),
    "next": Kind(("result", *PATCH), (), _TURN, units=True),
    "pass": Kind(("result", *PATCH), (), _TURN, units=True),
    "initiative": Kind(("result",), PATCH, ("initiative", "turn_of", "go", "passes")),
    "plan": Kind(("result", *PATCH), ("texts",), ("plans",)),
    "order": Kind(("result", *PATCH), ("texts",), ("orders", "orders_due")),
    "orders": Kind(("reads", "result", *PATCH), (), ("orders", "orders_due")),
    "end": Kind(PATCH, ("opens", "result", "texts"), ("ended", "winner"), units=True),
    "resume": Kind((), PATCH, ("ended", "winner")),
    "unit": Kind(("result",), (*PATCH, "renamed"), ("system", "packs"), units=True),
    "settings": Kind((), ("result", *PATCH), ("hand_dice", "answers", "confirm", "rules", "master", "packs")),
    "transfer": Kind(("result",), words=("to another channel",)),
    "link": Kind(
        ("result",), words=("played from two channels", "one channel fewer", "a channel agreed to a link"),
    ),
    "import": Kind(("secret", "result"), PATCH, ("master",)),
    "claim": Kind((), ("own", *PATCH), ("players", "master")),
    "privacy": Kind(("result",), PATCH, ("players", "master"), words=("somebody's name and texts were deleted",)),
    "fair": Kind(("result",), ("secret", "texts", "revealed", "closes")),
    "roll": Kind(("command", "inputs", "out"), ("dice", "hand", "result", "texts", "closes")),
    "table": Kind(
        ("command", "system", "target", "dice"), ("inputs", "out", "edition", "tables", "result", "texts", "closes"),
    ),
    "sequence": Kind(
        ("command", "system", "target"),
        ("inputs", "dice", "out", "edition", "tables", "hand", "result", "used", "acting", "texts", "closes", *PATCH),
        ("system", "initiative", "go", "passes", "packs"), units=True,
    ),
    "sealed": Kind(("of", "sealed"), ("hand", "closes")),
    "reveal": Kind(("opens",), ("result", "last", *PATCH), (), units=True),
    "undo": Kind(
        ("event", "last"), ("asked", "alone", "by", "reason", *PATCH),
        _UNDONE, units=True,
    ),
    "redo": Kind(
        ("event",), ("asked", "by", "reason", *PATCH),
        _UNDONE, units=True,
    ),
}  # fmt: skip
LATER = ("said", "keeps", "by", "reason", "renamed")
"""Fields of version 2: a log with one of them, with an undo that passes over later events, or with a phase that takes
numbers off units, is exported as that, so that an older Grognard says "written by a newer one" and never "forged"."""
BESIDE = ("plan", "order", "orders", "join", "leave", "fair", "claim", "privacy", "link", "transfer", "sealed")
"""Kinds that happen beside the game: undo passes over them, and what can be brought back they keep."""
SEALABLE = ("roll", "sequence")
"""Kinds that may be rolled under seal; then the same fields are in the sealed content, with `changes` of units."""


def is_later(body: Mapping[str, Any]) -> bool:
    """Whether an event holds what readers of version 1 do not know."""
    passes_over = body.get("kind") == "undo" and body.get("event") != body.get("behind")
    return passes_over or any(field in body for field in LATER) or _takes_numbers(body)


def _takes_numbers(body: Mapping[str, Any]) -> bool:
    """Whether a new phase takes numbers off units, and not only markers."""
    if body.get("kind") not in ("next", "pass"):
        return False
    before, after = (body.get(name, {}).get("units", {}) for name in PATCH)
    return any(unit.get("numbers") != after.get(key, {}).get("numbers") for key, unit in before.items())


def may_be_later(text: str) -> bool:
    """Whether the JSON of an event is worth reading to see that; most are not."""
    return any(f'"kind":"{kind}"' in text for kind in ("undo", "next", "pass")) or any(
        f'"{field}":' in text for field in LATER
    )


def shape_faults(body: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with an event by itself: kind, fields, their types, what it may change."""
    name = body.get("kind")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        yield f"Grognard writes no event of the kind {shown(name)}."
        return
    keeps = ("keeps",) if name in (*BESIDE, "roll", "table", "sequence", "reveal") else ()
    yield from _fields(body, f"an event of the kind {name}", (*COMMON, *kind.needs), (*kind.may, *keeps, "said"))
    if has_large_number(body):
        yield _LARGE
    yield from _patch_faults(body, kind)
    if kind.words and body.get("result") not in kind.words:
        yield f"its words are none that Grognard writes: {shown(body.get('result'))}."
    if name in ("sequence", "table"):
        yield from _rules_faults(body)
    elif name == "roll" and _texts(body) - {"label"}:
        yield "it cannot hold other texts than a label."
    if body.get("hand") is False:
        yield "its hand cannot be read: False."


def content_faults(content: Mapping[str, Any]) -> Iterator[str]:
    """The same for what was sealed in an event."""
    name = content.get("kind")
    if name not in SEALABLE:
        yield f"what was sealed in it is of the kind {shown(name)}, which cannot be sealed."
        return
    if has_large_number(content):
        yield _LARGE
        return
    kind, sealed = KINDS[name], "what was sealed in it"
    needs = tuple(field for field in kind.needs if field not in PATCH)
    yield from _fields(
        content, sealed, ("kind", *needs), (*(f for f in kind.may if f not in (*PATCH, "closes")), "changes", "texts")
    )
    if name == "sequence":
        yield from _rules_faults(content)
    elif _texts(content) - {"label"}:
        yield "it cannot hold other texts than a label."


def _texts(body: Mapping[str, Any]) -> set[str]:
    texts = body.get("texts")
    return set(texts) if isinstance(texts, Mapping) else set()


def _fields(body: Mapping[str, Any], what: str, needs: tuple[str, ...], may: tuple[str, ...]) -> Iterator[str]:
    for field in needs:
        if field not in body:
            yield f"{what} needs {field}."
    for field, value in body.items():
        if field not in needs and field not in may:
            yield f"{what} cannot hold {shown(field)}."
        elif not _TYPES[field](value):
            yield f"its {field} cannot be read: {shown(value)}."


def _patch_faults(body: Mapping[str, Any], kind: Kind) -> Iterator[str]:
    if not all(_is_patch(body.get(name, {})) for name in PATCH):
        return  # said already
    before, after = body.get("before", {}), body.get("after", {})
    for part in ("game", "units"):
        was, now = before.get(part, {}), after.get(part, {})
        if was.keys() != now.keys() or any(_same(was[key], now[key]) for key in was):
            yield "before and after do not tell one change."
    for field in after.get("game", {}):
        if field not in kind.game:
            yield f"an event of the kind {body['kind']} cannot change {shown(field)}."
    if after.get("units") and not kind.units:
        yield f"an event of the kind {body['kind']} cannot change units."


def _rules_faults(body: Mapping[str, Any]) -> Iterator[str]:
    """Of sequences and tables: one edition is named, they have no label, and dice no other faces than printed ones."""
    if body.get("texts"):
        yield "it cannot hold texts."
    if ("edition" in body) == ("tables" in body):
        yield "it must name one edition of the rules."
    dice = body.get("dice")
    for at, note in enumerate(dice if isinstance(dice, list) else (), 1):
        if isinstance(note, Mapping) and "faces" in note and note["faces"] != list(AVERAGING):
            yield f"die {at} ({shown(note.get('label'))}) has faces that no rule asks for: {shown(note['faces'])}."


def _same(one: object, other: object) -> bool:
    return one == other and type(one) is type(other)


def shown(value: object) -> str:
    """Something from a file, short enough for one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= 70 else f"{text[:67]}..."


_LARGE = "it has a whole number of 2^53 or more, which not every reader of JSON takes for the same."


def has_large_number(body: Mapping[str, Any]) -> bool:
    """Whether there is a whole number anywhere in it that a browser would read as another one."""
    rest: list[Any] = [body]
    while rest:
        value = rest.pop()
        if isinstance(value, Mapping):
            rest += value.values()
        elif isinstance(value, list):
            rest += value
        elif isinstance(value, int | float) and abs(value) >= 2**53:
            return True
    return False


def is_number(value: object, least: int = 0) -> TypeGuard[int]:
    """A whole number that every reader of JSON understands alike."""
    return type(value) is int and least <= value < 2**53


def is_word(value: object) -> bool:
    """A short text that is not empty."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_TEXT


def _is_true(value: object) -> bool:
    return value is True


def is_hash(value: object) -> bool:
    """A SHA-256 in hex digits."""
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def _words(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_word, value))


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping) and bool(value)


def _maps(value: object, check: Callable[[object], bool]) -> bool:
    return isinstance(value, Mapping) and all(is_word(key) and check(item) for key, item in value.items())


def _is_secret(value: object) -> bool:
    """A seed is promised, or the digest of the players' texts changes."""
    if not isinstance(value, Mapping):
        return False
    if value.keys() == {"digest"}:
        return is_hash(value["digest"])
    return (
        {"epoch", "commitment", "digest"} <= value.keys() <= _SECRET
        and value.get("closing", True) is True
        and (type(value.get("protocol", 2)), value.get("protocol", 2)) == (int, 2)  # the first has no name
        and is_number(value.get("announced", 0))
        and is_number(value["epoch"], 1)
        and is_hash(value["commitment"])
        and value["digest"] == NO_TEXTS
    )


_SECRET = {"epoch", "commitment", "digest", "closing", "announced", "protocol"}


def _is_revealed(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and value.keys() == {"epoch", "seed"}
        and is_number(value["epoch"], 1)
        and is_hash(value["seed"])
    )


def _is_die(note: object) -> bool:
    if not isinstance(note, Mapping) or not {"label", "sides", "value"} <= note.keys() <= {*_DIE, "faces"}:
        return False
    sides, value, faces = note["sides"], note["value"], note.get("faces")
    if not is_number(sides, 1) or sides > MAX_SIDES or type(value) not in (int, str) or not _is_name(note["label"]):
        return False
    if "faces" not in note:
        return True
    return isinstance(faces, list) and len(faces) == sides and all(type(face) in (int, str) for face in faces)


_DIE = ("label", "sides", "value")


def _is_value(value: object) -> bool:
    if isinstance(value, list):
        return (
            len(value) <= LONGEST and not any(isinstance(item, list) for item in value) and all(map(_is_value, value))
        )
    return isinstance(value, bool | int | float) or _is_name(value)


def is_unit(unit: object) -> bool:
    """Whether it is a unit as an event holds one: nothing empty, markers in order."""
    if not isinstance(unit, Mapping) or not {"name", "handle", "type"} <= unit.keys() <= _UNIT:
        return False
    marks = unit.get("marks", ["-"])
    numbers = unit.get("numbers", {"-": 0})
    return (
        all(is_word(unit[key]) for key in ("name", "handle", "type", "side", "state") if key in unit)
        and _words(marks) and marks == sorted(set(marks))
        and bool(numbers) and _maps(numbers, _is_value)
        and unit.get("turned", True) is True and ("back" in unit or "turned" not in unit)
        and _is_back(unit.get("back", {}))
    )  # fmt: skip


_UNIT = {"name", "handle", "type", "side", "state", "numbers", "marks", "back", "turned"}


def _is_back(back: object) -> bool:
    """Whether it is the side of a counter that is down: a type, numbers, or neither."""
    if not isinstance(back, Mapping) or not back.keys() <= {"type", "numbers"}:
        return False
    numbers = back.get("numbers", {"-": 0})
    return is_word(back.get("type", "-")) and bool(numbers) and _maps(numbers, _is_value)


def _are_units(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_unit, value))


def _is_patch(value: object) -> bool:
    if not isinstance(value, Mapping) or not value.keys() <= {"game", "units"}:
        return False
    game, units = value.get("game", {}), value.get("units", {})
    return (
        isinstance(game, Mapping) and isinstance(units, Mapping)
        and all(_GAME.get(field, _is_any)(item) for field, item in game.items())
        and all(unit is None or (is_unit(unit) and unit["name"].casefold() == key) for key, unit in units.items())
    )  # fmt: skip


def _is_any(_value: object) -> bool:
    return True  # a field that nothing may change, which is said by itself


def _is_change(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and {"unit", "set"} <= value.keys() <= {"unit", "set", "mark", "unmark", "turn"}
        and value.get("turn", True) is True
        and is_word(value["unit"])
        and _maps(value["set"], lambda item: item is None or _is_value(item))
        and all(_words(value[key]) for key in ("mark", "unmark") if key in value)
    )


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


_GAME: Mapping[str, Callable[[object], bool]] = {
    **dict.fromkeys(("system", "name", "master", "phase", "initiative", "turn_of", "winner"), _is_name),
    "started": _is_bool, "ended": _is_bool, "hand_dice": _is_bool, "confirm": _is_bool,
    "answers": lambda value: value in ("full", "compact"),
    "turn": is_number, "passes": is_number,
    "go": lambda value: isinstance(value, list) and all(map(is_word, value)),
    "plans": lambda value: isinstance(value, Mapping) and all(
        is_word(at) and at.isdecimal() and is_number(turn, 1) for at, turn in value.items()
    ),
    "orders": lambda value: isinstance(value, Mapping) and all(
        is_word(at) and at.isdecimal() and is_word(who) for at, who in value.items()
    ),
    "orders_due": lambda value: is_number(value) and value < LATEST,
    "sides": lambda value: isinstance(value, list) and all(map(is_word, value)),
    "packs": lambda value: isinstance(value, list) and len(value) <= MOST_VERSIONS and all(map(is_hash, value)),
    "players": lambda value: _maps(value, is_word),
    "rules": lambda value: isinstance(value, Mapping) and len(value) <= MOST_RULES and all(
        is_word(rule) and _is_bool(on) for rule, on in value.items()
    ),
}  # fmt: skip
_TYPES: Mapping[str, Callable[[object], bool]] = {
    "number": lambda value: is_number(value, 1), "behind": is_number, "event": lambda value: is_number(value, 1),
    "last": is_number, "at": lambda value: is_number(value) and value < LATEST,
    "who": is_word, "side": _is_name, "kind": is_word, "asked": is_word,
    "own": is_word, "of": lambda value: value in SEALABLE,
    "command": is_word, "system": is_word, "target": is_word, "game": is_word,
    "edition": lambda value: is_number(value, 1) or is_hash(value),
    "tables": lambda value: isinstance(value, str) and re.fullmatch("[0-9a-f]{12}", value) is not None,
    "free": _is_true, "unannounced": _is_true, "closes": _is_true, "keeps": _is_true,
    "by": lambda value: value == "manager", "reason": lambda value: value in ("left", "silent"),
    "renamed": is_word,
    "hand": _is_bool, "alone": _is_true,
    "sealed": is_hash, "said": is_hash,
    "secret": _is_secret, "revealed": _is_revealed, "texts": lambda value: _maps(value, is_hash),
    "inputs": _is_object, "out": _is_object, "result": _is_text,
    "dice": lambda value: isinstance(value, list) and bool(value) and all(map(_is_die, value)),
    "used": _are_units, "acting": _words,
    "opens": lambda value: isinstance(value, list) and bool(value) and all(is_number(item, 1) for item in value),
    "reads": lambda value: isinstance(value, list) and bool(value) and all(is_number(item, 1) for item in value),
    "changes": lambda value: isinstance(value, list) and bool(value) and all(map(_is_change, value)),
    "before": lambda value: _is_object(value) and _is_patch(value),
    "after": lambda value: _is_object(value) and _is_patch(value),
}  # fmt: skip
