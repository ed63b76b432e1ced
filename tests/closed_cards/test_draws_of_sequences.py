"""Combat sequences that draw from decks of which cards are in hands, looked at or known: the card
is open, its die is not; a known top comes without a die; and odds count what who asks has not seen.
"""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from random import Random

import pytest

from bot.rules.cards import SAW, Deck, get_last_key
from bot.rules.inputs.decks import DICE, UNSEEN, Pile, build_pile, read_pile
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import count_odds
from bot.ui.reply.packing import read_file_text
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Place
from bot.verification.check_file import check
from tests.bent_logs import agree_on_forgeries
from tests.closed_cards.draws_of_sequences_helpers import (
    CARDS,
    assert_seen,
    opened,
)
from tests.forging import Json, bodies, rechained
from tests.fresh import fresh_app
from tests.packs.conftest import PackMaker
from tests.packs.draws_helpers import CHANCES, FILES, MARCH, SEQUENCES, ford, left, sound
from tests.playing import Channel
from tests.random_play import exported_text

pytestmark = pytest.mark.scenes(10)

AP = {"quiet": 0, "rain": 1, "guide": 3}


@pytest.fixture(autouse=True)
def same_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run has the same seeds and salts."""
    monkeypatch.setattr("os.urandom", Random(26).randbytes)


@pytest.fixture(autouse=True)
def pack(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> Path:
    path = make_pack({**FILES, "sequences.yaml": SEQUENCES + MARCH})
    use_packs(path.parent)
    return path


def drawn(log: Json) -> list[Json]:
    return bodies(log, "sequence")


async def hand(channel: Channel, name: str = "Anna") -> list[str]:
    """The ids of the cards that somebody holds."""
    names = {"All quiet": "quiet", "Rain": "rain", "A guide": "guide"}
    told = (await channel.do(name, "hand")).format_text()
    _, _, listed = told.partition("chances: ")
    count, *lines = listed.splitlines()
    cards = list[str]()
    for line in lines:
        title, _, copies = line.partition(": ")[0].partition(" ×")
        if title in names:
            cards += [names[title]] * int(copies or 1)
    assert len(cards) == int(count.split()[0]), told
    return cards


async def test_the_card_is_open_and_its_face_closed(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "deck draw chances 2 me", "few chance units='Red 1'")
    log = await sound(channel, tmp_path)
    (event,) = drawn(log)
    card, nerve = event["dice"]
    assert card["sides"] == 5
    assert card["value"] in AP, "the card, where else a face is"
    assert nerve["value"] in range(1, 7)
    assert event["texts"].keys() == {"face.1"}
    assert event["read"] == {"deck.chances": ["quiet*4 rain*2 guide / - | _*5"]}, (
        "nobody reads what is in the hand"
    )
    assert not [one for one in log["texts"] if one["key"].startswith(("face", "card"))]
    log = await opened(channel, tmp_path)
    faces = [
        one["text"]
        for one in log["texts"]
        if (one["event"], one["key"]) == (event["number"], "face.1")
    ]
    assert len(faces) == 1
    assert 1 <= int(faces[0]) <= 5


async def test_a_known_top_comes_first_and_without_a_die(tmp_path: Path) -> None:
    channel = await ford()
    told = (
        (await channel.do("Anna", "deck peek 2 chances"))
        .title.removeprefix("On top of chances: ")
        .split(", ")
    )
    await channel.do("Bob", "few pair n=0", "few chance units=Blue")
    first, second = drawn(await sound(channel, tmp_path))
    names = {"quiet": "All quiet", "rain": "Rain", "guide": "A guide"}
    assert [names[die["value"]] for die in first["dice"]] == told
    assert [die["sides"] for die in first["dice"]] == [0, 0]
    assert not first.get("texts")
    assert second["dice"][0]["sides"] > 0
    assert "=top" not in await left(channel)
    await opened(channel, tmp_path)


async def test_what_all_know_on_top_and_at_the_bottom_is_counted_by_all(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "deck draw chances 7")
    await channel.do("Anna", "deck return guide chances top", "deck return rain chances bottom")
    await channel.do(
        "Anna", "deck return quiet,quiet,quiet,quiet chances", "few chance units='Red 1' odds"
    )
    assert "lost 50%" in (await channel.do("Bob", "few chance units=Blue odds")).format_text(), (
        "the guide, sure to come"
    )
    await channel.do("Bob", "few chance units=Blue")
    assert "Held 100%" in (await channel.do("Bob", "few chance units=Blue odds")).format_text(), (
        "one of four quiet ones"
    )
    await channel.do("Anna", "few march unit='Red 1..3'")
    log = await sound(channel, tmp_path)
    first, second = drawn(log)
    assert (first["dice"][0]["value"], first["dice"][0]["sides"]) == ("guide", 0)
    assert first["read"] == {"deck.chances": ["quiet*4 / - | guide _*4 rain"]}
    assert [die["sides"] for die in second["dice"]] == [4, 3, 2], (
        "those that came go back when it is over"
    )
    past = (await channel.press("Bob", await channel.under(first["number"], "odds"))).format_text()
    assert "lost 50%" in past
    await opened(channel, tmp_path)


async def test_private_odds_count_by_what_who_asks_has_seen() -> None:
    channel = await ford()
    await channel.do("Anna", "deck draw chances 2 me")
    held = await hand(channel)
    rest = sum(AP.values()) + AP["rain"] - sum(AP[card] for card in held)
    own = (await channel.do("Anna", "few chance units='Red 1' odds")).format_text()
    assert_lost(own, Fraction(rest, 5 * 6))
    for name in ("Bob", "Dora"):
        assert_lost(
            (await channel.say(name, "few chance units=Blue odds")).format_text(), Fraction(5, 42)
        )
    assert "only you have seen" in own
    assert (
        "only you have seen"
        not in (await channel.do("Bob", "few chance units=Blue odds")).format_text()
    )


def assert_lost(told: str, chance: Fraction) -> None:
    """The odds say this chance of a loss, to a full percent."""
    percent = f"{float(chance):.0%}"
    assert f"lost {percent}" in told if chance else "Held 100%" in told, (told, percent)


async def test_who_looked_at_the_top_knows_what_comes_and_nobody_else() -> None:
    channel = await ford()
    top = (await channel.do("Anna", "deck peek 1 chances")).title.removeprefix(
        "On top of chances: "
    )
    chance = {"All quiet": Fraction(0), "Rain": Fraction(1, 6), "A guide": Fraction(3, 6)}[top]
    assert_lost((await channel.do("Anna", "few chance units='Red 1' odds")).format_text(), chance)
    assert_lost(
        (await channel.do("Bob", "few chance units=Blue odds")).format_text(), Fraction(5, 42)
    )


async def test_what_is_shared_of_private_odds_is_what_all_can_count() -> None:
    channel = await ford()
    await channel.do("Anna", "deck draw chances 3 me")
    for line in ("few chance units='Red 1' odds", "few chance units='Red 1' compare"):
        reply = await channel.do("Anna", line)
        share = next(one.action for one in reply.buttons if one.label == "Share")
        told = await channel.press("Anna", share)
        assert not told.private
        assert "only you have seen" not in told.format_text()
        theirs = await channel.do("Bob", line.replace("Red 1", "Blue"))
        assert shown(told) == shown(theirs)


async def test_what_is_shared_of_what_if_is_about_what_was_asked() -> None:
    channel = await ford()
    await channel.do("Anna", "deck draw chances 1 me")
    while (await hand(channel)).count("rain") < 2:
        await channel.do("Anna", "deck draw chances 1 me")
    await channel.do("Anna", "deck return guide chances")
    asked = await channel.do("Anna", "few march unit='Red 1' compare")
    assert "Rain" not in {entry.label for menu in asked.menus for entry in menu.entries}
    entries = [entry.action for menu in asked.menus for entry in menu.entries]
    for reply in [asked, *[await channel.press("Anna", action) for action in entries]]:
        told = await channel.press(
            "Anna", next(one.action for one in reply.buttons if one.label == "Share")
        )
        assert told.by == reply.by


def shown(reply: Reply) -> list[str]:
    """The figures of an answer."""
    return [
        word
        for line in reply.format_text().splitlines()
        for word in line.split()
        if word.endswith("%")
    ]


async def test_odds_of_a_past_event_and_luck_count_by_what_all_had_seen_then() -> None:
    channel = await ford()
    await channel.do("Anna", "deck draw chances 6 me", "few chance units='Red 1'")
    number = (await channel.game()).last
    for name in ("Anna", "Bob"):
        past = await channel.press(name, await channel.under(number, "odds"))
        assert past.format_text().startswith("Held 88%, lost 12%"), past.format_text()
    assert "Reds" in (await channel.do("Anna", "game stats")).format_text()


async def test_an_empty_pile_whose_cards_are_in_hands_is_said_to_all(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "deck draw events to=me", "deck draw events 2")
    for name in ("Anna", "Bob"):
        await channel.fails(name, "few pair n=1 odds", "Events has too few cards left to draw")
        await channel.fails(name, "few pair n=1", "Events has too few cards left to draw")
    await channel.do("Anna", "deck return all events", "few pair n=2")
    await opened(channel, tmp_path)


async def test_discards_join_in_the_middle_while_cards_are_closed(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do(
        "Anna", "deck draw chances 7", "deck return guide chances", "deck discard rain,rain chances"
    )
    await channel.do("Anna", "deck return quiet chances bottom", "few march unit='Red 1..3; Blue'")
    await channel.do(
        "Bob", "deck return quiet chances", "deck draw chances to=me", "few march unit=Blue"
    )
    log = await opened(channel, tmp_path)
    assert [die["sides"] for die in drawn(log)[0]["dice"]] == [1, 0, 2, 1]


async def test_undo_and_redo_leave_what_is_closed_closed(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "deck draw chances 2 me", "deck peek 1 chances", "few pair n=0")
    out = await left(channel)
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    assert "=top=1" in await left(channel), "the card that was known is on top again"
    await channel.do("Bob", "game redo")
    await channel.do("Anna", "game redo")
    assert await left(channel) == out
    await channel.press(
        "Anna",
        await channel.under(drawn(json.loads(await exported_text(channel)))[0]["number"], "again"),
    )
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo", "few chance units=Blue")
    await opened(channel, tmp_path)


async def test_a_card_then_a_choice_then_an_import(
    make_pack: PackMaker, use_packs: Callable[[Path], None], tmp_path: Path
) -> None:
    use_packs(make_pack(FILES).parent)
    channel = await ford()
    await channel.do("Anna", "deck draw chances 2 me", "few ask units='Red 1'")
    await channel.do("Anna", "choose go", "few chance units='Red 2'")
    await sound(channel, tmp_path)
    there = Channel(await fresh_app(), Place("console:there", "console"))
    text = await exported_text(channel)
    command = Command(("game", "import"), {"file": text}, there.who("Anna"), there.place, "import")
    assert not (await there.app.run(command)).error
    await there.do("Anna", "game claim", "few chance units='Red 3'")
    assert check(json.loads(await exported_text(there))).faults == ()
    await opened(channel, tmp_path)


async def test_a_deck_that_is_drawn_into_hands_may_be_drawn_from(
    make_pack: PackMaker, use_packs: Callable[[Path], None], tmp_path: Path
) -> None:
    files = {**FILES, "decks/chances.yaml": f"keep: hand\n{CHANCES}"}
    use_packs(make_pack(files).parent)
    channel = await ford()
    await channel.do(
        "Anna", "deck draw chances 3 me", "few chance units='Red 1'", "deck play all chances"
    )
    await opened(channel, tmp_path)


async def test_no_closed_face_is_told_to_anybody() -> None:
    """Not to who rolled either: the place of a card tells what is missing before it."""
    channel = await ford()
    await channel.do("Anna", "deck draw chances to=me", "few march unit='Red 1; Red 2'")
    number = (await channel.game()).last
    log = json.loads(await exported_text(channel))
    (event,) = drawn(log)
    cards = [die["value"] for die in event["dice"]]
    for name in ("Anna", "Bob"):
        (grid,) = (await channel.press(name, await channel.under(number, "dice"))).lines
        assert all(card in repr(grid) for card in cards), grid
    told = f"Red 1: {cards[0]}, Red 2: {cards[1]}"
    assert told in (await channel.do("Bob", "log")).format_text()
    assert not [one for one in log["texts"] if one["key"].startswith("face")]
    (file,) = (await channel.do("Anna", "privacy export")).files
    assert '"face.1"' not in read_file_text(file.data, file.name).replace('"texts":{"face.1"', "")


# -- odds


def brute(pile: tuple[str, ...], order: tuple[str, ...], draws: int) -> dict[int, Fraction]:
    """The chances of the sum of the ap of so many cards: every order of what was not seen, one
    after the other.
    """
    found: dict[int, int] = {}
    for row in permutations(pile):
        unseen = iter(row)
        came = [next(unseen) if one in (DICE, UNSEEN) else one for one in order[:draws]]
        total = sum(AP[card] for card in came)
        found[total] = found.get(total, 0) + 1
    all_ways = sum(found.values())
    return {total: Fraction(ways, all_ways) for total, ways in found.items()}


@pytest.mark.parametrize(
    ("pile", "order"),
    [
        (CARDS, ("_",) * 3),
        (CARDS[1:], ("rain", "_", "_", "_")),
        (CARDS, ("?", "_", "?")),
        (CARDS[:5], ("?", "guide", "_", "rain")),
        (CARDS[:3], ("guide", "rain", "rain", "_")),
    ],
)
def test_odds_are_those_of_every_order_of_what_was_not_seen(
    pile: tuple[str, ...], order: tuple[str, ...]
) -> None:
    counts = tuple((card, pile.count(card)) for card in AP if card in pile)
    row = Pile.from_cards(counts, (), tuple((one, 1) for one in order)).lines
    counted = count_odds(
        find_shared_system("few").find_sequence("pair"), {"n": 0, "deck.chances": row}
    )
    assert {int(total): chance for total, chance in counted.items()} == brute(pile, order, 2)


def test_a_pile_is_written_down_and_read_again() -> None:
    for text in (
        "quiet*4 rain / guide",
        "a",
        "- / -",
        "a*2 / b | ? _*3 a",
        "a | -",
        "a / - | _*1000",
    ):
        pile = read_pile([text])
        assert " ".join(pile.lines) == text
    for wrong in ("a / b / c", "a |", "| a", "a | b / c", "a | *2", "? x |"):
        with pytest.raises(ValueError):
            read_pile(wrong)


def test_a_pile_hangs_on_the_seat_that_looks_at_it() -> None:
    deck, out = (
        Deck((("a", 2), ("b", 1))),
        {"cup/hand/US": 1, "cup/hand/=top": 1, get_last_key("cup"): 4},
    )
    assert build_pile("cup", deck, out, (["?"], [])).lines == ["a*2 b / - | ? _"]
    assert build_pile("cup", deck, out, (["?"], []), ["b"]).lines == ["a*2 / - | ? _"]
    assert build_pile("cup", deck, out, (["a"], [])).lines == ["a b / - | a _"]
    assert SAW not in " ".join(build_pile("cup", deck, out).lines)


# -- forged


async def _evening(*, is_opened: bool) -> Json:
    """Hands, looks and known ends, and what sequences drew among them."""
    channel = await ford()
    await channel.do(
        "Anna", "deck draw chances 2 me", "few chance units='Red 1'", "deck peek 1 chances"
    )
    await channel.do("Bob", "few pair n=1", "few chance units=Blue", "deck return all chances top")
    await channel.do(
        "Anna", "few pair n=0", "deck peek 1 events", "few pair n=1", "few ask units='Red 2'"
    )
    await channel.do("Anna", "choose go", "deck discard all chances", "few pair n=0")
    log: Json = json.loads(await exported_text(channel))
    if is_opened:
        await channel.do("Anna", "game end confirm", "fair reveal")
        log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    return log


def _event(log: Json) -> Json:
    return next(body for body in drawn(log) if body.get("texts") and len(body["dice"]) > 1)


def _other_card(log: Json) -> None:
    die = _event(log)["dice"][0]
    die["value"] = "hail"


def _an_open_face(log: Json) -> None:
    _event(log)["dice"][0]["value"] = 1


def _no_hash(log: Json) -> None:
    _event(log)["texts"] = {}


def _more_hashes(log: Json) -> None:
    _event(log)["texts"]["face.9"] = "0" * 64


def _without_a_die(log: Json) -> None:
    event = _event(log)
    event["dice"][0]["sides"] = 0
    event["texts"].pop("face.1")


def _more_sides(log: Json) -> None:
    _event(log)["dice"][0]["sides"] += 1


def _by_hand(log: Json) -> None:
    _event(log)["hand"] = True


def _other_place(log: Json) -> None:
    die = _event(log)["dice"][0]
    die["to"] = "removed" if die["to"] == "back" else "back"


def _read_without_the_hand(log: Json) -> None:
    body = _event(log)
    body["read"]["deck.chances"] = [body["read"]["deck.chances"][0].partition(" | ")[0]]


def _fewer_unseen(log: Json) -> None:
    body = _event(log)
    told = body["read"]["deck.chances"][0]
    body["read"]["deck.chances"] = [told.replace("quiet*", "quiet*9", 1)]


def _a_top_that_is_none(log: Json) -> None:
    body = _event(log)
    body["read"]["deck.chances"] = [body["read"]["deck.chances"][0].replace("| ", "| rain ")]


def _thousands_on_top(log: Json) -> None:
    _event(log)["read"]["deck.chances"] = ["quiet | " + " ".join(["?*9999"] * 20)]


def _a_die_for_the_top(log: Json) -> None:
    body = next(body for body in drawn(log) if any(die["sides"] == 0 for die in body["dice"]))
    at = next(at for at, die in enumerate(body["dice"], 1) if die["sides"] == 0)
    body["dice"][at - 1]["sides"] = 1
    body.setdefault("texts", {})[f"face.{at}"] = "0" * 64


BENDS = [_other_card, _an_open_face, _no_hash, _more_hashes, _without_a_die, _more_sides, _by_hand, _other_place,
         _read_without_the_hand, _fewer_unseen, _a_top_that_is_none, _thousands_on_top, _a_die_for_the_top]  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize("is_opened", [False, True], ids=["closed", "opened"])
async def test_a_bent_draw_next_to_closed_cards_is_named(is_opened: bool) -> None:
    honest = await _evening(is_opened=is_opened)
    assert_seen(honest, BENDS)


def _swap(log: Json, one: str, other: str) -> None:
    """Another card than its face draws is named, and all that hangs on it fits."""
    body = next(body for body in drawn(log) if body["target"] == "march")
    die = body["dice"][0]
    die["value"] = other
    for part in ("before", "after"):
        body.setdefault(part, {})["cards"] = {}
    body["out"] = {"result": other}
    body["result"] = body["result"].replace(one, other)
    goes = {
        "quiet": ("back", ""),
        "rain": ("discard", "discard/rain"),
        "guide": ("removed", "removed/guide"),
    }
    die["to"], key = goes[other]
    for part, count in (("before", 0), ("after", 1)):
        body[part] = {"cards": {f"chances/{key}": count}} if key else {}
        if not key:
            del body[part]


async def test_another_card_than_the_face_draws_is_seen_once_it_is_open(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "deck draw chances to=me", "few march unit='Red 1'")
    for _ in range(3):
        await channel.do("Bob", "roll 2d6")
    closed = await sound(channel, tmp_path)
    log = await opened(channel, tmp_path)
    (event,) = drawn(log)
    was = event["dice"][0]["value"]
    other = next(card for card in ("rain", "guide") if card != was)
    for honest, is_seen in ((closed, False), (log, True)):
        forged = json.loads(json.dumps(honest))
        _swap(forged, was, other)
        _mend(forged, event["number"])
        rechained(forged)
        faults = check(forged).faults
        assert any("do not produce the cards" in fault for fault in faults) is is_seen, faults


def _mend(log: Json, number: int) -> None:
    """Piles that were read later, and the words of the answer, as a careful forger would write
    them.
    """
    for body in bodies(log):
        if body["number"] == number:
            body.pop("said", None)
    log["texts"] = [
        one for one in log["texts"] if not (one["event"] == number and one["key"] == "said")
    ]


async def test_a_top_that_not_all_knew_is_seen_once_it_is_open(tmp_path: Path) -> None:
    """Anna alone looked; the log says that all knew what was on top, which odds of that shot
    would count.
    """
    channel = await ford()
    await channel.do("Anna", "deck peek 1 chances", "few march unit='Red 1'")
    log = await opened(channel, tmp_path)
    (event,) = drawn(log)
    card = event["dice"][0]["value"]
    counts = {one: CARDS.count(one) - (one == card) for one in AP}
    row = " ".join(f"{one}*{count}" if count > 1 else one for one, count in counts.items() if count)
    event["read"]["deck.chances"] = [f"{row} / - | {card} _*6"]
    rechained(log)
    assert any("card faces it sealed do not match" in fault for fault in check(log).faults)


@pytest.mark.slow
@pytest.mark.parametrize("is_opened", [False, True], ids=["closed", "opened"])
async def test_the_verifiers_agree_on_forged_logs_with_closed_draws(
    tmp_path: Path, is_opened: bool
) -> None:
    agree_on_forgeries(await _evening(is_opened=is_opened), Random(26), tmp_path)
