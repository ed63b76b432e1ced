"""Help on everything, from the same definitions that run it, with examples that run.

Each screen is a topic, which can be typed (`/help lnlt fire modifiers`) and is behind a button (`help:lnlt fire
modifiers`); a press changes the message to the next screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.commands.context import Context
from bot.commands.help.pages import (
    MODIFIERS,
    UNITS,
    command_page,
    modifiers_page,
    units_of_game,
    units_page,
    word_page,
    words_like,
)
from bot.commands.help.start import GAMES, back, games_page, overview, page_of_group
from bot.commands.help.topics import TOPICS, topic_page
from bot.interface.registry import Registry
from bot.interface.reply.reply import Reply
from bot.interface.spec import CommandSpec
from bot.interface.typing.examples import example_in
from bot.rules.errors import UserError, did_you_mean
from bot.rules.text.phrase import Typed, phrase

ASKING = ("?", "help", "--help", "-h")
LONGEST = 3_200
"""Characters of a screen; what is longer comes as a message of its own."""


def show_help(topic: str, registry: Registry, games: Sequence[str] | None = None, played: str = "") -> Reply:
    """Help on a topic: nothing, a game, a command, a table, `dice`. Raises UserError with the nearest topic.

    `games` are the systems enabled here (None: all), `played` is the one of the channel's game.
    """
    reply = _page(topic, registry, tuple(registry.games if games is None else games), played)
    fits = len(reply.text()) <= LONGEST
    return replace(reply, private=True, boxed=fits, in_place=fits)


def _page(topic: str, registry: Registry, games: tuple[str, ...], played: str) -> Reply:
    words = topic.strip().removeprefix("/").casefold().split()
    while len(words) > 1 and words[-1] in ASKING:
        words.pop()
    if not words or words[0] in ("hello", *ASKING[2:]):
        return overview(registry, games, played, greets=bool(words))
    if words == ["provable", "dice"]:
        words = ["fair", "dice"]
    if words == [GAMES]:
        return games_page(registry, games)
    if (name := " ".join(words)) in TOPICS:
        return units_of_game(played) if name == UNITS and played else topic_page(name)
    if len(words) == 1 and words[0] in registry.games:
        return page_of_group(tuple(words), registry)
    if words[0] not in registry.top and words[0] not in registry.games:
        return _search(words, registry, played)
    if words[-1] in (UNITS, "unit") and words[0] in registry.games and len(words) == 2:
        return units_of_game(words[0])
    return _of_command(words, registry, played)


def _of_command(words: list[str], registry: Registry, played: str) -> Reply:
    spec = registry.get(tuple(words))
    if spec is None and len(words) > 1 and words[-1] in (MODIFIERS, UNITS):
        spec = registry.get(tuple(words[:-1]))
        if spec is not None and spec.family == "sequence":
            return (modifiers_page if words[-1] == MODIFIERS else units_page)(spec)
    if spec is None and len(words) > 1 and words[0] in registry.games:
        above = [one] if (one := registry.get(tuple(words[:-1]))) else list(registry.below(tuple(words[:-1])))
        pages = [page for one in above if one.family == "sequence" and (page := word_page(one, words[-1]))]
        if pages and words[-1] not in registry.children(tuple(words[:-1])):
            more = [Typed(f"/help {page.title.removeprefix('/')}") for page in pages[1:]]
            return replace(pages[0], lines=(*pages[0].lines, *more))
        if len(words) == 2 and (found := words_like(words[0], words[1])):
            return Reply(f"/{words[0]} {words[1]}", found, by="a word of a unit", buttons=(back((words[0],)),))
    if spec is None:
        if registry.children(tuple(words)):
            return page_of_group(tuple(words), registry)
        spec, _ = registry.find(words)
    return _command(spec, registry, played)


def _command(spec: CommandSpec, registry: Registry, played: str) -> Reply:
    return command_page(replace(spec, example=example_in(spec, played)), registry)


def _search(words: list[str], registry: Registry, played: str) -> Reply:
    """Help on a bare name such as `melee-odds`: the command that bears it, in the game played here if it has one."""
    name = words[-1]
    found = [spec for top in registry.top for spec in registry.below((top,)) if spec.path[-1] == name]
    here = [spec for spec in found if spec.system == played]
    if len(found) == 1 or (played and len(here) == 1):
        return _command((here or found)[0], registry, played)
    if found:
        lines = tuple(Typed(f"/help {' '.join(spec.path)}") for spec in found)
        return Reply(f"{name} is in several games", lines)
    known = [*registry.top, *TOPICS, *(spec.path[-1] for top in registry.top for spec in registry.below((top,)))]
    hint = registry.elsewhere(name) or did_you_mean(name, known) or phrase("Type `/help`.")
    raise UserError(f'There is no help on "{" ".join(words)[:40]}".', hint=hint, code="unknown-topic")


async def _shown(context: Context, topic: str) -> Reply:
    games = []
    for game in context.registry.games:
        try:
            await context.check_enabled(CommandSpec((game,), "", "help", system=game))
        except UserError:
            continue
        games.append(game)
    played = context.game.system if context.ledger.exists else ""
    return show_help(topic, context.registry, games, played)


async def handle(context: Context) -> Reply:
    """`/help`."""
    return await _shown(context, str(context.command.options.get("topic") or ""))


async def press_help(context: Context, topic: str) -> Reply:
    """A button or a choice in a menu: the screen on this topic."""
    return await _shown(context, topic)


async def press_try(context: Context, name: str) -> Reply:
    """*Try it*: the odds of a command's example, privately; nothing is rolled."""
    from bot.commands.play.odds import answer_odds
    from bot.commands.play.playing import repeated
    from bot.interface.typing.text import parse_text

    spec = context.registry.get(tuple(name.split()))
    if spec is None or spec.option("odds") is None:
        raise UserError("This button no longer works.", hint=phrase("Type `/help`."), code="used-up")
    desk = repeated(context, spec.path, parse_text(spec.example, context.registry).options)
    await desk.check_enabled(spec)
    return await answer_odds(desk, spec, desk.command.options)


async def press_throw(context: Context, dice: str) -> Reply:
    """*Roll 2d6*: these dice, for all to see."""
    from bot.commands.play.filled import played

    return await played(context, ("roll",), {"dice": dice[:40]})
