"""Texts of somebody whose data is deleted, struck from what others were answered."""

import re
import zlib
from binascii import Error as NotBase64
from binascii import a2b_base64
from collections.abc import Iterable, Iterator
from typing import Any

from bot.rules.proof.chain import DELETED

HEAD = 24
"""Characters of a long text by which it is found, for an answer may have cut off its end."""
SHORT = 3
"""Characters of a text below which it is struck only if it is the whole string, or in quotes."""
MOST_UNPACKED = 50_000_000
"""Bytes that are looked at of a packed file."""
_GZIP, _PICTURE = b"\x1f\x8b", b"\x89PNG"
"""How packed files and pictures begin."""
_WORD = re.compile(r"\w+")
_PACKED_PAGE = re.compile(r"H4sI[A-Za-z0-9+/=]+")


class StruckTexts:
    """The texts to strike, found by one of their words so that thousands cost little.

    `names` are the names of their writer, by which files are searched as well.
    """

    def __init__(self, texts: Iterable[str], names: Iterable[str] = ()) -> None:
        self._by_word: dict[str, list[str]] = {}
        self._without_words: list[str] = []
        words_of_names = "|".join(map(re.escape, names)) or "(?!)"
        self._names = re.compile(rf"(?<!\w)(?:{words_of_names})(?!\w)")
        for text in sorted(set(texts) - {""}, key=len, reverse=True):
            words = _WORD.findall(text if len(text) <= HEAD else text[:HEAD].rpartition(" ")[0])
            if words:
                self._by_word.setdefault(max(words, key=len), []).append(text)
            else:
                self._without_words.append(text)

    def strike(self, value: Any) -> Any:
        """Return a value of JSON without the texts; the same object if it holds none of them."""
        strings = [*_list_strings(value)]
        found = self._find("\n".join(strings))
        if not found and not any(self._holds_any(file) for file in _list_files(value)):
            return value
        return self._strike_items(value, found)

    def _find(self, whole: str) -> list[str]:
        """Return the texts that stand in a string, the longest first."""
        words = set(_WORD.findall(whole))
        candidates = [text for word in words & self._by_word.keys() for text in self._by_word[word]]
        found = [text for text in (*candidates, *self._without_words) if text[:HEAD] in whole]
        return sorted(found, key=len, reverse=True)

    def _strike_items(self, value: Any, found: list[str]) -> Any:
        if isinstance(value, str):
            for text in found:
                value = _cut_out(value, text)
            return value
        if isinstance(value, list):
            kept = [one for one in value if not (_is_file(one) and self._holds_any(one))]
            return [self._strike_items(one, found) for one in kept]
        if isinstance(value, dict):
            if _is_file(value):
                return value
            return {
                key: one if key == "action" else self._strike_items(one, found)
                for key, one in value.items()
            }
        return value

    def _holds_any(self, file: Any) -> bool:
        """Return whether a stored file holds one of the texts, or a name of their writer."""
        for text in _list_texts_of_file(file):
            if self._find(text) or self._names.search(text):
                return True
        return False


def _cut_out(value: str, text: str) -> str:
    """Return the string with a text replaced, also a long one whose end was cut off."""
    if len(text) < SHORT:
        return DELETED if value == text else value.replace(f'"{text}"', f'"{DELETED}"')
    head = text[:HEAD]
    start = 0
    while (at := value.find(head, start)) >= 0:
        end = at + len(head)
        while end < len(value) and end - at < len(text) and value[end] == text[end - at]:
            end += 1
        is_whole = end - at == len(text)
        goes_on = (
            _is_letter(value, end, text[-1])
            if is_whole
            else not value.startswith(("…", "..."), end)
        )
        if goes_on or _is_letter(value, at - 1, head[0]):
            start = at + 1
            continue
        value = value[:at] + DELETED + value[end:]
        start = at + len(DELETED)
    return value


def _is_letter(value: str, at: int, beside: str) -> bool:
    """Return whether a word goes on from `beside` to the character at this place."""
    is_inside = 0 <= at < len(value)
    return (
        is_inside and _WORD.fullmatch(beside) is not None and _WORD.fullmatch(value[at]) is not None
    )


def _is_file(value: Any) -> bool:
    return isinstance(value, dict) and {"name", "content"} <= value.keys()


def _list_strings(value: Any) -> Iterator[str]:
    """Yield the strings of a value of JSON, without those of files."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _list_strings(one)
    elif isinstance(value, dict) and not _is_file(value):
        for one in value.values():
            yield from _list_strings(one)


def _list_files(value: Any) -> Iterator[Any]:
    """Yield the files in a value of JSON."""
    if _is_file(value):
        yield value
    elif isinstance(value, list | dict):
        for one in value if isinstance(value, list) else value.values():
            yield from _list_files(one)


def _list_texts_of_file(file: Any) -> Iterator[str]:
    """Yield the text of a stored file, unpacked, and that of the log inside a page."""
    content = str(file["content"])
    if file.get("packed"):
        content = _unpack(content)
    yield content
    for packed in _PACKED_PAGE.findall(content):
        yield _unpack(packed)


def _unpack(packed: str) -> str:
    """Return the text of bytes in base64, unpacked if they are a gzip file."""
    try:
        data = a2b_base64(packed)
    except NotBase64:
        return ""
    if data.startswith(_PICTURE):
        return ""
    if data.startswith(_GZIP):
        try:
            data = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, MOST_UNPACKED)
        except zlib.error:
            return ""
    return data.decode("utf-8", "replace")
