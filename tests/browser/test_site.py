"""The documentation as a site: opened from disk in a browser without a network, its search typed
into; its builder refuses links that lead nowhere and pages that no link leads to.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Shown
from tools.site.__main__ import HERE, ROOT, Faulty, build, check, gather, list_navigation_pages

pytestmark = pytest.mark.slow
GENERATOR = ROOT / ".venv/site/bin/zensical"
PAPER = (
    "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
    ".reduce((sum, part) => sum + part)"
)
"""How bright the paper of a page is: 765 for white."""
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


@pytest.mark.parametrize(("width", "mobile"), [(390, True), (1280, False)])
def test_pages_fit_the_screen_in_both_schemes(
    site: Path, show: Callable[..., Shown], width: int, mobile: bool
) -> None:
    for name in LONG:
        shown = show(site / name, viewport={"width": width, "height": 844}, is_mobile=mobile)
        for scheme in ("light", "dark"):
            shown.page.emulate_media(color_scheme=scheme)
            assert shown.page.evaluate("document.documentElement.scrollWidth") <= width, name
            # the page follows a change of the scheme by a script of its own
            is_light = f"{PAPER} > 600"
            shown.until(is_light if scheme == "light" else f"!({is_light})")
        shown.page.close()


def test_each_tab_opens_the_first_page_of_its_part(site: Path) -> None:
    """The generator may take any README of a part for its first page."""
    parts = tomllib.loads((HERE / "zensical.toml").read_text("utf-8"))["project"]["nav"]
    first = [next(list_navigation_pages(part)) for part in parts]
    text = (site / "index.html").read_text("utf-8")
    tabs = re.findall(r'href="(?:\./)?([^"]+)" class="md-tabs__link"', text)
    assert tabs == [name.replace("README.md", "index.md")[:-2] + "html" for name in first]


def test_what_is_typed_is_not_broken_within_a_word_on_a_phone(
    site: Path, show: Callable[..., Shown]
) -> None:
    """Each key of a pack is on one line, in the first column of its table."""
    shown = show(site / "docs/pack-keys.html", viewport={"width": 390, "height": 844})
    lines = shown.page.evaluate(
        "[...document.querySelectorAll('td:first-child code')]"
        ".filter(key => !/\\s/.test(key.innerText)).map(key => key.getClientRects().length)"
    )
    assert lines
    assert set(lines) == {1}


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


def test_what_is_built_is_checked_for_lists_places_other_hosts_and_unreached_pages(
    tmp_path: Path,
) -> None:
    (tmp_path / "index.html").write_text('<a href="a.html">a</a>')
    (tmp_path / "alone.html").write_text('<a href="index.html">back</a>')
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">b</a><a href="b.html#gone">b</a><a href="c.html">c</a>'
    )
    (tmp_path / "b.html").write_text(
        '<h2 id="here">x</h2><script src="https://example.org/x.js"></script>'
        "<p>A host\n- can read seeds.\n| a | b |</p>"
    )
    assert list(check(tmp_path)) == [
        "b.html: this is no item and no row: - can read seeds.",
        "b.html: this is no item and no row: | a | b |",
        "a.html: b.html#gone has no such place",
        "a.html: c.html is not there",
        "b.html: loads https://example.org/x.js",
        "alone.html: no link leads to this page",
    ]


def test_it_builds_where_a_site_was_before(site: Path, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old/gone.html").touch()
    assert build(tmp_path / "old") == len(list(site.rglob("*.html")))
    assert not (tmp_path / "old/gone.html").exists()
