"""A Reply as one Discord message: its first line is the content, the other lines one embed.

If embeds are not permitted, everything is content. A text that is too long is shortened, and the
whole text is attached as a file.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from adapters.discord.permissions import NO_FILES, build_invite_url, build_own_install_url
from adapters.discord.request import (
    ATTACH_FILES,
    EMBED_LINKS,
    EPHEMERAL,
    PLATFORM,
    DiscordRequest,
    Json,
)
from adapters.discord.text import PEN, escape_text, format_bold, format_fenced, format_line
from bot.rules.text.plain import remove_invisible
from bot.ui.registry import Registry
from bot.ui.reply.bars import COLUMNS, PHONE
from bot.ui.reply.parts import Entry, Part, Row, Rule, Small, format_part, render_parts
from bot.ui.reply.reply import (
    COLORS,
    GAME,
    LINK,
    OVER,
    PLAIN,
    WAITING,
    Button,
    File,
    Menu,
    Reply,
    build_entry_button,
)
from bot.ui.typing.command_writer import CommandReader, write_commands

IN_A_BOX = PHONE._replace(grid=COLUMNS)
"""The layout of tables. Answers on Discord are in boxes, which are narrower than a phone."""
MAX_CONTENT = 2_000
MAX_EMBED = 4_096
MAX_FOOTER = 1_500
MAX_LABEL = 80
MAX_CUSTOM_ID = 100
BUTTONS_IN_ROW = 5
MAX_ROWS = 5
MAX_CHOICES = 25
ACTION, FORM_PART, MENU = "a:", "f:", "m:"
"""Prefixes of a custom_id: of a button with an action, of a form, and of a menu with an action for
each choice.
"""
QUIET = 1 << 12
"""The flag of a message that notifies nobody."""
LATE, PERHAPS, REFUSED = "(late) ", "(late, perhaps shown before) ", "Error: "
"""Prefixes of an answer that is late, of one that may have been posted before, and of a refusal."""
_ROW, _BUTTON, _SELECT, _SECTION, _TEXT, _SEPARATOR, _BOX = 1, 2, 3, 9, 10, 14, 17
_NEWER = 1 << 15
"""The flag of a message in Discord's newer layout, which is made of components alone."""
_LINK, _CHANNEL = 5, "https://discord.com/channels/"
HUSHED = "Only you can see this: apps on your own account may not post in public here."
_STYLES = {"plain": 2, "primary": 1, "good": 3, "danger": 4}


@dataclass(frozen=True, slots=True)
class DiscordMessage:
    """A message ready to be sent: its JSON body and its files."""

    body: Json
    files: tuple[File, ...] = ()


def render_message(
    reply: Reply, request: DiscordRequest, commands: Registry, *, late: bool | str = False
) -> DiscordMessage:
    """Render a reply as the message that answers a request.

    `commands` are those of the server. `late` adds the note that it is late, or another text as its
    prefix. A text that is too long is shortened, with the whole as a file if the bot may attach
    files. The message can ping nobody but the users whom the reply calls.
    """
    reply = write_commands(reply, CommandReader.DISCORD, commands)
    reply = _adapt_to_own_install(reply, request)
    files, notes = _list_files(reply, request)
    lead = _build_lead(reply, late=late)
    if reply.boxed or any(isinstance(part, Entry) for part in reply.lines):
        return DiscordMessage(_render_list(reply, lead), files)
    rows = [*render_parts(reply.visible_lines, PEN, IN_A_BOX), *((note, False) for note in notes)]
    if request.has_permission(EMBED_LINKS) and not reply.bare:
        body, is_shortened = _build_embed(reply, lead, rows)
    else:
        body, is_shortened = _build_plain_content(reply, lead, rows)
    if is_shortened:
        if request.has_permission(ATTACH_FILES):
            whole_text = reply.format_text()
            files = (*files, File("answer.txt", whole_text))
        else:
            body["content"] += f"\n(Too long to show here. {NO_FILES})"
    users = _list_called_ids(reply)
    body["allowed_mentions"] = {"parse": [], "users": users} if users else {"parse": []}
    component_rows = _build_component_rows(reply)
    body["components"] = component_rows[:MAX_ROWS]
    flags = _get_flags(reply)
    if flags:
        body["flags"] = flags
    return DiscordMessage(body, files)


def _build_component_rows(reply: Reply) -> list[Json]:
    """Build the rows of a reply's buttons and menus."""
    return [*build_button_rows(reply.buttons, reply.across), *build_menu_rows(reply.menus)]


def _get_flags(reply: Reply) -> int:
    """Return Discord's flags for a private or quiet message."""
    flags = 0
    if reply.private:
        flags |= EPHEMERAL
    if reply.quiet:
        flags |= QUIET
    return flags


def _adapt_to_own_install(reply: Reply, request: DiscordRequest) -> Reply:
    """Change a reply for a user whose own install sent the request.

    It becomes private, with a note, if the user may not use that install in public. A refusal that
    needs a server or an account gets a button that adds the bot to it. Without an own install the
    reply stays as it is.
    """
    buttons_by_code = {
        "needs-game": (build_invite_url, "Add to a server"),
        "own-play": (build_own_install_url, "Add to my account"),
    }
    if request.owner and reply.code in buttons_by_code:
        build_url, label = buttons_by_code[reply.code]
        button = Button(build_url(request.application), label, LINK)
        reply = replace(reply, buttons=(*reply.buttons, button))
    if request.hushed and not reply.private:
        reply = replace(reply, private=True, lines=(*reply.lines, Small(HUSHED)))
    return reply


def _render_list(reply: Reply, lead: str) -> Json:
    """Build the body of a message with a box: a list whose entries have buttons of their own, or a
    boxed reply.

    Embeds cannot have buttons, so it uses Discord's newer layout. The footer, the buttons and the
    first line of a boxed reply are inside the box.
    """
    parts = _render_parts_in_box(reply)
    lead_text: Json = {"type": _TEXT, "content": lead}
    component_rows = _build_component_rows(reply)
    box: Json = {"type": _BOX, "components": parts, "accent_color": COLORS[reply.tone]}
    components = [lead_text, box, *component_rows]
    if reply.boxed:
        if reply.quiet:
            lead_text["content"] = f"### {lead}"
        box["components"] = [lead_text, *parts, *_build_footer_texts(reply), *component_rows]
        components = [box]
    return {
        "components": components,
        "flags": _NEWER | _get_flags(reply),
        "allowed_mentions": {"parse": []},
    }


def _render_parts_in_box(reply: Reply) -> list[Json]:
    """Render the lines of a reply as components: each entry or rule alone, other lines together.

    A separator comes between them unless the reply is boxed.
    """
    components: list[Json] = []
    for is_separate, parts in groupby(reply.visible_lines, key=_has_own_component):
        if is_separate:
            group = [_render_entry(part) for part in parts]
        else:
            text = _join_rows(render_parts(parts, PEN, IN_A_BOX))
            group = [{"type": _TEXT, "content": text}]
        for component in group:
            if components and not reply.boxed:
                components.append({"type": _SEPARATOR})
            components.append(component)
    return components


def _has_own_component(part: Part) -> bool:
    return isinstance(part, Entry | Rule)


def _build_footer_texts(reply: Reply) -> list[Json]:
    """Build the footer as a text component, or nothing without a footer."""
    if not reply.footer:
        return []
    return [{"type": _TEXT, "content": f"-# {escape_text(_format_footer(reply))}"}]


def _render_entry(part: Part) -> Json:
    """Render an entry with its button, a rule as a separator, or any other part as text."""
    if isinstance(part, Rule):
        return {"type": _SEPARATOR, "divider": part.is_drawn, "spacing": 1}
    text: Json = {"type": _TEXT, "content": "\n".join(format_part(part, PEN, IN_A_BOX))}
    if not isinstance(part, Entry) or not part.label:
        return text
    return {
        "type": _SECTION,
        "components": [text],
        "accessory": _build_button(build_entry_button(part)),
    }


def _join_rows(rows: Iterable[Row]) -> str:
    """Join lines to one text. Adjacent lines of fixed width share one code block."""
    texts = []
    for is_fixed, group in groupby(rows, key=lambda row: row[1]):
        lines = [text for text, _ in group]
        texts.append(format_fenced(lines) if is_fixed else "\n".join(lines))
    return "\n".join(texts)


def _build_lead(reply: Reply, *, late: bool | str) -> str:
    """Format the first line of a message with its notes and the users whom it calls.

    The users come first if the reply waits for them, because a phone's notification shows the
    beginning.
    """
    if isinstance(late, str):
        late_note = late
    else:
        late_note = LATE if late else ""
    refusal_note = REFUSED if reply.error else ""
    text = late_note + refusal_note + _format_first_line(reply)
    mentions = " ".join(f"<@{user}>" for user in _list_called_ids(reply))
    if not mentions:
        return text
    if reply.tone == WAITING:
        return f"{mentions}, {text}"
    return f"{text} · {mentions}"


def _list_called_ids(reply: Reply) -> list[str]:
    """List the ids of the Discord users whom the reply calls."""
    return [key.removeprefix("discord:") for key in reply.mention if key.startswith("discord:")]


def _format_first_line(reply: Reply) -> str:
    """Format the headline, in bold unless the reply is a refusal or plain, and its cause.

    The first line of a reply that is over is struck out after the reason.
    """
    if reply.over:
        return f"{escape_text(reply.over)}: ~~{escape_text(reply.first_line)}~~"
    if reply.tone in PLAIN or reply.error:
        title = escape_text(reply.title)
    else:
        title = format_bold(reply.title)
    return f"{title} · {format_line(reply.by)}" if reply.by else title


def _list_files(reply: Reply, request: DiscordRequest) -> tuple[tuple[File, ...], list[str]]:
    """Return the files that can be sent, and a line if any cannot."""
    if reply.files and not request.has_permission(ATTACH_FILES):
        return (), [escape_text(f"The file cannot be sent. {NO_FILES}")]
    fitting = tuple(file for file in reply.files if len(file.data) <= request.file_size)
    if len(fitting) < len(reply.files):
        return fitting, ["The file is larger than Discord allows here; ask the host for it."]
    return fitting, []


def _build_embed(reply: Reply, lead: str, rows: Sequence[Row]) -> tuple[Json, bool]:
    """Build a body with the first line as content and the other lines as an embed.

    Return it and whether something had to be shortened.
    """
    content, is_shortened = _fit_text(lead, MAX_CONTENT - 200)
    text = _join_rows(rows)
    if not text and reply.footer:  # an embed with a number alone would be an empty box
        content = f"{content}\n-# {escape_text(_format_footer(reply))}"
        return {"content": content, "embeds": []}, is_shortened
    if len(text) > MAX_EMBED:
        text = _fold_rows(rows, MAX_EMBED - 100)
        is_shortened = True
    tone = OVER if reply.error else reply.tone
    embed: Json = {"color": COLORS.get(tone, COLORS[GAME])}
    if text:
        embed["description"] = text
    if reply.footer:
        embed["footer"] = {"text": _format_footer(reply)[:MAX_FOOTER]}
    return {"content": content, "embeds": [embed] if len(embed) > 1 else []}, is_shortened


def _build_plain_content(reply: Reply, lead: str, rows: Sequence[Row]) -> tuple[Json, bool]:
    """Build a body with everything in the content.

    Return it and whether something had to be shortened.
    """
    footer = [f"-# {escape_text(_format_footer(reply))}"] if reply.footer else []
    lines = [_join_rows(rows)] if rows else []
    whole = "\n".join([lead, *lines, *footer])
    if len(whole) <= MAX_CONTENT - 200:
        return {"content": whole, "embeds": []}, False
    room = MAX_CONTENT - 300 - len("\n".join(footer))
    short_lead, _ = _fit_text(lead, room)
    short_text = _fold_rows(rows, max(0, room - len(short_lead)))
    lines = [short_text] if short_text else []
    return {"content": "\n".join([short_lead, *lines, *footer]), "embeds": []}, True


def _format_footer(reply: Reply) -> str:
    return remove_invisible(" · ".join(reply.footer))


def _fit_text(text: str, room: int) -> tuple[str, bool]:
    """Cut a text to `room` characters, at a line end or a space in its second half if there is
    one.

    Return it and whether it was cut.
    """
    if len(text) <= room:
        return text, False
    start = text[: room - 1]
    cut_index = max(start.rfind("\n"), start.rfind(" "), room // 2)
    return start[:cut_index].rstrip("\\ ") + "…", True


def _fold_rows(rows: Sequence[Row], room: int) -> str:
    """Join the first lines that fit into `room` characters, and add how many more are in the
    file.
    """
    fitting_rows: list[Row] = []
    room_left = room - 60
    was_fixed = False
    for text, is_fixed in rows:
        fence_size = 8 if is_fixed and not was_fixed else 0
        room_left -= len(text) + 1 + fence_size
        if room_left < 0:
            break
        fitting_rows.append((text, is_fixed))
        was_fixed = is_fixed
    lines = [_join_rows(fitting_rows)] if fitting_rows else []
    missing = len(rows) - len(fitting_rows)
    if missing:
        lines.append(f"… {missing} more lines: see the file.")
    return "\n".join(lines)


def build_button_rows(buttons: Sequence[Button], across: int = 0) -> list[Json]:
    """Build rows of buttons, `across` in each or as many as Discord takes.

    The custom_id of a button holds its action, so that it works after a restart.
    """
    components = [_build_button(button) for button in buttons[: BUTTONS_IN_ROW * MAX_ROWS]]
    step = across or BUTTONS_IN_ROW
    starts = range(0, len(components), step)
    return [{"type": _ROW, "components": components[start : start + step]} for start in starts]


def _build_button(button: Button) -> Json:
    """Build a button: one with an action, or one that links to an address or a Discord channel."""
    component: Json = {
        "type": _BUTTON,
        "style": _STYLES.get(button.style, 2),
        "label": button.label[:MAX_LABEL],
    }
    if button.style != LINK:
        return component | {"custom_id": build_custom_id(button.action)}
    if button.action.startswith("https:"):
        return component | {"style": _LINK, "url": button.action}
    place = button.action.removeprefix(f"goto:{PLATFORM}")
    if place.startswith("dm/"):
        place = f"@me/{place[3:]}"
    return component | {"style": _LINK, "url": _CHANNEL + place}


def build_menu_rows(menus: Sequence[Menu]) -> list[Json]:
    """Build a row for each menu. The value of a choice is its action, so that it works after a
    restart.
    """
    return [
        {"type": _ROW, "components": [_build_select(menu, index)]}
        for index, menu in enumerate(menus)
    ]


def _build_select(menu: Menu, index: int) -> Json:
    """Build a menu. `index` is its position in the message."""
    options = []
    for entry in menu.entries[:MAX_CHOICES]:
        option: Json = {
            "label": remove_invisible(entry.label)[:MAX_CUSTOM_ID].strip() or "?",
            "value": _check_custom_id(entry.action),
        }
        if entry.about:
            option["description"] = remove_invisible(entry.about)[:MAX_CUSTOM_ID]
        options.append(option)
    return {
        "type": _SELECT,
        "custom_id": f"{MENU}{index}",
        "placeholder": remove_invisible(menu.label)[:150],
        "options": options,
    }


def build_custom_id(action: str) -> str:
    """Build the custom_id of a button. Raises ValueError for an action that is too long, which
    would be our bug.
    """
    return _check_custom_id(ACTION + action)


def _check_custom_id(action: str) -> str:
    """Return the action unchanged. Raises ValueError if it is too long for Discord."""
    if len(action) > MAX_CUSTOM_ID:
        raise ValueError(f"the action {action[:40]}... is too long for a button")
    return action
