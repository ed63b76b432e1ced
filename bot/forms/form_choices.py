"""Menus in the forms of new players: games by name, scenarios, and the types of units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.game.roster import count_units
from bot.presentation.headline import list_type_names
from bot.rules.inputs.options import Option, format_code_word
from bot.rules.text.phrase import capitalize_first
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.system import System
from bot.ui.spec import CommandSpec
from bot.ui.typing.complete import CompletionContext

if TYPE_CHECKING:
    from bot.game.roster_file import Scenario

NUMBERS = 4
"""Maximum number of a unit's numbers with a field of their own."""


def add_form_choices(
    spec: CommandSpec,
    games: Mapping[str, System],
    enabled: tuple[str, ...],
    known: CompletionContext,
    options: Mapping[str, object],
) -> CommandSpec:
    """Add menus and fields to the form of a command for new players. Others stay as they are.

    `enabled` are the ids of the games of this server, `options` the values filled in so far.
    """
    if spec.path == ("game", "start"):
        enabled_games = {id: games[id] for id in enabled if id in games}
        spec = _change_options(
            spec,
            _list_start_choices(enabled_games, str(options.get("system") or "")),
            () if known.roster else ("carry",),
        )
        return spec._replace(
            options=tuple(
                sorted(spec.options, key=lambda option: option.name not in ("system", "scenario"))
            )
        )
    if spec.path == ("seek", "game"):
        enabled_games = {id: games[id] for id in enabled if id in games}
        return _add_seek_choices(spec, enabled_games, options)
    if spec.path == ("setup", "systems"):
        titles = {id: game.title for id, game in load_shared_systems().items()}
        return _change_options(
            spec,
            {"systems": {"labels": titles, "values": tuple(titles), "default": " ".join(enabled)}},
        )
    if spec.path == ("unit", "add") and known.system in games:
        return _add_unit_fields(spec, games[known.system])
    return spec


def _add_seek_choices(
    spec: CommandSpec, games: Mapping[str, System], options: Mapping[str, object]
) -> CommandSpec:
    """Add menus of the games and of their scenarios for two sides to the form of `/seek game`.

    Title, sides and whether the game counts have a field only if they are filled in: a form has
    room for five on Discord.
    """
    system_id = str(options.get("system") or "")
    changes = _list_start_choices(games, system_id, for_two=True)
    unused_names = []
    for name in ("name", "sides", "counts"):
        if not options.get(name):
            unused_names.append(name)
    return _change_options(spec, changes, tuple(unused_names))


def _change_options(
    spec: CommandSpec,
    changes: Mapping[str, Mapping[str, object]],
    removed_names: tuple[str, ...] = (),
) -> CommandSpec:
    """Change the fields of options, by option name, and remove some options."""
    options = []
    for option in spec.options:
        if option.name not in removed_names:
            options.append(replace(option, **changes.get(option.name, {})))  # type: ignore[arg-type]
    return spec._replace(options=tuple(options))


def _list_start_choices(
    games: Mapping[str, System], system_id: str, *, for_two: bool = False
) -> dict[str, dict[str, object]]:
    """Return the changes of the options system and scenario of `/game start`: values and labels.

    `system_id` restricts the scenarios to one game; "" means all. `for_two` lists only those for
    two players: two sides, and none that plays itself.
    """
    from bot.game.roster_file import find_scenario  # 0.02 s of a start: YAML and CSV

    scenarios = {}
    for id, game in games.items():
        if system_id not in ("", id, game.home):
            continue
        for name, title in game.scenarios.items():
            scenario = find_scenario(game, name)
            if for_two and not _is_for_two(scenario):
                continue
            unit_count = count_units(len(scenario.units))
            scenarios[f"{id}/{name}"] = f"{title} · {unit_count}"
    titles = {id: game.title for id, game in games.items()}
    homes = {id: game.title for id, game in games.items() if game.base is None}
    publishers = {id: str(game.game.get("publisher", "")) for id, game in games.items()}
    return {
        "system": {"values": tuple(homes), "labels": homes, "meanings": publishers},
        "scenario": {
            "help": "optional; comes with sides and units",
            "values": tuple(scenarios),
            "labels": scenarios,
            "meanings": {key: titles[key.partition("/")[0]] for key in scenarios},
        },
    }


def _is_for_two(scenario: Scenario) -> bool:
    """Return whether a scenario has two sides, and players for both."""
    if scenario.self_played:
        return False
    return len(scenario.sides) == 2


def _add_unit_fields(spec: CommandSpec, game: System) -> CommandSpec:
    """Add the game's types of units, and a field for each of its first numbers, to `/unit add`."""
    words = game.words["units"]
    fields = [
        Option(
            key,
            "int",
            number_key.help,
            number_key.min,
            number_key.max,
            optional=True,
            label=key.upper() if len(key) < 4 else format_code_word(key),
        )
        for key, number_key in words.keys.items()
        if number_key.type == "int"
    ][:NUMBERS]
    type_labels = {
        type: capitalize_first(type_name) for type, type_name in list_type_names(game).items()
    }
    name_option, type_option, side_option, *other_options = _change_options(
        spec, {"type": {"values": words.types, "labels": type_labels}}
    ).options
    return spec._replace(options=(name_option, type_option, side_option, *fields, *other_options))


def join_number_fields(spec: CommandSpec, options: Mapping[str, object]) -> dict[str, object]:
    """Join the fields for a unit's numbers into the option `stats`, as `/unit add` takes it."""
    fixed = ("name", "type", "side", "stats", "reduced")
    if spec.path != ("unit", "add") or not set(options) - set(fixed):
        return dict(options)
    stats = []
    other_options = {}
    for name, value in options.items():
        if name in fixed:
            other_options[name] = value
        elif value not in (None, ""):
            stats.append(f"{name}={value}")
    if options.get("stats"):
        stats.append(str(options["stats"]))
    return {**other_options, "stats": " ".join(stats)}
