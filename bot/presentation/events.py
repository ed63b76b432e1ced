"""Events in words, for the log, the story, the report, the page and undo."""

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from bot.game.events import COMBAT, get_event_system
from bot.game.game_log import LoggedText
from bot.game.roster import count_units
from bot.game.score import get_logged_score, is_score_against
from bot.game.sides import fit_verb
from bot.game.state import DRAW
from bot.presentation.headline import (
    build_headline,
    build_result_groups,
    format_cause,
    format_cause_without_roll,
    get_player_action,
    get_result_headline,
    has_one_party,
    list_actors,
    summarize_results,
)
from bot.presentation.multi_unit_play import read_shot, replay_shot
from bot.presentation.roll import retell_look_up
from bot.presentation.run_sequence import build_multi_unit_reply
from bot.presentation.score import format_score
from bot.rules.cards import STANDARD, WORD, format_card_name
from bot.rules.inputs.decks import list_faces
from bot.rules.inputs.input_values import Given
from bot.rules.text.names import add_article, format_count, format_plural, insert_sides, join_names
from bot.rules.text.phrase import capitalize_first
from bot.rulesets.game_keys import CHOSEN, ORDER
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import ROLL, Sequence
from bot.ui.reply.parts import Group
from bot.ui.reply.reply import GAME, NOTHING, WAITING

Event = Mapping[str, Any]
NameOf = Callable[[str], str]
CardNames = Mapping[str, Mapping[str, str]]
"""The names of cards, by the id of the deck and then of the card."""
QUIET = (
    "fair",
    "settings",
    "link",
    "transfer",
    "claim",
    "import",
    "privacy",
    "undo",
    "redo",
    "count",
    "confirm",
    "strike",
)
"""Kinds of events that are no part of a story. An undo shows in the event that it undid."""

TEXTS = {"plan": "text", "end": "text"}
"""The key of the text shown with an event, by kind. For all other kinds it is the label."""


class EventText(NamedTuple):
    """An event in words."""

    result: str
    """The result, written so that it can stand within a sentence."""
    cause: str = ""
    """Who acts, as in `US Squad 1 fires with 2 rifles`; "" if `result` has that already."""
    tone: str = NOTHING
    """How grave the result is."""
    details: str = ""
    """The units by result, if `result` only counts them."""
    acts: bool = False
    """Whether `cause` is a clause about a unit of `side`, which a result can follow after a colon.
    """
    side: str = ""

    @property
    def title(self) -> str:
        """The result as the beginning of a line."""
        return capitalize_first(self.result)

    @property
    def short(self) -> str:
        """The cause and the result, with many units counted: `Squad 1 fires: 5 of 9 VC killed`."""
        if self.acts:
            return f"{capitalize_first(_add_side_name(self.side, self.cause))}: {self.result}"
        return f"{self.title} ({self.cause})"

    @property
    def sentence(self) -> str:
        """The whole event as one sentence.

        `Squad 1 fires: Squad 5 takes casualties`, `Squad 5 passes (Bob checks morale)`.
        """
        suffix = f" ({self.details})" if self.details else ""
        if self.acts:
            return f"{self.short}{suffix}"
        if ": " in self.details:  # the units by their results say what the title counts
            return f"{capitalize_first(self.details)} ({self.cause})"
        if self.cause:
            suffix += f" ({self.cause})"
        return f"{self.title}{suffix}"


CARDS = ("deck", "draw", "cards")
"""Kinds of events about decks."""


def find_card_word_events(*events: Event) -> set[int]:
    """Return the numbers of the events that hold the words of cards mentioned by these events."""
    results = (str(event.get("result", "")) for event in events if event["kind"] in CARDS)
    return {int(match[1]) for result in results for match in WORD.finditer(result)}


def collect_event_texts(
    events: Iterable[Event], rows: Iterable[LoggedText], closed: Container[int], names: CardNames
) -> dict[int, str]:
    """Return the texts shown with events, by event number.

    They are labels of rolls that are open, plans, the text on how the game ended, and cards and
    chits by their `names`. `closed` are the numbers of events whose texts stay hidden.
    """
    events = list(events)
    rows = list(rows)
    keys = {event["number"]: TEXTS.get(event["kind"], "label") for event in events}
    open_rows = [row for row in rows if row.event not in closed]
    texts = {row.event: row.text for row in open_rows if row.key == keys.get(row.event)}
    labels = {row.event: row.text for row in open_rows if row.key == "label"}
    words = {f"{row.event}.{row.key}": row.text for row in rows if row.key[0] == "w"}
    for event in events:
        text: str | None = None
        if event["kind"] in CARDS:
            text = _name_cards(event, words, names)
        elif event["kind"] == "pass":
            text = _name_chit(event, names)
        elif event["kind"] == "reveal":
            text = _join_opened_labels(event, labels)
        if text is not None:
            texts[event["number"]] = text
    return texts


def _join_opened_labels(event: Event, labels: Mapping[int, str]) -> str | None:
    """Return the labels of the rolls that a reveal opens, or None if they have none. `labels` are by
    event number.
    """
    opened = [labels[number] for number in event.get("opens", ()) if number in labels]
    return ", ".join(opened) if opened else None


def _name_cards(event: Event, words: Mapping[str, str], names: CardNames) -> str:
    """Return the result of an event about cards with these by name; `words` are closed cards."""

    def get_card_word(match: re.Match[str]) -> str:
        return words.get(match[0], f"card {match[2][1:]}")

    text = WORD.sub(get_card_word, event["result"])
    id, colon, cards = text.partition(": ")
    if id in names:
        cards = ", ".join(names[id].get(card, card) for card in cards.split(", "))
    return f"{id}{colon}{cards}"


def _name_chit(event: Event, names: CardNames) -> str | None:
    """Return the result of a pass that ended a chit's turn with that chit by name; None without a chit."""
    led = (event.get("before") or {}).get("game", {}).get("led")
    if not led:
        return None
    id, _, chit = led.partition("/")
    name = names.get(id, {}).get(chit, chit)
    return str(event["result"].replace(chit, name, 1))


def describe_event(
    event: Event,
    systems: RuleSets,
    name_of: NameOf,
    text: str = "",
    sides: tuple[str, ...] = (),
    *,
    replayed: bool = True,
) -> EventText:
    """Return an event in words.

    `systems` are the rule sets here, of which the event's may be missing. `text` is its label or the
    text that was written with it, `sides` are those of the game.
    `replayed`: a sequence is played again with its dice, to use the words of its answer.
    """
    kind = event["kind"]
    player = name_of(event["who"])
    result = str(event.get("result", ""))
    if event.get("plays"):
        player = THE_TABLE
    if "asks" in event:
        side = event["asks"].get("side") or "a side"
        return EventText(result, f"{side} to choose", WAITING)
    if kind == "choice":
        return _describe_choice(event, systems, player, result)
    if kind == "sequence":
        sequence_text = _describe_sequence_and_effects(
            event, systems, player, sides, replayed=replayed
        )
        return _name_the_table(event, sequence_text)
    if kind in ("roll", "table"):
        title = get_event_title(event, systems)
        result = _get_dice_result(event, systems)
        if text:
            return EventText(f"{text}: {result}", f"{player}, {title}")
        return EventText(f"{title}: {result}", player)
    described = _describe_game_event(event, player, result, text)
    if described is not None:
        return described
    return EventText(_describe_management_event(event, name_of, result), player)


THE_TABLE = "by the table"
"""What is said of an act of a side that plays itself."""


def _name_the_table(event: Event, described: EventText) -> EventText:
    """Say of a sequence that a side has played it by itself. An order needs no other cause."""
    if not event.get("plays"):
        return described
    is_order = {ORDER, CHOSEN} <= event["out"].keys()
    if is_order or not described.cause:
        return described._replace(cause=THE_TABLE, acts=False)
    return described._replace(cause=f"{described.cause}, {THE_TABLE}")


def _describe_choice(event: Event, systems: RuleSets, player: str, result: str) -> EventText:
    """Return in words a side's choice and its effect on units."""
    chooser = "nobody chose in time" if event.get("as") == "else" else f"{player} chooses"
    picks = ", ".join(dict.fromkeys(event["picks"])).replace("-", " ")
    effect = ": ".join(filter(None, (result, _describe_unit_changes(event))))
    cause = f"{chooser} {picks}, {get_event_title(event, systems)}"
    return EventText(effect + _describe_arrivals(event), cause)


def _describe_sequence_and_effects(
    event: Event, systems: RuleSets, player: str, sides: tuple[str, ...], *, replayed: bool
) -> EventText:
    """Return a sequence in words, with arrivals, track changes and the names of the sides."""
    described = _describe_sequence(event, systems, player, replayed=replayed)
    text = describe_initiative(event, insert_sides(described.result, sides), sides)
    text += _describe_arrivals(event)
    for change in list_track_changes(event, systems):
        text += f"; {change}"
    return described._replace(result=text, details=insert_sides(described.details, sides))


def _describe_game_event(event: Event, player: str, result: str, text: str) -> EventText | None:
    """Return an event about the course of a game in words; None for other kinds.

    These are its start and end, phases, passes and initiative, players who join, units, cards,
    sealed rolls with their opening, and plans.
    """
    game = (event.get("after") or {}).get("game") or {}
    match event["kind"]:
        case "next":
            return _describe_new_phase(event)
        case "pass":
            words = (text or result).partition("; ")[0]
            if event.get("plays"):
                return EventText(words, THE_TABLE, GAME)
            return EventText(words, tone=GAME)
        case "initiative":
            return EventText(describe_initiative(event, f"{result}{_HAS_IT}", ()), tone=GAME)
        case "start":
            name = game.get("name")
            return EventText(f'"{name}" begins' if name else "free play begins", player, GAME)
        case "join":
            return EventText(f"{player} plays {event['side']}", tone=GAME)
        case "unit" if "order" in event:
            return EventText(result.replace("-", " "), THE_TABLE, GAME)
        case "unit":
            return EventText(capitalize_first(_replace_count_with_names(event, result)), player)
        case "deck" | "draw" | "cards":
            return _describe_card_event(event, player, text or result)
        case "sealed":
            return EventText("A sealed roll", player, GAME)
        case "reveal":
            opened = result or ", ".join(f"#{number}" for number in event.get("opens", ()))
            suffix = f", {text}" if text else ""
            return EventText(f"Opened: {opened}{suffix}", player, GAME)
        case "plan":
            if "texts" not in event:
                return EventText(f"Plan {result}", player)
            suffix = f": {text}" if text else ""
            return EventText(f"Planned {result}{suffix}", player)
        case "end":
            return _describe_end(event, player, result, text)
    return None


def _describe_new_phase(event: Event) -> EventText:
    """Return the beginning of a turn or phase in words."""
    side = _get_only_side_to_play(event)
    order = f", {side} first" if side else ""
    phase = describe_turn_and_phase(event).removesuffix(order)
    return EventText(f"{phase} begins{order}", tone=GAME)


def _describe_end(event: Event, player: str, opened: str, text: str) -> EventText:
    """Describe the end of a game: `The game ends: US wins. “Well played” Opened: #4.`

    If the score gives another winner, it says so. `opened` are the sealed rolls that the end
    opened, `text` is what its player wrote about it.
    """
    winner = ((event.get("after") or {}).get("game") or {}).get("winner", "")
    outcome = describe_outcome(winner)
    score = get_logged_score(event)
    if score is not None and is_score_against(score, winner):
        outcome += f" against the score, {format_score(score)}"
    if text:
        outcome += f". “{text}”"
    elif opened:
        outcome += "."
    if opened:
        outcome += f" Opened: {opened}."
    return EventText(f"The game ends{outcome}", player, GAME)


def describe_outcome(winner: str) -> str:
    """Return the end of a line on how a game ends: `: US wins`, `: a draw`, or "" without a winner.

    `winner` is a side, DRAW or "".
    """
    if not winner:
        return ""
    if winner == DRAW:
        return ": a draw"
    return f": {winner} {fit_verb(winner, 'wins', 'win')}"


def describe_past_outcome(winner: str, *, begins_line: bool = False) -> str:
    """Return how a game ended: `US won`, `a draw`, or "" without a winner.

    `winner` is a side, DRAW or "". A side is written as its players wrote it, even if it
    `begins_line`.
    """
    if winner == DRAW:
        return "A draw" if begins_line else "a draw"
    return f"{winner} won" if winner else ""


def describe_opened_roll(number: int, content: Event, systems: RuleSets) -> str:
    """Return a sealed roll that was opened, with its number: `#4 Direct fire: no effect`.

    The log keeps this text and verify compares it. `content` is what was sealed.
    """
    return f"#{number} {get_event_title(content, systems)}: {content.get('result', '')}"


_DID = {
    "draw": "draws {which} from {id}",
    "lead": "draws {which} from {id}",
    "discard": "discards {which} ({id})",
    "remove": "takes {which} out of the game ({id})",
    "return": "puts {which} back into {id}",
    "peek": "looks at the top of {id}, {which}",
    "hold": "draws {which} into their hand from {id}",
    "deal": "deals {which} from {id}",
    "play": "plays {which} from {id}",
    "give": "gives away {which} from {id}",
    "back": "puts {which} back into {id}",
    "shuffle": "shuffles the discards back into {id}, {which}",
    "": "makes the deck {id}, {which}",
}

_CLOSED = re.compile("([0-9]+) closed")
"""The number of cards of an event that closes them, as in the log."""


def _describe_card_event(event: Event, player: str, result: str) -> EventText:
    """Return an event about decks in words; `result` has the words of cards in it."""
    action = str(event.get("does", ""))
    if action == "names":
        return EventText(f"in order: {result}", f"{player} shuffles names")
    if action == "agree":
        return EventText(f"{player} agrees to open hands when the game ends")
    id, _, cards = result.partition(": ")
    if id in STANDARD:
        cards = ", ".join(format_card_name(id, card) for card in cards.split(", "))
    closed = _CLOSED.fullmatch(cards)
    if closed:
        cards = format_count(int(closed[1]), "hidden card")
    return EventText(f"{player} {_DID[action].format(which=cards, id=id)}")


def format_log_line(
    event: Event,
    systems: RuleSets,
    name_of: NameOf,
    label: str = "",
    sides: tuple[str, ...] = (),
    *,
    replayed: bool = True,
) -> str:
    """Return an event as one line of the log, with its dice.

    `#41 Anna (US): Squad 1 fires: Squad 5 takes casualties [5][2]`. Without `replayed` no sequence
    is played again for its words; the line has the result as logged.
    """
    kind = event["kind"]
    described = describe_event(event, systems, name_of, label, sides, replayed=replayed)
    text = _get_log_text(event, systems, described, name_of, label)
    for hash, extended in event.get("extends", {}).items():
        text += f"; {describe_extension(hash, extended, systems)}"
    side = f" ({event['side']})" if event.get("side") else ""
    pieces = [f"#{event['number']} {name_of(event['who'])}{side}: {text}"]
    pieces.append(format_dice(event, systems))
    if event.get("hand"):
        pieces.append("(drawn by hand)" if kind in CARDS else "(rolled by hand)")
    return " ".join(filter(None, pieces))


def _get_log_text(
    event: Event, systems: RuleSets, described: EventText, name_of: NameOf, label: str
) -> str:
    """Return the text of a log line, without player and dice."""
    kind = event["kind"]
    if kind in ("roll", "table"):
        prefix = f"{label}: " if label else ""
        return f"{prefix}{get_event_title(event, systems)}: {_get_dice_result(event, systems)}"
    if kind == "pass":
        text = label or str(event["result"])
        if event.get("plays"):
            text = f"{text}, {THE_TABLE}"
        return text
    if kind in CARDS:
        if described.cause:
            return described.result
        return described.result.removeprefix(name_of(event["who"])).strip()
    if kind == "join":
        return f"plays {event['side']}"
    if described.acts or described.cause == THE_TABLE:
        return described._replace(side="").sentence
    if _find_sequence(event, systems) is not None:
        return f"{get_event_title(event, systems)}: {described.result}"
    return described.result


MOST_DICE = 40
"""The maximum number of dice in the line of an event."""


def format_dice(event: Event, systems: RuleSets, separator: str = "") -> str:
    """Return the faces of an event's dice, at most MOST_DICE: `[5][2]`. A drawn card has its name.

    Those of an event about cards are left out, because they count places in a pile.
    """
    if event["kind"] in CARDS:
        return ""
    faces = islice(list_named_faces(event, systems), MOST_DICE)
    return separator.join(f"[{face}]" for face in faces)


def list_named_faces(event: Event, systems: RuleSets) -> Iterator[object]:
    """Yield the values of an event's dice; for a die that draws a card, the card's name."""
    dice = event.get("dice") or ()
    system = get_event_system(event, systems)
    decks = system.decks if system is not None else {}
    for die, face in zip(dice, list_faces(event), strict=True):
        deck = decks.get(str(die.get("deck")))
        if deck is not None and isinstance(face, str):
            yield deck.names.get(face, face)
        else:
            yield face


def describe_extension(hash: str, extended: str, systems: RuleSets) -> str:
    """Return the text for a pack that extends a game: `Club fire 1 (3f2a9c01) extends asl`."""
    pack = systems.find_version(hash)
    name = f"{pack.title} {pack.about.version}" if pack is not None else "a pack"
    return f"{name} ({hash[:8]}) extends {extended}"


def _describe_management_event(event: Event, name_of: NameOf, result: str) -> str:
    """Describe an event that is not part of play, without its player: undo, track, orders.

    `result` is the result that the log keeps.
    """
    kind = event["kind"]
    if kind in ("undo", "redo"):
        return _describe_undo(event, name_of)
    if kind in _ABOUT_RESULTS:
        return _describe_result_event(event, name_of)
    texts = {
        "track": f"sets {result}",
        "resume": "resumes the game",
        "order": f"sealed orders: {result}",
        "orders": f"the orders {result} are open",
        "claim": "is this person from the imported log",
    }
    if kind in texts:
        return texts[kind]
    return f"{kind}: {result}" if result else kind


_ABOUT_RESULTS = {
    "count": "agrees that the game counts",
    "confirm": "confirms the result",
    "strike": "strikes the result",
}


def _describe_result_event(event: Event, name_of: NameOf) -> str:
    """Return an event about a result that counts, without its player: `confirms the result`."""
    words = _ABOUT_RESULTS[event["kind"]]
    if event.get("by"):
        return f"{words}, as manager"
    if event.get("asked"):
        return f"{words}, as {name_of(event['asked'])} asked"
    return words


def _describe_undo(event: Event, name_of: NameOf) -> str:
    """Return an undo or redo in words, without its player: `takes back #5`.

    If a player asked for it, the event's player agreed: `lets Ann take back #5`.
    """
    verb = "take" if event["kind"] == "undo" else "bring"
    number = event["event"]
    as_manager = ", as manager" if event.get("by") else ""
    if event.get("asked"):
        return f"lets {name_of(event['asked'])} {verb} back #{number}{as_manager}"
    if as_manager:
        return f"{verb}s back #{number}{as_manager}"
    alone = ", alone in the game" if event.get("alone") else ""
    return f"{verb}s back #{number}{alone}"


def _describe_sequence(
    event: Event, systems: RuleSets, player: str, *, replayed: bool
) -> EventText:
    """Return a sequence in words: if `replayed`, those of its answer, by playing it again with its
    dice; else, and if that is not possible, those made from what its event holds. If the sequence
    is unknown today, only its title and the stored result.
    """
    sequence = _find_sequence(event, systems)
    if sequence is None:
        return EventText(f"{get_event_title(event, systems)}: {event.get('result', '')}", player)
    described = _describe_replayed_sequence(event, sequence, player) if replayed else None
    return described or _describe_stored_sequence(event, sequence, player)


def _find_sequence(event: Event, systems: RuleSets) -> Sequence | None:
    """Return the sequence of an event; None for other kinds, and if its pack is gone."""
    system = get_event_system(event, systems) if event["kind"] in COMBAT else None
    return system.sequences.get(event.get("target", "")) if system is not None else None


def _describe_replayed_sequence(event: Event, sequence: Sequence, player: str) -> EventText | None:
    """Return the words of the answer to a sequence, by playing it again with its dice; None if it
    cannot be played, or if today's rules give other outputs for these dice.
    """
    play = replay_shot(read_shot(event, sequence, {}))
    if play is None or json.loads(json.dumps(play.out)) != event.get("out", {}):
        return None
    if play.unit_plays:
        reply = build_multi_unit_reply(player, sequence, play)
        title = _lowercase_first_word(reply.title, (each.unit for each in play.unit_plays))
        cause = _format_player_and_verb(player, sequence)
        return EventText(title, cause, reply.tone, _join_result_groups(reply.lines))
    resolution = play.resolution
    actors = list_actors(sequence, play.given)
    summary = summarize_results(sequence, resolution.unit_results)
    result = get_result_headline(resolution, play.out, sequence.system)
    headline = build_headline(summary, result, actors, player)
    title = _lowercase_first_word(
        headline.title, (unit_result.unit for unit_result in resolution.unit_results)
    )
    own_cause = resolution.cause if resolution.cause.rpartition(" ")[2] in _VERBS else ""
    is_by_units = bool(actors) and sequence.verb != ROLL
    acts = bool(own_cause) or (is_by_units and headline.cause != format_cause(sequence, (), player))
    cause = own_cause
    if not cause:
        cause = _add_weapon_names(headline.cause, sequence, play.given, title, acts=acts)
    if not event.get("dice"):
        cause = format_cause_without_roll(cause, player)
    details = []
    if summary.is_counted:
        details.append(_join_result_groups(build_result_groups(summary)))
    if not own_cause:
        details.append(resolution.cause)
    details_text = "; ".join(filter(None, details))
    side = _get_acting_side(event) if acts else ""
    return EventText(title, cause, headline.tone, details_text, acts, side)


def _describe_stored_sequence(event: Event, sequence: Sequence, player: str) -> EventText:
    """Return a sequence in words from the units and the result that its event holds."""
    result = str(event.get("result", ""))
    acting = list(event.get("acting") or ())
    used_names = [unit["name"] for unit in event.get("used") or ()]
    targets = join_names(name for name in used_names if name not in acting)
    if not acting or sequence.verb == ROLL or has_one_party(sequence):
        names = targets or join_names(acting)
        has_names = not names or any(name in result for name in used_names)
        title = result if has_names else f"{names}: {result}"
        return EventText(title or sequence.title, _format_player_and_verb(player, sequence))
    cause = _format_actors_and_targets(sequence.verb.lower(), acting, targets)
    return EventText(result or "no effect", cause, acts=True, side=_get_acting_side(event))


def _format_actors_and_targets(verb: str, acting: list[str], targets: str) -> str:
    """Return who acts on whom: `GI 1 fires at VC 3`. `targets` are the other units in one text, ""
    if there are none.
    """
    acting_verb = format_plural(verb) if len(acting) == 1 else verb
    cause = f"{join_names(acting)} {acting_verb}"
    if not targets:
        return cause
    preposition = {"fire": " at ", "shoot": " at ", "fight": " ", "attack": " "}.get(verb)
    if preposition is None:
        return f"{cause} ({targets})"
    return f"{cause}{preposition}{targets}"


def _format_player_and_verb(player: str, sequence: Sequence) -> str:
    """Return the player with what they do: `Alice checks morale`."""
    return f"{player} {get_player_action(sequence)}"


def _get_acting_side(event: Event) -> str:
    """Return the side of the units that acted; "" if their names begin with it."""
    acting = event.get("acting") or ()
    units = [unit for unit in event.get("used") or () if unit["name"] in acting]
    sides = {str(unit.get("side", "")) for unit in units}
    if not units:
        return str(event.get("side", ""))
    if len(sides) > 1:
        return ""
    side = sides.pop()
    is_in_names = any(str(unit["name"]).startswith(f"{side} ") for unit in units)
    return "" if is_in_names else side


def list_track_changes(event: Event, systems: RuleSets) -> list[str]:
    """Return the changes of the game's tracks in words: `Weather: mud`; [] if it changed none, or
    if the rule set is unknown.
    """
    tracks_before: Mapping[str, Any] = _get_game_part(event, "before").get("tracks", {})
    tracks_after: Mapping[str, Any] = _get_game_part(event, "after").get("tracks", {})
    system = get_event_system(event, systems) if tracks_after else None
    if system is None:
        return []
    changes = []
    for key, value in tracks_after.items():
        side, _, name = key.rpartition("/")
        if tracks_before.get(key) != value and name in system.tracks:
            changes.append(system.tracks[name].format_value(value, side))
    return changes


def _get_game_part(event: Event, part: str) -> Mapping[str, Any]:
    """Return the changed fields of the game as they were before or after an event (`part` is
    "before" or "after"); {} if it changed none.
    """
    fields: Mapping[str, Any] = (event.get(part) or {}).get("game") or {}
    return fields


def _get_unit_part(event: Event, part: str) -> Mapping[str, Any]:
    """Return the changed units as they were before or after an event (`part` is "before" or
    "after"), by their keys; {} if it changed none.
    """
    units: Mapping[str, Any] = (event.get(part) or {}).get("units") or {}
    return units


def _describe_unit_changes(event: Event) -> str:
    """Return the changes of units in words: `Guards 1 + 2 destroyed; Scouts men 3`.

    Return "" if the event's result names one of them.
    """
    units_before = _get_unit_part(event, "before")
    names_by_change: dict[str, list[str]] = {}
    for key, unit in _get_unit_part(event, "after").items():
        earlier = units_before.get(key)
        if not unit or not earlier:
            continue
        if unit["name"] in event.get("result", ""):
            return ""
        change = _describe_unit_change(earlier, unit)
        names_by_change.setdefault(change, []).append(unit["name"])
    texts = [f"{join_names(names)} {change}" for change, names in names_by_change.items() if change]
    return "; ".join(texts)


def _describe_unit_change(earlier: Mapping[str, Any], unit: Mapping[str, Any]) -> str:
    """Return a unit's new state, else its new marks, else its new numbers; "" if there are none."""
    if unit.get("state") != earlier.get("state") and unit.get("state"):
        return str(unit["state"]).replace("-", " ")
    marks = [mark for mark in unit.get("marks", ()) if mark not in earlier.get("marks", ())]
    earlier_numbers = earlier.get("numbers", {})
    numbers = [
        f"{name} {value}"
        for name, value in unit.get("numbers", {}).items()
        if earlier_numbers.get(name) != value
    ]
    return ", ".join(marks or numbers).replace("-", " ")


def _describe_arrivals(event: Event) -> str:
    """Return the units that came into play as the end of a sentence: `, Hero comes into play`; ""
    if none did.
    """
    units_before = _get_unit_part(event, "before")
    names = [
        unit["name"]
        for key, unit in _get_unit_part(event, "after").items()
        if unit and units_before.get(key) is None
    ]
    return f", {format_arrivals(names)}" if names else ""


def format_arrivals(names: list[str]) -> str:
    """Return the sentence about new units: `Hero 1 comes into play`."""
    verb = "comes" if len(names) == 1 else "come"
    return f"{join_names(names)} {verb} into play"


def _add_side_name(side: str, cause: str) -> str:
    """Return the cause with the side of the units that act: `US squad 1 fires`, `a US squad and a
    hero fight`. A cause that begins with a number, and one without a side, stays as it is.
    """
    if not side or cause[:1].isdigit():
        return cause
    article, _, noun = cause.partition(" ")
    return f"{add_article(side)} {noun}" if article in ("a", "an") else f"{side} {cause}"


def _add_weapon_names(
    cause: str, sequence: Sequence, inputs: Given, title: str, *, acts: bool
) -> str:
    """Return the cause with the weapons of the units that act.

    `Squad 1 fires with 2 rifles and a belt-fed LMG`; if no unit acts, `Alice resolves a blast:
    medium gun`, unless title or cause name the weapon.
    """
    words: Mapping[str, str] = sequence.system.game.get("arms") or {}
    counts = {
        words.get(token, token.replace("-", " ")): count
        for token, count in _count_weapons(inputs, acts=acts).items()
    }
    if acts and counts:
        names = [
            f"{count} {format_plural(name)}" if count > 1 else add_article(name)
            for name, count in counts.items()
        ]
        return f"{cause} with {join_names(names)}"
    headline = f"{title} {cause}".casefold()
    unnamed = [name for name in counts if name.casefold() not in headline]
    return ": ".join([cause, *unnamed])


def _count_weapons(inputs: Given, *, acts: bool) -> Counter[str]:
    """Return the number of weapons of each token: those of the units that act, or if there are none
    the one that is typed as an input.
    """
    counts = Counter[str]()
    if acts:
        weapons = (unit.numbers.get("weapon") for unit in inputs.list_acting_units())
        counts.update(str(weapon) for weapon in weapons if weapon)
    typed = inputs.values.get("weapon")
    if not counts and isinstance(typed, str) and typed:
        counts[typed] = 1
    return counts


def _join_result_groups(parts: Iterable[object]) -> str:
    """Return the units by result in one line: `killed: VC 1 + 2; wounded: VC 4`."""
    groups = [(part.label, part.text) for part in parts if isinstance(part, Group)]
    return "; ".join(f"{label[:1].lower()}{label[1:]}: {text}" for label, text in groups)


def describe_turn_and_phase(event: Event) -> str:
    """Return the turn and phase that an event starts; "" if it starts none.

    `Turn 2, Fire phase, US first`
    """
    kind = event["kind"]
    result = str(event.get("result", ""))
    phase = ""
    if kind in ("start", "next"):
        phase = result
    elif kind == "pass":
        phase = result.partition("; ")[2]
    if not phase:
        return ""
    side = _get_only_side_to_play(event)
    order = f", {side} first" if side else ""
    return f"{capitalize_first(phase)}{order}"


def _get_only_side_to_play(event: Event) -> str:
    """Return the only side to play after an event.

    Return "" if several sides may act, if the event does not change whose turn it is, or if its
    result names the side.
    """
    sides: list[str] = _get_game_part(event, "after").get("go") or []
    if len(sides) != 1 or f", {sides[0]}," in f"{event.get('result', '')},":
        return ""
    return sides[0]


def describe_initiative(event: Event, text: str, sides: tuple[str, ...]) -> str:
    """Return a text with `takes` or `keeps` in place of `has the initiative`.

    In a game of `sides`, a roll that changes nothing means that the side keeps it.
    """
    if not sides and "after" not in event:
        return text
    is_new = "initiative" in _get_game_part(event, "after")
    side = text.partition(_HAS_IT)[0]
    verb = fit_verb(side, "takes", "take") if is_new else fit_verb(side, "keeps", "keep")
    return text.replace(_HAS_IT, f" {verb} the initiative")


def _replace_count_with_names(event: Event, result: str) -> str:
    """Return the result of a change to units with their names in place of their number."""
    units_before = _get_unit_part(event, "before")
    units_after = _get_unit_part(event, "after")
    units = []
    are_new = True
    for key, unit_after in units_after.items():
        unit_before = units_before.get(key)
        if not unit_after or unit_before:
            are_new = False
        unit = unit_after or unit_before
        if unit:
            units.append(unit)
    count = count_units(len(units))
    if len(units) < 2 or not (are_new or result.startswith(f"{count} ")):
        return result
    return result.replace(count, join_names(unit["name"] for unit in units), 1)


def _lowercase_first_word(title: str, names: Iterable[str]) -> str:
    """Return a title as it goes on within a sentence: `no effect on VC 1`.

    A name or an abbreviation at its beginning stays as it is.
    """
    first_word = title.partition(" ")[0].rstrip(":,")
    if first_word[1:].isupper():
        return title
    for name in names:
        head = name.partition(" ")[0]
        if first_word in (head, format_plural(head)):
            return title
    return title[:1].lower() + title[1:]


_HAS_IT = " has the initiative"
_VERBS = ("fire", "fires", "shoot", "shoots", "attack", "attacks", "interrupt", "interrupts")
"""The last words of a sequence's own text about who acts."""


def _get_dice_result(event: Mapping[str, Any], systems: RuleSets) -> str:
    """Return the result of dice or of a table: of a table its headline, else as the log has it."""
    system = get_event_system(event, systems)
    target = event.get("target", "")
    headline = ""
    if system is not None and event["kind"] == "table" and target in system.tables:
        headline = retell_look_up(system.tables[target], event)
    return headline or str(event.get("result", ""))


def get_event_title(event: Mapping[str, Any], systems: RuleSets) -> str:
    """Return the title of an event's sequence or table, or the dice of a roll."""
    if event["kind"] == "roll":
        return str(event["inputs"].get("dice", ""))
    sequence = _find_sequence(event, systems)
    if sequence is not None:
        return sequence.title
    system = get_event_system(event, systems)
    target = event.get("target", "")
    if system is not None and event["kind"] == "table" and target in system.tables:
        return system.tables[target].title
    return str(event.get("command", target))
