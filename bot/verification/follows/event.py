"""Whether an event follows on those before it: who may write it, and that it says and changes what
its kind may.

No table is read here, so a log of any edition can be checked for ever; what dice and inputs lead to
is for `bot/verification/replay.py`. A server's managers may do what a game master may, and no log
names them: such rights are left out.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from bot.game.event_kinds import KINDS, find_shape_faults, shorten_value
from bot.game.events import NEVER_UNDONE, ROLLS, add_version, is_passed_over, is_shared
from bot.game.pending import find_event_hold
from bot.game.roster import count_units
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
from bot.rulesets.catalog import find_pack_version
from bot.verification.follows import cards, rolls, turn
from bot.verification.follows.past import Event, Past, Said


def find_event_faults(past: Past, event: Event) -> Iterator[str]:
    """What is wrong with the next event of a log, one line each; it is not added."""
    yield from find_shape_faults(event)
    if not past.bodies and event.get("kind") != "start":
        yield "a log begins with a start."


def find_order_faults(past: Past, event: Event) -> Iterator[str]:
    """What does not follow on the events before; the shape of `event` must be right."""
    now = past.now
    kind = event["kind"]
    who = event["who"]
    said = past.get_patch(event, "after", "game")
    if event["behind"] != now.last:
        yield f"it says that the last event before it was #{event['behind']}, but that was #{now.last}."
    side = (said.get("players", {}) if kind == "join" else now.players).get(who, "")
    if event["side"] != side:
        yield (
            f"it was written for {shorten_value(event['side']) or 'no side'}, but who wrote it "
            f"plays {side or 'none'}."
        )
    if who in past.left_here:
        yield "who wrote it had left the game for good."
    is_idle = "playing" in KINDS[kind].traits and (now.ended or not now.started)
    if not _stood(now, event.get("before", {})):
        yield "the state that it says was there before is not what the log led to."
    elif problem := (
        ("no started game was going on." if is_idle else "")
        or (_RULES[kind](past, event, said) if kind in _RULES else "")
        or _find_waiting_problem(past, event)
        or cards.find_hands_problem(past, event, said)
        or _find_packs_problem(past, event, said)
        or rolls.find_closing_problem(past, event)
        or _find_keeping_problem(past, event)
    ):
        yield problem


def _stood(now: Game, before: Event) -> bool:
    if not before:
        return True
    units = {
        key: unit_to_json(unit) if (unit := now.units.get(key)) else None
        for key in before.get("units", {})
    }
    was = get_undoable_content(replace(now, units={}, cards={})) if before.get("game") else {}
    fields = {name: was.get(name) for name in before.get("game", {})}
    cards_were = {key: now.cards.get(key, 0) for key in before.get("cards", {})}
    stood = (units, fields, cards_were)
    return stood == tuple(before.get(part, {}) for part in ("units", "game", "cards"))


def _check_start(past: Past, event: Event, said: Said) -> str:
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
        return (
            "free play begins without sides, turns and units."
            if "after" in event or "result" in event
            else ""
        )
    sides = tuple(said.get("sides", ()))
    if (
        said.get("started") is not True
        or not said.get("name")
        or not said.get("system")
        or said.get("turn") != 1
    ):
        return "a game starts with a name, a system and its first turn."
    if said.get("master") != event["who"]:
        return "who starts a game is its game master."
    if len(sides) == 1 or len({side.casefold() for side in sides}) < len(sides):
        return "a game has no sides, or several."
    problem = turn.find_turn_words_problem(event.get("result", ""), said) or turn.find_go_problem(
        sides, said
    )
    return problem or turn.find_led_problem(past, event, said)


def _check_end(past: Past, event: Event, said: Said) -> str:
    now = past.now
    opens = event.get("opens", [])
    if now.ended or not (now.started or opens):
        return "no game was going on that could end."
    if opens != list(now.sealed):
        return "the end opens all that is sealed, and nothing else."
    if said.keys() - {"winner", "tracks"} != {"ended"} or said["ended"] is not True:
        return "it is the end of the game, but does not say so."
    if said.get("winner", "") not in ("", DRAW, *now.sides):
        return "a game is won by one of its sides, or drawn."
    if event.get("texts", {"text": ""}).keys() != {"text"}:
        return "the end of a game has one sentence."
    return rolls.find_opening_problem(past, event)


def _check_resume(past: Past, _: Event, said: Said) -> str:
    now = past.now
    expected: Json = {
        **({"ended": False} if now.ended else {}),
        **({"winner": ""} if now.winner else {}),
    }
    return "" if said == expected else "it changes more than that the game goes on."


def _check_unit(past: Past, event: Event, said: Said) -> str:
    before, after = (past.get_patch(event, name, "units") for name in ("before", "after"))
    new = [unit["name"] for key, unit in after.items() if before[key] is None]
    lost = [before[key]["name"] for key, unit in after.items() if unit is None]
    edited = [
        unit["name"] for key, unit in after.items() if unit is not None and before[key] is not None
    ]
    if "renamed" in event:
        return _find_rename_problem(
            event, [*filter(None, before.values())], [*filter(None, after.values())]
        )
    free = not past.now.started and not past.now.units
    if "system" in said and not (new and (free or not past.now.system)):
        return "the system of a game that has units stays."
    words = event["result"]
    carried = f"{count_units(len(new))} carried over"
    if touched := lost or edited:
        who = touched[0] if len(touched) == 1 else count_units(len(touched))
        is_one_kind = len([*new, *lost, *edited]) == len(touched)
        expected = f"{who} {'removed' if lost else 'edited'}" if is_one_kind else ""
    elif words == carried and not past.now.units:
        return ""
    else:
        expected = f"{new[0] if len(new) == 1 else f'{len(new)} units'} added" if new else ""
    return (
        ""
        if words == expected
        else f"its words are not what it does to units: {shorten_value(words)}."
    )


def _find_rename_problem(event: Event, olds: list[Json], news: list[Json]) -> str:
    """What is wrong with a unit that is called otherwise from now on; nothing else of it
    changes.
    """
    name = event["renamed"]
    fits = (
        len(olds) == len(news) == 1
        and len(event["after"].get("units", {})) == 2
        and "game" not in event["after"]
    )
    fits = fits and olds[0]["name"] == name and {**olds[0], "name": news[0]["name"]} == news[0]
    fits = fits and event["result"] == f"{name} is now {news[0]['name']}"
    return "" if fits else "it renames a unit otherwise than it says."


def _check_settings(past: Past, event: Event, said: Said) -> str:
    hand = said.get("hand_dice", past.now.hand_dice)
    answers = said.get("answers", past.now.answers)
    confirm = said.get("confirm", past.now.confirm)
    words = {
        "hand_dice": f"real dice {'allowed' if hand else 'not allowed'}",
        "answers": f"{answers} answers",
        "confirm": f"other targets {'confirmed' if confirm else 'at once'}",
        "rules": format_rule_words(past.now.rules, said.get("rules", past.now.rules)),
        "master": "another game master",
        "packs": format_pack_words(tuple(said.get("packs", ()))),
    }
    told = event["result"].split(", ") if "result" in event else []
    right = [
        word for name, word in words.items() if name in said or (word in told and name != "master")
    ]
    return (
        ""
        if told == right
        else f"its words are not the settings that it changes: {shorten_value(event.get('result', ''))}."
    )


def _check_track(past: Past, event: Event, said: Said) -> str:
    return find_hand_set_problem(past.now, said.get("tracks", past.now.tracks), event["result"])


def _find_packs_problem(past: Past, event: Event, said: Said) -> str:
    """What is wrong with how an event changes versions of packs: one comes in force, and the
    event may bring it.
    """
    now = past.now
    if "packs" not in said or event["kind"] in ("undo", "redo"):
        return "other packs come in force than it says." if "extends" in event else ""
    packs = tuple(said["packs"])
    extends = event.get("extends", {})
    if extends:
        return _find_extends_problem(past, event, said)
    if not packs or packs != add_version(now.packs, packs[-1]) or packs == now.packs:
        return "one version of a pack comes in force at a time."
    if event["kind"] == "sequence" and packs[-1] != event.get("edition"):
        return "another version of the pack comes in force than it was played with."
    if event["kind"] in ("sequence", "unit") and now.started:
        return "the version of a pack stays in a game that was started."
    return ""


def _find_extends_problem(past: Past, event: Event, said: Said) -> str:
    """The same of extensions, several of which come in force at once: an event says what each of
    them extends.
    """
    now = past.now
    packs = tuple(said["packs"])
    extends = event["extends"]
    expected = now.packs
    for hash in packs[-len(extends) :]:
        expected = add_version(expected, hash)
    if packs != expected or packs == now.packs or {*packs[-len(extends) :]} != extends.keys():
        return "other packs come in force than it says."
    if {*extends.values()} != {said.get("system", now.system)}:
        return "it says of a pack that it extends another game than is played."
    for hash, of in extends.items():
        if (pack := find_pack_version(hash)) is not None and (pack.base is None or pack.home != of):
            return f"the pack {hash[:8]} does not extend {shorten_value(of)}."
    is_first = (
        event["kind"] == "sequence" and [*extends] == [event.get("edition")] and event.get("used")
    )
    if event["kind"] in ("sequence", "unit") and now.started and not is_first:
        return "the version of a pack stays in a game that was started."
    return ""


def format_pack_words(packs: tuple[str, ...]) -> str:
    """What the log says of a game that goes on with another version."""
    return f"pack version {packs[-1][:8]}" if packs else ""


def format_rule_words(before: Mapping[str, bool], after: Mapping[str, bool]) -> str:
    """What the log says of a rule that is switched; "" where not just one is."""
    switched = [name for name, on in after.items() if before.get(name) is not on]
    if len(switched) != 1 or not before.keys() <= after.keys():
        return ""
    return f"rule {switched[0]} {'on' if after[switched[0]] else 'off'}"


def _check_undo(past: Past, event: Event, _: Said) -> str:
    """An event is taken back that nothing later has built upon, by agreement if dice were rolled."""
    now = past.now
    number = event["event"]
    found = find_undo_target(reversed(past.bodies.values()), now.last, number)
    undone = found.event
    if found.way is not None:
        return f"it takes back #{number}, but #{found.way['number']} changed the game since."
    if undone is None:
        return f"it takes back #{number}, but the last event that held was #{now.last}."
    if undone["kind"] in NEVER_UNDONE:
        return f"it takes back #{number}, of the kind {undone['kind']}, which is never undone."
    if any(
        event.get(name) != value
        for name, value in _fill_patch(build_undo_fields(undone, found.last, now)).items()
    ):
        return f"it does not turn round what #{number} did."
    if event.get("reason") == EDITION and number in now.waits:
        return ""
    if not event.get("asked") and not event.get("alone"):
        return _free_undo_problem(now, event, undone)
    return _find_agreement_problem(past, event, undone, "undo")


def _free_undo_problem(now: Game, event: Event, undone: Event) -> str:
    """Return what is wrong with an undo that nobody was asked about; "" if nothing is."""
    who = event["who"]
    is_manager = event.get("by") == "manager"
    if "reason" in event:
        return "nobody agrees where nobody asked."
    if is_shared(undone):
        return "dice are taken back, and nobody agreed."
    if not is_free(now, get_actor(now, who, manager=is_manager), undone):
        return "it takes back what another player did, and that player did not agree."
    if is_manager and not needs_manager(now, undone, who):
        return "it says that a manager took it back, which needed none."
    return ""


def _check_redo(past: Past, event: Event, _: Said) -> str:
    """What was undone last is brought back as it was, by agreement where it was undone so."""
    now = past.now
    number = event["event"]
    if not now.redo or now.redo[-1] != number:
        return f"it brings back #{number}, which was not undone last."
    done = add_opening(past.bodies[number], reversed(past.bodies.values()))
    if any(
        event.get(name) != value
        for name, value in _fill_patch(build_redo_fields(done, now)).items()
    ):
        return f"it does not do again what #{number} did."
    return _find_agreement_problem(past, event, done, "redo")


def _find_agreement_problem(past: Past, event: Event, undone: Event, what: str) -> str:
    """Return what is wrong with who agreed, or with nobody being there who could; "" if nothing is.

    If nothing was passed over, nobody can have come or gone since.
    """
    now = past.now
    who = event["who"]
    asked = event.get("asked", "")
    number = event["event"]
    passes_over = what == "undo" and number != event["behind"]
    if asked and event.get("alone"):
        return "somebody alone in a game asks nobody."
    if not asked and "by" in event:
        return "nobody agrees where nobody asked."
    if asked and asked not in past.acted:
        return f"who asked for the {what} had no part in the game."
    was = game_at(reversed(past.bodies.values()), now, number)
    by_then = (
        {one["who"] for one in past.bodies.values() if one["number"] <= number}
        if passes_over
        else past.acted
    )
    here = past.acted_here - past.left_here
    others = consenters(was, asked or who, by_then, undone)
    if asked:
        return _consent_problem(past, event, undone, what, others)
    if what == "redo":
        if "reason" in event:
            return "nobody agrees where nobody asked."
        if not past.agreed.get(number):
            return ""
        here_then = here & {one["who"] for one in past.bodies.values() if one["number"] <= number}
        others = consenters(was, who, here_then, undone)
        return "it was undone by agreement, and nobody agreed to bring it back." if others else ""
    others = consenters(was, who, here & by_then, undone)
    if others:
        return "it says that nobody else could agree, but others play."
    return _absence_problem(past, event, {find_author_to_ask(now, undone, who, here, others)})


def _consent_problem(
    past: Past, event: Event, undone: Event, what: str, others: Collection[str]
) -> str:
    """Return what is wrong with who agreed to an undo or redo; "" if nothing is."""
    now = past.now
    who = event["who"]
    asked = event["asked"]
    here = past.acted_here - past.left_here
    author = find_author_to_ask(now, undone, asked, here, others)
    if who == asked:
        return f"who agreed to the {what} had no say in it."
    if "by" in event:
        was = game_at(reversed(past.bodies.values()), now, event["event"])
        may_agree = others and may_stand_in(now, was, who, asked, undone)
        if not may_agree or "reason" not in event:
            return f"who agreed to the {what} had no say in it."
        return _absence_problem(past, event, {author, *others})
    if who == undone["who"] and author_agrees(undone, others):
        return ""
    if who not in others:
        return f"who agreed to the {what} had no say in it."
    return _absence_problem(past, event, {author})


def _absence_problem(past: Past, event: Event, absent: Collection[str]) -> str:
    """Return what is wrong with the reason why these players were not asked; "" if nothing is.

    They had left, which is the host's word, or had been silent for seven days.
    """
    reason = event.get("reason")
    players = {*absent} - {""}
    if not players:
        return "it says why nobody was asked, but nobody had to be." if reason else ""
    if reason == LEFT:
        return ""
    if reason != SILENCE:
        return "who did it was there, and did not agree."
    if not are_silent(past.bodies.values(), players, event["at"]):
        return "it says that the other side was silent for seven days, but it was not."
    return ""


def _find_waiting_problem(past: Past, event: Event) -> str:
    """What is wrong with an event while a side is asked for a choice, which comes first."""
    hold = find_event_hold(past.now, event)
    return f"#{hold.number} waits for a choice, which comes first." if hold else ""


def _find_keeping_problem(past: Past, event: Event) -> str:
    """What is wrong with keeping what can be brought back, which only an event beside the game
    does.
    """
    if event.get("keeps") and not (past.now.redo and is_passed_over(event)):
        return "it keeps what could be brought back, which it cannot."
    return ""


def _fill_patch(fields: Json) -> Json:
    return {"before": None, "after": None, **fields}


_RULES: Mapping[str, Callable[[Past, Event, Said], str]] = {
    "start": _check_start, "end": _check_end, "resume": _check_resume, "unit": _check_unit,
    "settings": _check_settings, "track": _check_track,
    "join": turn.check_join, "leave": turn.check_leave, "next": turn.check_advance,
    "pass": turn.check_hand_over, "plan": turn.check_plan,
    "initiative": turn.check_initiative, "order": turn.check_order, "orders": turn.check_opening,
    "import": turn.check_bring_in,
    "claim": turn.check_claim, "privacy": turn.check_privacy, "undo": _check_undo, "redo": _check_redo,
    "fair": rolls.check_fair_texts,
    **dict.fromkeys(ROLLS, rolls.check_roll), "choice": rolls.check_choice, "sealed": rolls.check_sealed,
    "reveal": rolls.check_reveal,
    "deck": cards.check_deck, "draw": cards.check_draw, "cards": cards.check_move,
}  # fmt: skip
