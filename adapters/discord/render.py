"""A Reply as one Discord message: its first line is the content, the rest one embed, never both the
same.

Where embeds are not permitted all of it is content. What is too long folds: a summary, and the
whole text as a file.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from adapters.discord.permissions import NO_FILES, for_oneself, invite
from adapters.discord.request import ATTACH_FILES, EMBED_LINKS, EPHEMERAL, PLATFORM, Json, Request
from adapters.discord.text import PEN, bold, escaped, fenced, line
from bot.interface.reply.bars import COLUMNS, PHONE
from bot.interface.reply.parts import Entry, Part, Row, Rule, Small, drawn, part_lines
from bot.interface.reply.reply import (
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
    beside,
)
from bot.interface.typing.command_writer import CommandReader, plain_pen
from bot.rules.text.plain import visible

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
class Message:
    """A message as it is sent: its JSON, and the files with it."""

    body: Json
    files: tuple[File, ...] = ()


def render(reply: Reply, request: Request, *, late: bool | str = False) -> Message:
    """The message for a reply where `ask` came from. Nothing in it can ping but those whom the
    reply calls.
    """
    reply = _by_own_install(reply, request)
    files, notes = _files(reply, request)
    lead = _lead(reply, late=late)
    if reply.boxed or any(isinstance(part, Entry) for part in reply.lines):
        return Message(_list(reply, lead), files)
    rest = [*drawn(reply.shown, PEN, IN_A_BOX), *((note, False) for note in notes)]
    if request.may(EMBED_LINKS) and not reply.bare:
        body, folded = _embedded(reply, lead, rest)
    else:
        body, folded = _plain(reply, lead, rest)
    if folded:
        whole = File("answer.txt", reply.text(plain_pen(CommandReader.DISCORD)))
        if request.may(ATTACH_FILES):
            files = (*files, whole)
        else:
            body["content"] += f"\n(Too long to show here. {NO_FILES})"
    users = _called(reply)
    body["allowed_mentions"] = {"parse": [], "users": users} if users else {"parse": []}
    body["components"] = [*rows(reply.buttons, reply.across), *menu_rows(reply.menus)][:MAX_ROWS]
    if flags := (EPHEMERAL if reply.private else 0) | (QUIET if reply.quiet else 0):
        body["flags"] = flags
    return Message(body, files)


def _by_own_install(reply: Reply, request: Request) -> Reply:
    """The reply as it can be shown where somebody's own install asked: private where the server has
    it so, and what needs a game with the way to one."""
    ways = {
        "needs-game": (invite, "Add to a server"),
        "own-play": (for_oneself, "Add to my account"),
    }
    if request.owner and reply.code in ways:
        address, label = ways[reply.code]
        reply = replace(
            reply, buttons=(*reply.buttons, Button(address(request.application), label, LINK))
        )
    if request.hushed and not reply.private:
        reply = replace(reply, private=True, lines=(*reply.lines, Small(HUSHED)))
    return reply


def _list(reply: Reply, lead: str) -> Json:
    """A list in a box, each entry with its button beside it: no embed can do that, so it has
    Discord's newer layout.
    """
    inner: list[Json] = []
    for apart, run in groupby(reply.shown, key=lambda part: isinstance(part, Entry | Rule)):
        for one in (
            map(_entry, run)
            if apart
            else [{"type": _TEXT, "content": _joined(drawn(run, PEN, IN_A_BOX))}]
        ):
            inner += [{"type": _SEPARATOR}, one] if inner and not reply.boxed else [one]
    below = [*rows(reply.buttons, reply.across), *menu_rows(reply.menus)]
    if reply.boxed:
        lead = f"### {lead}" if reply.quiet else lead
        footer = (
            [{"type": _TEXT, "content": f"-# {escaped(_footer(reply))}"}] if reply.footer else []
        )
        inner = [{"type": _TEXT, "content": lead}, *inner, *footer, *below]
        below = []
    boxed: Json = {"type": _BOX, "components": inner, "accent_color": COLORS[reply.tone]}
    return {
        "components": [boxed] if reply.boxed else [{"type": _TEXT, "content": lead}, boxed, *below],
        "flags": _NEWER | (EPHEMERAL if reply.private else 0) | (QUIET if reply.quiet else 0),
        "allowed_mentions": {"parse": []},
    }


def _entry(part: Part) -> Json:
    if isinstance(part, Rule):
        return {"type": _SEPARATOR, "divider": part.is_drawn, "spacing": 1}
    text: Json = {"type": _TEXT, "content": "\n".join(part_lines(part, PEN, IN_A_BOX))}
    if not isinstance(part, Entry) or not part.label:
        return text
    return {"type": _SECTION, "components": [text], "accessory": _button(beside(part))}


def _joined(rows: Iterable[Row]) -> str:
    """Lines as one text, those of a fixed width that follow each other in one fence."""
    runs = (
        (fixed, [text for text, _ in run]) for fixed, run in groupby(rows, key=lambda row: row[1])
    )
    return "\n".join(fenced(texts) if fixed else "\n".join(texts) for fixed, texts in runs)


def _lead(reply: Reply, *, late: bool | str) -> str:
    said = (
        (late if isinstance(late, str) else LATE if late else "")
        + (REFUSED if reply.error else "")
        + _first(reply)
    )
    called = " ".join(f"<@{user}>" for user in _called(reply))
    if called and reply.tone == WAITING:  # a phone's notification shows its beginning
        return f"{called}, {said}"
    return f"{said} · {called}" if called else said


def _called(reply: Reply) -> list[str]:
    """Ids of those whom the reply calls here."""
    return [key.removeprefix("discord:") for key in reply.mention if key.startswith("discord:")]


def _first(reply: Reply) -> str:
    """The news in bold letters unless nothing happened, the cause in plain ones."""
    if reply.over:
        return f"{escaped(reply.over)}: ~~{escaped(reply.first)}~~"
    title = escaped(reply.title) if reply.tone in PLAIN or reply.error else bold(reply.title)
    return f"{title} · {line(reply.by)}" if reply.by else title


def _files(reply: Reply, request: Request) -> tuple[tuple[File, ...], list[str]]:
    """The files that can be sent, and a line for what cannot."""
    if reply.files and not request.may(ATTACH_FILES):
        return (), [escaped(f"The file cannot be sent. {NO_FILES}")]
    fitting = tuple(file for file in reply.files if len(file.data) <= request.file_size)
    if len(fitting) < len(reply.files):
        return fitting, ["The file is larger than Discord takes here; ask the host for it."]
    return fitting, []


def _embedded(reply: Reply, lead: str, rest: Sequence[Row]) -> tuple[Json, bool]:
    """Content and embed; whether something had to fold."""
    content, folded = _fitting(lead, MAX_CONTENT - 200)
    text = _joined(rest)
    if not text and reply.footer:  # an embed with a number alone is an empty box
        return {"content": f"{content}\n-# {escaped(_footer(reply))}", "embeds": []}, folded
    if len(text) > MAX_EMBED:
        text = _folded(rest, MAX_EMBED - 100)
        folded = True
    embed: Json = {"color": COLORS.get(OVER if reply.error else reply.tone, COLORS[GAME])}
    if text:
        embed["description"] = text
    if reply.footer:
        embed["footer"] = {"text": _footer(reply)[:MAX_FOOTER]}
    return {"content": content, "embeds": [embed] if len(embed) > 1 else []}, folded


def _plain(reply: Reply, lead: str, rest: Sequence[Row]) -> tuple[Json, bool]:
    """All in the content; whether something had to fold."""
    footer = [f"-# {escaped(_footer(reply))}"] if reply.footer else []
    whole = "\n".join([lead, *([_joined(rest)] if rest else []), *footer])
    if len(whole) <= MAX_CONTENT - 200:
        return {"content": whole, "embeds": []}, False
    room = MAX_CONTENT - 300 - len("\n".join(footer))
    first, _ = _fitting(lead, room)
    shown = _folded(rest, max(0, room - len(first)))
    return {"content": "\n".join([first, *([shown] if shown else []), *footer]), "embeds": []}, True


def _footer(reply: Reply) -> str:
    return visible(" · ".join(reply.footer))


def _fitting(text: str, room: int) -> tuple[str, bool]:
    """Whole lines that fit; a single line that is too long breaks at a word. Also whether
    something is missing.
    """
    if len(text) <= room:
        return text, False
    kept = text[: room - 1]
    return kept[: max(kept.rfind("\n"), kept.rfind(" "), room // 2)].rstrip("\\ ") + "…", True


def _folded(rows: Sequence[Row], room: int) -> str:
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
    return "\n".join([*([_joined(shown)] if shown else []), *more])


def rows(buttons: Sequence[Button], across: int = 0) -> list[Json]:
    """Rows of buttons, so many in each. What a button does is in its custom_id, so it works
    after a restart.
    """
    made = [_button(button) for button in buttons[: BUTTONS_IN_ROW * MAX_ROWS]]
    step = across or BUTTONS_IN_ROW
    return [{"type": _ROW, "components": made[at : at + step]} for at in range(0, len(made), step)]


def _button(button: Button) -> Json:
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
    return made | {"custom_id": custom_id(button.action)}


def menu_rows(menus: Sequence[Menu]) -> list[Json]:
    """A row for each menu. What a choice does is its value, so it works after a restart."""
    return [{"type": _ROW, "components": [_select(menu, at)]} for at, menu in enumerate(menus)]


def _select(menu: Menu, at: int) -> Json:
    options = [
        {
            "label": visible(entry.label)[:MAX_CUSTOM_ID].strip() or "?",
            "value": _fitting_id(entry.action),
            **({"description": visible(entry.about)[:MAX_CUSTOM_ID]} if entry.about else {}),
        }
        for entry in menu.entries[:MAX_CHOICES]
    ]
    return {
        "type": _SELECT,
        "custom_id": f"{MENU}{at}",
        "placeholder": visible(menu.label)[:150],
        "options": options,
    }


def custom_id(action: str) -> str:
    """The custom_id of a button. Raises ValueError for an action that does not fit: that would
    be our bug.
    """
    return _fitting_id(ACTION + action)


def _fitting_id(action: str) -> str:
    if len(action) > MAX_CUSTOM_ID:
        raise ValueError(f"the action {action[:40]}... is too long for a button")
    return action
