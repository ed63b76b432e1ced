"""The free packs that come with the program: named under `/pack list`, and added by a button."""

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import yaml

from bot.commands.context import Context
from bot.commands.declare import declare_button, declare_command
from bot.commands.packs.pack import (
    list_packs,
    need_manager,
    need_room,
    review_pack,
    save_reviewed_pack,
)
from bot.packs.pack_store import get_server_key, list_versions
from bot.packs.review import review_file
from bot.rules.errors import UserError
from bot.rulesets.catalog import FREE, find_named_folder, load_shared_systems
from bot.rulesets.packs.archive import PACK, read_content, zip_content
from bot.ui.reply.reply import Button, Menu, MenuEntry, Reply

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
def load_free_packs() -> tuple[FreePack, ...]:
    """Return the free packs that come with the program, by title."""
    folder = find_named_folder(FREE)
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
    return [
        pack
        for pack in load_free_packs()
        if pack.id not in known and pack.id not in load_shared_systems()
    ]


def build_free_pack_menu(packs: Collection[FreePack]) -> tuple[Menu, ...]:
    """Return a menu that adds one of the packs, if there are any."""
    entries = tuple(
        MenuEntry(f"{ADD}:{pack.id}", pack.title, f"By {pack.author}. {pack.licence}")
        for pack in packs
    )
    return (Menu("Add a free pack", entries, "Free packs"),) if entries else ()


@declare_command("pack list", "The packs of this server", private=True, needs_game=True)
async def list_server_packs(context: Context) -> Reply:
    """Return the packs of this server, and the free ones that it can add."""
    known = await list_versions(context.store, get_server_key(context.command.where))
    packs = list_missing_packs({version.id for version in known})
    reply = await list_packs(context, [pack.title for pack in packs], build_free_pack_menu(packs))
    first = [pack for pack in packs if pack.id in FIRST]
    buttons = [
        Button(f"{ADD}:{pack.id}", f"Add {pack.title}", "plain" if index else "good")
        for index, pack in enumerate(first)
    ]
    return replace(reply, buttons=tuple(buttons))


@declare_button("freepack", private=True)
async def add_free_pack(context: Context, id: str) -> Reply:
    """Check a free pack and keep it for this server, as if a manager had sent it. Raises
    UserError.
    """
    need_manager(context)
    known = await need_room(context)
    pack = next((pack for pack in load_free_packs() if pack.id == id), None)
    if pack is None:
        raise UserError("That pack no longer comes with the bot.", code="unknown-pack")
    data = zip_content(read_content(find_named_folder(FREE) / pack.id))
    found = await review_pack(context, review_file, data, "", "", f"{pack.id}.zip", "")
    return await save_reviewed_pack(context, found, known)
