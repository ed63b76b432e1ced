"""auth.*, apps.*, users.*, team.*, conversations.*: who is who, and where."""

from __future__ import annotations

from .api import Call, Refused, method
from .settings import Json
from .workspace import Channel


@method("auth.test")
async def auth_test(call: Call) -> Json:
    """Who the token belongs to."""
    home = call.workspace
    return {
        "url": f"https://{home.domain}.slack.com/",
        "team": home.name,
        "user": "grognard",
        "team_id": home.id,
        "user_id": home.bot_user,
        "bot_id": home.bot_id,
        "is_enterprise_install": False,
    }


@method("auth.revoke")
async def auth_revoke(call: Call) -> Json:
    """The token is worth nothing from now on."""
    if str(call.args.get("test", "")).lower() in ("1", "true"):
        return {"revoked": False}
    call.slack.revoked[call.token] = "token_revoked"
    call.workspace.bot_token = ""
    return {"revoked": True}


@method("apps.connections.open", token="app")
async def connections_open(call: Call) -> Json:
    """A URL for one Socket Mode connection."""
    if call.slack.transport != "socket":
        raise Refused("socket_mode_disabled")
    return {"url": call.slack.sockets.ticket()}


@method("users.info", "users:read")
async def users_info(call: Call) -> Json:
    """One person's names."""
    asked = call.needed("user")
    for user in call.workspace.users.values():
        if user.id == asked:
            return {"user": user.as_slack()}
    if asked == call.workspace.bot_user:
        return {
            "user": {"id": asked, "team_id": call.workspace.id, "name": "grognard", "is_bot": True}
        }
    raise Refused("user_not_found")


@method("team.info", "team:read")
async def team_info(call: Call) -> Json:
    """The workspace's names."""
    home = call.workspace
    return {
        "team": {
            "id": home.id,
            "name": home.name,
            "domain": home.domain,
            "url": f"https://{home.domain}.slack.com/",
        }
    }


@method("conversations.info", "channels:read", "groups:read", "im:read")
async def conversations_info(call: Call) -> Json:
    """One conversation; each kind needs its own scope."""
    channel = call.channel()
    _need_kind(call, channel)
    return {"channel": channel.as_slack()}


def _need_kind(call: Call, channel: Channel) -> None:
    """Raises Refused without the scope for this kind of conversation."""
    needed = "im:read" if channel.im_with else "groups:read" if channel.private else "channels:read"
    if needed not in call.workspace.scopes:
        raise Refused(
            "missing_scope", needed=needed, provided=",".join(sorted(call.workspace.scopes))
        )


@method("conversations.members", "channels:read", "groups:read", "im:read")
async def conversations_members(call: Call) -> Json:
    """Who is in a conversation, page by page; a public channel shows its members to those who
    are not.
    """
    channel = call.channel(by_id=True)
    _need_kind(call, channel)
    members = [user.id for user in call.workspace.users.values() if channel.shows(user.id)]
    members += [call.workspace.bot_user] if channel.bot_member else []
    start, limit = int(call.args.get("cursor") or 0), int(call.args.get("limit") or 100)
    if not 1 <= limit <= 999:
        raise Refused("invalid_limit")
    following = str(start + limit) if start + limit < len(members) else ""
    return {
        "members": members[start : start + limit],
        "response_metadata": {"next_cursor": following},
    }


@method("conversations.open", "im:write")
async def conversations_open(call: Call) -> Json:
    """The direct messages with one person."""
    user = str(call.args.get("users", "")) or call.needed("channel")
    channel = call.workspace.find_channel(user)
    if channel is None or channel.im_with is None:
        raise Refused("user_not_found" if user.startswith("U") else "channel_not_found")
    return {"channel": channel.as_slack() if call.args.get("return_im") else {"id": channel.id}}


@method("conversations.join", "channels:join")
async def conversations_join(call: Call) -> Json:
    """The bot becomes a member of a public channel."""
    channel = call.channel()
    if channel.private:
        raise Refused("method_not_supported_for_channel_type")
    channel.bot_member = True
    return {"channel": channel.as_slack()}
