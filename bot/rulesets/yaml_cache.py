"""What YAML files come to, kept beside them as Python keeps byte code, so that a start reads no
YAML twice.

A kept file is trusted as far as the byte code of the bot itself: it is in the same kind of folder,
belongs to whoever owns the YAML or runs the bot, nobody else may write it, and it names the hash of
the very YAML that it was read from.
"""

import contextlib
import marshal
import os
import stat
import sys
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from typing import Any

from bot.rules.errors import TableError

FORM = b"tables 2 "
"""Raise the number when YAML is read or kept in another way."""
OTHERS = stat.S_IWGRP | stat.S_IWOTH


def read_yaml(path: str | os.PathLike[str]) -> Any:
    """The content of a YAML file. Raises TableError with the line for one that cannot be read."""
    folder, file = os.path.split(path)
    name = f"{os.path.basename(folder)}/{file}"
    try:
        with open(path, "rb") as opened:
            text = opened.read()
    except OSError as error:
        raise TableError(name, error.strerror or "cannot be read") from None
    kept = cache_from_source(os.fspath(path)).removesuffix("pyc") + "kept"
    head = FORM + MAGIC_NUMBER + source_hash(text)
    with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
        owners = (os.geteuid(), os.stat(path).st_uid)
        if (found := _read(kept, owners)).startswith(head):
            return marshal.loads(found[len(head) :])
    from bot.rulesets.yaml_file import parse  # 0.03 s where all is kept

    data = _share_texts(parse(text, name))
    if not sys.dont_write_bytecode:
        with contextlib.suppress(OSError, ValueError):
            # where it cannot be kept it is read again next time
            _write(kept, head + marshal.dumps(data))
    return data


def _share_texts(value: Any) -> Any:
    """Return the same content with equal texts as one string in memory, also of other files.

    Two thirds of the texts in the tables are repeated, such as keys. Marshal keeps them shared.
    """
    if isinstance(value, str):
        return sys.intern(value)
    if isinstance(value, list):
        return [_share_texts(item) for item in value]
    if isinstance(value, dict):
        return {_share_texts(key): _share_texts(item) for key, item in value.items()}
    return value


def _read(file: str, owners: tuple[int, ...]) -> bytes:
    """What is in a file of ours; nothing where somebody else could have written it."""
    with open(file, "rb") as opened:
        found = os.fstat(opened.fileno())
        return opened.read() if found.st_uid in owners and not found.st_mode & OTHERS else b""


def _write(file: str, content: bytes) -> None:
    """All of it or nothing, for others to read at most."""
    os.makedirs(os.path.dirname(file), exist_ok=True)
    beside = f"{file}.{os.getpid()}"
    opened = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        with os.fdopen(opened, "wb") as into:
            into.write(content)
        os.replace(beside, file)
    except OSError:
        os.unlink(beside)
        raise
