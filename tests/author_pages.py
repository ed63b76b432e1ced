"""The packs and the lines that the pages for authors print."""

from __future__ import annotations

import re
from pathlib import Path

PATH = ("pack-table", "pack-units", "pack-sequence", "pack-scenario", "pack-cards")
"""The pages of the path, each of which adds to one pack."""
BUTTON = "buttons: [next]", "buttons: [attack, next]"
"""What a reader changes in game.yaml once there is an attack."""
ADDED = ", at the end"
"""Marks a block that is added to a file that is there."""


def read_page(root: Path, name: str) -> str:
    """Read a page of docs/."""
    return (root / "docs" / f"{name}.md").read_text(encoding="utf-8")


def build_pack(root: Path, folder: Path, *pages: str) -> Path:
    """Write the files that these pages print, in the order in which a reader meets them."""
    for name in pages:
        page = read_page(root, name)
        for heading, text in re.findall(r"```yaml\n# (\S+\.yaml[^\n]*)\n(.*?)```", page, re.DOTALL):
            if " of a pack" in heading:
                continue
            file = folder / heading.removesuffix(ADDED)
            file.parent.mkdir(parents=True, exist_ok=True)
            before = f"{file.read_text('utf-8')}\n" if heading.endswith(ADDED) else ""
            file.write_text(f"{before}{text}", encoding="utf-8")
        if f"`{BUTTON[1]}`" in page:
            game = folder / "game.yaml"
            game.write_text(game.read_text("utf-8").replace(*BUTTON), encoding="utf-8")
    return folder


def split_console(text: str) -> list[tuple[str, list[str]]]:
    """List each command of a console with the lines that follow it."""
    pieces = re.split(r"^> ", text, flags=re.MULTILINE)[1:]
    return [
        (piece.splitlines()[0], [line for line in piece.splitlines()[1:] if line])
        for piece in pieces
    ]


def list_commands(root: Path, name: str) -> list[tuple[str, list[str]]]:
    """List the commands of a page, in its order, with the answers that it shows."""
    blocks = re.findall(r"```console\n(.*?)```", read_page(root, name), re.DOTALL)
    return split_console("".join(blocks))
