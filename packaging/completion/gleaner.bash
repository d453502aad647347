# Completion of the grid's commands for bash: options from each command's own --help, campaigns and
# clusters from the grid itself. Source it, or put it into /usr/share/bash-completion/completions
# under the name of each command.

_gleaner_options() { "$1" --help 2>/dev/null | grep -oE -- '(^|[ ,])--?[a-z][a-z_-]*' | tr -d ' ,' | sort -u; }

_gleaner() {
    local command=$1 word=$2 previous=$3
    COMPREPLY=()
    case $previous in
        -f | --file | -p | --param-file | --config | --token_file | --*-file | --certificate | --key)
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
            ;;
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
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_gleaner_options "$command")" -- "$word")
        return
    fi
    case ${command##*/} in
        gridctl) _gleaner_gridctl "$command" "$word" "$previous" ;;
        gridstat | griddel | gridwait) mapfile -t COMPREPLY < <(compgen -W "$(gridstat --quiet 2>/dev/null)" -- "$word") ;;
        gridsub) case $previous in --hold | --resume | --retry | --fix) mapfile -t COMPREPLY < <(compgen -W "$(gridstat --quiet 2>/dev/null)" -- "$word") ;; esac ;;
    esac
}

_gleaner_gridctl() {
    local known=
    case $3 in
        db) known="migrate status" ;;
        cluster) known="add edit list disable enable remove" ;;
        user) known="map allow-normal forbid-normal list-normal" ;;
        rules) known="list show add edit enable disable remove test" ;;
        event) known="list close" ;;
        brake) known="clear" ;;
        edit | disable | enable | remove | show)
            if [[ ${COMP_WORDS[*]} == *" rules "* ]]; then known=$("$1" rules list --quiet 2>/dev/null); else known=$("$1" cluster list --quiet 2>/dev/null); fi
            ;;
        test | add) mapfile -t COMPREPLY < <(compgen -f -- "$2"); return ;;
        gridctl | */gridctl) known="db cluster user rules check prune event brake" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$known" -- "$2")
}

complete -F _gleaner gridsub gridstat griddel gridwait gridclusters gridctl
