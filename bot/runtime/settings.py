"""The host's settings: environment variables, or lines of a `.env` file in the folder where the bot
is started.

`.env.example` explains each of them. The environment wins; an empty value counts as none.
"""

import base64
import binascii
import ipaddress
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from bot.rules.errors import UserError
from bot.runtime.release import find_project_file

DAY = 86_400.0
RETENTION = 30 * DAY
"""Default seconds for which data is kept after the bot was removed."""
MAX_PORT = 65_535
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
LOG_FORMATS = ("text", "json")
_MAX_DAYS = 36_500
_env_file = Path(".env")
_settings_place = ".env"
_OURS = ("DISCORD_", "SLACK_", "GROGNARD_", "SHARD_", "HEALTH_", "LIVE_")
T = TypeVar("T")


class SettingsError(UserError):
    """One or more malformed settings. `problems` has a line for each, with the line to write
    instead.
    """

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(problems), code="bad-settings")
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Settings:
    """The host's choices. A token that is not set is an empty text. The repr contains no secret."""

    discord_token: str = field(default="", repr=False)
    shard_ids: tuple[int, ...] = ()  # none: all
    shard_count: int | None = None
    discord_public_key: str = ""  # set: interactions come by HTTP
    discord_host: str = "127.0.0.1"
    discord_port: int = 3001
    slack_bot_token: str = field(default="", repr=False)
    slack_app_token: str = field(default="", repr=False)  # set: Socket Mode
    slack_signing_secret: str = field(default="", repr=False)
    slack_client_id: str = ""
    slack_client_secret: str = field(default="", repr=False)
    slack_host: str = "127.0.0.1"
    port: int = 3000
    proxies: tuple[str, ...] = ()  # networks from which everybody's connections come
    live_port: int = 0  # none: shared games are not served by this process
    live_host: str = "127.0.0.1"
    public_url: str = ""  # where everybody reaches them
    key: bytes = field(default=b"", repr=False)  # 32 bytes, or none
    data: Path = Path("data")
    # None: a temporary one, gone when the process ends, or postgres
    database: Path | None = Path("data/grognard.db")
    # the address of a PostgreSQL database, which comes first
    postgres: str = field(default="", repr=False)
    retention: float | None = RETENTION  # seconds after the bot's removal; None: for ever
    per_minute: int | None = 60  # commands of one person; None: as many as they like
    log_level: str = "INFO"
    log_format: str = "text"
    health_port: int = 0  # none: nobody asks how the bot is
    health_host: str = "127.0.0.1"
    unknown: tuple[str, ...] = ()  # a line for each that is no setting, but looks like one

    @property
    def address(self) -> str:
        """Return the address of shared games, "" if nobody serves them."""
        if self.public_url:
            return self.public_url
        return f"http://localhost:{self.live_port}" if self.live_port else ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the texts that must never reach a log."""
        tokens = (
            self.discord_token,
            self.slack_bot_token,
            self.slack_app_token,
            self.slack_signing_secret,
            self.slack_client_secret,
            base64.urlsafe_b64encode(self.key).decode(),
            *list_passwords(self.postgres),
        )
        return tuple(token for token in tokens if token)


def list_passwords(url: str) -> list[str]:
    """Return the passwords in a database's address: before its host and among its options.

    Each is listed as written and as it is decoded. Raise ValueError if the address cannot be read.
    """
    parts = urlsplit(url)
    password = parts.password or ""
    passwords = [password, unquote(password), *parse_qs(parts.query).get("password", ())]
    return [password for password in passwords if password]


def use_env_file(path: Path, settings_place: str) -> None:
    """Read this file from now on, in place of `.env` in the folder where the process was started.

    `settings_place` is the file in which the host is told to write a setting.
    """
    global _env_file, _settings_place
    _env_file = path
    _settings_place = settings_place


def get_env_file() -> Path:
    """Return the file whose lines are settings; it need not exist."""
    return _env_file


def get_settings_place() -> str:
    """Return the name of the file in which the host writes settings, as hints call it."""
    return _settings_place


def load_settings(environ: Mapping[str, str] | None = None, file: Path | None = None) -> Settings:
    """Load the settings of this process: its environment, and the lines of `file`.

    The environment comes first, but an empty value in it does not count. The default file is
    `get_env_file()`, and need not exist. Names that look like misspelt settings are in `unknown`.
    Raise SettingsError, which names every malformed setting and the line to write instead.
    """
    problems: list[str] = []
    values = read_env_file(file or get_env_file(), problems)
    names_in_file = set(values)
    environment = os.environ if environ is None else environ
    values.update({name: value for name, value in environment.items() if value})
    reader = _SettingsReader(values, problems)
    settings = reader.settings()
    if problems:
        raise SettingsError(problems)
    known_names = {*reader.names, "GROGNARD_PACKS"}
    return replace(settings, unknown=tuple(_find_misspelt(values, names_in_file, known_names)))


def _find_misspelt(
    values: Mapping[str, str], names_in_file: Collection[str], known_names: Collection[str]
) -> Iterator[str]:
    """Yield a line for each unknown name that looks like a misspelt setting.

    Check all names in the file, but of the environment, which other programs share, only names that
    begin like ours.
    """
    from difflib import get_close_matches  # few need it

    for name in sorted(set(values) - set(known_names)):
        if name in names_in_file or name.startswith(_OURS):
            for suggestion in get_close_matches(name, known_names, 1, 0.8):
                yield f"{name} is not a setting. Did you mean {suggestion}?"


def read_env_file(path: Path, problems: list[str]) -> dict[str, str]:
    """Return {NAME: value} of the lines NAME=value, {} if there is no file.

    Add a text to `problems` for each other line.
    """
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError):
        problems.append(
            f"{path} cannot be read: it must be a UTF-8 text file that the bot's user is allowed to open."
        )
        return {}
    values = {}
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith("#"):
            continue
        name, equals, value = line.removeprefix("export ").partition("=")
        if not equals or not name.strip().isidentifier():
            # The line itself is not shown: it may be half of a token.
            problems.append(
                f"{path} line {number} is not a setting: write NAME=value, or start a comment with #."
            )
        else:
            values[name.strip()] = _remove_quotes(value.strip())
    return {name: value for name, value in values.items() if value}


def _remove_quotes(value: str) -> str:
    """Return a value without its quotes, or without the remark after it."""
    if value[:1] in ("'", '"'):
        closing_quote = value.find(value[0], 1)
        if closing_quote > 0:
            return value[1:closing_quote]
    return value.partition(" #")[0].rstrip()


class _SettingsReader:
    """The parser of settings. It notes what is wrong with them."""

    def __init__(self, values: Mapping[str, str], problems: list[str]) -> None:
        self._values = values
        self._problems = problems
        self.names = set[str]()  # the names of all settings, once they were read

    def _get(self, name: str, default: str = "") -> str:
        self.names.add(name)
        return self._values.get(name, default)

    def settings(self) -> Settings:
        """Parse all settings, as far as they can be read."""
        data_folder = self._get("GROGNARD_DATA")
        if data_folder:
            data = Path(data_folder)
        else:
            data = default_data(is_checkout=find_project_file().exists())
        postgres = self._postgres()
        count = self._convert("SHARD_COUNT", _positive, "a whole number, 1 or more", "4")
        converters = {name: converter for name, converter in _READ.items() if self._get(name)}
        converted: dict[str, Any] = {}
        for name, converter in converters.items():
            converted[_FIELDS.get(name, name.lower())] = self._convert(name, *converter)
        return Settings(
            discord_token=self._token("DISCORD_TOKEN"),
            shard_ids=self._shard_ids(count),
            shard_count=count,
            slack_bot_token=self._token("SLACK_BOT_TOKEN", not_this="xapp-", but="SLACK_APP_TOKEN"),
            slack_app_token=self._token("SLACK_APP_TOKEN", not_this="xoxb-", but="SLACK_BOT_TOKEN"),
            slack_signing_secret=self._token("SLACK_SIGNING_SECRET"),
            slack_client_id=self._token("SLACK_CLIENT_ID"),
            slack_client_secret=self._token("SLACK_CLIENT_SECRET"),
            data=data,
            database=None if postgres else self._database(data),
            postgres=postgres,
            **converted,
        )

    def _convert(
        self, name: str, convert: Callable[[str], T], expected: str, example: str
    ) -> T | None:
        """Convert the text of a setting, None if it is not set or malformed."""
        text = self._get(name)
        try:
            return convert(text) if text else None
        except ValueError:
            quoted_text = "" if name == "GROGNARD_KEY" else f' "{text[:40]}"'
            self._problem(name, f"{name}{quoted_text} is not {expected}.", example)
            return None

    def _token(self, name: str, not_this: str = "", but: str = "") -> str:
        """Return a token or secret, "" if it is not set.

        Note a problem, and return "", for one that begins with `not_this`, which belongs to the
        setting `but`, for one with spaces or non-ASCII characters, and for the `...` of an example.
        """
        text = self._get(name, "").strip()
        if not_this and text.startswith(not_this):
            self._problem(
                but,
                f"The value of {name} begins with {not_this}, so it belongs to {but}.",
                f"{not_this}...",
            )
            return ""
        if any(character.isspace() for character in text) or not text.isascii():
            self._problem(
                name, f"{name} is not a token: it contains spaces or non-ASCII characters.", "..."
            )
            return ""
        if text.endswith("..."):
            place = get_settings_place()
            self._problems.append(
                f"{name} still has the placeholder dots from the example. Put the real token in {place}."
            )
            return ""
        return text

    def _shard_ids(self, count: int | None) -> tuple[int, ...]:
        """Return the sorted shards of this process, () if SHARD_IDS is not set.

        Note a problem, and return (), for numbers that are not below `count`, or if that is
        missing.
        """
        if not self._get("SHARD_IDS"):
            return ()
        if count is None:
            if "SHARD_COUNT" not in self._values:
                self._problem(
                    "SHARD_COUNT",
                    "SHARD_IDS is set, but SHARD_COUNT is not: how many shards are there?",
                    "4",
                )
            return ()
        expected = f"numbers from 0 to {count - 1}, separated by commas"
        return self._convert("SHARD_IDS", lambda text: _shards(text, count), expected, "0") or ()

    def _postgres(self) -> str:
        """Return DATABASE_URL if it is the address of a PostgreSQL database, else "".

        Note a problem if the address is incomplete.
        """
        url = self._get("DATABASE_URL", "").strip()
        if not url.startswith(("postgresql://", "postgres://")):
            return ""
        try:
            parts = urlsplit(url)
            is_whole = len(parts.path) > 1 and parts.port != 0
        except ValueError:
            is_whole = False
        if not is_whole:
            # the address itself is not shown: it may hold a password
            problem = "DATABASE_URL is not the address of a PostgreSQL database."
            self._problem("DATABASE_URL", problem, "postgresql://USER:PASSWORD@HOST:5432/grognard")
        return url

    def _database(self, data: Path) -> Path | None:
        """Return the path of the SQLite file, None for a database in memory.

        Note a problem, and return None, if DATABASE_URL is of another form.
        """
        url = self._get("DATABASE_URL", "sqlite:///grognard.db")
        name = url.removeprefix("sqlite:///")
        if name == url or not name or "?" in name or name.endswith("/") or "\0" in name:
            scheme = url.partition("://")[0][:20]  # not more: there may be a password in it
            self._problem(
                "DATABASE_URL",
                f'DATABASE_URL "{scheme}..." is neither an SQLite file nor a PostgreSQL database.',
                "sqlite:///grognard.db",
            )
            return None
        return None if name == ":memory:" else data / name

    def _problem(self, name: str, problem: str, example: str) -> None:
        self._problems.append(
            f"{problem} Put this line in {get_settings_place()}: {name}={example}"
        )


def _whole(text: str, low: int, high: int) -> int:
    """Return a whole number from `low` to `high`. Raise ValueError for any other text."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and low <= int(text) <= high):
        raise ValueError(text)
    return int(text)


def _positive(text: str) -> int:
    return _whole(text, 1, 10**6)


def _port(text: str) -> int:
    return _whole(text, 1, MAX_PORT)


def _host(text: str) -> str:
    """Return an IP address in its usual form, or `localhost`. Raise ValueError for any other text."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        if text.casefold() != "localhost":
            raise
        return "localhost"


def _networks(text: str) -> tuple[str, ...]:
    return tuple(str(ipaddress.ip_network(part.strip())) for part in text.split(","))


def _like(pattern: str, text: str) -> str:
    """Return the text if all of it matches the pattern. Raise ValueError otherwise."""
    if not re.fullmatch(pattern, text):
        raise ValueError(text)
    return text


def _url(text: str) -> str:
    """Return an address without a slash at its end.

    Raise ValueError for a text that is not an address for a browser.
    """
    return _like(r"https?://[A-Za-z0-9.-]+(:\d{1,5})?(/[A-Za-z0-9._~-]+)*/?", text).rstrip("/")


def _days(text: str) -> float | None:
    return None if text.casefold() == "never" else _whole(text, 0, _MAX_DAYS) * DAY


def _per_minute(text: str) -> int | None:
    return None if text.casefold() == "unlimited" else _positive(text)


def _shards(text: str, count: int) -> tuple[int, ...]:
    return tuple(sorted({_whole(part.strip(), 0, count - 1) for part in text.split(",")}))


def _key(text: str) -> bytes:
    """Return the 32 bytes of a key in base64, also as in addresses. Raise ValueError otherwise."""
    try:
        key = base64.b64decode(text.translate({ord("-"): "+", ord("_"): "/"}), validate=True)
    except binascii.Error:
        raise ValueError from None
    if len(key) != 32:
        raise ValueError
    return key


_PORT = (_port, f"a number from 1 to {MAX_PORT}")
_HOST = (_host, "an address of this machine", "0.0.0.0")
_READ: Mapping[str, tuple[Callable[[str], Any], str, str]] = {
    "DISCORD_PUBLIC_KEY": (partial(_like, "[0-9A-Fa-f]{64}"), "64 hexadecimal digits", "..."),
    "DISCORD_HOST": _HOST,
    "DISCORD_PORT": (*_PORT, "3001"),
    "SLACK_HOST": _HOST,
    "PORT": (*_PORT, "3000"),
    "PROXIES": (_networks, "addresses or networks, separated by commas", "10.0.0.0/8"),
    "LIVE_PORT": (*_PORT, "8080"),
    "LIVE_HOST": _HOST,
    "PUBLIC_URL": (
        _url,
        "an address such as https://games.example.org",
        "https://games.example.org",
    ),
    "GROGNARD_KEY": (_key, "32 bytes in base64 (.env.example shows how to make one)", "..."),
    "RETENTION_DAYS": (_days, "a whole number, or never", "30"),
    "COMMANDS_PER_MINUTE": (_per_minute, "a whole number, 1 or more, or unlimited", "60"),
    "LOG_LEVEL": (
        lambda text: _like("|".join(LOG_LEVELS), text.upper()),
        f"one of {', '.join(LOG_LEVELS)}",
        "INFO",
    ),
    "LOG_FORMAT": (
        lambda text: _like("|".join(LOG_FORMATS), text.lower()),
        " or ".join(LOG_FORMATS),
        "json",
    ),
    "HEALTH_PORT": (*_PORT, "9090"),
    "HEALTH_HOST": _HOST,
}
"""Settings that are converted one by one: converter, expected form, and an example."""
_FIELDS = {
    "GROGNARD_KEY": "key",
    "RETENTION_DAYS": "retention",
    "COMMANDS_PER_MINUTE": "per_minute",
}
"""Fields of `Settings` whose names differ from the setting's."""


def default_data(*, is_checkout: bool) -> Path:
    """Return the folder for games if GROGNARD_DATA does not name one.

    A checkout keeps them in `data` of the folder where it is started. An installed `grognard` is
    started anywhere, so it keeps them in the user's data folder. Source: XDG Base Directory
    Specification.
    """
    if is_checkout:
        return Path("data")
    base = Path(os.environ.get("XDG_DATA_HOME", ""))
    if not base.is_absolute():
        try:
            base = Path.home() / ".local" / "share"
        except RuntimeError:  # this user has no home
            return Path("data")
    return base / "grognard"


# What each platform needs


def need_discord(settings: Settings) -> None:
    """Raise UserError naming what is missing for Discord, with the line to add."""
    if not settings.discord_token:
        hint = f"Put this line in {get_settings_place()}: DISCORD_TOKEN=... (the bot's token)"
        raise UserError("DISCORD_TOKEN is not set.", hint=hint, code="bad-settings")


def need_slack(settings: Settings) -> None:
    """Raise UserError naming what is missing for Slack, with the line to add."""
    problems = list_missing_for_slack(settings)
    if problems:
        raise UserError(" ".join(problems), code="bad-settings")


def list_missing_for_slack(settings: Settings) -> list[str]:
    """Return a line for each setting that is missing for Slack, with the line to add."""
    problems = []
    if settings.slack_client_id and not (settings.slack_client_secret or settings.slack_bot_token):
        problems.append(
            "SLACK_CLIENT_ID is set, but its secret is not. "
            f"Put this line in {get_settings_place()}: SLACK_CLIENT_SECRET=..."
        )
    elif not settings.slack_bot_token and not has_oauth(settings):
        problems.append(
            f"SLACK_BOT_TOKEN is not set. Put this line in {get_settings_place()}: SLACK_BOT_TOKEN=xoxb-..."
        )
    if has_oauth(settings) and not settings.key:
        problems.append(
            "SLACK_CLIENT_SECRET is set, but GROGNARD_KEY, which encrypts workspaces' tokens, is not. "
            f"Put this line in {get_settings_place()}: GROGNARD_KEY=... (.env.example shows how to make one)"
        )
    if not settings.slack_app_token and not settings.slack_signing_secret:
        problems.append(
            "Neither SLACK_APP_TOKEN (Socket Mode) nor SLACK_SIGNING_SECRET (HTTP mode) is set. "
            f"Put this line in {get_settings_place()}: SLACK_APP_TOKEN=xapp-..."
        )
    return problems


def has_oauth(settings: Settings) -> bool:
    """Return whether workspaces can install the app by themselves: in HTTP mode only."""
    return bool(
        settings.slack_client_id and settings.slack_client_secret and not settings.slack_app_token
    )
