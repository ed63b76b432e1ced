"""Rosters as Slack's own table, and as text where a workspace does not take it: asked once, then
remembered.
"""

from __future__ import annotations

from dataclasses import replace

from adapters.slack.render import render_message
from adapters.slack.tables_and_charts import TYPES
from bot.commands.dispatch import load_shared_registry
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import Reply
from bot.ui.reply.unit_table import UnitTable
from tests.adapters.slack.delivery_helpers import Post, post
from tests.adapters.slack.duel_helpers import Table, say, table
from tests.standins.slack import check_blocks

__all__ = ["post", "table"]

US = UnitTable(
    "US · Anna",
    ("morale", "fp"),
    (("us1", "Squad 1", "squad", "shaken", "fired", "shaken", "5", "2"),),
)
VC = UnitTable(
    "VC", ("morale", "fp"), (("vc1", "Cell 1", "squad", "", "", "game", "4", ""),), spaced=True
)
LIST = Reply("2 units: 1 US, 1 VC", (US, VC, Small("Lost: Squad 2")))


def test_both_sides_are_one_table() -> None:
    """A message takes one: a line in bold leads each side, and states stand out."""
    blocks = render_message(
        LIST, "T1", load_shared_registry(), native_types=frozenset(TYPES)
    ).blocks
    assert check_blocks(blocks) == []
    assert [block["type"] for block in blocks] == ["section", "table", "context"]
    rows = [[cell.get("text") or _bold(cell) for cell in row] for row in blocks[1]["rows"]]
    assert rows == [
        [" ", "Unit", "State", "morale", "fp", "Type"],
        [" ", "US · Anna", " ", " ", " ", " "],
        ["us1", "Squad 1", "shaken", "5", "2", "squad, fired"],
        [" ", "VC", " ", " ", " ", " "],
        ["vc1", "Cell 1", "ready", "4", "–", "squad"],
    ]


def _bold(cell: dict) -> str:  # type: ignore[type-arg]  # a cell as Slack has it
    [section] = cell["elements"]
    [words] = section["elements"]
    assert words["style"] == {"bold": True}
    return str(words["text"])


def test_what_is_too_long_for_a_table_is_text() -> None:
    """A hundred rows are Slack's most."""
    long = US._replace(rows=US.rows * 100)
    assert [
        block["type"]
        for block in render_message(
            Reply("100", (long,)), "T1", load_shared_registry(), native_types=frozenset(TYPES)
        ).blocks
    ][1] == "section"


async def test_a_workspace_that_refuses_it_is_asked_once(post: Post) -> None:
    """The list is shown as text at once, and further ones are sent so from the start."""
    post.slack.faults.error("chat.post*", "invalid_blocks", times=1)
    await post.posts.deliver(post.request(post.games), LIST)
    told = post.ben.sees(post.games)[-1]
    assert [block["type"] for block in told.blocks] == ["section", "section", "context"]
    assert "us1 Squad 1" in told.plain
    refused = len(post.slack.refusals)
    await post.posts.deliver(replace(post.request(post.games), request_id="r2"), LIST)
    assert "us1 Squad 1" in post.ben.sees(post.games)[-1].plain
    assert len(post.slack.refusals) == refused


async def test_a_list_is_shared_and_added_to_by_its_buttons(table: Table) -> None:
    """One's own list is private; Share shows the same to all, Add… and Import… open their forms."""
    listed = await say(table.anna, table.games, "unit list US")
    assert "table" in [block["type"] for block in listed.blocks]
    assert listed.buttons()[:3] == ["Share", "Add…", "Import…"]
    before = len(table.ben.sees(table.games))
    await table.anna.press(listed, "Share")
    await table.until(lambda: len(table.ben.sees(table.games)) == before + 1)
    shown = table.ben.sees(table.games)[-1]
    assert "shows the roster" in shown.text
    assert "Cell 1" not in shown.text
    assert "table" in [block["type"] for block in shown.blocks]
