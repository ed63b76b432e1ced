"""`/pack`: which games of its own a server has, and which of them are enabled."""

from __future__ import annotations

from bot.commands.context import Context
from bot.interface.reply.parts import Part
from bot.interface.reply.reply import File, Reply
from bot.packs.stored import (
    HERE,
    MOST_ENABLED,
    SHORT,
    Version,
    chosen,
    enabled,
    enabled_doc,
    gone,
    read_pack,
    server_key,
    versions,
)
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.systems.catalog import everywhere
from bot.systems.packs.content import zipped


def need_manager(context: Context) -> None:
    """Raise UserError for whoever may not choose a server's packs, and where there is no server."""
    if not context.command.where.server:
        raise UserError(
            "Packs belong to a server or workspace; here is none.",
            hint="Type it in a channel of the server that is to have the pack.",
            code="no-server",
        )
    if not context.command.who.manager:
        raise UserError(
            "Only a server manager or workspace admin can choose the packs.",
            hint=phrase("Ask one of them. What is here already, everybody can see: `/pack list`"),
            code="not-manager",
        )


async def find_version(context: Context) -> tuple[Version, dict[str, str]]:
    """The version that was asked for, and what is enabled here. Raises UserError."""
    server = server_key(context.command.where)
    active = await enabled(context.store, server)
    return chosen(context.options()["pack"], await versions(context.store, server), active), active


async def listing(context: Context) -> Reply:
    """The packs of this server."""
    server = server_key(context.command.where)
    known, active = await versions(context.store, server), await enabled(context.store, server)
    rows = [f"{one.title} {one.version}{_state(one, active)} · {one.id}@{one.hash[:SHORT]}" for one in known]
    if not rows:
        lines: tuple[Part, ...] = (
            phrase("A manager adds one, as a zip or as text: `/pack add`"),
            "A pack is a game of your own: tables, units and combat sequences as data.",
        )
        return Reply("No packs here yet", lines, private=True)
    title = "1 pack here" if len(rows) == 1 else f"{len(rows)} packs here"
    return Reply(title, tuple(rows), private=True)


def _state(one: Version, active: dict[str, str]) -> str:
    return ", enabled" if active.get(one.id) == one.hash else ""


async def enable(context: Context) -> Reply:
    """Let this server play a version of a pack, in place of the one that it played."""
    need_manager(context)
    version, active = await find_version(context)
    return await _enabled(context, version, active)


async def press_enable(context: Context, hash: str) -> Reply:
    """The same by the button under a review."""
    need_manager(context)
    server = server_key(context.command.where)
    version = next((one for one in await versions(context.store, server) if one.hash == hash), None)
    if version is None:
        raise UserError("This server no longer has this pack.", hint="Add it again.", code="unknown-pack")
    return await _enabled(context, version, await enabled(context.store, server))


async def _enabled(context: Context, version: Version, active: dict[str, str]) -> Reply:
    server, before = server_key(context.command.where), active.get(version.id)
    if before == version.hash:
        return Reply(f"{version.title} {version.version} is enabled here", private=True)
    if before is None and len(active) >= MOST_ENABLED:
        raise UserError(
            f"{MOST_ENABLED} packs are enabled here, and no more can be.",
            hint=phrase("Switch one off first: `/pack disable`"),
            code="too-many",
        )
    if version.id in everywhere():
        raise UserError(
            f"/{version.id} is a command of this bot already, for everybody.",
            hint="Give the pack another id in its pack.yaml, and add it again.",
            option="pack",
            code="id-taken",
        )
    pack = await read_pack(context.store, version.hash)
    if pack is None:
        raise gone()
    context.docs.append(await enabled_doc(context.store, server, {**active, version.id: version.hash}))
    lines: list[Part] = [
        phrase("Its commands: `/help {id}`", id=version.id),
        phrase('Start a game: `/game start {id} "Our first"`', id=version.id),
    ]
    if before is not None:
        lines.append("Games that were started with another version go on with that.")
        lines.append(phrase("To move one on: `/game settings pack={id}`", id=version.id))
    return Reply(f"{version.title} {version.version} is enabled here", tuple(lines), private=True)


async def disable(context: Context) -> Reply:
    """Switch a pack off: new games cannot be started with it."""
    need_manager(context)
    version, active = await find_version(context)
    if version.id not in active:
        raise UserError(
            f"{version.title} is not enabled here.",
            hint=phrase("What is: `/pack list`"),
            option="pack",
            code="no-change",
        )
    rest = {id: hash for id, hash in active.items() if id != version.id}
    context.docs.append(await enabled_doc(context.store, server_key(context.command.where), rest))
    lines = ("Games that were started with it go on.",)
    return Reply(f"{version.title} is switched off here", lines, private=True)


async def export(context: Context) -> Reply:
    """A version as a zip."""
    version, _ = await find_version(context)
    pack = await read_pack(context.store, version.hash)
    if pack is None:
        raise gone()
    name = f"{version.id}-{version.hash[:SHORT]}.zip"
    lines = (f"{len(pack.content)} files. Licence: {version.licence}.",)
    title = f"{version.title} {version.version} as a zip"
    return Reply(title, lines, private=True, files=(File(name, zipped(pack.content)),))


async def remove(context: Context) -> Reply:
    """Take a version off the server; what games were played with stays readable."""
    need_manager(context)
    version, active = await find_version(context)
    server = server_key(context.command.where)
    context.drop_docs.append((HERE, f"{server}/{version.hash}"))
    if active.get(version.id) == version.hash:
        rest = {id: hash for id, hash in active.items() if id != version.id}
        context.docs.append(await enabled_doc(context.store, server, rest))
    lines = ("Games that were played with it stay, and go on.",)
    return Reply(f"{version.title} {version.version} is taken off this server", lines, private=True)
