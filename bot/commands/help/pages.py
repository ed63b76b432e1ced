"""Pages of help: where it begins (four things to do, each with its button), what a rule set or a
group of commands has, and topics that are no single command."""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, metadata

from bot.rules.expression.model import GUIDE
from bot.rules.proof.chain import shorten_hash
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import get_systems
from bot.rulesets.system import ATTACKS
from bot.runtime.release import NAME, get_release
from bot.ui.glossary import group_unit_lists
from bot.ui.help_topics import TOPICS
from bot.ui.registry import TABLE, Registry
from bot.ui.reply.parts import Entry, Grid, Group, Part, Small
from bot.ui.reply.reply import OPEN_FORM, Button, Menu, MenuEntry, Reply
from bot.ui.spec import CommandSpec, Path

HELP = "help:"
CHECKS = ("Check", "Rally", "Spot")
"""The verbs of sequences by which a rule set's help groups them, beside those of attacks."""
MOST = 25
GAMES = "games"
BACK = "Back"


def _list_versions() -> tuple[Part, ...]:
    """Which release this is, where its source is, and the edition of each rule set."""
    try:
        pages = metadata(NAME).get_all("Project-URL") or []
    except PackageNotFoundError:  # run from its source, not installed
        pages = []
    where = [page.replace(", ", ": ", 1) for page in pages]
    editions = tuple((game.id, f"edition {game.edition}") for game in get_systems().values())
    source = where or ["Source: ask your host."]
    return (
        f"Grognard {get_release()}",
        *source,
        Grid(editions),
        "A log says under which edition each result was rolled.",
    )


def build_topic_page(name: str) -> Reply:
    """Help on a topic."""
    topic = TOPICS[name]
    lines = (
        _list_versions()
        if name == "version"
        else (Grid(tuple(GUIDE)),)
        if name == "dice"
        else topic.lines
    )
    return Reply(topic.title, lines, by=topic.about, buttons=(build_back_button(()),))


def find_first_attack(registry: Registry, game: str) -> CommandSpec | None:
    """The attack that a rule set is shown by: its first whose odds can be counted, best a shot."""
    known = [spec for spec in registry.list_below((game,)) if spec.find_option("odds") is not None]
    known.sort(key=lambda spec: (spec.path[-1] not in ("fire", "shoot"), spec.verb not in ATTACKS))
    return known[0] if known else None


def build_overview_page(
    registry: Registry, games: Sequence[str], played: str, *, greets: bool = False
) -> Reply:
    """Four things to do, and a menu of the rule sets and topics."""
    shown = [played] if played in games else [game for game in ("lnlt", *games) if game in games]
    attacks = (find_first_attack(registry, game) for game in dict.fromkeys(shown))
    things: list[Part] = []
    if (
        first := next((shot for shot in attacks if shot is not None and shot.verb in ATTACKS), None)
    ) is not None:
        name = " ".join(first.path)
        odds = phrase("`/help odds`")
        fight = phrase("`/help {name}`", name=name)
        things.append(
            Entry("Fight", "one command per attack", fight, OPEN_FORM + name, "Open a form")
        )
        things.append(Entry("Odds", "exact chances before you roll", odds, f"try:{name}", "Try"))
    game = phrase("`/game start`, `/unit add`")
    things += [
        Entry("A game", "units, turns, undo, log", game, f"{OPEN_FORM}game start", "Start"),
        Entry("Dice", "anything: 4d6kh3+2", phrase("`/roll 2d6+3`"), "throw:2d6", "Roll 2d6"),
        Group("Rule sets", "", grave=True),
        *_list_rule_sets(registry, games),
        Small(phrase("What a card calls it: `/find melee odds`")),
        Small(phrase("On any command: `/help lnlt fire`")),
    ]
    sets = [MenuEntry(f"{HELP}{game}", registry.games[game].title, f"/{game}") for game in games]
    topics = [
        MenuEntry(f"{HELP}{name}", topic.title, topic.about) for name, topic in TOPICS.items()
    ]
    tops = (
        name
        for name in registry.top_names
        if name not in (*registry.games, "help") and not name.endswith(TABLE)
    )
    groups = [
        MenuEntry(f"{HELP}{name}", f"/{name}", _get_first_sentence(registry.describe_name(name)))
        for name in tops
    ]
    welcome = "Hello. " if greets else ""
    return Reply(
        f"{welcome}Grognard fights tabletop wargames in your channel",
        tuple(things),
        by="pick your units, it does the tables",
        menus=(Menu("A rule set, or any topic", (*sets, *topics, *groups)[:MOST], "Topics"),),
    )


def _list_rule_sets(registry: Registry, games: Sequence[str]) -> list[Part]:
    """The rule sets by their names, each with its command."""
    return [phrase("`/{id}` {title}", id=id, title=registry.games[id].title) for id in games[:MOST]]


def build_games_page(registry: Registry, games: Sequence[str]) -> Reply:
    """Which games there are here, and where one's own are."""
    lines = (
        *_list_rule_sets(registry, games),
        Small(phrase("`/help lnlt` says what one has, `/me games` which you play.")),
    )
    entries = tuple(
        MenuEntry(f"{HELP}{game}", registry.games[game].title, f"/{game}") for game in games[:MOST]
    )
    buttons = (Button(f"{OPEN_FORM}game start", "Start a game", "primary"), build_back_button(()))
    menus = (Menu("What has one?", entries, "Games"),)
    return Reply("Games", lines, by="bring the rule book", menus=menus, buttons=buttons)


def build_group_page(path: Path, registry: Registry) -> Reply:
    """What is below a word: the sequences of a rule set, its tables, or a group's commands. A
    menu explains one.
    """
    if len(path) == 1 and path[0] in registry.games:
        return _build_rule_set_page(path[0], registry)
    if path[0].endswith(TABLE):
        return _build_tables_page(path, registry)
    specs = list(registry.list_below(path))
    lines: tuple[Part, ...] = tuple(
        phrase("`{name}` {about}", name=s.name, about=_get_first_sentence(s.summary)) for s in specs
    )
    menus = (_build_menu("What do you want to do?", specs, "Explain"),)
    return Reply(
        f"/{path[0]}",
        lines,
        by=registry.describe_name(path[0]),
        menus=menus,
        buttons=(build_back_button(()),),
    )


def _build_rule_set_page(game: str, registry: Registry) -> Reply:
    specs = list(registry.list_below((game,)))
    if not specs:  # a pack of tables alone
        return _build_tables_page((game + TABLE,), registry)
    lines: list[Part] = []
    for label, found in (
        ("Attacks", [spec for spec in specs if spec.verb in ATTACKS]),
        ("Checks", [spec for spec in specs if spec.verb in CHECKS]),
        ("Other rolls", [spec for spec in specs if spec.verb not in (*ATTACKS, *CHECKS)]),
    ):
        if found:
            lines.append(Group(label, ", ".join(spec.path[-1] for spec in found), grave=True))
    example = find_first_attack(registry, game) or specs[0]
    lines.append(Small(phrase("Each is a command: `{name}`", name=example.name)))
    if any(group_unit_lists(spec.options) for spec in specs):
        lines.append(Small(phrase("The words behind a unit: `/help {game} units`", game=game)))
    if notice := registry.games[game].game.get("notice"):
        lines.append(Small(str(notice)))
    buttons = (
        Button(
            OPEN_FORM + " ".join(example.path),
            example.path[-1].replace("-", " ").capitalize(),
            "primary",
        ),
        Button(f"{HELP}{game}{TABLE}", "Tables"),
        Button(f"{OPEN_FORM}game start system={game}", "Start a game"),
        build_back_button(()),
    )
    title = registry.games[game].title
    own = about.rules if (about := registry.games[game].about) is not None else ""
    by = f"its rules: {own}" if own else "bring the rule book, Grognard brings the tables"
    return Reply(
        title,
        tuple(lines),
        by=by,
        menus=(_build_menu("What do you want to do?", specs, "Explain"),),
        buttons=buttons,
    )


def _build_tables_page(path: Path, registry: Registry) -> Reply:
    game = registry.games[path[0].removesuffix(TABLE)]
    by_group: dict[str, list[CommandSpec]] = {}
    for spec in registry.list_below(path):
        by_group.setdefault(spec.path[1], []).append(spec)
    lines: list[Part] = []
    menus = []
    for group, specs in by_group.items():
        label = game.game["groups"][group]
        lines.append(Group(label, ", ".join(spec.path[-1] for spec in specs), grave=True))
        menus += [
            _build_menu(label, specs[at : at + MOST], label) for at in range(0, len(specs), MOST)
        ]
    lines.append(
        Small(
            phrase(
                "One is read like this: `{example}`",
                example=next(registry.list_below(path)).example,
            )
        )
    )
    buttons: tuple[Button, ...] = (build_back_button((game.id,)),)
    if not game.has_sequences:  # this page is the game's only one
        lines.append(Small(str(game.game["notice"])))
        buttons = (
            Button(f"{OPEN_FORM}game start system={game.id}", "Start a game"),
            build_back_button(()),
        )
    about = f"{game.title}: tables"
    return Reply(
        f"/{' '.join(path)}", tuple(lines), by=about, menus=tuple(menus[:4]), buttons=buttons
    )


def build_back_button(path: Path) -> Button:
    """Up to the screen before this one."""
    return Button(HELP + " ".join(path), BACK)


def _build_menu(label: str, specs: Sequence[CommandSpec], short: str) -> Menu:
    entries = [
        MenuEntry(
            HELP + " ".join(s.path),
            f"/{s.path[0]} {s.path[-1]}",
            _get_first_sentence(s.title or s.summary),
        )
        for s in specs[:MOST]
    ]
    return Menu(label, tuple(entries), short)


def _get_first_sentence(text: str) -> str:
    """The first sentence of a text, as much of it as a menu shows."""
    first = text.split(". ")[0].rstrip(".")
    return first if len(first) <= 70 else f"{first[:66].rpartition(' ')[0]} ..."


# -- what newcomers read once: when the bot comes to a server or workspace

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


def build_welcome(registry: Registry, who: str, commitment: str) -> Reply:
    """The welcome, with four things to begin with; `who` says in the platform's words who can play.
    The commitment is that of the first free play."""
    count = len(registry.games)
    names = ", ".join(
        game.title.partition(" (")[0].partition(",")[0] for game in registry.games.values()
    )
    ready = f"{_NUMBERS[count] if count < len(_NUMBERS) else count} rule sets are ready."
    shots = [game for game in registry.games if registry.get((game, "fire")) is not None]
    shown = "lnlt" if "lnlt" in shots else shots[0]
    return Reply(
        "Grognard is here",
        (
            f"{ready} {who} You're only pinged when it's your move.",
            Small(f"{names}."),
            Small(phrase("It keeps rolls, units and player names; `/privacy show` lists yours.")),
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
            Button(f"try:{shown} fire", "Try a shot"),
            Button(f"{OPEN_FORM}setup systems", "Choose rule sets"),
            Button("help:", "Help"),
        ),
    )
