"""The card of a seek, and its entry in a list."""

from bot.commands.seek.open_seeks import PACES, Seek
from bot.commands.seek.shared_hours import format_shared_hours
from bot.rules.proof.chain import shorten_hash
from bot.rules.text.phrase import capitalize_first, phrase
from bot.rulesets.system import System
from bot.ui.reply.parts import Entry, Part, Small
from bot.ui.reply.reply import WAITING, Button, Reply

IN_LIST = "list"
"""The last argument of buttons that are not on the card."""


def build_card(seek: Seek, system: System, origin: str = "") -> Reply:
    """Build the card of a seek for a game of `system`. It mentions nobody.

    `origin` says from where it comes, on the card for a linked server.
    """
    lines: list[Part] = []
    if seek.title != system.title:
        lines.append(system.title)
    lines.append(f"{capitalize_first(PACES[seek.pace])}. {describe_side(seek)}")
    if seek.counts:
        lines.append("Both games count." if seek.series else "The game counts.")
    if seek.text:
        lines.append(f"\u201c{seek.text}\u201d")
    if origin:
        lines.append(f"From {origin}. You play here, {seek.name} plays there.")
    else:
        lines.append(Small(phrase("To play it in another channel: `/seek play {id}`", id=seek.id)))
    buttons = (
        Button(f"seekplay:{seek.id}", "Play", "good"),
        Button(f"seekhours:{seek.id}", "Our hours"),
        Button(f"seekdrop:{seek.id}", "Withdraw"),
    )
    return Reply(
        seek.headline,
        tuple(lines),
        footer=(f"seek {seek.id}", f"commitment {shorten_hash(seek.commitment)}"),
        buttons=buttons,
        tone=WAITING,
        quiet=True,
    )


def describe_side(seek: Seek) -> str:
    """Return a sentence on who plays which side."""
    first, second = seek.sides
    if seek.series:
        return (
            f"Two games: each of you plays both {first} and {second}. "
            "A die roll decides who starts with which."
        )
    if not seek.side:
        return f"A die roll decides who plays {first} and who plays {second}."
    other = second if seek.side == first else first
    return f"{seek.name} plays {seek.side}, you play {other}."


def build_list_entry(seek: Seek, minutes: int | None, origin: str = "", *, is_own: bool) -> Entry:
    """Build the entry of a seek in a list, with the minutes that its writer shares with the reader
    in a week.

    `origin` says from where it comes, for a seek of a linked server.
    """
    about = f"{seek.name}, {PACES[seek.pace]}, {seek.id}"
    if is_own:
        return Entry(
            seek.title,
            about,
            "Your own seek",
            f"seekdrop:{seek.id}:{IN_LIST}",
            "Withdraw",
        )
    hours = capitalize_first(format_shared_hours(minutes))
    if minutes:
        hours += " together"
    text = f"{hours}. {describe_side(seek)}"
    if origin:
        text += f" From {origin}."
    return Entry(seek.title, about, text, f"seekplay:{seek.id}:{IN_LIST}", "Play")
