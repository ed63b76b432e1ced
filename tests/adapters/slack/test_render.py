"""Answers as Block Kit, held to Slack's limits; nothing in them pings or spoofs."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.render import MAX_ALL, MAX_BLOCKS, MAX_TEXT, MAX_TITLE, render_message
from adapters.slack.text import escape_text, format_line, get_text_after_mention, remove_markup
from bot.commands.dispatch import load_shared_registry
from bot.rules.sequence.sequence import Line
from bot.rules.text.phrase import Phrase, Typed
from bot.ui.reply.parts import Entry, Grid, Odds
from bot.ui.reply.reply import LINK, Button, File, Reply
from bot.ui.spec import Person, Place
from tests.fresh import fresh_app
from tests.standins.slack import check_blocks
from tests.standins.slack.blocks import text_size

TEXTS = st.text(
    st.sampled_from("abc <>&*_~`:;!@#|/\n\u202e\u200b\x07é漢") | st.characters(), max_size=200
)
PARTS = st.one_of(
    TEXTS,
    TEXTS.map(Typed),
    st.lists(TEXTS | TEXTS.map(Typed), max_size=4).map(lambda pieces: Phrase(*pieces)),
    st.builds(
        lambda *of: Line(*of),
        TEXTS,
        st.tuples(st.integers()),
        st.tuples(st.tuples(TEXTS, st.integers())),
        st.integers(),
        TEXTS,
    ),
    st.builds(
        lambda *of: Odds(*of),
        TEXTS,
        st.lists(st.tuples(TEXTS, st.floats(0, 1)), min_size=1, max_size=4).map(tuple),
    ),
    st.builds(Grid, st.lists(st.tuples(TEXTS, TEXTS), max_size=20).map(tuple)),
)
REPLIES = st.builds(
    Reply,
    title=TEXTS,
    lines=st.lists(PARTS, max_size=80).map(tuple),
    footer=st.lists(TEXTS, max_size=5).map(tuple),
    buttons=st.lists(
        st.builds(lambda *of: Button(*of), TEXTS, TEXTS),
        max_size=6,
        unique_by=lambda one: one.action,
    ).map(tuple),
    error=st.booleans(),
)


def check(reply: Reply) -> None:
    message = render_message(reply, "T1", load_shared_registry())
    assert check_blocks(message.blocks) == []
    assert len(message.blocks) <= MAX_BLOCKS
    assert text_size(message.blocks) <= MAX_ALL
    assert len(message.text) <= 4_000
    shown = [message.text, *(str(block) for block in message.blocks)]
    assert not any(re.search(r"<[^u]?(?!!date\^)[!@#]|<http", text) for text in shown)


@given(REPLIES)
def test_slack_takes_any_answer(reply: Reply) -> None:
    check(reply)


@pytest.mark.sample(4)
@pytest.mark.parametrize("char", ["x", "&", "<", "`", "漢"])
@pytest.mark.parametrize("count", [1, 20, 200, 5_000])
def test_slack_takes_long_answers(char: str, count: int) -> None:
    words = char * 50
    for reply in (
        Reply(char * 40 * count),
        Reply("a title", (words,) * count),
        Reply("a title", (char * 50 * count,)),
        Reply("a title", (Grid(((words,),) * count),)),
        Reply("a title", footer=(words,) * min(count, 20)),
        Reply(
            "a title",
            buttons=tuple(Button(f"again:{number}", words) for number in range(min(count, 60))),
        ),
    ):
        check(reply)


def test_a_long_answer_folds_and_is_whole_in_its_file() -> None:
    reply = Reply(
        "Anna: a long story",
        tuple(f"line {number} of the story" for number in range(1_000)),
        footer=("#7",),
    )
    message = render_message(reply, "T1", load_shared_registry())
    assert [file.name for file in message.files] == ["answer.txt"]
    assert message.files[0].text == reply.format_text()
    assert "answer.txt" in str(message.blocks)
    assert "#7" in str(message.blocks)
    kept = render_message(
        replace(reply, lines=reply.lines[:3], files=(File("a.csv", "1"),)),
        "T1",
        load_shared_registry(),
    )
    assert [file.name for file in kept.files] == ["a.csv"]


@pytest.mark.parametrize("begin", ["", "Q&A "])
def test_a_text_is_cut_at_its_limit_and_never_within_an_entity(begin: str) -> None:
    registry = load_shared_registry()
    for filler in ("x" * 4_500, "a & b " * 900, "<" * 4_500):
        message = render_message(Reply(begin + filler), "T1", registry)
        assert MAX_TEXT - 6 < len(message.text) <= MAX_TEXT
        assert re.search("&[a-z]*$", message.text) is None
        folded = render_message(
            Reply(begin + filler, ("a line of the story",) * 1_000), "T1", registry
        )
        title = folded.blocks[0]["text"]["text"]
        assert MAX_TITLE - 6 < len(title) <= MAX_TITLE + len("** ...")
        assert re.search("&[a-z]*( ...)?[*]?$", title) is None


def test_only_the_person_that_is_called_is_called() -> None:
    reply = Reply("Turn 3", mention=("slack:T1/U7", "slack:T1/U8"))
    assert render_message(reply, "T1", load_shared_registry()).text == "Turn 3 · <@U7> <@U8>"
    assert "<@U7>" in str(render_message(reply, "T1", load_shared_registry()).blocks[0])
    for key in ("slack:T2/U7", "discord:7", "slack:T1/U7> <!channel"):
        assert (
            "<"
            not in render_message(replace(reply, mention=(key,)), "T1", load_shared_registry()).text
        )


async def test_slack_takes_what_every_example_is_answered() -> None:
    """Every command's own example, run in a channel with a game, and its help."""
    app = await fresh_app()
    anna, here = (
        Person("slack:T1/U1", "Anna", manager=True),
        Place("slack:T1/C1", "slack:T1", "games"),
    )
    first = [
        "/roll 2d6",
        '/game start lnlt "Hill 875" sides="US, VC"',
        '/unit add "Squad 1..4" squad US morale=5 fp=1',
    ]
    rest = [
        spec.example
        for spec in load_shared_registry()
        if spec.example and spec.path[:2] not in {("game", "start")}
    ]
    helps = [f"/help {' '.join(spec.path)}" for spec in load_shared_registry()]
    for number, text in enumerate([*first, *rest, *helps]):
        reply = await app.run_text(text, anna, here, f"r{number}")
        check(reply)
        if number % 20 == 0:
            await asyncio.sleep(0)
    await app.close()


def test_user_text_shows_as_it_is() -> None:
    assert escape_text("<!channel> & <@U1>") == "&lt;!channel&gt; &amp; &lt;@U1&gt;"
    assert "*" not in escape_text("*bold*")[0]
    assert escape_text("2d6*2 + 3 * 4") == "2d6*2 + 3 * 4"
    assert "\n" not in escape_text("one\nBen: two")
    assert "\u202e" not in escape_text("\u202ehidden")


def test_only_what_was_made_as_a_command_is_code() -> None:
    assert (
        format_line(Phrase("Join one: ", Typed("/game join US"), "."))
        == "Join one: `/game join US`."
    )
    for prose in (
        'Type: /lnlt fire attackers="squad fp=2"',
        "/roll 2d6+3 rolls dice. /help dice shows everything you can write.",
        "Seeds not yet revealed (/fair reveal) are left out.",
        "That one must end first: /game end.",
        "Start one with /game start, or just roll.",
    ):
        assert format_line(prose) == prose


def test_what_was_typed_is_read_back() -> None:
    assert remove_markup("label=&lt;b&gt; &amp;amp;") == "label=<b> &amp;"
    assert remove_markup("see <https://a.example/x|a.example/x> and <@U1|anna> in <#C1|games>") == (
        "see a.example/x and @anna in #games"
    )
    assert remove_markup("game transfer <#C1|games>") == "game transfer #C1"
    assert remove_markup("`roll 2d6`") == "roll 2d6"
    assert get_text_after_mention("hey <@UBOT>: roll 2d6", "UBOT") == "roll 2d6"
    assert get_text_after_mention("<@UBOT|grognard> help", "UBOT") == "help"
    assert get_text_after_mention("roll 2d6 <@UBOT>", "UBOT") == "roll 2d6"


def test_a_list_has_its_buttons_beside_its_entries() -> None:
    entries = (
        Entry("2. Hill_875", "Lock 'n Load Tactical", "Turn 3 · #42", "open:a", "Status"),
        Entry("1. Free play", "", "61 events", "open:b", "Read"),
    )
    reply = Reply("2 games played here", (*entries, "More: 3"), private=True)
    check(reply)
    _, on, free, more = render_message(reply, "T1", load_shared_registry()).blocks
    assert on["text"]["text"].startswith("*2. Hill")
    assert on["text"]["text"].endswith("Lock 'n Load Tactical\nTurn 3 · #42")
    assert [one["accessory"]["value"] for one in (on, free)] == ["open:a", "open:b"]
    assert "accessory" not in more


def test_a_button_that_opens_a_channel_runs_nothing() -> None:
    reply = Reply("Moved", buttons=(Button("goto:slack:T1/C2", "Open #hall", LINK),))
    assert check_blocks(render_message(reply, "T1", load_shared_registry()).blocks) == []
    (button,) = render_message(reply, "T1", load_shared_registry()).blocks[-1]["elements"]
    assert button["url"] == "https://slack.com/app_redirect?team=T1&channel=C2"
    assert not button["action_id"].startswith("a:"), "a press is acknowledged, and no more"


def test_a_shortened_reply_has_no_more_blocks_than_slack_takes() -> None:
    chances = Odds("odds", (("hit", 0.5), ("miss", 0.5)))
    reply = Reply("Odds", tuple(part for _ in range(60) for part in (chances, "a line")))
    blocks = render_message(reply, "T1", load_shared_registry()).blocks
    assert len(blocks) <= MAX_BLOCKS
    assert check_blocks(blocks) == []
