#!/bin/sh
# Makes .venv with the locked dependencies. Called by the Makefile; says nothing and asks the network nothing
# when all is in place already. PYTHON chooses the interpreter.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
venv=.venv
lock=requirements-dev.lock

fail() {
    echo "setup: $*" >&2
    exit 1
}

command -v "$python" >/dev/null 2>&1 ||
    fail "no $python here; on Debian: sudo apt install python3 python3-venv"

# What the environment was made from, by what and where: a change makes it anew. The project itself is installed
# again when pyproject.toml changes, which takes no network.
packages="$(cat $lock deploy/setup.sh | cksum) $(pwd -P) $("$python" -c 'import sys; print(sys.version, sys.prefix)' | cksum)"
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

pip() {
    $venv/bin/python -m pip --quiet --disable-pip-version-check --no-input "$@"
}
if ! have_packages; then
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "$("$python" --version 2>&1) is too old, 3.11 or newer is needed; name another: make PYTHON=python3.12 ..."
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        fail "Python's venv module is missing; on Debian: sudo apt install python3-venv"
    echo "Setting up $venv (once) ..." >&2
    "$python" -m venv --clear $venv || fail "could not make $venv (see above)"
    pip install --require-hashes -r $lock || fail "could not install the dependencies (see above); is there a network?"
    echo "$packages" >$venv/packages
fi
if ! have_project; then
    pip install --no-index --no-deps --no-build-isolation --editable . || fail "could not install the project itself (see above)"
    echo "$project" >$venv/project
fi
