# The entries of ctest in a run of tools/test, and the time of all its steps. Sourced by it, after its options.

steps=() slowest=
# step NAME COMMAND...: runs it, and notes how long it took.
step() {
    local name=$1 began=$SECONDS status=0
    shift
    "$@" || status=$?
    steps+=("$(printf '%3d min %02d s  %s' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$name")")
    return $status
}

# note_times TREE: what ctest says of its last run: seconds and name of each entry.
note_times() {
    slowest+=$(awk '/^[0-9]+\/[0-9]+ Testing: / { name = $NF } /^Test time =/ { printf "%8.1f s  %s\n", $4, name }' "$1/Testing/Temporary/LastTest.log")$'\n'
}

print_times() {
    say "time, by step:"
    [ ${#steps[@]} = 0 ] || printf '  %s\n' "${steps[@]}" >&2
    say "time of the entries, by tier:"
    awk 'NF { split($3, name, "."); sum[name[1]] += $1 } END { for (tier in sum) printf "%8.1f s  %s\n", sum[tier], tier }' <<< "$slowest" | sort -rn >&2
    say "the ten slowest entries:"
    sort -rn <<< "$slowest" | awk 'NF && ++lines <= 10' >&2
}

# Keeps those of the chosen tiers that have an entry among `selected`.
choose_tiers() {
    local tier still=()
    for tier in "${chosen[@]}"; do ! grep -q "^$tier\." <<< "$selected" || still+=("$tier"); done
    chosen=("${still[@]}")
}

# The targets of the sanitized tree: tiers, `programs`, or, for --failed, the programs of the entries.
targets_of_sanitized() {
    local tiers=() tier
    for tier in unit db contract system chaos; do ! wanted "$tier" || tiers+=("$tier"); done
    if [ -n "$again" ]; then
        if due build || due unreached || [ -n "${tiers[*]#unit}" ]; then echo programs; fi
        if due build; then printf '%s\n' unit db contract system chaos
        else sed -nE '/^bench\./!s/^([a-z]+)\.(.+)$/test_\1_\2/p' <<< "$selected" | sed -E 's/^(test_[a-z]+_real_oar)_[a-z]+$/\1/; s/^(test_[a-z]+_.+)_real_oar$/\1/' | sort -u; fi
        return
    fi
    [ -z "$changed" ] || [ ${#tiers[@]} -gt 0 ] || tiers=(programs)
    [ ${#tiers[@]} -gt 0 ] || return 0
    [ "${tiers[*]}" = unit ] || tiers+=(programs)
    printf '%s\n' "${tiers[@]}"
}

# run_ctest TREE LABELS [CTEST-OPTION...]: tiers separated by |, in one run; false when something failed. The outputs go to results/.
run_ctest() {
    local tree=$1 tiers=$2 failed_before=$failed status=0
    shift 2
    forget ctest
    note_entries "$tree"
    rm -f "$tree"/results/[a-z]*.*.json "$tree/Testing/Temporary/LastTestsFailed.log" "$tree/Testing/Temporary/LastTest.log"
    ctest --test-dir "$tree" -L "^($tiers)\$" --no-tests=error "$@" >&2 || status=$?
    note_times "$tree"
    take_results "$tree"
    # ctest itself failed (no test of this name, a broken tree) and no test reports it.
    if [ "$status" != 0 ] && [ "$failed" = "$failed_before" ]; then
        note_failure ctest - "cd $ROOT && ctest --test-dir ${tree#"$ROOT/"} -L '^($tiers)\$' $*" "$tree/Testing" "it ran no test (exit status $status)"
    fi
    [ "$failed" = "$failed_before" ]
}

# alternatives NAMES: a regular expression that matches each of the entries, a line each, and nothing else.
alternatives() { printf '^(%s)$' "$(sed 's/\./\\./' <<< "$1" | paste -sd '|')"; }

PARTS=3  # of the entries on the real clusters of the tiers system and chaos, of which a whole run takes one
# of_other_seeds TREE: these entries but for the part that the seed chooses, a line each.
of_other_seeds() {
    ctest --test-dir "$1" -N -R '^(system\..*_real_oar|chaos\.real_oar_.*)$' | sed -nE 's/^ *Test +#[0-9]+: //p' | awk -v parts="$PARTS" -v part=$((seed % PARTS)) 'NR % parts != part'
}

# run_tiers TREE TIERS [CTEST-OPTION...]: the entries of these tiers that are part of the run. For --failed one after the other, each with
# those of its tests alone that failed.
run_tiers() {
    local tree=$1 tiers=$2 entry tests others= status=0
    shift 2
    say "tiers: ${tiers//|/, }"
    if [ -n "$again" ]; then
        for entry in $(grep -E "^($tiers)\." <<< "$selected"); do
            if ctest --test-dir "$tree" -N -R "$(alternatives "$entry")" | grep -q '^Total Tests: 0'; then
                left_out+=("$entry, which is no entry any more")
                forget "$entry"
                continue
            fi
            tests=$(awk -F '\t' -v name="$entry" '$1 == name { print $2 }' <<< "$before" | paste -sd ':')
            GTEST_FILTER=$tests run_ctest "$tree" "$tiers" -R "$(alternatives "$entry")" || status=1
        done
    elif [ -n "$changed" ]; then
        run_ctest "$tree" "$tiers" "$@" -R "$(alternatives "$(grep -E "^($tiers)\." <<< "$selected")")" || status=1
    else
        [[ "|$tiers|" != *"|system|"* || -z $oar || -n $long ]] || others=$(of_other_seeds "$tree")
        [ -z "$others" ] || left_out+=("on the real clusters, of the tiers system and chaos, what other seeds choose (--long takes all): $(paste -sd ' ' <<< "$others")")
        run_ctest "$tree" "$tiers" "$@" ${others:+-E "$(alternatives "$others")"} || status=1
    fi
    return $status
}

MOST_TIDIED=40  # files that clang-tidy checks beside the tests without being the last to end
# Whether clang-tidy has files to check, and not too many.
can_tidy() {
    local sources
    if ! clang_14 clang-tidy >/dev/null; then
        left_out+=("clang-tidy: there is no clang-tidy 14 here (tools/setup --change)")
        return 1
    fi
    if ! (changed_files "$base") >/dev/null 2>&1; then
        left_out+=("clang-tidy: there is no '$base' to compare with")
        return 1
    fi
    sources=$(changed_files "$base" | grep -c '\.cpp$') || true
    if [ "$sources" -gt "$MOST_TIDIED" ]; then
        left_out+=("clang-tidy: $sources .cpp files changed, more than $MOST_TIDIED (tools/tidy checks them)")
        return 1
    fi
}

# Compiles and checks beside the tests; end_beside waits for it. An error of the optimised build shows when bench is to run. An idle
# process in a session of its own is idle among the processes of this session only, as Linux divides the processor among sessions first: the
# session is made nice, too.
start_beside() {
    local bench= tidy=
    ! wanted bench || bench=yes
    if due tidy && can_tidy; then tidy=yes; fi
    mkdir -p "$SANITIZED/results" "$OPTIMISED"
    ROOT=$ROOT base=$base bench=$bench tidy=$tidy setsid chrt --idle 0 bash -c '
        { echo 19 > /proc/self/autogroup; } 2>/dev/null || true
        [ -z "$bench" ] || "$ROOT/tools/build" --strict --keep-going programs bench > "$ROOT/build/beside.log" 2>&1 || true
        [ -z "$tidy" ] || "$ROOT/tools/tidy" "$base"' > "$SANITIZED/results/tidy.log" 2>&1 &
    beside_pid=$! tidied=$tidy
}
# leave_late_bench: leaves bench out when it could begin too late (--bench-within), and does not wait for its compilation.
leave_late_bench() {
    if [ -z "$bench_within" ] || [ $SECONDS -lt $((60 * bench_within)) ] || ! wanted bench; then return 0; fi
    left_out+=("the tier bench: $((SECONDS / 60)) min had passed (--bench-within $bench_within)")
    chosen=("${chosen[@]/#bench}")
    [ -n "$beside_pid" ] || return 0
    kill -- "-$beside_pid" 2>/dev/null || true
    wait "$beside_pid" 2>/dev/null || true
    start_beside
}
end_beside() {
    local status=0
    wait "$beside_pid" || status=$?
    beside_pid=
    [ -n "$tidied" ] || return 0
    forget tidy
    if [ $status = 0 ]; then passed=$((passed + 1)); return 0; fi
    note_failure tidy - "cd $ROOT && tools/tidy $base" "$SANITIZED/results/tidy.log" "$(tail -n 15 "$SANITIZED/results/tidy.log")"
    return 1
}
