"""`/fair`: what is promised about the dice, a text of one's own in them, and the seed when it is time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot.commands.desk import Desk
from bot.game.rights import need_director, need_player
from bot.reply import Reply
from bot.rules.chain import short
from bot.rules.errors import UserError
from bot.rules.fair import NO_TEXTS, digest

MAX_TEXTS = 20
MAX_TEXT = 500


async def handle(desk: Desk) -> Reply:
    """Run one of `/fair`'s subcommands."""
    return await HANDLERS[desk.spec.path[1]](desk)


async def show(desk: Desk) -> Reply:
    """Commitment, texts and head: what everybody may note down to check the log later. Begins free play if need be."""
    game = desk.open_game()
    seeds = await desk.store.seeds(desk.ledger.row)
    seed = desk.ledger.seed
    assert seed is not None
    lines = [f"Commitment to seed {game.epoch}: {game.commitment}"]
    lines.append(f"Texts in these dice: {', '.join(repr(text) for text in seed.texts) or 'none'}")
    if not game.drawn:
        lines.append('No die has fallen yet: /fair add "your words" makes your own text part of them.')
    lines += [f"Seed {row.epoch}, revealed in #{row.revealed}: {row.seed.hex()}" for row in seeds if row.revealed]
    lines.append(f"Head of the log: {desk.ledger.head}")
    lines.append("Each answer shows the head's first 8 digits. /game export and grognard verify check everything.")
    footer = () if desk.ledger.bodies else (f"#{game.number}", short(desk.ledger.head))  # new events bring their own
    return Reply("How the dice are proved", tuple(lines), footer=footer)


async def add(desk: Desk) -> Reply:
    """A player's text becomes part of the dice; only before the first one, so whoever doubts the host speaks last."""
    text = desk.options()["text"].strip()
    game = desk.open_game()
    need_player(game, desk.actor)
    seed = desk.ledger.seed
    assert seed is not None
    if game.drawn:
        raise UserError("A die has fallen already, so these dice are fixed.", hint="/fair reveal begins new ones.")
    if not text or len(text) > MAX_TEXT or "\n" in text:
        raise UserError(f"The text has 1 to {MAX_TEXT} characters in one line.", option="text")
    if len(seed.texts) >= MAX_TEXTS:
        raise UserError(f"There are {MAX_TEXTS} texts already.")
    # Whose texts were deleted meanwhile still have their part: their digest stands for them.
    deleted = () if seed.texts or seed.digest == NO_TEXTS else (seed.digest,)
    texts = (*(seed.texts or deleted), text)
    desk.ledger.change_seed(replace(seed, texts=texts, digest=digest(texts)))
    desk.ledger.add("fair", texts={"text": text}, secret={"digest": digest(texts)}, result="a text was added")
    return Reply(
        f"{desk.who} adds a text to the dice", (f'"{text}"', f"SHA-256 of all {len(texts)} texts: {digest(texts)}")
    )


async def reveal(desk: Desk) -> Reply:
    """Publish the seed so that every die can be recomputed, and begin a new one."""
    game = desk.need_game()
    need_director(game, desk.actor, "publish the seed")
    seed = desk.ledger.seed
    assert seed is not None
    if under := [number for number in game.sealed if number >= seed.first_event]:
        closed = ", ".join(f"#{number}" for number in under)
        raise UserError(
            f"Sealed rolls are closed still ({closed}); the seed would give them away.",
            hint="Open them first: /game reveal.",
        )
    number = desk.ledger.next_number
    secret = desk.ledger.fresh_secret()
    desk.ledger.change_seed(replace(seed, revealed=number))
    told = {"epoch": seed.epoch, "seed": seed.seed.hex()}
    desk.ledger.add("fair", revealed=told, secret=secret, result=f"seed {seed.epoch} revealed")
    lines = (
        f"Seed {seed.epoch}: {seed.seed.hex()}",
        f"It was promised as {seed.commitment}. grognard verify recomputes every die from it.",
        f"New dice begin: commitment to seed {secret['epoch']}: {secret['commitment']}",
    )
    return Reply(f"{desk.who} reveals the seed of the dice", lines)


HANDLERS: dict[str, Callable[[Desk], Awaitable[Reply]]] = {"show": show, "add": add, "reveal": reveal}
