"""What a picture's SVG says, read back from its text."""

from __future__ import annotations

from xml.etree import ElementTree

from bot.charts.svg import Picture

_SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def words_in(picture: Picture) -> str:
    """All words of a picture, in the order in which they are drawn."""
    return " ".join(node.text or "" for node in _tree(picture).iter(f"{_SVG}text"))


def boxes(picture: Picture, name: str) -> list[Box]:
    """The boxes of this class: left, top, right, bottom."""
    found = []
    for node in _tree(picture).iter(f"{_SVG}rect"):
        if node.get("class") == name:
            x, y, wide, high = (float(node.get(key, "0")) for key in ("x", "y", "width", "height"))
            found.append((x, y, x + wide, y + high))
    return found


def kinds_in(picture: Picture) -> set[str]:
    """The kinds of nodes that there are."""
    return {node.tag.removeprefix(_SVG) for node in _tree(picture).iter()}


def texts(picture: Picture) -> list[tuple[str, Box]]:
    """Each text with how far its letters reach, by the widths of the font that the picture is
    drawn with.
    """
    found = []
    for node in _tree(picture).iter(f"{_SVG}text"):
        x, y, wide, size = (
            float(node.get(key, "0")) for key in ("x", "y", "textLength", "font-size")
        )
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[node.get("text-anchor", "start")]
        found.append((node.text or "", (left, y - size * 0.74, left + wide, y + size * 0.22)))
    return found


def assert_all_fits(picture: Picture) -> None:
    """No text runs into another, into the edge of a marked cell or out of the card."""
    found = texts(picture)
    assert found
    edges = boxes(picture, "hit")
    for at, (text, (left, top, right, bottom)) in enumerate(found):
        assert left >= 0, text
        assert right <= 720, text
        assert bottom <= picture.height, text
        for other, (low, above, high, below) in found[:at]:
            apart = (
                right <= low + 0.5 or high <= left + 0.5 or bottom <= above + 1 or below <= top + 1
            )
            assert apart, (text, other)
        for low, above, high, below in edges:
            apart = (
                right <= low + 0.5 or high <= left + 0.5 or bottom <= above + 1 or below <= top + 1
            )
            inside = (
                low - 0.5 <= left
                and right <= high + 0.5
                and above - 1 <= top
                and bottom <= below + 1
            )
            assert apart or inside, text


def _tree(picture: Picture) -> ElementTree.Element:
    return ElementTree.fromstring(picture.svg)
