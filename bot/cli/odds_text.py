"""Odds as the command line shows them: every unit under its name, or the outputs that are asked
for.
"""

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
from bot.ui.common_commands import ROUNDS
from bot.ui.reply.bars import WIDE, Chance, Look, format_odds_lines
from bot.ui.reply.parts import format_part
from bot.ui.reply.reply import Reply


def format_output_odds(title: str, by: Many[str], counted: Mapping[str, Fraction]) -> str:
    """The chances of each combination of the outputs `by`, as they are put out."""
    rows = [
        Chance(str(value), float(chance), exact=str(chance)) for value, chance in counted.items()
    ]
    return "\n".join(format_odds_lines(f"Odds of {title} by {', '.join(by)}", rows, _get_look()))


def count_odds_reply(sequence: Sequence, given: Mapping[str, object]) -> Reply:
    """The odds of every unit as the answer that chat gives. Raises UserError."""
    read = sequence.read_inputs(given, {})
    rows = dict[str, OddsRow]()
    counted = dict[str, Distribution]()
    for under, chosen in list_choice_branches(sequence, given):
        own = build_odds_rows(sequence, chosen)
        found = compute_each_odds(
            sequence, chosen, tuple(own), rolls=MAX_ROLLS, seconds=MAX_SECONDS
        )
        rows |= {"/".join(under) + path: row._replace(under=under) for path, row in own.items()}
        counted |= {"/".join(under) + path: odds for path, odds in found.items()}
    by = format_cause(sequence, list_actors(sequence, read), YOU)
    whom = join_names(list_affected_units(sequence, read))
    return build_odds_reply(sequence, given, rows, counted, by=by, whom=whom)


def format_unit_odds(reply: Reply) -> str:
    """The odds of every unit, as chat has them."""
    lines = (f"  {line}" for part in reply.lines for line in format_part(part, look=_get_look()))
    return "\n".join((reply.first_line, *lines))


def build_comparison(
    sequence: Sequence, given: Mapping[str, object], by: Many[str]
) -> tuple[object, str]:
    """What each change is worth: the odds with it, and the same as chat has it. Raises UserError
    for outputs `by`.
    """
    if by:
        raise UserError(
            "--compare goes by the sequence's own result.",
            hint="Leave out --by.",
            code="not-together",
        )
    tried = list_changes(sequence, given, sequence.read_inputs(given, {}))
    rows = build_odds_rows(sequence, given)
    planned = compute_each_odds(sequence, given, tuple(rows), rolls=MAX_ROLLS, seconds=MAX_SECONDS)
    raws = [dict(one.raw) for one in tried]
    counted = count_change_odds(sequence.system.id, sequence.id, raws, tuple(rows), {})
    reply = compare_changes(sequence, rows, planned, tried, counted).reply
    return list_changed_odds(sequence, given), format_unit_odds(reply)


def list_changed_odds(sequence: Sequence, given: Mapping[str, object]) -> list[dict[str, object]]:
    """Each change with the odds by the sequence's own result, as fractions; what the rules do
    not allow is left out.
    """
    tried = list_changes(sequence, given, sequence.read_inputs(given, {}))
    path = sequence.odds_by
    counted = count_change_odds(
        sequence.system.id, sequence.id, [dict(one.raw) for one in tried], (path,), {}
    )
    return [
        {
            "change": one.label,
            "odds": {str(value): str(chance) for value, chance in found[path].items()},
        }
        for one, found in zip(tried, counted, strict=True)
        if found is not None
    ]


def build_round_odds(
    sequence: Sequence, given: Mapping[str, object], rounds: object
) -> tuple[dict[str, object], str]:
    """The odds after so many rounds (`odds`) and to the end (`decided`), as fractions and as
    chat has them.
    """
    count = int(clean(ROUNDS, rounds))
    fought = count_rounds(sequence.system.id, sequence.id, given, count)
    found = {"odds": fought.after, "decided": fought.decided}
    return {
        name: {token: str(chance) for token, chance in chances.items()}
        for name, chances in found.items()
    }, format_unit_odds(build_rounds_reply(sequence, given, fought, count, by=sequence.title))


def _get_look() -> Look:
    """Long bars, in signs that the output can show."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").casefold()
    return WIDE._replace(plain=not encoding.startswith("utf"))
