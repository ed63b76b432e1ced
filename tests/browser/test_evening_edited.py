"""The page of a long evening with its visible text edited, the facts in it edited, and both:
refused by the page's own check in a browser and by `grognard verify PAGE`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from bot.report.event_odds import compute_export_facts
from bot.report.page import build_page, hash_scripts
from bot.rulesets.catalog import load_shared_systems
from bot.verification.check_file import check_file
from tests.browser.conftest import Shown
from tests.browser.evenings import played
from tests.scenarios.evening import on_discord
from tests.scenarios.evenings_helpers import ford

pytestmark = pytest.mark.slow
_RESULT, _FACTS = (
    re.compile(r'(<span class="res">)([^<]+)(?=<)'),
    re.compile(r'(?s)( id="facts">)(.*?)(</script>)'),
)
ROLLED = '<span class="vh">dice </span>'
"""What a row has that tells of dice."""


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of six turns of *The Ford at Dawn*."""
    folder = tmp_path_factory.mktemp("ford")

    async def game() -> Any:
        async with on_discord(folder) as table:
            await ford(table)
            return json.loads(await table.platform.log_of("Greta"))

    export = played(game())
    return build_page(
        export, compute_export_facts(export, load_shared_systems()), load_shared_systems()
    )


def html(text: str) -> str:
    """The result of the last shot is another one."""
    place = _RESULT.search(text, text.rindex('<li id="e', 0, text.rindex(ROLLED)))
    assert place is not None
    return f"{text[: place.start(2)]}Everybody on the other side surrenders{text[place.end(2) :]}"


def facts(text: str) -> str:
    """Some odds of the page are others."""
    found = _FACTS.search(text)
    assert found is not None
    told = json.loads(found[2])
    odds = next(odds for odds in told["odds"].values() if odds)
    odds[0]["chances"][0][1] = "1/1000"
    return f"{text[: found.start(2)]}{json.dumps(told)}{text[found.end(2) :]}"


def signed(text: str) -> str:
    """The hash of the facts in the page's script made to fit, and the policy by which the script
    runs.
    """
    found = _FACTS.search(text)
    assert found is not None
    text = re.sub(
        'FACTS = "[0-9a-f]{64}"',
        f'FACTS = "{sha256(found[2].strip().encode()).hexdigest()}"',
        text,
        count=1,
    )
    return re.sub("script-src [^;]*;", lambda _: f"script-src {hash_scripts(text)};", text, count=1)


EDITS: dict[str, tuple[Callable[[str], str], ...]] = {
    "html": (html,),
    "facts": (facts,),
    "both": (html, facts),
    "both, and the hash in the script": (html, facts, signed),
}


def verdicts(show: Callable[..., Shown], path: Path) -> tuple[list[str], list[str]]:
    """Return the faults that the page finds of itself, and those of `grognard verify`."""
    begun = perf_counter()
    found = show(path).check()
    browser, begun = perf_counter() - begun, perf_counter()
    whole = list(check_file(path).faults)
    print(
        f"{found['counts']['rows']} rows: page {found['ms']:.0f} ms, with the browser {browser:.1f} s, ",
        end="",
    )
    print(f"verify {perf_counter() - begun:.1f} s")
    return [fault["text"] for fault in found["faults"]], whole


def test_the_page_as_it_was_made_is_sound(
    show: Callable[..., Shown], text: str, tmp_path: Path
) -> None:
    path = tmp_path / "ford.html"
    path.write_text(text, "utf-8")
    assert verdicts(show, path) == ([], [])


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_page_is_refused(
    show: Callable[..., Shown], text: str, tmp_path: Path, name: str
) -> None:
    edited = text
    for edit in EDITS[name]:
        edited = edit(edited)
    assert edited != text
    path = tmp_path / "edited.html"
    path.write_text(edited, "utf-8")
    page, whole = verdicts(show, path)
    for said in (page, whole):
        assert any("its words" in line for line in said) == (html in EDITS[name])
        assert any("odds and traces" in line for line in said) == (
            facts in EDITS[name] and signed not in EDITS[name]
        )
