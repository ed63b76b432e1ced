"""`/game end` asks first, then closes the game with its story; it is read-only from then on,
until it is resumed. Players of different sides end their game together: see end_together.py.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.commands.by_post.orders import list_unopened_orders, may_open
from bot.commands.context import Context
from bot.commands.log.answer_footer import store_first_line
from bot.commands.log.export_and_share import build_page_file
from bot.commands.log.stats import compute_luck_quickly, format_counted_rolls, load_tally
from bot.commands.pictures import offer_picture
from bot.commands.play.fair import reveal_seed
from bot.commands.play.hands import ask_to_open, list_unopened_hands
from bot.commands.play.hands import open_hands as open_hands
from bot.commands.play.sealed import open_rolls
from bot.game.game_cache import iterate_events, load_event_body
from bot.game.losses import count_losses, first_types
from bot.game.luck import ENOUGH, Luck, ScoredRoll, Tally, describe_luck, rank_by_chance
from bot.game.phases import describe_end_turn
from bot.game.rights import find_end_partners, need_director
from bot.game.roster import sort_units
from bot.game.sides import describe_order_sides, find_side, fit_verb
from bot.game.state import DRAW, Game
from bot.game.tracks import has_best_score, is_score_level, list_scores
from bot.presentation.events import EventText, describe_event
from bot.rules.errors import UserError
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import get_systems
from bot.storage.records import Doc
from bot.ui.reply.bars import format_percent
from bot.ui.reply.parts import Group, Part, Small
from bot.ui.reply.reply import Button, File, Reply

SENTENCE, LONGEST = "ending", 300
ASKED = 86_400.0
"""Seconds for which the question under which a sentence was typed may be answered."""
MOST_NAMES = 12
LONG_ODDS = 0.5
"""The chance below which a result is worth telling."""
BAD_LUCK = 0.2
"""The chance to do so badly, below which a roll is bad luck worth telling."""
PAGE_SECONDS = 10.0
"""What the page of a game may take when it ends: its rolls are mostly known by then, from its
luck.
"""


async def ask_or_end(context: Context) -> Reply:
    """Ask whether the game is to end, unless a director has said that already."""
    game = context.need_started()
    partners = find_end_partners(game, context.actor)
    context.ledger.need_choice_made()
    options = context.clean_options()
    winner = check_winner(game, options["winner"] or "")
    text = check_sentence(options["text"] or "")
    if not partners and (rest := list_unopened_hands(context)):
        return await ask_to_open(context, rest, winner or None)
    if options["confirm"] and not partners:
        story = await finish_game(context, winner, text, reveals=options["reveal"])
        return Reply(f'"{game.name}" has ended', private=True, announce=story)
    if text:
        doc = Doc(
            SENTENCE,
            _get_sentence_key(context),
            {"text": text},
            context.now + ASKED,
            context.command.who.key,
        )
        context.commit.docs.append(doc)
    else:
        await take_sentence(context)
    reveals = options["reveal"] and not partners
    return await _build_end_question(context, winner, text, partners, reveals=reveals)


async def ask_to_reveal_seed(context: Context, winner: str) -> Reply:
    """The same question, about ending the game and revealing its seed."""
    game = context.need_started()
    need_director(game, context.actor, "end it")
    text = await _load_sentence(context)
    return await _build_end_question(context, check_winner(game, winner), text, (), reveals=True)


async def _build_end_question(
    context: Context, winner: str, text: str, partners: Sequence[str], *, reveals: bool
) -> Reply:
    """Return the question whether the game is to end, and who won; players of `partners` must
    agree.
    """
    game = context.game
    opens = ""
    if game.orders:
        opens = (
            "will be opened" if await may_open(context) else "stay unopened: not every side is in"
        )
    lines = [
        text,
        *(f"{title}: {scores}" for title, scores in list_scores(game, context.system)),
        f"{join_names(partners)} must agree." if partners else "",
        f"{format_count(len(game.sealed), 'sealed roll')} will be opened." if game.sealed else "",
        f"Sealed orders {describe_order_sides(game)} {opens}." if game.orders else "",
        "The dice secret (the seed) is shown with it, so that everybody can check the dice."
        if reveals
        else "",
        phrase("You can still read it afterwards; `/game resume` reopens it."),
    ]
    buttons = _build_outcome_buttons(context, winner, "endseed" if reveals else "end")
    if not reveals and not partners:
        buttons.append(context.build_button("askseed", "Show the dice secret", winner))
    return Reply(
        f'End "{game.name}" {describe_end_turn(game, context.system)}?'
        + (" Who won?" if game.sides and not winner else ""),
        tuple(line for line in lines if line),
        private=True,
        buttons=tuple(buttons),
    )


def _build_outcome_buttons(context: Context, winner: str, name: str) -> list[Button]:
    """Return the button that ends the game, or if the question is who won, one for each outcome.

    None of these is green. If the score is level, a draw comes first.
    """
    game = context.game
    labels = {"": "No result", DRAW: "Draw"}
    if not game.sides:
        labels[""] = "End it"
    labels |= {side: f"{side} won" for side in game.sides}
    if winner or not game.sides:
        return [context.build_button(name, labels[winner], winner, style="primary")]
    outcomes = (*game.sides, DRAW)
    if is_score_level(game, context.system):
        outcomes = (DRAW, *game.sides)
    return [context.build_button(name, labels[won], won) for won in (*outcomes, "")]


async def press_end_now(context: Context, winner: str) -> Reply:
    """The buttons under the question: about the game, and (`endseed`) about game and seed."""
    reveals = context.spec.path[1] == "endseed"
    game = context.need_started()
    need_director(game, context.actor, "end it")
    if rest := list_unopened_hands(context):
        return await ask_to_open(context, rest, winner)
    text = await take_sentence(context)
    return await finish_game(context, check_winner(game, winner), text, reveals=reveals)


async def take_sentence(context: Context) -> str:
    """Return the sentence that was typed with the question, "" for none, and forget it."""
    text = await _load_sentence(context)
    if text:
        context.commit.drop_docs.append((SENTENCE, _get_sentence_key(context)))
    return text


async def _load_sentence(context: Context) -> str:
    """The sentence that was typed with the question; "" for none."""
    doc = await context.store.load_doc(SENTENCE, _get_sentence_key(context))
    return str(doc.data["text"]) if doc is not None else ""


def _get_sentence_key(context: Context) -> str:
    """The sentence of who ends this game, until they have pressed a button under the question."""
    return f"{context.ledger.row}:{context.command.who.key}"


def check_sentence(typed: str) -> str:
    """A sentence on one line. Raises UserError for more than one can read in a list."""
    text = " ".join(typed.split())
    if len(text) > LONGEST:
        what = f"That is too long for the last line of a story: at most {LONGEST} characters."
        raise UserError(what, option="text", code="too-long")
    return text


def check_winner(game: Game, typed: str) -> str:
    """A side, or DRAW, or nobody. Raises UserError for anybody else."""
    word = comparison_key(typed)
    return word if word in ("", DRAW) else find_side(game, typed)


async def finish_game(
    context: Context, winner: str, text: str, *, reveals: bool = False, agreed: Sequence[str] = ()
) -> Reply:
    """End the game: sealed rolls are opened, its story is told, and its seed revealed if that
    was asked for. `agreed` are the players who end it together.
    """
    orders = await list_unopened_orders(context)
    opened = await open_rolls(context, tuple(context.game.sealed))
    shown, hands = await open_hands(context, opened.game)
    after = replace(shown, ended=True, winner=winner)
    context.ledger.add(
        "end", after, texts={"text": text} if text else None, opens=opened.numbers, result=opened.result,
        shows=context.game.hidden or None,
    )  # fmt: skip
    game = context.game
    how = {"": "", DRAW: ": a draw"}.get(winner, f": {winner} {fit_verb(winner, 'wins', 'win')}")
    types = dict[str, str]()
    async for rows in iterate_events(context.store, context.ledger.row):
        types = first_types(row.data for row in rows if '"units":' in row.body) | types
    tally = await load_tally(context)
    players = " v ".join(
        " and ".join(names) for side in game.sides if (names := context.ledger.list_players(side))
    )
    reply = Reply(
        f"{game.name} is over{how} {describe_end_turn(game, context.system)}",
        (
            *((text,) if text else ()),
            *((f"{join_names(agreed)} agree.",) if agreed else ()),
            *opened.brief,
            *hands,
            *orders,
            *await _build_summary(context, tally, types),
        ),
        by=", ".join(
            filter(None, (players, format_count(tally.total, "roll") if tally.total else ""))
        ),
        buttons=(
            context.build_button("read", "Statistics", "stats"),
            context.build_button("read", "Proof", "proof"),
            context.build_button("read", "Export", "export"),
        ),
    )
    await store_first_line(context, reply)  # the page has the event as it is stored
    if reveals:
        revealed = await reveal_seed(context)
        await store_first_line(context, revealed)
        reply = replace(reply, lines=(*reply.lines, Small(str(revealed.lines[0]))))
    reply = await offer_picture(context, reply, context.build_button("drawgame", "").action)
    return replace(reply, files=await _build_page_file(context))


async def _build_page_file(context: Context) -> tuple[File, ...]:
    """The after-action page; none where it would keep the channel waiting (`/game export html`
    writes it then).
    """
    try:
        return (await asyncio.wait_for(build_page_file(context), PAGE_SECONDS),)
    except (UserError, TimeoutError):
        return ()


async def _build_summary(context: Context, tally: Tally, types: Mapping[str, str]) -> list[Part]:
    """Return the score, what the game cost each side, its best shot and worst luck, and how lucky they
    were.
    """
    game = context.game
    lost = (format_losses(game, side, types) for side in game.sides)
    lines: list[Part] = [
        Group(title, scores, grave=True) for title, scores in list_scores(game, context.system)
    ]
    lines += _list_doubts_about_winner(context)
    lines += [Group(told, names, grave=True) if names else told for told, names in lost if told]
    lines += await _build_luck_lines(context, tally)
    return lines


def _list_doubts_about_winner(context: Context) -> list[str]:
    """Return a sentence about a winner whom the score does not name, if any."""
    game = context.game
    if not game.winner or has_best_score(game, context.system, game.winner):
        return []
    outcome = f"{game.winner}'s win"
    if game.winner == DRAW:
        outcome = "A draw"
    return [f"{outcome} is the players' call, not the score's."]


async def _build_luck_lines(context: Context, tally: Tally) -> list[Part]:
    """Return the best shot, the worst luck, and what the rolls of each side achieved."""
    game = context.game
    lines = list[Part]()
    by_side, measured = await compute_luck_quickly(context, tally)
    successes, failures = rank_by_chance(measured.rolls)
    if successes and successes[0][1] < LONG_ODDS:
        roll, chance = successes[0]
        told, text = await _describe_roll(context, roll, f"{format_percent(float(chance))} chance")
        lines.append(Group("Best shot" if told.acts else "Best roll", text, grave=True))
    if failures and failures[0][1] < BAD_LUCK:
        roll, chance = failures[0]
        _, text = await _describe_roll(
            context, roll, f"{format_percent(float(1 - chance))} of rolls would have done better"
        )
        lines.append(Group("Worst luck", text, grave=True))
    by_side = {side: by_side[side] for side in (*game.sides, *by_side) if side in by_side}
    if by_side:
        lines.append(Group("What the rolls achieved", format_points(by_side), grave=True))
        lines.append(Small(format_luck_verdict(by_side, tally.total)))
    return lines


async def _describe_roll(context: Context, roll: ScoredRoll, odds: str) -> tuple[EventText, str]:
    """Return `US Squad 1 fires: VC 3 takes casualties (8% chance, #38)`; of bad luck, with the
    share of rolls that would have done better.
    """
    event = await load_event_body(context.store, context.ledger.row, context.game, roll.number)
    assert event is not None
    told = describe_event(event, context.ledger.get_name, sides=context.game.sides)
    return told, f"{told.short} ({odds}, #{roll.number})"


def _join_first_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return join_names(names[:MOST_NAMES]) + more


def format_losses(game: Game, side: str, types: Mapping[str, str]) -> tuple[str, str]:
    """Return what a side lost of all that were on its roster: `US lost 2 of 7`, and their names,
    with the names of those that are weakened.

    Return ("", "") for a side that had no units. `types` are those that units had when they came.
    """
    units = sort_units(unit for unit in game.units.values() if unit.side == side)
    found = count_losses(units, types, get_systems().get(game.system))
    if not found.total:
        return "", ""
    heading = f"{side} lost {len(found.lost) or 'none'} of {found.total}"
    if len(found.lost) == found.total > 1:
        heading = f"{side} lost all {found.total}"
    if not found.weakened:
        return heading, _join_first_names(found.lost)
    weakened = f"{len(found.weakened)} weakened"
    if not found.lost:
        return f"{heading}, {weakened}", _join_first_names(found.weakened)
    return (
        heading,
        f"{_join_first_names(found.lost)}; {weakened}: {_join_first_names(found.weakened)}",
    )


def format_points(by_side: Mapping[str, Luck]) -> str:
    """`US 21.5 points (19.8 expected), VC 16 (17.1 expected)`: what came of the rolls, and what
    was likely.
    """
    told = list[str]()
    for name, luck in by_side.items():
        what = "" if told else " point" if luck.worth == 1 else " points"
        told.append(f"{name} {luck.worth:g}{what} ({luck.mean:.1f} expected)")
    return ", ".join(told)


def format_luck_verdict(by_side: Mapping[str, Luck], total: int) -> str:
    """Return whether that was luck, in one sentence, with how many of all rolls count."""
    rolls = format_counted_rolls(sum(luck.count for luck in by_side.values()), total)
    judged = {
        name: luck for name, luck in by_side.items() if luck.count >= ENOUGH and luck.variance > 0
    }
    if not judged:
        return f"{rolls}: too few to judge"
    name, luck = max(judged.items(), key=lambda item: abs(item[1].z))
    word, of = describe_luck(luck.z)
    told = (
        f"{name} was {word} than in {of} of 100 such games"
        if word
        else "nothing out of the ordinary"
    )
    return f"{rolls}: {told}"
