"""A game master who also plays acts for another player's side: they are asked once, and the answer
says so.

Anna leads the game and plays the US; Bob plays the VC.
"""

from __future__ import annotations

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.commands.turns.turn_card import format_turn_and_phase
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.ui.reply.reply import Reply
from bot.ui.typing.command_text import format_command
from tests.playing import Channel, two_sides
from tests.seams.outcomes import ready

SEQUENCES = [(one.id, name) for one in load_shared_systems().values() for name in one.sequences]
LINE = "Rolled by Anna for VC."
FIRE = 'lnlt fire "Cell 1" "Squad 1" hand=1,1,6'
RALLY = 'lnlt rally "Cell 2" rallier=leader hand=3,4'
NEEDS_STATE = {("lnlt", "rally")}
"""Sequences whose example needs a unit in a state of its own; the rally of a shaken unit is
tried above.
"""


async def in_operations() -> Channel:
    """A game of Lock 'n Load in which it is the VC's go."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Bob", 'unit edit "Cell 2" state=shaken')
    await channel.do("Anna", "game initiative VC", "game next")
    return channel


def is_question(reply: Reply) -> bool:
    """Return whether the reply asks privately, and nothing has happened yet."""
    return reply.private and [button.label for button in reply.buttons] == ["Act for VC"]


async def confirm(channel: Channel, question: Reply) -> Reply:
    """Return the answer to the button of the question."""
    assert is_question(question), question.format_text()
    answer = await channel.press("Anna", question.buttons[0].action)
    assert not answer.error, answer.format_text()
    return answer


@pytest.mark.parametrize(
    ("line", "title", "says"),
    [
        ("game pass", "End VC's turn for Bob?", "Anna passes for VC"),
        ("game pass done", "End VC's turn for Bob?", "Anna ends VC's turn"),
        ("game next", "End VC's turn for Bob?", "Anna ends VC's turn."),
        (FIRE, "Act with Cell 1 for Bob?", LINE),
        (f"{FIRE} secret", "Act with Cell 1 for Bob?", LINE),
        (RALLY, "Act with Cell 2 for Bob?", LINE),
    ],
)
async def test_the_first_act_for_the_other_side_asks_and_every_act_says_so(
    line: str, title: str, says: str
) -> None:
    channel = await in_operations()
    before = await channel.game()
    question = await channel.say("Anna", line)
    assert (question.title, question.format_body()) == (
        title,
        ["You play US. You're only asked once for VC in this game."],
    )
    assert await channel.game() == before

    answer = await confirm(channel, question)
    assert says in (answer.announce or answer).format_text()
    assert (await channel.press("Anna", question.buttons[0].action)).code == "used-up"
    again = await channel.say("Anna", FIRE)
    assert not again.error
    assert again.format_body()[-1] == LINE or LINE in again.format_body()


async def test_done_on_the_card_asks_and_hands_over_for_the_other_side() -> None:
    channel = await in_operations()
    game = await channel.game()
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    answer = await confirm(
        channel, await channel.press("Anna", f"done:{loaded.row}:{format_turn_and_phase(game)}:1")
    )
    assert answer.by == "Anna ends VC's turn"
    assert (await channel.game()).go == ("US",)


async def test_done_under_the_shot_of_the_other_side_asks_and_is_a_message_of_its_own() -> None:
    channel = await in_operations()
    shot = await channel.do("Bob", FIRE)
    done = next(button for button in shot.buttons if button.label == "Done")
    answer = await confirm(channel, await channel.press("Anna", done.action))
    assert (answer.by, answer.in_place) == ("Anna ends VC's turn", False)
    assert (await channel.game()).go == ("US",)


async def test_the_answer_counts_for_one_game_and_one_person() -> None:
    channel = await in_operations()
    await confirm(channel, await channel.say("Anna", FIRE))
    assert not (await channel.say("Anna", FIRE)).private
    await channel.do(
        "Anna", "game end confirm", 'game start lnlt "Another" sides="US, VC"', "game join US"
    )
    await channel.do("Bob", "game join VC", 'unit add "Cell 1" squad VC morale=4 fp=1')
    await channel.do("Anna", 'unit add "Squad 1" squad US morale=5 fp=2')
    assert is_question(await channel.say("Anna", FIRE))


async def test_nobody_else_may_answer_the_question() -> None:
    channel = await in_operations()
    question = await channel.say("Anna", FIRE)
    assert (await channel.press("Bob", question.buttons[0].action)).code == "used-up"


async def test_a_side_that_nobody_plays_and_a_master_who_plays_none_are_never_asked() -> None:
    channel = await in_operations()
    await channel.do("Bob", "game leave")
    alone = await channel.say("Anna", FIRE)
    assert not alone.error
    assert not is_question(alone)
    assert LINE not in alone.format_text()
    await channel.do("Anna", "game pass")

    channel = await in_operations()
    await channel.do("Anna", "game leave")
    neutral = await channel.say("Anna", FIRE)
    assert not neutral.error
    assert not is_question(neutral)
    assert LINE not in neutral.format_text()


async def test_a_manager_who_plays_is_asked_as_well() -> None:
    channel = await in_operations()
    await channel.do("Cora", "game join US")
    question = await channel.say("Cora", FIRE, manager=True)
    assert is_question(question)


@pytest.mark.parametrize(
    ("game", "name"), SEQUENCES, ids=[f"{game}-{name}" for game, name in SEQUENCES]
)
async def test_every_sequence_that_acts_with_units_asks_once(game: str, name: str) -> None:
    """The units that act are those of side A, which Bob plays."""
    if (game, name) in NEEDS_STATE:
        pytest.skip("its example needs a unit in a state of its own")
    one = await ready(find_shared_system(game).find_sequence(name))
    channel = one.channel
    spec = load_shared_registry().get((game, name))
    assert spec is not None
    _, dice = next(one.outcomes(1))
    typed = format_command(spec, {**one.raw, **({"hand": dice} if dice else {})}).removeprefix("/")
    await channel.do("Anna", "game join B")
    await channel.do("Bob", "game join A")
    last = (await channel.game()).last
    reply = await channel.say("Anna", typed)
    if reply.code == "card-forbids":
        typed += " anyway"
        reply = await channel.say("Anna", typed)
    if (await channel.game()).last != last:
        loaded = await channel.app.games.load_current(channel.place.key)
        assert loaded is not None
        (event,) = await channel.app.store.load_events_at(loaded.row, [last + 1])
        sides = {loaded.game.units[unit.casefold()].side for unit in event.data.get("acting", ())}
        assert "A" not in sides, "it acted with units of the other side, unasked"
        return
    assert [button.label for button in reply.buttons] == ["Act for A"], reply.format_text()
    answer = await channel.press("Anna", reply.buttons[0].action)
    assert "Rolled by Anna for A." in answer.format_text()
    again = await channel.say("Anna", typed)
    assert "Act for A" not in [button.label for button in again.buttons]


async def test_a_side_that_gets_a_player_meanwhile_is_asked_about_once_more() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Three" sides="US, VC, NVA"', "game join US")
    await channel.do("Bob", "game join VC", 'unit add "Cell 1" squad VC morale=4 fp=1')
    await channel.do("Anna", 'unit add "Squad 1" squad US morale=5 fp=2')
    await channel.do("Anna", 'unit add "Regular 1" squad NVA morale=5 fp=1')
    first = await channel.say("Anna", 'lnlt fire "Cell 1; Regular 1" "Squad 1" hand=1,1,6')
    assert [button.label for button in first.buttons] == ["Act for VC"], first.format_text()
    await channel.do("Cora", "game join NVA")
    second = await channel.press("Anna", first.buttons[0].action)
    assert [button.label for button in second.buttons] == ["Act for VC and NVA"], (
        second.format_text()
    )
    answer = await channel.press("Anna", second.buttons[0].action)
    assert "Rolled by Anna for VC and NVA." in answer.format_text()
