"""The after-action page in a real browser, opened from disk: read, stepped through, searched,
checked, printed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.report.event_odds import compute_export_facts
from bot.report.page import build_checker_page, build_page
from bot.rules.errors import UserError
from bot.rulesets.catalog import load_shared_systems
from bot.verification.export_format import read_export
from tests.browser.conftest import Shown
from tests.browser.evenings import SCENARIOS, evening, hill, played
from tests.browser.tampering import CASES, as_json, relink, tampered
from tools import verify_log

pytestmark = pytest.mark.slow
Show = Callable[..., Shown]
LOGS = Path(__file__).parents[1] / "data/logs"
LONG = 5000
WIDTHS = (320, 390, 768, 1280)


@pytest.fixture(scope="module")
def game() -> Any:
    return played(hill())


@pytest.fixture(scope="module")
def report(game: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "hill.html"
    path.write_text(
        build_page(game, compute_export_facts(game, load_shared_systems()), load_shared_systems()),
        "utf-8",
    )
    return path


def test_everything_fits_in_an_honest_game(show: Show, report: Path, game: Any) -> None:
    for query in ("", "?plain"):
        found = show(report, query).check()
        assert found["faults"] == []
        assert found["told"].startswith("✓ Everything fits")
        assert found["counts"]["events"] == len(game["events"])
        assert found["counts"]["dice"] > 50
        assert found["engine"] == ("plain JavaScript" if query else "WebCrypto")


@pytest.mark.slow_sample(5)
@pytest.mark.parametrize("name", CASES)
def test_a_tampered_game_is_found(show: Show, game: Any, tmp_path: Path, name: str) -> None:
    case = CASES[name]
    bent, path = tampered(game, case), tmp_path / "bent.html"
    path.write_text(build_page(bent, {}, load_shared_systems()), "utf-8")
    found = show(path).check(case.head(game))
    if not case.says:
        assert found["faults"] == []
        return
    said = [fault["text"] for fault in found["faults"] if fault["part"] == case.part]
    assert any(case.says in text for text in said), found["faults"]
    assert found["told"].startswith("✗")


def test_an_outcome_that_does_not_follow_is_said_by_whoever_made_the_page(
    show: Show, game: Any, tmp_path: Path
) -> None:
    bent = tampered(game, CASES["outcome, hashes anew, head known"])
    path = tmp_path / "bent.html"
    path.write_text(
        build_page(bent, compute_export_facts(bent, load_shared_systems()), load_shared_systems()),
        "utf-8",
    )
    found = show(path).check()
    assert {fault["part"] for fault in found["faults"]} == {"played"}


def test_before_the_seed_is_published_it_says_what_it_cannot_know(
    show: Show, tmp_path: Path
) -> None:
    export = played(hill(2, revealed=False))
    path = tmp_path / "open.html"
    path.write_text(
        build_page(
            export, compute_export_facts(export, load_shared_systems()), load_shared_systems()
        ),
        "utf-8",
    )
    shown = show(path)
    found = shown.check()
    assert found["faults"] == []
    assert found["told"].startswith("✓ The log fits; the dice cannot be computed yet")
    assert found["counts"]["waiting"] > 20
    open_parts = {part["id"] for part in found["parts"] if part["good"] is None}
    assert {"head", "seeds", "dice", "played"} <= open_parts
    assert "What no check can tell you" in shown.page.inner_text("#p-check")


def test_step_search_and_open(show: Show, report: Path, game: Any) -> None:
    shown = show(report)
    browser = shown.page
    assert browser.input_value("#at") == str(len(game["events"]))
    browser.focus("#at")
    browser.keyboard.press("Home")
    assert browser.inner_text("#told") == "Before the first event"
    assert browser.locator(".units li:visible").count() == 0
    for _ in range(8):
        browser.keyboard.press("ArrowRight")
    assert browser.inner_text("#told").startswith("#8 · turn 1")
    assert browser.locator(".units li:visible").count() > 5
    browser.fill("#q", "hill is taken")
    shown.until("document.querySelector('#count').textContent.startsWith('1 of')")
    browser.fill("#q", "")
    browser.select_option("#f-u", "M41")
    assert " of " in browser.inner_text("#count")
    browser.click("#clear") if browser.is_visible("#clear") else browser.select_option("#f-u", "")
    shot = next(
        row["number"]
        for row in game["events"]
        if row["body"]["kind"] == "sequence" and not row["body"].get("hand")
    )
    browser.evaluate(f"location.hash = 'e{shot}'")
    inside = browser.locator(f"#e{shot} .more")
    inside.locator(".proof li").first.wait_for()
    assert "Odds then" in inside.inner_text()
    assert "HMAC(seed, " in inside.inner_text()
    assert browser.inner_text("#when").startswith(f"after #{shot}")


def test_each_moment_is_drawn_as_the_page_itself_draws_it(
    show: Show, report: Path, game: Any, tmp_path: Path
) -> None:
    """The counters at the end: drawn by the server in one page, by the script in the other."""
    still = show(report, java_script_enabled=False).page
    moving = show(report).page
    read = "nodes => nodes.map(n => [n.className, n.textContent.replace(/\\s+/g, ' ').trim()])"
    assert still.locator(".units li").evaluate_all(read) == moving.locator(
        ".units li"
    ).evaluate_all(read)


def test_without_javascript_it_is_all_there(show: Show, report: Path, game: Any) -> None:
    browser = show(report, java_script_enabled=False).page
    text = browser.inner_text("body")
    assert "The hill is taken, at a price." in browser.content()
    assert "US won." in text
    assert browser.locator(".ev").count() == len(game["events"])
    assert not browser.is_visible("#check-top")
    assert "grognard verify" in text


@pytest.mark.parametrize("system", SCENARIOS)
def test_no_page_scrolls_sideways(show: Show, tmp_path: Path, system: str) -> None:
    export = played(evening(system))
    path = tmp_path / f"{system}.html"
    path.write_text(
        build_page(
            export, compute_export_facts(export, load_shared_systems()), load_shared_systems()
        ),
        "utf-8",
    )
    shown = show(path)
    assert shown.check()["faults"] == []
    shown.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for width in WIDTHS:
        shown.page.set_viewport_size({"width": width, "height": 800})
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= width, width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_light_or_dark_as_the_reader_likes(show: Show, report: Path, scheme: str) -> None:
    browser = show(report, color_scheme=scheme).page
    red = int(browser.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]"))
    assert (red > 200) == (scheme == "light")


def test_it_prints(show: Show, report: Path, tmp_path: Path) -> None:
    browser = show(report).page
    browser.emulate_media(media="print")
    assert not browser.is_visible("nav.step")
    assert browser.pdf(path=tmp_path / "hill.pdf", format="A4").startswith(b"%PDF")


def test_names_full_of_markup_run_nothing(show: Show, game: Any, tmp_path: Path) -> None:
    evil = '</script><img src=x onerror="document.title=1"><script>document.title=2</script>'
    bent = json.loads(
        json.dumps(game)
        .replace("Cell 1", evil.replace('"', '\\"'))
        .replace("Hill 875", evil.replace('"', '\\"'))
    )
    path = tmp_path / "evil.html"
    path.write_text(
        build_page(bent, compute_export_facts(game, load_shared_systems()), load_shared_systems()),
        "utf-8",
    )
    shown = show(path)
    shown.page.evaluate("document.querySelectorAll('.ev details').forEach(d => { d.open = true; })")
    assert shown.page.title().startswith(evil)
    assert shown.page.locator("img").count() == 0


def test_the_checker_reads_json_packed_json_and_pages(
    show: Show, report: Path, game: Any, tmp_path: Path
) -> None:
    own = tmp_path / "verify.html"
    own.write_text(build_checker_page(), "utf-8")
    (tmp_path / "hill.json").write_text(as_json(game), "utf-8")
    (tmp_path / "bent.json").write_text(as_json(tampered(game, CASES["changed die"])), "utf-8")
    (tmp_path / "none.json").write_text("[]", "utf-8")
    shown = show(own)
    says = {}
    for file in (
        report,
        tmp_path / "hill.json",
        tmp_path / "bent.json",
        tmp_path / "none.json",
        *sorted(LOGS.glob("*.json")),
    ):
        shown.page.evaluate("window.lastCheck = null")
        shown.page.set_input_files("#file", file)
        shown.until("window.lastCheck")
        says[file.name] = shown.page.inner_text(".verdict").splitlines()[0]
    recorded = dict.fromkeys((path.name for path in LOGS.glob("*.json")), "✓ Everything fits")
    recorded["unpublished.json"] = "✓ The log fits; the dice cannot be computed yet"
    assert says == {
        **recorded,
        "hill.html": "✓ Everything fits",
        "hill.json": "✓ Everything fits",
        "bent.json": "✗ 2 things are wrong",
        "none.json": "✗ One thing is wrong",
    }


def bent_forms(game: Any) -> Iterator[tuple[str, str]]:
    """Yield files of which one key of one row is missing or of another type, and what was bent."""
    parts: dict[str, Any] = {
        "": game,
        **{part: game[part] for part in ("events", "seeds", "texts", "persons")},
    }
    for part, rows in parts.items():
        keys = {key for row in (rows if part else [rows]) for key in row}
        for key in sorted(keys - {"packs"}):
            values: list[Any] = [None, [], 1, "x", -1, "gone"]
            for value in values:
                bent = json.loads(json.dumps(game))
                row = next(row for row in bent[part] if key in row) if part else bent
                if value == "gone":
                    del row[key]
                elif type(value) is type(row[key]):
                    continue
                else:
                    row[key] = value
                yield f"{part or 'file'}.{key} = {value}", as_json(bent)


def is_refused(read: Callable[[Any], object], file: Any) -> bool:
    """Return whether a program refuses the form of a file."""
    try:
        read(file)
    except (UserError, verify_log.UnreadableFile):
        return True
    return False


def test_the_page_is_as_strict_about_the_form_of_a_file_as_both_programs(
    show: Show, game: Any, tmp_path: Path
) -> None:
    own = tmp_path / "verify.html"
    own.write_text(build_checker_page(), "utf-8")
    shown = show(own)
    for what, text in bent_forms(game):
        file = json.loads(text)
        by_page = shown.page.evaluate(
            "async text => (await Checker.check(JSON.parse(text))).faults", text
        )
        by_programs = [is_refused(read, file) for read in (read_export, verify_log.validate_log)]
        is_bent = any(fault["part"] == "file" for fault in by_page)
        assert is_bent or not any(by_programs), (what, by_page)


@pytest.fixture(scope="module")
def long(game: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of 5,000 events: most of them in one turn, which is the worst for a browser."""
    export = tampered(game, CASES["honest, with its head"])
    first = export["events"]
    shots = [
        row["body"]
        for row in first
        if row["body"]["kind"] == "sequence" and not row["body"].get("after")
    ]
    begun = first[-1]["number"] + 1
    for number in range(begun, LONG + 1):
        like = {
            name: value for name, value in shots[number % len(shots)].items() if name != "closes"
        }
        # the texts of the seed that is in force by now
        closes = {"closes": True} if number == begun else {}
        first.append(
            {
                "number": number,
                "hash": "",
                "body": {**like, **closes, "number": number, "behind": number - 1},
            }
        )
        said = [
            row for row in export["texts"] if (row["event"], row["key"]) == (like["number"], "said")
        ]
        export["texts"] += [{**row, "event": number} for row in said]
    relink(export)
    path = tmp_path_factory.mktemp("report") / "long.html"
    path.write_text(
        build_page(
            export, compute_export_facts(export, load_shared_systems()), load_shared_systems()
        ),
        "utf-8",
    )
    return path


def test_a_page_of_five_thousand_events_is_checked_and_small_enough_for_any_chat(
    show: Show, long: Path
) -> None:
    # a tenth of it the hashes of the first lines, which do not pack
    assert long.stat().st_size <= 4_800_000
    shown = show(long)
    shown.until("document.documentElement.dataset.ready")
    found = shown.check()
    assert found["faults"] == []
    assert found["counts"]["events"] == LONG


def test_the_rows_of_a_long_page_are_built_when_they_are_wanted(show: Show, long: Path) -> None:
    # a browser that is never idle
    shown = show(long, before="window.requestIdleCallback = () => {}")
    browser, rows = shown.page, shown.page.locator(".ev")
    shown.until("document.documentElement.dataset.ready")
    assert rows.count() < 300
    browser.evaluate("location.hash = 'e2500'")
    browser.locator("#e2500 .more button").first.wait_for()
    assert rows.count() < 600
    browser.fill("#q", "#1234")
    shown.until(f"document.querySelector('#count').textContent === '1 of {LONG:,} events'")
    assert browser.locator(".ev:visible").count() == 1
    assert rows.count() == LONG


def test_the_rows_of_a_long_page_are_all_there_soon_and_without_javascript(
    show: Show, long: Path
) -> None:
    shown = show(long)
    shown.until(f"document.querySelectorAll('.ev').length === {LONG}")
    order = "nodes => nodes.every((node, at) => node.id === 'e' + (at + 1))"
    assert shown.page.locator(".ev").evaluate_all(order)
    still = show(long, java_script_enabled=False).page.locator(".ev")
    assert still.count() == LONG
    assert still.evaluate_all(order)
