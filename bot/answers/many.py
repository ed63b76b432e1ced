"""Units named many at once in the options of a sequence: ranges and choices written out before anything is played."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from bot.answers.aim import aim_of, refuse_itself
from bot.game.roster import GONE, is_gone
from bot.interface.registry import registry
from bot.interface.typing.complete import ACTING
from bot.interface.typing.text import command_text
from bot.rules.errors import UserError
from bot.rules.inputs.arms import all_fired
from bot.rules.inputs.many import Whose, names_in, units_in, written_out
from bot.rules.inputs.units import Roster, RosterUnit, split_items
from bot.rules.text.names import joined
from bot.rules.text.phrase import Phrase, Typed
from bot.systems.catalog import Sequence

SEVERAL = (";", ",", "..", "all", ":", "-")
"""One of these is in every text that names several units."""
MOST_SHOWN = 4
"""So many commands are written out for whoever meant several."""
OUT = ("out-or-jammed",)
"""Markers of those who cannot fire."""
WITHOUT = "without "
MOST_NAMED = 30
"""Characters of a button that names who is left out."""


def whose(option: str, side: str, types: Collection[str] = ()) -> Whose:
    """Whom `all` and a hex mean in an option, for somebody who plays `side`: theirs in lists of those who act. Only
    those of `types`, if any, and of those who act only who can."""
    acting = option in ACTING
    return Whose(side, acting, GONE, OUT if acting else (), types)


def _need_one(sequence: Sequence, options: Mapping[str, object], name: str, roster: Roster, side: str) -> None:
    """Raise UserError for several units where an option takes one, with the command for each of them."""
    text = str(options[name])
    if " ".join(text.split()).casefold() in roster or not any(mark in text for mark in SEVERAL):
        return
    try:
        names = names_in(text, sequence.system.words["units"], roster, whose(name, side))
    except UserError:
        return  # the sequence refuses it in its own words
    if len(names) < 2:
        return
    spec = registry().get((sequence.system.id, sequence.id))
    assert spec is not None
    each = [Typed(command_text(spec, {**options, name: one})) for one in names[:MOST_SHOWN]]
    pieces = [piece for line in each for piece in (line, "; ")][:-1]
    more = f" and so on, {len(names)} in all" if len(names) > MOST_SHOWN else ""
    raise UserError(
        f"{name} takes one unit at a time, and these are {len(names)}.",
        hint=Phrase("Once for each: ", *pieces, *((more,) if more else ())),
        option=name,
        code="too-many",
    )


def in_names(sequence: Sequence, options: Mapping[str, object], roster: Roster, side: str) -> dict[str, object]:
    """The options with the names that ranges, choices and commas stand for. Raises UserError.

    What an event holds is in names, so that it can be played again whoever is in play by then. Nobody is at both ends.
    """
    found = dict(options)
    for option in sequence.inputs:
        text = found.get(option.name)
        if option.type == "unit" and not option.many and not option.free and isinstance(text, str) and roster:
            _need_one(sequence, options, option.name, roster, side)
        if not (option.type == "units" or option.many) or not isinstance(text, str):
            continue
        words = sequence.system.words[option.units or "units"]
        types = [type_ for type_ in words.types if not option.many or not option.likely or type_ in option.likely]
        meant = whose(option.name, side, types)
        try:
            if option.type == "units":
                found[option.name] = all_fired(written_out(text, words, roster, meant), words, roster)
            elif roster and text.strip().casefold() not in roster:
                found[option.name] = "; ".join(names_in(text, words, roster, meant))
        except UserError as error:
            error.option = option.name
            raise
    if roster:
        refuse_itself(aim_of(sequence, found, roster))
    return found


def able(
    sequence: Sequence, options: Mapping[str, object], roster: Roster
) -> tuple[dict[str, object], tuple[str, ...]]:
    """The options without the dead in any list, and among those who act without those whose weapons are out; and who
    was left out. A list of which nobody would be left stays."""
    found, left_out = dict(options), dict[str, None]()
    for option in sequence.inputs:
        text = found.get(option.name)
        if option.type != "units" or not isinstance(text, str):
            continue
        marks = set(OUT) if option.name in ACTING else set[str]()
        items = [item.strip() for item in split_items(text)]
        out = {item: u.name for item in items for u in units_in(item, roster) if is_gone(u) or u.marks & marks}
        if kept := [item for item in items if item not in out]:
            found[option.name] = "; ".join(kept)
            left_out |= dict.fromkeys(out.values())
    return found, tuple(left_out)


def offer_the_able(
    error: UserError, sequence: Sequence, options: Mapping[str, object], roster: Roster, typed: Callable[..., str]
) -> None:
    """Put on a refusal of units that cannot act the command (`typed` writes it) of those in their list who can."""
    if error.code not in ("unit-unfit", "unit-gone") or error.better:
        return
    found, left_out = able(sequence, options, roster)
    if left_out:
        said = joined(left_out)
        error.better = typed(found)
        error.right = WITHOUT + (said if len(said) <= MOST_NAMED else f"{len(left_out)} of them")


def cannot_fire(units: Iterable[RosterUnit], acting: Collection[str]) -> str:
    """Who of the side of those who fire cannot since their weapons are out; "" where nobody is."""
    there = [*units]
    sides = {unit.side for unit in there if unit.name in acting}
    out = [u.name for u in there if u.side in sides and u.marks & {*OUT} and not is_gone(u) and u.name not in acting]
    return joined(out) if out else ""
