"""Rights of the data folder and its files: only their owner may read them.

New ones are created so, and existing ones are corrected.
"""

import logging
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.rules.errors import UserError

log = logging.getLogger(__name__)

FOLDER, FILE = 0o700, 0o600
_OTHERS = 0o077


@contextmanager
def explain_file_errors(
    path: Path | str, action: str = "written", code: str = "file-failed"
) -> Iterator[None]:
    """Run a block in which a file or folder is `written`, or read.

    Raise UserError that names the path, and the user if it is a matter of rights.
    """
    try:
        yield
    except PermissionError as error:
        hint = f"The user {get_user_name()} has no permission there. Choose another folder."
        raise UserError(
            f"{path} cannot be {action}: {error.strerror or error}.", hint=hint, code=code
        ) from None
    except OSError as error:
        raise UserError(
            f"{path} cannot be {action}: {error.strerror or error}.", code=code
        ) from None


def get_user_name() -> str:
    """Return the name of the user that this process runs as, or the number of a user without a
    name.
    """
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def keep_files_private() -> None:
    """Let only this user read whatever this process creates from now on."""
    os.umask(_OTHERS)


def make_folder(path: Path) -> None:
    """Create a folder and those above it, for its owner alone. Existing ones stay. Raise OSError."""
    for folder in (*reversed(path.parents), path):
        if not folder.is_dir():
            folder.mkdir(mode=FOLDER, exist_ok=True)


def make_file(path: Path) -> None:
    """Create a file for its owner alone, unless it exists. Raise OSError."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, FILE))


def tighten(data: Path) -> list[Path]:
    """Remove all rights of others from the data folder and its content. Return the changed paths.

    Files of other owners and links are left alone. So is a folder in which the bot was started, or
    one above it, since it may hold other things.
    """
    if not os.path.isdir(data) or Path.cwd().is_relative_to(data.resolve()):
        return []
    changed = [path for path in (data, *sorted(data.rglob("*"))) if _tighten_one(path)]
    if changed:
        log.warning("%s and what it holds was open to others: now only its owner may read it", data)
    return changed


def _tighten_one(path: Path) -> bool:
    """Remove the rights of others from one path. Return whether they had any."""
    try:
        status = path.lstat()
        is_file_or_folder = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
        if not is_file_or_folder or status.st_uid != os.geteuid():
            return False
        if not status.st_mode & _OTHERS or status.st_mode & stat.S_ISVTX:
            return False
        path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)
    except OSError:
        return False
    return True
