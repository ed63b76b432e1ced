"""`/solo`: a scenario whose other side plays itself, started in two words."""

from collections.abc import Iterator
from dataclasses import replace

from bot.commands.context import Context, replace_command
from bot.commands.declare import declare_button, declare_command
from bot.commands.games.start_and_join import join_side, start_game
from bot.game.roster_file import Scenario, find_scenario
from bot.game.sides import list_free_sides
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
    reply = await start_game(replace_command(context, ("game", "start"), options))
    bodies = context.ledger.bodies
    if not bodies or bodies[0]["kind"] != "start":
        return reply  # the game master of the game that is on is asked first
    free_sides = list_free_sides(context.game)
    if len(free_sides) == 1:
        await join_side(replace_command(context, ("game", "join"), {"side": free_sides[0]}))
        reply = _describe_own_side(context, reply, free_sides[0])
    return reply


def _describe_own_side(context: Context, reply: Reply, side: str) -> Reply:
    """Add to the card of the new game which side the user plays, and return it.

    Remove the buttons to join a side, and highlight the first of the buttons that remain.
    """
    others = join_names([*context.game.self_played])
    buttons = tuple(button for button in reply.buttons if not button.action.startswith("join:"))
    if buttons:
        buttons = (buttons[0]._replace(style="primary"), *buttons[1:])
    verb = "plays itself" if len(context.game.self_played) == 1 else "play themselves"
    line = f"You play {side}; {others} {verb}, by a table of orders."
    return replace(reply, lines=(*reply.lines[:1], line, *reply.lines[1:]), buttons=buttons)


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
