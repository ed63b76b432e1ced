"""A first pack to begin with: small but whole, so that it passes the check and can be played at once."""

from __future__ import annotations

import re
from pathlib import Path

from bot.rules.errors import UserError
from bot.systems.packs.pack import LONGEST_ID, TAKEN
from bot.systems.system import built_in

TEMPLATE = Path(__file__).parent / "template"


def new_pack(folder: Path) -> str:
    """Write a pack into a new folder; its id, made from the folder's name. Raises UserError where that cannot be."""
    id = re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.casefold()).strip("-")[:LONGEST_ID].strip("-")
    if not id[:1].isalpha() or id in TAKEN or id in built_in() or id.endswith("-table"):
        hint = "Take letters, such as few-acres, and not the name of a command or built-in game."
        raise UserError(f'The folder "{folder.name[:40]}" gives the pack no name.', hint=hint, code="bad-name")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is there already.", hint="Name a new folder.", code="name-taken")
    try:
        for path in sorted(TEMPLATE.rglob("*.yaml")):
            target = folder / path.relative_to(TEMPLATE)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            if path.name == "pack.yaml":
                text = text.replace("own-game", id).replace("Own Game", id.replace("-", " ").title())
            target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror}.", code="unreadable-file") from None
    return id
