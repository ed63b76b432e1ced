"""The documentation as a site, opened from disk in a browser: no network, each link followed,
the search typed into.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.browser.conftest import Shown
from tools.site.__main__ import ROOT, Faulty, build, check, gather

pytestmark = pytest.mark.slow
GENERATOR = ROOT / ".venv/site/bin/zensical"
LOOKS = [
    (width, scheme, mobile)
    for width, mobile in ((390, True), (1280, False))
    for scheme in ("light", "dark")
]
LONG = (
    "index.html",
    "docs/lnlt.html",
    "docs/asl.html",
    "docs/slack.html",
    "docs/pack-keys.html",
    "deploy/index.html",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site that BUILT_SITE names, which was built a moment ago, or one built once by all who
    test side by side.
    """
    if given := os.environ.get("BUILT_SITE"):
        return Path(given)
    if not GENERATOR.exists():
        pytest.skip("the site's generator is not installed: make site")
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    out, built = shared / "site", shared / "site-is-built"
    with (shared / "site-turn").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not built.exists():
            words = [sys.executable, "-m", "tools.site", str(out)]
            done = subprocess.run(
                words, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
            )
            assert done.returncode == 0, done.stderr
            built.touch()
    return out


SEARCH = "[...document.querySelectorAll('div')].map(one => one.shadowRoot).filter(Boolean)"
"""What the search is drawn in."""


def links(shown: Shown) -> list[str]:
    """Where a page's links lead, as the browser understands them."""
    found: Any = shown.page.evaluate(
        "[...document.links].map(one => one.href).filter(one => one.startsWith('file:'))"
    )
    return sorted(set(found))


def test_each_page_is_reached_by_links_from_the_first(
    site: Path, show: Callable[..., Shown]
) -> None:
    """From page to page as a reader goes: every address exists, every place on a page, too."""
    shown = show(site / "index.html")
    ready, seen = [(site / "index.html").as_uri()], set[str]()
    places: dict[str, set[str]] = {}
    asked: set[tuple[str, str]] = set()
    while ready:
        address = ready.pop()
        if address in seen or not address.endswith(".html"):
            continue
        seen.add(address)
        shown.page.goto(address, wait_until="domcontentloaded")
        places[address] = set(
            shown.page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
        )
        if address.endswith(("sample-report.html", "verify.html")):
            continue  # pages of their own, tested in test_report
        for link in links(shown):
            page, _, place = link.partition("#")
            assert Path(unquote(page[7:])).is_file(), link
            ready.append(page)
            asked.add((page, place))
    assert {Path(one[7:]) for one in seen} == {
        path for path in site.rglob("*.html") if path.name != "404.html"
    }
    assert [
        one for one in sorted(asked) if one[1] and one[0] in places and one[1] not in places[one[0]]
    ] == []


@pytest.mark.parametrize(("width", "scheme", "mobile"), LOOKS)
def test_pages_fit_the_screen_in_both_schemes(
    site: Path, show: Callable[..., Shown], width: int, scheme: str, mobile: bool
) -> None:
    look = {
        "viewport": {"width": width, "height": 844},
        "color_scheme": scheme,
        "is_mobile": mobile,
    }
    for name in LONG:
        shown = show(site / name, **look)
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= width, name
        paper = shown.page.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
        )
        assert (sum(paper[:3]) > 600) == (scheme == "light"), name
        shown.page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_search_finds_without_a_network(
    site: Path, show: Callable[..., Shown], width: int
) -> None:
    """Opened by its button, typed into, and the first thing it finds is gone to."""
    shown = show(site / "index.html", viewport={"width": width, "height": 844})
    shown.page.click(
        "label[for=__search].md-header__button" if width < 500 else ".md-search__button"
    )
    field = f"{SEARCH}.map(root => root.querySelector('input')).find(Boolean)"
    shown.until(f"{field} && {field}.matches(':focus')")
    for _ in range(100):  # letters typed while it is drawn into view are lost
        shown.page.keyboard.press("Control+A")
        shown.page.keyboard.type("bail-out")
        if shown.page.evaluate(f"{field}.value") == "bail-out":
            break
        shown.page.wait_for_timeout(300)
    # what is there at first is found by the letters typed so far; the whole word finds another page
    first = f"{SEARCH}.flatMap(root => [...root.querySelectorAll('a')]).map(one => one.href)[0]"
    found = shown.until(f"[{first}].find(one => one && one.includes('docs/lnlt.html'))")
    _, _, place = found.partition("#")
    assert f'id="{place}"' in (site / "docs/lnlt.html").read_text("utf-8")


def test_a_broken_link_ends_the_build(tmp_path: Path) -> None:
    """A file that is not there is found before the generator runs, a place that is not there
    after it.
    """
    copy = tmp_path / "tree"
    ignored = shutil.ignore_patterns(
        ".*", "corpus", "data", "__pycache__", "node_modules", "adapters", "build"
    )
    shutil.copytree(ROOT, copy, ignore=ignored)
    shutil.copy(ROOT / ".env.example", copy)
    gather(copy, tmp_path / "whole")
    page = copy / "docs/players.md"
    page.write_text(
        page.read_text("utf-8") + "\n[nowhere](not-there.md), [also](../tables)\n", "utf-8"
    )
    with pytest.raises(
        Faulty, match=r"docs/players.md: not-there.md is not there\n.*tables is a folder without"
    ):
        gather(copy, tmp_path / "broken")
    page.unlink()
    with pytest.raises(Faulty, match=r"zensical.toml: no page docs/players.md"):
        gather(copy, tmp_path / "less")


def test_what_is_built_is_checked_for_places_and_for_other_hosts(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">b</a><a href="b.html#gone">b</a><a href="c.html">c</a>'
    )
    (tmp_path / "b.html").write_text(
        '<h2 id="here">x</h2><script src="https://example.org/x.js"></script>'
    )
    assert list(check(tmp_path)) == [
        "a.html: b.html#gone has no such place",
        "a.html: c.html is not there",
        "b.html: loads https://example.org/x.js",
    ]


def test_it_builds_where_a_site_was_before(site: Path, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old/gone.html").touch()
    assert build(tmp_path / "old") == len(list(site.rglob("*.html")))
    assert not (tmp_path / "old/gone.html").exists()
