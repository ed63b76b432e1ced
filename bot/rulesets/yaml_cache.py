"""A cache of parsed YAML files, next to them like Python's byte code, so that a start does not
parse YAML again.

A cached file is trusted like the byte code of the bot itself: it is in the same kind of folder,
belongs to the owner of the YAML or the user who runs the bot, nobody else may write it, and it
begins with the hash of the YAML from which it was made.
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
"""The format of cached files. Raise the number if YAML is parsed or cached in another way."""
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def read_yaml(path: str | os.PathLike[str]) -> Any:
    """Return the content of a YAML file, from the cache if it has the same text.

    A parsed file is put into the cache. Raises TableError with the line if it cannot be parsed.
    """
    folder, file = os.path.split(path)
    name = f"{os.path.basename(folder)}/{file}"
    try:
        with open(path, "rb") as yaml_file:
            text = yaml_file.read()
    except OSError as error:
        raise TableError(name, error.strerror or "cannot be read") from None
    cache_path = cache_from_source(os.fspath(path)).removesuffix("pyc") + "kept"
    head = FORM + MAGIC_NUMBER + source_hash(text)
    with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
        owners = (os.geteuid(), os.stat(path).st_uid)
        cached = _read(cache_path, owners)
        if cached.startswith(head):
            return marshal.loads(cached[len(head) :])
    from bot.rulesets.yaml_file import parse  # 0.03 s if all files are cached

    data = _share_texts(parse(text, name))
    if not sys.dont_write_bytecode:
        with contextlib.suppress(OSError, ValueError):
            # A file that cannot be cached is parsed again next time.
            _write(cache_path, head + marshal.dumps(data))
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
    """Return the content of a cached file, or b"" if somebody else could have written it.

    `owners` are the ids of the users who may own it. Raises OSError if there is no such file.
    """
    with open(file, "rb") as cached:
        status = os.fstat(cached.fileno())
        is_trusted = status.st_uid in owners and not status.st_mode & WRITABLE_BY_OTHERS
        return cached.read() if is_trusted else b""


def _write(file: str, content: bytes) -> None:
    """Write a file whole or not at all; other users may only read it. Creates its folder.

    Raises OSError.
    """
    os.makedirs(os.path.dirname(file), exist_ok=True)
    temporary_file = f"{file}.{os.getpid()}"
    descriptor = os.open(temporary_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        os.replace(temporary_file, file)
    except OSError:
        os.unlink(temporary_file)
        raise
