"""The texts of `grognard --help` and `grognard COMMAND --help`."""

COMMANDS: dict[str, tuple[str, str, str, str]] = {
    "play": (
        "[--as NAME]",
        "play in the console: every command, one channel, saved games",
        "Reads lines from a terminal or a pipe; `as NAME` switches to another player, "
        "`source FILE` runs the lines of a file, `quit` leaves. Exit status 1 if a command from a pipe was refused.",
        "grognard play --as Anna",
    ),
    "systems": (
        "",
        "list the games that Grognard knows",
        "One line each: id and title.",
        "grognard systems",
    ),
    "tables": (
        "SYSTEM",
        "list a game's tables",
        "One line each: id, title and inputs.",
        "grognard tables lnlt",
    ),
    "sequences": (
        "SYSTEM",
        "list a game's combat sequences",
        "One line each: id, title and inputs.",
        "grognard sequences lnlt",
    ),
    "lookup": (
        "SYSTEM TABLE key=value ... [--json]",
        "read a table",
        "A bare word switches an option on. --json prints only the outputs, as one object.",
        "grognard lookup lnlt melee-odds attack=7 defense=5",
    ),
    "resolve": (
        "SYSTEM SEQUENCE key=value ... [--dice 5,2,3] [--json]",
        "play a combat sequence",
        "--dice gives the dice in the order asked for; all of them must be used. With --json: "
        '{"out": {...}, "dice": [{"label", "sides", "value"}, ...]}.',
        'grognard resolve lnlt morale-check units="squad morale=5" --dice 2,3',
    ),
    "odds": (
        "SYSTEM SEQUENCE key=value ... [--by FIELD ...] [--compare | --rounds N] [--json]",
        "show the exact odds of a combat sequence; rolls nothing",
        "--by names one or more outputs: `targets[0].result`. --compare shows what each "
        "change is worth; --rounds gives the odds over that many rounds. With --json: values and fractions.",
        'grognard odds lnlt fire attackers="squad fp=2" targets="squad morale=4"',
    ),
    "roll": (
        "EXPRESSION [--dice 4,2] [--json]",
        "roll dice",
        'With --json: {"total": 9, "dice": [4, 2]}, with every die in order, including dropped and rerolled ones.',
        'grognard roll "2d6+3"',
    ),
    "batch": (
        "",
        "answer requests in JSON Lines, for scripts",
        'One answer per line, in order. Requests: {"id", "op": "lookup", "system", "table", "in"}, {"op": "resolve", '
        '"system", "sequence", "in", "dice"}, {"op": "odds", ..., "by"}, {"op": "roll", "expression", "dice"}. '
        'Answers: {"id", "ok": true, "out", "text"}, or {"ok": false, "error": {"code", "message", "hint"}}.',
        """echo '{"id": 1, "op": "roll", "expression": "2d6"}' | grognard batch""",
    ),
    "completion": (
        "bash|zsh|fish",
        "print a script that lets your shell complete words with Tab",
        "bash: `source <(grognard completion bash)` in .bashrc; zsh likewise in .zshrc; fish: `grognard completion "
        "fish > ~/.config/fish/completions/grognard.fish`. It also offers the packs in GROGNARD_PACKS.",
        "grognard completion bash",
    ),
    "verify": (
        "FILE [--head HASH] [--heads TEXT] | LADDER LOG ...",
        "recompute the chain, dice and outcomes of an exported log, or the ratings of a ladder",
        "--head is a hash shown under an answer, --heads a text with several (- reads "
        "from standard input). A ladder is checked against the exported games named after it. "
        "Exit status 1 if something does not match, 3 if some of it cannot be checked.",
        "grognard verify hill-875.json --head 1f3a5c7e",
    ),
    "picture": (
        "table|odds SYSTEM NAME key=value ... | game FILE [NUMBER] [-o FILE.svg|FILE.png]",
        "draw a table, odds, an exported game or one of its results",
        'The file name sets the format; PNG needs pip install "grognard[pictures]".',
        "grognard picture table lnlt melee-odds attack=7 defense=5 -o odds.svg",
    ),
    "report": (
        "FILE [-o FILE.html]",
        "write the after-action page of an exported game",
        "One HTML file that needs nothing else: report, log, and the dice checked in the browser.",
        "grognard report hill-875.json -o hill-875.html",
    ),
    "publish": (
        "GAME FOLDER [--every SECONDS]",
        "write a game's page to a file, for a host without a port",
        "--every rewrites it at that interval until you stop it.",
        "grognard publish 4f1c22aa90b1d0e3 /srv/www/games",
    ),
    "new": (
        "FOLDER | --blank FOLDER/TABLE.yaml [--rows 2-12] [--columns 4]",
        "make a small pack to start from, or a blank table in one",
        "Small but complete: a results table, column shifts, units, phases, a scenario. See docs/authors.md. "
        "--blank writes a table with blank heads and cells, for you to fill in from your own card.",
        "grognard new few-acres",
    ),
    "check": (
        "FOLDER|FILE [--json] [--watch]",
        "check a pack for faults",
        "Faults come with file, line, row and column; questions are things worth a second look. "
        "Runs the pack's examples in a separate process. --watch checks again whenever a file "
        "changes, and draws the table or plays "
        "the example that you are working on, until Ctrl-C. Exit status 1 on faults.",
        "grognard check few-acres --watch",
    ),
    "try": (
        "PACK [--as NAME]",
        "try out a pack in the console",
        "Opens the console with a game of this pack and its first scenario. Nothing is saved.",
        "grognard try few-acres",
    ),
    "import": (
        "FILE|FOLDER [--pack FOLDER] [--id ID] [--group GROUP] [--deck LIST]",
        "read a table or a deck from a spreadsheet, a list or another program",
        "The format is detected from the text; - reads from standard input. Prints the "
        "table as YAML, how it was read and what to check; --pack puts it into a pack's folder, old or new; "
        "--deck turns a SealDice list into a deck of cards. Takes a whole folder or zip too; "
        "anything left out is listed with the reason. "
        "Exit status 1 on faults.",
        "grognard import combat.csv --pack few-acres",
    ),
    "export-table": (
        "SYSTEM TABLE [-o FILE.csv]",
        "write a table as a spreadsheet (CSV)",
        "Laid out like its card, for a spreadsheet; grognard import reads it back.",
        "grognard export-table lnlt dct -o dct.csv",
    ),
    "doctor": (
        "[--replay]",
        "check the setup and say what to fix",
        "Settings, data folder, tables, database and tokens; --replay also replays every "
        "game in the database. Exit status 1 if something needs fixing.",
        "grognard doctor",
    ),
    "health": (
        "[--ready|--live]",
        "show how the running bot is doing",
        "Asks the bot on HEALTH_PORT. Exits 1 and says why when commits fail, the disk is nearly full, "
        "answers pile up or a platform is gone. --ready asks whether every platform is "
        "connected right now, --live only whether the bot is alive, so that a supervisor can restart it.",
        "grognard health",
    ),
    "backup": (
        "FILE",
        "copy the database, even while the bot runs",
        "The copy is checked, and only its owner can read it, because it holds the seeds of "
        "running games. FILE must not exist yet.",
        "grognard backup /var/backups/grognard/monday.db",
    ),
    "rerun": (
        "GAME ...|--all",
        "replay stored games with today's tables",
        "After you change a table or a pack: lists each outcome that would now be different "
        "and changes nothing. Exit status 1 if there are any.",
        "grognard rerun --all",
    ),
    "copy": (
        "FROM [TO]",
        "copy all games into an empty database, SQLite or PostgreSQL",
        "Each is an address as in DATABASE_URL, or a file with a line DATABASE_URL=...; "
        "without TO, the games go to the DATABASE_URL in the settings. Put an address with a "
        "password in a file, because other users can read a "
        "command line. Stop the bot first: nothing played in the meantime is copied. It "
        "copies everything or nothing, then replays every game; exit status 1 if one does not verify.",
        "grognard copy sqlite:///grognard.db",
    ),
    "restore": (
        "FILE",
        "replace the database with a copy",
        "Works only while no bot has the database open. The old file is kept next to it "
        "under another name; the new file has the same owner.",
        "grognard restore /var/backups/grognard/monday.db",
    ),
    "discord": (
        "",
        "serve Discord",
        "Settings: see .env.example and docs/discord-host.md.",
        "grognard discord",
    ),
    "slack": (
        "",
        "serve Slack",
        "Settings: see .env.example and docs/slack-host.md.",
        "grognard slack",
    ),
    "run": (
        "",
        "serve every platform whose tokens are set",
        "Runs until SIGINT or SIGTERM.",
        "grognard run",
    ),
    "manifest": (
        "slack [--url HTTPS]",
        "print the Slack app's manifest",
        "With --url, it is for HTTP mode; without it, for Socket Mode.",
        "grognard manifest slack",
    ),
    "commands": (
        "discord",
        "print the commands for Discord, as JSON",
        "In the format of Discord's API.",
        "grognard commands discord",
    ),
}
"""(usage, summary, details, example) of each command, by its name. The usage is what follows the
name on a command line.
"""

LONGEST_USAGE = 41
"""Maximum columns of a usage with its summary on the same line, in the overview."""


def format_overview() -> str:
    """Format the usage and summary of all commands."""
    lines = [
        (f"{name} {usage}".rstrip(), summary) for name, (usage, summary, _, _) in COMMANDS.items()
    ]
    width = max(len(usage) for usage, _ in lines if len(usage) <= LONGEST_USAGE)
    entries = []
    for usage, summary in lines:
        if len(usage) <= width:
            entries.append(f"  {usage:{width}}  {summary}")
        else:
            entries.append(f"  {usage}\n  {'':{width}}  {summary}")
    packs = (
        "With any of them, --packs FOLDER adds the packs in a folder; "
        "--packs free adds the ones that come with Grognard."
    )
    hints = "grognard COMMAND --help tells you more, with an example. --version shows the release."
    return "\n".join(("usage: grognard COMMAND ...", "", *entries, "", packs, hints, ""))


def format_help(name: str) -> str:
    """Format the usage, description and example of a command; the overview of all commands if none
    has this name.
    """
    if name not in COMMANDS:
        return format_overview()
    from textwrap import fill

    usage, summary, details, example = COMMANDS[name]
    usage_line = f"usage: grognard {name} {usage}".rstrip()
    description = fill(f"{summary[0].upper()}{summary[1:]}. {details}", 100)
    return f"{usage_line}\n\n{description}\n\nExample:\n  {example}\n"
