"""A pack as a system: the content of pack.yaml, and its files in place of a folder of tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from keyword import iskeyword
from pathlib import Path
from typing import Any, NamedTuple

from cachetools import LRUCache

from bot.rules.errors import TableError, did_you_mean, name_row_of_errors
from bot.rules.inputs.options import Option
from bot.rules.shapes import check_shape
from bot.rules.text.plain import make_one_line
from bot.rulesets.game_file import check_game
from bot.rulesets.packs.archive import (
    MOST_BYTES,
    MOST_FILES,
    PACK,
    Content,
    check_name,
    read_content,
)
from bot.rulesets.packs.merging import SHARED, extend_game, merge_game
from bot.rulesets.packs.pack_keys import PARTS
from bot.rulesets.system import (
    DECKS,
    SCENARIOS,
    STEPS,
    Sequence,
    System,
    list_builtin_systems,
)

MOST_SHOWN = 25
"""Most subcommands or options that Discord shows in one command."""
MOST_INPUTS = 16
"""Most inputs without flags, which fold into one option if there are too many."""
OF_SEQUENCES = ("odds", "compare", "secret", "hand", "rounds", "mods")
OF_TABLES = ("private", "picture", "whole", "mods")
OF_UNITS = ("name", "type", "side", "state", "word", "marker", "markers", "flag")
"""Option names that every command of the kind has already, so that no input can have them."""
ATTRIBUTE_KEYS = (
    "type",
    "help",
    "brief",
    "label",
    "meanings",
    "min",
    "max",
    "values",
    "default",
    "clamp",
)
"""The keys of an input that an attribute of a unit has, too."""
NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
TAKEN = frozenset(
    {"roll", "game", "unit", "log", "again", "order", "fair", "me", "privacy", "help", "setup", "pack", "macro",
     "choose", "console", "find", "table", "grognard", "track", "deck", "hand", "seek", "solo", "ladder", "result"}
)  # fmt: skip
"""Commands of the bot, which cannot name a pack."""


MAX_SENT_PACKS = 64
"""Maximum number of packs from another process that are cached: a server has at most 30, a host its
own.
"""
NOT_SAID = "not said"
"""The author or licence of a pack that was imported from a table without one."""


class About(NamedTuple):
    """The content of pack.yaml. `inherits` and `extends` are ids of built-in games."""

    id: str
    title: str
    version: str
    author: str
    licence: str
    notice: str = ""
    rules: str = ""
    inherits: str = ""
    extends: str = ""
    private: bool = False
    pinned: str = ""
    """The only edition of that game for which the pack is meant; "" for any."""


def read_about(content: Content) -> About:
    """Read the pack.yaml of a pack. Raises TableError for any fault in it."""
    data = _read(content, PACK)
    check_shape(data, "pack", PARTS, PACK)
    private = bool(data.get("private"))
    texts = {
        key: " ".join(str(value).split())
        for key, value in data.items()
        if key != "private" and value is not None
    }
    id = texts["id"]
    if id in TAKEN or id.endswith("-table"):
        raise TableError(PACK, f'"{id}" cannot be the id of a game: it names a command', row="id")
    if id in list_builtin_systems():
        raise TableError(
            PACK,
            f"{id} is a built-in game: give the pack another id, and inherits: {id}",
            row="id",
        )
    return About(**_split_edition(texts), private=private)


def _split_edition(texts: dict[str, str]) -> dict[str, str]:
    """Split the edition off the game in `inherits` or `extends`, as `pinned`, and return `texts`.

    Changes `texts`. Raises TableError for a pack that has both keys.
    """
    if "inherits" in texts and "extends" in texts:
        problem = "a pack inherits (a game of its own) or extends (more for that game), not both"
        raise TableError(PACK, problem, row="extends")
    for key in {"inherits", "extends"} & texts.keys():
        game, _, edition = texts[key].partition("@")
        texts[key] = game
        texts["pinned"] = edition
    return texts


def compute_version(content: Content) -> str:
    """Return the SHA-256 over a pack's files in the order of their names: of each the name, the
    length and the content.
    """
    digest = sha256()
    for name in sorted(content):
        data = content[name]
        digest.update(f"{name}\n{len(data)}\n".encode() + data)
    return digest.hexdigest()


class PackSystem(System):
    """A system from a pack: data without code of its own."""

    bounded = True

    def __init__(self, content: Content, other_extensions: tuple[PackSystem, ...] = ()) -> None:
        """Read pack.yaml. Raises TableError for a fault in it.

        `other_extensions` are extensions of the same game in force together with this one, which
        knows their units.
        """
        about = read_about(content)
        super().__init__(about.id)
        self.content = content
        self.about = about
        self.other_extensions = other_extensions
        if about.inherits:
            self.parent = self._find_builtin_system("inherits", about.inherits)
            self.code = self.parent.code
        elif about.extends:
            self.base = self._find_builtin_system("extends", about.extends)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the form in which it is sent to another process: its files, from which the pack is
        built there.
        """
        return _build_sent_pack, (dict(self.content), self.other_extensions)

    def _find_builtin_system(self, key: str, id: str) -> System:
        """Return the built-in game `id` that `key` of pack.yaml names.

        Raises TableError if there is none, or if it has another edition than the pack needs.
        """
        systems = list_builtin_systems()
        if id not in systems:
            hint = did_you_mean(id, systems) or f"It can be {', '.join(systems)}."
            raise TableError(PACK, f"there is no built-in game {id[:40]}. {hint}", row=key)
        system = systems[id]
        pinned = self.about.pinned
        if pinned and pinned != str(system.edition):
            problem = f"is for edition {pinned[:20]} of {id}, but this is edition {system.edition}"
            hint = f"See what has changed in docs/editions.md, then write {id}@{system.edition}."
            raise TableError(PACK, f"{problem}. {hint}", row=key)
        return system

    @cached_property
    def version(self) -> str:
        """The SHA-256 over its files."""
        return compute_version(self.content)

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions of the other extensions of its game, then its own."""
        return (*(extension.version for extension in self.other_extensions), self.version)

    @property
    def key(self) -> str:
        """Its version."""
        return self.version

    @property
    def edition(self) -> str:
        """Its version, since any change of it may change an outcome."""
        return self.version

    def read(self, name: str) -> Any:
        """Return the content of one of its YAML files, or of that file of the game from which it
        inherits.

        Its sequences.yaml is merged with that of the game; `null` removes a sequence. Raises
        TableError if the file is missing or no YAML.
        """
        file = f"{name}.yaml"
        if file in self.content:
            data = _read(self.content, file, self.id)
            if name == "sequences" and self.parent is not None and isinstance(data, Mapping):
                sequences = {**self.parent.read(name), **data}
                return {id: spec for id, spec in sequences.items() if spec is not None}
            return data
        if self.parent is not None:
            return self.parent.read(name)
        raise TableError(f"{self.id}/{file}", "is missing")

    def is_own(self, name: str) -> bool:
        """Return whether a file came with the pack. Formulas of inherited files have no limits."""
        return f"{name}.yaml" in self.content

    def text(self, name: str) -> str:
        """Return the text of one of its files, or of that file of the game from which it inherits."""
        file = f"{name}.yaml"
        if file in self.content or self.parent is None:
            return self.content[file].decode("utf-8-sig")
        return self.parent.text(name)

    def list_files(self, folder: str = "") -> list[str]:
        """Return the names of its YAML files in a folder, without `.yaml`, in alphabetical order.

        Inherited files are among them. A file with nothing but `null` removes the inherited one.
        """
        inherited_names = set[str]()
        if self.parent is not None:
            inherited_names = {*self.parent.list_files(folder)}
        files_by_name: dict[str, str] = {}
        for file in self.content:
            file_folder, _, name = file.removesuffix(".yaml").rpartition("/")
            if file != PACK and file_folder == folder:
                files_by_name[name] = file
        removed_names = {
            name
            for name in inherited_names & files_by_name.keys()
            if self.content[files_by_name[name]].strip() == b"null"
        }
        return sorted((inherited_names | files_by_name.keys()) - removed_names)

    @cached_property
    def game(self) -> Mapping[str, Any]:
        """The content of game.yaml, merged with that of its game; title and notice are from pack.yaml.

        Raises TableError for any fault in it.
        """
        file = f"{self.id}/game.yaml"
        data = self.own_game
        if self.base is None:
            data = self.read("game")
        if not isinstance(data, Mapping):
            raise TableError(file, "must be a mapping with groups and units")
        if self.parent is not None and "game.yaml" in self.content:
            data = merge_game(self.parent.game, data)
        elif self.base is not None:
            joined = join_extensions(self.base.game, self.other_extensions)
            base = {key: part for key, part in joined.items() if key not in _OF_THE_GAME}
            data = extend_game(base, data, file)
        about = self.about
        credit = f"{about.title}, version {about.version}, by {about.author}. {about.licence}."
        game = {
            "edition": 1,
            "publisher": about.author,
            **data,
            "title": about.title,
            "notice": about.notice or credit,
        }
        with name_row_of_errors(file):
            return check_game(game, file)

    @property
    def own_game(self) -> Any:
        """The content of the pack's own game.yaml; {} without one."""
        if "game.yaml" not in self.content:
            return {}
        return _read(self.content, "game.yaml", self.id) or {}

    def check_whole(self) -> None:
        """Read all files of the pack once, with their examples.

        Raises TableError for the first fault, or if there is more of something than the chat
        platforms take.
        """
        with name_row_of_errors(f"{self.id}/game.yaml"):
            self.words  # noqa: B018  # this reads the whole game file
            groups = Counter(table.group for table in self.tables.values())
        limits = [("table groups", len(groups)), ("combat sequences", len(self.sequences))]
        limits += [(f"tables in the group {group}", count) for group, count in groups.items()]
        for noun, count in limits:
            if count > MOST_SHOWN:
                problem = f"has {count} {noun}; a menu holds {MOST_SHOWN}"
                raise TableError(f"{self.id}/game.yaml", problem)
        for id, table in self.tables.items():
            if self.is_own(id):
                _check_command(table.id, table.inputs, f"{self.id}/{table.id}.yaml")
        self._check_declarations()
        for id in self.list_own_sequences():
            _check_command(id, self.sequences[id].inputs, f"{self.id}/sequences.yaml")
        self.decks  # noqa: B018  # this reads all decks
        self._check_extension()
        self._check_upkeep()
        for group in groups:
            if not NAME.fullmatch(group):
                raise TableError(
                    f"{self.id}/game.yaml",
                    "is not a valid name: use a-z, 0-9 and hyphens",
                    row=f"groups {group}",
                )

    def _check_declarations(self) -> None:
        """Raise TableError for a new sequence without declared steps, or for own steps whose odds
        cannot be counted.
        """
        for sequence in self.sequences.values():
            declaration = sequence.declaration
            if declaration is None:
                if self.parent is None or sequence.id not in self.parent.sequences:
                    file = f"{self.id}/sequences.yaml"
                    problem = f"has no {STEPS}/{sequence.id}.yaml"
                    raise TableError(file, problem, row=sequence.id)
            elif self.parent is None or self.is_own(f"{STEPS}/{sequence.id}"):
                declaration.check_odds()

    def _check_extension(self) -> None:
        """Raise TableError for an extension with a name that its game has already, or with a deck."""
        if self.base is None:
            return
        check_together(self, (self.base,))
        for name in self.list_files(DECKS):
            problem = (
                f"only games have decks: a pack that inherits {self.home} can have one, "
                "a pack that extends it cannot"
            )
            raise TableError(f"{self.id}/{DECKS}/{name}.yaml", problem)

    def _check_upkeep(self) -> None:
        """Raise TableError for a sequence that a phase `begins` with but cannot run by itself."""
        is_by_side = self.game.get("turns") == "by-side"
        for phase in self.game.get("phases") or ():
            for begin in phase.get("begins") or ():
                sequence = self.sequences[begin["run"]]
                problem = _explain_no_upkeep(sequence, begin, is_by_side=is_by_side)
                if problem:
                    row = f"phases {phase['name']}, begins"
                    raise TableError(f"{self.id}/game.yaml", f"{sequence.id} {problem}", row=row)

    def list_own_sequences(self) -> tuple[str, ...]:
        """Return the ids of the sequences in the pack's own sequences.yaml, without removed ones."""
        file = "sequences.yaml"
        data = (_read(self.content, file, self.id) or {}) if file in self.content else {}
        return tuple(id for id in data if id in self.sequences)

    def check_new(self) -> None:
        """Check the stricter rules for a new pack; one that was accepted before need not pass them.

        Raises TableError for an input with the name of an option that every command of the kind
        has, for a name that no formula could read, or for an unknown key of an attribute.
        """
        for id, table in self.tables.items():
            if self.is_own(id):
                _check_words(id, table.inputs, f"{self.id}/{id}.yaml", OF_TABLES)
        for id in self.list_own_sequences():
            _check_words(id, self.sequences[id].inputs, f"{self.id}/sequences.yaml", OF_SEQUENCES)
        _check_own_game(self.own_game, f"{self.id}/game.yaml")


def _explain_no_upkeep(sequence: Sequence, begin: Mapping[str, Any], *, is_by_side: bool) -> str:
    """Return the problem of a sequence that a phase cannot run by itself; "" for one that it can.

    `begin` is its entry under `begins`. With `is_by_side` each side has a turn of its own.
    """
    if sequence.choices:
        return "asks a side to choose, and upkeep cannot wait for that"
    if sequence.upkeep_by:
        if "units" not in begin and not is_by_side:
            return "needs units: all, because no side has a turn of its own"
        return ""
    if any(option.is_required for option in sequence.inputs):
        return "must take `units` (or one `unit`, or none), and nothing else that must be typed"
    if begin.keys() - {"run", "once"}:
        return f"takes no units: write only {{run: {sequence.id}}}, and it runs once for the phase"
    return ""


def _check_own_game(game: Mapping[str, Any], file: str) -> None:
    """Raise TableError for names that no formula could read, and for unknown keys of attributes."""
    units = game.get("units") or {}
    attributes = units.get("attributes") or {}
    names = [("tracks", str(name)) for name in game.get("tracks") or ()]
    names += [("units attributes", str(name)) for name in attributes]
    names += [("units flags", str(name)) for name in units.get("flags") or ()]
    for kind, name in names:
        if iskeyword(name):
            problem = f"{name} is a word used in formulas; call it something else"
            raise TableError(file, problem, row=f"{kind} {name}")
    for name, spec in attributes.items():
        _check_attribute(name, spec or {}, file)


def _check_attribute(name: str, spec: Mapping[str, Any], file: str) -> None:
    """Raise TableError for an attribute with the name of something that every unit has, or with a
    key that attributes do not have.
    """
    row = f"units attributes {name}"
    if name in OF_UNITS:
        problem = f"every unit has {', '.join(OF_UNITS)} under these names; call the attribute something else"
        raise TableError(file, problem, row=row)
    for key in spec:
        if key not in ATTRIBUTE_KEYS:
            problem = f"an attribute cannot have {key}; that is for inputs"
            raise TableError(file, problem, row=f"{row} {key}")


def _check_words(id: str, inputs: Iterable[Option], file: str, reserved: tuple[str, ...]) -> None:
    """Raise TableError for an input with a reserved name. `mods` of that type may have it."""
    for option in inputs:
        if option.name in reserved and option.type != "mods":
            problem = f"{option.name} is an option of every command of this kind; call the input something else"
            raise TableError(file, problem, row=f"{id}, {option.name}")


_OF_THE_GAME = ("phases", "solo", "turns", "rules", "edition", "publisher", "author")
"""The parts of the game's file that an extension does not have."""


def join_extensions(base: Mapping[str, Any], extensions: Iterable[PackSystem]) -> Mapping[str, Any]:
    """Return the game file of a game with the units, lists and tracks of these extensions.

    Raises TableError if two of them clash.
    """
    for extension in extensions:
        base = extend_game(base, extension.own_game, f"{extension.id}/game.yaml", SHARED)
    return base


def check_together(pack: PackSystem, systems: Iterable[System]) -> None:
    """Raise TableError if an extension clashes with one of these systems.

    They are its game or other extensions of that game. It must not have a table, combat sequence or
    scenario with an id of theirs, or define units otherwise than another extension.
    """
    systems = tuple(systems)
    for system in systems:
        _check_no_shared_id(pack, system, "table", pack.tables, system.tables)
        _check_no_shared_id(pack, system, "combat sequence", pack.sequences, system.sequences)
        _check_no_shared_id(pack, system, "scenario", pack.scenarios, system.scenarios)
    extensions = [system for system in systems if isinstance(system, PackSystem)]
    if pack.base is not None and extensions:
        join_extensions(pack.base.game, [*extensions, pack])


def _check_no_shared_id(
    pack: PackSystem,
    system: System,
    kind: str,
    pack_ids: Iterable[str],
    system_ids: Iterable[str],
) -> None:
    """Raise TableError if an id of this kind is in both systems; it names the file of the pack."""
    shared_ids = sorted(set(pack_ids) & set(system_ids))
    if not shared_ids:
        return
    id = shared_ids[0]
    files = {"combat sequence": "sequences", "scenario": f"{SCENARIOS}/{id}"}
    problem = (
        f"{system.title} ({system.id}) already has the {kind} {id}; call this one something else"
    )
    raise TableError(f"{pack.id}/{files.get(kind, id)}.yaml", problem, row="id")


def _check_command(id: str, inputs: Iterable[Option], file: str) -> None:
    """Raise TableError for a table or sequence with more inputs than a form holds, or with a name
    that no command can have.
    """
    options = list(inputs)
    if sum(option.type != "bool" for option in options) > MOST_INPUTS:
        raise TableError(
            file,
            f"has more than {MOST_INPUTS} inputs besides its flags; no form can hold that many",
            row=id,
        )
    for name in (id, *(option.name for option in options)):
        if not NAME.fullmatch(name):
            raise TableError(
                file,
                f"{name[:40]} is not a valid command name: a-z, 0-9, - and _, at most 32",
                row=name,
            )


def load_pack(path: Path) -> PackSystem:
    """Load the pack in a folder or zip. Its tables are read when they are first used.

    Raises TableError for a fault in the folder, the zip or pack.yaml.
    """
    return PackSystem(read_content(path))


def is_pack(path: Path) -> bool:
    """Return whether a path is a folder with pack.yaml, or a zip."""
    return (path / PACK).is_file() or (path.suffix == ".zip" and path.is_file())


class PackFault(str):
    """The line that says why a pack of the host is left out, with its `id` and the `problem`.

    `id` is "" if another pack has the same id.
    """

    __slots__ = ("id", "problem")
    id: str
    problem: str


def _make_pack_fault(path: Path, id: str, problem: str) -> PackFault:
    """Return the line for the pack at this path, with its id and problem."""
    fault = PackFault(f"pack {make_one_line(path.name)[:60]} is left out: {problem}")
    fault.id = id
    fault.problem = problem
    return fault


def load_packs_in(folder: Path) -> tuple[dict[str, PackSystem], list[str]]:
    """Load the packs of a folder, or the one pack that `folder` is. Return (packs by id, faults).

    The faults are lines, one for each pack that is left out.
    """
    if not folder.is_dir() and not is_pack(folder):
        return {}, [f"{folder}: there is no such pack folder"]
    packs: dict[str, PackSystem] = {}
    faults: list[str] = []
    for path in [folder] if is_pack(folder) else sorted(filter(is_pack, folder.iterdir())):
        id = path.stem
        try:
            pack = load_pack(path)
            id = pack.id
            pack.check_whole()
            pack.check_new()
            if pack.base is not None:
                check_together(pack, [other for other in packs.values() if other.home == pack.home])
        except TableError as error:
            faults.append(_make_pack_fault(path, id, str(error)))
            continue
        if pack.id in packs:
            faults.append(_make_pack_fault(path, "", f"another pack has the id {pack.id}"))
            continue
        packs[pack.id] = pack
    return packs, faults


# -- the packs that are exported with a game: found by their hash, so that a pack cannot be replaced
# by another one with its name

Files = Mapping[str, str]
"""The text of each file of a pack, by name."""


def decode_files(pack: PackSystem) -> dict[str, str]:
    """Return the text of each file of a pack, by name."""
    return {name: data.decode() for name, data in sorted(pack.content.items())}


def is_private(files: Files) -> bool:
    """Return whether a pack is private: pack.yaml, game.yaml or a table of it says `private: true`.

    The owner of a card typed its figures for themselves, so its files are in no export and on no
    page, which name it by its hash alone. A file that cannot be read counts as private.
    """
    content = {
        name: text.encode("utf-8", "replace") for name, text in files.items() if "private" in text
    }
    try:
        documents = [_read(content, name) for name in content if "/" not in name]
    except TableError:
        return True
    return any(isinstance(data, Mapping) and data.get("private") is True for data in documents)


def compute_hash(files: Files) -> str:
    """Return the version (SHA-256) of a pack with these files."""
    return compute_version({name: text.encode("utf-8", "replace") for name, text in files.items()})


_SENT_PACKS = LRUCache[tuple[str, ...], PackSystem](MAX_SENT_PACKS)


def _build_sent_pack(content: Content, other_extensions: tuple[PackSystem, ...]) -> PackSystem:
    """Return the pack with these files, which another process has sent. The last MAX_SENT_PACKS are
    cached.
    """
    key = (*(extension.version for extension in other_extensions), compute_version(content))
    pack = _SENT_PACKS.get(key)
    if pack is None:
        pack = _SENT_PACKS[key] = PackSystem(content, other_extensions)
    return pack


def build_pack(files: Mapping[str, object], hash: str) -> PackSystem | None:
    """Return the pack with these files, or None if they are no pack or have another hash."""
    content = {name: str(text).encode("utf-8", "replace") for name, text in files.items()}
    if len(content) > MOST_FILES or sum(map(len, content.values())) > MOST_BYTES:
        return None
    try:
        for name in content:
            check_name(name, 1)
        pack = PackSystem(content)
    except (TableError, KeyError):
        return None
    return pack if pack.version == hash else None


def list_hashes(bodies: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the pack versions that stored events and sealed rolls name, in order, with repeats."""
    for body in bodies:
        edition = body.get("edition")
        if isinstance(edition, str):
            yield edition
        game = (body.get("after") or {}).get("game") or {}
        yield from game.get("packs") or ()


def _read(content: Content, file: str, id: str = "") -> Any:
    """Return the content of a YAML file of a pack; the file must be there (else KeyError).

    Raises TableError that names line and column. `id` is the pack in its message.
    """
    from bot.rulesets.yaml_file import read_bounded  # 0.02 s of a bot whose servers have no packs

    return read_bounded(content[file], f"{id}/{file}" if id else file)
