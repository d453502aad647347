# A PostgreSQL of a script's own, in a folder. Sourced.

# program NAME: of PostgreSQL, where Debian has it, or by PATH.
program() {
    local found
    found=$(printf '%s\n' /usr/lib/postgresql/*/bin/"$1" | sort -V | tail -n 1)
    if [ -x "$found" ]; then echo "$found"; else command -v "$1" || die "there is no $1: install postgresql"; fi
}

# PostgreSQL refuses to run as root.
as_postgres=()
[ "$(id -u)" != 0 ] || as_postgres=(setpriv --reuid=postgres --regid=postgres --clear-groups)

# init_postgres FOLDER: makes one there, of the user gleaner.
init_postgres() {
    [ "$(id -u)" != 0 ] || chown postgres "$1"
    (cd "$1" && "${as_postgres[@]}" "$(program initdb)" -D "$1/data" -U gleaner -A trust -E UTF8 --locale=C.UTF-8 >/dev/null)
}

# start_postgres FOLDER: starts it on a socket in the folder.
start_postgres() {
    (cd "$1" && "${as_postgres[@]}" "$(program pg_ctl)" -D "$1/data" -o "-h '' -k $1" -l "$1/log" -w start >/dev/null)
}

stop_postgres() {
    (cd "$1" && "${as_postgres[@]}" "$(program pg_ctl)" -D "$1/data" -m immediate stop >/dev/null 2>&1) || true
}
