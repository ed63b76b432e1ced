"""The checks whether an event follows the log: players, phases, sides to act, plans and orders.

Each `check_` takes the log so far, the event, and the fields of the game that it changes. It
returns a fault, or "" if there is none.
"""

import re
from collections.abc import Mapping

from bot.game import cups
from bot.game.event_kinds import PATCH, shorten_value
from bot.game.events import compute_card_difference, compute_difference
from bot.game.sides import COMMAND, ORDER, describe_order_sides, has_all_orders, may_open_early
from bot.game.state import Game
from bot.rules.cards import ID, Out
from bot.verification.follows.past import Event, GameFields, Past, find_words_problem

PASSES = "passes"
"""The verb in the result of a `pass` event if the side did nothing with its turn to act."""
HANDS_OVER = "hands over"
"""The verb if the side has acted."""
_PHASE_FIELDS = {"turn", "phase", "turn_of"}


def find_turn_words_problem(words: str, fields: GameFields) -> str:
    """Return a fault if a result does not name the turn in these fields, else "".

    In a phase a title may follow. Only the tables know it, so any title fits.
    """
    turn = fields["turn"]
    if fields.get("phase"):
        fits = re.fullmatch(rf"turn {turn}(, .{{1,100}})?", words) is not None
    else:
        fits = words == f"turn {turn}"
    if fits:
        return ""
    return f"its words are not those of turn {turn}: {shorten_value(words)}."


def find_go_problem(sides: tuple[str, ...], fields: GameFields) -> str:
    """Return a fault if an event lets anything but sides of the game act, or one twice; else ""."""
    go = fields.get("go", ())
    are_sides = len(set(go)) == len(go) and set(go) <= set(sides)
    if are_sides and fields.get("turn_of", "") in ("", *sides):
        return ""
    return "only the game's sides can be to move, each once."


def check_advance(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the event begins the next phase or the next turn, else "".

    See `_find_phase_problem` for what it may change.
    """
    return _find_phase_problem(past, event, fields, event["result"])


def _find_phase_problem(past: Past, event: Event, fields: GameFields, words: str) -> str:
    """Return what is wrong with the phase that an event begins, or "".

    It is in this turn or the next one. Its beginning may only remove markers and numbers of units,
    counts no passes, lets sides of the game act, and prepares the deck that leads the phase. Which
    phase follows, only the tables know. `words` is the part of the result that names turn and
    phase.
    """
    game = past.game
    is_near_turn = fields.get("turn", game.turn) in (game.turn, game.turn + 1)
    if not is_near_turn or not fields.keys() & _PHASE_FIELDS:
        return "the next phase must be in this turn or the next one."
    units_before = past.get_patch(event, "before", "units")
    for key, unit in past.get_patch(event, "after", "units").items():
        old_unit = units_before[key]
        if not old_unit or not unit or not _is_taking_off(old_unit, unit):
            return f"a new phase may only remove markers and numbers, but it changes {shorten_value(key)}."
    if fields.get("passes", game.passes):
        return "nobody can have passed in a phase that has just begun."
    new_phase = {name: fields.get(name, getattr(game, name)) for name in ("turn", "phase")}
    return (
        find_go_problem(game.sides, fields)
        or find_turn_words_problem(words, new_phase)
        or find_led_phase_problem(past, event, fields)
    )


def find_led_phase_problem(past: Past, event: Event, fields: GameFields) -> str:
    """Return what is wrong with the cards at the beginning of a phase, or "".

    If a deck leads the phase, all its chits are in the cup, none is drawn, and all sides may act.
    """
    led = fields.get("led", past.game.led)
    if led:
        sides = fields.get("sides", past.game.sides)
        go = fields.get("go", past.game.go)
        if not ID.fullmatch(led) or [*go] != [*sides]:
            return "a phase that a deck leads begins without a chit."
    expected_game = cups.start_led_phase(past.game, led)
    return find_cards_problem(past, event, expected_game.cards)


def find_cards_problem(past: Past, event: Event, out: Out) -> str:
    """Return a fault unless the patch of an event leads exactly to the card counts `out`, else "".

    `out` holds no zero counts.
    """
    logged_patches = []
    for name in PATCH:
        counts = past.get_patch(event, name, "cards")
        logged_patches.append({"cards": counts} if counts else {})
    if compute_card_difference(past.game.cards, out) == tuple(logged_patches):
        return ""
    return "it changes cards that it neither draws nor moves."


def is_exact_change(event: Event, game: Game, new_game: Game) -> bool:
    """Return whether the patch of an event is exactly the difference of two states of a game."""
    return compute_difference(game, new_game) == (event.get("before", {}), event.get("after", {}))


def _find_chit_end_problem(
    past: Past, event: Event, fields: GameFields, words: str, phase_words: str
) -> str:
    """Return what is wrong with the end of a chit's activation, or "".

    The next phase begins if there are `phase_words`. Otherwise any side may draw the next chit.
    """
    game = past.game
    if not cups.get_chit(game.led) or words != format_chit_words(game):
        return f"it ends the activation of the wrong chit: {shorten_value(words)}."
    if phase_words:
        return _find_phase_problem(past, event, fields, phase_words)
    if is_exact_change(event, game, cups.end_chit_turn(game)):
        return ""
    return "after a chit's activation the next chit must be drawn."


def format_chit_words(game: Game) -> str:
    """Format the result in the log when the active chit's activation is over: `us-1 is done`."""
    return f"{cups.get_chit(game.led)} is done"


def _is_taking_off(old_unit: Event, new_unit: Event) -> bool:
    """Return whether the change of a unit only removes markers and numbers."""
    removable = ("marks", "numbers")
    old_fixed = {name: value for name, value in old_unit.items() if name not in removable}
    new_fixed = {name: value for name, value in new_unit.items() if name not in removable}
    old_marks = set(old_unit.get("marks", ()))
    new_marks = set(new_unit.get("marks", ()))
    old_numbers = old_unit.get("numbers", {})
    new_numbers = new_unit.get("numbers", {})
    return (
        old_fixed == new_fixed
        and new_marks <= old_marks
        and new_numbers.items() <= old_numbers.items()
    )


def check_hand_over(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless a side to act passes or hands over, or a chit is done; else "".

    If that ends the phase, the event begins the next one. Otherwise it changes only the sides to
    act, without that side, and the number of passes in a row.
    """
    game = past.game
    words, _, phase_words = event["result"].partition("; ")
    if game.led:
        return _find_chit_end_problem(past, event, fields, words, phase_words)
    side = _find_passing_side(game, words)
    if not side:
        return f"only a side to move can pass: {shorten_value(words)}."
    if phase_words:
        return _find_phase_problem(past, event, fields, phase_words)
    changed_units = past.get_patch(event, "after", "units")
    changed_cards = past.get_patch(event, "after", "cards")
    if fields.keys() - {"go", "passes"} or changed_units or changed_cards:
        return "a pass changes more than whose turn it is."
    expected_passes = game.passes + 1 if words.endswith(PASSES) else 0
    if fields.get("passes", game.passes) != expected_passes:
        return "it counts the passes in a row wrongly."
    if side in fields.get("go", game.go):
        return "a side that passes must hand over."
    return find_go_problem(game.sides, fields)


def _find_passing_side(game: Game, words: str) -> str:
    """Return the side to act that passes or hands over in these words, or "" if none does."""
    for side in game.go or game.sides:
        if words in (f"{side} {PASSES}", f"{side} {HANDS_OVER}"):
            return side
    return ""


def check_initiative(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the initiative goes to the side that the result names, else ""."""
    side = fields.get("initiative", past.game.initiative)
    if side != event["result"] or side not in past.game.sides:
        return "the initiative must go to one of the sides."
    return find_initiative_go_problem(past, fields)


def find_initiative_go_problem(past: Past, fields: GameFields) -> str:
    """Return what is wrong with the sides to act after the initiative was given, or "".

    Nobody has passed then. In a phase that a deck leads, chits decide which sides may act.
    """
    if fields.get("passes"):
        return "the count of passes must be 0 when the initiative decides who moves."
    if past.game.led and "go" in fields:
        return "here a chit must decide whose turn it is."
    return find_go_problem(past.game.sides, fields)


def check_plan(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the event adds one plan for a turn or removes one, else ""."""
    old_plans = past.game.plans
    new_plans = fields.get("plans", {})
    own_key = str(event["number"])
    removed_keys = [key for key in old_plans if key not in new_plans]
    adds_text = event.get("texts", {}).keys() == {"text"}
    if adds_text and new_plans == {**old_plans, own_key: new_plans.get(own_key)}:
        if event["result"] == f"for turn {new_plans[own_key]}":
            return ""
        return "its words do not match what it plans."
    if len(removed_keys) == 1 and "texts" not in event:
        removed_key = removed_keys[0]
        if {**new_plans, removed_key: old_plans[removed_key]} == old_plans:
            if event["result"] == f"#{removed_key} removed":
                return ""
            return "its words do not match what it removes."
    return "it neither plans something nor removes a plan."


def check_order(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless a player seals an order or sets the deadline for all orders, else "".

    A sealed order replaces the earlier one of the same player.
    """
    game = past.game
    author = event["who"]
    if "texts" not in event:
        deadline = fields.get("orders_due")
        if fields.keys() != {"orders_due"} or (deadline and deadline <= event["at"]):
            return "it neither seals an order nor says when they open."
        return find_words_problem(event, "a deadline" if deadline else "no deadline")
    orders = {number: writer for number, writer in game.orders.items() if writer != author}
    orders[str(event["number"])] = author
    keys = event["texts"].keys()
    if fields != {"orders": orders} or not keys or not keys <= {ORDER, COMMAND}:
        return "it seals something other than the writer's own orders."
    if event["side"] not in game.sides:
        return "a player without a side cannot write orders."
    return find_words_problem(event, f"{event['side']} is in")


def check_opening(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the event opens all sealed orders when it may, else "".

    It may if every side is in, the deadline is over, or its author has the right to open early.
    """
    game = past.game
    if event["reads"] != sorted(map(int, game.orders)):
        return "it opens orders other than those sealed."
    expected_fields: dict[str, object] = {"orders": {}}
    if game.orders_due:
        expected_fields["orders_due"] = 0
    if fields != expected_fields:
        return "it opens the orders, but they stay sealed."
    is_due = has_all_orders(game) or 0 < game.orders_due <= event["at"]
    if not is_due and not may_open_early(game, event["who"], past.seats):
        return "the orders are opened although not every side has written."
    return find_words_problem(event, describe_order_sides(game))


def check_join(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless a person without a side takes a side of the game, else ""."""
    author = event["who"]
    side = event["side"]
    if author in past.game.players or side not in past.game.sides:
        return "it joins a side that does not exist, or while playing for another."
    remaining = [name for name in past.game.self_played if name != side]
    if [*fields.get("self_played", remaining)] != remaining:
        return "a side that is taken over no longer plays itself, and no other side may change."
    if side in past.game.self_played and "self_played" not in fields:
        return "nobody can join a side that plays itself."
    return _find_players_problem(past, fields, {**past.game.players, author: side})


def check_leave(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless a player gives up their own side, else ""."""
    author = event["who"]
    if author not in past.game.players:
        return "a player who leaves must play no side."
    return _find_players_problem(past, fields, _remove_players(past.game, {author}))


def _remove_players(game: Game, persons: set[str]) -> dict[str, str]:
    """Return the players of the game with their sides, without these persons."""
    return {player: side for player, side in game.players.items() if player not in persons}


def _find_players_problem(past: Past, fields: GameFields, players: Mapping[str, str]) -> str:
    """Return a fault if the players with their sides are not `players` after the event, else ""."""
    if fields.get("players", past.game.players) == players:
        return ""
    return "it changes who plays for which side."


def check_import(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless an import promises a new seed and changes at most the game master.

    The importer of a game that has started may become its master. Return "" if all is right.
    """
    if "commitment" not in event["secret"]:
        return "an import must promise a new seed."
    becomes_master = past.game.started and fields.get("master") == event["who"]
    if fields and not becomes_master:
        return "only the player who imports a game can be its game master."
    return find_words_problem(event, f"{past.game.number} events")


def check_privacy(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the author alone leaves the game when their data is deleted, else "".

    An account that is also a person of an imported file leaves as both persons. A master who leaves
    has no successor.
    """
    game = past.game
    author = event["who"]
    remaining_players = fields.get("players", game.players)
    master = fields.get("master", game.master)
    leavers = {author, *(player for player in game.players if player not in remaining_players)}
    if not master:
        leavers.add(game.master)
    further_leavers = leavers - {""} - past.list_persons_of(author)
    only_imported = past.authors_before - past.authors_here
    if len(further_leavers) > 1 or not further_leavers <= only_imported:
        return "somebody else leaves along with the player whose data was deleted."
    expected_master = "" if game.master in leavers else game.master
    if master != expected_master:
        return "it changes who is game master."
    return _find_players_problem(past, fields, _remove_players(game, leavers))


def check_claim(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless a player becomes a person of the imported log, else "".

    The author (`who`) is the claimed person, `own` the person under whom the player wrote since the
    import, if they did. The player keeps a side or the game master's role that they took as `own`.
    """
    game = past.game
    claimed = event["who"]
    claimant = event.get("own", "")
    is_claimable = claimed in past.authors_before - past.authors_here
    is_known = not claimant or claimant in past.authors_here
    if not past.imported_at or claimant == claimed or not is_claimable or not is_known:
        return "only a person of an imported log can be claimed."
    own_side = game.players.get(claimant, "")
    claimed_side = game.players.get(claimed, "")
    if own_side and claimed_side and own_side != claimed_side:
        return "nobody can play two sides."
    takes_over_master = bool(claimant) and game.master == claimant
    expected_master = claimed if takes_over_master else game.master
    if fields.get("master", game.master) != expected_master:
        return "it changes who is game master."
    players = _remove_players(game, {claimant})
    side = claimed_side or own_side
    if side:
        players[claimed] = side
    return _find_players_problem(past, fields, players)
