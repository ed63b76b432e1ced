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
from adapters.slack.tables_and_charts import CHART, CONTAINER, TABLE, odds_blocks, table_block
from adapters.slack.text import bold, entities, escaped, fenced, pen
from bot.interface.reply.parts import (
    Entry,
    Grid,
    Odds,
    Part,
    Pen,
    Row,
    Rule,
    Small,
    drawn,
    part_lines,
)
from bot.interface.reply.reply import (
    LINK,
    PLAIN,
    WAITING,
    Button,
    File,
    Menu,
    MenuEntry,
    Reply,
    beside,
)
from bot.interface.reply.spoken import speak_parts
from bot.interface.reply.unit_table import UnitTable
from bot.interface.typing.command_writer import CommandReader, plain_pen

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
class Message:
    """A message as it is sent: the text and blocks of Slack, the files that go with it, what only
    programs see, and what is posted instead if it was to change another message and cannot.
    """

    text: str
    blocks: list[Json]
    files: tuple[File, ...] = ()
    metadata: Json | None = None
    instead: "Message | None" = None


def render(
    reply: Reply,
    team: str,
    *,
    before: str = "",
    notes: Iterable[str] = (),
    own: frozenset[str] = frozenset(),
    reader: CommandReader = CommandReader.SLACK,
) -> Message:
    """The message for a reply in a workspace, with a remark `before` it. Nothing in it can ping but
    those whom the reply calls. `own`: the types of Slack's own blocks that the workspace takes.
    `reader`: where the commands in it are typed."""
    writer = pen(reader)
    mention = _mention(reply, team)
    mark = before + ("Error: " if reply.error else "")
    lines = [*reply.shown, *notes]
    files = reply.files
    blocks = _blocks(reply, mention, mark, lines, own, writer)
    if _size(blocks) > ROOM or len(blocks) > MAX_BLOCKS - 2:
        blocks = _folded(reply, mention, mark, lines, writer)
        files = (*files, File("answer.txt", reply.text(plain_pen(reader))))
    plain = replace(reply, lines=speak_parts(lines)).text(plain_pen(reader))
    first, line_end, rest = entities(plain).partition("\n")
    text = f"{_called(mark + first, mention, reply)}{line_end}{rest}"
    return Message(_cut(text), blocks, files)


def _mention(reply: Reply, team: str) -> str:
    start = f"{PLATFORM}{team}/"
    users = (key.removeprefix(start) for key in reply.mention if key.startswith(start))
    called = " ".join(f"<@{user}>" for user in users if user.isalnum())
    return f" · {called}" if called else ""


def _called(first: str, mention: str, reply: Reply) -> str:
    """The first line with whom it calls: in front where somebody is waited for, for the
    notification.
    """
    return (
        f"{mention.removeprefix(' · ')}, {first}"
        if mention and reply.tone == WAITING
        else f"{first}{mention}"
    )


def _blocks(
    reply: Reply, mention: str, mark: str, lines: Sequence[Part], own: frozenset[str], writer: Pen
) -> list[Json]:
    return [
        *_sections([_called(_first(reply, mark, writer), mention, reply)]),
        *_body([part for part in lines if not isinstance(part, Small)], own, writer),
        *_context(
            [*(part.text for part in lines if isinstance(part, Small)), " · ".join(reply.footer)],
            writer,
        ),
        *actions(reply.buttons, reply.menus),
    ]


def _first(reply: Reply, mark: str, writer: Pen) -> str:
    """The news in bold letters unless nothing happened, the cause in plain ones."""
    if reply.over:
        return f"{escaped(mark + reply.over)}: ~{escaped(reply.first)}~"
    title = escaped(mark + reply.title) if reply.tone in PLAIN else bold(mark + reply.title)
    return f"{title} · {writer.plain(reply.by)}" if reply.by else title


def _folded(
    reply: Reply, mention: str, mark: str, lines: Sequence[Part], writer: Pen
) -> list[Json]:
    """As much of the answer as fits on one screen, and where the rest is."""
    kept: list[Row] = []
    size = 0
    for text, fixed in drawn(lines, writer):
        size += len(entities(text) if fixed else text) + 1
        if size > SUMMARY:
            break
        kept.append((text, fixed))
    title = escaped(mark + reply.first)
    shown = title if len(title) < 1_000 else title[:1_000].rpartition("&")[0] + " ..."
    return [
        *_sections([_called(shown, mention, reply)]),
        *_drawn(kept),
        *_sections(["_The whole answer is in the file answer.txt._"]),
        *_context([" · ".join(reply.footer)], writer),
        *actions(reply.buttons, reply.menus),
    ]


def _body(parts: Sequence[Part], own: frozenset[str], writer: Pen) -> Iterator[Json]:
    """The parts as blocks; one of a list has its button beside it. Odds and a table are Slack's
    `own`; a message takes one table."""
    tables = [part for part in parts if isinstance(part, UnitTable)]
    if TABLE in own and tables and tables_and_charts.fits(tables):
        yield tables_and_charts.units(tables)
        parts = [part for part in parts if not isinstance(part, UnitTable)]
        own -= {TABLE, CONTAINER}
    if sum(isinstance(part, Grid) for part in parts) > 1:
        own -= {TABLE}
    for kind, run in groupby(parts, key=lambda part: _kind(part, own)):
        if kind != APART:
            yield from _listed(kind, list(run), own, writer)
            continue
        for part in run:
            if isinstance(part, Rule):
                yield from [{"type": "divider"}] if part.is_drawn else []
                continue
            assert isinstance(part, Entry)
            first, *rest = _sections(["\n".join(part_lines(part, writer))])
            yield first | ({"accessory": _button(beside(part))} if part.label else {})
            yield from rest


def _kind(part: Part, own: frozenset[str]) -> str:
    """How a part is drawn: apart from others, as a chart, as a table, or as lines."""
    if isinstance(part, Entry | Rule):
        return APART
    kind = CHART if isinstance(part, Odds) else TABLE if isinstance(part, Grid) else ""
    return kind if kind in own else ""


def _listed(kind: str, parts: Sequence[Part], own: frozenset[str], writer: Pen) -> Iterator[Json]:
    """Parts of one kind as Slack's own, and as lines where that does not say all: a chart alone
    has no "at least".
    """
    found: list[Json] = []
    if kind == CHART:
        found = odds_blocks([part for part in parts if isinstance(part, Odds)], own) or []
    elif kind == TABLE:
        found = [table for part in parts if isinstance(part, Grid) and (table := table_block(part))]
    yield from found
    if not found or (kind == CHART and len(found) == 1):
        yield from _drawn(drawn(parts, writer))


def _drawn(rows: Iterable[Row]) -> Iterator[Json]:
    """Lines as blocks, those of a fixed width fenced."""
    for fixed, run in groupby(rows, key=lambda row: row[1]):
        yield from (_fences if fixed else _sections)([text for text, _ in run])


def _sections(texts: Iterable[str]) -> Iterator[Json]:
    """Lines as section blocks, each as long as Slack allows; a line that is longer still is
    split.
    """
    for chunk in _chunks(texts, MAX_SECTION):
        yield {"type": "section", "text": {"type": "mrkdwn", "text": chunk, "verbatim": True}}


def _fences(lines: Iterable[str]) -> Iterator[Json]:
    """Lines of fixed width, fenced again in each block."""
    part: list[str] = []
    for text in lines:
        if part and len(fenced([*part, text])) > MAX_SECTION:
            yield from _sections([fenced(part)])
            part = []
        part.append(text)
    if part:
        yield from _sections([fenced(part)])


def _chunks(texts: Iterable[str], limit: int) -> Iterator[str]:
    part = ""
    for text in texts:
        for piece in _pieces(text, limit):
            if part and len(part) + 1 + len(piece) > limit:
                yield part
                part = ""
            part = f"{part}\n{piece}" if part else piece
    if part.strip():
        yield part


def _pieces(text: str, limit: int) -> Iterator[str]:
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


def _context(texts: Sequence[str], writer: Pen) -> Iterator[Json]:
    """Small print and the number of the answer, as many in a block as Slack takes."""
    shown = [
        piece for text in map(writer.small, texts) if text for piece in _pieces(text, MAX_SECTION)
    ]
    elements: list[Json] = [{"type": "mrkdwn", "text": text, "verbatim": True} for text in shown]
    for at in range(0, len(elements), MAX_ELEMENTS):
        yield {"type": "context", "elements": elements[at : at + MAX_ELEMENTS]}


def actions(buttons: Sequence[Button], menus: Sequence[Menu] = ()) -> Iterator[Json]:
    """The row of buttons and menus; each carries what it does, so it works after a restart."""
    made = [_button(button) for button in buttons if len(button.action) <= MAX_VALUE]
    made[BEFORE_MENU:BEFORE_MENU] = [_select(menu, at) for at, menu in enumerate(menus)]
    for at in range(0, len(made), MAX_BUTTONS):
        yield {"type": "actions", "elements": made[at : at + MAX_BUTTONS]}


def _button(button: Button) -> Json:
    label = entities(button.label)[:MAX_LABEL].strip() or "?"
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


def _select(menu: Menu, at: int) -> Json:
    return {
        "type": "static_select",
        "action_id": f"{ACTION}menu-{at}",
        "placeholder": {
            "type": "plain_text",
            "text": entities(menu.short or menu.label)[:MAX_LABEL],
        },
        "options": [_choice(entry) for entry in menu.entries[:MAX_CHOICES]],
    }


def _choice(entry: MenuEntry) -> Json:
    if len(entry.action) > MAX_CHOICE_VALUE:
        raise ValueError(f"the action {entry.action[:40]}... is too long for a menu")
    made: Json = {"text": _plain_text(entry.label), "value": entry.action}
    return made | ({"description": _plain_text(entry.about)} if entry.about else {})


def _plain_text(text: str) -> Json:
    return {"type": "plain_text", "text": entities(text)[:MAX_LABEL].strip() or "?"}


def _cut(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    kept = text[:MAX_TEXT]
    return kept[: max(kept.rfind("\n"), MAX_TEXT // 2)].rpartition("&")[0] or kept[: MAX_TEXT // 2]


def _size(blocks: Iterable[Json]) -> int:
    """Characters of all texts in the blocks together."""
    return sum(_text_size(block) for block in blocks)


def _text_size(part: Any) -> int:
    if isinstance(part, list):
        return sum(map(_text_size, part))
    if isinstance(part, dict):
        own = part.get("text")
        inner = sum(_text_size(value) for value in part.values() if isinstance(value, dict | list))
        return inner + (len(own) if isinstance(own, str) else 0)
    return 0
