"""JSON text by the encoder in C that `json` has: made once, where `JSONEncoder.encode` makes one for each text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def encoder(*, ensure_ascii: bool = True, sort_keys: bool = False, allow_nan: bool = True) -> Callable[[Any], str]:
    """A function that gives the compact JSON text of a value, as `json.dumps` would with these settings. Raises what
    that raises."""
    whole = json.JSONEncoder(
        ensure_ascii=ensure_ascii, sort_keys=sort_keys, separators=(",", ":"), allow_nan=allow_nan, check_circular=False
    )
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # a Python without it
        return whole.encode
    quoted = json.encoder.encode_basestring_ascii if ensure_ascii else json.encoder.encode_basestring
    chunks = make(None, whole.default, quoted, None, ":", ",", sort_keys, False, allow_nan)
    return lambda value: "".join(chunks(value, 0))
