"""Units named many at once in the options of a sequence: ranges and choices written out before anything is played."""

from __future__ import annotations

from collections.abc import Mapping

from bot.game.roster import GONE
from bot.interface.complete import ACTING
from bot.rules.errors import UserError
from bot.rules.inputs.arms import all_fired
from bot.rules.inputs.many import Whose, names_in, written_out
from bot.rules.inputs.units import Roster
from bot.systems.catalog import Sequence


def whose(option: str, side: str) -> Whose:
    """Whom `all` and a hex mean in an option, for somebody who plays `side`: theirs in lists of those who act."""
    return Whose(side, option in ACTING, GONE)


def in_names(sequence: Sequence, options: Mapping[str, object], roster: Roster, side: str) -> dict[str, object]:
    """The options with the names that ranges, choices and commas stand for. Raises UserError.

    What an event holds is in names, so that it can be played again whoever is in play by then.
    """
    found = dict(options)
    for option in sequence.inputs:
        text = found.get(option.name)
        if not (option.type == "units" or option.many) or not isinstance(text, str):
            continue
        words, meant = sequence.system.words[option.units or "units"], whose(option.name, side)
        try:
            if option.type == "units":
                found[option.name] = all_fired(written_out(text, words, roster, meant), words, roster)
            elif roster and text.strip().casefold() not in roster:
                found[option.name] = "; ".join(names_in(text, words, roster, meant))
        except UserError as error:
            error.option = option.name
            raise
    return found
