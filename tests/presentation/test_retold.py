"""The log told as a story: who, with what, at whom, and what came of it, from inputs and dice
alone.
"""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from bot.game.game_log import LoggedText
from bot.presentation.events import (
    EventText,
    collect_event_texts,
    describe_event,
    describe_outcome,
    describe_past_outcome,
    format_dice,
    format_log_line,
)
from bot.presentation.multi_unit_play import find_actual_results, plan_plays, read_shot
from bot.presentation.play_record import build_event_facts
from bot.presentation.run_sequence import run_sequence
from bot.presentation.story import build_chapters
from bot.rules.dice import Die
from bot.rules.proof.fair import Stream
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from tests.packs.conftest import packs as packs
from tests.packs.conftest import use_packs as use_packs

SIDES = ("US", "VC")


class Lowest:
    """Every die shows its first face."""

    def draw(self, die: Die) -> int | str:
        return die.faces[0] if die.faces else 1


def played(name: str, sequence: str, *, number: int = 7) -> dict[str, Any]:
    """The event of a sequence's own example, as the log keeps it."""
    found = find_shared_system(name).find_sequence(sequence)
    spec: Any = None
    _, record = run_sequence(found, spec, found.example, "Anna", Lowest(), {})
    facts = json.loads(
        json.dumps(build_event_facts((name, sequence), record, find_shared_system(name)))
    )
    return {"number": number, "who": "p1", "side": "US", "kind": "sequence", **facts}


def who(_person: str) -> str:
    return "Anna"


@pytest.mark.parametrize(
    ("name", "sequence", "sentence"),
    [
        ("lnlt", "fire", "2 squads fire: "),
        ("lnlt", "melee", "A US squad, a hero and a leader fight: "),
        ("nhis", "fire", "A US squad and an MG fire: "),
        ("ucn", "shoot", "2 rifles, an LMG and an SMG shoot: the target "),
        ("baps", "fire", "5 soldiers fire with 4 bolt-action rifles and a belt-fed LMG: "),
        ("asl", "flame-attack", "The AFV "),
        ("baps", "vehicle-fire", "The tank is missed (Anna fires at a vehicle: medium gun)"),
    ],
)
def test_a_shot_says_who_with_what_and_at_whom(name: str, sequence: str, sentence: str) -> None:
    told = describe_event(played(name, sequence), load_shared_systems(), who, "", SIDES).sentence
    assert told.startswith(sentence), told


@pytest.mark.parametrize("name", sorted(load_shared_systems()))
def test_every_sequence_can_be_told_and_its_stored_result_stays(name: str) -> None:
    for sequence in load_shared_systems()[name].sequences:
        event = played(name, sequence)
        before = json.dumps(event)
        told = describe_event(event, load_shared_systems(), who, "", SIDES)
        assert told.sentence, sequence
        assert told.sentence[0].isupper() or told.sentence[0].isdigit(), told.sentence
        assert "side a" not in told.sentence
        assert "side b" not in told.sentence
        assert "none" not in told.sentence.casefold().split(), told.sentence
        assert json.dumps(event) == before


def missed(**more: Any) -> dict[str, Any]:
    """A miss as the log keeps it; `out` is of another edition, so that nothing can be played
    again.
    """
    units = [
        {"name": "M48 Patton", "handle": "us1", "type": "armored-vehicle", "side": "US"},
        {"name": "PT-76", "handle": "vc1", "type": "armored-vehicle", "side": "VC"},
    ]
    return {
        "number": 27, "who": "p1", "side": "US", "kind": "sequence", "command": "lnlt ordnance-vehicle",
        "system": "lnlt", "target": "ordnance-vehicle", "inputs": {"unit": "us1", "target": "vc1"},
        "dice": [{"label": "to hit", "sides": 6, "value": 5}], "out": {"hit": False}, "edition": 1,
        "result": "miss", "used": units, "acting": ["M48 Patton"], **more,
    }  # fmt: skip


def test_a_miss_of_an_older_edition_names_firer_and_target() -> None:
    assert (
        describe_event(missed(), load_shared_systems(), who).sentence
        == "US M48 Patton fires at PT-76: miss"
    )
    assert (
        format_log_line(missed(), load_shared_systems(), who)
        == "#27 Anna (US): M48 Patton fires at PT-76: miss [5]"
    )


def test_a_shot_of_a_pack_that_is_gone_has_its_title_once() -> None:
    gone = {"number": 9, "who": "p1", "side": "", "kind": "sequence", "command": "mud fire", "system": "mud",
            "target": "fire", "result": "two hits", "out": {}, "edition": "0" * 64}  # fmt: skip
    assert format_log_line(gone, load_shared_systems(), who) == "#9 Anna: mud fire: two hits"


def test_an_event_is_told_without_playing_it_again() -> None:
    event = played("lnlt", "melee")
    assert format_log_line(event, load_shared_systems(), who) != format_log_line(
        event, load_shared_systems(), who, replayed=False
    )
    assert format_log_line(event, load_shared_systems(), who, replayed=False).startswith(
        "#7 Anna (US): "
    )


def test_what_todays_rules_make_differently_is_told_as_it_was_stored() -> None:
    event = played("lnlt", "fire")
    event = {
        **event,
        "out": {**event["out"], "of": "another edition"},
        "result": "no effect in those days",
    }
    assert (
        describe_event(event, load_shared_systems(), who).sentence
        == "No effect in those days (Anna fires)"
    )


def test_what_two_sides_do_together_is_of_neither() -> None:
    assert describe_event(
        missed(acting=["M48 Patton", "PT-76"]), load_shared_systems(), who
    ).sentence.startswith("M48 Patton and PT-76 fire")


def test_initiative_and_phases_name_the_side() -> None:
    rolled = {"number": 3, "who": "p1", "side": "", "kind": "sequence", "system": "lnlt", "target": "initiative",
              "command": "lnlt initiative", "result": "side b has the initiative", "out": {}, "edition": 1}  # fmt: skip
    assert (
        describe_event(rolled, load_shared_systems(), who, "", SIDES).result
        == "VC keeps the initiative"
    ), "it changed nothing"
    assert describe_event(rolled, load_shared_systems(), who).result == "side b has the initiative"
    given = {"number": 4, "who": "p1", "side": "US", "kind": "initiative", "result": "US"}
    assert (
        format_log_line(given, load_shared_systems(), who) == "#4 Anna (US): US has the initiative"
    )
    phase = {"number": 5, "who": "p1", "side": "US", "kind": "next", "result": "turn 2, Operations phase",
             "after": {"game": {"go": ["VC"]}}}  # fmt: skip
    assert (
        format_log_line(phase, load_shared_systems(), who)
        == "#5 Anna (US): Turn 2, Operations phase begins, VC first"
    )


def names(person: str) -> str:
    return {"p1": "Anna", "p2": "Bob"}[person]


def game(**facts: Any) -> dict[str, Any]:
    """What an event made of its game."""
    return {"game": facts}


THROWN = {"inputs": {"dice": "2d6"}, "result": "8", "dice": [{"value": 3}, {"value": 5}]}
NEW = {"before": {"units": {}}, "after": {"units": {"a": {"name": "US 1"}, "b": {"name": "US 2"}}}}
OLD = {"before": {"units": {"a": {"name": "US 1"}}}, "after": {"units": {"a": {"name": "US 9"}}}}


@pytest.mark.parametrize(
    ("kind", "event", "line", "sentence"),
    [
        ("roll", THROWN, "the bridge: 2d6: 8 [3][5]", "The bridge: 8 (Anna, 2d6)"),
        ("roll", {**THROWN, "hand": True}, "the bridge: 2d6: 8 [3][5] (rolled by hand)", "The bridge: 8 (Anna, 2d6)"),
        ("next", {"result": "turn 2, Rally phase", "after": game(go=["US", "VC"])}, "Turn 2, Rally phase begins", ""),
        ("next", {"result": "turn 2, US, Fire phase", "after": game(go=["US"])}, "Turn 2, US, Fire phase begins", ""),
        ("pass", {"result": "US passes; turn 1, End phase"}, "US passes; turn 1, End phase", "US passes"),
        ("initiative", {"result": "US", "after": game(initiative="US")}, "US takes the initiative", ""),
        ("initiative", {"result": "US", "after": game()}, "US keeps the initiative", ""),
        ("start", {"result": "turn 1", "after": game(name="Ford")}, '"Ford" begins', '"Ford" begins (Anna)'),
        ("start", {"result": "turn 1", "after": game()}, "free play begins", "Free play begins (Anna)"),
        ("join", {"result": "US"}, "plays US", "Anna plays US"),
        ("unit", {"result": "2 units added", **NEW}, "US 1 + 2 added", "US 1 + 2 added (Anna)"),
        ("unit", {"result": "US 1 renamed", **OLD}, "US 1 renamed", "US 1 renamed (Anna)"),
        ("sealed", {"result": "2d6"}, "A sealed roll", "A sealed roll (Anna)"),
        ("reveal", {"opens": [3, 4]}, "Opened: #3, #4, the bridge", "Opened: #3, #4, the bridge (Anna)"),
        ("plan", {"result": "#1", "texts": {}}, "Planned #1: the bridge", "Planned #1: the bridge (Anna)"),
        ("plan", {"result": "shown"}, "Plan shown", "Plan shown (Anna)"),
        ("end", {"result": "#3", "after": game(winner="draw")},
         "The game ends: a draw. “the bridge” Opened: #3.", "The game ends: a draw. “the bridge” Opened: #3. (Anna)"),
        ("undo", {"event": 7}, "takes back #7", "Takes back #7 (Anna)"),
        ("undo", {"event": 7, "alone": True},
         "takes back #7, alone in the game", "Takes back #7, alone in the game (Anna)"),
        ("undo", {"event": 7, "asked": "p2"}, "lets Bob take back #7", "Lets Bob take back #7 (Anna)"),
        ("undo", {"event": 7, "asked": "p2", "by": "manager"},
         "lets Bob take back #7, as manager", "Lets Bob take back #7, as manager (Anna)"),
        ("redo", {"event": 7, "asked": "p2"}, "lets Bob bring back #7", "Lets Bob bring back #7 (Anna)"),
        ("resume", {}, "resumes the game", "Resumes the game (Anna)"),
        ("order", {"result": "a1"}, "sealed orders: a1", "Sealed orders: a1 (Anna)"),
        ("link", {"result": "on"}, "link: on", "Link: on (Anna)"),
    ],
)  # fmt: skip
def test_each_kind_of_event_has_its_line_in_the_log_and_in_the_story(
    kind: str, event: dict[str, Any], line: str, sentence: str
) -> None:
    event = {"number": 8, "who": "p1", "side": "US", "kind": kind, "command": kind, **event}
    # of a pass it is the whole result, with the chit by its name
    text = "the bridge" if kind != "pass" else ""
    assert (
        format_log_line(event, load_shared_systems(), names, text, SIDES) == f"#8 Anna (US): {line}"
    )
    assert describe_event(event, load_shared_systems(), names, text, SIDES).sentence == (
        sentence or line
    )


def test_the_words_of_what_is_closed_are_told_by_nobody() -> None:
    events = [
        {"number": 1, "kind": "roll"},
        {"number": 2, "kind": "sealed"},
        {"number": 3, "kind": "reveal", "opens": [2]},
    ]
    rows = [
        LoggedText("g", 1, "label", "", "the bridge"),
        LoggedText("g", 2, "label", "", "an ambush"),
        LoggedText("g", 2, "text", "", "a plan"),
    ]
    assert collect_event_texts(events, rows, {2}, {}) == {1: "the bridge"}
    assert collect_event_texts(events, rows, (), {}) == {
        1: "the bridge",
        2: "an ambush",
        3: "an ambush",
    }


def test_units_that_are_only_counted_are_told_by_their_results_behind_it() -> None:
    counted = EventText(
        "5 of 9 VC are killed", "squad 1 fires", details="killed: VC 1 to 5", acts=True, side="US"
    )
    assert counted.short == "US squad 1 fires: 5 of 9 VC are killed"
    assert counted.sentence == "US squad 1 fires: 5 of 9 VC are killed (killed: VC 1 to 5)"


def test_who_came_into_play_in_a_shot_is_told_with_it() -> None:
    heroes = {
        "after": {"units": {"h": {"name": "Hero 1"}, "k": {"name": "Hero 2"}}},
        "before": {"units": {}},
    }
    assert describe_event(missed(**heroes), load_shared_systems(), who).sentence.endswith(
        "miss, Hero 1 + 2 come into play"
    )


def test_the_story_goes_by_turn_and_phase_and_leaves_out_what_is_none() -> None:
    def event(number: int, kind: str, **more: Any) -> dict[str, Any]:
        return {"number": number, "who": "p1", "side": "US", "kind": kind, **more}

    begun = {"game": {"name": "Hill 875"}}
    log = [
        event(1, "start", result="turn 1, Rally phase", after=begun),
        event(2, "fair", result="a text was added"),
        event(3, "next", result="turn 1, Operations phase"),
        missed(number=4),
        event(5, "undo", event=4),
        event(6, "pass", result="US passes; turn 2, Rally phase"),
        event(7, "end", after={"game": {"ended": True, "winner": "US"}}),
    ]
    chapters = build_chapters(
        log, load_shared_systems(), who, {7: "The hill is taken."}, SIDES, undone={4}
    )
    assert [chapter.heading for chapter in chapters] == [
        "",
        "Turn 1, Operations phase",
        "Turn 2, Rally phase",
    ]
    fired, passed = chapters[1].told
    assert fired.undone
    assert fired.dice == "[5]"
    assert passed.sentence == "US passes"
    assert chapters[2].told[0].sentence == "The game ends: US wins. “The hill is taken.” (Anna)"


def test_what_came_up_is_known_also_where_a_passenger_bails_out_unhurt() -> None:
    sequence, spec = find_shared_system("lnlt").find_sequence("bail-out"), cast("Any", None)
    for seed in range(8):
        _, record = run_sequence(
            sequence, spec, sequence.example, "Anna", Stream(bytes([seed]), "g", 1), {}
        )
        event = json.loads(
            json.dumps(build_event_facts(("lnlt", "bail-out"), record, find_shared_system("lnlt")))
        )
        shot = read_shot(event, sequence, {})
        assert find_actual_results(shot, plan_plays(sequence, shot.raw, shot.roster)), seed


@pytest.mark.parametrize(
    ("winner", "ends", "ended"),
    [
        ("US", ": US wins", "US won"),
        ("Rangers", ": Rangers win", "Rangers won"),
        ("draw", ": a draw", "a draw"),
        ("", "", ""),
    ],
)
def test_the_outcome_of_a_game_fits_its_winner(winner: str, ends: str, ended: str) -> None:
    assert describe_outcome(winner) == ends
    assert describe_past_outcome(winner) == ended


def test_the_story_names_drawn_cards_as_the_log_does() -> None:
    event = {
        **played("lnlt", "fire"),
        "dice": [{"label": "card", "sides": 3, "value": 2, "deck": "ops"}],
        "read": {"deck.ops": "ace king queen"},
    }
    assert format_dice(event, load_shared_systems()) == "[king]"
    (chapter,) = build_chapters([event], load_shared_systems(), who, {}, SIDES)
    assert chapter.told[0].dice == "[king]"
    assert format_log_line(event, load_shared_systems(), who).endswith("[king]")


def test_a_card_drawn_from_a_deck_of_the_game_has_its_name(packs: None) -> None:
    event = {
        **played("salt-road", "attack"),
        "dice": [{"label": "Fate", "sides": 2, "value": 2, "deck": "fate"}],
        "read": {"deck.fate": "downpour the-colonel"},
    }
    assert format_dice(event, load_shared_systems()) == "[The colonel leads]"
    assert format_log_line(event, load_shared_systems(), who).endswith("[The colonel leads]")
