"""`grognard doctor`: settings, tables, database and tokens: what is right, and what to fix."""

import asyncio
import os
import shutil
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from bot.charts.png import find_rasterizer
from bot.cli.cli import Arguments
from bot.monitoring.health import COPIED, LITTLE, MIB, describe_missing_copy
from bot.rules.errors import TableError, UserError
from bot.rules.text.names import format_count
from bot.rulesets.catalog import get_packs_folder, get_systems
from bot.rulesets.packs.pack import load_packs_in
from bot.runtime.file_rights import explain_file_errors
from bot.runtime.service import are_settings_open, find_service
from bot.runtime.settings import Settings, SettingsError, get_env_file, load_settings
from bot.storage.base import DAY
from bot.storage.opening import get_server_name, open_store
from bot.storage.records import Doc
from bot.storage.sqlite import check_sqlite
from bot.storage.sqlite.schema import list_own_copies
from bot.ui.uploads.workbook import can_read_workbooks
from bot.verification.check_games import audit_games


class CheckupFindings:
    """Lines of a check-up, printed as they come; `ill` once one of them is a fault."""

    def __init__(self) -> None:
        self.ill = False

    def add_ok(self, line: str) -> None:
        """Something is as it should be."""
        print(f"ok    {line}")

    def add_note(self, line: str) -> None:
        """Something to know, no fault."""
        print(f"note  {line}")

    def add_fault(self, line: str) -> None:
        """Something to fix."""
        self.ill = True
        print(f"FIX   {line}")


def run_doctor(words: list[str]) -> int:
    """Check everything; `--replay` also plays every game of the database again. 1 when something
    is to be fixed.
    """
    arguments = Arguments(words, flags={"replay": False})
    arguments.take_only()
    replays = "replay" in arguments.flags
    found = CheckupFindings()
    found.add_ok(f"Python {sys.version.split()[0]}")
    _check_tables(found)
    _check_pictures(found)
    _check_workbooks(found)
    settings = _check_settings(found)
    if settings is not None:
        _check_live(found, settings)
        _check_health(found, settings)
        asyncio.run(_check_database(found, settings, replays=replays))
        asyncio.run(_check_platforms(found, settings))
    return int(found.ill)


def _check_tables(found: CheckupFindings) -> None:
    if (folder := get_packs_folder()) is not None:
        packs, faults = load_packs_in(folder)
        for pack in packs.values():
            found.add_ok(
                f"pack {pack.id}: {pack.title}, version {pack.about.version}, by {pack.about.author}"
            )
        for fault in faults:
            found.add_fault(fault)
    for system in get_systems().values():
        try:
            system.words  # noqa: B018  # its game file is read whole by this
            tables = len(list(system.tables.values()))
            sequences = len(system.sequences)
            found.add_ok(f"{system.id}: {tables} tables, {sequences} sequences")
        except TableError as error:
            found.add_fault(str(error))
        except OSError:
            found.add_note(f"{system.id} has no sequences file")


def _check_pictures(found: CheckupFindings) -> None:
    if library := find_rasterizer():
        found.add_ok(f"pictures are drawn by {library.replace('_', '-')}")
    else:
        found.add_note('pictures are not installed: pip install "grognard[pictures]" adds them')


def _check_workbooks(findings: CheckupFindings) -> None:
    if can_read_workbooks():
        findings.add_ok("Excel workbooks are read by openpyxl")
    else:
        findings.add_note('Excel workbooks are not read: pip install "grognard[sheets]" adds that')


def _check_settings(found: CheckupFindings) -> Settings | None:
    try:
        settings = load_settings()
    except SettingsError as error:
        for problem in error.problems:
            found.add_fault(problem)
        return None
    for line in settings.unknown:
        found.add_fault(line)
    _check_files_of_settings(found)
    _check_folder(found, settings.data)
    tokens = (
        ("Discord", "DISCORD_TOKEN", settings.discord_token),
        ("Slack", "SLACK_BOT_TOKEN", settings.slack_bot_token),
    )
    for platform, name, value in tokens:
        if value:
            found.add_ok(f"{name} is set")
        elif not (name == "SLACK_BOT_TOKEN" and settings.slack_client_id):
            # workspaces bring their own
            found.add_note(f"{name} is not set: {platform} is not served")
    return settings


def _check_files_of_settings(found: CheckupFindings) -> None:
    """Report settings files that other users may read: there are tokens in them."""
    file = get_env_file()
    is_there = file.is_file()
    if is_there and file.stat().st_mode & 0o077:
        found.add_fault(
            f"{file} may be read by other users, and has tokens in it. Type: chmod 600 {file}"
        )
    service = find_service()
    if service is not None:
        if service.settings.is_file() and are_settings_open(service):
            found.add_fault(
                f"{service.settings} may be read by other users, and has tokens in it. "
                f"Type: sudo chmod 640 {service.settings}"
            )
    elif is_there:
        found.add_ok(f"settings from {file.absolute()}")
    else:
        found.add_note(f"settings from the environment alone: there is no {file.absolute()}")


def _check_live(found: CheckupFindings, settings: Settings) -> None:
    """Return whether shared games can be reached, and by whom."""
    http = (settings.slack_signing_secret and not settings.slack_app_token) and (
        settings.slack_bot_token or settings.slack_client_id
    )
    if not settings.address:
        found.add_note("LIVE_PORT is not set: games cannot be shared live (docs/sharing.md)")
    elif settings.live_port and settings.live_port == settings.port and http:
        found.add_fault(
            f"LIVE_PORT and PORT are both {settings.port}: give shared games another one"
        )
    elif settings.live_port and not settings.public_url:
        found.add_note(
            f"shared games: {settings.address}, on this machine alone; PUBLIC_URL names where others reach them"
        )
    elif not settings.public_url.startswith("https://"):
        found.add_note(
            f"shared games: {settings.public_url} is not encrypted; put a proxy with a certificate before it"
        )
    elif not settings.live_port:
        found.add_note(
            f"shared games: {settings.public_url}, served by another process: LIVE_PORT is not set here"
        )
    else:
        found.add_ok(
            f"shared games: {settings.public_url}, port {settings.live_port} of {settings.live_host}"
        )


def _check_health(found: CheckupFindings, settings: Settings) -> None:
    """Return whether somebody can ask how the bot is."""
    if not settings.health_port:
        found.add_note("HEALTH_PORT is not set: nobody can ask how the bot is (deploy/README.md)")
    elif settings.health_port in (settings.live_port, settings.port):
        found.add_fault(
            f"HEALTH_PORT {settings.health_port} is another port's number too: give health one of its own"
        )
    elif find_spec("prometheus_client") is None:
        found.add_note(
            'figures for Prometheus are not installed: pip install "grognard[metrics]" adds them'
        )
    else:
        found.add_ok(f"health and figures: port {settings.health_port} of {settings.health_host}")


def _check_folder(found: CheckupFindings, data: Path) -> None:
    """Return whether the data folder can be written, has room, and is nobody else's to read."""
    # The bot makes the folder at its first start. os.path takes one that this user may not look at
    # for missing.
    where = next(folder for folder in (data, *data.absolute().parents) if os.path.exists(folder))
    if not where.is_dir():
        found.add_fault(
            f"data folder {data}: {where} is no folder. Set GROGNARD_DATA to another place"
        )
        return
    if not os.access(where, os.W_OK | os.X_OK) or os.statvfs(where).f_flag & os.ST_RDONLY:
        found.add_fault(
            f"data folder {data}: {where} cannot be written by this user. Mend its rights or its mount"
        )
        return
    found.add_ok(f"data folder {data}")
    free = shutil.disk_usage(where).free
    if free < LITTLE:
        found.add_fault(
            f"data folder {data}: only {free // MIB} MiB are free; the bot stops recording on a full disk"
        )
    readable = [
        path
        for path in (data, *data.rglob("*"))
        if os.path.exists(data) and path.stat().st_mode & 0o077
    ]
    if readable and not Path.cwd().is_relative_to(data.resolve()):
        found.add_note(
            f"others may read {readable[0]}; the bot takes that right away at its next start"
        )


def _check_copy(found: CheckupFindings, doc: Doc | None, now: float) -> None:
    """When the games were copied last."""
    data = doc.data if doc is not None else {}
    if trouble := describe_missing_copy(data, now):
        found.add_fault(f"{trouble}; systemctl status grognard-backup says why (deploy/README.md)")
    elif "at" not in data:
        found.add_note(
            "no copy of the games was made yet: grognard backup FILE, each night (deploy/README.md)"
        )
    else:
        hours = round((now - data["at"]) / 3600)
        age = format_count(hours, "hour") if hours < 36 else format_count(round(hours / 24), "day")
        found.add_ok(f"last copy of the games: {age} ago")


async def _check_platforms(found: CheckupFindings, settings: Settings) -> None:
    """Ask each platform that has a token. Their adapters know how; they are found by name, as
    the command line does.
    """
    say = {"ok": found.add_ok, "note": found.add_note, "fault": found.add_fault}
    # workspaces that install it bring their tokens
    slack = settings.slack_bot_token or settings.slack_client_id
    for name, token in (("discord", settings.discord_token), ("slack", slack)):
        if token and find_spec(f"adapters.{name}.doctor") is not None:
            for kind, line in await import_module(f"adapters.{name}.doctor").check(settings):
                say[kind](line)


async def _check_database(found: CheckupFindings, settings: Settings, *, replays: bool) -> None:
    try:
        name = get_server_name(settings) if settings.postgres else f"database {settings.database}"
        if not settings.postgres:
            check_sqlite()
            if settings.database is None:
                found.add_note("the database is a temporary one: games end with the process")
                return
            with explain_file_errors(settings.database, "read"):
                is_there = settings.database.exists()
            if not is_there:
                found.add_note(f"{name} does not exist yet; it is made at the first start")
                return
        async with await open_store(settings) as store:
            for copy in list_own_copies(settings.database) if settings.database is not None else ():
                age = format_count(round((time.time() - copy.stat().st_mtime) // DAY), "day")
                size = copy.stat().st_size / MIB
                found.add_note(f"{copy}: a copy that the bot made {age} ago, {size:.1f} MiB")
            problems = list(await store.check())
            for problem in problems:
                found.add_fault(f"{name}: {problem}")
            if not problems:
                found.add_ok(
                    f"{name}: {'' if settings.postgres else 'pages, indexes and '}stored texts are whole"
                )
            _check_copy(found, await store.load_doc(*COPIED), time.time())
            if replays:
                count, faults = await audit_games(store, note=found.add_note)
                for fault in faults:
                    found.add_fault(fault)
                if not faults:
                    found.add_ok(f"{format_count(count, 'game')}: log, chain, dice and state agree")
    except UserError as error:
        found.add_fault(str(error))
