"""A pack written as one text, to be pasted: each file's name at the margin, its content indented below."""

from __future__ import annotations

import re
from textwrap import dedent

from bot.rules.errors import TableError
from bot.systems.packs.content import MOST_BYTES, MOST_FILES, PACK, check_name

_HEAD = re.compile(r"([^\s#:][^\s:]*\.yaml):(?:[ \t]+(.*))?")
_LITERAL = re.compile(r"[|>][-+]?\s*")
EXAMPLE = "pack.yaml:"


def read_one_file(text: str, name: str = "The text") -> dict[str, bytes]:
    """The files of a pack that is written as one text. Raises TableError that names the line.

    The text is YAML, a mapping of file names, but it is cut up as text: so each file stays as its author wrote it.
    """
    if len(text) > MOST_BYTES:
        raise TableError(name, f"is larger than {MOST_BYTES // 1024} kB")
    found: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), 1):
        if head := _HEAD.fullmatch(line.rstrip()):
            file, rest = head[1], head[2] or ""
            if file in found:
                raise TableError(name, f"line {number}: {file[:80]} is there twice")
            check_name(file, len(found) + 1)
            lines = found[file] = [] if _LITERAL.fullmatch(rest) else [rest]
        elif not line.strip() or line.startswith("#"):
            if lines is not None:
                lines.append("")
        elif lines is None or not line[0].isspace():
            raise TableError(name, f"line {number}: a pack as one text begins each file with its name: {EXAMPLE}")
        else:
            lines.append(line)
    if PACK not in found or len(found) > MOST_FILES:
        raise TableError(name, f"has no {PACK}: a pack as one text has {PACK}: and game.yaml: at the margin")
    return {file: _content(lines) for file, lines in found.items()}


def _content(lines: list[str]) -> bytes:
    """What is below a name, without its margin. The first line is what stood beside the name."""
    beside, *below = lines or [""]
    text = "\n".join([beside, dedent("\n".join(below))]) if beside else dedent("\n".join(lines))
    return (text.strip("\n") + "\n").encode()
