"""A game changes its place, or goes altogether."""

from __future__ import annotations

import re

from bot.commands.desk import Desk
from bot.commands.sequence import is_set
from bot.game.rights import need_director
from bot.reply import Button, Reply
from bot.rules.errors import UserError
from bot.stores.base import Binding, Outgoing

_MENTION = re.compile(r"<#([A-Za-z0-9]+)(\|[^>]*)?>")
_IDS = {"discord": re.compile(r"\d{1,20}"), "slack": re.compile(r"[CDG][A-Z0-9]{1,20}(/\d+\.\d+)?")}
"""What a channel's id looks like; a mere name would lead nowhere, and the game with it."""
_ANY_ID = re.compile(r"[A-Za-z0-9_.-]{1,80}")


async def transfer(desk: Desk) -> Reply:
    """Move the game to another channel of the same server."""
    game = desk.need_started()
    need_director(game, desk.actor, "move it")
    here = desk.command.where
    place = place_key(here.key, desk.options()["channel"])
    if place == here.key:
        raise UserError("The game is here already.", option="channel")
    other = await desk.store.load_game(place)
    if other is not None:
        from bot.game.loaded import load

        there = load(other).game
        if there.started and not there.ended:
            raise UserError(f'"{there.name}" is played there.', hint="It must end first: /game end.", option="channel")
        if not there.started and there.units:
            raise UserError(
                "A roster of free play stands there.", hint="/game delete in that channel frees it.", option="channel"
            )
    row = desk.ledger.row
    desk.ledger.add("transfer", result="to another channel")
    desk.bind(None, row)
    desk.bindings.append(Binding(place, row, other.game.id if other is not None else None, here.server))
    told = Reply(f'"{game.name}" is played here from now on', ("/game status shows where it stands.",))
    desk.outgoing.append(Outgoing(place, {}, desk.now, told.to_json()))
    return Reply(f'{desk.who} moves "{game.name}" to another channel')


def place_key(here: str, typed: str) -> str:
    """The place that a channel stands for: a mention such as <#123>, an id, or a whole key of the same server.

    Raises UserError for what names no channel, and for one of another server.
    """
    text = typed.strip()
    platform, (server, slash, _) = here.partition(":")[0], here.partition("/")
    if server.endswith(":dm"):
        raise _elsewhere("A game in direct messages stays there.")
    if text.startswith(f"{platform}:") and slash and not text.startswith(f"{server}/"):
        raise _elsewhere("A game moves only within its server.")
    found = _MENTION.fullmatch(text)
    name = found[1] if found else text.removeprefix(f"{server}/" if slash else f"{platform}:").removeprefix("#")
    if not _IDS.get(platform, _ANY_ID).fullmatch(name):
        raise UserError(
            f'"{typed[:40]}" is no channel.', hint="Choose it from the list, or mention it.", option="channel"
        )
    return f"{server}/{name}" if slash else f"{platform}:{name}"


def _elsewhere(problem: str) -> UserError:
    return UserError(
        problem, hint="/game link plays it from another place too; /game export moves it.", option="channel"
    )


async def delete(desk: Desk) -> Reply:
    """Delete the game and all its data; asks first."""
    game = desk.need_game()
    _need_owner(desk)
    if is_set(desk.options()["confirm"]):
        return await delete_now(desk, desk.ledger.row)
    name = f'"{game.name}"' if game.name else "this free play"
    return Reply(
        f"Delete {name} with its {game.number} events?",
        ("This cannot be undone. /game export keeps a copy first.", "Delete it: /game delete confirm"),
        private=True,
        buttons=(Button(f"delete:{desk.ledger.row}", "Delete", "danger"),),
    )


async def delete_now(desk: Desk, row: str) -> Reply:
    """Delete the game, which must still be the channel's. Raises UserError otherwise."""
    game = desk.need_game()
    if row != desk.ledger.row:
        raise UserError("That game is not played here any more.")
    _need_owner(desk)
    desk.erase.append(row)
    return Reply(f'"{game.name}" is deleted' if game.name else "The free play is deleted", private=True)


def _need_owner(desk: Desk) -> None:
    """Free play belongs to those who took part, a started game to its master and the server's managers."""
    need_director(desk.game, desk.actor, "delete it")
    alone = len(desk.ledger.present()) <= 1
    if not desk.game.started and not desk.actor.directs and not (alone and desk.actor.person):
        raise UserError("Others have rolled here too: only who manages the server may delete this.")
