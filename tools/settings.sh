# What the scripts of this folder share. Sourced.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export LC_ALL=C.UTF-8
export PATH="$PATH:/usr/sbin:/sbin"

# What the caller's shell says of another grid is not meant for this one.
for name in "${!GLEANER_@}"; do unset "$name"; done

PROGRAM_NAME=$(basename "$0")
say() { printf '%s: %s\n' "$PROGRAM_NAME" "$*" >&2; }
die() { say "ERROR: $*"; exit 1; }

# as_root COMMAND...: runs it as root, by sudo when we are not.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo -E "$@"
    else
        die "must be root for: $* (there is no sudo here)"
    fi
}

# Jobs of a compilation: one a core, as long as each finds 1.5 GB of memory.
compile_jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable/ { print int($2 / 1572864) }' /proc/meminfo)
    [ "$memory" -ge 1 ] || memory=1
    echo $((cores < memory ? cores : memory))
}
