"""Play a single sequence, count its odds, or count a fight of several rounds, without a channel
or a game.
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
from bot.rules.errors import Slip, TableError, UserError, name_row_of_errors
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
from bot.rulesets.system import Sequence

MAX_BY = 8
"""Most outputs of one count of joint odds."""
ROLLS = "rolls"
"""The dice of an item: the only list within an item that holds single values."""
MAX_ROLLS = 1_000_000
MAX_SECONDS = 4.0
"""Time for one count of odds if nobody else waits for it, as on the command line."""


def make_timer(seconds: float) -> Callable[[], bool]:
    """Return a function that returns whether this thread has worked for `seconds` from now on.

    Time in which other processes use the processor does not count.
    """
    deadline = thread_time() + seconds
    return lambda: thread_time() > deadline


def play_sequence(
    sequence: Sequence, raw: Mapping[str, object], source: Source, roster: Roster | None = None
) -> Play:
    """Play a sequence with dice from `source`, and return the result.

    Raises UserError for bad input or dice, and if a choice has to be made that is not in `raw`.
    """
    inputs = sequence.read_inputs(raw, roster or {})
    play = sequence.play(sequence.plan(inputs), source)
    requests = play.resolution.choice_requests
    if requests:
        raise sequence.choices[requests[0].name].make_missing_error()
    return play


def list_choice_branches(
    sequence: Sequence, raw: Mapping[str, object]
) -> list[tuple[tuple[str, ...], Mapping[str, object]]]:
    """Return (picks, inputs) for each option of the choices that `raw` leaves open.

    One choice varies at a time, the last one first; all others have their `else`. Without an open
    choice there is one entry, with no picks and `raw` itself.
    """
    open_choices = [
        choice for name, choice in sequence.choices.items() if raw.get(name) in (None, "")
    ]
    if not open_choices:
        return [((), raw)]
    names = [choice.name for choice in open_choices]
    defaults = tuple([choice.default for choice in open_choices])
    branches: dict[tuple[str, ...], Mapping[str, object]] = {}
    for index in reversed(range(len(open_choices))):
        for option in open_choices[index].options:
            picks = (*defaults[:index], option, *defaults[index + 1 :])
            branches.setdefault(picks, {**raw, **dict(zip(names, picks, strict=True))})
    return list(branches.items()) or [((), raw)]


def count_odds(
    sequence: Sequence,
    raw: Mapping[str, object],
    outputs: Many[str] = (),
    roster: Roster | None = None,
    *,
    rolls: int = MAX_ROLLS,
    seconds: float | None = MAX_SECONDS,
) -> Distribution:
    """Return the exact joint chances of `outputs`, as {"value|value": Fraction}.

    Without `outputs` the sequence's own odds output is counted. Raises UserError for a sequence
    that rolls nothing, for an output it does not have, and for more than `rolls` rolls or `seconds`
    of work (None: no limit).
    """
    paths = tuple(outputs) or ((sequence.odds_by,) if sequence.odds_by else ())
    _check_paths(sequence, paths)
    plan = sequence.plan(sequence.read_inputs(raw, roster or {}))
    _check_lists(sequence, plan, paths)
    odds = compute_joint_odds(plan, paths, rolls=rolls, out_of_time=_make_optional_timer(seconds))
    return {"|".join(map(str, values)): chance for values, chance in odds.items()}


def _make_optional_timer(seconds: float | None) -> Callable[[], bool] | None:
    return None if seconds is None else make_timer(seconds)


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
    """Return the distribution of each output of `paths` by itself, counted in one pass.

    A path may also be that of a row, see `build_odds_rows`. Open choices count as their `else`.
    `budget` limits the states, `rolls` the rolls looked at, and `seconds` the time. Raises
    UserError as count_odds does.
    """
    _check_paths(sequence, [path for path in paths if not is_row(path)])
    plan = _build_plan_for_odds(sequence, raw, roster)
    rows = None
    if any(map(is_row, paths)):
        rows = index_rows(plan, sequence.odds_by, sequence.odds_row)
    return compute_marginals(
        plan,
        paths,
        rows,
        budget=budget,
        rolls=rolls,
        out_of_time=_make_optional_timer(seconds),
    )


def _build_plan_for_odds(
    sequence: Sequence, raw: Mapping[str, object], roster: Roster | None
) -> Plan[Any]:
    """Return the plan for these inputs, with the `else` of each open choice."""
    inputs = sequence.read_inputs(sequence.add_default_choices(raw), roster or {})
    return sequence.plan(inputs)


def build_odds_rows(
    sequence: Sequence,
    raw: Mapping[str, object],
    roster: Roster | None = None,
    plan: Plan[Any] | None = None,
) -> dict[str, OddsRow]:
    """Return the rows of the odds for these inputs: the units, or the one result.

    The keys are paths for `compute_each_odds`. A `plan` of the same inputs saves time; it is not
    used for a sequence with choices.
    """
    if plan is None or sequence.choices:
        plan = _build_plan_for_odds(sequence, raw, roster)
    return index_rows(plan, sequence.odds_by, sequence.odds_row)


def _check_paths(sequence: Sequence, paths: Many[str]) -> None:
    """Raise UserError for a sequence without odds, for too many paths, and for a path that is no
    single value of its outputs.
    """
    label = f"{sequence.system.id} {sequence.id}"
    if not sequence.odds_by:
        raise UserError(f"{label} rolls no dice, so it has no odds.", code="no-odds")
    if len(paths) > MAX_BY:
        raise UserError(f"The odds can cover at most {MAX_BY} outputs at once.", code="too-many")
    for path in paths:
        head = path.split(".")[0].split("[")[0]
        if head not in sequence.outputs:
            names = ", ".join(sequence.outputs)
            hint = f"It has {names}.{_format_list_path(sequence, path)}"
            problem = f'{label} has no output "{path[:40]}".'
            raise UserError(problem, hint=hint, code="unknown-output")
        fault = _explain_not_single(path, str(sequence.outputs[head]))
        if fault:
            hint = f"For example, one of its values is {head}[0].result."
            raise UserError(fault, hint=hint, code="unknown-output")


def _format_list_path(sequence: Sequence, path: str) -> str:
    """Return a hint with the full path if items of a list have an output of this name; else ""."""
    for name, description in sequence.outputs.items():
        if path in list_item_outputs(description):
            return f" Write {name}[0].{path}."
    return ""


def _check_lists(sequence: Sequence, plan: Plan[Any], paths: Many[str]) -> None:
    """Raise UserError for a path that is a list in the plan, if its description only names another
    sequence, so that `_check_paths` cannot see it.
    """
    for path in paths:
        is_list = plan.opening.get(path) == []
        if is_list and str(sequence.outputs.get(path, "")).startswith("as "):
            hint = f"For example, one of its values is {path}[0].result."
            raise UserError(f"{path} is a list, not one value.", hint=hint, code="unknown-output")


def _explain_not_single(path: str, description: str) -> str:
    """Return the problem of a path that is no single value, or "" for one that is.

    `description` is the text of the output in sequences.yaml.
    """
    head, *keys = re.split(r"[.\[]", path)
    has_items = "{" in description
    is_list = description.startswith(("list", "as "))
    if keys and not is_list:
        return f"{head} is a single value, so there is no {path[:40]}."
    if not has_items:
        return ""
    if not keys:
        return f"{head} is a list, not one value."
    names = [key for key in keys if not key.endswith("]")]
    if not names:
        return f"{path[:40]} is an item of a list, not one value."
    if keys[-1].endswith("]") and names[-1] != ROLLS:
        return f"{path[:40]} is an item of a list, not one value."
    if "as in" not in description and names[0] not in re.findall(r"\w+", description):
        return f"The items of {head} have no {names[0][:40]}."
    return ""


# -- fights of several rounds: `rounds` of a sequence, read from its file and counted with its plan


def read_rounds(sequence: Sequence) -> Rounds:
    """Read the `rounds` of a sequence: its endings, and the inputs that change from round to round.

    Raises UserError for a sequence with a single round, TableError for a fault in its file.
    """
    data = sequence.rounds
    if not data:
        raise UserError(
            f"{sequence.title} has only one round.",
            hint="Leave out rounds.",
            option="rounds",
            code="not-together",
        )
    file = f"{sequence.system.id}/sequences.yaml"
    with name_row_of_errors(file, f"{sequence.id}, rounds"):
        carried = {
            name: _read_carried(sequence, name, spec)
            for name, spec in (data.get("then") or {}).items()
        }
        endings: list[Ending] = []
        for ending in data.get("ends") or ():
            conditions = {name: tuple(values) for name, values in ending["when"].items()}
            endings.append(Ending(conditions, str(ending.get("as", ""))))
    inputs = {option.name for option in sequence.inputs}
    for name in carried:
        if name.partition(".")[0] not in inputs:
            raise TableError(file, f"rounds carries {name}, which is not an input", row=sequence.id)
    rounds = Rounds(tuple(endings), carried)
    for name in rounds.list_deciding_outputs(sequence.odds_by):
        if name not in sequence.outputs:
            raise TableError(file, f"rounds names {name}, which is not an output", row=sequence.id)
    return rounds


def _read_carried(sequence: Sequence, name: str, spec: Mapping[str, Any]) -> CarriedInput:
    """Read how an input changes for the next round: the entry `spec` of the input `name`.

    The key `becomes` names an output, or is a value that the input may have. Raises Slip for
    another value.
    """
    value = spec.get("becomes")
    if isinstance(value, str) and value in sequence.outputs:
        return CarriedInput(becomes=OutputCondition(value))
    option = next((option for option in sequence.inputs if option.name == name), None)
    if option is not None and value is not None:
        try:
            clean(option, value)
        except UserError as error:
            raise Slip(
                f"{name} becomes {value}, which is neither an output nor one of its values: {error.message}"
            ) from None
    return CarriedInput(**spec)


def count_rounds(
    sequence: Sequence,
    raw: Mapping[str, object],
    rounds: int,
    roster: Roster | None = None,
    seconds: float = MAX_SECONDS,
) -> FightOdds:
    """Return the exact chances of a fight of this many rounds, and of one to its end.

    Raises UserError for a sequence with a single round, or with choices or decks; TooManyStates
    after `seconds` of work.
    """
    rules = read_rounds(sequence)
    if sequence.choices or sequence.decks:
        reason = "draws cards" if sequence.decks else "asks a side to choose partway through"
        problem = f"{sequence.title} {reason}, so its odds are those of one round."
        raise UserError(problem, hint="Leave out rounds.", option="rounds", code="not-together")
    inputs = sequence.read_inputs(raw, roster or {})
    outputs = rules.list_deciding_outputs(sequence.odds_by)
    is_out_of_time = make_timer(seconds)

    def play_round(situation: Situation) -> Mapping[tuple[str, Situation], Fraction]:
        """Return the chance of each (result, next situation) of one round."""
        if is_out_of_time():
            raise TooManyStates
        carried_values = dict(zip(rules.carried_inputs, situation, strict=True))
        plan = sequence.plan(_replace_inputs(inputs, carried_values))
        odds = compute_joint_odds(plan, outputs, out_of_time=is_out_of_time)
        chances: dict[tuple[str, Situation], Fraction] = {}
        for values, chance in odds.items():
            output_values = dict(zip(outputs, values, strict=True))
            key = rules.end_round(situation, output_values, sequence.odds_by)
            chances[key] = chances.get(key, Fraction(0)) + chance
        return chances

    start = tuple(_get_carried_value(inputs, name) for name in rules.carried_inputs)
    return compute_fight(start, play_round, rounds)


def _get_carried_value(inputs: Given, name: str) -> Any:
    """Return an input that changes from round to round: the value of `attackers`, or for
    `a.wounds` that number of the only unit of `a`, 0 if it has none.
    """
    head, _, key = name.partition(".")
    if not key:
        return inputs.values[head]
    return inputs.units(head)[0].number(key, 0)


def _replace_inputs(inputs: Given, values: Mapping[str, Any]) -> Given:
    """Return the inputs with these values; a value for `a.wounds` changes the first unit of `a`."""
    plain = {name: value for name, value in values.items() if "." not in name}
    lists = dict(inputs.lists)
    for name, value in values.items():
        head, _, key = name.partition(".")
        if key:
            unit, *further_units = lists[head]
            changed_unit = replace(unit, numbers={**unit.numbers, key: value})
            lists[head] = (changed_unit, *further_units)
    return replace(inputs, values={**inputs.values, **plain}, lists=lists)
