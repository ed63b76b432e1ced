"""Builds the documentation as a site, for phones and from disk, that asks no other host for
anything: `make site`.

    python -m tools.site [FOLDER]      # build/site, unless it is named

The pages are the checkout's own. What they link to comes along; a link that leads nowhere ends the
build.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
PAGES = (
    "*.md",
    "docs/**/*.md",
    "deploy/**/*.md",
    "packs/**/*.md",
    "tests/*.md",
    "tests/s*/*.md",
    "benchmarks/*.md",
)
_LINK = re.compile(r"(\]\()(?!\w+:|#)([^)\s#]+)((?:#[^)\s]*)?\))")
_FENCED = re.compile(r"^(```+).*?^\1", re.MULTILINE | re.DOTALL)
_BELOW_ITEM = re.compile(r"^ {2,3}(?=\S)", re.MULTILINE)
_LIST_BELOW_TEXT = re.compile(r"^((?![-*|#>] |\d+\. )\S.*\n)(?=(?:[-*]|1\.) )", re.MULTILINE)


_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
_ITEM_OR_ROW = re.compile(r"\n *(?:[-*] |\d+\. |\|).*")


class Faulty(Exception):
    """The site cannot be what it should; the message says why, a fault on each line."""


def build(out: Path) -> int:
    """Write the site into `out`, anew; returns how many pages it has. Raises Faulty."""
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        gather(ROOT, work / "pages")
        shutil.copy(HERE / "zensical.toml", work)
        (work / "pages/assets").mkdir()
        shutil.copy(HERE / "grognard.css", work / "pages/assets")
        (work / "pages/assets/iframe-worker.js").touch()
        _generate(work)
        site = work / "site"
        for hidden in work.glob("pages/.*"):  # the generator takes none of these along
            shutil.copy(hidden, site)
        _search_from_disk(site)
        if faults := list(check(site)):
            raise Faulty("\n".join(faults))
        shutil.rmtree(out, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(site, out)
    return len(list(out.rglob("*.html")))


def gather(root: Path, into: Path) -> None:
    """Put every page of `root` and what these link to `into` a folder, at the same paths. Raises
    Faulty.
    """
    pages = {path for pattern in PAGES for path in root.glob(pattern)}
    config = tomllib.loads((HERE / "zensical.toml").read_text("utf-8"))
    named = {root / name for name in list_navigation_pages(config["project"]["nav"])}
    faults = [f"zensical.toml: no page {path.relative_to(root)}" for path in sorted(named - pages)]
    faults += [
        f"zensical.toml: {path.relative_to(root)} has no place among its pages"
        for path in sorted(pages - named)
    ]
    for path in sorted(pages):
        text, wrong = _page(path, root, into)
        faults += wrong
        target = into / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    if faults:
        raise Faulty("\n".join(faults))


def list_navigation_pages(entry: object) -> Iterator[str]:
    """The pages of a part of the navigation."""
    if isinstance(entry, str):
        yield entry
    for below in (
        entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ()
    ):
        yield from list_navigation_pages(below)


def _page(path: Path, root: Path, into: Path) -> tuple[str, list[str]]:
    """The page's text for the site, and its links that lead nowhere; the files that it links to
    are copied.
    """
    faults: list[str] = []

    def link_page(found: re.Match[str]) -> str:
        target = Path(os.path.normpath(path.parent / unquote(found[2])))
        if target.is_dir() and (target / "README.md").is_file():
            return f"{found[1]}{found[2].rstrip('/')}/README.md{found[3]}"
        if not target.is_file():
            what = "a folder without a README.md" if target.is_dir() else "not there"
            faults.append(f"{path.relative_to(root)}: {found[2]} is {what}")
        elif target.suffix != ".md":
            copy = into / target.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, copy)
        return found[0]

    def adapt(prose: str) -> str:
        return adapt_lists(_LINK.sub(link_page, prose))

    return _outside(path.read_text("utf-8"), _FENCED, adapt), faults


def adapt_lists(prose: str) -> str:
    """Return a page's text with its lists as the generator reads them.

    The pages are written for forges. The generator is stricter: what belongs to an item is
    indented by four columns, and a list begins after an empty line.
    """
    indented = _BELOW_ITEM.sub("    ", prose)
    return _LIST_BELOW_TEXT.sub(r"\1\n", indented)


def _outside(text: str, fenced: re.Pattern[str], change: object) -> str:
    """The text with what is outside of its fenced blocks changed."""
    assert callable(change)
    done, at = [], 0
    for block in fenced.finditer(text):
        done += [change(text[at : block.start()]), block[0]]
        at = block.end()
    return "".join([*done, change(text[at:])])


def _generate(work: Path) -> None:
    """Run the generator, which has an environment of its own: no host and no developer needs it
    for anything else.
    """
    names = [Path(sysconfig.get_path("scripts")) / "zensical", ROOT / ".venv/site/bin/zensical"]
    program = next((str(path) for path in names if path.exists()), None)
    if program is None:
        raise Faulty("the generator is not here: make site installs it into .venv/site")
    done = subprocess.run(
        [program, "build", "--strict", "--clean", "--config-file", "zensical.toml"],
        cwd=work, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    if done.returncode or not (work / "site/index.html").is_file():
        raise Faulty(re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr))


def _search_from_disk(site: Path) -> None:
    """Give the search its worker from disk, too, where a browser opens none by its address."""
    (worker,) = (site / "assets/javascripts/workers").glob("search.*.js")
    script = (HERE / "search-from-disk.js").read_text("utf-8")
    (site / "assets/iframe-worker.js").write_text(
        script.replace('"WORKER"', json.dumps(worker.read_text("utf-8")).replace("</", "<\\/")),
        encoding="utf-8",
    )


class _Links(HTMLParser):
    """The addresses of a page that it links to or loads, and its ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One more."""
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        self.links += [given["href"]] if tag == "a" and "href" in given else []
        self.loads += (
            [given["href"]]
            if tag == "link" and "href" in given and given.get("rel") != "canonical"
            else []
        )
        self.loads += [given["src"]] if "src" in given else []


def check(site: Path) -> Iterator[str]:
    """Yield what is wrong with a site: lists and tables that became plain text, links that lead
    nowhere, things loaded from elsewhere, and pages to which no link leads.
    """
    texts = {path: path.read_text("utf-8") for path in sorted(site.rglob("*.html"))}
    for path, text in texts.items():
        yield from (
            f"{path.relative_to(site)}: this is no item and no row: {found[0].strip()}"
            for paragraph in _PARAGRAPH.finditer(text)
            for found in _ITEM_OR_ROW.finditer(paragraph[1])
        )
    pages = {path: _Links(text) for path, text in texts.items()}
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # its addresses are those of a host that shows it
        where = path.relative_to(site)
        yield from (
            f"{where}: loads {address}"
            for address in page.loads
            if urlsplit(address).scheme in ("http", "https")
        )
        for address in _inside([*page.links, *page.loads]):
            target, place = _target(path, address)
            if not target.is_file():
                yield f"{where}: {address} is not there"
            elif place and target in pages and place not in pages[target].ids:
                yield f"{where}: {address} has no such place"
    yield from (
        f"{path.relative_to(site)}: no link leads to this page"
        for path in _find_unreachable_pages(site / "index.html", pages)
    )


def _target(path: Path, address: str) -> tuple[Path, str]:
    """Return the file that an address on the page `path` names, and the place in it ("" for none)."""
    parts = urlsplit(address)
    file = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
    return file, unquote(parts.fragment)


def _find_unreachable_pages(first: Path, pages: dict[Path, _Links]) -> list[Path]:
    """Return the pages that a reader who begins at `first` cannot reach by links."""
    ready, reached = [first], {first}
    while ready:
        path = ready.pop()
        for address in _inside(pages[path].links):
            target, _ = _target(path, address)
            if target in pages and target not in reached:
                reached.add(target)
                ready.append(target)
    return [path for path in pages if path not in reached and path.name != "404.html"]


def _inside(addresses: Iterable[str]) -> Iterator[str]:
    return (
        one for one in addresses if one and not urlsplit(one).scheme and not one.startswith("//")
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/site"
    try:
        count = build(folder)
    except Faulty as fault:
        sys.exit(f"site: {fault}")
    sys.stdout.write(f"{count} pages: open {os.path.relpath(folder / 'index.html')}\n")
