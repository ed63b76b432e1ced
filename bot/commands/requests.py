"""Somebody asks, another agrees or refuses, or it lapses; the messages that ask follow."""

from dataclasses import dataclass

from bot.commands.context import Amendment, Context
from bot.preferences.platform_words import get_manager_word
from bot.rules.errors import UserError
from bot.storage.records import Doc, DueRow
from bot.ui.reply.reply import OVER, Reply

LAPSES = "expires"
HOURS = 24
OPEN = HOURS * 3600.0
"""For how many seconds one place may agree to what was asked in another."""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """What is asked for: how it is stored until it is answered or lapses, and the messages
    (`topics`) that ask.

    `what` is what they asked for, as they say once it is over; where `game` is given, they also say
    when it lapses.
    """

    doc: Doc
    topics: tuple[str, ...]
    what: str = ""
    game: str = ""

    @property
    def _due_key(self) -> str:
        """Under which key it is stored when it lapses."""
        return f"{self.game}/{LAPSES}-{self.doc.key}"

    def register(self, context: Context) -> None:
        """It is open from now on."""
        context.commit.docs.append(self.doc)
        if self.game:
            at = self.doc.expires or 0.0
            context.commit.due.append(
                DueRow(self._due_key, at, LAPSES, {"topics": list(self.topics), "what": self.what})
            )

    def close(self, context: Context) -> None:
        """It is answered: nobody can do so again."""
        context.commit.drop_docs.append((self.doc.kind, self.doc.key))
        if self.game:
            context.commit.drop_due.append((self._due_key, None))

    def close_with_note(self, context: Context, how: str) -> None:
        """It is answered, and all its messages say how, without their buttons."""
        self.close(context)
        context.pressed_topic = context.pressed_topic or self.topics[0]
        for topic in self.topics:
            amend_request_message(context, topic, how, self.what)


async def load_open_request(
    context: Context, kind: str, key: str, gone: UserError, **about: object
) -> Doc:
    """The open request under this key, if it is about this. Raises `gone` otherwise."""
    doc = await context.store.load_doc(kind, key)
    if doc is None or any(doc.data[name] != value for name, value in about.items()):
        raise gone
    return doc


def need_place_manager(context: Context, what: str, *, option: str | None = None) -> None:
    """Raise UserError for who may not speak for this place: they manage no server of it, nor is
    it their own.
    """
    if not context.can_manage:
        raise UserError(
            f"Only a {get_manager_word(context.command.where.key)} can {what}.",
            option=option,
            code="not-manager",
        )


async def expire_request(context: Context, row: DueRow) -> None:
    """Nobody can agree any more: the messages that still ask say so."""
    context.commit.drop_due.append((row.key, row.at))
    for topic in row.data["topics"]:
        amend_request_message(
            context, str(topic), f"Expired after {HOURS} hours", str(row.data["what"])
        )


def amend_request_message(context: Context, about: str, how: str, what: str) -> None:
    """A request was answered: its message says how, without its buttons."""
    now = Reply(what[:1].upper() + what[1:], over=how, tone=OVER)
    context.amendments.append(Amendment(about, lambda _said: now, anywhere=True))
