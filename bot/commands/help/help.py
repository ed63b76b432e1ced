"""Help on everything, from the same definitions that run it, with examples that run.

Each screen is a topic, which can be typed (`/help lnlt fire modifiers`) and is behind a button
(`help:lnlt fire modifiers`); a press changes the message to the next screen.
"""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace

from bot.commands.context import Context, replace_command
from bot.commands.declare import declare_button, declare_command
from bot.commands.help.card_words import list_words, show_scenario, show_unit_word
from bot.commands.help.own_play import leave_out_games
from bot.commands.help.pages import (
    GAMES,
    HELP,
    build_back_button,
    build_games_page,
    build_group_page,
    build_overview_page,
    build_topic_page,
)
from bot.commands.play.button import play_meant_command
from bot.commands.play.odds import answer_odds
from bot.rules.errors import Hint, UserError, correct_typed, find_near, suggest_names
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import UnitWords
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import Typed, phrase
from bot.rulesets.catalog import find_system
from bot.ui.common_options import build_optional
from bot.ui.finding import SCENARIO, UNIT, FindableKind, search
from bot.ui.glossary import (
    build_example,
    describe_choices,
    format_all_unit_words,
    format_unit_words,
    group_unit_lists,
)
from bot.ui.help_topics import TOPICS
from bot.ui.registry import ALL_COMMANDS, TABLE, Registry
from bot.ui.reply.parts import Group, Part, Small
from bot.ui.reply.reply import OPEN_FORM, Button, Reply
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import parse_text

ASKING = ("?", "help", "--help", "-h")
LONGEST = 3_200
"""Characters of a screen; what is longer comes as a message of its own."""
CUTOFF = 0.75
CUTOFF_OF_WORDS = 0.85
"""How near a misspelt topic must be to a title, from 0 to 1: one word, and several."""
WIDTH = 110
MOST_KEYS = 6
"""Numbers of a unit that the first screen explains; all are on the page *Units*."""
MODIFIERS, UNITS = "modifiers", "units"
_ONLY = re.compile(r", only in ([\w-]+)")


def show_help(
    topic: str, registry: Registry, games: Sequence[str] | None = None, played: str = ""
) -> Reply:
    """Help on a topic: nothing, a game, a command, a table, `dice`. Raises UserError with the
    nearest topic.

    `games` are the systems enabled here (None: all), `played` is the one of the channel's game.
    """
    enabled = tuple(registry.games if games is None else games)
    try:
        reply = _find_page(topic, registry, enabled, played)
    except UserError as error:
        _check_topic(error, topic, registry, enabled, played)
        raise
    fits = len(reply.format_text()) <= LONGEST
    return replace(reply, private=True, boxed=fits, in_place=fits)


def _check_topic(
    error: UserError, topic: str, registry: Registry, games: tuple[str, ...], played: str
) -> None:
    """Keep the correction of a topic only if there is help on the corrected one."""
    if not isinstance(error.hint, Hint) or not error.hint.right:
        return
    try:
        _find_page(correct_typed(topic, error), registry, games, played)
    except UserError:
        error.hint.right = ""


def _find_page(topic: str, registry: Registry, games: tuple[str, ...], played: str) -> Reply:
    words = comparison_key(topic).removeprefix("/").split()
    while len(words) > 1 and words[-1] in ASKING:
        words.pop()
    if not words or words[0] in ("hello", *ASKING[2:]):
        return build_overview_page(registry, games, played, greets=bool(words))
    if words == ["provable", "dice"]:
        words = ["fair", "dice"]
    if words in ([SCENARIO], [f"{SCENARIO}s"]):
        return _list_scenarios(registry, games)
    if words == [GAMES]:
        return build_games_page(registry, games)
    if (name := " ".join(words)) in TOPICS:
        return build_unit_words_page(played) if name == UNITS and played else build_topic_page(name)
    if len(words) == 1 and words[0] in registry.games:
        return build_group_page(tuple(words), registry)
    if words[0] not in registry.top_names and words[0] not in registry.games:
        return _find_by_bare_name(words, registry, games, played)
    if len(words) == 3 and words[0] in registry.games and words[1] == UNIT:
        return show_unit_word(words[0], words[2], registry)
    if len(words) == 3 and words[0] in registry.games and words[1] == SCENARIO:
        return show_scenario(words[0], words[2], registry)
    if words[-1] in (UNITS, "unit") and words[0] in registry.games and len(words) == 2:
        return build_unit_words_page(words[0])
    return _find_command_page(words, registry, played)


def _list_scenarios(registry: Registry, games: tuple[str, ...]) -> Reply:
    """Return the scenarios of all games, each with the command that starts it."""
    lines = [
        phrase("{title}: `/game start {game} scenario={name}`", title=title, game=game, name=name)
        for game in games
        for name, title in registry.games[game].scenarios.items()
    ]
    buttons = (Button(f"{OPEN_FORM}game start", "Start a game", "primary"), build_back_button(()))
    return Reply("Scenarios", tuple(lines), by="sides and units ready to play", buttons=buttons)


def _find_command_page(words: list[str], registry: Registry, played: str) -> Reply:
    spec = registry.get(tuple(words))
    if spec is None and len(words) > 1 and words[-1] in (MODIFIERS, UNITS):
        spec = registry.get(tuple(words[:-1]))
        if spec is not None and spec.family == "sequence":
            return _build_words_page(spec, words[-1])
    if spec is None and len(words) > 1 and words[0] in registry.games:
        above = (
            [one]
            if (one := registry.get(tuple(words[:-1])))
            else list(registry.list_below(tuple(words[:-1])))
        )
        pages = [
            page
            for one in above
            if one.family == "sequence" and (page := build_word_page(one, words[-1]))
        ]
        if pages and words[-1] not in registry.list_children(tuple(words[:-1])):
            more = [Typed(f"/help {page.title.removeprefix('/')}") for page in pages[1:]]
            return replace(pages[0], lines=(*pages[0].lines, *more))
        if len(words) == 2 and (found := find_unit_word_lines(words[0], words[1])):
            return Reply(
                f"/{words[0]} {words[1]}",
                found,
                by="a word of a unit",
                buttons=(build_back_button((words[0],)),),
            )
    if spec is None:
        if registry.list_children(tuple(words)):
            return build_group_page(tuple(words), registry)
        spec, _ = registry.find(words)
    return _build_played_command_page(spec, registry, played)


def _build_played_command_page(spec: CommandSpec, registry: Registry, played: str) -> Reply:
    return build_command_page(spec._replace(example=build_example(spec, played)), registry)


def _find_by_bare_name(
    words: list[str], registry: Registry, games: tuple[str, ...], played: str
) -> Reply:
    """Return help on a bare name: the command, table, topic, word or scenario that has it, in the
    game that is played here if it has one.
    """
    titles = {comparison_key(registry.games[game].title): game for game in games}
    if game := titles.get(" ".join(words)):
        return build_group_page((game,), registry)
    name = words[-1]
    found = [
        spec
        for top in registry.top_names
        for spec in registry.list_below((top,))
        if spec.path[-1] == name
    ]
    here = [spec for spec in found if spec.system == played]
    if len(found) == 1 or (played and len(here) == 1):
        return _build_played_command_page((here or found)[0], registry, played)
    if found:
        lines = tuple(Typed(f"/help {' '.join(spec.path)}") for spec in found)
        return Reply(f"Several commands are called {name}", lines)
    target = search(" ".join(words), registry, games, played).sure
    if target is not None and target.kind in (FindableKind.TABLE, FindableKind.SEQUENCE):
        spec, _ = registry.find(target.key.split())
        return _build_played_command_page(spec, registry, played)
    if target is not None:
        return _find_page(target.key.removeprefix("help "), registry, games, played)
    topic = " ".join(words)
    hint = registry.hint_elsewhere(topic) or _find_near_topic(topic, registry, games)
    raise UserError(
        f'There is no help on "{topic[:40]}".', hint=hint or ALL_COMMANDS, code="unknown-topic"
    )


def _find_near_topic(topic: str, registry: Registry, games: tuple[str, ...]) -> Hint:
    """Return what is meant by a misspelt topic: a title of a menu, a scenario or a command."""
    titles = [topic.title for topic in TOPICS.values()]
    scenarios = [name for game in games for name in registry.games[game].scenarios]
    commands = [spec.path[-1] for top in registry.top_names for spec in registry.list_below((top,))]
    known = {
        comparison_key(name): name
        for name in [*commands, *scenarios, *registry.top_names, *TOPICS, *titles]
    }
    near = find_near(topic, sorted(known), CUTOFF_OF_WORDS if " " in topic else CUTOFF)
    return suggest_names(topic, [known[name] for name in near])


async def list_enabled_games(context: Context) -> list[str]:
    """Return the ids of the games that are enabled here."""
    games = []
    for game in context.registry.games:
        try:
            await context.check_enabled(CommandSpec((game,), "", "help", system=game))
        except UserError:
            continue
        games.append(game)
    return games


@declare_command(
    "help",
    "Help on everything, with examples that run",
    build_optional("topic", "a command, table or game", complete="topic"),
    example="lnlt fire",
    private=True,
)
@declare_button("help", private=True)
async def handle_help(context: Context, topic: str = "") -> Reply:
    """`/help`; by a button, or a choice in a menu, the screen on this topic."""
    games = await list_enabled_games(context)
    played = context.game.system if context.ledger.row else ""
    topic = topic or str(context.command.options.get("topic") or "")
    reply = show_help(topic, context.registry, games, played)
    if not context.command.where.is_own:
        return reply
    reply = leave_out_games(reply, context.registry)
    if topic:
        return reply
    about = "Here you play on your own. Games, rosters and orders need Grognard on the server."
    return replace(reply, lines=(*reply.lines, Small(about)))


@declare_button("try", private=True)
async def press_try(context: Context, name: str) -> Reply:
    """*Try it*: the odds of a command's example, privately; nothing is rolled. Raises UserError."""
    spec = context.registry.get(tuple(name.split()))
    if spec is None or spec.find_option("odds") is None:
        raise UserError(
            "This button no longer works.", hint=phrase("Type `/help`."), code="used-up"
        )
    desk = replace_command(context, spec.path, parse_text(spec.example, context.registry).options)
    await desk.check_enabled(spec)
    return await answer_odds(desk, spec, desk.command.options)


@declare_button("throw")
async def press_throw(context: Context, dice: str) -> Reply:
    """*Roll 2d6*: these dice, for all to see."""
    return await play_meant_command(replace_command(context, ("roll",), {"dice": dice[:40]}))


def build_command_page(spec: CommandSpec, registry: Registry) -> Reply:
    """What a command does and how it is written."""
    if spec.family == "sequence":
        return _build_sequence_page(spec)
    lines: list[Part] = [spec.summary] if len(spec.summary) >= WIDTH else []
    lines += _list_options(spec)
    if spec.details:
        lines.append(Small(spec.details))
    if spec.example:
        lines.append(phrase("Example: `{example}`", example=spec.example))
    above = (
        spec.path[:1] if spec.path[0].endswith(TABLE) or registry.get(spec.path[:1]) is None else ()
    )
    form = [_build_form_button(spec)] if spec.options else []
    about = spec.title or spec.summary.split(". ")[0].rstrip(".")
    return Reply(spec.name, tuple(lines), by=about, buttons=(*form, build_back_button(above)))


def _build_sequence_page(spec: CommandSpec) -> Reply:
    """The procedure, what a unit may carry (key and meaning), one line to copy."""
    name = " ".join(spec.path)
    sequence = find_system(spec.system).find_sequence(spec.target)
    lines: list[Part] = [f"{at}. {step}" for at, step in enumerate(sequence.procedure, 1)] or [
        spec.summary
    ]
    lines += describe_choices(sequence)
    words = find_system(spec.system).words
    for list_name, options in group_unit_lists(spec.options).items():
        lines += _list_unit_numbers(words[list_name], " and ".join(options), spec.path[-1])
    lines.append(phrase("Example: `{example}`", example=spec.example))
    lines.append(Small(phrase("What each modifier adds: `/help {name} modifiers`", name=name)))
    if group_unit_lists(spec.options):
        lines.append(
            Small(phrase("What each word of a unit means: `/help {name} units`", name=name))
        )
    buttons = [_build_form_button(spec)]
    if spec.find_option("odds") is not None and spec.example:
        buttons.append(Button(f"try:{name}", "Try it"))
    buttons.append(Button(f"{HELP}{name} {MODIFIERS}", "Modifiers"))
    if group_unit_lists(spec.options):
        buttons.append(Button(f"{HELP}{name} {UNITS}", "Units"))
    return Reply(
        spec.name, tuple(lines), by=spec.title, buttons=(*buttons, build_back_button(spec.path[:1]))
    )


def _list_unit_numbers(words: UnitWords, who: str, id: str) -> list[Part]:
    """What a unit may carry in this sequence: each number with its meaning, then the states and
    flags by name.
    """
    keys = {
        key: option.help for key, option in words.keys.items() if _is_for_sequence(option.help, id)
    }
    flags = [flag for flag, text in words.flags.items() if _is_for_sequence(text, id)]
    lines: list[Part] = [Group(f"A unit in {who} may carry", "", grave=True)]
    shown = sorted(keys.items(), key=lambda item: _ONLY.search(item[1]) is None)  # its own first
    lines += [
        phrase("`{key}=` {text}", key=key, text=re.split(r"[,;(]", text)[0].strip())
        for key, text in shown[:MOST_KEYS]
    ]
    if further := [*(key for key, _ in shown[MOST_KEYS:]), *flags]:
        lines.append(f"and {', '.join(further)}")
    return lines


def _is_for_sequence(text: str, id: str) -> bool:
    found = _ONLY.search(text)
    return found is None or found[1] == id


def _build_words_page(spec: CommandSpec, page: str) -> Reply:
    """Everything that a sequence takes besides units, each with what it adds and means; or every
    word of its units.
    """
    lines: list[Part] = []
    if page == MODIFIERS:
        lines += [*_list_options(spec), *([Small(spec.details)] if spec.details else [])]
        return _build_page_below(spec, lines, "everything that it takes")
    for name, options in group_unit_lists(spec.options).items():
        lines.append(Group(f"Words of a unit in {' and '.join(options)}", "", grave=True))
        lines += format_unit_words(find_system(spec.system).words[name])
    return _build_page_below(spec, lines, "what a unit may carry")


def _build_page_below(
    spec: CommandSpec, lines: Sequence[Part], about: str, title: str = ""
) -> Reply:
    """A page below that of a command."""
    return Reply(
        title or spec.name,
        tuple(lines),
        by=about,
        buttons=(_build_form_button(spec), build_back_button(spec.path)),
    )


def build_word_page(spec: CommandSpec, word: str) -> Reply | None:
    """What one option or modifier of a command means; None for what it does not know."""
    folded = word.replace("-", "_")
    mods = spec.find_option("mods")
    option = spec.find_option(folded)
    if option is not None and option.type == "bool":
        lines = [format_flag(option)]
    elif option is not None:
        lines = format_option(option)
    elif mods is not None and folded in mods.values:
        lines = [f"{folded}: {mods.meanings.get(folded, 'a modifier')}"]
    else:
        return None
    return _build_page_below(spec, lines, spec.title, f"{spec.name} {word}")


def _build_form_button(spec: CommandSpec) -> Button:
    return Button(OPEN_FORM + " ".join(spec.path), "Open form", "primary")


def build_unit_words_page(game: str) -> Reply:
    """Return every word that a unit of a game may carry; its types, states and markers if no
    sequence takes a list of units.
    """
    lines: list[Part] = [
        "Each item is a unit type or a unit of the roster, then its numbers and words; separate items with ;",
        "Several of the roster at once: GI 1..10, us1..us4, all, all shaken, side:US, hex:H5.",
    ]
    found = list(format_all_unit_words(find_system(game)))
    if not found:
        lines = list_words(find_system(game))
    for name, words in found:
        lines += [Group(f"In {name}", "", grave=True), *words]
    return Reply(
        f"/{game}", tuple(lines), by="words of a unit", buttons=(build_back_button((game,)),)
    )


def find_unit_word_lines(game: str, word: str) -> tuple[str, ...]:
    """What a word behind a unit means in a game: `cavalry`."""
    lines = (line for _, words in format_all_unit_words(find_system(game)) for line in words)
    return tuple(dict.fromkeys(line for line in lines if re.split("[:=]", line)[0] == word))


def _list_options(spec: CommandSpec) -> list[Part]:
    lines: list[Part] = [
        line for option in spec.options if option.type != "bool" for line in format_option(option)
    ]
    flags = [option for option in spec.options if option.type == "bool"]
    if flags:
        lines += [Group("Flags", "", grave=True), *(f"  {format_flag(flag)}" for flag in flags)]
    return lines


def format_flag(flag: Option) -> str:
    """A flag with what it adds and says, and how to switch off one that is on by itself."""
    about = [flag.help] if flag.help else []
    if flag.default:
        about.append(f"on by default; off with {flag.name}=no")
    return f"{flag.name}: {'; '.join(about)}" if about else flag.name


def format_option(option: Option) -> list[str]:
    """Help for an option: what it is, what to type, its default; words that it takes with what
    they mean.
    """
    about = f": {option.help}" if option.help else ""
    if option.is_required:
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
    if len(option.expectation) <= WIDTH:
        return [f"  {option.name}{about} ({option.expectation}; {rest})"]
    kind, _, words = option.expectation.partition(" of ")
    folded = textwrap.wrap(
        words, WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    )
    return [f"  {option.name}{about} ({kind} of these; {rest}):", *folded]
