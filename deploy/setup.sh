#!/bin/sh
# Makes .venv with the locked dependencies. Called by the Makefile; says nothing and asks the network nothing
# when all is in place already. PYTHON chooses the interpreter.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
venv=.venv
new=.venv.new
lock=requirements-dev.lock

fail() {
    echo "setup: $*" >&2
    exit 1
}

command -v "$python" >/dev/null 2>&1 ||
    fail "no $python here; on Debian: sudo apt install python3 python3-venv"

# What the environment was made from, by what and where: a change makes it anew. The Python is that below an active
# environment, so that activating ours changes nothing. The project itself is installed again when pyproject.toml
# changes, which takes no network.
packages="$(cat $lock deploy/setup.sh | cksum) $(pwd -P) $("$python" -c 'import sys; print(sys.version, sys.base_prefix)' | cksum)"
project=$(cksum <pyproject.toml)
have_packages() {
    [ -x $venv/bin/python ] && [ "$(cat $venv/packages 2>/dev/null)" = "$packages" ]
}
have_project() {
    [ "$(cat $venv/project 2>/dev/null)" = "$project" ]
}
have_packages && have_project && exit 0

# Two makes at once take turns (where flock exists); the second finds the work done.
exec 9<pyproject.toml
if command -v flock >/dev/null 2>&1; then flock 9; fi

install() { # into which environment, what
    into=$1
    shift
    "$into/bin/python" -m pip --quiet --disable-pip-version-check --no-input install "$@"
}
if ! have_packages; then
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "$("$python" --version 2>&1) is too old, 3.11 or newer is needed; name another: make PYTHON=python3.12 ..."
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        fail "Python's venv module is missing; on Debian: sudo apt install python3-venv"
    echo "Setting up $venv (once) ..." >&2
    # Made beside the old one, which goes on working until the new one is whole.
    "$python" -m venv --clear $new || fail "could not make $new (see above)"
    # A lock names all there is to install. Asked to work it out again, pip 23 takes the newest release of a package
    # that is wanted with an extra, and stops, as that one has no hash.
    install $new --require-hashes --no-deps -r $lock || fail "could not install the dependencies (see above); is there a network?"
    echo "$packages" >$new/packages
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
if ! have_project; then
    install $venv --no-index --no-deps --no-build-isolation --editable . || fail "could not install the project itself (see above)"
    echo "$project" >$venv/project
fi
