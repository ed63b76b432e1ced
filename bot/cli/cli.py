"""The command line: looks things up, plays, counts and rolls once, without a channel.

Each command imports what it needs by itself: `roll` takes 0.06 s, with what the others need it
would be 0.4 s more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bot.rules.errors import UserError, did_you_mean

if TYPE_CHECKING:
    from bot.ui.reply.reply import Reply

MOST_INPUTS = 5
"""So many inputs a line of a list names."""


class Arguments:
    """Words of a command line: positional ones, key=value pairs, and --flags with or without a
    value.
    """

    def __init__(
        self, words: Sequence[str], *, flags: Mapping[str, bool], several: Sequence[str] = ()
    ) -> None:
        """`flags` maps each known --flag to whether it takes a value; `several` name those that
        take all words behind them, up to the next flag or key=value; `-o FILE` is `--out FILE`
        where that is known. Raises UserError for unknown flags.
        """
        self.words: list[str] = []
        self.pairs: dict[str, object] = {}
        self.flags: dict[str, list[str]] = {}
        rest = iter("--out" if word == "-o" and "out" in flags else word for word in words)
        listing = ""
        for word in rest:
            if word.startswith("--"):
                self._read_flag(word[2:], rest, flags)
                listing = word[2:] if word[2:] in several else ""
            elif "=" in word and not word.startswith("="):
                listing = ""
                key, _, value = word.partition("=")
                self._add_pair(key.replace("-", "_"), value)
            elif listing:
                self.flags[listing].append(word)
            else:
                self.words.append(word)

    def _read_flag(self, word: str, rest: Any, known: Mapping[str, bool]) -> None:
        name, equals, value = word.partition("=")
        if name not in known:
            near = did_you_mean(name, known)
            raise UserError(
                f"There is no --{name[:40]} here.",
                hint=near.replace("mean ", "mean --"),
                code="unknown-option",
            )
        if not known[name]:
            self.flags[name] = []
            return
        value = value if equals else next(rest, "")
        if not value:
            raise UserError(f"--{name} needs a value.", code="no-value")
        self.flags.setdefault(name, []).append(value)

    def _add_pair(self, key: str, value: object) -> None:
        if key in self.pairs:
            raise UserError(f"{key} is given twice.", hint="Give it once.", code="given-twice")
        self.pairs[key] = value

    def take_words(self, *names: str) -> list[str]:
        """The next positional words, one for each name. Raises UserError naming the first that
        is missing.
        """
        if len(self.words) < len(names):
            raise UserError(f"{names[len(self.words)]} is missing.", code="missing")
        taken = self.words[: len(names)]
        self.words = self.words[len(names) :]
        return taken

    def take_only(self, *names: str) -> list[str]:
        """The positional words, one for each name, and nothing beside them. Raises UserError."""
        taken = self.take_words(*names)
        if more := [*self.words, *self.pairs]:
            hint = f"It takes {' and '.join(names)} alone." if names else "It takes nothing here."
            raise UserError(f'"{more[0][:40]}" is left over.', hint=hint, code="loose-word")
        return taken

    def get_inputs(self) -> dict[str, object]:
        """key=value pairs, and each remaining bare word as a flag that is set. Raises UserError."""
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
        """The whole number behind a --flag. Raises UserError."""
        text = self.flags.get(flag, [str(default)])[-1]
        if not (text.isascii() and text.isdecimal() and 0 < int(text) <= 10**6):
            raise UserError(
                f"--{flag} takes a whole number from 1, not {text[:40]}.", code="bad-value"
            )
        return int(text)

    @property
    def is_json(self) -> bool:
        """Return whether --json was asked for."""
        return "json" in self.flags


def show_systems(words: Sequence[str]) -> None:
    """The systems, a line each."""
    from bot.rulesets.catalog import get_systems

    Arguments(words, flags={}).take_only()
    for id, game in get_systems().items():
        print(f"{id}  {game.title}")


def show_tables(words: Sequence[str]) -> None:
    """The tables of a system, a line each."""
    from bot.rulesets.catalog import find_system

    (id,) = Arguments(words, flags={}).take_only("SYSTEM")
    _print_list(find_system(id).tables.values())


def show_sequences(words: Sequence[str]) -> None:
    """The sequences of a system, a line each."""
    from bot.rulesets.catalog import find_system

    (id,) = Arguments(words, flags={}).take_only("SYSTEM")
    _print_list(find_system(id).sequences.values())


def _print_list(items: Iterable[Any]) -> None:
    """A line each: the id, the title, and what is asked for; of many inputs the first few."""
    found = list(items)
    wide = max((len(one.id) for one in found), default=0)
    for one in found:
        names = [option.name for option in one.inputs]
        more = f" and {len(names) - MOST_INPUTS} more" if len(names) > MOST_INPUTS else ""
        print(f"{one.id:<{wide}}  {one.title} ({', '.join(names[:MOST_INPUTS])}{more})")


def look_up_table(words: Sequence[str]) -> None:
    """Read one table."""
    from bot.presentation.tables import build_lookup_reply
    from bot.rulesets.catalog import find_system

    arguments = Arguments(words, flags={"json": False})
    if len(arguments.words) == 1 and not arguments.pairs:
        show_tables(arguments.words)
        return
    id, name = arguments.take_words("SYSTEM", "TABLE")
    game = find_system(id)
    table = game.find_table(name)
    flags = {one.name for one in table.inputs if one.type == "bool"}
    free = [one.name for one in table.inputs if one.name not in {*flags, *arguments.pairs}]
    values = [word for word in arguments.words if word.replace("-", "_") not in flags][: len(free)]
    arguments.words = [word for word in arguments.words if word not in values]
    arguments.pairs |= dict(zip(free, values, strict=False))
    given = arguments.get_inputs()
    found = table.read(given)
    _print_answer(arguments, dict(found.out), build_lookup_reply(table, given, found))


def resolve_once(words: Sequence[str]) -> None:
    """Play one sequence, with the dice given or with thrown ones."""
    from bot.rulesets.catalog import find_system

    arguments = Arguments(words, flags={"json": False, "dice": True})
    id, name = arguments.take_words("SYSTEM", "SEQUENCE")
    game = find_system(id)
    sequence = game.find_sequence(name)
    source, finish = _build_source(arguments, cards=bool(sequence.decks))
    given = arguments.get_inputs()
    played, reply = play_once(sequence, given, source)
    finish()
    dice = [{"label": die.label, "sides": die.sides, "value": die.value} for die in played.dice]
    _print_answer(arguments, {"out": played.out, "dice": dice}, reply)


def play_once(sequence: Any, given: Mapping[str, object], source: Any) -> tuple[Any, Reply]:
    """What a sequence came to with dice from `source`, and how that is answered. Raises
    UserError.
    """
    from bot.presentation.headline import YOU, list_actors
    from bot.presentation.run_sequence import build_play_reply
    from bot.rulesets.play_once import play_sequence

    played = play_sequence(sequence, given, source)
    return played, build_play_reply(
        YOU, sequence, played, list_actors(sequence, sequence.read_inputs(given, {}))
    )


def count_odds_once(words: Sequence[str]) -> None:
    """The exact odds of one sequence: of every unit, or by the outputs that are named."""
    from bot.cli.odds_text import (
        build_comparison,
        build_round_odds,
        count_odds_reply,
        format_output_odds,
        format_unit_odds,
    )
    from bot.rulesets.catalog import find_system
    from bot.rulesets.play_once import count_odds

    arguments = Arguments(
        words, flags={"json": False, "by": True, "compare": False, "rounds": True}, several=("by",)
    )
    id, name = arguments.take_words("SYSTEM", "SEQUENCE")
    sequence = find_system(id).find_sequence(name)
    by = [path for flag in arguments.flags.get("by", []) for path in flag.split(",")]
    given = arguments.get_inputs()
    if "rounds" in arguments.flags:
        _print_answer(arguments, *build_round_odds(sequence, given, arguments.flags["rounds"][-1]))
    elif "compare" in arguments.flags:
        _print_answer(arguments, *build_comparison(sequence, given, by))
    elif by or arguments.is_json:
        counted = count_odds(sequence, given, by)
        shown = {value: str(chance) for value, chance in counted.items()}
        _print_answer(
            arguments, shown, format_output_odds(sequence.title, by, counted) if by else ""
        )
    else:
        reply = count_odds_reply(sequence, given)
        _print_answer(arguments, None, reply if sys.stdout.isatty() else format_unit_odds(reply))


def roll_once(words: Sequence[str]) -> None:
    """Roll one expression. Raises UserError."""
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
    """JSON Lines from standard input, answered on standard output."""
    import io

    from bot.cli.batch import run_batch

    Arguments(words, flags={}).take_only()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # JSON is UTF-8 whatever the terminal speaks
    run_batch(sys.stdin.buffer, lambda line: print(line, flush=True))


def verify_file(words: Sequence[str]) -> int:
    """Recompute chain, dice and outcomes of an exported game; 1 when something does not fit, 3 when
    not all of it can be played again."""
    from pathlib import Path

    from bot.verification.check_file import check_file, collect_heads, format_summary

    arguments = Arguments(words, flags={"head": True, "heads": True})
    (file,) = arguments.take_only("FILE")
    heads = collect_heads(
        arguments.flags.get("head", ()), arguments.flags.get("heads", ()), sys.stdin.read
    )
    findings = check_file(Path(file), heads)
    for line in (*findings.faults, *format_summary(findings)):
        print(line)
    return findings.status


HEALTH_SECONDS = 5.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def check_health(words: Sequence[str]) -> int:
    """Ask the health port; 1 where something is wrong or nobody answers. Raises UserError where
    no port is set.
    """
    import http.client

    from bot.runtime.settings import get_settings_place, load_settings

    arguments = Arguments(words, flags={"ready": False, "live": False})
    arguments.take_only()
    flags = arguments.flags
    asked = "/livez" if "live" in flags else "/readyz" if "ready" in flags else "/healthz"
    settings = load_settings()
    if not settings.health_port:
        raise UserError(
            "HEALTH_PORT is not set, so there is nobody to ask.",
            hint=f"The line in {get_settings_place()}: HEALTH_PORT=9090",
            code="bad-settings",
        )
    host = EVERYWHERE.get(settings.health_host, settings.health_host)
    try:
        connection = http.client.HTTPConnection(host, settings.health_port, timeout=HEALTH_SECONDS)
        connection.request("GET", asked)
        answer = connection.getresponse()
        said = answer.read(4096).decode("utf-8", "replace").strip()
    except (OSError, http.client.HTTPException) as error:
        print(f"Nobody answers at port {settings.health_port} of {host}: {error}.")
        return 1
    print(said)
    return int(answer.status != 200)


def _build_source(arguments: Arguments, *, cards: bool = False) -> tuple[Any, Any]:
    if "dice" not in arguments.flags:
        from bot.runtime.entropy import create_throwaway_source

        return create_throwaway_source(), lambda: None
    from bot.rules.dice import Script
    from bot.rules.inputs.input_values import parse_hand_dice

    values = parse_hand_dice(",".join(arguments.flags["dice"]), cards=cards)
    script = Script(values, named=cards, as_printed=True)
    return script, script.finish


def _print_answer(arguments: Arguments, out: object, answer: Reply | str) -> None:
    """As JSON where that was asked for; an answer on a terminal as the console shows it,
    elsewhere as text.
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
