"""Helpers of tests/adapters/discord/test_hands.py, which other tests use as well."""

from __future__ import annotations

from tests.standins.discord import Message


def choices(message: Message, menu: str) -> list[str]:
    """What one of its menus offers."""
    menus = [
        part
        for row in message.components
        for part in row["components"]
        if part.get("placeholder") == menu
    ]
    return [option["label"] for option in menus[0]["options"]] if menus else []
