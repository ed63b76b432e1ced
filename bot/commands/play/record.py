"""Writes what a roll or sequence did into the game: dice, outcome, changed units."""

from bot.answers.events import come_into_play, extends_words
from bot.answers.outcome import Outcome, after_happening, initiative_of, reminders
from bot.answers.shot import brief, compact
from bot.commands.context import Context, play_facts
from bot.commands.play.answer_buttons import other_targets, roll_buttons
from bot.commands.play.sealed import seal
from bot.commands.post.choose import ask_side
from bot.commands.turns.turn_card import IMPACT
from bot.game.rights import need_share, out_of_go
from bot.game.roster import is_gone, is_of_game, units_of
from bot.game.state import FULL, Game, Json
from bot.interface.reply.parts import Small
from bot.interface.reply.reply import Reply
from bot.interface.typing.command_text import quoted
from bot.rules.copies import replace
from bot.rules.errors import UserError
from bot.rules.inputs.decks import faces_shown
from bot.rules.text.names import joined
from bot.rules.text.phrase import begun, phrase


async def record(context: Context, outcome: Outcome, *, secret: bool) -> Reply:
    """Append the happening to the log and answer. Raises UserError where units are not the actor's to use."""
    happening = outcome.happening
    if happening is None:
        return outcome.reply
    game = context.open_game() if happening.kind == "sequence" else context.dice_game()
    if happening.by_hand and not game.hand_dice:
        hint = phrase("`/game settings hand_dice=yes` allows them.")
        raise UserError("This game does not allow dice rolled by hand.", hint=hint, code="no-hand-dice")
    actor, named, systems = context.actor, units_of(game, happening.units), context.systems
    if gone := [unit for unit in named if is_gone(unit)]:
        hint = phrase("Leave it out, or fix its state with `/unit edit`.")
        raise UserError(f"{gone[0].name} is {gone[0].state}.", hint=hint, code="unit-gone")
    acting = [unit for unit in named if unit.name in happening.acting]
    need_share(game, actor, named, acting)
    unusual: tuple[str, ...] = ()
    if happening.kind == "sequence" and happening.system in systems and is_of_game(game, happening.system):
        sequence = systems[happening.system].sequences[happening.target]
        unusual = out_of_go(game, systems.get(game.system), sequence, happening.acting, happening.changes, actor.side)
    facts = play_facts(context, context.command.path, happening, named, secret=secret)
    label = str(happening.inputs.get("label") or "")
    if secret:
        return seal(context, outcome, facts, label)
    if happening.asks:
        return await ask_side(context, outcome, facts)
    after = after_happening(game, happening)
    body = context.ledger.add(happening.kind, after, texts={"label": label}, **facts)
    if extends := body.get("extends"):
        joining = tuple(Small(f"{extends_words(*one)} from here on.") for one in extends.items())
        outcome = replace(outcome, reply=replace(outcome.reply, lines=(*outcome.reply.lines, *joining)))
    return _answer(context, game, _with_arrivals(outcome, game, after), body, facts, unusual)


def _with_arrivals(outcome: Outcome, was: Game, after: Game) -> Outcome:
    """The outcome with those who have joined the roster, in its first line and in one about their numbers."""
    if after.units.keys() <= was.units.keys():
        return outcome
    names = [unit.name for key, unit in after.units.items() if key not in was.units]
    told = phrase(
        "{names}: on the roster now. Give numbers: `/unit edit {first} morale=7`",
        names=joined(names),
        first=quoted(names[0]),
    )
    title = f"{outcome.reply.title}, {come_into_play(names)}"
    return replace(outcome, reply=replace(outcome.reply, title=title, lines=(*outcome.reply.lines, told)))


def _answer(context: Context, game: Game, outcome: Outcome, body: Json, facts: Json, unusual: tuple[str, ...]) -> Reply:
    reply, happening, number, spec = outcome.reply, outcome.happening, body["number"], context.spec
    assert happening is not None
    if game.answers != FULL:
        reply = compact(reply, tuple(faces_shown(facts)))
    side = initiative_of(game, happening)
    told = (*map(Small, reminders(game, happening)), *([f"{side} has the initiative."] if side is not None else ()))
    if told or context.moved:
        reply = replace(reply, lines=(*reply.lines, *told, *([context.moved] if context.moved else ())))
    if happening.kind == "sequence":
        reply = brief(reply, spec.options)
    lines = (*reply.lines, Small(f"{begun(' · '.join(unusual))}.")) if unusual else reply.lines
    buttons = (*roll_buttons(context, reply, happening.kind, facts, number), context.button("undo", "Undo", number))
    if happening.out.get(IMPACT, 0) > game.turn > 0:
        buttons = (*buttons, context.button("plan", "Plan it", number))
    across = EVEN if len(buttons) > EVEN + 1 else 0
    menus = other_targets(context, spec, game, body["side"], facts, number)
    return replace(reply, lines=lines, buttons=buttons, across=across, menus=menus)


EVEN = 3
"""Buttons in a row where there are five: three and two, which a phone shows as they are."""
