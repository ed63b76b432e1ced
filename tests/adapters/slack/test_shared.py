"""Channels shared with another workspace, installations for a whole organisation, and bodies
that are bent.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest

from adapters.slack.calls import SlackApi, SlackRefused
from adapters.slack.request import (
    get_team,
    is_valid_payload,
    read_event_payload,
    read_press_payload,
)
from adapters.slack.teams import StoreVault, Team, Teams
from tests.fresh import fresh_app

OURS, PARTNER = "T1", "T9"
EVENT: dict[str, Any] = {
    "type": "event_callback",
    "team_id": PARTNER,
    "is_ext_shared_channel": True,
    "authorizations": [{"team_id": OURS, "enterprise_id": None, "user_id": "UB", "is_bot": True}],
    "event": {
        "type": "app_mention",
        "user": "UP",
        "user_team": PARTNER,
        "text": "<@UB> roll 2d6",
        "ts": "2.0",
    },
}
PRESS: dict[str, Any] = {
    "type": "block_actions",
    "team": {"id": OURS, "domain": "club"},
    "user": {"id": "UP", "team_id": PARTNER, "username": "pat"},
    "channel": {"id": "C1"},
    "container": {"message_ts": "2.0", "channel_id": "C1"},
    "actions": [{"type": "button", "action_id": "a:x", "value": "x"}],
    "trigger_id": "t",
}


def test_a_partner_plays_in_the_place_where_the_app_is() -> None:
    event = read_event_payload({**EVENT, "event": {**EVENT["event"], "channel": "C1"}})
    assert (event.where.key, event.person_key) == ("slack:T1/C1", "slack:T1/UP")
    assert read_press_payload(PRESS).where.key == "slack:T1/C1"
    view = {"type": "modal", "app_installed_team_id": OURS, "team_id": PARTNER}
    assert (
        get_team({"view": view, "team": {"id": PARTNER}, "user": {"id": "UP", "team_id": PARTNER}})
        == OURS
    )


def test_an_organisation_is_named_only_where_nothing_else_is() -> None:
    assert (
        get_team({"team": None, "user": {"id": "U1", "team_id": "T5"}, "enterprise": {"id": "E1"}})
        == "T5"
    )
    assert get_team({"team_id": None, "enterprise_id": "E1"}) == "E1"


async def test_an_organisations_installation_is_that_of_each_of_its_workspaces() -> None:
    app = await fresh_app()
    vault = StoreVault(app, base64.urlsafe_b64decode(base64.urlsafe_b64encode(bytes(range(32)))))
    await vault.save(Team("E1", "xoxb-old", "UB", name="The Clubs"))
    teams = Teams(vault)
    assert await teams.find("T5") is None
    found = await teams.find_in_organisation("E1", "T5")
    assert found is not None
    assert (found.id, found.token, found.bot_user) == ("T5", "xoxb-old", "UB")
    await vault.save(Team("E1", "xoxb-new", "UB", name="The Clubs"))
    restarted = await Teams(vault).find("T5")
    assert restarted is not None, "what is late finds its way after a restart too"
    assert (restarted.id, restarted.token) == ("T5", "xoxb-new")
    assert await teams.find_in_organisation("E2", "T6") is None
    await vault.remove("E1")
    assert await Teams(vault).find("T5") is None


@pytest.mark.parametrize(
    "body",
    [
        {"type": "shortcut", "team": {"id": "T1"}, "callback_id": "fire", "trigger_id": "t"},
        {"type": "shortcut", "team": {"id": "T1"}, "user": {}, "callback_id": "fire", "trigger_id": "t"},
        {"type": "message_action", "team": {"id": "T1"}, "user": {"id": "U1"}, "callback_id": "odds", "trigger_id": "t",
         "channel": {}, "message": {"ts": "1.0"}},
        {"type": "message_action", "team": {"id": "T1"}, "callback_id": "odds", "trigger_id": "t",
         "channel": {"id": "C1"}, "message": {"ts": "1.0"}},
    ],
)  # fmt: skip
def test_a_bent_shortcut_is_refused_at_the_door(body: dict[str, Any]) -> None:
    assert not is_valid_payload(body)


async def test_nothing_is_posted_to_a_response_address_elsewhere() -> None:
    wire = SlackApi()
    try:
        with pytest.raises(SlackRefused):
            await wire.respond("https://example.org/commands/T1/1/secret", {"text": "x"})
    finally:
        await wire.close()
