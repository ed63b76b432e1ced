"""`say`, `result`, `fate`, `change`, `joins`, `headline`, `then`, `now` and `notes`: lines of the
answer, and the result of a sequence.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.rules.declared.compile_context import Path
from bot.rules.declared.formula import Env, Formula, Run, build_constant, formulas_in
from bot.rules.declared.formula_functions import NONE, format_value
from bot.rules.declared.interpreter import LINES, NOTES, Do, Here
from bot.rules.declared.note_checks import check_fate, check_note
from bot.rules.declared.program import Statement
from bot.rules.declared.step_parser import StepScope, as_list, iterate_items
from bot.rules.inputs.tracks import FOE, GAME, SIDE, TrackMove
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Arrival, Change, Line, Resolution, UnitResult
from bot.rules.text.phrase import Phrase, Typed

NOTE_KEYS = {
    "is": ("unit", "is", "more", "when"),
    "say": ("say", "when"),
    "set": ("unit", "when", "set", "add", "give", "take", "mark", "unmark", "of", "drop", "turn"),
    "type": ("unit", "when", "type", "state", "mark"),
}
"""The allowed keys of notes, by the key whose value may stand alone."""
TRACK_KEYS = ("track", "of", "set", "add", "when")
UNIT = "unit"
"""The value of `changes` for a note that changes a unit, not a track."""


@dataclass(frozen=True)
class OutputStatement(Statement):
    """A line of the answer, or a note for the result. `ready` are its formulas by key, and `make`
    builds it from their values.
    """

    ready: Mapping[str, Any]
    when: Formula | None
    into: str
    """The key of the list that it is added to."""
    make: Callable[[dict[str, Any]], Any]
    changes: str = ""
    """The track that it changes, as formulas name it, or UNIT if it changes a unit."""
    tells = True

    def do(self, _context: Here, /) -> Do:
        when = self.when.run if self.when else None
        into = self.into
        make = self.make
        runs = {
            key: _compile_parts(part) for key, part in self.ready.items() if not _is_fixed(part)
        }
        fixed = {
            key: _compile_parts(part)({}) for key, part in self.ready.items() if key not in runs
        }

        def do(env: Env) -> None:
            if when is None or when(env):
                env[into].append(make({**fixed, **{key: run(env) for key, run in runs.items()}}))

        return do


def _is_fixed(ready: Any) -> bool:
    """Return whether all formulas are constants."""
    return all(formula.kind == "constant" for formula in formulas_in(ready))


def _compile_parts(ready: Any) -> Run:
    """Return the function that computes all formulas in a nested value, in their places."""
    if isinstance(ready, Formula):
        return ready.run
    if isinstance(ready, Mapping):
        runs_by_key = {key: _compile_parts(value) for key, value in ready.items()}
        return lambda env: {key: value(env) for key, value in runs_by_key.items()}
    if isinstance(ready, list | tuple):
        runs = [_compile_parts(value) for value in ready]
        return lambda env: tuple([value(env) for value in runs])
    return lambda _env: ready


# -- lines


def read_say(spec: object, scope: StepScope, path: Path) -> Iterator[Statement]:
    """Read `say: {label: Check, dice: check, parts: {cover: 1}, total: check + 1}`.

    It adds a line to the answer, or several. Raises TableError for a line without a label, an
    unknown key, and a formula that cannot be read.
    """
    for line, item_path in iterate_items(spec, path):
        if not isinstance(line, Mapping) or "label" not in line:
            raise scope.make_error("say needs a label", item_path)
        scope.check_keys("say", line, LINE_KEYS, item_path)
        ready = {
            key: read_key(scope, line[key], (*item_path, key))
            for key, read_key in LINE.items()
            if key in line
        }
        yield OutputStatement(ready, ready.pop("when", None), LINES, _build_line)


def _dice(scope: StepScope, spec: object, path: Path) -> Any:
    return [scope.dice(str(name), path) for name in as_list(spec)]


def _parts(scope: StepScope, spec: object, path: Path) -> Any:
    """Read named parts as (label, value), or (None, value) for a list of parts."""
    parts: list[tuple[Formula | None, Formula]] = []
    for item in as_list(spec):
        if isinstance(item, Mapping):
            parts += [
                (scope.text(label, path), scope.formula(value, path))
                for label, value in item.items()
            ]
        else:
            parts.append((None, scope.formula(item, path)))
    return parts


LINE: Mapping[str, Callable[[StepScope, Any, Path], Any]] = {
    "label": StepScope.text, "result": StepScope.text, "unit": StepScope.text, "dice": _dice, "parts": _parts,
    "contributors": _parts, "total": StepScope.formula, "when": StepScope.test,
}  # fmt: skip
"""The keys of a line, with the function that reads each."""
LINE_KEYS = tuple(LINE)


def _build_line(values: dict[str, Any]) -> Line:
    """Return the line of an answer with these values, without the parts and contributors that
    are 0.
    """
    get = values.get
    faces = tuple([face for roll_faces in get("dice", ()) for face in roll_faces])
    total = None if get("total") == NONE else get("total")
    parts = _drop_zeros(get("parts", ()))
    contributors = _drop_zeros(get("contributors", ()))
    return Line(
        values["label"], faces, parts, total, get("result", ""), contributors, get("unit", "")
    )


def _drop_zeros(parts: Iterable[tuple[str | None, Any]]) -> tuple[tuple[str, Any], ...]:
    """Return the named parts that are not 0, as one list."""
    nonzero: list[tuple[str, Any]] = []
    for word, value in parts:
        if word is None:
            nonzero += value
        elif value:
            nonzero.append((word, value))
    return tuple(nonzero)


# -- notes for the end


def read_note(spec: object, scope: StepScope, path: Path) -> Iterator[Statement]:
    """Read one note or several of one of the kinds of `MADE`: results of units, or sentences.

    The last word of `path` is the kind. Raises TableError for an unknown key, a formula that cannot
    be read, and a change of several units at once.
    """
    kind = str(path[-1])
    main, make = MADE[kind]
    for item, item_path in iterate_items(spec, path):
        fields = item if isinstance(item, Mapping) else {main: item}
        if main == "set" and "track" in fields:
            yield _parse_track_change(fields, scope, item_path)
            continue
        scope.check_keys(kind, fields, NOTE_KEYS[main], item_path)
        fields = fields if main == "say" else {"unit": "unit", **fields}
        paths = {key: item_path if key in WHOLE else (*item_path, key) for key in fields}
        ready = {
            key: read_key(scope, fields[key], paths[key])
            for key, read_key in NOTE.items()
            if key in fields
        }
        if main == "set" and ready["unit"].type in ("units", "list"):
            raise scope.make_error(
                "change is for one unit; go through the list with each", (*item_path, "unit")
            )
        if main != "say":
            check_note(ready, scope, item_path)
        if kind == "fate":
            check_fate(ready["is"], scope, item_path)
        changes = UNIT if main == "set" else ""
        yield OutputStatement(
            ready, ready.pop("when", None), NOTES, lambda note: (kind, make(note)), changes
        )


def _by_name(scope: StepScope, spec: object, path: Path) -> Any:
    return {
        name: scope.formula(source, (*path, name))
        for name, source in scope.mapping(spec, path).items()
    }


def _texts(scope: StepScope, spec: object, path: Path) -> Any:
    return [scope.text(word, path) for word in as_list(spec)]


NOTE: Mapping[str, Callable[[StepScope, Any, Path], Any]] = {
    "unit": StepScope.formula, **dict.fromkeys(("type", "state", "is", "more"), StepScope.text),
    "say": StepScope.pieces,
    "drop": StepScope.formula, "turn": StepScope.formula, **dict.fromkeys(("set", "add", "give", "take"), _by_name),
    "mark": _texts, "unmark": _texts, "of": lambda _place, said, _where: build_constant(str(said)),
    "when": StepScope.test,
}  # fmt: skip
"""The keys of notes, with the function that reads each."""
WHOLE = ("unit", "say", "when")
"""The keys whose errors point to the whole note."""
MADE: Mapping[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "result": ("is", lambda note: (format_value(note["unit"]), note["is"])),
    "fate": (
        "is",
        lambda note: (
            note["unit"],
            UnitResult(format_value(note["unit"]), note["is"], get_text(note.get("more", ""))),
        ),
    ),
    "change": ("set", lambda note: build_change(**note)),
    "joins": ("type", lambda note: build_joining(**note)),
    **dict.fromkeys(
        ("headline", "then", "now", "notes"), ("say", lambda note: build_sentence(note["say"]))
    ),
}
"""The kinds of notes: for each the key whose value may stand alone, and the function that builds
the note from its values.

- `result: "{result}"` is the word for the result of the current unit, or of `unit`.
- `fate: {unit: unit, is: destroyed, more: "by fire"}` is its result in the first line of the
  answer.
- `change: {when: hit, set: {state: shaken}}` is its change on the roster.
- `joins: {type: crew, mark: moved}` is a unit that comes into play next to it.
- `headline`, `then`, `now` and `notes` are sentences with commands in backticks.
"""


def _parse_track_change(spec: Mapping[str, Any], scope: StepScope, path: Path) -> Statement:
    """Parse `change: {track: points, of: side, add: -1}` into the statement that sets or adds to a
    track.
    """
    scope.check_keys("change of a track", spec, TRACK_KEYS, path)
    track_name = str(spec["track"])
    formulas = scope.sheet.formulas
    track = formulas.setting.tracks.get(track_name)
    if spec.get("of", SIDE) not in (SIDE, FOE) or (
        track is not None and track.by_side == ("of" not in spec)
    ):
        raise scope.make_error(
            f"of must be side or foe for a side's track; leave it out for the game's: {track_name}",
            path,
        )
    name = formulas.track(f"{spec.get('of', GAME)}.{track_name}", path).key
    if len(keys := [key for key in ("set", "add") if key in spec]) != 1:
        raise scope.make_error(f"{track_name} can be set or added to, not both", path)
    (key,) = keys
    value = scope.formula(spec[key], (*path, key))
    assert track is not None
    wrong_word = (
        value.kind == "constant" and key == "set" and track.fit_value(value.value) != value.value
    )
    if wrong_word or (key == "add" and value.type not in ("number", "any", "none")):
        raise scope.make_error(
            f"{track_name} takes {track.build_option(GAME).expectation}",
            (*path, key),
            str(spec[key]),
            track.words,
        )
    condition = scope.test(spec["when"], path) if "when" in spec else None
    return OutputStatement(
        {key: value},
        condition,
        NOTES,
        lambda note: ("track", _build_track_move(name, **note)),
        name,
    )


def _build_track_move(name: str, set: Any = NONE, add: Any = NONE) -> TrackMove | None:
    """Return the change of a track, None if nothing changes."""
    if set != NONE:
        return TrackMove(name, int(set) if isinstance(set, int | float) else set)
    return TrackMove(name, add=int(add)) if add != NONE and int(add) else None


# -- the end, as the notes taken on the way say it

Note = tuple[str, Any]
"""A note for the result: its kind and its value."""
_NOTHING: Mapping[str, Any] = {}


def build_resolution(notes: Iterable[Note]) -> Resolution:
    """Build the result from the notes in their order. The last headline counts."""
    notes_by_kind: dict[str, list[Any]] = {"headline": [None]}
    for kind, value in notes:
        if value or kind == "headline":
            notes_by_kind.setdefault(kind, []).append(value)

    def get_notes(kind: str) -> tuple[Any, ...]:
        return tuple(notes_by_kind.get(kind, ()))

    unit_words = get_notes("result")
    headline = notes_by_kind["headline"][-1]
    if headline is None:
        headline = "; ".join([f"{unit} {word}" for unit, word in unit_words])
    return Resolution(
        headline,
        unit_words=unit_words,
        next_steps=get_notes("then"),
        changes=get_notes("change"),
        unit_results=merge_unit_results(get_notes("fate")),
        state_changes=get_notes("now"),
        notes=get_notes("notes"),
        arrivals=get_notes("joins"),
        choice_requests=get_notes("ask"),
        track_moves=get_notes("track"),
    )


def merge_unit_results(pairs: Iterable[tuple[Any, UnitResult]]) -> tuple[UnitResult, ...]:
    """Merge the results of each unit: the latest one with the earlier ones in `earlier_results`.

    Results of anything but roster units stay separate.
    """
    results: dict[object, UnitResult] = {}
    for index, (unit, unit_result) in enumerate(pairs):
        key = (unit.name or id(unit)) if unit.__class__ is Unit else (index,)
        if (earlier_result := results.get(key)) is not None:
            earlier = (
                (earlier_result.token, earlier_result.detail),
                *earlier_result.earlier_results,
            )
            unit_result = unit_result._replace(
                earlier_results=tuple(
                    [pair for pair in earlier if pair != (unit_result.token, unit_result.detail)]
                )
            )
        results[key] = unit_result
    return tuple(results.values())


def build_sentence(pieces: Sequence[str]) -> str:
    """Build a sentence in which every second piece is a command. A name can never become a
    command.
    """
    if len(pieces) == 1:
        return get_text(pieces[0])
    return Phrase(
        *(Typed(piece) if index % 2 else piece for index, piece in enumerate(pieces) if piece)
    )


def get_text(value: str) -> str:
    """Return the text, "" for none."""
    return "" if value == NONE else value


def build_change(
    unit: Any,
    *,
    set: Mapping[str, Any] = _NOTHING,
    add: Mapping[str, Any] = _NOTHING,
    mark: Iterable[str] = (),
    unmark: Iterable[str] = (),
    give: Mapping[str, Any] = _NOTHING,
    take: Mapping[str, Any] = _NOTHING,
    of: str = "",
    drop: Any = False,
    turn: Any = False,
) -> Change | None:
    """Build the change of a unit, or of the unit with a name; None for a unit that is not on the
    roster, or if nothing changes.

    Values and words that are none are left out.
    """
    is_unit = unit.__class__ is Unit
    name = unit.name if is_unit else str(unit)
    if name in ("", NONE):
        return None
    new_values = {key: value for key, value in set.items() if value != NONE}
    additions = {key: int(value) for key, value in add.items() if value and value != NONE}
    marks = frozenset(filter(get_text, mark))
    unmarks = frozenset(filter(get_text, unmark))
    if is_unit and (give or take):
        new_values |= _move_names(unit, give, take)
    if not any((new_values, additions, marks, unmarks, drop is True)):
        return None
    return Change(name, new_values, marks, unmarks, additions, of, drop is True, turn is True)


def build_joining(
    unit: Any, type: str, state: str = "", mark: Iterable[str] = ()
) -> Arrival | None:
    """Build the unit that comes into play next to a roster unit; None if that is not on the
    roster.
    """
    name = unit.name if unit.__class__ is Unit else ""
    if not name:
        return None
    return Arrival(type, name, get_text(state), frozenset(filter(get_text, mark)))


def _move_names(unit: Unit, give: Mapping[str, Any], take: Mapping[str, Any]) -> dict[str, Any]:
    """Return the new values of attributes that list names, after adding and removing names; None
    for an empty list.

    A roster unit is added even if it is already listed, because an earlier change may have dropped
    it.
    """
    new_values: dict[str, Any] = {}
    for key, thing in give.items():
        names = _names(unit, key)
        if format_value(thing) not in names or (isinstance(thing, Unit) and thing.name):
            new_values[key] = ",".join(dict.fromkeys((*names, format_value(thing))))
    for key, thing in take.items():
        names = _names(unit, key)
        remaining = [name for name in names if name.casefold() != format_value(thing).casefold()]
        if remaining != names:
            new_values[key] = ",".join(remaining) or None
    return new_values


def _names(unit: Unit, key: str) -> list[str]:
    return [name.strip() for name in str(unit.numbers.get(key, "")).split(",") if name.strip()]
