"""`grognard ...` and `python -m bot ...`: finds the command and imports only what it needs."""

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
    "fuzz": "bot.cli.fuzz:run_fuzz",
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
"""Commands that are about the bot that runs as a service: its settings, its database, its port."""

BRIEF = ("lookup", "roll")
"""Commands that live for a few hundredths of a second."""


def process() -> NoReturn:
    """A process of its own for one command line."""
    if os.name == "nt":  # limits of processes, rights of files and signals are POSIX's
        print(
            "Grognard does not run on Windows itself. Use WSL (wsl --install) or the container.",
            file=sys.stderr,
        )
        sys.exit(2)
    if sys.argv[1:2] and sys.argv[1] in BRIEF:
        gc.disable()  # nothing of it dies before it does
    status = main()
    gc.freeze()  # at the end nothing is looked through once more
    sys.exit(status)


def main(words: list[str] | None = None) -> int:
    """Run one command line; the exit status: 0, or with one clear line on stderr 2 for what a
    person must mend, and 75 (`EX_TEMPFAIL`) for what passes, such as a database that is away."""
    words = sys.argv[1:] if words is None else words
    try:
        words = _take_packs(words)
    except UserError as error:
        print(_format_error(error, as_json="--json" in words), file=sys.stderr)
        return 2
    if not words or words[0] == "help" or not {"-h", "--help"}.isdisjoint(words):
        from bot.cli.command_help import format_help  # asked for seldom, as the version is: 0.02 s

        print(format_help(next((word for word in words if word in COMMANDS), "")), end="")
        return 0
    if words[0] in ("--version", "-V", "version"):
        from bot.runtime.release import get_release

        print(f"grognard {get_release()}")
        return 0
    target = COMMANDS.get(words[0])
    try:
        if target is None:
            hint = did_you_mean(words[0], COMMANDS) or "grognard --help shows all commands."
            raise UserError(
                f'There is no command "{words[0][:40]}".', hint=hint, code="unknown-command"
            )
        if words[0] in OF_SERVICE:
            _enter_service(words)
        _use_packs_of_file(words[0])
        module, _, function = target.partition(":")
        status = getattr(import_module(module), function)(words[1:])
        sys.stdout.flush()
    except (UserError, TableError) as error:
        if isinstance(error, UserError) and error.code == "missing" and not error.hint:
            error.hint = f"grognard {words[0]} --help shows how to write it."
        print(_format_error(error, as_json="--json" in words), file=sys.stderr)
        return get_exit_status(error)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        if error.errno not in (ENOSPC, EIO):
            raise
        print(f"The answer could not be written: {error.strerror}.", file=sys.stderr)
        sys.stdout = None  # what is left in it would fail again at the end
        return 2
    except KeyboardInterrupt:
        return 130
    return int(status or 0)


def get_exit_status(error: Exception) -> int:
    """The exit status of a command that ends with this error; deploy/grognard.service starts no
    bot again after 2.
    """
    return os.EX_TEMPFAIL if isinstance(error, UserError) and error.is_passing else 2


def _enter_service(words: list[str]) -> None:
    """Go on with the settings and as the user of the service, if this is an installed release.
    Raises UserError.
    """
    from bot.runtime.service import enter_service, find_service  # 0.02 s that `roll` does without

    service = find_service()
    if service is not None:
        enter_service(service, " ".join(words))


def _take_packs(words: list[str]) -> list[str]:
    """Return the words without `--packs FOLDER`, which any command takes; that folder counts for
    this process and those that it starts. Raises UserError for a folder that is not there."""
    index = next(
        (index for index, word in enumerate(words) if word.partition("=")[0] == "--packs"), None
    )
    if index is None:
        return words
    _, equals, folder = words[index].partition("=")
    taken = 1 if equals else 2
    folder = folder if equals else "".join(words[index + 1 : index + 2])
    from bot.rulesets.catalog import find_named_folder  # 0.03 s that `roll` does without

    path = find_named_folder(folder)
    if not folder or not path.exists():
        raise UserError(
            f"There is no folder of packs {folder[:80]}.", hint="--packs FOLDER", code="no-value"
        )
    os.environ["GROGNARD_PACKS"] = os.path.abspath(path)
    return words[:index] + words[index + taken :]


def _use_packs_of_file(command: str) -> None:
    """Take GROGNARD_PACKS from the file with the settings, unless the environment or the command
    line named it.
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
    """An error in one line; several settings that are wrong in a line each."""
    if as_json and hasattr(error, "code"):
        import json

        told = {
            "code": error.code,
            "message": getattr(error, "message", ""),
            "hint": getattr(error, "hint", ""),
        }
        return json.dumps({"error": told}, ensure_ascii=False)
    problems = getattr(error, "problems", None) or [str(error)]
    return "\n".join(str(problem).replace("\n", " ") for problem in problems)


if __name__ == "__main__":
    process()
