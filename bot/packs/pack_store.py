"""Packs in the store: what is in one, once, by its SHA-256; and which of them each server has.

What a pack is never changes: another version has another hash. A server has versions, at most so
many, and enables of each id one; the rest of the bot sees only what is enabled. A version that
events were played under stays for as long as the server does that played it, whether it still has
the pack or not.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bot.rules.errors import TableError, UserError, did_you_mean
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.archive import Content
from bot.rulesets.packs.pack import About, PackSystem, build_pack, check_together, compute_version
from bot.rulesets.system import System
from bot.storage.base import DAY, Clock
from bot.storage.records import PACK_FILES, Doc, Json
from bot.storage.store import Store
from bot.ui.spec import Place
from bot.ui.typing.complete import CompletionChoice

ABOUT, HERE, USED, SETUP = "pack", "pack-here", "pack-used", "setup"
"""Kinds of documents: what a version is, by hash (PACK_FILES: its files); that a server has one,
that it has played one; what is enabled on a server."""
MOST_HERE = 30
"""Versions that a server has at a time."""
MOST_ENABLED = 10
SHORT = 8
"""Characters of a hash that name a version."""


class PackVersion(NamedTuple):
    """A version of a pack that a server has."""

    hash: str
    id: str
    title: str
    version: str
    licence: str
    added: float

    @property
    def label(self) -> str:
        """As it is told from others: `few 1.2 (3f2a9c01)`."""
        return f"{self.id} {self.version} ({self.hash[:SHORT]})"


def get_server_key(where: Place) -> str:
    """Whose packs a place has: its server's, or its own where it is on none."""
    return where.server or where.key


def build_docs(content: Content, about: About, server: str, now: float) -> list[Doc]:
    """What is written when a server gets a pack that was checked."""
    hash = compute_version(content)
    said: Json = {
        "id": about.id,
        "title": about.title,
        "version": about.version,
        "licence": about.licence,
    }
    here = {"hash": hash, **said, "added": now}
    return [*build_content_docs(content, said), Doc(HERE, f"{server}/{hash}", here, None, server)]


def build_content_docs(content: Content, about: Json) -> list[Doc]:
    """The content of a version, and what it is."""
    hash = compute_version(content)
    files = {name: data.decode() for name, data in content.items()}
    return [Doc(ABOUT, hash, {**about, "hash": hash}), Doc(PACK_FILES, hash, {"files": files})]


def build_used_docs(packs: Iterable[PackSystem], server: str) -> list[Doc]:
    """What is written when events of a server's game name these versions: they stay for as long
    as the server.
    """
    found: list[Doc] = []
    for pack in packs:
        said = {
            "id": pack.id,
            "title": pack.title,
            "version": pack.about.version,
            "licence": pack.about.licence,
        }
        found += build_content_docs(pack.content, said)
        found.append(Doc(USED, f"{server}/{pack.version}", {"hash": pack.version}, None, server))
    return found


async def list_versions(store: Store, server: str) -> list[PackVersion]:
    """What a server has, by id, the newest of each first."""
    found = [PackVersion(**doc.data) for doc in await store.load_docs(HERE, server)]
    return sorted(found, key=lambda one: (one.id, -one.added))


async def list_pack_choices(store: Store, where: Place) -> tuple[CompletionChoice, ...]:
    """The versions that a server has, as an option that names one is completed."""
    known = await list_versions(store, get_server_key(where))
    return tuple(
        CompletionChoice(f"{one.title} {one.version}", f"{one.id}@{one.hash[:SHORT]}")
        for one in known
    )


async def load_stored_pack(store: Store, hash: str) -> PackSystem | None:
    """The version with this hash, checked against it; None where it is not kept, or not what it
    was.
    """
    doc = await store.load_doc(PACK_FILES, hash)
    if doc is None:
        return None
    return build_pack(doc.data["files"], hash)


async def load_enabled(store: Store, server: str) -> dict[str, str]:
    """The hash of each pack that is enabled on a server, by id."""
    doc = await store.load_doc(SETUP, server)
    return dict(doc.data.get("packs") or {}) if doc is not None else {}


async def build_enabled_doc(store: Store, server: str, packs: Mapping[str, str]) -> Doc:
    """The server's choice with these packs enabled; which of the other systems are stays as it
    is.
    """
    doc = await store.load_doc(SETUP, server)
    rest = {
        key: value for key, value in (doc.data if doc is not None else {}).items() if key != "packs"
    }
    return Doc(SETUP, server, {**rest, "packs": dict(packs)}, None, server)


def choose_version(
    typed: str, known: Iterable[PackVersion], active: Mapping[str, str]
) -> PackVersion:
    """The version that is meant: by its id, its id and version, or the first characters of its
    hash.

    An id alone means the one that is enabled, else the newest. Raises UserError.
    """
    every = list(known)
    word = comparison_key(typed).removesuffix(")")
    id, _, rest = word.replace("(", " ").replace("@", " ").partition(" ")
    of_id = [one for one in every if one.id == id]
    if rest:
        words = rest.split()
        fitting = [
            one
            for one in of_id
            if all(one.version.casefold() == w or one.hash.startswith(w) for w in words)
        ]
    elif of_id:
        fitting = [one for one in of_id if active.get(id) == one.hash] or of_id
    else:
        fitting = [
            one for one in every if re.fullmatch("[0-9a-f]{4,64}", id) and one.hash.startswith(id)
        ]
    if fitting:
        return fitting[0]
    hint = did_you_mean(id, {one.id for one in every}) or phrase(
        "`/pack list` shows what there is."
    )
    raise UserError(f'No pack "{typed[:40]}" here.', hint=hint, option="pack", code="unknown-pack")


def check_joining(pack: PackSystem, others: Iterable[System]) -> None:
    """Raise UserError for an extension that cannot be in force together with the other packs."""
    try:
        check_together(
            pack, [one for one in others if one.base is not None and one.home == pack.home]
        )
    except TableError as error:
        hint = "Switch the other one off, or give this one other names."
        raise UserError(
            f"{pack.title} cannot join: {error}", hint=hint, option="pack", code="not-together"
        ) from None


def describe_exclusion(pack: System, game: str, known: Mapping[str, System]) -> str:
    """Why an extension does not join the game that is played: it extends another one. Empty
    where that is the same.
    """
    if pack.base is None or pack.home == game:
        return ""
    played = known.get(game)
    heir = (
        f", which inherits {pack.home}"
        if isinstance(played, PackSystem) and played.about.inherits == pack.home
        else ""
    )
    named = played.title if played is not None else "no game yet"
    return f"{pack.title} joins games of {pack.home} alone, and this one is {named}{heir}."


def list_host_packs() -> dict[PackVersion, PackSystem]:
    """The packs of the host's own folders, which every server has."""
    packs = [pack for pack in load_shared_systems().values() if isinstance(pack, PackSystem)]
    return {
        PackVersion(one.version, one.id, one.title, one.about.version, one.about.licence, 0): one
        for one in packs
    }


def make_missing_files_error() -> UserError:
    """What to say of a version whose files are not kept."""
    return UserError(
        "This pack's files are no longer here.",
        hint="Add it again.",
        option="pack",
        code="unknown-pack",
    )


# -- how long content is kept: for as long as a server has it or has played it, and a week more

GRACE = 7 * DAY
"""Seconds for which a pack's version is kept that no server needs: it may be added again, or
just be on its way.
"""


async def expire_unused(store: Store, clock: Clock) -> int:
    """Let versions of packs expire that no server needs, and keep what is needed again; how many
    that concerns.
    """
    needed = {str(doc.data["hash"]) for kind in (HERE, USED) for doc in await store.load_docs(kind)}
    changed = 0
    for about in await store.load_docs(ABOUT):
        if (about.key in needed) == (about.expires is None):
            continue
        expires = None if about.key in needed else clock() + GRACE
        files = await store.load_doc(PACK_FILES, about.key)
        for doc in filter(None, (files, about)):
            await store.put_doc(doc._replace(expires=expires))
        changed += 1
    return changed
