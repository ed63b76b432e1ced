"""The pages for hosts name what the program asks for: no scope or permission more or less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adapters.discord.permissions import NEEDED, WELCOME
from adapters.slack.installation import SCOPES
from bot.cli import command_help
from tools.game_pages.page import build_anchor
from tools.site.__main__ import PAGES as SITE_PAGES
from tools.site.__main__ import adapt_lists, gather

PAGES = [
    "PRIVACY.md", "TERMS.md", "SUPPORT.md", "SECURITY.md", "docs/directory.md",
    "deploy/README.md", "deploy/container.md", "deploy/operations.md", "deploy/by-hand.md",
    "deploy/scale/README.md",
]  # fmt: skip


def test_the_directory_texts_name_each_scope_and_permission(root: Path) -> None:
    discord, _, slack = (root / "docs" / "directory.md").read_text("utf-8").partition("## Slack")
    assert re.findall(r"^\| `([a-z_.:]+)` \|", slack, re.MULTILINE) == list(SCOPES)
    asked = discord.partition("## Discord")[2]
    assert set(re.findall(r"\*([A-Z][A-Za-z ]+)\*", asked)) == {*NEEDED, *WELCOME}
    (short,) = re.findall(r"\*\*Short description\*\*[^:]*: (.*)", discord)
    assert len(short) <= 100


@pytest.mark.parametrize("page", PAGES)
def test_each_link_of_a_page_leads_somewhere(root: Path, page: str) -> None:
    path = root / page
    links = re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text("utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_each_link_to_a_part_of_a_page_leads_to_its_heading(root: Path) -> None:
    """The site's builder looks, too, but only where it is installed."""
    pages = {path.resolve() for pattern in SITE_PAGES for path in root.glob(pattern)}
    texts = {
        page: re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for page in pages
    }
    anchors = {
        page: {build_anchor(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
        for page, text in texts.items()
    }
    links = [
        (page, (page.parent / name).resolve() if name else page, part)
        for page, text in texts.items()
        for name, part in re.findall(r"\]\((?!https?:)((?:[^)#]+\.md)?)#([^)]+)\)", text)
    ]
    assert len(links) > 200
    assert [
        f"{page.name}: {target.name}#{part}"
        for page, target, part in links
        if part not in anchors[target]
    ] == []


def command_lines(root: Path) -> list[str]:
    """The lines of all blocks of all pages for people, and the examples of `grognard COMMAND
    --help`.
    """
    pages = [
        path for pattern in ("*.md", "docs/*.md", "deploy/**/*.md") for path in root.glob(pattern)
    ]
    texts = [path.read_text("utf-8") for path in pages]
    blocks = [
        block
        for text in texts
        for block in re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]
    return [line for block in blocks for line in block.splitlines()] + [
        example for *_, example in command_help.COMMANDS.values()
    ]


def test_no_command_line_holds_a_secret_and_every_env_file_is_private(root: Path) -> None:
    lines = command_lines(root)
    assert len(lines) > 100
    addresses = [line for line in lines if re.search(r"://[^/\s:@]+:[^@\s]+@", line)]
    assert addresses
    assert [line for line in addresses if not line.startswith("DATABASE_URL=")] == [], (
        "lines of a file"
    )
    secret = r"\w*(TOKEN|SECRET|PASSWORD|KEY)\w*="
    assert [
        line
        for line in lines
        if re.search(rf"(-e|--env|--setenv)[ =]{secret}|^(sudo )?{secret}\S+ \S", line)
    ] == []
    made = [line for line in lines if ".env.example" in line]
    assert len(made) > 2
    assert [line for line in made if "install -m 6" not in line] == []


def test_each_page_has_its_place_on_the_site_and_leads_nowhere_that_is_not_there(
    root: Path, tmp_path: Path
) -> None:
    gather(root, tmp_path)  # raises with a line for each fault
    assert (tmp_path / "docs/players.md").is_file()


def test_code_below_a_list_is_fenced(root: Path) -> None:
    """Indented by four columns, it would be a paragraph of the last item."""
    loose = []
    for page in [path for pattern in SITE_PAGES for path in root.glob(pattern)]:
        prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
        found = re.findall(r"^(?:[-*]|\d+\.) .*\n(?: .*\n)*\n(    .*)", prose, re.M)
        loose += [f"{page.relative_to(root)}: {line}" for line in found]
    assert loose == []


def test_lists_are_written_as_the_generator_of_the_site_reads_them() -> None:
    written = (
        "The host runs it.\n- Can: read.\n  Also write.\n1. one\n   | Key |\n- **4**:\n  - more\n"
    )
    assert adapt_lists(written) == (
        "The host runs it.\n\n- Can: read.\n    Also write.\n1. one\n    | Key |\n- **4**:\n    - more\n"
    )


def test_every_free_pack_is_on_their_page(root: Path) -> None:
    page = (root / "packs" / "README.md").read_text("utf-8")
    assert sorted(re.findall(r"\]\(([a-z-]+)/README.md\)", page)) == sorted(
        path.parent.name for path in root.glob("packs/*/pack.yaml")
    )
