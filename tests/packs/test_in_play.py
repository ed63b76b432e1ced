"""A card in play as an input of a combat sequence: checked in a game that was started, offered,
said by its name; any card does where nothing is drawn here, and for odds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.app import App
from bot.cli.batch import answer_request as answered
from bot.commands.dispatch import load_shared_registry
from bot.packs.check import check_path
from bot.rules.dice import Script
from bot.rules.errors import TableError
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.play_once import play_sequence
from bot.ui.form.form import Room, build_form
from bot.ui.spec import Place
from tests.forging import bodies
from tests.packs.conftest import PackMaker
from tests.packs.draws_helpers import FILES, ford, left, sound
from tests.playing import Channel

USE = """\
use:
  title: Use
  source: "ours"
  summary: A card that lies in play helps.
  dice: 1d6
  inputs:
    card: {type: enum, in_play: [chances, bag], help: "the card that you use"}
    n: {type: int, default: 0, min: 0, max: 9, help: "how often"}
    units: {type: units, optional: true, help: "who"}
  outputs: {result: [lost, held], card: text, loss: int}
  odds_by: result
  rounds: {ends: [{when: {result: [lost]}, as: lost}]}
  example: {card: rain}
  steps:
  - roll: {die: "1d6: nerve"}
    let: {loss: 1, result: lost if die <= (3 if card == rain else 1) else held}
    tell: {card: words(card)}
    headline: "{words(card)}: {result}"
"""
BAG = (
    "title: Bag\nkeep: hand\ncards: [{id: fog, name: 'Thick fog', count: 3}, {id: sun, count: 2}]\n"
)
MORE = {**FILES, "sequences.yaml": f"{FILES['sequences.yaml']!s}{USE}", "decks/bag.yaml": BAG}
ROOM = Room()


@pytest.fixture(autouse=True)
def pack(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> Path:
    path = make_pack(MORE)
    use_packs(path.parent)
    return path


def test_its_words_are_the_cards_of_its_decks(pack: Path) -> None:
    assert check_path(pack).faults == ()
    (option, *_) = load_pack(pack).sequences["use"].inputs
    assert option.values == ("quiet", "rain", "guide", "fog", "sun")
    assert option.labels["quiet"] == "All quiet"


async def test_a_card_in_play_is_taken_by_its_id_or_name_and_no_other(tmp_path: Path) -> None:
    channel = await ford()
    await channel.refused("Anna", "few use rain", "unknown-card card")
    await channel.do("Anna", "game settings hand_dice=yes", "deck draw chances hand=rain,quiet")
    told = await channel.fails("Anna", "few use guide", "A guide is not in play.")
    assert (
        'If you hold it: /deck play "A guide". /deck show lists the cards in play.'
        in told.format_text()
    )
    await channel.do("Anna", "few use rain", 'few use "All quiet" units="Red 1"')
    log = await sound(channel, tmp_path)
    assert [body["inputs"]["card"] for body in bodies(log, "sequence")] == ["rain", "All quiet"]
    await channel.do("Anna", "deck discard rain")
    await channel.fails("Anna", "few use rain", "Rain is not in play.")
    await channel.fails("Anna", "few use hail", "card must be one of quiet, rain, guide, fog, sun")


async def test_again_a_macro_and_undo_know_where_the_card_is(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do(
        "Anna", "game settings hand_dice=yes", "deck draw chances hand=rain", "few use rain"
    )
    used = (await channel.game()).last
    await channel.do("Anna", 'macro add wet "few use rain"', "macro run wet")
    await channel.do("Anna", "deck discard rain")
    await channel.fails("Anna", "macro run wet", "Rain is not in play.")
    again = await channel.press("Anna", await channel.under(used, "again"))
    assert again.title == "Rain is not in play."
    await channel.do("Anna", "game undo", "macro run wet")
    await sound(channel, tmp_path)


async def test_odds_what_if_rounds_and_programs_count_any_card() -> None:
    channel = await ford()
    assert "Lost 50%" in (await channel.do("Anna", "few use rain odds")).format_text()
    assert "lost 17%" in (await channel.do("Anna", "few use fog odds")).format_text()
    await channel.do("Anna", "few use rain compare", "few use rain rounds=3")
    assert (
        play_sequence(
            find_shared_system("few").find_sequence("use"), {"card": "Thick fog"}, Script([1])
        ).out["result"]
        == "lost"
    )
    asked = {
        "id": 1,
        "op": "resolve",
        "system": "few",
        "sequence": "use",
        "in": {"card": "sun"},
        "dice": [2],
    }
    assert answered(asked)["out"]["result"] == "held"


async def test_where_no_game_was_started_cards_are_on_a_real_table() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "few use rain")
    await channel.do("Anna", "game start lnlt sides='US, VC'", "few use fog")


async def test_under_seal_it_is_checked_before_the_die_falls(tmp_path: Path) -> None:
    channel = await ford()
    await channel.fails("Anna", "few use rain secret", "Rain is not in play.")
    assert not bodies(await sound(channel, tmp_path), "sealed")
    await channel.do(
        "Anna", "game settings hand_dice=yes", "deck draw chances hand=rain", "few use rain secret"
    )
    number = (await channel.game()).last
    await channel.do("Anna", "deck discard rain", f"game reveal {number}")
    await sound(channel, tmp_path)


async def test_nobody_can_tell_from_it_what_is_in_a_hand() -> None:
    """The same words for a card that they hold and for one that they do not, to them as to all; and
    no card of a hand is offered."""
    channel = await ford()
    await channel.do("Anna", "deck draw bag 3 to=me")
    for who in ("Anna", "Bob"):
        fog, sun = [
            (await channel.say(who, f"few use {card}")).format_text() for card in ("fog", "sun")
        ]
        assert fog.replace('"Thick fog"', "sun").replace("Thick fog", "sun") == sun
        assert "/deck play" in fog
        known = await channel.app.get_completion_context(channel.place, channel.who(who))
        assert known.cards_in_play == ()


async def _offered(channel: Channel, typed: str = "") -> list[tuple[str, str]]:
    found = await channel.app.complete_option(
        ("few", "use"), "card", typed, {}, channel.who("Bob"), channel.place
    )
    return [(one.name, one.value) for one in found]


async def _picks(channel: Channel) -> list[tuple[str, str]]:
    spec = load_shared_registry().get(("few", "use"))
    assert spec is not None
    field = build_form(
        spec, {}, await channel.app.get_completion_context(channel.place, channel.who("Bob")), ROOM
    ).find_field("card")
    assert field is not None
    assert field.kind == "pick"
    return [(pick.label, pick.value) for pick in field.picks]


async def test_what_lies_in_play_is_offered_by_name_else_all() -> None:
    channel = await ford()
    assert len(await _offered(channel)) == 5
    assert len(await _picks(channel)) == 5, "for odds"
    await channel.do(
        "Anna",
        "game settings hand_dice=yes",
        "deck draw chances hand=rain,quiet,rain",
        "deck draw events",
    )
    assert await _offered(channel) == [("All quiet", "quiet"), ("Rain", "rain")]
    assert await _offered(channel, "all q") == [("All quiet", "quiet")]
    assert await _offered(channel, "guide") == []
    assert await _picks(channel) == [("All quiet", "quiet"), ("Rain", "rain")]
    await channel.do("Bob", "few use rain n=2")
    draft = await channel.app.forms.open_draft("few use", channel.who("Bob"), channel.place)
    assert draft.options == {"n": "2"}, "the next form asks for the card anew"


async def test_a_linked_channel_and_a_restart_know_it(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "game settings hand_dice=yes", "deck draw chances hand=rain")
    code = (await channel.say("Anna", "game link", manager=True)).title.split()[-1]
    there = Channel(channel.app, Place("console:b", "b", "b"), prefix="b")
    assert not (await there.say("Bob", f"game link {code}", manager=True)).error
    await there.do("Bob", "few use rain")
    await there.fails("Bob", "few use guide", "A guide is not in play.")
    assert await left(channel) == await left(there)
    again = Channel(App(channel.app.store), prefix="again")
    await again.do("Anna", "few use rain")
    await again.fails("Anna", "few use sun", "sun is not in play")


OWNED = {
    "decks/reds.yaml": BAG.replace("keep: hand", "keep: hand\nowner: Reds"),
    "decks/blues.yaml": BAG.replace("keep: hand", "keep: hand\nowner: Blues"),
    "decks/bag.yaml": None,
}


@pytest.mark.parametrize(
    ("used", "place"),
    [("discard", "discard"), ("removed", "removed"), ("back", ""), ("after", "removed")],
)
async def test_a_side_uses_its_own_cards_and_each_goes_where_the_sequence_says(
    make_pack: PackMaker,
    use_packs: Callable[[Path], None],
    tmp_path: Path,
    used: str,
    place: str,
) -> None:
    """Also after an undo; the log says it by itself."""
    use = USE.replace("in_play: [chances, bag]", f"in_play: mine, used: {used}")
    use = use.replace("card: rain", "card: fog")
    files = {**MORE, **OWNED, "sequences.yaml": f"{FILES['sequences.yaml']!s}{use}"}
    files["decks/reds.yaml"] = f"after: removed\n{OWNED['decks/reds.yaml']}"
    folder = make_pack({name: text for name, text in files.items() if text is not None})
    use_packs(folder.parent)
    channel = await ford()
    await channel.do("Anna", "game settings hand_dice=yes", "deck draw reds hand=fog")
    theirs = await channel.fails("Bob", "few use fog", "so you can't use it")
    assert theirs.code == "not-your-card"
    for who, offered in (("Anna", (("reds", "fog"),)), ("Bob", ())):
        assert (
            await channel.app.get_completion_context(channel.place, channel.who(who))
        ).cards_in_play == offered
    await channel.do("Anna", "few use fog")
    moved = {f"reds/{place}/fog": 1} if place else {}
    assert (await channel.game()).cards == moved
    await channel.fails("Anna", "few use fog", "Thick fog is not in play.")
    await channel.undo_last("Anna")
    await channel.do("Bob", "game undo")
    assert (await channel.game()).cards == {"reds/play/fog": 1}
    await channel.do("Anna", "game redo")
    await channel.do("Bob", "game redo")
    log = await sound(channel, tmp_path)
    assert [body["uses"] for body in bodies(log, "sequence")] == [
        [{"deck": "reds", "card": "fog", "to": place or "back"}]
    ]


@pytest.mark.parametrize(
    ("card", "says"),
    [
        ("{type: enum, in_play: [chanes]}", "there is no deck chanes. Did you mean chances?"),
        ("{type: enum, in_play: chances}", "option card: in_play must be a list of decks, for an input of type enum"),
        ("{type: str, in_play: [chances]}", "in_play must be a list of decks, for an input of type enum"),
        ("{type: enum, in_play: []}", "in_play must be a list of decks"),
        ("{type: enum, values: [rain, hail], in_play: [chances]}", "has a word hail, which is not a card in chances"),
        ("{type: enum, in_play: mine}", "in_play is mine, but no deck has an owner"),
        ("{type: enum, in_play: [chances], used: away}", "used must be one of after, discard, removed, back"),
        ("{type: enum, values: [rain], used: back}", "for an input with in_play"),
    ],
)  # fmt: skip
def test_mistakes_are_named(make_pack: PackMaker, card: str, says: str) -> None:
    use = USE.replace('{type: enum, in_play: [chances, bag], help: "the card that you use"}', card)
    text = str(FILES["sequences.yaml"]) + use
    folder = make_pack({**MORE, "sequences.yaml": text})
    with pytest.raises(TableError) as error:
        load_pack(folder).sequences  # noqa: B018
    assert says in str(error.value)
    assert "few/sequences.yaml" in str(error.value)


def test_a_number_of_units_is_no_card(make_pack: PackMaker) -> None:
    card = "attributes: {a: {type: enum, in_play: [bag]}}"
    game = str(FILES["game.yaml"]).replace("types: [unit]", f"types: [unit], {card}")
    with pytest.raises(TableError, match='an option has no key "in_play"'):
        load_pack(make_pack({**MORE, "game.yaml": game})).words  # noqa: B018
