"""`/help`: help on everything, built from the definitions that run it, with examples that run.

Each page is a topic, which can be typed (`/help lnlt fire modifiers`) and has a button (`help:lnlt
fire modifiers`). A press replaces the page with the next one.
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
from bot.rulesets.system import System
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
"""Maximum number of characters of a page that replaces another one. A longer one is a message of
its own.
"""
CUTOFF = 0.75
CUTOFF_OF_WORDS = 0.85
"""Least similarity, from 0 to 1, of a misspelt topic to a title: CUTOFF for one word, this for
several.
"""
WIDTH = 110
MOST_KEYS = 6
"""Maximum number of a unit's numbers that the first page of a sequence explains. The page *Units*
has all.
"""
MODIFIERS, UNITS = "modifiers", "units"
_ONLY = re.compile(r", only in ([\w-]+)")


def show_help(
    topic: str, registry: Registry, games: Sequence[str] | None = None, played: str = ""
) -> Reply:
    """Return the help page on a topic: a game, a command, a table, a word, or `dice`; "" is the
    first page.

    `games` are the ids of the rule sets that are enabled here (None: all), `played` is that of the
    channel's game, or "". Raises UserError with the nearest topic.
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
    """Remove the correction from the error of an unknown topic if there is no help on the corrected
    topic either.
    """
    if not isinstance(error.hint, Hint) or not error.hint.right:
        return
    try:
        _find_page(correct_typed(topic, error), registry, games, played)
    except UserError:
        error.hint.right = ""


def _find_page(topic: str, registry: Registry, games: tuple[str, ...], played: str) -> Reply:
    """Return the page on a topic, as `show_help` describes it.

    Raises UserError if there is no page on the topic.
    """
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
    name = " ".join(words)
    if name == UNITS and played in registry.games:
        return build_unit_words_page(registry.games[played])
    if name in TOPICS:
        return build_topic_page(name, registry.games)
    game_page = _find_game_page(words, registry)
    if game_page is not None:
        return game_page
    if words[0] not in registry.top_names and words[0] not in registry.games:
        return _find_by_bare_name(words, registry, games, played)
    return _find_command_page(words, registry, played)


def _find_game_page(words: list[str], registry: Registry) -> Reply | None:
    """Return the page of a game, of its unit words, or of one unit word or scenario of it.

    Return None for other words. Raises UserError for an unknown unit word or scenario.
    """
    game = words[0]
    if game not in registry.games:
        return None
    if len(words) == 1:
        return build_group_page((game,), registry)
    if len(words) == 3 and words[1] == UNIT:
        return show_unit_word(game, words[2], registry)
    if len(words) == 3 and words[1] == SCENARIO:
        return show_scenario(game, words[2], registry)
    if len(words) == 2 and words[1] in (UNITS, "unit"):
        return build_unit_words_page(registry.games[game])
    return None


def _list_scenarios(registry: Registry, games: tuple[str, ...]) -> Reply:
    """Return a page with the scenarios of these games, each with the command that starts it."""
    lines = []
    for game in games:
        for name, title in registry.games[game].scenarios.items():
            command = f"/game start {game} scenario={name}"
            lines.append(phrase("{title}: `{command}`", title=title, command=command))
    buttons = (Button(f"{OPEN_FORM}game start", "Start a game", "primary"), build_back_button(()))
    return Reply("Scenarios", tuple(lines), by="sides and units ready to play", buttons=buttons)


def _find_command_page(words: list[str], registry: Registry, played: str) -> Reply:
    """Return the page of a command, of a group of commands, or of a word that belongs to one.

    Raises UserError with the nearest command.
    """
    path = tuple(words)
    spec = registry.get(path)
    if spec is not None:
        return _build_played_command_page(spec, registry, played)
    if len(words) > 1 and words[-1] in (MODIFIERS, UNITS):
        parent = registry.get(path[:-1])
        if parent is not None and parent.family == "sequence":
            return _build_words_page(parent, words[-1], registry.games[parent.system])
        if parent is not None:
            return _build_played_command_page(parent, registry, played)
    if len(words) > 1 and words[0] in registry.games:
        word_page = _find_word_page(words, registry)
        if word_page is not None:
            return word_page
    if registry.list_children(path):
        return build_group_page(path, registry)
    spec, _ = registry.find(words)
    return _build_played_command_page(spec, registry, played)


def _find_word_page(words: list[str], registry: Registry) -> Reply | None:
    """Return the page on the last word: an option or modifier of the sequences before it, or a word
    of the game's units. Return None if it is neither.

    If several sequences have the word, the page also links those of the others.
    """
    path = tuple(words[:-1])
    word = words[-1]
    parent = registry.get(path)
    specs = [parent] if parent else list(registry.list_below(path))
    pages = []
    for spec in specs:
        page = build_word_page(spec, word) if spec.family == "sequence" else None
        if page:
            pages.append(page)
    if pages and word not in registry.list_children(path):
        links = [Typed(f"/help {page.title.removeprefix('/')}") for page in pages[1:]]
        return replace(pages[0], lines=(*pages[0].lines, *links))
    if len(words) != 2:
        return None
    game = words[0]
    lines = find_unit_word_lines(registry.games[game], word)
    if not lines:
        return None
    back_button = build_back_button((game,))
    return Reply(f"/{game} {word}", lines, by="a word of a unit", buttons=(back_button,))


def _build_played_command_page(spec: CommandSpec, registry: Registry, played: str) -> Reply:
    """Return the page of a command, with an example of the rule set `played`."""
    return build_command_page(
        spec._replace(example=build_example(spec, registry.games.get(played))), registry
    )


def _find_by_bare_name(
    words: list[str], registry: Registry, games: tuple[str, ...], played: str
) -> Reply:
    """Return the page on a name without its game or group.

    That is a game's title, a command, or anything that `/find` is sure of. A command of the rule
    set `played` goes before those of others; several commands of that name are listed. Raises
    UserError if there is no page on it.
    """
    topic = " ".join(words)
    games_by_title = {comparison_key(registry.games[game].title): game for game in games}
    if topic in games_by_title:
        return build_group_page((games_by_title[topic],), registry)
    name = words[-1]
    specs = [spec for spec in _list_all_commands(registry) if spec.path[-1] == name]
    played_specs = [spec for spec in specs if spec.system == played]
    if played and len(played_specs) == 1:
        return _build_played_command_page(played_specs[0], registry, played)
    if len(specs) == 1:
        return _build_played_command_page(specs[0], registry, played)
    if specs:
        lines = tuple(Typed(f"/help {' '.join(spec.path)}") for spec in specs)
        return Reply(f"Several commands are called {name}", lines)
    return _search_page(topic, registry, games, played)


def _search_page(topic: str, registry: Registry, games: tuple[str, ...], played: str) -> Reply:
    """Return the page on the only thing that `/find` is sure of for this topic. Raises UserError if
    there is none.
    """
    target = search(topic, registry, games, played).sure
    if target is None:
        hint = registry.hint_elsewhere(topic) or _find_near_topic(topic, registry, games)
        raise UserError(
            f'There is no help on "{topic[:40]}".', hint=hint or ALL_COMMANDS, code="unknown-topic"
        )
    if target.kind in (FindableKind.TABLE, FindableKind.SEQUENCE):
        spec, _ = registry.find(target.key.split())
        return _build_played_command_page(spec, registry, played)
    return _find_page(target.key.removeprefix("help "), registry, games, played)


def _list_all_commands(registry: Registry) -> list[CommandSpec]:
    """Return every command of the registry."""
    return [spec for top in registry.top_names for spec in registry.list_below((top,))]


def _find_near_topic(topic: str, registry: Registry, games: tuple[str, ...]) -> Hint:
    """Return a hint with the names nearest to a misspelt topic: titles, scenarios and commands."""
    titles = [topic.title for topic in TOPICS.values()]
    scenarios = [name for game in games for name in registry.games[game].scenarios]
    commands = [spec.path[-1] for spec in _list_all_commands(registry)]
    names = [*commands, *scenarios, *registry.top_names, *TOPICS, *titles]
    names_by_key = {comparison_key(name): name for name in names}
    cutoff = CUTOFF_OF_WORDS if " " in topic else CUTOFF
    near_keys = find_near(topic, sorted(names_by_key), cutoff)
    return suggest_names(topic, [names_by_key[key] for key in near_keys])


async def list_enabled_games(context: Context) -> list[str]:
    """Return the ids of the rule sets that are enabled here."""
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
    "Help on everything, with examples that work",
    build_optional("topic", "a command, table or game", complete="topic"),
    example="lnlt fire",
    private=True,
)
@declare_button("help", private=True)
async def handle_help(context: Context, topic: str = "") -> Reply:
    """Show the user alone the page on a topic: that of a button or menu, otherwise the typed one.

    In a user's own conversation with the bot, everything that needs a game is left out. Raises
    UserError with the nearest topic if there is no page on it.
    """
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
    """Show the odds of a command's example to the user alone, by the button *Try it*. Nothing is
    rolled.

    Raises UserError if the command is unknown, not enabled, or has no odds.
    """
    spec = context.registry.get(tuple(name.split()))
    if spec is None or spec.find_option("odds") is None:
        raise UserError(
            "This button no longer works.", hint=phrase("Type `/help`."), code="used-up"
        )
    options = parse_text(spec.example, context.registry).options
    example_context = replace_command(context, spec.path, options)
    await example_context.check_enabled(spec)
    return await answer_odds(example_context, spec, example_context.command.options)


@declare_button("throw")
async def press_throw(context: Context, dice: str) -> Reply:
    """Roll these dice for all to see, by a button such as *Roll 2d6*.

    Raises UserError for dice that cannot be read.
    """
    return await play_meant_command(replace_command(context, ("roll",), {"dice": dice[:40]}))


def build_command_page(spec: CommandSpec, registry: Registry) -> Reply:
    """Return the page of a command: summary, options, details, an example and its form."""
    if spec.family == "sequence":
        return _build_sequence_page(spec, registry.games[spec.system])
    lines: list[Part] = [spec.summary] if len(spec.summary) >= WIDTH else []
    lines += _list_options(spec)
    if spec.details:
        lines.append(Small(spec.details))
    if spec.example:
        lines.append(phrase("Example: `{example}`", example=spec.example))
    group = spec.path[:1]
    has_group_page = spec.path[0].endswith(TABLE) or registry.get(group) is None
    buttons = [_build_form_button(spec)] if spec.options else []
    buttons.append(build_back_button(group if has_group_page else ()))
    about = spec.title or spec.summary.split(". ")[0].rstrip(".")
    return Reply(spec.name, tuple(lines), by=about, buttons=tuple(buttons))


def _build_sequence_page(spec: CommandSpec, system: System) -> Reply:
    """Return the page of a sequence: its procedure, choices, and the numbers of its units, with an
    example to copy.
    """
    name = " ".join(spec.path)
    sequence = system.find_sequence(spec.target)
    lines: list[Part] = [f"{number}. {step}" for number, step in enumerate(sequence.procedure, 1)]
    if not lines:
        lines = [spec.summary]
    lines += describe_choices(sequence)
    unit_lists = group_unit_lists(spec.options)
    for list_name, options in unit_lists.items():
        lines += _list_unit_numbers(system.words[list_name], " and ".join(options), spec.path[-1])
    lines.append(phrase("Example: `{example}`", example=spec.example))
    lines.append(Small(phrase("What each modifier adds: `/help {name} modifiers`", name=name)))
    buttons = [_build_form_button(spec)]
    if spec.find_option("odds") is not None and spec.example:
        buttons.append(Button(f"try:{name}", "Try it"))
    buttons.append(Button(f"{HELP}{name} {MODIFIERS}", "Modifiers"))
    if unit_lists:
        words_hint = phrase("What each word of a unit means: `/help {name} units`", name=name)
        lines.append(Small(words_hint))
        buttons.append(Button(f"{HELP}{name} {UNITS}", "Units"))
    buttons.append(build_back_button(spec.path[:1]))
    return Reply(spec.name, tuple(lines), by=spec.title, buttons=tuple(buttons))


def _list_unit_numbers(words: UnitWords, options: str, id: str) -> list[Part]:
    """Return the lines on the numbers, states and flags of a unit in the sequence `id`.

    The first `MOST_KEYS` numbers have their meaning, those of this sequence alone before others.
    The rest have their names only. `options` are the names of the options that take the units.
    """
    meanings = {
        key: option.help for key, option in words.keys.items() if _is_for_sequence(option.help, id)
    }
    flags = [flag for flag, text in words.flags.items() if _is_for_sequence(text, id)]
    keys = sorted(meanings, key=lambda key: _ONLY.search(meanings[key]) is None)
    lines: list[Part] = [Group(f"What a unit in {options} can have", "", grave=True)]
    for key in keys[:MOST_KEYS]:
        short_meaning = re.split(r"[,;(]", meanings[key])[0].strip()
        lines.append(phrase("`{key}=` {text}", key=key, text=short_meaning))
    further_words = [*keys[MOST_KEYS:], *flags]
    if further_words:
        lines.append(f"and {', '.join(further_words)}")
    return lines


def _is_for_sequence(text: str, id: str) -> bool:
    """Return whether the help text of a word says nothing on a single sequence, or names `id`."""
    match = _ONLY.search(text)
    return match is None or match[1] == id


def _build_words_page(spec: CommandSpec, page: str, system: System) -> Reply:
    """Return a page below that of a sequence: its options and modifiers (MODIFIERS), or the words
    of its units (UNITS), each with its meaning.
    """
    lines: list[Part] = []
    if page == MODIFIERS:
        lines += _list_options(spec)
        if spec.details:
            lines.append(Small(spec.details))
        return _build_page_below(spec, lines, "all its options")
    for name, options in group_unit_lists(spec.options).items():
        lines.append(Group(f"Words of a unit in {' and '.join(options)}", "", grave=True))
        lines += format_unit_words(system.words[name])
    return _build_page_below(spec, lines, "what a unit can have")


def _build_page_below(
    spec: CommandSpec, lines: Sequence[Part], about: str, title: str = ""
) -> Reply:
    """Return a page below that of a command, with buttons for the form and back."""
    return Reply(
        title or spec.name,
        tuple(lines),
        by=about,
        buttons=(_build_form_button(spec), build_back_button(spec.path)),
    )


def build_word_page(spec: CommandSpec, word: str) -> Reply | None:
    """Return the page on one option or modifier of a command, or None if the command has no such
    word.
    """
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
    """Return the button that opens the form of a command."""
    return Button(OPEN_FORM + " ".join(spec.path), "Open form", "primary")


def build_unit_words_page(game: System) -> Reply:
    """Return the page with every word that a unit of a game may have.

    If no sequence takes a list of units, these are its types, states and markers.
    """
    lines: list[Part] = [
        "Each item is a unit type or a unit on the roster, followed by its numbers and words. Put a ; between items.",
        "Several units at once: GI 1..10, us1..us4, all, all shaken, side:US, hex:H5.",
    ]
    word_lists = list(format_all_unit_words(game))
    if not word_lists:
        lines = list_words(game)
    for name, words in word_lists:
        lines += [Group(f"In {name}", "", grave=True), *words]
    return Reply(
        f"/{game.id}", tuple(lines), by="words of a unit", buttons=(build_back_button((game.id,)),)
    )


def find_unit_word_lines(game: System, word: str) -> tuple[str, ...]:
    """Return the lines on a word of a unit in a game, such as `cavalry`; () if no unit has it."""
    lines: dict[str, None] = {}
    for _, word_lines in format_all_unit_words(game):
        for line in word_lines:
            if re.split("[:=]", line)[0] == word:
                lines[line] = None
    return tuple(lines)


def _list_options(spec: CommandSpec) -> list[Part]:
    """Return the lines on the options of a command, the flags last under a heading."""
    lines: list[Part] = []
    flags = []
    for option in spec.options:
        if option.type == "bool":
            flags.append(option)
        else:
            lines += format_option(option)
    if flags:
        lines.append(Group("Flags", "", grave=True))
        lines += [f"  {format_flag(flag)}" for flag in flags]
    return lines


def format_flag(flag: Option) -> str:
    """Return the name and help of a flag, and how to switch it off if it is on by default."""
    texts = [flag.help] if flag.help else []
    if flag.default:
        texts.append(f"on by default; off with {flag.name}=no")
    return f"{flag.name}: {'; '.join(texts)}" if texts else flag.name


def format_option(option: Option) -> list[str]:
    """Return the indented lines of help on an option: its help, values and default.

    Values with meanings have a line each. A long list of values is wrapped.
    """
    label = f"  {option.name}"
    if option.help:
        label = f"{label}: {option.help}"
    status = "optional"
    if option.is_required:
        status = "needed"
    elif option.default not in (None, "", ()):
        status = f"default {option.default}"
    if option.meanings:
        lines = [f"{label} ({status}):"]
        for value in option.values:
            meaning = f": {option.meanings[value]}" if value in option.meanings else ""
            lines.append(f"    {value}{meaning}")
        return lines
    if len(option.expectation) <= WIDTH:
        return [f"{label} ({option.expectation}; {status})"]
    kind, _, values = option.expectation.partition(" of ")
    wrapped = textwrap.wrap(
        values, WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    )
    return [f"{label} ({kind} of these; {status}):", *wrapped]
