"""`/game claim`: an account says that it is a person of an imported log. Nobody else can say so for it."""

from __future__ import annotations

from dataclasses import replace

from bot.commands.context import Context
from bot.game.ledger import Ledger
from bot.game.state import Game
from bot.interface.reply.reply import Reply
from bot.rules.errors import UserError
from bot.rules.proof.export_format import person_key
from bot.rules.text.phrase import phrase
from bot.stores.records import IMPORTED, PersonRow

CLAIM_HINT = phrase("Your account is in the imported file: `/game claim` makes its moves and its side yours.")


def own_import(ledger: Ledger) -> PersonRow | None:
    """The person of an imported log whose key is that of the writer's account, if nobody has claimed it."""
    user = IMPORTED + person_key(ledger.game.id, ledger.writer.user)
    return next((row for row in ledger.persons.values() if row.user == user), None)


async def claim(context: Context, _more: str = "") -> Reply:
    """Go on as the person that the file knows the asker's account as; seats taken meanwhile move along."""
    game, ledger = context.need_game(), context.ledger
    row = own_import(ledger)
    if row is None:
        raise UserError(
            "No imported moves in this game belong to your account.",
            hint=phrase("Play under your own name: `/game join` takes a side."),
            code="nothing-to-claim",
        )
    own = ledger.known_person()
    seated = _seated(game, own, row)
    ledger.claim(row)
    ledger.add("claim", seated, own=own)
    side = seated.players.get(row.person, "")
    playing = f"Plays {side}." if side else "The moves under that name are theirs."
    return Reply(f"{context.who} is {row.name} from the imported log", (playing,))


def _seated(game: Game, own: str, row: PersonRow) -> Game:
    """The game with the seats of the person `own` given to that of `row`. Raises UserError for two sides at once."""
    mine, theirs = game.players.get(own, ""), game.players.get(row.person, "")
    if mine and theirs and mine != theirs:
        raise UserError(
            f"You play {mine} here, and {row.name} from the imported log plays {theirs}.",
            hint=phrase("Leave your side first: `/game leave`, then `/game claim`."),
            code="other-side",
        )
    players = {person: side for person, side in game.players.items() if person != own}
    if side := theirs or mine:
        players[row.person] = side
    return replace(game, players=players, master=row.person if own and game.master == own else game.master)
