"""`/game link`: one game in several channels, and only where somebody who may has agreed, for
all to see.
"""

from __future__ import annotations

import asyncio

import pytest

from bot.app import App
from bot.commands.games.link import MOST_ASKED, remind_linked_channels
from bot.storage.records import Binding, Commit
from bot.ui.spec import Person, Place
from tests.commands.link_helpers import (
    ANNA,
    BEN,
    HERE,
    THERE,
    Table,
)
from tests.commands.link_helpers import (
    table as table,
)

ELSEWHERE = Place("slack:T1/C2", "slack:T1", "#other")
BAIT = Place("discord:77/1", "discord:77", "#general")
CORA = Person("discord:3", "Cora")
DORA = Person("slack:T1/U9", "Dora")
MALLORY = Person("discord:66", "Mallory")
VERA = Person("discord:7", "Vera", manager=True)
"""Vera manages the server of BAIT, where Mallory is a member like any other."""


# What a link is


async def test_two_channels_play_one_game(table: Table) -> None:
    given = await table.run("/game link")
    assert given.announce is not None, "all see that a manager lets the channel be linked"
    code = given.title.split()[-1]
    assert len(code) == 8
    assert code not in given.announce.format_text()
    linked = await table.run(f"/game link {code.lower()}", BEN, THERE)
    assert linked.private
    assert linked.announce is not None
    assert linked.announce.title == "Ben links this channel with #war-room (a server on Discord)"
    assert "/game link off" in linked.announce.format_text()
    assert await table.told(HERE) == ["Ben links this channel with #games (a workspace on Slack)"]
    await table.run("/game join US")
    await table.run("/game join VC", BEN, THERE)
    assert await table.told(THERE) == ["Anna plays US"]
    rolled = await table.run("/roll 2d6", BEN, THERE)
    assert await table.told(THERE) == [], "not what Ben did himself"
    assert (await table.told(HERE))[-1] == rolled.title
    odds = await table.run(
        'lnlt fire attackers="squad fp=2" targets="squad morale=5" odds', BEN, THERE
    )
    assert odds.private
    assert await table.told(HERE) == []


async def test_status_lists_every_channel_that_plays_the_game(table: Table) -> None:
    assert "Played in" not in (await table.run("/game status")).format_text()
    await table.link()
    await table.run(
        f"/game link {await table.code()}",
        Person("slack:T1/U1", "Ben"),
        Place("slack:T1/D1", "slack:T1"),
    )
    assert "#games (a workspace on Slack)" in (await table.run("/game status")).format_text()
    status = (await table.run("/game status", BEN, THERE)).format_text()
    assert "Played in this channel and #war-room (a server on Discord)" in status
    assert "/game link off" in status


async def test_a_code_works_once_and_for_a_quarter_of_an_hour(table: Table) -> None:
    code = await table.code()
    assert not (await table.run(f"/game link {code}", BEN, THERE)).error
    assert (await table.run(f"/game link {code}", BEN, ELSEWHERE)).code == "unknown-code"
    late = await table.code()
    table.now += 15 * 60 + 1
    assert (await table.run(f"/game link {late}", BEN, ELSEWHERE)).code == "unknown-code"
    assert (await table.run(f"/game link {await table.code()}")).code == "same-channel", (
        "from this very channel"
    )
    assert (await table.run("/game link ABCD1234", BEN, ELSEWHERE)).code == "unknown-code"


async def test_two_games_are_not_made_one(table: Table) -> None:
    await table.run("/game start lnlt Other", BEN, THERE)
    refused = await table.run(f"/game link {await table.code()}", BEN, THERE)
    assert refused.code == "two-games"


@pytest.mark.parametrize("giver", [HERE, THERE])
async def test_mere_rolls_make_room_for_a_linked_game(table: Table, giver: Place) -> None:
    await table.run("/roll 2d6", BEN, THERE)
    who, taker, where = (ANNA, BEN, THERE) if giver is HERE else (BEN, ANNA, HERE)
    linked = await table.run(f"/game link {await table.code(who, giver)}", taker, where)
    assert linked.announce is not None, linked.format_text()
    told = [
        linked.announce.format_text(),
        *(reply.format_text() for reply in await table.posted(giver)),
    ]
    assert sum("The free play is saved: /game list" in text for text in told) == 1, "where it was"
    assert "Hill 875" in (await table.run("/game status", BEN, THERE)).format_text()
    assert "Free play" in (await table.run("/game list", BEN, THERE)).format_text()
    assert "Free play" not in (await table.run("/game list")).format_text()


async def test_rolls_made_while_a_link_was_asked_for_make_room_too(table: Table) -> None:
    await table.run("/roll 2d6", BEN, THERE)
    code = await table.code()
    asked = await table.run(f"/game link {code}", DORA, THERE)
    assert asked.announce is not None
    await table.run("/roll 2d6", BEN, THERE)
    agreed = await table.press(asked.announce.buttons[0].action, BEN, THERE)
    assert "The free play is saved" in agreed.format_text()
    assert len(await table.places(THERE)) == 2


async def test_the_code_may_come_from_the_empty_channel(table: Table) -> None:
    code = await table.code(BEN, THERE)
    assert not (await table.run(f"/game link {code}")).error
    assert "Hill 875" in str(await table.run("/game status", BEN, THERE))


async def test_only_who_directs_the_game_links_it(table: Table) -> None:
    assert (await table.run("/game link", CORA)).code == "not-master"
    code = await table.code(BEN, THERE)
    assert (await table.run(f"/game link {code}", CORA)).code == "not-master"
    assert not (await table.run(f"/game link {code}")).error, "the refusal used nothing up"


async def test_a_new_game_goes_on_in_both(table: Table) -> None:
    await table.link()
    await table.run("/game end confirm")
    await table.run('/game start lnlt "Hill 876" sides="US, VC"')
    assert "Hill 876" in str(await table.run("/game status", BEN, THERE))
    await table.told(THERE)
    rolled = await table.run("/roll 2d6")
    assert await table.told(THERE) == [rolled.title]


async def test_linking_is_never_undone(table: Table) -> None:
    await table.link()
    assert (await table.run("/game undo")).code == "not-undoable"


# How it ends


async def test_a_link_ends_from_either_side_by_a_manager_and_both_are_told(table: Table) -> None:
    assert (await table.run("/game link off")).code == "not-linked", "nothing is linked"
    await table.link()
    assert (await table.run("/game link off", DORA, THERE)).code == "not-master", (
        "she manages nothing"
    )
    await table.told(THERE)
    ended = await table.run("/game link OFF", BEN, THERE)
    assert ended.title == "Ben unlinks this channel"
    assert (await table.told(HERE))[-1] == "Ben unlinks #games (a workspace on Slack)"
    assert (await table.run("/game status", BEN, THERE)).code == "no-game"
    assert "Hill 875" in str(await table.run("/game status"))
    await table.run("/roll 2d6")
    assert await table.told(THERE) == []
    assert not (await table.run("/roll 2d6", BEN, THERE)).error
    assert not (await table.run("/game undo", BEN, THERE)).error
    assert (await table.run("/game link off")).code == "not-linked", "again alone"


async def test_in_free_play_no_passer_by_ends_a_link(table: Table) -> None:
    await table.run("/roll 2d6", VERA, BAIT)
    await table.run(f"/game link {await table.code(VERA, BAIT)}", BEN, THERE)
    assert (await table.run("/game link off", DORA, THERE)).code == "not-master"
    assert not (await table.run("/game link off", VERA, BAIT)).error


async def test_setup_lists_the_links_of_a_server_and_ends_them(table: Table) -> None:
    assert (await table.run("/setup links")).lines == ("No channels here are linked.",)
    await table.link()
    hall = Place("discord:5/10", "discord:5", "#hall")
    assert (await table.run("/setup links", CORA, hall)).code == "not-manager"
    shown = await table.run("/setup links", ANNA, hall)
    assert shown.private
    assert (
        shown.lines[0] == '#war-room: "Hill 875", also played from #games (a workspace on Slack).'
    )
    await table.told(THERE)
    await table.told(HERE)
    assert (await table.run("/setup links C1", ANNA, hall)).code == "unknown-channel", (
        "a channel of another server"
    )
    assert (await table.run("/setup links 9", CORA, hall)).code == "not-manager"
    assert not (await table.run("/setup links 9", ANNA, hall)).error
    assert await table.told(HERE) == ["Anna unlinks this channel"]
    assert await table.told(THERE) == ["Anna unlinks #war-room (a server on Discord)"]
    assert await table.places(HERE) == ()
    assert await table.places(THERE) == (THERE.key,)


async def test_a_game_that_is_deleted_is_told_of_in_the_other_channel(table: Table) -> None:
    await table.link()
    await table.told(THERE)
    await table.run("/game delete confirm")
    assert await table.told(THERE) == ['"Hill 875" is deleted']


# Nobody listens in


async def test_a_stranger_cannot_mirror_a_channel_with_a_code_from_it(table: Table) -> None:
    """Mallory asks for a code where nothing is played, and types it in a server of their own."""
    home, mallory = (
        Place("discord:66/6", "discord:66", "#lair"),
        Person("discord:66", "Mallory", manager=True),
    )
    await table.run("/roll 2d6", mallory, home)
    code = await table.code(MALLORY, BAIT)
    asked = await table.run(f"/game link {code}", mallory, home)
    assert asked.title == "Link requested"
    assert await table.places(home) == (home.key,)
    (request,) = await table.posted(BAIT)
    assert "#lair (another server on Discord)" in request.format_text(), "managers see with whom"
    assert [button.label for button in request.buttons] == ["Agree", "Refuse"]
    await table.run("/roll 2d6 label=secret", CORA, BAIT)
    assert await table.told(home) == [], "nothing rolled in the bait channel is seen elsewhere"
    for attempt in (request.buttons[0].action, f"agree:{code}"):
        assert (await table.press(attempt, MALLORY, BAIT)).code == "not-manager", (
            "a member is no manager there"
        )
        assert (await table.press(attempt, mallory, home)).code == "agreed-already", (
            "their server has agreed"
        )
    assert (await table.run(f"/game link {code}", MALLORY, BAIT)).code == "not-manager"
    assert await table.places(home) == (home.key,)


async def test_a_stranger_cannot_mirror_a_channel_by_bringing_a_code_to_it(table: Table) -> None:
    home, mallory = (
        Place("discord:66/6", "discord:66", "#lair"),
        Person("discord:66", "Mallory", manager=True),
    )
    await table.run("/roll 2d6", mallory, home)
    asked = await table.run(f"/game link {await table.code(mallory, home)}", MALLORY, BAIT)
    assert asked.announce is not None, "the request appears in the channel, for all to see"
    assert "Agree" in [button.label for button in asked.announce.buttons]
    assert await table.places(BAIT) == ()
    agreed = await table.press(asked.announce.buttons[0].action, VERA, BAIT)
    assert agreed.title == "Vera links this channel with #lair (another server on Discord)"
    assert not agreed.private
    assert (await table.told(home))[
        -1
    ] == "Vera links this channel with #general (another server on Discord)"


async def test_free_play_is_not_mirrored_by_whoever_rolled_in_it(table: Table) -> None:
    home, mallory = (
        Place("discord:66/6", "discord:66", "#lair"),
        Person("discord:66", "Mallory", manager=True),
    )
    await table.run("/roll 2d6", CORA, BAIT)
    await table.run(f"/game link {await table.code(MALLORY, BAIT)}", mallory, home)
    await table.run("/roll 2d6", CORA, BAIT)
    assert await table.told(home) == []
    assert await table.places(home) == ()


async def test_who_starts_a_game_does_not_speak_for_the_channel_in_which_it_is(
    table: Table,
) -> None:
    """Game master is whoever starts a game; what others roll there is not theirs to show."""
    home, mallory = (
        Place("discord:66/6", "discord:66", "#lair"),
        Person("discord:66", "Mallory", manager=True),
    )
    await table.run('/game start lnlt Bait sides="US, VC"', MALLORY, BAIT)
    asked = await table.run(f"/game link {await table.code(MALLORY, BAIT)}", mallory, home)
    assert asked.title == "Link requested"
    await table.run("/roll 2d6", CORA, BAIT)
    assert "Cora" not in str(await table.told(home))
    (request,) = await table.posted(BAIT)
    assert "play this channel's game from #lair (another server on Discord) too" in request.title


async def test_a_manager_may_also_type_the_code_of_a_request(table: Table) -> None:
    home, mallory = (
        Place("discord:66/6", "discord:66", "#lair"),
        Person("discord:66", "Mallory", manager=True),
    )
    await table.run("/roll 2d6", mallory, home)
    code = await table.code(mallory, home)
    await table.run(f"/game link {code}", MALLORY, BAIT)
    agreed = await table.run(f"/game link {code}", VERA, BAIT)
    assert not agreed.error
    assert not agreed.private
    assert await table.places(BAIT) == (home.key, BAIT.key)


async def test_a_request_can_be_refused_and_ends_by_itself(table: Table) -> None:
    home, mallory = (
        Place("discord:66/6", "discord:66", "#lair"),
        Person("discord:66", "Mallory", manager=True),
    )
    await table.run("/roll 2d6", mallory, home)
    code = await table.code(mallory, home)
    await table.run(f"/game link {code}", MALLORY, BAIT)
    assert (await table.press(f"decline:{code}", CORA, BAIT)).code == "not-manager"
    assert not (await table.press(f"decline:{code}", VERA, BAIT)).error
    assert (await table.told(home))[-1] == "Vera refuses the link"
    assert (await table.press(f"agree:{code}", VERA, BAIT)).code == "not-asked"
    code = await table.code(mallory, home)
    await table.run(f"/game link {code}", MALLORY, BAIT)
    table.now += 24 * 3600 + 1
    assert (await table.press(f"agree:{code}", VERA, BAIT)).code == "not-asked"
    assert await table.places(BAIT) == ()


async def test_a_third_channel_needs_the_consent_of_both_that_are_linked(table: Table) -> None:
    """Ben's manager agreed to Anna's channel, and not to whom she links next."""
    await table.link()
    await table.told(THERE)
    asked = await table.run(f"/game link {await table.code()}", VERA, BAIT)
    assert asked.title == "Link requested"
    request = (await table.posted(THERE))[-1]
    assert "#general (a server on Discord)" in request.title
    rolled = await table.run("/roll 2d6", DORA, THERE)
    assert rolled.title not in await table.told(BAIT)
    await table.press(request.buttons[0].action, BEN, THERE)
    assert len(await table.places(BAIT)) == 3
    await table.told(BAIT)
    rolled = await table.run("/roll 2d6", DORA, THERE)
    assert await table.told(BAIT) == [rolled.title]


async def test_two_who_must_agree_both_count(table: Table) -> None:
    await table.link()
    anna = Person("discord:1", "Anna")
    await table.run("/game settings master=Anna")
    code = await table.code(anna)
    await table.run(f"/game link {code}", VERA, BAIT)
    first = await table.press(f"agree:{code}", BEN, THERE)
    assert "Still to agree: #war-room (a server on Discord)" in first.format_text()
    assert (await table.press(f"agree:{code}", BEN, THERE)).code == "agreed-already", (
        "once is enough"
    )
    assert await table.places(BAIT) == ()
    assert not (await table.press(f"agree:{code}", ANNA, HERE)).error
    assert len(await table.places(BAIT)) == 3


async def test_a_request_that_was_answered_says_so_and_loses_its_buttons(table: Table) -> None:
    await table.link()
    await table.run("/game settings master=Anna")
    code = await table.code(Person("discord:1", "Anna"))
    await table.run(f"/game link {code}", VERA, BAIT)
    await table.press(f"agree:{code}", BEN, THERE)
    for where in (HERE, THERE, BAIT):
        await table.posted(where)
    (agreed,) = [reply for about, reply in table.changed if about == "link"]
    assert agreed.format_text() == "Ben agrees: The link that was requested", (
        "the other one still waits"
    )
    assert not agreed.buttons
    table.changed = []
    await table.press(f"decline:{code}", ANNA, HERE)
    for where in (HERE, THERE, BAIT):
        await table.posted(where)
    (refused,) = [reply for about, reply in table.changed if about == "link"]
    assert refused.format_text() == "Anna refuses: The link that was requested"


async def test_a_request_that_nobody_answered_says_after_a_day_that_it_has_expired(
    table: Table,
) -> None:
    await table.link()
    await table.run("/game settings master=Anna")
    code = await table.code(Person("discord:1", "Anna"))
    await table.run(f"/game link {code}", VERA, BAIT)
    await table.press(f"agree:{code}", BEN, THERE)
    for where in (HERE, THERE, BAIT):
        await table.posted(where)
    table.changed = []
    table.now += 24 * 3600 - 1
    await table.app.due_work.look()
    await table.posted(HERE)
    assert not table.changed, "there is a second left to agree in"
    table.now += 2
    await table.app.due_work.look()
    for where in (HERE, THERE, BAIT):
        await table.posted(where)
    (expired,) = [reply for about, reply in table.changed if about == "link"]
    assert expired.format_text() == "Expired after 24 hours: The link that was requested", (
        "that Ben agreed is left as it is"
    )
    assert not expired.buttons
    assert (await table.press(f"agree:{code}", ANNA, HERE)).code == "not-asked"


async def asked_twice(table: Table) -> str:
    """A link that two places must agree to, whose requests are both posted; its code."""
    await table.link()
    await table.run("/game settings master=Anna")
    code = await table.code(Person("discord:1", "Anna"))
    await table.run(f"/game link {code}", VERA, BAIT)
    for where in (HERE, THERE):
        assert len((await table.posted(where))[-1].buttons) == 2
    table.changed = []
    return code


async def test_what_one_refuses_is_over_in_all_places_that_were_asked(table: Table) -> None:
    code = await asked_twice(table)
    await table.press(f"decline:{code}", BEN, THERE)
    for where in (HERE, THERE, BAIT):
        await table.posted(where)
    words = [reply.format_text() for about, reply in table.changed if about == "link"]
    assert words == ["Ben refuses: The link that was requested"] * 2


async def test_what_nobody_answered_has_expired_in_all_places_that_were_asked(table: Table) -> None:
    await asked_twice(table)
    table.now += 24 * 3600 + 1
    await table.app.due_work.look()
    for where in (HERE, THERE, BAIT):
        await table.posted(where)
    words = [reply.format_text() for about, reply in table.changed if about == "link"]
    assert words == ["Expired after 24 hours: The link that was requested"] * 2


async def test_a_request_that_was_refused_does_not_expire(table: Table) -> None:
    await table.link()
    await table.run("/game settings master=Anna")
    code = await table.code(Person("discord:1", "Anna"))
    await table.run(f"/game link {code}", VERA, BAIT)
    await table.press(f"decline:{code}", ANNA, HERE)
    table.now += 25 * 3600
    await table.app.due_work.look()
    for where in (HERE, THERE, BAIT):
        await table.posted(where)
    assert "Anna refuses: The link that was requested" in [
        reply.format_text() for _, reply in table.changed
    ]
    assert not any("Expired" in reply.format_text() for _, reply in table.changed)


async def test_two_who_agree_at_the_same_moment_both_count(table: Table) -> None:
    await table.link()
    await table.run("/game settings master=Anna")
    code = await table.code(Person("discord:1", "Anna"))
    await table.run(f"/game link {code}", VERA, BAIT)
    agreed = await asyncio.gather(
        table.press(f"agree:{code}", BEN, THERE), table.press(f"agree:{code}", ANNA, HERE)
    )
    assert not any(reply.error for reply in agreed)
    assert len(await table.places(BAIT)) == 3


async def test_a_code_opens_no_game_that_began_after_it(table: Table) -> None:
    """Whoever asks for a code where nothing is played has no right to what others begin there."""
    code = await table.code(BEN, ELSEWHERE)
    await table.run("/roll 2d6", Person("slack:T1/U2", "Cora"), ELSEWHERE)
    assert (
        await table.run(f"/game link {code}", BEN, Place("slack:T2/C9", "slack:T2"))
    ).code == "game-changed"


async def test_a_code_for_one_game_brings_no_other(table: Table) -> None:
    """Ben lets his game be linked and deletes it; the code now would bring Anna's game to him."""
    await table.run("/roll 2d6", BEN, THERE)
    code = await table.code(BEN, THERE)
    await table.run("/game delete confirm", BEN, THERE)
    refused = await table.run(f"/game link {code}")
    assert refused.error
    assert await table.places(HERE) == (HERE.key,)


async def test_what_was_agreed_to_does_not_grow_behind_ones_back(table: Table) -> None:
    """While Vera thinks about it, Anna's game is linked with another channel too."""
    code = await table.code()
    await table.run(f"/game link {code}", MALLORY, BAIT)
    await table.link()
    assert (await table.press(f"agree:{code}", VERA, BAIT)).code == "game-changed"
    assert await table.places(BAIT) == ()


async def test_a_game_that_began_meanwhile_is_not_displaced(table: Table) -> None:
    code = await table.code()
    await table.run(f"/game link {code}", MALLORY, BAIT)
    await table.run("/roll 2d6", CORA, BAIT)
    refused = await table.press(f"agree:{code}", VERA, BAIT)
    assert "has started" in refused.format_text()
    assert await table.places(BAIT) == (BAIT.key,)


async def test_ones_own_conversation_with_the_bot_is_ones_own(table: Table) -> None:
    own = Place("slack:T1/D7", "slack:T1", owner=DORA.key)
    linked = await table.run(f"/game link {await table.code()}", DORA, own)
    assert linked.title == "The channels are linked"
    await table.run("/game link off", DORA, own)
    between_two = Place("slack:T1/D8", "slack:T1")
    asked = await table.run(f"/game link {await table.code()}", DORA, between_two)
    assert asked.title == "Link requested", "somebody else reads and rolls here too"


async def test_a_linked_game_neither_moves_nor_is_replaced_by_an_imported_one(table: Table) -> None:
    """Nobody over there agreed to the channel, or the game, that would come."""
    await table.link()
    assert "also played in other channels" in (await table.run("/game transfer 10")).title
    await table.run("/game end confirm")
    refused = await table.run("/game import file=x")
    assert "linked" in refused.title


async def test_when_the_bot_comes_back_linked_channels_are_told(table: Table) -> None:
    """Who added it again may not know what others agreed to before it was removed."""
    await table.link()
    await table.told(THERE)
    assert await table.told(HERE) != []
    await remind_linked_channels(table.app.store, "slack:T1")
    assert await table.told(THERE) == [], "it never was away"
    await table.app.store.mark_server_left("slack:T1")
    await remind_linked_channels(table.app.store, "slack:T1")
    assert await table.told(THERE) == [
        "This channel is linked with #war-room (a server on Discord)"
    ]
    assert await table.told(HERE) == []


async def test_a_channel_that_was_linked_when_nobody_was_asked_is_told_once(table: Table) -> None:
    """The first release linked channels without a word to their managers."""
    (row,) = await table.app.store.list_games()
    await table.app.store.commit(Commit(bindings=[Binding(BAIT.key, row, None, BAIT.server)]))
    for _ in range(2):
        await remind_linked_channels(table.app.store, BAIT.server)
    (told,) = await table.posted(BAIT)
    assert told.title == "This channel is linked with another server on Discord"
    assert "/game link off" in told.format_text()


async def test_a_channel_that_is_asked_for_learns_no_names_of_channels_behind_the_other(
    table: Table,
) -> None:
    secret = Place("discord:5/11", "discord:5", "#secret-plans")
    await table.link(secret, ANNA)
    code = await table.code(ANNA, HERE)
    asked = await table.run(f"/game link {code}", DORA, THERE)
    assert asked.announce is not None
    assert "secret" not in asked.format_text() + asked.announce.format_text()


async def test_setup_does_not_list_private_conversations(table: Table) -> None:
    own = Place("slack:T1/D7", "slack:T1", owner=DORA.key)
    await table.run(f"/game link {await table.code()}", DORA, own)
    assert (await table.run("/setup links", BEN, THERE)).lines == ("No channels here are linked.",)
    assert (await table.run("/setup links D7", BEN, THERE)).code == "unknown-channel"


async def test_who_left_hears_nothing_more_even_from_a_game_kept_in_memory(table: Table) -> None:
    """Another process ends the link: this one goes by what the store says, not by what it
    remembers.
    """
    await table.link()
    await table.run("/roll 2d6")
    other = App(table.app.store, lambda: table.now)
    ended = await other.run_text("/setup links C1", BEN, ELSEWHERE, "x1")
    assert not ended.error, ended.format_text()
    await table.told(THERE)
    await table.run("/roll 2d6")
    assert await table.told(THERE) == []


async def test_nobody_floods_a_channel_where_they_are_no_member_with_requests(table: Table) -> None:
    """Free play in two linked channels: a member of one may ask for a third, and take it back,
    but not for ever.
    """
    await table.run("/roll 2d6", where=BAIT, who=VERA)
    await table.run(f"/game link {await table.code(VERA, BAIT)}", BEN, THERE)
    await table.posted(THERE)
    mine = Place("discord:66/1", "discord:66", "#mine")
    for _ in range(MOST_ASKED + 5):
        code = await table.code(MALLORY, BAIT)
        last = await table.run(f"/game link {code}", MALLORY, mine)
        await table.press(f"decline:{code}", MALLORY, mine)
    assert "link requests within a day" in last.format_text()
    assert len(await table.posted(THERE)) <= 2 * MOST_ASKED
    table.now += 25 * 3600
    last = await table.run(f"/game link {await table.code(MALLORY, BAIT)}", MALLORY, mine)
    assert last.title == "Link requested"


async def test_whoever_holds_cards_is_asked_where_they_play_before_the_end_opens_hands(
    table: Table,
) -> None:
    await table.link()
    await table.run("/game join VC", BEN, THERE)
    await table.run('/deck make "1..9" cup')
    await table.run("/deck deal 2")
    await table.posted(THERE)
    asked = await table.run("/game end confirm")
    assert asked.announce is not None
    (there,) = await table.posted(THERE)
    assert there.title == "Anna asks to end the game and open all hands"
    assert [button.label for button in there.buttons] == ["Show my hand"]
    assert not (await table.press(there.buttons[0].action, BEN, THERE)).error
    assert not (await table.run("/game end confirm")).error
