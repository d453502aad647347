# Completion of the grid's commands for bash: options and gridctl's commands from each program's own
# --help, campaigns and clusters from the grid itself. Source it, or put it into
# /usr/share/bash-completion/completions under the name of each command.

_gleaner_options() { "$1" --help 2>/dev/null | grep -oE -- '(^|[ ,])--?[a-z][a-z_-]*' | tr -d ' ,' | sort -u; }

# The first words of gridctl's commands; of a first word, the second ones.
_gleaner_gridctl_commands() {
    "$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z].\{0,29\}\).*/\1/p' | while read -r first second _; do
        if [[ $# == 1 ]]; then echo "$first"; elif [[ $first == "$2" && $second =~ ^[a-z-]+$ ]]; then echo "$second"; fi
    done | sort -u
}

_gleaner_clusters() { gridclusters --quiet 2>/dev/null || gridctl cluster list --quiet 2>/dev/null; }

_gleaner() {
    local command=$1 word=$2 previous=$3
    # Where = is a word of its own, what it belongs to is before it.
    if [[ $word == = ]]; then word=; elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi
    COMPREPLY=()
    case $previous in
        -f | --file | -p | --param-file | --config | --token_file | --*-file | --certificate | --key | --plot | --oar)
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
        --csv | --state)
            case ${command##*/} in
                gridsim | gridlocal)
                    mapfile -t COMPREPLY < <(compgen -d -- "$word")
                    return
                    ;;
            esac
            ;;&
        -t | --type)
            mapfile -t COMPREPLY < <(compgen -W "default test" -- "$word")
            return
            ;;
        --auth | --authentication)
            mapfile -t COMPREPLY < <(compgen -W "none basic certificate" -- "$word")
            return
            ;;
        --state)
            mapfile -t COMPREPLY < <(compgen -W "waiting launching submitted running done failed cancelled" -- "$word")
            return
            ;;
        -c | --campaign)
            mapfile -t COMPREPLY < <(compgen -W "$(gridstat --quiet 2>/dev/null)" -- "$word")
            return
            ;;
        --cluster | --sink | --blacklist-cluster)
            mapfile -t COMPREPLY < <(compgen -W "$(_gleaner_clusters)" -- "$word")
            return
            ;;
        --user | --as)
            mapfile -t COMPREPLY < <(compgen -u -- "$word")
            return
            ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_gleaner_options "$command")" -- "$word")
        return
    fi
    case ${command##*/} in
        gridctl) _gleaner_gridctl "$command" "$word" ;;
        gridsim) _gleaner_gridsim "$word" "$previous" ;;
        gridlocal) mapfile -t COMPREPLY < <(compgen -W "up down status env" -- "$word") ;;
        gridstat | gridevents | griddel | gridwait | gridget | gridclean) mapfile -t COMPREPLY < <(compgen -W "$(gridstat --quiet 2>/dev/null)" -- "$word") ;;
        gridsub) case $previous in --hold | --resume | --retry | --fix | --edit | --rerun-failed) mapfile -t COMPREPLY < <(compgen -W "$(gridstat --quiet 2>/dev/null)" -- "$word") ;; esac ;;
    esac
}

_gleaner_gridctl() {
    local known='' place=$COMP_CWORD
    case $place in
        1) known=$(_gleaner_gridctl_commands "$1") ;;
        2) known=$(_gleaner_gridctl_commands "$1" "${COMP_WORDS[1]}") ;;
    esac
    case "$place ${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
        "3 rules add" | "3 rules test" | "4 rules edit")
            mapfile -t COMPREPLY < <(compgen -f -- "$2")
            return
            ;;
        "3 rules "*) known=$("$1" rules list --quiet 2>/dev/null) ;;
        "3 cluster "* | "4 user map" | "4 user allow-normal" | "4 user forbid-normal" | "4 affinity "* | "4 brake clear") known=$(_gleaner_clusters) ;;
        "3 user "* | "3 affinity "*)
            mapfile -t COMPREPLY < <(compgen -u -- "$2")
            return
            ;;
        "3 limit set") known="running_jobs waiting_jobs resources resource_seconds" ;;
        "3 limit remove") known=$("$1" limit list --quiet 2>/dev/null) ;;
        "3 share set" | "3 share remove") known="project user" ;;
        "3 event list" | "3 brake clear") known=$(gridstat --quiet 2>/dev/null) ;;
        "3 event close") known=$("$1" event list --quiet 2>/dev/null) ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$known" -- "$2")
}

_gleaner_gridsim() {
    case $2 in
        --vary | --set)
            mapfile -t COMPREPLY < <(compgen -S = -W "campaign_order campaign_scheduler placement predictor_algorithm flood cycle_period reservations simultaneous" -- "$1")
            compopt -o nospace 2>/dev/null
            ;;
        --seed) ;;
        run | compare) mapfile -t COMPREPLY < <(compgen -f -- "$1") ;;
        *) mapfile -t COMPREPLY < <(compgen -W "run compare" -- "$1"; compgen -f -X '!*.json' -- "$1"; compgen -d -- "$1") ;;
    esac
}

complete -F _gleaner gridsub gridstat gridevents griddel gridwait gridget gridclusters gridclean gridctl gridlocal
complete -o filenames -F _gleaner gridsim
