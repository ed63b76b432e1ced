"""Places as answers call them, and the lines that say where a game is played and how that ends."""

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
"""Documents that hold the name of a channel that was linked: the store knows places only by
their keys.
"""
STARTED_IN = "started-in"
"""Documents that hold the name of a channel in which a game was started, for the players of it."""
MOVED = "moved"
"""Documents that say where the game went that was played in a channel."""
MAX_NAME = 80
_PLATFORMS = {"discord": "Discord", "slack": "Slack", "console": "the console"}
_MENTION = re.compile(r"<#([A-Za-z0-9]+)(\|[^>]*)?>")
_IDS = {"discord": re.compile(r"\d{1,20}"), "slack": re.compile(r"[CDG][A-Z0-9]{1,20}(/\d+\.\d+)?")}
"""What a channel's id looks like; a mere name would lead nowhere, and the game with it."""
_ANY_ID = re.compile(r"[A-Za-z0-9_.-]{1,80}")


def build_name_doc(place: Place) -> Doc:
    """The document that keeps a place's name; it goes with the server."""
    return Doc(PLACE, place.key, {"name": place.name}, None, place.server or place.key)


async def load_place_names(store: Store, places: Iterable[str]) -> dict[str, str]:
    """The names of places, as far as they are known."""
    docs = [(place, await store.load_doc(PLACE, place)) for place in places]
    return {place: str(doc.data["name"]) for place, doc in docs if doc is not None}


def build_channel_doc(place: Place) -> Doc:
    """Return the document that names the channel in which a game is started."""
    return Doc(STARTED_IN, place.key, {"name": place.name}, None, place.server or place.key)


async def load_channel_names(store: Store, places: Iterable[str]) -> dict[str, str]:
    """Return the names of channels with games, for the games' own players, as far as known."""
    names: dict[str, str] = {}
    for place in places:
        for kind in (PLACE, STARTED_IN):
            doc = await store.load_doc(kind, place)
            if doc is not None and doc.data["name"]:
                names[place] = str(doc.data["name"])
    return names


def build_moved_doc(row: str, name: str, to: Place, source: str) -> Doc:
    """The document that says, in the channel that a game left, where it is played now."""
    return Doc(
        MOVED,
        source,
        {"game": row, "name": name, "to": to.key, "called": to.name},
        None,
        to.server or source,
    )


async def find_moved_game(store: Store, place: str) -> tuple[str, tuple[Button, ...]]:
    """`"Hill 875" is played in #campaign now.`, of the last game that left the place, while it is;
    and the way there. ("", ()) where none has."""
    doc = await store.load_doc(MOVED, place)
    saved = await store.load_game_by_id(str(doc.data["game"])) if doc is not None else None
    if doc is None or saved is None or doc.data["to"] not in saved.places:
        return "", ()
    to = str(doc.data["to"])
    name = str(doc.data["called"])
    return (
        f'"{doc.data["name"]}" is played in {name_place(to, name, place)} now.',
        build_channel_button(to, name, place),
    )


def build_channel_button(place: str, name: str, reader: str) -> tuple[Button, ...]:
    """A button that opens a channel of the platform on which it is read; none where that is
    another one.
    """
    if not get_server_key(place) or place.partition(":")[0] != reader.partition(":")[0]:
        return ()
    return (Button(f"goto:{place}", f"Open {name_place(place, name, reader)}"[:60], LINK),)


def is_private(place: str) -> bool:
    """Return whether it is a conversation, and no channel of a server."""
    return not get_server_key(place) or (
        place.startswith("slack:") and get_local_id(place).startswith("D")
    )


def name_place(place: str, name: str, reader: str) -> str:
    """Return how to refer to `place` in an answer read in `reader`.

    If the reader is on another server or platform, say so. Never name a private conversation.
    """
    name = clean_name(name, MAX_NAME)
    server = get_server_key(place)
    platform = place.partition(":")[0]
    alone = is_private(place)
    if place == reader:
        return "this channel"
    if server and server == get_server_key(reader):
        return "a private conversation" if alone else name or f"channel {get_local_id(place)}"
    kind = (
        "a private conversation"
        if alone
        else f"{'another' if reader.startswith(f'{platform}:') else 'a'} {get_server_word(place)}"
    )
    kind = f"{kind} on {_PLATFORMS.get(platform, platform)}"
    return f"{name} ({kind})" if name and not alone else kind


def list_places(places: Iterable[str], names: Mapping[str, str], reader: str) -> str:
    """Return several places in one line, joined by "and", the one of the reader first."""
    here_first = sorted(places, key=lambda place: place != reader)
    found = [name_place(place, names.get(place, ""), reader) for place in here_first]
    return " and ".join(found)


def get_local_id(place: str) -> str:
    """The part of a key that names the place within its server: `900` of `discord:55/900`."""
    return place.partition("/")[2] or place.partition(":")[2]


def parse_place_key(here: str, typed: str) -> str:
    """The place that a channel stands for: a mention such as <#123>, an id, or a whole key of the
    same server.

    Raises UserError for what names no channel, and for one of another server.
    """
    text = typed.strip()
    platform, (server, slash, _) = here.partition(":")[0], here.partition("/")
    if server.endswith(":dm"):
        raise _build_place_error("A game in direct messages stays there.")
    if text.startswith(f"{platform}:") and slash and not text.startswith(f"{server}/"):
        raise _build_place_error("A game moves only within its server or workspace.")
    found = _MENTION.fullmatch(text)
    name = (
        found[1]
        if found
        else text.removeprefix(f"{server}/" if slash else f"{platform}:").removeprefix("#")
    )
    if not _IDS.get(platform, _ANY_ID).fullmatch(name):
        hint = "Choose it from the list, or mention it."
        raise UserError(
            f'"{typed[:40]}" is not a channel.', hint=hint, option="channel", code="unknown-channel"
        )
    return f"{server}/{name}" if slash else f"{platform}:{name}"


def _build_place_error(problem: str) -> UserError:
    return UserError(
        problem,
        hint=phrase("`/game link` plays it from another place too; `/game export` moves it."),
        option="channel",
        code="unknown-channel",
    )
