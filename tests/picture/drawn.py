"""What a picture's SVG says, read back from its text."""

from __future__ import annotations

from xml.etree import ElementTree

from bot.picture.svg import Picture

_SVG = "{http://www.w3.org/2000/svg}"


def words_in(picture: Picture) -> str:
    """All words of a picture, in the order in which they are drawn."""
    return " ".join(node.text or "" for node in _tree(picture).iter(f"{_SVG}text"))


def boxes(picture: Picture, name: str) -> list[tuple[float, float, float, float]]:
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


def assert_all_fits(picture: Picture) -> None:
    """No text leaves its cell, by the widths of the font, and none leaves the card."""
    assert picture.placed
    for text in picture.placed:
        (left, top, right, bottom), room = text.reach, text.room
        assert room[0] - 0.5 <= left <= right <= room[2] + 0.5, text
        assert room[1] - 1 <= top <= bottom <= room[3] + 1, text
        assert left >= 0, text
        assert right <= 720, text
        assert bottom <= picture.height, text


def _tree(picture: Picture) -> ElementTree.Element:
    return ElementTree.fromstring(picture.svg)
