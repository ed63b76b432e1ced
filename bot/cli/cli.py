"""The command line: commands that look up, play, count or roll once, without a channel.

Each command imports the modules that it needs inside its function: `roll` takes 0.06 s, and would
take 0.4 s more with those of the others.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bot.rules.errors import UserError, did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

    from bot.ui.reply.reply import Reply

MOST_INPUTS = 5
"""Maximum number of inputs that a line of a list names."""


class Arguments:
    """The words of a command line: positional `words`, key=value `pairs`, and --`flags` with the
    values that each was given (none for a switch).
    """

    def __init__(
        self, words: Sequence[str], *, flags: Mapping[str, bool], several: Sequence[str] = ()
    ) -> None:
        """Parse the words.

        `flags` maps each --flag of the command to True if it takes a value. Flags in `several`
        also take the words after their value, up to the next --flag or key=value. `-o FILE` is
        `--out FILE` if the command has `out`. Raises UserError for an unknown flag, a flag
        without its value, and a key that is given twice.
        """
        self.words: list[str] = []
        self.pairs: dict[str, object] = {}
        self.flags: dict[str, list[str]] = {}
        queue = iter("--out" if word == "-o" and "out" in flags else word for word in words)
        open_flag = ""
        for word in queue:
            if word.startswith("--"):
                self._read_flag(word[2:], queue, flags)
                open_flag = word[2:] if word[2:] in several else ""
            elif "=" in word and not word.startswith("="):
                open_flag = ""
                key, _, value = word.partition("=")
                self._add_pair(key.replace("-", "_"), value)
            elif open_flag:
                self.flags[open_flag].append(word)
            else:
                self.words.append(word)

    def _read_flag(self, word: str, queue: Iterator[str], flags: Mapping[str, bool]) -> None:
        """Store a flag, written `name` or `name=value`; without "=" take its value from `queue`,
        the words after it. Raises UserError if it is unknown or lacks its value.
        """
        name, equals, value = word.partition("=")
        if name not in flags:
            correction = did_you_mean(name, flags)
            raise UserError(
                f"This command has no --{name[:40]}.",
                hint=correction.replace("mean ", "mean --"),
                code="unknown-option",
            )
        if not flags[name]:
            self.flags[name] = []
            return
        if not equals:
            value = next(queue, "")
        if not value:
            raise UserError(f"--{name} needs a value.", code="no-value")
        self.flags.setdefault(name, []).append(value)

    def _add_pair(self, key: str, value: object) -> None:
        """Store a pair. Raises UserError if the key is there already."""
        if key in self.pairs:
            raise UserError(f"{key} is given twice.", hint="Give it once.", code="given-twice")
        self.pairs[key] = value

    def take_words(self, *names: str) -> list[str]:
        """Remove and return the next positional words, one for each name.

        Raises UserError with the name of the first that is missing.
        """
        if len(self.words) < len(names):
            raise UserError(f"{names[len(self.words)]} is missing.", code="missing")
        words = self.words[: len(names)]
        self.words = self.words[len(names) :]
        return words

    def take_only(self, *names: str) -> list[str]:
        """Remove and return the positional words, one for each name.

        Raises UserError if one is missing, or if there are more words or any key=value pairs.
        """
        words = self.take_words(*names)
        surplus = [*self.words, *self.pairs]
        if surplus:
            hint = (
                f"It takes only {' and '.join(names)}."
                if names
                else "This command takes no arguments."
            )
            raise UserError(f'Unexpected "{surplus[0][:40]}".', hint=hint, code="loose-word")
        return words

    def get_inputs(self) -> dict[str, object]:
        """Return the key=value pairs, with each positional word that is left as a key with the
        value True; no words are left then.

        Raises UserError for a word that cannot be a key, or whose key is there already.
        """
        for word in self.words:
            if not word.isascii() or not word.replace("-", "_").isidentifier():
                raise UserError(
                    f'"{word[:40]}" has no name.',
                    hint="Write key=value, such as attack=7.",
                    code="loose-word",
                )
            self._add_pair(word.replace("-", "_"), True)
        self.words = []
        return self.pairs

    def get_number(self, flag: str, default: int) -> int:
        """Return the value of a --flag as a whole number, or `default` if it was not given.

        Raises UserError unless it is from 1 to 1,000,000.
        """
        text = self.flags.get(flag, [str(default)])[-1]
        if not (text.isascii() and text.isdecimal() and 0 < int(text) <= 10**6):
            raise UserError(
                f"--{flag} takes a whole number from 1, not {text[:40]}.", code="bad-value"
            )
        return int(text)

    @property
    def is_json(self) -> bool:
        return "json" in self.flags


def show_systems(words: Sequence[str]) -> None:
    """Print the id and title of each system, a line each."""
    from bot.rulesets.catalog import load_shared_systems

    Arguments(words, flags={}).take_only()
    for id, game in load_shared_systems().items():
        print(f"{id}  {game.title}")


def show_tables(words: Sequence[str]) -> None:
    """Print the tables of a system, a line each. Raises UserError if there is no such system."""
    from bot.rulesets.catalog import find_shared_system

    (id,) = Arguments(words, flags={}).take_only("SYSTEM")
    _print_list(find_shared_system(id).tables.values())


def show_sequences(words: Sequence[str]) -> None:
    """Print the sequences of a system, a line each. Raises UserError if there is no such system."""
    from bot.rulesets.catalog import find_shared_system

    (id,) = Arguments(words, flags={}).take_only("SYSTEM")
    _print_list(find_shared_system(id).sequences.values())


def _print_list(items: Iterable[Any]) -> None:
    """Print the id, the title and the first few input names of each table or sequence."""
    entries = list(items)
    width = max((len(entry.id) for entry in entries), default=0)
    for entry in entries:
        names = [option.name for option in entry.inputs]
        surplus = f" and {len(names) - MOST_INPUTS} more" if len(names) > MOST_INPUTS else ""
        inputs = ", ".join(names[:MOST_INPUTS]) + surplus
        print(f"{entry.id:<{width}}  {entry.title} ({inputs})")


def look_up_table(words: Sequence[str]) -> None:
    """Look up one cell of a table and print it; list the system's tables if only the system is
    named.

    Values without `key=` go to the table's inputs in order. Raises UserError.
    """
    from bot.presentation.tables import build_lookup_reply
    from bot.rulesets.catalog import find_shared_system

    arguments = Arguments(words, flags={"json": False})
    if len(arguments.words) == 1 and not arguments.pairs:
        show_tables(arguments.words)
        return
    id, name = arguments.take_words("SYSTEM", "TABLE")
    game = find_shared_system(id)
    table = game.find_table(name)
    switches = {option.name for option in table.inputs if option.type == "bool"}
    assigned = {*switches, *arguments.pairs}
    open_inputs = [option.name for option in table.inputs if option.name not in assigned]
    values = [word for word in arguments.words if word.replace("-", "_") not in switches]
    values = values[: len(open_inputs)]
    arguments.words = [word for word in arguments.words if word not in values]
    arguments.pairs |= dict(zip(open_inputs, values, strict=False))
    inputs = arguments.get_inputs()
    lookup = table.read(inputs)
    _print_answer(arguments, dict(lookup.out), build_lookup_reply(table, inputs, lookup))


def resolve_once(words: Sequence[str]) -> None:
    """Play one sequence and print the result. Its dice are those of --dice, all of which must be
    used, or random ones. Raises UserError.
    """
    from bot.rulesets.catalog import find_shared_system

    arguments = Arguments(words, flags={"json": False, "dice": True})
    id, name = arguments.take_words("SYSTEM", "SEQUENCE")
    game = find_shared_system(id)
    sequence = game.find_sequence(name)
    source, finish = _build_source(arguments, cards=bool(sequence.decks))
    played, reply = play_once(sequence, arguments.get_inputs(), source)
    finish()
    dice = [{"label": die.label, "sides": die.sides, "value": die.value} for die in played.dice]
    _print_answer(arguments, {"out": played.out, "dice": dice}, reply)


def play_once(sequence: Any, inputs: Mapping[str, object], source: Any) -> tuple[Any, Reply]:
    """Play a sequence with dice from `source`. Return the play (outputs and dice), and the reply
    that shows it. Raises UserError for inputs that do not fit.
    """
    from bot.presentation.headline import YOU, list_actors
    from bot.presentation.run_sequence import build_play_reply
    from bot.rulesets.play_once import play_sequence

    played = play_sequence(sequence, inputs, source)
    actors = list_actors(sequence, sequence.read_inputs(inputs, {}))
    return played, build_play_reply(YOU, sequence, played, actors)


def count_odds_once(words: Sequence[str]) -> None:
    """Count the exact odds of one sequence and print them: for every unit, by the outputs that
    --by names, for each possible change (--compare), or after some rounds (--rounds).

    Raises UserError.
    """
    from bot.cli.odds_text import (
        build_comparison,
        build_round_odds,
        count_odds_reply,
        format_output_odds,
        format_unit_odds,
    )
    from bot.rulesets.catalog import find_shared_system
    from bot.rulesets.play_once import count_odds

    arguments = Arguments(
        words, flags={"json": False, "by": True, "compare": False, "rounds": True}, several=("by",)
    )
    id, name = arguments.take_words("SYSTEM", "SEQUENCE")
    sequence = find_shared_system(id).find_sequence(name)
    paths = [path for flag in arguments.flags.get("by", []) for path in flag.split(",")]
    inputs = arguments.get_inputs()
    if "rounds" in arguments.flags:
        rounds = arguments.flags["rounds"][-1]
        _print_answer(arguments, *build_round_odds(sequence, inputs, rounds))
    elif "compare" in arguments.flags:
        _print_answer(arguments, *build_comparison(sequence, inputs, paths))
    elif paths or arguments.is_json:
        counted = count_odds(sequence, inputs, paths)
        fractions = {value: str(chance) for value, chance in counted.items()}
        text = format_output_odds(sequence.title, paths, counted) if paths else ""
        _print_answer(arguments, fractions, text)
    else:
        reply = count_odds_reply(sequence, inputs)
        _print_answer(arguments, None, reply if sys.stdout.isatty() else format_unit_odds(reply))


def roll_once(words: Sequence[str]) -> None:
    """Roll one dice expression and print it. Raises UserError."""
    from bot.rules.expression.rolling import roll
    from bot.rules.expression.sum_parser import parse

    # 10d6>=5 is not a pair
    signs = [word if word.startswith("--") else word.replace("=", "\0") for word in words]
    arguments = Arguments(signs, flags={"json": False, "dice": True})
    text = " ".join(word.replace("\0", "=") for word in arguments.words)
    if not text:
        raise UserError(
            "roll needs dice.", hint='For example: grognard roll "2d6+3"', code="missing"
        )
    expression = parse(text)
    source, finish = _build_source(arguments)
    rolling = roll(expression, source)
    finish()
    _print_answer(arguments, rolling.to_output(), rolling.format_text())


def answer_batch(words: Sequence[str]) -> None:
    """Answer JSON Lines from standard input on standard output, a line each (see `run_batch`)."""
    import io

    from bot.cli.batch import run_batch

    Arguments(words, flags={}).take_only()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # JSON is UTF-8 whatever the terminal speaks
    run_batch(sys.stdin.buffer, lambda line: print(line, flush=True))


def verify_file(words: Sequence[str]) -> int:
    """Recompute chain, dice and outcomes of an exported game, and print the faults and a summary.

    The ratings in the file of a ladder are computed again, and its results are compared with the
    logs in the files after it. Return the exit status: 1 if something does not fit, 3 if not all of
    it can be checked, else 0.
    """
    from pathlib import Path

    from bot.verification.check_file import check_file, collect_heads, format_summary
    from bot.verification.check_ladder import is_ladder

    arguments = Arguments(words, flags={"head": True, "heads": True})
    if arguments.words and is_ladder(Path(arguments.words[0])):
        return _verify_ladder([Path(word) for word in arguments.words])
    (file,) = arguments.take_only("FILE")
    heads = collect_heads(
        arguments.flags.get("head", ()), arguments.flags.get("heads", ()), sys.stdin.read
    )
    findings = check_file(Path(file), heads)
    for line in (*findings.faults, *format_summary(findings)):
        print(line)
    return findings.status


def _verify_ladder(files: Sequence[Path]) -> int:
    """Check the file of a ladder, with the logs in the files after it; see `verify_file`."""
    from bot.verification.check_ladder import check_ladder_files

    ladder, *logs = files
    findings = check_ladder_files(ladder, logs)
    for line in (*findings.faults, *findings.format_summary()):
        print(line)
    return findings.status


HEALTH_SECONDS = 5.0
"""Seconds to wait for the answer of the health port."""
LOCAL_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""The local address to ask if the bot listens on all addresses."""


def check_health(words: Sequence[str]) -> int:
    """Ask the running bot's health port and print its answer.

    Return the exit status: 0 if the bot is well, 1 if something is wrong or nobody answers. Raises
    UserError if the settings name no port.
    """
    import http.client

    from bot.runtime.settings import get_settings_place, load_settings

    arguments = Arguments(words, flags={"ready": False, "live": False})
    arguments.take_only()
    flags = arguments.flags
    path = "/healthz"
    if "live" in flags:
        path = "/livez"
    elif "ready" in flags:
        path = "/readyz"
    settings = load_settings()
    if not settings.health_port:
        raise UserError(
            "HEALTH_PORT is not set, so there is no bot to ask.",
            hint=f"Put this line in {get_settings_place()}: HEALTH_PORT=9090",
            code="bad-settings",
        )
    host = LOCAL_HOSTS.get(settings.health_host, settings.health_host)
    try:
        connection = http.client.HTTPConnection(host, settings.health_port, timeout=HEALTH_SECONDS)
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read(4096)
    except (OSError, http.client.HTTPException) as error:
        print(f"No bot answers on port {settings.health_port} of {host}: {error}.")
        return 1
    print(body.decode("utf-8", "replace").strip())
    return int(response.status != 200)


def _build_source(arguments: Arguments, *, cards: bool = False) -> tuple[Any, Any]:
    """Return the source of the dice, and a function that raises UserError if not all were used.

    The dice are those of --dice, which may name cards as well if `cards`; else they are random,
    and the function does nothing.
    """
    if "dice" not in arguments.flags:
        from bot.runtime.entropy import create_throwaway_source

        return create_throwaway_source(), lambda: None
    from bot.rules.dice import Script
    from bot.rules.inputs.input_values import parse_hand_dice

    values = parse_hand_dice(",".join(arguments.flags["dice"]), cards=cards)
    script = Script(values, named=cards, as_printed=True)
    return script, script.finish


def _print_answer(arguments: Arguments, out: object, answer: Reply | str) -> None:
    """Print `out` as JSON if --json is set, else the answer.

    A Reply has the colours of the console on a terminal, and is plain text in a pipe or file.
    """
    if arguments.is_json:
        import json

        print(json.dumps(out, ensure_ascii=False))
    elif isinstance(answer, str):
        print(answer)
    elif sys.stdout.isatty():
        from rich.console import Console

        from bot.cli.terminal import print_reply

        print_reply(Console(), answer)
    else:
        print(answer.format_text())
