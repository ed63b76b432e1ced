"""What an imported game brings along: its packs, each checked as one that is added, and kept for as long as the game's
server."""

from __future__ import annotations

from collections.abc import Mapping

from bot.commands.context import Context
from bot.commands.packs.pack_add import reviewed
from bot.packs.review import review_brought
from bot.packs.stored import read_pack, server_key, used_docs
from bot.rules.errors import UserError
from bot.systems.catalog import System, everywhere, systems
from bot.systems.packs.carried import Files, pack_from
from bot.systems.packs.pack import PackSystem
from bot.systems.packs.shelf import Shelf


async def brought(context: Context, packs: Mapping[str, Files]) -> Mapping[str, System]:
    """The systems with the packs of an export, which are kept from now on. Raises UserError for one with faults."""
    found: list[PackSystem] = []
    for hash, files in packs.items():
        pack = await read_pack(context.store, hash)
        if pack is None:
            pack = pack_from(files, hash)
            faults = ("it cannot be read",) if pack is None else await _faults(context, pack)
            if pack is None or faults:
                raise UserError(
                    f"The game comes with a pack that cannot be taken: {faults[0]}", option="file", code="bad-pack"
                )
        found.append(pack)
    context.docs += used_docs(found, server_key(context.command.where))
    return Shelf(everywhere(), [*getattr(systems(), "versions", ()), *found])


async def _faults(context: Context, pack: PackSystem) -> tuple[str, ...]:
    return (await reviewed(context, review_brought, dict(pack.content))).report.faults
