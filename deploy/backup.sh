#!/bin/sh
# A copy of the database into BACKUPS, named by its time; the newest KEEP copies stay. For the timer, or by hand.
set -eu
umask 077
folder=${BACKUPS:-/var/backups/grognard}
keep=${KEEP:-14}
case $keep in '' | *[!0-9]* | 0) echo "backup: KEEP=$keep is not a whole number from 1" >&2; exit 2 ;; esac
mkdir -p "$folder"
copied=0
"$(dirname "$(readlink -f "$0")")/grognard" backup "$folder/grognard-$(date -u +%Y%m%d-%H%M%S).db" || copied=$?
# Only after a copy was made (1: a game in it does not verify): a disk that fills up costs no old one.
[ "$copied" -le 1 ] || exit "$copied"
ls -1 "$folder" | grep -E '^grognard-[0-9]{8}-[0-9]{6}\.db$' | sort -r | tail -n +$((keep + 1)) |
    while read -r old; do rm -- "$folder/$old"; done
exit "$copied"
