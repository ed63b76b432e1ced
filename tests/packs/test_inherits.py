"""House rules: what a pack replaces of a built-in game, and what it still has of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bot.packs.check import check_content
from bot.rules.dice import Script
from bot.rules.errors import TableError, UserError
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.packs.pack import PackSystem, load_pack
from bot.rulesets.play_once import play_sequence
from bot.rulesets.system import TABLES, list_builtin_systems
from tests.packs.conftest import PackMaker

pytestmark = pytest.mark.scenes(8)

ABOUT = 'id: house\ntitle: House\nversion: "1"\nauthor: us\nlicence: CC0\ninherits: {parent}\n'


def house(make_pack: PackMaker, parent: str = "lnlt", **files: str) -> PackSystem:
    """A pack of house rules for Lock 'n Load; `steps_shared` is steps/shared.yaml."""
    named = {f"{name.replace('_', '/')}.yaml": text for name, text in files.items()}
    folder: Path = make_pack(
        {"pack.yaml": ABOUT.format(parent=parent), "game.yaml": None, "crt.yaml": None, **named}
    )
    return load_pack(folder)


def test_a_sequence_replaces_the_whole_of_it_and_sees_what_its_parent_shares(
    make_pack: PackMaker,
) -> None:
    """Mines: who hits them on 1-3 is out. The block that refuses units out of play is still the
    parent's.
    """
    pack = house(
        make_pack,
        steps_mines="""steps:
- use: refuse-gone
- roll: {roll: "1d6: mines"}
  let: {result: "'destroyed' if roll <= 3 else 'none'"}
  tell: {roll: roll, result: result, becomes: result, immobilized: false, crew: none, outcome: result}
  headline: "{result}"
""",
    )
    pack.check_whole()
    assert (
        play_sequence(
            pack.find_sequence("mines"), pack.find_sequence("mines").example, Script([3])
        ).out["result"]
        == "destroyed"
    )
    assert "smoke" in pack.sequences
    assert pack.find_sequence("smoke").declaration is not None


def test_a_formula_replaces_its_parents_in_every_sequence(make_pack: PackMaker) -> None:
    formulas = "formulas:\n  at_most(number): text('at the most ', number)\n"
    pack, smoke = house(make_pack, steps_shared=formulas), {"capability": 3}
    (line,) = play_sequence(pack.find_sequence("smoke"), smoke, Script([2])).lines
    assert line.result == "at the most 3"
    (line,) = play_sequence(
        find_shared_system("lnlt").find_sequence("smoke"), smoke, Script([2])
    ).lines
    assert line.result == "needs 3 or less"


def test_a_sequence_of_its_own_is_beside_its_parents(make_pack: PackMaker) -> None:
    pack = house(
        make_pack,
        sequences="""panic:
  title: Panic
  source: ours
  summary: One die.
  outputs: {result: runs | stays}
  odds_by: result
  dice: 1d6
  example: {}
  steps:
  - roll: {roll: "1d6: panic"}
    tell: {result: "'runs' if roll == 1 else 'stays'"}
""",
    )
    assert {"panic", "melee", "smoke"} <= pack.sequences.keys()
    assert play_sequence(pack.find_sequence("panic"), {}, Script([1])).out == {"result": "runs"}


def test_a_mistake_in_what_a_pack_shares_is_found_in_its_file(make_pack: PackMaker) -> None:
    blocks = "blocks:\n  refuse-gone:\n    needs: [unit]\n    steps:\n    - when: unit.stat == gone\n      stop: true\n"
    pack = house(make_pack, steps_shared=blocks)
    with pytest.raises(
        TableError, match=r"line 5, column 7 of steps/shared\.yaml.*Did you mean state"
    ):
        pack.find_sequence("smoke").declaration  # noqa: B018  # it is compiled by this


def test_a_card_without_what_its_parent_reads_there_is_a_refusal_also_when_dice_have_fallen(
    make_pack: PackMaker,
) -> None:
    card = Path(TABLES, "nhis", "morale-fail.yaml").read_text("utf-8").replace("nhis/", "house/")
    card = card.replace("  after:", "  later:").replace("result, after]", "result, later]")
    card = card.replace("and after ==", "and later ==")
    morale = house(make_pack, parent="nhis", **{"morale-fail": card}).find_sequence("morale")
    with pytest.raises(UserError, match="has no value here"):
        play_sequence(morale, {"hit_number": 3, "targets": "squad morale=3"}, Script([6]))


def test_a_table_like_another_with_other_outputs_is_not_held_to_its_sentence(
    make_pack: PackMaker,
) -> None:
    """The sentence of the other names an output that this one does not have."""
    written = """id: house/softer
like: morale-fail
outputs: {result: [none, shaken, reduced, reduced-shaken, eliminated]}
read:
  rows: state
  gives: result
  cells: {good-order: shaken, shaken: reduced, reduced: shaken, reduced-shaken: eliminated}
notes: none
"""
    table = house(make_pack, parent="nhis", softer=written).tables["softer"]
    assert table.headline is None
    same = house(
        make_pack,
        parent="nhis",
        softer="id: house/softer\nlike: morale-fail\ntitle: Softer\n",
    )
    assert same.tables["softer"].headline is not None


def test_house_rules_may_be_for_one_edition_alone(make_pack: PackMaker) -> None:
    edition = find_shared_system("lnlt").edition
    assert house(make_pack, parent=f"lnlt@{edition}").parent is find_shared_system("lnlt")
    with pytest.raises(
        TableError,
        match=rf"is for edition 99 of lnlt, but this is edition {edition}.*lnlt@{edition}",
    ):
        house(make_pack, parent="lnlt@99")


@pytest.mark.sample(2)
@pytest.mark.parametrize("parent", sorted(list_builtin_systems()))
def test_a_pack_that_changes_nothing_is_sound(make_pack: PackMaker, parent: str) -> None:
    """What is inherited is the house's, and held to no limits of strangers: each table's example
    reads as it did.
    """
    pack = house(make_pack, parent)
    pack.check_whole()
    assert check_content(pack.content).faults == ()
    for id, table in find_shared_system(parent).tables.items():
        if table.example:
            assert pack.tables[id].read(table.example).out == table.read(table.example).out, id


@pytest.mark.sample(1)
@pytest.mark.sample(2)
@pytest.mark.parametrize("parent", sorted(list_builtin_systems()))
def test_a_pack_with_one_sequence_of_its_own_answers_for_that_one_alone(
    make_pack: PackMaker, parent: str
) -> None:
    sequence = next(iter(find_shared_system(parent).read("sequences")))
    own = yaml.safe_dump(
        {sequence: find_shared_system(parent).read("sequences")[sequence]}, sort_keys=False
    )
    house(make_pack, parent, sequences=own).check_whole()


def test_lists_and_groups_are_added_to_those_of_the_game(make_pack: PackMaker) -> None:
    game = "lists: {moods: [calm, grim]}\ngroups: {weather: Weather, spare: null}\n"
    pack = house(make_pack, "baps", game=game)
    parent = find_shared_system("baps")
    assert pack.lists == {**parent.lists, "moods": ("calm", "grim")}
    assert pack.game["groups"] == {**parent.game["groups"], "weather": "Weather"}


ONE_OF_EACH = """
lists: {moods: [calm, grim]}
groups: {weather: Weather}
words: {wx: weather}
labels: {gloom: Gloom}
arms: {slingshot: sling shots}
results: {"*": {grim: {tone: shaken, says: "{} is grim"}}}
units:
  types: {sapper: "digs and blasts"}
  attributes: {gloom: {type: int, min: 0, max: 9, help: "how grim it is"}}
  flags: {muddy: "up to the axles"}
  markers: {muddy: "up to the axles"}
  states: {sulking: "will not move"}
  marker_flags: {muddy: muddy}
  counters: {sapper: {frame: person, numbers: [gloom]}}
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("parent", sorted(list_builtin_systems()))
def test_a_pack_adds_one_of_each_and_keeps_all_else(make_pack: PackMaker, parent: str) -> None:
    pack, theirs = house(make_pack, parent, game=ONE_OF_EACH), find_shared_system(parent).game
    assert check_content(pack.content).faults == ()
    for part, name in (
        ("lists", "moods"),
        ("groups", "weather"),
        ("words", "wx"),
        ("labels", "gloom"),
    ):
        assert {*pack.game[part]} == {*(theirs.get(part) or ()), name}, part
    assert {*pack.game["results"]["*"]} == {*theirs["results"]["*"], "grim"}
    assert {*pack.game["results"]} == {*theirs["results"]}
    for part, name in (
        ("types", "sapper"),
        ("attributes", "gloom"),
        ("flags", "muddy"),
        ("states", "sulking"),
    ):
        assert list(pack.game["units"][part]) == [*theirs["units"][part], name], part
    assert pack.game["units"]["well"] == theirs["units"]["well"]
    assert pack.game["phases"] == theirs["phases"]


def test_null_takes_one_out_and_what_still_needs_it_is_a_fault(make_pack: PackMaker) -> None:
    pack = house(make_pack, "ucn", game="units: {flags: {thrown: null}, markers: {thrown: null}}")
    with pytest.raises(TableError, match='row marker_flags: "thrown" is not known here'):
        pack.game  # noqa: B018  # read whole by this
    game = "units: {attributes: {riders: null}, counters: {leader: null}}"
    pack = house(make_pack, "ucn", game=game)
    assert "leader" in pack.game["units"]["types"]
    assert "leader" not in pack.game["units"]["counters"]
    pack = house(make_pack, "asl", game="lists: {starts: null}")
    assert any("has no list starts" in fault for fault in check_content(pack.content).faults)


def test_null_takes_a_table_out_where_no_sequence_reads_it(make_pack: PackMaker) -> None:
    with pytest.raises(
        TableError,
        match="row mines, step 4, let, card: there is no table or function mines_vehicle",
    ):
        house(make_pack, "lnlt", **{"mines-vehicle": "null\n"}).check_whole()
    pack = house(make_pack, "lnlt", **{"mines-vehicle": "null\n"}, sequences="mines: null\n")
    pack.check_whole()
    assert check_content(pack.content).faults == ()
    assert {*list_builtin_systems()["lnlt"].tables} - {*pack.tables} == {"mines-vehicle"}


def test_null_takes_a_sequence_out(make_pack: PackMaker) -> None:
    pack = house(make_pack, "lnlt", sequences="smoke: null\n")
    pack.check_whole()
    assert "smoke" not in pack.sequences
    assert "melee" in pack.sequences
    with pytest.raises(TableError, match=r"fire.*is not known here"):
        house(make_pack, "lnlt", sequences="fire: null\n").check_whole()


def test_a_new_unit_type_is_asked_about(make_pack: PackMaker) -> None:
    pack = house(make_pack, "lnlt", game="units: {types: {tunneler: Tunneler}}\n")
    asked = (
        "house/game.yaml, row units types: "
        "the combat sequences of lnlt do not know tunneler and may refuse them"
    )
    report = check_content(pack.content)
    assert (report.faults, report.questions[-1].partition(";")[0]) == ((), asked)
