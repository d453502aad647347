# A Debian of its own in a folder, of this machine's suite or of another. Sourced after settings.sh. Needs root, debootstrap, and
# namespaces of the caller's own (in_namespaces), so that no mount and no process outlives it.
SUITES=(bookworm trixie)

# suite_of WORD: checks that it is one.
suite_of() {
    [[ " ${SUITES[*]} " == *" $1 "* ]] || die "unknown suite '$1': one of ${SUITES[*]}"
    echo "$1"
}

this_suite() { (. /etc/os-release && echo "${VERSION_CODENAME:-none}"); }

# in_namespaces ARGUMENT...: begins the calling script anew, with these arguments, in namespaces of its own.
in_namespaces() {
    [ "$(id -u)" = 0 ] || die "must be root: debootstrap and chroot need it"
    command -v debootstrap >/dev/null || die "debootstrap is missing: tools/setup --long"
    if [ -z "${IN_NAMESPACES:-}" ]; then IN_NAMESPACES=1 exec unshare --mount --pid --fork --kill-child "$0" "$@"; fi
    unset IN_NAMESPACES
}

# make_root SUITE FOLDER: the smallest Debian. Its packages start no daemons.
make_root() {
    local mirror
    mirror=$(apt-cache policy | sed -nE "s/^ *[0-9]+ (http[^ ]+) $(this_suite)\/main .*/\1/p" | head -n 1)
    say "a Debian $1 in $2"
    debootstrap --variant=minbase "$1" "$2" "${mirror:-http://deb.debian.org/debian}" > "$2.log" 2>&1 ||
        { tail -n 20 "$2.log" >&2; die "debootstrap failed"; }
    rm -f "$2.log"
    printf '#!/bin/sh\nexit 101\n' > "$2/usr/sbin/policy-rc.d"
    chmod 755 "$2/usr/sbin/policy-rc.d"
}

# enter_root FOLDER: mounts what commands need there; `inside COMMAND...` runs one.
enter_root() {
    mount -t proc proc "$1/proc"
    mount --bind /dev "$1/dev"
    enter=(chroot "$1" env LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin)
}
inside() { "${enter[@]}" "$@"; }
