"""The checks whether an event follows the log: it may be written, and it changes what its kind may.

No table is read, so a log of any edition can be checked for ever. `bot/verification/replay.py`
replays what inputs and dice lead to. No log names a server's managers, who may do what a game
master may, so such rights are not checked.

Each function of `_RULES` takes the log so far, the event, and the fields of the game that it
changes. It returns a fault, or "" if there is none.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from bot.game.event_kinds import KINDS, Trait, find_shape_faults, shorten_value
from bot.game.events import ROLLS, add_version, is_final, is_passed_over, is_shared
from bot.game.pending import find_event_hold
from bot.game.roster import count_units
from bot.game.score import Score, get_logged_score
from bot.game.state import DRAW, Game, Json, get_actor, get_undoable_content, unit_to_json
from bot.game.tracks import find_hand_set_problem
from bot.game.undo import (
    EDITION,
    LEFT,
    SILENCE,
    are_silent,
    author_agrees,
    build_redo_fields,
    build_undo_fields,
    consenters,
    find_author_to_ask,
    find_undo_target,
    game_at,
    is_free,
    may_stand_in,
    needs_manager,
)
from bot.game.undo_reach import add_opening
from bot.verification.follows import cards, result, rolls, turn
from bot.verification.follows.past import Event, GameFields, Past


def find_event_faults(past: Past, event: Event) -> Iterator[str]:
    """Yield the faults in the shape of the next event, and one unless the first is a start."""
    yield from find_shape_faults(event)
    if not past.bodies and event.get("kind") != "start":
        yield "a log must begin with a start."


def find_order_faults(past: Past, event: Event) -> Iterator[str]:
    """Yield the faults of the next event as it follows on those before, or nothing if it is right.

    Its shape must be right, see `find_event_faults`. Of the rules of its kind only the first fault
    is yielded. The event is not added to `past`.
    """
    game = past.game
    author = event["who"]
    fields = past.get_patch(event, "after", "game")
    if event["behind"] != game.last:
        yield f"it says that the last event before it was #{event['behind']}, but that was #{game.last}."
    players = fields.get("players", {}) if event["kind"] == "join" else game.players
    side = players.get(author, "")
    if event.get("plays"):
        if event["side"] not in game.self_played:
            yield (
                f"it says that {shorten_value(event['side']) or 'no side'} plays itself, but in this"
                " game it does not."
            )
    elif event["side"] != side:
        yield (
            f"it was written for {shorten_value(event['side']) or 'no side'}, but the "
            f"player who wrote it plays {side or 'no side'}."
        )
    if author in past.erased_here:
        yield "the player who wrote it had left the game for good."
    if not _fits_game(game, event.get("before", {})):
        yield "the earlier state that it gives is not what the log led to."
        return
    problem = _find_rule_problem(past, event, fields)
    if problem:
        yield problem


def _find_rule_problem(past: Past, event: Event, fields: GameFields) -> str:
    """Return the first fault of an event against the rules of its kind and of all kinds, or ""."""
    game = past.game
    kind = event["kind"]
    is_going_on = game.started and not game.ended
    if Trait.PLAYING in KINDS[kind].traits and not is_going_on:
        return "no game was in progress."
    check = _RULES.get(kind)
    problem = check(past, event, fields) if check is not None else ""
    return (
        problem
        or _find_own_act_problem(past, event)
        or _find_waiting_problem(past, event)
        or cards.find_hands_problem(past, event, fields)
        or _find_packs_problem(past, event, fields)
        or rolls.find_closing_problem(past, event)
        or _find_keeping_problem(past, event)
    )


def _find_own_act_problem(past: Past, event: Event) -> str:
    """Return a fault if an act of a side that plays itself is not its own, else "".

    Only its units act, are changed by an order, and only for itself it passes.
    """
    if not event.get("plays"):
        is_order = "order" in event
        return "it carries out an order of a side that does not play itself." if is_order else ""
    side = event["side"]
    claim = f"it says that {side} plays itself, but"
    for unit in _list_own_units(past, event):
        if unit.get("side") != side:
            return f"{claim} {shorten_value(unit['name'])} from another side acts."
    if event["kind"] == "pass" and [*past.game.go] != [side]:
        return f"{claim} {side} is not to move."
    return ""


def _list_own_units(past: Past, event: Event) -> list[Event]:
    """Return the units that act in an event, or that an order without dice changes."""
    if event["kind"] == "unit":
        return [unit for unit in past.get_patch(event, "before", "units").values() if unit]
    acting = event.get("acting", ())
    return [unit for unit in event.get("used", ()) if unit["name"] in acting]


def _fits_game(game: Game, patch: Event) -> bool:
    """Return whether the units, fields and cards of a patch are as in the game."""
    if not patch:
        return True
    for key, logged_unit in patch.get("units", {}).items():
        unit = game.units.get(key)
        if logged_unit != (unit_to_json(unit) if unit else None):
            return False
    logged_fields = patch.get("game", {})
    if logged_fields:
        content = get_undoable_content(replace(game, units={}, cards={}))
        if any(value != content.get(name) for name, value in logged_fields.items()):
            return False
    logged_counts = patch.get("cards", {})
    return all(count == game.cards.get(key, 0) for key, count in logged_counts.items())


def _check_start(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the event is the only start, and of the game of the file; else ""."""
    secret = event["secret"]
    is_free_play = bool(event.get("free"))
    if past.bodies:
        return "a log may have only one start."
    if event["game"] != past.game.id:
        return "it starts a different game from the one in the file."
    if secret.keys() == {"digest"}:
        return "a start must commit to the first seed."
    if not is_free_play and "unannounced" in event:
        return "only the seed of free play may be announced earlier."
    if "announced" in secret and event["game"] != secret["commitment"][:16]:
        return "its game's id does not match the seed announced earlier."
    if is_free_play:
        if {"after", "result", "scenario", "series"} & event.keys():
            return "free play must begin without sides, turns and units."
        return ""
    return _find_first_turn_problem(past, event, fields)


def _find_first_turn_problem(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the fields of a start begin a game in its first turn, else "".

    It has a name, a rule set, its author as game master, and no sides or several different ones.
    The words, sides to act and led deck must fit.
    """
    sides = tuple(fields.get("sides", ()))
    is_named = bool(fields.get("name")) and bool(fields.get("system"))
    if "series" in event and len(sides) != 2:
        return "only a game with two sides can be in a series."
    if fields.get("started") is not True or not is_named or fields.get("turn") != 1:
        return "a game must start with a name, a system and its first turn."
    if fields.get("master") != event["who"]:
        return "the player who starts a game must be its game master."
    if len(sides) == 1 or len({side.casefold() for side in sides}) < len(sides):
        return "a game must have no sides, or several."
    return (
        _find_self_played_problem(sides, fields)
        or turn.find_turn_words_problem(event.get("result", ""), fields)
        or turn.find_go_problem(sides, fields)
        or turn.find_led_phase_problem(past, event, fields)
    )


def _find_self_played_problem(sides: tuple[str, ...], fields: GameFields) -> str:
    """Return a fault unless some of the sides play themselves, or none, else ""."""
    self_played = [*fields.get("self_played", ())]
    expected = [side for side in sides if side in self_played]
    if self_played == expected and (not sides or len(self_played) < len(sides)):
        return ""
    return "only sides of the game can play themselves, and not all of them."


def _check_end(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the event ends a game and opens all sealed rolls, else "".

    It may name a winner (a side, or a draw), the score and one sentence, and changes nothing else
    of the game than the opened rolls do. Free play can end so only if it has sealed rolls.
    """
    game = past.game
    opened_rolls = event.get("opens", [])
    if game.ended or not (game.started or opened_rolls):
        return "no game was in progress that could end."
    if opened_rolls != list(game.sealed):
        return "the end must open everything sealed, and nothing else."
    if fields.keys() - {"winner", "tracks"} != {"ended"} or fields["ended"] is not True:
        return "it is the end of the game, but does not say so."
    if fields.get("winner", "") not in ("", DRAW, *game.sides):
        return "one of the sides must win the game, or it is a draw."
    if event.get("texts", {"text": ""}).keys() != {"text"}:
        return "the end of a game must have one sentence."
    score = get_logged_score(event)
    if score is not None and not _fits_tracks(score, game, fields.get("tracks", game.tracks)):
        return "the score that it says is not that of the game's tracks."
    return rolls.find_opening_problem(past, event)


def _fits_tracks(score: Score, game: Game, tracks: GameFields) -> bool:
    """Return whether a recorded score may be that of a game with these tracks.

    It is of the game's sides and has the values of tracks that have changed; the start values of
    others are in the game's files.
    """
    if score.winner not in ("", DRAW, *game.sides):
        return False
    return all(
        key.rpartition("/")[0] in game.sides and tracks.get(key, value) == value
        for key, value in score.values.items()
    )


def _check_resume(past: Past, _: Event, fields: GameFields) -> str:
    """Return a fault unless the event takes back the end and the winner alone, else "".

    A confirmed result must be struck first.
    """
    if past.game.confirmed:
        return f"its result was confirmed by #{past.game.confirmed}, and not struck."
    expected: Json = {}
    if past.game.ended:
        expected["ended"] = False
    if past.game.winner:
        expected["winner"] = ""
    return "" if fields == expected else "it does more than continue the game."


def _check_unit(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the event changes units as its result says, else ""."""
    old_units = past.get_patch(event, "before", "units")
    new_units = past.get_patch(event, "after", "units")
    if "order" in event:
        return _find_order_problem(event, old_units, new_units)
    if "renamed" in event:
        return _find_rename_problem(event, old_units, new_units)
    return _find_unit_change_problem(past, event, fields, old_units, new_units)


def _find_unit_change_problem(
    past: Past, event: Event, fields: GameFields, old_units: Event, new_units: Event
) -> str:
    """Return a fault unless the event adds, removes or edits units as its result says, else "".

    The units that it adds to a game without any may be called carried over. They may come with a
    rule set if the game has none, or if it has no
    units and has not started.
    """
    game = past.game
    new_names = []
    removed_names = []
    edited_names = []
    for key, unit in new_units.items():
        if old_units[key] is None:
            new_names.append(unit["name"])
        elif unit is None:
            removed_names.append(old_units[key]["name"])
        else:
            edited_names.append(unit["name"])
    is_empty = not game.started and not game.units
    may_set_system = bool(new_names) and (is_empty or not game.system)
    if "system" in fields and not may_set_system:
        return "a game that has units must keep its system."
    words = event["result"]
    if words == _format_unit_words(new_names, removed_names, edited_names):
        return ""
    is_new_only = not (removed_names or edited_names)
    carried_words = f"{count_units(len(new_names))} carried over"
    if is_new_only and not game.units and words == carried_words:
        return ""
    return f"its words are not what it does to units: {shorten_value(words)}."


def _format_unit_words(added: list[str], removed: list[str], edited: list[str]) -> str:
    """Format the result of an event that adds, removes or edits the units with these names.

    Return "" if it does more than one of these, or none.
    """
    names_by_verb = {"added": added, "removed": removed, "edited": edited}
    changes = [(verb, names) for verb, names in names_by_verb.items() if names]
    if len(changes) != 1:
        return ""
    verb, names = changes[0]
    subject = names[0] if len(names) == 1 else count_units(len(names))
    return f"{subject} {verb}"


def _find_order_problem(event: Event, old_units: Event, new_units: Event) -> str:
    """Return a fault unless an event carries out an order of one unit without dice, else "".

    Its result names unit and order. The unit may get markers, and nothing else changes.
    """
    name, _, order = event["result"].rpartition(": ")
    if not name or order != event["order"] or "renamed" in event:
        return f"its words do not name a unit and its order: {shorten_value(event['result'])}."
    for key, unit in new_units.items():
        old_unit = old_units[key]
        if not old_unit or not unit or old_unit["name"] != name:
            return "its order changes another unit."
        old_marks = {*old_unit.get("marks", ())}
        if not old_marks <= {*unit.get("marks", ())} or {**unit, "marks": []} != {
            **old_unit,
            "marks": [],
        }:
            return "its order changes more than the markers of the unit."
    return ""


def _find_rename_problem(event: Event, old_units: Event, new_units: Event) -> str:
    """Return a fault unless one unit gets another name and nothing else changes, else "".

    `old_units` and `new_units` are the units of the patch by key. A renamed unit has a new key.
    """
    problem = "it does not rename a unit the way it says."
    removed = [unit for unit in old_units.values() if unit]
    added = [unit for unit in new_units.values() if unit]
    is_one_unit = len(removed) == len(added) == 1 and len(new_units) == 2
    if not is_one_unit or "game" in event["after"]:
        return problem
    old_name = event["renamed"]
    new_name = added[0]["name"]
    is_same_unit = {**removed[0], "name": new_name} == added[0]
    if removed[0]["name"] != old_name or not is_same_unit:
        return problem
    return "" if event["result"] == f"{old_name} is now {new_name}" else problem


def _check_settings(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the result names exactly the settings that the event changes, else "".

    A setting that was set to its old value may be named, too.
    """
    game = past.game
    hand = fields.get("hand_dice", game.hand_dice)
    answers = fields.get("answers", game.answers)
    confirm = fields.get("confirm", game.confirm)
    words_by_field = {
        "hand_dice": f"real dice {'allowed' if hand else 'not allowed'}",
        "answers": f"{answers} answers",
        "confirm": f"other targets {'confirmed' if confirm else 'at once'}",
        "rules": format_rule_words(game.rules, fields.get("rules", game.rules)),
        "master": "another game master",
        "packs": format_pack_words(tuple(fields.get("packs", ()))),
    }
    logged_words = event["result"].split(", ") if "result" in event else []
    expected_words = []
    for name, words in words_by_field.items():
        is_set_to_same = words in logged_words and name != "master"
        if name in fields or is_set_to_same:
            expected_words.append(words)
    if logged_words == expected_words:
        return ""
    result = shorten_value(event.get("result", ""))
    return f"its words do not name the settings that it changes: {result}."


def _check_track(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the event sets one track to the value in its result, else ""."""
    return find_hand_set_problem(past.game, fields.get("tracks", past.game.tracks), event["result"])


def _find_packs_problem(past: Past, event: Event, fields: GameFields) -> str:
    """Return what is wrong with the pack versions that an event brings into force, or "".

    It brings one version at a time, except extensions. Sequences and changes of units bring none
    into a game that was started. Undo and redo may bring back any.
    """
    game = past.game
    if "packs" not in fields or event["kind"] in ("undo", "redo"):
        return "the packs that take effect are not the ones it names." if "extends" in event else ""
    if event.get("extends"):
        return _find_extends_problem(past, event, fields)
    packs = tuple(fields["packs"])
    if not packs or packs != add_version(game.packs, packs[-1]) or packs == game.packs:
        return "only one version of a pack may take effect at a time."
    if event["kind"] == "sequence" and packs[-1] != event.get("edition"):
        return "the version of the pack that takes effect was not played."
    if event["kind"] in ("sequence", "unit") and game.started:
        return "the version of a pack must stay the same once a game has started."
    return ""


def _find_extends_problem(past: Past, event: Event, fields: GameFields) -> str:
    """Return what is wrong with the extensions that an event brings into force, or "".

    There may be several. The field `extends` of the event maps each to the game that it extends,
    which must be the one that is played. A game that was started gets only an extension that the
    event plays itself, with units.
    """
    game = past.game
    packs = tuple(fields["packs"])
    extends = event["extends"]
    new_packs = packs[-len(extends) :]
    expected_packs = game.packs
    for hash in new_packs:
        expected_packs = add_version(expected_packs, hash)
    if packs != expected_packs or packs == game.packs or {*new_packs} != extends.keys():
        return "the packs that take effect are not the ones it names."
    if {*extends.values()} != {fields.get("system", game.system)}:
        return "it says that a pack extends a game that is not being played."
    for hash, extended_game in extends.items():
        pack = past.systems.find_version(hash)
        if pack is not None and (pack.base is None or pack.home != extended_game):
            return f"the pack {hash[:8]} does not extend {shorten_value(extended_game)}."
    if event["kind"] not in ("sequence", "unit") or not game.started:
        return ""
    is_own_pack = event["kind"] == "sequence" and [*extends] == [event.get("edition")]
    if is_own_pack and event.get("used"):
        return ""
    return "the version of a pack must stay the same once a game has started."


def format_pack_words(packs: tuple[str, ...]) -> str:
    """Format the result in the log when the last of these pack versions comes in force."""
    return f"pack version {packs[-1][:8]}" if packs else ""


def format_rule_words(old_rules: Mapping[str, bool], new_rules: Mapping[str, bool]) -> str:
    """Format the result in the log when an optional rule is switched: `rule wind on`.

    Return "" unless exactly one rule is switched and no old one is missing from `new_rules`.
    """
    switched = [name for name, is_on in new_rules.items() if old_rules.get(name) is not is_on]
    if len(switched) != 1 or not old_rules.keys() <= new_rules.keys():
        return ""
    return f"rule {switched[0]} {'on' if new_rules[switched[0]] else 'off'}"


def _check_undo(past: Past, event: Event, _: GameFields) -> str:
    """Return a fault unless an undo exactly reverses an event that it may undo, else "".

    No later event may have built on it. If dice were rolled, others have to agree.
    """
    game = past.game
    number = event["event"]
    target = find_undo_target(reversed(past.bodies.values()), game.last, number)
    undone = target.event
    if target.way is not None:
        return f"it takes back #{number}, but #{target.way['number']} changed the game since."
    if undone is None:
        return f"it takes back #{number}, but the last event in force was #{game.last}."
    if is_final(undone):
        return (
            f"it takes back #{number}, an event of kind {undone['kind']}, which cannot be undone."
        )
    if not _has_fields(event, build_undo_fields(undone, target.last, game)):
        return f"it does not reverse what #{number} did."
    if event.get("reason") == EDITION and number in game.waits:
        return ""
    if not event.get("asked") and not event.get("alone"):
        return _find_free_undo_problem(game, event, undone)
    return _find_agreement_problem(past, event, undone, "undo")


def _has_fields(event: Event, expected: Json) -> bool:
    """Return whether an event has these fields, and no patch unless they hold one."""
    expected = {"before": None, "after": None, **expected}
    return all(event.get(name) == value for name, value in expected.items())


def _find_free_undo_problem(game: Game, event: Event, undone: Event) -> str:
    """Return a fault if an undo that nobody was asked about needed an agreement, else "".

    It needs one if dice were rolled, or if another player did what it takes back and neither author
    nor manager may undo that freely. It must not name a reason, nor a manager without need.
    """
    author = event["who"]
    is_manager = event.get("by") == "manager"
    if "reason" in event:
        return "somebody agrees, but nobody asked."
    if is_shared(undone):
        return "dice are taken back, but nobody agreed."
    if not is_free(game, get_actor(game, author, manager=is_manager), undone):
        return "it takes back what another player did, and that player did not agree."
    if is_manager and not needs_manager(game, undone, author):
        return "it says that a manager took it back, but no manager was needed."
    return ""


def _check_redo(past: Past, event: Event, _: GameFields) -> str:
    """Return a fault unless a redo exactly restores the event that was undone last, else "".

    Others have to agree if they agreed to the undo.
    """
    game = past.game
    number = event["event"]
    if not game.redo or game.redo[-1] != number:
        return f"it brings back #{number}, which was not the last one undone."
    restored = add_opening(past.bodies[number], reversed(past.bodies.values()))
    if not _has_fields(event, build_redo_fields(restored, game)):
        return f"it does not redo what #{number} did."
    return _find_agreement_problem(past, event, restored, "redo")


def _find_agreement_problem(past: Past, event: Event, undone: Event, action: str) -> str:
    """Return what is wrong with the agreement to an undo or redo, or with its absence; else "".

    `action` is "undo" or "redo", `undone` the event that it takes back or restores. The field
    `asked` of the event is the person who asked for it; the author agreed. If an undo passes over
    no event, nobody can have come or gone since.
    """
    requester = event.get("asked", "")
    number = event["event"]
    if requester and event.get("alone"):
        return "a player alone in a game has nobody to ask."
    if not requester and "by" in event:
        return "somebody agrees, but nobody asked."
    if requester and requester not in past.authors:
        return f"the player who asked for the {action} had no part in the game."
    game_then = game_at(reversed(past.bodies.values()), past.game, number)
    passes_over = action == "undo" and number != event["behind"]
    persons_then = past.list_authors_until(number) if passes_over else past.authors
    if requester:
        eligible = consenters(game_then, requester, persons_then, undone)
        return _find_consent_problem(past, event, undone, action, eligible)
    if action == "redo":
        return _find_lone_redo_problem(past, event, undone, game_then)
    present = past.authors_here - past.erased_here
    eligible = consenters(game_then, event["who"], present & persons_then, undone)
    if eligible:
        return "it says that nobody else could agree, but others play."
    author_to_ask = find_author_to_ask(past.game, undone, event["who"], present, eligible)
    return _find_absence_problem(past, event, {author_to_ask})


def _find_lone_redo_problem(past: Past, event: Event, undone: Event, game_then: Game) -> str:
    """Return what is wrong with a redo that nobody was asked about; "" if nothing is.

    `game_then` is the game with the players of the time of the event.
    """
    number = event["event"]
    if "reason" in event:
        return "somebody agrees, but nobody asked."
    if not past.undone_by_agreement.get(number):
        return ""
    present = past.authors_here - past.erased_here
    present_then = present & past.list_authors_until(number)
    if consenters(game_then, event["who"], present_then, undone):
        return "it was undone by agreement, but nobody agreed to bring it back."
    return ""


def _find_consent_problem(
    past: Past, event: Event, undone: Event, action: str, eligible: Collection[str]
) -> str:
    """Return what is wrong with the person who agreed to an undo or redo; "" if nothing is.

    `eligible` are the persons who could agree.
    """
    game = past.game
    consenter = event["who"]
    requester = event["asked"]
    no_say = f"the player who agreed to the {action} had no say in it."
    present = past.authors_here - past.erased_here
    author_to_ask = find_author_to_ask(game, undone, requester, present, eligible)
    if consenter == requester:
        return no_say
    if "by" in event:  # a manager, in place of players who are gone
        game_then = game_at(reversed(past.bodies.values()), game, event["event"])
        may_agree = may_stand_in(game, game_then, consenter, requester, undone)
        if not eligible or not may_agree or "reason" not in event:
            return no_say
        return _find_absence_problem(past, event, {author_to_ask, *eligible})
    if consenter == undone["who"] and author_agrees(undone, eligible):
        return ""
    if consenter not in eligible:
        return no_say
    return _find_absence_problem(past, event, {author_to_ask})


def _find_absence_problem(past: Past, event: Event, absent: Collection[str]) -> str:
    """Return what is wrong with the reason why these players were not asked; "" if nothing is.

    They had left, which only the host can know, or had been silent for seven days. "" among the
    players stands for nobody.
    """
    reason = event.get("reason")
    players = {*absent} - {""}
    if not players:
        return "it says why nobody was asked, but nobody had to be." if reason else ""
    if reason == LEFT:
        return ""
    if reason != SILENCE:
        return "the player who did it was there and did not agree."
    if not are_silent(past.bodies.values(), players, event["at"]):
        return "it says that the other side was silent for seven days, but it was not."
    return ""


def _find_waiting_problem(past: Past, event: Event) -> str:
    """Return a fault if the event has to wait until a side makes a choice, else ""."""
    hold = find_event_hold(past.game, event)
    return f"#{hold.number} is waiting for a choice, which must come first." if hold else ""


def _find_keeping_problem(past: Past, event: Event) -> str:
    """Return a fault if an event claims wrongly that a redo is possible after it, else "".

    Only events that undo passes over keep that possible (field `keeps`).
    """
    if event.get("keeps") and not (past.game.redo and is_passed_over(event)):
        return "it keeps what could be brought back, but it must not."
    return ""


_RULES: Mapping[str, Callable[[Past, Event, GameFields], str]] = {
    "start": _check_start, "end": _check_end, "resume": _check_resume, "unit": _check_unit,
    "settings": _check_settings, "track": _check_track,
    "join": turn.check_join, "leave": turn.check_leave, "next": turn.check_advance,
    "pass": turn.check_hand_over, "plan": turn.check_plan,
    "initiative": turn.check_initiative, "order": turn.check_order, "orders": turn.check_opening,
    "import": turn.check_import,
    "claim": turn.check_claim, "privacy": turn.check_privacy, "undo": _check_undo, "redo": _check_redo,
    "count": result.check_count, "confirm": result.check_confirm, "strike": result.check_strike,
    "fair": rolls.check_fair_texts,
    **dict.fromkeys(ROLLS, rolls.check_roll), "choice": rolls.check_choice, "sealed": rolls.check_sealed,
    "reveal": rolls.check_reveal,
    "deck": cards.check_deck, "draw": cards.check_draw, "cards": cards.check_move,
}  # fmt: skip
