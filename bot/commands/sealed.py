"""Sealed rolls are opened: by their roller, or all of them when the game ends."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from bot.commands.desk import Desk
from bot.commands.record import ANSWER, SEALED, change_from_json, is_of_game
from bot.game.roster import settle_changes
from bot.game.state import Game
from bot.reply import Reply
from bot.rules.errors import UserError


@dataclass(frozen=True, slots=True)
class Opened:
    """What opening rolls leads to: the game with their results in its units, their numbers, and what is told."""

    game: Game
    numbers: tuple[int, ...]
    lines: tuple[str, ...]


async def reveal(desk: Desk) -> Reply:
    """Open one's own sealed roll; its results are written to the units now."""
    return await reveal_number(desk, desk.options()["event"])


async def reveal_number(desk: Desk, number: int) -> Reply:
    """Open the sealed roll with this number. Raises UserError for one that is not sealed, or somebody else's."""
    game = desk.need_game()
    if number not in game.sealed:
        closed = ", ".join(f"#{at}" for at in game.sealed) or "none"
        raise UserError(f"#{number} is no closed roll.", hint=f"Sealed are: {closed}.", option="event")
    owner = game.sealed[number]
    if owner != desk.actor.person and owner in desk.ledger.persons:
        raise UserError(f"#{number} belongs to {desk.ledger.name_of(owner)}, who alone may open it.", option="event")
    opened = await open_rolls(desk, (number,))
    desk.ledger.add("reveal", opened.game, opens=[number])
    title, *lines = opened.lines
    return Reply(f"#{number} opened: {title}", tuple(lines))


async def open_rolls(desk: Desk, numbers: tuple[int, ...]) -> Opened:
    """What these sealed rolls hold, applied to the game in order; undone ones are told but change nothing."""
    game, lines = desk.game, []
    if not numbers:
        return Opened(game, (), ())
    texts = await desk.store.texts(desk.ledger.row, after=min(numbers) - 1, before=max(numbers) + 1)
    kept = {(row.event, row.key): row.text for row in texts if row.event in numbers}
    for number in numbers:
        text = kept.get((number, SEALED))
        if text is None:
            lines.append(f"#{number}: its content was deleted by who rolled it.")
            continue
        content = json.loads(text)
        lines += _told(kept.get((number, ANSWER)), number)
        if number in game.withdrawn:
            lines.append("It had been undone and changes nothing.")
        elif is_of_game(game, content.get("system", "")):
            game = settle_changes(game, [change_from_json(item) for item in content.get("changes", ())])
    return Opened(replace(game), tuple(numbers), tuple(lines))


def _told(answer: str | None, number: int) -> list[str]:
    if answer is None:
        return [f"#{number}"]
    reply = Reply.from_json(json.loads(answer))
    return [reply.title, *reply.lines]
