"""Optional rules: each game switches its own, they fill in what nobody typed, and the answer
says so.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rules.errors import TableError
from bot.rules.shapes import Part, check_shape
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.game_keys import GAME, PARTS
from bot.rulesets.optional_rules import check_rules, read_rules
from bot.ui.form.form import FLAGS, Room, build_form
from bot.ui.form.submission import evaluate_form
from bot.ui.typing.complete import CompletionContext, complete_option
from bot.verification.check_file import check
from tests.forging import rechained
from tests.playing import Channel
from tools import verify_log

SHOT = 'generic attack attackers="infantry attack=11" targets="infantry defense=5"'

pytestmark = pytest.mark.usefixtures("packs")


async def crossroads() -> Channel:
    """Anna and Bob at the crossroads, Anna with the attack."""
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start generic "Crossroads" sides="Blue, Red"', "game join Blue")
    await channel.do("Bob", "game join Red")
    return channel


async def test_a_rule_is_switched_on_counts_where_nobody_typed_it_and_is_named() -> None:
    channel = await crossroads()
    plain = await channel.do("Anna", f"{SHOT} hand=4")
    assert "column 2-1" in plain.format_text()
    assert "By rule" not in plain.format_text()
    switched = await channel.do("Anna", "game settings rule=fog=on")
    assert switched.title == "Anna: rule fog on"
    foggy = await channel.do("Anna", f"{SHOT} hand=4")
    assert "Fog" in foggy.format_text()
    assert "column 1-1" in foggy.format_text()
    assert "By rule: Fog of war" in foggy.format_text().splitlines()
    typed = await channel.do("Anna", f"{SHOT} fog=no hand=4")
    assert "column 2-1" in typed.format_text(), "what is typed goes first"
    assert "By rule" not in typed.format_text()
    both = await channel.do("Anna", f"{SHOT} fog hand=4")
    assert "column 1-1" in both.format_text()
    assert "By rule" not in both.format_text()
    off = await channel.do("Anna", "game settings rule=fog=off")
    assert off.title == "Anna: rule fog off"
    assert "column 2-1" in (await channel.do("Anna", f"{SHOT} hand=4")).format_text()


async def test_status_board_and_settings_show_what_is_in_force_and_undo_takes_it_back() -> None:
    channel = await crossroads()
    assert "Optional rules" not in (await channel.do("Anna", "game status")).format_text()
    assert "Fog of war: off (" in (await channel.do("Anna", "game settings")).format_text()
    await channel.do("Anna", "game settings rule=fog")
    assert "Optional rules: Fog of war" in (await channel.do("Anna", "game status")).format_text()
    assert "Optional rules: Fog of war" in (await channel.do("Anna", "game board")).format_text()
    assert "Fog of war: on (" in (await channel.do("Anna", "game settings")).format_text()
    assert "rule fog on" in (await channel.do("Anna", "log")).format_text()
    await channel.do("Anna", "game undo")
    assert "Optional rules" not in (await channel.do("Anna", "game status")).format_text()
    await channel.do("Anna", "game redo")
    assert (await channel.game()).rules == {"fog": True}


@pytest.mark.parametrize(
    ("typed", "refused"),
    [
        ("mist=on", "bad-value rule"),
        ("fog=maybe", "bad-value rule"),
        ("fog=off", "no-change rule"),
        ("fog=on,night=on", "bad-value rule"),
        ("@everyone", "bad-value rule"),
    ],
)
async def test_what_is_no_rule_or_no_change_is_refused(typed: str, refused: str) -> None:
    channel = await crossroads()
    await channel.refused("Anna", f"game settings rule={typed}", refused)


async def test_only_who_directs_the_game_switches_and_only_games_with_rules_have_any() -> None:
    channel = await crossroads()
    await channel.refused("Carl", "game settings rule=fog", "not-master")
    other = await Channel.fresh()
    await other.do("Anna", 'game start lnlt "Hill" sides="US, VC"')
    await other.refused("Anna", "game settings rule=fog", "not-in-system rule")
    free = await Channel.fresh()
    await free.do("Anna", "roll 2d6")
    await free.refused("Anna", "game settings rule=fog", "no-system rule")


async def test_odds_and_the_roll_under_them_go_by_the_rule() -> None:
    channel = await crossroads()
    before = await channel.do("Anna", f"{SHOT} odds")
    await channel.do("Anna", "game settings rule=fog")
    odds = await channel.do("Anna", f"{SHOT} odds")
    assert odds.format_text() != before.format_text()
    assert "By rule: Fog of war" in odds.format_text()
    typed = await channel.do("Anna", f"{SHOT} fog odds")
    assert odds.format_text().removesuffix("\nBy rule: Fog of war") == typed.format_text()
    [roll, *_] = odds.buttons
    rolled = await channel.press("Anna", roll.action)
    assert "column 1-1" in rolled.format_text()
    assert "By rule: Fog of war" in rolled.format_text()


async def test_a_form_begins_with_the_rule_and_can_do_without() -> None:
    channel = await crossroads()
    await channel.do("Anna", "game settings rule=fog")
    app, who = channel.app, channel.who("Anna")
    spec = app.registry.get(("generic", "attack"))
    assert spec is not None
    given = {"attackers": "infantry attack=11", "targets": "infantry defense=5", "hand": "4"}
    draft = await app.forms.create_draft(spec, given, who)
    spec = await app.get_form_spec(draft, channel.place)
    known = await app.get_completion_context(channel.place, who)
    form = build_form(spec, draft.options, known, Room())
    ticks = form.find_field(FLAGS)
    assert ticks is not None
    assert {pick.value: pick.chosen for pick in ticks.picks}["fog"]

    async def sent(**filled: Any) -> str:
        options = evaluate_form(spec, known, form, filled).options
        return (
            await app.run_parsed(spec, options, who, channel.place, f"f{len(filled)}{filled}")
        ).format_text()

    assert "column 1-1" in await sent()
    assert "column 1-1" in await sent(**{FLAGS: ["fog"]})
    assert "column 2-1" in await sent(**{FLAGS: []})


async def test_the_export_holds_the_choice_and_both_verifiers_know_it() -> None:
    channel = await crossroads()
    await channel.do("Anna", "game settings rule=fog", "game undo", "game redo", f"{SHOT} hand=4")
    await channel.do(
        "Anna", "game settings rule=fog=off answers=compact", f"{SHOT} hand=4", "fair reveal"
    )
    [file] = (await channel.do("Anna", "game export")).files
    log = json.loads(file.data)
    bodies = [event["body"] for event in log["events"]]
    said = [body["result"] for body in bodies if body["kind"] == "settings"]
    assert said == ["rule fog on", "compact answers, rule fog off"]
    assert [body["inputs"].get("fog") for body in bodies if body["kind"] == "sequence"] == [
        True,
        None,
    ]
    found = check(log)
    assert found.faults == ()
    assert found.status == 0, "both shots are played again"
    assert verify_log.check(log).faults == []
    elsewhere = await Channel.fresh()
    spec = elsewhere.app.find_spec(("game", "import"))
    brought = await elsewhere.app.run_parsed(
        spec, {"file": file.data.decode()}, elsewhere.who("Anna"), elsewhere.place, "i"
    )
    assert not brought.error, brought.format_text()
    assert (await elsewhere.game()).rules == {"fog": False}


async def test_names_are_completed() -> None:
    spec = load_shared_registry().get(("game", "settings"))
    assert spec is not None
    found = complete_option(
        spec, "rule", "", load_shared_registry(), CompletionContext(system="generic"), {}
    )
    assert [one.name for one in found] == ["Fog of war: on", "Fog of war: off"]
    assert [one.value for one in found] == ["fog=on", "fog=off"]


BAD = [
    ([], "must be {name: {...}}, not a list"),
    ({"Fog of war": {"title": "Fog"}}, "lowercase letters"),
    ({"fog": {"title": "Fog", "set": {}}}, "Did you mean sets?"),
    ({"fog": {"sets": {"attack": {"fog": True}}}}, "title is missing"),
    ({"fog": {"title": "Fog"}}, "sets must be"),
    ({"fog": {"title": "Fog", "sets": {"attack": {}}}}, "sets must be"),
    (
        {"fog": {"title": "Fog", "default": "yes", "sets": {"attack": {"fog": True}}}},
        "true or false",
    ),
    ({"fog": {"title": "Fog", "sets": {"attacks": {"fog": True}}}}, "Did you mean attack?"),
    ({"fog": {"title": "Fog", "sets": {"attack": {"fogg": True}}}}, "Did you mean fog?"),
    ({"fog": {"title": "Fog", "sets": {"attack": {"attackers": "infantry"}}}}, "can be left out"),
    ({"fog": {"title": "Fog", "sets": {"attack": {"ground": "swamp"}}}}, "ground must be"),
    (
        {name: {"title": "Fog", "sets": {"attack": {"fog": True}}} for name in ("fog", "mist")},
        "set by the rule fog",
    ),
    ({f"r{n}": {"title": "R", "sets": {"attack": {"fog": True}}} for n in range(30)}, "at most 20"),
]


@pytest.mark.parametrize(("rules", "fault"), BAD)
def test_what_is_wrong_in_a_pack_is_said_when_it_is_loaded(rules: Any, fault: str) -> None:
    inputs = {
        id: sequence.inputs for id, sequence in find_shared_system("generic").sequences.items()
    }
    file = "few/game.yaml"

    def read() -> None:
        check_shape({"rules": rules}, "game", {**PARTS, "game": Part(GAME)}, file)
        check_rules(read_rules(rules, file), inputs, {"units": {}}, file)

    with pytest.raises(TableError) as error:
        read()
    assert fault in str(error.value)
    assert str(error.value).startswith("few/game.yaml, row rules")


FORGED = [
    {"result": "rule fog off"},
    {"after": {"game": {"rules": {"fog": "yes"}}}},
    {"after": {"game": {"rules": {"fog": True, "mist": True}}}},
    {"before": {"game": {"rules": {"fog": True}}}},
]


@pytest.mark.parametrize("change", FORGED, ids=str)
async def test_a_log_that_says_otherwise_is_forged(change: dict[str, Any]) -> None:
    channel = await crossroads()
    await channel.do("Anna", "game settings rule=fog")
    [file] = (await channel.do("Anna", "game export")).files
    log = json.loads(file.data)
    log["events"][-1]["body"] |= change
    forged = rechained(log)
    assert any("chain" not in fault for fault in check(forged).faults)
