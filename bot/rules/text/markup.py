"""Marks of Markdown and HTML in cells that were copied from pages and notes."""

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
_KEPT = {0xE000 + ord(sign): sign for sign in "*_~`"}
"""What stands for an escaped mark (`\\*`) while the others are taken off."""
SOURCE_OF_PAGE = "Copy it from the page as readers see it, or save it as CSV."
"""What to do about a table in the source of a page."""


def remove_markup(text: str) -> str:
    """Return a text without marks for bold, italics, struck out words, links, tags and entities of
    HTML. What is raised stays apart: `2<sup>a</sup>` is `2^a`.
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
    return text.translate(_KEPT).strip()


def find_struck_out(text: str) -> str:
    """Return the first words that are struck out in a text, "" if there are none."""
    struck = _STRUCK_OUT.search(text)
    return (struck[1] or struck[2]) if struck else ""


def find_broken_line(text: str) -> str:
    """Return the words around the first line break of HTML in a text, "" if there is none."""
    broken = _BROKEN.search(text)
    if not broken:
        return ""
    return f"{broken[1].strip()} {broken[2].strip()}"


def remove_entities(text: str) -> str:
    """Return a text without the entities of HTML, whose `;` parts no cells."""
    return _ENTITY.sub("", text) if "&" in text else text


def detect_page_language(text: str) -> str:
    """Return the language of a text that is the source of a page with a table: MediaWiki, HTML, or
    "" for any other text.
    """
    if any(line.startswith("{|") for line in text.split("\n")):
        return "MediaWiki"
    return "HTML" if _HTML_TABLE.match(text) else ""
