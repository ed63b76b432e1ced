"""Commands as Discord takes them, ready to paste: `/lnlt fire attackers:us3; us4 targets:vc5 tm:1`."""

from __future__ import annotations

from functools import lru_cache

from adapters.discord.payload import shown_options
from bot.interface.registry import registry
from bot.interface.text import parse_text
from bot.rules.errors import UserError

LINK = ("game", "link")
"""A command that is shown here to be typed elsewhere, on any network."""


@lru_cache(maxsize=2_000)
def as_typed(text: str) -> str:
    """A command of the text form with each value behind its option's name; what is no whole command stays."""
    if not text.startswith("/"):
        return text
    try:
        parsed = parse_text(text, registry())
    except UserError:
        return text
    if parsed.spec.path == LINK:
        return text
    spec, listed = parsed.spec, {option.name for option in shown_options(parsed.spec)}
    pieces, words = [spec.name], [str(parsed.options["mods"])] if parsed.options.get("mods") else []
    for name, value in parsed.options.items():
        if name != "mods" and name not in listed:  # a flag that Discord has no room for
            words.append(name)
        elif name != "mods":
            pieces.append(f"{name}:{value}")
    return " ".join([*pieces, *([f"mods:{' '.join(words)}"] if words else [])])
