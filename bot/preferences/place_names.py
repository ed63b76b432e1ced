"""Names of places in answers, and the lines about where a game is played and has moved."""

import re
from collections.abc import Iterable, Mapping

from bot.preferences.platform_words import get_server_word
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import clean_name
from bot.storage.records import Doc
from bot.storage.store import Store
from bot.ui.reply.reply import LINK, Button
from bot.ui.spec import Place, get_server_key

PLACE = "place"
"""Documents with the name of a linked channel: the store knows places only by their keys."""
STARTED_IN = "started-in"
"""Documents with the name of a channel in which a game was started, for its players."""
MOVED = "moved"
"""Documents with the new place of a game that was played in a channel."""
MAX_NAME = 80
_PLATFORMS = {"discord": "Discord", "slack": "Slack", "console": "the console"}
_MENTION = re.compile(r"<#([A-Za-z0-9]+)(\|[^>]*)?>")
_IDS = {"discord": re.compile(r"\d{1,20}"), "slack": re.compile(r"[CDG][A-Z0-9]{1,20}(/\d+\.\d+)?")}
"""Patterns of a channel's id. A mere name would lead nowhere, and the game with it."""
_ANY_ID = re.compile(r"[A-Za-z0-9_.-]{1,80}")


def build_name_doc(place: Place) -> Doc:
    """Build the document with a place's name. It is deleted with the server."""
    return Doc(PLACE, place.key, {"name": place.name}, None, place.server or place.key)


async def load_place_names(store: Store, places: Iterable[str]) -> dict[str, str]:
    """Return the names of places, as far as known."""
    docs = [(place, await store.load_doc(PLACE, place)) for place in places]
    return {place: str(doc.data["name"]) for place, doc in docs if doc is not None}


def build_channel_doc(place: Place) -> Doc:
    """Build the document that names the channel in which a game is started."""
    return Doc(STARTED_IN, place.key, {"name": place.name}, None, place.server or place.key)


async def load_channel_names(store: Store, places: Iterable[str]) -> dict[str, str]:
    """Return the names of these channels by key. A channel without a stored name is left out.

    The name of a channel in which a game was started is for the game's own players only.
    """
    names: dict[str, str] = {}
    for place in places:
        for kind in (PLACE, STARTED_IN):
            doc = await store.load_doc(kind, place)
            if doc is not None and doc.data["name"]:
                names[place] = str(doc.data["name"])
    return names


def build_moved_doc(row: str, name: str, new_place: Place, old_place: str) -> Doc:
    """Build the document that says in the old channel of a game where it is played now."""
    data = {"game": row, "name": name, "to": new_place.key, "called": new_place.name}
    return Doc(MOVED, old_place, data, None, new_place.server or old_place)


async def find_moved_game(store: Store, place: str) -> tuple[str, tuple[Button, ...]]:
    """Return a sentence about the last game that left a place, and a button to its new channel.

    For example: `"Hill 875" is played in #campaign now.` Return ("", ()) if no game has left, or if
    it is no longer there.
    """
    doc = await store.load_doc(MOVED, place)
    saved = await store.load_game_by_id(str(doc.data["game"])) if doc is not None else None
    if doc is None or saved is None or doc.data["to"] not in saved.places:
        return "", ()
    new_place = str(doc.data["to"])
    name = str(doc.data["called"])
    sentence = f'"{doc.data["name"]}" is now played in {name_place(new_place, name, place)}.'
    return sentence, build_channel_button(new_place, name, place)


def build_channel_button(place: str, name: str, reader: str) -> tuple[Button, ...]:
    """Return a button that opens the channel `place`, for an answer that is read in `reader`.

    Return () if `place` is on no server, or on another platform than `reader`.
    """
    if not get_server_key(place) or place.partition(":")[0] != reader.partition(":")[0]:
        return ()
    return (Button(f"goto:{place}", f"Open {name_place(place, name, reader)}"[:60], LINK),)


def is_private(place: str) -> bool:
    """Return whether a place is a conversation, and not a channel of a server."""
    return not get_server_key(place) or (
        place.startswith("slack:") and get_local_id(place).startswith("D")
    )


def name_place(place: str, name: str, reader: str) -> str:
    """Return how to refer to `place` in an answer read in `reader`.

    If the reader is on another server or platform, say so. Never name a private conversation.
    """
    if place == reader:
        return "this channel"
    name = clean_name(name, MAX_NAME)
    server = get_server_key(place)
    conversation = is_private(place)
    if server and server == get_server_key(reader):
        if conversation:
            return "a private conversation"
        return name or f"channel {get_local_id(place)}"
    platform = place.partition(":")[0]
    if conversation:
        kind = "a private conversation"
    else:
        article = "another" if reader.startswith(f"{platform}:") else "a"
        kind = f"{article} {get_server_word(place)}"
    kind = f"{kind} on {_PLATFORMS.get(platform, platform)}"
    return f"{name} ({kind})" if name and not conversation else kind


def list_places(places: Iterable[str], names: Mapping[str, str], reader: str) -> str:
    """Return several places in one line, joined by "and", the reader's own first."""
    sorted_places = sorted(places, key=lambda place: place != reader)
    place_names = [name_place(place, names.get(place, ""), reader) for place in sorted_places]
    return " and ".join(place_names)


def get_local_id(place: str) -> str:
    """Return the part of a key that names the place within its server: `900` of `discord:55/900`."""
    return place.partition("/")[2] or place.partition(":")[2]


def parse_place_key(current_place: str, typed: str) -> str:
    """Parse a channel: a mention such as <#123>, an id, or a whole key of the same server.

    Return its key. Raise UserError for a text that names no channel, or one of another server.
    """
    text = typed.strip()
    platform = current_place.partition(":")[0]
    server, slash, _ = current_place.partition("/")
    if server.endswith(":dm"):
        raise _build_place_error("A game in direct messages can't be moved.")
    if text.startswith(f"{platform}:") and slash and not text.startswith(f"{server}/"):
        raise _build_place_error("A game can only move within its server or workspace.")
    mention = _MENTION.fullmatch(text)
    if mention:
        name = mention[1]
    else:
        prefix = f"{server}/" if slash else f"{platform}:"
        name = text.removeprefix(prefix).removeprefix("#")
    if not _IDS.get(platform, _ANY_ID).fullmatch(name):
        hint = "Choose it from the list, or mention it."
        raise UserError(
            f'"{typed[:40]}" is not a channel.', hint=hint, option="channel", code="unknown-channel"
        )
    return f"{server}/{name}" if slash else f"{platform}:{name}"


def _build_place_error(problem: str) -> UserError:
    return UserError(
        problem,
        hint=phrase(
            "`/game link` lets you play it from another place too; `/game export` moves it."
        ),
        option="channel",
        code="unknown-channel",
    )
