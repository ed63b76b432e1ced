"""A workspace: its people, its channels, the bot's token and scopes there."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .settings import USUAL_SCOPES, Json

if TYPE_CHECKING:
    from .standin import SlackStandIn
    from .user import User

_NUMBERS = itertools.count(1)


def new_id(kind: str) -> str:
    """An id as Slack makes them: a letter for the kind, then capitals and digits."""
    return f"{kind}0{next(_NUMBERS):07d}"


@dataclass(eq=False, repr=False)  # they refer to each other: whole, a failure would fill the memory
class Channel:
    """A channel, private channel or direct message (`im_with` names the person). `members` None
    is everyone.
    """

    id: str
    name: str
    workspace: Workspace
    bot_member: bool = True
    private: bool = False
    archived: bool = False
    im_with: str | None = None
    members: set[str] | None = None

    @property
    def team(self) -> str:
        """The workspace's id."""
        return self.workspace.id

    @property
    def kind(self) -> str:
        """channel, group or im, as events call it."""
        return "im" if self.im_with else "group" if self.private else "channel"

    @property
    def command_name(self) -> str:
        """The name a slash command carries; private ones are not named."""
        return {"im": "directmessage", "group": "privategroup"}.get(self.kind, self.name)

    def shows(self, user: str) -> bool:
        """Whether this person can read here."""
        if self.im_with:
            return user == self.im_with
        return self.workspace.person(user) is not None and (
            self.members is None or user in self.members
        )

    def as_slack(self) -> Json:
        """As conversations.info answers."""
        body: Json = {
            "id": self.id,
            "is_channel": self.kind == "channel",
            "is_group": self.kind == "group",
            "is_im": self.kind == "im",
            "is_private": self.private or self.kind == "im",
            "is_archived": self.archived,
            "context_team_id": self.team,
        }
        if self.im_with:
            return body | {"user": self.im_with}
        return body | {"name": self.name, "is_member": self.bot_member}


@dataclass(eq=False, repr=False)  # they refer to each other: whole, a failure would fill the memory
class Workspace:
    """`bot_token` is empty until the app is installed; `scopes` is what it was granted."""

    id: str
    slack: SlackStandIn
    name: str = ""
    scopes: set[str] = field(default_factory=lambda: set(USUAL_SCOPES))
    bot_token: str = ""
    bot_user: str = field(default_factory=lambda: new_id("U"))
    bot_id: str = field(default_factory=lambda: new_id("B"))
    users: dict[str, User] = field(default_factory=dict)  # by name
    channels: dict[str, Channel] = field(default_factory=dict)  # by id

    @property
    def domain(self) -> str:
        """The part before .slack.com."""
        return self.id.lower()

    @property
    def installed(self) -> bool:
        """Whether the app is in this workspace."""
        return bool(self.bot_token)

    def user(self, name: str) -> User:
        """The person of this name, new on first use."""
        from .user import User

        if name not in self.users:
            self.users[name] = User(new_id("U"), name, self)
        return self.users[name]

    def person(self, user: str) -> User | None:
        """The person with this id."""
        return next((one for one in self.users.values() if one.id == user), None)

    def channel(
        self,
        name: str,
        *,
        bot_member: bool = True,
        private: bool = False,
        members: list[User] | None = None,
    ) -> Channel:
        """The channel of this name, new on first use (the settings count only then)."""
        for channel in self.channels.values():
            if channel.name == name and not channel.im_with:
                return channel
        ids = None if members is None else {member.id for member in members}
        channel = Channel(new_id("C"), name, self, bot_member, private, members=ids)
        self.channels[channel.id] = channel
        return channel

    def im(self, user: str) -> Channel:
        """The direct messages between this person and the bot."""
        for channel in self.channels.values():
            if channel.im_with == user:
                return channel
        channel = Channel(new_id("D"), "", self, im_with=user)
        self.channels[channel.id] = channel
        return channel

    def find_channel(self, asked: str) -> Channel | None:
        """By id, by #name, or a person's id for the direct messages with them."""
        if asked in self.channels:
            return self.channels[asked]
        if self.person(asked) is not None:
            return self.im(asked)
        return next(
            (one for one in self.channels.values() if one.name and f"#{one.name}" == asked), None
        )

    def install(self, scopes: set[str] | None = None) -> str:
        """Put the app in (again); the new bot token comes back."""
        self.bot_token = f"xoxb-{self.id}-{new_id('')}"
        self.scopes = set(USUAL_SCOPES) if scopes is None else set(scopes)
        return self.bot_token

    async def uninstall(self) -> None:
        """Take the app out: the token dies, and the app is told by two events."""
        self.slack.revoked[self.bot_token] = "account_inactive"
        self.bot_token = ""
        for event in (
            {"type": "tokens_revoked", "tokens": {"bot": [self.bot_user]}},
            {"type": "app_uninstalled"},
        ):
            await self.slack.send_event(self, event)
