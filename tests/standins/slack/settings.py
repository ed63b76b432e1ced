"""What the stand-in holds an app to: Slack's own limits, each of which a test may change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

# What a bot of this kind is granted by default; `Workspace.scopes` is the set that counts.
USUAL_SCOPES = frozenset(
    {
        "commands",
        "chat:write",
        "app_mentions:read",
        "im:history",
        "im:read",
        "im:write",
        "pins:write",
        "channels:read",
        "groups:read",
        "users:read",
        "team:read",
        "files:read",
        "files:write",
    }
)

USUAL_EVENTS = frozenset({"app_mention", "message.im", "app_uninstalled", "tokens_revoked"})


@dataclass
class Limits:
    """Times are in seconds; 0 for `message_interval` switches that limit off.

    Slack gives three for an acknowledgement and for a trigger; more here for machines that are
    busy.
    """

    ack_seconds: float = 10.0
    trigger_seconds: float = 10.0
    response_url_uses: int = 5
    response_url_seconds: float = 30 * 60.0
    redeliver_after: tuple[float, ...] = (
        0.0,
        60.0,
        300.0,
    )  # waits after each missed acknowledgement
    # Slack repeats events only; a test may add kinds
    redelivered: frozenset[str] = frozenset({"events_api"})
    message_interval: float = 1.0  # chat.postMessage, per channel
    message_burst: int = 3
    per_minute: dict[str, int] = field(
        default_factory=lambda: {"chat.update": 50, "chat.postEphemeral": 100}
    )
    text_chars: int = 40_000
    update_chars: int = 4_000
    blocks_chars: int = 11_000
    file_bytes: int = 1_000_000_000
    refuses: frozenset[str] = frozenset()  # types of blocks that the workspace does not take
    escape: bool = True  # a slash command's "escape channels, users and links" setting
