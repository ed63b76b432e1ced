"""Whether an event follows on those before it: who may write it, and that it says and changes what its kind may.

No table is read here, so a log of any edition can be checked for ever; what dice and inputs lead to is for
`bot/audit/replay.py`. A server's managers may do what a game master may, and no log names them:
such rights are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bot.game.events import NEVER_UNDONE, ROLLS, apply, has_dice
from bot.game.rights import Actor, is_guarded
from bot.game.roster import count_units, is_gone
from bot.game.state import Game, Json, content, unit_from_json, unit_json
from bot.game.texts import are_open, has_last_word
from bot.game.undo import consenters, redo_fields, undo_fields
from bot.rules.proof.chain import canonical
from bot.rules.proof.event_kinds import content_faults, shape_faults, shown

Event = Mapping[str, Any]


@dataclass(slots=True)
class Past:
    """What is known of a log so far: the state it led to, its events, what was sealed in them, who acted."""

    now: Game
    contents: Mapping[int, Event]  # of the sealed events whose content is in the file
    bodies: dict[int, Event] = field(default_factory=dict)
    acted: set[str] = field(default_factory=set)
    acted_here: set[str] = field(default_factory=set)  # one for each account, since the log was last imported
    acted_before: set[str] = field(default_factory=set)  # up to there
    claimed: dict[str, str] = field(default_factory=dict)  # as whom somebody went on, by who they were before
    left: set[str] = field(default_factory=set)  # their names and texts were deleted
    left_here: set[str] = field(default_factory=set)  # since the log was last imported
    imported_at: int = 0  # the last event that imported it
    promised: int = 0  # the event that promised the seed in force

    @property
    def imported(self) -> bool:
        """Whether it was imported, so that a person of its file may go on as another."""
        return self.imported_at > 0

    def patch(self, event: Event, name: str, part: str) -> Mapping[str, Any]:
        """One part of what an event says stood before or after."""
        found: Mapping[str, Any] = event.get(name, {}).get(part, {})
        return found

    def add(self, event: Event) -> None:
        """Move on behind an event. Raises ValueError for one that does not follow."""
        self.now = apply(self.now, event)
        number, kind, who = event["number"], event["kind"], event["who"]
        self.bodies[number] = event
        self.acted.add(who)
        if kind == "import":
            self.imported_at, self.acted_here, self.left_here = number, set(), set()
            self.acted_before = set(self.acted)
        if own := event.get("own", ""):  # the same account as who claims
            self.acted_here.discard(own)
            self.claimed[own] = who
        self.acted_here.add(who)
        if kind == "privacy":
            self.left_here |= {who, *(own for own, by in self.claimed.items() if by == who)}
            self.left |= self.left_here
        if "commitment" in event.get("secret", {}):
            self.promised = number


def sealed_contents(texts: Mapping[int, str]) -> tuple[dict[int, Event], list[tuple[int, str]]]:
    """What was sealed, by event, read from its text; and what is wrong with it."""
    contents, faults = dict[int, Event](), list[tuple[int, str]]()
    for number, text in texts.items():
        try:
            found = json.loads(text)
            is_plain = canonical(found) == text  # else it could be read in two ways
        except (ValueError, TypeError, RecursionError):
            is_plain = False
        if not is_plain or not isinstance(found, Mapping):
            faults.append((number, "what was sealed in it cannot be read."))
            continue
        wrong = list(content_faults(found))
        faults += [(number, line) for line in wrong]
        if not wrong:
            contents[number] = found
    return contents, faults


def missing_faults(past: Past, texts: Collection[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Behind the last event: what the file has to hold, but does not, though nobody had their texts deleted.

    `texts` are (event, key) of those that it holds. Else a cheat would drop a text, and put in its place what he likes.
    """
    imported = 0

    def is_deleted(number: int) -> bool:
        return bool(past.left and number < past.imported_at) or past.bodies.get(number, {}).get("who") in past.left

    for number, event in past.bodies.items():
        imported = number if event["kind"] == "import" else imported
        added = "secret" in event and "text" in event.get("texts", {})
        if added and (number, "text") not in texts and not is_deleted(number):
            yield number, "its text for the dice is not in the file, though nobody had it deleted."
        for opened in event.get("opens", ()):
            stayed = opened < imported  # the content is where it was rolled
            if not (opened in past.contents or stayed or is_deleted(opened)):
                yield number, f"it opens #{opened}, which is not in the file, though nobody had it deleted."


def event_faults(past: Past, event: Event) -> Iterator[str]:
    """What is wrong with the next event of a log, one line each; it is not added."""
    yield from shape_faults(event)
    if not past.bodies and event.get("kind") != "start":
        yield "a log begins with a start."


def order_faults(past: Past, event: Event) -> Iterator[str]:
    """What does not follow on the events before; the shape of `event` must be right."""
    now, kind, who = past.now, event["kind"], event["who"]
    if event["behind"] != now.last:
        yield f"it says that the last event before it was #{event['behind']}, but that was #{now.last}."
    side = (
        past.patch(event, "after", "game").get("players", {}).get(who, "")
        if kind == "join"
        else now.players.get(who, "")
    )
    if event["side"] != side:
        yield f"it was written for {shown(event['side']) or 'no side'}, but who wrote it plays {side or 'none'}."
    if who in past.left_here:
        yield "who wrote it had left the game for good."
    if not _stood(now, event.get("before", {})):
        yield "the state that it says was there before is not what the log led to."
    elif problem := _RULES.get(kind, _nothing)(past, event) or _closing_problem(past, event):
        yield problem


def _stood(now: Game, before: Event) -> bool:
    if not before:
        return True
    units = {key: unit_json(unit) if (unit := now.units.get(key)) else None for key in before.get("units", {})}
    stood = content(replace(now, units={}))
    fields = {name: stood.get(name) for name in before.get("game", {})}
    return bool(units == before.get("units", {}) and fields == before.get("game", {}))


def _nothing(_past: Past, _event: Event) -> str:
    return ""


def _start(past: Past, event: Event) -> str:
    if past.bodies:
        return "a log has one start."
    if event["game"] != past.now.id:
        return "it starts another game than the file is of."
    if event["secret"].keys() == {"digest"}:
        return "a start promises the first seed."
    if not event.get("free") and ("unannounced" in event or "announced" in event["secret"]):
        return "only the seed of free play is announced before."
    if "announced" in event["secret"] and event["game"] != event["secret"]["commitment"][:16]:
        return "the id of its game is not that of the seed announced before."
    if event.get("free"):
        return "free play begins without sides, turns and units." if "after" in event or "result" in event else ""
    said = past.patch(event, "after", "game")
    sides = said.get("sides", [])
    if said.get("started") is not True or not said.get("name") or not said.get("system") or said.get("turn") != 1:
        return "a game starts with a name, a system and its first turn."
    if said.get("master") != event["who"]:
        return "who starts a game is its game master."
    if len(sides) == 1 or len({side.casefold() for side in sides}) < len(sides):
        return "a game has no sides, or several."
    return _turn_words(event, said)


def _turn_words(event: Event, game: Mapping[str, Any]) -> str:
    turn, phase, said = game["turn"], game.get("phase", ""), event.get("result", "")
    fits = re.fullmatch(rf"turn {turn}(, .{{1,100}})?", said) if phase else said == f"turn {turn}"
    return "" if fits else f"its words are not those of turn {turn}: {shown(said)}."


def _playing(past: Past) -> str:
    return "" if past.now.started and not past.now.ended else "no started game was going on."


def _join(past: Past, event: Event) -> str:
    who, side = event["who"], event["side"]
    if problem := _playing(past):
        return problem
    if who in past.now.players or side not in past.now.sides:
        return "it joins a side that does not exist, or while playing for another."
    return _players(past, event, {**past.now.players, who: side})


def _leave(past: Past, event: Event) -> str:
    if problem := _playing(past):
        return problem
    if event["who"] not in past.now.players:
        return "who leaves plays no side."
    return _players(past, event, {who: side for who, side in past.now.players.items() if who != event["who"]})


def _players(past: Past, event: Event, players: Mapping[str, str]) -> str:
    now = past.patch(event, "after", "game").get("players", past.now.players)
    return "" if now == players else "it changes who plays for which side."


def _next(past: Past, event: Event) -> str:
    if problem := _playing(past):
        return problem
    said = past.patch(event, "after", "game")
    turn, phase = said.get("turn", past.now.turn), said.get("phase", past.now.phase)
    if turn not in (past.now.turn, past.now.turn + 1) or not said:
        return "the next phase is in this turn or in the next one."
    for key, after in past.patch(event, "after", "units").items():
        before = past.patch(event, "before", "units")[key]
        marks = "marks"
        rest = [{name: value for name, value in (unit or {}).items() if name != marks} for unit in (before, after)]
        if not before or not after or rest[0] != rest[1] or not set(after.get(marks, ())) < set(before[marks]):
            return f"a new phase only takes markers off, but it changes {shown(key)}."
    return _turn_words(event, {"turn": turn, "phase": phase})


def _initiative(past: Past, event: Event) -> str:
    if problem := _playing(past):
        return problem
    side = past.patch(event, "after", "game").get("initiative", past.now.initiative)
    return "" if side == event["result"] and side in past.now.sides else "the initiative goes to one of the sides."


def _end(past: Past, event: Event) -> str:
    now, opens = past.now, event.get("opens", [])
    if now.ended or not (now.started or opens):
        return "no game was going on that could end."
    if opens != list(now.sealed):
        return "the end opens all that is sealed, and nothing else."
    if past.patch(event, "after", "game") != {"ended": True}:
        return "it is the end of the game, but does not say so."
    return _opened(past, event)


def _unit(past: Past, event: Event) -> str:
    before, after = (past.patch(event, name, "units") for name in ("before", "after"))
    new = [unit["name"] for key, unit in after.items() if before[key] is None]
    lost = [before[key]["name"] for key, unit in after.items() if unit is None]
    edited = [unit["name"] for key, unit in after.items() if unit is not None and before[key] is not None]
    free = not past.now.started and not past.now.units
    if "system" in past.patch(event, "after", "game") and not (new and (free or not past.now.system)):
        return "the system of a game that has units stays."
    said, carried = event["result"], f"{count_units(len(new))} carried over"
    if lost or edited:
        expected = (
            f"{(lost or edited)[0]} {'removed' if lost else 'edited'}" if len([*new, *lost, *edited]) == 1 else ""
        )
    elif said == carried and not past.now.units:
        return ""
    else:
        expected = f"{new[0] if len(new) == 1 else f'{len(new)} units'} added" if new else ""
    return "" if said == expected else f"its words are not what it does to units: {shown(said)}."


def _settings(past: Past, event: Event) -> str:
    said = past.patch(event, "after", "game")
    hand = said.get("hand_dice", past.now.hand_dice)
    answers = said.get("answers", past.now.answers)
    words = {
        "hand_dice": f"real dice {'allowed' if hand else 'not allowed'}",
        "answers": f"{answers} answers",
        "master": "another game master",
    }
    told = event["result"].split(", ") if "result" in event else []
    right = [word for name, word in words.items() if name in said or (word in told and name != "master")]
    return "" if told == right else f"its words are not the settings that it changes: {shown(event.get('result', ''))}."


def _says(event: Event, words: str) -> str:
    return "" if event["result"] == words else f"its words are none that Grognard writes: {shown(event['result'])}."


def _import(past: Past, event: Event) -> str:
    if "commitment" not in event["secret"]:
        return "an import promises a new seed."
    said = past.patch(event, "after", "game")
    if said and not (past.now.started and said["master"] == event["who"]):
        return "who imports a game directs it, and nobody else."
    return _says(event, f"{past.now.number} events")


def _privacy(past: Past, event: Event) -> str:
    now, who, said = past.now, event["who"], past.patch(event, "after", "game")
    stay, master = said.get("players", now.players), said.get("master", now.master)
    left = {who, *(person for person in now.players if person not in stay), *({now.master} if not master else ())}
    # An account that an imported file knows too leaves as both persons; nobody else goes along.
    along = left - {who, "", *(own for own, by in past.claimed.items() if by == who)}
    if len(along) > 1 or not along <= past.acted_before - past.acted_here:
        return "somebody else leaves with who had their data deleted."
    if master != ("" if now.master in left else now.master):
        return "it changes who is game master."
    players = {other: side for other, side in now.players.items() if other not in left}
    return _players(past, event, players)


def _claim(past: Past, event: Event) -> str:
    """Who is known by two persons goes on as that of the imported log; a seat taken meanwhile moves along."""
    now, who, own = past.now, event["who"], event.get("own", "")
    is_there = who in past.acted_before - past.acted_here and (not own or own in past.acted_here)
    if not past.imported or own == who or not is_there:
        return "nobody is claimed but a person of an imported log."
    mine, theirs = now.players.get(own, ""), now.players.get(who, "")
    if mine and theirs and mine != theirs:
        return "nobody plays two sides."
    seats = {who: theirs or mine} if theirs or mine else {}
    players = {**{person: side for person, side in now.players.items() if person != own}, **seats}
    master = who if own and now.master == own else now.master
    if past.patch(event, "after", "game").get("master", now.master) != master:
        return "it changes who is game master."
    return _players(past, event, players)


def _closing_problem(past: Past, event: Event) -> str:
    """What is wrong with whether the event closes the players' texts: see docs/dice.md, "When texts close"."""
    now, who, closes = past.now, event["who"], event.get("closes", False)
    draws = has_dice(event) and not event.get("hand")
    if closes and not (now.closing and are_open(now)):
        return "it closes texts that are not open."
    if closes and has_last_word(now, who):
        return "who added the last text closes the texts."
    if closes and not draws and event["kind"] != "fair":
        return "it closes the texts without a die."
    if draws and now.closing and are_open(now) and not closes:
        used = past.contents.get(event["number"], event).get("used")
        if not is_guarded(now) or who in (*now.players, now.master) or used:
            return "its dice should have closed the texts."
    return ""


def _fair(past: Past, event: Event) -> str:
    if event.get("closes"):
        if event.keys() & {"secret", "texts", "revealed"} or not past.now.adder:
            return "it closes no texts."
        return _says(event, "the texts are closed")
    if "secret" not in event:
        return "it neither adds a text to the dice nor reveals a seed."
    if "revealed" not in event:
        if "commitment" in event["secret"] or event.get("texts", {}).keys() != {"text"}:
            return "it neither adds a text to the dice nor reveals a seed."
        return _says(event, "a text was added")
    epoch = event["revealed"]["epoch"]
    if "commitment" not in event["secret"] or "texts" in event or epoch != past.now.epoch:
        return "who reveals a seed reveals the one in force, and promises a new one."
    if any(number > past.promised for number in past.now.sealed):
        return "a seed is not revealed while a roll under it is sealed."
    return _says(event, f"seed {epoch} revealed")


def _roll_problem(past: Past, roll: Event) -> str:
    """What is wrong with a roll, table or sequence, be it an open one or what was sealed."""
    now, kind, command = past.now, roll["kind"], roll["command"]
    system, target = roll.get("system", ""), roll.get("target", "")
    wanted = {"roll": "roll", "sequence": f"{system} {target}"}.get(
        kind, f"{system}-table [a-z0-9-]+ {re.escape(target)}"
    )
    if not (re.fullmatch(wanted, command) if kind == "table" else command == wanted):
        return f"its command is not that of what was rolled: {shown(command)}."
    if roll.get("hand") and not now.hand_dice:
        return "its dice were thrown by hand, which this game did not allow."
    used = roll.get("used", [])
    for unit in used:
        stands = now.units.get(unit["name"].casefold())
        if stands is None or unit_json(stands) != unit:
            return f"{shown(unit['name'])} was not as it says when it was used."
    names = [unit["name"] for unit in used]
    if [name for name in names if name in roll.get("acting", ())] != roll.get("acting", []):
        return "units act that it does not use."
    return ""


def _roll(past: Past, event: Event) -> str:
    if problem := _roll_problem(past, event):
        return problem
    said, now = past.patch(event, "after", "game"), past.now
    if "system" in said and (said["system"] != event["system"] or (now.system and (now.started or now.units))):
        return "the system of a game that has units stays."
    if "initiative" in said and (event["target"] != "initiative" or said["initiative"] not in now.sides):
        return "it gives the initiative away."
    before, after = (past.patch(event, name, "units") for name in ("before", "after"))
    names = {unit["name"].casefold() for unit in event.get("used", [])}
    for key, unit in after.items():
        if key not in names or unit is None or before[key]["name"] != unit["name"]:
            return f"it changes {shown(key)}, which it may not."
    return ""


def _sealed(past: Past, event: Event) -> str:
    roll = past.contents.get(event["number"])
    if roll is None:
        return ""
    if roll["kind"] != event["of"] or roll.get("hand", False) != event.get("hand", False):
        return "what was sealed in it is something else than it says."
    return _roll_problem(past, roll)


def _reveal(past: Past, event: Event) -> str:
    now, opens = past.now, event["opens"]
    if len(opens) != 1 or opens[0] not in now.sealed:
        return f"it opens what is not sealed: {shown(opens)}."
    owner = now.sealed[opens[0]]
    if owner != event["who"] and owner not in past.left and opens[0] >= past.imported_at:
        return "only who rolled may open what is sealed."
    return _opened(past, event)


def _opened(past: Past, event: Event) -> str:
    """What opening sealed rolls does to units and says: as they hold it, where they are in the file."""
    opens = [number for number in event.get("opens", []) if not _was_gone(past, number)]
    if not all(number in past.contents for number in opens):
        return ""  # deleted since, see `missing_faults`; nobody can tell
    said = [_said(number, past.contents[number]) for number in opens]
    if not re.fullmatch("; ".join(said), event.get("result", ""), re.DOTALL):
        return "its words are not what was sealed."
    units: dict[str, Json] = {key: unit_json(unit) for key, unit in past.now.units.items()}
    changed = dict(units)
    for number in opens:
        roll = past.contents[number]
        if number in past.now.withdrawn or not _is_of_game(past.now, roll.get("system", "")):
            continue
        for change in roll.get("changes", []):
            key = change["unit"].casefold()
            if key in changed and not is_gone(unit_from_json(changed[key])):
                changed[key] = _settled(changed[key], change)
    after = past.patch(event, "after", "units")
    for key, unit in units.items():
        now, due = after.get(key, unit), changed[key]
        # A state may take the place of markers with its name, which only the tables know.
        if (
            now is None
            or _unmarked(now) != _unmarked(due)
            or not set(now.get("marks", ())) <= set(due.get("marks", ()))
        ):
            return f"it changes {shown(key)} otherwise than was sealed."
    return "" if after.keys() <= units.keys() else "it brings units that were not there."


def _was_gone(past: Past, number: int) -> bool:
    """Whether what was sealed was gone before it was opened, so that opening it does nothing."""
    stayed = number < past.imported_at
    return number not in past.contents and (stayed or past.now.sealed[number] in past.left)


def _said(number: int, roll: Event) -> str:
    """A pattern of what is said of an opened roll; the names of sequences are for the tables to know."""
    title = re.escape(str(roll["inputs"].get("dice", ""))) if roll["kind"] == "roll" else "[^\n]{1,100}"
    return rf"#{number} {title}: {re.escape(roll.get('result', ''))}"


def _is_of_game(now: Game, system: str) -> bool:
    return not system or now.system in ("", system) or (not now.started and not now.units)


def _settled(unit: Json, change: Event) -> Json:
    own = {key: value for key, value in change["set"].items() if key in ("state", "type", "side")}
    numbers = {**unit.get("numbers", {}), **{key: value for key, value in change["set"].items() if key not in own}}
    marks = (set(unit.get("marks", ())) - set(change.get("unmark", ()))) | set(change.get("mark", ()))
    kept = {key: value for key, value in numbers.items() if value is not None}
    whole = {**unit, **own, "numbers": kept, "marks": sorted(marks)}
    return {key: value for key, value in whole.items() if value not in ("", {}, [])}


def _unmarked(unit: Event) -> Json:
    return {key: value for key, value in unit.items() if key != "marks"}


def _undo(past: Past, event: Event) -> str:
    now, number, who = past.now, event["event"], event["who"]
    undone = past.bodies.get(number)
    if undone is None or number != now.last:
        return f"it takes back #{number}, but the last event that held was #{now.last}."
    if undone["kind"] in NEVER_UNDONE:
        return f"it takes back #{number}, of the kind {undone['kind']}, which is never undone."
    if any(event.get(name) != value for name, value in _filled(undo_fields(undone)).items()):
        return f"it does not turn round what #{number} did."
    asked = event.get("asked", "")
    if asked and event.get("alone"):
        return "somebody alone in a game asks nobody."
    if has_dice(undone) and not asked and not event.get("alone"):
        return "dice are taken back, and nobody agreed."
    if asked and asked not in past.acted:
        return "who asked for the undo had no part in the game."
    if asked:
        others = consenters(now, Actor(asked, now.players.get(asked, ""), directs=False), past.acted, undone)
        return "" if who != asked and who in others else "who agreed to the undo had no say in it."
    here = past.acted_here - past.left_here
    if event.get("alone") and consenters(now, Actor(who, now.players.get(who, ""), directs=False), here, undone):
        return "it says that nobody else could agree, but others play."
    return ""


def _redo(past: Past, event: Event) -> str:
    now, number = past.now, event["event"]
    if not now.redo or now.redo[-1] != number:
        return f"it brings back #{number}, which was not undone last."
    if any(event.get(name) != value for name, value in _filled(redo_fields(past.bodies[number])).items()):
        return f"it does not do again what #{number} did."
    return ""


def _filled(fields: Json) -> Json:
    return {"before": None, "after": None, **fields}


_RULES: Mapping[str, Callable[[Past, Event], str]] = {
    "start": _start, "join": _join, "leave": _leave, "next": _next, "initiative": _initiative, "end": _end,
    "unit": _unit, "settings": _settings, "import": _import, "claim": _claim, "privacy": _privacy, "fair": _fair,
    "sealed": _sealed, "reveal": _reveal, "undo": _undo, "redo": _redo, **dict.fromkeys(ROLLS, _roll),
}  # fmt: skip
