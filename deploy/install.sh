#!/bin/sh
# Installs Grognard as a service on a machine with systemd, or brings it up to date; to be run again at will.
#     sudo sh deploy/install.sh               from a checkout, which is built as a release beside the one that runs
#     sudo sh deploy/install.sh --rollback    back to the release before, at once; its settings and games stay
#     sh deploy/install.sh --dry-run          says what it would do, and does nothing
# A release is whole, libraries too, before the link /opt/grognard/current is turned to it; stopped at any moment, this
# leaves the one that runs as it is, and goes on when it is run again.
# ROOT=/some/folder puts everything below that folder instead, for packagers; nothing is started then, unless SYSTEMCTL
# names what starts it.
set -eu
umask 022 # the service's user must be able to read what root puts here

root=${ROOT:-}
app=$root/opt/grognard
releases=$app/releases
env=$root/etc/grognard.env
units=$root/etc/systemd/system
data=$root/var/lib/grognard
backups=$root/var/backups/grognard
python=${PYTHON:-python3}
systemctl=${SYSTEMCTL:-systemctl}
parts="bot adapters tables packs deploy"
files="requirements.lock pyproject.toml LICENSE .env.example"
keep=3
dry=
back=
copy=
for word in "$@"; do
    case $word in
    --dry-run) dry=yes ;;
    --rollback) back=yes ;;
    --with-copy) copy=yes ;;
    *)
        echo "install: unknown option $word; --dry-run shows what would be done, --rollback goes back" >&2
        exit 2
        ;;
    esac
done

fail() {
    echo "install: $*" >&2
    exit 1
}
run() {
    if [ "$dry" ]; then echo "  $*"; else "$@"; fi
}
say() { echo "== $*"; }

if [ "$root" ] && [ ! "${SYSTEMCTL:-}" ]; then starts=; else starts=yes; fi
if [ ! "$dry" ] && [ ! "$root" ]; then
    [ "$(id -u)" = 0 ] || fail "run it as root: sudo sh deploy/install.sh"
fi
# The command systemctl may be there where systemd does not run.
if [ "$starts" ] && [ ! -d "$root/run/systemd/system" ]; then
    echo "install: systemd is not running here, so nothing would start the bot: see deploy/container.md." >&2
    echo "install: In WSL, put systemd=true under [boot] in /etc/wsl.conf, then type wsl --shutdown in Windows." >&2
    [ "$dry" ] || exit 1
    echo "install: Without --dry-run it would stop here. With systemd it would do this:" >&2
fi

# --- releases: folders 1, 2, 3 ...; one is whole when its file `release` is there -----------------------------------

current() { basename "$(readlink "$app/current" 2>/dev/null || true)"; }
of() { sed -n "s/^$2=//p" "$releases/$1/release" 2>/dev/null || true; } # which release, what of it
numbers() { ls "$releases" 2>/dev/null | grep -E '^[0-9]+$' | sort -n || true; }
next() { echo $(($(numbers | tail -n 1) + 1)); }

write() { # a file as a whole: path, text
    echo "$2" >"$1.new"
    mv -f "$1.new" "$1"
}
turn() { # the link to a release, in one step
    if [ "$dry" ]; then
        echo "  turn $app/current to releases/$1"
    else
        ln -sfn "releases/$1" "$app/current.new"
        mv -fT "$app/current.new" "$app/current"
    fi
}
put_units() { # those of the release that is current
    for unit in grognard.service grognard-backup.service grognard-backup.timer; do
        run cp "$app/current/deploy/$unit" "$units/.$unit.new"
        run chmod 644 "$units/.$unit.new"
        run mv -f "$units/.$unit.new" "$units/$unit"
    done
    if [ "$starts" ]; then run "$systemctl" daemon-reload; fi
}
start_again() { # whether it is up then; a service that was off, and that nobody has enabled, stays off
    if [ "$starts" ] && [ "$wanted" ]; then run "$systemctl" restart grognard; fi
}
tokens() { grep -Eq '^ *(export )?(DISCORD_TOKEN|SLACK_BOT_TOKEN|SLACK_CLIENT_ID)=.' "$env" 2>/dev/null; }
wanted= # whether the service is to be started again at the end
if [ "$starts" ]; then
    if "$systemctl" is-enabled --quiet grognard 2>/dev/null || "$systemctl" is-active --quiet grognard 2>/dev/null; then wanted=yes; fi
fi

# --- back ----------------------------------------------------------------------------------------------------------

if [ "$back" ]; then
    here=$(current)
    [ "$here" ] || fail "there is no release in $releases yet"
    there=$(cat "$releases/$here/before" 2>/dev/null || true)
    if [ -f "$app/back" ]; then # it was stopped on its way: go there, and not one further
        read -r here there <"$app/back"
    fi
    [ "$there" ] && [ -f "$releases/$there/release" ] || fail "there is no release before $here ($(of "$here" version))"
    say "Back from release $here ($(of "$here" version)) to $there ($(of "$there" version))"
    [ "$dry" ] || write "$app/back" "$here $there"
    if [ "$copy" ]; then
        made=$(ls -t "$data"/grognard.db.schema-*.bak 2>/dev/null | head -n 1)
        [ "$made" ] || { rm -f "$app/back" && fail "there is no copy grognard.db.schema-N.bak in $data: leave --with-copy out"; }
        if [ "$starts" ]; then run "$systemctl" stop grognard; fi
        run env GROGNARD_DATA="$data" "$releases/$there/deploy/grognard" restore "$made"
    fi
    turn "$there"
    put_units
    if start_again; then
        run rm -f "$app/back"
        if [ "$dry" ]; then say "Dry run: nothing was done" && exit 0; fi
        say "Done: release $there is running; sudo sh deploy/install.sh installs this checkout again"
        exit 0
    fi
    say "It does not start: journalctl -u grognard says why. Forward again to release $here"
    turn "$here"
    put_units
    start_again || true
    rm -f "$app/back"
    echo "install: release $there does not start, so $here keeps running. If it refused the database of a newer" >&2
    echo "release: --rollback --with-copy restores the copy that the newer one made (games played since are lost)." >&2
    exit 1
fi

# --- what is to be installed ---------------------------------------------------------------------------------------

source=$(cd "$(dirname "$0")/.." && pwd -P)
[ -f "$source/requirements.lock" ] || fail "this is not in a checkout of Grognard"
command -v "$python" >/dev/null 2>&1 || fail "no $python here; on Debian: sudo apt install python3 python3-venv"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "$("$python" --version 2>&1) is too old, 3.11 or newer is needed"
"$python" -c 'import ensurepip, venv' 2>/dev/null || fail "Python's venv module is missing; on Debian: sudo apt install python3-venv"

version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$source/pyproject.toml")
by=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
tree=$(cd "$source" && find $parts $files -type f ! -path '*/__pycache__/*' ! -path '*/.venv/*' | LC_ALL=C sort | tr '\n' '\0' | xargs -0 cksum | cksum)
lock=$(cksum <"$source/requirements.lock")
git_here() { git -c safe.directory='*' -C "$source" "$@" 2>/dev/null || true; }
tag=$(git_here describe --tags --always --dirty)
case $tag in
'' | "v$version") ;;
*) if [ ! "$(git_here tag --list 'v*')" ]; then
    echo "install: there is no release yet; this installs the checkout as it is ($tag)" >&2
else
    echo "install: this checkout ($tag) is not the tagged release v$version; sh deploy/newest.sh gets the newest" >&2
fi ;;
esac

# --- an installation from before there were releases, its files lying in /opt/grognard itself --------------------------

in_place=
if [ -d "$app/bot" ] && [ ! -e "$app/.git" ]; then in_place=yes; fi
if [ "$in_place" ] && [ ! -L "$app/current" ]; then
    say "What is in $app now becomes release 1, so that you can go back to it"
    run rm -rf "$releases/1"
    run mkdir -p "$releases/1"
    for part in $parts $files .venv; do
        if [ -e "$app/$part" ]; then run cp -a "$app/$part" "$releases/1/$part"; fi
    done
    if [ ! "$dry" ]; then
        sed -i -e 's,^ExecStart=/opt/grognard/.venv/bin/python -m bot ,ExecStart=/opt/grognard/current/deploy/grognard ,' \
            -e 's,^ExecStart=/opt/grognard/deploy,ExecStart=/opt/grognard/current/deploy,' "$releases/1"/deploy/*.service
        old=$(sed -n 's/^version = "\(.*\)"/\1/p' "$releases/1/pyproject.toml" 2>/dev/null || true)
        write "$releases/1/release" "version=${old:-unknown}"
        turn 1
    fi
fi

# --- build ---------------------------------------------------------------------------------------------------------

for number in $(numbers); do # what was left half built
    if [ ! -f "$releases/$number/release" ]; then run rm -rf "$releases/$number"; fi
done
here=$(current)
there=
for number in $(numbers); do
    if [ "$(of "$number" tree)" = "$tree" ] && [ "$(of "$number" python)" = "$by" ] &&
        "$releases/$number/.venv/bin/python" -c '' 2>/dev/null; then there=$number; fi
done
if [ "$there" ]; then
    say "Release $there ($version) is built already"
else
    there=$(next)
    new=$releases/$there
    say "Release $there ($version) in $new"
    run mkdir -p "$new"
    for part in $parts $files; do run cp -R "$source/$part" "$new/$part"; done

    say "The libraries, each checked by its hash"
    same=
    for number in $(numbers); do # they were fetched before: no network is needed for these
        [ "$(cat "$releases/$number/.venv/lock" 2>/dev/null)" = "$lock" ] || continue
        if [ "$("$releases/$number/.venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$by" ]; then same=$number; fi
    done
    if [ "$same" ]; then
        run cp -a "$releases/$same/.venv" "$new/.venv"
    else
        run "$python" -m venv "$new/.venv"
        run "$new/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r "$new/requirements.lock"
        [ "$dry" ] || write "$new/.venv/lock" "$lock"
    fi
    if [ "$dry" ]; then
        echo "  compile the program, and parse its tables once"
    else
        (cd "$new" && .venv/bin/python -m compileall -q bot adapters && .venv/bin/python -m bot commands discord >/dev/null)
        write "$new/release" "version=$version
tag=$tag
tree=$tree
python=$by
installed=$(date -u +%Y-%m-%dT%H:%MZ)"
    fi
fi

# --- around it -----------------------------------------------------------------------------------------------------

say "The user, the folders and the command grognard"
if [ ! "$root" ] && ! id grognard >/dev/null 2>&1; then
    run useradd --system --home-dir /var/lib/grognard --shell /usr/sbin/nologin grognard
fi
run mkdir -p "$root/usr/local/bin" "$root/etc" "$units" "$data" "$backups"
run chmod 700 "$data" "$backups"
[ "$root" ] || run chown grognard:grognard "$data" "$backups"

say "The settings in $env"
if [ -e "$env" ]; then
    echo "  kept as they are"
else
    run cp "$source/.env.example" "$env.new"
    run chmod 640 "$env.new"
    [ "$root" ] || run chgrp grognard "$env.new"
    run mv "$env.new" "$env"
fi
if [ -f "$app/back" ]; then run rm -f "$app/back"; fi # a way back that was stopped: this goes forward

# --- switch --------------------------------------------------------------------------------------------------------

if [ "$here" != "$there" ]; then
    if [ "$here" ] && [ ! "$dry" ]; then write "$releases/$there/before" "$here"; fi
    say "Switching to release $there"
    turn "$there"
fi
run ln -sfn "${app#"$root"}/current/deploy/grognard" "$root/usr/local/bin/grognard"

say "The service, and a nightly copy of the games"
put_units
if [ "$starts" ]; then
    run "$systemctl" enable --now grognard-backup.timer
    if tokens; then
        run "$systemctl" enable grognard
        wanted=yes
    fi
fi
if ! start_again; then
    echo "install: release $there does not start; journalctl -u grognard says why." >&2
    echo "install: to go back: sudo sh deploy/install.sh --rollback" >&2
    exit 1
fi

# What is no longer needed goes at the very end: the files of an installation without releases, and the oldest releases.
if [ "$in_place" ]; then
    for part in $parts $files .venv; do run rm -rf "${app:?}/$part"; done
    run ln -s current/packs "$app/packs" # for whoever has GROGNARD_PACKS=./packs
fi
before=$(cat "$releases/$there/before" 2>/dev/null || true)
for number in $(numbers | sort -rn | tail -n "+$((keep + 1))"); do
    case $number in "$there" | "$before") ;; *) run rm -rf "$releases/$number" ;; esac
done

if [ "$dry" ]; then
    say "Dry run: nothing was done"
    if [ -e "$env" ] && [ ! -r "$env" ]; then
        echo "  only root can read $env: with sudo, --dry-run also says whether a token is set"
    fi
elif [ ! "$starts" ]; then
    say "Done: nothing was started"
elif tokens; then
    say "Done: sudo grognard doctor checks it, systemctl status grognard shows its state"
else
    say "Almost done: set DISCORD_TOKEN or SLACK_... in $env, then: sudo systemctl enable --now grognard && sudo grognard doctor"
fi
