# The results of a run of the tests: counts, the list of what failed, and its record for the next run's --failed. Sourced after settings.sh.

SHORT=400  # characters of a failure where it takes one line
passed=0 failed=0
left_out=()    # what was not tested, a line each
failures=()    # what failed, some lines each
in_short=()    # the same, a line each
# NAME and TEST, a line each: a step and `-`, an entry of ctest and one of its tests, or an entry and `*`, when no single test reported it.
RECORD=$ROOT/build-sanitize/failed.txt

recorded() { cat "$RECORD" 2>/dev/null || true; }
forget() {
    [ ! -e "$RECORD" ] || awk -F '\t' -v name="$1" '$1 != name' "$RECORD" > "$RECORD.new"
    [ ! -e "$RECORD.new" ] || mv "$RECORD.new" "$RECORD"
}

# note_failure NAME TEST COMMAND FILE TEXT: COMMAND runs it alone, FILE holds its output, TEXT are the lines of it to show.
note_failure() {
    local name=$1 test=$2 text
    failed=$((failed + 1))
    mkdir -p "$(dirname "$RECORD")"
    printf '%s\t%s\n' "$name" "$test" >> "$RECORD"
    case $test in -|'*') ;; *) name+=" $test" ;; esac
    text=$(tr -s ' \n' ' ' <<< "${5:-it printed nothing}")
    in_short+=("$name: ${text:0:$SHORT}")
    failures+=("$(printf '%s\n%s\n  output: %s\n  again:  %s' "$name" "$(sed 's/^/    /' <<< "${5:-it printed nothing}")" "${4#"$ROOT/"}" "$3")")
}

# check NAME COMMAND...: a step that counts as one test. Its output goes to a file.
check() {
    local name=$1 log=$ROOT/build-sanitize/results/${1// /_}.log command
    shift
    forget "$name"
    mkdir -p "$(dirname "$log")"
    if "$@" > "$log" 2>&1; then
        passed=$((passed + 1))
    else
        command=$(printf '%q ' "${@//"$ROOT/"/}")
        note_failure "$name" - "cd $ROOT && ${command% }" "$log" "$(tail -n 15 "$log")"
        say "$name failed"
        return 1
    fi
}

# command_of TREE ENTRY TEST: the command that runs this test alone, with all that it needs; of an entry, when TEST is `*`.
command_of() {
    jq -r --arg root "$ROOT" --arg tree "${1#"$ROOT/"}" --arg entry "$2" --arg test "$3" --arg seed "$GLEANER_TEST_SEED" \
        --arg long "${GLEANER_TEST_LONG-}" '
        def property($name): [.properties[] | select(.name == $name).value | if type == "array" then .[] else . end];
        .tests[] | select(.name == $entry) | property("RESOURCE_LOCK") as $locks |
        ["GLEANER_TEST_SEED=\($seed)", (select($long != "") | "GLEANER_TEST_LONG=\($long)")] as $variables |
        "cd \([$root] | @sh) && " +
        if .command == null then "tools/build \(if $tree == "build" then "" else "--sanitize " end)\($entry | "test_" + sub("\\."; "_") | sub("^(?<t>test_[a-z]+_real_oar)_[a-z]+$"; .t) | sub("^(?<t>test_[a-z]+_.+)_real_oar$"; .t))"
        else
            (if $locks | index("oar") then "tests/oar-testbed/up && GLEANER_TEST_OAR=/var/tmp/oar-testbed/clusters.json GLEANER_CONTRACT_BACKENDS=minioar,minioar-2.6,oar " else "" end) +
            "env " +
            if $test == "*" then ($variables | @sh) + " ctest --test-dir \($tree) -R \(["^\($entry | sub("\\."; "\\."))$"] | @sh) --output-on-failure"
            else ([$variables[], property("ENVIRONMENT")[], (.command[0] | ltrimstr($root + "/")), "--gtest_filter=\($test)"] | @sh)
            end
        end' "$1/results/entries.json"
}

# split_log TREE: the output of each entry of the last run of ctest into results/ENTRY.log. Prints their names.
split_log() {
    awk -v folder="$1/results" '
        /^[0-9]+\/[0-9]+ Testing: / { name = $NF; log_file = folder "/" name ".log"; printf "" > log_file; print name; next }
        /^<end of output>$/ { inside = 0; close(log_file); next }
        inside == 2 { print > log_file }
        inside == 1 { inside = 2 }
        /^Output:$/ && !inside { inside = 1 }' "$1/Testing/Temporary/LastTest.log"
}

# tests_of JSON LOG: a line for each test of an entry: what came of it, its name, and what it printed of its failure. An entry
# that crashed wrote no JSON: its output shows which tests had ended, and which one ran.
tests_of() {
    jq -r '.testsuites[] | .name as $suite | .testsuite[] | [
        if .failures then "failed" elif .result == "COMPLETED" then "passed" else "skipped" end, "\($suite).\(.name)",
        ([.failures[]?.failure] | join("\n") | split("\n")[:12] | join("\n"))] | @tsv' "$1" 2>/dev/null && return
    awk '
        /^\[ RUN      \] / { runs = $4 }
        /^\[       OK \] / { print "passed\t" $4; runs = "" }
        /^\[  SKIPPED \] / && runs != "" { print "skipped\t" $4; runs = "" }
        /^\[  FAILED  \] / && runs != "" { sub(/,$/, "", $4); print "failed\t" $4; runs = "" }
        END { if (runs != "") print "running\t" runs }' "$2"
}

# take_entry TREE ENTRY WHETHER-IT-FAILED: adds up the tests of an entry. One that failed with no failed test in its report (a crash, a
# leak, its time limit) is one more failure.
take_entry() {
    local tree=$1 entry=$2 before=$failed what test text where=
    local json=$1/results/$2.json log=$1/results/$2.log
    forget "$entry"
    while IFS=$'\t' read -r what test text; do
        case $what in
        passed) passed=$((passed + 1)) ;;
        skipped) left_out+=("$entry $test") ;;
        failed) note_failure "$entry" "$test" "$(command_of "$tree" "$entry" "$test")" "$log" "$(printf '%b' "$text")" ;;
        running) where=" in $test" ;;
        esac
    done < <(tests_of "$json" "$log")
    ! grep -q '^\[ TOO LATE \]' "$log" || left_out+=("$entry, which could begin too late only (--begin-within)")
    if [ -n "$3" ] && { [ -n "$where" ] || [ "$failed" = "$before" ]; }; then
        if [ -s "$log" ]; then text="it crashed, leaked or exceeded its time limit$where; its last lines:"$'\n'$(tail -n 20 "$log")
        else text="it printed nothing: was its program compiled?"; fi
        note_failure "$entry" '*' "$(command_of "$tree" "$entry" '*')" "$log" "$text"
    fi
}

# note_entries TREE: what the entries are; to be called before their run, as ctest forgets its last run when it lists them.
note_entries() {
    mkdir -p "$1/results"
    ctest --test-dir "$1" --show-only=json-v1 > "$1/results/entries.json"
}

# take_results TREE: adds up what the last run of ctest in TREE did.
take_results() {
    local tree=$1 entry failed_entries
    failed_entries=$(sed 's/^[0-9]*://' "$tree/Testing/Temporary/LastTestsFailed.log" 2>/dev/null) || true
    for entry in $(split_log "$tree"); do
        if grep -qxF -- "$entry" <<< "$failed_entries"; then take_entry "$tree" "$entry" yes; else take_entry "$tree" "$entry" ''; fi
    done
}

# print_results: what was left out, what failed, and the counts. The status says whether something failed.
print_results() {
    local what
    if [ ${#left_out[@]} -gt 0 ]; then
        say "left out:"
        printf '  %s\n' "${left_out[@]}" >&2
    fi
    if [ ${#failures[@]} -gt 0 ]; then
        say "failed, each with the command that runs it alone (tools/test --failed runs all of them):"
        for what in "${failures[@]}"; do printf '%s\n' "$what" | sed 's/^/  /' >&2; done
        # The last lines of a run alone are enough for the causes.
        say "failed, in short:"
        printf '  %s\n' "${in_short[@]}" >&2
    fi
    say "seed $GLEANER_TEST_SEED"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
