"""`grognard ...` and `python -m bot ...`: runs a command, and imports only its module."""

import gc
import os
import sys
from errno import EIO, ENOSPC
from importlib import import_module
from typing import NoReturn

from bot.rules.errors import TableError, UserError, did_you_mean

COMMANDS = {
    "systems": "bot.cli.cli:show_systems",
    "tables": "bot.cli.cli:show_tables",
    "sequences": "bot.cli.cli:show_sequences",
    "lookup": "bot.cli.cli:look_up_table",
    "resolve": "bot.cli.cli:resolve_once",
    "odds": "bot.cli.cli:count_odds_once",
    "picture": "bot.cli.picture:write_picture",
    "roll": "bot.cli.cli:roll_once",
    "completion": "bot.cli.completion:print_completion",
    "batch": "bot.cli.cli:answer_batch",
    "verify": "bot.cli.cli:verify_file",
    "report": "bot.cli.report:write_report",
    "check": "bot.cli.packs:check_packs",
    "new": "bot.cli.packs:create_pack",
    "try": "adapters.console.session:try_pack",
    "import": "bot.cli.packs:import_file",
    "export-table": "bot.cli.packs:export_table",
    "doctor": "bot.cli.doctor:run_doctor",
    "health": "bot.cli.cli:check_health",
    "publish": "bot.cli.report:publish_page",
    "rerun": "bot.cli.database:replay_games",
    "copy": "bot.cli.database:copy_database",
    "backup": "bot.cli.database:back_up_database",
    "restore": "bot.cli.database:restore_database",
    "play": "adapters.console.session:main",
    "discord": "adapters.run:run_discord",
    "commands": "adapters.discord.command_payload:show_commands",
    "slack": "adapters.run:run_slack",
    "run": "adapters.run:main",
    "manifest": "adapters.slack.installation:print_manifest",
}


OF_SERVICE = (
    "doctor", "health", "backup", "restore", "copy", "rerun", "publish", "run", "discord", "slack",
)  # fmt: skip
"""Commands about the installed bot: its settings, its database, its port."""

BRIEF = ("lookup", "roll")
"""Commands that run for a few hundredths of a second."""


def process() -> NoReturn:
    """Run the command line of this process and exit with its status."""
    if os.name == "nt":  # process limits, file rights and signals are those of POSIX
        print(
            "Grognard does not run on Windows itself. Use WSL (wsl --install) or the container.",
            file=sys.stderr,
        )
        sys.exit(2)
    if sys.argv[1:2] and sys.argv[1] in BRIEF:
        gc.disable()  # such a short process needs no garbage collection
    status = main()
    gc.freeze()  # the collector has nothing to search when the process ends
    sys.exit(status)


def main(words: list[str] | None = None) -> int:
    """Run one command line, by default that of this process, and return its exit status.

    An error is one line on stderr; its status is 2 if a person must fix it, and 75 (`EX_TEMPFAIL`)
    if it passes, such as a database that is away. Commands may have statuses of their own.
    """
    words = sys.argv[1:] if words is None else words
    try:
        words = _take_packs(words)
    except UserError as error:
        print(_format_error(error, as_json="--json" in words), file=sys.stderr)
        return 2
    if not words or words[0] == "help" or not {"-h", "--help"}.isdisjoint(words):
        from bot.cli.command_help import format_help  # seldom needed, as the version is: 0.02 s

        print(format_help(next((word for word in words if word in COMMANDS), "")), end="")
        return 0
    if words[0] in ("--version", "-V", "version"):
        from bot.runtime.release import get_release

        print(f"grognard {get_release()}")
        return 0
    try:
        status = _run_command(words)
    except (UserError, TableError) as error:
        if isinstance(error, UserError) and error.code == "missing" and not error.hint:
            error.hint = f"grognard {words[0]} --help shows how to use it."
        print(_format_error(error, as_json="--json" in words), file=sys.stderr)
        return get_exit_status(error)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        if error.errno not in (ENOSPC, EIO):
            raise
        print(f"The answer could not be written: {error.strerror}.", file=sys.stderr)
        sys.stdout = None  # writing its buffer at exit would fail again
        return 2
    except KeyboardInterrupt:
        return 130
    return status


def _run_command(words: list[str]) -> int:
    """Run the command that the words begin with, and return its exit status.

    Raises UserError if there is no such command, and the errors of the command.
    """
    name = words[0]
    target = COMMANDS.get(name)
    if target is None:
        hint = did_you_mean(name, COMMANDS) or "grognard --help shows all commands."
        raise UserError(f'There is no command "{name[:40]}".', hint=hint, code="unknown-command")
    if name in OF_SERVICE:
        _enter_service(words)
    _use_packs_of_file(name)
    module_name, _, function_name = target.partition(":")
    module = import_module(module_name)
    status = getattr(module, function_name)(words[1:])
    sys.stdout.flush()
    return int(status or 0)


def get_exit_status(error: Exception) -> int:
    """Return the exit status of a command that ends with this error: 75 if it passes, else 2.

    deploy/grognard.service does not restart the bot after 2.
    """
    return os.EX_TEMPFAIL if isinstance(error, UserError) and error.is_passing else 2


def _enter_service(words: list[str]) -> None:
    """Continue with the settings and as the user of the service, if this is an installed release;
    do nothing otherwise. Raises UserError.
    """
    from bot.runtime.service import enter_service, find_service  # 0.02 s that `roll` does without

    service = find_service()
    if service is not None:
        enter_service(service, " ".join(words))


def _take_packs(words: list[str]) -> list[str]:
    """Return the words without `--packs FOLDER`, which any command takes. The packs of that folder
    are used by this process and those that it starts: GROGNARD_PACKS is set.

    Raises UserError if the folder does not exist.
    """
    index = next(
        (index for index, word in enumerate(words) if word.partition("=")[0] == "--packs"), None
    )
    if index is None:
        return words
    _, equals, folder = words[index].partition("=")
    end = index + 1
    if not equals:
        folder = "".join(words[end : end + 1])
        end += 1
    from bot.rulesets.catalog import find_named_folder  # 0.03 s that `roll` does without

    path = find_named_folder(folder)
    if not folder or not path.exists():
        raise UserError(
            f"There is no pack folder {folder[:80]}.", hint="--packs FOLDER", code="no-value"
        )
    os.environ["GROGNARD_PACKS"] = os.path.abspath(path)
    return words[:index] + words[end:]


def _use_packs_of_file(command: str) -> None:
    """Set GROGNARD_PACKS from the settings file, unless the environment or the command line has
    set it. A command that is not about the service reads only `.env`, if there is one.
    """
    if os.environ.get("GROGNARD_PACKS"):
        return
    if command not in OF_SERVICE and not os.path.exists(".env"):
        return
    from bot.runtime.settings import (
        get_env_file,
        read_env_file,
    )  # 0.02 s that a lookup without .env does without

    os.environ["GROGNARD_PACKS"] = read_env_file(get_env_file(), []).get("GROGNARD_PACKS", "")


def _format_error(error: Exception, *, as_json: bool) -> str:
    """Format an error as one line, or as one JSON object; several wrong settings as a line each."""
    if as_json and hasattr(error, "code"):
        import json

        fields = {
            "code": error.code,
            "message": getattr(error, "message", ""),
            "hint": getattr(error, "hint", ""),
        }
        return json.dumps({"error": fields}, ensure_ascii=False)
    problems = getattr(error, "problems", None) or [str(error)]
    return "\n".join(str(problem).replace("\n", " ") for problem in problems)


if __name__ == "__main__":
    process()
