"""The odds that are asked for in a channel, answered privately: of a sequence as typed, of a fight
of rounds, of a shot with the units as they were, and every die of that; *What if*: what each
modifier and each firer is worth.

*Share* shows for all what one person sees.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from bot.answers.counted_conditions import counted_sentence, find_counted
from bot.answers.defaults import (
    Filled,
    by_game,
    loan_sentence,
    loans,
    told_by_rule,
    tracks_read,
    with_filled,
)
from bot.answers.firers_and_targets import in_names, with_letters
from bot.answers.headline import cause, others
from bot.answers.odds import odds_by_name, odds_reply, rounds_reply
from bot.answers.plays import (
    Planned,
    Shot,
    again,
    alike_plays,
    came_up,
    each_of,
    named_rows,
    parties,
    planned,
    shot_of,
)
from bot.answers.roll import dice_odds
from bot.answers.shot import EXTRA, besides, by_label, counted_line, every_die
from bot.answers.what_if import Level, Worth, changes, count_changes, worth_reply
from bot.commands.context import Context, drafted, own_draft, repeated
from bot.commands.log.log import turn_page
from bot.commands.pictures import offered
from bot.commands.piles import closed_piles
from bot.commands.post.choose import CHOICE, behind
from bot.game.events import merge_choices, system_of
from bot.game.loaded import read_opened
from bot.game.roster import roster_for
from bot.game.state import Json
from bot.game.tracks import filled_in
from bot.interface.reply.parts import Small
from bot.interface.reply.reply import Button, Menu, MenuEntry, Reply
from bot.interface.spec import CommandSpec
from bot.interface.typing.command_text import command_text
from bot.places.forms import Draft, new_draft
from bot.process.entropy import new_id
from bot.rules.cards import ALL
from bot.rules.errors import UserError
from bot.rules.inputs.options import clean, flag
from bot.rules.inputs.units import Roster
from bot.rules.odds.odds import Distribution
from bot.rules.sequence.sequence import Row
from bot.rules.text.names import joined
from bot.rules.text.phrase import begun
from bot.stores.base import DAY
from bot.stores.records import SHOWN, Doc
from bot.systems.catalog import system
from bot.systems.resolve import by_choice, count_rounds, odds_rows
from bot.systems.system import FIRES, Sequence
from bot.verification.follows.cards import seat_of

BOXED = 3_200
"""Characters of an answer in a box; what is longer comes as an ordinary message."""


async def answer_odds(
    context: Context, spec: CommandSpec, options: Mapping[str, object], draft: Draft | None = None
) -> Reply:
    """The exact odds, privately, with buttons that roll or change just this: the draft is stored,
    if it is not yet.

    What is to be sealed or rolled with real dice must be typed: a button's roll is open to all.
    """
    if spec.family == "roll":
        return _of_dice(context, spec, options, draft)
    asked = await _asked(context, spec, options)
    game = context.game
    who = context.who
    sequence, roster, given, ruled, *seen = asked
    more = {name: options[name] for name in ("secret", "hand") if options.get(name)}
    is_typed = flag(options, "secret") or bool(options.get("hand"))
    replies = list[Reply]()
    for raw in seen[: 1 + (asked.raw != asked.shared)]:
        plays = planned(sequence, with_filled(raw, loans(sequence, raw, roster)), roster)
        rows, chances = await count_rows(context, sequence, plays, roster)
        acting, whom = parties(sequence, raw, roster)
        by = cause(sequence, acting, who)
        typed = command_text(spec, given | more) if is_typed else ""
        reply = odds_reply(sequence, raw, rows, chances, by=by, whom=whom, typed=typed)
        is_one = not plays[0].unit
        title = reply.title
        for name, unit in plays[0].given.roster.items() if is_one else ():
            # what one decides by says who they are
            title = title.replace(f"the {name} ", f"{unit.word} ")
        givens = [one.given for one in plays]
        lent = loans(sequence, raw, roster)
        counted = find_counted(sequence, raw, roster)
        notes = [
            loan_sentence(sequence, lent),
            counted_line(sequence, givens, for_odds=True),
            counted_sentence(counted),
        ]
        if any(notes):
            reply = replace(reply, lines=(*reply.lines, Small(" ".join(filter(None, notes)))))
        reply = told_by_rule(replace(reply, title=title), ruled)
        replies.append(odds_by_name(reply, sequence, game))
    reply, *shared = replies
    if is_typed:
        return boxed(context, reply, *shared)
    draft = draft or drafted(context, spec.path, {**given, "odds": True})
    buttons = _rolled_or_changed(draft)
    if is_one:
        buttons = (*buttons, Button(f"whatif:{draft.key}", "What if"))
    return boxed(
        context,
        await offered(context, replace(reply, buttons=buttons), f"picture:{draft.key}"),
        *shared,
    )


class Asked(NamedTuple):
    """What odds are asked of: the inputs as they were typed, what rules in force fill in, and all
    that counts, with the tracks of the game as they are now, and piles as who asks has seen them;
    `shared` are those that all have seen."""

    sequence: Sequence
    roster: Roster
    given: dict[str, object]
    ruled: tuple[Filled, ...]
    raw: Mapping[str, object]
    shared: Mapping[str, object]


async def _asked(
    context: Context, spec: CommandSpec, typed: Mapping[str, object], *, decided: bool = False
) -> Asked:
    """`decided`: choices that the odds leave open are taken."""
    sequence = context.systems[spec.system].sequences[spec.target]
    roster = roster_for(context.game, spec.system)
    side = context.actor.side
    options, _ = in_names(sequence, with_letters(sequence, typed, context.game), roster, side)
    given = {name: value for name, value in options.items() if name not in EXTRA}
    ruled = by_game(sequence, given, roster, context.game, side)
    raw = sequence.decided(with_filled(given, ruled)) if decided else with_filled(given, ruled)
    seen = own = Json()
    if sequence.decks:
        seat = seat_of(context.game.players, context.ledger.known_person())
        seen, own = await closed_piles(context, sequence, ALL, seat)
    read = tracks_read(sequence, raw, roster, context.game, side, own)
    filled = {**raw, **filled_in(read, sequence.system.tracks)} if read else raw
    return Asked(sequence, roster, given, ruled, filled, {**filled, **seen})


def _of_dice(
    context: Context, spec: CommandSpec, options: Mapping[str, object], draft: Draft | None
) -> Reply:
    """The odds of dice; what is to be sealed or rolled with real dice is typed."""
    if draft is None:
        given = {name: options[name] for name in ("dice", "label") if options.get(name)} | {
            "odds": True
        }
        draft = new_draft(spec.path, given, context.command.who.key)
        context.commit.docs.append(draft.doc(context.now, DAY))
    return boxed(context, replace(dice_odds(options), buttons=_rolled_or_changed(draft)))


def _rolled_or_changed(draft: Draft) -> tuple[Button, ...]:
    return Button(f"roll:{draft.key}", "Roll it", "primary"), Button(
        f"form:draft:{draft.key}", "Change…"
    )


async def count_rows(
    context: Context, sequence: Sequence, plays: tuple[Planned, ...], roster: Roster
) -> tuple[dict[str, Row], dict[str, Distribution]]:
    """The rows of the odds and their chances; of several units each has rows, and alike ones are
    counted once.
    """
    rows: dict[str, Row] = {}
    counted: dict[str, Distribution] = {}
    for names, one in alike_plays(plays):
        for under, chosen in by_choice(sequence, one.raw):
            own = odds_rows(sequence, chosen, roster, one.plan)
            chances = await context.count_odds(sequence, chosen, tuple(own), roster)
            for path, row, odds in named_rows(names, own, chances):
                at = "/".join(under) + path
                rows[at], counted[at] = row._replace(under=under), odds
    return rows, counted


async def answer_rounds(
    context: Context, spec: CommandSpec, options: Mapping[str, object]
) -> Reply:
    """The exact odds after so many rounds and to the end, privately, with a button that fights
    the first of them.
    """
    sequence, roster, given, ruled, raw, _ = await _asked(context, spec, options)
    option = spec.option("rounds")
    assert option is not None
    rounds = int(clean(option, options["rounds"]))
    lent = loans(sequence, raw, roster)
    fought = await context.apart(
        count_rounds, sequence.system.id, sequence.id, with_filled(raw, lent), rounds, dict(roster)
    )
    acting, _ = parties(sequence, raw, roster)
    reply = rounds_reply(sequence, raw, fought, rounds, by=cause(sequence, acting, context.who))
    reply = told_by_rule(reply, ruled)
    return boxed(
        context, replace(reply, buttons=_rolled_or_changed(drafted(context, spec.path, given)))
    )


@dataclass(frozen=True, slots=True)
class Fired:
    """An event that played a sequence, with what it played."""

    event: Json
    spec: CommandSpec
    shot: Shot


async def _fired(context: Context, number: int) -> Fired:
    """The shot with this number. Raises UserError for anything else."""
    context.need_game()
    event = await read_opened(context.store, context.ledger.row, context.game, number)
    if event is not None and event["kind"] == CHOICE:
        bodies = await behind(context, number)
        event = merge_choices(event, bodies) | {"command": bodies[min(bodies)]["command"]}
    spec = (
        context.registry.get(tuple(event["command"].split()))
        if event is not None and "command" in event
        else None
    )
    if event is None or spec is None or spec.family != "sequence":
        raise UserError(f"#{number} has no odds.", code="no-odds")
    await context.check_enabled(spec)
    sequence = (system_of(event) or system(spec.system)).sequence(spec.target)
    return Fired(event, spec, shot_of(event, sequence, roster_for(context.game, spec.system)))


async def odds_of_shot(context: Context, number: int, _more: str) -> Reply:
    """The odds that a shot had, with its inputs and the units as they were; what came up is
    marked.
    """
    game = context.game
    fired = await _fired(context, number)
    shot = fired.shot
    plays = planned(shot.sequence, shot.raw, shot.roster)
    rows, counted = await count_rows(context, shot.sequence, plays, shot.roster)
    came = {path: token for path, token in came_up(shot, plays).items() if path in rows}
    whom = joined([one.unit for one in plays if one.unit] or others(shot.sequence, plays[0].given))
    reply = odds_reply(shot.sequence, shot.raw, rows, counted, whom=whom, came=came)
    reply = odds_by_name(reply, shot.sequence, game)
    reply = replace(
        reply,
        by=f"the odds of #{number} as it was {'fired' if fired.spec.verb in FIRES else 'rolled'}",
    )
    return boxed(context, await offered(context, reply, context.button("bars", "", number).action))


async def dice_of_shot(context: Context, number: int, _more: str) -> Reply:
    """Every die of a shot whose answer shows its units by their results, privately."""
    reply = await share_shot(context, number, "")
    buttons = (context.button("odds", "Odds", number), context.button("share", "Share", number))
    return replace(reply, private=True, buttons=buttons)


async def share_shot(context: Context, number: int, _more: str) -> Reply:
    """Every die of a shot, for all to see."""
    fired = await _fired(context, number)
    played = again(fired.shot)
    parts = (
        every_die(fired.shot.sequence, played)
        if played
        else by_label(fired.event.get("dice") or ())
    )
    parts = (*parts, *besides(fired.shot.sequence, played))
    count = len(fired.shot.dice)
    title = fired.shot.sequence.title
    said = f"{count} {'die' if count == 1 else 'dice'}, {title[:1].lower()}{title[1:]}"
    return Reply(f"Every die of #{number}", parts, by=said)


OWN = "Cards that only you have seen are counted. Share tells what all can count."


def boxed(context: Context, reply: Reply, shared: Reply | None = None) -> Reply:
    """A private answer in a box, with *Share* behind its other buttons; the answer is kept for
    that, for a day, or in its place what may be `shared` of it."""
    key = new_id()
    told = _for_all(shared or reply)
    reply = replace(reply, lines=(*reply.lines, Small(OWN))) if shared else reply
    fits = len(reply.text()) <= BOXED
    context.commit.docs.append(
        Doc(SHOWN, key, told.to_json(), context.now + DAY, context.command.who.key)
    )
    return replace(reply, buttons=(*reply.buttons, Button(f"tell:{key}", "Share")), boxed=fits)


async def tell(context: Context, key: str) -> Reply:
    """The answer that somebody alone has seen, for all to see. Raises UserError for one that is
    used up.
    """
    doc = await context.store.doc(SHOWN, key)
    if doc is None or doc.owner != context.command.who.key:
        raise UserError(
            "This was shared already, or is too old.", hint="Ask for it again.", code="used-up"
        )
    context.commit.drop_docs.append((SHOWN, key))
    return _signed(context, Reply.from_json(doc.data))


async def tell_log(context: Context, about: str) -> Reply:
    """The page of the log that a button names, for all to see."""
    return _signed(context, _for_all(await turn_page(context, about)))


def _for_all(reply: Reply) -> Reply:
    return replace(reply, private=False, buttons=(), menus=(), boxed=False, in_place=False)


def _signed(context: Context, reply: Reply) -> Reply:
    return replace(reply, lines=(*reply.lines, Small(f"Shown by {context.who}.")))


async def what_if(context: Context, rest: str) -> Reply:
    """What single changes of a draft are worth, privately; behind its key the places of the
    level and of the unit.
    """
    key, _, chosen = rest.partition(":")
    draft = await own_draft(context, key)
    desk = repeated(context, draft.path, draft.options)
    await desk.check_enabled(desk.spec)
    return await _compared(
        desk, await _asked(desk, desk.spec, draft.options, decided=True), draft, chosen
    )


async def answer_compared(
    context: Context, spec: CommandSpec, options: Mapping[str, object]
) -> Reply:
    """The same for a command as it was typed; its draft is stored, so that its buttons work."""
    asked = await _asked(context, spec, options, decided=True)
    return await _compared(
        context, asked, drafted(context, spec.path, {**asked.given, "odds": True}), ""
    )


async def _compared(context: Context, asked: Asked, draft: Draft, chosen: str) -> Reply:
    if each_of(asked.sequence, asked.raw, asked.roster):
        raise UserError(
            "What a change is worth is counted for one unit at a time.",
            hint="Name one.",
            code="too-many",
        )
    group, level = _chosen(chosen)
    worth = await _worth(context, asked, asked.raw, group, level)
    shared = None
    if asked.raw != asked.shared:
        shared = (
            await _worth(context, asked, asked.shared, group, worth.levels[worth.level])
        ).reply
    reply = replace(worth.reply, buttons=_buttons(draft), menus=_menus(draft.key, worth))
    return boxed(context, reply, shared)


async def _worth(
    context: Context, asked: Asked, raw: Mapping[str, object], group: int, level: int | Level
) -> Worth:
    """What single changes of these inputs are worth, for the unit and the level that are chosen."""
    sequence = asked.sequence
    roster = asked.roster
    tried = changes(sequence, raw, sequence.given(raw, roster))
    plays = planned(sequence, with_filled(raw, loans(sequence, raw, roster)), roster)
    rows, chances = await count_rows(context, sequence, plays, roster)
    raws = tuple(with_filled(one.raw, loans(sequence, one.raw, roster)) for one in tried)
    counted = await context.apart(
        count_changes, sequence.system.key, sequence.id, raws, tuple(rows), dict(roster)
    )
    worth = worth_reply(sequence, rows, chances, tried, counted, group=group, level=level)
    acting, _ = parties(sequence, raw, roster)
    by = f"{worth.reply.by} · {cause(sequence, acting, context.who)}"
    return replace(worth, reply=replace(told_by_rule(worth.reply, asked.ruled), by=by))


def _chosen(text: str) -> tuple[int, int]:
    """The places of the unit and of the level: `1.2`."""
    group, _, level = text.partition(".")
    return _place(group), _place(level)


def _place(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 4 else 0


def _buttons(draft: Draft) -> tuple[Button, ...]:
    return *_rolled_or_changed(draft), Button(f"back:{draft.key}", "Back")


def _menus(key: str, worth: Worth) -> tuple[Menu, ...]:
    """A menu of what is compared, and one of for whom."""
    made = list[Menu]()
    known = worth.levels
    names = worth.names
    if len(known) > 1:
        entries = [
            MenuEntry(f"whatif:{key}:{worth.group}.{at}", begun(one.label))
            for at, one in enumerate(known[:25])
        ]
        made.append(Menu(begun(known[worth.level].label), tuple(entries), "Level"))
    if len(names) > 1:
        entries = [MenuEntry(f"whatif:{key}:{at}.0", name) for at, name in enumerate(names[:25])]
        made.append(Menu(names[worth.group], tuple(entries), "For whom"))
    return tuple(made)
