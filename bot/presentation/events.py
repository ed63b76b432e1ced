"""Events in words: the one teller of the log, the story, the report, the page and whoever takes
something back.
"""

import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from bot.game.events import COMBAT, get_event_system
from bot.game.roster import count_units
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
from bot.presentation.multi_unit_play import merge_outputs, read_shot, replay_shot
from bot.presentation.roll import retell_look_up
from bot.presentation.run_sequence import build_multi_unit_reply
from bot.rules.cards import STANDARD, WORD, format_card_name
from bot.rules.inputs.decks import list_faces
from bot.rules.inputs.input_values import Given
from bot.rules.text.names import add_article, format_plural, insert_sides, join_names
from bot.rules.text.phrase import capitalize_first
from bot.rulesets.catalog import find_pack_version
from bot.rulesets.system import ROLL, Sequence
from bot.storage.records import TextRow
from bot.ui.reply.parts import Group
from bot.ui.reply.reply import GAME, NOTHING, WAITING

Event = Mapping[str, Any]
NameOf = Callable[[str], str]
CardNames = Mapping[str, Mapping[str, str]]
"""How cards are called, by the ids of their decks and their own."""
QUIET = ("fair", "settings", "link", "transfer", "claim", "import", "privacy", "undo", "redo")
"""Kinds that are no part of a story: an undo is seen in what it took back."""

TEXTS = {"plan": "text", "end": "text"}
"""The key of the text that is told with an event; of all others it is their label."""


class EventText(NamedTuple):
    """An event in words: what came of it (`said`, as it goes on within a sentence), and who did it
    (`by`: `US Squad 1 fires with 2 rifles`; empty where that is said). `tone` is how grave it is;
    `more` has the units by their results where they are only counted; `acts`: `by` is a sentence
    that goes on with what came of it, of a unit of `side`."""

    said: str
    by: str = ""
    tone: str = NOTHING
    more: str = ""
    acts: bool = False
    side: str = ""

    @property
    def title(self) -> str:
        """What came of it, as a line begins."""
        return capitalize_first(self.said)

    @property
    def short(self) -> str:
        """Who did it and what came of it, units counted where they are many: `Squad 1 fires: 5
        of 9 VC killed`.
        """
        return (
            f"{capitalize_first(_add_side_name(self.side, self.by))}: {self.said}"
            if self.acts
            else f"{self.title} ({self.by})"
        )

    @property
    def sentence(self) -> str:
        """All in one: `Squad 1 fires: Squad 5 takes casualties`, `Squad 5 passes (Bob checks
        morale)`.
        """
        more = f" ({self.more})" if self.more else ""
        if self.acts:
            return f"{self.short}{more}"
        if ": " in self.more:  # the units by their results say what the title counts
            return f"{capitalize_first(self.more)} ({self.by})"
        return f"{self.title}{more} ({self.by})" if self.by else f"{self.title}{more}"


CARDS = ("deck", "draw", "cards")
"""Kinds of events about decks."""


def find_card_word_events(*events: Event) -> set[int]:
    """The events with the words of the cards of which others tell."""
    told = (str(event.get("result", "")) for event in events if event["kind"] in CARDS)
    return {int(found[1]) for result in told for found in WORD.finditer(result)}


def collect_event_texts(
    events: Iterable[Event], rows: Iterable[TextRow], closed: Container[int], names: CardNames
) -> dict[int, str]:
    """The texts that are told with events, by number: labels of rolls that are open, plans, how the
    game ended, cards and chits by their `names`."""
    events = list(events)
    keys = {event["number"]: TEXTS.get(event["kind"], "label") for event in events}
    rows = list(rows)
    found = {
        row.event: row.text
        for row in rows
        if row.key == keys.get(row.event) and row.event not in closed
    }
    labels = {row.event: row.text for row in rows if row.key == "label" and row.event not in closed}
    words = {f"{row.event}.{row.key}": row.text for row in rows if row.key[0] == "w"}
    for event in events:
        if event["kind"] in CARDS:
            told = WORD.sub(lambda card: words.get(card[0], f"card {card[2][1:]}"), event["result"])
            id, colon, which = told.partition(": ")
            called = (
                [names[id].get(card, card) for card in which.split(", ")]
                if id in names
                else [which]
            )
            found[event["number"]] = f"{id}{colon}{', '.join(called)}"
        if event["kind"] == "pass" and (
            led := (event.get("before") or {}).get("game", {}).get("led")
        ):
            id, _, chit = led.partition("/")
            found[event["number"]] = event["result"].replace(
                chit, names.get(id, {}).get(chit, chit), 1
            )
        if event["kind"] == "reveal" and (
            said := [labels[at] for at in event.get("opens", ()) if at in labels]
        ):
            found[event["number"]] = ", ".join(said)
    return found


def describe_event(
    event: Event,
    name_of: NameOf,
    text: str = "",
    sides: tuple[str, ...] = (),
    *,
    replayed: bool = True,
) -> EventText:
    """An event in words. `text` is its label or the text that was written with it, `sides` are
    those of the game. `replayed`: a sequence is played again with its dice, for the words of its
    answer."""
    kind = event["kind"]
    who = name_of(event["who"])
    result = str(event.get("result", ""))
    if "asks" in event:
        return EventText(result, f"{event['asks'].get('side') or 'a side'} to choose", WAITING)
    if kind == "choice":
        how = "nobody chose in time" if event.get("as") == "else" else f"{who} chooses"
        words = ", ".join(dict.fromkeys(event["picks"])).replace("-", " ")
        said = ": ".join(filter(None, (result, _describe_unit_changes(event))))
        return EventText(
            said + _describe_arrivals(event), f"{how} {words}, {get_event_title(event)}"
        )
    if kind == "sequence":
        found = _describe_sequence(event, who, replayed=replayed)
        said = insert_sides(found.said, sides)
        more = insert_sides(found.more, sides)
        said = (
            describe_initiative(event, said, sides)
            + _describe_arrivals(event)
            + "".join(f"; {one}" for one in list_track_changes(event))
        )
        return found._replace(said=said, more=more)
    if kind in ("roll", "table"):
        title = get_event_title(event)
        result = _get_dice_result(event)
        return (
            EventText(f"{text}: {result}", f"{who}, {title}")
            if text
            else EventText(f"{title}: {result}", who)
        )
    return _describe_game_event(event, who, result, text) or EventText(
        _describe_management_event(event, name_of, result), who
    )


def _describe_game_event(event: Event, who: str, result: str, text: str) -> EventText | None:
    """What is said of turns, sides, units and of what was sealed; None for all else that
    somebody does.
    """
    game = (event.get("after") or {}).get("game") or {}
    match event["kind"]:
        case "next":
            first = (
                f", {_get_only_side_to_play(event)} first" if _get_only_side_to_play(event) else ""
            )
            return EventText(
                f"{describe_turn_and_phase(event).removesuffix(first)} begins{first}", tone=GAME
            )
        case "pass":
            return EventText((text or result).partition("; ")[0], tone=GAME)
        case "initiative":
            return EventText(describe_initiative(event, f"{result}{_HAS_IT}", ()), tone=GAME)
        case "start":
            return EventText(
                f'"{game["name"]}" begins' if game.get("name") else "free play begins", who, GAME
            )
        case "join":
            return EventText(f"{who} plays {event['side']}", tone=GAME)
        case "unit":
            return EventText(capitalize_first(_replace_count_with_names(event, result)), who)
        case "deck" | "draw" | "cards":
            return _describe_card_event(event, who, text or result)
        case "sealed":
            return EventText("A sealed roll", who, GAME)
        case "reveal":
            opened = result or ", ".join(f"#{number}" for number in event.get("opens", ()))
            return EventText(f"Opened: {opened}{f', {text}' if text else ''}", who, GAME)
        case "plan":
            return EventText(
                f"Planned {result}{f': {text}' if text else ''}"
                if "texts" in event
                else f"Plan {result}",
                who,
            )
        case "end":
            winner = game.get("winner", "")
            opened = f" Opened: {result}." if result else ""
            how = {"": "", DRAW: ": a draw"}.get(
                winner, f": {winner} {fit_verb(winner, 'wins', 'win')}"
            )
            return EventText(
                f"The game ends{how}{f'. “{text}”' if text else '.' if opened else ''}{opened}",
                who,
                GAME,
            )
    return None


_DID = {
    "draw": "draws {which} from {id}",
    "lead": "draws {which} from {id}",
    "discard": "discards {which} ({id})",
    "remove": "takes {which} out of the game ({id})",
    "return": "puts {which} back into {id}",
    "peek": "looks at the next of {id}, {which}",
    "hold": "draws {which} into their hand from {id}",
    "deal": "deals {which} from {id}",
    "play": "plays {which} from {id}",
    "give": "gives away {which} of {id}",
    "back": "puts {which} back into {id}",
    "shuffle": "shuffles the discards back into {id}, {which}",
    "": "makes the deck {id}, {which}",
}


def _describe_card_event(event: Event, who: str, told: str) -> EventText:
    """What is said of decks; `told` is the result with the words of cards in it."""
    if event.get("does") == "names":
        return EventText(f"in order: {told}", f"{who} shuffles names")
    if event.get("does") == "agree":
        return EventText(f"{who} agrees that hands are opened when the game ends")
    id, _, which = told.partition(": ")
    if id in STANDARD:
        which = ", ".join(format_card_name(id, card) for card in which.split(", "))
    return EventText(f"{who} {_DID[str(event.get('does', ''))].format(which=which, id=id)}")


def format_log_line(
    event: Event,
    name_of: NameOf,
    label: str = "",
    sides: tuple[str, ...] = (),
    *,
    replayed: bool = True,
) -> str:
    """`#41 Anna (US): Squad 1 fires: Squad 5 takes casualties [5][2]`: an event in one line of the
    log. Without `replayed` no shot is played again for its words: it reads as the log has it."""
    kind = event["kind"]
    found = describe_event(event, name_of, label, sides, replayed=replayed)
    if kind in ("roll", "table"):
        said = f"{f'{label}: ' if label else ''}{get_event_title(event)}: {_get_dice_result(event)}"
    elif kind == "pass":
        said = label or str(event["result"])
    elif kind in CARDS:
        said = found.said if found.by else found.said.removeprefix(name_of(event["who"])).strip()
    elif kind == "join":
        said = f"plays {event['side']}"
    elif found.acts:
        said = found._replace(side="").sentence
    else:
        said = (
            f"{get_event_title(event)}: {found.said}"
            if _find_sequence(event) is not None
            else found.said
        )
    said += "".join(
        f"; {describe_extension(hash, of)}" for hash, of in event.get("extends", {}).items()
    )
    side = f" ({event['side']})" if event.get("side") else ""
    faces = (
        list_faces(event) if "read" in event else (die["value"] for die in event.get("dice", ()))
    )
    dice = "".join(f"[{shows}]" for shows in islice(faces, 40))
    dice = "" if kind in CARDS else dice  # they count places in a pile
    by_hand = f"({'drawn' if kind in CARDS else 'dice'} by hand)" if event.get("hand") else ""
    return " ".join(
        filter(None, (f"#{event['number']} {name_of(event['who'])}{side}: {said}", dice, by_hand))
    )


def describe_extension(hash: str, of: str) -> str:
    """What is said of a pack that comes in force beside others: `Club fire 1 (3f2a9c01) extends
    asl`.
    """
    pack = find_pack_version(hash)
    named = f"{pack.title} {pack.about.version}" if pack is not None else "a pack"
    return f"{named} ({hash[:8]}) extends {of}"


def _describe_management_event(event: Event, name_of: NameOf, result: str) -> str:
    """What somebody does beside playing: takes back, orders, settings."""
    kind = event["kind"]
    if kind in ("undo", "redo"):
        take = "take" if kind == "undo" else "bring"
        number = event["event"]
        if event.get("asked"):
            return f"lets {name_of(event['asked'])} {take} back #{number}{', as manager' if event.get('by') else ''}"
        if event.get("by"):
            return f"{take}s back #{number}, as manager"
        return f"{take}s back #{number}{', alone in the game' if event.get('alone') else ''}"
    own = {
        "track": f"sets {result}",
        "resume": "takes the game up again",
        "order": f"sealed orders: {result}",
        "orders": f"the orders {result} are open",
        "claim": "is this person from the imported log",
    }
    return own.get(kind) or (f"{kind}: {result}" if result else kind)


def _describe_sequence(event: Event, who: str, *, replayed: bool) -> EventText:
    sequence = _find_sequence(event)
    if sequence is None:
        return EventText(f"{get_event_title(event)}: {event.get('result', '')}", who)
    return (
        _describe_replayed_sequence(event, sequence, who) if replayed else None
    ) or _describe_stored_sequence(event, sequence, who)


def _find_sequence(event: Event) -> Sequence | None:
    """The sequence that an event played; None for other kinds, and for one of a pack that is
    gone.
    """
    system = get_event_system(event) if event["kind"] in COMBAT else None
    return system.sequences.get(event.get("target", "")) if system is not None else None


def _describe_replayed_sequence(event: Event, sequence: Sequence, who: str) -> EventText | None:
    """The words of the answer; None where today's rules make something else of these inputs and
    dice.
    """
    singles = replay_shot(read_shot(event, sequence, {}))
    if not singles or json.loads(json.dumps(merge_outputs(singles))) != event.get("out", {}):
        return None
    one = singles[0]
    if one.unit:
        reply = build_multi_unit_reply(who, sequence, singles)
        named = _lowercase_first_word(reply.title, (one.unit for one in singles))
        return EventText(
            named,
            _format_player_and_verb(who, sequence),
            reply.tone,
            _join_result_groups(reply.lines),
        )
    settled = one.played.settlement
    acting = list_actors(sequence, one.given)
    came = summarize_results(sequence, settled.fates)
    told = build_headline(
        came, get_result_headline(settled, one.played.out, sequence.system), acting, who
    )
    own = settled.by if settled.by.rpartition(" ")[2] in _VERBS else ""
    acts = bool(own) or (
        bool(acting) and sequence.verb != ROLL and told.by != format_cause(sequence, (), who)
    )
    more = [_join_result_groups(build_result_groups(came))] if came.is_counted else []
    more += [settled.by] if settled.by and not own else []
    title = _lowercase_first_word(told.title, (fate.unit for fate in settled.fates))
    by = own or _add_weapon_names(told.by, sequence, one.given, title, acts=acts)
    by = by if event.get("dice") else format_cause_without_roll(by, who)
    return EventText(
        title,
        by,
        told.tone,
        "; ".join(filter(None, more)),
        acts,
        _get_acting_side(event) if acts else "",
    )


def _describe_stored_sequence(event: Event, sequence: Sequence, who: str) -> EventText:
    """Who acted at whom as the event has them, and its own result."""
    result = str(event.get("result", ""))
    acting = list(event.get("acting") or ())
    others = join_names(
        unit["name"] for unit in event.get("used") or () if unit["name"] not in acting
    )
    if not acting or sequence.verb == ROLL or has_one_party(sequence):
        whom = others or join_names(acting)
        names_them = not whom or any(unit["name"] in result for unit in event.get("used") or ())
        title = result if names_them else f"{whom}: {result}"
        return EventText(title or sequence.title, _format_player_and_verb(who, sequence))
    verb = sequence.verb.lower()
    way = {"fire": " at ", "shoot": " at ", "fight": " ", "attack": " "}.get(verb)
    at = "" if not others else f" ({others})" if way is None else f"{way}{others}"
    by = f"{join_names(acting)} {format_plural(verb) if len(acting) == 1 else verb}{at}"
    return EventText(result or "no effect", by, acts=True, side=_get_acting_side(event))


def _format_player_and_verb(who: str, sequence: Sequence) -> str:
    return f"{who} {get_player_action(sequence)}"


def _get_acting_side(event: Event) -> str:
    """The side of those that acted; "" where their names begin with it already."""
    acting = event.get("acting") or ()
    units = [unit for unit in event.get("used") or () if unit["name"] in acting]
    sides = {str(unit.get("side", "")) for unit in units}
    side = sides.pop() if len(sides) == 1 else "" if units else str(event.get("side", ""))
    return "" if any(str(unit["name"]).startswith(f"{side} ") for unit in units) else side


def list_track_changes(event: Event) -> list[str]:
    """What became of the game's tracks, `Weather: mud`."""
    was, now = (
        ((event.get(part) or {}).get("game") or {}).get("tracks", {})
        for part in ("before", "after")
    )
    system = get_event_system(event) if now else None
    tracks = system.tracks if system is not None else {}
    moved = [key for key in now if was.get(key) != now[key]]
    split = [(key.rpartition("/"), now[key]) for key in moved]
    return [
        tracks[name].format_value(value, side) for (side, _, name), value in split if name in tracks
    ]


def _describe_unit_changes(event: Event) -> str:
    """What became of the units that it changed, `Guards 1 + 2 destroyed; Scouts men 3`, where
    its result names none.
    """
    before, after = ((event.get(part) or {}).get("units") or {} for part in ("before", "after"))
    ways: dict[str, list[str]] = {}
    for key, unit in after.items():
        if unit and (was := before.get(key)):
            marks = [mark for mark in unit.get("marks", ()) if mark not in was.get("marks", ())]
            numbers = unit.get("numbers", {})
            were = was.get("numbers", {})
            state = unit.get("state", "") if unit.get("state") != was.get("state") else ""
            changed = [
                f"{name} {value}" for name, value in numbers.items() if were.get(name) != value
            ]
            way = state or ", ".join(marks or changed)
            ways.setdefault(way.replace("-", " "), []).append(unit["name"])
            if unit["name"] in event.get("result", ""):
                return ""
    return "; ".join(f"{join_names(names)} {way}" for way, names in ways.items() if way)


def _describe_arrivals(event: Event) -> str:
    """Who came into play beside those that were there: `, Hero comes into play`."""
    before, after = ((event.get(part) or {}).get("units") or {} for part in ("before", "after"))
    names = [unit["name"] for key, unit in after.items() if unit and before.get(key) is None]
    return f", {format_arrivals(names)}" if names else ""


def format_arrivals(names: list[str]) -> str:
    """`Hero 1 comes into play`."""
    return f"{join_names(names)} {'comes' if len(names) == 1 else 'come'} into play"


def _add_side_name(side: str, by: str) -> str:
    """Who acts with the side that they are of: `US squad 1 fires`, `a US squad and a hero
    fight`.
    """
    if not side or by[:1].isdigit():
        return by
    article, _, rest = by.partition(" ")
    return f"{add_article(side)} {rest}" if article in ("a", "an") else f"{side} {by}"


def _add_weapon_names(by: str, sequence: Sequence, given: Given, title: str, *, acts: bool) -> str:
    """Who acts, with what: `Squad 1 fires with 2 rifles and a belt-fed LMG`; `Alice resolves a
    blast: medium gun`.
    """
    words: Mapping[str, str] = sequence.system.game.get("arms") or {}
    held = (
        Counter(
            str(weapon)
            for unit in given.list_acting_units()
            if (weapon := unit.numbers.get("weapon"))
        )
        if acts
        else Counter()
    )
    typed = given.values.get("weapon")
    if not held and isinstance(typed, str) and typed:
        held[typed] = 1
    called = {words.get(token, token.replace("-", " ")): count for token, count in held.items()}
    if acts and called:
        arms = (
            f"{count} {format_plural(name)}" if count > 1 else add_article(name)
            for name, count in called.items()
        )
        return f"{by} with {join_names(arms)}"
    return ": ".join(
        [by, *(name for name in called if name.casefold() not in f"{title} {by}".casefold())]
    )


def _join_result_groups(parts: Iterable[object]) -> str:
    """`Killed: VC 1 + 2; wounded: VC 4`: who came to which result, where the title only counts
    them.
    """
    said = [(part.label, part.text) for part in parts if isinstance(part, Group)]
    return "; ".join(f"{label[:1].lower()}{label[1:]}: {text}" for label, text in said)


def describe_turn_and_phase(event: Event) -> str:
    """The turn and phase that an event leads into, with who goes first: `Turn 2, Fire phase, US
    first`; "" for an event that leads into none."""
    kind = event["kind"]
    result = str(event.get("result", ""))
    where = {"start": result, "next": result, "pass": result.partition("; ")[2]}.get(kind, "")
    return (
        f"{capitalize_first(where)}, {_get_only_side_to_play(event)} first"
        if where and _get_only_side_to_play(event)
        else capitalize_first(where)
    )


def _get_only_side_to_play(event: Event) -> str:
    """The only side whose go it is behind an event; "" where several may act, or its words name
    it.
    """
    go: list[str] = ((event.get("after") or {}).get("game") or {}).get("go") or []
    return go[0] if len(go) == 1 and f", {go[0]}," not in f"{event.get('result', '')}," else ""


def describe_initiative(event: Event, said: str, sides: tuple[str, ...]) -> str:
    """What is said of who has the initiative: who had it before keeps it, another side takes it; in
    a game of `sides` a roll that changes nothing leaves it where it was."""
    is_new = "initiative" in ((event.get("after") or {}).get("game") or {})
    if not sides and "after" not in event:
        return said
    side = said.partition(_HAS_IT)[0]
    verb = fit_verb(side, "takes", "take") if is_new else fit_verb(side, "keeps", "keep")
    return said.replace(_HAS_IT, f" {verb} the initiative")


def _replace_count_with_names(event: Event, result: str) -> str:
    """What was done to units, by their names where the log only counts them."""
    before, after = ((event.get(part) or {}).get("units") or {} for part in ("before", "after"))
    units = [unit for key in after if (unit := after[key] or before.get(key))]
    are_new = all(after[key] and not before.get(key) for key in after)
    if len(units) < 2 or not (are_new or result.startswith(f"{count_units(len(units))} ")):
        return result
    return result.replace(count_units(len(units)), join_names(unit["name"] for unit in units), 1)


def _lowercase_first_word(title: str, names: Iterable[str]) -> str:
    """A first line within a sentence: `no effect on VC 1`; it keeps a name that it begins with
    as it is.
    """
    first = title.partition(" ")[0].rstrip(":,")
    heads = {
        head
        for name in names
        for head in (name.partition(" ")[0], format_plural(name.partition(" ")[0]))
    }
    return title if first in heads or first[1:].isupper() else title[:1].lower() + title[1:]


_HAS_IT = " has the initiative"
_VERBS = ("fire", "fires", "shoot", "shoots", "attack", "attacks", "interrupt", "interrupts")
"""How a sequence's own words for who acts end."""


def _get_dice_result(event: Mapping[str, Any]) -> str:
    """Return what dice or a table came to: of a table its headline, else as the log has it."""
    system = get_event_system(event)
    target = event.get("target", "")
    headline = ""
    if system is not None and event["kind"] == "table" and target in system.tables:
        headline = retell_look_up(system.tables[target], event)
    return headline or str(event.get("result", ""))


def get_event_title(event: Mapping[str, Any]) -> str:
    """The name of the sequence or table behind an event, or the dice of a roll."""
    if event["kind"] == "roll":
        return str(event["inputs"].get("dice", ""))
    if (sequence := _find_sequence(event)) is not None:
        return sequence.title
    system = get_event_system(event)
    target = event.get("target", "")
    if system is not None and event["kind"] == "table" and target in system.tables:
        return system.tables[target].title
    return str(event.get("command", target))
