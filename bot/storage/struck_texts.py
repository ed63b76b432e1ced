"""Striking the texts of a user whose data is deleted from the answers to others."""

import re
import zlib
from binascii import Error as NotBase64
from binascii import a2b_base64
from collections.abc import Iterable, Iterator
from typing import Any

from bot.rules.proof.chain import DELETED

HEAD = 24
"""Number of first characters by which a long text is found: an answer may have cut off its end."""
SHORT = 3
"""Length below which a text is struck only if it is the whole string, or in quotes."""
MOST_UNPACKED = 50_000_000
"""Maximum number of bytes of a packed file that are searched."""
_GZIP, _PICTURE = b"\x1f\x8b", b"\x89PNG"
"""The first bytes of packed files and of pictures."""
_WORD = re.compile(r"\w+")
_PACKED_PAGE = re.compile(r"H4sI[A-Za-z0-9+/=]+")


class StruckTexts:
    """The texts to strike, indexed by their longest word so that a search for thousands is fast.

    `names` are the names of their writer. A file that contains one of them is removed.
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
        """Return a JSON value in which the texts are replaced by DELETED, and without the files that
        contain a text or a name; the same object if there are none.
        """
        strings = [*_list_strings(value)]
        texts = self._find("\n".join(strings))
        if not texts and not any(self._holds_any(file) for file in _list_files(value)):
            return value
        return self._strike_items(value, texts)

    def _find(self, whole: str) -> list[str]:
        """Return the texts that a string contains, at least with their first HEAD characters; the
        longest first.
        """
        words = set(_WORD.findall(whole))
        candidates = [text for word in words & self._by_word.keys() for text in self._by_word[word]]
        matches = [text for text in (*candidates, *self._without_words) if text[:HEAD] in whole]
        return sorted(matches, key=len, reverse=True)

    def _strike_items(self, value: Any, texts: list[str]) -> Any:
        """Return a JSON value in which these texts are replaced. Files with a text or name are removed
        from lists; other files and the actions of buttons stay.
        """
        if isinstance(value, str):
            for text in texts:
                value = _cut_out(value, text)
            return value
        if isinstance(value, list):
            elements = [
                element for element in value if not (_is_file(element) and self._holds_any(element))
            ]
            return [self._strike_items(element, texts) for element in elements]
        if isinstance(value, dict):
            if _is_file(value):
                return value
            return {
                key: member if key == "action" else self._strike_items(member, texts)
                for key, member in value.items()
            }
        return value

    def _holds_any(self, file: Any) -> bool:
        """Return whether a stored file contains one of the texts, or a name of their writer."""
        for text in _list_texts_of_file(file):
            if self._find(text) or self._names.search(text):
                return True
        return False


def _cut_out(value: str, text: str) -> str:
    """Return the string with each occurrence of a text replaced by DELETED. The text must not begin
    or end inside a word. A long text may also be cut off before an ellipsis.
    """
    if len(text) < SHORT:
        return DELETED if value == text else value.replace(f'"{text}"', f'"{DELETED}"')
    head = text[:HEAD]
    begin = value.find(head)
    while begin >= 0:
        length = _count_equal(value[begin : begin + len(text)], text)
        stop = begin + length
        if length == len(text):
            continues = _is_same_word(value, stop, text[-1])
        else:
            continues = not value.startswith(("…", "..."), stop)
        if continues or _is_same_word(value, begin - 1, head[0]):
            begin = value.find(head, begin + 1)
            continue
        value = value[:begin] + DELETED + value[stop:]
        begin = value.find(head, begin + len(DELETED))
    return value


def _count_equal(value: str, text: str) -> int:
    """Return the number of equal characters at the beginning of two strings."""
    for index, (character, expected) in enumerate(zip(value, text, strict=False)):
        if character != expected:
            return index
    return min(len(value), len(text))


def _is_same_word(value: str, index: int, neighbour: str) -> bool:
    """Return whether there is a word character at this index of the string, and `neighbour`, a
    character next to it, is one, too: then both belong to one word.
    """
    if not 0 <= index < len(value):
        return False
    return _WORD.fullmatch(neighbour) is not None and _WORD.fullmatch(value[index]) is not None


def _is_file(value: Any) -> bool:
    return isinstance(value, dict) and {"name", "content"} <= value.keys()


def _list_strings(value: Any) -> Iterator[str]:
    """Yield the strings in a JSON value, without those of files."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for element in value:
            yield from _list_strings(element)
    elif isinstance(value, dict) and not _is_file(value):
        for member in value.values():
            yield from _list_strings(member)


def _list_files(value: Any) -> Iterator[Any]:
    """Yield the files in a JSON value: objects with name and content."""
    if _is_file(value):
        yield value
    elif isinstance(value, list | dict):
        for element in value if isinstance(value, list) else value.values():
            yield from _list_files(element)


def _list_texts_of_file(file: Any) -> Iterator[str]:
    """Yield the text of a stored file, unpacked, and that of each packed log inside a page."""
    content = str(file["content"])
    if file.get("packed"):
        content = _unpack(content)
    yield content
    for packed in _PACKED_PAGE.findall(content):
        yield _unpack(packed)


def _unpack(packed: str) -> str:
    """Return the text of bytes in base64, unpacked if they are a gzip file; "" for pictures and for
    damaged data.
    """
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
