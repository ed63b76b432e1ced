"""The odds that are asked for in a channel, answered privately: of a sequence as typed, of a fight
of rounds, of a shot with the units as they were, and every die of that; *What if*: what each
modifier and each firer is worth.

*Share* shows for all what one person sees.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from bot.commands.by_post.choose import CHOICE, load_continued_events
from bot.commands.closed_piles import list_closed_piles
from bot.commands.context import Context, load_own_draft, replace_command, save_draft
from bot.commands.log.log import turn_page
from bot.commands.pictures import offer_picture
from bot.game.events import get_event_system, merge_choices
from bot.game.game_cache import load_event_body
from bot.game.roster import get_system_roster
from bot.game.state import Json
from bot.game.tracks import fill_track_inputs
from bot.preferences.forms import Draft, create_draft
from bot.presentation.counted_conditions import find_counted_conditions, format_counted_conditions
from bot.presentation.derived_inputs import (
    DerivedInput,
    add_derived_inputs,
    add_rule_notes,
    collect_tracks_and_piles,
    derive_inputs_from_game,
    derive_inputs_from_units,
    format_lent_inputs,
)
from bot.presentation.firers_and_targets import resolve_side_letters, resolve_unit_names
from bot.presentation.headline import format_cause, list_affected_units
from bot.presentation.multi_unit_play import (
    PlannedPlay,
    RecordedShot,
    find_actual_results,
    group_identical_plays,
    list_named_rows,
    list_parties,
    list_units_played_singly,
    plan_plays,
    read_shot,
    replay_shot_of_same_edition,
)
from bot.presentation.odds import build_odds_reply, build_rounds_reply, name_sides_in_odds
from bot.presentation.roll import build_dice_odds_reply
from bot.presentation.run_sequence import (
    EXTRA,
    format_unit_inputs,
    list_all_dice,
    list_dice_by_label,
    list_follow_up_parts,
)
from bot.presentation.what_if import (
    ChangeComparison,
    ComparedLevel,
    compare_changes,
    count_change_odds,
    list_changes,
)
from bot.rules.cards import ALL
from bot.rules.errors import UserError
from bot.rules.inputs.options import clean, is_flag_on
from bot.rules.inputs.units import Roster
from bot.rules.odds.odds import Distribution
from bot.rules.sequence.sequence import OddsRow
from bot.rules.text.names import join_names
from bot.rules.text.phrase import capitalize_first
from bot.rulesets.catalog import find_system
from bot.rulesets.play_once import build_odds_rows, count_rounds, list_choice_branches
from bot.rulesets.system import FIRES, Sequence
from bot.runtime.entropy import create_id
from bot.storage.base import DAY
from bot.storage.records import SHOWN, Doc
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import Button, Menu, MenuEntry, Reply
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import format_command
from bot.verification.follows.cards import get_seat

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
        return _answer_dice_odds(context, spec, options, draft)
    asked = await _build_query(context, spec, options)
    game = context.game
    who = context.user_name
    sequence, roster, given, ruled, *seen = asked
    more = {name: options[name] for name in ("secret", "hand") if options.get(name)}
    is_typed = is_flag_on(options, "secret") or bool(options.get("hand"))
    replies = list[Reply]()
    for raw in seen[: 1 + (asked.raw != asked.shared)]:
        plays = plan_plays(
            sequence,
            add_derived_inputs(raw, derive_inputs_from_units(sequence, raw, roster)),
            roster,
        )
        rows, chances = await count_row_odds(context, sequence, plays, roster)
        acting, whom = list_parties(sequence, raw, roster)
        by = format_cause(sequence, acting, who)
        typed = format_command(spec, given | more) if is_typed else ""
        reply = build_odds_reply(sequence, raw, rows, chances, by=by, whom=whom, typed=typed)
        is_one = not plays[0].unit
        title = reply.title
        for name, unit in plays[0].given.roster.items() if is_one else ():
            # what one decides by says who they are
            title = title.replace(f"the {name} ", f"{unit.word} ")
        givens = [one.given for one in plays]
        lent = derive_inputs_from_units(sequence, raw, roster)
        counted = find_counted_conditions(sequence, raw, roster)
        notes = [
            format_lent_inputs(sequence, lent),
            format_unit_inputs(sequence, givens, for_odds=True),
            format_counted_conditions(counted, sequence.system),
        ]
        if any(notes):
            reply = replace(reply, lines=(*reply.lines, Small(" ".join(filter(None, notes)))))
        reply = add_rule_notes(replace(reply, title=title), ruled)
        replies.append(name_sides_in_odds(reply, sequence, game))
    reply, *shared = replies
    if is_typed:
        return add_share_button(context, reply, *shared)
    draft = draft or save_draft(context, spec.path, {**given, "odds": True})
    buttons = _build_draft_buttons(draft)
    if is_one:
        buttons = (*buttons, Button(f"whatif:{draft.key}", "What if"))
    return add_share_button(
        context,
        await offer_picture(context, replace(reply, buttons=buttons), f"picture:{draft.key}"),
        *shared,
    )


class OddsQuery(NamedTuple):
    """What odds are asked of: the inputs as they were typed, what rules in force fill in, and all
    that counts, with the tracks of the game as they are now, and piles as who asks has seen them;
    `shared` are those that all have seen."""

    sequence: Sequence
    roster: Roster
    given: dict[str, object]
    ruled: tuple[DerivedInput, ...]
    raw: Mapping[str, object]
    shared: Mapping[str, object]


async def _build_query(
    context: Context, spec: CommandSpec, typed: Mapping[str, object], *, decided: bool = False
) -> OddsQuery:
    """`decided`: choices that the odds leave open are taken."""
    sequence = context.systems[spec.system].sequences[spec.target]
    roster = get_system_roster(context.game, spec.system)
    side = context.actor.side
    options, _ = resolve_unit_names(
        sequence, resolve_side_letters(sequence, typed, context.game), roster, side
    )
    given = {name: value for name, value in options.items() if name not in EXTRA}
    ruled = derive_inputs_from_game(sequence, given, roster, context.game, side)
    raw = (
        sequence.add_default_choices(add_derived_inputs(given, ruled))
        if decided
        else add_derived_inputs(given, ruled)
    )
    seen = own = Json()
    if sequence.decks:
        seat = get_seat(context.game.players, context.ledger.find_person())
        seen, own = await list_closed_piles(context, sequence, ALL, seat)
    read = collect_tracks_and_piles(sequence, raw, roster, context.game, side, own)
    filled = {**raw, **fill_track_inputs(read, sequence.system.tracks)} if read else raw
    return OddsQuery(sequence, roster, given, ruled, filled, {**filled, **seen})


def _answer_dice_odds(
    context: Context, spec: CommandSpec, options: Mapping[str, object], draft: Draft | None
) -> Reply:
    """The odds of dice; what is to be sealed or rolled with real dice is typed."""
    if draft is None:
        given = {name: options[name] for name in ("dice", "label") if options.get(name)} | {
            "odds": True
        }
        draft = create_draft(spec.path, given, context.command.who.key)
        context.commit.docs.append(draft.build_doc(context.now, DAY))
    return add_share_button(
        context, replace(build_dice_odds_reply(options), buttons=_build_draft_buttons(draft))
    )


def _build_draft_buttons(draft: Draft) -> tuple[Button, ...]:
    return Button(f"roll:{draft.key}", "Roll it", "primary"), Button(
        f"form:draft:{draft.key}", "Change…"
    )


async def count_row_odds(
    context: Context, sequence: Sequence, plays: tuple[PlannedPlay, ...], roster: Roster
) -> tuple[dict[str, OddsRow], dict[str, Distribution]]:
    """The rows of the odds and their chances; of several units each has rows, and alike ones are
    counted once.
    """
    rows: dict[str, OddsRow] = {}
    counted: dict[str, Distribution] = {}
    for names, one in group_identical_plays(plays):
        for under, chosen in list_choice_branches(sequence, one.raw):
            own = build_odds_rows(sequence, chosen, roster, one.plan)
            chances = await context.count_odds(sequence, chosen, tuple(own), roster)
            for path, row, odds in list_named_rows(names, own, chances):
                at = "/".join(under) + path
                rows[at], counted[at] = row._replace(under=under), odds
    return rows, counted


async def answer_rounds(
    context: Context, spec: CommandSpec, options: Mapping[str, object]
) -> Reply:
    """The exact odds after so many rounds and to the end, privately, with a button that fights
    the first of them.
    """
    sequence, roster, given, ruled, raw, _ = await _build_query(context, spec, options)
    option = spec.find_option("rounds")
    assert option is not None
    rounds = int(clean(option, options["rounds"]))
    lent = derive_inputs_from_units(sequence, raw, roster)
    fought = await context.run_in_worker(
        count_rounds,
        sequence.system.id,
        sequence.id,
        add_derived_inputs(raw, lent),
        rounds,
        dict(roster),
    )
    acting, _ = list_parties(sequence, raw, roster)
    reply = build_rounds_reply(
        sequence, raw, fought, rounds, by=format_cause(sequence, acting, context.user_name)
    )
    reply = add_rule_notes(reply, ruled)
    return add_share_button(
        context, replace(reply, buttons=_build_draft_buttons(save_draft(context, spec.path, given)))
    )


@dataclass(frozen=True, slots=True)
class FiredShot:
    """An event that played a sequence, with what it played."""

    event: Json
    spec: CommandSpec
    shot: RecordedShot


async def _load_shot(context: Context, number: int) -> FiredShot:
    """The shot with this number. Raises UserError for anything else."""
    context.need_game()
    event = await load_event_body(context.store, context.ledger.row, context.game, number)
    if event is not None and event["kind"] == CHOICE:
        bodies = await load_continued_events(context, number)
        event = merge_choices(event, bodies) | {"command": bodies[min(bodies)]["command"]}
    spec = (
        context.registry.get(tuple(event["command"].split()))
        if event is not None and "command" in event
        else None
    )
    if event is None or spec is None or spec.family != "sequence":
        raise UserError(f"#{number} has no odds.", code="no-odds")
    await context.check_enabled(spec)
    sequence = (get_event_system(event) or find_system(spec.system)).find_sequence(spec.target)
    return FiredShot(
        event, spec, read_shot(event, sequence, get_system_roster(context.game, spec.system))
    )


async def show_shot_odds(context: Context, number: int, _more: str) -> Reply:
    """The odds that a shot had, with its inputs and the units as they were; what came up is
    marked.
    """
    game = context.game
    fired = await _load_shot(context, number)
    shot = fired.shot
    plays = plan_plays(shot.sequence, shot.raw, shot.roster)
    rows, counted = await count_row_odds(context, shot.sequence, plays, shot.roster)
    came = {path: token for path, token in find_actual_results(shot, plays).items() if path in rows}
    whom = join_names(
        [one.unit for one in plays if one.unit]
        or list_affected_units(shot.sequence, plays[0].given)
    )
    reply = build_odds_reply(shot.sequence, shot.raw, rows, counted, whom=whom, came=came)
    reply = name_sides_in_odds(reply, shot.sequence, game)
    reply = replace(
        reply,
        by=f"the odds of #{number} as it was {'fired' if fired.spec.verb in FIRES else 'rolled'}",
    )
    return add_share_button(
        context,
        await offer_picture(context, reply, context.build_button("bars", "", number).action),
    )


async def show_shot_dice(context: Context, number: int, _more: str) -> Reply:
    """Every die of a shot whose answer shows its units by their results, privately."""
    reply = await share_shot_dice(context, number, "")
    buttons = (
        context.build_button("odds", "Odds", number),
        context.build_button("share", "Share", number),
    )
    return replace(reply, private=True, buttons=buttons)


async def share_shot_dice(context: Context, number: int, _more: str) -> Reply:
    """Every die of a shot, for all to see."""
    fired = await _load_shot(context, number)
    played = replay_shot_of_same_edition(fired.shot)
    parts = (
        list_all_dice(fired.shot.sequence, played)
        if played
        else list_dice_by_label(fired.event.get("dice") or ())
    )
    parts = (*parts, *list_follow_up_parts(fired.shot.sequence, played))
    count = len(fired.shot.dice)
    title = fired.shot.sequence.title
    said = f"{count} {'die' if count == 1 else 'dice'}, {title[:1].lower()}{title[1:]}"
    return Reply(f"Every die of #{number}", parts, by=said)


OWN = "Cards that only you have seen are counted. Share tells what all can count."


def add_share_button(context: Context, reply: Reply, shared: Reply | None = None) -> Reply:
    """A private answer in a box, with *Share* behind its other buttons; the answer is kept for
    that, for a day, or in its place what may be `shared` of it."""
    key = create_id()
    told = _make_public(shared or reply)
    reply = replace(reply, lines=(*reply.lines, Small(OWN))) if shared else reply
    fits = len(reply.format_text()) <= BOXED
    context.commit.docs.append(
        Doc(SHOWN, key, told.to_json(), context.now + DAY, context.command.who.key)
    )
    return replace(reply, buttons=(*reply.buttons, Button(f"tell:{key}", "Share")), boxed=fits)


async def share_answer(context: Context, key: str) -> Reply:
    """The answer that somebody alone has seen, for all to see. Raises UserError for one that is
    used up.
    """
    doc = await context.store.load_doc(SHOWN, key)
    if doc is None or doc.owner != context.command.who.key:
        raise UserError(
            "This was shared already, or is too old.", hint="Ask for it again.", code="used-up"
        )
    context.commit.drop_docs.append((SHOWN, key))
    return _add_sharer(context, Reply.from_json(doc.data))


async def share_log_page(context: Context, about: str) -> Reply:
    """The page of the log that a button names, for all to see."""
    return _add_sharer(context, _make_public(await turn_page(context, about)))


def _make_public(reply: Reply) -> Reply:
    return replace(reply, private=False, buttons=(), menus=(), boxed=False, in_place=False)


def _add_sharer(context: Context, reply: Reply) -> Reply:
    return replace(reply, lines=(*reply.lines, Small(f"Shown by {context.user_name}.")))


async def show_what_if(context: Context, rest: str) -> Reply:
    """What single changes of a draft are worth, privately; behind its key the places of the
    level and of the unit.
    """
    key, _, chosen = rest.partition(":")
    draft = await load_own_draft(context, key)
    desk = replace_command(context, draft.path, draft.options)
    await desk.check_enabled(desk.spec)
    return await _compare_changes(
        desk, await _build_query(desk, desk.spec, draft.options, decided=True), draft, chosen
    )


async def answer_comparison(
    context: Context, spec: CommandSpec, options: Mapping[str, object]
) -> Reply:
    """The same for a command as it was typed; its draft is stored, so that its buttons work."""
    asked = await _build_query(context, spec, options, decided=True)
    return await _compare_changes(
        context, asked, save_draft(context, spec.path, {**asked.given, "odds": True}), ""
    )


async def _compare_changes(context: Context, asked: OddsQuery, draft: Draft, chosen: str) -> Reply:
    if list_units_played_singly(asked.sequence, asked.raw, asked.roster):
        raise UserError(
            "What a change is worth is counted for one unit at a time.",
            hint="Name one.",
            code="too-many",
        )
    group, level = _parse_unit_and_level(chosen)
    worth = await _compute_comparison(context, asked, asked.raw, group, level)
    shared = None
    if asked.raw != asked.shared:
        shared = (
            await _compute_comparison(
                context, asked, asked.shared, group, worth.levels[worth.level]
            )
        ).reply
    reply = replace(
        worth.reply,
        buttons=_build_what_if_buttons(draft),
        menus=_build_what_if_menus(draft.key, worth),
    )
    return add_share_button(context, reply, shared)


async def _compute_comparison(
    context: Context,
    asked: OddsQuery,
    raw: Mapping[str, object],
    group: int,
    level: int | ComparedLevel,
) -> ChangeComparison:
    """What single changes of these inputs are worth, for the unit and the level that are chosen."""
    sequence = asked.sequence
    roster = asked.roster
    tried = list_changes(sequence, raw, sequence.read_inputs(raw, roster))
    plays = plan_plays(
        sequence, add_derived_inputs(raw, derive_inputs_from_units(sequence, raw, roster)), roster
    )
    rows, chances = await count_row_odds(context, sequence, plays, roster)
    raws = tuple(
        add_derived_inputs(one.raw, derive_inputs_from_units(sequence, one.raw, roster))
        for one in tried
    )
    counted = await context.run_in_worker(
        count_change_odds, sequence.system.key, sequence.id, raws, tuple(rows), dict(roster)
    )
    worth = compare_changes(sequence, rows, chances, tried, counted, group=group, level=level)
    acting, _ = list_parties(sequence, raw, roster)
    by = f"{worth.reply.by} · {format_cause(sequence, acting, context.user_name)}"
    return replace(worth, reply=replace(add_rule_notes(worth.reply, asked.ruled), by=by))


def _parse_unit_and_level(text: str) -> tuple[int, int]:
    """The places of the unit and of the level: `1.2`."""
    group, _, level = text.partition(".")
    return _parse_index(group), _parse_index(level)


def _parse_index(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 4 else 0


def _build_what_if_buttons(draft: Draft) -> tuple[Button, ...]:
    return *_build_draft_buttons(draft), Button(f"back:{draft.key}", "Back")


def _build_what_if_menus(key: str, worth: ChangeComparison) -> tuple[Menu, ...]:
    """A menu of what is compared, and one of for whom."""
    made = list[Menu]()
    known = worth.levels
    names = worth.names
    if len(known) > 1:
        entries = [
            MenuEntry(f"whatif:{key}:{worth.group}.{at}", capitalize_first(one.label))
            for at, one in enumerate(known[:25])
        ]
        made.append(Menu(capitalize_first(known[worth.level].label), tuple(entries), "Level"))
    if len(names) > 1:
        entries = [MenuEntry(f"whatif:{key}:{at}.0", name) for at, name in enumerate(names[:25])]
        made.append(Menu(names[worth.group], tuple(entries), "For whom"))
    return tuple(made)
