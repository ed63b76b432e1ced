"""A game changes its place, or goes altogether."""

from __future__ import annotations

import re

from bot.commands.context import Desk
from bot.commands.places import called
from bot.commands.sequence import is_set
from bot.entropy import new_id
from bot.game.ledger import Ledger
from bot.game.loaded import load
from bot.game.rights import need_director
from bot.interface.reply import Button, Reply
from bot.interface.spec import Place
from bot.rules.errors import UserError
from bot.stores.base import DAY, Binding, Doc, Outgoing, Saved

TRANSFER = "transfer"
TRANSFER_KEPT = DAY

_MENTION = re.compile(r"<#([A-Za-z0-9]+)(\|[^>]*)?>")
_IDS = {"discord": re.compile(r"\d{1,20}"), "slack": re.compile(r"[CDG][A-Z0-9]{1,20}(/\d+\.\d+)?")}
"""What a channel's id looks like; a mere name would lead nowhere, and the game with it."""
_ANY_ID = re.compile(r"[A-Za-z0-9_.-]{1,80}")


async def transfer(desk: Desk) -> Reply:
    """Move the game to another channel of the same server: once a manager takes it over there, or at once for one."""
    game = desk.need_started()
    need_director(game, desk.actor, "move it")
    _need_alone(desk.ledger)
    here, target = desk.command.where, _target(desk)
    if target.key == here.key:
        raise UserError("The game is here already.", option="channel")
    other = await _other(desk, target.key)
    names = {here.key: here.name, target.key: target.name}
    there = called(target.key, target.name, here.key)
    if other is None and desk.command.who.manager:
        return _move(desk, desk.ledger, here.key, target.key, None, names)
    key, data = new_id(), {"game": desk.ledger.row, "from": here.key, "to": target.key, "name": here.name}
    desk.docs.append(Doc(TRANSFER, key, data, desk.now + TRANSFER_KEPT, desk.command.who.key))
    asked = Reply(
        f'{desk.who} asks to play "{game.name}" here from now on; it is played in '
        f"{called(here.key, here.name, target.key)}",
        ("Only a manager of this server may take it over, within 24 hours.",),
        buttons=(Button(f"takeover:{key}", "Take it over", "primary"), Button(f"stay:{key}", "Refuse")),
    )
    desk.outgoing.append(Outgoing(target.key, {}, desk.now, asked.to_json()))
    return Reply(
        f'{desk.who} asks to move "{game.name}" to {there}',
        ("It stays here until a manager takes it over there, within 24 hours.",),
    )


async def take_over(desk: Desk, key: str) -> Reply:
    """A manager of the channel that a game asks to move to takes it over."""
    doc = await _asked(desk, key)
    source, here = str(doc.data["from"]), desk.command.where
    if not desk.keeps:
        raise UserError("Only a manager of this server may take the game over.")
    saved = await desk.store.load_game_by_id(str(doc.data["game"]))
    if saved is None or saved.places != (source,):
        raise UserError("That game is not played there any more.")
    ledger = Ledger(load(saved), desk.ledger.writer)
    if ledger.game.ended:
        raise UserError("That game has ended.")
    other = await _other(desk, here.key)
    desk.drop_docs.append((TRANSFER, key))
    names = {source: str(doc.data["name"]), here.key: here.name}
    return _move(desk, ledger, source, here.key, other.game.id if other is not None else None, names)


async def stay(desk: Desk, key: str) -> Reply:
    """A manager of the channel refuses to take a game over."""
    doc = await _asked(desk, key)
    if not desk.keeps:
        raise UserError("Only a manager of this server may refuse that.")
    desk.drop_docs.append((TRANSFER, key))
    told = Reply(f"{desk.who} refuses to take the game over", ("It stays where it is.",))
    desk.outgoing.append(Outgoing(str(doc.data["from"]), {}, desk.now, told.to_json()))
    return told


async def _asked(desk: Desk, key: str) -> Doc:
    """The request that a button answers. Raises UserError for one that is over, or for another channel."""
    doc = await desk.store.doc(TRANSFER, key)
    if doc is None or doc.data["to"] != desk.command.where.key:
        raise UserError("Nobody asks for this any more.", hint="Ask again: /game transfer")
    return doc


def _move(desk: Desk, ledger: Ledger, source: str, to: str, was: str | None, names: dict[str, str]) -> Reply:
    """Play the game in its new place; the one of the two that is not this one is told by a message of its own."""
    server, name = desk.command.where.server, ledger.game.name
    ledger.add("transfer", result="to another channel")
    desk.ledger = ledger
    desk.bindings += [Binding(source, None, ledger.row, server), Binding(to, ledger.row, was, server)]
    told = {
        source: Reply(f'{desk.who} moves "{name}" to {called(to, names[to], source)}'),
        to: Reply(
            f'"{name}" is played here from now on',
            (f"{desk.who} moves it from {called(source, names[source], to)}.", "/game status shows how it is going."),
        ),
    }
    here = desk.command.where.key
    desk.outgoing += [Outgoing(place, {}, desk.now, reply.to_json()) for place, reply in told.items() if place != here]
    return told[here]


def _target(desk: Desk) -> Place:
    """The channel meant, as the platform confirmed it. Raises UserError for any other."""
    here = desk.command.where
    key = place_key(here.key, desk.options()["channel"])
    if key.startswith("console:"):  # whoever sits at the console owns it
        return Place(key, here.server)
    confirmed = desk.command.channels.get("channel")
    if confirmed is None or confirmed.key != key or confirmed.server != here.server:
        raise UserError(
            "A game can move only to a channel that you and the bot can both write in.",
            hint="Choose it from the list, or mention it.",
            option="channel",
        )
    return confirmed


def _need_alone(ledger: Ledger) -> None:
    """Raise UserError for a game that is played elsewhere too: there nobody agreed to the new channel."""
    if ledger.was is not None and len(ledger.was.places) > 1:
        raise UserError(
            "This game is played in other channels too, so it cannot move.",
            hint="End the link first: /game link off. Or link the new channel: /game link",
        )


async def _other(desk: Desk, place: str) -> Saved | None:
    """What is played in the new place already, which must be nothing that anybody would miss. Raises UserError."""
    other = await desk.store.load_game(place)
    if other is None:
        return None
    there = load(other).game
    if there.started and not there.ended:
        raise UserError(f'"{there.name}" is played there.', hint="It must end first: /game end.", option="channel")
    if not there.started and there.units:
        raise UserError(
            "A roster of free play stands there.", hint="/game delete in that channel frees it.", option="channel"
        )
    if len(other.places) > 1:
        raise UserError(
            "That channel is linked with others.", hint="End that there first: /game link off", option="channel"
        )
    return other


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
    title = f'"{game.name}" is deleted' if game.name else "The free play is deleted"
    was, here = desk.ledger.was, desk.command.where.key
    for place in was.places if was is not None else ():
        if place != here:
            told = Reply(title, (f"{desk.who} did that in a channel that was linked with this one.",))
            desk.outgoing.append(Outgoing(place, {}, desk.now, told.to_json()))
    return Reply(title, private=True)


def _need_owner(desk: Desk) -> None:
    """Free play belongs to those who took part, a started game to its master and the server's managers."""
    need_director(desk.game, desk.actor, "delete it")
    alone = len(desk.ledger.present()) <= 1
    if not desk.game.started and not desk.actor.directs and not (alone and desk.actor.person):
        raise UserError("Others have rolled here too: only who manages the server may delete this.")
