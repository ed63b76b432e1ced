"""`/game end`: ask for confirmation, then close the game with a summary.

A game that has ended is read-only until it is resumed. Players of different sides end their game
together: see end_together.py.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.commands.answer_footer import store_first_line
from bot.commands.by_post.orders import list_unopened_orders, may_open
from bot.commands.cards.hands import ask_to_open, list_unopened_hands
from bot.commands.cards.hands import open_hands as open_hands
from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button
from bot.commands.games.result.confirm import add_result_to_end
from bot.commands.games.stats import compute_luck_quickly, format_counted_rolls, load_tally
from bot.commands.log.export import build_page_file
from bot.commands.pictures import offer_picture
from bot.commands.play.fair import reveal_seed
from bot.commands.play.sealed import open_rolls
from bot.commands.requests import PendingRequest
from bot.game.losses import count_losses, first_types
from bot.game.luck import ENOUGH, Luck, ScoredRoll, Tally, describe_luck, rank_by_chance
from bot.game.phases import describe_end_turn
from bot.game.rights import find_end_partners, need_director
from bot.game.roster import sort_units
from bot.game.score import compute_score, find_final_winner, is_score_against, list_scores
from bot.game.sides import describe_order_sides, find_side
from bot.game.state import DRAW, Game
from bot.loading.log_reader import iterate_events, load_event_body
from bot.presentation.events import EventText, describe_event, describe_outcome
from bot.presentation.score import (
    CONFIRM_SCORE,
    describe_decision_against_score,
    describe_winner_by_score,
    list_score_lines,
)
from bot.rules.errors import UserError
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import phrase
from bot.rulesets.system import System
from bot.storage.records import Doc
from bot.ui.reply.parts import Group, Part, Small
from bot.ui.reply.percents import format_percent
from bot.ui.reply.reply import Button, File, Reply

END = "end-asked"
"""The kind of the document of an open request to end a game together, by game."""
SENTENCE, LONGEST = "ending", 300
ASKED = 86_400.0
"""Seconds during which a sentence that was typed with the question is remembered."""
NOBODY = "none"
"""The word that is typed for a game without a winner."""
MOST_NAMES = 12
LONG_ODDS = 0.5
"""The chance below which a success is listed as the best shot."""
BAD_LUCK = 0.2
"""A roll is listed as the worst luck if the chance to do no better was below this."""
PAGE_SECONDS = 10.0
"""Time limit for the page of a game when it ends. Most of its odds are cached by then, because the
luck was computed from them.
"""


async def ask_or_end(context: Context) -> Reply:
    """Ask whether the game is to end. If a director typed `confirm`, end it at once.

    If closed hands are left, ask their owners to open them first. A sentence that was typed is
    stored for the answer.

    Raises UserError if no game is on, for a user who may not end it, while a choice is pending, for
    an unknown winner, and for a sentence that is too long.
    """
    game = context.need_started()
    partners = find_end_partners(game, context.actor)
    context.ledger.need_choice_made()
    options = context.clean_options()
    winner = check_winner(game, options["winner"] or "")
    text = check_sentence(options["text"] or "")
    closed_hands = [] if partners else list_unopened_hands(context)
    if closed_hands:
        return await ask_to_open(context, closed_hands, winner or None)
    if options["confirm"] and not partners:
        winner = read_winner(context)
        summary = await finish_game(context, winner, text, reveals=options["reveal"])
        return Reply(f'"{game.name}" has ended', private=True, announce=summary)
    if text:
        key = _get_sentence_key(context)
        expires = context.now + ASKED
        owner = context.command.who.key
        context.commit.docs.append(Doc(SENTENCE, key, {"text": text}, expires, owner))
    else:
        await take_sentence(context)
    reveals = options["reveal"] and not partners
    return await _build_end_question(context, winner, text, partners, reveals=reveals)


@declare_button("askseed", of=ButtonOf.GAME)
async def ask_to_reveal_seed(context: Context, winner: str) -> Reply:
    """Ask whether the game is to end and its seed to be shown, by the button *Show the dice
    secret*.

    Raises UserError for a user who does not direct the game.
    """
    game = context.need_started()
    need_director(game, context.actor, "end it")
    text = await _load_sentence(context)
    return await _build_end_question(context, check_winner(game, winner), text, (), reveals=True)


async def _build_end_question(
    context: Context, winner: str, text: str, partners: Sequence[str], *, reveals: bool
) -> Reply:
    """Return the private question whether the game is to end, with what that would open.

    It also asks who won, if the game has sides and no `winner` is named; after the last turn it
    proposes the winner by the score. Players of the sides `partners` must agree. `reveals`: the
    seed is to be shown.
    """
    game = context.game
    proposal = "" if winner else find_final_winner(game, context.system)
    lines = [text] if text else []
    lines += list_score_lines(game, context.system, winner)
    if partners:
        lines.append(f"{join_names(partners)} must agree.")
    if game.sealed:
        lines.append(f"{format_count(len(game.sealed), 'sealed roll')} will be opened.")
    if game.orders:
        can_open = await may_open(context)
        result = (
            "will be opened"
            if can_open
            else "stay sealed, because not every side has written theirs"
        )
        lines.append(f"Sealed orders {describe_order_sides(game)} {result}.")
    if reveals:
        lines.append(
            "This also shows the dice secret (the seed), so that everybody can check the dice."
        )
    lines.append(phrase("You can still read it afterwards; `/game resume` reopens it."))
    buttons = _build_outcome_buttons(context, winner, "endseed" if reveals else "end", proposal)
    if not reveals and not partners:
        buttons.append(context.build_button("askseed", "Show the dice secret", winner))
    title = f'End "{game.name}" {describe_end_turn(game, context.system)}?'
    if proposal:
        title = f"{title} {describe_winner_by_score(proposal)}"
    elif game.sides and not winner:
        title = f"{title} Who won?"
    return Reply(title, tuple(lines), private=True, buttons=tuple(buttons))


def _build_outcome_buttons(context: Context, winner: str, name: str, proposal: str) -> list[Button]:
    """Return the button that ends the game, or one for each outcome if the game has sides and no
    `winner` is named.

    `name` is the action of the buttons. With several outcomes no button is highlighted. The
    `proposal`, which is the winner by the score or "", comes first, and so does a draw if the score
    is level.
    """
    game = context.game
    labels = {"": "No result", DRAW: "Draw"}
    if not game.sides:
        labels[""] = "End it"
    labels |= {side: f"{side} won" for side in game.sides}
    if winner or not game.sides:
        return [context.build_button(name, labels[winner], winner, style="primary")]
    score = compute_score(game, context.system)
    first = proposal or (DRAW if score is not None and score.winner == DRAW else "")
    outcomes = dict.fromkeys((first, *game.sides, DRAW) if first else (*game.sides, DRAW))
    if proposal:
        labels[proposal] = f"{CONFIRM_SCORE}: {labels[proposal]}"
    return [context.build_button(name, labels[won], won) for won in (*outcomes, "")]


@declare_button("endseed", of=ButtonOf.GAME)
async def press_end_now(context: Context, winner: str) -> Reply:
    """End the game by a button under the question. The button `endseed` also reveals the seed.

    If closed hands are left, ask their owners to open them instead. Raises UserError for a user who
    does not direct the game.
    """
    reveals = context.spec.path[1] == "endseed"
    game = context.need_started()
    need_director(game, context.actor, "end it")
    closed_hands = list_unopened_hands(context)
    if closed_hands:
        return await ask_to_open(context, closed_hands, winner)
    text = await take_sentence(context)
    return await finish_game(context, check_winner(game, winner), text, reveals=reveals)


async def take_sentence(context: Context) -> str:
    """Return the sentence that the user typed with the question, and delete it. Return "" if there
    is none.
    """
    text = await _load_sentence(context)
    if text:
        context.commit.drop_docs.append((SENTENCE, _get_sentence_key(context)))
    return text


async def _load_sentence(context: Context) -> str:
    """Return the sentence that the user typed with the question, or ""."""
    doc = await context.store.load_doc(SENTENCE, _get_sentence_key(context))
    return str(doc.data["text"]) if doc is not None else ""


def _get_sentence_key(context: Context) -> str:
    """Return the storage key of the user's sentence about the end of this game."""
    return f"{context.ledger.row}:{context.command.who.key}"


def check_sentence(typed: str) -> str:
    """Return the sentence with single spaces. Raises UserError if it is longer than `LONGEST`
    characters.
    """
    text = " ".join(typed.split())
    if len(text) > LONGEST:
        message = f"That's too long for the last line of a story, which can have at most {LONGEST} characters."
        raise UserError(message, option="text", code="too-long")
    return text


def check_winner(game: Game, typed: str) -> str:
    """Return the side that is typed, DRAW, or "" for nobody. Raises UserError for anything else."""
    word = comparison_key(typed)
    if word in ("", NOBODY):
        return ""
    return word if word == DRAW else find_side(game, typed)


def read_winner(context: Context) -> str:
    """Return the winner with whom a command ends the game: the one that was typed, or else the
    winner by the score after the last turn; "" for nobody.

    Raises UserError for an unknown side.
    """
    typed = context.clean_options()["winner"] or ""
    return check_winner(context.game, typed) or (
        "" if typed else find_final_winner(context.game, context.system)
    )


async def finish_game(
    context: Context, winner: str, text: str, *, reveals: bool = False, agreed: Sequence[str] = ()
) -> Reply:
    """End the game and return its summary: sealed rolls, hands and orders are opened.

    `winner` is a side, DRAW or "", `text` the closing sentence or "". `reveals`: the seed is
    published too. `agreed` are the persons who end the game together: if none are given, a director
    ends it, who thereby agrees to the open request of another user for the same winner. The summary
    comes with the after-action page as a file, if that is ready in time.
    """
    request = None if agreed else await find_request(context, winner)
    if request is not None:
        agreed = close_request(context, request, request.data["agreed"])
        text = text or str(request.data["text"])
    order_lines = await list_unopened_orders(context)
    opened = await open_rolls(context, tuple(context.game.sealed))
    game_with_open_hands, hand_lines = await open_hands(context, opened.game)
    score = compute_score(game_with_open_hands, context.system)
    context.ledger.add(
        "end",
        replace(game_with_open_hands, ended=True, winner=winner),
        texts={"text": text} if text else None,
        opens=opened.numbers,
        result=opened.result,
        shows=context.game.hidden or None,
        score=score.to_json() if score is not None else None,
    )
    game = context.game
    types = dict[str, str]()
    async for rows in iterate_events(context.store, context.ledger.row):
        types = first_types(row.data for row in rows if '"units":' in row.body) | types
    tally = await load_tally(context)
    lines: list[Part] = [text] if text else []
    if agreed:
        lines.append(f"{join_names(map(context.ledger.get_name, agreed))} agree.")
    lines += [*opened.brief, *hand_lines, *order_lines]
    lines += await _build_summary(context, tally, types)
    reply = Reply(
        f"{game.name} is over{describe_outcome(winner)} {describe_end_turn(game, context.system)}",
        tuple(lines),
        by=_format_players_and_rolls(context, tally),
        buttons=(
            context.build_button("read", "Statistics", "stats"),
            context.build_proof_button(),
            context.build_button("read", "Export", "export"),
        ),
    )
    await store_first_line(context, reply)  # the page has the event as it is stored
    if reveals:
        seed_reply = await reveal_seed(context)
        await store_first_line(context, seed_reply)
        reply = replace(reply, lines=(*reply.lines, Small(str(seed_reply.lines[0]))))
    reply = await add_result_to_end(context, reply, agreed)
    reply = await offer_picture(context, reply, context.build_button("drawgame", "").action)
    return replace(reply, files=await _build_page_file(context))


def build_request(doc: Doc) -> PendingRequest:
    """Return a request to end the game together from its stored form."""
    return PendingRequest(doc, (str(doc.data["topic"]),), "the end of the game")


async def find_request(context: Context, winner: str) -> Doc | None:
    """Return the open request of another user to end the game with this winner, or None."""
    doc = await context.store.load_doc(END, context.ledger.row)
    if doc is None or doc.owner == context.command.who.key or doc.data["winner"] != winner:
        return None
    return doc


def close_request(context: Context, doc: Doc, agreed: Sequence[str]) -> tuple[str, ...]:
    """Close a request to end the game, to which the user is the last to agree.

    `agreed` are the persons who agreed before. Return all persons who end the game together.
    """
    build_request(doc).close_with_note(context, f"{context.user_name} agrees")
    asker = str(doc.data["asker"])
    return tuple(dict.fromkeys((asker, *agreed, context.ledger.ensure_person())))


def _format_players_and_rolls(context: Context, tally: Tally) -> str:
    """Return the players by side and the number of rolls: `anna v ben and carl, 41 rolls`."""
    players_by_side = [context.ledger.list_players(side) for side in context.game.sides]
    players = " v ".join(" and ".join(names) for names in players_by_side if names)
    rolls = format_count(tally.total, "roll") if tally.total else ""
    return ", ".join(words for words in (players, rolls) if words)


async def _build_page_file(context: Context) -> tuple[File, ...]:
    """Return the after-action page, or no file if it takes longer than `PAGE_SECONDS` or fails.

    `/game export html` writes it later.
    """
    try:
        return (await asyncio.wait_for(build_page_file(context), PAGE_SECONDS),)
    except (UserError, TimeoutError):
        return ()


async def _build_summary(context: Context, tally: Tally, types: Mapping[str, str]) -> list[Part]:
    """Return the lines of the summary: the score, the losses of each side, and the luck.

    `types` are the types that units had when they joined, by folded name.
    """
    game = context.game
    lines: list[Part] = [
        Group(title, scores, grave=True)
        for title, scores in list_scores(game, context.system, with_verdict=not game.winner)
    ]
    if is_score_against(compute_score(game, context.system), game.winner):
        lines.append(describe_decision_against_score(game.winner))
    for side in game.sides:
        losses, names = format_losses(game, context.system, side, types)
        if names:
            lines.append(Group(losses, names, grave=True))
        elif losses:
            lines.append(losses)
    lines += await _build_luck_lines(context, tally)
    return lines


async def _build_luck_lines(context: Context, tally: Tally) -> list[Part]:
    """Return the best shot, the worst luck, the points of each side against the expected ones, and
    a verdict.

    A line is left out if no roll of the game is good or bad enough for it.
    """
    game = context.game
    lines = list[Part]()
    by_side, measured = await compute_luck_quickly(context, tally)
    successes, failures = rank_by_chance(measured.rolls)
    if successes and successes[0][1] < LONG_ODDS:
        roll, chance = successes[0]
        odds = f"{format_percent(float(chance))} chance"
        event_text, text = await _describe_roll(context, roll, odds)
        lines.append(Group("Best shot" if event_text.acts else "Best roll", text, grave=True))
    if failures and failures[0][1] < BAD_LUCK:
        roll, chance = failures[0]
        odds = f"{format_percent(float(1 - chance))} of rolls would have done better"
        _, text = await _describe_roll(context, roll, odds)
        lines.append(Group("Worst luck", text, grave=True))
    by_side = {side: by_side[side] for side in (*game.sides, *by_side) if side in by_side}
    if by_side:
        lines.append(Group("What the rolls achieved", format_points(by_side), grave=True))
        lines.append(Small(format_luck_verdict(by_side, tally.total)))
    return lines


async def _describe_roll(context: Context, roll: ScoredRoll, odds: str) -> tuple[EventText, str]:
    """Return the text of the event of a roll, and its short form with the odds and the event
    number: `US Squad 1 fires: VC 3 takes casualties (8% chance, #38)`.
    """
    event = await load_event_body(context.store, context.ledger.row, context.game, roll.number)
    assert event is not None
    event_text = describe_event(
        event, context.systems, context.ledger.get_name, sides=context.game.sides
    )
    return event_text, f"{event_text.short} ({odds}, #{roll.number})"


def _join_first_names(names: Sequence[str]) -> str:
    """Return the first `MOST_NAMES` names as a list in words, with the number of the others."""
    others = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return join_names(names[:MOST_NAMES]) + others


def format_losses(
    game: Game, system: System | None, side: str, types: Mapping[str, str]
) -> tuple[str, str]:
    """Return the losses of a side, `US lost 2 of 7`, and the names of the lost and weakened units.

    `types` are the types that units had when they joined, by folded name. Return ("", "") for a
    side without units.
    """
    units = sort_units(unit for unit in game.units.values() if unit.side == side)
    losses = count_losses(units, types, system)
    if not losses.total:
        return "", ""
    heading = f"{side} lost {len(losses.lost) or 'none'} of {losses.total}"
    if len(losses.lost) == losses.total > 1:
        heading = f"{side} lost all {losses.total}"
    if not losses.weakened:
        return heading, _join_first_names(losses.lost)
    weakened = f"{len(losses.weakened)} weakened"
    if not losses.lost:
        return f"{heading}, {weakened}", _join_first_names(losses.weakened)
    return (
        heading,
        f"{_join_first_names(losses.lost)}; {weakened}: {_join_first_names(losses.weakened)}",
    )


def format_points(by_side: Mapping[str, Luck]) -> str:
    """Format the points that the rolls of each side achieved: `US 21.5 points (19.8 expected), VC
    16 (17.1 expected)`.

    Only the first side has the word *points*.
    """
    pieces = list[str]()
    for name, luck in by_side.items():
        unit = " point" if luck.worth == 1 else " points"
        if pieces:
            unit = ""
        pieces.append(f"{name} {luck.worth:g}{unit} ({luck.mean:.1f} expected)")
    return ", ".join(pieces)


def format_luck_verdict(by_side: Mapping[str, Luck], total: int) -> str:
    """Return how many of all rolls count, and which side was luckiest or unluckiest.

    For example `12 of 14 rolls: US was luckier than in 97.5 of 100 such games`. The verdict names
    the side that is farthest from its expectation. Sides with fewer than `ENOUGH` rolls are left
    out of it.

    If no side has enough rolls, the verdict is "too few to judge"; if no side is far from its
    expectation, "nothing out of the ordinary".
    """
    rolls = format_counted_rolls(sum(luck.count for luck in by_side.values()), total)
    judged = {
        name: luck for name, luck in by_side.items() if luck.count >= ENOUGH and luck.variance > 0
    }
    if not judged:
        return f"{rolls}: too few to judge"
    name = max(judged, key=lambda side: abs(judged[side].z))
    word, percentile = describe_luck(judged[name].z)
    if not word:
        return f"{rolls}: nothing out of the ordinary"
    return f"{rolls}: {name} was {word} than in {percentile} of 100 such games"
