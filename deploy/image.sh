#!/bin/sh
# Builds the image `grognard` with labels that say what is in it: `make image`. BUILDER is docker or podman, whichever is here.
# The words behind it go to the builder: --build-arg BASE=...
set -eu
cd "$(dirname "$0")/.."
builder=${BUILDER:-$(command -v docker || command -v podman || echo docker)}
format= # only Docker's own format keeps HEALTHCHECK
case $("$builder" --version) in podman*) format="--format=docker" ;; esac
told() { sed -n "s/^$1 = \"\(.*\)\"/\1/p" pyproject.toml; }
source=$(told address)
case $source in *://*) ;; *) source=unknown ;; esac # not said in pyproject.toml
exec "$builder" build $format -f deploy/Containerfile -t grognard -t "grognard:$(told version)" \
    --build-arg VERSION="$(told version)" --build-arg SOURCE="$source" \
    --build-arg REVISION="$(git describe --tags --always --dirty 2>/dev/null || echo unknown)" \
    --build-arg CREATED="$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$@" .
