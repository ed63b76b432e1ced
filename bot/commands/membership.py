"""Whether a player is still there, as their platform says."""

import asyncio

from bot.commands.context import Context

MEMBER_CHECK_SECONDS = 1.0
"""Seconds to wait for the platform to say if a user is a member. Without an answer they are."""


async def has_left_channel(context: Context, user: str, channel: str) -> bool:
    """Return True if the platform says that a user (by key) has left a channel (by key), or its
    server. False if it does not answer in time.
    """
    is_member = context.members.get(user.partition(":")[0])
    if is_member is None:
        return False
    try:
        return await asyncio.wait_for(is_member(user, channel), MEMBER_CHECK_SECONDS) is False
    except TimeoutError:
        return False
