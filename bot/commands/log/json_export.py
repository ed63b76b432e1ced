"""The whole game as JSON, which `/game import` takes back and `grognard verify` checks."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import TypeVar

from bot.commands.context import Context
from bot.commands.log.csv_and_story import format_time
from bot.game.state import Json
from bot.loading.log_reader import iterate_events, iterate_texts
from bot.rules.proof.chain import compute_genesis
from bot.rulesets.packs.pack import is_private
from bot.verification.export import TextPromises, build_appendix, build_heading, text_to_json
from bot.verification.packs_of_game import list_pack_hashes, list_sealed_pack_hashes, load_packs

T = TypeVar("T")


async def export_json(context: Context) -> str:
    """Return the whole game as JSON, with the events of this command."""
    return "".join([text async for text in stream_json(context)])


async def stream_json(context: Context) -> AsyncIterator[str]:
    """Yield the whole game as JSON, piece by piece, with the events of this command.

    A long log is never held in memory whole, and other commands run between the pieces.
    """
    store = context.store
    ledger = context.ledger
    game = context.game
    stored = game.number - len(ledger.events)
    heading_fields: Json = {
        "name": game.name,
        "system": game.system,
        "exported": format_time(int(context.now)),
    }
    hashes = await _list_packs(context, stored)
    all_packs = await load_packs(store, hashes)
    packs = {hash: files for hash, files in all_packs.items() if not is_private(files)}
    head = ledger.head if game.number else compute_genesis(game.id)
    yield dump_json(build_heading(game.id, head, packs, **heading_fields))[:-1]
    promises = TextPromises()
    between = ""
    yield ',"events":['
    async for rows in _append_new(iterate_events(store, ledger.row, last=stored), ledger.events):
        for row in rows:
            promises.note_event(row)
        yield between + ",".join(
            f'{{"number":{row.number},"hash":{dump_json(row.hash)},"body":{row.body}}}'
            for row in rows
        )
        between = ","
    seeds = {row.epoch: row for row in await store.load_seeds(ledger.row)} | ledger.new_seeds
    persons = {row.person: row for row in await store.load_persons(ledger.row)} | ledger.new_persons
    appendix = build_appendix(game.id, seeds.values(), (), persons.values())
    yield f'],"seeds":{dump_json(appendix["seeds"])},"texts":['
    between = ""
    async for texts in _append_new(iterate_texts(store, ledger.row, stored), ledger.new_texts):
        visible_texts = [dump_json(text_to_json(text)) for text in promises.list_visible(texts)]
        if visible_texts:
            yield between + ",".join(visible_texts)
            between = ","
    yield f'],"persons":{dump_json(appendix["persons"])}}}'


async def _append_new(
    batches: AsyncIterator[Sequence[T]], new_rows: Sequence[T]
) -> AsyncIterator[Sequence[T]]:
    """Yield the stored batches, then the new rows of this command as one batch, if any."""
    async for rows in batches:
        yield rows
    if new_rows:
        yield new_rows


async def _list_packs(context: Context, stored: int) -> list[str]:
    """Return the hashes of the packs that the log names, including opened sealed rolls, each once.

    `stored` is the number of the last event in the store.
    """
    store = context.store
    ledger = context.ledger
    sealed = context.game.sealed
    hashes = dict[str, None]()
    async for rows in _append_new(iterate_events(store, ledger.row, last=stored), ledger.events):
        hashes |= dict.fromkeys(list_pack_hashes(rows))
    async for texts in _append_new(iterate_texts(store, ledger.row, stored), ledger.new_texts):
        opened = (text for text in texts if text.event not in sealed)
        hashes |= dict.fromkeys(list_sealed_pack_hashes(opened))
    return list(hashes)


def dump_json(value: object) -> str:
    """Format a value as compact JSON without ASCII escapes, as exports have it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
