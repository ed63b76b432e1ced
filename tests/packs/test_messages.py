"""What `grognard check` says of the slips that authors make: file, line, what is wrong, what to
write.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.packs.check import add_positions, check_content
from bot.packs.new import write_new_pack
from bot.packs.sequence_check import list_dead_brings
from bot.presentation.headline import get_result_headline
from bot.rules.errors import UserError
from bot.rules.sequence.sequence import Resolution
from bot.rules.tables.axis import build_axis
from bot.rules.tables.compile import _find_position
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.packs.archive import read_content
from bot.rulesets.packs.pack import TAKEN
from bot.rulesets.play_once import count_odds
from bot.rulesets.system import list_builtin_systems
from tests.packs.conftest import FEW, PackMaker

pytestmark = pytest.mark.scenes(12)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pack that `grognard new` writes, by file."""
    folder = tmp_path_factory.mktemp("packs") / "base"
    write_new_pack(folder)
    return {name: data.decode() for name, data in read_content(folder).items()}


def said(files: dict[str, str]) -> str:
    """The faults and questions of a pack, a line each, as the command prints them."""
    content = {name: text.encode() for name, text in files.items()}
    report = add_positions(check_content(content), content)
    return "\n".join((*report.faults, *report.questions))


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


SLIPS = {
    "a list": (
        "crt.yaml",
        "column: columns,",
        "column: columnz,",
        "row outputs column: there is no list columnz. Did you mean columns?",
    ),
    "a list of words": (
        "shifts.yaml",
        "values: ground",
        "values: grund",
        "game.yaml has no list grund. Did you mean ground?",
    ),
    "no colon": (
        "crt.yaml",
        "kind: roll",
        "kind roll",
        'column 1: this line has no ":"; write key: value',
    ),
    "a tab": (
        "crt.yaml",
        "    3: [",
        "\t3: [",
        " begins with a tab; use spaces",
    ),
    "a gap": (
        "crt.yaml",
        "    3: [AR, AR, EX, DR, DR]\n",
        "",
        "row read: nothing answers roll 3 (between 2 and 4)",
    ),
    "a key of an input": (
        "crt.yaml",
        'max: 100, help: "strength of all a',
        'mox: 100, help: "strength of all a',
        'row inputs attack: an option has no key "mox". Did you mean max?',
    ),
    "a type": (
        "crt.yaml",
        "attack: {type: int",
        "attack: {type: integer",
        'there is no type "integer". Did you mean int?',
    ),
    "a bracket": (
        "crt.yaml",
        "    3: [AR, AR, EX, DR, DR]",
        "    3: [AR, AR, EX, DR, DR",
        "column 8: the bracket opened here is not closed",
    ),
    "an indent": (
        "crt.yaml",
        "    3: [",
        "   3: [",
        "column 4: this does not fit what is above",
    ),
    "a colon in a text": (
        "crt.yaml",
        "summary: Attack ",
        "summary: Attack: ",
        "quote text that has a colon",
    ),
    "a key": (
        "crt.yaml",
        "source:",
        "sourze:",
        "the table has unknown keys sourze. Did you mean source?",
    ),
    "a group": (
        "crt.yaml",
        "group: combat",
        "group: combatt",
        "the game has no group combatt. Did you mean combat?",
    ),
    "a name": (
        "crt.yaml",
        "attack // defense, 4",
        "attackk // defense, 4",
        "which this table does not have. Did you mean attack?",
    ),
    "too few cells": (
        "crt.yaml",
        "    3: [AR, AR, EX, DR, DR]",
        "    3: AR",
        "row 3: has 1 cell for 5 columns",
    ),
    "a list for a mapping": (
        "crt.yaml",
        "rolls: {roll: {dice: 1d6, label: combat}}",
        "rolls: [roll]",
        "row rolls: is not laid out correctly: docs/pack-keys.md explains every key",
    ),
    "a key of a sequence": (
        "sequences.yaml",
        "cause:",
        "causee:",
        'row attack: "causee" is not known here. Did you mean cause?',
    ),
    "whose luck a sequence is": (
        "sequences.yaml",
        "  odds_by: result\n",
        "  odds_by: result\n  luck: unit\n",
        'row attack luck: "unit" is not known here. Did you mean units?',
    ),
    "a unit that is hit": (
        "sequences.yaml",
        "  odds_by: result\n",
        "  odds_by: result\n  hits_unit: maybe\n",
        'row attack hits_unit: must be true or false, not "maybe"',
    ),
    "a list of a sequence": (
        "sequences.yaml",
        "column: columns",
        "column: columnz",
        "there is no list columnz. Did you mean columns?",
    ),
    "a table of a sequence": (
        "sequences.yaml",
        "[shifts]",
        "[shift]",
        "the game has no table shift. Did you mean shifts?",
    ),
    "no odds": (
        "sequences.yaml",
        "  odds_by: result\n",
        "",
        "row attack: it has no odds; add odds_by: OUTPUT",
    ),
    "the first line": (
        "pack.yaml",
        "id: base",
        "id: Base Pack",
        'row id: must be a word of small letters, digits and hyphens, at most 20, not "Base Pack"',
    ),
    "limits": (
        "crt.yaml",
        "min: -4, max: 4",
        "min: 4, max: -4",
        "row inputs shift: its min, 4, is above its max, -4",
    ),
    "a key of game.yaml": (
        "game.yaml",
        "turns:",
        "turn:",
        '"turn" is not known here. Did you mean turns?',
    ),
    "rounds": (
        "sequences.yaml",
        "  odds_by: result\n",
        "  odds_by: result\n  rounds: {then: {river: {becomez: true}}, ends: []}\n",
        'row attack rounds, then, river: "becomez" is not known here. Did you mean becomes?',
    ),
    "a word of formulas as a track's word": (
        "game.yaml",
        "turns: by-side",
        "turns: by-side\ntracks: {sky: {words: [none, rain]}}",
        'the word "none" is used by formulas; choose another word',
    ),
    "a function for a word": (
        "steps/attack.yaml",
        'refuse: {say: "None of the attackers has any attack strength.", option: attackers}',
        "let: {river: down}",
        "there is no name down here, and the function down needs ( ) after it; "
        "quote it if it is a word: 'down'",
    ),
    "a table for a word": (
        "steps/attack.yaml",
        'refuse: {say: "None of the attackers has any attack strength.", option: attackers}',
        "let: {river: crt}",
        "the table crt needs ( ) after it",
    ),
    "a word with or in it": (
        "steps/attack.yaml",
        "- when: attack == 0",
        "- when: ground == woods-or-town",
        "woods-or-town is not a known word, so or in it is read as or; "
        "quote it if it is a word of the game: 'woods-or-town'",
    ),
    "a result that has no score": (
        "game.yaml",
        "turns: by-side",
        "turns: by-side\nscores: {attack: {exchange: 1, unhurt: 1}}",
        "row scores attack unhurt: attack has no such result. Its results are attacker-eliminated,",
    ),
    "a result of a number": (
        "game.yaml",
        "turns: by-side",
        "turns: by-side\nscores: {attack: {exchangd: 1}}",
        "attack has no such result. Did you mean exchange?",
    ),
    "a result that decides": (
        "game.yaml",
        "turns: by-side",
        'turns: by-side\nodds: {attack: {"{}% to take it": [exchangd]}}',
        "row odds attack exchangd: attack has no such result. Did you mean exchange?",
    ),
    "an output of odds": (
        "sequences.yaml",
        "  odds_by: result\n",
        "  odds_by: result\n  odds_row: {resalt: exchange}\n",
        "row attack odds_row: there is no output resalt. Did you mean result?",
    ),
    "an example": (
        "sequences.yaml",
        '  example: {attackers: "infantry attack=4; tank attack=6", targets: "infantry defense=5", ground: woods}\n',
        "",
        "row attack: it has no example; add one with inputs that work, such as example: {attackers: ...}",
    ),
    "a value of rounds": (
        "sequences.yaml",
        "  odds_by: result\n",
        "  odds_by: result\n  rounds: {then: {river: {becomes: wet}}, ends: []}\n",
        "river becomes wet, which is neither an output nor one of its values",
    ),
}


LINES = {"a gap": "read:", "no odds": "attack:", "an example": "attack:"}
"""Where the slip is a line that is missing: the one that is named."""


@pytest.mark.sample(4)
@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_told_by_file_and_line_and_with_what_to_write(
    written: dict[str, str], slip: str
) -> None:
    file, old, new, message = SLIPS[slip]
    assert old in written[file]
    changed = written[file].replace(old, new, 1)
    found = said({**written, file: changed})
    assert message in found, found
    line = (
        line_of(changed, new.strip("\n").splitlines()[-1]) if new else line_of(changed, LINES[slip])
    )
    assert found.removeprefix("base/").startswith(
        (f"{file}, line {line}", f"{file}: line {line}")
    ) or slip in (
        "no odds",
        "rounds",
        "a value of rounds",
    )
    assert not any(
        word in found for word in ("Error", "object", "NoneType", "unhashable", "instances of")
    )


def test_scores_by_a_number_and_a_list_for_constants_say_what_to_write() -> None:
    roll = "inputs:\n  roll: {type: int, min: 1, max: 6}\n"
    head = f"title: Sky\nsource: ours\ngroup: combat\nkind: grid\nsummary: The sky.\n{roll}"
    always = f"{head}outputs: {{wet: bool, wind: int}}\nread: {{always: [false, 0]}}\nexample: {{roll: 1}}\n"
    assert (
        "[False, 0] is a list: write gives: [wet, wind] for its order, "
        "or a mapping: {wet: ..., wind: ...}"
    ) in said({**FEW, "sky.yaml": always})
    listed = always.replace("{always: [false, 0]}", "{gives: [wet, wind], always: [false, 0]}")
    assert "sky.yaml" not in said({**FEW, "sky.yaml": listed})
    sequence = (
        "burst:\n  title: Burst\n  source: ours\n  summary: Dice.\n  inputs: {}\n"
        "  outputs: {hits: int}\n  odds_by: hits\n  example: {}\n  steps:\n"
        '  - pool: {dice: "2d6: fire", success: face > 4, gives: hits}\n    headline: "{hits} hit"\n'
    )
    game = FEW["game.yaml"] + "scores: {burst: {1: 1, hit: 2}}\n"
    assert (
        "few/game.yaml, line 3, row scores burst hit: burst has no such result. Its results are whole numbers."
        in said({**FEW, "game.yaml": game, "sequences.yaml": sequence}).replace(
            "line 3:", "line 3, row scores burst hit:"
        )
    )


def test_a_word_of_a_table_may_be_written_before_the_table_is_called(
    written: dict[str, str],
) -> None:
    table = (
        "title: Fear\nsource: ours\ngroup: combat\nkind: grid\nsummary: Fear.\n"
        "inputs: {who: {type: enum, values: [calm-or-brave, afraid]}}\noutputs: {fear: int}\n"
        "read:\n  rows: who\n  cells: {calm-or-brave: 0, afraid: 1}\nexample: {who: afraid}\n"
    )
    steps = "steps/attack.yaml"
    text = written[steps].replace(
        "- let: {attack: 0, defense: 0}",
        '- let: {attack: 0, defense: 0, who: calm-or-brave}\n- let: {fear: "fear(who=who).fear"}',
    )
    assert "fault" not in said({**written, steps: text, "fear.yaml": table})
    content = {**written, steps: text, "fear.yaml": table}
    assert check_content({name: one.encode() for name, one in content.items()}).faults == ()


def test_a_pack_without_a_headline_is_asked_about(written: dict[str, str]) -> None:
    steps = "steps/attack.yaml"
    text = "\n".join(line for line in written[steps].splitlines() if "headline:" not in line)
    assert "no step has a headline" not in said({**written, steps: text})  # `result` begins them
    text = text.replace("result: found.result", "outcome: found.result")
    inputs = written["sequences.yaml"].replace("result: crt_results", "outcome: crt_results")
    inputs = inputs.replace("odds_by: result", "odds_by: outcome")
    files = {**written, "sequences.yaml": inputs, steps: text}
    assert "row attack: no step has a headline" in said(files)


@pytest.mark.parametrize(
    ("brings", "fault"),
    [
        ("unit.disrupted", ""),
        ("unit.tank", ""),
        ("unit.tank|disrupted", ""),
        ("targets.disrupted", "targets is a list of units, and `brings` only works"),
        ("nobody.disrupted", "there is no input nobody with a unit"),
        ("disrupted", "there is no input disrupted with a unit"),
        ("unit.disruptd", "no flag, marker, state or type disruptd. Did you mean disrupted?"),
    ],
)
def test_what_brings_names_must_be_within_reach(
    written: dict[str, str], brings: str, fault: str
) -> None:
    assert "markers: [disrupted]" in written["game.yaml"]
    inputs = (
        f"    unit: {{type: unit, optional: true, help: one}}\n"
        f"    shaken: {{type: bool, brings: {brings}, help: shaken}}\n"
    )
    sequences = written["sequences.yaml"].replace("  outputs:", f"{inputs}  outputs:", 1)
    found = said({**written, "sequences.yaml": sequences})
    if not fault:
        assert found == ""
        return
    assert fault in found
    assert f"brings {brings}: " in found


def test_a_number_that_is_brought_is_an_attribute(written: dict[str, str]) -> None:
    inputs = (
        "    unit: {type: unit, optional: true, help: one}\n"
        "    odd: {type: int, min: 0, max: 9, default: 0, brings: unit.morals, help: odd}\n"
    )
    sequences = written["sequences.yaml"].replace("  outputs:", f"{inputs}  outputs:", 1)
    assert "a unit has no attribute morals" in said({**written, "sequences.yaml": sequences})


@pytest.mark.parametrize("id", list_builtin_systems())
def test_no_built_in_game_has_a_dead_brings(id: str) -> None:
    assert list(list_dead_brings(find_shared_system(id))) == []


def test_fates_begin_an_answer_and_need_words(written: dict[str, str]) -> None:
    steps = "steps/attack.yaml"
    lines = [line for line in written[steps].splitlines() if "headline:" not in line]
    text = "\n".join(lines).replace("result: found.result", "outcome: found.result")
    inputs = written["sequences.yaml"].replace("result: crt_results", "outcome: crt_results")
    files = {
        **written,
        "sequences.yaml": inputs.replace("odds_by: result", "odds_by: outcome"),
        steps: f"{text}\n- each: targets\n  fate: shaken\n",
    }
    assert "no step has a headline" not in said(files)
    assert "game.yaml has no wording for shaken: add it under results: attack" in said(files)
    words = 'results: {attack: {shaken: {says: "{} is shaken", many: "{} are shaken"}}}'
    assert said({**files, "game.yaml": f"{written['game.yaml']}\n{words}\n"}) == ""


def test_a_gap_of_a_total_is_told_once_and_between_which_rows_it_is(
    written: dict[str, str],
) -> None:
    """The four combinations of inputs that meet it are no four faults."""
    text = written["crt.yaml"].partition("examples:")[0]
    text = text.replace("derive:\n", "derive:\n  _total: roll + shift + 4\n").replace(
        "rows: roll", "rows: _total"
    )
    text = (
        text.replace("    1: [", "    1-6: [")
        .replace("    2: [", "    8: [")
        .replace("    3: [", "    9-14: [")
    )
    kept = "".join(
        line
        for line in text.splitlines(keepends=True)
        if not line.startswith(("    4:", "    5:", "    6:"))
    )
    found = said({**written, "crt.yaml": kept}).splitlines()
    assert len([line for line in found if "nothing answers" in line]) == 1
    assert "rows: nothing answers _total 7 (between 1-6 and 8), for example for attack" in found[0]
    assert f"base/crt.yaml, line {line_of(kept, 'rows: _total')}" in found[0]


def test_rounds_may_go_on_with_what_came_out() -> None:
    """`becomes` may name an output: next round's ours is this round's ours_left."""
    from bot.rules.sequence.rounds import CarriedInput, OutputCondition

    assert CarriedInput(becomes=OutputCondition("ours_left")).compute_next(5, {"ours_left": 2}) == 2


def test_a_pack_is_called_like_no_command() -> None:
    """`/deck` and `/hand` came later than the list."""
    games = {*list_builtin_systems()}
    assert {
        name
        for name in load_shared_registry().top_names
        if name.removesuffix("-table") not in games
    } <= TAKEN


@pytest.mark.parametrize(
    "name", ["name", "type", "side", "state", "word", "marker", "markers", "flag"]
)
def test_a_word_of_every_unit_names_no_attribute(make_pack: PackMaker, name: str) -> None:
    """It would be there twice in a scenario, or put a marker on (`flag=moved`)."""
    attribute = f"{name}: {{type: int, min: 0, max: 9, help: x}}"
    game = f"groups: {{combat: Combat}}\nunits:\n  types: [unit]\n  attributes:\n    {attribute}\n"
    content = read_content(make_pack({"game.yaml": game}))
    (fault,) = add_positions(check_content(content), content).faults
    assert fault.startswith(
        f"few/game.yaml, line 5, row units attributes {name}: every unit has name, type, side, state"
    )


def test_more_than_discord_takes_of_one_command_is_asked_about(make_pack: PackMaker) -> None:
    inputs = "".join(
        f"  {'n' * 28}{at:02}: {{type: int, min: 1, max: 6, help: {'h' * 80}}}\n"
        for at in range(15)
    )
    wide = (
        FEW["crt.yaml"]
        .replace("inputs:\n", f"inputs:\n{inputs}")
        .replace("example: {", "example: {NAMES, ")
    )
    wide = wide.replace("NAMES", ", ".join(f"{'n' * 28}{at:02}: 1" for at in range(15)))
    few = {f"crt-{'x' * 20}-{at:02}.yaml": wide for at in range(20)}
    asked = check_content(read_content(make_pack(few))).questions
    assert any(
        "Discord allows 8,000 characters" in question and "/few-table has about" in question
        for question in asked
    )


def test_the_check_of_a_command_counts_as_discord_does(root: Path) -> None:
    """What it counts is what our registration comes to with its shortest descriptions, give or
    take a tenth.
    """
    from adapters.discord.command_payload import _build_command, measure_size
    from bot.packs.check import count_characters
    from bot.rulesets.packs.pack import PackSystem
    from bot.rulesets.system import list_builtin_systems
    from bot.ui.registry import Registry

    packs = [
        PackSystem(read_content(path.parent))
        for path in sorted((root / "packs").glob("*/pack.yaml"))
    ]
    for pack in (*packs, *list_builtin_systems().values()):
        known = Registry({pack.id: pack}, ())
        for name in (pack.id, f"{pack.id}-table"):
            right = measure_size(_build_command(name, known, 10))
            assert abs(count_characters(known, name) - right) <= right / 10, (
                name,
                count_characters(known, name),
                right,
            )


LATER = {
    "a code that YAML reads": (
        "crt.yaml",
        "outputs: {result: [miss, hit]}",
        "outputs: {result: ['NO', hit]}",
        "    1-4: miss",
        "    1-4: NO",
        "result has no value False; YAML reads NO, yes, on and off as true or false: quote the word",
    ),
    "a list of one": (
        "crt.yaml",
        "outputs: {result: [miss, hit]}",
        "outputs: {result: [miss, hit], more: int}",
        "    1-4: miss",
        "    1-4: [C]",
        "the code ['C'] is not defined; write C without brackets",
    ),
    "a code with too few values": (
        "crt.yaml",
        "outputs: {result: [miss, hit]}",
        "outputs: {result: [miss, hit], more: int}\nresults: {C: hit}",
        "    1-4: miss",
        "    1-4: C",
        "results says that C is 'hit', but a cell gives result, more: write {result: ..., more: ...}",
    ),
    "a formula with a comma": (
        "crt.yaml",
        "inputs:\n",
        "inputs:\n",
        "example: {roll: 5}",
        "example: {roll: min(len[4], 5}",
        "a comma is missing between two entries; in {...}, quote a formula with a comma or a bracket",
    ),
}


@pytest.mark.parametrize("slip", LATER)
def test_what_yaml_makes_of_a_word_is_said(make_pack: PackMaker, slip: str) -> None:
    file, old, new, cell, typed, message = LATER[slip]
    text = FEW[file].replace(old, new).replace(cell, typed)
    content = read_content(make_pack({file: text}))
    found = "\n".join(check_content(content).faults)
    assert message in found, found


def test_a_flag_where_no_unit_has_one_is_told_in_a_whole_sentence() -> None:
    from bot.rules.inputs.units import UnitWords, parse_units

    with pytest.raises(UserError) as error:
        parse_units("unit exploiting", UnitWords(("unit",), {}, {}), {}, option="units")
    assert error.value.hint == "Units here have no flags."


def test_without_a_headline_the_word_of_the_result_begins_the_answer() -> None:
    lnlt = load_shared_systems()["lnlt"]
    assert get_result_headline(Resolution(""), {"result": "falls-back"}, lnlt) == "falls back"
    assert get_result_headline(Resolution("3 hits"), {"result": "falls-back"}, lnlt) == "3 hits"
    assert (
        get_result_headline(Resolution(""), {"hits": 3}, lnlt)
        == get_result_headline(Resolution(""), {"result": "none"}, lnlt)
        == ""
    )


def test_an_output_of_the_items_is_asked_for_with_its_list(packs: None) -> None:
    one = next(
        found
        for pack in load_shared_systems().values()
        for found in pack.sequences.values()
        if found.odds_by
        and any("result" in str(said) and "{" in str(said) for said in found.outputs.values())
        and "result" not in found.outputs
    )
    with pytest.raises(UserError) as error:
        count_odds(one, one.add_default_choices(one.example), outputs=("result",))
    assert "[0].result." in str(error.value.hint)


def test_a_table_of_rolls_that_steps_call_without_a_die_says_who_rolls() -> None:
    with pytest.raises(
        UserError, match=r"drift\. Steps that call a table roll first and pass it the result"
    ):
        _find_position(build_axis([1], "few/drift.yaml"), None, "few/drift.yaml", "fall")


ONLY_AN_EXAMPLE = """title: Only
source: the card
group: combat
kind: grid
summary: Nothing but an example.
inputs: {roll: {type: int, min: 1, max: 6, help: "a die"}}
outputs: {result: [miss, hit]}
example: {roll: 5}
"""


def test_a_table_with_nothing_but_an_example_is_a_fault(written: dict[str, str]) -> None:
    faults = said({**written, "only.yaml": ONLY_AN_EXAMPLE})
    assert faults.startswith("base/only.yaml: it gives no result: an example needs something")
    assert "under rows, or its cells under read" in faults


def test_an_output_that_nothing_sets_is_a_fault(written: dict[str, str]) -> None:
    table = written["shifts.yaml"].replace("{shift: int,", "{shift: int, extra: int,")
    line = line_of(table, "extra")
    faults = said({**written, "shifts.yaml": table})
    assert f"base/shifts.yaml, line {line}, row outputs extra: nothing in the table sets it" in (
        faults
    )


@pytest.mark.parametrize(
    ("old", "new", "place", "fault"),
    [
        (
            "roll=roll)",
            "roll=(roll % 6)+1 if roll != 93 else 9)",
            "step 6, let, found",
            'some rolls have no result: roll must be a whole number from 1 to 6, not "9"',
        ),
        (
            "result: found.result}",
            'result: "found.result if 6 / (roll - 93) else exchange"}',
            "step 6, tell, result",
            "some rolls have no result: The steps cannot be worked out: it divides by 0 "
            "(roll is 93)",
        ),
    ],
)
def test_a_fault_of_few_rolls_names_the_step(
    written: dict[str, str], old: str, new: str, place: str, fault: str
) -> None:
    """One roll of a hundred has no result, so that only the odds find it."""
    steps = written["steps/attack.yaml"].replace("1d6: combat", "1d100: combat")
    steps = steps.replace("roll=roll)", "roll=(roll % 6)+1)") if old not in "roll=roll)" else steps
    steps = steps.replace(old, new)
    sequences = written["sequences.yaml"].replace("dice: 1d6", "dice: 1d100")
    faults = said({**written, "steps/attack.yaml": steps, "sequences.yaml": sequences})
    line = line_of(steps, new)
    assert faults.startswith(f"base/steps/attack.yaml, line {line}, column ")
    assert f"row attack, {place}: {fault}" in faults


def test_odds_that_take_too_long_name_the_roll_and_what_is_read_later(
    written: dict[str, str],
) -> None:
    steps = """steps:
- roll: {a: "1d100: one"}
- roll: {b: "1d100: two"}
- roll: {c: "1d100: three"}
- roll: {d: "1d100: four"}
- let: {found: "crt(attack=9, defense=4, shift=0, roll=a*b*c*d % 6 + 1)"}
- tell: {attack: a, defense: b, column: found.column, roll: c, result: found.result}
  headline: "{words(found.result)}"
"""
    faults = said({**written, "steps/attack.yaml": steps})
    assert faults.startswith("base/steps/attack.yaml, line 5, column ")
    assert "row attack, step 4, roll, d: the odds by result can never be computed" in faults
    assert "Add up a, b and c before this roll, or look up their result" in faults
