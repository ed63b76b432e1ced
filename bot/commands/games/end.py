"""`/game end` asks first, then closes the game with its story; it is read-only from then on, until it is resumed."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from operator import itemgetter

from bot.answers.events import Retold, retold
from bot.commands.context import Context
from bot.commands.log.answer_footer import keep_words
from bot.commands.log.export_and_share import page_file
from bot.commands.log.stats import quick_luck
from bot.commands.pictures import offered
from bot.commands.play.fair import reveal
from bot.commands.play.hands import ask_to_open, waiting
from bot.commands.play.hands import opened as open_hands
from bot.commands.play.sealed import open_rolls
from bot.commands.post.orders import at_the_end, may_open
from bot.game.counter import is_hurt, is_lost
from bot.game.events import has_dice
from bot.game.loaded import in_batches
from bot.game.luck import ENOUGH, SAME, Luck, Try, Worth, unusual
from bot.game.rights import need_director
from bot.game.roster import in_order
from bot.game.sides import find_side, told_sides
from bot.game.state import DRAW, Game, Json
from bot.interface.reply.bars import percent
from bot.interface.reply.parts import Group, Part, Small
from bot.interface.reply.reply import File, Reply
from bot.rules.errors import UserError
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.names import counted, joined
from bot.rules.text.phrase import phrase
from bot.stores.records import Doc
from bot.systems.catalog import systems
from bot.systems.system import System

SENTENCE, LONGEST = "ending", 300
ASKED = 86_400.0
"""Seconds for which the question under which a sentence was typed may be answered."""
MOST_NAMES = 12
LONG_ODDS = 0.5
"""A chance below which a good result is worth telling, and above which a bad one is."""
PAGE_SECONDS = 10.0
"""What the page of a game may take when it ends: its rolls are mostly known by then, from its luck."""


async def end(context: Context) -> Reply:
    """Ask whether the game is to end, unless that is said already."""
    game = context.need_started()
    need_director(game, context.actor, "end it")
    context.ledger.need_chosen()
    options = context.options()
    winner, text = _winner(game, options["winner"] or ""), _sentence(options["text"] or "")
    if rest := waiting(context):
        return await ask_to_open(context, rest)
    if options["confirm"]:
        story = await _ended(context, winner, text, reveals=options["reveal"])
        return Reply(f'"{game.name}" has ended', private=True, announce=story)
    if text:
        doc = Doc(SENTENCE, _own(context), {"text": text}, context.now + ASKED, context.command.who.key)
        context.commit.docs.append(doc)
    elif await _typed_before(context):
        context.commit.drop_docs.append((SENTENCE, _own(context)))
    return await _question(context, winner, text, reveals=options["reveal"])


async def ask_seed(context: Context, winner: str) -> Reply:
    """The same question, about ending the game and revealing its seed."""
    game = context.need_started()
    need_director(game, context.actor, "end it")
    return await _question(context, _winner(game, winner), await _typed_before(context), reveals=True)


async def _question(context: Context, winner: str, text: str, *, reveals: bool) -> Reply:
    game = context.game
    opens = ""
    if game.orders:
        opens = "will be opened" if await may_open(context) else "stay unopened: not every side is in"
    lines = [
        text,
        f"{counted(len(game.sealed), 'sealed roll')} will be opened." if game.sealed else "",
        f"Sealed orders {told_sides(game)} {opens}." if game.orders else "",
        "The seed is revealed with it, so that everybody can check the dice." if reveals else "",
        phrase("It can still be read then, and `/game resume` takes it up again."),
    ]
    name = "endseed" if reveals else "end"
    buttons = [context.button(name, label, won, style=style) for won, label, style in _choices(game, winner)]
    return Reply(
        f'End "{game.name}" in turn {game.turn}?' + (" Who won?" if game.sides and not winner else ""),
        tuple(line for line in lines if line),
        private=True,
        buttons=(*buttons, *(() if reveals else (context.button("askseed", "Reveal the seed too", winner),))),
    )


def _choices(game: Game, winner: str) -> list[tuple[str, str, str]]:
    """What the buttons under the question say: the winner named, or each who may have won."""
    if winner or not game.sides:
        how = {"": "End it", DRAW: "End it: a draw"}.get(winner, f"End it: {winner} wins")
        return [(winner, how, "primary")]
    sides = [(side, f"End it: {side} wins", "plain") for side in game.sides]
    return [*sides, (DRAW, "End it: a draw", "plain"), ("", "End it", "primary")]


async def end_now(context: Context, winner: str) -> Reply:
    """The buttons under the question: about the game, and (`endseed`) about game and seed."""
    reveals = context.spec.path[1] == "endseed"
    game = context.need_started()
    need_director(game, context.actor, "end it")
    if rest := waiting(context):
        return await ask_to_open(context, rest)
    if text := await _typed_before(context):
        context.commit.drop_docs.append((SENTENCE, _own(context)))
    return await _ended(context, _winner(game, winner), text, reveals=reveals)


async def _typed_before(context: Context) -> str:
    """The sentence that was typed with the question; "" for none."""
    doc = await context.store.doc(SENTENCE, _own(context))
    return str(doc.data["text"]) if doc is not None else ""


def _own(context: Context) -> str:
    """The sentence of who ends this game, until they have pressed a button under the question."""
    return f"{context.ledger.row}:{context.command.who.key}"


def _sentence(typed: str) -> str:
    """A sentence on one line. Raises UserError for more than one can read in a list."""
    text = " ".join(typed.split())
    if len(text) > LONGEST:
        what = f"That is too long for the last line of a story: at most {LONGEST} characters."
        raise UserError(what, option="text", code="too-long")
    return text


def _winner(game: Game, typed: str) -> str:
    """A side, or DRAW, or nobody. Raises UserError for anybody else."""
    word = typed.strip().casefold()
    return word if word in ("", DRAW) else find_side(game, typed)


async def _ended(context: Context, winner: str, text: str, *, reveals: bool) -> Reply:
    """End the game: sealed rolls are opened, its story is told, and its seed revealed if that was asked for."""
    orders = await at_the_end(context)
    opened = await open_rolls(context, tuple(context.game.sealed))
    shown, hands = await open_hands(context, opened.game)
    after = replace(shown, ended=True, winner=winner)
    context.ledger.add(
        "end", after, texts={"text": text} if text else None, opens=opened.numbers, result=opened.result,
        shows=context.game.hidden or None,
    )  # fmt: skip
    game = context.game
    how = {"": "", DRAW: ": a draw"}.get(winner, f": {winner} wins")
    types, rolls = dict[str, str](), 0
    async for rows in in_batches(context.store, context.ledger.row):
        events = [row.data for row in rows]
        types = first_types(events) | types
        rolls += sum(map(has_dice, events))
    players = " v ".join(" and ".join(names) for side in game.sides if (names := context.ledger.players_of(side)))
    reply = Reply(
        f"{game.name} is over{how} on turn {game.turn}",
        (*((text,) if text else ()), *opened.brief, *hands, *orders, *await _story(context, game, types)),
        by=", ".join(filter(None, (players, counted(rolls, "roll")))),
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
    """The after-action page; none where it would keep the channel waiting (`/game export html` writes it then)."""
    try:
        return (await asyncio.wait_for(page_file(context), PAGE_SECONDS),)
    except (UserError, TimeoutError):
        return ()


async def _story(context: Context, game: Game, types: Mapping[str, str]) -> list[Part]:
    """What the game cost each side, its best shot and worst luck, and how lucky they were."""
    lost = (losses(game, side, types) for side in game.sides)
    lines: list[Part] = [Group(told, names, grave=True) if names else told for told, names in lost if told]
    by_side, worths = await quick_luck(context)
    if (best := best_shot(worths)) is not None:
        told, text = await _moment(context, best[0], f"at {percent(float(best[1]))}")
        lines.append(Group("Best shot" if told.acts else "Best roll", text, grave=True))
    if (worst := worst_luck(worths)) is not None:
        _, text = await _moment(context, worst[0], f"with {percent(float(worst[1]))} for better")
        lines.append(Group("Worst luck", text, grave=True))
    if by_side:
        lines += [Group("Luck", points(by_side), grave=True), Small(judgement(by_side))]
    return lines


async def _moment(context: Context, roll: Try, odds: str) -> tuple[Retold, str]:
    """`US Squad 1 fires: VC 3 takes casualties, at 8% (#38)`; of bad luck, with the chance of better."""
    (event,) = await context.store.events_at(context.ledger.row, [roll.number])
    told = retold(event.data, context.ledger.name_of, sides=context.game.sides)
    return told, f"{told.short}, {odds} (#{roll.number})"


def _few(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return joined(names[:MOST_NAMES]) + more


def first_types(events: Iterable[Json]) -> dict[str, str]:
    """The type that each unit had when it came, by its folded name, from the events of a log in order."""
    found: dict[str, str] = {}
    for event in events:
        for key, unit in ((event.get("after") or {}).get("units") or {}).items():
            if unit:
                found.setdefault(key, unit["type"])
    return found


def losses(game: Game, side: str, types: Mapping[str, str]) -> tuple[str, str]:
    """What a side lost of all that were on its roster: `US lost 2 of 7, 1 weakened`, and their names as they fit
    a line; ("", "") for one that had no units. Weaker than at the start are the hurt, and those of a lesser type than
    the one in `types`."""
    system = systems().get(game.system)
    units = in_order(unit for unit in game.units.values() if unit.side == side)
    lost = [unit.name for unit in units if is_lost(unit, system)]
    weak = [unit.name for unit in units if unit.name not in lost and _is_weaker(unit, system, types)]
    if not units:
        return "", ""
    heading = f"{side} lost {len(lost) or 'none'} of {len(units)}" + (f", {len(weak)} weakened" if weak else "")
    return heading, f"{_few(lost)}; weakened {_few(weak)}" if lost and weak else _few(lost or weak)


def _is_weaker(unit: RosterUnit, system: System | None, types: Mapping[str, str]) -> bool:
    if system is None or is_hurt(unit, system):
        return is_hurt(unit, system)
    was = types.get(unit.name.casefold(), unit.type)
    return unit.type != was and unit.type == system.words["units"].reduced.get(was)


def best_shot(rolls: Iterable[tuple[Try, Worth]]) -> tuple[Try, Fraction] | None:
    """The roll that did so well although it was so unlikely, with the chance of at least that much; None where none did
    better than was to be expected."""
    good = [(roll, worth.at_least) for roll, worth in rolls if worth.got > worth.mean + SAME]
    return min((one for one in good if one[1] < LONG_ODDS), key=itemgetter(1), default=None)


def worst_luck(rolls: Iterable[tuple[Try, Worth]]) -> tuple[Try, Fraction] | None:
    """The roll that failed although more was so likely, with the chance of that; None where none did worse than was to
    be expected."""
    bad = [(roll, worth.more) for roll, worth in rolls if worth.got < worth.mean - SAME]
    return max((one for one in bad if one[1] > LONG_ODDS), key=itemgetter(1), default=None)


def points(by_side: Mapping[str, Luck]) -> str:
    """`US 21.5 points, 19.8 expected · VC 16, 17.1 expected`: what came of the rolls, and what was likely."""
    told = list[str]()
    for name, luck in by_side.items():
        what = "" if told else " point" if luck.worth == 1 else " points"
        told.append(f"{name} {luck.worth:g}{what}, {luck.mean:.1f} expected")
    return " · ".join(told)


def judgement(by_side: Mapping[str, Luck]) -> str:
    """Whether that was luck, in one sentence."""
    count = sum(luck.count for luck in by_side.values())
    rolls = counted(count, "roll")
    judged = {name: luck for name, luck in by_side.items() if luck.count >= ENOUGH and luck.variance > 0}
    if not judged:
        return f"{rolls}: too few to judge"
    name, luck = max(judged.items(), key=lambda item: abs(item[1].z))
    word, of = unusual(luck.z)
    told = f"{name} was {word} than in {of} of 100 such games" if word else "nothing out of the ordinary"
    return f"{rolls}: {told}"
