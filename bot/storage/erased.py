"""The marks of erased users, so that they are erased again after a backup is restored.

Each erasure leaves a mark, a keyed hash of the user's id, in the database and in a file of the data
folder. A restored backup lacks the marks that were made since. The file has them, and the key,
which is in no backup: a backup alone tells nobody which users were erased.
"""

import asyncio
import hashlib
import hmac
import json
import logging
import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.runtime.file_rights import make_file, make_folder
from bot.storage.records import Doc
from bot.storage.store import Store

log = logging.getLogger(__name__)

KIND = "erased"
FILE = "erased.json"


class ErasureMarks:
    """The marks in the file of a data folder. Without a folder, as for a temporary database, they
    and their key are only in memory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / FILE if folder is not None else None
        self._key = ""
        self._marks = set[str]()
        self._writing = asyncio.Lock()

    def build_docs(self, users: Sequence[str], now: float) -> list[Doc]:
        """Build the marks of these users for the database, for the commit that erases them."""
        self._load()
        return [Doc(KIND, f"{self._key_prefix}{self._hash(user)}/{int(now)}", {}) for user in users]

    async def keep(self, docs: Sequence[Doc]) -> None:
        """Write these marks of the database into the file as well. If that fails it is logged, and
        only the database has them.

        A thread waits for the disk, so that other commands go on.
        """
        self._load()
        new_marks = {doc.key for doc in docs} - self._marks
        if not new_marks:
            return
        self._marks |= new_marks
        if self._path is None:
            return
        async with self._writing:
            data = {"key": self._key, "marks": sorted(self._marks)}
            await asyncio.to_thread(_replace_file, self._path, data)

    async def find_returned_users(self, store: Store) -> tuple[list[str], list[Doc]]:
        """Return the users whom a restored backup brought back, and the marks that the database
        lacks because it is older than them. The caller erases the users and then stores the marks.

        Marks of the database are written into the file. Raises StoreError.
        """
        docs = await store.load_docs(KIND)
        await self.keep(docs)
        own_marks = {mark for mark in self._marks if mark.startswith(self._key_prefix)}
        missing = own_marks - {doc.key for doc in docs}
        if not missing:
            return [], []
        hashes = {mark.removeprefix(self._key_prefix).partition("/")[0] for mark in missing}
        users = [user for user in await store.list_users() if self._hash(user) in hashes]
        return users, [Doc(KIND, mark, {}) for mark in sorted(missing)]

    @property
    def _key_prefix(self) -> str:
        """The beginning of the marks that were made with our key: another machine may have a key of
        its own.
        """
        return hashlib.sha256(self._key.encode()).hexdigest()[:8] + "/"

    def _hash(self, user: str) -> str:
        """Return the hash of a user's id that is made with our key."""
        key = bytes.fromhex(self._key)
        return hmac.new(key, user.encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def _load(self) -> None:
        """Load key and marks from the file, once; create a key if there is none.

        If the file cannot be read, that is logged and the file is left alone from then on.
        """
        if self._key:
            return
        try:
            data = json.loads(self._path.read_text("utf-8")) if self._path is not None else {}
            self._key = str(data.get("key", ""))
            self._marks = {str(mark) for mark in data.get("marks", ())}
        except FileNotFoundError:
            pass
        except (OSError, ValueError, AttributeError) as error:
            log.error(
                "%s cannot be read, so no copy that is put back erases anybody again: %s",
                self._path,
                error,
            )
            self._path = None
        self._key = self._key or secrets.token_hex(32)


def _replace_file(path: Path, data: Mapping[str, object]) -> None:
    """Replace the file by one with this data. A failure is logged."""
    draft = path.with_name(f"{FILE}.new")
    try:
        make_folder(path.parent)
        make_file(draft)
        with draft.open("w", encoding="utf-8") as file:
            json.dump(data, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        log.error(
            "%s cannot be written, so a copy that is put back erases nobody again: %s", path, error
        )
