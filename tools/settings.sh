# Code that the scripts of this folder share. Sourced.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export LC_ALL=C.UTF-8
export PATH="$PATH:/usr/sbin:/sbin"

# The caller's variables of another grid are not meant for this one; those that name a real OAR 3 are meant for its tests.
for name in "${!GLEANER_@}"; do
    case $name in GLEANER_OAR3_UP|GLEANER_TEST_OAR3) ;; *) unset "$name" ;; esac
done
# Only the scripts read it: to our programs it would be an option that they do not know.
[ -z "${GLEANER_OAR3_UP:-}" ] || export -n GLEANER_OAR3_UP

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

# clang_14 TOOL: the command of clang-format or clang-tidy in version 14, which Debian 12 has. Other versions lay out and object otherwise.
clang_14() {
    local command
    for command in "$1-14" "$1"; do
        if [[ $("$command" --version 2>/dev/null) == *"version 14."* ]]; then echo "$command"; return; fi
    done
    return 1
}

# Whether the packages of the page (web/) are those of its lock file.
page_is_ready() { command -v node >/dev/null && cmp -s "$ROOT/web/package-lock.json" "$ROOT/web/node_modules/.locked"; }

# ancestor_with [BASE]: the common ancestor with BASE (`main`); on BASE itself, its last but one commit.
ancestor_with() {
    local base=${1:-main} ancestor
    git rev-parse -q --verify "$base" >/dev/null || base=origin/$base
    ancestor=$(git merge-base "$base" HEAD) || die "there is no common ancestor with '$base'"
    if [ "$ancestor" = "$(git rev-parse HEAD)" ]; then ancestor=HEAD~1; fi
    git rev-parse -q --verify "$ancestor" || die "there is no commit before this one"
}

# changed_files [BASE]: the files that differ, in commits and in the working tree, from that ancestor.
changed_files() {
    local ancestor
    ancestor=$(ancestor_with "$@") || exit 1
    { git diff --name-only --no-renames "$ancestor"; git ls-files --others --exclude-standard; } | sort -u
}
