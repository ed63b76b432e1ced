"""The check of game.yaml: whole when it is loaded, so that nothing fails in the middle of a game.

First its shape is checked (`bot/rulesets/game_keys.py`), then the names in it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.rules.errors import TableError, check_known, name_row_of_errors
from bot.rules.shapes import check_shape
from bot.rulesets.game_keys import GO, LED_BY, OWN_BUTTONS, PARTS, UNITS
from bot.rulesets.solo_rules import check_solo


def check_game(game: Any, file: str) -> Mapping[str, Any]:
    """Return the content of a game.yaml unchanged, after a check of all its parts.

    Raises TableError that names the first part with a fault. Names of sequences are checked later,
    see `check_buttons`.
    """
    with name_row_of_errors(file):
        check_shape(game, "game", PARTS, file)
        units = game["units"]
        _check_units(units, file)
        _check_phases(game, file)
        _check_odds(game.get("odds") or {}, file)
        check_solo(game, file)
        rules = game.get("rules")
        if rules:  # few games have some
            from bot.rulesets.optional_rules import read_rules  # 0.02 s of a lookup

            read_rules(rules, file)
        tracks = game.get("tracks")
        if tracks:
            from bot.rules.inputs.tracks import read_tracks

            read_tracks(tracks, file)
    return game  # type: ignore[no-any-return]  # a mapping by now


def _check_units(units: Mapping[str, Any], file: str) -> None:
    """Raise TableError for an unknown word in a part of `units`."""
    parts: dict[str, Any] = {key: units.get(key) or {} for key in UNITS}
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
    for type_, counter in parts["counters"].items():
        row = f"counters {type_}"
        checks.append(([type_], types, row))
        checks.append((counter.get("numbers") or (), attributes, row))
    for words, allowed_words, row in checks:
        check_known(words, allowed_words, file, row)


def _check_phases(game: Mapping[str, Any], file: str) -> None:
    """Raise TableError for an unknown word in a phase, or for keys that do not go together."""
    units = game["units"]
    states = units.get("states") or ()
    words = [*(units.get("markers") or ()), *(units.get("flags") or ())]
    words += units.get("attributes") or ()
    is_by_side = game.get("turns") == "by-side"
    for phase in game.get("phases") or ():
        row = f"phases {phase['name']}"
        check_known(phase.get("clears") or (), words, file, f"{row}, clears")
        check_known(phase.get("names") or (), states, file, f"{row}, names")
        for call in phase.get("calls") or ():
            _check_selected(call, words, states, file, f"{row}, calls")
            if call.get("later") and not call.get("states"):
                raise TableError(file, "later needs states", row=f"{row}, calls")
        for begin in phase.get("begins") or ():
            _check_selected(begin, words, states, file, f"{row}, begins")
        _check_sides(phase, is_by_side, file, row)
        _check_go(phase, file, row)


def _check_sides(phase: Mapping[str, Any], is_by_side: bool, file: str, row: str) -> None:
    """Raise TableError for a word that is only for games in which each side has a turn of its own."""
    if is_by_side:
        return
    check_known([phase.get("go") or "both"], GO[:3], file, f"{row}, go")
    for begin in phase.get("begins") or ():
        check_known([begin.get("units") or "all"], ("all",), file, f"{row}, begins, units")


def _check_selected(
    entry: Mapping[str, Any], words: Iterable[str], states: Iterable[str], file: str, row: str
) -> None:
    """Raise TableError for an unknown word in the keys with which an entry of a phase selects units.

    `words` are markers, flags and attributes of units.
    """
    check_known(entry.get("states") or (), states, file, f"{row}, states")
    check_known(entry.get("has") or (), words, file, f"{row}, has")


def _check_go(phase: Mapping[str, Any], file: str, row: str) -> None:
    """Raise TableError for keys that cannot decide together which side acts in a phase.

    A phase that a deck leads has neither `go` nor `passes`, and only impulses have `passes`.
    """
    if phase.get(LED_BY) is not None and phase.keys() & {"go", "passes"}:
        problem = "the deck's chits decide whose turn it is; leave out go and passes"
        raise TableError(file, problem, row=f"{row}, {LED_BY}")
    if phase.get("passes") is not None and phase.get("go") != "impulses":
        raise TableError(file, "only a phase with go: impulses can have it", row=f"{row}, passes")


def check_buttons(game: Mapping[str, Any], sequences: Iterable[str], file: str) -> None:
    """Raise TableError if a phase names a sequence, button or track that the game does not have.

    Its buttons are sequences or OWN_BUTTONS. Its calls and begins name sequences, and its needs map
    buttons of the phase to tracks.
    """
    for phase in game.get("phases") or ():
        row = f"phases {phase['name']}"
        check_known(phase.get("buttons") or (), (*OWN_BUTTONS, *sequences), file, f"{row}, buttons")
        needs = phase.get("needs") or {}
        check_known(needs, phase.get("buttons") or (), file, f"{row}, needs")
        check_known(needs.values(), game.get("tracks") or (), file, f"{row}, needs")
        rolls = [call["roll"] for call in phase.get("calls") or () if "roll" in call]
        check_known(rolls, sequences, file, f"{row}, calls")
        runs = [str(begin["run"]) for begin in phase.get("begins") or ()]
        check_known(runs, sequences, file, f"{row}, begins")


def _check_odds(odds: Mapping[str, Any], file: str) -> None:
    """Raise TableError for odds of a sequence without {} for the unit, or without a question."""
    for sequence, questions in odds.items():
        row = f"odds {sequence}"
        if not questions:
            raise TableError(file, "must be question: [result, ...]", row=row)
        if isinstance(questions, str) and "{}" not in questions:
            raise TableError(file, "needs {} where the unit's name goes", row=row)
