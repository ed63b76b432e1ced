"""The pages for authors: each prints a pack that passes the check and plays as it shows."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from bot.packs.check import check_content
from bot.rulesets.packs.archive import read_content
from tests.adapters.nursery import run
from tests.author_pages import PATH, build_pack, list_commands, read_page, split_console

PACKS = {
    **{page: ("few-acres", PATH[: index + 1]) for index, page in enumerate(PATH)},
    **{
        page: ("few-acres", (*PATH, page))
        for page in ("pack-tracks", "pack-rules", "pack-chains", "pack-solo")
    },
    "pack-saves": ("skirmish-line", ("pack-saves",)),
    "pack-choices": ("hill-road", ("pack-choices",)),
    "pack-extend": ("club-asl", ("pack-extend",)),
}
"""Each page with the pack that it is about, and the pages that print its files."""


@pytest.mark.slow_sample(4)
@pytest.mark.sample(2)
@pytest.mark.parametrize("page", PACKS)
def test_a_page_builds_a_pack_that_plays_as_it_prints(
    root: Path, tmp_path: Path, page: str
) -> None:
    name, pages = PACKS[page]
    folder = build_pack(root, tmp_path / name, *pages)
    assert check_content(read_content(folder)).faults == ()
    play_page(root, page, folder)


def test_a_spreadsheet_becomes_the_pack_that_its_page_plays(root: Path, tmp_path: Path) -> None:
    after = read_page(root, "pack-import").partition("Save this as `events.csv`:\n\n")[2]
    sheet = dedent(after.partition("\n\n")[0])
    (tmp_path / "events.csv").write_text(f"{sheet}\n", encoding="utf-8")
    status, printed, errors = run("import", "events.csv", "--pack", "village", cwd=tmp_path)
    assert status == 0, printed + errors
    play_page(root, "pack-import", tmp_path / "village")


def play_page(root: Path, page: str, folder: Path) -> None:
    """Type all commands of a page into one game of its pack, and compare the answers."""
    expected = list_commands(root, page)
    script = "\n".join(command for command, _ in expected).encode()
    status, printed, errors = run("try", str(folder), "--as", "Anna", cwd=root, script=script)
    assert status == 0, printed + errors
    assert "Error: " not in printed
    for (command, lines), (typed, shown) in zip(
        expected, split_console(printed)[-len(expected) :], strict=True
    ):
        assert typed == command
        assert shown[: len(lines)] == lines, "an answer begins as the page shows it"


def test_no_page_of_the_path_leaves_a_question(root: Path, tmp_path: Path) -> None:
    for index, page in enumerate(PATH):
        folder = build_pack(root, tmp_path / page / "few-acres", *PATH[: index + 1])
        assert check_content(read_content(folder)).questions == ()
