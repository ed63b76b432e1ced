"""The check of game.yaml: whole when it is loaded, so that nothing fails in the middle of a game."""

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
"""The frames of counters, each with the drawing in it."""
COUNTER_KEYS = {"frame", "numbers"}
GO = ("both", "impulses", "initiative", "own", "other")
"""The ways to decide which side acts in a phase, see docs/phases.md. The last two are for games in
which each side has a turn of its own.
"""
MOST_BEGINS = 5
"""Most sequences that a phase runs when it begins."""
DRAW_UP = "draw"
OWN_HAND = "hand"
OWN_BUTTONS = ("pass", "done", "next", DRAW_UP, OWN_HAND)
"""The buttons of a phase that are no sequences of the game."""


def check_game(game: Any, file: str) -> Mapping[str, Any]:
    """Return the content of a game.yaml unchanged, after a check of all its parts.

    Raises TableError that names the first part with a fault. Names of sequences are checked later,
    see `check_buttons`.
    """
    with name_row_of_errors(file):
        return _check_content(game, file)


def _check_content(game: Any, file: str) -> Mapping[str, Any]:
    """Return the content unchanged. Raises TableError, or another error for a wrong layout."""
    check_keys(game, KEYS, NEEDED, file, None)
    _check_heading(game, file)
    _check_lists(game, file)
    units = game["units"]
    marks = _check_units(units, file)
    turns = game.get("turns", "together")
    if turns not in ("together", "by-side"):
        raise TableError(
            file, "must be together or by-side: each side has a turn of its own", row="turns"
        )
    states = units.get("states") or ()
    words = (*marks, *(units.get("attributes") or ()))
    _check_phases(game.get("phases") or (), words, states, turns == "by-side", file)
    _check_results(game.get("results") or {}, file)
    _check_odds(game.get("odds") or {}, file)
    scores = game.get("scores") or {}
    if not isinstance(scores, Mapping):
        raise TableError(file, "must be sequence: {result: number}", row="scores")
    rules = game.get("rules")
    if rules:  # few games have some
        from bot.rulesets.optional_rules import read_rules  # 0.02 s of a lookup

        read_rules(rules, file)
    tracks = game.get("tracks")
    if tracks:
        from bot.rules.inputs.tracks import read_tracks

        read_tracks(tracks, file)
    for sequence, scores_by_result in scores.items():
        if not _has_only_numbers(scores_by_result):
            raise TableError(file, "must be result: number", row=f"scores {sequence}")
    return game  # type: ignore[no-any-return]  # a mapping by now


def _check_heading(game: Mapping[str, Any], file: str) -> None:
    """Raise TableError for a fault in the edition, or in the texts and mappings to texts."""
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


def _has_only_numbers(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(number, int | float) for number in value.values()
    )


def _check_units(units: Any, file: str) -> tuple[str, ...]:
    """Check the part `units`, and return the markers and flags that units may carry.

    Raises TableError for an unknown key, a wrong layout or an unknown word.
    """
    check_keys(units, UNIT_KEYS, ("types",), file, "units")
    for key, kind in _UNIT_PARTS.items():
        _check_unit_part(units.get(key), kind, file, f"units {key}")
    parts: dict[str, Any] = {key: units.get(key) or {} for key in UNIT_KEYS}
    types = parts["types"]
    states = parts["states"]
    flags = parts["flags"]
    attributes = parts["attributes"]
    restrictions = parts["only"]
    marks = (*parts["markers"], *flags)
    checks: list[tuple[Iterable[str], Iterable[str], str]] = [
        (parts["marker_flags"], parts["markers"], "marker_flags"),
        (parts["marker_flags"].values(), flags, "marker_flags"),
        (parts["state_flags"], states, "state_flags"),
    ]
    for state, set_flags in parts["state_flags"].items():
        checks.append((set_flags, flags, f"state_flags {state}"))
    checks.append((restrictions, (*states, *marks), "only"))
    for word, type_words in restrictions.items():
        checks.append((type_words, (*types, *parts["classes"]), f"only {word}"))
    checks += [(parts[key], states, key) for key in ("well", "lost", "reduced_states")]
    checks.append((parts["starts"], attributes, "starts"))
    for key, start_by_type in parts["starts"].items():
        checks.append((start_by_type, types, f"starts {key}"))
    checks.append((parts["hurt"], (*states, *marks, *attributes), "hurt"))
    checks += [(pair, types, "reduced") for pair in parts["reduced"].items()]
    for words, allowed_words, row in checks:
        check_known(words, allowed_words, file, row)
    check_counters(parts["counters"], units, file)
    return marks


def _check_unit_part(part: Any, kind: Any, file: str, row: str) -> None:
    """Raise TableError for a part of `units` with a wrong layout. It may be missing.

    With a `kind` it is a mapping to values of that type, otherwise a list of words or {word: help}.
    """
    if not part:
        return
    if kind and not _maps(part, kind):
        raise TableError(file, "must be a mapping", row=row)
    if not kind and not _maps(part, str) and not _is_list(part):
        raise TableError(file, "must be a list of words", row=row)


def check_counters(counters: Any, units: Mapping[str, Any], file: str) -> None:
    """Raise TableError for a fault in a counter.

    It must be that of a type of unit, and may have a known frame and numbers that units have.
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
    """Raise TableError for a phase with a wrong key, value, word or state.

    `words` are markers, flags and attributes of units. With `by_side` each side has a turn of its
    own.
    """
    for number, phase in enumerate(phases, 1):
        check_keys(phase, PHASE_KEYS, ("name",), file, f"phases {number}")
        _check_phase_kinds(phase, file, f"phases {number}")
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


def _check_phase_kinds(phase: Mapping[str, Any], file: str, row: str) -> None:
    """Raise TableError for a key of a phase that must be a text, or a list of texts, and is not.

    Keys may be missing. `row` is the name of the phase in the error.
    """
    are_texts = all(isinstance(phase.get(key) or "", str) for key in ("name", "title", "brief"))
    are_lists = all(
        _is_list(phase.get(key) or []) for key in ("remember", "clears", "names", "buttons")
    )
    if not are_texts or not are_lists:
        problem = "name, title and brief are texts, remember, names, buttons and clears lists"
        raise TableError(file, problem, row=row)


def _check_call(
    call: Any, words: Iterable[str], states: Iterable[str], file: str, row: str
) -> None:
    """Raise TableError for a fault in an entry of `calls`: units that the card of a phase names.

    It must have a text with {}, and may name only allowed `states` and `words` (markers, flags and
    attributes). See docs/phases.md.
    """
    check_keys(call, CALL_KEYS, ("says",), file, row)
    if not all(isinstance(call.get(key, ""), str) for key in ("says", "number", "roll", "button")):
        raise TableError(file, "says, number, roll and button are texts; quote them", row=row)
    is_later = call.get("later", False)
    if not isinstance(is_later, bool) or (is_later and not call.get("states")):
        raise TableError(file, "later is yes or no, and needs states", row=row)
    if "{}" not in call["says"]:
        raise TableError(file, "says needs {} where the units are named", row=row)
    for key, allowed_words in (("states", states), ("has", words), ("since", SINCE)):
        _check_word_list(call.get(key), allowed_words, key, file, row)


def _check_word_list(
    value: Any, allowed_words: Iterable[str], key: str, file: str, row: str
) -> None:
    """Raise TableError if the value of a key is no list of allowed words. It may be missing."""
    if not _is_list(value or []):
        raise TableError(file, f"{key} is a list of words", row=row)
    check_known(value or (), allowed_words, file, f"{row}, {key}")


def _check_begin(
    begin: Any, words: Iterable[str], states: Iterable[str], by_side: bool, file: str, row: str
) -> None:
    """Raise TableError for a fault in an entry of `begins`: a sequence that a phase runs on units.

    It must name a sequence (`run`) and may limit the units to those of the side whose turn it is,
    to `states`, and to units with some of `words`. Only games in which each side has a turn of its
    own (`by_side`) know `units: own`. See docs/phases.md.
    """
    check_keys(begin, BEGIN_KEYS, ("run",), file, row)
    allowed_units = ("own", "all") if by_side else ("all",)
    check_known([begin.get("units", "all")], allowed_units, file, f"{row}, units")
    for key, allowed_words in (("states", states), ("has", words)):
        _check_word_list(begin.get(key), allowed_words, key, file, row)


def _check_go(phase: Mapping[str, Any], by_side: bool, file: str, row: str) -> None:
    """Raise TableError for a fault in the keys that decide which side acts in a phase.

    `go` must be one of GO; its last two need `by_side`, a turn of its own for each side. A phase
    that a deck leads has neither `go` nor `passes`, and only impulses have `passes`.
    """
    go = phase.get("go", "both")
    check_known((go,), GO if by_side else GO[:3], file, f"{row}, go")
    if LED_BY in phase:
        deck = phase[LED_BY]
        is_id = isinstance(deck, str) and deck
        if not is_id or phase.keys() & {"go", "passes"}:
            problem = (
                "is the id of a deck, whose chits say whose turn it is; leave out go and passes"
            )
            raise TableError(file, problem, row=f"{row}, {LED_BY}")
    passes = phase.get("passes")
    if passes is not None and (go != "impulses" or type(passes) is not int or passes < 1):
        raise TableError(
            file,
            "how many passes in a row end a phase of impulses: a whole number",
            row=f"{row}, passes",
        )


def check_buttons(game: Mapping[str, Any], sequences: Iterable[str], file: str) -> None:
    """Raise TableError if a phase names a sequence, button or track that the game does not have.

    Its buttons are sequences or OWN_BUTTONS. Its calls and begins name sequences, and its needs map
    buttons of the phase to tracks.
    """
    for phase in game.get("phases") or ():
        row = f"phases {phase['name']}"
        check_known(phase.get("buttons") or (), (*OWN_BUTTONS, *sequences), file, f"{row}, buttons")
        needs = phase.get("needs") or {}
        if not isinstance(needs, Mapping):
            raise TableError(file, "needs maps buttons to tracks", row=row)
        check_known(needs, phase.get("buttons") or (), file, f"{row}, needs")
        check_known(needs.values(), game.get("tracks") or (), file, f"{row}, needs")
        rolls = [call["roll"] for call in phase.get("calls") or () if "roll" in call]
        check_known(rolls, sequences, file, f"{row}, calls")
        runs = [str(begin["run"]) for begin in phase.get("begins") or ()]
        check_known(runs, sequences, file, f"{row}, begins")


def _check_results(results: Any, file: str) -> None:
    """Raise TableError for a fault in `results`: the words for the results of each sequence.

    The key `"*"` stands for all sequences.
    """
    if not _maps(results, Mapping) or not all(
        _maps(words_by_result, Mapping) for words_by_result in results.values()
    ):
        raise TableError(file, "must be sequence: {result: {tone: ..., says: ...}}", row="results")
    for sequence, words_by_result in results.items():
        for result, words in words_by_result.items():
            row = f"results {sequence}, {result}"
            check_keys(words, RESULT_KEYS, (), file, row)
            if not _maps(words, str):
                raise TableError(file, "must be texts; quote them", row=row)
            check_known([words.get("tone", "nothing")], TONES, file, row)
            check_known([words.get("weight", "bold")], ("bold", "first"), file, row)
            if any("{}" not in words.get(key, "{}") for key in ("says", "many")):
                raise TableError(file, "says and many need {} where the units are named", row=row)


def _check_odds(odds: Any, file: str) -> None:
    """Raise TableError for a fault in `odds`: for each sequence a text with {} for the unit, or
    questions, each with the results that answer it.
    """
    if not _maps(odds, (str, Mapping)):
        raise TableError(
            file, "must be sequence: text, or sequence: {text: [result, ...]}", row="odds"
        )
    for sequence, questions in odds.items():
        row = f"odds {sequence}"
        if isinstance(questions, str):
            if "{}" not in questions:
                raise TableError(file, "needs {} where the unit is named", row=row)
        elif not questions or not _maps_to_lists(questions):
            raise TableError(file, "must be question: [result, ...]", row=row)


def _check_lists(game: Mapping[str, Any], file: str) -> None:
    """Raise TableError for a fault in `lists`, `also` or `unit_lists`."""
    if not _maps_to_lists(game.get("lists") or {}):
        raise TableError(file, "must be name: [word, word]; quote numbers, yes and no", row="lists")
    if not _maps_to_lists(game.get("also") or {}):
        raise TableError(file, "must be word: [what the card calls it]; quote numbers", row="also")
    unit_lists = game.get("unit_lists") or {}
    if not _maps(unit_lists, Mapping):
        raise TableError(file, "must be name: {types: ..., flags: ...}", row="unit_lists")
    for name, unit_list in unit_lists.items():
        check_known(unit_list, UNIT_LIST_KEYS, file, f"unit_lists {name}")


def _is_list(value: Any) -> bool:
    """Return whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _maps_to_lists(value: Any) -> bool:
    """Return whether a value is a mapping of texts to lists of texts."""
    return _maps(value, list) and all(map(_is_list, value.values()))


def _maps(value: Any, kind: Any) -> bool:
    """Return whether a value is a mapping of texts to values of this type (or one of several)."""
    return (
        isinstance(value, Mapping)
        and all(isinstance(key, str) for key in value)
        and all(isinstance(item, kind) for item in value.values())
    )
