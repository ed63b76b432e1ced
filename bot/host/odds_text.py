"""Odds as the command line shows them: every unit under its name, or the outputs that are asked
for.
"""

import sys
from collections.abc import Mapping
from collections.abc import Sequence as Many
from fractions import Fraction

from bot.answers.headline import YOU, actors, cause, others
from bot.answers.odds import odds_reply, rounds_reply
from bot.answers.what_if import changes, count_changes, worth_reply
from bot.interface.common_commands import ROUNDS
from bot.interface.reply.bars import WIDE, Chance, Look, odds_lines
from bot.interface.reply.parts import part_lines
from bot.interface.reply.reply import Reply
from bot.rules.errors import UserError
from bot.rules.inputs.options import clean
from bot.rules.odds.odds import Distribution
from bot.rules.sequence.sequence import Row
from bot.rules.text.names import joined
from bot.systems.resolve import (
    MAX_ROLLS,
    MAX_SECONDS,
    by_choice,
    count_rounds,
    each_odds,
    odds_rows,
)
from bot.systems.system import Sequence


def by_outputs(title: str, by: Many[str], counted: Mapping[str, Fraction]) -> str:
    """The chances of each combination of the outputs `by`, as they are put out."""
    rows = [
        Chance(str(value), float(chance), exact=str(chance)) for value, chance in counted.items()
    ]
    return "\n".join(odds_lines(f"Odds of {title} by {', '.join(by)}", rows, _look()))


def reply_of(sequence: Sequence, given: Mapping[str, object]) -> Reply:
    """The odds of every unit as the answer that chat gives. Raises UserError."""
    read = sequence.given(given, {})
    rows = dict[str, Row]()
    counted = dict[str, Distribution]()
    for under, chosen in by_choice(sequence, given):
        own = odds_rows(sequence, chosen)
        found = each_odds(sequence, chosen, tuple(own), rolls=MAX_ROLLS, seconds=MAX_SECONDS)
        rows |= {"/".join(under) + path: row._replace(under=under) for path, row in own.items()}
        counted |= {"/".join(under) + path: odds for path, odds in found.items()}
    by = cause(sequence, actors(sequence, read), YOU)
    whom = joined(others(sequence, read))
    return odds_reply(sequence, given, rows, counted, by=by, whom=whom)


def of_each(reply: Reply) -> str:
    """The odds of every unit, as chat has them."""
    lines = (f"  {line}" for part in reply.lines for line in part_lines(part, look=_look()))
    return "\n".join((reply.first, *lines))


def compared(sequence: Sequence, given: Mapping[str, object], by: Many[str]) -> tuple[object, str]:
    """What each change is worth: the odds with it, and the same as chat has it. Raises UserError
    for outputs `by`.
    """
    if by:
        raise UserError(
            "--compare goes by the sequence's own result.",
            hint="Leave out --by.",
            code="not-together",
        )
    tried = changes(sequence, given, sequence.given(given, {}))
    rows = odds_rows(sequence, given)
    planned = each_odds(sequence, given, tuple(rows), rolls=MAX_ROLLS, seconds=MAX_SECONDS)
    raws = [dict(one.raw) for one in tried]
    counted = count_changes(sequence.system.id, sequence.id, raws, tuple(rows), {})
    reply = worth_reply(sequence, rows, planned, tried, counted).reply
    return changed_odds(sequence, given), of_each(reply)


def changed_odds(sequence: Sequence, given: Mapping[str, object]) -> list[dict[str, object]]:
    """Each change with the odds by the sequence's own result, as fractions; what the rules do
    not allow is left out.
    """
    tried = changes(sequence, given, sequence.given(given, {}))
    path = sequence.odds_by
    counted = count_changes(
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


def of_rounds(
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
    }, of_each(rounds_reply(sequence, given, fought, count, by=sequence.title))


def _look() -> Look:
    """Long bars, in signs that the output can show."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").casefold()
    return WIDE._replace(plain=not encoding.startswith("utf"))
