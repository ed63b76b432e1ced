"""The files for several processes: every setting in them is one that the bot has, and the proxy finds every worker."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from adapters.discord import http as discord_http
from adapters.settings import need_discord, need_slack
from adapters.slack import http as slack_http
from adapters.slack.installation import INSTALL_PATH, REDIRECT_PATH
from bot.process.settings import Settings, load_settings
from tests.conftest import SETTINGS

DEPLOY = Path(__file__).parents[2] / "deploy"
SERVICES: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.scale.yaml").read_text())["services"]
BOTS = {name: service for name, service in SERVICES.items() if service["image"] == "grognard"}
HOSTS = {
    "POSTGRES_PASSWORD": "abc123",
    "DISCORD_TOKEN": "token",
    "DISCORD_PUBLIC_KEY": "ab" * 32,
    "SLACK_SIGNING_SECRET": "secret",
    "SLACK_CLIENT_ID": "1.2",
    "SLACK_CLIENT_SECRET": "secret",
    "GROGNARD_KEY": base64.urlsafe_b64encode(bytes(32)).decode(),
}


def settings_of(name: str) -> Settings:
    """What a service's process reads, with the host's own values filled in as compose does it."""
    environment = {key: filled(str(value)) for key, value in BOTS[name]["environment"].items()}
    assert set(environment) <= {*SETTINGS, "DATABASE_URL"}, "a setting that the bot does not have"
    return load_settings(environment, DEPLOY / "no-such-file")


def filled(value: str) -> str:
    def one(found: re.Match[str]) -> str:
        default = found["rest"].removeprefix(":-") if found["rest"].startswith(":-") else ""
        assert default or found["name"] in HOSTS, f"nobody says what {found['name']} is"
        return HOSTS.get(found["name"], default)

    return re.sub(r"\$\{(?P<name>\w+)(?P<rest>:[-?][^}]*)?\}", one, value)


@pytest.mark.parametrize("name", BOTS)
def test_every_process_has_the_settings_that_its_platform_needs(name: str) -> None:
    settings, [command] = settings_of(name), BOTS[name]["command"]
    {"discord": need_discord, "slack": need_slack}[command](settings)
    assert settings.postgres == "postgresql://grognard:abc123@postgres:5432/grognard"
    assert BOTS[name]["depends_on"] == {"postgres": {"condition": "service_healthy"}}


def test_the_shards_are_all_there_and_each_once() -> None:
    shards = [settings_of(name) for name in BOTS if name.startswith("shard")]
    assert {one.shard_count for one in shards} == {len(shards)}
    assert sorted(id for one in shards for id in one.shard_ids) == list(range(len(shards)))
    assert not any(one.discord_public_key for one in shards), "the gateway is what they are for"


@pytest.mark.parametrize("file", ["Caddyfile.scale", "nginx.scale.conf"])
def test_the_proxy_finds_every_worker_and_every_path(file: str) -> None:
    text = (DEPLOY / file).read_text()
    found = set(re.findall(r"((?:interactions|slack)-\d+):(\d+)", text))
    workers = {(name, settings_of(name)) for name in BOTS if not name.startswith("shard")}
    assert found == {(name, str(one.port if name.startswith("slack") else one.discord_port)) for name, one in workers}
    assert {one.slack_host if name.startswith("slack") else one.discord_host for name, one in workers} == {"0.0.0.0"}
    assert discord_http.PATH in text
    for path in (slack_http.PATH, INSTALL_PATH, REDIRECT_PATH):
        assert path in text or re.search(rf"\^/slack/\([^)]*\b{path.removeprefix('/slack/')}\b", text), path


def test_the_notes_for_hosts_name_what_has_to_be_set() -> None:
    notes = (DEPLOY / "README.md").read_text()
    assert all(name in notes for name in HOSTS)
