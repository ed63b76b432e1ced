"""Commands as Discord takes them, ready to paste: `/lnlt fire attackers:us3; us4 targets:vc5 tm:1`."""

from __future__ import annotations

import re
from functools import lru_cache

from adapters.discord.payload import shown_options
from bot.interface.registry import Registry, registry
from bot.interface.typing.text import parse_text
from bot.rules.errors import UserError

LINK = ("game", "link")
"""A command that is shown here to be typed elsewhere, on any network."""

_NAMED = re.compile(r' ([a-z][a-z0-9_-]*)=(?:"([^"]*)"|(\S*))')


def as_typed(text: str) -> str:
    """A command of the text form with each value behind its option's name; what is no whole command stays."""
    return _as_typed(text, registry()) if text.startswith("/") else text


@lru_cache(maxsize=2_000)
def _as_typed(text: str, seen: Registry) -> str:
    try:
        parsed = parse_text(text, seen)
    except UserError:
        return _by_its_looks(text, seen)
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


def _by_its_looks(text: str, seen: Registry) -> str:
    """A command of a pack that is not at hand: the word before `=` is the name of an option."""
    if text[1:].partition(" ")[0] in seen.top:
        return text
    return _NAMED.sub(lambda found: f" {found[1]}:{found[2] if found[2] is not None else found[3]}", text)
