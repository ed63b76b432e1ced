"""Every command's form, held to Slack's limits."""

from __future__ import annotations

import json

import pytest

from adapters.slack.modal import (
    ROOM,
    build_command_choice_view,
    build_form_view,
    find_block,
    read_meta,
    read_state,
)
from adapters.slack.request import SlackRequest
from bot.commands.dispatch import load_shared_registry
from bot.forms.drafts import Draft
from bot.rules.inputs.units import RosterUnit
from bot.ui.form.form import build_form
from bot.ui.form.submission import evaluate_form
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import parse_text
from bot.ui.typing.complete import CompletionContext
from tests.standins.slack import check_view

ROSTER = tuple(
    RosterUnit(f"Squad with a rather long name {number}"[:32], f"us{number}", "squad", "US")
    for number in range(300)
)
NOTHING = CompletionContext()
MUCH = CompletionContext(
    ROSTER, ("US", "VC"), tuple(f"Player {number}" for number in range(200)), "US", "lnlt"
)
ASK = SlackRequest(
    "T1",
    "C1",
    "U1",
    "slack:T1:1",
    response_url="https://hooks.slack.com/commands/" + "x" * 200,
    until=2e9,
)
SPECS = list(load_shared_registry())


def draft(spec: CommandSpec, page: int = 0, message: str = "") -> Draft:
    return Draft("0123456789abcdef", spec.path, {}, "slack:T1/U1", page, message=message)


@pytest.mark.sample(1)
@pytest.mark.parametrize("known", [NOTHING, MUCH], ids=["nothing", "much"])
def test_slack_takes_the_form_of_every_command(known: CompletionContext) -> None:
    for spec in SPECS:
        if not spec.options:
            continue
        example = (
            dict(parse_text(spec.example, load_shared_registry()).options) if spec.example else {}
        )
        for given, page, odds in (({}, 0, []), (example, 1, ["Fox 8: shaken *53%*"])):
            form, held = (
                build_form(spec, given, known, ROOM),
                draft(spec, page, "Something was wrong."),
            )
            view = build_form_view(form, held, spec, ASK, odds)
            assert check_view(view) == [], spec.name
            assert len(json.dumps(view)) < 250_000
            asked = {block.get("block_id") for block in view["blocks"] if block["type"] == "input"}
            assert {find_block(form, held, option.name) for option in spec.options} <= asked
            assert find_block(form, held, "no such option") in asked


def test_the_fire_form_stands_on_one_screen() -> None:
    fire, _ = load_shared_registry().find(["lnlt", "fire"])
    form = build_form(fire, {}, CompletionContext(ROSTER[:9], ("US", "VC"), (), "US", "lnlt"), ROOM)
    view = build_form_view(form, draft(fire), fire, ASK)
    assert (view["title"]["text"], view["submit"]["text"]) == ("Direct fire", "Fire")
    labels = [block["label"]["text"] for block in view["blocks"] if block["type"] == "input"]
    assert labels == ["Who's firing", "Targets", "Terrain (TM)", "Modifiers", "What now?"]
    modifiers = next(
        block["element"] for block in view["blocks"] if block.get("block_id") == "?flags"
    )
    assert modifiers["type"] == "multi_static_select"
    assert modifiers["options"][0]["text"]["text"] == "Adjacent +2"
    assert [one["text"]["text"] for one in view["blocks"][-1]["elements"]] == [
        "Show the odds",
        "More fields",
    ]
    assert not any(block.get("dispatch_action") for block in view["blocks"]), (
        "nothing is sent before odds are shown"
    )
    more = build_form_view(form, draft(fire, 1), fire, ASK, ["Fox 8: shaken *53%*"])
    labels = [block["label"]["text"] for block in more["blocks"] if block["type"] == "input"]
    assert {"Leader's modifier", "Degrading hexes", "Hero's skill"} <= set(labels)
    assert all(
        block.get("dispatch_action")
        for block in more["blocks"]
        if block.get("block_id") == "targets"
    )


def test_slack_takes_the_list_behind_every_name() -> None:
    for name in load_shared_registry().top_names:
        if load_shared_registry().list_children((name,)):
            view = build_command_choice_view((name,), load_shared_registry(), ASK)
            assert check_view(view) == [], name
            select = view["blocks"][0]["element"]
            groups = select.get("option_groups", [{"options": select.get("options")}])
            listed = {choice["value"] for group in groups for choice in group["options"]}
            assert listed == {
                " ".join(spec.path) for spec in load_shared_registry().list_below((name,))
            }


def test_a_form_gives_what_its_example_gave() -> None:
    """What stands in the fields of a form that was filled in from an example means the same
    command.
    """
    for spec in SPECS:
        if (
            not spec.example
            or not spec.options
            or any(option.type == "file" for option in spec.options)
        ):
            continue
        given = dict(parse_text(spec.example, load_shared_registry()).options)
        form = build_form(spec, given, NOTHING, ROOM)
        filled = read_state(form, _state(build_form_view(form, draft(spec, 1), spec, ASK)))
        got = evaluate_form(spec, NOTHING, form, filled).options
        for name in given.keys() | got.keys():
            option = spec.find_option(name)
            assert option is not None
            default = "False" if option.type == "bool" else str(option.default)
            was, now = (_as_said(one.get(name), default) for one in (given, got))
            if option.complete == "channel":
                assert name not in got, "a mere name is no channel"
            elif option.type == "units":
                assert [part.strip() for part in now.split(";")] == [
                    part.strip() for part in was.split(";")
                ]
            else:
                assert sorted(now.split()) == sorted(was.split()), (spec.name, name)


def _as_said(value: object, default: str) -> str:
    said = {"yes": "True", "no": "False"}.get(str(value), str(value))
    return "" if value is None or said == default else said


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
    spec, _ = load_shared_registry().find(["lnlt", "fire"])
    state = {
        "attackers": {"value": {"type": "plain_text_input", "value": "squad fp=2;\n\nsquad fp=1\n"}}
    }
    form = build_form(spec, {}, NOTHING, ROOM)
    assert evaluate_form(spec, NOTHING, form, read_state(form, state)).options == {
        "attackers": "squad fp=2; squad fp=1"
    }


def test_a_form_remembers_its_command_and_where_its_answer_goes() -> None:
    spec, _ = load_shared_registry().find(["lnlt", "fire"])
    view = build_form_view(build_form(spec, {}, NOTHING, ROOM), draft(spec), spec, ASK) | {
        "id": "V1"
    }
    meta = read_meta(view, "U2")
    path, request = meta.path, meta.request
    assert path == ("lnlt", "fire")
    assert (meta.draft, meta.counts) == ("0123456789abcdef", False)
    assert (request.team, request.channel, request.user, request.response_url) == (
        "T1",
        "C1",
        "U2",
        ASK.response_url,
    )
    assert request.request_id == read_meta(view, "U2").request.request_id


def test_a_channel_is_picked_from_slacks_own_list() -> None:
    """A name typed into a text box would lead the game nowhere."""
    spec = load_shared_registry().find(["game", "transfer"])[0]
    form = build_form(spec, {"channel": "#C2"}, NOTHING, ROOM)
    (field,) = (
        b["element"]
        for b in build_form_view(form, draft(spec), spec, ASK)["blocks"]
        if "element" in b
    )
    assert field["type"] == "conversations_select"
    assert field["initial_conversation"] == "C2"
    assert read_state(form, {"channel": {"value": {"selected_conversation": "C3"}}}) == {
        "channel": "C3"
    }
