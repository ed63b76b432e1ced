"""Who was erased, so that a copy of the database that is put back erases them again.

Each erasure leaves a mark, a keyed hash, in the database and in a file of the data folder. A copy
that is put back lacks the marks made since; the file has them, and the key, which is in no copy:
whoever finds one learns nobody's id.
"""

import hashlib
import hmac
import json
import logging
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from bot.runtime.file_rights import make_file, make_folder
from bot.storage.records import Doc
from bot.storage.store import Store

log = logging.getLogger(__name__)

KIND = "erased"
FILE = "erased.json"


class ErasureMarks:
    """The marks in a folder; without one, those of a database that ends with its process."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / FILE if folder is not None else None
        self._key, self._marks = "", set[str]()

    def build_docs(self, users: Sequence[str], now: float) -> list[Doc]:
        """What the database keeps of these users, in the commit that erases them."""
        self._load()
        return [Doc(KIND, f"{self._key_prefix}{self._hash(user)}/{int(now)}", {}) for user in users]

    def keep(self, docs: Sequence[Doc]) -> None:
        """Have the marks in the file, too. Where it cannot be written, the database alone has
        them.
        """
        self._load()
        if new := {doc.key for doc in docs} - self._marks:
            self._marks |= new
            self._write()

    async def find_returned_users(self, store: Store) -> tuple[list[str], list[Doc]]:
        """Users whom a copy brought back, and the marks that the database lacks: it was written
        before they were erased. The marks are stored behind that. Raises StoreError."""
        there = await store.load_docs(KIND)
        self.keep(there)
        missing = {mark for mark in self._marks if mark.startswith(self._key_prefix)} - {
            doc.key for doc in there
        }
        hashes = {mark.removeprefix(self._key_prefix).partition("/")[0] for mark in missing}
        users = [
            user
            for user in (await store.list_users() if missing else ())
            if self._hash(user) in hashes
        ]
        return users, [Doc(KIND, mark, {}) for mark in sorted(missing)]

    @property
    def _key_prefix(self) -> str:
        """How marks begin that were made with our key: another machine may have one of its own."""
        return hashlib.sha256(self._key.encode()).hexdigest()[:8] + "/"

    def _hash(self, user: str) -> str:
        return hmac.new(
            bytes.fromhex(self._key), user.encode("utf-8", "replace"), hashlib.sha256
        ).hexdigest()

    def _load(self) -> None:
        if self._key:
            return
        try:
            data = json.loads(self._path.read_text("utf-8")) if self._path is not None else {}
            self._key, self._marks = (
                str(data.get("key", "")),
                {str(mark) for mark in data.get("marks", ())},
            )
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

    def _write(self) -> None:
        if self._path is None:
            return
        new = self._path.with_name(f"{FILE}.new")
        try:
            make_folder(self._path.parent)
            make_file(new)
            with new.open("w", encoding="utf-8") as file:
                json.dump({"key": self._key, "marks": sorted(self._marks)}, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._path)
        except OSError as error:
            log.error(
                "%s cannot be written, so a copy that is put back erases nobody again: %s",
                self._path,
                error,
            )
