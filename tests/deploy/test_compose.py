"""The compose files and what reads them: each fits its published schema; each profile, with its own
settings and no others, renders to services that are whole, whose processes start with what they are
given, and that the proxy and Prometheus find."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from adapters.discord import http as discord_http
from adapters.slack import http as slack_http
from adapters.slack.installation import INSTALL_PATH, REDIRECT_PATH
from bot.runtime.settings import Settings, load_settings, need_discord, need_slack
from tests.conftest import SETTINGS

DEPLOY = Path(__file__).parents[2] / "deploy"
SCALE = DEPLOY / "scale" / "compose.yaml"
FILES = ("compose.yaml", "scale/compose.yaml")
PAGES = ("README.md", "container.md", "scale/README.md")
DATABASE = {"POSTGRES_PASSWORD": "abc123"}
DISCORD = {"DISCORD_TOKEN": "token"}
INTERACTIONS = {**DISCORD, "DISCORD_PUBLIC_KEY": "ab" * 32}
SLACK = {
    "SLACK_SIGNING_SECRET": "secret",
    "SLACK_CLIENT_ID": "1.2",
    "SLACK_CLIENT_SECRET": "secret",
    "GROGNARD_KEY": base64.urlsafe_b64encode(bytes(32)).decode(),
}
LIVE = {"LIVE_PORT": "8080", "PUBLIC_URL": "https://games.example.org"}
HOSTS: dict[str, dict[str, str]] = {
    "discord": DISCORD,
    "discord,live": {**DISCORD, **LIVE},
    "interactions": INTERACTIONS,
    "slack": SLACK,
    "discord,slack": {**DISCORD, **SLACK},
    "interactions,slack,metrics": {**INTERACTIONS, **SLACK, **LIVE, "INTERACTIONS_WORKERS": "3"},
}
"""What a host of each profile has in .env, beside the password of the database."""
EXPECTED = {
    "discord": {"gateway"},
    "discord,live": {"gateway", "proxy"},
    "interactions": {"gateway", "interactions", "proxy"},
    "slack": {"slack", "proxy"},
    "discord,slack": {"gateway", "slack", "proxy"},
    "interactions,slack,metrics": {"gateway", "interactions", "slack", "proxy", "prometheus"},
}


class Strict(yaml.SafeLoader):
    """Refuses a key that comes twice, as compose does."""


def _mapping(loader: Strict, node: yaml.MappingNode) -> dict[Any, Any]:
    keys = [key.value for key, _ in node.value if key.value != "<<"]
    assert len(keys) == len(set(keys)), f"twice: {keys}"
    loader.flatten_mapping(node)
    return {
        loader.construct_object(key, deep=True): loader.construct_object(value, deep=True)
        for key, value in node.value
    }


Strict.add_constructor("tag:yaml.org,2002:map", _mapping)


def filled(value: Any, variables: Mapping[str, str]) -> Any:
    """A value with its ${...}, as compose fills them in. Raises KeyError where one that must be
    set is not.
    """
    if isinstance(value, dict):
        return {key: filled(one, variables) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, variables) for one in value]
    if not isinstance(value, str):
        return value

    def one(found: re.Match[str]) -> str:
        said, rest = variables.get(found["name"], ""), found["rest"] or ""
        if not said and rest.startswith(":?"):
            raise KeyError(found["name"])
        assert said or rest.startswith(":-"), (
            f"{found['name']} has no default, and compose would only warn"
        )
        return said or rest.removeprefix(":-")

    return re.sub(r"\$\{(?P<name>\w+)(?P<rest>:[-?][^}]*)?\}", one, value)


def rendered(profiles: str, text: str | None = None) -> dict[str, Any]:
    """The services that a host with these profiles has."""
    loaded = yaml.load(text or SCALE.read_text(), Strict)
    whole = filled(loaded, {**DATABASE, **HOSTS[profiles]})["services"]
    chosen = set(profiles.split(","))
    return {
        name: one
        for name, one in whole.items()
        if not one.get("profiles") or chosen & set(one["profiles"])
    }


def bots(profiles: str) -> dict[str, dict[str, Any]]:
    """Those that are processes of the bot."""
    return {
        name: one
        for name, one in rendered(profiles).items()
        if one["image"] == "grognard" and name != "copies"
    }


def settings_of(profiles: str, service: dict[str, Any]) -> Settings:
    """What a service's process reads: the host's .env, and over it what the file gives the
    service itself.
    """
    own = {key: str(value) for key, value in service["environment"].items()}
    assert set(own) <= {*SETTINGS, "DATABASE_URL", "GROGNARD_DATA"}, (
        "a setting that the bot does not have"
    )
    return load_settings({**DATABASE, **HOSTS[profiles], **own}, DEPLOY / "no-such-file")


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_a_compose_file_fits_its_schema(file: str) -> None:
    yaml.load((DEPLOY / file).read_text(), Strict)
    fits("vendor.compose-spec", DEPLOY / file)


def fits(schema: str, file: Path) -> None:
    """A file fits a published schema that check-jsonschema brings; no network is asked."""
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("profiles", HOSTS)
def test_a_profile_needs_its_own_settings_and_no_others(profiles: str) -> None:
    services = rendered(profiles)
    assert set(services) == {"postgres", "copies", *EXPECTED[profiles]}
    for name, service in services.items():
        assert set(service.get("depends_on", ())) <= set(services), (
            f"{name} waits for what is not there"
        )
    for name, service in bots(profiles).items():
        settings = settings_of(profiles, service)
        {"discord": need_discord, "slack": need_slack}[service["command"][0]](settings)
        assert settings.postgres == "postgresql://grognard:abc123@postgres:5432/grognard"
        if name != "slack":
            assert bool(settings.discord_public_key) == (name == "interactions"), (
                "the other stays on the gateway"
            )
        assert not settings.slack_app_token, "HTTP, which any number of workers can share"
        assert (SCALE.parent / service["env_file"]).resolve() == DEPLOY.parent / ".env"
        assert service["depends_on"] == {"postgres": {"condition": "service_healthy"}}
        assert service["logging"]["options"]["max-size"]
    for name in {"interactions", "slack"} & set(services):
        assert int(services[name]["deploy"]["replicas"]) == (
            3 if "INTERACTIONS_WORKERS" in HOSTS[profiles] and name != "slack" else 2
        )


def test_a_setting_that_a_service_needs_is_asked_for() -> None:
    with pytest.raises(KeyError, match="POSTGRES_PASSWORD"):
        filled(yaml.safe_load(SCALE.read_text()), DISCORD)


@pytest.mark.parametrize("profiles", HOSTS)
def test_health_and_figures_are_reached_from_inside_and_from_nowhere_else(profiles: str) -> None:
    text = yaml.safe_load(SCALE.read_text())
    assert text["networks"]["inside"] == {"internal": True}
    prometheus = yaml.safe_load((SCALE.parent / "prometheus.yml").read_text())
    [asked] = prometheus["scrape_configs"][0]["dns_sd_configs"]
    for name, service in bots(profiles).items():
        settings = settings_of(profiles, service)
        assert (settings.health_host, settings.health_port) == ("0.0.0.0", asked["port"])
        assert "inside" in service["networks"]
        assert "ports" not in service
        assert name in asked["names"]
    assert {name for name, one in rendered(profiles).items() if "ports" in one} <= {
        "proxy",
        "prometheus",
    }
    assert "inside" in text["services"]["prometheus"]["networks"]


def test_the_proxy_finds_every_service_and_every_path() -> None:
    profiles = "interactions,slack,metrics"
    found = bots(profiles)
    caddy, nginx = ((SCALE.parent / name).read_text() for name in ("Caddyfile", "nginx.conf"))
    asked = dict(re.findall(r"name (\S+)\s+port (\d+)", caddy))
    discord, slack = (settings_of(profiles, found[name]) for name in ("interactions", "slack"))
    assert asked == {"interactions": str(discord.discord_port), "slack": str(slack.port)}
    assert (discord.discord_host, slack.slack_host, slack.live_host) == ("0.0.0.0",) * 3
    live = set(re.findall(r"^\s+a (\S+) (\d+)$", caddy, re.MULTILINE))
    assert live == {("gateway", LIVE["LIVE_PORT"]), ("slack", LIVE["LIVE_PORT"])}
    assert set(re.findall(r"worker-\d+:(\d+)", nginx)) == set(asked.values())
    for text in (caddy, nginx):
        assert discord_http.PATH in text
        for path in (slack_http.PATH, INSTALL_PATH, REDIRECT_PATH):
            assert path in text or re.search(
                rf"\^/slack/\([^)]*\b{path.removeprefix('/slack/')}\b", text
            ), path


def test_the_ports_of_the_one_process_are_one_list(root: Path) -> None:
    """Taking the marks away before the list and any of its lines gives a file that is right."""
    text = (DEPLOY / "compose.yaml").read_text()
    opened = re.sub(r"^( +)# (ports:|  - \".*)", r"\1\2", text, flags=re.MULTILINE)
    [ports] = [
        one["ports"] for one in yaml.load(opened, Strict)["services"].values() if "ports" in one
    ]
    assert [port.split(":")[-1] for port in ports] == ["3000", "8080", "9090"]
    assert all(port.startswith("127.0.0.1:") for port in ports), (
        "the proxy on this machine, and nobody else"
    )


@pytest.mark.parametrize("file", FILES)
def test_the_copies_are_made_by_what_is_in_the_image(root: Path, file: str) -> None:
    services = yaml.safe_load((DEPLOY / file).read_text())["services"]
    [line] = services["copies"]["command"]
    [script] = re.findall(r"/app/(\S+\.sh)", line)
    image = (DEPLOY / "Containerfile").read_text()
    assert f"COPY {script} {script}" in image
    assert os.access(root / script, os.X_OK)
    assert services["copies"]["environment"]["BACKUPS"] == "/backups"
    assert "/backups" in image, "a new volume belongs to the bot's user"
    asked = json.loads(image.partition("HEALTHCHECK ")[2].partition(" CMD ")[2].splitlines()[0])
    checks = [
        one["healthcheck"]["test"]
        for one in services.values()
        if "test" in one.get("healthcheck", {})
    ]
    assert ["CMD", *asked] in checks, "podman's own format of images loses what the image says"


def test_the_lines_for_containers_name_what_is_there(root: Path) -> None:
    """What `make walk` cannot type, as it has no images to pull."""
    lines = [
        line
        for page in PAGES
        for line in re.findall(r"^docker (.*)$", (DEPLOY / page).read_text(), re.MULTILINE)
    ]
    assert len(lines) > 10
    for line in lines:
        words = line.split()
        if words[0] == "run":
            assert "-v grognard_grognard-data:/data:ro" in line
            project = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
            assert f"{project['name']}_{next(iter(project['volumes']))}" == "grognard_grognard-data"
            continue
        file = root / words[words.index("-f") + 1]
        services = yaml.safe_load(file.read_text())["services"]
        verb, *rest = words[words.index("-f") + 2 :]
        assert verb in ("up", "logs", "run", "exec", "cp", "stop", "start"), line
        if verb in ("run", "exec"):
            named = [word for word in rest if word in services]
            assert named, line
        if verb == "cp":
            assert rest[0].partition(":")[0] in services


def test_the_notes_for_hosts_name_what_has_to_be_set() -> None:
    notes = (SCALE.parent / "README.md").read_text()
    for names in HOSTS.values():
        assert all(name in notes for name in {**DATABASE, **names})
    named = {
        profile
        for one in yaml.safe_load(SCALE.read_text())["services"].values()
        for profile in one.get("profiles", ())
    }
    assert all(f"`{profile}`" in notes for profile in named)
