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

from bot.rules.errors import TableError, UserError, check_known, did_you_mean
from bot.rules.inputs.options import Option, clean

KEYS = ("title", "help", "default", "sets", "leads")
MOST = 20
TYPES = ("bool", "int", "number", "enum")
"""Types of inputs that a rule may set."""
_NAME = r"[a-z][a-z0-9-]{0,23}"


@dataclass(frozen=True, slots=True)
class OptionalRule:
    """A rule by its name; `default` says whether it is on where nobody chose, `sets` the inputs
    of each sequence.
    """

    name: str
    title: str
    help: str = ""
    default: bool = False
    sets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # phases that a card for each unit leads, but for this marker
    leads: Mapping[str, str] = field(default_factory=dict)


def read_rules(rules: Any, file: str) -> Mapping[str, OptionalRule]:
    """The rules of a game.yaml by name. Raises TableError for what is laid out wrong; see also
    `check_rules`.
    """
    if not isinstance(rules, Mapping) or len(rules) > MOST:
        raise TableError(
            file, f"must be name: {{title, help, sets}}, at most {MOST} of them", row="rules"
        )
    return {name: _read(name, rule, file) for name, rule in rules.items()}


def _read(name: Any, rule: Any, file: str) -> OptionalRule:
    row = f"rules {name}"
    if not isinstance(name, str) or not re.fullmatch(_NAME, name):
        raise TableError(file, "a rule is named by up to 24 small letters, digits and -", row=row)
    if not isinstance(rule, Mapping):
        raise TableError(
            file, "must be {title: ..., help: ..., sets: {sequence: {input: value}}}", row=row
        )
    check_known(rule, KEYS, file, row)
    title, about, default, sets, leads = (rule.get(key) for key in KEYS)
    if not isinstance(title, str) or not title.strip() or not isinstance(about or "", str):
        raise TableError(file, "title and help are texts, and a title is needed", row=row)
    if not isinstance(default or False, bool):
        raise TableError(
            file, "default is true or false: whether it is on where nobody chose", row=row
        )
    sets, leads = ({} if one is None else one for one in (sets, leads))
    if not isinstance(leads, Mapping) or not all(
        isinstance(one, str) for pair in leads.items() for one in pair
    ):
        raise TableError(file, "leads must be {phase: marker}", row=row)
    is_map = isinstance(sets, Mapping) and all(
        isinstance(one, Mapping) and one for one in sets.values()
    )
    if not is_map or not (sets or leads):
        raise TableError(file, "sets must be sequence: {input: value}", row=row)
    return OptionalRule(name, title.strip(), (about or "").strip(), bool(default), sets, leads)


def check_rules(
    rules: Mapping[str, OptionalRule],
    inputs: Mapping[str, Many[Option]],
    game: Mapping[str, Any],
    file: str,
) -> None:
    """Raise TableError for a rule that sets what no sequence has, or what another one sets."""
    phases = [phase["name"] for phase in game.get("phases") or ()]
    marks = game["units"].get("markers") or ()
    set_by: dict[tuple[str, str], str] = {}
    for rule in rules.values():
        row = f"rules {rule.name}"
        if not rule.leads.items() <= {(phase, mark) for phase in phases for mark in marks}:
            raise TableError(file, "leads must be {phase: marker}, both of the game", row=row)
        for sequence, values in rule.sets.items():
            if sequence not in inputs:
                hint = did_you_mean(str(sequence), inputs)
                raise TableError(file, f'there is no sequence "{sequence}". {hint}', row=row)
            known = {option.name: option for option in inputs[sequence]}
            for name, value in values.items():
                _check_value(known, sequence, name, value, file, row)
                if other := set_by.get((sequence, name)):
                    raise TableError(
                        file, f"{sequence} {name} is set by the rule {other}, too", row=row
                    )
                set_by[sequence, name] = rule.name


def _check_value(
    known: Mapping[str, Option], sequence: str, name: Any, value: Any, file: str, row: str
) -> None:
    option = known.get(name)
    if option is None:
        raise TableError(
            file,
            f'{sequence} has no input "{name}". {did_you_mean(str(name), known)}'.rstrip(),
            row=row,
        )
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
    """The rules that set an input of a sequence."""
    return tuple(rule.name for rule in rules.values() if option in rule.sets.get(sequence, {}))
