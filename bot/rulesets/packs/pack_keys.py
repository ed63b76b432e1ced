"""The keys of pack.yaml: what each may hold, and what it says.

`read_about` of `bot/rulesets/packs/pack.py` checks a pack by them; the schema for editors and the
page for authors are made from them, and errors quote them.
"""

from collections.abc import Mapping

from bot.rules.shapes import FLAG, NUMBER, Key, Keys, Part, Schema, either

LONGEST_ID = 20
"""Most characters of an id: with `-table` it names a command, for which Discord takes 32."""
LONGEST = {
    "title": 60,
    "version": 20,
    "author": 80,
    "licence": 80,
    "notice": 500,
    "rules": 80,
    "inherits": LONGEST_ID,
    "extends": LONGEST_ID,
}


def _build_text(key: str) -> Schema:
    """Return the shape of the text of a key."""
    return {"type": "string", "maxLength": LONGEST[key]}


PACK: Keys = {
    "id": Key(
        {
            "type": "string",
            "pattern": "^[a-z][a-z0-9]*(-[a-z0-9]+)*$",
            "maxLength": LONGEST_ID,
            "title": f"word of small letters, digits and hyphens, at most {LONGEST_ID}",
        },
        "the first word of its commands, as in /few-table",
    ),
    "title": Key(_build_text("title"), "the game's name"),
    "version": Key(
        either(_build_text("version"), NUMBER), "which version this is, in your own words"
    ),
    "author": Key(_build_text("author"), "who typed it in"),
    "licence": Key(_build_text("licence"), "the license under which others may use it"),
    "notice": Key(
        _build_text("notice"), "shown in help; if left out: title, version, author and license"
    ),
    "rules": Key(
        _build_text("rules"),
        "where its rules are, if they come with it; otherwise help asks for the rule book",
    ),
    "inherits": Key(
        _build_text("inherits"),
        "only for house rules: the built-in game that they change; the pack has only what differs",
    ),
    "extends": Key(
        _build_text("extends"),
        "only for an extension: the built-in game that the pack adds to",
    ),
    "private": Key(FLAG, "exports and pages contain only the hash of its files"),
}

PARTS: Mapping[str, Part] = {"pack": Part(PACK, ("id", "title", "version", "author", "licence"))}
