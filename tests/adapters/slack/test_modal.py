"""Every command's form, held to Slack's limits."""

from __future__ import annotations

import json

import pytest

from adapters.slack.modal import block_of, form_view, opens_form, pick_view, read_meta, read_state
from adapters.slack.request import Request
from bot.interface.complete import Known
from bot.interface.registry import registry
from bot.interface.text import parse_text
from bot.rules.inputs.units import RosterUnit
from tests.standins.slack import check_view

ROSTER = tuple(
    RosterUnit(f"Squad with a rather long name {number}"[:32], f"us{number}", "squad", "US") for number in range(300)
)
NOTHING = Known()
MUCH = Known(ROSTER, ("US", "VC"), tuple(f"Player {number}" for number in range(200)), "US", "lnlt")
ASK = Request("T1", "C1", "U1", "slack:T1:1", response_url="https://hooks.slack.com/commands/" + "x" * 200, until=2e9)
SPECS = list(registry())


@pytest.mark.parametrize("known", [NOTHING, MUCH], ids=["nothing", "much"])
def test_slack_takes_the_form_of_every_command(known: Known) -> None:
    for spec in SPECS:
        if spec.options:
            example = dict(parse_text(spec.example, registry()).options) if spec.example else {}
            for given in ({}, example):
                view = form_view(spec, ASK, given, known)
                assert check_view(view) == [], spec.name
                assert len(json.dumps(view)) < 250_000
                asked = {block.get("block_id") for block in view["blocks"]}
                assert {block_of(spec, option.name) for option in spec.options} <= asked
                assert block_of(spec, "no such option") in asked


def test_slack_takes_the_list_behind_every_name() -> None:
    for name in registry().top:
        if registry().children((name,)):
            view = pick_view((name,), registry(), ASK)
            assert check_view(view) == [], name
            select = view["blocks"][0]["element"]
            groups = select.get("option_groups", [{"options": select.get("options")}])
            listed = {choice["value"] for group in groups for choice in group["options"]}
            assert listed == {" ".join(spec.path) for spec in registry().below((name,))}


def test_a_form_gives_what_its_example_gave() -> None:
    """What stands in the fields of a form that was filled in from an example means the same command."""
    for spec in SPECS:
        if not spec.example or not spec.options or any(option.type == "file" for option in spec.options):
            continue
        given = dict(parse_text(spec.example, registry()).options)
        got = read_state(spec, _state(form_view(spec, ASK, given, NOTHING)))
        defaults = {option.name: str(option.default) for option in spec.options if option.default is not None}
        for name, value in given.items():
            if name == "mods":
                assert set(str(value).split()) <= {*str(got.get("mods", "")).split(), *got}
            elif spec.option(name).complete == "channel":  # type: ignore[union-attr]
                assert name not in got, "a mere name is no channel"
            elif spec.option(name).type != "units":  # type: ignore[union-attr]
                assert str(got.get(name)) == str(value), (spec.name, name)
        for name in got.keys() - given.keys() - {"mods"}:
            assert str(got[name]) in (defaults.get(name), "True", "False"), (spec.name, name)


def _state(view: dict[str, object]) -> dict[str, dict[str, dict[str, object]]]:
    from tests.standins.slack.views import filled

    blocks = view["blocks"]
    assert isinstance(blocks, list)
    return {
        block["block_id"]: {block["element"]["action_id"]: filled(block["element"], None)}
        for block in blocks
        if block["type"] == "input"
    }


def test_units_may_stand_on_lines_of_their_own() -> None:
    spec, _ = registry().find(["lnlt", "fire"])
    state = {"attackers": {"value": {"type": "plain_text_input", "value": "squad fp=2;\n\nsquad fp=1\n"}}}
    assert read_state(spec, state) == {"attackers": "squad fp=2; squad fp=1"}


def test_a_form_remembers_its_command_and_where_its_answer_goes() -> None:
    spec, _ = registry().find(["lnlt", "fire"])
    view = form_view(spec, ASK, {}, NOTHING) | {"id": "V1"}
    path, request = read_meta(view, "U2")
    assert path == ("lnlt", "fire")
    assert (request.team, request.channel, request.user, request.response_url) == ("T1", "C1", "U2", ASK.response_url)
    assert request.request_id == read_meta(view, "U2")[1].request_id


def test_which_commands_open_a_form() -> None:
    opened = {spec.name for spec in SPECS if opens_form(spec, {})}
    assert {"/roll", "/lnlt fire", "/game start", "/unit add"} <= opened
    assert opened.isdisjoint({"/log", "/again", "/game status", "/help", "/game link"})


def test_a_channel_is_picked_from_slacks_own_list() -> None:
    """A name typed into a text box would lead the game nowhere."""
    spec = registry().find(["game", "transfer"])[0]
    (field,) = (b["element"] for b in form_view(spec, ASK, {"channel": "#C2"}, NOTHING)["blocks"] if "element" in b)
    assert field["type"] == "conversations_select"
    assert field["initial_conversation"] == "C2"
    assert read_state(spec, {"channel": {"value": {"selected_conversation": "C3"}}}) == {"channel": "C3"}
