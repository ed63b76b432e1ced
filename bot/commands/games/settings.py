"""`/game settings`: how the game is played and answered, by which optional rules and version of its
pack; and what holds for the channel, whatever is played in it. `/setup`: which systems a server
uses, and which of its channels are linked."""

import re
from dataclasses import replace

from bot.commands import pictures
from bot.commands.context import Context
from bot.commands.games.link import unlink_place
from bot.game.events import add_version, get_extensions, get_packs_in_force
from bot.game.game_cache import LoadedGame, load_game_by_id
from bot.game.ledger import Ledger
from bot.game.rights import need_director
from bot.game.state import FULL, STRICT, Game, is_strict
from bot.packs.pack_store import (
    SETUP,
    SHORT,
    check_joining,
    choose_version,
    describe_exclusion,
    get_server_key,
    list_host_packs,
    list_versions,
    load_enabled,
    load_stored_pack,
    make_missing_files_error,
)
from bot.preferences.enabled_packs import NotManager
from bot.preferences.forms import build_form_button
from bot.preferences.place_names import (
    get_local_id,
    is_private,
    list_places,
    load_place_names,
    name_place,
)
from bot.preferences.threads import (
    APART,
    build_separate_threads_doc,
    get_channel,
    has_separate_threads,
)
from bot.presentation.derived_inputs import list_rules_in_force
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option, clean
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import find_pack_version, load_shared_systems
from bot.rulesets.catalog import get_systems as all_systems
from bot.storage.records import Doc
from bot.ui.reply.reply import Reply
from bot.verification.follows.event import format_pack_words, format_rule_words

_TYPED = re.compile(r"([\w-]+)(?:(?:\s*+[=:]\s*+|\s++)(\w+))?")
_HIDE = {"discord": "To hide a game's commands: Server Settings, Integrations, Grognard."}
"""How a server hides commands by itself, where its platform lets it."""


async def change_settings(context: Context) -> Reply:
    """How the game is played and answered. Raises UserError."""
    options = context.clean_options()
    threads = await _set_thread_mode(context, options.pop("threads"))
    drawn = await pictures.save_picture_mode(context, options.pop("pictures"))
    threads = ", ".join(filter(None, (threads, drawn)))
    if threads and not any(options.values()):
        return Reply(f"{context.user_name}: {threads}")
    if not any(options.values()):
        return await _list_settings(context)
    game = context.open_game()
    need_director(game, context.actor, "change its settings")
    after = game
    told = []
    if options["hand_dice"]:
        after = replace(after, hand_dice=options["hand_dice"] == "yes")
        told.append(f"real dice {'allowed' if after.hand_dice else 'not allowed'}")
    if options["answers"]:
        after = replace(after, answers=options["answers"])
        told.append(f"{after.answers} answers")
    if options["confirm"]:
        after = replace(after, confirm=options["confirm"] == "yes")
        told.append(f"other targets {'confirmed' if after.confirm else 'at once'}")
    if options["strict"] and (options["strict"] == "yes") != is_strict(after):
        if options["rule"]:
            raise UserError(
                "You can only switch one rule at a time.",
                hint="Leave out rule.",
                option="rule",
                code="not-together",
            )
        after = replace(after, rules={**after.rules, STRICT: not is_strict(after)})
        told.append(format_rule_words(game.rules, after.rules))
    if options["rule"]:
        after, said = _switch_rule(context, after, options["rule"])
        told.append(said)
    if options["master"]:
        after = replace(after, master=_find_person(context, options["master"]))
    if options["pack"]:
        after, said = await _switch_pack_version(context, after, options["pack"])
        told.append(said)
    # No name may be in the chain, which nobody could delete there.
    last = [told.pop()] if options["pack"] else []
    noted = [*told, *(["another game master"] if after.master != game.master else []), *last]
    if options["master"]:
        told = [*told, f"{context.ledger.get_name(after.master)} is game master"]
    told += last
    rules = context.system.rules.values() if context.system is not None else ()
    leads = any(
        rule.leads and after.rules.get(rule.name) and not game.rules.get(rule.name)
        for rule in rules
    )
    first = phrase(
        "Cards lead this phase the next time it starts, or as soon as you type `/deck draw`."
    )
    context.ledger.add("settings", after, result=", ".join(noted))
    return Reply(
        f"{context.user_name}: {', '.join([*told, threads] if threads else told)}",
        (first,) if leads else (),
    )


async def _list_settings(context: Context) -> Reply:
    """Return the settings in words, for the asker alone, with a button that opens their form."""
    game = context.need_game()
    own = await has_separate_threads(context.store, get_channel(context.command.where))
    master = context.ledger.get_name(game.master) if game.master else "nobody"
    when = "refused" if is_strict(game) else "played, with a remark"
    lines = (
        f"Real dice and cards: {'allowed' if game.hand_dice else 'not allowed'}",
        f"Answers: {'long' if game.answers == FULL else 'short'}",
        f"The same shot at another target: {'asked about first' if game.confirm else 'fired at once'}",
        f"A second shot, or one out of turn or phase: {when}",
        f"Game master: {master}",
        f"Threads of this channel play: {'games of their own' if own else 'its game'}",
        f"Pictures of look-ups and odds: {(await pictures.load_picture_mode(context)).replace('-', ' ')}",
        *_list_rules(context, game),
        *await _list_pack_versions(context, game),
    )
    change = build_form_button(("game", "settings"), {}, "Change…", context.registry)
    return Reply("Settings of this game", lines, private=True, buttons=(change,))


def _find_person(context: Context, name: str) -> str:
    """The person of this game with that name, or platform id. Raises UserError."""
    folded = comparison_key(name.strip().removeprefix("@").strip("<@!>"))
    rows = [context.ledger.persons[person] for person in context.ledger.list_present_persons()]
    exact = [row for row in rows if folded == row.user.casefold()]
    found = exact or [
        row
        for row in rows
        if folded in (comparison_key(row.name), row.user.casefold().rpartition(":")[2])
    ]
    if len(found) == 1:
        return found[0].person
    if found:
        hint = f"Type which: {', '.join(f'master={row.user}' for row in found[:5])}."
        what = f'Several people are called "{name[:40]}".'
        raise UserError(what, hint=hint, option="master", code="unclear-person")
    hint = (
        did_you_mean(name, [row.name for row in rows])
        or "The new game master has to join or roll here first."
    )
    what = f'Nobody called "{name[:40]}" has taken part in this game.'
    raise UserError(what, hint=hint, option="master", code="unknown-person")


async def _set_thread_mode(context: Context, wanted: str | None) -> str:
    """What to say of the channel's threads, which play its game (`channel`) or games of their own;
    "" where nothing was asked."""
    if not wanted:
        return ""
    if context.ledger.row:
        need_director(context.game, context.actor, "change its settings")
    channel = get_channel(context.command.where)
    was_apart = await has_separate_threads(context.store, channel)
    if wanted == "own" and not was_apart:
        context.commit.docs.append(build_separate_threads_doc(channel))
    elif wanted == "channel" and was_apart:
        context.commit.drop_docs.append((APART, channel.key))
    return (
        "threads play games of their own" if wanted == "own" else "threads play this channel's game"
    )


def _switch_rule(context: Context, game: Game, typed: str) -> tuple[Game, str]:
    """The game with a rule on or off, and what the log says of that. Raises UserError."""
    system = context.system
    if system is None:
        raise UserError(
            "No system is played here yet.",
            hint="Start a game first.",
            option="rule",
            code="no-system",
        )
    rules = system.rules
    if not rules:
        raise UserError(
            f"{system.title} has no optional rules.", option="rule", code="not-in-system"
        )
    found = _TYPED.fullmatch(comparison_key(typed))
    rule = rules.get(found[1].replace("_", "-")) if found else None
    if found is None or rule is None:
        hint = (
            did_you_mean(found[1] if found else typed, rules) or f"Its rules: {', '.join(rules)}."
        )
        raise UserError(
            f'{system.title} has no rule "{typed[:40]}".',
            hint=hint,
            option="rule",
            code="bad-value",
        )
    on = _read_switch(found[2] or "on", rule.name)
    if on == (rule in list_rules_in_force(system, game)):
        raise UserError(
            f"{rule.title} is {'on' if on else 'off'} already.", option="rule", code="no-change"
        )
    after = {**game.rules, rule.name: on}
    return replace(game, rules=after), format_rule_words(game.rules, after)


def _read_switch(typed: str, rule: str) -> bool:
    """Return whether a rule is switched on by the word after it. Raises UserError."""
    try:
        return bool(clean(Option("rule", "bool"), typed))
    except UserError:
        hint = phrase("For example: `/game settings rule={rule}=off`", rule=rule)
        raise UserError(
            f'A rule is on or off, not "{typed[:40]}".', hint=hint, option="rule", code="bad-value"
        ) from None


def _list_rules(context: Context, game: Game) -> list[str]:
    """Return the optional rules of the game that is played, each with what it does."""
    system = context.system
    now = list_rules_in_force(system, game)
    rules = system.rules.values() if system is not None else ()
    return [
        f"{rule.title}: {'on' if rule in now else 'off'}{f' ({rule.help})' if rule.help else ''}"
        for rule in rules
    ]


async def _switch_pack_version(context: Context, game: Game, wanted: str) -> tuple[Game, str]:
    """The game with another version of its pack, and what the log says of that. Raises
    UserError.
    """
    server = get_server_key(context.command.where)
    hosts = list_host_packs()
    known = [*hosts, *await list_versions(context.store, server)]
    version = choose_version(wanted, known, await load_enabled(context.store, server))
    pack = hosts.get(version) or await load_stored_pack(context.store, version.hash)
    if (version.id if pack is None else pack.home) != game.system:
        name = context.system.title if context.system is not None else "no system yet"
        why = describe_exclusion(pack, game.system, all_systems()) if pack is not None else ""
        other = f"{version.title} is another game than is played here: {name}."
        raise UserError(why or other, option="pack", code="other-system")
    if get_packs_in_force(game).get(version.id) == version.hash:
        raise UserError(
            f"This game is played with {version.label}.", option="pack", code="no-change"
        )
    if pack is None:
        raise make_missing_files_error()
    if pack.base is not None:
        played = (
            find_pack_version(hash)
            for id, hash in get_packs_in_force(game).items()
            if id != version.id
        )
        check_joining(pack, filter(None, played))
    after = add_version(game.packs, version.hash)
    return replace(game, packs=after), format_pack_words(after)


async def _list_pack_versions(context: Context, game: Game) -> list[str]:
    """The versions of packs in force, as they are told from others; nothing for a game without
    one.
    """
    known = (
        await list_versions(context.store, get_server_key(context.command.where))
        if game.packs
        else []
    )
    named = {one.hash: one.label for one in (*list_host_packs(), *known)}
    extends = get_extensions(Game(""), game.packs)
    what = {hash: f"extends {of}" for hash, of in extends.items()}
    hashes = get_packs_in_force(game).values()
    return [
        f"Pack {named.get(hash, hash[:SHORT])}: {what.get(hash, 'what it is played with')}"
        for hash in hashes
    ]


async def choose_systems(context: Context) -> Reply:
    """Show or set the systems of this server. Raises UserError."""
    options = context.clean_options()
    games = load_shared_systems()
    server = context.command.where.server or context.command.where.key
    hide = [_HIDE[platform]] if (platform := server.partition(":")[0]) in _HIDE else []
    doc = await context.store.load_doc(SETUP, server)
    before = doc.data if doc is not None else {}
    if not options["systems"]:
        enabled = before.get("systems", list(games))
        packs = before.get("packs") or {}
        lines = [
            f"{id}: {game.title}{'' if id in enabled else ' (not enabled)'}"
            for id, game in games.items()
        ]
        if packs:
            lines.append(phrase("Packs: {packs}. `/pack list` shows them.", packs=", ".join(packs)))
        lines += [phrase("Change: `/setup systems lnlt ucn`, or all."), *hide]
        lines.append(
            f"Commitment to the dice of the next free play: {(await context.get_next_seed()).commitment}"
        )
        return Reply("Systems here", tuple(lines), private=True)
    if not context.command.who.manager:
        raise NotManager("choose the rule sets", context.command.where)
    words = [word for word in re.split(r"[\s,;]+", comparison_key(options["systems"])) if word]
    chosen = list(games) if words == ["all"] else list(dict.fromkeys(words))
    for word in chosen:
        if word not in games:
            hint = did_you_mean(word, games) or f"Systems: {', '.join(games)}."
            raise UserError(
                f'No system "{word[:40]}".', hint=hint, option="systems", code="unknown-system"
            )
    context.commit.docs.append(Doc(SETUP, server, {**before, "systems": chosen}, None, server))
    others = (
        ["Commands of the other games now answer that they are not enabled here."]
        if len(chosen) < len(games)
        else []
    )
    return Reply(f"Enabled here: {', '.join(chosen)}", (*others, *hide), private=True)


async def manage_links(context: Context) -> Reply:
    """The channels of this server whose rolls are seen elsewhere; `end` ends that for one of
    them. Raises UserError.
    """
    if not context.command.who.manager:
        raise NotManager("see and end links here", context.command.where)
    where = context.command.where
    wanted = context.clean_options()["end"]
    found = await context.store.list_shared_games(where.server or where.key)
    linked = {get_local_id(place): (place, game) for place, game in found if not is_private(place)}
    if wanted:
        return await _end_link(context, linked, wanted.strip().strip("<#>"))
    lines = []
    for id, (place, game) in linked.items():
        loaded = await _load_linked_game(context, game)
        names = await load_place_names(context.store, loaded.places)
        others = list_places([other for other in loaded.places if other != place], names, where.key)
        title = f'"{loaded.game.name}"' if loaded.game.name else "free play"
        lines.append(
            f"{name_place(place, names.get(place, ''), where.key)}: {title}, also played from {others}."
        )
        lines.append(phrase("To end that, type: `/setup links {id}`", id=id))
    return Reply("Linked channels", tuple(lines) or ("There are none.",), private=True)


async def _end_link(context: Context, linked: dict[str, tuple[str, str]], wanted: str) -> Reply:
    if wanted not in linked:
        what = f'No linked channel "{wanted[:40]}" here.'
        hint = phrase("`/setup links` lists them.")
        raise UserError(what, hint=hint, option="end", code="unknown-channel")
    place, game = linked[wanted]
    ledger = context.ledger
    if not ledger.row or ledger.row != game:
        ledger = Ledger(await _load_linked_game(context, game), context.ledger.writer)
        context.other_ledgers.append(ledger)
    told = await unlink_place(context, ledger, place)
    here_too = context.command.where.key in ledger.places
    return Reply(
        "The link has ended", told.lines, private=True, announce=told if here_too else None
    )


async def _load_linked_game(context: Context, game: str) -> LoadedGame:
    if (loaded := await load_game_by_id(context.store, game)) is None:
        raise UserError("That game has just been deleted.", hint="Try again.", code="game-changed")
    return loaded
