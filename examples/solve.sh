#!/bin/sh
# solve.sh MESH CELLS CORES: stands for a solver. CORES processes share the work on CELLS cells.
mesh=$1 cells=$2 cores=$3
for part in $(seq "$cores"); do
    awk -v n="$((cells / cores))" 'BEGIN { for (i = 0; i < n; ++i) x += sqrt(i); print x > "/dev/null" }' &
done
wait
echo "$mesh: $cells cells solved on $cores cores"
