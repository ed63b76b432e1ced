"""Places as answers call them, and the lines that say where a game is played and how that ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.commands.context import server_of
from bot.interface.spec import Place
from bot.rules.plain import clean_name
from bot.stores.base import Store
from bot.stores.records import Doc

PLACE = "place"
"""Documents that hold the name of a channel that was linked: the store knows places only by their keys."""
MAX_NAME = 80
_PLATFORMS = {"discord": "Discord", "slack": "Slack", "console": "the console"}


def name_doc(place: Place) -> Doc:
    """The document that keeps a place's name; it goes with the server."""
    return Doc(PLACE, place.key, {"name": place.name}, None, place.server or place.key)


async def names_of(store: Store, places: Iterable[str]) -> dict[str, str]:
    """The names of places, as far as they are known."""
    docs = [(place, await store.doc(PLACE, place)) for place in places]
    return {place: str(doc.data["name"]) for place, doc in docs if doc is not None}


def is_private(place: str) -> bool:
    """Whether it is a conversation, and no channel of a server."""
    return not server_of(place) or (place.startswith("slack:") and local_id(place).startswith("D"))


def called(place: str, name: str, reader: str) -> str:
    """What a place is called in an answer that is read in the place `reader`: whoever is elsewhere is told so."""
    name, server, platform = clean_name(name, MAX_NAME), server_of(place), place.partition(":")[0]
    alone = is_private(place)
    if place == reader:
        return "this channel"
    if server and server == server_of(reader):
        return "a private conversation" if alone else name or f"channel {local_id(place)}"
    kind = "a private conversation" if alone else f"another {'workspace' if platform == 'slack' else 'server'}"
    kind = f"{kind} on {_PLATFORMS.get(platform, platform)}"
    return f"{name} ({kind})" if name and not alone else kind


def listed(places: Iterable[str], names: Mapping[str, str], reader: str) -> str:
    """Several places in one line, joined by "and"; the one where it is read comes first."""
    here_first = sorted(places, key=lambda place: place != reader)
    found = [called(place, names.get(place, ""), reader) for place in here_first]
    return " and ".join(found)


def local_id(place: str) -> str:
    """The part of a key that names the place within its server: `900` of `discord:55/900`."""
    return place.partition("/")[2] or place.partition(":")[2]
