"""More text than a command may have is refused before anybody looks into it, whichever way it
comes in.
"""

import pytest

from adapters.form_handling import OpenForm
from adapters.slack.text import get_text_after_mention, remove_markup
from bot.forms.drafts import Draft
from bot.rules.errors import UserError
from bot.rules.inputs.options import MAX_TEXT
from bot.ui.form.form import Form
from bot.ui.sizes import FILE, MAX_TEXTS, check_sizes
from bot.ui.spec import Command
from bot.ui.typing.command_text import MAX_LENGTH, parse_text
from bot.ui.typing.complete import CompletionContext
from tests.playing import Channel


class Unread(str):
    """A text that nobody may look into; its length is all that may be asked."""

    __slots__ = ()

    def _fail(self, *_: object, **__: object) -> str:
        pytest.fail("a text that is too long was looked into")

    __iter__ = __getitem__ = __contains__ = _fail  # type: ignore[assignment]
    strip = lstrip = split = splitlines = casefold = lower = replace = encode = isprintable = (  # type: ignore[assignment]
        isascii
    ) = _fail  # type: ignore[assignment]


LONG = Unread("a" * (MAX_TEXT + 1))
HALVES = {"name": "a" * MAX_TEXT, "type": "a" * MAX_TEXT, "side": Unread("a")}


@pytest.mark.parametrize(
    "options", [{"name": LONG}, HALVES, {f"o{number}": 1 for number in range(61)}]
)
async def test_a_command_with_too_much_text_is_refused_by_its_length(
    options: dict[str, object],
) -> None:
    channel = await Channel.fresh()
    spec = channel.app.find_spec(("unit", "add"))
    anna = channel.who("Anna")
    reply = await channel.app.run(Command(spec.path, options, anna, channel.place, "r1", spec=spec))
    assert reply.code == "too-long"
    with pytest.raises(UserError):
        await channel.app.resolve_command(spec, options, anna, channel.place)
    with pytest.raises(UserError):
        OpenForm(
            Draft("key", spec.path, {}, anna.key), spec, CompletionContext(), Form("", "", (), {})
        ).read_filled(options)


async def test_completion_leaves_out_an_option_that_is_too_long() -> None:
    channel = await Channel.fresh()
    found = await channel.app.complete_option(
        ("unit", "add"), "type", "a", {"name": LONG}, channel.who("Anna"), channel.place
    )
    assert isinstance(found, tuple)


def test_a_file_may_be_longer_and_counts_for_itself() -> None:
    check_sizes(
        {
            FILE: Unread("a" * 1_000_000),
            "text": "a" * MAX_TEXT,
            "name": "a" * (MAX_TEXTS - MAX_TEXT),
        }
    )


async def test_a_line_of_a_message_is_refused_by_its_length() -> None:
    channel = await Channel.fresh()
    for text in ("<@" * 20_000, "&lt;" * 10_000, "a" * (MAX_LENGTH + 1)):
        line = remove_markup(get_text_after_mention(text, "U1"))
        assert len(line) == MAX_LENGTH + 1
        with pytest.raises(UserError, match="too long"):
            parse_text(line, channel.app.registry)
        assert (await channel.say("Anna", line)).code == "too-long"
