"""Discord, as far as a bot can tell: the REST routes and the gateway on 127.0.0.1, with Discord's
limits and errors.

It runs in the test's own event loop; the bot is a process of its own, or a client in the same loop.
Nothing of discord.py is replaced. A test reads like this:

    async with DiscordStandIn.running() as discord:
        ...  # start the bot with DISCORD_API=discord.url and DISCORD_TOKEN=discord.token
        await discord.ready()
        anna, table = discord.user("Anna"), discord.channel("table")
        asked = await anna.slash(table, "roll", dice="2d6")
        print(asked.receipt, (await asked.answer()).text)

What a bot must do to be pointed here. `DISCORD_API` holds the API's base,
"http://127.0.0.1:PORT/api/v10". Before a client is made, set

- `discord.http.Route.BASE` to it: all REST routes, webhooks and interaction responses go through
  Route;
- `discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY` to `yarl.URL("ws://127.0.0.1:PORT/")`:
  discord.Client, a new session after INVALID_SESSION, and an AutoShardedClient that was told its
  shard count all start from it. Only an AutoShardedClient without a shard count asks /gateway/bot.
  After READY both follow `resume_gateway_url`.

`discord.http._set_api_version` must not be called, it resets the base. Attachments carry their own
URL, so reading one needs no knob. `knobs.pointed_at(url)` does both within one process.

How it differs from Discord: no attention is paid to voice, reactions, polls, stickers,
localisations, emojis or webhooks of other kinds; READY comes at once however many shards identify;
a route it lacks is answered 404 and noted in `discord.site.unknown`; a session is never too old to
resume unless a test says so.
"""

from tests.standins.discord.driver import Choice, Person
from tests.standins.discord.faults import Fault
from tests.standins.discord.knobs import gateway_of, pointed_at
from tests.standins.discord.options import NotPossible
from tests.standins.discord.server import DiscordStandIn
from tests.standins.discord.settings import Settings
from tests.standins.discord.state import Answer, Channel, Guild, Interaction, Kind, Message, User

__all__ = [
    "Answer",
    "Channel",
    "Choice",
    "DiscordStandIn",
    "Fault",
    "Guild",
    "Interaction",
    "Kind",
    "Message",
    "NotPossible",
    "Person",
    "Settings",
    "User",
    "gateway_of",
    "pointed_at",
]
