"""Closed hands: dealt, drawn, played, given, put back, opened at the end; what each event says,
and that it holds.
"""

from __future__ import annotations

import json
import re

from bot.game.loaded_game import SNAPSHOT_EVERY
from bot.ui.spec import Command, Place, build_own_place
from bot.verification.check_file import check
from bot.verification.check_games import audit_games
from tests.commands.hands_helpers import (
    end,
    last_event,
    own,
    sound,
    stood_in_for_a_hand,
    table,
)
from tests.forging import rechained
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tools import verify_log


async def test_a_dealt_hand_is_seen_by_its_side_alone() -> None:
    channel = await table()
    reply = await channel.do("Anna", "deck deal 3")
    assert reply.title == "Anna deals 3 cards each to US and VC"
    us, vc = await own(channel, "Anna"), await own(channel, "Bob")
    assert len(us) == len(vc) == 3
    told = [f"Still closed: 3 closed cards of cup in {side}'s hand." for side in ("US", "VC")]
    log = await sound(channel, closed=True)
    assert list(check(log).remarks) == told
    assert not set(us) & set(vc)
    assert not await own(channel, "Carl")
    await sound(channel, closed=True)
    await end(channel)


async def test_a_closed_draw_tells_all_how_many_and_its_drawer_which() -> None:
    channel = await table()
    reply = await channel.do("Anna", "deck draw cup 2 me")
    assert reply.private
    assert reply.announce is not None
    assert reply.announce.title == "Anna draws 2 cards into US's hand"
    assert reply.title == f"You draw {', '.join(await own(channel, 'Anna'))}"
    body = (await sound(channel, closed=True))["events"][-1]["body"]
    assert body["result"] == "cup: 2 closed"
    assert body["closed"] == [30, 29]
    assert "dice" not in body
    await end(channel)


async def test_an_open_draw_keeps_its_die_closed_while_a_hand_is() -> None:
    channel = await table()
    await channel.do("Anna", "deck draw cup 2 me")
    await channel.do("Bob", "deck draw cup 2")
    body = (await sound(channel, closed=True))["events"][-1]["body"]
    assert body["closed"] == [28, 27]
    assert "dice" not in body
    assert {*body["texts"]} == {"face.1", "face.2"}
    await channel.do("Anna", "deck play all")
    assert not await own(channel, "Anna")
    await channel.do("Bob", "deck draw cup")  # what was drawn before is still closed
    assert "closed" in (await sound(channel, closed=True))["events"][-1]["body"]
    await channel.do("Anna", "fair reveal")  # no hand has any card, so it opens what was closed
    await channel.do("Bob", "deck draw cup")
    body = (await sound(channel))["events"][-1]["body"]
    assert "dice" in body


async def test_a_card_is_played_by_name_and_its_draw_stays_closed() -> None:
    channel = await table()
    await channel.do("Anna", "deck draw cup 3 me")
    cards = await own(channel, "Anna")
    reply = await channel.do("Anna", f"deck play {cards[1]}")
    assert reply.title == f"Anna plays {cards[1]}"
    body = (await sound(channel, closed=True))["events"][-1]["body"]
    assert body["result"] == f"cup: {cards[1]}"
    assert f"{body['number'] - 1}.2" not in json.dumps(body)
    await channel.refused("Anna", f"deck play {cards[1]}", "unknown-card")
    await channel.fails("Bob", f"deck play {cards[0]}", "You have no cards of cup")
    assert await own(channel, "Anna") == [cards[0], cards[2]]
    await channel.do("Anna", f"deck discard {cards[0]}", f"deck return {cards[2]}")
    assert not await own(channel, "Anna")
    assert (await sound(channel, closed=True))["events"][-1]["body"]["result"] == "cup: 1 closed"
    await end(channel)


async def test_a_card_is_given_closed_and_sealed_anew() -> None:
    channel = await table()
    await channel.do("Anna", "deck draw cup 2 me")
    cards = await own(channel, "Anna")
    reply = await channel.do("Anna", f"deck give {cards[0]} VC")
    assert reply.private
    assert reply.announce is not None
    assert cards[0] not in reply.announce.title.replace("1 hidden card", "")
    assert await own(channel, "Bob") == [cards[0]]
    assert await own(channel, "Anna") == [cards[1]]
    await sound(channel, closed=True)
    await channel.do("Bob", f"deck play {cards[0]}")
    await end(channel)


async def test_of_several_copies_the_oldest_is_played() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'deck make "1 x4, 2 x4" cup', "deck draw cup 5 me", 'deck play "1, 2"')
    await channel.do("Anna", "deck play all")
    await end(channel)


async def test_an_undone_closed_draw_counts_as_back_and_stays_closed() -> None:
    channel = await table()
    await channel.do("Anna", "deck draw cup 2 me")
    assert "must agree" in (await channel.do("Anna", "game undo")).format_text()
    await channel.do("Bob", "game undo")
    assert not await own(channel, "Anna")
    await channel.do("Anna", "deck draw cup 29 me")
    await channel.do("Bob", "deck draw cup to=me")
    await sound(channel, closed=True)
    await end(channel)


async def test_undo_of_a_play_needs_consent_though_no_die_fell() -> None:
    channel = await table()
    await channel.do("Anna", "deck draw cup 2 me")
    cards = await own(channel, "Anna")
    await channel.do("Anna", f"deck play {cards[0]}")
    asked = await channel.do("Anna", "game undo")
    assert "A card from a hand was seen" in asked.format_text()
    await channel.do("Bob", "game undo")
    assert await own(channel, "Anna") == cards
    await channel.do("Anna", "game redo")
    await channel.do("Bob", "game redo")
    assert await own(channel, "Anna") == cards[1:]
    await end(channel)


async def test_a_seed_is_not_revealed_while_a_hand_is_closed() -> None:
    channel = await table()
    await channel.do("Anna", "deck draw cup 2 me")
    await channel.fails("Anna", "fair reveal", "hidden (US's hand)")
    await channel.do("Anna", "deck play all", "fair reveal")
    await sound(channel)


async def test_the_end_needs_a_yes_from_each_side_that_holds_cards_and_opens_all() -> None:
    channel = await table()
    await channel.do("Anna", "deck deal 2")
    us, vc = await own(channel, "Anna"), await own(channel, "Bob")
    reply = await channel.do("Anna", "game end confirm")
    assert reply.announce is not None
    assert "to show VC's hand." in reply.announce.format_text()
    assert not (await channel.game()).ended
    await channel.do("Bob", "hand agree")
    story = (await channel.do("Anna", "game end confirm")).announce
    assert story is not None
    assert ", ".join(us) in story.format_text()
    assert ", ".join(vc) in story.format_text()
    log = await sound(channel)
    body = next(event["body"] for event in log["events"] if event["body"]["kind"] == "end")
    assert "result" not in body
    assert body["shows"] == 9
    await channel.do("Anna", "game resume", f"deck play {us[0]}")
    assert "(known to all)" in (await channel.do("Bob", "hand")).format_text()
    await channel.do("Anna", "deck draw cup 2 me")
    await sound(channel)
    await end(channel)


async def test_who_leaves_puts_their_hand_back() -> None:
    channel = await table()
    await channel.do("Anna", "deck deal 2")
    assert "back into the pile" in (await channel.do("Bob", "game leave")).format_text()
    assert "28 of 30" in (await channel.do("Anna", "deck show")).format_text()
    await channel.do("Bob", "game join VC")
    assert not await own(channel, "Bob")
    await channel.do("Bob", "deck draw cup to=me", "privacy delete confirm")
    await channel.do("Anna", "deck draw cup 28 me")
    await sound(channel, closed=True)
    await end(channel)


async def test_an_import_puts_hands_back() -> None:
    channel = await table()
    await channel.do("Anna", "deck deal 2", "deck play all", "deck draw cup to=me")
    file = json.dumps(await sound(channel, closed=True))
    there = Channel(await fresh_app(), Place("console:there", "console"))
    command = Command(("game", "import"), {"file": file}, there.who("Anna"), there.place, "import")
    reply = await there.app.run(command)
    assert not reply.error, reply.format_text()
    assert "3 cards from hands went back into the pile" in reply.format_text()
    await there.do("Anna", "game join US", "deck draw cup 28")
    await sound(there, closed=True)
    await there.do("Anna", "fair reveal")
    await sound(there)


async def test_a_hand_without_sides_is_a_persons() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "deck draw standard-52 3 me")
    await channel.do("Bob", "deck draw standard-52 2 me")
    assert (
        "3 in Anna's hand, 2 in Bob's hand" in (await channel.do("Carl", "deck show")).format_text()
    )
    await channel.fails("Carl", "deck play KS", "")
    given = await channel.do("Anna", "deck give all Bob")
    assert given.announce is not None
    assert "3 hidden cards into Bob's hand" in given.announce.title
    await sound(channel, closed=True)


async def test_a_large_hand_has_pages() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "deck draw standard-52 30 me")
    first = await channel.do("Anna", "hand")
    assert [len(menu.entries) for menu in first.menus] == [25, 25]
    more = next(button for button in first.buttons if button.label == "More")
    second = await channel.press("Anna", more.action)
    assert [len(menu.entries) for menu in second.menus] == [5, 5]
    played = await channel.press("Anna", second.menus[0].entries[0].action)
    assert played.announce is not None
    assert played.announce.title == f"Anna plays {second.menus[0].entries[0].label}"
    assert (played.title, played.in_place) == ("Your hand", True)
    assert [entry.label for entry in played.menus[0].entries] == [
        entry.label for entry in second.menus[0].entries[1:]
    ]
    stranger = await channel.press("Bob", second.menus[0].entries[1].action)
    assert stranger.announce is None
    assert stranger.title == "That card is no longer in your hand."
    game = await channel.game()
    assert sum(count for key, count in game.cards.items() if "/play/" in key) == 1


async def test_a_deck_in_hands_is_not_declared_anew() -> None:
    channel = await table()
    await channel.do("Anna", "deck draw cup to=me")
    await channel.refused("Bob", 'deck make "1..3" cup', "name-taken")


async def test_hands_are_the_same_after_a_restart_and_a_snapshot() -> None:
    channel = await table()
    await channel.do("Anna", "deck deal 3")
    us, vc = await own(channel, "Anna"), await own(channel, "Bob")
    await channel.do("Anna", *["roll d6"] * (SNAPSHOT_EVERY + 5))
    channel.app.games.clear()
    assert (await own(channel, "Anna"), await own(channel, "Bob")) == (us, vc)
    await channel.do("Anna", f"deck play {us[0]}")
    channel.app.games.clear()
    assert await own(channel, "Anna") == us[1:]
    await channel.do("Bob", "deck draw cup 23")
    await sound(channel, closed=True)
    await end(channel)


async def test_the_doctor_finds_games_with_closed_hands_sound_and_names_no_card() -> None:
    channel = await table()
    await channel.do("Anna", "deck deal 3", "deck play all", "deck draw cup 2")
    assert await audit_games(channel.app.store) == (1, [])
    await end(channel)
    assert await audit_games(channel.app.store) == (1, [])


async def test_who_takes_the_seat_takes_the_hand() -> None:
    """Two play a side: one goes, the hand stays; a third who joins sees it."""
    channel = await table()
    await channel.do("Zoe", "game join VC")
    await channel.do("Anna", "deck deal 2")
    cards = await own(channel, "Bob")
    assert await own(channel, "Zoe") == cards
    await channel.do("Bob", "game leave")
    assert not await own(channel, "Bob")
    await channel.do("Carl", "game join VC")
    assert await own(channel, "Carl") == await own(channel, "Zoe") == cards
    await channel.do("Carl", f"deck play {cards[0]}")
    await sound(channel, closed=True)


async def test_a_master_without_a_side_holds_a_hand_of_their_own_until_they_join() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start lnlt Cards sides="US, VC"', 'deck make "1..9" cup', "deck draw cup 2 me"
    )
    assert len(await own(channel, "Anna")) == 2
    await channel.do("Anna", "game join US")
    assert not await own(channel, "Anna")
    assert "9 of 9 in the pile" in (await channel.do("Anna", "deck show")).format_text()
    await channel.do("Anna", "fair reveal")
    await sound(channel)


async def test_a_draw_whose_hand_went_back_is_not_taken_back_and_says_so() -> None:
    channel = await table()
    await channel.do("Bob", "deck draw cup 2 me")
    number = (await channel.game()).last
    await channel.do("Bob", "game leave")
    refused = await channel.press("Anna", await channel.under(number, "undo"))
    assert refused.error
    assert "has changed the cards of cup since" in refused.format_text()
    await sound(channel, closed=True)


async def ends(channel: Channel, name: str) -> dict[str, str]:
    """What somebody is shown of the known ends of piles."""
    reply = await channel.do(name, "hand")
    labels = ((str(getattr(part, "label", "")), part) for part in reply.lines)
    return {
        label: str(getattr(part, "text", ""))
        for label, part in labels
        if label.startswith(("On top of ", "At the bottom of "))
    }


async def test_a_peek_shows_what_is_drawn_next_to_who_looks_alone() -> None:
    channel = await table()
    peeked = await channel.do("Anna", "deck peek 3")
    assert peeked.private
    assert peeked.announce is not None
    assert peeked.announce.title == "Anna looks at the next 3 cards of cup"
    assert "30 of 30 in the pile, 3 of them known on top" in str(peeked.announce.lines)
    seen = peeked.title.removeprefix("On top of cup: ").split(", ")
    held = await channel.do("Anna", "hand")
    assert held.title == "Your hand is empty"
    assert "Play by name" not in held.format_text(), "there is nothing to play"
    assert len(seen) == 3
    assert (await ends(channel, "Anna")) == {"On top of cup": ", ".join(seen)}
    assert (await ends(channel, "Bob")) == {}
    await sound(channel, closed=True)
    drawn = await channel.do("Bob", "deck draw cup 2")
    assert drawn.title == f"Bob draws {seen[0]}, {seen[1]}"
    body = await last_event(channel)
    assert body["closed"] == []
    more = await channel.do("Bob", "deck draw 2 to=me")
    assert more.title.startswith(f"You draw {seen[2]}, ")
    assert (await last_event(channel))["closed"] == [27]
    assert (await ends(channel, "Anna")) == {}
    await sound(channel, closed=True)
    await end(channel)


async def test_who_looked_at_fewer_knows_fewer() -> None:
    channel = await table()
    await channel.do("Anna", "deck peek")
    both = await channel.do("Bob", "deck peek 2")
    seen = both.title.removeprefix("On top of cup: ").split(", ")
    assert (await ends(channel, "Anna"))["On top of cup"] == f"{seen[0]}, one you have not seen"
    again = await channel.do("Anna", "deck peek 2")
    assert again.title == both.title
    assert (await last_event(channel))["closed"] == []
    await sound(channel, closed=True)
    await end(channel)


async def test_a_shuffle_dissolves_the_known_top() -> None:
    channel = await table()
    await channel.do("Anna", "deck peek 3")
    told = await channel.do("Bob", "deck shuffle cup")
    assert told.title == "Bob shuffles 3 cards whose place was known back into the pile"
    assert (await ends(channel, "Anna")) == {}
    await channel.do("Bob", "deck draw")
    assert (await last_event(channel))["closed"] == [30]
    await end(channel)


async def test_a_card_is_put_on_top_or_at_the_bottom() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'deck make "1..6" cup')
    first = (await channel.do("Anna", "deck draw 2")).title.removeprefix("Anna draws ").split(", ")
    told = await channel.do("Anna", f"deck return {first[1]},{first[0]} place=top")
    assert told.title == f"Anna puts on the top of the pile: {first[1]}, {first[0]}"
    assert (await ends(channel, "Bob")) == {"On top of cup": f"{first[1]}, {first[0]}"}
    assert (await channel.do("Bob", "deck draw 2")).title == f"Bob draws {first[1]}, {first[0]}"
    await channel.do("Bob", "deck return all place=bottom")
    own_card = (await channel.do("Anna", "deck draw to=me")).title.removeprefix("You draw ")
    told = await channel.do("Anna", f"deck return {own_card} place=bottom")
    assert told.title == "Anna puts 1 hidden card at the bottom of the pile"
    assert own_card not in (await ends(channel, "Bob"))["At the bottom of cup"]
    assert (await ends(channel, "Anna"))["At the bottom of cup"].endswith(f", {own_card}")
    await sound(channel, closed=True)
    drawn = (await channel.do("Bob", "deck draw 6")).title.removeprefix("Bob draws ").split(", ")
    assert drawn[3:] == [*sorted(first, key=int), own_card]
    await end(channel)


async def test_a_peek_is_taken_back_only_with_consent_and_a_new_one_has_new_dice() -> None:
    channel = await table()
    await channel.do("Anna", "deck peek 2")
    await channel.do("Anna", "deck peek 2")
    asked = await channel.do("Anna", "game undo")
    assert "undo" in str(asked.to_json()).casefold()
    assert (await last_event(channel))["kind"] == "draw"
    await channel.do("Bob", "game undo")
    assert (await last_event(channel))["kind"] == "undo"
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    assert (await ends(channel, "Anna")) == {}
    await channel.do("Bob", "deck draw")
    await sound(channel)
    await end(channel)


async def test_a_seed_is_not_revealed_while_a_top_is_closed_and_the_end_needs_no_yes_for_it() -> (
    None
):
    channel = await table()
    await channel.do("Anna", "deck peek 2")
    refused = await channel.say("Anna", "fair reveal")
    assert "the top of the pile" in refused.title
    remarks = check(json.loads(await exported_text(channel))).remarks
    assert "Still closed: 2 closed cards of cup at the top of the pile." in remarks
    await channel.do("Anna", "game end confirm")
    assert (await last_event(channel))["kind"] == "end"
    await channel.do("Anna", "fair reveal")
    await sound(channel)


async def test_the_log_lists_decks_by_their_kind() -> None:
    channel = await table()
    await channel.do("Anna", "roll 2d6", "deck draw cup 2", "deck discard all")
    told = (await channel.do("Anna", "log kind=deck")).format_text()
    assert "makes the deck cup" in told
    assert "discards" in told
    assert not re.search(r"\b2d6\b", told), "as a word: a hash may hold it too"
    assert "cup" not in (await channel.do("Anna", "log kind=game")).format_text().replace(
        "kind=", ""
    )


async def test_a_manager_agrees_for_a_side_that_is_silent() -> None:
    channel = await stood_in_for_a_hand()
    await channel.do("Anna", "game end confirm")
    await channel.do("Anna", "fair reveal")
    log = await sound(channel)
    assert verify_log.check(verify_log.parse_json(json.dumps(log))).faults == []
    early = json.loads(json.dumps(log))
    for row in early["events"]:
        row["body"]["at"] = min(row["body"]["at"], 1_800_000_000)
    early = rechained(early)
    assert check(early).faults


async def test_three_seats_agree_to_the_end_one_after_the_other_and_play_on_when_it_goes_on() -> (
    None
):
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt Three sides="US, VC, NVA"', "game join US")
    await channel.do("Bob", "game join VC")
    await channel.do("Carl", "game join NVA")
    await channel.do("Anna", 'deck make "1..12" cup', "deck deal 2")
    held = {name: await own(channel, name) for name in ("Anna", "Bob", "Carl")}
    asked = await channel.do("Anna", "game end confirm")
    assert asked.announce is not None
    assert (
        "The game ends when Carl and Bob agree to show NVA's hand and VC's hand."
        in asked.announce.format_text()
    )
    told = await channel.press("Bob", asked.announce.buttons[0].action)
    assert (
        "Still to agree: NVA's hand and US's hand. Ending the game counts as a yes."
        in told.format_text()
    )
    asked = await channel.do("Anna", "game end confirm")
    assert asked.announce is not None
    assert "\nThe game ends when Carl agrees to show NVA's hand." in asked.announce.format_text()
    await channel.do("Bob", "game undo")
    asked = await channel.do("Anna", "game end confirm")
    assert asked.announce is not None
    assert "VC" in asked.announce.format_text(), "a yes can be taken back"
    agreed = await channel.do("Bob", "hand agree")
    assert agreed.title == "You agree to open your hand when the game ends"
    await channel.do("Carl", "hand agree")
    await channel.do("Anna", "game end confirm")
    await channel.do("Anna", "game resume")
    for name, cards in held.items():
        hand = await channel.do(name, "hand")
        assert {entry.label for entry in hand.menus[0].entries} == {
            f"{card} (known to all)" for card in cards
        }
        assert [menu.label for menu in hand.menus] == ["Play", "Discard"], (
            "what all know is not given"
        )
    hand = await channel.do("Carl", "hand")
    played = await channel.press("Carl", hand.menus[0].entries[0].action)
    assert played.announce is not None
    assert len(await own(channel, "Carl")) == 1
    await sound(channel)


async def test_a_hand_on_show_acts_on_nothing_that_is_theirs_no_more() -> None:
    """Its seat changes hands, a draw is taken back, the game ends, a new one begins: it says so,
    and shows what is.
    """
    channel = await table()
    await channel.do("Anna", "deck deal 3")
    shown = await channel.do("Bob", "hand")
    entry = shown.menus[0].entries[0]

    await channel.do("Zoe", "game join VC")
    await channel.do("Bob", "game leave")
    gone = await channel.press("Bob", entry.action)
    assert (gone.announce, gone.in_place, gone.menus) == (None, True, ())
    assert entry.label not in gone.format_text()
    refreshed = await channel.press("Bob", shown.buttons[0].action)
    assert refreshed.title == "Your hand is empty"
    assert len((await channel.do("Zoe", "hand")).menus[0].entries) == 3
    played = await channel.press("Zoe", entry.action)  # whoever has the seat has the hand
    assert played.announce is not None
    assert played.announce.title == f"Zoe plays {entry.label}"

    mine = await channel.do("Anna", "deck draw cup to=me")
    card = mine.title.removeprefix("You draw ")
    shown = await channel.do("Anna", "hand")
    entry = next(one for one in shown.menus[0].entries if one.label == card)
    await channel.do("Anna", "game undo")
    await channel.do("Zoe", "game undo")
    back = await channel.press("Anna", entry.action)
    assert back.announce is None
    assert back.title == "That card is no longer in your hand."
    assert card not in [one.label for one in back.menus[0].entries]

    await channel.do("Anna", "game end confirm")
    await channel.do("Zoe", "hand agree")
    await channel.do("Anna", "game end confirm")
    over = await channel.press("Anna", shown.menus[0].entries[0].action)
    assert over.announce is None
    assert over.menus == ()
    await channel.do("Anna", 'game start lnlt Next sides="US, VC"', "game join US")
    other = await channel.press("Anna", shown.menus[0].entries[0].action)
    assert other.error
    assert other.code == "other-game"
    await sound(channel)


async def test_give_asks_for_whom_and_gives_to_nobody_else() -> None:
    channel = await table()
    await channel.do("Anna", "deck draw cup 2 me")
    give = next(menu for menu in (await channel.do("Anna", "hand")).menus if menu.label == "Give")
    asked = await channel.press("Anna", give.entries[0].action)
    assert asked.title == f"Who gets {give.entries[0].label}?"
    assert [button.label for button in asked.buttons] == ["VC", "Back"]
    assert (await channel.press("Anna", asked.buttons[1].action)).title == "Your hand"
    assert (await channel.press("Bob", asked.buttons[0].action)).announce is None, (
        "it is not theirs to give"
    )
    given = await channel.press("Anna", asked.buttons[0].action)
    assert given.announce is not None
    assert given.announce.title == "Anna gives 1 hidden card into VC's hand"
    assert await own(channel, "Bob") == [give.entries[0].label]
    assert (await channel.press("Anna", asked.buttons[0].action)).announce is None, (
        "it was given already"
    )
    await channel.do("Bob", "game leave")
    left = await channel.do("Anna", "hand")
    assert [menu.label for menu in left.menus] == ["Play", "Discard"], (
        "nobody is there to be given any"
    )
    stale = await channel.press("Anna", give.entries[1].action)
    assert [button.label for button in stale.buttons] == ["Back"]
    await sound(channel, closed=True)


async def test_who_holds_cards_without_sides_gives_them_to_a_person() -> None:
    channel = await Channel.fresh()
    await channel.do("Bob", "roll d6")
    await channel.do("Anna", "deck draw standard-52 2 me")
    give = next(menu for menu in (await channel.do("Anna", "hand")).menus if menu.label == "Give")
    asked = await channel.press("Anna", give.entries[0].action)
    assert [button.label for button in asked.buttons] == ["Bob", "Back"]
    await channel.press("Anna", asked.buttons[0].action)
    assert (
        "1 in Anna's hand, 1 in Bob's hand" in (await channel.do("Carl", "deck show")).format_text()
    )
    await sound(channel, closed=True)


async def test_actions_of_the_longest_names_fit_every_platform() -> None:
    channel = await Channel.fresh()
    side, card = "The Third Army of the Far North Ea", "A card of forty characters, not one more"
    await channel.do("Anna", f'game start lnlt Long sides="{side[:32]}, VC"', "game join VC")
    await channel.do("Bob", f'game join "{side[:32]}"')
    await channel.do("Anna", f'deck make "{card[:40]}, B" a-deck-of-24-characters-')
    await channel.do("Anna", "deck draw 2 to=me")
    hand = await channel.do("Anna", "hand")
    actions = [entry.action for menu in hand.menus for entry in menu.entries]
    asked = await channel.press("Anna", actions[-1])
    assert max(map(len, [*actions, *(button.action for button in asked.buttons)])) <= 95
    await channel.do("Anna", "game end confirm", "game resume")
    hand = await channel.do("Anna", "hand")
    assert max(len(entry.action) for menu in hand.menus for entry in menu.entries) <= 100


async def test_in_somebodys_own_play_no_hand_is_drawn_into_that_could_not_be_shown() -> None:
    channel = Channel(await fresh_app(), build_own_place("console:anna"))
    for line in (
        "deck draw standard-52 2 me",
        "hand",
        "deck peek",
        "deck deal 2",
        "deck play KS",
        "deck give KS Bob",
    ):
        await channel.refused("Anna", line, "needs-game")
    drawn = await channel.do("Anna", "deck draw standard-52 2")
    assert not drawn.private
    assert "dice" in (await last_event(channel)), "nothing of the deck is closed"
