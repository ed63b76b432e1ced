"""`grognard doctor`: a check of settings, tables, database and tokens."""

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
from bot.rulesets.catalog import get_packs_folder, load_shared_systems
from bot.rulesets.packs.pack import load_packs_in
from bot.rulesets.system import TABLES
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
    """The findings of a check-up, which are printed as they are added. `has_faults` is True once
    one of them is a fault.
    """

    def __init__(self) -> None:
        self.has_faults = False

    def add_ok(self, line: str) -> None:
        """Print that something is as it should be."""
        print(f"ok    {line}")

    def add_note(self, line: str) -> None:
        """Print something to know that is no fault."""
        print(f"note  {line}")

    def add_fault(self, line: str) -> None:
        """Print something that has to be fixed, and remember that there was a fault."""
        self.has_faults = True
        print(f"FIX   {line}")


def run_doctor(words: list[str]) -> int:
    """Check tables, libraries, settings, database and tokens, and print the findings. `--replay`
    also plays every game of the database again.

    Return the exit status: 1 if something has to be fixed.
    """
    arguments = Arguments(words, flags={"replay": False})
    arguments.take_only()
    is_replaying = "replay" in arguments.flags
    findings = CheckupFindings()
    findings.add_ok(f"Python {sys.version.split()[0]}")
    try:
        _check_tables(findings)
    except UserError as error:
        # every later check needs the tables
        findings.add_fault(f"{error.message} {error.hint}")
        return 1
    _check_pictures(findings)
    _check_workbooks(findings)
    settings = _check_settings(findings)
    if settings is not None:
        _check_live(findings, settings)
        _check_health(findings, settings)
        asyncio.run(_check_database(findings, settings, is_replaying=is_replaying))
        asyncio.run(_check_platforms(findings, settings))
    return int(findings.has_faults)


def _check_tables(findings: CheckupFindings) -> None:
    """Check that the packs of the host and the tables of all systems can be loaded.

    Raises UserError if no tables can be read.
    """
    folder = get_packs_folder()
    if folder is not None:
        packs, faults = load_packs_in(folder)
        for pack in packs.values():
            findings.add_ok(
                f"pack {pack.id}: {pack.title}, version {pack.about.version}, by {pack.about.author}"
            )
        for fault in faults:
            findings.add_fault(fault)
    for system in load_shared_systems().values():
        try:
            system.words  # noqa: B018  # this reads the whole game file
            tables = len(list(system.tables.values()))
            sequences = len(system.sequences)
            findings.add_ok(f"{system.id}: {tables} tables, {sequences} sequences")
        except TableError as error:
            findings.add_fault(str(error))
        except FileNotFoundError:
            findings.add_note(f"{system.id} has no sequences file")
        except OSError as error:
            findings.add_fault(f"{error.filename} cannot be read: {error.strerror}")
    for folder in _list_closed_folders():
        findings.add_fault(f"{folder} cannot be read: its game is left out")


def _list_closed_folders() -> list[Path]:
    """Return the folders of built-in games that this user may not read."""
    folders = [path for path in sorted(Path(TABLES).iterdir()) if path.is_dir()]
    return [folder for folder in folders if not os.access(folder, os.R_OK | os.X_OK)]


def _check_pictures(findings: CheckupFindings) -> None:
    """Check that PNG pictures can be drawn."""
    library = find_rasterizer()
    if library:
        findings.add_ok(f"pictures are drawn by {library.replace('_', '-')}")
    else:
        findings.add_note('pictures are not installed: pip install "grognard[pictures]" adds them')


def _check_workbooks(findings: CheckupFindings) -> None:
    """Check that Excel workbooks can be read."""
    if can_read_workbooks():
        findings.add_ok("Excel workbooks are read by openpyxl")
    else:
        findings.add_note(
            'Excel workbooks cannot be read: pip install "grognard[sheets]" adds support for them'
        )


def _check_settings(findings: CheckupFindings) -> Settings | None:
    """Check settings, data folder and tokens. Return the settings, or None if they are wrong."""
    try:
        settings = load_settings()
    except SettingsError as error:
        for problem in error.problems:
            findings.add_fault(problem)
        return None
    for line in settings.unknown:
        findings.add_fault(line)
    _check_files_of_settings(findings)
    _check_folder(findings, settings.data)
    tokens = (
        ("Discord", "DISCORD_TOKEN", settings.discord_token),
        ("Slack", "SLACK_BOT_TOKEN", settings.slack_bot_token),
    )
    for platform, name, value in tokens:
        if value:
            findings.add_ok(f"{name} is set")
        elif not (name == "SLACK_BOT_TOKEN" and settings.slack_client_id):
            # workspaces that install the app have tokens of their own
            findings.add_note(f"{name} is not set: {platform} is not served")
    return settings


def _check_files_of_settings(findings: CheckupFindings) -> None:
    """Report settings files that other users may read: they hold tokens. Also say which file the
    settings come from, except for an installed service.
    """
    file = get_env_file()
    file_exists = file.is_file()
    if file_exists and file.stat().st_mode & 0o077:
        findings.add_fault(
            f"{file} has tokens in it, and other users can read it. Type: chmod 600 {file}"
        )
    service = find_service()
    if service is not None:
        if service.settings.is_file() and are_settings_open(service):
            findings.add_fault(
                f"{service.settings} has tokens in it, and other users can read it. "
                f"Type: sudo chmod 640 {service.settings}"
            )
    elif file_exists:
        findings.add_ok(f"settings from {file.absolute()}")
    else:
        findings.add_note(f"settings only from the environment: {file.absolute()} does not exist")


def _check_live(findings: CheckupFindings, settings: Settings) -> None:
    """Check the settings for games that are shared live: address, port and encryption."""
    serves_slack = settings.slack_bot_token or settings.slack_client_id
    has_slack_port = settings.slack_signing_secret and not settings.slack_app_token
    is_port_shared = settings.live_port and settings.live_port == settings.port
    if not settings.address:
        findings.add_note("LIVE_PORT is not set: games cannot be shared live (docs/sharing.md)")
    elif is_port_shared and has_slack_port and serves_slack:
        findings.add_fault(
            f"LIVE_PORT and PORT are both {settings.port}: give shared games a different port"
        )
    elif settings.live_port and not settings.public_url:
        findings.add_note(
            f"shared games: {settings.address}, on this machine only; set PUBLIC_URL to let others reach them"
        )
    elif not settings.public_url.startswith("https://"):
        findings.add_note(
            f"shared games: {settings.public_url} is not encrypted; put a proxy with a certificate in front of it"
        )
    elif not settings.live_port:
        findings.add_note(
            f"shared games: {settings.public_url}, served by another process: LIVE_PORT is not set here"
        )
    else:
        findings.add_ok(
            f"shared games: {settings.public_url}, port {settings.live_port} on {settings.live_host}"
        )


def _check_health(findings: CheckupFindings, settings: Settings) -> None:
    """Check the settings of the health port."""
    if not settings.health_port:
        findings.add_note(
            "HEALTH_PORT is not set: nobody can check how the bot is doing (deploy/operations.md)"
        )
    elif settings.health_port in (settings.live_port, settings.port):
        findings.add_fault(
            f"HEALTH_PORT {settings.health_port} is already in use for another port: give health its own"
        )
    elif find_spec("prometheus_client") is None:
        findings.add_note(
            'metrics for Prometheus are not installed: pip install "grognard[metrics]" adds them'
        )
    else:
        findings.add_ok(
            f"health and metrics: port {settings.health_port} on {settings.health_host}"
        )


def _check_folder(findings: CheckupFindings, data: Path) -> None:
    """Check that the data folder can be written, has free space, and cannot be read by others.

    The bot makes the folder at its first start. Until then the nearest existing parent is checked.
    """
    # os.path reports a folder that this user may not look at as missing
    parents = (data, *data.absolute().parents)
    folder = next(parent for parent in parents if os.path.exists(parent))
    if not folder.is_dir():
        findings.add_fault(
            f"data folder {data}: {folder} is not a folder. Set GROGNARD_DATA to another folder"
        )
        return
    if not os.access(folder, os.W_OK | os.X_OK) or os.statvfs(folder).f_flag & os.ST_RDONLY:
        findings.add_fault(
            f"data folder {data}: {folder} is not writable for this user. Fix its permissions or its mount"
        )
        return
    findings.add_ok(f"data folder {data}")
    free = shutil.disk_usage(folder).free
    if free < LITTLE:
        findings.add_fault(
            f"data folder {data}: only {free // MIB} MiB are free; the bot stops recording on a full disk"
        )
    paths = (data, *data.rglob("*")) if os.path.exists(data) else ()
    readable = [path for path in paths if path.stat().st_mode & 0o077]
    if readable and not Path.cwd().is_relative_to(data.resolve()):
        findings.add_note(
            f"others can read {readable[0]}; the bot will fix that when it next starts"
        )


def _check_copy(findings: CheckupFindings, doc: Doc | None, now: float) -> None:
    """Report the age of the last backup; a fault if backups fail or stopped.

    `doc` is what backups save in the database, None if none was ever made.
    """
    data = doc.data if doc is not None else {}
    trouble = describe_missing_copy(data, now)
    if trouble:
        findings.add_fault(
            f"{trouble}; systemctl status grognard-backup shows why (deploy/README.md)"
        )
    elif "at" not in data:
        findings.add_note(
            "the games have never been backed up: run grognard backup FILE every night (deploy/README.md)"
        )
    else:
        hours = round((now - data["at"]) / 3600)
        age = format_count(hours, "hour") if hours < 36 else format_count(round(hours / 24), "day")
        findings.add_ok(f"last copy of the games: {age} ago")


async def _check_platforms(findings: CheckupFindings, settings: Settings) -> None:
    """Check the tokens and the app of each platform that is served.

    The checks are in the adapters, which are found by name, as those of the command line are.
    """
    add_line = {"ok": findings.add_ok, "note": findings.add_note, "fault": findings.add_fault}
    # workspaces that install the app have tokens of their own
    slack = settings.slack_bot_token or settings.slack_client_id
    for name, token in (("discord", settings.discord_token), ("slack", slack)):
        if not token or find_spec(f"adapters.{name}.doctor") is None:
            continue
        doctor = import_module(f"adapters.{name}.doctor")
        for kind, line in await doctor.check(settings):
            add_line[kind](line)


async def _check_database(
    findings: CheckupFindings, settings: Settings, *, is_replaying: bool
) -> None:
    """Check that the database can be opened and its texts are whole, and report copies of it.

    `is_replaying`: also play every game again. A database that cannot be opened is a fault; one
    that does not exist yet is none.
    """
    try:
        name = get_server_name(settings) if settings.postgres else f"database {settings.database}"
        if not settings.postgres:
            check_sqlite()
            if settings.database is None:
                findings.add_note("the database is temporary: games are lost when the process ends")
                return
            with explain_file_errors(settings.database, "read"):
                file_exists = settings.database.exists()
            if not file_exists:
                findings.add_note(
                    f"{name} does not exist yet; the bot creates it when it first starts"
                )
                return
        async with await open_store(settings) as store:
            if settings.database is not None:
                _report_own_copies(findings, settings.database)
            problems = list(await store.check())
            for problem in problems:
                findings.add_fault(f"{name}: {problem}")
            if not problems:
                pages = "" if settings.postgres else "pages, indexes and "
                findings.add_ok(f"{name}: {pages}stored texts are intact")
            _check_copy(findings, await store.load_doc(*COPIED), time.time())
            if is_replaying:
                count, faults = await audit_games(store, note=findings.add_note)
                for fault in faults:
                    findings.add_fault(fault)
                if not faults:
                    findings.add_ok(
                        f"{format_count(count, 'game')}: log, chain, dice and state agree"
                    )
    except UserError as error:
        findings.add_fault(str(error))


def _report_own_copies(findings: CheckupFindings, database: Path) -> None:
    """Note age and size of the copies that the bot itself made of its SQLite database."""
    for copy in list_own_copies(database):
        status = copy.stat()
        days = round((time.time() - status.st_mtime) // DAY)
        age = format_count(days, "day")
        size = status.st_size / MIB
        findings.add_note(f"{copy}: a copy the bot made {age} ago, {size:.1f} MiB")
