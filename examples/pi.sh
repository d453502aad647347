#!/bin/sh
# pi.sh SLICE SLICES: integrates 4/(1+x^2) over one slice of [0, 1], and writes what it found to
# pi-CAMPAIGN/SLICE in the task's folder. All slices together are pi. About a second of one core.
set -eu
slice=$1 slices=$2 steps=${3:-15000000}
results=pi-${CIGRI_CAMPAIGN_ID:-0}
mkdir -p "$results"
LC_ALL=C awk -v slice="$slice" -v slices="$slices" -v steps="$steps" 'BEGIN {
    width = 1 / slices / steps
    for (i = 0; i < steps; i++) { x = slice / slices + (i + 0.5) * width; sum += 4 / (1 + x * x) }
    printf "%.15f\n", sum * width
}' > "$results/$slice.part"
# Whole or not at all, also when the job is killed in between.
mv "$results/$slice.part" "$results/$slice"
