"""`/pack`: add, list, show, enable, disable, export and remove the packs of a server.

A server can have several versions of a pack, and enables at most one of them.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.commands.context import Context
from bot.commands.declare import declare_button, declare_command
from bot.commands.pictures import draw_system_table, offer_picture
from bot.packs.check import UNTRUSTED_SECONDS, Report
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
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.archive import MOST_BYTES, zip_content
from bot.rulesets.packs.pack import NOT_SAID, PackSystem, compute_version, decode_files, is_private
from bot.rulesets.system import System
from bot.ui.common_options import PACK, YAML, build_optional
from bot.ui.reply.packing import ZIPPED, get_file_name, get_file_note, get_zip_data
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import OPEN_FORM, Button, File, Menu, Reply, build_error_reply

MOST_FAULTS = 8
MOST_QUESTIONS = 8
MOST_UNDERSTOOD = 8


def need_manager(context: Context) -> None:
    """Raise UserError if the user may not choose the packs of a server, or if there is no server
    here.
    """
    if not context.command.where.server:
        hint = "Type it in a channel on the server that should have the pack."
        raise UserError(
            "Packs belong to a server or workspace, and you're in neither.",
            hint=hint,
            code="no-server",
        )
    if not context.command.who.manager:
        raise UserError(
            f"Only a {get_manager_word(context.command.where.key)} can choose the packs.",
            hint=phrase("Ask one of them. Anyone can see which packs are here: `/pack list`"),
            code="not-manager",
        )


async def find_version(
    context: Context, hash: str | None = None
) -> tuple[PackVersion, dict[str, str]]:
    """Return the version with this hash, or the one that was typed, and the enabled versions (hash
    by pack id).

    Raises UserError if this server does not have that version.
    """
    server = get_server_key(context.command.where)
    versions = await list_versions(context.store, server)
    enabled = await load_enabled(context.store, server)
    if hash is None:
        return choose_version(context.clean_options()["pack"], versions, enabled), enabled
    for version in versions:
        if version.hash == hash:
            return version, enabled
    raise UserError(
        "This server no longer has this pack.", hint="Add it again.", code="unknown-pack"
    )


async def _load_pack(context: Context, hash: str) -> PackSystem:
    """Load the pack with this hash. Raises UserError if its files are gone."""
    pack = await load_stored_pack(context.store, hash)
    if pack is None:
        raise make_missing_files_error()
    return pack


async def list_packs(
    context: Context, free_titles: Sequence[str], menus: tuple[Menu, ...]
) -> Reply:
    """List the packs of this server to the user alone.

    `free_titles` are those of the free packs that it can add by the `menus`.
    """
    server = get_server_key(context.command.where)
    versions = await list_versions(context.store, server)
    enabled = await load_enabled(context.store, server)
    lines: list[Part] = []
    for version in versions:
        is_enabled = enabled.get(version.id) == version.hash
        lines.append(_describe_version(version, is_enabled=is_enabled))
    title = f"{format_count(len(versions), 'pack')} here"
    if not versions:
        title = "No packs here yet"
        lines += [
            "A pack is a game of your own: tables, units and combat sequences as data.",
            phrase("A manager can add one, as a zip or as text: `/pack add`"),
        ]
    if free_titles:
        lines.append(f"Free to add: {' · '.join(free_titles)}")
    return Reply(title, tuple(lines), private=True, menus=menus)


def _describe_version(version: PackVersion, *, is_enabled: bool) -> str:
    """Return the line of a version in the list: `Little Wars · version 1 · enabled · id@hash`."""
    words = (
        version.title,
        f"version {version.version}",
        "enabled" if is_enabled else "",
        f"{version.id}@{version.hash[:SHORT]}",
    )
    return " · ".join(filter(None, words))


@declare_command(
    "pack enable",
    "Enable a pack: its commands work for everybody on this server",
    PACK,
    example="few-acres",
    private=True,
    needs_game=True,
)
@declare_button("packon", private=True)
async def enable_pack(context: Context, hash: str | None = None) -> Reply:
    """Enable a version of a pack on this server, in place of another version of it.

    It is the version with this hash (of a button under its review), or the one that was typed.
    Raises UserError for a user who is not a manager, and if the pack cannot be enabled.
    """
    need_manager(context)
    version, enabled = await find_version(context, hash)
    server = get_server_key(context.command.where)
    title = f"{version.title} {version.version} is enabled here"
    previous_hash = enabled.get(version.id)
    if previous_hash == version.hash:
        return Reply(title, private=True)
    if previous_hash is None and len(enabled) >= MOST_ENABLED:
        hint = phrase("Switch one off first: `/pack disable`")
        raise UserError(
            f"{MOST_ENABLED} packs are enabled here, which is the limit.",
            hint=hint,
            code="too-many",
        )
    if version.id in load_shared_systems():
        raise UserError(
            f"/{version.id} is already one of this bot's own commands.",
            hint="Give the pack another id in its pack.yaml and add it again.",
            option="pack",
            code="id-taken",
        )
    pack = await _load_pack(context, version.hash)
    if pack.base is not None:
        await _check_extension(context, pack, version, enabled)
    new_enabled = {**enabled, version.id: version.hash}
    context.commit.docs.append(await build_enabled_doc(context.store, server, new_enabled))
    lines = _list_next_steps(pack, version)
    if previous_hash is not None:
        lines.append("Games started with another version keep it.")
        lines.append(phrase("To update one: `/game settings pack={id}`", id=version.id))
    form = f"{OPEN_FORM}game start system={pack.home or version.id}"
    start_button = Button(form, "Start a game", "good")
    return Reply(title, tuple(lines), private=True, buttons=(start_button,))


async def _check_extension(
    context: Context, pack: PackSystem, version: PackVersion, enabled: dict[str, str]
) -> None:
    """Raise UserError if an extension cannot be in force together with the other enabled packs."""
    others: list[System] = [*load_shared_systems().values()]
    for id, hash in enabled.items():
        other_pack = await load_stored_pack(context.store, hash) if id != version.id else None
        if other_pack is not None:
            others.append(other_pack)
    check_joining(pack, others)


def _list_next_steps(pack: PackSystem, version: PackVersion) -> list[Part]:
    """Return the lines on how to use a pack that has just been enabled."""
    lines: list[Part] = [phrase("Its commands: `/help {id}`", id=version.id)]
    if pack.base is None:
        lines.append(phrase('Start a game: `/game start {id} "Our first"`', id=version.id))
        return lines
    title = pack.base.title
    lines.append(
        phrase("New games of {title} include it: `/game start {id}`", title=title, id=pack.home)
    )
    lines.append("A game in progress starts using the pack when its first unit needs it.")
    return lines


@declare_command(
    "pack disable",
    "Switch off a pack; games already using it can continue",
    PACK,
    example="few-acres",
    private=True,
    needs_game=True,
)
async def disable_pack(context: Context) -> Reply:
    """Disable a pack on this server: no new games can be started with it.

    Raises UserError for a user who is not a manager, and if it is not enabled.
    """
    need_manager(context)
    version, enabled = await find_version(context)
    if version.id not in enabled:
        hint = phrase("See which ones are: `/pack list`")
        raise UserError(
            f"{version.title} is not enabled here.", hint=hint, option="pack", code="no-change"
        )
    still_enabled = {id: hash for id, hash in enabled.items() if id != version.id}
    server = get_server_key(context.command.where)
    context.commit.docs.append(await build_enabled_doc(context.store, server, still_enabled))
    lines = ("Games started with it can continue.",)
    return Reply(f"{version.title} is switched off here", lines, private=True)


@declare_command(
    "pack export",
    "Get a pack as a zip, to keep, change or pass on",
    PACK,
    example="few-acres",
    private=True,
    needs_game=True,
)
async def export_pack(context: Context) -> Reply:
    """Return a version as a zip. Raises UserError for a private pack if the user is not a
    manager.
    """
    version, _ = await find_version(context)
    pack = await _load_pack(context, version.hash)
    if is_private(decode_files(pack)):
        need_manager(context)
    name = f"{version.id}-{version.hash[:SHORT]}.zip"
    lines = (f"{len(pack.content)} files. License: {version.licence}.",)
    title = f"{version.title} {version.version} as a zip"
    return Reply(title, lines, private=True, files=(File(name, zip_content(pack.content)),))


@declare_command(
    "pack remove",
    "Remove a version of a pack; games already using it can continue",
    PACK,
    example="few-acres",
    private=True,
    needs_game=True,
)
async def remove_pack(context: Context) -> Reply:
    """Remove a version of a pack from this server, and disable it. Games that were played with it
    stay readable.

    Raises UserError for a user who is not a manager.
    """
    need_manager(context)
    version, enabled = await find_version(context)
    server = get_server_key(context.command.where)
    context.commit.drop_docs.append((HERE, f"{server}/{version.hash}"))
    if enabled.get(version.id) == version.hash:
        still_enabled = {id: hash for id, hash in enabled.items() if id != version.id}
        context.commit.docs.append(await build_enabled_doc(context.store, server, still_enabled))
    lines = ("Games already using it can continue.",)
    return Reply(
        f"{version.title} {version.version} is removed from this server", lines, private=True
    )


@declare_command(
    "pack add",
    "Add your own game: checked, previewed, and off until you enable it",
    build_optional(
        "file",
        "a zip, one YAML file, or a table (CSV, Excel, JSON)",
        type="file",
        values=(".zip", ".json", ".csv", ".tsv", ".txt", ".md", ".xlsx", *YAML),
    ),
    build_optional("text", "the whole pack as pasted text"),
    build_optional("deck", "which list in a SealDice file to use as the deck"),
    example='text="pack.yaml: {id: few-acres, title: A Few Acres}"',
    private=True,
    needs_game=True,
)
async def add_pack(context: Context) -> Reply:
    """Check the pack that was sent and store it for this server. It is not enabled by that.

    Raises UserError for a user who is not a manager, and if the server has enough packs.
    """
    need_manager(context)
    versions = await need_room(context)
    options = context.clean_options()
    file = options["file"]
    review = await review_pack(
        context,
        review_file,
        *_get_sent_pack(context),
        str(options["deck"] or ""),
        get_file_name(file),
        get_file_note(file),
    )
    return await save_reviewed_pack(context, review, versions)


async def need_room(context: Context) -> Sequence[PackVersion]:
    """Return the versions of packs that the server has. Raises UserError if it has enough."""
    versions = await list_versions(context.store, get_server_key(context.command.where))
    if len(versions) >= MOST_HERE:
        hint = phrase("Remove one first: `/pack remove`")
        raise UserError(
            f"This server has {MOST_HERE} packs, which is the limit.", hint=hint, code="too-many"
        )
    return versions


async def save_reviewed_pack(
    context: Context, review: Review, versions: Sequence[PackVersion]
) -> Reply:
    """Store the reviewed pack, and return a reply that shows its contents.

    A version that is among `versions` is not stored again. A pack with faults is not stored: the
    reply lists them.
    """
    if review.content is None or review.about is None:
        return build_refusal(review.report.faults)
    server = get_server_key(context.command.where)
    hash = compute_version(review.content)
    is_stored = any(version.hash == hash for version in versions)
    if not is_stored:
        context.commit.docs += build_docs(review.content, review.about, server, context.now)
    enabled = await load_enabled(context.store, server)
    result = "is already here" if is_stored else "is checked and saved"
    title = f"{review.about.title} {review.about.version} {result}"
    return await _build_review_reply(context, review, hash, title, enabled.get(review.about.id))


@declare_command(
    "pack show",
    "What a pack contains, and anything that looks odd",
    PACK,
    example="few-acres",
    private=True,
    needs_game=True,
)
async def show_pack(context: Context) -> Reply:
    """Show the contents of a pack of this server, checked again by the present rules of packs.

    A pack with faults by these rules gets a reply that lists them. Raises UserError if this server
    does not have the pack, or if its files are gone.
    """
    version, enabled = await find_version(context)
    pack = await _load_pack(context, version.hash)
    review = await review_pack(context, review_content, dict(pack.content))
    if review.about is None:
        return build_refusal(review.report.faults)
    title = f"{version.title} {version.version}"
    enabled_hash = enabled.get(version.id)
    return await _build_review_reply(context, review, version.hash, title, enabled_hash)


@declare_button("packdraw", private=True)
async def press_picture(context: Context, hash: str) -> Reply:
    """Draw the first table of the pack with this hash, for the user alone.

    Raises UserError if this server does not have the pack, or if it has no table.
    """
    versions = await list_versions(context.store, get_server_key(context.command.where))
    if not any(version.hash == hash for version in versions):
        raise make_missing_files_error()
    pack = await _load_pack(context, hash)
    if not pack.tables:
        raise make_missing_files_error()
    first_table = next(iter(pack.tables))
    return replace(await draw_system_table(context, pack, first_table, {}), private=True)


def _get_sent_pack(context: Context) -> tuple[bytes | None, str]:
    """Return the pack that was sent, as (zip, "") or (None, text).

    Raises UserError if nothing was sent, and for a pack that is too large.
    """
    options = context.clean_options()
    file = options["file"]
    text = str(file) if isinstance(file, str) and file else str(options["text"] or "")
    size = len(text)
    if text.startswith(ZIPPED):
        # The least size of the zip, before it is decoded from Base64.
        size = (len(text) - len(ZIPPED)) // 4 * 3 - 2
    _check_size(size)
    if not text[:MAX_TEXT].strip():
        hint = "Send a zip with pack.yaml and game.yaml, one text with both, or a table from another program."
        raise UserError(
            "/pack add needs a file, or a pack as text.", hint=hint, option="file", code="missing"
        )
    zip_data = get_zip_data(text)
    if zip_data is None:
        _check_size(len(text))
        return None, text
    _check_size(len(zip_data))
    return zip_data, ""


def _check_size(size: int) -> None:
    """Raise UserError if the size is more than a pack may have. `size` is in bytes, or characters
    of a text.
    """
    if size > MOST_BYTES:
        raise UserError(
            f"A pack can be at most {MOST_BYTES // 1024} kB.", option="file", code="file-too-large"
        )


async def review_pack(context: Context, function: object, *arguments: object) -> Review:
    """Run a function of `bot.packs.review` in the pack checker process, and return its review.

    If that takes too long or too much memory, return a review with this fault.
    """
    try:
        review: Review = await context.run_in_pack_checker(
            function, *arguments, seconds=UNTRUSTED_SECONDS
        )
    except TooManyStates:
        fault = f"checking it takes more than {UNTRUSTED_SECONDS:g} seconds or too much memory"
        return Review(Report((fault,)))
    return review


def build_refusal(faults: Sequence[str]) -> Reply:
    """Return the refusal of a pack, with the first `MOST_FAULTS` of its faults."""
    lines: list[Part] = [*faults[:MOST_FAULTS]]
    left_out = len(faults) - MOST_FAULTS
    if left_out > 0:
        lines.append(f"And {left_out} more.")
    lines.append(phrase("Nothing was saved. Once it is fixed, send it again: `/pack add`"))
    things = "one thing has" if len(faults) == 1 else f"{len(faults)} things have"
    error = UserError(
        f"The pack was not added: {things} to be fixed", option="file", code="bad-pack"
    )
    return replace(build_error_reply(error), lines=tuple(lines))


def _list_understood_tables(review: Review) -> list[Part]:
    """Return a line on each table of another program: how it was read. At most `MOST_UNDERSTOOD`
    are listed.
    """
    tables = review.understood
    if len(tables) == 1:
        tables = (tables[0].partition(": ")[2],)
    lines: list[Part] = [f"Read as: {line}" for line in tables[:MOST_UNDERSTOOD]]
    if len(review.understood) > MOST_UNDERSTOOD:
        lines.append(f"And {len(review.understood) - MOST_UNDERSTOOD} more tables.")
    return lines


def _list_questions(review: Review) -> list[Part]:
    """Return the questions of the review for the author of the pack, below a heading.

    The first `MOST_QUESTIONS` are listed, the others only counted. [] if there are none.
    """
    questions = review.report.questions
    if not questions:
        return []
    if review.understood:
        heading = "Compare this with your card:", "Compare these with your card:"
    else:
        heading = "One thing looks odd:", "These look odd but may be right:"
    lines: list[Part] = [heading[len(questions) > 1]]
    lines += [Phrase("- ", question) for question in questions[:MOST_QUESTIONS]]
    if len(questions) > MOST_QUESTIONS:
        lines.append(f"And {len(questions) - MOST_QUESTIONS} more.")
    return lines


async def _build_review_reply(
    context: Context, review: Review, hash: str, title: str, enabled_hash: str | None
) -> Reply:
    """Return the reply that shows the contents of a pack, with the button *Enable* unless this
    version is enabled.

    `enabled_hash` is the version of the pack that is enabled here, or None. A picture of the first
    table is offered or shown as the channel has set it.
    """
    lines: list[Part] = [
        *_describe_origin(review),
        *_list_contents(review),
        *_list_understood_tables(review),
        *_list_questions(review),
        Small(f"Version {hash[:8]}"),
    ]
    status = "another version is enabled"
    if enabled_hash is None:
        status = "not enabled yet"
    elif enabled_hash == hash:
        status = "enabled here"
    buttons: tuple[Button, ...] = ()
    if enabled_hash != hash:
        buttons = (Button(f"packon:{hash}", "Enable", "primary"),)
    reply = Reply(title, tuple(lines), by=status, private=True, buttons=buttons)
    return await offer_picture(context, reply, f"packdraw:{hash}")


def _describe_origin(review: Review) -> list[Part]:
    """Return the lines on the author and licence of a pack, its notice, and the game that it
    changes or extends.
    """
    about = review.about
    assert about is not None
    lines: list[Part] = []
    if not review.understood or about.author != NOT_SAID or about.licence != NOT_SAID:
        lines.append(f"By {about.author}. License: {about.licence}.")
    if about.notice:
        lines.append(about.notice)
    if about.inherits:
        lines.append(f"It changes {about.inherits} and keeps the rest of it.")
    if about.extends:
        lines.append(f"It adds to {about.extends} without changing anything else in that game.")
    return lines


def _list_contents(review: Review) -> list[Part]:
    """Return a line on the tables, sequences, scenarios and decks of a pack.

    If it was read from tables of another program, kinds without an item are left out.
    """
    titles_by_kind = {
        "Tables": [title for _, title in review.tables],
        "Combat sequences": [title for _, title in review.sequences],
        "Scenarios": list(review.scenarios),
    }
    lines: list[Part] = []
    for kind, titles in titles_by_kind.items():
        if titles or not review.understood:
            lines.append(f"{kind}: {', '.join(titles) or 'none'}.")
    if review.decks:
        lines.append(f"Decks: {', '.join(review.decks)}.")
    return lines
