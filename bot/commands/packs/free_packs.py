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
"""The name of the button that adds a free pack."""


FEATURED_PACKS = ("salt-road", "three-mills")
"""Ids of the packs that have a button of their own: whole games for two players."""


class FreePack(NamedTuple):
    """A free pack: its id, title, author and licence."""

    id: str
    title: str
    author: str
    licence: str


@lru_cache(maxsize=1)
def load_free_packs() -> tuple[FreePack, ...]:
    """Load the free packs that come with the program, sorted by title. They are loaded once."""
    folder = find_named_folder(FREE)
    packs = []
    for file in folder.glob(f"*/{PACK}"):
        about = yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)
        texts = [str(about[key]) for key in FreePack._fields]
        packs.append(FreePack(*texts))
    return tuple(sorted(packs, key=lambda pack: pack.title))


def list_missing_packs(server_ids: Collection[str]) -> list[FreePack]:
    """Return the free packs that neither the host nor the server has. `server_ids` are the ids of
    the server's packs.
    """
    taken_ids = {*server_ids, *load_shared_systems()}
    return [pack for pack in load_free_packs() if pack.id not in taken_ids]


def build_free_pack_menu(packs: Collection[FreePack]) -> tuple[Menu, ...]:
    """Return a menu that adds one of the packs, or () if there are none."""
    entries = tuple(
        MenuEntry(f"{ADD}:{pack.id}", pack.title, f"By {pack.author}. {pack.licence}")
        for pack in packs
    )
    return (Menu("Add a free pack", entries, "Free packs"),) if entries else ()


@declare_command("pack list", "This server's packs", private=True, needs_game=True)
async def list_server_packs(context: Context) -> Reply:
    """List the packs of this server to the user alone, with buttons and a menu for the free packs
    that it lacks.
    """
    versions = await list_versions(context.store, get_server_key(context.command.where))
    packs = list_missing_packs({version.id for version in versions})
    titles = [pack.title for pack in packs]
    reply = await list_packs(context, titles, build_free_pack_menu(packs))
    buttons: list[Button] = []
    for pack in packs:
        if pack.id in FEATURED_PACKS:
            style = "plain" if buttons else "good"
            buttons.append(Button(f"{ADD}:{pack.id}", f"Add {pack.title}", style))
    return replace(reply, buttons=tuple(buttons))


@declare_button("freepack", private=True)
async def add_free_pack(context: Context, id: str) -> Reply:
    """Check the free pack with this id and store it for this server. It is not enabled by that.

    Raises UserError for a user who is not a manager, for an unknown pack, and if the server has
    enough packs.
    """
    need_manager(context)
    versions = await need_room(context)
    pack = next((pack for pack in load_free_packs() if pack.id == id), None)
    if pack is None:
        raise UserError("That pack no longer comes with the bot.", code="unknown-pack")
    data = zip_content(read_content(find_named_folder(FREE) / pack.id))
    review = await review_pack(context, review_file, data, "", "", f"{pack.id}.zip", "")
    return await save_reviewed_pack(context, review, versions)
