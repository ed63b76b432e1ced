"""The world written as Discord's JSON."""

from __future__ import annotations

from tests.standins.discord import permissions
from tests.standins.discord.clock import EPOCH, stamp
from tests.standins.discord.errors import Json
from tests.standins.discord.state import (
    Attachment,
    Channel,
    ChannelKind,
    Guild,
    Interaction,
    Kind,
    Message,
    User,
    World,
)

LONG_AGO = "2020-01-01T00:00:00+00:00"


def user_json(user: User) -> Json:
    """A user object."""
    return {
        "id": str(user.id),
        "username": user.name,
        "discriminator": "0",
        "global_name": user.name,
        "avatar": None,
        "bot": user.bot,
        "public_flags": 0,
    }


def application_json(world: World) -> Json:
    """The application behind the bot."""
    return {
        "id": str(world.bot.id),
        "name": world.bot.name,
        "icon": None,
        "description": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "owner": user_json(world.owner),
        "team": None,
        "verify_key": world.signing.public_key,
        "flags": 0,
        "bot": user_json(world.bot),
        "approximate_guild_count": len(world.guilds),
        "interactions_endpoint_url": world.signing.url or None,
        "redirect_uris": [],
        "tags": [],
        "integration_types_config": {"0": {}} | ({"1": {}} if world.user_install else {}),
        "approximate_user_install_count": sum(user.has_app for user in world.users.values()),
    }


def member_json(world: World, user: User, guild: Guild, channel: Channel | None = None) -> Json:
    """A member; with a channel, as in an interaction, the permissions there."""
    role = role_of(world, user, guild)
    found: Json = {
        "user": user_json(user),
        "nick": None,
        "avatar": None,
        "roles": [role["id"]] if role else [],
        "joined_at": LONG_AGO,
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
    }
    if channel is not None:
        found["permissions"] = str(world.permissions(user, channel))
    return found


def role_of(world: World, user: User, guild: Guild) -> Json | None:
    """The role that gives a member more than everyone has; None if there is nothing more."""
    extra = guild.members.get(user.id, 0) & ~guild.everyone
    if not extra:
        return None
    number = guild.roles.setdefault(user.id, world.ids.next())
    return _role(number, user.name, guild.everyone | extra, position=1)


def _role(number: int, name: str, bits: int, position: int) -> Json:
    return {
        "id": str(number),
        "name": name,
        "permissions": str(bits),
        "position": position,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }


def roles_json(world: World, guild: Guild) -> list[Json]:
    """All roles of a server, everyone's first."""
    special = [role_of(world, world.users[number], guild) for number in guild.members]
    return [_role(guild.id, "@everyone", guild.everyone, position=0), *[r for r in special if r]]


def _overwrites(world: World, channel: Channel, guild: Guild) -> list[Json]:
    found = []
    for number in {**guild.members, **channel.overrides}:
        user = world.users[number]
        base = guild.everyone | guild.members.get(number, 0)
        final = world.permissions(user, channel)
        if (
            final != base
            and not guild.members.get(number, 0) & permissions.ADMINISTRATOR
            and user is not guild.owner
        ):
            found.append(
                {
                    "id": str(number),
                    "type": 1,
                    "allow": str(final & ~base),
                    "deny": str(base & ~final),
                }
            )
    return found


def channel_json(world: World, channel: Channel, *, sparse: bool = False) -> Json:
    """A channel, thread or DM; `sparse` leaves the overwrites out, as interactions do."""
    found: Json = {
        "id": str(channel.id),
        "type": int(channel.kind),
        "last_message_id": None,
        "flags": 0,
    }
    if channel.recipient is not None:
        return {**found, "recipients": [user_json(channel.recipient)]}
    if channel.people:
        named = (
            {"name": None, "owner_id": str(channel.people[0].id)}
            if channel.kind is ChannelKind.GROUP
            else {}
        )
        return {**found, "recipients": [user_json(user) for user in channel.people], **named}
    assert channel.guild is not None
    found |= {
        "name": channel.name,
        "guild_id": str(channel.guild.id),
        "rate_limit_per_user": 0,
        "nsfw": False,
    }
    if channel.kind is ChannelKind.THREAD:
        assert channel.parent is not None
        return found | {
            "parent_id": str(channel.parent.id),
            "owner_id": str(channel.guild.owner.id),
            "message_count": len(channel.messages),
            "member_count": 1,
            "total_message_sent": len(channel.messages),
            "thread_metadata": {
                "archived": channel.archived,
                "auto_archive_duration": 1440,
                "archive_timestamp": LONG_AGO,
                "locked": channel.locked,
                "create_timestamp": stamp(((channel.id >> 22) + EPOCH) / 1000),
            },
        }
    found |= {"position": 0, "topic": None, "parent_id": None, "permission_overwrites": []}
    if not sparse:
        found["permission_overwrites"] = _overwrites(world, channel, channel.guild)
    return found


def guild_json(world: World, guild: Guild) -> Json:
    """A server as GUILD_CREATE sends it; without the members intent, the bot is the only member
    listed.
    """
    channels = guild.channels.values()
    return {
        "id": str(guild.id),
        "name": guild.name,
        "owner_id": str(guild.owner.id),
        "icon": None,
        "splash": None,
        "discovery_splash": None,
        "banner": None,
        "description": None,
        "region": "",
        "afk_channel_id": None,
        "afk_timeout": 300,
        "verification_level": 0,
        "default_message_notifications": 1,
        "explicit_content_filter": 0,
        "roles": roles_json(world, guild),
        "emojis": [],
        "features": [],
        "mfa_level": 0,
        "nsfw_level": 0,
        "application_id": None,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "rules_channel_id": None,
        "vanity_url_code": None,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "preferred_locale": "en-US",
        "public_updates_channel_id": None,
        "stickers": [],
        "joined_at": LONG_AGO,
        "large": False,
        "member_count": len(guild.members),
        "voice_states": [],
        "members": [member_json(world, world.bot, guild)],
        "channels": [channel_json(world, c) for c in channels if c.kind is ChannelKind.TEXT],
        "threads": [
            channel_json(world, c)
            for c in channels
            if c.kind is ChannelKind.THREAD and not c.archived
        ],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def attachment_json(file: Attachment) -> Json:
    """A file's entry."""
    found: Json = {
        "id": str(file.id),
        "filename": file.name,
        "size": len(file.data),
        "url": file.url,
        "proxy_url": file.url,
        "content_type": file.kind,
    }
    if file.description:
        found["description"] = file.description
    if file.ephemeral:
        found["ephemeral"] = True
    return found


def message_json(world: World, message: Message, *, hide_text: bool = False) -> Json:
    """A message; `hide_text` is for a bot that may not read message content."""
    by_id = [
        world.users[int(who)]
        for who in sorted(message.highlights)
        if who.isdigit() and int(who) in world.users
    ]
    found: Json = {
        "id": str(message.id),
        "channel_id": str(message.channel.id),
        "author": user_json(message.author),
        "content": "" if hide_text else message.content,
        "timestamp": stamp(message.at),
        "edited_timestamp": stamp(message.edited_at) if message.edited_at is not None else None,
        "tts": False,
        "mention_everyone": bool(message.highlights & {"everyone", "here"}),
        "mentions": [user_json(user) for user in by_id],
        "mention_roles": [],
        "attachments": [] if hide_text else [attachment_json(a) for a in message.attachments],
        "embeds": [] if hide_text else message.embeds,
        "components": [] if hide_text else message.components,
        "pinned": False,
        "type": 0,
        "flags": message.flags,
    }
    if message.nonce is not None:
        found["nonce"] = message.nonce
    if message.reply_to is not None:
        found["type"] = 19
        found["message_reference"] = {
            "type": 0,
            "channel_id": found["channel_id"],
            "message_id": str(message.reply_to),
        }
        found["referenced_message"] = None
    if message.interaction is not None:
        found |= {"application_id": str(world.bot.id), "webhook_id": str(world.bot.id)}
        found["interaction_metadata"] = _metadata(message.interaction)
        if message.interaction.kind is Kind.COMMAND and message is message.interaction.original:
            found["type"] = 20
    return found


def _metadata(interaction: Interaction) -> Json:
    found: Json = {
        "id": str(interaction.id),
        "type": int(interaction.kind),
        "user": user_json(interaction.user),
        "authorizing_integration_owners": interaction.owners,
    }
    if interaction.kind is Kind.COMPONENT and interaction.source is not None:
        found["interacted_message_id"] = str(interaction.source.id)
    if interaction.kind is Kind.MODAL and interaction.opened_by is not None:
        found["triggering_interaction_metadata"] = _metadata(interaction.opened_by)
    return found


def interaction_json(world: World, interaction: Interaction) -> Json:
    """INTERACTION_CREATE's data."""
    channel, guild = interaction.channel, interaction.channel.guild
    found: Json = {
        "id": str(interaction.id),
        "application_id": str(world.bot.id),
        "type": int(interaction.kind),
        "data": interaction.data,
        "token": interaction.token,
        "version": 1,
        "channel_id": str(channel.id),
        "channel": channel_json(world, channel, sparse=True)
        | _asker_permissions(world, interaction),
        "app_permissions": str(world.app_permissions(interaction)),
        "locale": "en-US",
        "entitlements": [],
        "entitlement_sku_ids": [],
        "authorizing_integration_owners": interaction.owners,
        "context": channel.context,
        "attachment_size_limit": 10 * 1024 * 1024,
    }
    if guild is not None:
        found |= {
            "guild_id": str(guild.id),
            "guild": {"id": str(guild.id), "locale": "en-US", "features": []},
            "guild_locale": "en-US",
            "member": member_json(world, interaction.user, guild, channel),
        }
    else:
        found["user"] = user_json(interaction.user)
    if interaction.source is not None:
        found["message"] = message_json(world, interaction.source)
    return found


def _asker_permissions(world: World, interaction: Interaction) -> Json:
    return {"permissions": str(world.permissions(interaction.user, interaction.channel))}
