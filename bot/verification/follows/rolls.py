"""The checks whether an event follows the log: open and sealed rolls, and texts for the dice.

Each `check_` takes the log so far, the event, and the fields of the game that it changes. It
returns a fault, or "" if there is none.
"""

import re
from collections.abc import Iterable

from bot.game.decks import find_pile_problem
from bot.game.event_kinds import shorten_value
from bot.game.events import (
    COMBAT,
    get_home_game,
    has_dice,
    is_continuation,
)
from bot.game.rights import are_texts_open, has_last_word
from bot.game.roster import apply_change, change_from_json
from bot.game.state import Game, Json, is_guarded, unit_to_json
from bot.game.tracks import find_track_problem, get_track_keys
from bot.rules import cards
from bot.rules.inputs.decks import DECK
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.system import is_lost
from bot.verification.follows.cards import find_moves_problem
from bot.verification.follows.past import Event, GameFields, Past, find_words_problem
from bot.verification.follows.turn import find_initiative_go_problem

ELSE = "else"
"""The field `as` of a choice that nobody made in time, so that its `else` counts."""
DIRECTOR = "director"
"""The field `as` of a choice that the person who directs the game made for a side."""
_JOINING_FIELDS = {"name", "handle", "type", "side", "state", "marks"}


def find_closing_problem(past: Past, event: Event) -> str:
    """Return a fault if an event wrongly closes the players' texts, or leaves them open; else "".

    The first die that Grognard rolls closes them, or `/fair close`. The author of the last text
    cannot close them. In a game with sides, an outsider's roll need not close them unless it uses
    units. See docs/dice-protocol.md, "When texts close".
    """
    game = past.game
    author = event["who"]
    closes = event.get("closes", False)
    rolls_dice = has_dice(event) and not event.get("hand")
    if closes and not are_texts_open(game):
        return "it closes words that are not open."
    if closes and has_last_word(game, author):
        return "the player who added the last words must not close them."
    if closes and not rolls_dice and event["kind"] != "fair":
        return "it closes the words but rolls no die."
    if rolls_dice and are_texts_open(game) and not closes:
        takes_part = not is_guarded(game) or author in (*game.players, game.master)
        uses_units = past.contents.get(event["number"], event).get("used")
        if takes_part or uses_units:
            return "its dice should have closed the words."
    return ""


def check_fair_texts(past: Past, event: Event, _: GameFields) -> str:
    """Return a fault unless the event adds a text, closes the texts, or reveals the seed; else "".

    Who reveals the seed in force promises a new one. No sealed roll may depend on the revealed one.
    """
    if event.get("closes"):
        if event.keys() & {"secret", "texts", "revealed"} or not past.game.adder:
            return "it closes no words."
        return find_words_problem(event, "the texts are closed")
    if "secret" not in event:
        return "it neither adds words to the dice nor reveals a seed."
    promises_seed = "commitment" in event["secret"]
    if "revealed" not in event:
        if promises_seed or event.get("texts", {}).keys() != {"text"}:
            return "it neither adds words to the dice nor reveals a seed."
        return find_words_problem(event, "a text was added")
    epoch = event["revealed"]["epoch"]
    if not promises_seed or "texts" in event or epoch != past.game.epoch:
        return "a reveal must publish the seed in force and promise a new one."
    if any(number > past.promised_at for number in past.game.sealed):
        return "a seed must not be revealed while a roll under it is sealed."
    return find_words_problem(event, f"seed {epoch} revealed")


def _find_roll_problem(past: Past, roll: Event, event: Event) -> str:
    """Return the first thing that is wrong with a roll, table or sequence, or "".

    Its command must be the one that rolls it, and dice thrown by hand must be allowed. Units that
    it uses must be as in the game, and only these may act. Tracks and piles must fit the game, too.
    `roll` is the `event` itself, or what was sealed in it.
    """
    game = past.game
    asking_event = past.bodies.get(event["event"]) if is_continuation(roll) else None
    if asking_event is None and not _is_right_command(roll):
        command = shorten_value(roll.get("command", ""))
        return f"its command does not match what was rolled: {command}."
    if roll.get("hand") and not game.hand_dice:
        return "its dice were thrown by hand, which this game did not allow."
    used_units = roll.get("used", [])
    for logged_unit in (*used_units, *roll.get("sources", ())):
        unit = game.units.get(logged_unit["name"].casefold())
        if unit is None or unit_to_json(unit) != logged_unit:
            return f"{shorten_value(logged_unit['name'])} was not as described when it was used."
    acting = roll.get("acting", [])
    used_names = [unit["name"] for unit in used_units]
    if [name for name in used_names if name in acting] != acting:
        return "units that are not in it act."
    pile_problem = find_pile_problem(game, roll, asking_event)
    if pile_problem:
        return pile_problem
    event_tracks = past.get_patch(event, "after", "game").get("tracks", game.tracks)
    new_tracks = {**event_tracks, **roll.get("tracks", {})}
    is_own = _is_of_game(game, get_home_game(roll))
    return find_track_problem(game, roll, event["side"], new_tracks, is_own=is_own)


def _is_right_command(roll: Event) -> bool:
    """Return whether the command of a roll, table or sequence is the one that rolls it."""
    command: str = roll.get("command", "")
    system = roll.get("system", "")
    target = roll.get("target", "")
    if roll["kind"] == "roll":
        return command == "roll"
    if roll["kind"] == "sequence":
        return command == f"{system} {target}"
    pattern = f"{system}-table [a-z0-9-]+ {re.escape(target)}"
    return re.fullmatch(pattern, command) is not None


def check_roll(past: Past, event: Event, fields: GameFields) -> str:
    """Return the first fault of an open roll, table or sequence, or "" if it is right.

    Its inputs, the choice that it asks for and the cards that it draws must fit the game. Upkeep
    comes at the beginning of a phase. The event may change the units that it used, add units (see
    `_is_joining`), and give the initiative if it is a roll for it.
    """
    problem = _find_roll_problem(past, event, event) or _find_asking_problem(past, event)
    if not problem and event["kind"] == "sequence":
        problem = _find_draws_problem(past, event)
    if problem:
        return problem
    if "upkeep" in event and not _is_phase_beginning(past, event):
        return "it is the upkeep of a phase that has not just begun."
    if "final" in event and past.game.players:
        return "it says that it draws the sides, but a player has one."
    return (
        _find_roll_fields_problem(past, event, fields)
        or find_initiative_go_problem(past, fields)
        or _find_roll_units_problem(past, event)
    )


def _find_roll_fields_problem(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault if a roll changes a field of the game that it may not, else "".

    It may set its own rule set for a game that has none, or that has no units and has not started.
    Only a roll for the initiative may set the initiative, to a side of the game, and the sides to
    act.
    """
    game = past.game
    is_initiative = event.get("target") == "initiative"
    if "system" in fields:
        is_fixed = bool(game.system) and (game.started or bool(game.units))
        if is_fixed or fields["system"] != get_home_game(event):
            return "a game that has units must keep its system."
    if "initiative" in fields:
        if not is_initiative or fields["initiative"] not in game.sides:
            return "it gives the initiative away."
    if fields.keys() & {"go", "passes"} and not is_initiative:
        return "it gives the turn away."
    return ""


def _find_roll_units_problem(past: Past, event: Event) -> str:
    """Return a fault if a roll changes a unit that it neither used nor may add, else "".

    It may not remove or rename a unit either.
    """
    units_before = past.get_patch(event, "before", "units")
    used_keys = {unit["name"].casefold() for unit in event.get("used", [])}
    for key, unit in past.get_patch(event, "after", "units").items():
        old_unit = units_before[key]
        if unit is not None and old_unit is None and _is_joining(past, event, unit):
            continue
        old_name = old_unit["name"] if old_unit else None
        if key not in used_keys or unit is None or unit["name"] != old_name:
            return f"it changes {shorten_value(key)}, which it may not."
    return ""


def _find_draws_problem(past: Past, event: Event) -> str:
    """Return what is wrong with the cards that a sequence draws and uses up, or "".

    Each card is drawn by a die with as many sides as its pile has cards, and goes where the die
    says. The piles must be among what the sequence read.
    """
    dice = event.get("dice", ())
    out = cards.apply_card_draws(past.game.decks, past.game.cards, dice)
    piles = {f"{DECK}{die['deck']}" for die in dice if "deck" in die}
    if out is None or not piles <= {*event.get("read", ())}:
        return "its dice are not the ones its pile needs."
    for use in event.get("uses", ()):
        id = use["deck"]
        card = use["card"]
        if not out.get(cards.get_card_key(id, cards.PLAY, card)):
            return "it uses a card that is not in play."
        out = cards.take_cards(id, out, [card], [cards.PLAY], cards.SETTLED[use["to"]])
    return find_moves_problem(past, event, out)


def _is_phase_beginning(past: Past, event: Event) -> bool:
    """Return whether the upkeep in an event is for the current phase, and that has just begun.

    Since the phase began there may be only other upkeep, and the phase's decks.
    """
    if event["upkeep"] != past.game.phase:
        return False
    number = event["number"] - 1
    while number > 0 and past.bodies[number]["kind"] == "deck":
        number -= 1
    if number <= 0:
        return False
    previous = past.bodies[number]
    if "upkeep" in previous:
        return True
    changed_fields = past.get_patch(previous, "after", "game").keys()
    begins_phase = bool(changed_fields & {"turn", "phase", "turn_of"})
    return begins_phase and previous["kind"] in ("start", "next", "pass")


def _find_asking_problem(past: Past, event: Event) -> str:
    """Return what is wrong with the choice that an event asks a side for, or "".

    The choice must fit the event, and a deadline must be later than the event. The event changes no
    units before the choice is made. Return "" for an event that asks for none.
    """
    choice = event.get("asks")
    if choice is None:
        return ""
    deadline = choice.get("due", 0)
    if not _is_valid_choice(past.game, event, choice) or 0 < deadline <= event["at"]:
        return "it asks for a choice in a way that Grognard never does."
    if past.get_patch(event, "after", "units"):
        return "it changes units before the choice is made."
    return ""


def _is_valid_choice(game: Game, event: Event, choice: Json) -> bool:
    """Return whether a choice has different options with a sentence each, and fits its event.

    Its side, units and tracks must be those of the game and of the event that asks.
    """
    options = choice["options"]
    if len({*options}) < len(options) or len(choice["says"]) != len(options):
        return False
    if choice["else"] not in options or choice.get("side", "") not in ("", *game.sides):
        return False
    used_names = [unit["name"] for unit in event.get("used", [])]
    track_keys = get_track_keys(_list_tracks(event), event.get("read") or {})
    return choice.get("units", []) == used_names and {*choice.get("tracks", ())} <= {*track_keys}


def _list_tracks(event: Event) -> list[str]:
    """Return the names of the tracks that an event read; `deck.` names piles."""
    return [name for name in event.get("read") or () if "." in name and not name.startswith(DECK)]


def check_choice(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless an event makes a pending choice and is right as a roll, else "".

    The side that was asked makes the choice, or someone for it if nobody plays it. At the deadline
    its `else` counts. Rule set, sequence and edition are those of the event that asked.
    """
    number = event["event"]
    choice = past.game.waits.get(number)
    asking_event = past.bodies.get(number)
    if choice is None or asking_event is None:
        return f"it answers #{number}, which asks for no choice."
    is_same_sequence = event["system"] == asking_event["system"]
    if not is_same_sequence or event["target"] != asking_event["target"]:
        return f"it does not continue #{number}."
    problem = _find_picks_problem(past.game, event, choice)
    if problem:
        return problem
    if event.get("edition") != asking_event.get("edition"):
        return f"it continues #{number} under other rules."
    first_event = asking_event
    while is_continuation(first_event):
        first_event = past.bodies[first_event["event"]]
    return check_roll(past, {**event, "side": first_event["side"]}, fields)


def _find_picks_problem(game: Game, event: Event, choice: Json) -> str:
    """Return a fault unless the side that was asked picks options of the choice, else "".

    It picks one option for each item. Someone may pick for a side that nobody plays. Once the
    deadline is over, `else` may be picked by anybody. `choice` is what the earlier event asked.
    """
    picks = event["picks"]
    picked_as = event.get("as", "")
    side = choice.get("side", "")
    pick_count = len(choice.get("items", [""]))
    if len(picks) != pick_count or not {*picks} <= {*choice["options"]}:
        return f"it chooses what #{event['event']} does not ask for."
    if picked_as == ELSE:
        is_overdue = 0 < choice.get("due", 0) <= event["at"]
        if {*picks} != {choice["else"]} or not is_overdue:
            return "it takes the default choice before the deadline."
    elif side and event["side"] != side:
        is_stand_in = picked_as and side not in game.players.values()
        if not is_stand_in:
            return "the player who chose does not play the side that was asked."
    return ""


def _is_joining(past: Past, event: Event, unit: Json) -> bool:
    """Return whether a new unit may come into play by a sequence.

    It must have a new handle, be of the side of a unit that was used, and have no numbers.
    """
    if event["kind"] not in COMBAT or not unit.keys() <= _JOINING_FIELDS:
        return False
    used_sides = {used_unit.get("side") for used_unit in event.get("used", [])}
    handles = {game_unit.handle for game_unit in past.game.units.values()}
    return unit.get("side") in used_sides and unit["handle"] not in handles


def check_sealed(past: Past, event: Event, _: GameFields) -> str:
    """Return a fault if what was sealed in an event is a wrong roll or of another kind, else "".

    A content that is not in the file cannot be checked, so return "" for it. Whether its dice lead
    to its outcome is not checked here.
    """
    roll = past.contents.get(event["number"])
    if roll is None:
        return ""
    if roll["kind"] != event["of"] or roll.get("hand", False) != event.get("hand", False):
        return "what was sealed in it is not what it says."
    return _find_roll_problem(past, roll, event)


def check_reveal(past: Past, event: Event, _: GameFields) -> str:
    """Return a fault unless the event opens one sealed roll, by the person who rolled it; else "".

    Others may open it if its owner had their data deleted, or if it was sealed before an import.
    The words and changes of the event must be those of the roll, see `find_opening_problem`.
    """
    game = past.game
    opened_rolls = event["opens"]
    if len(opened_rolls) != 1 or opened_rolls[0] not in game.sealed:
        return f"it opens what is not sealed: {shorten_value(opened_rolls)}."
    number = opened_rolls[0]
    owner = game.sealed[number]
    is_ownerless = owner in past.erased or number < past.imported_at
    if owner != event["who"] and not is_ownerless:
        return "only the player who rolled may open a sealed roll."
    if event.get("last", game.last) != game.last:
        return "opening a sealed roll must not change which event was last."
    return find_opening_problem(past, event)


def find_opening_problem(past: Past, event: Event) -> str:
    """Return what is wrong with the result, units and tracks of an event that opens rolls, or "".

    They must be as the opened rolls say. If one of these is not in the file although it should be,
    return "": nobody can tell, and `find_missing_faults` reports it.
    """
    game = past.game
    opened_rolls = [number for number in event.get("opens", []) if not _was_gone(past, number)]
    if not all(number in past.contents for number in opened_rolls):
        return ""
    patterns = [_build_title_pattern(number, past.contents[number]) for number in opened_rolls]
    if not re.fullmatch("; ".join(patterns), event.get("result", ""), re.DOTALL):
        return "its words are not what was sealed."
    changed_units, changed_tracks = _apply_opened_rolls(past, opened_rolls)
    if past.get_patch(event, "after", "game").get("tracks", game.tracks) != changed_tracks:
        return "it does not change tracks the way that was sealed."
    units_after = past.get_patch(event, "after", "units")
    is_system_missing = bool(game.system) and game.system not in past.systems
    for key, unit in game.units.items():
        logged_unit = units_after.get(key, unit_to_json(unit)) or {}
        if is_system_missing and logged_unit == unit_to_json(unit):
            continue  # nobody can tell whether it was out of the game by then
        if not _fits_changed_unit(logged_unit, changed_units[key]):
            return f"it does not change {shorten_value(key)} the way that was sealed."
    if units_after.keys() <= game.units.keys():
        return ""
    return "it adds units that were not there."


def _apply_opened_rolls(
    past: Past, numbers: Iterable[int]
) -> tuple[dict[str, RosterUnit], dict[str, object]]:
    """Return the units and tracks of the game after the changes of these sealed rolls.

    Rolls that were undone, and those of another rule set than the game's, change nothing. A roll
    changes only units that had not left the fight before it.
    """
    game = past.game
    system = past.systems.get(game.system)
    units = dict(game.units)
    tracks: dict[str, object] = dict(game.tracks)
    for number in numbers:
        roll = past.contents[number]
        if number in game.withdrawn or not _is_of_game(game, get_home_game(roll)):
            continue
        tracks |= roll.get("tracks", {})
        keys_in_play = {key for key, unit in units.items() if not is_lost(unit, system)}
        for change in map(change_from_json, roll.get("changes", ())):
            key = change.unit.casefold()
            if key in keys_in_play:
                units[key] = apply_change(units[key], change)
    return units, tracks


def _fits_changed_unit(logged_unit: Event, unit: RosterUnit) -> bool:
    """Return whether a unit in the log is as expected. Markers may be missing, but not added.

    A state may replace markers of the same name, which only the tables know.
    """
    expected = unit_to_json(unit)
    if {**logged_unit, "marks": ()} != {**expected, "marks": ()}:
        return False
    return {*logged_unit.get("marks", ())} <= unit.marks


def _was_gone(past: Past, number: int) -> bool:
    """Return whether a sealed content was lost before its event was opened.

    Opening the event then does nothing. The content was lost if it stayed where the game was
    imported from, or if the data of the person who rolled was deleted.
    """
    if number in past.contents:
        return False
    return number < past.imported_at or past.game.sealed[number] in past.erased


def _build_title_pattern(number: int, roll: Event) -> str:
    """Build a regular expression for the result of an event that opens a roll.

    Only the tables know the title of a sequence, so any title fits.
    """
    title = "[^\n]{1,100}"
    if roll["kind"] == "roll":
        title = re.escape(str(roll["inputs"].get("dice", "")))
    return rf"#{number} {title}: {re.escape(roll.get('result', ''))}"


def _is_of_game(game: Game, system: str) -> bool:
    """Return whether results of a rule set count in the game.

    They do if it is the rule set of the game, or the game has none yet. "" stands for plain rolls.
    """
    is_empty = not game.started and not game.units
    return not system or game.system in ("", system) or is_empty
