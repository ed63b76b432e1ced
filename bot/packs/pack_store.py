"""Packs in the store: the files of each version once, by their SHA-256, and the versions that each
server has.

The files of a version never change: other files have another hash. A server has a limited number
of versions and enables one of each id. The rest of the bot sees only enabled packs. A version that
events were played under stays for as long as the server that played it, even if the server gives
up the pack.
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
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import System
from bot.storage.base import DAY, Clock
from bot.storage.records import PACK_FILES, Doc, Json
from bot.storage.store import Store
from bot.ui.spec import Place
from bot.ui.typing.complete import CompletionChoice

ABOUT, HERE, USED, SETUP = "pack", "pack-here", "pack-used", "setup"
"""Kinds of documents: ABOUT has the facts about a version, by hash (PACK_FILES its files); HERE
marks a version that a server has, USED one that it has played; SETUP lists what is enabled.
"""
MOST_HERE = 30
"""Versions that a server may have at a time."""
MOST_ENABLED = 10
SHORT = 8
"""Characters of a hash that name a version."""


class PackVersion(NamedTuple):
    """A version of a pack that a server has. `hash` is that of its files, `added` the time when
    the server got it, in seconds since 1970, or 0 for a pack of the host.
    """

    hash: str
    id: str
    title: str
    version: str
    licence: str
    added: float

    @property
    def label(self) -> str:
        """The id and version with the short hash, such as `few 1.2 (3f2a9c01)`."""
        return f"{self.id} {self.version} ({self.hash[:SHORT]})"


def get_server_key(channel: Place) -> str:
    """Return the key under which a channel's packs are stored: that of its server, or its own if
    it is on none.
    """
    return channel.server or channel.key


def build_docs(content: Content, about: About, server: str, timestamp: float) -> list[Doc]:
    """Return the documents to write when a server gets a pack that was checked.

    They are its files, the facts about it, and that the server has it (since `timestamp`).
    """
    hash = compute_version(content)
    facts: Json = {
        "id": about.id,
        "title": about.title,
        "version": about.version,
        "licence": about.licence,
    }
    server_facts = {"hash": hash, **facts, "added": timestamp}
    server_doc = Doc(HERE, f"{server}/{hash}", server_facts, None, server)
    return [*build_content_docs(content, facts), server_doc]


def build_content_docs(content: Content, about: Json) -> list[Doc]:
    """Return the facts about a version and its files, as two documents that all servers share."""
    hash = compute_version(content)
    files = {name: data.decode() for name, data in content.items()}
    return [Doc(ABOUT, hash, {**about, "hash": hash}), Doc(PACK_FILES, hash, {"files": files})]


def build_used_docs(packs: Iterable[PackSystem], server: str) -> list[Doc]:
    """Return the documents to write when events of a server's game name these versions.

    With them the versions stay for as long as the server.
    """
    docs: list[Doc] = []
    for pack in packs:
        facts = {
            "id": pack.id,
            "title": pack.title,
            "version": pack.about.version,
            "licence": pack.about.licence,
        }
        docs += build_content_docs(pack.content, facts)
        docs.append(Doc(USED, f"{server}/{pack.version}", {"hash": pack.version}, None, server))
    return docs


async def list_versions(store: Store, server: str) -> list[PackVersion]:
    """Return the versions that a server has, by id, the newest of each first."""
    versions = [PackVersion(**doc.data) for doc in await store.load_docs(HERE, server)]
    return sorted(versions, key=lambda version: (version.id, -version.added))


async def list_pack_choices(store: Store, channel: Place) -> tuple[CompletionChoice, ...]:
    """Return a choice for each version that a channel's server has, to complete an option.

    It is shown as title and version, and its value is the id with the first digits of the hash.
    """
    versions = await list_versions(store, get_server_key(channel))
    choices = list[CompletionChoice]()
    for version in versions:
        name = f"{version.title} {version.version}"
        choices.append(CompletionChoice(name, f"{version.id}@{version.hash[:SHORT]}"))
    return tuple(choices)


async def load_stored_pack(store: Store, hash: str) -> PackSystem | None:
    """Load the version with this hash. Return None if it is not stored, or if the stored files no
    longer have this hash.
    """
    doc = await store.load_doc(PACK_FILES, hash)
    if doc is None:
        return None
    return build_pack(doc.data["files"], hash)


async def load_enabled(store: Store, server: str) -> dict[str, str]:
    """Load the hash of each pack that is enabled on a server, by id."""
    doc = await store.load_doc(SETUP, server)
    return dict(doc.data.get("packs") or {}) if doc is not None else {}


async def build_enabled_doc(store: Store, server: str, packs: Mapping[str, str]) -> Doc:
    """Return the document of a server's setup with exactly these packs enabled (hash by id). Its
    other settings stay as they are stored. Nothing is written.
    """
    doc = await store.load_doc(SETUP, server)
    setup = dict(doc.data) if doc is not None else {}
    setup.pop("packs", None)
    setup["packs"] = dict(packs)
    return Doc(SETUP, server, setup, None, server)


def choose_version(
    text: str, versions: Iterable[PackVersion], enabled: Mapping[str, str]
) -> PackVersion:
    """Return the version that a player names: by its id, its id and version (`few 1.2`, `few@1.2`),
    or the first characters of its hash.

    An id alone means the version that is enabled (hash by id), or else the first of `versions`,
    which is the newest. Raises UserError if there is no such version.
    """
    versions = list(versions)
    key = comparison_key(text).removesuffix(")")
    id, _, details = key.replace("(", " ").replace("@", " ").partition(" ")
    fitting = [version for version in versions if version.id == id]
    if details:
        fitting = [version for version in fitting if _is_described(version, details.split())]
    elif fitting:
        fitting.sort(key=lambda version: version.hash != enabled.get(id))  # the enabled one first
    elif re.fullmatch("[0-9a-f]{4,64}", id):
        fitting = [version for version in versions if version.hash.startswith(id)]
    if not fitting:
        ids = {version.id for version in versions}
        hint = did_you_mean(id, ids) or phrase("`/pack list` lists the packs here.")
        raise UserError(
            f'No pack "{text[:40]}" here.', hint=hint, option="pack", code="unknown-pack"
        )
    return fitting[0]


def _is_described(version: PackVersion, words: Iterable[str]) -> bool:
    """Return whether each of the words is the version's number or the beginning of its hash."""
    return all(
        version.version.casefold() == word or version.hash.startswith(word) for word in words
    )


def check_joining(pack: PackSystem, other_packs: Iterable[System]) -> None:
    """Raise UserError for an extension that cannot be in force together with the other packs.
    Packs that are no extensions of the same game do not matter.
    """
    extensions = [
        system for system in other_packs if system.base is not None and system.home == pack.home
    ]
    try:
        check_together(pack, extensions)
    except TableError as error:
        hint = "Switch off the other one, or rename things in this one."
        raise UserError(
            f"{pack.title} cannot join: {error}", hint=hint, option="pack", code="not-together"
        ) from None


def describe_exclusion(pack: System, game: str, systems: RuleSets) -> str:
    """Return why an extension does not join a game: it extends another one. "" if the pack is no
    extension, or extends this game.

    `game` is the id of the game that is played, `systems` are all systems by id.
    """
    if pack.base is None or pack.home == game:
        return ""
    system = systems.get(game)
    title = system.title if system is not None else "no game yet"
    inheritance = ""
    if isinstance(system, PackSystem) and system.about.inherits == pack.home:
        inheritance = f", which inherits {pack.home}"
    return f"{pack.title} can only join games of {pack.home}, and this is {title}{inheritance}."


def list_host_packs() -> dict[PackVersion, PackSystem]:
    """Return the packs of the host's own folders, which every server has, by their version."""
    packs = dict[PackVersion, PackSystem]()
    for pack in load_shared_systems().values():
        if isinstance(pack, PackSystem):
            about = pack.about
            version = PackVersion(
                pack.version, pack.id, pack.title, about.version, about.licence, 0
            )
            packs[version] = pack
    return packs


def make_missing_files_error() -> UserError:
    """Return the error for a version that is known but has no stored files."""
    return UserError(
        "This pack's files are gone.",
        hint="Add it again.",
        option="pack",
        code="unknown-pack",
    )


# -- expiry: files are kept for as long as a server has them or has played them, and a week more

GRACE = 7 * DAY
"""Seconds for which a version is kept that no server needs: it may be added again, or a server may
be about to store that it has it.
"""


async def expire_unused(store: Store, clock: Clock) -> int:
    """Set an expiry of GRACE from now on versions of packs that no server has or has played, and
    remove it from those that are needed again. Return the number of versions that changed.
    """
    needed = {str(doc.data["hash"]) for kind in (HERE, USED) for doc in await store.load_docs(kind)}
    changed = 0
    for about in await store.load_docs(ABOUT):
        is_needed = about.key in needed
        if is_needed == (about.expires is None):
            continue
        expires = None if is_needed else clock() + GRACE
        files = await store.load_doc(PACK_FILES, about.key)
        for doc in filter(None, (files, about)):
            await store.put_doc(doc._replace(expires=expires))
        changed += 1
    return changed
