"""A copy made quickly is the copy that `dataclasses.replace` makes."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from bot.game.state import Game
from bot.interface.reply import Button, Reply, replaced
from bot.interface.tone import GAME, HURT
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


def test_a_sparse_value_is_like_any_other_of_its_class() -> None:
    """It has its defaults, is compared and kept by all its fields, and takes none that it has not."""
    reply = Reply("7", ("2d6",), by="Anna")
    assert (reply.title, reply.by, reply.tone, reply.buttons) == ("7", "Anna", GAME, ())
    assert reply == replace(reply, tone=GAME, footer=()) != replace(reply, tone=HURT)
    assert hash(reply) == hash(replace(reply, tone=GAME))
    assert pickle.loads(pickle.dumps(reply)) == reply
    with pytest.raises(FrozenInstanceError):
        reply.title = "8"  # type: ignore[misc]
    for wrong in ({}, {"title": "7", "colour": "red"}):
        with pytest.raises(TypeError):
            Reply(**wrong)  # type: ignore[arg-type]
