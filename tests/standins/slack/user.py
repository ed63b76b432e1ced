"""A person at the keyboard: writes, presses, fills in, looks, and now and then runs the
workspace.
"""

from __future__ import annotations

import asyncio

from .messages import Message
from .pressing import Presser
from .settings import Json
from .workspace import Channel
from .writing import Writer


class User(Writer, Presser):
    """Made by `Workspace.user(name)`."""

    async def wait_for(
        self, channel: Channel, words: str, *, thread: str | None = None, timeout: float = 60.0
    ) -> Message:
        """The first message seen there with these words in it, now or soon."""
        return await self.workspace.slack.watch.until(
            lambda: next(
                (one for one in self.sees(channel, thread) if words in one.everything), None
            ),
            timeout=timeout,
            what=f"{words!r} in {channel.name or 'the direct messages'} for {self.name}",
        )

    async def invite_bot(self, channel: Channel) -> None:
        """Make the bot a member; the app hears of it if it listens for member_joined_channel."""
        channel.bot_member = True
        if "member_joined_channel" in self.workspace.slack.events:
            joined = {
                "type": "member_joined_channel",
                "user": self.workspace.bot_user,
                "channel": channel.id,
            }
            await self.workspace.slack.send_event(self.workspace, joined | {"inviter": self.id})

    def remove_bot(self, channel: Channel) -> None:
        """The bot is no member any more."""
        channel.bot_member = False

    def as_slack(self) -> Json:
        """As users.info answers."""
        names = {"real_name": self.name, "display_name": self.name.lower()}
        body: Json = {
            "id": self.id,
            "team_id": self.workspace.id,
            "name": self.name.lower(),
            "deleted": False,
        }
        body |= {"is_admin": self.admin, "is_owner": False, "is_primary_owner": False}
        return body | {
            "real_name": self.name,
            "is_bot": False,
            "profile": names,
            "tz": "Europe/Berlin",
        }

    async def install_app(self, url: str, *, deny: bool = False) -> tuple[int, str]:
        """Open the app's install page, agree (or not) and follow back; the last page's status
        and text.
        """
        from .browser import install

        return await asyncio.wait_for(install(self, url, deny=deny), 60)

    @property
    def mention_text(self) -> str:
        """`<@U…>`, as messages write this person."""
        return f"<@{self.id}>"
