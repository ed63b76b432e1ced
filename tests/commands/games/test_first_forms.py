"""The forms of the first hour: Start a game, Add units, Choose games."""

from __future__ import annotations

import pytest

from adapters.discord.modal import ROOM, build_modal
from adapters.slack.modal import ROOM as SLACK
from bot.rules.errors import UserError
from bot.ui.form.form import Form, build_form
from bot.ui.form.submission import FormResult, evaluate_form
from bot.ui.spec import CommandSpec
from tests.playing import Channel


async def opened(
    channel: Channel, name: str, what: str, *, manager: bool = False
) -> tuple[CommandSpec, Form]:
    """The form that a button opens for somebody."""
    app, who = channel.app, channel.who(name, manager=manager)
    draft = await app.forms.open_draft(what, who, channel.place)
    spec = await app.get_form_spec(draft, channel.place)
    return spec, build_form(
        spec, draft.options, await app.get_completion_context(channel.place, who), ROOM
    )


async def submitted(
    channel: Channel, name: str, what: str, filled: dict[str, object], *, manager: bool = False
) -> str:
    """What a form comes to that was filled in so."""
    spec, form = await opened(channel, name, what, manager=manager)
    who = channel.who(name, manager=manager)
    taken: FormResult = evaluate_form(
        spec, await channel.app.get_completion_context(channel.place, who), form, filled
    )
    assert taken.problem is None
    called = await channel.app.resolve_command(spec, taken.options, who, channel.place)
    reply = await channel.app.run_parsed(
        called.spec, called.options, who, channel.place, f"form-{name}-{what}"
    )
    assert not reply.error, reply.format_text()
    return reply.format_text()


async def test_start_a_game_names_the_games_and_the_scenarios() -> None:
    channel = await Channel.fresh()
    _, form = await opened(channel, "Anna", "game start")
    assert (form.title, form.verb) == ("Start a game", "Start")
    games = form.find_field("system")
    assert games is not None
    assert [pick.label for pick in games.picks][2:4] == [
        "Lock 'n Load Tactical",
        "No Honor in Surrender",
    ]
    assert games.picks[2].about == "Lock 'n Load Publishing"
    scenarios = form.find_field("scenario")
    assert scenarios is not None
    assert ("The Ford at Dawn · 13 units", "Lock 'n Load Tactical") in [
        (p.label, p.about) for p in scenarios.picks
    ]
    assert [field.label for field in form.fields] == ["Game", "Scenario", "Title", "Sides"]
    assert form.find_field("?flags") is None, "nothing to carry over"
    assert not any(field.needed for field in form.fields)
    said = str(build_modal(form, "k"))
    assert "Carry" not in said
    assert "Modifiers" not in said


async def test_an_opponent_is_sought_for_no_scenario_that_plays_itself() -> None:
    _, form = await opened(await Channel.fresh(), "Anna", "seek game")
    scenarios = form.find_field("scenario")
    assert scenarios is not None
    labels = [pick.label for pick in scenarios.picks]
    assert "The Ford at Dawn · 13 units" in labels
    assert not [label for label in labels if "Alone" in label]


async def test_a_scenario_alone_starts() -> None:
    channel = await Channel.fresh()
    text = await submitted(
        channel, "Anna", "game start", {"scenario": ["lnlt/ford"], "system": [], "name": ""}
    )
    assert 'Anna starts "The Ford at Dawn" · Lock \'n Load Tactical' in text
    assert "US: 7 units, VC: 6 units" in text
    _, form = await opened(channel, "Anna", "game start")
    flags = form.find_field("?flags")
    assert flags is not None
    assert [pick.label for pick in flags.picks] == ["Carry the roster over"]
    assert flags.label == "Also"


async def test_a_game_alone_starts_under_its_own_name() -> None:
    channel = await Channel.fresh()
    assert 'starts "No Honor in Surrender"' in await submitted(
        channel, "Anna", "game start", {"system": ["nhis"]}
    )
    other = await Channel.fresh()
    _, form = await opened(other, "Anna", "game start system=nhis")
    scenarios = form.find_field("scenario")
    assert scenarios is not None
    assert [pick.value.partition("/")[0] for pick in scenarios.picks] == ["nhis"]
    await other.refused("Anna", "game start", "missing system")


async def test_add_units_has_the_types_and_numbers_of_the_game() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt sides="US, VC"', "game join US")
    spec, form = await opened(channel, "Anna", "unit add")
    assert (form.title, form.verb) == ("Add units", "Add")
    kinds = form.find_field("type")
    assert kinds is not None
    assert "squad" in [pick.value for pick in kinds.picks]
    sides = form.find_field("side")
    assert sides is not None
    assert [pick.label for pick in sides.picks] == ["US", "VC"]
    wide = build_form(
        spec,
        {},
        await channel.app.get_completion_context(channel.place, channel.who("Anna")),
        SLACK,
    )
    assert [field.kind for field in wide.fields if field.name in ("morale", "fp")] == [
        "number",
        "number",
    ]
    filled = {"name": "Squad 1..2", "type": ["squad"], "side": ["US"], "morale": "5", "fp": "2"}
    text = await submitted(channel, "Anna", "unit add", dict(filled))
    assert "2 units" in text
    assert "morale 5" in (await channel.do("Anna", "unit show us1")).format_text()


async def test_rule_sets_are_five_ticks_and_refused_before_the_form() -> None:
    channel = await Channel.fresh()
    with pytest.raises(UserError, match="server manager") as caught:
        await opened(channel, "Anna", "setup systems")
    assert caught.value.code == "not-manager"
    _, form = await opened(channel, "Boss", "setup systems", manager=True)
    (field,) = form.fields
    assert field.kind == "ticks"
    assert [pick.chosen for pick in field.picks] == [True] * 5
    assert field.picks[0].label.startswith("Advanced Squad Leader")
    text = await submitted(
        channel, "Boss", "setup systems", {"systems": ["lnlt", "ucn"]}, manager=True
    )
    assert "Enabled here: lnlt, ucn" in text
    _, form = await opened(channel, "Boss", "setup systems", manager=True)
    assert [pick.value for pick in form.fields[0].picks if pick.chosen] == ["lnlt", "ucn"]
