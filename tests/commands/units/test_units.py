"""`/unit`, `/log`, `/again`, `/fair`, `/privacy`."""

from __future__ import annotations

import json

import pytest

from bot.rulesets.catalog import load_shared_systems
from tests.playing import Channel, two_sides


async def test_a_numbered_row_of_units_with_handles() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    units = (await channel.game()).units
    assert [unit.handle for unit in units.values() if unit.side == "US"] == ["us1", "us2", "us3"]
    assert units["cell 2"].numbers == {"morale": 4, "fp": 1}
    added = await channel.do("Anna", 'unit add "Fox 08..10" squad US')
    assert added.format_body() == ["Fox 8-10 (us4..us6): squad"]
    assert {"fox 08", "fox 09", "fox 10"} <= set((await channel.game()).units)


@pytest.mark.parametrize("name", ["3x Fox", "Fox ×3", "3 × Fox", "Fox*3", "Fox 1..3"])
async def test_a_count_in_a_name_adds_so_many_units(name: str) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", f'unit add "{name}" squad US')
    assert {"fox 1", "fox 2", "fox 3"} <= set((await channel.game()).units)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ('unit add "Squad 1" squad', "name-taken Squad 1"),
        ('unit add "SQUAD 1" squad', "name-taken Squad 1"),
        ("unit add squad squad", "bad-name unit type"),
        ("unit add us1 squad", "name-taken handle"),
        ('unit add "a;b" squad', "bad-name must not contain"),
        (f'unit add "{"x" * 33}" squad', "bad-name 1 to 32"),
        ("unit add 7 squad", "bad-name number"),
        ('unit add "X 1..99" squad', "bad-value name"),
        ("unit add X squid", "unknown-type squid"),
        ('unit add X squad stats="morale=99"', "bad-value morale"),
        ('unit add X squad stats="courage=3"', "unknown-attribute courage"),
        ("unit add X squad side=Japan", "unknown-side Japan"),
        ("unit edit X state=shaken", "unknown-unit X"),
        ("unit edit us1 state=sleepy", "bad-value state"),
        ("unit edit us1 marker=+sleepy", "unknown-marker sleepy"),
        ("unit edit us1 us2 shaken", "unknown-marker another unit"),
        ("unit show Nobody", "unknown-unit Nobody"),
    ],
)
async def test_units_that_cannot_be(line: str, part: str) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    before = await channel.content()
    await channel.refused("Anna", line, part)
    assert await channel.content() == before


async def test_a_name_with_an_apostrophe() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", 'unit add "O\'Brien" leader US morale=6', 'lnlt morale-check units="O\'Brien; us1"'
    )


async def test_editing_by_hand() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "unit edit us1 state=shaken marker=+moved,fired morale=4 fp=none")
    unit = (await channel.game()).units["squad 1"]
    assert (unit.state, unit.marks, unit.numbers) == (
        "shaken",
        frozenset({"moved", "fired"}),
        {"morale": 4},
    )
    await channel.do("Anna", "unit edit us1 marker=-moved sw=3,2")
    unit = (await channel.game()).units["squad 1"]
    assert (unit.marks, unit.numbers["sw"]) == (frozenset({"fired"}), (3, 2))
    await channel.do("Anna", "unit edit us1 side=VC")
    assert (await channel.game()).units["squad 1"].handle == "vc4"
    await channel.do("Anna", "unit remove vc4")
    assert "squad 1" not in (await channel.game()).units


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("name,type\\nFox 1,squad\\nFox 2,squid", "unknown-type Line 3, column 2 (type)"),
        ("name,type,morale\\nFox 1,squad,55", "bad-value Line 2, column 3 (morale)"),
        ("name,type\\nFox 1,squad\\nFox 1,squad", "name-taken Line 3, column 1 (name)"),
        ("name,type\\nFox 1,squad,7", "bad-roster Line 2, column 3"),
        ("name,side\\nFox 1,US", "missing Line 1: the heading type"),
        ("name,type,name\\nFox 1,squad,x", "given-twice Line 1, column 3"),
        ("name,type\\n", "missing"),
        ("- {name: Fox 1, type: squid}", "unknown-type Line 1, column"),
        ("- {name: Fox 1}", "missing Line 1: type"),
        ("- [a", "bad-roster Line"),
        ("- &a {name: x, type: squad}\\n- *a", "bad-roster aliases"),
        ("- [[[[[[[[[[[[a", "bad-roster too deep"),
        (",".join(f"c{number}" for number in range(60)), "too-many columns"),
        ('name,type\\n"Fox,squad', "bad-roster Line 2"),
    ],
)
async def test_a_roster_with_a_fault_adds_nothing(text: str, part: str) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    before = await channel.content()
    reply = await channel.refused("Anna", f"unit import text='{text}'", part)
    assert "Nothing was added" in reply.format_text() or "roster is empty" in reply.format_text()
    assert await channel.content() == before


async def test_a_whole_roster_from_csv_and_yaml() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna",
        "unit import text='name;type;side;morale;state\\nFox 1..2;squad;US;5;\\nDoc;medic;;6;shaken'",
    )
    game = await channel.game()
    assert game.units["fox 2"].numbers == {"morale": 5}
    assert (game.units["doc"].side, game.units["doc"].state) == ("US", "shaken"), (
        "his own side by default"
    )
    await channel.do(
        "Anna", "unit import text='- {name: Ace, type: hero, sw: [3, 2], markers: [moved]}'"
    )
    unit = (await channel.game()).units["ace"]
    assert (unit.numbers, unit.marks) == ({"sw": (3, 2)}, frozenset({"moved"}))


async def test_free_play_learns_its_system() -> None:
    channel = await Channel.fresh()
    await channel.refused("Anna", 'unit add "Squad 1" squad', "no-system type")
    await channel.do("Anna", 'lnlt fire attackers="squad fp=2" targets="squad morale=5"')
    await channel.do("Anna", 'unit add "Squad 1" squad stats="morale=5"')
    await channel.do("Anna", 'lnlt morale-check units="Squad 1"')


async def test_the_log_by_pages_and_filters() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna",
        "roll d6 label=first",
        "lnlt fire attackers=us1 targets=vc1",
        "unit edit us2 state=shaken",
    )
    await channel.do("Bob", "game next", "roll d20 secret label=hidden")
    log = await channel.do("Carl", "log 3")
    assert log.private
    assert len([line for line in log.format_body() if line.startswith("#")]) == 3
    assert [button.label for button in log.buttons] == ["Older", "Share"]
    older = await channel.press("Carl", log.buttons[0].action)
    assert "page 2" in older.title
    everything = await channel.do("Carl", "log 200")
    assert "first" in everything.format_text()
    assert "hidden" not in everything.format_text()
    assert "Cell 1" in (await channel.do("Carl", "log unit=vc1 kind=sequence")).format_text()
    assert "edited" in (await channel.do("Carl", "log kind=unit count=1")).format_text()
    assert all("(VC)" in line for line in (await channel.do("Carl", "log side=VC")).format_body())


async def test_the_next_page_is_asked_for_with_the_same_filters() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", *("unit edit us1 shaken", "unit edit us1 good-order") * 2)
    page = await channel.do("Anna", 'log 2 unit="Squad 1" kind=unit side=US')
    assert str(page.lines[-1]) == 'More: /log 2 page=2 kind=unit side=US unit="Squad 1"'
    second = await channel.do("Anna", str(page.lines[-1]).removeprefix("More: "))
    assert [str(line).split(" ", 1)[1] for line in second.lines[:2]] == [
        "Anna (US): Squad 1 edited"
    ] * 2
    await channel.app.close()


async def test_undone_events_are_marked_in_the_log() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "roll d6", "game undo")
    assert "(undone)" in (await channel.do("Anna", "log")).format_text()
    await channel.do("Anna", "game redo")
    assert "(undone)" not in (await channel.do("Anna", "log")).format_text()


async def test_again_repeats_the_last_roll_with_its_label_and_skips_sealed_ones() -> None:
    channel = await Channel.fresh()
    await channel.refused("Anna", "again", "no-game")
    await channel.do("Anna", "roll 3d6+1 label=rally", "roll d20 secret")
    again = await channel.do("Bob", "again")
    assert again.first_line.endswith(" for rally · Bob rolls 3d6+1")
    await channel.do("Anna", 'lnlt fire attackers="squad fp=4" targets="squad morale=5"')
    assert (await channel.do("Anna", "again")).by.endswith("a squad fires")


async def test_odds_and_then_just_this_roll_once() -> None:
    channel = await Channel.fresh()
    odds = await channel.do(
        "Anna", 'lnlt fire attackers="squad fp=4" targets="squad morale=5" odds'
    )
    button, change, *_ = odds.buttons
    assert change.label == "Change…"
    assert (await channel.press("Bob", button.action)).error
    rolled = await channel.press("Anna", button.action)
    assert rolled.by == "a squad fires"
    used = await channel.press("Anna", button.action)
    assert used.title == f"Already done: {rolled.first_line}"
    assert used.private
    assert (await channel.press("Bob", button.action)).error, (
        "what it brought is told to who pressed it alone"
    )
    await channel.press("Anna", f"odds:{(await channel.game()).number}")


async def test_texts_in_the_dice_only_before_the_first_one() -> None:
    channel = await Channel.fresh()
    await channel.do("Bob", 'fair add "one"')
    await channel.do("Anna", 'fair add "two"')
    game = await channel.game()
    await channel.do("Bob", "roll d6")
    assert (await channel.game()).digest == game.digest
    await channel.refused("Bob", "fair add late", "texts-closed")
    shown = await channel.do("Anna", "fair show")
    assert "'one', 'two'" in shown.format_text()
    revealed = await channel.do("Anna", "fair reveal")
    assert game.commitment in revealed.format_text()
    await channel.do("Bob", "fair add now")
    assert "revealed in" in (await channel.do("Anna", "fair show")).format_text()


async def test_privacy_shows_exports_and_deletes() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Bob", "roll d6 label=mine", "roll d6 secret")
    number = (await channel.game()).number
    assert "games: 1" in (await channel.do("Bob", "privacy show")).format_text()
    data = json.loads((await channel.do("Bob", "privacy export")).files[0].text)
    assert any(text["text"] == "mine" for text in data["texts"])
    assert "Delete" in (await channel.do("Bob", "privacy delete")).buttons[0].label
    await channel.do("Bob", "privacy delete confirm")
    log = (await channel.do("Anna", "log 50")).format_text()
    assert "Bob" not in log
    assert "mine" not in log
    assert "Bob" not in (await channel.do("Anna", "game export")).files[0].text
    assert "VC: no player yet" in (await channel.do("Anna", "game status")).format_text()
    opened = await channel.do("Anna", f"game reveal {number}")
    assert "deleted" in opened.format_text(), (
        "what nobody can open any more must not block the seed for ever"
    )
    await channel.do("Anna", "fair reveal")


async def test_free_play_without_units_goes_along_with_its_players() -> None:
    channel = await Channel.fresh()
    await channel.do("Bob", "baps leader-points rating=1")
    await channel.do("Anna", 'lnlt fire attackers="squad fp=2" targets="squad morale=5"')
    assert (await channel.game()).system == "lnlt"
    await channel.do("Bob", "baps leader-points rating=1", 'unit add Jim scout stats="morale=5"')
    assert (await channel.game()).system == "lnlt", "the only one that knows scouts"
    await channel.do("Bob", "baps leader-points rating=1")
    assert (await channel.game()).system == "lnlt", "there are units now"


async def test_units_alike_are_removed_in_one_line_as_they_were_added() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt Hill sides=US,VC")
    added = await channel.do("Anna", 'unit add "Fox 1..40" squad US morale=5')
    removed = await channel.do("Anna", 'unit remove "Fox 1..40"')
    assert removed.format_body() == added.format_body() == ["Fox 1-40 (us1..us40): squad, morale 5"]


@pytest.mark.parametrize("game", list(load_shared_systems()))
async def test_an_empty_roster_says_how_to_add_a_unit_of_a_side(game: str) -> None:
    """As it is printed, also by somebody who has joined no side."""
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start {game} "Evening" sides="US Army, VC"')
    for name, side in (("Anna", "US Army"), ("Ben", "VC")):
        if name == "Ben":
            await channel.do(name, "game join VC")
        (line,) = [
            line
            for line in (await channel.do(name, "unit list")).format_body()
            if line.startswith("Add some: ")
        ]
        await channel.do(name, line.removeprefix("Add some: ").strip("`"))
        (unit,) = (await channel.game()).units.values()
        assert unit.side == side
        await channel.undo(name)
    await channel.app.close()


async def test_a_unit_of_nobody_is_given_to_a_side_by_its_players() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Evening" sides="US, VC"', 'unit add "Squad 1" squad')
    await channel.do("Bob", "game join US")
    await channel.do("Ben", "game join VC")
    refused = await channel.refused("Ben", "unit edit u1 side=US", "not-yours Squad 1")
    assert "Only a player of US or the game master can give Squad 1 to US" in refused.format_text()
    await channel.do("Bob", "unit edit u1 side=US")
