"""The frozen corpus: inputs, dice and outcomes of every sequence and table, one file per system in
tests/corpus/.

    python -m tools.corpus                   freeze today's outcomes; refused where one changed under the same edition
    python -m tools.corpus --unreleased      the same, where the edition was raised already since the last release
    python -m tools.corpus --changes [REV]   list every outcome that differs from the frozen one (of that commit)

Everything in it is drawn from fixed seeds, so that freezing twice writes the same.
"""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from bot.game.events import compute_difference
from bot.game.roster import apply_changes
from bot.game.state import Game, build_roster, unit_from_json, unit_to_json
from bot.rules.dice import Die, Script, Source
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import RosterUnit, UnitWords
from bot.rules.odds.rolls import TooManyStates
from bot.rules.sequence.linked_units import resolve_links
from bot.rules.tables.table import Table
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.play_once import compute_each_odds, play_sequence
from bot.rulesets.system import Sequence, System

ROOT = Path(__file__).resolve().parent.parent
FOLDER = "tests/corpus"
PLAYS, ODDS, LOOKUPS = 120, 3, 30
TRIES = 60
"""Drawn inputs for each that is wanted: many are refused by a card."""

Json = dict[str, Any]
Draw = random.Random


@dataclass(frozen=True, slots=True)
class Corpus:
    """One system's frozen outcomes, the edition that they belong to, and the roster that the
    inputs name.
    """

    system: str
    edition: int
    roster: tuple[Json, ...]
    entries: tuple[Json, ...]

    def of(self, kind: str, id: str) -> list[Json]:
        """The entries of one sequence or table; `kind` is sequence, odds or table."""
        return [entry for entry in self.entries if (entry["kind"], entry["id"]) == (kind, id)]


def path_of(system: str) -> Path:
    """The file of a system's corpus."""
    return ROOT / FOLDER / f"{system}.jsonl.gz"


@lru_cache(maxsize=8)
def frozen(system: str) -> Corpus:
    """The corpus of a system as it was frozen."""
    return _parse_corpus(path_of(system).read_bytes())


def frozen_at(system: str, revision: str) -> Corpus:
    """The corpus of a system in an earlier commit."""
    name = f"{revision}:{FOLDER}/{system}.jsonl.gz"
    return _parse_corpus(
        subprocess.run(["git", "show", name], cwd=ROOT, check=True, capture_output=True).stdout
    )


def write(corpus: Corpus) -> bytes:
    """The file of a corpus: JSON Lines, the first of which says what it is."""
    head = {"system": corpus.system, "edition": corpus.edition, "roster": corpus.roster}
    lines = (
        json.dumps(line, ensure_ascii=False, separators=(",", ":"))
        for line in (head, *corpus.entries)
    )
    return gzip.compress("\n".join(lines).encode(), 9, mtime=0)


def _parse_corpus(packed: bytes) -> Corpus:
    head, *entries = (json.loads(line) for line in gzip.decompress(packed).decode().split("\n"))
    return Corpus(head["system"], head["edition"], tuple(head["roster"]), tuple(entries))


# -- playing an entry ---------------------------------------------------------------------------------------


class _Noted:
    """Dice from another source, noted as [label, die, value]."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.notes: list[list[object]] = []

    def draw(self, die: Die) -> int | str:
        value = self._source.draw(die)
        self.notes.append([die.label, die.name, value])
        return value


class _Drawn:
    """Dice from a seed."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def draw(self, die: Die) -> int | str:
        return die.value(self._draw.randint(1, die.sides))


def play_entry(system: System, kind: str, id: str, given: Json, source: Source, game: Game) -> Json:
    """The entry that comes of inputs and dice today. Raises UserError where the card refuses
    them.
    """
    noted, inputs = _Noted(source), dict(given)
    entry: Json = {"kind": kind, "id": id, "in": given}
    if kind == "table":
        table = system.find_table(id)
        for option, dice in table.list_needed_rolls(inputs):
            inputs[option] = sum(value for die in dice if isinstance(value := noted.draw(die), int))
        found: Json = {"dice": noted.notes, "out": dict(table.read(inputs).out)}
    elif kind == "odds":
        by = system.find_sequence(id).odds_by
        chances = compute_each_odds(
            system.find_sequence(id), given, (by,), build_roster(game), budget=3_000, rolls=20_000
        )[by]
        found = {
            "odds": {str(value): str(chance) for value, chance in sorted(chances.items(), key=str)}
        }
    else:
        result = play_sequence(system.find_sequence(id), given, noted, build_roster(game))
        changes = resolve_links(result.resolution.changes, game.units.values())
        _, after = compute_difference(
            game, apply_changes(game, changes, load_shared_systems().get(game.system))
        )
        found = {"dice": noted.notes, "out": result.out, "after": after.get("units", {})}
        found["says"] = result.resolution.headline
    plain: Json = json.loads(json.dumps(entry | found))
    return plain


def again(corpus: Corpus, entry: Json) -> Json:
    """A frozen entry played today; with `refused` where its inputs or dice lead to no outcome
    any more.
    """
    script = Script([value for _, _, value in entry.get("dice", ())])
    try:
        now = play_entry(
            load_shared_systems()[corpus.system],
            entry["kind"],
            entry["id"],
            entry["in"],
            script,
            game_of(corpus.roster),
        )
        script.finish()
    except UserError as error:
        return {**{name: entry[name] for name in ("kind", "id", "in")}, "refused": error.message}
    return now


def game_of(roster: tuple[Json, ...]) -> Game:
    """A game with this roster."""
    return Game("corpus", units={unit["name"].casefold(): unit_from_json(unit) for unit in roster})


def changes(corpus: Corpus, entries: Iterable[Json]) -> Iterator[tuple[Json, Json]]:
    """(frozen, today's) of each entry that no longer comes out the same."""
    for entry in entries:
        now = again(corpus, entry)
        if now != entry:
            yield entry, now


# -- telling a change ---------------------------------------------------------------------------------------


def format_change(corpus: Corpus, was: Json, now: Json) -> str:
    """A change as lines to read: what was asked, with which dice, and each value that differs."""
    inputs = " ".join(
        f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in was["in"].items()
    )
    thrown = " ".join(f"[{value}]" for _, _, value in was.get("dice", ()))
    what = "odds of " if was["kind"] == "odds" else ""
    lines = [f"{what}{corpus.system} {was['id']} {inputs} {thrown}".rstrip()]
    if "refused" in now:
        return f"{lines[0]}\n    {_value(was.get('says') or was.get('out'))} -> refused: {now['refused']}"
    old, new = dict(_leaves(was)), dict(_leaves(now))
    differ = [path for path in dict.fromkeys((*old, *new)) if old.get(path) != new.get(path)]
    return "\n".join(
        [
            *lines,
            *(f"    {path}: {_value(old.get(path))} -> {_value(new.get(path))}" for path in differ),
        ]
    )


def describe_difference(was: Json, now: Json) -> str:
    """In a few words what of an entry changed: words, units, the odds, or the outputs by name."""
    if "refused" in now:
        return "refused"
    old, new = was.get("out", {}), now.get("out", {})
    outputs = [name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)]
    parts = {"odds": "odds", "dice": "dice", "after": "units", "says": "words"}
    differ = [word for name, word in parts.items() if was.get(name) != now.get(name)]
    return ", ".join([*outputs, *differ])


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for at, item in enumerate(value):
            yield from _leaves(item, f"{path}[{at}]")
    else:
        yield path, value


def _value(value: object) -> str:
    return "(nothing)" if value is None else json.dumps(value, ensure_ascii=False)


# -- drawing entries ----------------------------------------------------------------------------------------


def fresh(system: System) -> Corpus:
    """A system's corpus as it comes out today."""
    roster = tuple(unit_to_json(unit) for unit in _roster(system))
    game = game_of(roster)
    entries: list[Json] = []
    for sequence in system.sequences.values():
        entries += _plays(system, sequence, game)
    for id, table in system.tables.items():
        entries += _lookups(system, id, table)
    return Corpus(system.id, int(system.edition), roster, tuple(entries))


def _plays(system: System, sequence: Sequence, game: Game) -> list[Json]:
    draw = Draw(f"{system.id} {sequence.id}")
    names = [unit.name for unit in game.units.values()]

    def play() -> Json:
        return play_entry(
            system, "sequence", sequence.id, inputs_for(draw, sequence, names), _Drawn(draw), game
        )

    plays = _make_entries(play, PLAYS)
    counted: list[Json] = []
    for entry in plays if sequence.odds_by else ():
        if len(counted) < ODDS:
            try:
                counted.append(
                    play_entry(system, "odds", sequence.id, entry["in"], _Drawn(draw), game)
                )
            except TooManyStates:
                continue
    return plays + counted


def inputs_for(draw: Draw, sequence: Sequence, names: list[str]) -> Json:
    """Inputs that the options of a sequence allow (its card may still refuse them); `names` are
    those of the roster.
    """
    drawn = dict(sequence.example) if draw.random() < 0.6 else {}
    for option in sequence.inputs:
        if (option.is_required and option.name not in drawn) or draw.random() < 0.3:
            drawn[option.name] = _value_for(
                draw, option, sequence.system.words, names, drawn.get(option.name)
            )
    return drawn


def _lookups(system: System, id: str, table: Table) -> list[Json]:
    draw = Draw(f"{system.id} table {id}")
    rolls = {roll.option for roll in table.rolls}

    def choose_inputs() -> Json:
        drawn = {}
        for option in table.inputs:
            if option.name in rolls and draw.random() < 0.5:
                continue
            if option.is_required or draw.random() < 0.6:
                drawn[option.name] = _value_for(draw, option, system.words, [], None)
        return drawn

    return _make_entries(
        lambda: play_entry(system, "table", id, choose_inputs(), _Drawn(draw), Game("corpus")),
        LOOKUPS,
    )


def _make_entries(make: Callable[[], Json], count: int) -> list[Json]:
    """So many different entries, or as many as there are."""
    found: dict[str, Json] = {}
    for _ in range(count * TRIES):
        try:
            entry = make()
        except UserError:
            continue
        found.setdefault(json.dumps([entry["in"], entry["dice"]], sort_keys=True), entry)
        if len(found) == count:
            break
    return list(found.values())


def _value_for(
    draw: Draw, option: Option, words: Mapping[str, UnitWords], names: list[str], typed: Any
) -> Any:
    """A value that the option may take; `typed` is the example's."""
    if option.type in ("int", "number"):
        return _number(draw, option)
    if option.type == "bool":
        return draw.random() < 0.6
    if option.type == "units":
        return _unit_list(draw, words[option.units or "units"], names, typed)
    if option.type == "unit":
        return draw.choice(names) if names else "Alpha"
    if option.type == "mods":
        return " ".join(draw.sample(option.values, min(draw.randint(0, 2), len(option.values))))
    if option.values:
        return draw.choice(option.values)
    # positions in a list
    return " ".join(str(at) for at in sorted(draw.sample(range(1, 4), draw.randint(0, 2))))


def _number(draw: Draw, option: Option) -> int | float:
    low = int(option.min if option.min is not None else -3)
    high = int(option.max if option.max is not None else 30)
    if draw.random() < 0.75:  # most cards are read at their low end
        high = min(high, low + 10)
    number = draw.randint(low, high)
    return (
        number + 0.5
        if option.type == "number" and number < high and draw.random() < 0.2
        else number
    )


def _unit_list(draw: Draw, words: UnitWords, names: list[str], typed: Any) -> str:
    if words.bare and draw.random() < 0.3:
        return str(draw.randint(1, 4))
    known = [
        item.strip()
        for item in str(typed or "").split(";")
        if item.strip() and not item.strip().isdecimal()
    ]
    items = []
    for _ in range(draw.choice([1, 1, 2, 2, 3, 4])):
        if draw.random() < 0.45 and names:
            items.append(f'"{draw.choice(names)}"')
        elif draw.random() < 0.5 and known:
            items.append(draw.choice(known))
        else:
            items.append(draw.choice(words.types) + _numbers_typed(draw, words))
        unused = [flag for flag in words.flags if flag not in items[-1]]
        if unused and draw.random() < 0.25:
            items[-1] += f" {draw.choice(unused)}"
    return "; ".join(items)


def _numbers_typed(draw: Draw, words: UnitWords) -> str:
    typed = ""
    for key, option in words.keys.items():
        if draw.random() < 0.7:
            value = _stat(draw, option)
            shown = ",".join(map(str, value)) if isinstance(value, tuple) else value
            typed += f" {key}={shown}" if value not in ("", ()) else ""
    return typed


def _stat(draw: Draw, option: Option) -> Any:
    """A number or word of a unit; several numbers where the option takes them."""
    if option.type == "mods":
        return tuple(int(_number(draw, option)) for _ in range(draw.randint(1, 2)))
    if option.type in ("int", "number"):
        return _number(draw, option)
    return draw.choice(option.values) if option.values else ""


def _roster(system: System) -> Iterator[RosterUnit]:
    """Four units of each type: one whole, the others with numbers, state and markers drawn."""
    draw, words, units = Draw(f"{system.id} roster"), system.words["units"], system.game["units"]
    states, marks = list(units.get("states") or ()), [*(units.get("markers") or ()), *words.flags]
    for at, kind in enumerate(words.types):
        for drawn in range(4):
            number = 4 * at + drawn + 1
            numbers = {
                key: value
                for key, option in words.keys.items()
                if (not drawn or draw.random() < 0.7) and (value := _stat(draw, option)) != ""
            }
            yield RosterUnit(
                name=f"Unit {number}",
                handle=f"u{number}",
                type=kind,
                side="Red" if drawn % 2 else "Blue",
                numbers=numbers,
                state=draw.choice(states) if drawn and states else "",
                marks=frozenset(draw.sample(marks, min(len(marks), draw.randint(0, 3))))
                if drawn
                else frozenset(),
            )


# -- the command --------------------------------------------------------------------------------------------


def list_changes(revision: str = "") -> int:
    """Print every outcome that differs from the frozen one, and a summary by sequence; returns
    how many.
    """
    count, by_sequence = 0, defaultdict[str, Counter[str]](Counter)
    for system in load_shared_systems():
        corpus = frozen_at(system, revision) if revision else frozen(system)
        for was, now in changes(corpus, corpus.entries):
            count += 1
            sys.stdout.write(format_change(corpus, was, now) + "\n")
            by_sequence[f"{system} {was['id']}"].update({describe_difference(was, now)})
    for name, kinds in by_sequence.items():
        listed = "; ".join(f"{number} x {what}" for what, number in kinds.most_common())
        sys.stdout.write(f"{name}: {listed}\n")
    sys.stdout.write(f"{count} outcomes changed.\n")
    return count


def freeze(*, unreleased: bool = False) -> int:
    """Write the corpus of each system anew; 1 where an outcome changed and the edition did not."""
    for id, system in load_shared_systems().items():
        corpus = frozen(id) if path_of(id).exists() else None
        if corpus is not None and corpus.edition == system.edition and not unreleased:
            # odds are in no log
            plays = (entry for entry in corpus.entries if entry["kind"] != "odds")
            if (change := next(changes(corpus, plays), None)) is not None:
                sys.stderr.write(
                    f"{format_advice(corpus, change[0])}\n{format_change(corpus, *change)}\n"
                )
                return 1
        packed = write(fresh(system))
        path_of(id).parent.mkdir(exist_ok=True)
        path_of(id).write_bytes(packed)
        sys.stdout.write(
            f"{path_of(id).name}: {len(packed) // 1000} kB, edition {system.edition}\n"
        )
    return 0


def format_advice(corpus: Corpus, entry: Json) -> str:
    """What to do about an entry that comes out otherwise."""
    name, edition = f"{corpus.system} {entry['id']}", load_shared_systems()[corpus.system].edition
    if edition != corpus.edition:
        return f"the corpus of {corpus.system} is of edition {corpus.edition}, not {edition}: `python -m tools.corpus`"
    if entry["kind"] == "odds":
        return f"odds of {name} changed, which no log holds: if that is meant, `python -m tools.corpus`"
    return (
        f"outcome of {name} changed: raise edition in tables/{corpus.system}/game.yaml and say which card in "
        "docs/editions.md, then `python -m tools.corpus` (`--unreleased` if it was raised since the last release)"
    )


def run(list_changes: Callable[..., object], freeze: Callable[..., int], usage: str | None) -> None:
    """Do what the words behind the name of such a tool ask for, and end the process."""
    words = sys.argv[1:]
    if words[:1] == ["--changes"]:
        list_changes(*words[1:2])
    elif words in ([], ["--unreleased"]):
        sys.exit(freeze(unreleased=bool(words)))
    else:
        sys.exit(usage)


if __name__ == "__main__":
    run(list_changes, freeze, __doc__)
