"""Odds as text and as JSON for the command line."""

import sys
from collections.abc import Mapping
from collections.abc import Sequence as Many
from fractions import Fraction

from bot.presentation.headline import YOU, format_cause, list_actors, list_affected_units
from bot.presentation.odds import build_odds_reply, build_rounds_reply
from bot.presentation.what_if import compare_changes, count_change_odds, list_changes
from bot.rules.errors import UserError
from bot.rules.inputs.options import clean
from bot.rules.odds.odds import Distribution
from bot.rules.sequence.sequence import OddsRow
from bot.rules.text.names import join_names
from bot.rulesets.play_once import (
    MAX_ROLLS,
    MAX_SECONDS,
    build_odds_rows,
    compute_each_odds,
    count_rounds,
    list_choice_branches,
)
from bot.rulesets.system import Sequence
from bot.ui.common_options import ROUNDS
from bot.ui.reply.bars import WIDE, Chance, Look, format_odds_lines
from bot.ui.reply.parts import format_part
from bot.ui.reply.reply import Reply


def format_output_odds(title: str, paths: Many[str], counted: Mapping[str, Fraction]) -> str:
    """Format the chance of each combination of values of the outputs at `paths`, a bar each.

    `title` is that of the sequence; `counted` has the chances by the values, joined to one text.
    """
    rows = [
        Chance(str(value), float(chance), exact=str(chance)) for value, chance in counted.items()
    ]
    return "\n".join(format_odds_lines(f"Odds of {title} by {', '.join(paths)}", rows, _get_look()))


def count_odds_reply(sequence: Sequence, inputs: Mapping[str, object]) -> Reply:
    """Count the odds of every unit, for each option of open choices, and build the reply as in
    chat.

    Raises UserError for inputs that do not fit and for too much work.
    """
    parsed = sequence.read_inputs(inputs, {})
    rows = dict[str, OddsRow]()
    counted = dict[str, Distribution]()
    for options, branch_inputs in list_choice_branches(sequence, inputs):
        branch_rows = build_odds_rows(sequence, branch_inputs)
        branch_odds = compute_each_odds(
            sequence, branch_inputs, tuple(branch_rows), rolls=MAX_ROLLS, seconds=MAX_SECONDS
        )
        prefix = "/".join(options)
        for path, row in branch_rows.items():
            rows[prefix + path] = row._replace(assumed_choices=options)
        for path, odds in branch_odds.items():
            counted[prefix + path] = odds
    cause = format_cause(sequence, list_actors(sequence, parsed), YOU)
    targets = join_names(list_affected_units(sequence, parsed))
    return build_odds_reply(sequence, inputs, rows, counted, cause=cause, target_names=targets)


def format_unit_odds(reply: Reply) -> str:
    """Format a reply with odds: its first line, then its other lines indented, with long bars."""
    lines = (f"  {line}" for part in reply.lines for line in format_part(part, look=_get_look()))
    return "\n".join((reply.first_line, *lines))


def build_comparison(
    sequence: Sequence, inputs: Mapping[str, object], paths: Many[str]
) -> tuple[object, str]:
    """Return the odds with each possible change of the inputs (see `list_changed_odds`), and the
    comparison of the changes as text.

    Raises UserError if any output `paths` are named, and if no change makes a difference.
    """
    if paths:
        raise UserError(
            "--compare uses the sequence's own result.",
            hint="Leave out --by.",
            code="not-together",
        )
    changes = list_changes(sequence, inputs, sequence.read_inputs(inputs, {}))
    rows = build_odds_rows(sequence, inputs)
    planned = compute_each_odds(sequence, inputs, tuple(rows), rolls=MAX_ROLLS, seconds=MAX_SECONDS)
    changed_inputs = [dict(change.raw) for change in changes]
    counted = count_change_odds(sequence, changed_inputs, tuple(rows), {})
    reply = compare_changes(sequence, rows, planned, changes, counted).reply
    return list_changed_odds(sequence, inputs), format_unit_odds(reply)


def list_changed_odds(sequence: Sequence, inputs: Mapping[str, object]) -> list[dict[str, object]]:
    """Return `{"change": label, "odds": {result: fraction}}` for each possible change of the
    inputs, by the sequence's own result. Changes that the rules do not allow are left out.
    """
    changes = list_changes(sequence, inputs, sequence.read_inputs(inputs, {}))
    path = sequence.odds_by
    changed_inputs = [dict(change.raw) for change in changes]
    counted = count_change_odds(sequence, changed_inputs, (path,), {})
    rows: list[dict[str, object]] = []
    for change, distributions in zip(changes, counted, strict=True):
        if distributions is not None:
            odds = {str(value): str(chance) for value, chance in distributions[path].items()}
            rows.append({"change": change.label, "odds": odds})
    return rows


def build_round_odds(
    sequence: Sequence, inputs: Mapping[str, object], rounds: object
) -> tuple[dict[str, object], str]:
    """Return the odds after a number of rounds (`odds`) and at the end of the fight (`decided`) as
    fractions, and both as text.

    Raises UserError if `rounds` is not a number in range, and if the sequence has no rounds.
    """
    count = int(clean(ROUNDS, rounds))
    fight = count_rounds(sequence, inputs, count)
    reply = build_rounds_reply(sequence, inputs, fight, count, cause=sequence.title)
    odds: dict[str, object] = {
        "odds": {token: str(chance) for token, chance in fight.after.items()},
        "decided": {token: str(chance) for token, chance in fight.decided.items()},
    }
    return odds, format_unit_odds(reply)


def _get_look() -> Look:
    """Return the look of long bars, in ASCII if the output is not in a Unicode encoding."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").casefold()
    return WIDE._replace(plain=not encoding.startswith("utf"))
