"""Markup of Markdown and HTML in cells that were copied from pages and notes."""

import re
from html import unescape

_EMPHASIS = re.compile(
    r"(?<![\w*~`])(\*{1,3}|__?|~~|`)(?![\s*_~`])([^*~`\n]{1,300})(?<![\s_])\1(?![\w*~`])"
)
"""Words between marks of Markdown. `2*3*4`, `1*` and `a_b_c` have none."""
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\((?:https?:|/|#|\.|mailto:)[^()\s]{0,300}\)")
_TAG = re.compile(
    r"</?(?:b|i|em|strong|u|s|del|ins|mark|small|span|font|code|a|abbr|p|div|li|ul|ol)"
    r"(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<(?:br|/p|/div|/li)\s{0,3}/?>", re.IGNORECASE)
_BROKEN = re.compile(r"([^|<>\t\n]{1,30})<br\s{0,3}/?>([^|<>\t\n]{1,30})", re.IGNORECASE)
_RAISED = re.compile(r"<(?:sup|sub)(?:\s[^<>]{0,100})?>", re.IGNORECASE)
_RAISED_END = re.compile(r"</(?:sup|sub)>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{1,30}\d{0,2});", re.IGNORECASE)
_HTML_TABLE = re.compile(r"\s{0,99}<(?:!doctype|html|table|thead|tbody|tr)\b", re.IGNORECASE)
_STRUCK_OUT = re.compile(r"~~(?=[^\s~])([^~\n]{1,60})~~|<(?:s|del)>([^<\n]{1,60})</", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([*_~`])")
_STAND_INS = {0xE000 + ord(sign): sign for sign in "*_~`"}
"""The private sign that stands for each escaped mark (`\\*`) while the other marks are removed."""
SOURCE_OF_PAGE = "Copy it from the page as readers see it, or save it as CSV."
"""The advice to players for a table in the source of a page."""


def remove_markup(text: str) -> str:
    """Return a text without the markup of Markdown and HTML: bold, italics, struck out words,
    links, tags, entities.

    The words between the marks stay, of a link its text. Raised and lowered text gets a `^`:
    `2<sup>a</sup>` is `2^a`.
    """
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub(" ", text))
        text = _RAISED_END.sub("", _RAISED.sub("^", text))
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "&" in text:
        text = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    text = _ESCAPED.sub(lambda escaped: chr(0xE000 + ord(escaped[1])), text)
    for _ in range(3):  # bold inside italics
        text = _EMPHASIS.sub(r"\2", text)
    return text.translate(_STAND_INS).strip()


def find_struck_out(text: str) -> str:
    """Return the first words that are struck out in a text, "" if there are none."""
    match = _STRUCK_OUT.search(text)
    return (match[1] or match[2]) if match else ""


def find_broken_line(text: str) -> str:
    """Return the words before and after the first line break of HTML (`<br>`) in a text, joined by
    a space; "" if there is none.
    """
    match = _BROKEN.search(text)
    if not match:
        return ""
    return f"{match[1].strip()} {match[2].strip()}"


def remove_entities(text: str) -> str:
    """Return a text without the entities of HTML, because their `;` does not separate cells."""
    return _ENTITY.sub("", text) if "&" in text else text


def detect_page_language(text: str) -> str:
    """Return `MediaWiki` or `HTML` for a text that is the source of a page with a table, "" for
    any other text.
    """
    if any(line.startswith("{|") for line in text.split("\n")):
        return "MediaWiki"
    return "HTML" if _HTML_TABLE.match(text) else ""
