"""`/pack add` and `/pack show`: a pack is checked in the worker, beside all else, and shown before anybody plays it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.commands.context import Context
from bot.commands.packs.pack import find_version, need_manager
from bot.interface.reply.packing import zip_data
from bot.interface.reply.parts import Part, Small
from bot.interface.reply.reply import Button, Reply, error_reply
from bot.packs.check import UNTRUSTED_SECONDS
from bot.packs.review import Review, review, review_file
from bot.packs.stored import MOST_HERE, docs_of, enabled, gone, read_pack, server_key, versions
from bot.rules.errors import UserError
from bot.rules.odds.odds import TooManyStates
from bot.rules.text.phrase import phrase
from bot.systems.catalog import everywhere, using
from bot.systems.packs.content import MOST_BYTES
from bot.systems.packs.pack import version_of
from bot.systems.packs.shelf import Shelf

MOST_FAULTS = 8
MOST_QUESTIONS = 8


async def add(context: Context) -> Reply:
    """Check a pack and keep it for this server; it is not enabled by that."""
    need_manager(context)
    server = server_key(context.command.where)
    known = await versions(context.store, server)
    if len(known) >= MOST_HERE:
        raise UserError(
            f"This server has {MOST_HERE} packs, and no more are taken.",
            hint=phrase("Take one away first: `/pack remove`"),
            code="too-many",
        )
    found = await reviewed(context, review_file, *_sent(context))
    if found.content is None or found.about is None:
        return refused(found.report.faults)
    hash = version_of(found.content)
    is_known = any(one.hash == hash for one in known)
    if not is_known:
        context.docs += docs_of(found.content, found.about, server, context.now)
    active = (await enabled(context.store, server)).get(found.about.id)
    kept = "was here already" if is_known else "is checked and kept"
    return await _drawn(context, _shown(found, hash, f"{found.about.title} {found.about.version} {kept}", active), hash)


async def show(context: Context) -> Reply:
    """What is in a pack of this server."""
    version, active = await find_version(context)
    pack = await read_pack(context.store, version.hash)
    if pack is None:
        raise gone()
    found = await reviewed(context, review, dict(pack.content))
    if found.about is None:  # it passed once; the rules of packs have become stricter since
        return refused(found.report.faults)
    shown = _shown(found, version.hash, f"{version.title} {version.version}", active.get(version.id))
    return await _drawn(context, shown, version.hash)


async def _drawn(context: Context, reply: Reply, hash: str) -> Reply:
    """The review with the picture of its first table, as the channel has pictures."""
    from bot.commands.play.pictures import offered

    return await offered(context, reply, f"packdraw:{hash}")


async def press_picture(context: Context, hash: str) -> Reply:
    """The first table of a pack, drawn as it would be seen."""
    from bot.commands.play.pictures import drawn_table

    known = await versions(context.store, server_key(context.command.where))
    pack = await read_pack(context.store, hash) if any(one.hash == hash for one in known) else None
    if pack is None or not pack.tables:
        raise gone()
    with using(Shelf(everywhere(), [pack])):
        return replace(await drawn_table(context, f"{pack.id}/{next(iter(pack.tables))}", {}), private=True)


def _sent(context: Context) -> tuple[bytes | None, str]:
    """The pack as it was sent: a zip, or a text. Raises UserError."""
    options = context.options()
    given = options["file"] if isinstance(options["file"], str) and options["file"] else options["text"]
    if not given or not str(given).strip():
        raise UserError(
            "/pack add needs a file, or a pack as text.",
            hint="A zip with pack.yaml and game.yaml in it, or one text with both.",
            option="file",
            code="missing",
        )
    text = str(given)
    zip = zip_data(text)
    if len(zip if zip is not None else text) > MOST_BYTES:
        raise UserError(f"A pack has at most {MOST_BYTES // 1024} kB.", option="file", code="file-too-large")
    return zip, "" if zip is not None else text


async def reviewed(context: Context, function: object, *arguments: object) -> Review:
    """What the worker finds; what takes too long or too much memory is a fault like any other."""
    from bot.packs.check import Report

    try:
        found: Review = await context.check_pack(function, *arguments, seconds=UNTRUSTED_SECONDS)
    except TooManyStates:
        fault = f"it takes more than {UNTRUSTED_SECONDS:g} seconds or too much memory to check: it is too costly"
        return Review(Report((fault,)))
    return found


def refused(faults: Sequence[str]) -> Reply:
    """What is to be put right, file by file."""
    more = len(faults) - MOST_FAULTS
    lines: list[Part] = [*faults[:MOST_FAULTS], *([f"And {more} more."] if more > 0 else [])]
    lines.append(phrase("Nothing of it was kept. Once mended, send it again: `/pack add`"))
    things = "one thing has" if len(faults) == 1 else f"{len(faults)} things have"
    error = UserError(f"The pack was not taken: {things} to be put right", option="file", code="bad-pack")
    return replace(error_reply(error), lines=tuple(lines))


def _shown(found: Review, hash: str, title: str, active: str | None) -> Reply:
    """The review, with *Enable* where another version, or none, is enabled."""
    about, questions = found.about, found.report.questions
    assert about is not None
    lines: list[Part] = [f"By {about.author}. Licence: {about.licence}."]
    lines += [about.notice] if about.notice else []
    lines += [f"It changes {about.inherits} and has all else of it."] if about.inherits else []
    for what, titles in (
        ("Tables", [title for _, title in found.tables]),
        ("Combat sequences", [title for _, title in found.sequences]),
        ("Scenarios", list(found.scenarios)),
    ):
        lines.append(f"{what}: {', '.join(titles) or 'none'}.")
    if questions:
        lines.append("What looks odd, and may be right all the same:" if len(questions) > 1 else "One thing looks odd:")
        lines += [f"- {question}" for question in questions[:MOST_QUESTIONS]]
        lines += [f"And {len(questions) - MOST_QUESTIONS} more."] if len(questions) > MOST_QUESTIONS else []
    lines.append(Small(f"Version {hash[:8]}"))
    if active == hash:
        return Reply(title, tuple(lines), by="enabled here", private=True)
    by = "not enabled yet" if active is None else "another version is enabled"
    return Reply(title, tuple(lines), by=by, private=True, buttons=(Button(f"packon:{hash}", "Enable", "primary"),))
