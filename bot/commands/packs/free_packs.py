"""The free packs that come with the program: named under `/pack list`, and added by a button."""

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import yaml

from bot.commands.context import Context
from bot.commands.packs.pack import (
    keep_reviewed,
    list_packs,
    need_manager,
    need_room,
    reviewed,
)
from bot.interface.reply.reply import Button, Menu, MenuEntry, Reply
from bot.packs.pack_store import server_key, versions
from bot.packs.review import review_file
from bot.rules.errors import UserError
from bot.systems.catalog import FREE, everywhere, named_folder
from bot.systems.packs.archive import PACK, read_content, zipped

ADD = "freepack"
"""The button that adds one."""


FIRST = ("salt-road", "three-mills")
"""The packs that have a button of their own: whole games for two players."""


class FreePack(NamedTuple):
    """A free pack: its id, title, author and licence."""

    id: str
    title: str
    author: str
    licence: str


@lru_cache(maxsize=1)
def free_packs() -> tuple[FreePack, ...]:
    """Return the free packs that come with the program, by title."""
    folder = named_folder(FREE)
    found = []
    for file in folder.glob(f"*/{PACK}"):
        about = yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)
        found.append(
            FreePack(
                str(about["id"]), str(about["title"]), str(about["author"]), str(about["licence"])
            )
        )
    return tuple(sorted(found, key=lambda pack: pack.title))


def list_missing_packs(known: Collection[str]) -> list[FreePack]:
    """Return the free packs that neither the host nor the server has; `known` are the server's."""
    return [pack for pack in free_packs() if pack.id not in known and pack.id not in everywhere()]


def menu_of(packs: Collection[FreePack]) -> tuple[Menu, ...]:
    """Return a menu that adds one of the packs, if there are any."""
    entries = tuple(
        MenuEntry(f"{ADD}:{pack.id}", pack.title, f"By {pack.author}. {pack.licence}")
        for pack in packs
    )
    return (Menu("Add a free pack", entries, "Free packs"),) if entries else ()


async def listing(context: Context) -> Reply:
    """Return the packs of this server, and the free ones that it can add."""
    known = await versions(context.store, server_key(context.command.where))
    packs = list_missing_packs({version.id for version in known})
    reply = await list_packs(context, [pack.title for pack in packs], menu_of(packs))
    first = [pack for pack in packs if pack.id in FIRST]
    buttons = [
        Button(f"{ADD}:{pack.id}", f"Add {pack.title}", "plain" if index else "good")
        for index, pack in enumerate(first)
    ]
    return replace(reply, buttons=tuple(buttons))


async def add_free(context: Context, id: str) -> Reply:
    """Check a free pack and keep it for this server, as if a manager had sent it. Raises
    UserError.
    """
    need_manager(context)
    known = await need_room(context)
    pack = next((pack for pack in free_packs() if pack.id == id), None)
    if pack is None:
        raise UserError("That pack no longer comes with the bot.", code="unknown-pack")
    data = zipped(read_content(named_folder(FREE) / pack.id))
    found = await reviewed(context, review_file, data, "", "", f"{pack.id}.zip", "")
    return await keep_reviewed(context, found, known)
