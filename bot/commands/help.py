"""Help on everything, from the same definitions that run it, with examples that run."""

from __future__ import annotations

import textwrap

from bot.commands.context import Context
from bot.interface.explained import all_unit_words, lists_of, unit_words
from bot.interface.parts import Grid
from bot.interface.registry import TABLE, Registry
from bot.interface.reply import Reply
from bot.interface.spec import CommandSpec
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rules.phrase import Typed, phrase
from bot.systems.catalog import system

_START = (
    "One command per table, one per combat sequence: name your units and the bot does the rest.",
    phrase("`/roll 2d6+3` rolls dice. `/help dice` shows everything that you can write."),
    phrase("`/lnlt fire` fights a fire attack; add odds to see the exact chances first and roll nothing."),
    phrase("`/lnlt-table` reads a table. `/help lnlt` lists what a game has, `/help lnlt fire` explains one command."),
    phrase('`/game start lnlt "Hill 875" sides="US, VC"` lets this channel remember units, turns and every die.'),
)


def show_help(topic: str, registry: Registry) -> Reply:
    """Help on a topic: nothing, a game, a command, a table, `dice`. Raises UserError with the nearest topic."""
    words = topic.strip().removeprefix("/").casefold().split()
    if not words:
        return _overview(registry)
    if words[0] in ("dice", "expression"):
        return _dice()
    if words[0] in ("fair", "provable") and len(words) > 1 and words[1] == "dice":
        words = ["fair"]
    if words[0] not in registry.top:
        return _search(words, registry)
    if (spec := registry.get(tuple(words))) is not None:
        return _command(spec)
    if words[1:] in (["units"], ["unit"]) and words[0] in registry.games:
        return _units(words[0])
    try:
        spec, used = registry.find(words)
    except UserError:
        if registry.children(tuple(words)):
            return _listing(tuple(words), registry)
        raise
    del used
    return _command(spec)


def _overview(registry: Registry) -> Reply:
    games = tuple(f"  /{id}  {game.title}" for id, game in registry.games.items())
    others = ", ".join(f"/{name}" for name in registry.top if name not in registry.games and not name.endswith(TABLE))
    return Reply(
        "Grognard fights tabletop wargames in chat.",
        (*_START, "Games (you need the rule book):", *games, f"Other commands: {others}."),
        private=True,
    )


def _dice() -> Reply:
    from bot.rules.expression import GUIDE

    return Reply("Dice that /roll understands", (Grid(tuple(GUIDE)),), private=True)


def _listing(path: tuple[str, ...], registry: Registry) -> Reply:
    lines = []
    for word in registry.children(path):
        spec = registry.get((*path, word))
        if spec is not None:
            lines.append(f"{word}: {_first_sentence(spec.summary)}")
        else:
            below = [child.path[-1] for child in registry.below((*path, word))]
            lines.append(f"{word}: {', '.join(below)}")
    game = registry.games.get(path[0].removesuffix(TABLE))
    title = f"/{' '.join(path)}: {registry.about(path[0])}"
    tail = [f"/help {' '.join(path)} NAME explains one of them."]
    if len(path) == 1 and path[0] in registry.games and any(lists_of(spec.options) for spec in registry.below(path)):
        tail.append(phrase("`/help {name} units` explains the words behind a unit.", name=path[0]))
    if game is not None:
        tail.append(
            phrase("`/help {id}{table}` lists the tables.", id=game.id, table=TABLE)
            if path[0] == game.id
            else phrase("`/help {id}` lists the sequences.", id=game.id)
        )
        if notice := game.game.get("notice"):
            tail.append(str(notice))
    return Reply(title, (*lines, *tail), private=True)


def _units(game: str) -> Reply:
    lines = ["Each item is a unit type or a unit of the roster, then its numbers and words; separate items with ;"]
    lines.append("Several of the roster at once: GI 1..10, us1..us4, all, all shaken, side:US, hex:H5.")
    found = list(all_unit_words(system(game)))
    if not found:
        raise UserError(
            f"No sequence of {game} takes a list of units.", hint=Typed(f"/help {game}"), code="unknown-topic"
        )
    for name, words in found:
        lines += [f"In {name}:", *(f"  {line}" for line in words)]
    return Reply(f"/{game}: words of a unit", tuple(lines), private=True)


def _command(spec: CommandSpec) -> Reply:
    lines = [spec.summary]
    if spec.example:
        lines.append(phrase("Example: `{example}`", example=spec.example))
    for option in spec.options:
        if option.type != "bool":
            lines += option_lines(option)
    flags = [option for option in spec.options if option.type == "bool"]
    if flags:
        lines += ["Flags:", *(f"  {flag_text(flag)}" for flag in flags)]
    if spec.details:
        lines.append(spec.details)
    if spec.family == "sequence":
        words = system(spec.system).words
        for name, options in lists_of(spec.options).items():
            lines += [
                f"Words of a unit in {' and '.join(options)}:",
                *(f"  {line}" for line in unit_words(words[name])),
            ]
    return Reply(
        f"{spec.name}: {_first_sentence(spec.summary)}",
        tuple(lines[1:] if len(spec.summary) < 90 else lines),
        private=True,
    )


def flag_text(flag: Option) -> str:
    """A flag with what it adds and says, and how to switch off one that is on by itself."""
    about = [flag.help] if flag.help else []
    if flag.default:
        about.append(f"on by default; off with {flag.name}=no")
    return f"{flag.name}: {'; '.join(about)}" if about else flag.name


WIDTH = 110


def option_lines(option: Option) -> list[str]:
    """Help for an option: what it is, what to type, its default; words that it takes with what they mean."""
    about = f": {option.help}" if option.help else ""
    if option.required:
        rest = "needed"
    elif option.default not in (None, "", ()):
        rest = f"default {option.default}"
    else:
        rest = "optional"
    if option.meanings:
        meant = [
            f"    {word}: {option.meanings[word]}" if word in option.meanings else f"    {word}"
            for word in option.values
        ]
        return [f"  {option.name}{about} ({rest}):", *meant]
    if len(option.expected) <= WIDTH:
        return [f"  {option.name}{about} ({option.expected}; {rest})"]
    kind, _, words = option.expected.partition(" of ")
    folded = textwrap.wrap(words, WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    return [f"  {option.name}{about} ({kind} of these; {rest}):", *folded]


def _search(words: list[str], registry: Registry) -> Reply:
    """Help on a bare name such as `melee-odds`: the commands that bear it."""
    name = words[-1]
    found = [spec for top in registry.top for spec in registry.below((top,)) if spec.path[-1] == name]
    if len(found) == 1:
        return _command(found[0])
    if found:
        return Reply(
            f"{name} is in several games.",
            tuple(Typed(f"/help {' '.join(spec.path)}") for spec in found),
            private=True,
        )
    known = [*registry.top, "dice", *(spec.path[-1] for top in registry.top for spec in registry.below((top,)))]
    hint = registry.elsewhere(name) or did_you_mean(name, known) or phrase("Type `/help`.")
    raise UserError(f'There is no help on "{" ".join(words)[:40]}".', hint=hint, code="unknown-topic")


def _first_sentence(text: str) -> str:
    return text.split(". ")[0].rstrip(".")


async def handle(context: Context) -> Reply:
    """`/help`."""
    return show_help(str(context.command.options.get("topic") or ""), context.registry)
