"""`grognard completion`: what comes next on a command line, and the scripts in the shells that
are installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.__main__ import COMMANDS, main
from bot.cli.completion import SCRIPTS, list_completions

NEXT = {
    "": set(COMMANDS) | {"--help", "--version", "--packs"},
    "lo": {"lookup"},
    "lookup l": {"lnlt"},
    "lookup lnlt melee-": {"melee-kill", "melee-odds", "melee-weapons"},
    "lookup lnlt melee-odds ": {"attack=", "defense="},
    "lookup lnlt melee-odds attack=7 ": {"defense="},
    "lookup lnlt dct unit=hero": {"unit=hero-or-shaken-smc"},
    "odds lnlt fire adj": {"adjacent", "adjacent_a"},
    'odds lnlt fire attackers="squad fp=4" adjacent_a adj': {"adjacent"},
    'odds lnlt fire attackers="squad tm': set(),
    "odds lnlt fire --": {"--json", "--by", "--compare", "--rounds", "--help"},
    "export-table l": {"lnlt"},
    "export-table lnlt melee-od": {"melee-odds"},
    "export-table lnlt melee-odds ": set(),
    "export-table lnlt melee-odds -": {"-o", "--help"},
    "check --": {"--json", "--watch", "--help"},
    "try ": set(),
    "import --": {"--pack", "--id", "--group", "--deck", "--help"},
    "picture ": {"table", "odds", "game"},
    "picture table lnlt melee-od": {"melee-odds"},
    "manifest ": {"slack"},
    "completion ": {"bash", "zsh", "fish"},
    "roll --dice ": set(),
    "verify ": set(),
    "lookup nothing ": set(),
    "nothing ": set(),
}


@pytest.mark.parametrize("typed", NEXT)
def test_what_can_come_next(typed: str) -> None:
    assert set(list_completions(f"grognard {typed}")) == NEXT[typed]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_each_shell_reads_its_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [shell, "-n"], input=script, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("line", "words", "offered"),
    [
        ("grognard lookup l", ["grognard", "lookup", "l"], "lnlt"),
        (
            "grognard lookup lnlt melee-odds a",
            ["grognard", "lookup", "lnlt", "melee-odds", "a"],
            "attack=",
        ),
        (
            "grognard lookup lnlt dct unit=he",
            ["grognard", "lookup", "lnlt", "dct", "unit", "=", "he"],
            "helicopter",
        ),
    ],
)
def test_bash_completes(line: str, words: list[str], offered: str, tmp_path: Path) -> None:
    """As readline calls it, which breaks words at equals signs."""
    command = tmp_path / "grognard"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bot "$@"\n', "utf-8")
    command.chmod(0o755)
    quoted = " ".join(f"'{word}'" for word in [str(command), *words[1:]])
    script = (
        "compopt() { :; }\n"  # it works only while readline completes
        f"{SCRIPTS['bash']}COMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1}\n"
        f"COMP_LINE='{line}' COMP_POINT={len(line)}\n"
        "COMP_WORDBREAKS=' ='\n"
        "_grognard; printf '%s\\n' \"${COMPREPLY[@]}\"; complete -p grognard\n"
    )
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    *found, registered = done.stdout.splitlines()
    assert offered in found
    assert "-F _grognard grognard" in registered


def test_an_unknown_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "fsh"]) == 2
    assert "Did you mean fish?" in capsys.readouterr().err
