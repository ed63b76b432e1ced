"""`/solo`: a scenario whose other side plays itself, started in two words."""

from collections.abc import Iterator

from bot.commands.context import Context, replace_command
from bot.commands.declare import declare_button, declare_command
from bot.commands.games.start_and_join import start_or_ask
from bot.game.roster_file import Scenario, find_scenario
from bot.rules.errors import TableError, UserError
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.rulesets.game_keys import SOLO
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import System
from bot.ui.common_options import build_optional
from bot.ui.reply.reply import Button, Reply


@declare_command(
    "solo",
    "Play solo: start a scenario in which the other side plays itself",
    build_optional(
        "system",
        "which game; blank: show the games that have such a scenario",
        type="enum",
        values=(),
        complete="system",
        label="Game",
    ),
    example="lnlt",
    title="Play solo",
    verb="Start",
    needs_game=True,
)
async def start_solo_game(context: Context) -> Reply:
    """Start the first scenario of a game that plays itself, and join its other side.

    Without a game, list those that have one. Raises UserError for a game that has none.
    """
    system_id = context.clean_options()["system"]
    if system_id:
        return await _start(context, system_id)
    buttons = []
    for id, name, scenario in _list_solo_scenarios(context.systems):
        buttons.append(Button(f"solo:{id}/{name}", scenario.title))
    lines = ("The other side rolls on a table of orders, with dice that you can check.",)
    return Reply(
        "Which game do you want to play solo?", lines, private=True, buttons=tuple(buttons)
    )


@declare_button("solo")
async def press_solo(context: Context, scenario: str) -> Reply:
    """Start the scenario of a button, written GAME/SCENARIO. The user joins the side that does not
    play itself.

    Raises UserError as `/solo` does.
    """
    id, _, name = scenario.partition("/")
    return await _start(context, id, name)


async def _start(context: Context, system_id: str, name: str = "") -> Reply:
    """Start a scenario that plays itself, and join its free side, or none if several are free.

    `name` is the scenario; "" stands for the first one. If another game is on here, return the
    question for its game master instead. Raises UserError if there is no such scenario.
    """
    scenarios = [
        (id, scenario_name)
        for id, scenario_name, _ in _list_solo_scenarios(context.systems)
        if id == system_id and name in ("", scenario_name)
    ]
    if not scenarios:
        games = dict.fromkeys(id for id, _, _ in _list_solo_scenarios(context.systems))
        hint = phrase("Try `/solo {id}`.", id=next(iter(games), "lnlt"))
        if len(games) > 1:
            hint = phrase("These have one: {ids}.", ids=join_names([*games]))
        raise UserError(
            "That game has no solo scenario.",
            hint=hint,
            option="system",
            code="bad-value",
        )
    options = {"system": system_id, "scenario": scenarios[0][1]}
    context = replace_command(context, ("game", "start"), options)
    return await start_or_ask(context, takes_side=True)


def _list_solo_scenarios(systems: RuleSets) -> Iterator[tuple[str, str, Scenario]]:
    """Yield the scenarios that play themselves, with the ids of their games."""
    for system in systems.values():
        if system.base is None and system.game.get(SOLO):
            yield from _list_scenarios_of(system)


def _list_scenarios_of(system: System) -> Iterator[tuple[str, str, Scenario]]:
    """Yield the scenarios of a game that play themselves. A file with a fault is passed over."""
    for name in system.scenarios:
        try:
            scenario = find_scenario(system, name)
        except TableError:
            continue
        if scenario.self_played:
            yield system.id, name, scenario
