"""Who a text would notify, given what its sender allowed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.standins.discord.errors import Json, Problems

CODE = re.compile(r"```.*?```|``.+?``|`[^`\n]+`", re.DOTALL)
TARGET = re.compile(r"<@([!&]?)(\d{15,20})>|@(everyone|here)")
PARSED = ("roles", "users", "everyone")


@dataclass(frozen=True, slots=True)
class Mentions:
    """User ids, role ids (with `&`), "everyone" and "here" found outside code."""

    found: frozenset[str]

    def allowed(self, rules: Json | None, *, may_ping_everyone: bool) -> set[str]:
        """Those that `rules` (allowed_mentions; None allows all) and permissions let through."""
        return {one for one in self.found if _passes(one, rules, may_ping_everyone)}


def mentions(text: str) -> Mentions:
    """All mentions in `text`."""
    found = set()
    for mark, number, group in TARGET.findall(CODE.sub(" ", text)):
        found.add(group or ("&" + number if mark == "&" else number))
    return Mentions(frozenset(found))


def _passes(one: str, rules: Json | None, may_ping_everyone: bool) -> bool:
    if one in ("everyone", "here"):
        return may_ping_everyone and (rules is None or "everyone" in rules.get("parse", []))
    kind = "roles" if one.startswith("&") else "users"
    if kind == "roles" and not may_ping_everyone:
        return False  # roles here are not mentionable by all
    if rules is None:
        return True
    return kind in rules.get("parse", []) or one.lstrip("&") in [
        str(n) for n in rules.get(kind) or []
    ]


def check_rules(problems: Problems, where: str, rules: object) -> None:
    """Note what is wrong with an allowed_mentions object."""
    if rules is None:
        return
    if not isinstance(rules, dict):
        problems.add(where, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
        return
    for word in rules.get("parse", []):
        if word not in PARSED:
            problems.add(
                f"{where}.parse", "BASE_TYPE_CHOICES", f"Value must be one of {set(PARSED)}."
            )
    for kind in ("users", "roles"):
        listed = rules.get(kind) or []
        problems.count(f"{where}.{kind}", listed, 0, 100)
        if listed and kind in rules.get("parse", []):
            text = f"parse:[{kind!r}] and {kind}: [ids...] are mutually exclusive."
            problems.add(where, "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", text)
