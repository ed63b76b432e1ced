"""Private answers about odds: of a sequence, a fight in rounds, or a shot as it was rolled.

*Dice* lists every die of a shot. *What if* compares the odds with single changes, such as a
modifier or a firer. *Share* shows a private answer to all.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from bot.commands.by_post.choose import CHOICE, load_continued_events
from bot.commands.closed_piles import list_closed_piles
from bot.commands.context import Context, load_own_draft, replace_command, save_draft
from bot.commands.declare import ButtonOf, declare_button
from bot.commands.log.log import turn_page
from bot.commands.pictures import offer_picture
from bot.forms.drafts import Draft, create_draft
from bot.game.events import get_event_system, merge_choices
from bot.game.roster import get_system_roster
from bot.game.state import Json
from bot.game.tracks import fill_track_inputs
from bot.loading.log_reader import load_event_body
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
"""Maximum number of characters of an answer in a box. A longer one is an ordinary message."""


async def answer_odds(
    context: Context, spec: CommandSpec, options: Mapping[str, object], draft: Draft | None = None
) -> Reply:
    """Answer the exact odds privately, with buttons that roll or change this command.

    The command is stored as a draft, if `draft` is None. A sealed roll and real dice get no buttons
    but the command to type, because a button's roll is open to all.

    Raises UserError for inputs that do not fit, and for odds that take too long to compute.
    """
    if spec.family == "roll":
        return _answer_dice_odds(context, spec, options, draft)
    query = await _build_query(context, spec, options)
    game = context.game
    user_name = context.user_name
    sequence, roster, given, ruled, *inputs_seen = query
    typed_options = {name: options[name] for name in ("secret", "hand") if options.get(name)}
    is_typed = is_flag_on(options, "secret") or bool(options.get("hand"))
    replies = list[Reply]()
    for raw in inputs_seen[: 1 + (query.raw != query.shared)]:
        lent_inputs = derive_inputs_from_units(sequence, raw, roster)
        plays = plan_plays(sequence, add_derived_inputs(raw, lent_inputs), roster)
        rows, chances = await count_row_odds(context, sequence, plays, roster)
        acting, targets = list_parties(sequence, raw, roster)
        cause = format_cause(sequence, acting, user_name)
        typed = format_command(spec, given | typed_options) if is_typed else ""
        reply = build_odds_reply(
            sequence, raw, rows, chances, cause=cause, target_names=targets, typed=typed
        )
        is_single = not plays[0].unit
        title = reply.title
        if is_single:
            for name, unit in plays[0].given.roster.items():
                # the unit's own word tells the reader more than its part
                title = title.replace(f"the {name} ", f"{unit.word} ")
        givens = [play.given for play in plays]
        counted = find_counted_conditions(sequence, raw, roster)
        notes = [
            format_lent_inputs(sequence, lent_inputs),
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
    if is_single:
        buttons = (*buttons, Button(f"whatif:{draft.key}", "What if"))
    reply = replace(reply, buttons=buttons)
    reply = await offer_picture(context, reply, f"picture:{draft.key}")
    return add_share_button(context, reply, *shared)


class OddsQuery(NamedTuple):
    """The inputs whose odds are asked for.

    `given` are the typed inputs and `ruled` those from rules in force. `raw` are all inputs, with
    the game's tracks as they are now and the piles as the user has seen them. `shared` is the same
    with the piles as all players have seen them.
    """

    sequence: Sequence
    roster: Roster
    given: dict[str, object]
    ruled: tuple[DerivedInput, ...]
    raw: Mapping[str, object]
    shared: Mapping[str, object]


async def _build_query(
    context: Context, spec: CommandSpec, typed: Mapping[str, object], *, decided: bool = False
) -> OddsQuery:
    """Return the query for the odds of a typed sequence.

    `decided` fills in the default choices, which the odds otherwise leave open. Raises UserError
    for units and inputs that do not fit.
    """
    sequence = context.systems[spec.system].sequences[spec.target]
    roster = get_system_roster(context.game, sequence.system)
    side = context.actor.side
    options, _ = resolve_unit_names(
        sequence, resolve_side_letters(sequence, typed, context.game), roster, side
    )
    given = {name: value for name, value in options.items() if name not in EXTRA}
    ruled = derive_inputs_from_game(sequence, given, roster, context.game, side)
    raw: Mapping[str, object] = add_derived_inputs(given, ruled)
    if decided:
        raw = sequence.add_default_choices(raw)
    seen_piles = Json()
    own_piles = Json()
    if sequence.decks:
        seat = get_seat(context.game.players, context.ledger.find_person())
        seen_piles, own_piles = await list_closed_piles(context, sequence, ALL, seat)
    readings = collect_tracks_and_piles(sequence, raw, roster, context.game, side, own_piles)
    raw_with_tracks = (
        {**raw, **fill_track_inputs(readings, sequence.system.tracks)} if readings else raw
    )
    return OddsQuery(
        sequence, roster, given, ruled, raw_with_tracks, {**raw_with_tracks, **seen_piles}
    )


def _answer_dice_odds(
    context: Context, spec: CommandSpec, options: Mapping[str, object], draft: Draft | None
) -> Reply:
    """Answer the odds of dice, with buttons that roll or change them."""
    if draft is None:
        given = {name: options[name] for name in ("dice", "label") if options.get(name)}
        given["odds"] = True
        draft = create_draft(spec.path, given, context.command.who.key)
        context.commit.docs.append(draft.build_doc(context.now, DAY))
    reply = replace(build_dice_odds_reply(options), buttons=_build_draft_buttons(draft))
    return add_share_button(context, reply)


def _build_draft_buttons(draft: Draft) -> tuple[Button, ...]:
    """Build the buttons *Roll it* and *Change…* of a draft."""
    roll = Button(f"roll:{draft.key}", "Roll it", "primary")
    change = Button(f"form:draft:{draft.key}", "Change…")
    return roll, change


async def count_row_odds(
    context: Context, sequence: Sequence, plays: tuple[PlannedPlay, ...], roster: Roster
) -> tuple[dict[str, OddsRow], dict[str, Distribution]]:
    """Return the rows of the odds, and the chances of each, by path.

    Each of several units has rows of its own. Identical units are counted once.
    """
    rows: dict[str, OddsRow] = {}
    odds_by_path: dict[str, Distribution] = {}
    for names, play in group_identical_plays(plays):
        for choices, chosen in list_choice_branches(sequence, play.raw):
            play_rows = build_odds_rows(sequence, chosen, roster, play.plan)
            chances = await context.count_odds(sequence, chosen, tuple(play_rows), roster)
            for path, row, odds in list_named_rows(names, play_rows, chances):
                full_path = "/".join(choices) + path
                rows[full_path] = row._replace(assumed_choices=choices)
                odds_by_path[full_path] = odds
    return rows, odds_by_path


async def answer_rounds(
    context: Context, spec: CommandSpec, options: Mapping[str, object]
) -> Reply:
    """Answer the exact odds after the typed number of rounds and at the end, privately.

    A button fights the first round. Raises UserError for inputs that do not fit, and for odds that
    take too long to compute.
    """
    sequence, roster, given, ruled, raw, _ = await _build_query(context, spec, options)
    option = spec.find_option("rounds")
    assert option is not None
    rounds = int(clean(option, options["rounds"]))
    lent = derive_inputs_from_units(sequence, raw, roster)
    counted = await context.run_in_worker(
        count_rounds,
        sequence,
        add_derived_inputs(raw, lent),
        rounds,
        dict(roster),
    )
    acting, _ = list_parties(sequence, raw, roster)
    cause = format_cause(sequence, acting, context.user_name)
    reply = build_rounds_reply(sequence, raw, counted, rounds, cause=cause)
    reply = add_rule_notes(reply, ruled)
    draft = save_draft(context, spec.path, given)
    return add_share_button(context, replace(reply, buttons=_build_draft_buttons(draft)))


@dataclass(frozen=True, slots=True)
class FiredShot:
    """An event that played a sequence, with its command and its inputs."""

    event: Json
    spec: CommandSpec
    shot: RecordedShot


async def _load_shot(context: Context, number: int) -> FiredShot:
    """Load the shot with this number. Raises UserError if the event is no sequence."""
    context.need_game()
    event = await load_event_body(context.store, context.ledger.row, context.game, number)
    if event is not None and event["kind"] == CHOICE:
        bodies = await load_continued_events(context, number)
        event = merge_choices(event, bodies) | {"command": bodies[min(bodies)]["command"]}
    spec = None
    if event is not None and "command" in event:
        spec = context.registry.get(tuple(event["command"].split()))
    if event is None or spec is None or spec.family != "sequence":
        raise UserError(f"#{number} has no odds.", code="no-odds")
    await context.check_enabled(spec)
    system = get_event_system(event, context.systems) or context.systems.find(spec.system)
    sequence = system.find_sequence(spec.target)
    roster = get_system_roster(context.game, sequence.system)
    return FiredShot(event, spec, read_shot(event, sequence, roster))


@declare_button("odds", of=ButtonOf.EVENT, private=True, in_earlier_games=True)
async def show_shot_odds(context: Context, number: int) -> Reply:
    """Answer the odds that a shot had, with the units as they were, and mark its results.

    Raises UserError if the event is no sequence, or if its odds take too long to compute.
    """
    game = context.game
    fired = await _load_shot(context, number)
    shot = fired.shot
    plays = plan_plays(shot.sequence, shot.raw, shot.roster)
    rows, counted = await count_row_odds(context, shot.sequence, plays, shot.roster)
    results = {
        path: token for path, token in find_actual_results(shot, plays).items() if path in rows
    }
    units = [play.unit for play in plays if play.unit]
    targets = join_names(units or list_affected_units(shot.sequence, plays[0].given))
    reply = build_odds_reply(
        shot.sequence, shot.raw, rows, counted, target_names=targets, came=results
    )
    reply = name_sides_in_odds(reply, shot.sequence, game)
    participle = "fired" if fired.spec.verb in FIRES else "rolled"
    reply = replace(reply, by=f"the odds when #{number} was {participle}")
    picture_action = context.build_button("bars", "", number).action
    return add_share_button(context, await offer_picture(context, reply, picture_action))


@declare_button("dice", of=ButtonOf.EVENT, private=True, in_earlier_games=True)
async def show_shot_dice(context: Context, number: int) -> Reply:
    """Show every die of a shot privately. Its answer shows its units only by their results."""
    reply = await share_shot_dice(context, number)
    buttons = (
        context.build_odds_button(number),
        context.build_button("share", "Share", number),
    )
    return replace(reply, private=True, buttons=buttons)


@declare_button("share", of=ButtonOf.EVENT)
async def share_shot_dice(context: Context, number: int) -> Reply:
    """Show every die of a shot to all."""
    fired = await _load_shot(context, number)
    play = replay_shot_of_same_edition(fired.shot)
    if play is None:
        parts = list_dice_by_label(fired.event.get("dice") or ())
    else:
        dice_parts = list_all_dice(fired.shot.sequence, play)
        parts = (*dice_parts, *list_follow_up_parts(fired.shot.sequence, play))
    count = len(fired.shot.dice)
    title = fired.shot.sequence.title
    author = f"{count} {'die' if count == 1 else 'dice'}, {title[:1].lower()}{title[1:]}"
    return Reply(f"Every die of #{number}", parts, by=author)


OWN = "This takes into account cards that only you have seen. Share shows the odds without them."


def add_share_button(context: Context, reply: Reply, shared: Reply | None = None) -> Reply:
    """Add the button *Share* after the other buttons of a private answer, and box it if it fits.

    The answer is stored for that for a day, or instead of it the `shared` answer, which holds only
    what all players may see.
    """
    key = create_id()
    public_reply = _make_public(shared or reply)
    reply = replace(reply, lines=(*reply.lines, Small(OWN))) if shared else reply
    is_boxed = len(reply.format_text()) <= BOXED
    context.commit.docs.append(
        Doc(SHOWN, key, public_reply.to_json(), context.now + DAY, context.command.who.key)
    )
    return replace(reply, buttons=(*reply.buttons, Button(f"tell:{key}", "Share")), boxed=is_boxed)


@declare_button("tell")
async def share_answer(context: Context, key: str) -> Reply:
    """Show a stored private answer to all. Raises UserError if it was shared already."""
    doc = await context.store.load_doc(SHOWN, key)
    if doc is None or doc.owner != context.command.who.key:
        raise UserError(
            "This has already been shared, or has expired.",
            hint="Ask for it again.",
            code="used-up",
        )
    context.commit.drop_docs.append((SHOWN, key))
    return _add_sharer(context, Reply.from_json(doc.data))


@declare_button("telllog", of=ButtonOf.GAME)
async def share_log_page(
    context: Context, count: str, page: str, kind: str, side: str, unit: str, story: str
) -> Reply:
    """Show to all the log page that the pressed button holds."""
    log_page = await turn_page(context, count, page, kind, side, unit, story)
    return _add_sharer(context, _make_public(log_page))


def _make_public(reply: Reply) -> Reply:
    return replace(reply, private=False, buttons=(), menus=(), boxed=False, in_place=False)


def _add_sharer(context: Context, reply: Reply) -> Reply:
    return replace(reply, lines=(*reply.lines, Small(f"Shown by {context.user_name}.")))


@declare_button("whatif", private=True)
async def show_what_if(context: Context, key: str, place: str) -> Reply:
    """Compare the odds of a draft with single changes, privately: the button *What if*.

    `key` is the draft's; `place` holds the indexes of the unit and of the level: `1.2`. Raises
    UserError if the draft was used or is another user's, and for odds that take too long to
    compute.
    """
    draft = await load_own_draft(context, key)
    desk = replace_command(context, draft.path, draft.options)
    await desk.check_enabled(desk.spec)
    query = await _build_query(desk, desk.spec, draft.options, decided=True)
    return await _compare_changes(desk, query, draft, place)


async def answer_comparison(
    context: Context, spec: CommandSpec, options: Mapping[str, object]
) -> Reply:
    """Compare the odds of a typed command with single changes, privately.

    The command is stored as a draft for the buttons. Raises UserError for inputs that do not fit,
    and for odds that take too long to compute.
    """
    query = await _build_query(context, spec, options, decided=True)
    draft = save_draft(context, spec.path, {**query.given, "odds": True})
    return await _compare_changes(context, query, draft, "")


async def _compare_changes(context: Context, query: OddsQuery, draft: Draft, place: str) -> Reply:
    """Build the answer that compares the odds with single changes.

    `place` holds the indexes of the unit and of the level: `1.2`. Raises UserError if there are
    several units.
    """
    if list_units_played_singly(query.sequence, query.raw, query.roster):
        raise UserError(
            "What if works for only one unit at a time.",
            hint="Name one.",
            code="too-many",
        )
    group, level = _parse_unit_and_level(place)
    comparison = await _compute_comparison(context, query, query.raw, group, level)
    shared = None
    if query.raw != query.shared:
        compared_level = comparison.levels[comparison.level]
        shared_comparison = await _compute_comparison(
            context, query, query.shared, group, compared_level
        )
        shared = shared_comparison.reply
    reply = replace(
        comparison.reply,
        buttons=_build_what_if_buttons(draft),
        menus=_build_what_if_menus(draft.key, comparison),
    )
    return add_share_button(context, reply, shared)


async def _compute_comparison(
    context: Context,
    query: OddsQuery,
    raw: Mapping[str, object],
    group: int,
    level: int | ComparedLevel,
) -> ChangeComparison:
    """Count the odds with single changes of these inputs.

    `group` is the index of the unit. `level` is the compared result, or its index.
    """
    sequence = query.sequence
    roster = query.roster
    changes = list_changes(sequence, raw, sequence.read_inputs(raw, roster))
    lent_inputs = derive_inputs_from_units(sequence, raw, roster)
    plays = plan_plays(sequence, add_derived_inputs(raw, lent_inputs), roster)
    rows, chances = await count_row_odds(context, sequence, plays, roster)
    raws = []
    for change in changes:
        lent_inputs = derive_inputs_from_units(sequence, change.raw, roster)
        raws.append(add_derived_inputs(change.raw, lent_inputs))
    counted = await context.run_in_worker(
        count_change_odds, sequence, tuple(raws), tuple(rows), dict(roster)
    )
    comparison = compare_changes(
        sequence, rows, chances, changes, counted, group=group, level=level
    )
    acting, _ = list_parties(sequence, raw, roster)
    author = f"{comparison.reply.by} · {format_cause(sequence, acting, context.user_name)}"
    return replace(
        comparison, reply=replace(add_rule_notes(comparison.reply, query.ruled), by=author)
    )


def _parse_unit_and_level(text: str) -> tuple[int, int]:
    """Parse the indexes of the unit and of the level: `1.2`. Each is 0 if it is not a number."""
    group, _, level = text.partition(".")
    return _parse_index(group), _parse_index(level)


def _parse_index(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 4 else 0


def _build_what_if_buttons(draft: Draft) -> tuple[Button, ...]:
    return *_build_draft_buttons(draft), Button(f"back:{draft.key}", "Back")


def _build_what_if_menus(key: str, comparison: ChangeComparison) -> tuple[Menu, ...]:
    """Build the menus *Level* (the compared result) and *For whom* (the unit)."""
    menus = list[Menu]()
    levels = comparison.levels
    names = comparison.names
    if len(levels) > 1:
        entries = [
            MenuEntry(
                f"whatif:{key}:{comparison.group}.{index}", capitalize_first(level_choice.label)
            )
            for index, level_choice in enumerate(levels[:25])
        ]
        menus.append(
            Menu(capitalize_first(levels[comparison.level].label), tuple(entries), "Level")
        )
    if len(names) > 1:
        entries = [
            MenuEntry(f"whatif:{key}:{index}.0", name) for index, name in enumerate(names[:25])
        ]
        menus.append(Menu(names[comparison.group], tuple(entries), "For whom"))
    return tuple(menus)
