"""Optional rules of a game: switches in game.yaml that give inputs of its sequences another
default.

Each game chooses for itself (`/game settings rule`). What was typed goes first, and the event holds
the value as if it had been typed, so that a log is played again whatever the files say by then.
"""

import re
from collections.abc import Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass, field
from typing import Any

from bot.rules.errors import TableError, UserError, did_you_mean
from bot.rules.inputs.options import Option, clean

MOST = 20
TYPES = ("bool", "int", "number", "enum")
"""Types of inputs that a rule may set."""
_NAME = r"[a-z][a-z0-9-]{0,23}"


@dataclass(frozen=True, slots=True)
class OptionalRule:
    """An optional rule of a game.

    - `default`: it is on unless a game chooses otherwise.
    - `sets`: {sequence: {input: value}}, the defaults that it sets.
    - `leads`: {phase: marker}. Cards for each unit lead the phase, except units with the marker.
    """

    name: str
    title: str
    help: str = ""
    default: bool = False
    sets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    leads: Mapping[str, str] = field(default_factory=dict)


def read_rules(rules: Mapping[str, Any], file: str) -> Mapping[str, OptionalRule]:
    """Return the rules of a game.yaml by name. Raises TableError for a wrong name, too many rules,
    and one that changes nothing.

    Their layout has been checked by `bot/rulesets/game_keys.py`; `check_rules` checks the names in
    them.
    """
    if len(rules) > MOST:
        raise TableError(file, f"a game has at most {MOST} of them", row="rules")
    return {name: _read(name, rule, file) for name, rule in rules.items()}


def _read(name: str, rule: Mapping[str, Any], file: str) -> OptionalRule:
    """Return one rule. Raises TableError for a wrong name, and if it changes nothing."""
    row = f"rules {name}"
    if not re.fullmatch(_NAME, name):
        raise TableError(
            file, "a rule's name has up to 24 lowercase letters, digits and -", row=row
        )
    sets = rule.get("sets") or {}
    leads = rule.get("leads") or {}
    if not all(sets.values()) or not (sets or leads):
        raise TableError(file, "sets must be sequence: {input: value}", row=row)
    help_text = rule.get("help") or ""
    is_default = rule.get("default") or False
    return OptionalRule(name, rule["title"].strip(), help_text.strip(), is_default, sets, leads)


def check_rules(
    rules: Mapping[str, OptionalRule],
    inputs: Mapping[str, Many[Option]],
    game: Mapping[str, Any],
    file: str,
) -> None:
    """Raise TableError for a rule that names an unknown phase, marker, sequence or input, sets a
    value that does not fit, or sets an input that another rule sets.

    `inputs` holds the inputs of each sequence.
    """
    phases = [phase["name"] for phase in game.get("phases") or ()]
    markers = game["units"].get("markers") or ()
    possible_leads = {(phase, marker) for phase in phases for marker in markers}
    rules_by_input: dict[tuple[str, str], str] = {}
    for rule in rules.values():
        row = f"rules {rule.name}"
        if not rule.leads.items() <= possible_leads:
            raise TableError(file, "leads must be {phase: marker}, both from the game", row=row)
        for sequence, values in rule.sets.items():
            if sequence not in inputs:
                hint = did_you_mean(str(sequence), inputs)
                raise TableError(file, f'there is no sequence "{sequence}". {hint}', row=row)
            options = {option.name: option for option in inputs[sequence]}
            for name, value in values.items():
                _check_value(options, sequence, name, value, file, row)
                other_rule = rules_by_input.get((sequence, name))
                if other_rule:
                    problem = f"{sequence} {name} is also set by the rule {other_rule}"
                    raise TableError(file, problem, row=row)
                rules_by_input[sequence, name] = rule.name


def _check_value(
    options: Mapping[str, Option], sequence: str, name: Any, value: Any, file: str, row: str
) -> None:
    """Raise TableError if a sequence has no such input, if a rule may not set it, or if the value
    does not fit.
    """
    option = options.get(name)
    if option is None:
        hint = did_you_mean(str(name), options)
        raise TableError(file, f'{sequence} has no input "{name}". {hint}'.rstrip(), row=row)
    if option.type not in TYPES or option.is_required:
        raise TableError(
            file, f"{sequence} {name} must be a flag, number or word that can be left out", row=row
        )
    try:
        clean(option, value)
    except UserError as error:
        raise TableError(file, error.message, row=f"{row}, {sequence}") from None


def list_rules_setting(
    rules: Mapping[str, OptionalRule], sequence: str, option: str
) -> tuple[str, ...]:
    """Return the names of the rules that set this input of a sequence."""
    return tuple(rule.name for rule in rules.values() if option in rule.sets.get(sequence, {}))
