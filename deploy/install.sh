#!/bin/sh
# Installs Grognard as a service on a machine with systemd, or brings it up to date; to be run again at will.
#     sudo sh deploy/install.sh            from a checkout, which is copied to /opt/grognard
#     sh deploy/install.sh --dry-run       says what it would do, and does nothing
# ROOT=/some/folder puts everything below that folder instead, for packagers; nothing is started then.
set -eu

root=${ROOT:-}
app=$root/opt/grognard
env=$root/etc/grognard.env
units=$root/etc/systemd/system
data=$root/var/lib/grognard
backups=$root/var/backups/grognard
python=${PYTHON:-python3}
dry=
case ${1:-} in
'') ;;
--dry-run) dry=yes ;;
*)
    echo "install: $1 is not known here; --dry-run shows what would be done" >&2
    exit 2
    ;;
esac

fail() {
    echo "install: $*" >&2
    exit 1
}
run() {
    if [ "$dry" ]; then echo "  $*"; else "$@"; fi
}
say() { echo "== $*"; }

source=$(cd "$(dirname "$0")/.." && pwd -P)
[ -f "$source/requirements.lock" ] || fail "this is not in a checkout of Grognard"
command -v "$python" >/dev/null 2>&1 || fail "no $python here; on Debian: sudo apt install python3 python3-venv"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "$("$python" --version 2>&1) is too old, 3.11 or newer is needed"
"$python" -c 'import ensurepip, venv' 2>/dev/null || fail "Python's venv module is missing; on Debian: sudo apt install python3-venv"
if [ ! "$dry" ] && [ ! "$root" ]; then
    [ "$(id -u)" = 0 ] || fail "run it as root: sudo sh deploy/install.sh"
    command -v systemctl >/dev/null 2>&1 || fail "no systemd here; deploy/README.md shows the container"
fi

say "The program in $app"
if [ "$source" != "$(readlink -f "$app" 2>/dev/null || true)" ]; then
    run mkdir -p "$app"
    for part in bot adapters tables packs deploy; do
        run rm -rf "$app/$part.new"
        run cp -R "$source/$part" "$app/$part.new"
        run rm -rf "$app/$part"
        run mv "$app/$part.new" "$app/$part"
    done
    run cp "$source/requirements.lock" "$source/pyproject.toml" "$source/LICENSE" "$source/.env.example" "$app/"
fi

say "Its libraries, each checked by its hash"
if [ "$dry" ] || [ "$(cat "$app/.venv/lock" 2>/dev/null)" != "$(cksum <"$app/requirements.lock")" ]; then
    run "$python" -m venv "$app/.venv"
    run "$app/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$app/requirements.lock"
    [ "$dry" ] || cksum <"$app/requirements.lock" >"$app/.venv/lock"
fi
if [ "$dry" ]; then
    echo "  compile the program, and parse its tables once"
else
    (cd "$app" && .venv/bin/python -m compileall -q bot adapters && .venv/bin/python -m bot commands discord >/dev/null)
fi

say "Its user, its folders and the command grognard"
if [ ! "$root" ] && ! id grognard >/dev/null 2>&1; then
    run useradd --system --home-dir /var/lib/grognard --shell /usr/sbin/nologin grognard
fi
run mkdir -p "$root/usr/local/bin" "$root/etc" "$units" "$data" "$backups"
run chmod 700 "$data" "$backups"
[ "$root" ] || run chown grognard:grognard "$data" "$backups"
run ln -sf "${app#"$root"}/deploy/grognard" "$root/usr/local/bin/grognard"

say "Its settings in $env"
if [ -e "$env" ]; then
    echo "  kept as they are"
else
    run cp "$app/.env.example" "$env"
    run chmod 640 "$env"
    [ "$root" ] || run chgrp grognard "$env"
fi

say "The service, and a copy of the games every night"
for unit in grognard.service grognard-backup.service grognard-backup.timer; do
    run cp "$app/deploy/$unit" "$units/$unit"
    run chmod 644 "$units/$unit"
done
if [ ! "$root" ]; then
    run systemctl daemon-reload
    run systemctl enable --now grognard-backup.timer
    if grep -Eq '^ *(export )?(DISCORD_TOKEN|SLACK_BOT_TOKEN|SLACK_CLIENT_ID)=.' "$env" 2>/dev/null; then
        run systemctl enable grognard
        run systemctl restart grognard
        say "Done: systemctl status grognard shows how it is"
    else
        say "Almost done: set DISCORD_TOKEN or SLACK_... in $env, then: sudo systemctl enable --now grognard"
    fi
fi
