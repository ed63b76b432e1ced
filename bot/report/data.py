"""The data inside a page: JSON that no browser can take for markup, packed where it is long."""

from __future__ import annotations

import json
from base64 import b64encode
from gzip import compress
from typing import Any

from markupsafe import Markup

from bot.game.state import Json

PACKED = 300_000
"""Characters from which data is packed: a long game's JSON is full of repetition, and chats limit files."""


def data_script(name: str, value: Any) -> Markup:
    """The script element with the data: plain JSON, or gzip in base64, which every browser of today unpacks."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if len(text) < PACKED:
        return Markup('<script type="application/json" id="{}">{}</script>').format(name, Markup(harmless(text)))
    packed = b64encode(compress(text.encode("utf-8", "replace"), 9, mtime=0)).decode()
    return Markup('<script type="application/gzip" id="{}">{}</script>').format(name, packed)


def harmless(text: str) -> str:
    """JSON that cannot end its script element, nor begin a comment in it."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def without_accounts(export: Json) -> Json:
    """The export with nothing by which an account could be known again: a page is passed on, and no check needs it."""
    persons = [{"person": row["person"], "name": row["name"]} for row in export.get("persons", ())]
    return {**export, "persons": persons}
