"""Whether an event follows on those before it: who plays, turns, phases, whose go it is, plans
and sealed orders.
"""

import re
from collections.abc import Mapping

from bot.game import cups
from bot.game.event_kinds import PATCH, shorten_value
from bot.game.events import compute_card_difference, compute_difference
from bot.game.sides import COMMAND, ORDER, describe_order_sides, has_all_orders, may_open_early
from bot.game.state import Game
from bot.rules.cards import ID, Out
from bot.verification.follows.past import Event, Past, Said, find_words_problem

PASSES, HANDS_OVER = "passes", "hands over"
"""What the log says of a side that did nothing with its go, and of one that acted."""
_WHERE = ("turn", "phase", "turn_of")


def find_turn_words_problem(words: str, game: Said) -> str:
    """What is wrong with the words for a turn and phase."""
    turn = game["turn"]
    fits = (
        re.fullmatch(rf"turn {turn}(, .{{1,100}})?", words)
        if game.get("phase")
        else words == f"turn {turn}"
    )
    return "" if fits else f"its words are not those of turn {turn}: {shorten_value(words)}."


def find_go_problem(sides: tuple[str, ...], said: Said) -> str:
    """What is wrong with whose go it is behind an event that changes `said` of the game."""
    go = said.get("go", ())
    fits = (
        len(set(go)) == len(go)
        and set(go) <= set(sides)
        and said.get("turn_of", "") in ("", *sides)
    )
    return "" if fits else "the go is that of sides of the game."


def check_advance(past: Past, event: Event, said: Said) -> str:
    """The next phase, or the next turn."""
    return _find_phase_problem(past, event, said, event["result"])


def _find_phase_problem(past: Past, event: Event, said: Said, words: str) -> str:
    """What is wrong with how an event leads into another phase, and with the words for that."""
    now = past.now
    if said.get("turn", now.turn) not in (now.turn, now.turn + 1) or not said.keys() & set(_WHERE):
        return "the next phase is in this turn or in the next one."
    for key, after in past.get_patch(event, "after", "units").items():
        before = past.get_patch(event, "before", "units")[key]
        if not before or not after or not _is_taking_off(before, after):
            return f"a new phase only takes markers and numbers off, but it changes {shorten_value(key)}."
    if said.get("passes", now.passes):
        return "nobody has passed in a phase that has just begun."
    where = {name: said.get(name, getattr(now, name)) for name in ("turn", "phase")}
    return (
        find_go_problem(now.sides, said)
        or find_turn_words_problem(words, where)
        or find_led_problem(past, event, said)
    )


def find_led_problem(past: Past, event: Event, said: Said) -> str:
    """What is wrong with how a phase begins that a cup leads, or none: the cup is filled anew,
    and any side draws.
    """
    led = said.get("led", past.now.led)
    sides = said.get("sides", past.now.sides)
    if led and not (ID.fullmatch(led) and [*said.get("go", past.now.go)] == [*sides]):
        return "a phase that a deck leads begins without a chit."
    return find_cards_problem(past, event, cups.start_led_phase(past.now, led).cards)


def find_cards_problem(past: Past, event: Event, out: Out) -> str:
    """What is wrong with what an event changes of cards, which is to lead to these out of the
    piles.
    """
    told = tuple(
        [
            {"cards": cards} if (cards := past.get_patch(event, name, "cards")) else {}
            for name in PATCH
        ]
    )
    return (
        ""
        if compute_card_difference(past.now.cards, out) == told
        else "it changes other cards than it draws or moves."
    )


def is_exact_change(event: Event, now: Game, then: Game) -> bool:
    """Return whether an event says all that it changes, and nothing else."""
    return compute_difference(now, then) == (event.get("before", {}), event.get("after", {}))


def _find_chit_end_problem(past: Past, event: Event, said: Said, words: str, where: str) -> str:
    """What is wrong with the end of a chit's go: any side draws the next, or the next phase
    begins.
    """
    now = past.now
    if not cups.get_chit(now.led) or words != format_chit_words(now):
        return f"it ends the go of another chit than has it: {shorten_value(words)}."
    if where:
        return _find_phase_problem(past, event, said, where)
    return (
        ""
        if is_exact_change(event, now, cups.end_chit_turn(now))
        else "behind the go of a chit the next one is drawn."
    )


def format_chit_words(game: Game) -> str:
    """What the log says when the go of the chit is over: cards are told by their ids."""
    return f"{cups.get_chit(game.led)} is done"


def _is_taking_off(before: Event, after: Event) -> bool:
    """Return whether a unit only loses markers, and numbers that last no longer than a turn."""
    cut = ("marks", "numbers")
    rest = [
        {name: value for name, value in unit.items() if name not in cut} for unit in (before, after)
    ]
    marks = set(before.get("marks", ()))
    numbers = before.get("numbers", {})
    left = set(after.get("marks", ()))
    kept = after.get("numbers", {})
    return rest[0] == rest[1] and left <= marks and kept.items() <= numbers.items()


def check_hand_over(past: Past, event: Event, said: Said) -> str:
    """A side hands the go over, or passes; where that ends the phase, the next one begins."""
    now = past.now
    words, _, where = event["result"].partition("; ")
    if now.led:
        return _find_chit_end_problem(past, event, said, words, where)
    side = next(
        (
            side
            for side in now.go or now.sides
            if words in (f"{side} {PASSES}", f"{side} {HANDS_OVER}")
        ),
        "",
    )
    if not side:
        return f"nobody passes whose go it is not: {shorten_value(words)}."
    if where:
        return _find_phase_problem(past, event, said, where)
    if said.keys() - {"go", "passes"} or any(
        past.get_patch(event, "after", part) for part in ("units", "cards")
    ):
        return "a pass changes more than whose go it is."
    if said.get("passes", now.passes) != (now.passes + 1 if words.endswith(PASSES) else 0):
        return "it counts the passes in a row wrongly."
    if side in said.get("go", now.go):
        return "whoever passes hands the go over."
    return find_go_problem(now.sides, said)


def check_initiative(past: Past, event: Event, said: Said) -> str:
    """The initiative goes to a side, by itself or by a roll for it; its go may begin with that."""
    side = said.get("initiative", past.now.initiative)
    if side != event["result"] or side not in past.now.sides:
        return "the initiative goes to one of the sides."
    return find_initiative_go_problem(past, said)


def find_initiative_go_problem(past: Past, said: Said) -> str:
    """What is wrong with the go that comes with the initiative."""
    if said.get("passes"):
        return "nobody has passed when the initiative brings the go anew."
    if past.now.led and "go" in said:
        return "a chit says whose go it is."
    return find_go_problem(past.now.sides, said)


def check_plan(past: Past, event: Event, said: Said) -> str:
    """Something is planned for a turn, or a plan is removed."""
    now = past.now
    own = str(event["number"])
    plans = said.get("plans", {})
    gone = [at for at in now.plans if at not in plans]
    if (
        not gone
        and event.get("texts", {}).keys() == {"text"}
        and plans == {**now.plans, own: plans.get(own)}
    ):
        return (
            ""
            if event["result"] == f"for turn {plans[own]}"
            else "its words are not those of what it plans."
        )
    if (
        len(gone) == 1
        and "texts" not in event
        and {**plans, gone[0]: now.plans[gone[0]]} == now.plans
    ):
        return (
            ""
            if event["result"] == f"#{gone[0]} removed"
            else "its words are not those of what it removes."
        )
    return "it neither plans something nor removes a plan."


def check_order(past: Past, event: Event, said: Said) -> str:
    """Somebody seals an order, in place of the one that they wrote before; or says when they
    open at the latest.
    """
    now = past.now
    who = event["who"]
    if "texts" not in event:
        due = said.get("orders_due")
        if said.keys() != {"orders_due"} or (due and due <= event["at"]):
            return "it neither seals an order nor says when they open."
        return find_words_problem(event, "a deadline" if due else "no deadline")
    orders = {**{at: by for at, by in now.orders.items() if by != who}, str(event["number"]): who}
    if (
        said != {"orders": orders}
        or not event["texts"].keys() <= {ORDER, COMMAND}
        or not event["texts"]
    ):
        return "it seals something else than an order of who wrote it."
    if event["side"] not in now.sides:
        return "who plays no side writes no orders."
    return find_words_problem(event, f"{event['side']} is in")


def check_opening(past: Past, event: Event, said: Said) -> str:
    """Return what is wrong with opening the orders: every side is in, the deadline is over, or
    its writer may do so.
    """
    now = past.now
    who = event["who"]
    if event["reads"] != sorted(map(int, now.orders)):
        return "it opens other orders than were sealed."
    if said != {"orders": {}, **({"orders_due": 0} if now.orders_due else {})}:
        return "it opens the orders, but they stay sealed."
    is_due = has_all_orders(now) or 0 < now.orders_due <= event["at"]
    if not (is_due or may_open_early(now, who, past.seats)):
        return "the orders are opened though not every side is in."
    return find_words_problem(event, describe_order_sides(now))


def check_join(past: Past, event: Event, said: Said) -> str:
    """A side is taken by somebody who has none."""
    who = event["who"]
    side = event["side"]
    if who in past.now.players or side not in past.now.sides:
        return "it joins a side that does not exist, or while playing for another."
    return _check_players(past, said, {**past.now.players, who: side})


def check_leave(past: Past, event: Event, said: Said) -> str:
    """Return what is wrong with a player giving up their side, or "" if nothing is."""
    if event["who"] not in past.now.players:
        return "who leaves plays no side."
    return _check_players(
        past, said, {who: side for who, side in past.now.players.items() if who != event["who"]}
    )


def _check_players(past: Past, said: Said, players: Mapping[str, str]) -> str:
    return (
        ""
        if said.get("players", past.now.players) == players
        else "it changes who plays for which side."
    )


def check_bring_in(past: Past, event: Event, said: Said) -> str:
    """Who brings a log in may become its game master, and changes nothing else."""
    if "commitment" not in event["secret"]:
        return "an import promises a new seed."
    if said and not (past.now.started and said["master"] == event["who"]):
        return "who imports a game directs it, and nobody else."
    return find_words_problem(event, f"{past.now.number} events")


def check_privacy(past: Past, event: Event, said: Said) -> str:
    """Who has their data deleted leaves the game, and nobody else does."""
    now = past.now
    who = event["who"]
    stay = said.get("players", now.players)
    master = said.get("master", now.master)
    left = {
        who,
        *(person for person in now.players if person not in stay),
        *({now.master} if not master else ()),
    }
    # An account that an imported file knows too leaves as both persons; nobody else goes along.
    along = left - {who, "", *(own for own, by in past.claimed.items() if by == who)}
    if len(along) > 1 or not along <= past.acted_before - past.acted_here:
        return "somebody else leaves with who had their data deleted."
    if master != ("" if now.master in left else now.master):
        return "it changes who is game master."
    return _check_players(
        past, said, {other: side for other, side in now.players.items() if other not in left}
    )


def check_claim(past: Past, event: Event, said: Said) -> str:
    """Return what is wrong with a player claiming a person of the imported log, or "" if nothing
    is.

    The player continues as that person and keeps a side or the game master's role taken meanwhile.
    """
    now = past.now
    who = event["who"]
    own = event.get("own", "")
    is_there = who in past.acted_before - past.acted_here and (not own or own in past.acted_here)
    if not past.imported_at or own == who or not is_there:
        return "nobody is claimed but a person of an imported log."
    mine = now.players.get(own, "")
    theirs = now.players.get(who, "")
    if mine and theirs and mine != theirs:
        return "nobody plays two sides."
    seats = {who: theirs or mine} if theirs or mine else {}
    if said.get("master", now.master) != (who if own and now.master == own else now.master):
        return "it changes who is game master."
    return _check_players(
        past,
        said,
        {**{person: side for person, side in now.players.items() if person != own}, **seats},
    )
