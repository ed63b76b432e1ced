"""The files of a pack by name, from a folder, a zip or one text, within limits."""

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
"""Most bytes of all files of a pack together, and of its zip."""
MOST_FILES = 200
PACK = "pack.yaml"
FOLDERS = (SCENARIOS, STEPS, DECKS)
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\.yaml")
_IGNORED_SUFFIXES = (".md", ".txt", ".json", ".svg", ".png")
"""Suffixes of files for people, which may have any name."""
_IGNORED_FOLDERS = ("__MACOSX", "__pycache__")

Content = Mapping[str, bytes]


def read_content(path: Path) -> dict[str, bytes]:
    """Return the YAML files of a pack by name (`game.yaml`, `scenarios/ford.yaml`), from a folder
    or a zip.

    Raises TableError if it is no pack or too large, or if a file has a name that no pack may have.
    """
    try:
        content = dict(_read_file(path) if path.is_file() else _read_folder(path))
    except OSError as error:
        raise TableError(path.name, f"cannot be read: {error.strerror or 'no such pack'}") from None
    return _check_whole(content, path.name)


def unzip_content(data: bytes, name: str) -> dict[str, bytes]:
    """Return the YAML files of a pack by name, from the bytes of a zip.

    `name` is the name of the zip in errors. Raises TableError as `read_content` does.
    """
    return _check_whole(dict(_read_zip(data, name)), name)


def zip_content(content: Content) -> bytes:
    """Return a zip with a pack's files. The same files always make the same zip."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(content):
            entry = zipfile.ZipInfo(name)  # dated 1980, not today
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, content[name])
    return file.getvalue()


def _check_whole(content: dict[str, bytes], name: str) -> dict[str, bytes]:
    """Return the content unchanged. Raises TableError if it has no pack.yaml."""
    if PACK not in content:
        raise TableError(
            name, f"has no {PACK}: a pack is a folder or a zip with {PACK} and game.yaml in it"
        )
    return content


def _read_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of each YAML file in a pack's folder.

    Raises TableError for a name that no pack may have, a link, or too many files or bytes.
    """
    bytes_left = MOST_BYTES
    count = 0
    paths = sorted(folder.iterdir())
    for name in FOLDERS:
        paths += sorted(folder.glob(f"{name}/*"))
    for path in paths:
        name = path.relative_to(folder).as_posix()
        if _is_for_people(name) or path.is_dir():
            continue
        count += 1
        check_name(name, count)
        if path.is_symlink() or not path.is_file():
            raise TableError(name[:80], "is not a plain file")
        with path.open("rb") as file:
            data = file.read(bytes_left + 1)
        bytes_left -= len(data)
        _check_room(folder.name, bytes_left, MOST_BYTES)
        yield name, data


def _read_file(path: Path) -> Iterator[tuple[str, bytes]]:
    with path.open("rb") as file:
        yield from _read_zip(file.read(MOST_BYTES + 1), path.name)


def _read_zip(packed: bytes, zip_name: str) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of each YAML file in a pack's zip.

    Raises TableError for a name that no pack may have, a file that is there twice, or too many
    files or bytes.
    """
    names = set[str]()
    entries = _read_entries(packed, zip_name, MOST_BYTES, lambda name: not _is_for_people(name))
    for name, data in entries:
        if name in names:
            raise TableError(name, "appears twice in the zip")
        names.add(name)
        check_name(name, len(names))
        yield name, data


def read_tables_of_zip(
    packed: bytes, zip_name: str, max_bytes: int = 8_000_000
) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of the files in a zip that may be tables of other programs.

    `zip_name` is its name in errors. Raises TableError for more than `max_bytes` in all.
    """
    return _read_entries(packed, zip_name, max_bytes, is_of_tables)


def _read_entries(
    packed: bytes, zip_name: str, max_bytes: int, is_wanted: Callable[[str], bool]
) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of the wanted files in a zip. A common folder of all files is left out of
    the names.

    Raises TableError for more than `max_bytes`, or a zip that cannot be unpacked.
    """
    bytes_left = max_bytes
    if len(packed) > max_bytes:
        raise TableError(zip_name, f"is larger than {max_bytes // 1024} kB")
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            paths = [entry.filename.replace("\\", "/") for entry in entries]
            folder = _find_common_folder(paths)
            for entry, path in zip(entries, paths, strict=True):
                name = path.removeprefix(folder)
                if not is_wanted(name):
                    continue
                _check_entry(entry, name)
                with archive.open(entry) as file:
                    # The size that the zip states may be wrong.
                    data = file.read(bytes_left + 1)
                bytes_left -= len(data)
                _check_room(zip_name, bytes_left, max_bytes)
                yield name, data
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        UnicodeDecodeError,
        ValueError,
    ):
        raise TableError(zip_name, "is not a zip that can be unpacked") from None


def _find_common_folder(names: list[str]) -> str:
    """Return the only folder at the top of a pack's zip, with its slash, or "" if there is none.

    Most programs that make a zip put such a folder in it.
    """
    top_names = {name.partition("/")[0] for name in names if not _is_for_people(name)}
    folder = next(iter(top_names), "")
    is_only_folder = len(top_names) == 1 and f"{folder}/{PACK}" in names
    return f"{folder}/" if is_only_folder else ""


def _is_for_people(name: str) -> bool:
    """Return whether a file is ignored: hidden, made by an operating system, or a text or picture
    for people.
    """
    path = PurePosixPath(name)
    if ".." in path.parts:
        return False
    is_document = path.suffix in _IGNORED_SUFFIXES or path.name in ("LICENSE", "LICENCE", "NOTICE")
    return is_document or _is_hidden(path)


def _is_hidden(path: PurePosixPath) -> bool:
    """Return whether a file or one of its folders is hidden, or made by an operating system."""
    return any(part.startswith(".") or part in _IGNORED_FOLDERS for part in path.parts)


def is_of_tables(name: str) -> bool:
    """Return whether a file may be a table of another program: not hidden, no picture or web page,
    no README or licence.
    """
    path = PurePosixPath(name)
    return not (
        path.suffix.casefold() in (".svg", ".png", ".jpg", ".webp", ".html")
        or path.stem.upper() in ("README", "LICENSE", "LICENCE", "NOTICE")
        or _is_hidden(path)
    )


def _check_entry(entry: zipfile.ZipInfo, name: str) -> None:
    """Raise TableError for an entry that is encrypted, no plain file, or packed in another way than
    usual.
    """
    if entry.flag_bits & 1:
        raise TableError(name, "is encrypted")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise TableError(name, "uses a compression that cannot be read; make a plain zip")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise TableError(name, "is not a plain file")


def check_name(name: str, count: int) -> None:
    """Raise TableError for a name that no file of a pack may have, or for one file too many."""
    if count > MOST_FILES:
        raise TableError(name[:80], f"is one file too many: a pack has at most {MOST_FILES}")
    folder, _, file = name.rpartition("/")
    if folder not in ("", *FOLDERS) or not _NAME.fullmatch(file):
        folders = ", ".join(f"{allowed}/" for allowed in FOLDERS)
        problem = (
            "is not a valid name for a pack file: use name.yaml with a-z, 0-9 and -, alone or in one of "
            f"{folders}"
        )
        raise TableError(name[:80], problem)


def _check_room(name: str, bytes_left: int, max_bytes: int) -> None:
    """Raise TableError if `bytes_left` is below 0; `max_bytes` is the limit for its text."""
    if bytes_left < 0:
        raise TableError(name, f"is larger than {max_bytes // 1024} kB with all its files together")


# -- a pack as one text that can be pasted: each file's name at the margin, its content indented
# below it

_HEAD = re.compile(r"([^\s#:][^\s:]*\.yaml):(?:[ \t]+(.*))?")
_LITERAL = re.compile(r"[|>][-+]?\s*")
EXAMPLE = "pack.yaml:"


def read_one_file(text: str, name: str = "The text") -> dict[str, bytes]:
    """Return the files of a pack that is written as one text. `name` is its name in errors.

    The text is YAML, a mapping of file names, but it is cut up as text, so that each file stays as
    its author wrote it. Raises TableError that names the line.
    """
    if len(text) > MOST_BYTES:
        raise TableError(name, f"is larger than {MOST_BYTES // 1024} kB")
    files: dict[str, list[str]] = {}
    lines: list[str] | None = None
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        head = _HEAD.fullmatch(line.rstrip())
        if head:
            file = head[1]
            if file in files:
                raise TableError(name, f"line {number}: {file[:80]} appears twice")
            check_name(file, len(files) + 1)
            first_line = head[2] or ""
            lines = [] if _LITERAL.fullmatch(first_line) else [first_line]
            files[file] = lines
        elif not line.strip() or line.startswith("#"):
            if lines is not None:
                lines.append("")
        elif lines is None or not line[0].isspace():
            raise TableError(
                name,
                f"line {number}: in a pack written as one text, each file begins with its name: {EXAMPLE}",
            )
        else:
            lines.append(line)
    if PACK not in files or len(files) > MOST_FILES:
        raise TableError(
            name,
            f"has no {PACK}: a pack written as one text has {PACK}: and game.yaml: at the left margin",
        )
    return {file: _cut_file(lines) for file, lines in files.items()}


def _cut_file(lines: list[str]) -> bytes:
    """Return the content of a file without its margin.

    The first of `lines` is the text after the file's name, or "" for none.
    """
    if lines and lines[0]:
        first_line, *indented_lines = lines
        text = "\n".join([first_line, dedent("\n".join(indented_lines))])
    else:
        text = dedent("\n".join(lines))
    return (text.strip("\n") + "\n").encode()
