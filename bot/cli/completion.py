"""`grognard completion bash|zsh|fish`: a script for the shell, which asks this program for each
word on Tab.
"""

import re
from collections.abc import Iterable, Sequence

from bot.cli.cli import Arguments
from bot.cli.command_help import COMMANDS
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rulesets.catalog import find_system, get_systems

TABLES = ("tables", "lookup", "export-table")
SEQUENCES = ("sequences", "resolve", "odds", "fuzz")
NAMED = ("lookup", "resolve", "odds", "export-table")
"""Commands about a system; those of them that go on with one of its tables or sequences and with
its inputs.
"""

SCRIPTS = {
    "bash": r"""_grognard() {
  local IFS=$'\n' word
  COMPREPLY=()
  for word in $("${COMP_WORDS[0]}" completion words "${COMP_LINE:0:COMP_POINT}" 2>/dev/null); do
    [[ $word == *= ]] && compopt -o nospace
    [[ $COMP_WORDBREAKS == *=* && $word == *=?* ]] && word=${word#*=}
    COMPREPLY+=("$word")
  done
}
complete -o default -F _grognard grognard
""",
    "zsh": r"""#compdef grognard
_grognard() {
  local -a found names
  found=(${(f)"$("${words[1]}" completion words "${(j: :)words[1,CURRENT]}" 2>/dev/null)"})
  (( $#found )) || { _files; return }
  names=(${(M)found:#*=})
  compadd -S '' -- $names
  compadd -- ${found:|names}
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _grognard grognard
""",
    "fish": """complete -c grognard -f -a '(grognard completion words (commandline -cp) 2>/dev/null)'
complete -c grognard -n '__fish_seen_subcommand_from verify report backup restore import check try new picture' -F
""",
}


def print_completion(words: Sequence[str]) -> None:
    """Print the script of a shell; or for `words LINE` what the last word of a line can be, one
    each line. Raises UserError."""
    if len(words) == 2 and words[0] == "words":
        print("".join(f"{word}\n" for word in list_completions(words[1])), end="")
        return
    (shell,) = Arguments(words, flags={}).take_only("bash, zsh or fish")
    if shell not in SCRIPTS:
        hint = did_you_mean(shell, SCRIPTS) or "There are scripts for bash, zsh and fish."
        raise UserError(f'There is no completion for "{shell[:40]}".', hint=hint, code="bad-value")
    print(SCRIPTS[shell], end="")


def list_completions(line: str) -> list[str]:
    """What the last word of `grognard ...` can be; nothing where it is a file, or a text of the
    player's own.
    """
    line = re.sub(r"\"[^\"]*\"|'[^']*'", "''", line)
    if (line.count('"') + line.count("'")) % 2:
        return []  # inside of quotes
    *before, part = line.split(" ")
    before = [word for word in before[1:] if word]
    return [word for word in _list_next_words(before, part) if word.startswith(part)]


def _list_next_words(before: list[str], part: str) -> Iterable[str]:
    if not before:
        return (*COMMANDS, "--help", "--version", "--packs")
    command, *given = before
    usage = COMMANDS.get(command, ("",))[0]
    flags = re.findall(r"(?<!\S)\[?(--?[a-z]+)", usage)
    if given and re.search(rf"{re.escape(given[-1])} [A-Z]", usage) and given[-1].startswith("-"):
        return ()  # the value of a flag
    if part.startswith("-"):
        return (*flags, "--help")
    typed = [word for word in given if not word.startswith("-")]
    if command == "picture" and typed[:1] in (["table"], ["odds"]):
        command = "lookup" if typed.pop(0) == "table" else "odds"
    if command in (*TABLES, *SEQUENCES):
        return _list_system_words(command, typed, part)
    return () if typed else re.findall(r"(?:^|\| ?)([a-z]+)(?=[| ]|$)", usage)


def _list_system_words(command: str, typed: list[str], part: str) -> Iterable[str]:
    """Systems, then the names of one, then its inputs."""
    if not typed:
        return get_systems()
    if command not in NAMED or typed[0] not in get_systems():
        return ()
    of = find_system(typed[0])
    known = of.tables if command in TABLES else of.sequences
    if len(typed) == 1:
        return known
    if typed[1] not in known or command == "export-table":
        return ()
    given = {word.partition("=")[0] for word in typed[2:]}
    return _list_inputs([one for one in known[typed[1]].inputs if one.name not in given], part)


def _list_inputs(inputs: Iterable[Option], part: str) -> Iterable[str]:
    """A flag as it is, any other input with its equals sign, or with each of its words behind
    it.
    """
    for one in inputs:
        if one.type == "bool":
            yield one.name
        elif not part.startswith(f"{one.name}="):
            yield f"{one.name}="
        elif one.type == "enum":
            yield from (f"{one.name}={value}" for value in one.values)
