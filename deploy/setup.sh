#!/bin/sh
# Makes .venv with the locked dependencies: `setup.sh play` with what playing needs, `setup.sh dev` (or nothing) with the
# developers' tools too. Called by the Makefile; says nothing and asks the network nothing when all is in place already.
# PYTHON chooses the interpreter.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
venv=.venv
new=.venv.new
kind=${1:-dev}

fail() {
    echo "setup: $*" >&2
    exit 1
}

command -v "$python" >/dev/null 2>&1 ||
    fail "no $python here; on Debian: sudo apt install python3 python3-venv"

# What the environment was made from, by what and where: a change makes a new one. The Python is the one below an active
# environment, so activating ours changes nothing. The project itself is installed again when pyproject.toml changes,
# which takes no network. The developers' lock has all that playing needs, in the same versions.
base="$(cksum <deploy/setup.sh) $(pwd -P) $("$python" -c 'import sys; print(sys.version, sys.base_prefix)' | cksum)"
for_play="play $(cksum <requirements.lock) $base"
for_dev="dev $(cksum <requirements-dev.lock) $base"
project=$(cksum <pyproject.toml)
has() { # whether the environment was made from this
    [ -x $venv/bin/python ] && [ "$(cat $venv/packages 2>/dev/null)" = "$1" ]
}
have_packages() {
    has "$for_dev" || { [ "$kind" = play ] && has "$for_play"; }
}
have_project() {
    [ "$(cat $venv/project 2>/dev/null)" = "$project" ]
}
have_packages && have_project && exit 0

# Two makes at once take turns (where flock exists); the second finds the work done.
exec 9<pyproject.toml
if command -v flock >/dev/null 2>&1 && ! flock -n 9; then
    echo "Another make is setting up $venv; waiting for it ..." >&2
    flock 9
fi

install() { # into which environment, what
    into=$1
    shift
    "$into/bin/python" -m pip --disable-pip-version-check --no-input install "$@"
}
progress() { # shows how far pip is with so many packages: on one line of a terminal, else every tenth
    awk -v total="$1" -v terminal="$([ -t 2 ] && echo 1 || echo 0)" '
        function show(text) {
            if (terminal) printf "\r  %-70s", text
            else if (count % 10 == 0 || text !~ / of /) print "  " text
            fflush()
        }
        function step(name) {
            count++
            sub(/.*\//, "", name)
            sub(/[=;[-].*/, "", name)
            show(count " of " total " packages: " name)
        }
        /^ *(Collecting|Processing) / { step($2) }
        /^ *Requirement already satisfied/ { step($4) }
        /^Installing/ { show("installing them ...") }
        END { if (terminal) printf "\r%-72s\r", "" }' >&2
}
install_lock() { # into which environment, which lock
    done=$1/done
    rm -f "$done"
    # A lock names all there is to install. Asked to work it out again, pip 23 takes the newest release of a package
    # that is wanted with an extra, and stops, as that one has no hash.
    { install "$1" --progress-bar off --require-hashes --no-deps -r "$2" && touch "$done"; } | progress "$(grep -c '==' "$2")"
    [ -e "$done" ] && rm "$done"
}

if ! have_packages; then
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "$("$python" --version 2>&1) is too old, 3.11 or newer is needed; name another: make PYTHON=python3.12 ..."
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        fail "Python's venv module is missing; on Debian: sudo apt install python3-venv"
    failed="could not install the dependencies (see above); is there a network?"
    if has "$for_play"; then
        # The tools are added to what is there: it goes on working meanwhile.
        echo "Adding the developers' tools to $venv (once): 300 MB more, a few minutes ..." >&2
        install_lock $venv requirements-dev.lock || fail "$failed"
        echo "$for_dev" >$venv/packages
    else
        # An environment with the tools keeps them when a lock changes.
        case $(cat $venv/packages 2>/dev/null) in "" | play*) ;; *) kind=dev ;; esac
        if [ "$kind" = play ]; then
            echo "Setting up $venv to play (once): 170 MB, a minute or two ..." >&2
        else
            echo "Setting up $venv with the developers' tools (once): 470 MB, a few minutes ..." >&2
        fi
        # Made beside the old one, which goes on working until the new one is whole.
        "$python" -m venv --clear $new || fail "could not make $new (see above)"
        if [ "$kind" = play ]; then
            # setuptools installs the project itself.
            { cat requirements.lock && awk '/^[a-z0-9]/ { on = /^setuptools==/ } on' requirements-dev.lock; } >$new/lock
            install_lock $new $new/lock || fail "$failed"
            echo "$for_play" >$new/packages
        else
            install_lock $new requirements-dev.lock || fail "$failed"
            echo "$for_dev" >$new/packages
        fi
        # The scripts in it name the folder that they were made in.
        "$new/bin/python" - "$(pwd -P)" $new $venv <<'END'
import os, pathlib, sys
here, new, venv = sys.argv[1:]
for path in (pathlib.Path(new, "pyvenv.cfg"), *pathlib.Path(new, "bin").iterdir()):
    if path.is_file() and not path.is_symlink():
        path.write_bytes(path.read_bytes().replace(os.fsencode(f"{here}/{new}"), os.fsencode(f"{here}/{venv}")))
END
        rm -rf $venv
        mv $new $venv
    fi
fi
if ! have_project; then
    install $venv --quiet --no-index --no-deps --no-build-isolation --editable . || fail "could not install the project itself (see above)"
    echo "$project" >$venv/project
fi
