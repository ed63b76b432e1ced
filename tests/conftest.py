"""What every test shares: the same cases on every machine, and nothing read from the person's own settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    derandomize=True,  # the same examples on every run: red means changed, not unlucky
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
)
settings.register_profile("search", parent=settings.get_profile("ci"), derandomize=False, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

SETTINGS = (
    "DISCORD_TOKEN",
    "SLACK_BOT_TOKEN",
    "SLACK_APP_TOKEN",
    "SLACK_SIGNING_SECRET",
    "SLACK_CLIENT_ID",
    "SLACK_CLIENT_SECRET",
    "DATABASE_URL",
    "PORT",
    "LOG_LEVEL",
    "SHARD_IDS",
    "SHARD_COUNT",
    "RETENTION_DAYS",
    "COMMANDS_PER_MINUTE",
    "GROGNARD_KEY",
)
STAND_INS = ("DISCORD_API", "SLACK_API")
"""Where tests point an adapter instead of the real platform; no setting of a host."""


@pytest.fixture(autouse=True)
def _clean_settings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test reads this machine's tokens, nor writes into its data folder."""
    for name in (*SETTINGS, *STAND_INS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path_factory.mktemp("data")))


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return Path(__file__).resolve().parent.parent
