"""Whether an event follows on those before it: the versions of packs that a game is played with."""

from __future__ import annotations

from bot.game.follows.past import Event, Past
from bot.game.version import with_version


def packs_problem(past: Past, event: Event) -> str:
    """What is wrong with how an event changes them: one version comes in force, and the event may bring it."""
    said, now = past.patch(event, "after", "game"), past.now
    if "packs" not in said or event["kind"] in ("undo", "redo"):
        return ""
    packs = tuple(said["packs"])
    if not packs or packs != with_version(now.packs, packs[-1]) or packs == now.packs:
        return "one version of a pack comes in force at a time."
    if event["kind"] == "sequence" and packs[-1] != event.get("edition"):
        return "another version of the pack comes in force than it was played with."
    if event["kind"] in ("sequence", "unit") and now.started:
        return "the version of a pack stays in a game that was started."
    return ""


def pack_words(packs: tuple[str, ...]) -> str:
    """What the log says of a game that goes on with another version."""
    return f"pack version {packs[-1][:8]}" if packs else ""
