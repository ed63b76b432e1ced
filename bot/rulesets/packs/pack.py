"""A pack as a system: what pack.yaml says of it, and its files in place of a folder of the
house.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from keyword import iskeyword
from pathlib import Path
from typing import Any, NamedTuple

from bot.rules.errors import TableError, check_keys, did_you_mean, name_row_of_errors
from bot.rules.inputs.options import Option
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
from bot.rulesets.system import DECKS, SCENARIOS, STEPS, System, list_builtin_systems

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LONGEST_ID = 20
"""With `-table` behind it it is a command, and Discord takes 32 characters."""
MOST_SHOWN = 25
"""What Discord puts below one command, or into it."""
MOST_INPUTS = 16
"""Beside flags: flags fold into one option where there are too many."""
OF_SEQUENCES = ("odds", "compare", "secret", "hand", "rounds", "mods")
OF_TABLES = ("private", "picture", "whole", "mods")
OF_UNITS = ("name", "type", "side", "state", "word", "marker", "markers", "flag")
"""Words that every command of the kind has for itself: an input called so would be there twice."""
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
LONGEST = {
    "title": 60,
    "version": 20,
    "author": 80,
    "licence": 80,
    "notice": 500,
    "rules": 80,
    **dict.fromkeys(("inherits", "extends"), LONGEST_ID),
}
NEEDED = ("id", "title", "version", "author", "licence")
KEYS = (*NEEDED, "notice", "rules", "inherits", "extends", "private")
TAKEN = frozenset(
    {"roll", "game", "unit", "log", "again", "order", "fair", "me", "privacy", "help", "setup", "pack", "macro",
     "choose", "console", "find", "table", "grognard", "track", "deck", "hand"}
)  # fmt: skip
"""Words that are commands of their own."""


class About(NamedTuple):
    """What pack.yaml says."""

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
    """The edition of the game that it inherits from or extends, if it is for that one alone."""


def read_about(content: Content) -> About:
    """The pack.yaml of a pack. Raises TableError for one with a fault."""
    data = _read(content, PACK)
    check_keys(data, KEYS, NEEDED, PACK)
    private = data.get("private") or False
    data = {key: value for key, value in data.items() if key != "private"}
    if not isinstance(private, bool):
        raise TableError(PACK, "private is true or false", row="private")
    said = {key: " ".join(str(value).split()) for key, value in data.items() if value is not None}
    for key, value in data.items():
        if isinstance(value, list | Mapping) or (not isinstance(value, str) and key != "version"):
            raise TableError(PACK, "must be a text; quote it", row=key)
        if len(said.get(key, "")) > LONGEST.get(key, LONGEST_ID):
            raise TableError(
                PACK, f"has at most {LONGEST.get(key, LONGEST_ID)} characters", row=key
            )
    id = said["id"]
    if not _ID.fullmatch(id) or id in TAKEN or id.endswith("-table"):
        raise TableError(
            PACK, f'"{id}" cannot name a system: a-z, 0-9 and hyphens, no other command', row="id"
        )
    if id in list_builtin_systems():
        raise TableError(
            PACK,
            f"{id} is a built-in system: give the pack another id, and inherits: {id}",
            row="id",
        )
    return About(**_split_edition(said), private=private)


def _split_edition(said: dict[str, str]) -> dict[str, str]:
    """The same with the game that it names apart from its edition. Raises TableError."""
    if "inherits" in said and "extends" in said:
        problem = "a pack inherits (a game of its own) or extends (more for that game), not both"
        raise TableError(PACK, problem, row="extends")
    for key in {"inherits", "extends"} & said.keys():
        said[key], _, said["pinned"] = said[key].partition("@")
    return said


def compute_version(content: Content) -> str:
    """The SHA-256 over a pack's files, in the order of their names: of each its name, its length
    and what is in it.
    """
    total = sha256()
    for name in sorted(content):
        total.update(f"{name}\n{len(content[name])}\n".encode() + content[name])
    return total.hexdigest()


class PackSystem(System):
    """A system out of a pack: data alone, so what it can do is known before it does it."""

    bounded = True

    def __init__(self, content: Content, beside: tuple[PackSystem, ...] = ()) -> None:
        """`beside` are other extensions of the same game that are in force with this one: it
        knows their units.
        """
        about = read_about(content)
        super().__init__(about.id)
        self.content = content
        self.about = about
        self.beside = beside
        if about.inherits:
            self.parent = self._find_builtin_system("inherits", about.inherits)
            self.code = self.parent.code
        elif about.extends:
            self.base = self._find_builtin_system("extends", about.extends)

    def _find_builtin_system(self, key: str, id: str) -> System:
        """The game that pack.yaml names, in the edition that it names. Raises TableError."""
        if id not in list_builtin_systems():
            hint = (
                did_you_mean(id, list_builtin_systems())
                or f"It may be {', '.join(list_builtin_systems())}."
            )
            raise TableError(PACK, f"there is no built-in system {id[:40]}. {hint}", row=key)
        found = list_builtin_systems()[id]
        pinned = self.about.pinned
        if pinned and pinned != str(found.edition):
            problem = f"is for edition {pinned[:20]} of {id}, and this is edition {found.edition}"
            hint = f"See what has changed in docs/editions.md, then write {id}@{found.edition}."
            raise TableError(PACK, f"{problem}. {hint}", row=key)
        return found

    @cached_property
    def version(self) -> str:
        """The SHA-256 over its files: another version has another."""
        return compute_version(self.content)

    @property
    def versions(self) -> tuple[str, ...]:
        """Its own behind those of the extensions beside it."""
        return (*(one.version for one in self.beside), self.version)

    @property
    def key(self) -> str:
        """Its version."""
        return self.version

    @property
    def edition(self) -> str:
        """Its version: whatever changes in it may change an outcome."""
        return self.version

    def read(self, name: str) -> Any:
        """The content of one of its YAML files, or of the system that it inherits from. Raises
        TableError.
        """
        file = f"{name}.yaml"
        if file in self.content:
            own = _read(self.content, file, self.id)
            if name == "sequences" and self.parent is not None and isinstance(own, Mapping):
                return {
                    id: one
                    for id, one in {**self.parent.read(name), **own}.items()
                    if one is not None
                }
            return own
        if self.parent is not None:
            return self.parent.read(name)
        raise TableError(f"{self.id}/{file}", "is missing")

    def is_own(self, name: str) -> bool:
        """Return whether a file came with the pack: what it inherits is the house's, and bound by
        nothing.
        """
        return f"{name}.yaml" in self.content

    def text(self, name: str) -> str:
        """One of its files as it is written."""
        file = f"{name}.yaml"
        if file in self.content or self.parent is None:
            return self.content[file].decode("utf-8-sig")
        return self.parent.text(name)

    def list_files(self, folder: str = "") -> list[str]:
        """The files of the pack in a folder of it, without `.yaml`, in alphabetical order. One with
        nothing but `null` takes that of the game which it inherits out."""
        inherited = {*self.parent.list_files(folder)} if self.parent is not None else set[str]()
        paths = {
            file.removesuffix(".yaml").rpartition("/"): file
            for file in self.content
            if file != PACK
        }
        own = {name: file for (within, _, name), file in paths.items() if within == folder}
        gone = {
            name for name in inherited & own.keys() if self.content[own[name]].strip() == b"null"
        }
        return sorted((inherited | own.keys()) - gone)

    @cached_property
    def game(self) -> Mapping[str, Any]:
        """The content of game.yaml; title and notice are those of pack.yaml. Raises TableError."""
        file = f"{self.id}/game.yaml"
        data = self.own_game if self.base is not None else self.read("game")
        if not isinstance(data, Mapping):
            raise TableError(file, "must be a mapping with groups and units")
        if self.parent is not None and "game.yaml" in self.content:
            data = merge_game(self.parent.game, data)
        elif self.base is not None:
            theirs = join_extensions(self.base.game, self.beside)
            kept = {key: part for key, part in theirs.items() if key not in _OF_THE_GAME}
            data = extend_game(kept, data, file)
        about = self.about
        made = {"edition": 1, "publisher": about.author, **data, "title": about.title}
        made["notice"] = (
            about.notice
            or f"{about.title}, version {about.version}, by {about.author}. {about.licence}."
        )
        with name_row_of_errors(file):
            return check_game(made, file)

    @property
    def own_game(self) -> Any:
        """What the pack's own game file says; {} without one."""
        return (
            _read(self.content, "game.yaml", self.id) or {} if "game.yaml" in self.content else {}
        )

    def check_whole(self) -> None:
        """Read all that is in it once, examples too. Raises TableError for the first fault, also
        for more than the chat platforms take."""
        with name_row_of_errors(f"{self.id}/game.yaml"):
            self.words  # noqa: B018  # its game file is read whole by this
            groups = Counter(table.group for table in self.tables.values())
        limits = [("table groups", len(groups)), ("combat sequences", len(self.sequences))]
        limits += [(f"tables in the group {group}", count) for group, count in groups.items()]
        for what, count in limits:
            if count > MOST_SHOWN:
                raise TableError(
                    f"{self.id}/game.yaml", f"has {count} {what}; a menu holds {MOST_SHOWN}"
                )
        for id, table in self.tables.items():
            if self.is_own(id):
                _check_command(table.id, table.inputs, f"{self.id}/{table.id}.yaml")
        for sequence in self.sequences.values():
            if sequence.declaration is None and (
                self.parent is None or sequence.id not in self.parent.sequences
            ):
                raise TableError(
                    f"{self.id}/sequences.yaml",
                    f"has no {STEPS}/{sequence.id}.yaml",
                    row=sequence.id,
                )
            if sequence.declaration is not None and (
                self.parent is None or self.is_own(f"{STEPS}/{sequence.id}")
            ):
                sequence.declaration.check_odds()
        for id in self.list_own_sequences():
            _check_command(id, self.sequences[id].inputs, f"{self.id}/sequences.yaml")
        self.decks  # noqa: B018  # each is read whole
        self._check_extension()
        self._check_upkeep()
        for group in groups:
            if not NAME.fullmatch(group):
                raise TableError(
                    f"{self.id}/game.yaml",
                    "is no name: a-z, 0-9 and hyphens",
                    row=f"groups {group}",
                )

    def _check_extension(self) -> None:
        """Raise TableError for what an extension cannot have: names of its game, and decks."""
        if self.base is None:
            return
        check_together(self, (self.base,))
        for name in self.list_files(DECKS):
            problem = f"a deck is of a game: a pack that inherits {self.home} may have some, one that extends not"
            raise TableError(f"{self.id}/{DECKS}/{name}.yaml", problem)

    def _check_upkeep(self) -> None:
        """Raise TableError for a sequence that a phase cannot run on units by itself."""
        for phase in self.game.get("phases") or ():
            for begin in phase.get("begins") or ():
                id = begin["run"]
                by_side = self.game.get("turns") == "by-side"
                sequence = self.sequences[id]
                problem = ""
                if sequence.choices:
                    problem = "asks a side, which upkeep cannot wait for"
                elif not sequence.upkeep_by and any(
                    option.is_required for option in sequence.inputs
                ):
                    problem = "must take `units` (or one `unit`, or nobody), and nothing else that must be typed"
                elif not sequence.upkeep_by and begin.keys() - {"run"}:
                    problem = f"takes no units: write only {{run: {id}}}, and it is run once for the phase"
                elif sequence.upkeep_by and "units" not in begin and not by_side:
                    problem = "needs units: all, as no side has a turn of its own"
                if problem:
                    row = f"phases {phase['name']}, begins"
                    raise TableError(f"{self.id}/game.yaml", f"{id} {problem}", row=row)

    def list_own_sequences(self) -> tuple[str, ...]:
        """The ids that the pack's own sequences.yaml has."""
        file = "sequences.yaml"
        own = (_read(self.content, file, self.id) or {}) if file in self.content else {}
        return tuple(id for id in own if id in self.sequences)

    def check_new(self) -> None:
        """What is asked of a pack that comes today; one that was taken before goes on without.
        Raises TableError for an input with the name of an option that every such command has."""
        for id, table in self.tables.items():
            if self.is_own(id):
                _check_words(id, table.inputs, f"{self.id}/{id}.yaml", OF_TABLES)
        for id in self.list_own_sequences():
            _check_words(id, self.sequences[id].inputs, f"{self.id}/sequences.yaml", OF_SEQUENCES)
        _check_own_game(self.own_game, f"{self.id}/game.yaml")


def _check_own_game(own: Mapping[str, Any], file: str) -> None:
    """Raise TableError for names that no formula could read, and for keys of attributes that
    nothing reads.
    """
    units = own.get("units") or {}
    attributes = units.get("attributes") or {}
    names = [("tracks", str(name)) for name in own.get("tracks") or ()]
    names += [("units attributes", str(name)) for name in attributes]
    names += [("units flags", str(name)) for name in units.get("flags") or ()]
    for kind, name in names:
        if iskeyword(name):
            problem = f"{name} is a word of formulas; call it something else"
            raise TableError(file, problem, row=f"{kind} {name}")
    for name, spec in attributes.items():
        _check_attribute(name, spec or {}, file)


def _check_attribute(name: str, spec: Mapping[str, Any], file: str) -> None:
    row = f"units attributes {name}"
    if name in OF_UNITS:
        said = f"every unit has {', '.join(OF_UNITS)} by these words; call the attribute something else"
        raise TableError(file, said, row=row)
    if strange := [key for key in spec if key not in ATTRIBUTE_KEYS]:
        problem = f"an attribute has no {strange[0]}; that is for inputs"
        raise TableError(file, problem, row=f"{row} {strange[0]}")


def _check_words(id: str, inputs: Iterable[Option], file: str, reserved: tuple[str, ...]) -> None:
    for name in (
        option.name for option in inputs if option.name in reserved and option.type != "mods"
    ):
        problem = f"{name} is a word of every command of this kind; call the input something else"
        raise TableError(file, problem, row=f"{id}, {name}")


_OF_THE_GAME = ("phases", "turns", "rules", "edition", "publisher", "author")
"""What an extension has nothing of."""


def join_extensions(base: Mapping[str, Any], extensions: Iterable[PackSystem]) -> Mapping[str, Any]:
    """The game file of a game with the units of these extensions. Raises TableError where two of
    them clash.
    """
    for one in extensions:
        base = extend_game(base, one.own_game, f"{one.id}/game.yaml", SHARED)
    return base


def check_together(pack: PackSystem, others: Iterable[System]) -> None:
    """Raise TableError for a table or combat sequence of an extension that is called as one of its
    game, or of another extension of it, and for units that two extensions mean otherwise."""
    others = tuple(others)
    for other in others:
        both = {
            "table": (pack.tables, other.tables),
            "combat sequence": (pack.sequences, other.sequences),
            "scenario": (pack.scenarios, other.scenarios),
        }
        for what, (own, theirs) in both.items():
            if same := sorted(set(own) & set(theirs)):
                problem = f"{other.title} ({other.id}) has the {what} {same[0]} already; call this one something else"
                file = {"combat sequence": "sequences", "scenario": f"{SCENARIOS}/{same[0]}"}
                raise TableError(f"{pack.id}/{file.get(what, same[0])}.yaml", problem, row="id")
    extensions = [one for one in others if isinstance(one, PackSystem)]
    if pack.base is not None and extensions:
        join_extensions(pack.base.game, [*extensions, pack])


def _check_command(id: str, inputs: Iterable[Option], file: str) -> None:
    options = list(inputs)
    if sum(option.type != "bool" for option in options) > MOST_INPUTS:
        raise TableError(
            file, f"has more than {MOST_INPUTS} inputs beside its flags; no form holds them", row=id
        )
    for name in (id, *(option.name for option in options)):
        if not NAME.fullmatch(name):
            raise TableError(
                file,
                f"{name[:40]} is no name for a command: a-z, 0-9, - and _, at most 32",
                row=name,
            )


def load_pack(path: Path) -> PackSystem:
    """The pack in a folder or zip; its tables are read when they are asked for. Raises
    TableError.
    """
    return PackSystem(read_content(path))


def is_pack(path: Path) -> bool:
    """Return whether a path looks like a pack."""
    return (path / PACK).is_file() or (path.suffix == ".zip" and path.is_file())


class PackFault(str):
    """Why a pack of the host is left out, in a line; `id` is that of the pack, `problem` the end."""

    __slots__ = ("id", "problem")
    id: str
    problem: str


def _make_pack_fault(path: Path, id: str, problem: str) -> PackFault:
    fault = PackFault(f"pack {make_one_line(path.name)[:60]} is left out: {problem}")
    fault.id = id
    fault.problem = problem
    return fault


def load_packs_in(folder: Path) -> tuple[dict[str, PackSystem], list[str]]:
    """The packs of a folder by id (or the one that the folder is), and a line for each that
    cannot be loaded.
    """
    if not folder.is_dir() and not is_pack(folder):
        return {}, [f"{folder}: there is no such folder of packs"]
    found: dict[str, PackSystem] = {}
    faults: list[str] = []
    for path in [folder] if is_pack(folder) else sorted(filter(is_pack, folder.iterdir())):
        id = path.stem
        try:
            pack = load_pack(path)
            id = pack.id
            pack.check_whole()
            pack.check_new()
            if pack.base is not None:
                check_together(pack, [one for one in found.values() if one.home == pack.home])
        except TableError as error:
            faults.append(_make_pack_fault(path, id, str(error)))
            continue
        if pack.id in found:
            faults.append(_make_pack_fault(path, "", f"another pack has the id {pack.id}"))
            continue
        found[pack.id] = pack
    return found, faults


# -- packs on their way with a game: by their hash, so that nobody can send another under its name

Files = Mapping[str, str]
"""What is in each file of a pack, by its name."""


def decode_files(pack: PackSystem) -> dict[str, str]:
    """A pack's files as text."""
    return {name: data.decode() for name, data in sorted(pack.content.items())}


def is_private(files: Files) -> bool:
    """Return whether the figures of a pack, or of one of its tables, were typed by the owner of a
    card for themselves: then its files are in no export and on no page, which name it by its hash
    alone.
    """
    written = {
        name: text.encode("utf-8", "replace") for name, text in files.items() if "private" in text
    }
    try:
        found = [_read(written, name) for name in written if "/" not in name]
    except TableError:
        return True
    return any(isinstance(data, Mapping) and data.get("private") is True for data in found)


def compute_hash(files: Files) -> str:
    """The version that these files are."""
    return compute_version({name: text.encode("utf-8", "replace") for name, text in files.items()})


def build_pack(files: Mapping[str, object], hash: str) -> PackSystem | None:
    """The pack with these files; None unless they are a pack and have this hash."""
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
    """The versions that events (and what was sealed in some) name, in order, each as often as it
    is named.
    """
    for body in bodies:
        if isinstance(edition := body.get("edition"), str):
            yield edition
        yield from ((body.get("after") or {}).get("game") or {}).get("packs") or ()


def _read(content: Content, file: str, id: str = "") -> Any:
    """What a YAML file of a pack says. Raises TableError that names line and column."""
    from bot.rulesets.yaml_file import read_bounded  # 0.02 s of a bot whose servers have no packs

    return read_bounded(content[file], f"{id}/{file}" if id else file)
