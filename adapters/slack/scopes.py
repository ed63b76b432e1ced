"""What the app asks for: no more than it needs."""

from __future__ import annotations

SCOPES = (
    "app_mentions:read",  # threads, and whoever likes it better: @grognard roll 2d6
    "channels:read",  # /game transfer: whether who asks and the bot are members of the other channel
    "chat:write",
    "commands",
    "files:read",  # /game import, /unit import
    "files:write",  # /game export, long answers, pictures
    "groups:read",  # the same for private channels
    "im:history",  # direct messages to the bot
    "im:write",
    "pins:write",  # /game board: the board is pinned
    "users:read",  # the name to show, and who is an admin
)
EVENTS = ("app_home_opened", "app_mention", "app_uninstalled", "message.im", "tokens_revoked")

SHORTCUTS = {
    "fire": ("global", "Fire", "Fire in the game where it is your go"),
    "roll": ("global", "Roll dice", "Roll dice in the game where it is your go"),
    "odds": ("message", "Odds of this", "The chances of this shot, as it was fired"),
    "undo": ("message", "Undo this", "Take this roll back"),
}
"""By callback: global ones, and those under the menu of a message, which also work in threads."""
