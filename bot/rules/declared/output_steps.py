"""`say`, `result`, `fate`, `change`, `joins`, `headline`, `then`, `now` and `notes`: lines of the answer,
and its end.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.rules.declared.compile_context import Path
from bot.rules.declared.formula import Env, Formula, Run, build_constant, formulas_in
from bot.rules.declared.formula_functions import NONE
from bot.rules.declared.formula_functions import format_value as shown
from bot.rules.declared.interpreter import LINES, NOTES, Do, Here
from bot.rules.declared.note_checks import check_fate, check_note
from bot.rules.declared.program import Statement
from bot.rules.declared.step_parser import StepScope, as_list, iterate_items
from bot.rules.inputs.tracks import FOE, GAME, SIDE, TrackMove
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Change, Joining, Line, Resolution, UnitResult
from bot.rules.text.phrase import Phrase, Typed

NOTE_KEYS = {
    "is": ("unit", "is", "more", "when"),
    "say": ("say", "when"),
    "set": ("unit", "when", "set", "add", "give", "take", "mark", "unmark", "of", "drop", "turn"),
    "type": ("unit", "when", "type", "state", "mark"),
}
"""The keys of what is said of a unit, of all, and of a change, by the one that may be there
alone.
"""
TRACK_KEYS = ("track", "of", "set", "add", "when")
UNIT = "unit"
"""What a note says that it changes, if that is a unit and no track."""


@dataclass(frozen=True)
class OutputStatement(Statement):
    """A line of the answer, or a note for its end: formulas by what they are for, and what is
    made of their values.
    """

    ready: Mapping[str, Any]
    when: Formula | None
    into: str
    """The key under which it is collected."""
    make: Callable[[dict[str, Any]], Any]
    changes: str = ""
    """The track that it changes, as formulas name it; UNIT if it changes a unit."""
    tells = True

    def do(self, _here: Here, /) -> Do:
        when = self.when.run if self.when else None
        into = self.into
        make = self.make
        some = {key: _compile_parts(one) for key, one in self.ready.items() if not _is_fixed(one)}
        fixed = {key: _compile_parts(one)({}) for key, one in self.ready.items() if key not in some}

        def do(env: Env) -> None:
            if when is None or when(env):
                env[into].append(make({**fixed, **{key: said(env) for key, said in some.items()}}))

        return do


def _is_fixed(ready: Any) -> bool:
    """Return whether it says the same each time."""
    return all(one.kind == "constant" for one in formulas_in(ready))


def _compile_parts(ready: Any) -> Run:
    """All formulas of a line or note in their places."""
    if isinstance(ready, Formula):
        return ready.run
    if isinstance(ready, Mapping):
        named = {key: _compile_parts(value) for key, value in ready.items()}
        return lambda env: {key: value(env) for key, value in named.items()}
    if isinstance(ready, list | tuple):
        some = [_compile_parts(value) for value in ready]
        return lambda env: tuple([value(env) for value in some])
    return lambda _env: ready


# -- lines


def read_say(said: object, place: StepScope, where: Path) -> Iterator[Statement]:
    """`say: {label: Check, dice: check, parts: {cover: 1}, total: check + 1}`: a line of the
    answer, or several. Raises TableError."""
    for line, at in iterate_items(said, where):
        if not isinstance(line, Mapping) or "label" not in line:
            raise place.make_error("say needs a label", at)
        place.check_keys("say", line, LINE_KEYS, at)
        ready = {
            key: read(place, line[key], (*at, key)) for key, read in LINE.items() if key in line
        }
        yield OutputStatement(ready, ready.pop("when", None), LINES, _build_line)


def _dice(place: StepScope, said: object, where: Path) -> Any:
    return [place.dice(str(name), where) for name in as_list(said)]


def _parts(place: StepScope, said: object, where: Path) -> Any:
    """Named parts, each with its label, or with None where it is a list of them."""
    found: list[tuple[Formula | None, Formula]] = []
    for item in as_list(said):
        if isinstance(item, Mapping):
            found += [
                (place.text(label, where), place.formula(value, where))
                for label, value in item.items()
            ]
        else:
            found.append((None, place.formula(item, where)))
    return found


LINE: Mapping[str, Callable[[StepScope, Any, Path], Any]] = {
    "label": StepScope.text, "result": StepScope.text, "unit": StepScope.text, "dice": _dice, "parts": _parts,
    "contributors": _parts, "total": StepScope.formula, "when": StepScope.test,
}  # fmt: skip
"""The keys of a line, and how each is read."""
LINE_KEYS = tuple(LINE)


def _build_line(said: dict[str, Any]) -> Line:
    get = said.get
    faces = tuple([face for some in get("dice", ()) for face in some])
    total = None if get("total") == NONE else get("total")
    parts = _drop_zeros(get("parts", ()))
    contributors = _drop_zeros(get("contributors", ()))
    return Line(
        said["label"], faces, parts, total, get("result", ""), contributors, get("unit", "")
    )


def _drop_zeros(named: Iterable[tuple[str | None, Any]]) -> tuple[tuple[str, Any], ...]:
    """Named parts in a row, those of 0 left out."""
    found: list[tuple[str, Any]] = []
    for word, value in named:
        if word is None:
            found += value
        elif value:
            found.append((word, value))
    return tuple(found)


# -- notes for the end


def read_note(said: object, place: StepScope, where: Path) -> Iterator[Statement]:
    """A note, or several, of one of the kinds `MADE`: what comes of a unit, and sentences.
    Raises TableError.
    """
    kind = str(where[-1])
    main, make = MADE[kind]
    for written, at in iterate_items(said, where):
        one = written if isinstance(written, Mapping) else {main: written}
        if main == "set" and "track" in one:
            yield _parse_track_change(one, place, at)
            continue
        place.check_keys(kind, one, NOTE_KEYS[main], at)
        one = one if main == "say" else {"unit": "unit", **one}
        ways = {key: at if key in WHOLE else (*at, key) for key in one}
        ready = {key: read(place, one[key], ways[key]) for key, read in NOTE.items() if key in one}
        if main == "set" and ready["unit"].type in ("units", "list"):
            raise place.make_error(
                "change is for one unit; go through the list with each", (*at, "unit")
            )
        if main != "say":
            check_note(ready, place, at)
        if kind == "fate":
            check_fate(ready["is"], place, at)
        changes = UNIT if main == "set" else ""
        yield OutputStatement(
            ready, ready.pop("when", None), NOTES, lambda note: (kind, make(note)), changes
        )


def _by_name(place: StepScope, said: object, where: Path) -> Any:
    return {
        name: place.formula(source, (*where, name))
        for name, source in place.mapping(said, where).items()
    }


def _texts(place: StepScope, said: object, where: Path) -> Any:
    return [place.text(word, where) for word in as_list(said)]


NOTE: Mapping[str, Callable[[StepScope, Any, Path], Any]] = {
    "unit": StepScope.formula, **dict.fromkeys(("type", "state", "is", "more"), StepScope.text),
    "say": StepScope.pieces,
    "drop": StepScope.formula, "turn": StepScope.formula, **dict.fromkeys(("set", "add", "give", "take"), _by_name),
    "mark": _texts, "unmark": _texts, "of": lambda _place, said, _where: build_constant(str(said)),
    "when": StepScope.test,
}  # fmt: skip
"""The keys of notes, and how each is read."""
WHOLE = ("unit", "say", "when")
"""Those whose place in the file is that of the note."""
MADE: Mapping[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "result": ("is", lambda note: (shown(note["unit"]), note["is"])),
    "fate": (
        "is",
        lambda note: (
            note["unit"],
            UnitResult(shown(note["unit"]), note["is"], get_text(note.get("more", ""))),
        ),
    ),
    "change": ("set", lambda note: build_change(**note)),
    "joins": ("type", lambda note: build_joining(**note)),
    **dict.fromkeys(
        ("headline", "then", "now", "notes"), ("say", lambda note: build_sentence(note["say"]))
    ),
}
"""The kinds of notes, each with the key whose value may stand alone, and what is made of it.
`result: "{result}"` is the word for the unit at hand, or for `unit`; `fate: {unit: unit, is:
destroyed, more: "by fire"}` what the first line of the answer makes of it; `change: {when: hit,
set: {state: shaken}}` what becomes of it on the roster; `joins: {type: crew, mark: moved}` a unit
that comes into play beside it; `headline`, `then`, `now` and `notes` are
sentences whose commands are in backticks."""


def _parse_track_change(one: Mapping[str, Any], place: StepScope, where: Path) -> Statement:
    """Parse `change: {track: points, of: side, add: -1}` into the statement that sets or adds to a
    track.
    """
    place.check_keys("change of a track", one, TRACK_KEYS, where)
    called = str(one["track"])
    formulas = place.sheet.formulas
    track = formulas.setting.tracks.get(called)
    if one.get("of", SIDE) not in (SIDE, FOE) or (
        track is not None and track.by_side == ("of" not in one)
    ):
        raise place.make_error(
            f"of is side or foe for a side's track, and left out for the game's: {called}", where
        )
    name = formulas.track(f"{one.get('of', GAME)}.{called}", where).key
    if len(keys := [key for key in ("set", "add") if key in one]) != 1:
        raise place.make_error(f"{called} is either set or added to", where)
    (key,) = keys
    value = place.formula(one[key], (*where, key))
    assert track is not None
    wrong_word = (
        value.kind == "constant" and key == "set" and track.fit_value(value.value) != value.value
    )
    if wrong_word or (key == "add" and value.type not in ("number", "any", "none")):
        raise place.make_error(
            f"{called} takes {track.build_option(GAME).expectation}",
            (*where, key),
            str(one[key]),
            track.words,
        )
    when = place.test(one["when"], where) if "when" in one else None
    return OutputStatement(
        {key: value}, when, NOTES, lambda note: ("track", _build_track_move(name, **note)), name
    )


def _build_track_move(name: str, set: Any = NONE, add: Any = NONE) -> TrackMove | None:
    """What becomes of a track: None where nothing does."""
    if set != NONE:
        return TrackMove(name, int(set) if isinstance(set, int | float) else set)
    return TrackMove(name, add=int(add)) if add != NONE and int(add) else None


# -- the end, as the notes taken on the way say it

Note = tuple[str, Any]
"""Something for the end: its kind, and what it says."""
_NOTHING: Mapping[str, Any] = {}


def build_resolution(notes: Iterable[Note]) -> Resolution:
    """The end as the notes taken on the way say it, in their order; the last headline counts."""
    told: dict[str, list[Any]] = {"headline": [None]}
    for kind, says in notes:
        if says or kind == "headline":
            told.setdefault(kind, []).append(says)
    units, fates, changes, then, now, small, asks, tracks, joins = [
        tuple(told.get(kind, ()))
        for kind in ("result", "fate", "change", "then", "now", "notes", "ask", "track", "joins")
    ]
    headline = told["headline"][-1]
    if headline is None:
        headline = "; ".join([f"{unit} {word}" for unit, word in units])
    return Resolution(
        headline,
        units,
        then,
        changes,
        merge_unit_results(fates),
        now,
        "",
        small,
        joins=joins,
        asks=asks,
        tracks=tracks,
    )


def merge_unit_results(fates: Iterable[tuple[Any, UnitResult]]) -> tuple[UnitResult, ...]:
    """What came of each unit, what came last before what came earlier; others than units each by
    themselves.
    """
    found: dict[object, UnitResult] = {}
    for at, (unit, fate) in enumerate(fates):
        who = (unit.name or id(unit)) if unit.__class__ is Unit else (at,)
        if (before := found.get(who)) is not None:
            earlier = ((before.token, before.more), *before.also)
            fate = fate._replace(
                also=tuple([one for one in earlier if one != (fate.token, fate.more)])
            )
        found[who] = fate
    return tuple(found.values())


def build_sentence(pieces: Sequence[str]) -> str:
    """A sentence of which every second piece is a command; nothing in a name can become one."""
    if len(pieces) == 1:
        return get_text(pieces[0])
    return Phrase(*(Typed(piece) if at % 2 else piece for at, piece in enumerate(pieces) if piece))


def get_text(value: str) -> str:
    """The text, empty where it says none."""
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
    """The change of a roster unit: None for a unit that is not on the roster and where nothing
    changes.
    """
    listed = unit.__class__ is Unit
    name = unit.name if listed else str(unit)
    if name in ("", NONE):
        return None
    new = {key: value for key, value in set.items() if value != NONE}
    more = {key: int(value) for key, value in add.items() if value != NONE and value}
    marks, unmarks = [
        frozenset([word for word in words if word and word != NONE]) for words in (mark, unmark)
    ]
    if listed and (give or take):
        new |= _move_names(unit, give, take)
    if not (new or more or marks or unmarks or drop is True):
        return None
    return Change(name, new, marks, unmarks, more, of, drop is True, turn is True)


def build_joining(
    unit: Any, type: str, state: str = "", mark: Iterable[str] = ()
) -> Joining | None:
    """The unit that comes into play beside a roster unit; None beside one that is on no roster."""
    name = unit.name if unit.__class__ is Unit else ""
    if not name:
        return None
    return Joining(type, name, get_text(state), frozenset(filter(get_text, mark)))


def _move_names(unit: Unit, give: Mapping[str, Any], take: Mapping[str, Any]) -> dict[str, Any]:
    """The lists of names among a unit's attributes that get a name more or a name less; None for an
    empty list.

    What is on the roster is entered though it is there: an earlier change may have dropped it.
    """
    new: dict[str, Any] = {}
    for key, thing in give.items():
        names = _names(unit, key)
        if shown(thing) not in names or (isinstance(thing, Unit) and thing.name):
            new[key] = ",".join(dict.fromkeys((*names, shown(thing))))
    for key, thing in take.items():
        names = _names(unit, key)
        kept = [name for name in names if name.casefold() != shown(thing).casefold()]
        if kept != names:
            new[key] = ",".join(kept) or None
    return new


def _names(unit: Unit, key: str) -> list[str]:
    return [name.strip() for name in str(unit.numbers.get(key, "")).split(",") if name.strip()]
