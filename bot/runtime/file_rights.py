"""The data folder and its files are for their owner alone: made so, and tightened where they
were not.
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
    path: Path | str, done: str = "written", code: str = "file-failed"
) -> Iterator[None]:
    """Run a block in which a file or folder is `written`, or read.

    Raises UserError that names the path, and the user if it is a matter of rights.
    """
    try:
        yield
    except PermissionError as error:
        hint = f"The user {get_user_name()} may not do that: name a place where it may."
        raise UserError(
            f"{path} cannot be {done}: {error.strerror or error}.", hint=hint, code=code
        ) from None
    except OSError as error:
        raise UserError(f"{path} cannot be {done}: {error.strerror or error}.", code=code) from None


def get_user_name() -> str:
    """Return the name of the user as whom this process runs; its number if it has no name."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def keep_files_private() -> None:
    """Whatever this process makes from now on, nobody else may read."""
    os.umask(_OTHERS)


def make_folder(path: Path) -> None:
    """Make a folder with those above it, for its owner alone; one that is there stays as it is.
    Raises OSError.
    """
    for folder in (*reversed(path.parents), path):
        if not folder.is_dir():
            folder.mkdir(mode=FOLDER, exist_ok=True)


def make_file(path: Path) -> None:
    """Make a file for its owner alone, unless it is there. Raises OSError."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, FILE))


def tighten(data: Path) -> list[Path]:
    """Take every right from others on the data folder and what it holds; gives back what was
    changed.

    Files of other owners and links are left alone, and so is a folder in which the bot was started,
    or one above it: there it is not ours alone.
    """
    if not os.path.isdir(data) or Path.cwd().is_relative_to(data.resolve()):
        return []
    changed = [path for path in (data, *sorted(data.rglob("*"))) if _tighten_one(path)]
    if changed:
        log.warning("%s and what it holds was open to others: now only its owner may read it", data)
    return changed


def _tighten_one(path: Path) -> bool:
    """Return whether others had rights that were taken away."""
    try:
        found = path.lstat()
        ours = (
            stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
        ) and found.st_uid == os.geteuid()
        if not ours or not found.st_mode & _OTHERS or found.st_mode & stat.S_ISVTX:
            return False
        path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
    except OSError:
        return False
    return True
