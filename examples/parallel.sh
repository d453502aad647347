#!/bin/sh
# parallel.sh SLICE SLICES: pi.sh on four cores at once, each with a quarter of the slice.
set -eu
here=$(dirname "$0")
running=
for quarter in 0 1 2 3; do
    "$here/pi.sh" $(($1 * 4 + quarter)) $(($2 * 4)) &
    running="$running $!"
done
for process in $running; do wait "$process"; done
