"""The export inside an after-action page: the text of the one script element that holds it, unpacked."""

from __future__ import annotations

import binascii
import re
import zlib
from base64 import b64decode

from bot.rules.errors import UserError

_GAME = re.compile(r'<script type="application/(json|gzip)" id="export">(.*?)</script>', re.DOTALL)
_GZIP = zlib.MAX_WBITS | 16


def export_text(text: str, most: int) -> str:
    """The JSON of the exported game in `text`, which is a page that holds it; any other text as it is.

    Raises UserError for a page that holds no game, or more than one, and for data that is damaged or unpacks to more
    than `most` bytes.
    """
    if not text.lstrip("\ufeff \t\r\n").startswith("<"):
        return text
    found = _GAME.findall(text)
    if len(found) != 1 or text.count('id="export"') != 1:
        raise UserError(
            "This page holds no exported game." if not found else "This page holds more than one game.",
            hint="Give the after-action page as it was downloaded, or the game as JSON.",
            code="not-a-log",
        )
    kind, data = found[0]
    return _unpacked(data, most) if kind == "gzip" else str(data)


def _unpacked(data: str, most: int) -> str:
    stream = zlib.decompressobj(wbits=_GZIP)
    try:
        raw = stream.decompress(b64decode(data.strip(), validate=True), most + 1)
        text = raw.decode()
    except (ValueError, binascii.Error, zlib.error):
        raise UserError("The page is damaged: its data cannot be unpacked.", code="damaged-file") from None
    if len(raw) > most:
        raise UserError("The game in this page is too large.", code="file-too-large")
    if not stream.eof or stream.unused_data:
        raise UserError("The page is damaged: its data is cut off.", code="damaged-file")
    return text
