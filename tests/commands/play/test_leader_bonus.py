"""A leader among those who fire lends their modifier by itself; typed, it counts as typed."""

from __future__ import annotations

from bot.rules.sequence.sequence import Line
from bot.ui.reply.reply import Reply
from tests.playing import Channel, two_sides

SHOT = 'lnlt fire attackers="Squad 1; Lt Hill" targets="Cell 1" tm=1'


def attack(reply: Reply) -> Line:
    """The line of the attack die."""
    return next(part for part in reply.lines if isinstance(part, Line) and part.total is not None)


async def test_the_listed_leader_lends_the_modifier_by_name() -> None:
    """Lt Hill lends 1 in whichever place of the list; the log holds lm=1, so that it can be
    played again.
    """
    channel = await Channel.fresh()
    await two_sides(channel)
    for attackers in ("Squad 1; Lt Hill", "Lt Hill; Squad 1"):
        reply = await channel.do(
            "Anna", f'lnlt fire attackers="{attackers}" targets="Cell 1" tm=1 hand=1,6'
        )
        assert ("Lt Hill", 1) in attack(reply).parts
    event = (await channel.app.store.load_events((await row(channel)), newest_first=True))[0].data
    assert event["inputs"]["lm"] == 1
    assert event["out"]["attack_mod"] == 1


async def row(channel: Channel) -> str:
    """The game's id in the store."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    return loaded.row


async def test_it_can_be_switched_off_or_typed() -> None:
    """lm=0 fires without, lm=2 counts as typed; a leader alone leads nobody, a shaken one does
    not either.
    """
    channel = await Channel.fresh()
    await two_sides(channel)
    assert all(
        name != "Lt Hill"
        for name, _ in attack(await channel.do("Anna", f"{SHOT} lm=0 hand=1,6")).parts
    )
    assert ("leader", 2) in attack(await channel.do("Anna", f"{SHOT} lm=2 hand=1,6")).parts
    alone = await channel.do(
        "Anna", 'lnlt fire attackers="Lt Hill sw=3" targets="Cell 1" tm=1 hand=1,6'
    )
    assert all(value != 1 for _, value in attack(alone).parts)
    await channel.do("Anna", 'unit edit "Lt Hill" state=shaken')
    await channel.refused("Anna", f"{SHOT} hand=1,6", "unit-unfit")


async def test_the_odds_count_it_and_roll_the_same() -> None:
    """The odds with the leader are those with lm=1 typed."""
    channel = await Channel.fresh()
    await two_sides(channel)
    lent = await channel.do("Anna", f"{SHOT} odds")
    typed = await channel.do("Anna", f"{SHOT} lm=1 odds")
    without = await channel.do("Anna", f"{SHOT} lm=0 odds")
    assert lent.title == typed.title != without.title


async def test_with_other_firers_it_is_no_longer_lent() -> None:
    """What was lent is not in the form of *Change...*, nor in the next form; what was typed is."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", f"{SHOT} hand=1,6")
    number, anna = (await channel.game()).number, channel.who("Anna")
    draft = await channel.app.forms.open_draft(
        f"event:{await row(channel)}:{number}", anna, channel.place
    )
    assert draft.options == {"attackers": "Squad 1; Lt Hill", "targets": "Cell 1", "tm": "1"}
    anew = await channel.app.forms.open_draft("lnlt fire", anna, channel.place)
    assert "lm" not in anew.options
    await channel.do("Anna", f"{SHOT} lm=2 hand=1,6")
    second = (await channel.game()).number
    draft = await channel.app.forms.open_draft(
        f"event:{await row(channel)}:{second}", anna, channel.place
    )
    assert draft.options["lm"] == "2"
    # last: its dice are real, and may kill
    again = await channel.press("Anna", await channel.under(number, "again"))
    assert ("Lt Hill", 1) in attack(again).parts


async def test_a_leader_spots_better() -> None:
    """Who spots brings their own modifier; several spot one by one with what is typed."""
    channel = await Channel.fresh()
    await two_sides(channel)
    reply = await channel.do(
        "Anna", 'lnlt spot terrain=degrading degrading=1 unit="Lt Hill" hand=3'
    )
    assert ("Lt Hill", -1) in [
        part for line in reply.lines if isinstance(line, Line) for part in line.parts
    ]
