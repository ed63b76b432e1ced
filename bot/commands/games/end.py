"""`/game end` asks first, then closes the game with its story; it is read-only from then on,
until it is resumed. Players of different sides end their game together: see end_together.py.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.answers.events import Retold, retold
from bot.commands.context import Context
from bot.commands.log.answer_footer import keep_words
from bot.commands.log.export_and_share import page_file
from bot.commands.log.stats import counted_of, quick_luck, read_tally
from bot.commands.pictures import offered
from bot.commands.play.fair import reveal
from bot.commands.play.hands import ask_to_open, waiting
from bot.commands.play.hands import opened as open_hands
from bot.commands.play.sealed import open_rolls
from bot.commands.post.orders import at_the_end, may_open
from bot.game.loaded import in_batches, read_opened
from bot.game.losses import count_losses, first_types
from bot.game.luck import ENOUGH, Luck, ScoredRoll, Tally, rank_by_chance, unusual
from bot.game.phases import turn_of_end
from bot.game.rights import find_end_partners, need_director
from bot.game.roster import in_order
from bot.game.sides import find_side, fit_verb, told_sides
from bot.game.state import DRAW, Game
from bot.game.tracks import list_scores
from bot.interface.reply.bars import percent
from bot.interface.reply.parts import Group, Part, Small
from bot.interface.reply.reply import Button, File, Reply
from bot.rules.errors import UserError
from bot.rules.text.names import counted, joined
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import phrase
from bot.stores.records import Doc
from bot.systems.catalog import systems

SENTENCE, LONGEST = "ending", 300
ASKED = 86_400.0
"""Seconds for which the question under which a sentence was typed may be answered."""
MOST_NAMES = 12
LONG_ODDS = 0.5
"""The chance below which a result is worth telling."""
PAGE_SECONDS = 10.0
"""What the page of a game may take when it ends: its rolls are mostly known by then, from its
luck.
"""


async def question_or_end(context: Context) -> Reply:
    """Ask whether the game is to end, unless a director has said that already."""
    game = context.need_started()
    partners = find_end_partners(game, context.actor)
    context.ledger.need_chosen()
    options = context.options()
    winner = check_winner(game, options["winner"] or "")
    text = check_sentence(options["text"] or "")
    if not partners and (rest := waiting(context)):
        return await ask_to_open(context, rest, winner or None)
    if options["confirm"] and not partners:
        story = await finish(context, winner, text, reveals=options["reveal"])
        return Reply(f'"{game.name}" has ended', private=True, announce=story)
    if text:
        doc = Doc(
            SENTENCE, _own(context), {"text": text}, context.now + ASKED, context.command.who.key
        )
        context.commit.docs.append(doc)
    else:
        await take_sentence(context)
    reveals = options["reveal"] and not partners
    return await _question(context, winner, text, partners, reveals=reveals)


async def ask_seed(context: Context, winner: str) -> Reply:
    """The same question, about ending the game and revealing its seed."""
    game = context.need_started()
    need_director(game, context.actor, "end it")
    text = await _typed_before(context)
    return await _question(context, check_winner(game, winner), text, (), reveals=True)


async def _question(
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
        f"{joined(partners)} must agree." if partners else "",
        f"{counted(len(game.sealed), 'sealed roll')} will be opened." if game.sealed else "",
        f"Sealed orders {told_sides(game)} {opens}." if game.orders else "",
        "The seed is revealed with it, so that everybody can check the dice." if reveals else "",
        phrase("It can still be read then, and `/game resume` takes it up again."),
    ]
    buttons = _outcome_buttons(context, winner, "endseed" if reveals else "end")
    if not reveals and not partners:
        buttons.append(context.button("askseed", "Reveal the seed too", winner))
    return Reply(
        f'End "{game.name}" {turn_of_end(game, context.system)}?'
        + (" Who won?" if game.sides and not winner else ""),
        tuple(line for line in lines if line),
        private=True,
        buttons=tuple(buttons),
    )


def _outcome_buttons(context: Context, winner: str, name: str) -> list[Button]:
    """Return the button that ends the game, or if the question is who won, one for each outcome.

    None of these is green.
    """
    game = context.game
    labels = {"": "End it", DRAW: "End it: a draw"}
    labels |= {side: f"End it: {side} {fit_verb(side, 'wins', 'win')}" for side in game.sides}
    if winner or not game.sides:
        return [context.button(name, labels[winner], winner, style="primary")]
    return [context.button(name, labels[won], won) for won in (*game.sides, DRAW, "")]


async def end_now(context: Context, winner: str) -> Reply:
    """The buttons under the question: about the game, and (`endseed`) about game and seed."""
    reveals = context.spec.path[1] == "endseed"
    game = context.need_started()
    need_director(game, context.actor, "end it")
    if rest := waiting(context):
        return await ask_to_open(context, rest, winner)
    text = await take_sentence(context)
    return await finish(context, check_winner(game, winner), text, reveals=reveals)


async def take_sentence(context: Context) -> str:
    """Return the sentence that was typed with the question, "" for none, and forget it."""
    text = await _typed_before(context)
    if text:
        context.commit.drop_docs.append((SENTENCE, _own(context)))
    return text


async def _typed_before(context: Context) -> str:
    """The sentence that was typed with the question; "" for none."""
    doc = await context.store.doc(SENTENCE, _own(context))
    return str(doc.data["text"]) if doc is not None else ""


def _own(context: Context) -> str:
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


async def finish(
    context: Context, winner: str, text: str, *, reveals: bool = False, agreed: Sequence[str] = ()
) -> Reply:
    """End the game: sealed rolls are opened, its story is told, and its seed revealed if that
    was asked for. `agreed` are the players who end it together.
    """
    orders = await at_the_end(context)
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
    async for rows in in_batches(context.store, context.ledger.row):
        types = first_types(row.data for row in rows if '"units":' in row.body) | types
    tally = await read_tally(context)
    players = " v ".join(
        " and ".join(names) for side in game.sides if (names := context.ledger.players_of(side))
    )
    reply = Reply(
        f"{game.name} is over{how} {turn_of_end(game, context.system)}",
        (
            *((text,) if text else ()),
            *((f"{joined(agreed)} agree.",) if agreed else ()),
            *opened.brief,
            *hands,
            *orders,
            *await _story(context, tally, types),
        ),
        by=", ".join(filter(None, (players, counted(tally.total, "roll") if tally.total else ""))),
        buttons=(
            context.button("read", "Statistics", "stats"),
            context.button("read", "Proof", "proof"),
            context.button("read", "Export", "export"),
        ),
    )
    await keep_words(context, reply)  # the page has the event as it is stored
    if reveals:
        revealed = await reveal(context)
        await keep_words(context, revealed)
        reply = replace(reply, lines=(*reply.lines, Small(str(revealed.lines[0]))))
    reply = await offered(context, reply, context.button("drawgame", "").action)
    return replace(reply, files=await _page(context))


async def _page(context: Context) -> tuple[File, ...]:
    """The after-action page; none where it would keep the channel waiting (`/game export html`
    writes it then).
    """
    try:
        return (await asyncio.wait_for(page_file(context), PAGE_SECONDS),)
    except (UserError, TimeoutError):
        return ()


async def _story(context: Context, tally: Tally, types: Mapping[str, str]) -> list[Part]:
    """Return the score, what the game cost each side, its best shot and worst luck, and how lucky they
    were.
    """
    game = context.game
    lost = (losses(game, side, types) for side in game.sides)
    lines: list[Part] = [
        Group(title, scores, grave=True) for title, scores in list_scores(game, context.system)
    ]
    lines += [Group(told, names, grave=True) if names else told for told, names in lost if told]
    by_side, measured = await quick_luck(context, tally)
    successes, failures = rank_by_chance(measured.rolls)
    if successes and successes[0][1] < LONG_ODDS:
        roll, chance = successes[0]
        told, text = await _moment(context, roll, f"at {percent(float(chance))}")
        lines.append(Group("Best shot" if told.acts else "Best roll", text, grave=True))
    if failures and failures[0][1] < LONG_ODDS:
        roll, chance = failures[0]
        _, text = await _moment(context, roll, f"with {percent(float(1 - chance))} for better")
        lines.append(Group("Worst luck", text, grave=True))
    by_side = {side: by_side[side] for side in (*game.sides, *by_side) if side in by_side}
    if by_side:
        lines.append(Group("Luck", points(by_side), grave=True))
        lines.append(Small(judgement(by_side, tally.total)))
    return lines


async def _moment(context: Context, roll: ScoredRoll, odds: str) -> tuple[Retold, str]:
    """Return `US Squad 1 fires: VC 3 takes casualties, at 8% (#38)`; of bad luck, with the
    chance of better.
    """
    event = await read_opened(context.store, context.ledger.row, context.game, roll.number)
    assert event is not None
    told = retold(event, context.ledger.name_of, sides=context.game.sides)
    return told, f"{told.short}, {odds} (#{roll.number})"


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return joined(names[:MOST_NAMES]) + more


def losses(game: Game, side: str, types: Mapping[str, str]) -> tuple[str, str]:
    """Return what a side lost of all that were on its roster: `US lost 2 of 7`, and their names,
    with the names of those that are weakened.

    Return ("", "") for a side that had no units. `types` are those that units had when they came.
    """
    units = in_order(unit for unit in game.units.values() if unit.side == side)
    found = count_losses(units, types, systems().get(game.system))
    if not found.total:
        return "", ""
    heading = f"{side} lost {len(found.lost) or 'none'} of {found.total}"
    if not found.weakened:
        return heading, _few(found.lost)
    weakened = f"{len(found.weakened)} weakened"
    if not found.lost:
        return f"{heading}, {weakened}", _few(found.weakened)
    return heading, f"{_few(found.lost)}; {weakened}: {_few(found.weakened)}"


def points(by_side: Mapping[str, Luck]) -> str:
    """`US 21.5 points, 19.8 expected · VC 16, 17.1 expected`: what came of the rolls, and what
    was likely.
    """
    told = list[str]()
    for name, luck in by_side.items():
        what = "" if told else " point" if luck.worth == 1 else " points"
        told.append(f"{name} {luck.worth:g}{what}, {luck.mean:.1f} expected")
    return " · ".join(told)


def judgement(by_side: Mapping[str, Luck], total: int) -> str:
    """Return whether that was luck, in one sentence, with how many of all rolls count."""
    rolls = counted_of(sum(luck.count for luck in by_side.values()), total)
    judged = {
        name: luck for name, luck in by_side.items() if luck.count >= ENOUGH and luck.variance > 0
    }
    if not judged:
        return f"{rolls}: too few to judge"
    name, luck = max(judged.items(), key=lambda item: abs(item[1].z))
    word, of = unusual(luck.z)
    told = (
        f"{name} was {word} than in {of} of 100 such games"
        if word
        else "nothing out of the ordinary"
    )
    return f"{rolls}: {told}"
