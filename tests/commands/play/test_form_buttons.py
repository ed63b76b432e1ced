"""Buttons that open a form filled in, own dice on a keypad, and a draft that runs once."""

from __future__ import annotations

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.commands.play.answer_buttons import build_change_button
from bot.rules.errors import UserError
from bot.ui.form.form_buttons import build_form_button
from bot.ui.reply.reply import OPEN_FORM, Reply, build_error_reply
from bot.ui.typing.command_text import parse_text
from tests.playing import Channel

FIRE = ("lnlt", "fire")


async def opened(channel: Channel, name: str, action: str) -> dict[str, object]:
    """What the form is filled in with that a button opens."""
    assert action.startswith(OPEN_FORM)
    draft = await channel.app.forms.open_draft(
        action.removeprefix(OPEN_FORM), channel.who(name), channel.place
    )
    assert draft.path == FIRE
    return dict(draft.options)


def faces(reply: Reply) -> dict[str, str]:
    """The buttons of an answer by their labels."""
    return {button.label: button.action for button in reply.buttons}


async def test_a_shot_is_changed_with_its_own_inputs_by_whoever_presses() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'lnlt fire attackers="squad fp=4" targets="squad morale=5" tm=1 adjacent hand=1,6'
    )
    game = await channel.app.games.load_current(channel.place.key)
    assert game is not None
    button = build_change_button(game.row, 2)
    assert button.label == "Change…"
    given = {"attackers": "squad fp=4", "targets": "squad morale=5", "tm": "1", "adjacent": True}
    for name in ("Anna", "Bob"):
        assert await opened(channel, name, button.action) == given
    title = (
        await channel.app.forms.open_draft(f"event:{game.row}:2", channel.who("Bob"), channel.place)
    ).title
    assert title == "Change the shot of #2"


@pytest.mark.parametrize(
    "what", ["event:0123456789abcdef:2", "event:x", "event:", "draft:x", "draft:"]
)
async def test_a_button_without_a_form_says_so(what: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "roll 2d6")
    with pytest.raises(UserError) as refused:
        await channel.app.forms.open_draft(what, channel.who("Anna"), channel.place)
    assert refused.value.code in ("other-game", "used-up", "not-repeatable")


async def test_fire_on_the_board_and_on_a_card_keeps_what_belongs_to_the_firer() -> None:
    """As the bare command does: the leader's modifier, neither the target's terrain nor units nor
    ticks; what the button says goes first.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US")
    await channel.do("Bob", "game join VC")
    await channel.do("Anna", "lnlt fire us1 vc1 tm=2 lm=1 adjacent hand=1,6")
    assert await opened(channel, "Anna", "form:lnlt fire") == {"lm": "1"}
    card = await channel.do("Anna", "unit show us2")
    assert await opened(channel, "Anna", faces(card)["Fire with it"]) == {
        "lm": "1",
        "attackers": "us2",
    }
    assert await opened(channel, "Anna", "form:lnlt fire us2 lm=0") == {
        "lm": "0",
        "attackers": "us2",
    }
    assert await opened(channel, "Bob", "form:lnlt fire") == {}


async def test_a_units_card_opens_a_form_with_the_unit_in_it() -> None:
    channel = await Channel.fresh()
    button = build_form_button(
        FIRE, {"attackers": "us3", "tm": 1}, "Fire with it", load_shared_registry()
    )
    assert button.action == "form:lnlt fire attackers=us3 tm=1"
    assert await opened(channel, "Anna", button.action) == {"attackers": "us3", "tm": "1"}
    long = build_form_button(
        FIRE,
        {"attackers": "us3", "targets": "squad morale=5; " * 9},
        "Fire",
        load_shared_registry(),
    )
    assert await opened(channel, "Anna", long.action) == {"attackers": "us3"}, (
        "no button holds more than it can"
    )


async def test_own_dice_one_by_one_and_nothing_is_saved_before_the_last() -> None:
    channel = await Channel.fresh()
    short = await channel.say(
        "Anna", 'lnlt fire attackers="squad fp=4" targets="squad morale=5" hand=6'
    )
    assert short.code == "die-owed"
    spec = load_shared_registry().get(FIRE)
    assert spec is not None
    options = {"attackers": "squad fp=4", "targets": "squad morale=5", "hand": "6"}
    keypad = await channel.app.corrections.offer_correction(
        short, spec, options, channel.who("Anna")
    )
    assert keypad.title == "Got 1 die. Next: defense (d6)"
    assert [*faces(keypad)] == ["1", "2", "3", "4", "5", "6", "Start over"]
    assert keypad.private
    assert (await channel.press("Bob", faces(keypad)["1"])).error, "it is Anna's"
    last = await channel.press("Anna", faces(keypad)["1"])
    assert last.title == "Got 2 dice. Next: damage check squad (d6)"
    assert await channel.app.games.load_current(channel.place.key) is None, "nothing is saved yet"
    first = await channel.press("Anna", faces(last)["Start over"])
    assert first.title == "Next: attack (d6)"
    fired = await channel.press("Anna", faces(last)["3"])
    assert not fired.private
    assert "rolled by hand" in fired.format_text()
    assert "Already done" in (await channel.press("Anna", faces(last)["5"])).format_text()


async def test_a_clear_mistake_is_put_right_by_a_button_that_fires_once() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt Hill", 'unit add "Cell 1..3" squad VC morale=5')
    options = {"attackers": "squad fp=4", "targets": "Cell 33"}
    refused = await channel.say("Anna", 'lnlt fire attackers="squad fp=4" targets="Cell 33"')
    spec = load_shared_registry().get(FIRE)
    assert spec is not None
    led = await channel.app.corrections.offer_correction(
        refused, spec, options, channel.who("Anna")
    )
    assert [*faces(led)] == ["Fire at Cell 3", "Fix it"]
    assert led.format_body() == [
        "Did you mean Cell 3?",
        "Nothing was rolled; your other choices are kept.",
    ]
    again = await channel.app.corrections.offer_correction(
        refused, spec, options, channel.who("Anna")
    )
    assert again.format_body() == ["Did you mean Cell 3?"], "said once"
    draft = await channel.app.forms.open_draft(
        faces(led)["Fix it"].removeprefix(OPEN_FORM), channel.who("Anna"), channel.place
    )
    assert (draft.wrong, dict(draft.options)) == ("targets", options)
    assert draft.message.startswith("There is no Cell 33. Did you mean Cell 3?")
    assert not (await channel.press("Anna", faces(led)["Fire at Cell 3"])).error
    with pytest.raises(UserError) as used:
        await channel.app.forms.open_draft(f"draft:{draft.key}", channel.who("Anna"), channel.place)
    assert used.value.code == "used-up"


async def test_what_no_form_can_mend_gets_no_button() -> None:
    channel = await Channel.fresh()
    again = load_shared_registry().get(("again",))
    assert again is not None
    refused = build_error_reply(
        UserError("There is nothing to repeat yet.", code="nothing-to-repeat")
    )
    assert (
        await channel.app.corrections.offer_correction(refused, again, {}, channel.who("Anna"))
    ).buttons == ()


@pytest.mark.parametrize(
    ("start", "line", "buttons"),
    [
        ("asl scenario=canal", "game settings rule=fog", []),
        ("ucn scenario=causeway", "game settings rule=fog", ["Fix it"]),
        ("ucn scenario=causeway", "game settings rule=element-deck=maybe", ["Fix it"]),
    ],
)
async def test_a_rule_of_a_game_without_any_has_no_form_to_fix_it(
    start: str, line: str, buttons: list[str]
) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {start}")
    anna = channel.who("Anna")
    typed = await channel.app.parse_line(line, channel.place, anna)
    refused = await channel.say("Anna", line)
    offered = await channel.app.corrections.offer_correction(
        refused, typed.spec, typed.options, anna
    )
    assert [button.label for button in offered.buttons] == buttons
    for button in offered.buttons:
        draft = await channel.app.forms.open_draft(
            button.action.removeprefix(OPEN_FORM), anna, channel.place
        )
        assert draft.wrong == "rule"
        assert draft.message


US1 = {"attackers": "us1", "targets": "vc1", "tm": "2"}


@pytest.mark.parametrize(
    ("line", "kept", "wrong"),
    [
        ("lnlt fire us1 vc1 tm=2 depth=3 adjacent", {**US1, "adjacent": True}, "depth"),
        ("lnlt fire us1 vc1 tm=2 tm=3", US1, "tm"),
        ('lnlt fire us1 targets="vc1; vc2', {"attackers": "us1", "targets": "vc1; vc2"}, ""),
        ("log abc unit=us1", {"unit": "us1"}, "count"),
    ],
)
async def test_a_line_that_cannot_be_read_opens_its_form_with_all_that_fits(
    line: str, kept: dict[str, object], wrong: str
) -> None:
    channel = await Channel.fresh()
    with pytest.raises(UserError) as refused:
        parse_text(line, load_shared_registry())
    draft = await channel.app.forms.open_draft(line, channel.who("Anna"), channel.place)
    assert draft.options == kept
    assert (draft.wrong, draft.message) == (wrong, str(refused.value))
