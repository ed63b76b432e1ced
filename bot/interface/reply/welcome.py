"""What newcomers read once: when the bot comes to a server or workspace."""

from __future__ import annotations

from bot.interface.registry import Registry
from bot.interface.reply.parts import Small
from bot.interface.reply.reply import OPEN_FORM, Button, Reply
from bot.rules.proof.chain import short
from bot.rules.text.phrase import phrase

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def welcome(registry: Registry, who: str, commitment: str) -> Reply:
    """The welcome, with four things to begin with; `who` says in the platform's words who can play. The commitment is
    that of the first free play."""
    count = len(registry.games)
    names = ", ".join(game.title.partition(" (")[0].partition(",")[0] for game in registry.games.values())
    ready = f"{_NUMBERS[count] if count < len(_NUMBERS) else count} rule sets are ready."
    shots = [game for game in registry.games if registry.get((game, "fire")) is not None]
    shown = "lnlt" if "lnlt" in shots else shots[0]
    return Reply(
        "Grognard is here",
        (
            f"{ready} {who} Nobody is called unless it is their go.",
            Small(f"{names}."),
            Small(phrase("It keeps rolls, units and player names; `/privacy show` lists yours.")),
            Small(phrase("First free play: commitment {digits}. `/fair show` explains it.", digits=short(commitment))),
        ),
        by="wargame combat, exact odds, dice you can check",
        buttons=(
            Button(f"{OPEN_FORM}game start", "Start a game", "primary"),
            Button(f"try:{shown} fire", "Try a shot"),
            Button(f"{OPEN_FORM}setup systems", "Choose rule sets"),
            Button("help:", "Help"),
        ),
    )
