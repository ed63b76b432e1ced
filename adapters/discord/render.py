"""A Reply as one Discord message: its first line is the content, the rest one embed, never both the
same.

Where embeds are not permitted all of it is content. What is too long folds: a summary, and the
whole text as a file.
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
from bot.ui.typing.command_writer import CommandReader, get_plain_pen

IN_A_BOX = PHONE._replace(grid=COLUMNS)
"""How tables are drawn: answers here are in boxes, which are narrower than a phone."""
MAX_CONTENT = 2_000
MAX_EMBED = 4_096
MAX_FOOTER = 1_500
MAX_LABEL = 80
MAX_CUSTOM_ID = 100
BUTTONS_IN_ROW = 5
MAX_ROWS = 5
MAX_CHOICES = 25
ACTION, FORM_PART, MENU = "a:", "f:", "m:"
"""How a custom_id begins: of a button with an action, of a part of a guided form, of a menu with
an action a choice.
"""
QUIET = 1 << 12
"""The flag of a message that notifies nobody."""
LATE, PERHAPS, REFUSED = "(late) ", "(late, perhaps shown before) ", "Error: "
"""What an answer begins with that is late, that may be here twice, that is a refusal."""
_ROW, _BUTTON, _SELECT, _SECTION, _TEXT, _SEPARATOR, _BOX = 1, 2, 3, 9, 10, 14, 17
_NEWER = 1 << 15
"""The flag of a message in the newer layout."""
_LINK, _CHANNEL = 5, "https://discord.com/channels/"
HUSHED = "Private, because here you may not use an app of your own in public."
_STYLES = {"plain": 2, "primary": 1, "good": 3, "danger": 4}


@dataclass(frozen=True, slots=True)
class DiscordMessage:
    """A message as it is sent: its JSON, and the files with it."""

    body: Json
    files: tuple[File, ...] = ()


def render_message(
    reply: Reply, request: DiscordRequest, *, late: bool | str = False
) -> DiscordMessage:
    """The message for a reply where `ask` came from. Nothing in it can ping but those whom the
    reply calls.
    """
    reply = _adapt_to_own_install(reply, request)
    files, notes = _list_files(reply, request)
    lead = _build_lead(reply, late=late)
    if reply.boxed or any(isinstance(part, Entry) for part in reply.lines):
        return DiscordMessage(_render_list(reply, lead), files)
    rest = [*render_parts(reply.visible_lines, PEN, IN_A_BOX), *((note, False) for note in notes)]
    if request.has_permission(EMBED_LINKS) and not reply.bare:
        body, folded = _build_embed(reply, lead, rest)
    else:
        body, folded = _build_plain_content(reply, lead, rest)
    if folded:
        whole = File("answer.txt", reply.format_text(get_plain_pen(CommandReader.DISCORD)))
        if request.has_permission(ATTACH_FILES):
            files = (*files, whole)
        else:
            body["content"] += f"\n(Too long to show here. {NO_FILES})"
    users = _list_called_ids(reply)
    body["allowed_mentions"] = {"parse": [], "users": users} if users else {"parse": []}
    body["components"] = [
        *build_button_rows(reply.buttons, reply.across),
        *build_menu_rows(reply.menus),
    ][:MAX_ROWS]
    if flags := (EPHEMERAL if reply.private else 0) | (QUIET if reply.quiet else 0):
        body["flags"] = flags
    return DiscordMessage(body, files)


def _adapt_to_own_install(reply: Reply, request: DiscordRequest) -> Reply:
    """The reply as it can be shown where somebody's own install asked: private where the server has
    it so, and what needs a game with the way to one."""
    ways = {
        "needs-game": (build_invite_url, "Add to a server"),
        "own-play": (build_own_install_url, "Add to my account"),
    }
    if request.owner and reply.code in ways:
        address, label = ways[reply.code]
        reply = replace(
            reply, buttons=(*reply.buttons, Button(address(request.application), label, LINK))
        )
    if request.hushed and not reply.private:
        reply = replace(reply, private=True, lines=(*reply.lines, Small(HUSHED)))
    return reply


def _render_list(reply: Reply, lead: str) -> Json:
    """A list in a box, each entry with its button beside it: no embed can do that, so it has
    Discord's newer layout.
    """
    inner: list[Json] = []
    for apart, run in groupby(reply.visible_lines, key=lambda part: isinstance(part, Entry | Rule)):
        for one in (
            map(_render_entry, run)
            if apart
            else [{"type": _TEXT, "content": _join_rows(render_parts(run, PEN, IN_A_BOX))}]
        ):
            inner += [{"type": _SEPARATOR}, one] if inner and not reply.boxed else [one]
    below = [*build_button_rows(reply.buttons, reply.across), *build_menu_rows(reply.menus)]
    if reply.boxed:
        lead = f"### {lead}" if reply.quiet else lead
        footer = (
            [{"type": _TEXT, "content": f"-# {escape_text(_format_footer(reply))}"}]
            if reply.footer
            else []
        )
        inner = [{"type": _TEXT, "content": lead}, *inner, *footer, *below]
        below = []
    boxed: Json = {"type": _BOX, "components": inner, "accent_color": COLORS[reply.tone]}
    return {
        "components": [boxed] if reply.boxed else [{"type": _TEXT, "content": lead}, boxed, *below],
        "flags": _NEWER | (EPHEMERAL if reply.private else 0) | (QUIET if reply.quiet else 0),
        "allowed_mentions": {"parse": []},
    }


def _render_entry(part: Part) -> Json:
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
    """Lines as one text, those of a fixed width that follow each other in one fence."""
    runs = (
        (fixed, [text for text, _ in run]) for fixed, run in groupby(rows, key=lambda row: row[1])
    )
    return "\n".join(format_fenced(texts) if fixed else "\n".join(texts) for fixed, texts in runs)


def _build_lead(reply: Reply, *, late: bool | str) -> str:
    said = (
        (late if isinstance(late, str) else LATE if late else "")
        + (REFUSED if reply.error else "")
        + _format_first_line(reply)
    )
    called = " ".join(f"<@{user}>" for user in _list_called_ids(reply))
    if called and reply.tone == WAITING:  # a phone's notification shows its beginning
        return f"{called}, {said}"
    return f"{said} · {called}" if called else said


def _list_called_ids(reply: Reply) -> list[str]:
    """Ids of those whom the reply calls here."""
    return [key.removeprefix("discord:") for key in reply.mention if key.startswith("discord:")]


def _format_first_line(reply: Reply) -> str:
    """The news in bold letters unless nothing happened, the cause in plain ones."""
    if reply.over:
        return f"{escape_text(reply.over)}: ~~{escape_text(reply.first_line)}~~"
    title = (
        escape_text(reply.title) if reply.tone in PLAIN or reply.error else format_bold(reply.title)
    )
    return f"{title} · {format_line(reply.by)}" if reply.by else title


def _list_files(reply: Reply, request: DiscordRequest) -> tuple[tuple[File, ...], list[str]]:
    """The files that can be sent, and a line for what cannot."""
    if reply.files and not request.has_permission(ATTACH_FILES):
        return (), [escape_text(f"The file cannot be sent. {NO_FILES}")]
    fitting = tuple(file for file in reply.files if len(file.data) <= request.file_size)
    if len(fitting) < len(reply.files):
        return fitting, ["The file is larger than Discord takes here; ask the host for it."]
    return fitting, []


def _build_embed(reply: Reply, lead: str, rest: Sequence[Row]) -> tuple[Json, bool]:
    """Content and embed; whether something had to fold."""
    content, folded = _fit_text(lead, MAX_CONTENT - 200)
    text = _join_rows(rest)
    if not text and reply.footer:  # an embed with a number alone is an empty box
        return {
            "content": f"{content}\n-# {escape_text(_format_footer(reply))}",
            "embeds": [],
        }, folded
    if len(text) > MAX_EMBED:
        text = _fold_rows(rest, MAX_EMBED - 100)
        folded = True
    embed: Json = {"color": COLORS.get(OVER if reply.error else reply.tone, COLORS[GAME])}
    if text:
        embed["description"] = text
    if reply.footer:
        embed["footer"] = {"text": _format_footer(reply)[:MAX_FOOTER]}
    return {"content": content, "embeds": [embed] if len(embed) > 1 else []}, folded


def _build_plain_content(reply: Reply, lead: str, rest: Sequence[Row]) -> tuple[Json, bool]:
    """All in the content; whether something had to fold."""
    footer = [f"-# {escape_text(_format_footer(reply))}"] if reply.footer else []
    whole = "\n".join([lead, *([_join_rows(rest)] if rest else []), *footer])
    if len(whole) <= MAX_CONTENT - 200:
        return {"content": whole, "embeds": []}, False
    room = MAX_CONTENT - 300 - len("\n".join(footer))
    first, _ = _fit_text(lead, room)
    shown = _fold_rows(rest, max(0, room - len(first)))
    return {"content": "\n".join([first, *([shown] if shown else []), *footer]), "embeds": []}, True


def _format_footer(reply: Reply) -> str:
    return remove_invisible(" · ".join(reply.footer))


def _fit_text(text: str, room: int) -> tuple[str, bool]:
    """Whole lines that fit; a single line that is too long breaks at a word. Also whether
    something is missing.
    """
    if len(text) <= room:
        return text, False
    kept = text[: room - 1]
    return kept[: max(kept.rfind("\n"), kept.rfind(" "), room // 2)].rstrip("\\ ") + "…", True


def _fold_rows(rows: Sequence[Row], room: int) -> str:
    """The first lines, as many as fit, and how many more are in the file."""
    shown: list[Row] = []
    left = room - 60
    was_fixed = False
    for text, fixed in rows:
        left -= len(text) + 1 + (8 if fixed and not was_fixed else 0)
        if left < 0:
            break
        shown.append((text, fixed))
        was_fixed = fixed
    more = (
        [f"… {len(rows) - len(shown)} more lines: see the file."] if len(rows) > len(shown) else []
    )
    return "\n".join([*([_join_rows(shown)] if shown else []), *more])


def build_button_rows(buttons: Sequence[Button], across: int = 0) -> list[Json]:
    """Rows of buttons, so many in each. What a button does is in its custom_id, so it works
    after a restart.
    """
    made = [_build_button(button) for button in buttons[: BUTTONS_IN_ROW * MAX_ROWS]]
    step = across or BUTTONS_IN_ROW
    return [{"type": _ROW, "components": made[at : at + step]} for at in range(0, len(made), step)]


def _build_button(button: Button) -> Json:
    made: Json = {
        "type": _BUTTON,
        "style": _STYLES.get(button.style, 2),
        "label": button.label[:MAX_LABEL],
    }
    if button.style == LINK and button.action.startswith("https:"):
        return made | {"style": _LINK, "url": button.action}
    if button.style == LINK:
        place = button.action.removeprefix(f"goto:{PLATFORM}")
        return made | {
            "style": _LINK,
            "url": _CHANNEL + (f"@me/{place[3:]}" if place.startswith("dm/") else place),
        }
    return made | {"custom_id": build_custom_id(button.action)}


def build_menu_rows(menus: Sequence[Menu]) -> list[Json]:
    """A row for each menu. What a choice does is its value, so it works after a restart."""
    return [
        {"type": _ROW, "components": [_build_select(menu, at)]} for at, menu in enumerate(menus)
    ]


def _build_select(menu: Menu, at: int) -> Json:
    options = [
        {
            "label": remove_invisible(entry.label)[:MAX_CUSTOM_ID].strip() or "?",
            "value": _fit_custom_id(entry.action),
            **(
                {"description": remove_invisible(entry.about)[:MAX_CUSTOM_ID]}
                if entry.about
                else {}
            ),
        }
        for entry in menu.entries[:MAX_CHOICES]
    ]
    return {
        "type": _SELECT,
        "custom_id": f"{MENU}{at}",
        "placeholder": remove_invisible(menu.label)[:150],
        "options": options,
    }


def build_custom_id(action: str) -> str:
    """The custom_id of a button. Raises ValueError for an action that does not fit: that would
    be our bug.
    """
    return _fit_custom_id(ACTION + action)


def _fit_custom_id(action: str) -> str:
    if len(action) > MAX_CUSTOM_ID:
        raise ValueError(f"the action {action[:40]}... is too long for a button")
    return action
