"""`/pack`: a server's packs added, listed, shown, enabled and disabled, exported, removed."""

from collections.abc import Sequence
from dataclasses import replace

from bot.commands.context import Context
from bot.commands.declare import declare_button, declare_command
from bot.commands.pictures import draw_table, offer_picture
from bot.packs.check import UNTRUSTED_SECONDS, Report
from bot.packs.importing.detect_format import NOT_SAID
from bot.packs.pack_store import (
    HERE,
    MOST_ENABLED,
    MOST_HERE,
    SHORT,
    PackVersion,
    build_docs,
    build_enabled_doc,
    check_joining,
    choose_version,
    get_server_key,
    list_versions,
    load_enabled,
    load_stored_pack,
    make_missing_files_error,
)
from bot.packs.review import Review, review_content, review_file
from bot.preferences.platform_words import get_manager_word
from bot.rules.errors import UserError
from bot.rules.inputs.options import MAX_TEXT
from bot.rules.odds.rolls import TooManyStates
from bot.rules.text.names import format_count
from bot.rules.text.phrase import Phrase, phrase
from bot.rulesets.catalog import load_shared_systems, use_systems
from bot.rulesets.packs.archive import MOST_BYTES, zip_content
from bot.rulesets.packs.pack import PackSystem, compute_version, decode_files, is_private
from bot.rulesets.packs.visible_rulesets import VisibleRulesets
from bot.ui.common_options import PACK, YAML, build_optional
from bot.ui.reply.packing import ZIPPED, get_file_name, get_file_note, get_zip_data
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import OPEN_FORM, Button, File, Menu, Reply, build_error_reply

MOST_FAULTS = 8
MOST_QUESTIONS = 8
MOST_UNDERSTOOD = 8


def need_manager(context: Context) -> None:
    """Raise UserError for whoever may not choose a server's packs, and where there is no server."""
    if not context.command.where.server:
        hint = "Type it in a channel of the server that is to have the pack."
        raise UserError(
            "Packs belong to a server or workspace; here is none.", hint=hint, code="no-server"
        )
    if not context.command.who.manager:
        raise UserError(
            f"Only a {get_manager_word(context.command.where.key)} can choose the packs.",
            hint=phrase("Ask one of them. What is here already, everybody can see: `/pack list`"),
            code="not-manager",
        )


async def find_version(
    context: Context, hash: str | None = None
) -> tuple[PackVersion, dict[str, str]]:
    """The version that was asked for, or has this hash, and what is enabled here. Raises
    UserError.
    """
    server = get_server_key(context.command.where)
    known = await list_versions(context.store, server)
    active = await load_enabled(context.store, server)
    if hash is None:
        return choose_version(context.clean_options()["pack"], known, active), active
    if (version := next((one for one in known if one.hash == hash), None)) is None:
        raise UserError(
            "This server no longer has this pack.", hint="Add it again.", code="unknown-pack"
        )
    return version, active


async def _load_pack(context: Context, hash: str) -> PackSystem:
    """The pack itself. Raises UserError where its files are gone."""
    if (pack := await load_stored_pack(context.store, hash)) is None:
        raise make_missing_files_error()
    return pack


async def list_packs(context: Context, free: Sequence[str], menus: tuple[Menu, ...]) -> Reply:
    """Return the packs of this server; `free` are the titles of the free packs that it can add by
    the `menus`.
    """
    server = get_server_key(context.command.where)
    known = await list_versions(context.store, server)
    active = await load_enabled(context.store, server)
    rows = [_describe_version(one, is_enabled=active.get(one.id) == one.hash) for one in known]
    if not rows:
        lines: list[Part] = [
            "A pack is a game of your own: tables, units and combat sequences as data.",
            phrase("A manager adds one, as a zip or as text: `/pack add`"),
        ]
    else:
        lines = [*rows]
    if free:
        lines.append(f"Free to add: {' · '.join(free)}")
    title = f"{format_count(len(rows), 'pack')} here" if rows else "No packs here yet"
    return Reply(title, tuple(lines), private=True, menus=menus)


def _describe_version(version: PackVersion, *, is_enabled: bool) -> str:
    """Return the line of a version in the list: `Little Wars · version 1 · enabled · id@hash`.

    A title may have commas.
    """
    words = (
        version.title,
        f"version {version.version}",
        "enabled" if is_enabled else "",
        f"{version.id}@{version.hash[:SHORT]}",
    )
    return " · ".join(filter(None, words))


@declare_command(
    "pack enable",
    "Play a pack here: its commands are there for everybody on this server",
    PACK,
    example="few-acres",
    private=True,
    needs_game=True,
)
@declare_button("packon", private=True)
async def enable_pack(context: Context, hash: str | None = None) -> Reply:
    """Let this server play a version of a pack (the one typed, or the one under whose review the
    button is), in place of the one that it played. Raises UserError."""
    need_manager(context)
    version, active = await find_version(context, hash)
    server = get_server_key(context.command.where)
    before = active.get(version.id)
    if before == version.hash:
        return Reply(f"{version.title} {version.version} is enabled here", private=True)
    if before is None and len(active) >= MOST_ENABLED:
        hint = phrase("Switch one off first: `/pack disable`")
        raise UserError(
            f"{MOST_ENABLED} packs are enabled here, and no more can be.",
            hint=hint,
            code="too-many",
        )
    if version.id in load_shared_systems():
        raise UserError(
            f"/{version.id} is a command of this bot already, for everybody.",
            hint="Give the pack another id in its pack.yaml, and add it again.",
            option="pack",
            code="id-taken",
        )
    pack = await _load_pack(context, version.hash)
    if pack.base is not None:
        others = [
            await load_stored_pack(context.store, hash)
            for id, hash in active.items()
            if id != version.id
        ]
        check_joining(pack, [*load_shared_systems().values(), *filter(None, others)])
    context.commit.docs.append(
        await build_enabled_doc(context.store, server, {**active, version.id: version.hash})
    )
    lines: list[Part] = [phrase("Its commands: `/help {id}`", id=version.id)]
    if pack.base is not None:
        lines.append(
            phrase(
                "New games of {title} have it: `/game start {id}`",
                title=pack.base.title,
                id=pack.home,
            )
        )
        lines.append("A game in progress starts using it with the first unit that needs the pack.")
    else:
        lines.append(phrase('Start a game: `/game start {id} "Our first"`', id=version.id))
    start = f"{OPEN_FORM}game start system={pack.home or version.id}"
    if before is not None:
        lines.append("Games that were started with another version go on with that.")
        lines.append(phrase("To move one on: `/game settings pack={id}`", id=version.id))
    return Reply(
        f"{version.title} {version.version} is enabled here",
        tuple(lines),
        private=True,
        buttons=(Button(start, "Start a game", "good"),),
    )


@declare_command(
    "pack disable",
    "Switch a pack off; games that play it go on",
    PACK,
    example="few-acres",
    private=True,
    needs_game=True,
)
async def disable_pack(context: Context) -> Reply:
    """Switch a pack off: new games cannot be started with it. Raises UserError."""
    need_manager(context)
    version, active = await find_version(context)
    if version.id not in active:
        hint = phrase("What is: `/pack list`")
        raise UserError(
            f"{version.title} is not enabled here.", hint=hint, option="pack", code="no-change"
        )
    rest = {id: hash for id, hash in active.items() if id != version.id}
    context.commit.docs.append(
        await build_enabled_doc(context.store, get_server_key(context.command.where), rest)
    )
    lines = ("Games that were started with it go on.",)
    return Reply(f"{version.title} is switched off here", lines, private=True)


@declare_command(
    "pack export",
    "A pack as a zip, to keep, change or send on",
    PACK,
    example="few-acres",
    private=True,
    needs_game=True,
)
async def export_pack(context: Context) -> Reply:
    """A version as a zip."""
    version, _ = await find_version(context)
    pack = await _load_pack(context, version.hash)
    if is_private(decode_files(pack)):
        need_manager(context)
    name = f"{version.id}-{version.hash[:SHORT]}.zip"
    lines = (f"{len(pack.content)} files. Licence: {version.licence}.",)
    title = f"{version.title} {version.version} as a zip"
    return Reply(title, lines, private=True, files=(File(name, zip_content(pack.content)),))


@declare_command(
    "pack remove",
    "Take a version of a pack off this server; games that play it go on",
    PACK,
    example="few-acres",
    private=True,
    needs_game=True,
)
async def remove_pack(context: Context) -> Reply:
    """Take a version off the server; what games were played with stays readable."""
    need_manager(context)
    version, active = await find_version(context)
    server = get_server_key(context.command.where)
    context.commit.drop_docs.append((HERE, f"{server}/{version.hash}"))
    if active.get(version.id) == version.hash:
        rest = {id: hash for id, hash in active.items() if id != version.id}
        context.commit.docs.append(await build_enabled_doc(context.store, server, rest))
    lines = ("Games that were played with it stay, and go on.",)
    return Reply(f"{version.title} {version.version} is taken off this server", lines, private=True)


@declare_command(
    "pack add",
    "Bring your own game: it is checked, shown, and stays off until you enable it",
    build_optional(
        "file",
        "a zip, one YAML file, or a table (CSV, Excel, JSON)",
        type="file",
        values=(".zip", ".json", ".csv", ".tsv", ".txt", ".md", ".xlsx", *YAML),
    ),
    build_optional("text", "the pack as one text, pasted"),
    build_optional("deck", "the list of a SealDice file that is to be a deck of cards"),
    example='text="pack.yaml: {id: few-acres, title: A Few Acres}"',
    private=True,
    needs_game=True,
)
async def add_pack(context: Context) -> Reply:
    """Check a pack and keep it for this server; it is not enabled by that. Raises UserError."""
    need_manager(context)
    known = await need_room(context)
    options = context.clean_options()
    file = options["file"]
    found = await review_pack(
        context,
        review_file,
        *_get_sent_pack(context),
        str(options["deck"] or ""),
        get_file_name(file),
        get_file_note(file),
    )
    return await save_reviewed_pack(context, found, known)


async def need_room(context: Context) -> Sequence[PackVersion]:
    """Return the versions of packs that the server has. Raises UserError if it has enough."""
    known = await list_versions(context.store, get_server_key(context.command.where))
    if len(known) >= MOST_HERE:
        hint = phrase("Take one away first: `/pack remove`")
        raise UserError(
            f"This server has {MOST_HERE} packs, and no more are taken.", hint=hint, code="too-many"
        )
    return known


async def save_reviewed_pack(
    context: Context, found: Review, known: Sequence[PackVersion]
) -> Reply:
    """Keep the reviewed pack and return a reply that shows what is in it. One that is `known` is
    shown too, but not kept again. One with faults is not kept: the reply lists them.
    """
    if found.content is None or found.about is None:
        return build_refusal(found.report.faults)
    server = get_server_key(context.command.where)
    hash = compute_version(found.content)
    is_known = any(one.hash == hash for one in known)
    if not is_known:
        context.commit.docs += build_docs(found.content, found.about, server, context.now)
    active = (await load_enabled(context.store, server)).get(found.about.id)
    kept = "was here already" if is_known else "is checked and kept"
    return await _build_review_reply(
        context, found, hash, f"{found.about.title} {found.about.version} {kept}", active
    )


@declare_command(
    "pack show",
    "What is in a pack, and what looks odd in it",
    PACK,
    example="few-acres",
    private=True,
    needs_game=True,
)
async def show_pack(context: Context) -> Reply:
    """What is in a pack of this server."""
    version, active = await find_version(context)
    pack = await _load_pack(context, version.hash)
    found = await review_pack(context, review_content, dict(pack.content))
    if found.about is None:  # it passed once; the rules of packs have become stricter since
        return build_refusal(found.report.faults)
    return await _build_review_reply(
        context, found, version.hash, f"{version.title} {version.version}", active.get(version.id)
    )


@declare_button("packdraw", private=True)
async def press_picture(context: Context, hash: str) -> Reply:
    """The first table of a pack, drawn as it would be seen. Raises UserError."""
    known = await list_versions(context.store, get_server_key(context.command.where))
    if (
        not any(one.hash == hash for one in known)
        or not (pack := await _load_pack(context, hash)).tables
    ):
        raise make_missing_files_error()
    with use_systems(VisibleRulesets(load_shared_systems(), [pack])):
        return replace(
            await draw_table(context, f"{pack.id}/{next(iter(pack.tables))}", {}), private=True
        )


def _get_sent_pack(context: Context) -> tuple[bytes | None, str]:
    """The pack as it was sent: a zip, or a text. Raises UserError."""
    options = context.clean_options()
    given = (
        options["file"] if isinstance(options["file"], str) and options["file"] else options["text"]
    )
    text = str(given or "")
    is_zip = text.startswith(ZIPPED)
    # before it is unpacked
    _check_size((len(text) - len(ZIPPED)) // 4 * 3 - 2 if is_zip else len(text))
    if not text[:MAX_TEXT].strip():
        hint = "A zip with pack.yaml and game.yaml in it, one text with both, or a table of another program."
        raise UserError(
            "/pack add needs a file, or a pack as text.", hint=hint, option="file", code="missing"
        )
    zip = get_zip_data(text)
    _check_size(len(zip if zip is not None else text))
    return zip, "" if zip is not None else text


def _check_size(size: int) -> None:
    """Raise UserError for more bytes than a pack may have."""
    if size > MOST_BYTES:
        raise UserError(
            f"A pack has at most {MOST_BYTES // 1024} kB.", option="file", code="file-too-large"
        )


async def review_pack(context: Context, function: object, *arguments: object) -> Review:
    """What the worker finds; what takes too long or too much memory is a fault like any other."""
    try:
        found: Review = await context.run_in_pack_checker(
            function, *arguments, seconds=UNTRUSTED_SECONDS
        )
    except TooManyStates:
        fault = f"it takes more than {UNTRUSTED_SECONDS:g} seconds or too much memory to check: it is too costly"
        return Review(Report((fault,)))
    return found


def build_refusal(faults: Sequence[str]) -> Reply:
    """What is to be put right, file by file."""
    more = len(faults) - MOST_FAULTS
    lines: list[Part] = [*faults[:MOST_FAULTS], *([f"And {more} more."] if more > 0 else [])]
    lines.append(phrase("Nothing of it was kept. Once mended, send it again: `/pack add`"))
    things = "one thing has" if len(faults) == 1 else f"{len(faults)} things have"
    error = UserError(
        f"The pack was not taken: {things} to be put right", option="file", code="bad-pack"
    )
    return replace(build_error_reply(error), lines=tuple(lines))


def _list_understood_tables(found: Review) -> list[Part]:
    """Return how the tables from elsewhere were read, a line for each."""
    tables = found.understood
    if len(tables) == 1:
        tables = (tables[0].partition(": ")[2],)
    lines: list[Part] = [f"Read as: {line}" for line in tables[:MOST_UNDERSTOOD]]
    if len(found.understood) > MOST_UNDERSTOOD:
        lines.append(f"And {len(found.understood) - MOST_UNDERSTOOD} more tables.")
    return lines


def _list_questions(found: Review) -> list[Part]:
    """Return what to look at again, with a heading."""
    questions = found.report.questions
    if not questions:
        return []
    if found.understood:
        heading = "Hold this against your card:", "Hold these against your card:"
    else:
        heading = "One thing looks odd:", "These look odd but may be right:"
    lines: list[Part] = [heading[len(questions) > 1]]
    lines += [Phrase("- ", question) for question in questions[:MOST_QUESTIONS]]
    if len(questions) > MOST_QUESTIONS:
        lines.append(f"And {len(questions) - MOST_QUESTIONS} more.")
    return lines


async def _build_review_reply(
    context: Context, found: Review, hash: str, title: str, active: str | None
) -> Reply:
    """The review, with the picture of its first table as the channel has pictures, and *Enable*
    where another version, or none, is enabled."""
    about = found.about
    assert about is not None
    lines: list[Part] = []
    if not found.understood or about.author != NOT_SAID or about.licence != NOT_SAID:
        lines.append(f"By {about.author}. Licence: {about.licence}.")
    lines += [about.notice] if about.notice else []
    lines += [f"It changes {about.inherits} and has all else of it."] if about.inherits else []
    lines += (
        [f"It adds to games of {about.extends}, and changes nothing there."]
        if about.extends
        else []
    )
    for what, titles in (
        ("Tables", [title for _, title in found.tables]),
        ("Combat sequences", [title for _, title in found.sequences]),
        ("Scenarios", list(found.scenarios)),
    ):
        if titles or not found.understood:
            lines.append(f"{what}: {', '.join(titles) or 'none'}.")
    lines += [f"Decks: {', '.join(found.decks)}."] if found.decks else []
    lines += _list_understood_tables(found)
    lines += _list_questions(found)
    lines.append(Small(f"Version {hash[:8]}"))
    by = {None: "not enabled yet", hash: "enabled here"}.get(active, "another version is enabled")
    buttons = () if active == hash else (Button(f"packon:{hash}", "Enable", "primary"),)
    return await offer_picture(
        context,
        Reply(title, tuple(lines), by=by, private=True, buttons=buttons),
        f"packdraw:{hash}",
    )
