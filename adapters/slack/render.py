"""A Reply as one Slack message: blocks, the same as plain text for notifications and screen
readers, and files.

What is too long folds: a summary, and the whole text as a file. The figures are Slack's, each with
some room left.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from adapters.slack import tables_and_charts
from adapters.slack.request import PLATFORM, Json
from adapters.slack.tables_and_charts import (
    CHART,
    CONTAINER,
    TABLE,
    build_odds_blocks,
    build_table_block,
)
from adapters.slack.text import PEN, escape_entities, escape_text, format_bold, format_fenced
from bot.ui.registry import Registry
from bot.ui.reply.parts import (
    Entry,
    Grid,
    Odds,
    Part,
    Row,
    Rule,
    Small,
    format_part,
    render_parts,
)
from bot.ui.reply.reply import (
    LINK,
    PLAIN,
    WAITING,
    Button,
    File,
    Menu,
    MenuEntry,
    Reply,
    build_entry_button,
)
from bot.ui.reply.spoken import speak_parts
from bot.ui.reply.unit_table import UnitTable
from bot.ui.typing.command_writer import CommandReader, write_commands

MAX_BLOCKS = 50
MAX_SECTION = 3_000
MAX_ALL = 11_000
MAX_TEXT = 3_900
MAX_LABEL = 75
MAX_VALUE = 2_000
MAX_BUTTONS = 25
MAX_CHOICES = 100
MAX_CHOICE_VALUE = 150
BEFORE_MENU = 2
"""So many buttons come before a menu in their row."""
MAX_ELEMENTS = 10
ROOM = 9_500
SUMMARY = 2_500
ACTION = "a:"
APART = "apart"
_CHANNEL = "https://slack.com/app_redirect"
LATE, PERHAPS, LATE_PERHAPS = "(late) ", "(perhaps shown before) ", "(late, perhaps shown before) "
"""What an answer begins with that is late, that may be here twice, or both."""
_STYLES = {"primary": "primary", "good": "primary", "danger": "danger"}


@dataclass(frozen=True, slots=True)
class SlackMessage:
    """A message as it is sent: the text and blocks of Slack, the files that go with it, what only
    programs see, and what is posted instead if it was to change another message and cannot.
    """

    text: str
    blocks: list[Json]
    files: tuple[File, ...] = ()
    metadata: Json | None = None
    instead: "SlackMessage | None" = None


def render_message(
    reply: Reply,
    team: str,
    commands: Registry,
    *,
    before: str = "",
    notes: Iterable[str] = (),
    own: frozenset[str] = frozenset(),
    reader: CommandReader = CommandReader.SLACK,
) -> SlackMessage:
    """The message for a reply in a workspace, with a remark `before` it. Nothing in it can ping but
    those whom the reply calls. `own`: the types of Slack's own blocks that the workspace takes.
    `reader`: where the commands in it are typed."""
    reply, notes = write_commands((reply, tuple(notes)), reader, commands)
    mention = _format_mention(reply, team)
    mark = before + ("Error: " if reply.error else "")
    lines = [*reply.visible_lines, *notes]
    files = reply.files
    blocks = _build_blocks(reply, mention, mark, lines, own)
    if _measure_blocks(blocks) > ROOM or len(blocks) > MAX_BLOCKS - 2:
        blocks = _build_folded_blocks(reply, mention, mark, lines)
        files = (*files, File("answer.txt", reply.format_text()))
    plain = replace(reply, lines=speak_parts(lines)).format_text()
    first, line_end, rest = escape_entities(plain).partition("\n")
    text = f"{_add_mention(mark + first, mention, reply)}{line_end}{rest}"
    return SlackMessage(_cut(text), blocks, files)


def _format_mention(reply: Reply, team: str) -> str:
    start = f"{PLATFORM}{team}/"
    users = (key.removeprefix(start) for key in reply.mention if key.startswith(start))
    called = " ".join(f"<@{user}>" for user in users if user.isalnum())
    return f" · {called}" if called else ""


def _add_mention(first: str, mention: str, reply: Reply) -> str:
    """The first line with whom it calls: in front where somebody is waited for, for the
    notification.
    """
    return (
        f"{mention.removeprefix(' · ')}, {first}"
        if mention and reply.tone == WAITING
        else f"{first}{mention}"
    )


def _build_blocks(
    reply: Reply, mention: str, mark: str, lines: Sequence[Part], own: frozenset[str]
) -> list[Json]:
    return [
        *_build_sections([_add_mention(_format_first_line(reply, mark), mention, reply)]),
        *_build_body([part for part in lines if not isinstance(part, Small)], own),
        *_build_context_blocks(
            [*(part.text for part in lines if isinstance(part, Small)), " · ".join(reply.footer)],
        ),
        *build_action_rows(reply.buttons, reply.menus),
    ]


def _format_first_line(reply: Reply, mark: str) -> str:
    """The news in bold letters unless nothing happened, the cause in plain ones."""
    if reply.over:
        return f"{escape_text(mark + reply.over)}: ~{escape_text(reply.first_line)}~"
    title = (
        escape_text(mark + reply.title) if reply.tone in PLAIN else format_bold(mark + reply.title)
    )
    return f"{title} · {PEN.plain(reply.by)}" if reply.by else title


def _build_folded_blocks(
    reply: Reply, mention: str, mark: str, lines: Sequence[Part]
) -> list[Json]:
    """As much of the answer as fits on one screen, and where the rest is."""
    kept: list[Row] = []
    size = 0
    for text, fixed in render_parts(lines, PEN):
        size += len(escape_entities(text) if fixed else text) + 1
        if size > SUMMARY:
            break
        kept.append((text, fixed))
    title = escape_text(mark + reply.first_line)
    shown = title if len(title) < 1_000 else title[:1_000].rpartition("&")[0] + " ..."
    return [
        *_build_sections([_add_mention(shown, mention, reply)]),
        *_build_row_blocks(kept),
        *_build_sections(["_The whole answer is in the file answer.txt._"]),
        *_build_context_blocks([" · ".join(reply.footer)]),
        *build_action_rows(reply.buttons, reply.menus),
    ]


def _build_body(parts: Sequence[Part], own: frozenset[str]) -> Iterator[Json]:
    """The parts as blocks; one of a list has its button beside it. Odds and a table are Slack's
    `own`; a message takes one table."""
    tables = [part for part in parts if isinstance(part, UnitTable)]
    if TABLE in own and tables and tables_and_charts.can_fit_tables(tables):
        yield tables_and_charts.build_unit_table(tables)
        parts = [part for part in parts if not isinstance(part, UnitTable)]
        own -= {TABLE, CONTAINER}
    if sum(isinstance(part, Grid) for part in parts) > 1:
        own -= {TABLE}
    for kind, run in groupby(parts, key=lambda part: _get_part_kind(part, own)):
        if kind != APART:
            yield from _build_native_blocks(kind, list(run), own)
            continue
        for part in run:
            if isinstance(part, Rule):
                yield from [{"type": "divider"}] if part.is_drawn else []
                continue
            assert isinstance(part, Entry)
            first, *rest = _build_sections(["\n".join(format_part(part, PEN))])
            yield first | (
                {"accessory": _build_button(build_entry_button(part))} if part.label else {}
            )
            yield from rest


def _get_part_kind(part: Part, own: frozenset[str]) -> str:
    """How a part is drawn: apart from others, as a chart, as a table, or as lines."""
    if isinstance(part, Entry | Rule):
        return APART
    kind = CHART if isinstance(part, Odds) else TABLE if isinstance(part, Grid) else ""
    return kind if kind in own else ""


def _build_native_blocks(kind: str, parts: Sequence[Part], own: frozenset[str]) -> Iterator[Json]:
    """Parts of one kind as Slack's own, and as lines where that does not say all: a chart alone
    has no "at least".
    """
    found: list[Json] = []
    if kind == CHART:
        found = build_odds_blocks([part for part in parts if isinstance(part, Odds)], own) or []
    elif kind == TABLE:
        found = [
            table for part in parts if isinstance(part, Grid) and (table := build_table_block(part))
        ]
    yield from found
    if not found or (kind == CHART and len(found) == 1):
        yield from _build_row_blocks(render_parts(parts, PEN))


def _build_row_blocks(rows: Iterable[Row]) -> Iterator[Json]:
    """Lines as blocks, those of a fixed width fenced."""
    for fixed, run in groupby(rows, key=lambda row: row[1]):
        yield from (_build_fenced_sections if fixed else _build_sections)([text for text, _ in run])


def _build_sections(texts: Iterable[str]) -> Iterator[Json]:
    """Lines as section blocks, each as long as Slack allows; a line that is longer still is
    split.
    """
    for chunk in _split_chunks(texts, MAX_SECTION):
        yield {"type": "section", "text": {"type": "mrkdwn", "text": chunk, "verbatim": True}}


def _build_fenced_sections(lines: Iterable[str]) -> Iterator[Json]:
    """Lines of fixed width, fenced again in each block."""
    part: list[str] = []
    for text in lines:
        if part and len(format_fenced([*part, text])) > MAX_SECTION:
            yield from _build_sections([format_fenced(part)])
            part = []
        part.append(text)
    if part:
        yield from _build_sections([format_fenced(part)])


def _split_chunks(texts: Iterable[str], limit: int) -> Iterator[str]:
    part = ""
    for text in texts:
        for piece in _split_text(text, limit):
            if part and len(part) + 1 + len(piece) > limit:
                yield part
                part = ""
            part = f"{part}\n{piece}" if part else piece
    if part.strip():
        yield part


def _split_text(text: str, limit: int) -> Iterator[str]:
    """A text in pieces, none cut within an entity."""
    while len(text) > limit:
        end = text.rfind(" ", limit // 2, limit)
        if end < 0:
            end = text.rfind("&", limit - 8, limit)
        if end <= 0:
            end = limit
        yield text[:end]
        text = text[end:]
    yield text


def _build_context_blocks(texts: Sequence[str]) -> Iterator[Json]:
    """Small print and the number of the answer, as many in a block as Slack takes."""
    shown = [
        piece for text in map(PEN.small, texts) if text for piece in _split_text(text, MAX_SECTION)
    ]
    elements: list[Json] = [{"type": "mrkdwn", "text": text, "verbatim": True} for text in shown]
    for at in range(0, len(elements), MAX_ELEMENTS):
        yield {"type": "context", "elements": elements[at : at + MAX_ELEMENTS]}


def build_action_rows(buttons: Sequence[Button], menus: Sequence[Menu] = ()) -> Iterator[Json]:
    """The row of buttons and menus; each carries what it does, so it works after a restart."""
    made = [_build_button(button) for button in buttons if len(button.action) <= MAX_VALUE]
    made[BEFORE_MENU:BEFORE_MENU] = [_build_select(menu, at) for at, menu in enumerate(menus)]
    for at in range(0, len(made), MAX_BUTTONS):
        yield {"type": "actions", "elements": made[at : at + MAX_BUTTONS]}


def _build_button(button: Button) -> Json:
    label = escape_entities(button.label)[:MAX_LABEL].strip() or "?"
    made: Json = {
        "type": "button",
        "text": {"type": "plain_text", "text": label},
        "action_id": (ACTION + button.action)[:255],
        "value": button.action,
    }
    if button.style == LINK:
        team, _, channel = button.action.removeprefix(f"goto:{PLATFORM}").partition("/")
        return made | {
            "url": f"{_CHANNEL}?team={team}&channel={channel.partition('/')[0]}",
            "action_id": button.action,
        }
    return made | ({"style": _STYLES[button.style]} if button.style in _STYLES else {})


def _build_select(menu: Menu, at: int) -> Json:
    return {
        "type": "static_select",
        "action_id": f"{ACTION}menu-{at}",
        "placeholder": {
            "type": "plain_text",
            "text": escape_entities(menu.short or menu.label)[:MAX_LABEL],
        },
        "options": [_build_choice(entry) for entry in menu.entries[:MAX_CHOICES]],
    }


def _build_choice(entry: MenuEntry) -> Json:
    if len(entry.action) > MAX_CHOICE_VALUE:
        raise ValueError(f"the action {entry.action[:40]}... is too long for a menu")
    made: Json = {"text": _build_plain_text(entry.label), "value": entry.action}
    return made | ({"description": _build_plain_text(entry.about)} if entry.about else {})


def _build_plain_text(text: str) -> Json:
    return {"type": "plain_text", "text": escape_entities(text)[:MAX_LABEL].strip() or "?"}


def _cut(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    kept = text[:MAX_TEXT]
    return kept[: max(kept.rfind("\n"), MAX_TEXT // 2)].rpartition("&")[0] or kept[: MAX_TEXT // 2]


def _measure_blocks(blocks: Iterable[Json]) -> int:
    """Characters of all texts in the blocks together."""
    return sum(_measure_text(block) for block in blocks)


def _measure_text(part: Any) -> int:
    if isinstance(part, list):
        return sum(map(_measure_text, part))
    if isinstance(part, dict):
        own = part.get("text")
        inner = sum(
            _measure_text(value) for value in part.values() if isinstance(value, dict | list)
        )
        return inner + (len(own) if isinstance(own, str) else 0)
    return 0
