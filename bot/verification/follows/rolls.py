"""Whether an event follows on those before it: rolls, sealed or open, and the players' part in
the dice.
"""

import re

from bot.game.decks import find_pile_problem
from bot.game.event_kinds import shorten_value
from bot.game.events import (
    COMBAT,
    get_home_game,
    has_dice,
    is_continuation,
)
from bot.game.rights import are_texts_open, has_last_word
from bot.game.roster import apply_change, change_from_json, has_left_fight
from bot.game.state import Game, Json, is_guarded, unit_to_json
from bot.game.tracks import find_track_problem, get_track_keys
from bot.rules import cards
from bot.rules.inputs.decks import DECK
from bot.verification.follows.cards import find_moves_problem
from bot.verification.follows.past import Event, Past, Said, find_words_problem
from bot.verification.follows.turn import find_initiative_go_problem


def find_closing_problem(past: Past, event: Event) -> str:
    """What is wrong with whether the event closes the players' texts: see docs/dice.md, "When
    texts close".
    """
    now = past.now
    who = event["who"]
    closes = event.get("closes", False)
    draws = has_dice(event) and not event.get("hand")
    if closes and not are_texts_open(now):
        return "it closes texts that are not open."
    if closes and has_last_word(now, who):
        return "who added the last text closes the texts."
    if closes and not draws and event["kind"] != "fair":
        return "it closes the texts without a die."
    if draws and are_texts_open(now) and not closes:
        used = past.contents.get(event["number"], event).get("used")
        if not is_guarded(now) or who in (*now.players, now.master) or used:
            return "its dice should have closed the texts."
    return ""


def check_fair_texts(past: Past, event: Event, _: Said) -> str:
    """A text is added, the texts are closed, or the seed in force is revealed."""
    if event.get("closes"):
        if event.keys() & {"secret", "texts", "revealed"} or not past.now.adder:
            return "it closes no texts."
        return find_words_problem(event, "the texts are closed")
    if "secret" not in event:
        return "it neither adds a text to the dice nor reveals a seed."
    if "revealed" not in event:
        if "commitment" in event["secret"] or event.get("texts", {}).keys() != {"text"}:
            return "it neither adds a text to the dice nor reveals a seed."
        return find_words_problem(event, "a text was added")
    epoch = event["revealed"]["epoch"]
    if "commitment" not in event["secret"] or "texts" in event or epoch != past.now.epoch:
        return "who reveals a seed reveals the one in force, and promises a new one."
    if any(number > past.promised for number in past.now.sealed):
        return "a seed is not revealed while a roll under it is sealed."
    return find_words_problem(event, f"seed {epoch} revealed")


def _find_roll_problem(past: Past, roll: Event, event: Event) -> str:
    """What is wrong with a roll, table or sequence, be it the event itself or what was sealed in
    it.
    """
    now = past.now
    kind = roll["kind"]
    command = roll.get("command", "")
    system = roll.get("system", "")
    target = roll.get("target", "")
    wanted = {"roll": "roll", "sequence": f"{system} {target}"}.get(
        kind, f"{system}-table [a-z0-9-]+ {re.escape(target)}"
    )
    asking = past.bodies.get(event["event"]) if is_continuation(roll) else None
    if asking is None and not (
        re.fullmatch(wanted, command) if kind == "table" else command == wanted
    ):
        return f"its command is not that of what was rolled: {shorten_value(command)}."
    if roll.get("hand") and not now.hand_dice:
        return "its dice were thrown by hand, which this game did not allow."
    used = roll.get("used", [])
    for unit in (*used, *roll.get("sources", ())):
        known = now.units.get(unit["name"].casefold())
        if known is None or unit_to_json(known) != unit:
            return f"{shorten_value(unit['name'])} was not as it says when it was used."
    names = [unit["name"] for unit in used]
    if [name for name in names if name in roll.get("acting", ())] != roll.get("acting", []):
        return "units act that it does not use."
    said = {
        **past.get_patch(event, "after", "game").get("tracks", now.tracks),
        **roll.get("tracks", {}),
    }
    if problem := find_pile_problem(now, roll, asking):
        return problem
    return find_track_problem(
        now, roll, event["side"], said, is_own=_is_of_game(now, get_home_game(roll))
    )


def check_roll(past: Past, event: Event, said: Said) -> str:
    """A roll, table or sequence changes the units that it used."""
    if problem := _find_roll_problem(past, event, event) or _find_asking_problem(past, event):
        return problem
    now = past.now
    if event["kind"] == "sequence" and (problem := _find_draws_problem(past, event)):
        return problem
    if "upkeep" in event and not _is_phase_beginning(past, event):
        return "it is the upkeep of a phase that has not just begun."
    if "system" in said and (
        said["system"] != get_home_game(event) or (now.system and (now.started or now.units))
    ):
        return "the system of a game that has units stays."
    if "initiative" in said and (
        event["target"] != "initiative" or said["initiative"] not in now.sides
    ):
        return "it gives the initiative away."
    if said.keys() & {"go", "passes"} and event["target"] != "initiative":
        return "it gives the go away."
    if problem := find_initiative_go_problem(past, said):
        return problem
    before, after = (past.get_patch(event, name, "units") for name in ("before", "after"))
    names = {unit["name"].casefold() for unit in event.get("used", [])}
    for key, unit in after.items():
        if unit is not None and before[key] is None and _is_joining(past, event, unit):
            continue
        if key not in names or unit is None or (before[key] or {}).get("name") != unit["name"]:
            return f"it changes {shorten_value(key)}, which it may not."
    return ""


def _find_draws_problem(past: Past, event: Event) -> str:
    """What is wrong with the cards that a sequence draws: each by a die over its pile, each to
    where its die says.
    """
    dice = event.get("dice", ())
    out = cards.apply_card_draws(past.now.decks, past.now.cards, dice)
    if out is None or not {f"{DECK}{die['deck']}" for die in dice if "deck" in die} <= {
        *event.get("read", ())
    }:
        return "its dice are not those that its pile asks for."
    for used in event.get("uses", ()):
        id = used["deck"]
        card = used["card"]
        if not out.get(cards.get_card_key(id, cards.PLAY, card)):
            return "it uses a card that is not in play."
        out = cards.take_cards(id, out, [card], [cards.PLAY], cards.SETTLED[used["to"]])
    return find_moves_problem(past, event, out)


def _is_phase_beginning(past: Past, event: Event) -> bool:
    """Return whether the phase whose upkeep it is has just begun, with nothing but other upkeep
    before it, and its decks.
    """
    earlier = (past.bodies[at] for at in range(event["number"] - 1, 0, -1))
    before = next((body for body in earlier if body["kind"] != "deck"), {"kind": ""})
    is_new = before["kind"] in ("start", "next", "pass") and {"turn", "phase", "turn_of"} & {
        *past.get_patch(before, "after", "game")
    }
    return event["upkeep"] == past.now.phase and (bool(is_new) or "upkeep" in before)


def _find_asking_problem(past: Past, event: Event) -> str:
    """What is wrong with what an event asks a side for: it changes no unit before that is
    answered.
    """
    asks = event.get("asks")
    if asks is None:
        return ""
    used = [unit["name"] for unit in event.get("used", [])]
    fits = asks["else"] in asks["options"] and len(asks["says"]) == len({*asks["options"]}) == len(
        asks["options"]
    )
    fits = fits and asks.get("units", []) == used and asks.get("side", "") in ("", *past.now.sides)
    fits = fits and {*asks.get("tracks", ())} <= {
        *get_track_keys(_list_tracks(event), event.get("read") or {})
    }
    if not fits or 0 < asks.get("due", 0) <= event["at"]:
        return "it asks for a choice as Grognard does not."
    return (
        "it changes units before the choice is made."
        if past.get_patch(event, "after", "units")
        else ""
    )


def _list_tracks(event: Event) -> list[str]:
    """Return the names of the tracks that an event read; `deck.` names piles."""
    return [name for name in event.get("read") or () if "." in name and not name.startswith(DECK)]


def check_choice(past: Past, event: Event, said: Said) -> str:
    """The side that was asked makes its choice, or its `else` counts at the deadline."""
    now = past.now
    number = event["event"]
    asks = now.waits.get(number)
    first = past.bodies.get(number)
    if asks is None or first is None:
        return f"it answers #{number}, which asks for no choice."
    if (event["system"], event["target"]) != (first["system"], first["target"]):
        return f"it carries on something else than #{number}."
    picks = event["picks"]
    how = event.get("as", "")
    side = asks.get("side", "")
    if len(picks) != len(asks.get("items", [""])) or not {*picks} <= {*asks["options"]}:
        return f"it chooses what #{number} does not ask for."
    if how == ELSE:
        if {*picks} != {asks["else"]} or not 0 < asks.get("due", 0) <= event["at"]:
            return "it counts as nobody chose, before its deadline."
    elif side and event["side"] != side and not (how and side not in now.players.values()):
        return "who chose does not play the side that was asked."
    if event.get("edition") != first.get("edition"):
        return f"it goes on under other rules than #{number}."
    while is_continuation(first):
        first = past.bodies[first["event"]]
    return check_roll(past, {**event, "side": first["side"]}, said)


ELSE, DIRECTOR = "else", "director"
"""Who chose, where that is not the side that was asked: nobody in time, or who directs the game."""


def _is_joining(past: Past, event: Event, unit: Json) -> bool:
    """Return whether a new unit is one that comes into play beside one that was used: of its side,
    without numbers, in any state.
    """
    sides = {one.get("side") for one in event.get("used", [])}
    is_new = not any(one.handle == unit["handle"] for one in past.now.units.values())
    return event["kind"] in COMBAT and is_new and unit.get("side") in sides and unit.keys() <= _NEW


_NEW = {"name", "handle", "type", "side", "state", "marks"}


def check_sealed(past: Past, event: Event, _: Said) -> str:
    """What was sealed, where it is in the file, was a roll that could be made."""
    roll = past.contents.get(event["number"])
    if roll is None:
        return ""
    if roll["kind"] != event["of"] or roll.get("hand", False) != event.get("hand", False):
        return "what was sealed in it is something else than it says."
    return _find_roll_problem(past, roll, event)


def check_reveal(past: Past, event: Event, _: Said) -> str:
    """Who rolled opens one sealed roll."""
    now = past.now
    opens = event["opens"]
    if len(opens) != 1 or opens[0] not in now.sealed:
        return f"it opens what is not sealed: {shorten_value(opens)}."
    owner = now.sealed[opens[0]]
    if owner != event["who"] and owner not in past.left and opens[0] >= past.imported_at:
        return "only who rolled may open what is sealed."
    if event.get("last", now.last) != now.last:
        return "opening what is sealed leaves the last event that held as it was."
    return find_opening_problem(past, event)


def find_opening_problem(past: Past, event: Event) -> str:
    """What opening sealed rolls does to units and says: as they hold it, where they are in the
    file.
    """
    opens = [number for number in event.get("opens", []) if not _was_gone(past, number)]
    if not all(number in past.contents for number in opens):
        return ""  # deleted since, see `missing_faults`; nobody can tell
    said = [_build_title_pattern(number, past.contents[number]) for number in opens]
    if not re.fullmatch("; ".join(said), event.get("result", ""), re.DOTALL):
        return "its words are not what was sealed."
    units = past.now.units
    changed = dict(past.now.units)
    tracks = dict(past.now.tracks)
    for number in opens:
        roll = past.contents[number]
        if number in past.now.withdrawn or not _is_of_game(past.now, get_home_game(roll)):
            continue
        tracks |= roll.get("tracks", {})
        here = {key for key, unit in changed.items() if not has_left_fight(unit)}
        for change in map(change_from_json, roll.get("changes", ())):
            # all of it, for who was in play before this roll
            if (key := change.unit.casefold()) in here:
                changed[key] = apply_change(changed[key], change)
    if past.get_patch(event, "after", "game").get("tracks", past.now.tracks) != tracks:
        return "it changes tracks otherwise than was sealed."
    after = past.get_patch(event, "after", "units")
    for key, unit in units.items():
        now = after.get(key, unit_to_json(unit)) or {}
        due = unit_to_json(changed[key])
        # A state may take the place of markers with its name, which only the tables know.
        if {**now, "marks": ()} != {**due, "marks": ()} or not {*now.get("marks", ())} <= changed[
            key
        ].marks:
            return f"it changes {shorten_value(key)} otherwise than was sealed."
    return "" if after.keys() <= units.keys() else "it brings units that were not there."


def _was_gone(past: Past, number: int) -> bool:
    """Return whether what was sealed was gone before it was opened, so that opening it does
    nothing.
    """
    stayed = number < past.imported_at
    return number not in past.contents and (stayed or past.now.sealed[number] in past.left)


def _build_title_pattern(number: int, roll: Event) -> str:
    """A pattern of what is said of an opened roll; the names of sequences are for the tables to
    know.
    """
    title = (
        re.escape(str(roll["inputs"].get("dice", ""))) if roll["kind"] == "roll" else "[^\n]{1,100}"
    )
    return rf"#{number} {title}: {re.escape(roll.get('result', ''))}"


def _is_of_game(now: Game, system: str) -> bool:
    return not system or now.system in ("", system) or (not now.started and not now.units)
