"""The command lines of the pages for hosts, each to be typed once at least."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
PAGES = (
    "deploy/README.md",
    "deploy/container.md",
    "deploy/operations.md",
    "deploy/by-hand.md",
    "deploy/scale/README.md",
)


def text_of_pages() -> str:
    """Return all pages for hosts as one text."""
    return "\n".join((PROJECT / page).read_text("utf-8") for page in PAGES)


def blocks(text: str) -> list[list[str]]:
    """The lines of each block, comments left out; a line that ends with a backslash goes on in
    the next.
    """
    found = []
    for block in re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        lines = re.sub(r"\\\n\s*", "", block).splitlines()
        found.append(
            [
                line
                for line in (re.sub(r"\s+# .*$|\s{3,}#.*$", "", row).rstrip() for row in lines)
                if line
            ]
        )
    return found


class Walk:
    """The lines in their order: `take` hands out the next ones that begin as asked, and
    remembers that it did.
    """

    def __init__(self, text: str) -> None:
        self.lines = [line for block in blocks(text) for line in block]
        self.taken: set[str] = set()

    def line(self, begins: str, **placeholders: str) -> str:
        """The one line of the page that has these words, with its placeholders filled in. Raises
        LookupError.
        """
        fitting = [line for line in dict.fromkeys(self.lines) if begins in line]
        if not fitting:
            raise LookupError(f"the pages for hosts have no line with {begins!r}")
        exact = [line for line in fitting if line == begins] or fitting
        if len(exact) > 1:
            raise LookupError(
                f"the pages for hosts have {len(exact)} lines with {begins!r}: {exact}"
            )
        self.taken.add(exact[0])
        line = exact[0]
        for name, value in placeholders.items():
            assert name in line, f"{name} is not in {line!r}"
            line = line.replace(name, value)
        return line

    @property
    def left(self) -> list[str]:
        """The lines that were not typed."""
        return [line for line in dict.fromkeys(self.lines) if line not in self.taken]
