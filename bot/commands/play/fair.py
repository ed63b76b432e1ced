"""`/fair`: the commitment to the dice, the players' own texts in them, and the reveal of the seed."""

from dataclasses import replace

from bot.commands.cards.decks import format_hand_name
from bot.commands.channel_games import use_named_game
from bot.commands.context import Context, closes_texts
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.game.rights import are_texts_open, is_alone, need_director, need_player
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.proof.chain import shorten_hash
from bot.rules.proof.fair import NO_TEXTS, compute_digest
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.ui.common_options import PAST_GAME
from bot.ui.reply.reply import Reply
from bot.verification.follows.cards import list_seats_with_cards

MAX_TEXTS = 200
MAX_OWN = 3
"""Maximum number of texts of one person in the dice of one seed. Without it, the host could leave
no room for the texts of others.
"""
MAX_TEXT = 500


@declare_command("fair show", "How to check the dice: commitment, words and head hash", PAST_GAME)
async def show_fairness(context: Context) -> Reply:
    """Show the commitment, the texts and the head of the log, for a later check of the log."""
    await use_named_game(context, context.clean_options()["game"])
    if not context.ledger.row:
        return await _show_next_commitment(context)
    game = context.game
    seeds = await context.store.load_seeds(context.ledger.row)
    seed = context.ledger.seed
    assert seed is not None
    lines = [f"Commitment to seed {game.epoch}: {game.commitment}"]
    (first_event,) = await context.store.load_events_at(context.ledger.row, [1])
    if first_event.data.get("unannounced") and seed.epoch == 1:
        lines.append(
            "This commitment wasn't announced before the first roll, so nobody could write it down beforehand."
        )
    lines.append(f"Words in these dice: {', '.join(repr(text) for text in seed.texts) or 'none'}")
    if are_texts_open(game):
        lines.append(phrase('You can still mix in your own words: `/fair add "your words"`'))
    lines += [
        f"Seed {row.epoch}, revealed in #{row.revealed}: {row.seed.hex()}"
        for row in seeds
        if row.revealed
    ]
    lines.append(f"Head of the log: {context.ledger.head}")
    lines.append(
        phrase(
            "Cards, undo, seals and every tenth answer show the head's first 16 digits. "
            "`/game export` and grognard verify check everything."
        )
    )
    next_seed = await context.get_next_seed()
    lines.append(f"Commitment to the seed for the next free play here: {next_seed.commitment}")
    return Reply(
        "How to check the dice",
        tuple(lines),
        footer=(f"#{game.number}", shorten_hash(context.ledger.head)),
    )


async def _show_next_commitment(context: Context) -> Reply:
    """Show the commitment of the dice that the first roll here will use."""
    next_seed = await context.get_next_seed()
    lines = (
        f"Commitment to the seed for the next free play here: {next_seed.commitment}",
        phrase(
            "The first roll in a channel without a game uses it. `/game start` begins with its own seed."
        ),
        phrase('Want a say in the dice? Add your own words first: `/fair add "your words"`'),
    )
    return Reply("No dice have been rolled here yet", lines)


@declare_command(
    "fair add",
    "Mix your own words into the dice before the first roll",
    Option("text", "str", "any words"),
    example='"nobody knew this before"',
)
async def add_text(context: Context) -> Reply:
    """Add a player's text to the dice, before the first die only.

    A player who doubts the host can thus add the last text. Raises UserError if the texts are
    closed, if there are too many, and for a text that is empty or too long.
    """
    text = context.clean_options()["text"].strip()
    game = context.open_game()
    need_player(game, context.actor)
    seed = context.ledger.seed
    assert seed is not None
    if not are_texts_open(game):
        raise UserError(
            "The words in these dice are closed.",
            hint=phrase("`/fair reveal` starts a new seed."),
            code="texts-closed",
        )
    if not text or len(text) > MAX_TEXT or "\n" in text:
        raise UserError(
            f"Your words must be 1 to {MAX_TEXT} characters, in one line.",
            option="text",
            code="bad-value",
        )
    if len(seed.texts) >= MAX_TEXTS:
        raise UserError(f"Words have already been added {MAX_TEXTS} times.", code="too-many-texts")
    if await _count_own_texts(context, seed.first_event) >= MAX_OWN:
        raise UserError(
            f"You have already added words {MAX_OWN} times; leave the last word to somebody else.",
            code="too-many-texts",
        )
    # deleted texts keep their part in the dice: their digest takes their place
    deleted = () if seed.texts or seed.digest == NO_TEXTS else (seed.digest,)
    texts = (*(seed.texts or deleted), text)
    context.ledger.change_seed(replace(seed, texts=texts, digest=compute_digest(texts)))
    context.ledger.add(
        "fair",
        texts={"text": text},
        secret={"digest": compute_digest(texts)},
        result="a text was added",
    )
    closer = phrase("The next roll closes the words; so does `/fair close`")
    if not is_alone(game, context.ledger.ensure_person()):
        closer = phrase("Another player has to close the words, by rolling or with `/fair close`")
    return Reply(
        f"{context.user_name} adds words to the dice",
        (
            f'"{text}"',
            f"SHA-256 of the words: {compute_digest(texts)}",
            closer,
        ),
        buttons=(context.build_button("close", "Close", game.epoch),),
    )


async def _count_own_texts(context: Context, first_event: int) -> int:
    """Return the number of the user's own texts in the dice from event `first_event` on."""
    rows = context.ledger.persons.values()
    persons = {row.person for row in rows if row.user == context.command.who.key}
    texts = await context.store.load_texts(context.ledger.row, after=first_event - 1)
    return sum(text.key == "text" and text.person in persons for text in texts)


@declare_command("fair close", "Close the words; the player who added the last ones cannot")
async def close_texts(context: Context) -> Reply:
    """Close the texts of the dice. The player who added the last one may not.

    Raises UserError for that player, if there are no texts, and if they are closed already.
    """
    game = context.need_open()
    need_player(game, context.actor)
    if not are_texts_open(game):
        hint = phrase("`/fair reveal` starts a new seed.")
        raise UserError(
            "The words in these dice are already closed.", hint=hint, code="texts-closed"
        )
    if not game.adder:
        raise UserError(
            "There are no words to close yet.",
            hint=phrase('`/fair add "your words"` adds some.'),
            code="no-texts",
        )
    context.ledger.add("fair", closes=closes_texts(context), result="the texts are closed")
    return Reply(
        f"{context.user_name} closes the words in the dice",
        (f"SHA-256 of the words: {game.digest}",),
    )


@declare_button("close", of=ButtonOf.GAME)
async def press_close(context: Context, epoch: str) -> Reply:
    """Close the texts of the seed with this epoch: the button *Close*.

    Raises UserError if a new seed has started since, and in the cases of `close_texts`.
    """
    if epoch != str(context.need_game().epoch):
        raise UserError(
            "A new seed has started since.", hint=phrase("`/fair show` explains it."), code="gone"
        )
    return await close_texts(context)


@declare_command("fair reveal", "Publish the seed so that every roll can be recomputed")
async def reveal_seed(context: Context) -> Reply:
    """Publish the seed, so that every die can be recomputed, and begin a new one.

    Raises UserError for a user who does not direct the game, and while rolls are sealed or cards
    are closed.
    """
    game = context.need_game()
    need_director(game, context.actor, "publish the seed")
    seed = context.ledger.seed
    assert seed is not None
    still_sealed = [number for number in game.sealed if number >= seed.first_event]
    if still_sealed:
        numbers = ", ".join(f"#{number}" for number in still_sealed)
        message = f"Some rolls are still sealed ({numbers}); the seed would give them away."
        raise UserError(
            message, hint=phrase("Open them first: `/game reveal`."), code="still-sealed"
        )
    seats = list_seats_with_cards(game.cards, game.decks)
    if seats:
        hands = join_names(format_hand_name(context, seat) for seat in seats)
        message = f"Cards are still hidden ({hands}); the seed would give them away."
        raise UserError(
            message,
            hint=phrase("Play them, put them back, or end the game: `/game end`."),
            code="still-sealed",
        )
    number = context.ledger.next_number
    secret = context.ledger.create_secret()
    context.ledger.change_seed(replace(seed, revealed=number))
    revealed = {"epoch": seed.epoch, "seed": seed.seed.hex()}
    places = {key: count for key, count in game.cards.items() if not key.endswith("/last")}
    game_after = replace(game, cards=places)
    result = f"seed {seed.epoch} revealed"
    context.ledger.add(
        "fair",
        game_after,
        revealed=revealed,
        secret=secret,
        shows=game.hidden or None,
        result=result,
    )
    lines = (
        f"Seed {seed.epoch}: {seed.seed.hex()}",
        f"Its commitment was {seed.commitment}. grognard verify recomputes every die from it.",
        f"New dice begin: commitment to seed {secret['epoch']}: {secret['commitment']}",
    )
    return Reply(f"{context.user_name} reveals the seed of the dice", lines)
