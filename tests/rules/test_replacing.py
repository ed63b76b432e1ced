"""A copy made quickly is the copy that `dataclasses.replace` makes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.game.state import Game
from bot.interface.reply import Button, Reply, replaced
from bot.rules.replacing import replacing


def test_a_reply_and_a_game_are_copied_with_what_changed() -> None:
    reply = Reply("7", ("2d6",), by="Anna", outbox=3, seen=True)
    buttons = (Button("undo:1", "Undo"),)
    again = replaced(reply, buttons=buttons, outbox=9)
    assert again == replace(reply, buttons=buttons, outbox=9)
    assert (again.outbox, again.seen, reply.outbox, reply.buttons) == (9, True, 3, ())
    game = Game("g1", sides=("US", "VC"), sealed={3: "p1"})
    assert replacing(Game)(game, number=4, last=4) == replace(game, number=4, last=4)


def test_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises(KeyError):
        replaced(Reply("7"), colour="red")
