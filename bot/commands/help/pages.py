"""Pages of help that are no single command: the first page, the pages of rule sets and groups of
commands, topics, and the welcome message.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, metadata

from bot.rules.expression.model import GUIDE
from bot.rules.proof.chain import shorten_hash
from bot.rules.text.phrase import phrase
from bot.rulesets.game_keys import SOLO
from bot.rulesets.system import ATTACKS, System
from bot.runtime.release import NAME, get_release
from bot.ui.glossary import group_unit_lists
from bot.ui.help_topics import TOPICS
from bot.ui.registry import TABLE, Registry
from bot.ui.reply.parts import Entry, Grid, Group, Part, Small
from bot.ui.reply.reply import OPEN_FORM, Button, Menu, MenuEntry, Reply
from bot.ui.spec import CommandSpec, Path

HELP = "help:"
CHECKS = ("Check", "Rally", "Spot")
"""The verbs of sequences that the page of a rule set lists as checks."""
MOST = 25
GAMES = "games"
BACK = "Back"


def _list_versions(games: Mapping[str, System]) -> tuple[Part, ...]:
    """Return the release, the addresses of its source, and the edition of each rule set."""
    try:
        urls = metadata(NAME).get_all("Project-URL") or []
    except PackageNotFoundError:  # run from its source, not installed
        urls = []
    addresses = [url.replace(", ", ": ", 1) for url in urls]
    editions = tuple((game.id, f"edition {game.edition}") for game in games.values())
    return (
        f"Grognard {get_release()}",
        *(addresses or ["Source: ask your host."]),
        Grid(editions),
        "The log shows which edition each result was rolled under.",
    )


def build_topic_page(name: str, games: Mapping[str, System]) -> Reply:
    """Return the page of a topic of `TOPICS`. `games` are the rule sets that can be seen."""
    topic = TOPICS[name]
    lines: tuple[Part, ...] = topic.lines
    if name == "version":
        lines = _list_versions(games)
    elif name == "dice":
        lines = (Grid(tuple(GUIDE)),)
    return Reply(topic.title, lines, by=topic.about, buttons=(build_back_button(()),))


def find_first_attack(registry: Registry, game: str) -> CommandSpec | None:
    """Return the sequence of a rule set that serves as its example; None if none has odds.

    Of those with odds, `fire` or `shoot` goes first, then another attack.
    """
    specs = [spec for spec in registry.list_below((game,)) if spec.find_option("odds") is not None]
    specs.sort(key=lambda spec: (spec.path[-1] not in ("fire", "shoot"), spec.verb not in ATTACKS))
    return specs[0] if specs else None


def build_overview_page(
    registry: Registry, games: Sequence[str], played: str, *, greets: bool = False
) -> Reply:
    """Return the first page of help: four things to do, the rule sets, and a menu of topics.

    `games` are the ids of the enabled rule sets. The example is of the rule set `played`, if there
    is one.
    """
    candidates = [played] if played in games else ["lnlt", *games]
    example_games = [game for game in dict.fromkeys(candidates) if game in games]
    lines: list[Part] = []
    example = _find_example_attack(registry, example_games)
    if example is not None:
        name = " ".join(example.path)
        fight = phrase("`/help {name}`", name=name)
        odds = phrase("`/help odds`")
        lines += [
            Entry("Fight", "one command per attack", fight, OPEN_FORM + name, "Open a form"),
            Entry("Odds", "exact chances before you roll", odds, f"try:{name}", "Try"),
        ]
    game_commands = phrase("`/game start`, `/unit add`")
    start_form = f"{OPEN_FORM}game start"
    roll = phrase("`/roll 2d6+3`")
    lines += [
        Entry("A game", "units, turns, undo, log", game_commands, start_form, "Start"),
        Entry("Dice", "anything: 4d6kh3+2", roll, "throw:2d6", "Roll 2d6"),
        *_list_first_games(registry, example_games),
        Group("Games", "", grave=True),
        *_list_rule_sets(registry, games),
        Small(phrase("By the name on the card: `/find melee odds`")),
        Small(phrase("Help on any command: `/help lnlt fire`")),
    ]
    entries = _list_overview_entries(registry, games)[:MOST]
    welcome = "Hello. " if greets else ""
    return Reply(
        f"{welcome}Grognard runs tabletop battles in your channel",
        tuple(lines),
        by="you pick the units, it handles the tables",
        menus=(Menu("A game, or any topic", tuple(entries), "Topics"),),
    )


def _list_first_games(registry: Registry, games: Sequence[str]) -> list[Part]:
    """Return a line each on the first of these rule sets that can be played alone, and on the first
    that has a scenario.
    """
    lines: list[Part] = []
    for game in games:
        if registry.games[game].game.get(SOLO):
            lines.append(phrase("Alone tonight? `/solo {game}`", game=game))
            break
    for game in games:
        scenarios = [*registry.games[game].scenarios]
        if scenarios:
            command = f"/game start {game} scenario={min(scenarios, key=len)}"
            lines.append(phrase("With a friend? `{command}`", command=command))
            break
    return lines


def _find_example_attack(registry: Registry, games: Sequence[str]) -> CommandSpec | None:
    """Return the example of the first of these rule sets whose example is an attack, or None."""
    for game in games:
        spec = find_first_attack(registry, game)
        if spec is not None and spec.verb in ATTACKS:
            return spec
    return None


def _list_overview_entries(registry: Registry, games: Sequence[str]) -> list[MenuEntry]:
    """Return a menu entry for each rule set, each topic, and each other command or group."""
    entries = [MenuEntry(f"{HELP}{game}", registry.games[game].title, f"/{game}") for game in games]
    for name, topic in TOPICS.items():
        entries.append(MenuEntry(f"{HELP}{name}", topic.title, topic.about))
    for name in registry.top_names:
        if name not in (*registry.games, "help") and not name.endswith(TABLE):
            about = _get_first_sentence(registry.describe_name(name))
            entries.append(MenuEntry(f"{HELP}{name}", f"/{name}", about))
    return entries


def _list_rule_sets(registry: Registry, games: Sequence[str]) -> list[Part]:
    """Return a line with the command and the title of each rule set."""
    return [phrase("`/{id}` {title}", id=id, title=registry.games[id].title) for id in games[:MOST]]


def build_games_page(registry: Registry, games: Sequence[str]) -> Reply:
    """Return the page of the enabled rule sets, with a menu that explains one."""
    lines = (
        *_list_rule_sets(registry, games),
        Small(phrase("`/help lnlt` shows what a game has, `/me games` lists yours.")),
    )
    entries = tuple(
        MenuEntry(f"{HELP}{game}", registry.games[game].title, f"/{game}") for game in games[:MOST]
    )
    buttons = (Button(f"{OPEN_FORM}game start", "Start a game", "primary"), build_back_button(()))
    menus = (Menu("Which game?", entries, "Games"),)
    return Reply("Games", lines, by="bring the rule book", menus=menus, buttons=buttons)


def build_group_page(path: Path, registry: Registry) -> Reply:
    """Return the page of a rule set, of its tables, or of a group of commands, with a menu that
    explains one of them.
    """
    if len(path) == 1 and path[0] in registry.games:
        return _build_rule_set_page(path[0], registry)
    if path[0].endswith(TABLE):
        return _build_tables_page(path, registry)
    specs = list(registry.list_below(path))
    lines: list[Part] = []
    for spec in specs:
        about = _get_first_sentence(spec.summary)
        lines.append(phrase("`{name}` {about}", name=spec.name, about=about))
    menus = (_build_menu("What do you want to do?", specs, "Explain"),)
    return Reply(
        f"/{path[0]}",
        tuple(lines),
        by=registry.describe_name(path[0]),
        menus=menus,
        buttons=(build_back_button(()),),
    )


def _build_rule_set_page(game_id: str, registry: Registry) -> Reply:
    """Return the page of a rule set: its sequences by kind, and an example. A rule set without
    sequences has the page of its tables.
    """
    specs = list(registry.list_below((game_id,)))
    if not specs:
        return _build_tables_page((game_id + TABLE,), registry)
    game = registry.games[game_id]
    lines = _list_sequences_by_kind(specs)
    example = find_first_attack(registry, game_id) or specs[0]
    lines.append(Small(phrase("Each is a command: `{name}`", name=example.name)))
    if any(group_unit_lists(spec.options) for spec in specs):
        lines.append(
            Small(phrase("Words that describe a unit: `/help {game} units`", game=game_id))
        )
    notice = game.game.get("notice")
    if notice:
        lines.append(Small(str(notice)))
    example_label = example.path[-1].replace("-", " ").capitalize()
    rules = game.about.rules if game.about is not None else ""
    by = "bring the rule book, Grognard brings the tables"
    if rules:
        by = f"its rules: {rules}"
    return Reply(
        game.title,
        tuple(lines),
        by=by,
        menus=(_build_menu("What do you want to do?", specs, "Explain"),),
        buttons=(
            Button(OPEN_FORM + " ".join(example.path), example_label, "primary"),
            Button(f"{HELP}{game_id}{TABLE}", "Tables"),
            Button(f"{OPEN_FORM}game start system={game_id}", "Start a game"),
            build_back_button(()),
        ),
    )


def _list_sequences_by_kind(specs: Sequence[CommandSpec]) -> list[Part]:
    """Return the names of the sequences under the headings Attacks, Checks and Other rolls."""
    names_by_kind: dict[str, list[str]] = {"Attacks": [], "Checks": [], "Other rolls": []}
    for spec in specs:
        kind = "Other rolls"
        if spec.verb in ATTACKS:
            kind = "Attacks"
        elif spec.verb in CHECKS:
            kind = "Checks"
        names_by_kind[kind].append(spec.path[-1])
    return [
        Group(kind, ", ".join(names), grave=True) for kind, names in names_by_kind.items() if names
    ]


def _build_tables_page(path: Path, registry: Registry) -> Reply:
    """Return the page of the tables of a rule set by group, with menus that explain one.

    `path` is `ID-table`, or that and a group.
    """
    game = registry.games[path[0].removesuffix(TABLE)]
    specs_by_group: dict[str, list[CommandSpec]] = {}
    for spec in registry.list_below(path):
        specs_by_group.setdefault(spec.path[1], []).append(spec)
    lines: list[Part] = []
    menus = []
    for group, specs in specs_by_group.items():
        label = game.game["groups"][group]
        lines.append(Group(label, ", ".join(spec.path[-1] for spec in specs), grave=True))
        for start in range(0, len(specs), MOST):
            menus.append(_build_menu(label, specs[start : start + MOST], label))
    example = next(registry.list_below(path)).example
    lines.append(Small(phrase("Read one like this: `{example}`", example=example)))
    buttons: tuple[Button, ...] = (build_back_button((game.id,)),)
    if not game.has_sequences:  # the rule set has no other page
        lines.append(Small(str(game.game["notice"])))
        start_button = Button(f"{OPEN_FORM}game start system={game.id}", "Start a game")
        buttons = (start_button, build_back_button(()))
    return Reply(
        f"/{' '.join(path)}",
        tuple(lines),
        by=f"{game.title}: tables",
        menus=tuple(menus[:4]),
        buttons=buttons,
    )


def build_back_button(path: Path) -> Button:
    """Return the button *Back*, which shows the page of `path`; that of () is the first page."""
    return Button(HELP + " ".join(path), BACK)


def _build_menu(label: str, specs: Sequence[CommandSpec], short_label: str) -> Menu:
    """Return a menu that shows the page of one of these commands, at most `MOST`."""
    entries = []
    for spec in specs[:MOST]:
        command = f"/{spec.path[0]} {spec.path[-1]}"
        about = _get_first_sentence(spec.title or spec.summary)
        entries.append(MenuEntry(HELP + " ".join(spec.path), command, about))
    return Menu(label, tuple(entries), short_label)


def _get_first_sentence(text: str) -> str:
    """Return the first sentence of a text without its period, cut to the 70 characters of a menu
    entry.
    """
    sentence = text.split(". ")[0].rstrip(".")
    return sentence if len(sentence) <= 70 else f"{sentence[:66].rpartition(' ')[0]} ..."


# -- the welcome message when the bot joins a server or workspace

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def build_welcome(registry: Registry, players_sentence: str, commitment: str) -> Reply:
    """Return the welcome message, with four buttons to begin with.

    `players_sentence` says in the platform's words who can play. `commitment` is that of the dice
    of the first free play.
    """
    count = len(registry.games)
    titles = [game.title for game in registry.games.values()]
    names = ", ".join(title.partition(" (")[0].partition(",")[0] for title in titles)
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    fire_games = [game for game in registry.games if registry.get((game, "fire")) is not None]
    example_game = "lnlt" if "lnlt" in fire_games else fire_games[0]
    return Reply(
        "Grognard is here",
        (
            f"{number} games are ready. {players_sentence} You're only pinged when it's your move.",
            Small(f"{names}."),
            Small(phrase("It stores rolls, units and player names; `/privacy show` lists yours.")),
            Small(
                phrase(
                    "First free play: commitment {digits}. `/fair show` explains it.",
                    digits=shorten_hash(commitment),
                )
            ),
        ),
        by="wargame combat, exact odds, dice you can check",
        buttons=(
            Button(f"{OPEN_FORM}game start", "Start a game", "primary"),
            Button(f"try:{example_game} fire", "Try a shot"),
            Button(f"{OPEN_FORM}setup systems", "Choose games"),
            Button("help:", "Help"),
        ),
    )
