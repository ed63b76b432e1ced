"""Messages of the stand-ins as files that can be drawn, if GROGNARD_DRAWN names a folder for them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.adapters.evening import Table


def draw(e: Table, name: str, message: Any) -> None:
    """Write a message as it can be drawn, if that is asked for."""
    folder = os.environ.get("GROGNARD_DRAWN")
    if folder:
        path = Path(folder, f"{e.platform}-{name}.json")
        path.write_text(json.dumps(e.body(message)), "utf-8")
