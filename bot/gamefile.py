"""What a game.yaml may say: checked whole when it is loaded, so that nothing fails in the middle of a game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bot.rules.errors import TableError, did_you_mean

_NEEDED = ("title", "edition", "publisher", "notice", "groups", "units")
_KEYS = (*_NEEDED, "author", "lists", "unit_lists", "phases", "scores")
_UNIT_KEYS = (
    "types", "classes", "attributes", "flags", "states", "state_flags", "markers", "marker_flags", "leaves",
)  # fmt: skip
_PHASE_KEYS = ("name", "title", "remember", "clears")


def check_game(game: Any, file: str) -> Mapping[str, Any]:
    """The content of a game.yaml, unchanged. Raises TableError that names the part which is wrong."""
    _keys(game, _KEYS, _NEEDED, file, None)
    edition = game["edition"]
    if not isinstance(edition, int) or isinstance(edition, bool) or edition < 1:
        raise TableError(file, "must be a whole number of at least 1, raised when an outcome changes", row="edition")
    if not isinstance(game["groups"], Mapping):
        raise TableError(file, "must be group: title", row="groups")
    units = game["units"]
    _keys(units, _UNIT_KEYS, ("types",), file, "units")
    flags, states = units.get("flags") or {}, units.get("states") or ()
    marks = (*(units.get("markers") or ()), *flags)
    _known(units.get("marker_flags") or {}, units.get("markers") or (), file, "marker_flags")
    _known((units.get("marker_flags") or {}).values(), flags, file, "marker_flags")
    _known(units.get("state_flags") or {}, states, file, "state_flags")
    for state, set_flags in (units.get("state_flags") or {}).items():
        _known(set_flags, flags, file, f"state_flags {state}")
    _known(units.get("leaves") or (), states, file, "leaves")
    for number, phase in enumerate(game.get("phases") or (), 1):
        _keys(phase, _PHASE_KEYS, ("name",), file, f"phases {number}")
        _known(phase.get("clears") or (), marks, file, f"phases {phase['name']}, clears")
    for sequence, scores in (game.get("scores") or {}).items():
        if not isinstance(scores, Mapping) or not all(isinstance(worth, int | float) for worth in scores.values()):
            raise TableError(file, "must be result: number", row=f"scores {sequence}")
    return game  # type: ignore[no-any-return]  # a mapping by now


def _keys(part: Any, allowed: tuple[str, ...], needed: tuple[str, ...], file: str, row: str | None) -> None:
    if not isinstance(part, Mapping):
        raise TableError(file, f"must be a mapping with {', '.join(needed)}", row=row)
    _known(part, allowed, file, row)
    if missing := [key for key in needed if not part.get(key)]:
        raise TableError(file, f"{missing[0]} is missing", row=row)


def _known(words: Iterable[str], known: Iterable[str], file: str, row: str | None) -> None:
    for word in words:
        if word not in known:
            hint = did_you_mean(str(word), known) or f"It may be {', '.join(known) or 'nothing here'}."
            raise TableError(file, f'"{word}" is not known here. {hint}', row=row)
