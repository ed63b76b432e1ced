"""Events of a game: what each records, how it changes the state, and the edition it was played
under.

An event is plain JSON and holds all that is needed to replay it. Every body has `number`, `at`
(Unix seconds), `who` (a person id), `side`, `kind` and `behind` (the last event before it, not
undone). If the state changed, `before` and `after` hold the changed units and fields, so that to
apply, undo and replay are the same small step.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from bot.game.event_kinds import MOST_VERSIONS, Trait, is_hash, list_kinds_with
from bot.game.state import FIELDS, Game, Json, _plain, set_units, unit_from_json, unit_to_json
from bot.rules.cards import CLOSES, Out, set_counts
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import System

UNIT, PLAYS = "unit", "plays"
"""The input that names the units, and the output that lists the result of each."""

ROLLS = ("roll", "sequence", "table")
OUTCOMES = list_kinds_with(Trait.OUTCOME)
"""Kinds of events that hold an outcome of dice or tables."""
COMBAT = list_kinds_with(Trait.COMBAT)
"""Kinds of events that hold an outcome of a combat sequence, or of a part of one."""
_CONTINUING = list_kinds_with(Trait.CONTINUES)
TURNING = ("next", "pass", "initiative")
"""Kinds of events whose answers are cards of phases."""
NEVER_UNDONE = list_kinds_with(Trait.FINAL)
BARRIERS = list_kinds_with(Trait.BARRIER)
BESIDE = list_kinds_with(Trait.BESIDE)
QUIET = list_kinds_with(Trait.QUIET)
_TUPLES = ("sides", "self_played", "counted", "go", "packs")
_fields_of = attrgetter(*FIELDS)


def is_final(event: Mapping[str, Any]) -> bool:
    """Return whether an event can never be undone: by its kind, or because it says so, as the die
    that drew the sides does.
    """
    return event["kind"] in NEVER_UNDONE or bool(event.get("final"))


def compute_difference(old_game: Game, new_game: Game) -> tuple[Json, Json]:
    """Return what differs between two states, as the patch (before, after) of an event.

    A unit that differs is there whole, and None where it does not exist. Both are empty if nothing
    differs.
    """
    before: Json = {}
    after: Json = {}
    if old_game is new_game:
        return before, after
    old_values = _fields_of(old_game)
    new_values = _fields_of(new_game)
    for name, old_value, new_value in zip(FIELDS, old_values, new_values, strict=True):
        if old_value != new_value:
            before.setdefault("game", {})[name] = _plain(old_value)
            after.setdefault("game", {})[name] = _plain(new_value)
    if old_game.units is not new_game.units:
        for key in sorted(old_game.units.keys() | new_game.units.keys()):
            old_unit = old_game.units.get(key)
            new_unit = new_game.units.get(key)
            if old_unit is not new_unit and old_unit != new_unit:
                before.setdefault("units", {})[key] = unit_to_json(old_unit) if old_unit else None
                after.setdefault("units", {})[key] = unit_to_json(new_unit) if new_unit else None
    if old_game.cards is not new_game.cards:
        cards_before, cards_after = compute_card_difference(old_game.cards, new_game.cards)
        before = before | cards_before
        after = after | cards_after
    return before, after


def compute_card_difference(old_counts: Out, new_counts: Out) -> tuple[Json, Json]:
    """Return the counts of cards that differ: (before, after), both empty if none do."""
    keys = sorted({key for key, _ in old_counts.items() ^ new_counts.items()})
    if not keys:
        return {}, {}
    before = {"cards": {key: old_counts.get(key, 0) for key in keys}}
    after = {"cards": {key: new_counts.get(key, 0) for key in keys}}
    return before, after


def apply_patch(game: Game, patch: Mapping[str, Any]) -> Game:
    """Return the game with the units, cards and fields of a patch set, such as `after` of an event.

    A unit that is None is removed.
    """
    fields: Mapping[str, Any] = patch.get("game") or {}
    values: dict[str, Any] = {
        name: tuple(value) if name in _TUPLES else value for name, value in fields.items()
    }
    if values:
        game = replace(game, **values)
    units = patch.get("units")
    if units:
        game = set_units(
            game, {key: unit_from_json(unit) if unit else None for key, unit in units.items()}
        )
    cards = patch.get("cards")
    if cards:
        game = replace(game, cards=set_counts(game.cards, cards))
    return game


def list_changed_units(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the names of the units that a patch changes, a removed unit by its last name."""
    units = {**before.get("units", {}), **after.get("units", {})}
    return [(unit or before["units"][key])["name"] for key, unit in units.items()]


def get_recorded_units(event: Mapping[str, Any]) -> list[Json]:
    """Return the units that an event recorded: those used, and those that gave them a value."""
    return [*(event.get("sources") or ()), *(event.get("used") or ())]


def list_previous_names(event: Mapping[str, Any]) -> list[str]:
    """Return the names of the units that an event changed, as they were before it.

    A renamed unit is listed by its old name alone.
    """
    if "renamed" in event:
        return [event["renamed"]]
    return list_changed_units(event.get("before") or {}, event.get("after") or {})


def apply(game: Game, event: Mapping[str, Any]) -> Game:
    """Return the state after `event`. Raise ValueError if its number is not the next one.

    That is the only check: `bot/verification` finds out whether the event may follow the state.
    """
    number = event["number"]
    kind = event["kind"]
    if number != game.number + 1:
        raise ValueError(f"event {number} does not follow event {game.number}")
    game = apply_patch(game, event.get("after") or {})
    changes: dict[str, Any] = {
        "number": number,
        "solo": _update_solo_person(game, event),
        **_update_undo_order(game, event),
    }
    if kind == "sealed" or event.get("opens"):
        changes["sealed"] = _update_sealed_rolls(game, event)
    if game.waits or event.get("asks"):
        changes["waits"] = _update_pending_choices(game, event)
    secret = event.get("secret")
    if secret:
        changes |= _update_secret(event, secret)
    if "shows" in event or kind == "import":
        changes["hidden"] = 0
    elif not game.hidden and not event.keys().isdisjoint(CLOSES):
        changes["hidden"] = number
    if not event.get("hand") and has_dice(event):
        changes["drawn"] = True
    if event.get("closes"):
        changes["closed"] = True
    if game.go and _changes_side_to_act(event):
        changes["go_since"] = int(event["at"])  # each phase sets it
    return replace(game, **changes)


def _changes_side_to_act(event: Mapping[str, Any]) -> bool:
    """Return whether an event lets other sides act: a new phase, a pass, or new sides to act."""
    if event["kind"] in ("next", "pass"):
        return True
    return "go" in ((event.get("after") or {}).get("game") or {})


def _update_sealed_rolls(game: Game, event: Mapping[str, Any]) -> dict[int, str]:
    """Return the sealed rolls after an event: by event number, the person who may open each."""
    sealed = dict(game.sealed)
    if event["kind"] == "sealed":
        sealed[event["number"]] = event["who"]
    for opened in event.get("opens", ()):
        sealed.pop(opened, None)
    return sealed


def _update_pending_choices(game: Game, event: Mapping[str, Any]) -> dict[int, Json]:
    """Return the pending choices after an event, by the number of the event that asks.

    An event that asks for a choice adds one. The choice, or the undo of the event that asks,
    removes it. The redo of that event adds it again.
    """
    is_about_another = is_continuation(event) or event["kind"] in ("undo", "redo")
    target = event["event"] if is_about_another else 0
    pending = {number: choice for number, choice in game.waits.items() if number != target}
    choice = event.get("asks")
    if choice:
        number = target if event["kind"] == "redo" else event["number"]
        pending[number] = choice
    return pending


def merge_choices(event: Mapping[str, Any], bodies: Mapping[int, Mapping[str, Any]]) -> Json:
    """Return a choice merged with the sequence that it continues. Return any other event as a copy.

    Add the `inputs` and `side` of the sequence, all picks so far by name (`chosen`), and the dice
    that were rolled before the choice (`fell`). `bodies` has the earlier events by number.
    """
    picks_by_name: Json = {}
    earlier_dice: list[Any] = []
    source = event
    while is_continuation(source):
        picks = source["picks"]
        source = bodies[source["event"]]
        picks_by_name[source["asks"]["name"]] = picks
        earlier_dice[:0] = source.get("dice", ())
    if not picks_by_name:
        return dict(event)
    return {
        **event,
        "inputs": source.get("inputs", {}),
        "side": source.get("side", ""),
        "chosen": picks_by_name,
        "fell": earlier_dice,
    }


def _update_secret(event: Mapping[str, Any], secret: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the dice secret in force after an event that holds `secret`.

    A new secret starts with its commitment. Otherwise the event adds texts to the old one.
    """
    fields = {name: secret[name] for name in ("epoch", "commitment", "digest") if name in secret}
    if "commitment" in secret:
        return {**fields, "drawn": False, "closed": False, "adder": ""}
    adds = event["kind"] == "fair" and "digest" in secret
    return {**fields, "adder": event["who"]} if adds else fields


def _update_solo_person(game: Game, event: Mapping[str, Any]) -> str:
    """Return the person who has written every event so far, or "*" if several have."""
    if event["number"] == 1 or game.solo == event["who"]:
        return str(event["who"])
    return "*"


def _update_undo_order(game: Game, event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that undo needs: the last event in effect, and the events to redo."""
    number = event["number"]
    kind = event["kind"]
    if kind == "undo":
        undone = event["event"]
        withdrawn = (*game.withdrawn, undone) if undone in game.sealed else game.withdrawn
        return {"last": event["last"], "redo": (*game.redo, undone), "withdrawn": withdrawn}
    if kind == "redo":
        withdrawn = tuple(
            withdrawn_number
            for withdrawn_number in game.withdrawn
            if withdrawn_number != event["event"]
        )
        return {
            "last": max(game.last, event["event"]),
            "redo": game.redo[:-1],
            "withdrawn": withdrawn,
        }
    redo = game.redo if event.get("keeps") else ()
    if kind == "reveal" and "last" in event:
        # opening a sealed roll is no barrier for what came before it
        return {"last": event["last"], "redo": redo}
    return {"last": number, "redo": redo}


def replay(game: str, events: Iterable[Mapping[str, Any]]) -> Game:
    """Return the state after all `events` of the game with this id."""
    state = Game(game)
    for event in events:
        state = apply(state, event)
    return state


def has_dice(event: Mapping[str, Any]) -> bool:
    """Return whether an event has dice, rolled or real, open or sealed."""
    return bool(event.get("dice")) or "closed" in event or event["kind"] == "sealed"


def is_passed_over(event: Mapping[str, Any]) -> bool:
    """Return whether undo passes over an event.

    It does if the event happened outside the game, or is a roll or an opening that changed nothing.
    """
    return event["kind"] in BESIDE or (event["kind"] in QUIET and not event.get("after"))


def is_shared(event: Mapping[str, Any]) -> bool:
    """Return whether other players have a say in the undo of an event.

    They do if dice fell, if it is a choice after dice, or if a card from a hand was seen.
    """
    return has_dice(event) or is_continuation(event) or "seat" in event


def is_continuation(event: Mapping[str, Any]) -> bool:
    """Return whether the event continues a sequence that asked a side for a choice.

    Its field `event` is the number of the event that asked.
    """
    return event["kind"] in _CONTINUING


def is_card(event: Mapping[str, Any]) -> bool:
    """Return whether the answer to an event is the card of a phase."""
    is_initiative = event["kind"] == "sequence" and event.get("target") == "initiative"
    return event["kind"] in TURNING or is_initiative or event.get("does") == "lead"


def changes_game(event: Mapping[str, Any]) -> bool:
    """Return whether an event may block the undo of earlier events.

    Undo, redo and events that undo passes over do not. The opening of a sealed roll does not
    either: `bot/game/undo.py` looks for one that changed the same.
    """
    return event["kind"] not in ("undo", "redo", "reveal") and not is_passed_over(event)


def list_effective_events(newest_first: Iterable[Mapping[str, Any]]) -> Iterator[Json]:
    """Yield the events that are not undone, newest first, without undo and redo events."""
    turned: dict[int, str] = {}
    for event in newest_first:
        if event["kind"] in ("undo", "redo"):
            turned.setdefault(event["event"], event["kind"])
        elif turned.get(event["number"]) != "undo":
            yield dict(event)


def find_undone_events(events: Iterable[Mapping[str, Any]]) -> set[int]:
    """Return the numbers of the events that are undone.

    They include openings of sealed rolls that were undone after they were opened.
    """
    undone: set[int] = set()
    openings: dict[int, int] = {}
    for event in events:
        note_undo(undone, event)
        if event["kind"] == "reveal":
            openings |= dict.fromkeys(event["opens"], event["number"])
        elif event["kind"] == "undo" and event["event"] in openings:
            undone.add(openings[event["event"]])
        elif event["kind"] == "redo" and event["event"] in openings:
            undone.discard(openings[event["event"]])
    return undone


def note_undo(undone: set[int], event: Mapping[str, Any]) -> None:
    """Update the set of undone event numbers for one more event."""
    if event["kind"] == "undo":
        undone.add(event["event"])
    elif event["kind"] == "redo":
        undone.discard(event["event"])


def split_plays(event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the event once for each play in it, as an event of that play alone.

    Most events are a single play, and come out as they are.
    """
    plays = event.get("out", {}).get(PLAYS)
    if event["kind"] != "sequence" or not isinstance(plays, list) or not all(map(_is_play, plays)):
        yield event
        return
    for play in plays:
        inputs = {**event.get("inputs", {}), UNIT: play[UNIT]}
        yield {
            **event,
            "inputs": inputs,
            "out": play["out"],
            "result": f"{play[UNIT]}: {play['result']}",
        }


def _is_play(play: object) -> bool:
    return isinstance(play, Mapping) and {UNIT, "result", "out"} <= play.keys()


def get_edition(event: Mapping[str, Any]) -> int | str | None:
    """Return the edition under which an event was played, or None if it names none.

    A pack's edition is the SHA-256 of its files.
    """
    edition = event.get("edition")
    if isinstance(edition, str):
        return edition if is_hash(edition) else None
    return edition if type(edition) is int else None


def get_event_system(event: Mapping[str, Any], systems: RuleSets) -> System | None:
    """Return the system of an event among `systems`, None for an unknown one.

    A pack is returned in the version that the event was played with or, if that is not installed,
    in the current version.
    """
    id = str(event.get("system") or "")
    edition = event.get("edition")
    current = systems.get(id)
    if not isinstance(edition, str):
        return current
    if current is not None and current.edition == edition:
        return current
    played = systems.find_version(edition)
    return played if played is not None and played.id == id else current


def is_current(event: Mapping[str, Any], systems: RuleSets) -> bool:
    """Return whether an event was played under the current rules, so that a replay must agree.

    Return False for the event of an unknown system, and for an extension if the rules of its game
    have changed.
    """
    system = get_event_system(event, systems)
    if system is None or get_edition(event) != system.edition:
        return False
    return system.base is None or event.get("base") == f"{system.base.id}@{system.base.edition}"


def get_home_game(event: Mapping[str, Any]) -> str:
    """Return the id of the game whose units a sequence or table uses, according to its event."""
    return str(event.get("base") or event.get("system") or "").partition("@")[0]


def set_system(game: Game, system: System) -> Game:
    """Return the game with this system and its pack versions in force.

    The game of an extension is the one that it extends. An extension joins the packs in force. A
    pack that is the game itself replaces its other versions.
    """
    packs = game.packs
    if system.base is None and isinstance(system.edition, str):
        packs = add_version(packs, system.edition)
    else:
        packs = (*packs, *(version for version in system.versions if version not in packs))[
            -MOST_VERSIONS:
        ]
    is_same = (game.system, game.packs) == (system.home, packs)
    return game if is_same else replace(game, system=system.home, packs=packs)


def get_extensions(game: Game, packs: tuple[str, ...], systems: RuleSets) -> Json:
    """Return the extensions among the versions that come into force with `packs`.

    Each version maps to the id of the game that it extends. These are new versions and the last
    one, as far as they are among `systems`.
    """
    extensions: Json = {}
    for hash in packs:
        if hash in game.packs and packs[-1] != hash:
            continue
        pack = systems.find_version(hash)
        if pack is not None and pack.base is not None:
            extensions[str(pack.edition)] = pack.home
    return extensions


def get_packs_in_force(game: Game, systems: RuleSets) -> dict[str, str]:
    """Return the pack versions in force by pack id, the last version of each.

    A version that is not installed is taken for the pack that is the game.
    """
    packs = {hash: systems.find_version(hash) for hash in game.packs}
    return {game.system if pack is None else pack.id: hash for hash, pack in packs.items()}


def add_version(packs: tuple[str, ...], hash: str) -> tuple[str, ...]:
    """Return the versions a game was played with, after it continues with this one."""
    return (*(version for version in packs if version != hash), hash)[-MOST_VERSIONS:]
