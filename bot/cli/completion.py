"""`grognard completion bash|zsh|fish`: a script for the shell, which asks this program for each
word on Tab.
"""

import re
from collections.abc import Iterable, Sequence

from bot.cli.cli import Arguments
from bot.cli.command_help import COMMANDS
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rulesets.catalog import find_shared_system, load_shared_systems

TABLES = ("tables", "lookup", "export-table")
SEQUENCES = ("sequences", "resolve", "odds")
NAMED = ("lookup", "resolve", "odds", "export-table")
"""Commands whose second word is a system: those about its tables, those about its sequences, and
those of both that go on with the name of one and then with its inputs.
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
    """Print the completion script of a shell. For `words LINE`, as the scripts ask, print the
    completions of the last word of that line instead, one on each line.

    Raises UserError for an unknown shell.
    """
    if len(words) == 2 and words[0] == "words":
        print("".join(f"{word}\n" for word in list_completions(words[1])), end="")
        return
    (shell,) = Arguments(words, flags={}).take_only("bash, zsh or fish")
    if shell not in SCRIPTS:
        hint = did_you_mean(shell, SCRIPTS) or "There are scripts for bash, zsh and fish."
        raise UserError(f'No completion for "{shell[:40]}".', hint=hint, code="bad-value")
    print(SCRIPTS[shell], end="")


def list_completions(line: str) -> list[str]:
    """Return the completions of the last word of a command line, `grognard ...`.

    There are none for a file, a free text, or a word inside quotes.
    """
    line = re.sub(r"\"[^\"]*\"|'[^']*'", "''", line)
    if (line.count('"') + line.count("'")) % 2:
        return []  # inside of quotes
    *earlier_words, part = line.split(" ")
    words = [word for word in earlier_words[1:] if word]
    return [word for word in _list_next_words(words, part) if word.startswith(part)]


def _list_next_words(words: list[str], part: str) -> Iterable[str]:
    """Return words that may follow `words`, which do not contain the program's name.

    `part` is the beginning of the next word, as far as it is typed; not all words begin with it.
    """
    if not words:
        return (*COMMANDS, "--help", "--version", "--packs")
    command, *arguments = words
    usage = COMMANDS.get(command, ("",))[0]
    flags = re.findall(r"(?<!\S)\[?(--?[a-z]+)", usage)
    last = arguments[-1] if arguments else ""
    if last.startswith("-") and re.search(rf"{re.escape(last)} [A-Z]", usage):
        return ()  # the value of a flag
    if part.startswith("-"):
        return (*flags, "--help")
    typed = [word for word in arguments if not word.startswith("-")]
    if command == "picture" and typed[:1] in (["table"], ["odds"]):
        command = "lookup" if typed.pop(0) == "table" else "odds"
    if command in (*TABLES, *SEQUENCES):
        return _list_system_words(command, typed, part)
    return () if typed else re.findall(r"(?:^|\| ?)([a-z]+)(?=[| ]|$)", usage)


def _list_system_words(command: str, typed: list[str], part: str) -> Iterable[str]:
    """Return the systems, then the tables or sequences of the system that is typed, then the inputs
    of the table or sequence that are not typed yet.

    `typed` are the words after the command without flags.
    """
    if not typed:
        return load_shared_systems()
    if command not in NAMED or typed[0] not in load_shared_systems():
        return ()
    system = find_shared_system(typed[0])
    entries = system.tables if command in TABLES else system.sequences
    if len(typed) == 1:
        return entries
    if typed[1] not in entries or command == "export-table":
        return ()
    used = {word.partition("=")[0] for word in typed[2:]}
    inputs = entries[typed[1]].inputs
    return _list_inputs([option for option in inputs if option.name not in used], part)


def _list_inputs(inputs: Iterable[Option], part: str) -> Iterable[str]:
    """Yield the name of each switch, and `name=` of each other input.

    If `part` already has that, yield each value of an enum, `name=value`; nothing for other types.
    """
    for option in inputs:
        if option.type == "bool":
            yield option.name
        elif not part.startswith(f"{option.name}="):
            yield f"{option.name}="
        elif option.type == "enum":
            yield from (f"{option.name}={value}" for value in option.values)
