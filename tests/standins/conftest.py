"""Who plays on the Slack stand-in: a workspace, a person in it and a channel, on the `slack` of
each test file.
"""

from __future__ import annotations

import pytest

from tests.standins.slack import Channel, SlackStandIn, User, Workspace


@pytest.fixture
def home(slack: SlackStandIn) -> Workspace:
    return slack.workspace("T1")


@pytest.fixture
def anna(home: Workspace) -> User:
    return home.user("Anna")


@pytest.fixture
def games(home: Workspace) -> Channel:
    return home.channel("games")
