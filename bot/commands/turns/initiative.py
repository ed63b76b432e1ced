"""The roll for the initiative as a game tells it: a card knows sides a and b, players know theirs by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from bot.answers.outcome import Happening
from bot.commands.context import Context
from bot.commands.turns.calls import addressed, call_sides
from bot.commands.turns.turn_card import phase_buttons
from bot.game.sides import LETTERS, by_name, holds
from bot.game.state import Game
from bot.interface.reply.parts import Odds, Part, Small
from bot.interface.reply.reply import Reply
from bot.interface.reply.tone import GAME
from bot.rules.errors import UserError
from bot.rules.sequence.sequence import Line
from bot.rules.text.phrase import begun
from bot.systems.system import Sequence

_LAST = re.compile(r"(?<=had it last turn )([ab])\b")
_ALONE = re.compile(r"\b([abAB])(?= [<>\d])")


def with_letters(sequence: Sequence, options: Mapping[str, object], game: Game) -> dict[str, object]:
    """The options with the letter that the card has for a side in place of its name; left out, as the game has it."""
    found = dict(options)
    for option in sequence.inputs:
        if option.complete != "side":
            continue
        given = str(found.get(option.name) or "").strip()
        names = [side.casefold() for side in game.sides[:2]]
        if given.casefold() in names:
            found[option.name] = LETTERS[names.index(given.casefold())]
        elif not given and names:
            found[option.name] = LETTERS[names.index(game.initiative.casefold())] if _is_had(game) else LETTERS[0]
        elif given and given not in LETTERS and names:
            raise UserError(
                f'There is no side "{given[:40]}".',
                hint=f"Sides are {' and '.join(game.sides[:2])}.",
                option=option.name,
                code="unknown-side",
            )
    return found


def _is_had(game: Game) -> bool:
    return game.initiative in game.sides[:2]


def has_names(sequence: Sequence, game: Game) -> bool:
    """Whether the answer calls the sides of this game by name."""
    return len(game.sides) == 2 and any(option.complete == "side" for option in sequence.inputs)


async def told_by_name(context: Context, was: Game, happening: Happening, reply: Reply) -> Reply:
    """The answer to a roll for the initiative, behind the state `was`: who wins it, and whose go it is now."""
    game, out = context.game, happening.out
    side = was.sides[LETTERS.index(str(out["winner"]))]
    lines = [_named(part, was) for part in reply.lines if part != f"{side} has the initiative."]
    if out["tied"] and not _is_had(was):
        lines.append(f"Nobody had it before, so the tie goes to {side}, the side named first.")
    undo = [button for button in reply.buttons if button.action.startswith("undo:")]
    mention = await call_sides(context, game, game.go if game.go != was.go else ())
    return replace(
        reply,
        title=addressed(
            context, f"{side} {holds(side, side if out['tied'] and _is_had(was) else was.initiative)} the initiative"
        ),
        by=f"{context.who} rolls",
        lines=tuple(lines),
        tone=GAME,
        buttons=(*phase_buttons(context, without=("initiative", "remember"), leads="next"), *undo),
        mention=mention,
    )


def odds_by_name(reply: Reply, sequence: Sequence, game: Game) -> Reply:
    """The odds of the initiative with the names of the sides; those of anything else as they are."""
    if not any(option.complete == "side" for option in sequence.inputs):
        return reply
    sides = game.sides if has_names(sequence, game) else tuple(f"side {letter}" for letter in LETTERS)
    names = dict(zip(LETTERS, sides, strict=True))
    lines = [
        replace(part, chances=tuple((names.get(word, word), chance) for word, chance in part.chances))
        if isinstance(part, Odds)
        else part
        for part in reply.lines
    ]
    lines = [
        replace(part, text=_LAST.sub(lambda found: names[found[1]], part.text)) if isinstance(part, Small) else part
        for part in lines
    ]
    return replace(
        reply, title=begun(_ALONE.sub(lambda found: names[found[1].lower()], reply.title)), lines=tuple(lines)
    )


def _named(part: Part, game: Game) -> Part:
    if isinstance(part, Line):
        return replace(part, label=by_name(part.label, game.sides), result=by_name(part.result, game.sides))
    return by_name(part, game.sides) if type(part) is str else part
