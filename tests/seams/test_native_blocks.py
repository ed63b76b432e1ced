"""Every native block of Slack's refused x every command that has such parts: each word of the
answer is told still.

The commands are those of the registry, typed as their own examples, combat sequences with `odds`
and `compare`; so a new one joins by itself. The quick part renders every such answer for all eight
sets of blocks that a workspace may take, and sends one answer of each shape to a Slack that
refuses; the slow part sends all.

Left out: look-ups (no head line: code blocks everywhere); commands whose example is refused where
it is typed here (it needs a game, a file, a code or another channel); `compare` of all but one
sequence of each game (slow to count, and alike in its parts).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain, combinations
from typing import Any

import pytest

from adapters.slack.render import render_message
from adapters.slack.tables_and_charts import TYPES, find_native_types
from bot.commands.dispatch import load_shared_registry
from bot.rulesets.catalog import load_shared_systems
from bot.ui.reply.parts import Grid, Odds
from bot.ui.reply.reply import Reply
from bot.ui.reply.unit_table import UnitTable
from tests.adapters.slack.conftest import socket_slack
from tests.adapters.slack.delivery_helpers import Post, post
from tests.playing import Channel
from tests.standins.slack import Message, check_blocks

__all__ = ["post", "socket_slack"]

NATIVE = (Odds, Grid, UnitTable)
ALL = frozenset(TYPES)
TAKEN = [
    frozenset(kinds)
    for kinds in chain.from_iterable(combinations(TYPES, n) for n in range(len(TYPES) + 1))
]
_begun: dict[str, Reply] = {}


async def answers() -> dict[str, Reply]:
    """The answer with native parts of every command that has one, by what is typed."""
    if _begun:
        return _begun
    compared: set[str] = set()
    odds = await Channel.fresh()  # which change nothing
    for spec in load_shared_registry():
        if not spec.example or (
            spec.family == "lookup" and spec.system not in load_shared_systems()
        ):
            continue
        lines = [spec.example.removeprefix("/")]
        if spec.family == "sequence" and spec.system:
            lines = [f"{lines[0]} odds"]
            if spec.system not in compared:
                compared.add(spec.system)
                lines.append(f"{spec.example.removeprefix('/')} compare")
        for line in lines:
            channel = odds if spec.family == "sequence" else await Channel.fresh()
            reply = await channel.say("Anna", line)
            if not reply.error and any(isinstance(part, NATIVE) for part in reply.lines):
                _begun[line] = reply
    _begun.update(await _of_a_game())
    return _begun


async def _of_a_game() -> dict[str, Reply]:
    """What a game has to tell: its luck and its rosters, of each game with a scenario."""
    found: dict[str, Reply] = {}
    for name, system in load_shared_systems().items():
        for scenario in system.scenarios:
            channel = await Channel.fresh()
            await channel.do("Anna", f"game start {name} scenario={scenario}")
            for line in ("unit list", "game stats"):
                found[f"{line} ({name} {scenario})"] = await channel.do("Anna", line)
    channel = await Channel.fresh()
    await channel.do(
        "Anna", *('lnlt fire "squad fp=4" "squad morale=4; leader morale=6 lm=1" tm=1',) * 2
    )
    found["game stats"] = await channel.do("Anna", "game stats")
    return {
        line: reply
        for line, reply in found.items()
        if any(isinstance(part, NATIVE) for part in reply.lines)
    }


def words(text: str) -> set[str]:
    """The words and figures of a text, without marks; one that was cut for a phone is none."""
    return {
        word.strip(".,:;()[]*_~`'\"").casefold() for word in text.split() if not word.endswith("…")
    }


def told(blocks: Iterable[Mapping[str, Any]]) -> str:
    """All that blocks say, one after the other."""
    return " ".join(_texts(list(blocks)))


def _texts(part: Any) -> Iterable[str]:
    if isinstance(part, list):
        yield from chain.from_iterable(map(_texts, part))
    elif isinstance(part, dict):
        for value in part.values():
            yield from (
                [value]
                if isinstance(value, str)
                else _texts(value)
                if isinstance(value, list | dict)
                else ()
            )


def missing(reply: Reply, said: str) -> set[str]:
    """Return the words of the answer's plain text that were not told; bars are no words.

    The text has alike units on one line, as `us1-4`; a table names each.
    """
    said = re.sub(r"&(amp|lt|gt);", lambda mark: {"amp": "&", "lt": "<", "gt": ">"}[mark[1]], said)
    here = words(said) | words(re.sub(r"[*_~`]", "", said))
    return {
        word
        for word in words(reply.format_text()) - here
        if re.search(r"[a-z0-9]", word) and not ends_of(word) <= here
    }


def ends_of(word: str) -> set[str]:
    """Return the first and the last of a range such as `us1-4`, or the word itself."""
    if (ends := re.fullmatch(r"(\D*)(\d+)-(\d+)", word)) is None:
        return {word}
    before, first, last = ends.groups()
    return {before + first, before + last}


@pytest.mark.slow
@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
async def test_every_word_is_told_whatever_a_workspace_takes(every: int) -> None:
    found = await answers()
    assert len(found) > 60
    for line, reply in list(found.items())[::every]:
        for own in TAKEN:
            blocks = render_message(reply, "T1", load_shared_registry(), native_types=own).blocks
            assert check_blocks(blocks) == [], (line, own)
            assert find_native_types(blocks) <= own, (line, own)
            assert not missing(reply, told(blocks)), (line, own)


async def _send(post: Post, line: str, reply: Reply, refuses: frozenset[str]) -> Message:
    """The answer as Anna sees it, in a workspace of which nothing is known."""
    post.slack.limits.refuses = refuses
    post.posts._native._refused_until[post.home.id] = {}
    request = replace(post.request(post.games), request_id=f"{line}/{sorted(refuses)}")
    assert await post.posts.deliver(request, replace(reply, private=True, outbox=0)), line
    return post.anna.sees(post.games)[-1]


async def _refused(post: Post, found: Mapping[str, Reply]) -> int:
    tried = 0
    for line, reply in found.items():
        for refuses in (frozenset({kind}) for kind in TYPES):
            shown = await _send(post, line, reply, refuses)
            assert not find_native_types(shown.blocks) & refuses, (line, refuses)
            assert not missing(reply, told(shown.blocks)), (line, refuses)
            takes = await post.posts._native.get_accepted_types(post.home.id)
            assert takes in (ALL, ALL - refuses), "no other is given up"
            tried += 1
        shown = await _send(post, line, reply, ALL)
        assert not missing(reply, told(shown.blocks)), line
    return tried


@pytest.fixture
def patient(post: Post) -> Post:
    """A Slack that counts no messages."""
    post.slack.limits.per_minute.clear()
    return post


@pytest.mark.slow
async def test_one_answer_of_each_shape_is_told_by_a_slack_that_refuses(patient: Post) -> None:
    shapes: dict[object, tuple[str, Reply]] = {}
    for line, reply in (await answers()).items():
        kinds = find_native_types(
            render_message(reply, "T1", load_shared_registry(), native_types=ALL).blocks
        )
        shapes.setdefault((line.split()[0], kinds), (line, reply))
    assert await _refused(patient, dict(shapes.values())) > 20


@pytest.mark.slow
async def test_every_answer_is_told_by_a_slack_that_refuses(patient: Post) -> None:
    assert await _refused(patient, await answers()) > 180
