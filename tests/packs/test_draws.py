"""Combat sequences that draw cards out of a deck of their game: played, told, counted, undone,
exported, verified.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.cli.batch import answer_request as answered
from bot.game.decks import build_pile_inputs
from bot.packs.check import check_path
from bot.report.page import build_page
from bot.rules.dice import Script
from bot.rules.errors import TableError, UserError
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.play_once import count_odds, count_rounds, play_sequence
from bot.ui.spec import Command, Place
from bot.verification.check_file import check
from tests.bent_logs import agree_on_forgeries
from tests.forging import bodies, rechained
from tests.fresh import fresh_app
from tests.packs.conftest import PackMaker
from tests.packs.draws_helpers import (
    CHANCES,
    FILES,
    GAME,
    MARCH,
    SEQUENCES,
    ford,
    left,
    sound,
)
from tests.playing import Channel
from tests.random_play import exported_text

pytestmark = pytest.mark.scenes(10)


@pytest.fixture(autouse=True)
def pack(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> Path:
    path = make_pack(FILES)
    use_packs(path.parent)
    return path


def test_the_check_finds_nothing(pack: Path) -> None:
    assert check_path(pack).faults == ()


async def test_a_card_is_drawn_told_and_goes_where_its_deck_says(tmp_path: Path) -> None:
    channel = await ford()
    told = (await channel.do("Anna", "few chance units='Red 1'")).format_text()
    game = await channel.game()
    assert list(game.decks) == ["chances"], "declared before its first die"
    log = await sound(channel, tmp_path)
    (event,) = bodies(log, "sequence")
    die, nerve = event["dice"]
    assert (die["label"], die["sides"], die["deck"]) == ("a chance for Red 1", 7, "chances")
    assert "deck" not in nerve
    assert event["read"] == {"deck.chances": ["quiet*4 rain*2 guide / -"]}
    goes = {
        "back": {},
        "discard": {"chances/discard/rain": 1},
        "removed": {"chances/removed/guide": 1},
    }
    assert game.cards == goes[die["to"]]
    assert log["version"] == 2
    assert f"Chances: {7 - len(game.cards)} of 7 in the pile" in told


async def test_several_draws_leave_one_in_play_and_the_rest_go_where_they_belong(
    tmp_path: Path,
) -> None:
    channel = await ford()
    await channel.do("Anna", "few pair n=2")
    log = await sound(channel, tmp_path)
    (event,) = bodies(log, "sequence")
    assert [die["to"] for die in event["dice"]][1:] == ["play", "removed", "removed"]
    assert [die["sides"] for die in event["dice"]] == [7, 6, 3, 2]
    game = await channel.game()
    assert sum(count for key, count in game.cards.items() if key.startswith("chances/play/")) == 1
    await channel.do("Anna", "few pair n=1")
    await channel.fails("Anna", "few pair n=1", "Events has too few cards left to draw")
    await sound(channel, tmp_path)


async def test_undo_by_consent_puts_the_card_back_and_redo_brings_it_again(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "few pair n=0")
    out = await left(channel)
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    assert await left(channel) == ""
    await channel.do("Bob", "game redo")
    await channel.do("Anna", "game redo")
    assert await left(channel) == out != ""
    await channel.do("Anna", "few pair n=0", "deck discard all deck=chances", "deck draw chances")
    await sound(channel, tmp_path)


@pytest.fixture
def marching(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> None:
    use_packs(make_pack({**FILES, "sequences.yaml": SEQUENCES + MARCH}).parent)


@pytest.mark.usefixtures("marching")
async def test_each_of_several_units_draws_from_what_the_ones_before_left(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "few march unit='Red 1..3; Blue'")
    (event,) = bodies(await sound(channel, tmp_path), "sequence")
    assert [die["sides"] for die in event["dice"]] == [7, 6, 5, 4]
    await channel.do("Anna", "few march unit='Red 1..3'")
    await sound(channel, tmp_path)


@pytest.mark.usefixtures("marching")
async def test_cards_of_a_real_deck_are_typed_by_id_or_name(tmp_path: Path) -> None:
    channel = await ford()
    await channel.fails(
        "Anna",
        "few chance units='Red 1' hand=?",
        "Next die: a chance for Red 1 (a card: quiet, rain, guide)",
    )
    await channel.fails(
        "Anna",
        "few chance units='Red 1' hand=hail,2",
        "Chances has no card hail left to draw.\nIt can be quiet, rain, guide.",
    )
    await channel.fails("Anna", "few chance units='Red 1' hand=rain", "Next die: nerve")
    await channel.fails("Anna", "few chance units='Red 1' hand=3,rain", "no card 3")
    told = (await channel.do("Anna", "few chance units='Red 1' hand='A Guide, 2'")).format_text()
    assert "A guide (ap 3, side blue)" in told
    assert await left(channel) == "removed/guide=1"
    await channel.fails(
        "Anna", "few chance units='Red 2' hand=guide,2", "no card guide left to draw"
    )
    (event,) = bodies(await sound(channel, tmp_path), "sequence")
    assert event["hand"] is True
    await channel.do("Anna", "few march unit='Red 2; Red 3' hand=rain,quiet")
    await sound(channel, tmp_path)


async def test_a_card_then_a_choice(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "few ask units='Red 1' hand=rain")
    assert await left(channel) == "discard/rain=1"
    await channel.do("Anna", "deck draw chances", "deck shuffle chances")
    await channel.do("Anna", "choose go")
    await sound(channel, tmp_path)
    await channel.do("Anna", "few ask units='Red 1'", "game undo")
    await channel.do("Bob", "game undo")
    await sound(channel, tmp_path)


async def test_undo_of_a_choice_says_that_the_card_before_it_takes_one_more(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "few ask units='Red 1' hand=rain", "choose go", "game undo")
    assert "Another /game undo" in (await channel.do("Bob", "game undo")).format_text()
    assert await left(channel) == "discard/rain=1"
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    assert await left(channel) == ""
    await channel.do("Anna", "few ask units='Red 1' hand=quiet", "choose go", "game undo")
    assert "once more" not in (await channel.do("Bob", "game undo")).format_text(), (
        "its card had gone back"
    )
    await sound(channel, tmp_path)


async def test_who_may_not_and_what_cannot_be() -> None:
    channel = await ford()
    await channel.fails(
        "Anna",
        "few chance units='Red 1' secret",
        "Chance draws cards face up, so it can't be sealed.",
    )
    await channel.fails("Cleo", "few pair", "")
    await channel.do("Anna", "deck draw chances to=me")
    real = "Some chances cards are hidden, so you cannot type real ones: somebody might hold them."
    for card in ("quiet", "guide", "?", "hail"):
        await channel.fails("Bob", f"few chance units=Blue hand={card}", real)


async def test_odds_count_what_is_left_and_what_if_keeps_it() -> None:
    channel = await ford()
    assert (
        "lost 12%" in (await channel.do("Anna", "few chance units='Red 1' odds")).format_text()
    ), "5 ap on 7 cards, by 6"
    assert (await channel.game()).decks == {}, "odds declare nothing"
    await channel.do("Anna", "few chance units='Red 1' hand=guide,6")
    assert "lost 6%" in (await channel.do("Anna", "few chance units='Red 1' odds")).format_text(), (
        "2 ap on 6 cards, by 6"
    )
    before = await left(channel)
    await channel.press("Anna", await channel.under(6, "odds"))
    assert await left(channel) == before


async def _played() -> dict[str, Any]:
    """An evening with cards discarded, out of the game, in play, back in the pile, and one by
    hand.
    """
    channel = await ford()
    await channel.do("Anna", "few pair n=1", "few pair n=0")
    await channel.do("Anna", "few chance units='Red 1'", "few ask units='Red 2'")
    await channel.do("Anna", "choose go", "few chance units='Red 3'")
    log: dict[str, Any] = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    return log


def _draw(log: dict[str, Any]) -> dict[str, Any]:
    return next(body for body in bodies(log, "sequence") if len(body["dice"]) == 3)


def _other_card(log: dict[str, Any]) -> None:
    die = _draw(log)["dice"][1]
    die["value"] = die["sides"] if die["value"] <= 4 else 1


def _other_place(log: dict[str, Any]) -> None:
    _draw(log)["dice"][1]["to"] = "back"


def _other_pile(log: dict[str, Any]) -> None:
    _draw(log)["read"]["deck.chances"] = ["quiet*3 rain*2 guide / -"]


def _more_sides(log: dict[str, Any]) -> None:
    _draw(log)["dice"][1]["sides"] += 1


def _no_deck(log: dict[str, Any]) -> None:
    for key in ("deck", "to"):
        del _draw(log)["dice"][1][key]


def _another_deck(log: dict[str, Any]) -> None:
    _draw(log)["dice"][2]["deck"] = "chances"


def _unread(log: dict[str, Any]) -> None:
    del _draw(log)["read"]["deck.events"]


def _kept(log: dict[str, Any]) -> None:
    """The card that should lie in play goes nowhere."""
    for part in ("before", "after"):
        _draw(log)[part]["cards"] = {
            k: v for k, v in _draw(log)[part]["cards"].items() if "/play/" not in k
        }


def _in_a_roll(log: dict[str, Any]) -> None:
    body = next(body for body in bodies(log, "choice"))
    body["dice"] = [{"label": "x", "sides": 6, "value": 1, "deck": "chances", "to": "back"}]


def _other_choice(log: dict[str, Any]) -> None:
    body = next(body for body in bodies(log, "choice"))
    body["read"]["deck.chances"] = ["guide / -"]


BENDS = [_other_card, _other_place, _other_pile, _more_sides, _no_deck, _another_deck, _unread, _kept, _in_a_roll,
         _other_choice]  # fmt: skip


async def test_a_bent_draw_is_named() -> None:
    honest = await _played()
    for bend in BENDS:
        log = json.loads(json.dumps(honest))
        bend(log)
        rechained(log)
        assert check(log).faults, bend.__name__


@pytest.mark.slow
async def test_the_verifiers_agree_on_forged_logs_with_draws(tmp_path: Path) -> None:
    agree_on_forgeries(await _played(), Random(26), tmp_path)


def test_resolve_and_batch_draw_from_the_whole_deck_or_from_what_is_left() -> None:
    chance = find_shared_system("few").find_sequence("chance")
    raw: dict[str, object] = {"units": "unit"}
    assert play_sequence(chance, raw, Script(("guide", 2))).out == {
        "result": "lost",
        "ap": 3,
        "card": "A guide",
    }
    assert count_odds(chance, raw)["lost"] == Fraction(5, 42)
    assert count_odds(chance, {**raw, "deck.chances": "rain*2 quiet / guide"})["lost"] == Fraction(
        2, 18
    )
    for wrong in ("rain*2 hail", "rain rain", "/", "rain / guide / quiet", "rain*0"):
        with pytest.raises(UserError) as caught:
            play_sequence(chance, {**raw, "deck.chances": wrong}, Script((1, 1)))
        assert caught.value.option == "deck.chances"
    request = {"id": 1, "op": "resolve", "system": "few", "sequence": "chance",
               "in": {"units": "unit", "deck.chances": "rain"}, "dice": ["Rain", 1]}  # fmt: skip
    assert answered(request)["out"]["card"] == "Rain"


async def test_an_import_goes_on_with_what_is_left_() -> None:
    channel = await ford()
    await channel.do("Anna", "few pair n=1")
    text, out = await exported_text(channel), await left(channel)
    there = Channel(await fresh_app(), Place("console:there", "console"))
    command = Command(("game", "import"), {"file": text}, there.who("Anna"), there.place, "import")
    assert not (await there.app.run(command)).error
    await there.do("Anna", "game claim")
    assert await left(there) == out
    await there.do("Anna", "few pair n=0")
    log = json.loads(await exported_text(there))
    assert check(log).faults == ()


async def test_a_macro_again_and_help_know_it() -> None:
    channel = await ford()
    await channel.do("Anna", 'macro add pair "few pair n=0"', "macro run pair")
    first = (await channel.game()).last
    await channel.press("Anna", await channel.under(first, "again"))
    assert len(bodies(json.loads(await exported_text(channel)), "sequence")) == 2
    assert "Chance" in (await channel.do("Anna", "help few chance")).format_text()


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ("- draw: {card: chanes}", "one that leads a phase is drawn chit by chit. Did you mean chances?"),
        ("- draw: {card: 2 chances}", '"card: 2 chances" must be a name and a deck, such as card: chances'),
        ("- draw: {unit.card: chances}", "must be a name and a deck"),
        ("- draw: {card: chances}\n- draw: {card: events}", "the name card is taken; give the card another one"),
        ("- draw: {n: chances}", "the name n is taken; give the card another one"),
        ("- draw: {card: chances}\n- let: {total: card.app}", "its cards have no app. Did you mean ap?"),
        ("- draw: {card: extra}\n- let: {total: card.ap}", "all cards need ap. Write ap: 0 for b, c"),
        ("- draw: {card: extra}\n- when: card.side == blue\n  let: {total: 1}", "need side. Write side: none for b, c"),
        ("- draw: {card: chances}\n- let: {total: card.side + 1}", "a text cannot be used in arithmetic"),
        ("- draw: chances", "draw is a mapping of names"),
    ],
)  # fmt: skip
def test_steps_that_misuse_a_deck_are_refused_with_line_and_column(
    make_pack: PackMaker, step: str, says: str
) -> None:
    head = (
        "x:\n  title: X\n  source: us\n  summary: x\n  inputs: {n: {type: int, default: 1, help: x}}\n"
        "  outputs: {total: int}\n  steps:\n"
    )
    steps = "".join(f"  {line}\n" for line in step.splitlines())
    files = {
        "decks/extra.yaml": "title: Extra\ncards: [{id: a, ap: 1, side: blue}, {id: b}, {id: c}]\n",
        "game.yaml": GAME.replace("buttons: [chance, next]", "buttons: [next]"),
        "sequences.yaml": head + steps,
    }
    with pytest.raises(TableError) as caught:
        load_pack(make_pack({**FILES, **files}, "other")).find_sequence("x").declaration  # noqa: B018
    assert says in str(caught.value)
    assert "line " in str(caught.value)


async def test_a_pack_of_another_game_and_cards_of_an_older_list_are_refused(
    make_pack: PackMaker,
) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford")
    await channel.fails(
        "Anna", "few pair n=0", "Pair draws from a deck of Few, which isn't being played here"
    )
    channel = await ford()
    await channel.do("Anna", "few pair n=0")
    newer = load_pack(
        make_pack({**FILES, "decks/chances.yaml": CHANCES.replace("id: rain", "id: hail")})
    )
    with pytest.raises(
        UserError, match="chances here has a card rain, which the game doesn't have"
    ):
        build_pile_inputs(newer.find_sequence("pair").decks, await channel.game(), {})


async def test_the_log_and_the_page_name_the_cards() -> None:
    channel = await ford()
    await channel.do("Anna", "few chance units='Red 1' hand=guide,6")
    assert "[A guide][6]" in (await channel.do("Anna", "log")).format_text()
    html = build_page(json.loads(await exported_text(channel)), {}, load_shared_systems())
    assert "Out of the game: A guide" in html
    await channel.do("Anna", "game settings answers=compact")
    told = (await channel.do("Anna", "few chance units='Red 2' hand=rain,5")).format_text()
    assert "[rain] [5]" in told, "short answers, too, which leave the lines of single dice out"


def test_rounds_are_refused_in_one_sentence(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    rounds = '  rounds: {ends: [{when: {result: [lost]}}], then: {}}\n  steps:\n  - draw: {card: "chances: a chance'
    text = SEQUENCES.replace('  steps:\n  - draw: {card: "chances: a chance', rounds)
    use_packs(make_pack({**FILES, "sequences.yaml": text}).parent)
    with pytest.raises(UserError, match="Chance draws cards, so its odds are those of one round"):
        count_rounds(find_shared_system("few").find_sequence("chance"), {"units": "unit"}, 2)


async def test_what_if_and_luck_count_the_pile_as_it_was() -> None:
    channel = await ford()
    await channel.do("Anna", "few chance units='Red 1' hand=guide,6")
    reply = await channel.do("Anna", "few chance units='Red 1' odds")
    what_if = next(button.action for button in reply.buttons if button.label == "What if")
    assert "94% as planned" in (await channel.press("Anna", what_if)).format_text()
    await channel.do("Anna", "few chance units='Red 2'", "few pair n=0")
    past = (await channel.press("Anna", await channel.under(6, "odds"))).format_text()
    assert "94%" in past, "of what was left then"
    stats = (await channel.do("Anna", "game stats")).format_text()
    assert "Reds" in stats
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
