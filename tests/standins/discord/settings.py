"""What a test may set before the stand-in starts."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Settings:
    """Discord's constants, each of which a test may shorten or tighten. Times are in seconds."""

    token: str = "standin-token"
    receipt_limit: float = (
        10.0  # for the first response: 3 at Discord, more here for machines that are busy
    )
    token_life: float = 900.0  # of an interaction's token
    heartbeat_interval: float = 41.25
    shards: int = 1  # recommended by /gateway/bot
    max_concurrency: int = 1  # shards that may identify within 5 seconds
    privileged_intents: set[str] = field(default_factory=set)  # members, presences, message_content
    requests_per_second: int = 50  # per application; interaction routes do not count; 0: no limit
    messages_per_channel: tuple[int, float] = (
        5,
        5.0,
    )  # new messages in so many seconds; (0, 0): no limit
    nonce_seconds: float = 180.0  # for which a message is known by its nonce
    daily_creations: int = 200  # of commands
