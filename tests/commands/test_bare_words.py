"""Words without a slash in a game are tried as dice, a sequence, a command, a table, and `/find`."""

from __future__ import annotations

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rulesets.system import list_builtin_systems
from bot.ui.registry import TABLE
from bot.ui.spec import Person
from tests.playing import HERE, Channel

ANNA = Person("console:anna", "Anna")


async def started(game: str) -> Channel:
    channel = await Channel.fresh()
    scenario = next(iter(list_builtin_systems()[game].scenarios))
    await channel.do("Anna", f'game start {game} "Evening" scenario={scenario}')
    return channel


async def read(channel: Channel, line: str) -> tuple[str, dict[str, object]]:
    """Return the command and options that a line stands for."""
    parsed = await channel.app.parse_line(line, HERE, ANNA)
    return " ".join(parsed.spec.path), dict(parsed.options)


@pytest.mark.parametrize("game", list_builtin_systems())
async def test_each_sequence_of_the_game_goes_by_its_bare_name(game: str) -> None:
    """Its words may be apart, and what follows is read as it is behind the whole command."""
    channel = await started(game)
    for id, sequence in list_builtin_systems()[game].sequences.items():
        example = channel.app.registry.get((game, id))
        assert example is not None
        rest = example.example.partition(f"{id} ")[2]
        whole = await read(channel, f"/{game} {id} {rest}")
        assert await read(channel, f"{id} {rest}") == whole
        assert await read(channel, f"{id.replace('-', ' ').upper()} {rest}") == whole
        assert sequence.id == id


@pytest.mark.parametrize("game", list_builtin_systems())
async def test_each_table_of_the_game_goes_by_its_bare_name_and_shows_itself_whole(
    game: str,
) -> None:
    channel = await started(game)
    ids = set(list_builtin_systems()[game].sequences)
    for spec in load_shared_registry().list_below((game + TABLE,)):
        if spec.target in ids:
            continue
        path, options = await read(channel, spec.target)
        assert path == " ".join(spec.path)
        assert options == {"whole": True}, "a look never rolls"


@pytest.mark.parametrize("game", list_builtin_systems())
async def test_each_command_of_a_game_goes_by_its_last_word(game: str) -> None:
    channel = await started(game)
    ids = set(list_builtin_systems()[game].sequences)
    for word in ("next", "pass", "undo", "redo", "status", "board", "stats", "leave", "end"):
        assert word not in ids
        assert await read(channel, word) == (f"game {word}", {})
    assert await read(channel, "done") == ("game pass", {"done": True})
    assert await read(channel, "join US") == ("game join", {"side": "US"})


@pytest.mark.parametrize(
    ("line", "path", "options"),
    [
        # dice
        ("2d6", "roll", {"dice": "2d6"}),
        ("roll 2d6", "roll", {"dice": "2d6"}),
        # a sequence goes before a table of the same name and before commands
        ("melee us1 vc1", "lnlt melee", {"attackers": "us1", "defenders": "vc1"}),
        ("initiative", "lnlt initiative", {}),
        # the longer name of a table goes before a sequence, if the rest fits it
        ("melee odds 7 4", f"lnlt{TABLE} combat melee-odds", {"attack": "7", "defense": "4"}),
        ("melee odds", f"lnlt{TABLE} combat melee-odds", {"whole": True}),
        ("melee us1 vc1 odds", "lnlt melee", {"attackers": "us1", "defenders": "vc1", "odds": True}),
        # commands
        ("/melee-odds", "", {}),
        ("unit list", "unit list", {}),
        ("order show", "order show", {}),
        # tables by id, title and number
        ("dct good-order-mmc 5 7", f"lnlt{TABLE} combat dct", {}),
        ('"Fate of Crew"', f"lnlt{TABLE} combat crew-fate", {"whole": True}),
        # what only /find knows
        ("PAC 07", "find", {"words": "PAC 07"}),
        ("6a", "find", {"words": "6a"}),
        ("hesitant", "find", {"words": "hesitant"}),
        ("half-squad", "find", {"words": "half-squad"}),
    ],
)  # fmt: skip
async def test_a_bare_word_is_tried_in_this_order(
    line: str, path: str, options: dict[str, object]
) -> None:
    channel = await started("lnlt")
    if not path:
        assert (await channel.say("Anna", line)).code == "unknown-command"
        return
    found, values = await read(channel, line)
    assert found.split()[-1] == path.split()[-1]
    assert found.split()[0] == path.split()[0]
    if options:
        assert values == options


async def test_a_macro_of_ones_own_goes_before_a_sequence_of_that_name() -> None:
    channel = await started("lnlt")
    await channel.do("Anna", 'macro add rally "roll 1d6"')
    assert await read(channel, "rally") == ("roll", {"dice": "1d6"})
    assert (
        await channel.app.parse_line("rally us1", HERE, Person("console:bob", "Bob"))
    ).spec.path == (
        "lnlt",
        "rally",
    )


@pytest.mark.parametrize(
    "line",
    ["thanks a lot for the game yesterday", "what a shot", "I think the squad should go there",
     "lnlt fyre us1 vc1", "rol 2d6", "unit lst"],
)  # fmt: skip
async def test_a_sentence_or_a_slip_is_no_search(line: str) -> None:
    channel = await started("lnlt")
    assert (await channel.say("Anna", line)).error


async def test_without_a_game_a_bare_word_is_no_command() -> None:
    channel = await Channel.fresh()
    for line in ("fire us1 vc1", "melee odds", "next", "hesitant"):
        assert (await channel.say("Anna", line)).code == "unknown-command"


async def test_a_misspelt_sequence_of_the_game_is_named() -> None:
    channel = await started("lnlt")
    reply = await channel.fails("Anna", "fyre us1 vc2", "Did you mean lnlt fire?")
    assert reply.better == "lnlt fire us1 vc2"
    reply = await channel.fails("Anna", "fire us1 vc2 adjacant", "Did you mean adjacent?")
    assert reply.better == "lnlt fire us1 vc2 adjacent"
