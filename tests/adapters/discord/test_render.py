"""Replies as Discord messages: the first line is the content, the rest one embed; nothing pings,
nothing is cut.
"""

from __future__ import annotations

import pytest

from adapters.discord.request import ATTACH_FILES, EMBED_LINKS, EPHEMERAL
from adapters.discord.text import escape_text, format_fenced, format_line
from bot.rules.text.phrase import Phrase, Typed
from bot.rules.text.plain import clean_name
from bot.ui.reply.parts import Entry
from bot.ui.reply.reply import LINK, WAITING, Button, File, Reply
from tests.adapters.discord.render_helpers import (
    ALL,
    shown,
)
from tests.standins.discord.mentions import mentions

FIRE = Reply(
    "Squad is shaken",
    ("attack [5] + firepower 4 = 9", Phrase("Type: ", Typed("/lnlt rally unit_a"))),
    footer=("#41", "rolled by hand"),
    by="2 squads fire",
    buttons=(Button("again:41", "Again"), Button("undo:41", "Undo")),
)
LONG = Reply("Log", tuple(f"line {number} {'x' * 40}" for number in range(200)), footer=("#9",))


def test_the_first_line_is_the_content_the_rest_one_embed() -> None:
    body = shown(FIRE).body
    assert body["content"] == "**Squad is shaken** · 2 squads fire"
    [embed] = body["embeds"]
    assert embed["description"] == "attack [5] + firepower 4 = 9\nType: `/lnlt rally units:unit_a`"
    assert embed["footer"]["text"] == "#41 · rolled by hand"
    assert [button["custom_id"] for button in body["components"][0]["components"]] == [
        "a:again:41",
        "a:undo:41",
    ]
    assert "flags" not in body


def test_a_number_alone_is_small_print_and_no_empty_box() -> None:
    body = shown(Reply("Alice plays US", footer=("#2",))).body
    assert body["content"] == "**Alice plays US**\n-# #2"
    assert body["embeds"] == []


def test_who_is_waited_for_comes_first() -> None:
    """A phone's notification shows the beginning of a message."""
    called = Reply("VC to play", by="Alice hands over", tone=WAITING, mention=("discord:7",))
    assert shown(called).body["content"].startswith("<@7>, ")


def test_without_embeds_all_of_it_is_content() -> None:
    body = shown(FIRE, ATTACH_FILES).body
    assert body["embeds"] == []
    assert body["content"].splitlines()[0] == "**Squad is shaken** · 2 squads fire"
    assert "attack [5]" in body["content"]
    assert body["content"].endswith("-# #41 · rolled by hand")


@pytest.mark.parametrize("allowed", [ALL, ATTACH_FILES])
def test_what_is_too_long_folds_into_a_file_with_all_of_it(allowed: int) -> None:
    message = shown(LONG, allowed)
    text = message.body["content"] + str(message.body["embeds"])
    assert "more lines: see the file." in text
    assert message.files == (File("answer.txt", LONG.format_text()),)


def test_a_missing_permission_is_named() -> None:
    assert "Attach Files" in shown(LONG, EMBED_LINKS).body["content"]
    export = Reply("The game as a file.", files=(File("game.json", "{}"),), private=True)
    message = shown(export, EMBED_LINKS)
    assert message.files == ()
    assert "Attach Files" in str(message.body)
    assert shown(export).files == export.files


def test_private_answers_are_ephemeral_and_errors_say_so() -> None:
    body = shown(Reply("No such table.", ("Did you mean fire?",), private=True, error=True)).body
    assert body["flags"] == EPHEMERAL
    assert body["content"] == "Error: No such table."


def test_only_whose_turn_it_is_can_be_called() -> None:
    ben = "discord:700000000000000001"
    body = shown(Reply("@everyone <@1> it is Ben's turn", ("<@&2> @here",), mention=(ben,))).body
    assert body["content"].endswith(" · <@700000000000000001>")
    assert body["allowed_mentions"] == {"parse": [], "users": ["700000000000000001"]}
    called = mentions(body["content"]).allowed(body["allowed_mentions"], may_ping_everyone=True)
    assert called == {"700000000000000001"}
    assert shown(FIRE).body["allowed_mentions"] == {"parse": []}


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("**bold** _x_", r"\*\*bold\*\* \_x\_"),
        ("a `code`", r"a \`code\`"),
        ("[click](https://evil.example)", r"[click\](https\://evil.example)"),
        ("<@123> <#5>", r"\<@123> \<#5>"),
        ("# big", r"\# big"),
        ("#3 fire", "#3 fire"),
        ("> quoted", r"\> quoted"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("discord.gg/x", r"discord\.gg/x"),
        ("||hidden||", r"\|\|hidden\|\|"),
        ("tab\u202egnp.exe\u200b", "tabgnp.exe"),
    ],
)
def test_user_text_neither_formats_nor_links_nor_hides(text: str, safe: str) -> None:
    assert escape_text(text) == safe


def test_a_command_to_copy_is_code_and_cannot_leave_it() -> None:
    assert format_line(Phrase("Type: ", Typed('/unit add "A_B" x'))) == 'Type: `/unit add "A_B" x`'
    assert format_line('Type: /unit add "A_B" x') == 'Type: /unit add "A\\_B" x'
    assert (
        format_line(Phrase("Type: ", Typed("/unit `add` **x**")))
        == r"Type: /unit \`add\` \*\*x\*\*"
    )
    assert (
        shown(Reply("Anna: type: /game end x: 1d6 = 3")).body["content"]
        == "**Anna: type: /game end x: 1d6 = 3**"
    )
    assert format_fenced(("a```b",)) == "```\na'''b\n```"


@pytest.mark.parametrize(
    ("name", "shown_name"),
    [
        ("Anna", "Anna"),
        ("  An\u200bna \u202e ", "Anna"),
        ("\u3164\u2800", ""),
        ("x" * 60, "x" * 32),
        ("Zoë 🎲", "Zoë 🎲"),
    ],
)
def test_names_show_only_what_can_be_seen(name: str, shown_name: str) -> None:
    assert clean_name(name) == shown_name


def test_a_list_has_its_buttons_beside_its_entries() -> None:
    entries = (
        Entry("2. Hill_875", "Lock 'n Load Tactical", "Turn 3 · #42", "open:" + "a" * 16, "Status"),
        Entry("1. Free play", "", "61 events", "open:" + "b" * 16, "Read"),
    )
    body = shown(Reply("2 games played here", (*entries, "More: 3"), private=True)).body
    assert body["flags"] == EPHEMERAL | 1 << 15
    assert not {"content", "embeds"} & body.keys()
    lead, box = body["components"]
    assert lead["content"] == "**2 games played here**"
    sections = [part for part in box["components"] if part["type"] == 9]
    assert (
        sections[0]["components"][0]["content"]
        == "**2. Hill\\_875** · Lock 'n Load Tactical\nTurn 3 · #42"
    )
    assert [part["accessory"]["label"] for part in sections] == ["Status", "Read"]
    assert box["components"][-1]["content"] == "More: 3"


def test_a_button_that_opens_a_channel_runs_nothing() -> None:
    body = shown(Reply("Moved", buttons=(Button("goto:discord:55/900", "Open #hall", LINK),))).body
    (button,) = body["components"][0]["components"]
    assert (button["style"], button["url"]) == (5, "https://discord.com/channels/55/900")
    assert "custom_id" not in button
