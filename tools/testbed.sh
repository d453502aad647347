# The OAR clusters of a test or of a demonstration: their state and their ports are not those of
# another testbed. Sourced after settings.sh.

testbed=

free_ports() {
    local base port taken
    taken=$(ss -ltnH | awk '{ sub(/.*:/, "", $4); print $4 }')
    for base in $(shuf -i 200-310); do
        base=$((base * 100))
        for port in $(seq $base $((base + 49))); do
            ! grep -qx "$port" <<< "$taken" || continue 2
        done
        echo $base
        return
    done
    die "no free block of 50 TCP ports"
}

# stop_stale PREFIX: stops the testbeds whose script was killed before it could: those in PREFIX-PID.
stop_stale() {
    local state
    for state in "$1"-*; do
        if [ -d "$state" ] && [ ! -d "/proc/${state##*-}" ]; then
            say "the OAR clusters in $state were left over"
            OAR_TESTBED_STATE=$state "$ROOT/tests/oar-testbed/down"
        fi
    done
}

# start_testbed PREFIX: two clusters, alpha and beta, described in $OAR_TESTBED_STATE/clusters.json; false when they do not come up.
start_testbed() {
    stop_stale "$1"
    export OAR_TESTBED_STATE=$1-$$ OAR_TESTBED_PORT_BASE
    testbed=yes
    local attempt
    for attempt in 1 2; do
        OAR_TESTBED_PORT_BASE=$(free_ports)
        say "two OAR clusters come up in $OAR_TESTBED_STATE"
        ! "$ROOT/tests/oar-testbed/up" 2 >/dev/null || return 0
        say "they did not come up; the ends of their logs:"
        tail -n 15 "$OAR_TESTBED_STATE"/clusters/*/var-lib-oar/log/* >&2 || true
        "$ROOT/tests/oar-testbed/down" || true
    done
    say "ERROR: the OAR clusters do not come up"
    return 1
}

# start_testbed_26 PREFIX: two clusters with OAR 2.6, of the Debian 13 in PREFIX.root, which is made when it is not there and stays;
# described in $state_26/clusters.json; false when they do not come up.
state_26=
start_testbed_26() {
    stop_stale "$1"
    "$ROOT/tests/oar-testbed/root" "$1.root" >&2 || return 1
    state_26=$1-$$
    say "two clusters with OAR 2.6 come up in $state_26"
    OAR_TESTBED_STATE=$state_26 OAR_TESTBED_PORT_BASE=$(free_ports) "$ROOT/tests/oar-testbed/up" --root "$1.root" 2 >/dev/null || {
        say "ERROR: the clusters with OAR 2.6 do not come up"
        return 1
    }
}

# start_oar3 PREFIX: one real OAR 3, where GLEANER_OAR3_UP names a command that brings it up: it gets its own folder (OAR3_STATE), ports
# (OAR3_API_PORT, OAR3_PG_PORT) and address (OAR3_ADDRESS), and prints JSON with the `url` of its API and the folder `state`. There are
# init.pid, of the process whose end is the cluster's, and the PostgreSQL of pg/data. Sets GLEANER_TEST_OAR3; false when it does not come up.
oar3_state= oar3_watcher=
start_oar3() {
    local base left
    for left in "$1"-*; do
        if [ -d "$left" ] && [ ! -d "/proc/${left##*-}" ]; then say "the OAR 3 in $left was left over"; oar3_state=$left; stop_oar3; fi
    done
    oar3_state=$1-$$
    base=$(free_ports)
    say "a real OAR 3 comes up in $oar3_state ($GLEANER_OAR3_UP)"
    GLEANER_TEST_OAR3=$(OAR3_STATE=$oar3_state OAR3_API_PORT=$base OAR3_PG_PORT=$((base + 1)) OAR3_ADDRESS=127.3.$((base / 100 - 190)).254 \
        $GLEANER_OAR3_UP) || { say "ERROR: the OAR 3 does not come up"; stop_oar3; return 1; }
    export GLEANER_TEST_OAR3
    end_oar3_with "$SANITIZED/results/contract.oar3.json" "$SANITIZED/results/chaos.real_oar3.json" &
    oar3_watcher=$!
}

# end_oar3_with FILE...: stops it when all these results of its tests are new. Without a job it takes a quarter of two cores.
end_oar3_with() {
    local file began=$oar3_state/began
    touch "$began"
    while sleep 5 && [ -e "$began" ]; do
        for file in "$@"; do [ "$file" -nt "$began" ] || continue 2; done
        stop_oar3
    done
}

# The processes are found by the pids in its folder alone.
stop_oar3() {
    [ -n "$oar3_state" ] || return 0
    local file pid
    for file in "$oar3_state"/init.pid "$oar3_state"/pg/data/postmaster.pid; do
        read -r pid _ 2>/dev/null < "$file" && [ -d "/proc/$pid" ] || continue
        # (PostgreSQL ends at once by SIGQUIT; what is the first process of its own namespace heeds no other signal than SIGKILL.)
        case $file in
        */init.pid) tr '\0' ' ' 2>/dev/null < "/proc/$pid/cmdline" | grep -q "$oar3_state" && kill -9 "$pid" 2>/dev/null ;;
        *) [ "$(readlink "/proc/$pid/cwd")" = "$oar3_state/pg/data" ] && kill -QUIT "$pid" 2>/dev/null ;;
        esac || say "ERROR: the process $pid of $file was not stopped"
    done
    for _ in 1 2 3 4 5 6 7 8 9 10; do ! rm -rf "$oar3_state" 2>/dev/null || break; sleep 0.3; done
    [ ! -d "$oar3_state" ] || say "ERROR: $oar3_state cannot be removed"
    oar3_state=
}

stop_testbed() {
    [ -z "$oar3_watcher" ] || kill "$oar3_watcher" 2>/dev/null || true
    oar3_watcher=
    stop_oar3
    if [ -n "$state_26" ]; then
        OAR_TESTBED_STATE=$state_26 "$ROOT/tests/oar-testbed/down" || say "ERROR: the OAR clusters in $state_26 were not stopped"
        state_26=
    fi
    [ -n "$testbed" ] || return 0
    testbed=
    "$ROOT/tests/oar-testbed/down" || say "ERROR: the OAR clusters in $OAR_TESTBED_STATE were not stopped"
}
