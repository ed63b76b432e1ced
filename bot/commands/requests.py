"""Requests: a user asks for something, and another one agrees or refuses, or the request lapses.
The messages that ask are reworded then.
"""

from dataclasses import dataclass

from bot.commands.context import Amendment, Context
from bot.preferences.platform_words import get_manager_word
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.storage.records import Doc, DueRow
from bot.ui.reply.reply import OVER, Reply

LAPSES = "expires"
HOURS = 24
OPEN = HOURS * 3600.0
"""Seconds during which a channel may agree to a request that was made in another one."""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """A request that awaits an answer.

    `doc` is its stored form, `topics` are those of the messages that ask. `subject` is the title
    of these messages once the request is closed. With the row of a `game`, the messages are also
    reworded when the request lapses.
    """

    doc: Doc
    topics: tuple[str, ...]
    subject: str = ""
    game: str = ""

    @property
    def _due_key(self) -> str:
        """The storage key of the time at which the request lapses."""
        return f"{self.game}/{LAPSES}-{self.doc.key}"

    def register(self, context: Context) -> None:
        """Store the request with the command, so that it can be answered.

        With a `game`, also plan the time at which it lapses.
        """
        context.commit.docs.append(self.doc)
        if self.game:
            data = {"topics": list(self.topics), "what": self.subject}
            due_time = self.doc.expires or 0.0
            context.commit.due.append(DueRow(self._due_key, due_time, LAPSES, data))

    def close(self, context: Context) -> None:
        """Delete the request, and the planned time of its lapse: nobody can answer it any more."""
        context.commit.drop_docs.append((self.doc.kind, self.doc.key))
        if self.game:
            context.commit.drop_due.append((self._due_key, None))

    def close_with_note(self, context: Context, note: str) -> None:
        """Delete the request, and replace its messages with its subject and the `note` on how it
        was answered. They lose their buttons.
        """
        self.close(context)
        context.pressed_topic = context.pressed_topic or self.topics[0]
        for topic in self.topics:
            amend_request_message(context, topic, note, self.subject)


async def load_open_request(
    context: Context, kind: str, key: str, command: str, **expected: object
) -> Doc:
    """Return the open request of this kind under this key.

    `command` is the one that asks again, such as `game end`. Raises UserError if there is none, or
    if its data differ from the `expected` values.
    """
    doc = await context.store.load_doc(kind, key)
    if doc is None or any(doc.data[name] != value for name, value in expected.items()):
        raise UserError(
            "That request is no longer open.",
            hint=phrase("`/{command}` asks again.", command=command),
            code="not-asked",
        )
    return doc


def need_place_manager(context: Context, action: str, *, option: str | None = None) -> None:
    """Raise UserError for a user who may not speak for this channel: they do not manage its
    server, and it is not their own conversation with the bot.

    `action` completes the sentence "Only a manager can ...".
    """
    if not context.can_manage:
        manager_word = get_manager_word(context.command.where.key)
        raise UserError(
            f"Only a {manager_word} can {action}.",
            option=option,
            code="not-manager",
        )


async def expire_request(context: Context, row: DueRow) -> None:
    """Reword the messages of a request that has lapsed, and remove what was due."""
    context.commit.drop_due.append((row.key, row.at))
    note = f"Expired after {HOURS} hours"
    for topic in row.data["topics"]:
        amend_request_message(context, str(topic), note, str(row.data["what"]))


def amend_request_message(context: Context, topic: str, note: str, subject: str) -> None:
    """Replace the message about `topic` with the subject of its request and the `note` on how it
    was closed, without buttons. This also applies to direct messages.
    """
    new_reply = Reply(subject[:1].upper() + subject[1:], over=note, tone=OVER)
    context.amendments.append(Amendment(topic, lambda _reply: new_reply, anywhere=True))
