"""`/game settings` and `/setup`: settings of a game, of its channel, and of a server.

A game has optional rules and the version of its pack; a channel has its threads and pictures; a
server has its rule sets and linked channels.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.commands import pictures
from bot.commands.context import Context
from bot.commands.declare import declare_command
from bot.commands.games.link import unlink_channel
from bot.game.events import add_version, get_extensions, get_packs_in_force
from bot.game.ledger import Ledger
from bot.game.loaded_game import LoadedGame
from bot.game.rights import need_director
from bot.game.state import FULL, STRICT, Game, Json, is_strict
from bot.loading.load_game import load_game_by_id
from bot.loading.threads import (
    APART,
    build_separate_threads_doc,
    get_channel,
    has_separate_threads,
)
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
from bot.preferences.place_names import (
    get_local_id,
    is_private,
    list_places,
    load_place_names,
    name_place,
)
from bot.preferences.shared_seeks import list_link_lines
from bot.presentation.derived_inputs import list_rules_in_force
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option, clean
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.rule_sets import RuleSets
from bot.storage.records import Doc
from bot.ui.common_options import build_optional
from bot.ui.form.form_buttons import build_form_button
from bot.ui.reply.parts import Part
from bot.ui.reply.reply import Reply
from bot.verification.follows.event import format_pack_words, format_rule_words

ANSWER_LENGTHS = ("full", "compact")

_TYPED = re.compile(r"([\w-]+)(?:(?:\s*+[=:]\s*+|\s++)(\w+))?")
_HIDE = {"discord": "To hide a game's commands: Server Settings, Integrations, Grognard."}
"""Advice on hiding commands with the platform's own means, by platform."""


@declare_command(
    "game settings",
    "How this game is played: real dice, length of answers, game master and more",
    build_optional(
        "hand_dice",
        "allow dice rolled by hand",
        type="enum",
        values=("yes", "no"),
        label="Dice rolled by hand",
    ),
    build_optional(
        "answers",
        "long or short answers",
        type="enum",
        values=ANSWER_LENGTHS,
        label="Length of answers",
    ),
    build_optional(
        "confirm",
        "ask before the same shot is fired at another target",
        type="enum",
        values=("yes", "no"),
        label="Ask before the same shot",
    ),
    build_optional(
        "strict",
        "refuse a second shot, or one out of turn or phase",
        type="enum",
        values=("yes", "no"),
        label="Refuse shots out of order",
    ),
    build_optional("master", "the new game master", complete="player", label="Game master"),
    build_optional(
        "threads",
        "threads here play the channel's game, or their own",
        type="enum",
        values=("channel", "own"),
        label="Game in threads",
    ),
    build_optional(
        "pictures",
        "pictures of lookups and odds here",
        type="enum",
        values=("never", "on-demand", "always"),
    ),
    build_optional(
        "pack",
        "a different version of this game's pack",
        complete="pack",
        label="Version of the pack",
    ),
    build_optional(
        "rule",
        "an optional rule of the game, on or off: fog=on",
        complete="rule",
        label="Optional rule",
    ),
    example="answers=compact",
)
async def change_settings(context: Context) -> Reply:
    """Change the settings of the game and of its channel; without an option, list them.

    Raises UserError for a value that cannot be set, and for a user who does not direct the game.
    """
    options = context.clean_options()
    thread_text = await _set_thread_mode(context, options.pop("threads"))
    picture_text = await pictures.save_picture_mode(context, options.pop("pictures"))
    channel_texts = [text for text in (thread_text, picture_text) if text]
    if not any(options.values()):
        if channel_texts:
            return Reply(f"{context.user_name}: {', '.join(channel_texts)}")
        return await _list_settings(context)
    game = context.open_game()
    need_director(game, context.actor, "change its settings")
    game_after, texts = _change_ways_of_play(game, options)
    if options["rule"]:
        game_after, rule_text = _switch_rule(context, game_after, options["rule"])
        texts.append(rule_text)
    # No name may be in the log, because nobody could delete it there.
    log_texts = [*texts]
    if options["master"]:
        game_after = replace(game_after, master=_find_person(context, options["master"]))
        texts.append(f"{context.ledger.get_name(game_after.master)} is game master")
        if game_after.master != game.master:
            log_texts.append("another game master")
    if options["pack"]:
        game_after, pack_text = await _switch_pack_version(context, game_after, options["pack"])
        texts.append(pack_text)
        log_texts.append(pack_text)
    context.ledger.add("settings", game_after, result=", ".join(log_texts))
    lines: tuple[Part, ...] = ()
    if _begins_card_led_phases(context, game, game_after):
        lines = (
            phrase(
                "Cards lead this phase the next time it starts, or as soon as you type `/deck draw`."
            ),
        )
    return Reply(f"{context.user_name}: {', '.join([*texts, *channel_texts])}", lines)


def _change_ways_of_play(game: Game, options: Mapping[str, Any]) -> tuple[Game, list[str]]:
    """Return the game with the options on real dice, answers, confirmation and strict rules, and a
    text for each.

    Strict rules have a text only if they change; the other options have one whenever they are
    typed. Raises UserError if strict rules and another rule are switched together.
    """
    game_after = game
    texts = []
    if options["hand_dice"]:
        game_after = replace(game_after, hand_dice=options["hand_dice"] == "yes")
        texts.append(f"real dice {'allowed' if game_after.hand_dice else 'not allowed'}")
    if options["answers"]:
        game_after = replace(game_after, answers=options["answers"])
        texts.append(f"{game_after.answers} answers")
    if options["confirm"]:
        game_after = replace(game_after, confirm=options["confirm"] == "yes")
        texts.append(f"other targets {'confirmed' if game_after.confirm else 'at once'}")
    if options["strict"] and (options["strict"] == "yes") != is_strict(game_after):
        if options["rule"]:
            raise UserError(
                "You can only switch one rule at a time.",
                hint="Leave out the rule option.",
                option="rule",
                code="not-together",
            )
        rules = {**game_after.rules, STRICT: not is_strict(game_after)}
        game_after = replace(game_after, rules=rules)
        texts.append(format_rule_words(game.rules, rules))
    return game_after, texts


def _begins_card_led_phases(context: Context, game: Game, game_after: Game) -> bool:
    """Return whether a rule by which cards lead a phase has just been switched on."""
    if context.system is None:
        return False
    leading_rules = [rule.name for rule in context.system.rules.values() if rule.leads]
    return any(game_after.rules.get(name) and not game.rules.get(name) for name in leading_rules)


async def _list_settings(context: Context) -> Reply:
    """List the settings of the game and its channel for the user alone, with a button that opens
    their form.

    Raises UserError if no game is played here.
    """
    game = context.need_game()
    has_own_threads = await has_separate_threads(context.store, get_channel(context.command.where))
    real_dice = "allowed" if game.hand_dice else "not allowed"
    answers = "long" if game.answers == FULL else "short"
    other_target = "asked about first" if game.confirm else "fired at once"
    second_shot = "refused" if is_strict(game) else "rolled, with a remark"
    master = context.ledger.get_name(game.master) if game.master else "nobody"
    threads = "games of their own" if has_own_threads else "this channel's game"
    picture_mode = await pictures.load_picture_mode(context)
    lines = (
        f"Real dice and cards: {real_dice}",
        f"Answers: {answers}",
        f"The same shot at another target: {other_target}",
        f"A second shot, or one out of turn or phase: {second_shot}",
        f"Game master: {master}",
        f"Threads in this channel play: {threads}",
        f"Pictures of lookups and odds: {picture_mode.replace('-', ' ')}",
        *_list_rules(context, game),
        *await _list_pack_versions(context, game),
    )
    change = build_form_button(("game", "settings"), {}, "Change…", context.registry)
    return Reply("Settings of this game", lines, private=True, buttons=(change,))


def _find_person(context: Context, name: str) -> str:
    """Return the person of this game with that name, mention or platform id.

    Raises UserError if nobody or several present persons are called that.
    """
    folded = comparison_key(name.strip().removeprefix("@").strip("<@!>"))
    rows = [context.ledger.persons[person] for person in context.ledger.list_present_persons()]
    matches = [row for row in rows if folded == row.user.casefold()]
    if not matches:
        for row in rows:
            platform_id = row.user.casefold().rpartition(":")[2]
            if folded in (comparison_key(row.name), platform_id):
                matches.append(row)
    if len(matches) == 1:
        return matches[0].person
    if matches:
        choices = ", ".join(f"master={row.user}" for row in matches[:5])
        raise UserError(
            f'Several people are called "{name[:40]}".',
            hint=f"Type which: {choices}.",
            option="master",
            code="unclear-person",
        )
    near_name = did_you_mean(name, [row.name for row in rows])
    raise UserError(
        f'Nobody called "{name[:40]}" has taken part in this game.',
        hint=near_name or "The new game master has to join or roll here first.",
        option="master",
        code="unknown-person",
    )


async def _set_thread_mode(context: Context, mode: str | None) -> str:
    """Let the threads of this channel play games of their own (`own`), or its game (`channel`).

    Return a text on that, or "" without a mode. Raises UserError for a user who does not direct
    the game that is played here.
    """
    if not mode:
        return ""
    if context.ledger.row:
        need_director(context.game, context.actor, "change its settings")
    channel = get_channel(context.command.where)
    were_separate = await has_separate_threads(context.store, channel)
    if mode == "own" and not were_separate:
        context.commit.docs.append(build_separate_threads_doc(channel))
    elif mode == "channel" and were_separate:
        context.commit.drop_docs.append((APART, channel.key))
    if mode == "own":
        return "threads play games of their own"
    return "threads share this channel's game"


def _switch_rule(context: Context, game: Game, typed: str) -> tuple[Game, str]:
    """Return the game with an optional rule on or off, as typed (`rule=off`), and the text for the
    log.

    Raises UserError for a rule that the rule set does not have, and if it is on or off already.
    """
    system = context.system
    if system is None:
        raise UserError(
            "There's no game here yet, so there are no optional rules.",
            hint="Start a game first.",
            option="rule",
            code="no-system",
        )
    rules = system.rules
    if not rules:
        raise UserError(
            f"{system.title} has no optional rules.", option="rule", code="not-in-system"
        )
    match = _TYPED.fullmatch(comparison_key(typed))
    rule = rules.get(match[1].replace("_", "-")) if match else None
    if match is None or rule is None:
        near_rule = did_you_mean(match[1] if match else typed, rules)
        raise UserError(
            f'{system.title} has no rule "{typed[:40]}".',
            hint=near_rule or f"Its rules: {', '.join(rules)}.",
            option="rule",
            code="bad-value",
        )
    is_on = _read_switch(match[2] or "on", rule.name)
    was_on = rule in list_rules_in_force(system, game)
    if is_on == was_on:
        state = "on" if is_on else "off"
        raise UserError(f"{rule.title} is already {state}.", option="rule", code="no-change")
    new_rules = {**game.rules, rule.name: is_on}
    return replace(game, rules=new_rules), format_rule_words(game.rules, new_rules)


def _read_switch(typed: str, rule: str) -> bool:
    """Return whether the word after a rule switches it on. Raises UserError for a word that is
    neither.
    """
    try:
        return bool(clean(Option("rule", "bool"), typed))
    except UserError:
        hint = phrase("For example: `/game settings rule={rule}=off`", rule=rule)
        raise UserError(
            f'A rule is on or off, not "{typed[:40]}".', hint=hint, option="rule", code="bad-value"
        ) from None


def _list_rules(context: Context, game: Game) -> list[str]:
    """Return a line for each optional rule of the rule set: whether it is on, and its help."""
    system = context.system
    rules_in_force = list_rules_in_force(system, game)
    rules = system.rules.values() if system is not None else ()
    lines = []
    for rule in rules:
        state = "on" if rule in rules_in_force else "off"
        help_text = f" ({rule.help})" if rule.help else ""
        lines.append(f"{rule.title}: {state}{help_text}")
    return lines


async def _switch_pack_version(context: Context, game: Game, typed: str) -> tuple[Game, str]:
    """Return the game with the typed version of its pack, or of an extension, and the text for the
    log.

    Raises UserError for an unknown version, one of another game, and one that is in force already.
    """
    server = get_server_key(context.command.where)
    host_packs = list_host_packs()
    versions = [*host_packs, *await list_versions(context.store, server)]
    version = choose_version(typed, versions, await load_enabled(context.store, server))
    pack = host_packs.get(version) or await load_stored_pack(context.store, version.hash)
    pack_game = version.id if pack is None else pack.home
    if pack_game != game.system:
        name = context.system.title if context.system is not None else "no game yet"
        message = f"{version.title} is a different game from the one played here: {name}."
        if pack is not None:
            message = describe_exclusion(pack, game.system, context.systems) or message
        raise UserError(message, option="pack", code="other-system")
    if get_packs_in_force(game, context.systems).get(version.id) == version.hash:
        raise UserError(f"This game already uses {version.label}.", option="pack", code="no-change")
    if pack is None:
        raise make_missing_files_error()
    if pack.base is not None:
        other_packs = (
            context.systems.find_version(hash)
            for id, hash in get_packs_in_force(game, context.systems).items()
            if id != version.id
        )
        check_joining(pack, filter(None, other_packs))
    new_packs = add_version(game.packs, version.hash)
    return replace(game, packs=new_packs), format_pack_words(new_packs)


async def _list_pack_versions(context: Context, game: Game) -> list[str]:
    """Return a line for each pack in force in the game, with the label of its version."""
    versions = list(list_host_packs())
    if game.packs:
        server = get_server_key(context.command.where)
        versions += await list_versions(context.store, server)
    labels = {version.hash: version.label for version in versions}
    extended_games = get_extensions(Game(""), game.packs, context.systems)
    lines = []
    for hash in get_packs_in_force(game, context.systems).values():
        label = labels.get(hash, hash[:SHORT])
        role = "in use"
        if hash in extended_games:
            role = f"extends {extended_games[hash]}"
        lines.append(f"Pack {label}: {role}")
    return lines


@declare_command(
    "setup systems",
    "Which games are enabled here",
    build_optional("systems", "games to enable, or all", complete="systems", label="Games"),
    example="lnlt ucn",
    title="Games",
    verb="Save",
    private=True,
    needs_game=True,
)
async def choose_systems(context: Context) -> Reply:
    """Set the rule sets that this server uses, as typed; without an option, list them for the user
    alone.

    Raises UserError for an unknown rule set, and for a user who is not a manager.
    """
    options = context.clean_options()
    games = load_shared_systems()
    server = context.command.where.server or context.command.where.key
    platform = server.partition(":")[0]
    advice = [_HIDE[platform]] if platform in _HIDE else []
    doc = await context.store.load_doc(SETUP, server)
    setup = doc.data if doc is not None else {}
    if not options["systems"]:
        lines = [*_list_systems_and_packs(games, setup)]
        lines += [phrase("Change: `/setup systems lnlt ucn`, or all."), *advice]
        seed = await context.get_next_seed()
        lines.append(f"Commitment to the dice for the next free play: {seed.commitment}")
        return Reply("Games you can play here", tuple(lines), private=True)
    if not context.command.who.manager:
        raise NotManager("choose the games", context.command.where)
    pieces = re.split(r"[\s,;]+", comparison_key(options["systems"]))
    typed_ids = [piece for piece in pieces if piece]
    chosen = list(games) if typed_ids == ["all"] else list(dict.fromkeys(typed_ids))
    for id in chosen:
        if id not in games:
            raise UserError(
                f'No game called "{id[:40]}".',
                hint=did_you_mean(id, games) or f"Games: {', '.join(games)}.",
                option="systems",
                code="unknown-system",
            )
    context.commit.docs.append(Doc(SETUP, server, {**setup, "systems": chosen}, None, server))
    if len(chosen) < len(games):
        warning = "Commands of the other games no longer work here."
        advice = [warning, *advice]
    return Reply(f"Enabled here: {', '.join(chosen)}", tuple(advice), private=True)


def _list_systems_and_packs(games: RuleSets, setup: Json) -> list[str]:
    """Return a line for each rule set of the bot, and one for the packs of the server's `setup`."""
    enabled = setup.get("systems", list(games))
    lines = []
    for id, game in games.items():
        note = "" if id in enabled else " (not enabled)"
        lines.append(f"{id}: {game.title}{note}")
    packs = setup.get("packs") or {}
    if packs:
        lines.append(phrase("Packs: {packs}. `/pack list` shows them.", packs=", ".join(packs)))
    return lines


@declare_command(
    "setup links",
    "Channels here that share a game with others",
    build_optional("end", "id of the channel to unlink, as listed"),
    private=True,
    needs_game=True,
)
async def manage_links(context: Context) -> Reply:
    """List the linked channels of this server, or with the option `end` end the link of one.

    Private conversations are left out. Raises UserError for a user who is not a manager, and for
    an unknown channel.
    """
    if not context.command.who.manager:
        raise NotManager("see and remove links here", context.command.where)
    current_channel = context.command.where
    typed = context.clean_options()["end"]
    shared_games = await context.store.list_shared_games(
        current_channel.server or current_channel.key
    )
    linked = {
        get_local_id(channel): (channel, row)
        for channel, row in shared_games
        if not is_private(channel)
    }
    if typed:
        return await _end_link(context, linked, typed.strip().strip("<#>"))
    lines: list[Part] = []
    for id, (channel, row) in linked.items():
        loaded = await _load_linked_game(context, row)
        names = await load_place_names(context.store, loaded.places)
        name = name_place(channel, names.get(channel, ""), current_channel.key)
        other_channels = [other for other in loaded.places if other != channel]
        others = list_places(other_channels, names, current_channel.key)
        title = f'"{loaded.game.name}"' if loaded.game.name else "free play"
        lines.append(f"{name}: {title}, also played from {others}.")
        lines.append(phrase("To end that, type: `/setup links {id}`", id=id))
    server = current_channel.server or current_channel.key
    lines += await list_link_lines(context.store, server, current_channel.key)
    return Reply("Linked channels", tuple(lines) or ("No channels here are linked.",), private=True)


async def _end_link(context: Context, linked: dict[str, tuple[str, str]], id: str) -> Reply:
    """End the link of the channel with this id, and post that in all channels of its game.

    `linked` maps the ids of linked channels to (channel key, row of the game). Raises UserError
    for another id.
    """
    if id not in linked:
        raise UserError(
            f'No linked channel "{id[:40]}" here.',
            hint=phrase("`/setup links` lists them."),
            option="end",
            code="unknown-channel",
        )
    channel, row = linked[id]
    ledger = context.ledger
    if not ledger.row or ledger.row != row:
        ledger = Ledger(
            await _load_linked_game(context, row), context.ledger.writer, context.systems
        )
        context.other_ledgers.append(ledger)
    notice = await unlink_channel(context, ledger, channel)
    plays_here = context.command.where.key in ledger.places
    return Reply(
        "The link has ended",
        notice.lines,
        private=True,
        announce=notice if plays_here else None,
    )


async def _load_linked_game(context: Context, row: str) -> LoadedGame:
    """Load the game with this id. Raises UserError if it has been deleted."""
    loaded = await load_game_by_id(context.store, row)
    if loaded is None:
        raise UserError("That game has just been deleted.", hint="Try again.", code="game-changed")
    return loaded
