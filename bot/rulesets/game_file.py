"""What a game.yaml may say: checked whole when it is loaded, so that nothing fails in the middle
of a game.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.rules.errors import TableError, check_keys, check_known, name_row_of_errors

NEEDED = ("title", "edition", "publisher", "notice", "groups", "units")
KEYS = (
    *NEEDED, "author", "lists", "unit_lists", "turns", "phases", "results", "odds", "scores", "labels", "words",
    "arms", "rules", "tracks", "also",
)  # fmt: skip
UNIT_KEYS = (
    "types", "classes", "attributes", "flags", "states", "state_flags", "markers", "marker_flags", "well", "lost",
    "hurt", "reduced", "reduced_states", "counters", "only", "starts",
)  # fmt: skip
UNIT_LIST_KEYS = ("types", "keys", "flags", "bare", "repeat")
_TEXTS = ("title", "publisher", "notice", "author")
_TEXTS_BY_NAME = {
    "groups": "group: title",
    "words": "token: how it is said",
    "arms": "weapon: what it is called in a story",
    "labels": "option: its name for people",
}
_UNIT_PARTS: Mapping[str, Any] = {
    # lists, or word: help
    **dict.fromkeys(("types", "states", "markers", "well", "lost", "hurt", "reduced_states"), None),
    "counters": Mapping,
    "attributes": Mapping,
    "flags": str,
    "marker_flags": str,
    "reduced": str,
    "state_flags": list,
    "classes": list,
    "only": list,
    "starts": Mapping,
}
RESULT_KEYS = ("tone", "weight", "says", "many", "word")
TONES = ("hurt", "shaken", "game", "nothing")
LED_BY = "led_by"
PHASE_KEYS = (
    "name", "title", "go", "passes", LED_BY, "buttons", "brief", "remember", "names", "calls", "clears", "begins",
    "needs",
)  # fmt: skip
CALL_KEYS = ("says", "states", "has", "since", "later", "number", "roll", "button")
BEGIN_KEYS = ("run", "units", "states", "has")
SINCE = ("lost", "met")
ANY = "any"
FRAMES: Mapping[str, str] = {
    "infantry": "a box with an X",
    "weapon": "a box with an arrow that points up, on a base",
    "mortar": "a box with an arrow that points up, on a circle",
    "artillery": "a box with a dot",
    "armor": "a box with an ellipse",
    "mechanized": "a box with an ellipse over an X",
    "soft": "a box with a wheeled vehicle",
    "helicopter": "a box with a rotor: two triangles, tip to tip, under a bar",
    "air": "a box with two triangles, tip to tip",
    "leader": "a box with a star",
    "person": "a box with head and shoulders",
    "medical": "a box with an upright cross",
    ANY: "an empty box",
}
"""Each frame, and what is drawn in it."""
COUNTER_KEYS = {"frame", "numbers"}
GO = ("both", "impulses", "initiative", "own", "other")
"""Whose go a phase is, see docs/phases.md; the last two are for games in which each side has a
turn of its own.
"""
MOST_BEGINS = 5
"""Sequences that a phase runs when it begins."""
DRAW_UP, OWN_HAND = ("draw", "hand")
OWN_BUTTONS = ("pass", "done", "next", DRAW_UP, OWN_HAND)
"""Buttons of a phase that are not a sequence of the game."""


def check_game(game: Any, file: str) -> Mapping[str, Any]:
    """The content of a game.yaml, unchanged. Raises TableError that names the part which is
    wrong.
    """
    with name_row_of_errors(file):
        return _check_content(game, file)


def _check_content(game: Any, file: str) -> Mapping[str, Any]:
    check_keys(game, KEYS, NEEDED, file, None)
    edition = game["edition"]
    if not isinstance(edition, int) or isinstance(edition, bool) or edition < 1:
        raise TableError(
            file,
            "must be a whole number of at least 1, raised when an outcome changes",
            row="edition",
        )
    for key in _TEXTS:
        if not isinstance(game.get(key) or "", str):
            raise TableError(file, "must be a text; quote it", row=key)
    for key, problem in _TEXTS_BY_NAME.items():
        if not _maps(game.get(key) or {}, str):
            raise TableError(file, f"must be {problem}", row=key)
    _check_lists(game, file)
    units = game["units"]
    marks = _check_units(units, file)
    if game.get("turns", "together") not in ("together", "by-side"):
        raise TableError(
            file, "must be together or by-side: each side has a turn of its own", row="turns"
        )
    states = units.get("states") or ()
    words = (*marks, *(units.get("attributes") or ()))
    _check_phases(game.get("phases") or (), words, states, game.get("turns") == "by-side", file)
    _check_results(game.get("results") or {}, file)
    _check_odds(game.get("odds") or {}, file)
    if not isinstance(game.get("scores") or {}, Mapping):
        raise TableError(file, "must be sequence: {result: number}", row="scores")
    if rules := game.get("rules"):  # few games have some
        from bot.rulesets.optional_rules import read_rules  # 0.02 s of a lookup

        read_rules(rules, file)
    if tracks := game.get("tracks"):
        from bot.rules.inputs.tracks import read_tracks

        read_tracks(tracks, file)
    for sequence, scores in (game.get("scores") or {}).items():
        if not isinstance(scores, Mapping) or not all(
            isinstance(worth, int | float) for worth in scores.values()
        ):
            raise TableError(file, "must be result: number", row=f"scores {sequence}")
    return game  # type: ignore[no-any-return]  # a mapping by now


def _check_units(units: Any, file: str) -> tuple[str, ...]:
    """The markers and flags that units may carry, once the part `units` is in order."""
    check_keys(units, UNIT_KEYS, ("types",), file, "units")
    for key, kind in _UNIT_PARTS.items():
        if units.get(key) and not (
            _maps(units[key], kind or str) or (not kind and _is_list(units[key]))
        ):
            raise TableError(
                file, f"must be a {'mapping' if kind else 'list of words'}", row=f"units {key}"
            )
    flags = units.get("flags") or {}
    states = units.get("states") or ()
    marks = (*(units.get("markers") or ()), *flags)
    checks: list[tuple[Iterable[str], Iterable[str], str]] = [
        (units.get("marker_flags") or {}, units.get("markers") or (), "marker_flags"),
        ((units.get("marker_flags") or {}).values(), flags, "marker_flags"),
        (units.get("state_flags") or {}, states, "state_flags"),
        *((set_flags, flags, f"state_flags {state}") for state, set_flags in (units.get("state_flags") or {}).items()),
        (units.get("only") or {}, (*states, *marks), "only"),
        *((fit, (*units["types"], *(units.get("classes") or ())), f"only {word}")
          for word, fit in (units.get("only") or {}).items()),
        *((units.get(key) or (), states, key) for key in ("well", "lost", "reduced_states")),
        (units.get("starts") or {}, units.get("attributes") or {}, "starts"),
        *((by_type, units["types"], f"starts {key}") for key, by_type in (units.get("starts") or {}).items()),
        (units.get("hurt") or (), (*states, *marks, *(units.get("attributes") or ())), "hurt"),
        *((pair, units["types"], "reduced") for pair in (units.get("reduced") or {}).items()),
    ]  # fmt: skip
    for words, known, row in checks:
        check_known(words, known, file, row)
    check_counters(units.get("counters") or {}, units, file)
    return marks


def check_counters(counters: Any, units: Mapping[str, Any], file: str) -> None:
    """Raise TableError for a counter of an unknown type, with an unknown frame or a number that
    units do not have.
    """
    for type_, counter in counters.items():
        row = f"counters {type_}"
        check_known((type_,), units["types"], file, row)
        if not isinstance(counter, Mapping) or set(counter) - COUNTER_KEYS:
            raise TableError(file, "must be {frame: ..., numbers: [...]}", row=row)
        check_known((counter.get("frame", ANY),), FRAMES, file, row)
        check_known(counter.get("numbers") or (), units.get("attributes") or {}, file, row)


def _check_phases(
    phases: Iterable[Any], words: Iterable[str], states: Iterable[str], by_side: bool, file: str
) -> None:
    for number, phase in enumerate(phases, 1):
        check_keys(phase, PHASE_KEYS, ("name",), file, f"phases {number}")
        texts = all(isinstance(phase.get(key) or "", str) for key in ("name", "title", "brief"))
        if not texts or not all(
            _is_list(phase.get(key) or []) for key in ("remember", "clears", "names", "buttons")
        ):
            raise TableError(
                file,
                "name, title and brief are texts, remember, names, buttons and clears lists",
                row=f"phases {number}",
            )
        row = f"phases {phase['name']}"
        check_known(phase.get("clears") or (), words, file, f"{row}, clears")
        check_known(phase.get("names") or (), states, file, f"{row}, names")
        for call in phase.get("calls") or ():
            _check_call(call, words, states, file, f"{row}, calls")
        begins = phase.get("begins") or []
        if not isinstance(begins, list) or len(begins) > MOST_BEGINS:
            raise TableError(
                file, f"is a list of {{run: SEQUENCE}}, at most {MOST_BEGINS}", row=f"{row}, begins"
            )
        for begin in begins:
            _check_begin(begin, words, states, by_side, file, f"{row}, begins")
        _check_go(phase, by_side, file, row)


def _check_call(
    call: Any, words: Iterable[str], states: Iterable[str], file: str, row: str
) -> None:
    """Whom the card of a phase calls by name: docs/phases.md."""
    check_keys(call, CALL_KEYS, ("says",), file, row)
    if not all(isinstance(call.get(key, ""), str) for key in ("says", "number", "roll", "button")):
        raise TableError(file, "says, number, roll and button are texts; quote them", row=row)
    if not isinstance(call.get("later", False), bool) or (
        call.get("later") and not call.get("states")
    ):
        raise TableError(file, "later is yes or no, and needs states", row=row)
    if "{}" not in call["says"]:
        raise TableError(file, "says needs {} where the units are named", row=row)
    for key, known in (("states", states), ("has", words), ("since", SINCE)):
        if not _is_list(call.get(key) or []):
            raise TableError(file, f"{key} is a list of words", row=row)
        check_known(call.get(key) or (), known, file, f"{row}, {key}")


def _check_begin(
    begin: Any, words: Iterable[str], states: Iterable[str], by_side: bool, file: str, row: str
) -> None:
    """What a phase runs on units when it begins: docs/phases.md."""
    check_keys(begin, BEGIN_KEYS, ("run",), file, row)
    check_known(
        [begin.get("units", "all")], ("own", "all") if by_side else ("all",), file, f"{row}, units"
    )
    for key, known in (("states", states), ("has", words)):
        if not _is_list(begin.get(key) or []):
            raise TableError(file, f"{key} is a list of words", row=row)
        check_known(begin.get(key) or (), known, file, f"{row}, {key}")


def _check_go(phase: Mapping[str, Any], by_side: bool, file: str, row: str) -> None:
    go = phase.get("go", "both")
    passes = phase.get("passes")
    check_known((go,), GO if by_side else GO[:3], file, f"{row}, go")
    if LED_BY in phase and (
        not isinstance(phase[LED_BY], str) or not phase[LED_BY] or phase.keys() & {"go", "passes"}
    ):
        problem = "is the id of a deck, whose chits say whose go it is; leave out go and passes"
        raise TableError(file, problem, row=f"{row}, {LED_BY}")
    if passes is not None and (go != "impulses" or type(passes) is not int or passes < 1):
        raise TableError(
            file,
            "how many passes in a row end a phase of impulses: a whole number",
            row=f"{row}, passes",
        )


def check_buttons(game: Mapping[str, Any], sequences: Iterable[str], file: str) -> None:
    """Raise TableError for a button of a phase that is neither a sequence of the game nor one of
    its own.
    """
    for phase in game.get("phases") or ():
        row = f"phases {phase['name']}"
        check_known(phase.get("buttons") or (), (*OWN_BUTTONS, *sequences), file, f"{row}, buttons")
        needs = phase.get("needs") or {}
        if not isinstance(needs, Mapping):
            raise TableError(file, "needs maps buttons to tracks", row=row)
        check_known(needs, phase.get("buttons") or (), file, f"{row}, needs")
        check_known(needs.values(), game.get("tracks") or (), file, f"{row}, needs")
        check_known(
            (call["roll"] for call in phase.get("calls") or () if "roll" in call),
            sequences,
            file,
            f"{row}, calls",
        )
        check_known(
            (str(begin["run"]) for begin in phase.get("begins") or ()),
            sequences,
            file,
            f"{row}, begins",
        )


def _check_results(results: Any, file: str) -> None:
    """Results in words: `"*"` for all sequences, then those of one."""
    if not _maps(results, Mapping) or not all(
        _maps(tokens, Mapping) for tokens in results.values()
    ):
        raise TableError(file, "must be sequence: {result: {tone: ..., says: ...}}", row="results")
    for sequence, tokens in results.items():
        for token, said in tokens.items():
            row = f"results {sequence}, {token}"
            check_keys(said, RESULT_KEYS, (), file, row)
            if not _maps(said, str):
                raise TableError(file, "must be texts; quote them", row=row)
            check_known([said.get("tone", "nothing")], TONES, file, row)
            check_known([said.get("weight", "bold")], ("bold", "first"), file, row)
            if any("{}" not in said.get(key, "{}") for key in ("says", "many")):
                raise TableError(file, "says and many need {} where the units are named", row=row)


def _check_odds(odds: Any, file: str) -> None:
    """What one decides by: a text with {} for the unit, or questions with the results that
    answer them.
    """
    if not _maps(odds, (str, Mapping)):
        raise TableError(
            file, "must be sequence: text, or sequence: {text: [result, ...]}", row="odds"
        )
    for sequence, asked in odds.items():
        if isinstance(asked, str) and "{}" not in asked:
            raise TableError(file, "needs {} where the unit is named", row=f"odds {sequence}")
        if isinstance(asked, Mapping) and not (
            asked and _maps(asked, list) and all(map(_is_list, asked.values()))
        ):
            raise TableError(file, "must be question: [result, ...]", row=f"odds {sequence}")


def _check_lists(game: Mapping[str, Any], file: str) -> None:
    if not _maps(game.get("lists") or {}, list) or not all(
        map(_is_list, (game.get("lists") or {}).values())
    ):
        raise TableError(file, "must be name: [word, word]; quote numbers, yes and no", row="lists")
    also = game.get("also") or {}
    if not _maps(also, list) or not all(map(_is_list, also.values())):
        raise TableError(file, "must be word: [what the card calls it]; quote numbers", row="also")
    if not _maps(game.get("unit_lists") or {}, Mapping):
        raise TableError(file, "must be name: {types: ..., flags: ...}", row="unit_lists")
    for name, words in (game.get("unit_lists") or {}).items():
        check_known(words, UNIT_LIST_KEYS, file, f"unit_lists {name}")


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _maps(value: Any, kind: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and all(isinstance(key, str) for key in value)
        and all(isinstance(item, kind) for item in value.values())
    )
