"""Help on everything, from the same definitions that run it, with examples that run."""

from __future__ import annotations

from bot.command import CommandSpec
from bot.commands.desk import Desk
from bot.registry import TABLE, Registry
from bot.reply import Reply
from bot.rules.errors import UserError, did_you_mean
from bot.rules.options import Option

_START = (
    "Every table and every combat procedure of a game is one command.",
    "/roll 2d6+3 rolls dice. /help dice shows all that can be written.",
    "/lnlt fire fights a fire attack; add odds to see the exact chances first and roll nothing.",
    "/lnlt-table reads a table. /help lnlt lists what a game has, /help lnlt fire explains one command.",
    '/game start lnlt "Hill 875" sides="US, VC" lets this channel remember units, turns and every die.',
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
        (*_START, "Games (the rule book is needed):", *games, f"Further commands: {others}."),
        private=True,
    )


def _dice() -> Reply:
    from bot.rules.expression import GUIDE

    width = max(len(example) for example, _ in GUIDE)
    return Reply(
        "Dice that /roll understands",
        block=tuple(f"{example:<{width}}  {what}" for example, what in GUIDE),
        private=True,
    )


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
    title = f"/{' '.join(path)}" + (f": {game.title}" if game is not None else "")
    tail = [f"/help {' '.join(path)} NAME explains one of them."]
    if game is not None:
        tail.append(
            f"/help {game.id}{TABLE} lists the tables."
            if path[0] == game.id
            else f"/help {game.id} lists the procedures."
        )
        if notice := game.game.get("notice"):
            tail.append(str(notice))
    return Reply(title, (*lines, *tail), private=True)


def _command(spec: CommandSpec) -> Reply:
    lines = [spec.summary]
    if spec.example:
        lines.append(f"Example: {spec.example}")
    lines += [option_line(option) for option in spec.options if option.type != "bool"]
    flags = [option for option in spec.options if option.type == "bool"]
    if flags:
        lines.append("Flags: " + "; ".join(map(flag_text, flags)))
    if spec.details:
        lines.append(spec.details)
    return Reply(
        f"{spec.name}: {_first_sentence(spec.summary)}",
        tuple(lines[1:] if len(spec.summary) < 90 else lines),
        private=True,
    )


def flag_text(flag: Option) -> str:
    """A flag in a list: its name, what it says, and how to switch off one that is on by itself."""
    about = [flag.help] if flag.help else []
    if flag.default:
        about.append(f"on by itself; off with {flag.name}=no")
    return f"{flag.name} ({'; '.join(about)})" if about else flag.name


def option_line(option: Option) -> str:
    """One line of help for an option: what it is, what to type, its default."""
    about = f": {option.help}" if option.help else ""
    if option.required:
        rest = "needed"
    elif option.default not in (None, "", ()):
        rest = f"default {option.default}"
    else:
        rest = "optional"
    expected = option.expected
    if len(expected) > 160:
        expected = expected[:159].rsplit(",", 1)[0] + ", ..."
    return f"  {option.name}{about} ({expected}; {rest})"


def _search(words: list[str], registry: Registry) -> Reply:
    """Help on a bare name such as `melee-odds`: the commands that bear it."""
    name = words[-1]
    found = [spec for top in registry.top for spec in registry.below((top,)) if spec.path[-1] == name]
    if len(found) == 1:
        return _command(found[0])
    if found:
        return Reply(
            f"{name} is known to several games.", tuple(f"/help {' '.join(spec.path)}" for spec in found), private=True
        )
    known = [*registry.top, "dice", *(spec.path[-1] for top in registry.top for spec in registry.below((top,)))]
    hint = registry.elsewhere(name) or did_you_mean(name, known) or "Type /help."
    raise UserError(f'There is no help on "{" ".join(words)[:40]}".', hint=hint)


def _first_sentence(text: str) -> str:
    return text.split(". ")[0].rstrip(".")


async def handle(desk: Desk) -> Reply:
    """`/help`."""
    return show_help(str(desk.command.options.get("topic") or ""), desk.registry)
