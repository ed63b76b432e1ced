"""The log told as a story: who, with what, at whom, and what came of it, from inputs and dice alone."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from bot.answers.events import retold, told_event
from bot.answers.outcome import facts_of
from bot.answers.plays import came_up, shot_of
from bot.answers.shot import run_sequence
from bot.answers.story import story
from bot.rules.dice import Die
from bot.rules.proof.fair import Stream
from bot.systems.catalog import system, systems

SIDES = ("US", "VC")


class Lowest:
    """Every die shows its first face."""

    def draw(self, die: Die) -> int | str:
        return die.faces[0] if die.faces else 1


def played(name: str, sequence: str, *, number: int = 7) -> dict[str, Any]:
    """The event of a sequence's own example, as the log keeps it."""
    found = system(name).sequence(sequence)
    spec: Any = None
    happening = run_sequence(found, spec, found.example, "Anna", Lowest(), {}).happening
    assert happening is not None
    facts = json.loads(json.dumps(facts_of((name, sequence), happening)))
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
    told = retold(played(name, sequence), who, "", SIDES).sentence
    assert told.startswith(sentence), told


@pytest.mark.parametrize("name", sorted(systems()))
def test_every_sequence_can_be_told_and_its_stored_result_stays(name: str) -> None:
    for sequence in systems()[name].sequences:
        event = played(name, sequence)
        before = json.dumps(event)
        told = retold(event, who, "", SIDES)
        assert told.sentence, sequence
        assert told.sentence[0].isupper() or told.sentence[0].isdigit(), told.sentence
        assert "side a" not in told.sentence
        assert "side b" not in told.sentence
        assert "none" not in told.sentence.casefold().split(), told.sentence
        assert json.dumps(event) == before


def missed(**more: Any) -> dict[str, Any]:
    """A miss as the log keeps it; `out` is of another edition, so that nothing can be played again."""
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
    assert retold(missed(), who).sentence == "US M48 Patton fires at PT-76: miss"
    assert told_event(missed(), who) == "#27 Anna (US): M48 Patton fires at PT-76: miss [5]"


def test_a_shot_of_a_pack_that_is_gone_has_its_title_once() -> None:
    gone = {"number": 9, "who": "p1", "side": "", "kind": "sequence", "command": "mud fire", "system": "mud",
            "target": "fire", "result": "two hits", "out": {}, "edition": "0" * 64}  # fmt: skip
    assert told_event(gone, who) == "#9 Anna: mud fire: two hits"


def test_an_event_is_told_without_playing_it_again() -> None:
    event = played("lnlt", "melee")
    assert told_event(event, who) != told_event(event, who, replayed=False)
    assert told_event(event, who, replayed=False).startswith("#7 Anna (US): ")


def test_initiative_and_phases_name_the_side() -> None:
    rolled = {"number": 3, "who": "p1", "side": "", "kind": "sequence", "system": "lnlt", "target": "initiative",
              "command": "lnlt initiative", "result": "side b has the initiative", "out": {}, "edition": 1}  # fmt: skip
    assert retold(rolled, who, "", SIDES).said == "VC keeps the initiative", "it changed nothing"
    assert retold(rolled, who).said == "side b has the initiative"
    given = {"number": 4, "who": "p1", "side": "US", "kind": "initiative", "result": "US"}
    assert told_event(given, who) == "#4 Anna (US): US has the initiative"
    phase = {"number": 5, "who": "p1", "side": "US", "kind": "next", "result": "turn 2, Operations phase",
             "after": {"game": {"go": ["VC"]}}}  # fmt: skip
    assert told_event(phase, who) == "#5 Anna (US): Turn 2, Operations phase begins, VC first"


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
    chapters = story(log, who, {7: "The hill is taken."}, SIDES, undone={4})
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
    sequence, spec = system("lnlt").sequence("bail-out"), cast("Any", None)
    for seed in range(8):
        happening = run_sequence(sequence, spec, sequence.example, "Anna", Stream(bytes([seed]), "g", 1), {}).happening
        assert happening is not None
        event = json.loads(json.dumps(facts_of(("lnlt", "bail-out"), happening)))
        assert came_up(shot_of(event, sequence, {})), seed
