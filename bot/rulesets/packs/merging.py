"""The game file of a pack laid over that of a built-in game: what `inherits` changes, and what
`extends` adds.
"""

from collections.abc import Mapping
from typing import Any

from bot.rules.errors import TableError

DEPTHS = {
    **dict.fromkeys(
        (
            "lists",
            "groups",
            "words",
            "labels",
            "arms",
            "rules",
            "tracks",
            "unit_lists",
            "odds",
            "also",
        ),
        1,
    ),
    **dict.fromkeys(("results", "scores", "units"), 2),
}
"""The parts of a game file that are merged, and how many keys deep; every other part is replaced
whole.
"""
ADDED = (
    "groups",
    "lists",
    "units",
    "words",
    "labels",
    "arms",
    "results",
    "odds",
    "scores",
    "unit_lists",
    "tracks",
)
"""The parts that an extension may add to."""
SHARED = ("lists", "units", "tracks")
"""Those of them that the game itself and other extensions see."""
_KINDS = ("types", "attributes", "flags", "states", "markers")
_ABOUT = (
    "marker_flags",
    "state_flags",
    "only",
    "reduced",
    "well",
    "lost",
    "hurt",
    "reduced_states",
    "starts",
)
"""What is said of words of these kinds: of the game's own it stays as it is."""


def merge_game(parent: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The game file of a pack that inherits: a mapping is merged by its keys, where `null` takes
    one out; anything else, also a list of words, is replaced whole."""
    over = {
        key: _override(parent.get(key), own[key], depth)
        for key, depth in DEPTHS.items()
        if key in own
    }
    return {**parent, **own, **over}


def _override(parent: Any, own: Any, depth: int) -> Any:
    if not depth or not isinstance(own, Mapping):
        return own
    if isinstance(parent, list):  # words without help: more of them, or fewer
        both = dict.fromkeys(parent, "") | dict(own)
        return [word for word, help in both.items() if help is not None]
    parent = parent if isinstance(parent, Mapping) else {}
    found = {
        **parent,
        **{key: _override(parent.get(key), value, depth - 1) for key, value in own.items()},
    }
    return {key: value for key, value in found.items() if value is not None}


def extend_game(
    base: Mapping[str, Any], own: Mapping[str, Any], file: str, parts: tuple[str, ...] = ADDED
) -> dict[str, Any]:
    """The game file of a game with what an extension adds to these parts of it. Raises TableError
    for what it would change."""
    found = dict(base)
    for key, part in own.items():
        if key not in ADDED or not isinstance(part, Mapping):
            what = f"an extension adds to {', '.join(ADDED)}; all else is the game's (inherits changes it)"
            raise TableError(file, what, row=str(key)[:40])
        if key in parts:
            found[key] = _add_part(base.get(key), part, DEPTHS[key], file, key)
    if isinstance(own.get("units"), Mapping):
        _check_words(base["units"], own["units"], file)
    return found


def _add_part(base: Any, own: Any, depth: int, file: str, row: str) -> Any:
    if isinstance(base, list | Mapping) and not isinstance(own, list | Mapping):
        raise TableError(file, "must be a list of words, or a mapping", row=row)
    if isinstance(own, list) and isinstance(base, list | Mapping):
        own = dict.fromkeys(map(str, own), "")
    if isinstance(base, list) and isinstance(own, Mapping):
        return [*base, *(word for word in own if word not in base)]
    if not isinstance(own, Mapping) or not isinstance(base or {}, Mapping):
        return own
    found = dict(base or {})
    for key, value in own.items():
        if value is None:
            raise TableError(
                file, "an extension takes nothing out of a game; inherits does", row=f"{row} {key}"
            )
        if depth > 1 and key in found:
            value = _add_part(found[key], value, depth - 1, file, f"{row} {key}")
        elif found.get(key, value) != value and value != "":
            raise TableError(
                file,
                "already exists with another definition; choose another name",
                row=f"{row} {key}",
            )
        found[key] = value if key not in found or value != "" else found[key]
    return found


def _check_words(base: Mapping[str, Any], own: Mapping[str, Any], file: str) -> None:
    """Raise TableError for a word that is of another kind in the game, or that is said to be
    otherwise there.
    """
    own = {key: part for key, part in own.items() if isinstance(part, list | Mapping)}
    kinds = {word: kind for kind in _KINDS for word in base.get(kind) or ()}
    for kind in _KINDS:
        for word in own.get(kind) or ():
            if word in kinds and word not in (base.get(kind) or ()):
                what = f"is there already, among {kinds[word]}; call this one something else"
                raise TableError(file, what, row=f"units {kind} {word}")
    for key in _ABOUT:
        for word in own.get(key) or ():
            if word in kinds and word not in (base.get(key) or ()):
                raise TableError(
                    file, "is the game's, and stays as it is there", row=f"units {key} {word}"
                )
