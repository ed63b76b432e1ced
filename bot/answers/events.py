"""Events in words: the one teller of the log, the story, the report, the page and whoever takes
something back.
"""

import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from bot.answers.headline import (
    actors,
    cause,
    did,
    fared,
    groups,
    has_one_party,
    headline_of,
    news,
    unrolled,
)
from bot.answers.plays import played_again, shot_of, whole_out
from bot.answers.roll import retell_look_up
from bot.answers.shot import each_reply
from bot.game.events import COMBAT, system_of
from bot.game.roster import count_units
from bot.game.sides import fit_verb
from bot.game.state import DRAW
from bot.interface.reply.parts import Group
from bot.interface.reply.reply import GAME, NOTHING, WAITING
from bot.rules.cards import STANDARD, WORD, name_of
from bot.rules.inputs.decks import faces_shown
from bot.rules.inputs.typed_values import Given
from bot.rules.text.names import a_or_an, joined, plural, with_sides
from bot.rules.text.phrase import begun
from bot.stores.records import TextRow
from bot.systems.catalog import pack_version
from bot.systems.system import ROLL, Sequence

Event = Mapping[str, Any]
NameOf = Callable[[str], str]
CardNames = Mapping[str, Mapping[str, str]]
"""How cards are called, by the ids of their decks and their own."""
QUIET = ("fair", "settings", "link", "transfer", "claim", "import", "privacy", "undo", "redo")
"""Kinds that are no part of a story: an undo is seen in what it took back."""

TEXTS = {"plan": "text", "end": "text"}
"""The key of the text that is told with an event; of all others it is their label."""


class Retold(NamedTuple):
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
        return begun(self.said)

    @property
    def short(self) -> str:
        """Who did it and what came of it, units counted where they are many: `Squad 1 fires: 5
        of 9 VC killed`.
        """
        return (
            f"{begun(_of_side(self.side, self.by))}: {self.said}"
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
            return f"{begun(self.more)} ({self.by})"
        return f"{self.title}{more} ({self.by})" if self.by else f"{self.title}{more}"


CARDS = ("deck", "draw", "cards")
"""Kinds of events about decks."""


def word_numbers(*events: Event) -> set[int]:
    """The events with the words of the cards of which others tell."""
    told = (str(event.get("result", "")) for event in events if event["kind"] in CARDS)
    return {int(found[1]) for result in told for found in WORD.finditer(result)}


def texts_of(
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


def retold(
    event: Event,
    name_of: NameOf,
    text: str = "",
    sides: tuple[str, ...] = (),
    *,
    replayed: bool = True,
) -> Retold:
    """An event in words. `text` is its label or the text that was written with it, `sides` are
    those of the game. `replayed`: a sequence is played again with its dice, for the words of its
    answer."""
    kind = event["kind"]
    who = name_of(event["who"])
    result = str(event.get("result", ""))
    if "asks" in event:
        return Retold(result, f"{event['asks'].get('side') or 'a side'} to choose", WAITING)
    if kind == "choice":
        how = "nobody chose in time" if event.get("as") == "else" else f"{who} chooses"
        words = ", ".join(dict.fromkeys(event["picks"])).replace("-", " ")
        said = ": ".join(filter(None, (result, _became(event))))
        return Retold(said + _arrivals(event), f"{how} {words}, {title_of(event)}")
    if kind == "sequence":
        found = _sequence(event, who, replayed=replayed)
        said = with_sides(found.said, sides)
        more = with_sides(found.more, sides)
        said = (
            held(event, said, sides)
            + _arrivals(event)
            + "".join(f"; {one}" for one in tracks_moved(event))
        )
        return found._replace(said=said, more=more)
    if kind in ("roll", "table"):
        title = title_of(event)
        result = _result_of_dice(event)
        return (
            Retold(f"{text}: {result}", f"{who}, {title}")
            if text
            else Retold(f"{title}: {result}", who)
        )
    return _of_game(event, who, result, text) or Retold(_done(event, name_of, result), who)


def _of_game(event: Event, who: str, result: str, text: str) -> Retold | None:
    """What is said of turns, sides, units and of what was sealed; None for all else that
    somebody does.
    """
    game = (event.get("after") or {}).get("game") or {}
    match event["kind"]:
        case "next":
            first = f", {_first(event)} first" if _first(event) else ""
            return Retold(f"{where_of(event).removesuffix(first)} begins{first}", tone=GAME)
        case "pass":
            return Retold((text or result).partition("; ")[0], tone=GAME)
        case "initiative":
            return Retold(held(event, f"{result}{_HAS_IT}", ()), tone=GAME)
        case "start":
            return Retold(
                f'"{game["name"]}" begins' if game.get("name") else "free play begins", who, GAME
            )
        case "join":
            return Retold(f"{who} plays {event['side']}", tone=GAME)
        case "unit":
            return Retold(begun(_units_named(event, result)), who)
        case "deck" | "draw" | "cards":
            return _of_cards(event, who, text or result)
        case "sealed":
            return Retold("A sealed roll", who, GAME)
        case "reveal":
            opened = result or ", ".join(f"#{number}" for number in event.get("opens", ()))
            return Retold(f"Opened: {opened}{f', {text}' if text else ''}", who, GAME)
        case "plan":
            return Retold(
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
            return Retold(
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


def _of_cards(event: Event, who: str, told: str) -> Retold:
    """What is said of decks; `told` is the result with the words of cards in it."""
    if event.get("does") == "names":
        return Retold(f"in order: {told}", f"{who} shuffles names")
    if event.get("does") == "agree":
        return Retold(f"{who} agrees that hands are opened when the game ends")
    id, _, which = told.partition(": ")
    if id in STANDARD:
        which = ", ".join(name_of(id, card) for card in which.split(", "))
    return Retold(f"{who} {_DID[str(event.get('does', ''))].format(which=which, id=id)}")


def told_event(
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
    found = retold(event, name_of, label, sides, replayed=replayed)
    if kind in ("roll", "table"):
        said = f"{f'{label}: ' if label else ''}{title_of(event)}: {_result_of_dice(event)}"
    elif kind == "pass":
        said = label or str(event["result"])
    elif kind in CARDS:
        said = found.said if found.by else found.said.removeprefix(name_of(event["who"])).strip()
    elif kind == "join":
        said = f"plays {event['side']}"
    elif found.acts:
        said = found._replace(side="").sentence
    else:
        said = f"{title_of(event)}: {found.said}" if _sequence_of(event) is not None else found.said
    said += "".join(f"; {extends_words(hash, of)}" for hash, of in event.get("extends", {}).items())
    side = f" ({event['side']})" if event.get("side") else ""
    faces = (
        faces_shown(event) if "read" in event else (die["value"] for die in event.get("dice", ()))
    )
    dice = "".join(f"[{shows}]" for shows in islice(faces, 40))
    dice = "" if kind in CARDS else dice  # they count places in a pile
    by_hand = f"({'drawn' if kind in CARDS else 'dice'} by hand)" if event.get("hand") else ""
    return " ".join(
        filter(None, (f"#{event['number']} {name_of(event['who'])}{side}: {said}", dice, by_hand))
    )


def extends_words(hash: str, of: str) -> str:
    """What is said of a pack that comes in force beside others: `Club fire 1 (3f2a9c01) extends
    asl`.
    """
    pack = pack_version(hash)
    named = f"{pack.title} {pack.about.version}" if pack is not None else "a pack"
    return f"{named} ({hash[:8]}) extends {of}"


def _done(event: Event, name_of: NameOf, result: str) -> str:
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


def _sequence(event: Event, who: str, *, replayed: bool) -> Retold:
    sequence = _sequence_of(event)
    if sequence is None:
        return Retold(f"{title_of(event)}: {event.get('result', '')}", who)
    return (_replayed(event, sequence, who) if replayed else None) or _as_stored(
        event, sequence, who
    )


def _sequence_of(event: Event) -> Sequence | None:
    """The sequence that an event played; None for other kinds, and for one of a pack that is
    gone.
    """
    system = system_of(event) if event["kind"] in COMBAT else None
    return system.sequences.get(event.get("target", "")) if system is not None else None


def _replayed(event: Event, sequence: Sequence, who: str) -> Retold | None:
    """The words of the answer; None where today's rules make something else of these inputs and
    dice.
    """
    singles = played_again(shot_of(event, sequence, {}))
    if not singles or json.loads(json.dumps(whole_out(singles))) != event.get("out", {}):
        return None
    one = singles[0]
    if one.unit:
        reply = each_reply(who, sequence, singles)
        named = _inside(reply.title, (one.unit for one in singles))
        return Retold(named, _begun_by(who, sequence), reply.tone, _in_groups(reply.lines))
    settled = one.played.settlement
    acting = actors(sequence, one.given)
    came = fared(sequence, settled.fates)
    told = news(came, headline_of(settled, one.played.out, sequence.system), acting, who)
    own = settled.by if settled.by.rpartition(" ")[2] in _VERBS else ""
    acts = bool(own) or (
        bool(acting) and sequence.verb != ROLL and told.by != cause(sequence, (), who)
    )
    more = [_in_groups(groups(came))] if came.is_counted else []
    more += [settled.by] if settled.by and not own else []
    title = _inside(told.title, (fate.unit for fate in settled.fates))
    by = own or _armed(told.by, sequence, one.given, title, acts=acts)
    by = by if event.get("dice") else unrolled(by, who)
    return Retold(
        title, by, told.tone, "; ".join(filter(None, more)), acts, _side_of(event) if acts else ""
    )


def _as_stored(event: Event, sequence: Sequence, who: str) -> Retold:
    """Who acted at whom as the event has them, and its own result."""
    result = str(event.get("result", ""))
    acting = list(event.get("acting") or ())
    others = joined(unit["name"] for unit in event.get("used") or () if unit["name"] not in acting)
    if not acting or sequence.verb == ROLL or has_one_party(sequence):
        whom = others or joined(acting)
        names_them = not whom or any(unit["name"] in result for unit in event.get("used") or ())
        title = result if names_them else f"{whom}: {result}"
        return Retold(title or sequence.title, _begun_by(who, sequence))
    verb = sequence.verb.lower()
    way = {"fire": " at ", "shoot": " at ", "fight": " ", "attack": " "}.get(verb)
    at = "" if not others else f" ({others})" if way is None else f"{way}{others}"
    by = f"{joined(acting)} {plural(verb) if len(acting) == 1 else verb}{at}"
    return Retold(result or "no effect", by, acts=True, side=_side_of(event))


def _begun_by(who: str, sequence: Sequence) -> str:
    return f"{who} {did(sequence)}"


def _side_of(event: Event) -> str:
    """The side of those that acted; "" where their names begin with it already."""
    acting = event.get("acting") or ()
    units = [unit for unit in event.get("used") or () if unit["name"] in acting]
    sides = {str(unit.get("side", "")) for unit in units}
    side = sides.pop() if len(sides) == 1 else "" if units else str(event.get("side", ""))
    return "" if any(str(unit["name"]).startswith(f"{side} ") for unit in units) else side


def tracks_moved(event: Event) -> list[str]:
    """What became of the game's tracks, `Weather: mud`."""
    was, now = (
        ((event.get(part) or {}).get("game") or {}).get("tracks", {})
        for part in ("before", "after")
    )
    system = system_of(event) if now else None
    tracks = system.tracks if system is not None else {}
    moved = [key for key in now if was.get(key) != now[key]]
    split = [(key.rpartition("/"), now[key]) for key in moved]
    return [tracks[name].said(value, side) for (side, _, name), value in split if name in tracks]


def _became(event: Event) -> str:
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
    return "; ".join(f"{joined(names)} {way}" for way, names in ways.items() if way)


def _arrivals(event: Event) -> str:
    """Who came into play beside those that were there: `, Hero comes into play`."""
    before, after = ((event.get(part) or {}).get("units") or {} for part in ("before", "after"))
    names = [unit["name"] for key, unit in after.items() if unit and before.get(key) is None]
    return f", {come_into_play(names)}" if names else ""


def come_into_play(names: list[str]) -> str:
    """`Hero 1 comes into play`."""
    return f"{joined(names)} {'comes' if len(names) == 1 else 'come'} into play"


def _of_side(side: str, by: str) -> str:
    """Who acts with the side that they are of: `US squad 1 fires`, `a US squad and a hero
    fight`.
    """
    if not side or by[:1].isdigit():
        return by
    article, _, rest = by.partition(" ")
    return f"{a_or_an(side)} {rest}" if article in ("a", "an") else f"{side} {by}"


def _armed(by: str, sequence: Sequence, given: Given, title: str, *, acts: bool) -> str:
    """Who acts, with what: `Squad 1 fires with 2 rifles and a belt-fed LMG`; `Alice resolves a
    blast: medium gun`.
    """
    words: Mapping[str, str] = sequence.system.game.get("arms") or {}
    held = (
        Counter(str(weapon) for unit in given.acting() if (weapon := unit.numbers.get("weapon")))
        if acts
        else Counter()
    )
    typed = given.values.get("weapon")
    if not held and isinstance(typed, str) and typed:
        held[typed] = 1
    called = {words.get(token, token.replace("-", " ")): count for token, count in held.items()}
    if acts and called:
        arms = (
            f"{count} {plural(name)}" if count > 1 else a_or_an(name)
            for name, count in called.items()
        )
        return f"{by} with {joined(arms)}"
    return ": ".join(
        [by, *(name for name in called if name.casefold() not in f"{title} {by}".casefold())]
    )


def _in_groups(parts: Iterable[object]) -> str:
    """`Killed: VC 1 + 2; wounded: VC 4`: who came to which result, where the title only counts
    them.
    """
    said = [(part.label, part.text) for part in parts if isinstance(part, Group)]
    return "; ".join(f"{label[:1].lower()}{label[1:]}: {text}" for label, text in said)


def where_of(event: Event) -> str:
    """The turn and phase that an event leads into, with who goes first: `Turn 2, Fire phase, US
    first`; "" for an event that leads into none."""
    kind = event["kind"]
    result = str(event.get("result", ""))
    where = {"start": result, "next": result, "pass": result.partition("; ")[2]}.get(kind, "")
    return f"{begun(where)}, {_first(event)} first" if where and _first(event) else begun(where)


def _first(event: Event) -> str:
    """The only side whose go it is behind an event; "" where several may act, or its words name
    it.
    """
    go: list[str] = ((event.get("after") or {}).get("game") or {}).get("go") or []
    return go[0] if len(go) == 1 and f", {go[0]}," not in f"{event.get('result', '')}," else ""


def held(event: Event, said: str, sides: tuple[str, ...]) -> str:
    """What is said of who has the initiative: who had it before keeps it, another side takes it; in
    a game of `sides` a roll that changes nothing leaves it where it was."""
    is_new = "initiative" in ((event.get("after") or {}).get("game") or {})
    if not sides and "after" not in event:
        return said
    side = said.partition(_HAS_IT)[0]
    verb = fit_verb(side, "takes", "take") if is_new else fit_verb(side, "keeps", "keep")
    return said.replace(_HAS_IT, f" {verb} the initiative")


def _units_named(event: Event, result: str) -> str:
    """What was done to units, by their names where the log only counts them."""
    before, after = ((event.get(part) or {}).get("units") or {} for part in ("before", "after"))
    units = [unit for key in after if (unit := after[key] or before.get(key))]
    are_new = all(after[key] and not before.get(key) for key in after)
    if len(units) < 2 or not (are_new or result.startswith(f"{count_units(len(units))} ")):
        return result
    return result.replace(count_units(len(units)), joined(unit["name"] for unit in units), 1)


def _inside(title: str, names: Iterable[str]) -> str:
    """A first line within a sentence: `no effect on VC 1`; it keeps a name that it begins with
    as it is.
    """
    first = title.partition(" ")[0].rstrip(":,")
    heads = {
        head for name in names for head in (name.partition(" ")[0], plural(name.partition(" ")[0]))
    }
    return title if first in heads or first[1:].isupper() else title[:1].lower() + title[1:]


_HAS_IT = " has the initiative"
_VERBS = ("fire", "fires", "shoot", "shoots", "attack", "attacks", "interrupt", "interrupts")
"""How a sequence's own words for who acts end."""


def _result_of_dice(event: Mapping[str, Any]) -> str:
    """Return what dice or a table came to: of a table its headline, else as the log has it."""
    system = system_of(event)
    target = event.get("target", "")
    headline = ""
    if system is not None and event["kind"] == "table" and target in system.tables:
        headline = retell_look_up(system.tables[target], event)
    return headline or str(event.get("result", ""))


def title_of(event: Mapping[str, Any]) -> str:
    """The name of the sequence or table behind an event, or the dice of a roll."""
    if event["kind"] == "roll":
        return str(event["inputs"].get("dice", ""))
    if (sequence := _sequence_of(event)) is not None:
        return sequence.title
    system = system_of(event)
    target = event.get("target", "")
    if system is not None and event["kind"] == "table" and target in system.tables:
        return system.tables[target].title
    return str(event.get("command", target))
