"""Tracks: what a game keeps beside its units is read, changed, set, shown, undone, exported and
verified.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.cli.batch import answer_request as answered
from bot.commands.dispatch import load_shared_registry
from bot.game.tracks import build_track_inputs, fill_track_inputs, format_tracks
from bot.packs.check import check_path
from bot.report.page import build_page
from bot.rules.dice import Script
from bot.rules.errors import TableError, UserError
from bot.rules.inputs.tracks import TrackMove, move_tracks, read_start_values, read_tracks
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.play_once import count_odds, play_sequence
from bot.ui.spec import Command, Place
from bot.ui.typing.complete import CompletionContext, complete_option
from bot.verification.check_file import check
from tests.bent_logs import agree_on_forgeries
from tests.forging import bodies, rechained, resealed
from tests.fresh import fresh_app, run
from tests.packs.conftest import PackMaker
from tests.packs.evening import refused_by_all
from tests.packs.marsh import MARSH, SHOT, STAND, ford
from tests.page_script import said_by_page
from tests.playing import Channel
from tests.random_play import exported_text
from tools import verify_log

pytestmark = pytest.mark.usefixtures("marsh")


# -- the values


def test_a_move_past_an_end_stops_there_and_says_so() -> None:
    tracks = find_shared_system("marsh").tracks
    moves = (
        TrackMove("side.points", add=-5),
        TrackMove("track.weather", add=4),
        TrackMove("track.omen", set=-2),
    )
    found, said = move_tracks(tracks, {"side.points": 3}, moves, {"side": "US"})
    assert found == {"side.points": 0, "track.weather": "mud", "track.omen": -2}
    assert [*said.values()] == [
        "0 command points (US), as far as it goes (−2 was due)",
        "Weather: mud, as far as it goes",
        "Omen: -2",
    ]


def test_a_track_of_no_side_stays_and_says_so() -> None:
    found, said = move_tracks(
        find_shared_system("marsh").tracks, {}, (TrackMove("foe.points", add=1),), {}
    )
    assert (found, [*said.values()]) == ({}, ["Command points: no side's, so it stays"])


@pytest.mark.parametrize(
    ("tracks", "says"),
    [
        ({"weather": {"words": ["clear"]}}, "2 to 24 words"),
        ({"weather": {"words": ["clear", True]}}, "quote yes, no, on and off"),
        ({"weather": {"words": ["clear", "none"]}}, 'the word "none" is used by formulas'),
        ({"weather": {"words": ["a", "b"], "min": 1}}, "words or a range, not both"),
        ({"weather": {"words": ["rain", "mud"], "start": "rian"}}, "Did you mean rain?"),
        ({"points": {"min": 9, "max": 3}}, "the range is empty"),
        ({"points": {}}, "needs words, or a range"),
        ({"points": {"max": 9, "of": "side", "wins": "most"}}, "wins must be highest or lowest"),
        ({"points": {"max": 9, "wins": "highest"}}, "wins must be highest or lowest"),
        ({"points": {"max": 10**9}}, "within 1,000,000"),
        ({"points": {"max": 9, "start": 12}}, "from 0 to 9"),
        ({"points": {"max": 9, "of": "unit"}}, "of must be side"),
        ({"points": {"max": 9, "showm": False}}, "Did you mean shown?"),
        ({"Command Points": {"max": 9}}, "lowercase letters, digits and _"),
        ({f"t{at}": {"max": 9} for at in range(1000)}, "at most 20"),
        ({"weather": {"words": ["x" * 10**6, "y"]}}, "at most 24 each"),
        ({"weather": {"words": ["a", "b"], "title": "x" * 10**6}}, "at most 40 characters"),
        (["weather"], "must be name"),
    ],
)
def test_tracks_laid_out_wrong_are_refused_in_one_sentence(tracks: Any, says: str) -> None:
    with pytest.raises(TableError) as caught:
        read_tracks(tracks, "x/game.yaml")
    assert says in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ("let: {a: track.weathr}", "Did you mean track.weather?"),
        ("let: {a: side.weather}", "there is no track side.weather"),
        ("change: {track: points, add: 1}", "of must be side or foe for a side's track"),
        ("change: {track: weather, of: side, add: 1}", "of must be side or foe for a side's track"),
        ("change: {track: weather, set: snow}", "there is no name snow"),
        ("change: {track: weather, set: 3}", "one of clear, rain, mud"),
        ("change: {track: weather}", "set or added to, not both"),
        ("change: {track: weather, set: mud, mark: fired}", "has no mark"),
        ("change: {track: omen, set: 7}", "from -2 to 2"),
        ("change: {track: omen, add: mud}", "takes a whole number"),
    ],
)
def test_steps_that_misuse_a_track_are_refused_with_line_and_column(
    make_pack: PackMaker, step: str, says: str
) -> None:
    text = str(MARSH["sequences.yaml"]).replace(
        '- let: {needed: "of(unit.morale', f'- {step}\n  - let: {{needed: "of(unit.morale'
    )
    pack = load_pack(make_pack({**MARSH, "sequences.yaml": text}, "marsh"))
    with pytest.raises(TableError) as caught:
        pack.find_sequence("brace").declaration  # noqa: B018  # reads the steps
    assert says in str(caught.value)
    assert "line" in str(caught.value)


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"weathr": "rain"}, "Did you mean weather?"),
        ({"weather": "snow"}, "one of clear, rain, mud"),
        ({"points": {"Greens": 3}}, "no side Greens"),
        ({"points": 99}, "0 to 10"),
    ],
)
def test_a_scenario_starts_tracks_within_their_bounds(said: Any, says: str) -> None:
    with pytest.raises(UserError) as caught:
        read_start_values(said, find_shared_system("marsh").tracks, ("Reds", "Blues"))
    assert says in f"{caught.value.message} {caught.value.hint}"


# -- rules and odds


def test_resolve_and_odds_take_tracks_as_inputs_and_start_where_none_is_named() -> None:
    shoot, raw = (
        find_shared_system("marsh").find_sequence("shoot"),
        {"attackers": "squad", "targets": "squad"},
    )
    assert play_sequence(shoot, raw, Script((4,))).out["result"] == "hit"
    assert (
        play_sequence(shoot, {**raw, "track.weather": "mud"}, Script((5,))).out["result"] == "miss"
    )
    for weather, points, hits in (("clear", 3, 3), ("rain", 3, 2), ("mud", 3, 1), ("mud", 4, 2)):
        counted = count_odds(shoot, {**raw, "track.weather": weather, "side.points": points})
        assert counted["hit"] == Fraction(hits, 6)
    with pytest.raises(UserError, match="one of clear, rain, mud"):
        count_odds(shoot, {**raw, "track.weather": "snow"})


# -- in play


async def test_a_scenario_starts_them_a_shot_reads_and_changes_them_and_the_cards_show_them() -> (
    None
):
    channel = await ford()
    assert (
        "Weather: rain · Command points: Reds 5, Blues 3"
        in (await channel.do("Anna", "game status")).format_text()
    )
    shot = await channel.do("Anna", f"{SHOT} hand=1")
    assert "needs 4" in shot.format_text()
    assert "Now: 4 command points (Reds) · Weather: mud" in shot.format_text()
    assert (await channel.game()).tracks == {"weather": "mud", "Reds/points": 4}
    assert "needs 5" in (await channel.do("Anna", f"{SHOT} hand=6")).format_text()
    assert (await channel.game()).tracks == {"weather": "mud", "Reds/points": 3, "Blues/points": 4}
    board = (await channel.do("Anna", "game board")).format_text()
    assert "Weather: mud · Command points: Reds 3, Blues 4" in board
    assert "Omen" not in board
    assert "Omen: 0" in (await channel.do("Bob", "track show")).format_text()
    assert "Weather: mud" in (await channel.do("Anna", "game next")).format_text()
    log = (await channel.do("Anna", "log")).format_text()
    assert "miss; Command points (Reds): 4; Weather: mud [1]" in log


async def test_undo_takes_a_track_back_and_redo_brings_it_again() -> None:
    channel = await ford()
    await channel.do("Anna", "track set weather mud")
    assert (await channel.game()).tracks["weather"] == "mud"
    await channel.do("Anna", "game undo")
    assert (await channel.game()).tracks["weather"] == "rain"
    await channel.do("Anna", "game redo")
    assert (await channel.game()).tracks["weather"] == "mud"


async def test_a_side_sets_its_own_and_the_director_the_games() -> None:
    channel = await ford()
    await channel.refused("Bob", "track set weather clear", "not-master")
    await channel.refused("Bob", "track set points 9 side=Reds", "not-yours side")
    reply = await channel.do("Bob", "track set points 9")
    assert reply.title == "Command points (Blues): 9"
    await channel.refused("Bob", "track set points 9", "no-change to")
    await channel.refused("Bob", "track set points 99", "bad-value")
    await channel.refused("Bob", "track set poinst 9", "bad-value name")
    await channel.refused("Carol", "track set points 9", "not-player")
    await channel.do("Anna", 'track set "Command points" 2 side=Blues', "track set omen -1")
    assert (await channel.game()).tracks["Blues/points"] == 2
    await channel.do("Anna", "track set points +2", "track set weather +1", "track set omen -2")
    assert (await channel.game()).tracks == {
        "Blues/points": 2,
        "Reds/points": 7,
        "weather": "mud",
        "omen": -2,
    }
    await channel.refused("Anna", "track set weather +1", "no-change to")
    await channel.do("Anna", "track set points -99999999999")
    assert (await channel.game()).tracks["Reds/points"] == 0


async def test_odds_and_what_if_use_a_track_as_it_is_now() -> None:
    channel = await ford()
    assert "3/6" not in (odds := (await channel.do("Anna", f"{SHOT} odds")).format_text())
    assert "hit 50%" in odds.casefold()
    assert "weather rain" in odds
    await channel.do("Anna", "track set weather mud")
    assert "hit 33%" in (await channel.do("Anna", f"{SHOT} odds")).format_text().casefold()
    assert "weather: clear" in (await channel.do("Anna", f"{SHOT} compare")).format_text()


async def test_what_is_typed_for_a_track_is_refused_in_a_game() -> None:
    channel = await ford()
    await channel.fails("Anna", f"{SHOT} track.weather=clear", "track.weather")


async def test_optional_rules_hand_dice_and_again_live_beside_tracks() -> None:
    channel = await ford()
    await channel.do("Anna", "game settings rule=luck=on")
    assert "needs 3" in (await channel.do("Anna", f"{SHOT} hand=2")).format_text()
    await channel.do("Anna", "track set weather mud")
    assert "needs 4" in (await channel.do("Anna", "again")).format_text(), (
        "again reads the track as it is now"
    )


async def test_several_units_spend_one_after_the_other() -> None:
    channel = await ford()
    await channel.do("Anna", "track set points 1")
    reply = await channel.do("Anna", 'marsh brace unit="Red Squad 1; Red Squad 2" hand=2,2,2,2')
    assert (await channel.game()).tracks["Reds/points"] == 0
    assert "held" in reply.format_text().casefold()
    assert "fled" in reply.format_text().casefold()
    assert "Now: 0 command points (Reds)" in reply.format_text(), "once, as it is at the end"
    assert check(json.loads(await exported_text(channel))).faults == ()


async def test_free_play_keeps_the_games_tracks_and_no_sides() -> None:
    channel = await Channel.fresh()
    reply = await channel.do("Anna", 'marsh shoot attackers="squad" targets="squad" hand=1')
    assert "Weather: rain" in reply.format_text()
    assert "Command points: no side's, so it stays" in reply.format_text()
    assert (await channel.game()).tracks == {"weather": "rain"}
    assert (
        "needs 5"
        in (
            await channel.do("Anna", 'marsh shoot attackers="squad" targets="squad" hand=2')
        ).format_text()
    )


async def test_a_sealed_shot_changes_tracks_when_it_is_opened() -> None:
    channel = await ford()
    await channel.do("Anna", f"{SHOT} secret")
    assert "Reds/points" in (was := (await channel.game()).tracks)
    assert was["Reds/points"] == 5
    number = max((await channel.game()).sealed)
    await channel.do("Anna", "track set weather clear", f"game reveal {number}")
    assert (await channel.game()).tracks["Reds/points"] == 4
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    resealed(log, number, tracks={"Reds/points": 9})
    rechained(log)
    assert check(log).faults


async def test_a_sealed_shot_of_another_game_moves_no_track_of_this_one() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Ford" sides="US, VC"', "game join US")
    await channel.do("Anna", "marsh shoot attackers=squad targets=squad secret")
    await channel.do("Anna", f"game reveal {max((await channel.game()).sealed)}")
    assert not (await channel.game()).tracks
    assert check(json.loads(await exported_text(channel))).faults == ()


async def test_completion_knows_tracks_and_their_words() -> None:
    known, all_commands = CompletionContext(system="marsh"), load_shared_registry()
    spec = all_commands.get(("track", "set"))
    assert spec is not None
    names = [one.value for one in complete_option(spec, "name", "", all_commands, known, {})]
    assert names == ["weather", "points", "omen"]
    words = [
        one.value
        for one in complete_option(spec, "to", "", all_commands, known, {"name": "weather"})
    ]
    assert words == ["clear", "rain", "mud"]


# -- the proof


async def _played() -> dict[str, Any]:
    channel = await ford()
    await channel.do(
        "Anna", SHOT, "track set omen 2", "track set points 9", "game next", SHOT, "game next"
    )
    await channel.do(
        "Bob", 'marsh shoot attackers="Blue Squad 1" targets="Red Squad 1"', "track set points 7"
    )
    await channel.do("Bob", "game undo", "game redo")
    await channel.do("Anna", "fair reveal")
    log: dict[str, Any] = json.loads(await exported_text(channel))
    return log


async def test_an_export_verifies_with_nothing_but_itself_and_is_of_version_2(
    use_packs: Callable[[Path], None], tmp_path: Path
) -> None:
    log = await _played()
    use_packs(tmp_path / "none")
    found = check(log)
    assert (found.faults, found.played) == ((), 4)
    assert verify_log.check(log).faults == []
    assert log["version"] == 2
    (seen,) = said_by_page([json.dumps(log)], tmp_path)
    assert seen["faults"] == []


def _shot(log: dict[str, Any]) -> dict[str, Any]:
    return next(
        body for body in bodies(log, "sequence") if "after" in body and "upkeep" not in body
    )


def _other_side(log: dict[str, Any]) -> None:
    _shot(log)["read"] |= {"side": "Blues", "foe": "Reds"}


def _other_value(log: dict[str, Any]) -> None:
    _shot(log)["read"]["side.points"] = 9


def _unread(log: dict[str, Any]) -> None:
    _shot(log)["read"].pop("side.points")


def _no_track(log: dict[str, Any]) -> None:
    _shot(log)["read"]["sky.weather"] = "mud"


def _other_words(log: dict[str, Any]) -> None:
    bodies(log, "track")[0]["result"] = "Weather: clear"


def _two_at_once(log: dict[str, Any]) -> None:
    body = bodies(log, "track")[0]
    body["after"]["game"]["tracks"]["Reds/points"] = 1


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "bend", [_other_side, _other_value, _unread, _no_track, _other_words, _two_at_once]
)
async def test_a_bent_log_is_seen_by_all_three_verifiers(
    bend: Callable[[dict[str, Any]], None], tmp_path: Path
) -> None:
    log = await _played()
    bend(log)
    refused_by_all(log)


async def test_what_tables_alone_know_grognard_verify_sees() -> None:
    """A track that nobody has changed yet reads as it starts, which is for the pack to say."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start marsh sides=Reds,Blues", "game join Reds", SHOT.replace('"', "").replace(
        "attackers=Red Squad 1 targets=Blue Squad 1", "attackers=squad targets=squad"))  # fmt: skip
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    _shot(log)["read"]["track.weather"] = "rain"
    rechained(log)
    assert any("did not read the game's tracks" in fault for fault in check(log).faults)


@pytest.mark.slow
async def test_the_verifiers_agree_on_forged_logs_with_tracks(tmp_path: Path) -> None:
    agree_on_forgeries(await _played(), Random(8), tmp_path)


# -- beside other things


async def test_a_choice_spends_what_its_side_keeps_and_all_verifiers_follow(
    make_pack: PackMaker, use_packs: Callable[[Path], None], tmp_path: Path
) -> None:
    use_packs(
        make_pack(
            {**MARSH, "sequences.yaml": f"{MARSH['sequences.yaml']!s}{STAND}"}, "marsh"
        ).parent
    )
    channel = await ford()
    await channel.do("Anna", 'marsh stand units="Red Squad 1"')
    await channel.fails("Anna", "track set points 9", "waits")
    await channel.do("Anna", "choose option=pay")
    assert (await channel.game()).tracks["Reds/points"] == 4
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    assert verify_log.check(log).faults == []
    (seen,) = said_by_page([json.dumps(log)], tmp_path)
    assert seen["faults"] == []


async def test_linked_places_show_the_same_tracks_and_an_import_goes_on_with_them() -> None:
    channel = await ford()
    await channel.do("Anna", "track set weather mud")
    text = await exported_text(channel)
    there = Channel(await fresh_app(), Place("console:there", "console"))
    command = Command(("game", "import"), {"file": text}, there.who("Anna"), there.place, "import")
    assert not (await there.app.run(command)).error
    await there.do("Anna", "game claim")
    assert "Weather: mud" in (await there.do("Anna", "game status")).format_text()
    assert "needs 5" in (await there.do("Anna", f"{SHOT} hand=2")).format_text()


async def test_another_version_of_the_pack_starts_what_is_new_and_fits_what_it_still_has(
    make_pack: PackMaker,
) -> None:
    channel = await ford()
    await channel.do("Anna", "track set weather mud", "track set points 9")
    game = (
        str(MARSH["game.yaml"])
        .replace("[clear, rain, mud]", "[clear, rain, fog]")
        .replace("max: 10", "max: 6")
    )
    game = game.replace("  omen: {min: -2, max: 2, shown: no}", "  tide: {words: [low, high]}")
    changed = {
        "game.yaml": game,
        "sequences.yaml": str(MARSH["sequences.yaml"]).replace("mud", "fog"),
    }
    pack, now = load_pack(make_pack({**MARSH, **changed}, "marsh")), await channel.game()
    assert (
        format_tracks(now, pack) == "Weather: clear · Command points: Reds 6, Blues 3 · Tide: low"
    )
    read = build_track_inputs(["track.weather", "side.points"], pack.tracks, now, "Reds")
    assert read == {"side": "Reds", "foe": "Blues", "track.weather": "mud", "side.points": 9}, (
        "the log's own words"
    )
    assert fill_track_inputs(read, pack.tracks) == {"track.weather": "clear", "side.points": 6}


async def test_a_macro_sets_a_track_and_help_and_story_know_it() -> None:
    channel = await ford()
    await channel.do("Anna", 'macro add storm "track set weather mud"', "macro run storm")
    assert (await channel.game()).tracks["weather"] == "mud"
    assert "sets Weather: mud" in (await channel.do("Anna", "log")).format_text()
    assert "track" in (await channel.do("Anna", "help track")).format_text()
    await channel.do("Anna", f"{SHOT} hand=6", "log story=yes")


def test_batch_takes_tracks_by_name() -> None:
    inputs = {"attackers": "squad", "targets": "squad", "track.weather": "mud"}
    answer = answered({"op": "odds", "system": "marsh", "sequence": "shoot", "in": inputs})
    assert answer["odds"]["hit"] == "1/6"


HOSTILE = {
    "a track called as a word and a unit": "tracks: {squad: {words: [squad, gun]}}",
    "markdown, links and pings in a title": 'tracks: {a: {words: [b, c], title: "**x** [y](http://z) @everyone <@1>"}}',
    "a title of marks that turn the line": 'tracks: {a: {max: 9, title: "\\u202eabc"}}',
    "a side's track of words": "tracks: {mood: {words: [calm, wild], of: side}}",
    "numbers as words": "tracks: {a: {words: [1, 2]}}",
    "a nested track": "tracks: {a: {max: {x: 1}}}",
    "null": "tracks: {a: null}",
    "a decimal": "tracks: {a: {max: 1.5}}",
    "a range of a million": "tracks: {a: {min: -1000000, max: 1000000}}",
    "a name of formulas": "tracks: {if: {max: 9}, none: {max: 3}}",
}


@pytest.mark.parametrize("what", list(HOSTILE))
def test_a_hostile_track_is_refused_in_one_sentence_or_shown_as_what_it_is(
    make_pack: PackMaker, use_packs: Callable[[Path], None], what: str
) -> None:
    folder = make_pack(
        {"game.yaml": f"groups: {{combat: Combat}}\nunits: {{types: [squad]}}\n{HOSTILE[what]}\n"}
    )
    faults = check_path(folder).faults
    assert all(len(fault) < 300 and "\n" not in fault for fault in faults)
    assert not any("Error" in fault or "Traceback" in fault for fault in faults)
    use_packs(folder.parent)

    async def shown() -> None:
        channel = await Channel.fresh()
        await channel.do(
            "Anna", 'game start few sides="US, VC"', "game status", "track show", "game board"
        )

    if not faults:
        run(shown())


async def test_the_page_tells_what_became_of_a_track() -> None:
    channel = await ford()
    await channel.do("Anna", f"{SHOT} hand=1")
    log = json.loads(await exported_text(channel))
    html = build_page(log, {}, load_shared_systems())
    assert "Command points (Reds): 4" in html
    assert "Weather: mud" in html


async def test_rounds_are_counted_with_a_track_as_it_is(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    rounds = "  odds_by: result\n  rounds: {ends: [{when: {result: [hit]}, as: hit}]}\n  example: {attackers"
    text = str(MARSH["sequences.yaml"]).replace("  odds_by: result\n  example: {attackers", rounds)
    use_packs(make_pack({**MARSH, "sequences.yaml": text}, "marsh").parent)
    channel = await ford()
    assert "75%" in (await channel.do("Anna", f"{SHOT} rounds=2")).format_text(), (
        "one in two, twice"
    )
    await channel.do("Anna", "track set weather mud")
    assert "56%" in (await channel.do("Anna", f"{SHOT} rounds=2")).format_text(), (
        "one in three, twice"
    )
