"""Decks of a pack: read whole, there from the start, drawn as the file says, exported, imported
and verified.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.packs.check import check_path, check_system
from bot.packs.review import review_content
from bot.rules.errors import TableError
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.deck_file import find_questions, read_deck
from bot.rulesets.packs.archive import read_content
from bot.rulesets.packs.pack import load_pack
from bot.ui.spec import Command
from bot.ui.typing.complete import complete_option
from bot.verification.check_file import check
from tests.forging import bodies as bodies_of
from tests.packs.conftest import FEW, PackMaker
from tests.playing import Channel
from tests.random_play import exported_text
from tools import verify_log

CHANCES = """\
title: Chances of war
after: removed
empty: refuse
cards:
  - {id: quiet, name: "All *quiet*", count: 2, after: back}
  - {id: rain, name: Rain, count: 2, ap: 1, wet: true, after: discard}
  - {id: 7, name: "A guide", ap: 2, side: blue}
"""
LEADERS = """\
title: Leaders
keep: hand
hand_limit: 2
shown: no
cards: [{id: lee, ap: 3, count: 3}, {id: hooker, ap: 2, count: 3}]
"""
GAME = "groups: {combat: Combat}\nunits: {types: [unit]}\nturns: by-side\nphases: [{name: fire, go: own}]\n"
FILES: dict[str, str | bytes | None] = {
    "game.yaml": GAME, "decks/chances.yaml": CHANCES, "decks/leaders.yaml": LEADERS
}  # fmt: skip


@pytest.fixture
def pack(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> Path:
    path = make_pack(FILES)
    use_packs(path.parent)
    return path


async def evening() -> Channel:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start few "First" sides="US, VC"', "game join US")
    await channel.do("Bob", "game join VC")
    return channel


async def sound(channel: Channel) -> dict[str, Any]:
    """The exported log, which both checkers find sound."""
    log: dict[str, Any] = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    assert verify_log.check(log).faults == []
    return log


def shape(data: Any) -> Any:
    return read_deck("chances", data, "few/decks/chances.yaml")


async def test_a_game_has_its_decks_from_the_start_and_declares_them_before_their_first_die(
    pack: Path,
) -> None:
    channel = await evening()
    shown = (await channel.do("Anna", "deck show")).format_text()
    assert "Chances of war. 5 of 5 in the pile" in shown
    assert "Rain x2, A guide" in shown
    reply = await channel.do("Anna", "deck draw chances 5")
    assert reply.title.count("Rain") == 2
    assert "A guide: ap 2, side blue" in reply.format_text()
    assert "Rain ×2: ap 1, wet" in reply.format_text()
    bodies = bodies_of(await sound(channel))
    kinds = [one["kind"] for one in bodies]
    assert kinds.index("deck") == kinds.index("draw") - 1
    made = bodies[kinds.index("deck")]["after"]["game"]["decks"]["chances"]
    assert made == {
        "cards": [{"id": "quiet", "count": 2}, {"id": "rain", "count": 2}, {"id": "7", "count": 1}], "empty": "refuse"
    }  # fmt: skip
    await channel.refused("Anna", "deck draw chances", "empty-pile")


async def test_cards_go_where_the_file_says_and_undo_takes_that_back(pack: Path) -> None:
    channel = await evening()
    await channel.do("Anna", "deck draw chances 5")
    reply = await channel.do("Anna", "deck discard all chances")
    assert "2 of 5 in the pile, 2 discarded, 1 out of the game" in reply.format_text()
    assert "takes out of the game A guide" in reply.title
    await channel.do("Anna", "game undo", "game undo", "game redo", "game redo")
    assert (await channel.game()).cards == {"chances/discard/rain": 2, "chances/removed/7": 1}
    await channel.do("Anna", "deck shuffle chances")
    await sound(channel)


async def test_a_deck_for_hands_is_drawn_closed_and_keeps_to_its_limit(pack: Path) -> None:
    channel = await evening()
    await channel.refused("Anna", "deck draw leaders", "missing")
    reply = await channel.do("Anna", "deck draw leaders to=me")
    assert reply.private
    assert "ap " in reply.format_text()
    assert reply.announce is not None
    assert "ap " not in reply.announce.format_text()
    before = (await channel.game()).number
    await channel.refused("Anna", "deck deal 2 leaders", "too-many")
    await channel.refused("Anna", "deck draw leaders 2 to=me", "too-many")
    assert (await channel.game()).number == before
    await channel.do("Anna", "deck draw leaders to=me")
    await channel.do("Bob", "deck draw leaders 2 me")
    held = "lee" if "lee" in (await channel.do("Anna", "hand")).format_text() else "hooker"
    await channel.refused("Anna", f"deck give {held} VC leaders", "too-many")
    reply = await channel.do("Anna", f"deck play {held} leaders")
    assert [button.label for button in reply.buttons] == ["Your hand", "Undo"]
    await channel.do("Anna", "deck draw leaders to=me")
    assert (await channel.do("Bob", "deck draw leaders to=play")).title.startswith("Bob draws ")
    await sound(channel)


async def test_cards_of_turns_show_what_is_left_and_completion_knows_the_decks(pack: Path) -> None:
    channel = await evening()
    await channel.do("Anna", "deck peek 2 chances")
    peeked = (await channel.do("Anna", "game status")).format_text()
    assert "Chances of war: 5 of 5 in the pile" in peeked, "what somebody saw is still in the pile"
    await channel.do("Anna", "deck draw chances 5")
    status = (await channel.do("Anna", "game status")).format_text()
    assert (
        "Chances of war: 0 of 5 in the pile, in play All *quiet*, All *quiet*, Rain, Rain, A guide"
        in status
    )
    assert "Leaders" not in status
    spec = load_shared_registry().get(("deck", "draw"))
    assert spec is not None
    known = await channel.app.get_completion_context(channel.place, channel.who("Anna"))
    offered = [
        choice.value
        for choice in complete_option(spec, "deck", "", load_shared_registry(), known, {})
    ]
    assert offered[:2] == ["chances", "leaders"]


async def test_a_deck_that_is_drawn_from_stays_as_it_was_when_the_pack_changes(pack: Path) -> None:
    channel = await evening()
    await channel.do("Anna", "deck draw chances")
    data = {
        "title": "Chances",
        "cards": [{"id": "rain", "name": "Snow", "count": 9}, {"id": "thaw"}],
    }
    vars(find_shared_system("few"))["decks"] = {"chances": shape(data)}  # what its files say now
    shown = (await channel.do("Anna", "deck show chances")).format_text()
    assert "4 of 5 in the pile" in shown
    assert "Thaw" not in shown
    await channel.do("Anna", "deck draw chances 4", "deck discard all chances", "deck make chances")
    assert "10 of 10 in the pile" in (await channel.do("Anna", "deck show chances")).format_text()
    await sound(channel)


async def test_an_export_with_a_deck_is_imported_and_played_on(pack: Path) -> None:
    channel = await evening()
    await channel.do("Anna", "deck draw chances 2", "fair reveal")
    text = await exported_text(channel)
    assert json.loads(text)["version"] == 2
    other = await Channel.fresh()
    command = Command(("game", "import"), {"file": text}, other.who("Cleo"), other.place, "i1")
    taken = await other.app.run(command)
    assert not taken.error, taken.format_text()
    assert (
        "3 of 5 in the pile, 2 in play"
        in (await other.do("Cleo", "deck show chances")).format_text()
    )
    reply = await other.do("Cleo", "deck draw chances 3")
    assert "0 of 5 in the pile" in reply.format_text()
    await sound(other)


def test_a_pack_that_inherits_may_have_decks_and_one_that_extends_not(make_pack: PackMaker) -> None:
    base = dict.fromkeys(FEW)
    about = str(FEW["pack.yaml"])
    own = {**base, "pack.yaml": f"{about}inherits: nhis\n", "decks/chances.yaml": CHANCES}
    assert [*load_pack(make_pack(own, "own")).decks] == ["chances"]
    more = {**base, "pack.yaml": f"{about}extends: asl\n", "decks/chances.yaml": CHANCES}
    assert "only games have decks" in check_path(make_pack(more, "more")).faults[0]


def test_the_review_and_the_check_name_decks(pack: Path) -> None:
    assert review_content(read_content(pack)).decks == ("Chances of war", "Leaders")
    assert check_system(find_shared_system("few")).about.endswith("0 scenarios, 2 decks")


def test_faults_name_file_line_row_and_column(make_pack: PackMaker) -> None:
    wrong = CHANCES.replace("ap: 2", "ap: two")
    (fault,) = check_path(make_pack({"decks/chances.yaml": wrong})).faults
    assert (
        fault
        == "few/decks/chances.yaml, line 7, row cards 7, column ap: is a word here but a number in rain"
    )
    wrong = CHANCES.replace("name: Rain, count: 2", "name: Rain, count: 0")
    (fault,) = check_path(make_pack({"decks/chances.yaml": wrong})).faults
    assert fault.startswith(
        "few/decks/chances.yaml, line 6, row cards rain, count: must be a whole number from 1"
    )


def one(**card: Any) -> dict[str, Any]:
    return {"title": "T", "cards": [{"id": "a"}, {"id": "b", **card}]}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "must be a mapping with title, cards"),
        ({"cards": [{"id": "a"}]}, "title is missing"),
        ({**one(), "title": "x" * 61}, "at most 60"),
        ({**one(), "kep": "hand"}, "Did you mean keep?"),
        ({**one(), "keep": "secret"}, 'row keep: "secret" is not known here. It can be open, hand'),
        (
            {**one(), "after": []},
            'row after: "[]" is not known here. It can be discard, removed, back',
        ),
        ({**one(), "empty": "stop"}, "It can be reshuffle, refuse"),
        ({**one(), "hand_limit": 0}, "from 1 to 60"),
        ({**one(), "hand_limit": True}, "from 1 to 60"),
        ({**one(), "shown": "no"}, "row shown: must be true or false"),
        ({"title": "T", "cards": []}, "cards is missing"),
        ({"title": "T", "cards": {"a": 2}}, "1 to 400"),
        ({"title": "T", "cards": ["a"]}, "row cards 1: must be a mapping with id"),
        ({"title": "T", "cards": [{"id": n} for n in range(401)]}, "1 to 400"),
        (
            {"title": "T", "cards": [{"id": "a", "count": 600}, {"id": "b", "count": 600}]},
            "has 1200 cards",
        ),
        (one(id=True), "row cards 2, id: must be a name of letters"),
        (one(id="12.w1"), "row cards 12.w1, id: must be a name of letters"),
        (one(id="x/y"), "row cards x/y, id"),
        (one(id="All"), "all means all cards"),
        (one(id="a"), "column id: is listed twice; write count: 2"),
        (one(id="A"), "column id: is also the name of a"),
        (one(name="A"), "column name: is also the name of a"),
        (one(name="all"), "all means all cards"),
        (one(name="Rain, heavy"), "without , and ;"),
        (one(name="x" * 41), "at most 40"),
        (one(name="a\u202eb"), "column name"),
        (one(name=["a"]), "row cards b, name: must be a text of at most 40"),
        (
            one(count=0),
            "row cards b, count: must be a whole number from 1 to 1000, not 0: the number of copies",
        ),
        (one(count=True), "row cards b, count"),
        (one(count=10**9), "row cards b, count"),
        (one(after="gone"), 'row cards b, after: "gone" is not known here. It can be discard'),
        (one(cuont=2), "Did you mean count?"),
        (one(Ap=2), "column Ap: must have a name of"),
        (one(ap=10**9), "column ap: must be a number from"),
        (one(ap=float("nan")), "column ap: must be a number from"),
        (one(ap=[1]), "row cards b, ap: must be a text or a number or true or false"),
        (one(word="x" * 41), "column word"),
        (one(**{f"k{n}": n for n in range(13)}), "more than 12"),
    ],
)
def test_a_deck_laid_out_wrong_is_refused_in_one_line(data: Any, says: str) -> None:
    with pytest.raises(TableError) as caught:
        shape(data)
    assert says in str(caught.value)
    assert str(caught.value).startswith("few/decks/chances.yaml")
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["7", "standard-52", "Cup", "x" * 25])
def test_a_deck_needs_a_name_that_can_be_typed(name: str) -> None:
    with pytest.raises(TableError, match="a deck's name has at most"):
        read_deck(name, one(), "f")


def test_odd_decks_are_asked_about() -> None:
    (asked,) = find_questions(shape(one(ap=2)), "few/decks/chances.yaml")
    assert (
        asked
        == "few/decks/chances.yaml, row cards a, column ap: is missing, although 1 of 2 cards have it"
    )
    assert [*find_questions(shape(one(asterisk=True)), "f")] == []
    (asked,) = find_questions(shape({**one(), "after": "removed"}), "f")
    assert "nothing to reshuffle" in asked
