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

stop_testbed() {
    if [ -n "$state_26" ]; then
        OAR_TESTBED_STATE=$state_26 "$ROOT/tests/oar-testbed/down" || say "ERROR: the OAR clusters in $state_26 were not stopped"
        state_26=
    fi
    [ -n "$testbed" ] || return 0
    testbed=
    "$ROOT/tests/oar-testbed/down" || say "ERROR: the OAR clusters in $OAR_TESTBED_STATE were not stopped"
}
