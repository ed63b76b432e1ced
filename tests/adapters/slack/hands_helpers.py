"""Helpers of tests/adapters/slack/test_hands.py, which other tests use as well."""

from __future__ import annotations

from tests.standins.slack import Message
from tests.standins.slack.views import OpenView

PLAY, GIVE = "a:menu-0", "a:menu-2"


def words(view: OpenView) -> str:
    """All that a window says."""
    return f"{view.title} {view.blocks}"


def choices(view: OpenView | Message, menu: str) -> list[str]:
    """What one of its menus offers."""
    found = [element for _, element in view.elements() if element["action_id"] == menu]
    return [option["text"]["text"] for option in found[0]["options"]] if found else []
