"""Settings: where they come from, what a malformed one says, and that secrets stay secret."""

from __future__ import annotations

import base64
import logging
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.runtime import settings
from bot.runtime.logs import STRUCK, Redacting, set_up_logging
from bot.runtime.settings import DAY, Settings, SettingsError, load_settings
from tests.conftest import SETTINGS
from tests.refusing import refuses

KEY = base64.urlsafe_b64encode(bytes(range(220, 252))).decode()


def load(tmp_path: Path, env: str = "", **environ: str) -> Settings:
    file = tmp_path / ".env"
    file.write_text(env)
    return load_settings(environ, file)


def problem(tmp_path: Path, **environ: str) -> str:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, **environ)
    (line,) = caught.value.problems
    assert "\n" not in line
    return line


def test_nothing_needs_to_be_set(tmp_path: Path) -> None:
    assert load_settings({}, tmp_path / "missing") == Settings()
    assert Settings().database == Path("data/grognard.db")
    assert Settings().retention == 30 * DAY


@pytest.mark.parametrize(
    ("xdg", "folder"),
    [
        ("/srv/games", "/srv/games/grognard"),
        ("", "/home/anna/.local/share/grognard"),
        (
            "games",
            "/home/anna/.local/share/grognard",
        ),  # the specification has a relative path ignored
    ],
)
def test_an_installed_grognard_keeps_games_in_the_users_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, xdg: str, folder: str
) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    monkeypatch.setenv("XDG_DATA_HOME", xdg)
    monkeypatch.setattr(settings, "find_project_file", lambda: tmp_path / "no checkout")
    assert load(tmp_path).data == Path(folder)
    assert load(tmp_path).database == Path(folder, "grognard.db")
    assert load(tmp_path, GROGNARD_DATA="games").database == Path("games/grognard.db")


def test_a_token_in_the_wrong_line_is_sent_to_its_own(tmp_path: Path) -> None:
    swapped = problem(tmp_path, SLACK_BOT_TOKEN="xapp-1-A-2")
    assert swapped.startswith(
        "The value of SLACK_BOT_TOKEN begins with xapp-, so it belongs to SLACK_APP_TOKEN."
    )
    assert "A-2" not in swapped


@pytest.mark.parametrize(
    "name",
    [
        "DISCORD_TOKEN",
        "SLACK_BOT_TOKEN",
        "SLACK_APP_TOKEN",
        "SLACK_SIGNING_SECRET",
        "SLACK_CLIENT_ID",
        "SLACK_CLIENT_SECRET",
    ],
)
@pytest.mark.parametrize("begins", ["", "abc-"])
def test_the_dots_of_an_example_are_not_a_token(tmp_path: Path, name: str, begins: str) -> None:
    said = problem(tmp_path, **{name: f"{begins}..."})
    assert said.startswith(f"{name} still has the placeholder dots from the example.")


def test_only_an_address_is_listened_on(tmp_path: Path) -> None:
    assert load(tmp_path, SLACK_HOST="::1").slack_host == "::1"
    assert "SLACK_HOST=0.0.0.0" in problem(tmp_path, SLACK_HOST="all")


def test_interactions_by_http_need_a_public_key_and_may_name_their_proxies(tmp_path: Path) -> None:
    settings = load(
        tmp_path, DISCORD_PUBLIC_KEY="Ab" * 32, DISCORD_PORT="81", PROXIES="10.0.0.7, 172.16.0.0/12"
    )
    assert (settings.discord_public_key, settings.discord_port) == ("Ab" * 32, 81)
    assert settings.proxies == ("10.0.0.7/32", "172.16.0.0/12")
    assert "DISCORD_PUBLIC_KEY=" in problem(tmp_path, DISCORD_PUBLIC_KEY="Ab")
    assert "PROXIES=10.0.0.0/8" in problem(tmp_path, PROXIES="caddy")


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    settings = load(
        tmp_path, "DISCORD_TOKEN=of-file\nPORT=81\n", DISCORD_TOKEN="of-environment", PORT=""
    )
    assert (settings.discord_token, settings.port) == ("of-environment", 81)


def test_a_file_is_read_as_people_write_it(tmp_path: Path) -> None:
    env = "\ufeff# remark\r\n\r\nexport DISCORD_TOKEN = abc.def  # mine\r\n"
    env += "SLACK_BOT_TOKEN='x # y'\nPORT=\"99\"\nLOG_LEVEL=\n"
    with refuses("bad-settings SLACK_BOT_TOKEN"):
        load(tmp_path, env)
    settings = load(tmp_path, env.replace("x # y", "x#y"))
    assert (settings.discord_token, settings.slack_bot_token, settings.port) == (
        "abc.def",
        "x#y",
        99,
    )


def test_all_settings(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        SHARD_IDS="3, 1,1",
        SHARD_COUNT="4",
        GROGNARD_KEY=KEY,
        GROGNARD_DATA="/srv/g",
        RETENTION_DAYS="Never",
        LOG_LEVEL="debug",
    )
    assert (settings.shard_ids, settings.shard_count) == ((1, 3), 4)
    assert settings.key == bytes(range(220, 252))
    assert (settings.data, settings.database) == (Path("/srv/g"), Path("/srv/g/grognard.db"))
    assert (settings.retention, settings.log_level) == (None, "DEBUG")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///grognard.db", Path("d/grognard.db")),
        ("sqlite:///sub/g.db", Path("d/sub/g.db")),
        ("sqlite:////var/lib/g.db", Path("/var/lib/g.db")),
        ("sqlite:///:memory:", None),
    ],
)
def test_where_the_database_lies(tmp_path: Path, url: str, path: Path | None) -> None:
    assert load(tmp_path, GROGNARD_DATA="d", DATABASE_URL=url).database == path


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("PORT", "http", "PORT=3000"),
        ("PORT", "0", "PORT=3000"),
        ("PORT", "65536", "PORT=3000"),
        ("PORT", "٣", "PORT=3000"),
        ("PORT", "9" * 5000, "PORT=3000"),
        ("RETENTION_DAYS", "soon", "RETENTION_DAYS=30"),
        ("RETENTION_DAYS", "-1", "RETENTION_DAYS=30"),
        ("LOG_LEVEL", "LOUD", "LOG_LEVEL=INFO"),
        ("SHARD_COUNT", "0", "SHARD_COUNT=4"),
        ("SHARD_IDS", "0", "SHARD_COUNT=4"),
        ("DATABASE_URL", "mysql://u:secret@h/db", "DATABASE_URL=sqlite:///grognard.db"),
        (
            "DATABASE_URL",
            "postgres://u:secret@h",
            "DATABASE_URL=postgresql://USER:PASSWORD@HOST:5432/grognard",
        ),
        (
            "DATABASE_URL",
            "postgres://u:secret@h:no/db",
            "DATABASE_URL=postgresql://USER:PASSWORD@HOST:5432/grognard",
        ),
        ("DATABASE_URL", "grognard.db", "DATABASE_URL=sqlite:///grognard.db"),
        ("DATABASE_URL", "sqlite:///", "DATABASE_URL=sqlite:///grognard.db"),
        ("GROGNARD_KEY", "c2VjcmV0", "GROGNARD_KEY=..."),
        ("GROGNARD_KEY", "sécret", "GROGNARD_KEY=..."),
        ("DISCORD_TOKEN", "Bot abc.secret", "DISCORD_TOKEN=..."),
    ],
)
def test_a_malformed_one_is_named_with_the_line_to_write(
    tmp_path: Path, name: str, value: str, line: str
) -> None:
    text = problem(tmp_path, **{name: value})
    assert name in text
    assert text.endswith(f"Put this line in .env: {line}")
    assert "secret" not in text
    assert len(text) < 250


def test_shards_beyond_the_count(tmp_path: Path) -> None:
    assert "from 0 to 1" in problem(tmp_path, SHARD_IDS="0,2", SHARD_COUNT="2")


def test_a_line_that_is_no_setting_is_named_but_not_shown(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, "PORT=1\nhalf-a-token\n")
    assert "line 2" in str(caught.value)
    assert "half-a-token" not in str(caught.value)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xff\xfe")
    with refuses("bad-settings UTF-8"):
        load_settings({}, tmp_path / ".env")
    (tmp_path / "folder").mkdir()
    with refuses("bad-settings"):
        load_settings({}, tmp_path / "folder")


def test_no_secret_is_in_the_repr(tmp_path: Path) -> None:
    names = [name for name in SETTINGS if "TOKEN" in name or "SECRET" in name]
    settings = load(tmp_path, **{name: f"{name}-value" for name in names}, GROGNARD_KEY=KEY)
    assert "-value" not in repr(settings)
    assert str(settings.key) not in repr(settings)
    assert set(settings.secrets) == {*(f"{name}-value" for name in names), KEY}


@pytest.mark.parametrize(
    ("address", "secrets"),
    [
        ("postgresql://bot:swordfish@db:5432/games", {"swordfish"}),
        ("postgresql://bot:sword%40fish@db/games", {"sword%40fish", "sword@fish"}),
        ("postgresql://bot@db/games?password=sword%40fish", {"sword@fish"}),
        ("postgresql://bot@db/games", set()),
    ],
)
def test_the_password_of_a_database_is_a_secret_wherever_it_stands(
    address: str, secrets: set[str], tmp_path: Path
) -> None:
    assert set(load(tmp_path, DATABASE_URL=address).secrets) == secrets


def line(message: str, *args: object, secrets: tuple[str, ...] = ()) -> str:
    return Redacting(secrets).format(
        logging.LogRecord("bot", logging.INFO, __file__, 1, message, args, None)
    )


# Put together here, so that nobody takes them for real ones.
SLACK_TOKEN = "-".join(["xoxb", "12", "34", "abcDEF"])
DISCORD_TOKEN = ".".join(["M" * 24, "Gabcde", "x" * 38])


@pytest.mark.parametrize(
    "shape",
    [
        "{'token': 'SECRET', 'type': 2}",
        '{"token": "SECRET", "type": 2}',
        "token=SECRET&x=1",
        "wss://wss-primary.slack.com/link/?ticket=SECRET&app_id=A1",
        "{'Authorization': 'Bearer SECRET'}",
        "Authorization: Bot SECRET",
        "{'bot_access_token': 'SECRET'}",
        "https://hooks.slack.com/commands/T1/1/SECRET",
        "https://hooks.slack-gov.com/actions/T1/1/SECRET",
        "'response_url': 'http://127.0.0.1/SECRET'",
    ],
)
def test_a_secret_is_struck_out_by_its_name_in_any_shape(shape: str) -> None:
    said = shape.replace("SECRET", "aW50ZXJhY3Rpb246MTIzNDU2Nzg5")
    assert "aW50ZXJhY3Rpb24" not in line(said)
    assert STRUCK in line(said)


def test_words_that_only_speak_of_secrets_stay() -> None:
    for said in (
        "Discord does not know this DISCORD_TOKEN (any more)",
        "the token: x",
        "SLACK_BOT_TOKEN is not set.",
    ):
        assert line(said).endswith(said)


@pytest.mark.parametrize(
    "secret",
    [
        SLACK_TOKEN,
        "-".join(["xapp", "1", "A0", "77", "beef"]),
        DISCORD_TOKEN,
        "https://hooks.slack.com/commands/T1/2/3",
    ],
)
def test_what_looks_like_a_secret_is_struck_out(secret: str) -> None:
    assert line("got %s here", secret).endswith("got [secret] here")


def test_answering_addresses_are_struck_out() -> None:
    text = line(
        "POST /api/webhooks/123/aW50ZX-Jh_Y3Rpb24/messages and /interactions/9/tok/callback"
    )
    assert text.endswith("POST /api/webhooks/[secret]/messages and /interactions/[secret]/callback")


def test_known_secrets_are_struck_out_of_tracebacks_too() -> None:
    try:
        raise RuntimeError("cannot log in with s3cret")
    except RuntimeError:
        record = logging.LogRecord("bot", logging.ERROR, __file__, 1, "failed", (), sys.exc_info())
    text = Redacting(("s3cret", "")).format(record)
    assert "s3cret" not in text
    assert "cannot log in with [secret]" in text
    assert "Traceback" in text


def test_a_hash_is_no_secret() -> None:
    assert "630dcd2966c4336691125448bbb25b4f" in line("head 630dcd2966c4336691125448bbb25b4f")


def test_logging_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        set_up_logging("INFO", ["s3cret"])
        logging.getLogger("bot").info("token %s", "s3cret")
        logging.getLogger("bot").debug("not this")
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.endswith("INFO    bot: token [secret]\n")


def test_shared_games_need_a_port_and_an_address_that_others_can_open(tmp_path: Path) -> None:
    assert Settings().address == ""
    assert load(tmp_path, LIVE_PORT="8080").address == "http://localhost:8080"
    settings = load(
        tmp_path,
        LIVE_PORT="8080",
        LIVE_HOST="0.0.0.0",
        PUBLIC_URL="https://games.example.org/wargames/",
    )
    assert (settings.live_host, settings.address) == (
        "0.0.0.0",
        "https://games.example.org/wargames",
    )
    assert load(tmp_path, PUBLIC_URL="https://games.example.org").live_port == 0, (
        "another process serves them"
    )
    for value in (
        "games.example.org",
        "ftp://x",
        "https://a b",
        'https://x/"onload',
        "javascript:alert(1)",
    ):
        assert "PUBLIC_URL" in problem(tmp_path, PUBLIC_URL=value)
    assert "LIVE_HOST" in problem(tmp_path, LIVE_HOST="everywhere")
    assert "LIVE_PORT" in problem(tmp_path, LIVE_PORT="99999")


@pytest.mark.parametrize(
    ("lines", "environ", "said"),
    [
        ("DISCORD_TOKN=x", {}, "DISCORD_TOKN is not a setting. Did you mean DISCORD_TOKEN?"),
        ("HEALTHPORT=9090", {}, "HEALTHPORT is not a setting. Did you mean HEALTH_PORT?"),
        ("GROGNARD_PACK=x", {}, "GROGNARD_PACK is not a setting. Did you mean GROGNARD_PACKS?"),
        (
            "",
            {"SLACK_BOT_TOKN": "x"},
            "SLACK_BOT_TOKN is not a setting. Did you mean SLACK_BOT_TOKEN?",
        ),
        (
            "",
            {
                "LOG_LEVELS": "x",
                "XPORT": "3000",
                "DISCORD_API": "http://x",
                "SLACK_API": "http://x",
            },
            "",
        ),
        ("POSTGRES_PASSWORD=x\nTZ=Europe/Vienna\nBACKUPS=/x\nKEEP=3", {}, ""),
    ],
)
def test_a_misspelt_name_is_said_with_the_one_that_is_meant(
    tmp_path: Path, lines: str, environ: dict[str, str], said: str
) -> None:
    """Of the environment only what begins like ours: the rest of it is everybody's."""
    file = tmp_path / ".env"
    file.write_text(lines)
    assert load_settings(environ, file).unknown == ((said,) if said else ())


def test_every_setting_of_the_example_is_known(tmp_path: Path) -> None:
    text = (Path(__file__).parents[1] / ".env.example").read_text("utf-8")
    names = re.findall(r"(?m)^# ?([A-Z][A-Z_]+)=", text)
    assert len(names) > 20
    file = tmp_path / ".env"
    file.write_text("\n".join(f"{name}=" for name in names))
    assert load_settings({}, file).unknown == ()
    assert {"DISCORD_TOKEN", "SHARD_IDS", "HEALTH_HOST"} <= set(names)


@pytest.fixture
def _own_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.usefixtures("_own_logging")
def test_a_library_that_connects_anew_says_why_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The traceback of it is at DEBUG, and of the kind that nobody expected it stays."""
    for level, tracebacks in (("INFO", 1), ("DEBUG", 2)):
        set_up_logging(level, [])
        try:
            raise ConnectionRefusedError(111, "Connect call failed")
        except ConnectionRefusedError as error:
            logger = logging.getLogger("discord.shard")
            logger.error("Attempting a reconnect for shard ID %s in %.2fs", 0, 1.5, exc_info=error)
            logger.error("Something else", exc_info=error)
        said = capsys.readouterr().err
        why = "discord.shard: Attempting a reconnect for shard ID 0 in 1.50s (ConnectionRefusedError: [Errno 111]"
        assert said.count(why) == 1
        assert said.count("Traceback") == tracebacks
