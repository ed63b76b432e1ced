"""Errors that offer what mends them: a form only where one can, *Try again*, *Start a game*, and
never another unit.
"""

from __future__ import annotations

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.commands.turns.turn_card import _close_card
from bot.rules.errors import UserError
from bot.rules.text.phrase import Phrase, Typed
from bot.ui.form.unit_menu import keep_roster_items
from bot.ui.reply.reply import Button, Reply, build_error_reply
from bot.ui.typing.command_text import parse_text
from tests.playing import HERE, Channel, two_sides


async def offered(channel: Channel, line: str, reply: Reply | None = None) -> Reply:
    """A refusal as an adapter shows it."""
    typed = parse_text(line, load_shared_registry())
    reply = reply or await channel.say("Anna", line)
    return await channel.app.corrections.offer_correction(
        reply, typed.spec, typed.options, channel.who("Anna")
    )


def labels(reply: Reply) -> list[str]:
    return [button.label for button in reply.buttons]


@pytest.mark.parametrize("line", ["log", "unit list", "game export", "game stats"])
async def test_where_no_game_is_played_one_can_be_started(line: str) -> None:
    reply = await offered(await Channel.fresh(), line)
    assert (reply.code, labels(reply)) == ("no-game", ["Start a game"])


async def test_too_fast_is_tried_again_as_it_was_asked() -> None:
    channel = await Channel.fresh()
    fast = build_error_reply(
        UserError("Slow down.", hint="Try again in 2 seconds.", code="over-budget")
    )
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
        assert "Did you mean" not in reply.format_text(), line
        assert not [label for label in labels(reply) if label.startswith("Fire")]
    for meant in (
        '"Sqad 1"',
        "squad1",
        '"squad1"',
        "squad1,us2",
    ):  # a name without its blank reads like a handle, and is none
        reply = await offered(channel, f"lnlt fire attackers={meant} targets=vc1")
        assert labels(reply)[0] == "Fire with Squad 1", meant


async def test_dice_too_many_are_no_target_and_an_unknown_unit_leads_to_the_list() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    reply = await offered(channel, "lnlt fire us1 vc1 hand=6,1,6,6")
    assert labels(reply)[0] == "Fire with 6,1,6"
    reply = await offered(channel, "unit show gun1")
    assert "/unit list shows them all." in reply.format_text()


def test_the_units_that_are_known_stay_in_the_field_of_one_that_is_not() -> None:
    from bot.rules.inputs.units import RosterUnit

    roster = (
        RosterUnit("Cavalry 1", "us1", "squad", "US"),
        RosterUnit("Cavalry 2", "us2", "squad", "US"),
    )
    assert keep_roster_items("Cavalry 1, Cavarly 2", roster) == "Cavalry 1"
    assert keep_roster_items("Cavarly 1; us2, us1", roster) == "us2; us1"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("us4..us1", "counts downwards"),
        ("us1..us41", "41 units; the limit is 40 at once"),
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
    assert told.format_text().startswith("That card is out of date. It's your move.")
    assert told.private
    assert "Pass" in labels(told), "the buttons of the card of now"


async def test_change_of_a_game_that_is_over_opens_no_form() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    fired = await channel.do("Anna", 'lnlt fire attackers="Squad 1" targets="Cell 1"')
    change = next(
        button.action
        for button in (fired.announce or fired).buttons
        if button.label.startswith("Change")
    )
    who, where = channel.who("Anna"), HERE
    assert (await channel.app.forms.open_draft(change.removeprefix("form:"), who, where)).options
    await channel.do("Anna", "game end confirm")
    with pytest.raises(UserError, match="is over") as refused:
        await channel.app.forms.open_draft(change.removeprefix("form:"), who, where)
    assert refused.value.code == "game-ended"


async def test_who_edits_a_unit_of_the_enemy_is_named_and_its_owner_is_called() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    own = await channel.do("Anna", 'unit edit "Squad 1" state=shaken')
    assert (own.title, own.mention) == ("Anna edits Squad 1", ())
    theirs = await channel.do("Anna", 'unit edit "Cell 1" state=shaken')
    assert theirs.title == "Anna edits Cell 1"


def test_no_join_button_is_left_when_a_game_is_over() -> None:
    said = Reply(
        "Start",
        buttons=(
            Button("join:g:US", "Join US"),
            Button("next:g:1.0.x", "Next"),
            Button("log:g", "Log"),
        ),
    )
    bare = _close_card(said)
    assert bare is not None
    assert labels(bare) == ["Log"]
    assert labels(_close_card(Reply("Start", buttons=said.buttons[:1])) or said) == []
    assert _close_card(Reply("Start")) is None


@pytest.mark.parametrize(
    "line",
    [
        "lnlt fire us2 vc1",
        'lnlt fire "Rifle 2" vc1',
        "lnlt rally us2",
        "unit show us2",
        'unit edit "Rifle 2" shaken',
    ],
)
async def test_who_is_no_longer_on_the_roster_is_named_and_nobody_else_is_offered(
    line: str,
) -> None:
    """A menu or form that was open when the unit was removed says so too; who never was there is
    as unknown as ever.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US")
    card = await channel.do("Anna", "unit list")
    entry = next(
        one for menu in card.menus for one in menu.entries if one.label.startswith("Rifle 2")
    )
    await channel.do("Anna", "unit remove us2")
    reply = await offered(channel, line)
    assert (reply.title, reply.code) == ("Rifle 2 is no longer on the roster.", "unknown-unit")
    assert not any("Rifle 3" in label for label in labels(reply))
    assert (await channel.press("Anna", entry.action)).title == reply.title
    assert "no longer" not in (await offered(channel, "lnlt fire us1 vc99")).title


async def test_a_form_sent_without_anybody_asks_who() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US")
    reply = await offered(channel, "lnlt fire targets=vc1")
    assert reply.title == "Who's firing? lnlt fire needs at least one unit in attackers."


async def test_the_card_that_starts_a_game_says_nothing_twice() -> None:
    """The Join buttons are under it, and its commands are written as commands."""
    started = await (await Channel.fresh()).do("Anna", "game start lnlt scenario=ford")
    assert "Sides: " not in started.format_text(), "the line of units names them"
    assert "Join one" not in started.format_text()
    said = [getattr(part, "text", part) for part in started.lines]
    typed = [
        one
        for part in said
        if isinstance(part, Phrase)
        for one in part.pieces
        if isinstance(one, Typed)
    ]
    assert typed == ["/unit list", "/fair add"]


async def test_asl_says_fpf_and_takes_a_weapon_by_its_type() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal", "game join British")
    seen: set[str] = set()
    for _ in range(9):
        seen |= {*labels(await channel.do("Anna", "game next"))}
    assert "FPF check" in seen
    await channel.do("Anna", 'unit add "Gun 1" gun British')
    for line in ("unit=Bren sustained_fire", 'unit="Gun 1" intensive_fire'):
        assert not (await channel.say("Anna", f"asl malfunction {line} hand=3,3")).error
    assert (await channel.say("Anna", "asl malfunction unit=Bren intensive_fire hand=3,3")).error
    spec = load_shared_registry().get(("asl", "recover"))
    assert spec is not None
    option = spec.find_option("weapon")
    assert option is not None
    assert option.likely == ("own", "support-weapon", "gun")


async def test_dice_is_offered_only_where_a_die_is_hidden() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US")
    one = await channel.do("Anna", "lnlt fire us1 vc1 hand=1,6")
    assert "Dice" not in labels(one)
    await channel.do("Anna", "game end confirm", "game start baps scenario=farm", "game join US")
    many = await channel.do("Anna", "baps fire attackers=all targets=all range=10")
    assert "Dice" in labels(many)


def test_names_are_no_longer_than_they_may_be_on_discord() -> None:
    for path, name, longest in ((("unit", "add"), "name", 40), (("macro", "add"), "name", 24)):
        spec = load_shared_registry().get(path)
        assert spec is not None
        option = spec.find_option(name)
        assert option is not None
        assert option.max == longest


async def test_the_buttons_of_a_card_that_is_over_bring_those_of_now() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "game join US")
    card = await channel.do("Anna", "game next")
    now = labels(await channel.do("Anna", "game next"))
    for label in ("Next phase", "Initiative"):
        told = await channel.press(
            "Anna", next(one.action for one in card.buttons if one.label == label)
        )
        assert (told.title, told.code) == ("That phase is over.", "phase-over")
        assert set(labels(told)) <= set(now)
        assert "Next turn" in labels(told) or "Next phase" in labels(told)
