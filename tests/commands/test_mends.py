"""Errors that offer what mends them: a form only where one can, *Try again*, *Start a game*, and never another unit."""

from __future__ import annotations

import pytest

from bot.interface.form_units import known_items
from bot.interface.registry import registry
from bot.interface.reply import Reply, error_reply
from bot.interface.text import parse_text
from bot.rules.errors import UserError
from tests.playing import Channel, two_sides


async def offered(channel: Channel, line: str, reply: Reply | None = None) -> Reply:
    """A refusal as an adapter shows it."""
    typed = parse_text(line, registry())
    reply = reply or await channel.say("Anna", line)
    return await channel.app.forms.offered(reply, typed.spec, typed.options, channel.who("Anna"))


def labels(reply: Reply) -> list[str]:
    return [button.label for button in reply.buttons]


@pytest.mark.parametrize("line", ["log", "unit list", "game export", "game stats"])
async def test_where_no_game_is_played_one_can_be_started(line: str) -> None:
    reply = await offered(await Channel.fresh(), line)
    assert (reply.code, labels(reply)) == ("no-game", ["Start a game"])


async def test_too_fast_is_tried_again_as_it_was_asked() -> None:
    channel = await Channel.fresh()
    fast = error_reply(UserError("Slow down.", hint="Try again in 2 seconds.", code="over-budget"))
    line = 'lnlt fire attackers="squad fp=2" targets="squad morale=5"'
    for word, does in (("", "roll:"), (" odds", "count:"), (" secret", "roll:")):
        reply = await offered(channel, line + word, fast)
        assert labels(reply) == ["Try again"]
        assert reply.buttons[0].action.startswith(does)
    assert labels(await offered(channel, "log", fast)) == [], "nothing to fill in, nothing to keep"
    answer = await channel.press("Anna", reply.buttons[0].action)
    assert not answer.error


async def test_a_handle_is_never_taken_for_another() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    for line in ("lnlt fire attackers=us9 targets=vc1", "unit show us9", "unit edit us9 shaken"):
        reply = await offered(channel, line)
        assert reply.error
        assert "Did you mean" not in reply.text(), line
        assert not [label for label in labels(reply) if label.startswith("Fire")]
    reply = await offered(channel, 'lnlt fire attackers="Sqad 1" targets=vc1')
    assert labels(reply)[0] == "Fire with Squad 1"


def test_the_units_that_are_known_stay_in_the_field_of_one_that_is_not() -> None:
    from bot.rules.inputs.units import RosterUnit

    roster = (RosterUnit("Cavalry 1", "us1", "squad", "US"), RosterUnit("Cavalry 2", "us2", "squad", "US"))
    assert known_items("Cavalry 1, Cavarly 2", roster) == "Cavalry 1"
    assert known_items("Cavarly 1; us2, us1", roster) == "us2; us1"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("us4..us1", "counts downwards"),
        ("us1..us41", "41 units; at most 40 go at once"),
    ],
)
async def test_a_range_says_what_is_wrong_with_it(names: str, said: str) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.fails("Anna", f"lnlt fire attackers={names} targets=vc1", said)
    await channel.fails("Anna", f'unit add "Fox {names.replace("us", "")}" squad US', said)


@pytest.mark.parametrize("name", ["a, b", "side:US", "hex: H5", "#5", "-shaken", "+moved", "@Bob"])
async def test_names_that_mean_something_in_lists_are_refused_for_new_units(name: str) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    reply = await channel.fails("Anna", f'unit add "{name}" squad US', "The name")
    assert reply.code == "bad-name"


async def test_an_old_card_says_that_it_is_ones_own_go() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game initiative US")
    card = await channel.do("Anna", "game next")
    press = {button.label: button.action for button in card.buttons}
    if "Pass" not in press:
        card = await channel.do("Anna", "game next")
        press = {button.label: button.action for button in card.buttons}
    await channel.press("Anna", press["Pass"])
    told = await channel.press("Bob", press["Pass"])
    assert told.text().startswith("That card is old. It is your go.")
