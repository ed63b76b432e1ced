"""The game file of a pack merged with that of a built-in game: the changes of a pack that
`inherits`, and the additions of one that `extends`.
"""

from collections.abc import Iterator, Mapping
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
"""The added parts that the game itself and other extensions see."""
_KINDS = ("types", "attributes", "flags", "states", "markers")
_WORD_KEYS = (
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
"""The keys of `units` about such words. An extension cannot use them for the game's own words."""


def merge_game(parent: Mapping[str, Any], child: Mapping[str, Any]) -> dict[str, Any]:
    """Return the game file of a pack that inherits.

    Mappings are merged by their keys, and `null` removes a key. Anything else, also a list of
    words, is replaced whole.
    """
    merged = {
        key: _override(parent.get(key), child[key], depth)
        for key, depth in DEPTHS.items()
        if key in child
    }
    return {**parent, **child, **merged}


def _override(parent: Any, child: Any, depth: int) -> Any:
    """Return `child` merged into `parent`, `depth` keys deep; `child` itself if it is no mapping.

    A `parent` that is a list gets the words of `child`, without those that are `null`.
    """
    if not depth or not isinstance(child, Mapping):
        return child
    if isinstance(parent, list):
        help_by_word = dict.fromkeys(parent, "") | dict(child)
        return [word for word, help in help_by_word.items() if help is not None]
    parent = parent if isinstance(parent, Mapping) else {}
    merged = dict(parent)
    for key, value in child.items():
        merged[key] = _override(parent.get(key), value, depth - 1)
    return {key: value for key, value in merged.items() if value is not None}


def extend_game(
    base: Mapping[str, Any], addition: Mapping[str, Any], file: str, parts: tuple[str, ...] = ADDED
) -> dict[str, Any]:
    """Return the game file of a game with the additions of an extension to these parts.

    Raises TableError if the extension changes or removes something, or has a part outside ADDED.
    """
    extended = dict(base)
    for key, part in addition.items():
        if key not in ADDED or not isinstance(part, Mapping):
            problem = (
                f"an extension only adds to {', '.join(ADDED)}; "
                "everything else belongs to the game (a pack that inherits can change it)"
            )
            raise TableError(file, problem, row=str(key)[:40])
        if key in parts:
            extended[key] = _add_part(base.get(key), part, DEPTHS[key], file, key)
    if isinstance(addition.get("units"), Mapping):
        _check_words(base["units"], addition["units"], file)
    return extended


def _add_part(base: Any, addition: Any, depth: int, file: str, row: str) -> Any:
    """Return `addition` added to `base`, `depth` keys deep. New words are added to a list of words.

    Raises TableError if `addition` has another kind of content, or changes or removes something.
    """
    if isinstance(base, list | Mapping) and not isinstance(addition, list | Mapping):
        raise TableError(file, "must be a list of words, or a mapping", row=row)
    if isinstance(addition, list) and isinstance(base, list | Mapping):
        addition = dict.fromkeys(map(str, addition), "")
    if isinstance(base, list) and isinstance(addition, Mapping):
        return [*base, *(word for word in addition if word not in base)]
    base = base or {}
    if not isinstance(addition, Mapping) or not isinstance(base, Mapping):
        return addition
    extended = dict(base)
    for key, value in addition.items():
        key_row = f"{row} {key}"
        if value is None:
            problem = "an extension cannot remove anything from a game; a pack that inherits can"
            raise TableError(file, problem, row=key_row)
        if key not in extended:
            extended[key] = value
        else:
            extended[key] = _add_value(extended[key], value, depth, file, key_row)
    return extended


def _add_value(base: Any, addition: Any, depth: int, file: str, row: str) -> Any:
    """Return the value of a key that the game has already: `addition` added to it below the top level,
    otherwise the game's value. Raises TableError if they differ; "" never differs.
    """
    if depth > 1:
        addition = _add_part(base, addition, depth - 1, file, row)
    elif addition not in (base, ""):
        problem = "already exists with a different definition; choose another name"
        raise TableError(file, problem, row=row)
    return base if addition == "" else addition


def _check_words(base: Mapping[str, Any], addition: Mapping[str, Any], file: str) -> None:
    """Raise TableError for a word that the game has with another kind, or for a key of `units` that
    changes a word of the game.
    """
    addition = {key: part for key, part in addition.items() if isinstance(part, list | Mapping)}
    kind_by_word = {word: kind for kind in _KINDS for word in base.get(kind) or ()}
    for kind in _KINDS:
        for word in _list_new_words(base, addition, kind):
            if word in kind_by_word:
                problem = (
                    f"already exists, among {kind_by_word[word]}; call this one something else"
                )
                raise TableError(file, problem, row=f"units {kind} {word}")
    for key in _WORD_KEYS:
        for word in _list_new_words(base, addition, key):
            if word in kind_by_word:
                problem = "belongs to the game and cannot be changed here"
                raise TableError(file, problem, row=f"units {key} {word}")


def _list_new_words(
    base: Mapping[str, Any], addition: Mapping[str, Any], key: str
) -> Iterator[Any]:
    """Yield the words at a key of the extension that the game does not have at that key."""
    base_words = base.get(key) or ()
    return (word for word in addition.get(key) or () if word not in base_words)
