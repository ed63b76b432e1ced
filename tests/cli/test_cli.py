"""The command line as a whole process: exit status, one clear line on stderr, JSON."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from bot.__main__ import COMMANDS, main
from bot.cli import command_help
from bot.cli.batch import answer_line

SHOT = {"attackers": "squad fp=2", "targets": "squad morale=4"}


def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", *words],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_lookup_as_a_process() -> None:
    done = run("lookup", "lnlt", "melee-odds", "attack=7", "defense=5", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"odds": "3-2"})


@pytest.mark.parametrize("plain", [False, True])
def test_answers_on_a_terminal_are_laid_out_as_in_the_console(
    plain: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Labels in one column, colour unless NO_COLOR; a picture tells its file, as its words are
    for a pipe.
    """
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    (monkeypatch.setenv if plain else lambda name, _: monkeypatch.delenv(name, raising=False))(
        "NO_COLOR", "1"
    )
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shot = ["lnlt", "fire", "attackers=squad fp=2", "targets=squad morale=4"]
    assert not main(["resolve", *shot, "--dice", "6,1,6"])
    said = capsys.readouterr().out
    assert "\n  Attack   [6]" in said.replace("\x1b[0m", "")
    assert ("\x1b[1;31m" in said) is not plain
    assert not main(["odds", *shot])
    assert ("\x1b[3" in capsys.readouterr().out) is not plain
    assert not main(["picture", "table", "lnlt", "melee-odds", "-o", str(tmp_path / "a.svg")])
    assert capsys.readouterr().out.count("\n") == 1


@pytest.mark.parametrize(
    "words", [["lookup", "lnlt", "melee-odds", "attack=7", "defense=5"], ["roll", "2d6"]]
)
def test_a_single_answer_opens_no_database(words: list[str]) -> None:
    """Loading SQLite would cost a fifth of such a process."""
    look = "import sys; from bot.__main__ import main; main(); print(*{'sqlite3', 'aiosqlite'} & {*sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", look, *words], capture_output=True, text=True, timeout=60
    )
    answer, loaded = done.stdout.rsplit("\n", 2)[:2]
    assert answer
    assert loaded == ""


HEAVY = {
    "sqlite3",
    "asyncio",
    "yaml",
    "pathlib",
    "json",
    "fractions",
    "difflib",
    "bot.rulesets.catalog",
    "zoneinfo",
}


def test_a_roll_loads_no_tables_and_no_odds() -> None:
    """Each of them costs more than the roll itself."""
    look = f"import sys; from bot.__main__ import main; main(); print(*sorted({HEAVY} & {{*sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", look, "roll", "2d6"], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.startswith("2d6: [")
    assert done.stdout.endswith("\n\n"), done.stdout


NEEDLESS = {
    "yaml",
    "pathlib",
    "json",
    "fractions",
    "difflib",
    "string",
    "bot.rulesets.optional_rules",
}


def test_a_lookup_loads_only_what_it_needs() -> None:
    look = f"import sys; from bot.__main__ import main; main(); print(*sorted({NEEDLESS} & {{*sys.modules}}))"
    words = ["lookup", "lnlt", "melee-odds", "attack=7", "defense=5"]
    # its tables are kept
    subprocess.run([sys.executable, "-m", "bot", *words], capture_output=True, timeout=60)
    done = subprocess.run(
        [sys.executable, "-c", look, *words], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.startswith("The odds are 3-2")
    assert done.stdout.endswith("\n\n"), done.stdout


def test_a_process_ends_with_the_status_of_its_command() -> None:
    assert [
        run(*words).returncode for words in (["roll", "2d6"], ["roll", "2d"], ["--version"])
    ] == [0, 2, 0]


def test_batch_as_a_process() -> None:
    done = run(
        "batch", stdin='{"id": 1, "op": "roll", "expression": "2d6", "dice": [1, 2]}\nnonsense\n'
    )
    first, second = map(json.loads, done.stdout.splitlines())
    assert (done.returncode, first["out"]["total"], second["ok"]) == (0, 3, False)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lokup"], "Did you mean lookup?"),
        (["lookup"], "SYSTEM is missing"),
        (["systems", "lnlt"], 'Unexpected "lnlt". This command takes no arguments.'),
        (["tables", "lnlt", "melee-odds"], 'Unexpected "melee-odds". It takes only SYSTEM.'),
        (
            ["check", "packs/generic", "packs/low-water"],
            'Unexpected "packs/low-water". It takes only FOLDER.',
        ),
        (["backup", "a.db", "b.db"], 'Unexpected "b.db". It takes only FILE.'),
        (["copy", "a", "b", "c"], 'Unexpected "c". It takes only FROM and TO.'),
        (["doctor", "replay"], 'Unexpected "replay". This command takes no arguments.'),
        (["health", "now"], 'Unexpected "now". This command takes no arguments.'),
        (["lookup", "lntl", "dct"], "Did you mean lnlt?"),
        (["lookup", "lnlt", "melee-ods", "attack=7"], "Did you mean melee-odds?"),
        (
            ["lookup", "lnlt", "melee-odds", "attack=seven", "defense=5"],
            "attack must be a whole number",
        ),
        (["lookup", "lnlt", "melee-odds", "attack=7", "attack=8"], "given twice"),
        (
            ["resolve", "lnlt", "morale-check", "units=squad morale=5", "--dice", "1,2,3"],
            "left over",
        ),
        (
            ["resolve", "lnlt", "morale-check", "units=squad morale=5", "--dcie", "1"],
            "Did you mean --dice?",
        ),
        (["roll", "2d6+"], "+"),
        (["roll"], "needs dice"),
        (["lookup", "lnlt", "melee-odds", "7", "5", "9"], "such as attack=7"),
        (["odds", "lnlt", "morale-check", "units=squad morale=5", "--by"], "--by needs a value"),
    ],
)
def test_bad_input_is_status_2_and_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", list(COMMANDS))
def test_each_command_has_help_with_an_example_that_names_it(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: grognard {name}")
    assert f"grognard {name}" in out.split("Example:\n")[1]
    assert max(map(len, out.splitlines())) <= 110
    assert main(["--help"]) == 0
    assert f"\n  {name} " in capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["systems", "tables", "sequences", "lookup", "resolve", "odds", "roll"]
)
def test_the_example_of_help_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(command_help.COMMANDS[name][3])[1:]) == 0
    assert capsys.readouterr().out


def test_under_json_an_error_is_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lookup", "lnlt", "melee-ods", "attack=7", "--json"]) == 2
    error = json.loads(capsys.readouterr().err)["error"]
    assert (error["code"], error["hint"]) == ("not-in-system", "Did you mean melee-odds?")


def test_several_wrong_settings_are_a_line_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PORT", "many")
    monkeypatch.setenv("RETENTION_DAYS", "some")
    assert main(["run"]) == 2
    assert [line.split()[0] for line in capsys.readouterr().err.splitlines()] == [
        "PORT",
        "RETENTION_DAYS",
    ]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bot", "roll", "2d6"],
            stdout=full,
            stderr=-1,
            text=True,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (
        2,
        "The answer could not be written: No space left on device.\n",
    )


def test_the_release_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.split() == ["grognard", metadata.version("grognard")]


def test_flags_with_an_equals_sign_and_dice_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["roll", "--dice=1,2", "2d6>=2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == 1


def test_resolve_and_odds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", "lnlt", "morale-check", "units=squad morale=5", "--dice", "2,3"]) == 0
    assert capsys.readouterr().out.startswith("The squad passes · you check morale")
    assert (
        main(["odds", "lnlt", "morale-check", "units=squad morale=5", "--by", "outcome", "--json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out) == {"pass": "5/18", "fail": "13/18"}


def test_lists(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["systems"], ["tables", "lnlt"], ["sequences", "lnlt"], ["--help"]):
        assert main(words) == 0
        assert capsys.readouterr().out.strip()


def test_odds_go_by_several_outputs_in_either_spelling(capsys: pytest.CaptureFixture[str]) -> None:
    units = "units=squad morale=5; leader morale=6"
    spellings = (
        ["--by", "outcome", "units[1].result"],
        ["--by", "outcome", "--by", "units[1].result"],
    )
    answers = []
    for by in spellings:
        assert main(["odds", "lnlt", "morale-check", *by, units, "--json"]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0] == answers[1]
    assert set(answers[0]) == {"pass|pass", "pass|fail", "fail|pass", "fail|fail"}


def test_the_odds_of_every_target_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    units = [
        "attackers=squad fp=2",
        "targets=squad morale=4; squad morale=4; leader morale=5",
        "tm=1",
    ]
    assert main(["odds", "lnlt", "fire", *units]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == "44% to shake or hurt each squad, 35% the leader \u00b7 a squad fires"
    assert [line.split("  ")[1] for line in lines if line.endswith("at least")] == [
        "squads 1 + 2",
        "leader",
    ]
    assert main(["odds", "lnlt", "fire", *units, "--by", "picked"]) == 0
    assert "no effect" not in capsys.readouterr().out, (
        "nothing of any output is nothing but nothing"
    )


@pytest.mark.parametrize(
    "by", ["targets", "targets[0]", "targets[0].reslt", "hit.x", "targets[1].result[2]"]
)
def test_odds_by_a_list_or_by_nothing_are_bad_input(
    by: str, capsys: pytest.CaptureFixture[str]
) -> None:
    request = {"op": "odds", "system": "lnlt", "sequence": "fire", "in": SHOT, "by": [by]}
    assert answer_line(json.dumps(request).encode())["error"]["code"] == "bad-input"
    assert (
        main(
            ["odds", "lnlt", "fire", *(f"{name}={text}" for name, text in SHOT.items()), "--by", by]
        )
        == 2
    )
    assert capsys.readouterr().err.count("\n") == 1


def test_a_table_takes_values_without_names_and_a_system_alone_lists_its_tables(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for words in (["7", "5"], ["attack=7", "5"], ["defense=5", "7"]):
        assert main(["lookup", "lnlt", "melee-odds", *words]) == 0
        assert capsys.readouterr().out.startswith("The odds are 3-2")
    assert main(["lookup", "lnlt"]) == 0
    assert any(line.startswith("melee-odds ") for line in capsys.readouterr().out.splitlines())
    assert main(["sequences", "lnlt"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) < 130 for line in lines)
    assert len({len(line) - len(line.split(None, 1)[1]) for line in lines}) == 1, (
        "titles in one column"
    )
    for word in ("version", "-V", "--version"):
        assert main([word]) == 0
        assert capsys.readouterr().out.startswith("grognard ")
