"""Whether somebody is still where a game is played, as each platform says at that moment; None:
it does not say.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from adapters.discord.channels import is_member
from adapters.slack.calls import Busy
from adapters.slack.channels import is_still_member


def missing(code: int) -> discord.NotFound:
    return discord.NotFound(
        SimpleNamespace(status=404, reason="no"), {"code": code, "message": "no"}
    )


@pytest.mark.parametrize(
    ("answer", "said"),
    [({"user": {}}, True), (missing(10007), False), (missing(10004), None), (OSError(), None)],
)
async def test_discord_says_who_is_on_the_server(answer: Any, said: bool | None) -> None:
    async def get_member(server: int, user: int) -> Any:
        assert (server, user) == (55, 7)
        if isinstance(answer, Exception):
            raise answer
        return answer

    http: Any = SimpleNamespace(get_member=get_member)
    assert await is_member(http, "discord:7", "discord:55/900") is said
    assert await is_member(http, "discord:7", "discord:dm/7") is None


@pytest.mark.parametrize(("members", "said"), [(["U1", "U2"], True), (["U2"], False), (None, None)])
async def test_slack_says_who_is_in_the_channel(
    members: list[str] | None, said: bool | None
) -> None:
    async def request(token: str, method: str, **arguments: Any) -> Any:
        assert (token, method, arguments["channel"]) == ("t", "conversations.members", "C1")
        if members is None:
            raise Busy("slow", 1.0)
        return {"members": members}

    async def find(team: str) -> Any:
        return SimpleNamespace(token="t") if team == "T1" else None

    wire: Any = SimpleNamespace(call_with_form=request)
    teams: Any = SimpleNamespace(find=find)
    assert await is_still_member(wire, teams, "slack:T1/U1", "slack:T1/C1") is said
    assert await is_still_member(wire, teams, "slack:T1/U1", "slack:T1/C1/17.2") is said
    assert await is_still_member(wire, teams, "slack:T1/U1", "slack:T9/C1") is None
