"""`/setup systems`: which rule sets a server uses."""

from __future__ import annotations

import re

from bot.commands.desk import Desk
from bot.reply import Reply
from bot.rules.errors import UserError, did_you_mean
from bot.stores.base import Doc

SETUP = "setup"
_HIDE = "A server can also hide commands itself: on Discord under Server Settings, Integrations, Grognard."


async def handle(desk: Desk) -> Reply:
    """Show or set the rule sets of this server."""
    options, games = desk.options(), desk.registry.games
    server = desk.command.where.server or desk.command.where.key
    if not options["systems"]:
        doc = await desk.store.doc(SETUP, server)
        enabled = doc.data["systems"] if doc is not None else list(games)
        lines = [f"{id}: {game.title}{'' if id in enabled else ' (not enabled)'}" for id, game in games.items()]
        return Reply(
            "Rule sets on this server", (*lines, "Change: /setup systems lnlt ucn, or all.", _HIDE), private=True
        )
    if not desk.command.who.manager:
        raise UserError("Only who manages this server may choose its rule sets.")
    words = [word for word in re.split(r"[\s,;]+", options["systems"].casefold()) if word]
    chosen = list(games) if words == ["all"] else list(dict.fromkeys(words))
    for word in chosen:
        if word not in games:
            hint = did_you_mean(word, games) or f"There are {', '.join(games)}."
            raise UserError(f'No rule set "{word[:40]}".', hint=hint, option="systems")
    desk.docs.append(Doc(SETUP, server, {"systems": chosen}, None, server))
    return Reply(
        f"Enabled here: {', '.join(chosen)}", ("The others answer that they are not enabled.", _HIDE), private=True
    )
