"""A channel's game in values: played, undone and continued without a store."""

from __future__ import annotations

from dataclasses import replace

from bot.game.events import replay
from bot.game.ledger import EventWriter, Ledger
from bot.game.roster import add_units, create_unit
from bot.game.state import Game
from bot.game.undo import build_undo_fields, find_undo_target
from bot.rules.proof.chain import compute_event_hash, compute_genesis
from bot.rulesets.catalog import load_shared_systems

ANNA = EventWriter("console:anna", "Anna", 1_000)
BOB = EventWriter("console:bob", "Bob", 1_060)


def start_game() -> Ledger:
    """Anna starts a game of lnlt, #1, and adds a squad to the US, #2."""
    lnlt = load_shared_systems()["lnlt"]
    ledger = Ledger(None, ANNA, load_shared_systems())
    ledger.begin(Game("", system="lnlt", name="Ford", started=True, sides=("US", "VC")))
    squad = create_unit("Rifle 1", "squad", "US", "", lnlt, {})
    ledger.add("unit", add_units(ledger.game, [squad]), result="Rifle 1 added")
    return ledger


def test_the_events_of_a_game_explain_its_state() -> None:
    """The change that a store would get is enough to replay the game and to check its chain."""
    ledger = start_game()
    change = ledger.build_change()
    assert change is not None
    assert [event.number for event in change.events] == [1, 2]
    game = replay(change.game, [event.data for event in change.events])
    assert game == ledger.game
    assert [unit.name for unit in game.units.values()] == ["Rifle 1"]
    previous_hash = compute_genesis(change.game)
    for event in change.events:
        assert event.hash == compute_event_hash(previous_hash, event.body)
        previous_hash = event.hash
    assert ledger.head == previous_hash


def test_an_undo_takes_events() -> None:
    """The squad of #2 is off the roster again after #3."""
    ledger = start_game()
    target = find_undo_target(ledger.bodies[::-1], ledger.game.last, 2)
    assert target.event is not None
    assert target.way is None
    ledger.add("undo", **build_undo_fields(target.event, target.last, ledger.game))
    assert not ledger.game.units
    assert (ledger.game.number, ledger.game.last, ledger.game.redo) == (3, 1, (2,))


def test_the_next_command_continues_the_loaded_game() -> None:
    """Bob's event follows on Anna's, and he is another person of the same game."""
    ledger = start_game()
    loaded = ledger.build_loaded_game(("console:here",))
    next_ledger = Ledger(loaded, BOB, load_shared_systems())
    bob = next_ledger.ensure_person()
    next_ledger.add("join", replace(next_ledger.game, players={bob: "VC"}))
    [event] = next_ledger.events
    assert event.number == 3
    assert event.hash == compute_event_hash(ledger.head, event.body)
    assert event.data["who"] == bob
    loaded = next_ledger.build_loaded_game(loaded.places)
    anna = loaded.find_person("console:anna")
    assert anna is not None
    assert anna.person != bob
    assert loaded.game.players == {bob: "VC"}
    assert (loaded.version, loaded.head) == (2, event.hash)
