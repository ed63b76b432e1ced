"""The cells around an answer, as printed."""

from __future__ import annotations

from bot.answers.tables import card_in, printed
from bot.systems.catalog import systems


def test_one_and_yes_are_different_cells_and_words_are_the_games_own() -> None:
    table = next(table for table in systems()["lnlt"].tables.values() if table.id == "melee-odds")
    body = table.printed["read"]
    card, renamed = (
        card_in(table, body, {}),
        card_in(table, body, {str(body["rows"]): "the defenders"}),
    )
    assert card is not None
    assert renamed is not None
    values = {card.row_by: 5, card.column_by: 7}
    plain = card.around(values)
    assert plain is not None
    assert card.around({**values, card.row_by: True}) != plain
    assert renamed.around(values) != plain
    assert card.around(values) == plain
    assert printed(table).card == card_in(table, body, table.words)
