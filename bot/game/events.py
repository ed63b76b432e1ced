"""Events: what happened, with all that is needed to replay it, and how each one moves the state on;
and under which edition of a system an event was played.

An event is plain JSON. Every body has `number`, `at` (Unix seconds), `who` (a person id), `side`,
`kind` and `behind` (the last event before it, not undone). Where the state changed, `before` and
`after` hold the changed units and fields, so that applying, undoing and replaying are the same
small step."""

from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any

from bot.game.event_kinds import MOST_VERSIONS, is_hash, list_kinds_with
from bot.game.state import FIELDS, Game, Json, _plain, set_units, unit_from_json, unit_to_json
from bot.rules.cards import CLOSES, Out, set_counts
from bot.rules.copies import replace
from bot.rulesets.catalog import find_pack_version, get_systems
from bot.rulesets.system import System

UNIT, PLAYS = "unit", "plays"
"""The input that names the units, and the output that lists what came of each."""

ROLLS = ("roll", "sequence", "table")
OUTCOMES = list_kinds_with("outcome")
"""Kinds of events that hold an outcome of dice or tables."""
COMBAT = list_kinds_with("combat")
"""Kinds of events that hold an outcome of a combat sequence, or of a part of one."""
_CONTINUING = list_kinds_with("continues")
TURNING = ("next", "pass", "initiative")
"""Events whose answers are cards of phases."""
NEVER_UNDONE, BARRIERS, BESIDE, QUIET = map(
    list_kinds_with, ("final", "barrier", "beside", "quiet")
)
_TUPLES = ("sides", "go", "packs")
_fields_of = attrgetter(*FIELDS)


def compute_difference(old: Game, new: Game) -> tuple[Json, Json]:
    """(before, after): the units and fields that differ between two states; both empty where
    nothing does.
    """
    before: Json = {}
    after: Json = {}
    if old is new:
        return before, after
    for name, was, now in zip(FIELDS, _fields_of(old), _fields_of(new), strict=True):
        if was != now:
            before.setdefault("game", {})[name] = _plain(was)
            after.setdefault("game", {})[name] = _plain(now)
    if old.units is not new.units:
        for key in sorted(old.units.keys() | new.units.keys()):
            unit_was = old.units.get(key)
            unit_now = new.units.get(key)
            if unit_was is not unit_now and unit_was != unit_now:
                before.setdefault("units", {})[key] = unit_to_json(unit_was) if unit_was else None
                after.setdefault("units", {})[key] = unit_to_json(unit_now) if unit_now else None
    if old.cards is not new.cards:
        was, now = compute_card_difference(old.cards, new.cards)
        before = before | was
        after = after | now
    return before, after


def compute_card_difference(old: Out, new: Out) -> tuple[Json, Json]:
    """The same where nothing but cards moved."""
    keys = sorted({key for key, _ in old.items() ^ new.items()})
    before, after = (
        {"cards": {key: out.get(key, 0) for key in keys}} if keys else {} for out in (old, new)
    )
    return before, after


def apply_patch(game: Game, patch: Mapping[str, Any]) -> Game:
    """The game with the units, cards and fields of a patch set."""
    fields: Mapping[str, Any] = patch.get("game") or {}
    values: dict[str, Any] = {
        name: tuple(value) if name in _TUPLES else value for name, value in fields.items()
    }
    if values:
        game = replace(game, **values)
    if units := patch.get("units"):
        game = set_units(
            game, {key: unit_from_json(unit) if unit else None for key, unit in units.items()}
        )
    if cards := patch.get("cards"):
        game = replace(game, cards=set_counts(game.cards, cards))
    return game


def list_changed_units(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Names of the units that a patch touches."""
    found = {**before.get("units", {}), **after.get("units", {})}
    return [(unit or before["units"][key])["name"] for key, unit in found.items()]


def get_recorded_units(event: Mapping[str, Any]) -> list[Json]:
    """Return the units that an event holds as they were: those used, and those that brought a
    value to them.
    """
    return [*(event.get("sources") or ()), *(event.get("used") or ())]


def list_previous_names(event: Mapping[str, Any]) -> list[str]:
    """Names of the units that an event changed, as they were; one with a new name by its old one
    alone.
    """
    if "renamed" in event:
        return [event["renamed"]]
    return list_changed_units(event.get("before") or {}, event.get("after") or {})


def apply(game: Game, event: Mapping[str, Any]) -> Game:
    """The state after `event`. Raises ValueError for an event that does not follow on the state."""
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
    if secret := event.get("secret"):
        changes |= _update_secret(event, secret)
    if "shows" in event or kind == "import":
        changes["hidden"] = 0
    elif not game.hidden and not event.keys().isdisjoint(CLOSES):
        changes["hidden"] = number
    if not event.get("hand") and has_dice(event):
        changes["drawn"] = True
    if event.get("closes"):
        changes["closed"] = True
    if game.go and (
        kind in ("next", "pass") or "go" in ((event.get("after") or {}).get("game") or {})
    ):
        changes["go_since"] = int(event["at"])  # with each phase it comes anew
    return replace(game, **changes)


def _update_sealed_rolls(game: Game, event: Mapping[str, Any]) -> dict[int, str]:
    """The closed rolls with who may open them."""
    sealed = dict(game.sealed)
    if event["kind"] == "sealed":
        sealed[event["number"]] = event["who"]
    for opened in event.get("opens", ()):
        sealed.pop(opened, None)
    return sealed


def _update_pending_choices(game: Game, event: Mapping[str, Any]) -> dict[int, Json]:
    """The events that ask a side for a choice, behind this one: what was chosen and taken back
    again asks no more.
    """
    is_about_another = is_continuation(event) or event["kind"] in ("undo", "redo")
    about = event["event"] if is_about_another else 0
    waits = {number: asks for number, asks in game.waits.items() if number != about}
    if asks := event.get("asks"):
        waits[about if event["kind"] == "redo" else event["number"]] = asks
    return waits


def merge_choices(event: Mapping[str, Any], bodies: Mapping[int, Mapping[str, Any]]) -> Json:
    """Return a choice merged with the sequence that it continues; return any other event as a copy.

    Adds the sequence's `inputs` and `side`, all picks so far (`chosen`) and the dice already rolled
    (`fell`).
    """
    chosen: Json = {}
    fell: list[Any] = []
    one = event
    while is_continuation(one):
        picks = one["picks"]
        one = bodies[one["event"]]
        chosen[one["asks"]["name"]] = picks
        fell[:0] = one.get("dice", ())
    if not chosen:
        return dict(event)
    return {
        **event,
        "inputs": one.get("inputs", {}),
        "side": one.get("side", ""),
        "chosen": chosen,
        "fell": fell,
    }


def _update_secret(event: Mapping[str, Any], secret: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the dice secret in force: a new one begins with its commitment, or texts are
    added to the old.
    """
    told = {name: secret[name] for name in ("epoch", "commitment", "digest") if name in secret}
    if "commitment" in secret:
        return {**told, "drawn": False, "closed": False, "adder": ""}
    adds = event["kind"] == "fair" and "digest" in secret
    return {**told, "adder": event["who"]} if adds else told


def _update_solo_person(game: Game, event: Mapping[str, Any]) -> str:
    """Return the person who has written every event so far, or "*" if several have."""
    if event["number"] == 1 or game.solo == event["who"]:
        return str(event["who"])
    return "*"


def _update_undo_order(game: Game, event: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with what undo needs: the last event that is not undone, and those that can be
    brought back.
    """
    number = event["number"]
    kind = event["kind"]
    if kind == "undo":
        undone = event["event"]
        withdrawn = (*game.withdrawn, undone) if undone in game.sealed else game.withdrawn
        return {"last": event["last"], "redo": (*game.redo, undone), "withdrawn": withdrawn}
    if kind == "redo":
        withdrawn = tuple(at for at in game.withdrawn if at != event["event"])
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
    """The state that all `events` of the game with this id explain."""
    state = Game(game)
    for event in events:
        state = apply(state, event)
    return state


def has_dice(event: Mapping[str, Any]) -> bool:
    """Return whether dice fell in it, rolled or real, open or sealed."""
    return bool(event.get("dice")) or "closed" in event or event["kind"] == "sealed"


def is_passed_over(event: Mapping[str, Any]) -> bool:
    """Return whether undo passes over it: it happened beside the game, or is a roll or an opening
    that changed nothing.
    """
    return event["kind"] in BESIDE or (event["kind"] in QUIET and not event.get("after"))


def is_shared(event: Mapping[str, Any]) -> bool:
    """Return whether others have a say in taking it back: dice fell, a choice was made behind some,
    or a card out of a hand was seen.
    """
    return has_dice(event) or is_continuation(event) or "seat" in event


def is_continuation(event: Mapping[str, Any]) -> bool:
    """Return whether the event continues a sequence that asked a side for a choice. Its field
    `event` is the number of the event that asked.
    """
    return event["kind"] in _CONTINUING


def is_card(event: Mapping[str, Any]) -> bool:
    """Return whether its answer is the card of a phase."""
    is_initiative = event["kind"] == "sequence" and event.get("target") == "initiative"
    return event["kind"] in TURNING or is_initiative or event.get("does") == "lead"


def changes_game(event: Mapping[str, Any]) -> bool:
    """Return whether it is in the way of what came before. An opening is that only where both
    changed the same.
    """
    return event["kind"] not in ("undo", "redo", "reveal") and not is_passed_over(event)


def list_effective_events(newest_first: Iterable[Mapping[str, Any]]) -> Iterator[Json]:
    """Of the latest events those that are not undone, newest first; no undo and no redo."""
    turned: dict[int, str] = {}
    for event in newest_first:
        if event["kind"] in ("undo", "redo"):
            turned.setdefault(event["event"], event["kind"])
        elif turned.get(event["number"]) != "undo":
            yield dict(event)


def find_undone_events(events: Iterable[Mapping[str, Any]]) -> set[int]:
    """Return the numbers of the events that are undone, and of the openings of sealed rolls that
    were undone after they were opened.
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
    """Keep the numbers of undone events true behind one more event."""
    if event["kind"] == "undo":
        undone.add(event["event"])
    elif event["kind"] == "redo":
        undone.discard(event["event"])


def split_plays(event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The event as one of a single play, once for each that it holds; most events are a single
    one themselves.
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


def get_event_system(event: Mapping[str, Any]) -> System | None:
    """The system behind an event: a pack in the version that it was played with, where that is
    at hand.
    """
    id = str(event.get("system") or "")
    edition = event.get("edition")
    known = get_systems().get(id)
    if isinstance(edition, str) and (known is None or known.edition != edition):
        played = find_pack_version(edition)
        return played if played is not None and played.id == id else known
    return known


def is_current(event: Mapping[str, Any]) -> bool:
    """Return whether the rules at hand are those that an event was played under, so that it must
    come out the same again.
    """
    system = get_event_system(event)
    if system is None or get_edition(event) != system.edition:
        return False
    return system.base is None or event.get("base") == f"{system.base.id}@{system.base.edition}"


def get_home_game(event: Mapping[str, Any]) -> str:
    """The id of the game with whose units a sequence or table is played, as its event says."""
    return str(event.get("base") or event.get("system") or "").partition("@")[0]


def set_system(game: Game, system: System) -> Game:
    """The game as one of this system (an extension: of the game that it extends), and of packs in
    these versions.

    What extends a game stays in force with others, a pack that is the game takes the place of its
    other versions.
    """
    packs = game.packs
    if system.base is None and isinstance(system.edition, str):
        packs = add_version(packs, system.edition)
    else:
        packs = (*packs, *(one for one in system.versions if one not in packs))[-MOST_VERSIONS:]
    is_same = (game.system, game.packs) == (system.home, packs)
    return game if is_same else replace(game, system=system.home, packs=packs)


def get_extensions(game: Game, packs: tuple[str, ...]) -> Json:
    """Of the versions that come in force in a game with these packs, the id of the game that
    each one extends.
    """
    new = (find_pack_version(hash) for hash in packs if packs[-1] == hash or hash not in game.packs)
    return {
        str(pack.edition): pack.home for pack in new if pack is not None and pack.base is not None
    }


def get_packs_in_force(game: Game) -> dict[str, str]:
    """The versions of packs in force in a game by the ids of the packs: of each the last. What is
    not at hand is taken for the pack that is the game."""
    known = {hash: find_pack_version(hash) for hash in game.packs}
    return {game.system if pack is None else pack.id: hash for hash, pack in known.items()}


def add_version(packs: tuple[str, ...], hash: str) -> tuple[str, ...]:
    """The versions that a game was played with, when it goes on with this one."""
    return (*(one for one in packs if one != hash), hash)[-MOST_VERSIONS:]
