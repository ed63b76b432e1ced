#!/bin/sh
# Checks out the newest release of this project, the highest tag vX.Y.Z, and says which that is.
#     sh deploy/newest.sh
set -eu

fail() {
    echo "newest: $*" >&2
    exit 1
}

# A function, so that the shell has read all of it before the checkout replaces this file.
main() {
    cd "$(dirname "$0")/.."
    command -v git >/dev/null 2>&1 || fail "git is missing; on Debian: sudo apt install git"
    here=$(git describe --tags --always 2>/dev/null) || fail "this is not a git checkout, so there is nothing to update"
    git fetch --quiet --tags || fail "the project's address does not answer (see above), so $here stays as it is"
    newest=$(git tag --list --sort=-version:refname | grep -E '^v[0-9]+\.[0-9]+\.[0-9]+$' | head -n 1)
    if [ -z "$newest" ]; then
        echo "There is no release yet: $here stays as it is, and you can install it."
        return
    fi
    git checkout --quiet "$newest" || fail "$newest cannot be checked out (see above), so $here stays as it is"
    echo "This is $newest, the newest release."
}
main
