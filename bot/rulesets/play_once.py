"""Sequences and tables asked from outside: play one, count its odds, fight several rounds. No
channel, no game.
"""

import re
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Many
from dataclasses import replace
from fractions import Fraction
from time import thread_time
from typing import Any

from bot.rules.declared.compile_context import list_item_outputs
from bot.rules.dice import Source
from bot.rules.errors import Slip, TableError, UserError, did_you_mean, name_row_of_errors
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import clean
from bot.rules.inputs.units import Roster
from bot.rules.odds.by_unit import index_rows, is_row
from bot.rules.odds.odds import STATE_BUDGET, Distribution, compute_joint_odds, compute_marginals
from bot.rules.odds.rolls import TooManyStates
from bot.rules.sequence.rounds import (
    CarriedInput,
    Ending,
    FightOdds,
    OutputCondition,
    Rounds,
    Situation,
    compute_fight,
)
from bot.rules.sequence.sequence import OddsRow, Plan, Play
from bot.rulesets.catalog import find_system
from bot.rulesets.system import Sequence

MAX_BY = 8
ROLLS = "rolls"
"""The one list within an item that holds single values: its dice."""
MAX_ROLLS = 1_000_000
MAX_SECONDS = 4.0
"""What one count of odds may take where nobody else waits: the command line and batch."""


def make_timer(seconds: float) -> Callable[[], bool]:
    """Return whether so many seconds of work have gone by since now, as much on a busy machine as
    on a quiet one.
    """
    until = thread_time() + seconds
    return lambda: thread_time() > until


def play_sequence(
    sequence: Sequence, raw: Mapping[str, object], source: Source, roster: Roster | None = None
) -> Play:
    """Play a sequence with dice from `source`. Raises UserError for bad input, dice, and a
    choice that is owed.
    """
    played = sequence.play(sequence.plan(sequence.read_inputs(raw, roster or {})), source)
    if asks := played.settlement.asks:
        raise sequence.choices[asks[0].name].make_missing_error()
    return played


def list_choice_branches(
    sequence: Sequence, raw: Mapping[str, object]
) -> list[tuple[tuple[str, ...], Mapping[str, object]]]:
    """The inputs with each option of what is still to be chosen, one choice at a time, and what is
    chosen then; any other choice counts as its `else`. As they are where nothing is to be chosen.
    """
    owed = [choice for name, choice in sequence.choices.items() if raw.get(name) in (None, "")]
    otherwise = tuple([choice.otherwise for choice in owed])
    last_first = [(at, option) for at in reversed(range(len(owed))) for option in owed[at].options]
    picked = dict.fromkeys(
        (*otherwise[:at], option, *otherwise[at + 1 :]) for at, option in last_first
    )
    names = [choice.name for choice in owed]
    return [(picks, {**raw, **dict(zip(names, picks, strict=True))}) for picks in picked] or [
        ((), raw)
    ]


def count_odds(
    sequence: Sequence,
    raw: Mapping[str, object],
    by: Many[str] = (),
    roster: Roster | None = None,
    *,
    rolls: int = MAX_ROLLS,
    seconds: float | None = MAX_SECONDS,
) -> Distribution:
    """Exact chances by the named outputs (default: the sequence's own), as {"value|value":
    Fraction}.

    Raises UserError for a sequence that rolls nothing, for an output it does not have and for too
    much work: more than `rolls` rolls looked at, or more `seconds` (None: as long as it takes, for
    what must not hang on the machine).
    """
    paths = tuple(by) or ((sequence.odds_by,) if sequence.odds_by else ())
    _check_paths(sequence, paths)
    plan = sequence.plan(sequence.read_inputs(raw, roster or {}))
    _check_lists(sequence, plan, paths)
    counted = compute_joint_odds(
        plan, paths, rolls=rolls, out_of_time=None if seconds is None else make_timer(seconds)
    )
    return {"|".join(str(value) for value in key): chance for key, chance in counted.items()}


def compute_each_odds(
    sequence: Sequence,
    raw: Mapping[str, object],
    paths: Many[str],
    roster: Roster | None = None,
    *,
    budget: int = STATE_BUDGET,
    rolls: int | None = None,
    seconds: float | None = None,
) -> dict[str, Distribution]:
    """The distribution of each output of `paths` by itself, in one pass. Raises UserError as
    count_odds does.

    A path may also be that of a row, see `build_odds_rows`. `budget`, `rolls` and `seconds` limit the
    states and rolls looked at and the time, for whoever must answer at once. What is still to be
    chosen counts as its `else`.
    """
    _check_paths(sequence, [path for path in paths if not is_row(path)])
    plan = sequence.plan(sequence.read_inputs(sequence.add_default_choices(raw), roster or {}))
    return compute_marginals(
        plan,
        paths,
        index_rows(plan, sequence.odds_by, sequence.odds_row) if any(map(is_row, paths)) else None,
        budget=budget,
        rolls=rolls,
        out_of_time=None if seconds is None else make_timer(seconds),
    )


def build_odds_rows(
    sequence: Sequence,
    raw: Mapping[str, object],
    roster: Roster | None = None,
    plan: Plan[Any] | None = None,
) -> dict[str, OddsRow]:
    """The units (or the one result) whose odds are shown for these inputs, by the path to ask
    `compute_each_odds` for; `plan` is theirs, where nothing is to be chosen."""
    if plan is None or sequence.choices:
        plan = sequence.plan(sequence.read_inputs(sequence.add_default_choices(raw), roster or {}))
    return index_rows(plan, sequence.odds_by, sequence.odds_row)


def _check_paths(sequence: Sequence, paths: Many[str]) -> None:
    if not sequence.odds_by:
        raise UserError(
            f"{sequence.system.id} {sequence.id} rolls no dice, so it has no odds.", code="no-odds"
        )
    if len(paths) > MAX_BY:
        raise UserError(f"Odds go by at most {MAX_BY} outputs at once.", code="too-many")
    for path in paths:
        head = path.split(".")[0].split("[")[0]
        if head not in sequence.outputs:
            known: Any = ", ".join(sequence.outputs)
            what = f'{sequence.system.id} {sequence.id} has no output "{path[:40]}".'
            raise UserError(
                what,
                hint=f"It has {known}.{_format_list_path(sequence, path)}",
                code="unknown-output",
            )
        if fault := _explain_not_single(path, str(sequence.outputs[head])):
            raise UserError(
                fault, hint=f"One value of it is such as {head}[0].result.", code="unknown-output"
            )


def _format_list_path(sequence: Sequence, path: str) -> str:
    """What to write for the output of a list's items that was asked for as if it were the
    sequence's own.
    """
    listed = [name for name, said in sequence.outputs.items() if path in list_item_outputs(said)]
    return f" Write {listed[0]}[0].{path}." if listed else ""


def _check_lists(sequence: Sequence, plan: Plan[Any], paths: Many[str]) -> None:
    """Raise UserError for a path that is a list of items, where the outputs say so only by
    naming another sequence.
    """
    for path in paths:
        if plan.opening.get(path) == [] and str(sequence.outputs.get(path, "")).startswith("as "):
            hint = f"One value of it is such as {path}[0].result."
            raise UserError(f"{path} is a list, not one value.", hint=hint, code="unknown-output")


def _explain_not_single(path: str, described: str) -> str:
    """What is wrong with a path that is no single value by what its output is `described` as;
    empty for one that is.
    """
    head, *keys = re.split(r"[.\[]", path)
    has_items = "{" in described
    is_list = described.startswith(("list", "as "))
    if keys and not is_list:
        return f"{head} has one value, so there is no {path[:40]}."
    names = [key for key in keys if not key.endswith("]")]
    if has_items and names and keys[-1].endswith("]") and names[-1] != ROLLS:
        return f"{path[:40]} is an item of a list, not one value."
    if has_items and not keys:
        return f"{head} is a list, not one value."
    if has_items and not names:
        return f"{path[:40]} is an item of a list, not one value."
    if has_items and "as in" not in described and names[0] not in re.findall(r"\w+", described):
        return f"The items of {head} have no {names[0][:40]}."
    return ""


# -- fights of several rounds: `rounds` of a sequence, read from its file and counted with its plan


def read_rounds(sequence: Sequence) -> Rounds:
    """How a sequence goes on. Raises UserError for one that has no further rounds, TableError for a
    fault in its file."""
    data = sequence.rounds
    if not data:
        raise UserError(
            f"{sequence.title} has one round.",
            hint="Leave out rounds.",
            option="rounds",
            code="not-together",
        )
    file = f"{sequence.system.id}/sequences.yaml"
    with name_row_of_errors(file, f"{sequence.id}, rounds"):
        then = {
            name: _read_carried(sequence, name, spec)
            for name, spec in (data.get("then") or {}).items()
        }
        ends = tuple(
            Ending(
                {name: tuple(values) for name, values in end["when"].items()},
                str(end.get("as", "")),
            )
            for end in data["ends"]
        )
    inputs = {option.name for option in sequence.inputs}
    for name in then:
        if name.partition(".")[0] not in inputs:
            raise TableError(file, f"rounds carries {name}, which is no input", row=sequence.id)
    found = Rounds(ends, then)
    for name in found.list_deciding_outputs(sequence.odds_by):
        if name not in sequence.outputs:
            raise TableError(file, f"rounds names {name}, which is no output", row=sequence.id)
    return found


def _read_carried(sequence: Sequence, name: str, spec: Mapping[str, Any]) -> CarriedInput:
    """What an input is in the next round. Raises Slip."""
    if strange := [str(key) for key in spec if key not in CarriedInput._fields]:
        raise Slip(
            f'"{strange[0]}" of {name} is not known here. {did_you_mean(strange[0], CarriedInput._fields)}'.rstrip()
        )
    value = spec.get("becomes")
    if isinstance(value, str) and value in sequence.outputs:
        return CarriedInput(becomes=OutputCondition(value))
    option = next((option for option in sequence.inputs if option.name == name), None)
    if option is not None and value is not None:
        try:
            clean(option, value)
        except UserError as error:
            raise Slip(
                f"{name} becomes {value}, which is no output, and no value of it: {error.message}"
            ) from None
    return CarriedInput(**spec)


def count_rounds(
    system_id: str,
    sequence_id: str,
    raw: Mapping[str, object],
    rounds: int,
    roster: Roster | None = None,
    seconds: float = MAX_SECONDS,
) -> FightOdds:
    """The exact chances of a fight of so many rounds, and of one to its end. Raises UserError, also
    for too much work."""
    sequence = find_system(system_id).find_sequence(sequence_id)
    rules = read_rounds(sequence)
    if sequence.choices or sequence.decks:
        why = "draws cards" if sequence.decks else "asks a side in its middle"
        what = f"{sequence.title} {why}, so its odds are those of one round."
        raise UserError(what, hint="Leave out rounds.", option="rounds", code="not-together")
    given = sequence.read_inputs(raw, roster or {})
    asked = rules.list_deciding_outputs(sequence.odds_by)
    late = make_timer(seconds)

    def step(at: Situation) -> Mapping[tuple[str, Situation], Fraction]:
        if late():
            raise TooManyStates
        plan = sequence.plan(_replace_inputs(given, dict(zip(rules.then, at, strict=True))))
        found: dict[tuple[str, Situation], Fraction] = {}
        for values, chance in compute_joint_odds(plan, asked, out_of_time=late).items():
            key = rules.end_round(at, dict(zip(asked, values, strict=True)), sequence.odds_by)
            found[key] = found.get(key, Fraction(0)) + chance
        return found

    start = tuple(_get_carried_value(given, name) for name in rules.then)
    return compute_fight(start, step, rounds)


def _get_carried_value(given: Given, name: str) -> Any:
    """A carried input as it was given: `attackers`, or `a.wounds`, a number of the one unit of
    `a`.
    """
    head, _, key = name.partition(".")
    if not key:
        return given.values[head]
    return given.units(head)[0].number(key, 0)


def _replace_inputs(given: Given, values: Mapping[str, Any]) -> Given:
    """The inputs with these values in place of their own."""
    plain = {name: value for name, value in values.items() if "." not in name}
    lists = dict(given.lists)
    for name, value in values.items():
        head, _, key = name.partition(".")
        if key:
            unit = lists[head][0]
            lists[head] = (replace(unit, numbers={**unit.numbers, key: value}), *lists[head][1:])
    return replace(given, values={**given.values, **plain}, lists=lists)
