"""What is in a pack: its files by name, out of a folder, a zip or one text, within limits."""

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from textwrap import dedent

from bot.rules.errors import TableError
from bot.rulesets.system import DECKS, SCENARIOS, STEPS

MOST_BYTES = 256 * 1024
"""All files of a pack together, and the zip that they come in."""
MOST_FILES = 200
PACK = "pack.yaml"
FOLDERS = (SCENARIOS, STEPS, DECKS)
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\.yaml")
_PASSED_OVER = (".md", ".txt", ".json", ".svg", ".png")
"""Files for people: their names may be anything."""

Content = Mapping[str, bytes]


def read_content(path: Path) -> dict[str, bytes]:
    """The YAML files of a pack by their names (`game.yaml`, `scenarios/ford.yaml`). Raises
    TableError for what is no pack, is too large, or has names that lead elsewhere."""
    try:
        content = dict(_read_file(path) if path.is_file() else _read_folder(path))
    except OSError as error:
        raise TableError(path.name, f"cannot be read: {error.strerror or 'no such pack'}") from None
    return _check_whole(content, path.name)


def unzip_content(data: bytes, name: str) -> dict[str, bytes]:
    """The same of a zip that is at hand. Raises TableError."""
    return _check_whole(dict(_read_zip(data, name)), name)


def zip_content(content: Content) -> bytes:
    """The zip that holds a pack's files, as anybody may unpack and send it again."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as into:
        for name in sorted(content):
            entry = zipfile.ZipInfo(name)  # as of 1980: the same files make the same zip
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            into.writestr(entry, content[name])
    return file.getvalue()


def _check_whole(content: dict[str, bytes], name: str) -> dict[str, bytes]:
    if PACK not in content:
        raise TableError(
            name, f"has no {PACK}: a pack is a folder or a zip with {PACK} and game.yaml in it"
        )
    return content


def _read_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    left = MOST_BYTES
    count = 0
    for path in (
        *sorted(folder.iterdir()),
        *(path for name in FOLDERS for path in sorted(folder.glob(f"{name}/*"))),
    ):
        name = path.relative_to(folder).as_posix()
        if _is_for_people(name) or path.is_dir():
            continue
        count += 1
        check_name(name, count)
        if path.is_symlink() or not path.is_file():
            raise TableError(name[:80], "is no plain file")
        with path.open("rb") as file:
            data = file.read(left + 1)
        left -= len(data)
        _check_room(folder.name, left, MOST_BYTES)
        yield name, data


def _read_file(path: Path) -> Iterator[tuple[str, bytes]]:
    with path.open("rb") as file:
        yield from _read_zip(file.read(MOST_BYTES + 1), path.name)


def _read_zip(packed: bytes, of: str) -> Iterator[tuple[str, bytes]]:
    seen = set[str]()
    for name, data in _read_entries(packed, of, MOST_BYTES, lambda name: not _is_for_people(name)):
        if name in seen:
            raise TableError(name, "is in the zip twice")
        seen.add(name)
        check_name(name, len(seen))
        yield name, data


def read_tables_of_zip(
    packed: bytes, of: str, most: int = 8_000_000
) -> Iterator[tuple[str, bytes]]:
    """The files of a zip that may be tables of other programs, at most so many bytes in all.
    Raises TableError.
    """
    return _read_entries(packed, of, most, is_of_tables)


def _read_entries(
    packed: bytes, of: str, most: int, keeps: Callable[[str], bool]
) -> Iterator[tuple[str, bytes]]:
    """What is in a zip by its names below the one folder that it may have."""
    left = most
    if len(packed) > most:
        raise TableError(of, f"is larger than {most // 1024} kB")
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as zipped:
            entries = [entry for entry in zipped.infolist() if not entry.is_dir()]
            names = [entry.filename.replace("\\", "/") for entry in entries]
            top = _find_common_folder(names)
            for entry, whole in zip(entries, names, strict=True):
                name = whole.removeprefix(top)
                if not keeps(name):
                    continue
                _check_entry(entry, name)
                with zipped.open(entry) as file:
                    data = file.read(left + 1)  # what it says of its size may be a lie
                left -= len(data)
                _check_room(of, left, most)
                yield name, data
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        UnicodeDecodeError,
        ValueError,
    ):
        raise TableError(of, "is no zip that can be unpacked") from None


def _find_common_folder(names: list[str]) -> str:
    """The one folder that all of a zip is in, with its slash; most programs that make a zip put
    one there.
    """
    firsts = {name.partition("/")[0] for name in names if not _is_for_people(name)}
    found = next(iter(firsts), "")
    return f"{found}/" if len(firsts) == 1 and f"{found}/{PACK}" in names else ""


def _is_for_people(name: str) -> bool:
    """Return whether a file is passed over: hidden, left by a system, or a text beside the pack."""
    path = PurePosixPath(name)
    return ".." not in path.parts and (
        path.suffix in _PASSED_OVER
        or any(part.startswith(".") or part in ("__MACOSX", "__pycache__") for part in path.parts)
        or path.name in ("LICENSE", "LICENCE", "NOTICE")
    )


def is_of_tables(name: str) -> bool:
    """Return whether a file may be a table of another program: not hidden, no picture, nothing
    about the others.
    """
    path = PurePosixPath(name)
    return not (
        path.suffix.casefold() in (".svg", ".png", ".jpg", ".webp", ".html")
        or path.stem.upper() in ("README", "LICENSE", "LICENCE", "NOTICE")
        or any(part.startswith(".") or part in ("__MACOSX", "__pycache__") for part in path.parts)
    )


def _check_entry(entry: zipfile.ZipInfo, name: str) -> None:
    if entry.flag_bits & 1:
        raise TableError(name, "is encrypted")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise TableError(name, "is compressed in a way that is not read; make a plain zip")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise TableError(name, "is no plain file")


def check_name(name: str, count: int) -> None:
    """Raise TableError for a name that no file of a pack may have, or for one file too many."""
    if count > MOST_FILES:
        raise TableError(name[:80], f"is one file too many: a pack has at most {MOST_FILES}")
    folder, _, file = name.rpartition("/")
    if folder not in ("", *FOLDERS) or not _NAME.fullmatch(file):
        raise TableError(
            name[:80],
            "is no name for a file of a pack: name.yaml of a-z, 0-9 and -, alone or in one of "
            f"{', '.join(f'{name}/' for name in FOLDERS)}",
        )


def _check_room(name: str, left: int, most: int) -> None:
    if left < 0:
        raise TableError(name, f"is larger than {most // 1024} kB, all its files together")


# -- a pack as one text, to be pasted: each file's name at the margin, its content indented below

_HEAD = re.compile(r"([^\s#:][^\s:]*\.yaml):(?:[ \t]+(.*))?")
_LITERAL = re.compile(r"[|>][-+]?\s*")
EXAMPLE = "pack.yaml:"


def read_one_file(text: str, name: str = "The text") -> dict[str, bytes]:
    """The files of a pack that is written as one text. Raises TableError that names the line.

    The text is YAML, a mapping of file names, but it is cut up as text: so each file stays as its
    author wrote it.
    """
    if len(text) > MOST_BYTES:
        raise TableError(name, f"is larger than {MOST_BYTES // 1024} kB")
    found: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), 1):
        if head := _HEAD.fullmatch(line.rstrip()):
            file = head[1]
            rest = head[2] or ""
            if file in found:
                raise TableError(name, f"line {number}: {file[:80]} is there twice")
            check_name(file, len(found) + 1)
            lines = found[file] = [] if _LITERAL.fullmatch(rest) else [rest]
        elif not line.strip() or line.startswith("#"):
            if lines is not None:
                lines.append("")
        elif lines is None or not line[0].isspace():
            raise TableError(
                name, f"line {number}: a pack as one text begins each file with its name: {EXAMPLE}"
            )
        else:
            lines.append(line)
    if PACK not in found or len(found) > MOST_FILES:
        raise TableError(
            name, f"has no {PACK}: a pack as one text has {PACK}: and game.yaml: at the margin"
        )
    return {file: _cut_file(lines) for file, lines in found.items()}


def _cut_file(lines: list[str]) -> bytes:
    """What is below a name, without its margin. The first line is what stood beside the name."""
    beside, *below = lines or [""]
    text = "\n".join([beside, dedent("\n".join(below))]) if beside else dedent("\n".join(lines))
    return (text.strip("\n") + "\n").encode()
