"""The forms of the first hour with menus of what there is here: rule sets by name, scenarios,
types of units.
"""

from collections.abc import Mapping
from dataclasses import replace

from bot.game.roster import count_units
from bot.rules.inputs.options import Option, format_code_word
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.system import System
from bot.ui.spec import CommandSpec
from bot.ui.typing.complete import CompletionContext

NUMBERS = 4
"""So many numbers of a unit have a field of their own."""


def add_form_choices(
    spec: CommandSpec,
    games: Mapping[str, System],
    enabled: tuple[str, ...],
    known: CompletionContext,
    options: Mapping[str, object],
) -> CommandSpec:
    """The command with what its form offers: any other command as it is."""
    if spec.path == ("game", "start"):
        here = {id: games[id] for id in enabled if id in games}
        spec = _change_options(
            spec,
            _list_start_choices(here, str(options.get("system") or "")),
            () if known.roster else ("carry",),
        )
        return spec._replace(
            options=tuple(
                sorted(spec.options, key=lambda one: one.name not in ("system", "scenario"))
            )
        )
    if spec.path == ("setup", "systems"):
        titles = {id: game.title for id, game in load_shared_systems().items()}
        return _change_options(
            spec,
            {"systems": {"labels": titles, "values": tuple(titles), "default": " ".join(enabled)}},
        )
    if spec.path == ("unit", "add") and (game := games.get(known.system)) is not None:
        return _add_unit_fields(spec, game)
    return spec


def _change_options(
    spec: CommandSpec, more: Mapping[str, Mapping[str, object]], without: tuple[str, ...] = ()
) -> CommandSpec:
    kept = (option for option in spec.options if option.name not in without)
    return spec._replace(options=tuple(replace(one, **more.get(one.name, {})) for one in kept))  # type: ignore[arg-type]


def _list_start_choices(games: Mapping[str, System], chosen: str) -> dict[str, dict[str, object]]:
    """Rule sets by their names, and each scenario with how many units it has."""
    from bot.game.roster_file import find_scenario  # 0.02 s of a start: YAML and CSV

    scenarios = {
        f"{id}/{name}": f"{title} · {count_units(len(find_scenario(game, name).units))}"
        for id, game in games.items()
        for name, title in game.scenarios.items()
        if chosen in ("", id, game.home)
    }
    titles = {id: game.title for id, game in games.items()}
    homes = {id: game.title for id, game in games.items() if game.base is None}
    about = {id: str(game.game.get("publisher", "")) for id, game in games.items()}
    return {
        "system": {"values": tuple(homes), "labels": homes, "meanings": about},
        "scenario": {
            "help": "sides and units ready to play; none is needed",
            "values": tuple(scenarios),
            "labels": scenarios,
            "meanings": {key: titles[key.partition("/")[0]] for key in scenarios},
        },
    }


def _add_unit_fields(spec: CommandSpec, game: System) -> CommandSpec:
    """The types of units that the game has, and its first numbers in fields of their own."""
    words = game.words["units"]
    fields = [
        Option(
            key,
            "int",
            own.help,
            own.min,
            own.max,
            optional=True,
            label=key.upper() if len(key) < 4 else format_code_word(key),
        )
        for key, own in words.keys.items()
        if own.type == "int"
    ][:NUMBERS]
    first, kind, side, *rest = _change_options(spec, {"type": {"values": words.types}}).options
    return spec._replace(options=(first, kind, side, *fields, *rest))


def join_number_fields(spec: CommandSpec, options: Mapping[str, object]) -> dict[str, object]:
    """What was filled into the fields for a unit's numbers, as the command takes it."""
    fixed = ("name", "type", "side", "stats", "reduced")
    if spec.path != ("unit", "add") or not set(options) - set(fixed):
        return dict(options)
    numbers = [
        f"{name}={value}"
        for name, value in options.items()
        if name not in fixed and value not in (None, "")
    ]
    kept = {name: value for name, value in options.items() if name in fixed}
    return {**kept, "stats": " ".join(filter(None, [*numbers, str(options.get("stats") or "")]))}
