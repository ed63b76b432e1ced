"""A Reply as one Slack message: blocks, the same as plain text for notifications and screen
readers, and files.

A reply that is too long is shortened, and the whole text is attached as a file. The limits are
Slack's, each with some room left.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
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
MAX_FOLDED_BLOCKS = 30
"""Maximum number of blocks for the lines of a shortened reply. Title, notes and buttons take some."""
MAX_SECTION = 3_000
MAX_ALL = 11_000
MAX_TEXT = 3_900
MAX_TITLE = 1_000
MAX_LABEL = 75
MAX_VALUE = 2_000
MAX_BUTTONS = 25
MAX_CHOICES = 100
MAX_CHOICE_VALUE = 150
BEFORE_MENU = 2
"""Number of buttons that come before a menu in their row."""
MAX_ELEMENTS = 10
"""Maximum number of texts in a context block."""
ROOM = 9_500
"""Maximum number of characters in all blocks of a message; a longer one is shortened."""
SUMMARY = 2_500
"""Number of characters of a shortened message."""
ACTION = "a:"
"""Prefix of the action_id of a button or menu with an action."""
APART = "apart"
"""The kind of a part that has blocks of its own: an entry of a list, or a rule."""
_CHANNEL = "https://slack.com/app_redirect"
LATE, PERHAPS, LATE_PERHAPS = "(late) ", "(perhaps shown before) ", "(late, perhaps shown before) "
"""Prefixes of an answer that is late, of one that may have been posted before, or both."""
_STYLES = {"primary": "primary", "good": "primary", "danger": "danger"}


@dataclass(frozen=True, slots=True)
class SlackMessage:
    """A message ready to be sent: its text, its blocks and its files.

    `metadata` is seen only by programs. `instead` is posted if the message should change another
    one and that is refused.
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
    prefix: str = "",
    notes: Iterable[str] = (),
    native_types: frozenset[str] = frozenset(),
    reader: CommandReader = CommandReader.SLACK,
) -> SlackMessage:
    """Render a reply as a message in the workspace `team`, with `notes` as its last lines.

    `commands` are those of the workspace. `prefix` is the note that it is late. `native_types` are
    Slack's own block types that the workspace takes. `reader` says how commands in it are typed. A
    reply that is too long is shortened, with the whole text as a file. The message can ping nobody
    but the users whom the reply calls.
    """
    reply, notes = write_commands((reply, tuple(notes)), reader, commands)
    mention = _format_mention(reply, team)
    if reply.error:
        prefix += "Error: "
    lines = [*reply.visible_lines, *notes]
    files = reply.files
    blocks = _build_blocks(reply, mention, prefix, lines, native_types)
    if _measure_blocks(blocks) > ROOM or len(blocks) > MAX_BLOCKS - 2:
        blocks = _build_folded_blocks(reply, mention, prefix, lines)
        files = (*files, File("answer.txt", reply.format_text()))
    plain_text = replace(reply, lines=speak_parts(lines)).format_text()
    first_line, line_end, other_lines = escape_entities(plain_text).partition("\n")
    text = f"{_add_mention(prefix + first_line, mention, reply)}{line_end}{other_lines}"
    return SlackMessage(_cut(text), blocks, files)


def _format_mention(reply: Reply, team: str) -> str:
    """Format the users of the workspace whom the reply calls, after a dot, or return ""."""
    key_prefix = f"{PLATFORM}{team}/"
    users = [key.removeprefix(key_prefix) for key in reply.mention if key.startswith(key_prefix)]
    mentions = " ".join(f"<@{user}>" for user in users if user.isalnum())
    return f" · {mentions}" if mentions else ""


def _add_mention(first_line: str, mention: str, reply: Reply) -> str:
    """Add the called users to the first line: in front if the reply waits for them, because a
    notification shows the beginning.
    """
    if mention and reply.tone == WAITING:
        return f"{mention.removeprefix(' · ')}, {first_line}"
    return f"{first_line}{mention}"


def _build_blocks(
    reply: Reply,
    mention: str,
    prefix: str,
    lines: Sequence[Part],
    native_types: frozenset[str],
) -> list[Json]:
    """Build the blocks of a whole reply: first line, body, small print, and buttons."""
    first_line = _add_mention(_format_first_line(reply, prefix), mention, reply)
    body = [part for part in lines if not isinstance(part, Small)]
    small_texts = [part.text for part in lines if isinstance(part, Small)]
    footer = " · ".join(reply.footer)
    return [
        *_build_sections([first_line]),
        *_build_body(body, native_types),
        *_build_context_blocks([*small_texts, footer]),
        *build_action_rows(reply.buttons, reply.menus),
    ]


def _format_first_line(reply: Reply, prefix: str) -> str:
    """Format the headline, in bold unless the reply's tone is plain, and its cause.

    The first line of a reply that is over is struck out after the reason.
    """
    if reply.over:
        return f"{escape_text(prefix + reply.over)}: ~{escape_text(reply.first_line)}~"
    if reply.tone in PLAIN:
        title = escape_text(prefix + reply.title)
    else:
        title = format_bold(prefix + reply.title)
    return f"{title} · {PEN.plain(reply.by)}" if reply.by else title


def _build_folded_blocks(
    reply: Reply, mention: str, prefix: str, lines: Sequence[Part]
) -> list[Json]:
    """Build the blocks of a shortened reply: the first SUMMARY characters, and a note about the
    file with the whole text.
    """
    rows: list[Row] = []
    size = 0
    for text, is_fixed in render_parts(lines, PEN):
        size += len(escape_entities(text) if is_fixed else text) + 1
        if size > SUMMARY:
            break
        rows.append((text, is_fixed))
    title = escape_text(prefix + reply.first_line)
    if len(title) >= MAX_TITLE:
        title = _cut_before_entity(title, MAX_TITLE) + " ..."
    return [
        *_build_sections([_add_mention(title, mention, reply)]),
        *islice(_build_row_blocks(rows), MAX_FOLDED_BLOCKS),
        *_build_sections(["_The whole answer is in the file answer.txt._"]),
        *_build_context_blocks([" · ".join(reply.footer)]),
        *build_action_rows(reply.buttons, reply.menus),
    ]


def _build_body(parts: Sequence[Part], native_types: frozenset[str]) -> Iterator[Json]:
    """Yield the blocks of a reply's lines, with odds and one table as Slack's own blocks.

    A message takes only one table: the units of all sides if they fit, else a grid if it is the
    only one.
    """
    tables = [part for part in parts if isinstance(part, UnitTable)]
    if TABLE in native_types and tables and tables_and_charts.can_fit_tables(tables):
        yield tables_and_charts.build_unit_table(tables)
        parts = [part for part in parts if not isinstance(part, UnitTable)]
        native_types -= {TABLE, CONTAINER}
    grids = [part for part in parts if isinstance(part, Grid)]
    if len(grids) > 1:
        native_types -= {TABLE}
    for kind, group in groupby(parts, key=lambda part: _get_part_kind(part, native_types)):
        if kind != APART:
            yield from _build_native_blocks(kind, list(group), native_types)
            continue
        for part in group:
            yield from _build_own_blocks(part)


def _build_own_blocks(part: Part) -> Iterator[Json]:
    """Yield the blocks of a rule, or of an entry of a list with its button."""
    if isinstance(part, Rule):
        if part.is_drawn:
            yield {"type": "divider"}
        return
    assert isinstance(part, Entry)
    section, *further_sections = _build_sections(["\n".join(format_part(part, PEN))])
    if part.label:
        section["accessory"] = _build_button(build_entry_button(part))
    yield section
    yield from further_sections


def _get_part_kind(part: Part, native_types: frozenset[str]) -> str:
    """Return how a part is drawn: APART if it has blocks of its own (an entry of a list, or a
    rule), CHART for odds and TABLE for a grid if `native_types`, the block types that the workspace
    takes, have that type, else "" for lines of text.
    """
    if isinstance(part, Entry | Rule):
        return APART
    if isinstance(part, Odds) and CHART in native_types:
        return CHART
    if isinstance(part, Grid) and TABLE in native_types:
        return TABLE
    return ""


def _build_native_blocks(
    kind: str, parts: Sequence[Part], native_types: frozenset[str]
) -> Iterator[Json]:
    """Yield the blocks of parts of one kind: Slack's own if possible, else lines.

    A chart without the box of figures is followed by the lines, because it does not show the
    chances of "at least".
    """
    blocks: list[Json] = []
    if kind == CHART:
        odds = [part for part in parts if isinstance(part, Odds)]
        blocks = build_odds_blocks(odds, native_types) or []
    elif kind == TABLE:
        grids = [part for part in parts if isinstance(part, Grid)]
        blocks = list(filter(None, map(build_table_block, grids)))
    yield from blocks
    is_chart_alone = kind == CHART and len(blocks) == 1
    if not blocks or is_chart_alone:
        yield from _build_row_blocks(render_parts(parts, PEN))


def _build_row_blocks(rows: Iterable[Row]) -> Iterator[Json]:
    """Yield the blocks of lines. Those of fixed width are in code fences."""
    for is_fixed, group in groupby(rows, key=lambda row: row[1]):
        texts = [text for text, _ in group]
        if is_fixed:
            yield from _build_fenced_sections(texts)
        else:
            yield from _build_sections(texts)


def _build_sections(texts: Iterable[str]) -> Iterator[Json]:
    """Yield section blocks with the lines, as many in each as Slack allows. A longer line is
    split.
    """
    for chunk in _split_chunks(texts, MAX_SECTION):
        yield {"type": "section", "text": {"type": "mrkdwn", "text": chunk, "verbatim": True}}


def _build_fenced_sections(lines: Iterable[str]) -> Iterator[Json]:
    """Yield section blocks with lines of fixed width, each block in a code fence of its own."""
    chunk: list[str] = []
    for text in lines:
        if chunk and len(format_fenced([*chunk, text])) > MAX_SECTION:
            yield from _build_sections([format_fenced(chunk)])
            chunk = []
        chunk.append(text)
    if chunk:
        yield from _build_sections([format_fenced(chunk)])


def _split_chunks(texts: Iterable[str], limit: int) -> Iterator[str]:
    """Join lines to chunks of at most `limit` characters. A blank last chunk is left out."""
    chunk = ""
    for text in texts:
        for piece in _split_text(text, limit):
            if chunk and len(chunk) + 1 + len(piece) > limit:
                yield chunk
                chunk = ""
            chunk = f"{chunk}\n{piece}" if chunk else piece
    if chunk.strip():
        yield chunk


def _split_text(text: str, limit: int) -> Iterator[str]:
    """Yield a text in pieces of at most `limit` characters, at a space if possible, and never
    within an entity (`&amp;`).
    """
    while len(text) > limit:
        cut_index = text.rfind(" ", limit // 2, limit)
        if cut_index < 0:
            cut_index = text.rfind("&", limit - 8, limit)
        if cut_index <= 0:
            cut_index = limit
        yield text[:cut_index]
        text = text[cut_index:]
    yield text


def _build_context_blocks(texts: Sequence[str]) -> Iterator[Json]:
    """Yield context blocks with small print, as many texts in each as Slack takes."""
    elements: list[Json] = []
    for small_text in map(PEN.small, texts):
        if small_text:
            for piece in _split_text(small_text, MAX_SECTION):
                elements.append({"type": "mrkdwn", "text": piece, "verbatim": True})
    for start in range(0, len(elements), MAX_ELEMENTS):
        yield {"type": "context", "elements": elements[start : start + MAX_ELEMENTS]}


def build_action_rows(buttons: Sequence[Button], menus: Sequence[Menu] = ()) -> Iterator[Json]:
    """Yield the rows of buttons and menus.

    Each element holds its action, so that it works after a restart. A button whose action is too
    long is left out.
    """
    elements = [_build_button(button) for button in buttons if len(button.action) <= MAX_VALUE]
    selects = [_build_select(menu, index) for index, menu in enumerate(menus)]
    elements[BEFORE_MENU:BEFORE_MENU] = selects
    for start in range(0, len(elements), MAX_BUTTONS):
        yield {"type": "actions", "elements": elements[start : start + MAX_BUTTONS]}


def _build_button(button: Button) -> Json:
    """Build a button: one with an action, or one that opens another channel."""
    label = escape_entities(button.label)[:MAX_LABEL].strip() or "?"
    element: Json = {
        "type": "button",
        "text": {"type": "plain_text", "text": label},
        "action_id": (ACTION + button.action)[:255],
        "value": button.action,
    }
    if button.style == LINK:
        place = button.action.removeprefix(f"goto:{PLATFORM}")
        team, _, channel_and_thread = place.partition("/")
        channel = channel_and_thread.partition("/")[0]
        element["url"] = f"{_CHANNEL}?team={team}&channel={channel}"
        element["action_id"] = button.action
    elif button.style in _STYLES:
        element["style"] = _STYLES[button.style]
    return element


def _build_select(menu: Menu, index: int) -> Json:
    """Build a menu. `index` is its position in the message."""
    placeholder = escape_entities(menu.short or menu.label)[:MAX_LABEL]
    return {
        "type": "static_select",
        "action_id": f"{ACTION}menu-{index}",
        "placeholder": {"type": "plain_text", "text": placeholder},
        "options": [_build_choice(entry) for entry in menu.entries[:MAX_CHOICES]],
    }


def _build_choice(entry: MenuEntry) -> Json:
    """Build an entry of a menu. Raises ValueError for an action that is too long, which would be
    our bug.
    """
    if len(entry.action) > MAX_CHOICE_VALUE:
        raise ValueError(f"the action {entry.action[:40]}... is too long for a menu")
    choice: Json = {"text": _build_plain_text(entry.label), "value": entry.action}
    if entry.about:
        choice["description"] = _build_plain_text(entry.about)
    return choice


def _build_plain_text(text: str) -> Json:
    return {"type": "plain_text", "text": escape_entities(text)[:MAX_LABEL].strip() or "?"}


def _cut(text: str) -> str:
    """Cut a text to MAX_TEXT characters, at a line end in its second half if there is one, and
    never within an entity (`&amp;`).
    """
    if len(text) <= MAX_TEXT:
        return text
    line_end = text.rfind("\n", MAX_TEXT // 2, MAX_TEXT)
    if line_end >= 0:
        return text[:line_end]
    return _cut_before_entity(text, MAX_TEXT)


def _cut_before_entity(text: str, limit: int) -> str:
    """Cut a text to at most `limit` characters, before an entity that would be cut in two."""
    start = text[:limit]
    entity_start = start.rfind("&")
    if entity_start >= 0 and ";" not in start[entity_start:]:
        return start[:entity_start]
    return start


def _measure_blocks(blocks: Iterable[Json]) -> int:
    """Return the number of characters of all texts in the blocks."""
    return sum(_measure_text(block) for block in blocks)


def _measure_text(part: Any) -> int:
    """Return the number of characters of the texts in a part of a block, at any depth."""
    if isinstance(part, list):
        return sum(map(_measure_text, part))
    if not isinstance(part, dict):
        return 0
    text = part.get("text")
    size = len(text) if isinstance(text, str) else 0
    for value in part.values():
        if isinstance(value, dict | list):
            size += _measure_text(value)
    return size
