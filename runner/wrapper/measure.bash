#!/bin/bash
# A measured launch: its ends show what a start costs and what the task took: the milliseconds of the command, those that it had of the
# processors, and the KiB of memory that it took at most, where the node can tell them.
#
# - OAR may give the job a memory cgroup of its own, `/oar/USER_JOB`: its peak is that of all processes.
# - Else GNU time, if it is there, tells the peak of the greatest process, in the file <own file>.m. A signal of OAR's ends time, but not the
#   command: so time ignores them, and the command, which would inherit that, does not (env, coreutils 8.31). The first call shows whether
#   all of this works.

# The peak of the job's cgroup, in KiB; empty: it has none.
read_memory_peak() {
  memory_peak=
  {
    while IFS=: read -r _ cgroup_kinds cgroup_path; do
      [[ $cgroup_path =~ /[^/]+_$OAR_JOB_ID(/|$) ]] || continue
      case $cgroup_kinds in
        '') read -r memory_peak < "/sys/fs/cgroup$cgroup_path/memory.peak" ;;
        *memory*) read -r memory_peak < "/sys/fs/cgroup/memory$cgroup_path/memory.max_usage_in_bytes" ;;
      esac
    done < /proc/self/cgroup
  } 2> /dev/null
  if [[ $memory_peak =~ ^[0-9]+$ ]]; then memory_peak=$((memory_peak / 1024)); else memory_peak=; fi
}

run_by_time() {
  (
    trap '' HUP INT TERM USR1 USR2
    exec time -f%M -o"$own_file.m" env --default-signal=HUP,INT,TERM,USR1,USR2 "$@"
  )
}

run_command() {
  read_memory_peak
  memory_tool=()
  [ "$memory_peak" ] || { run_by_time true && memory_tool=(run_by_time); } 2> /dev/null
  begin_times
  "${memory_tool[@]}" "${command_words[@]}"
}

name_end() {
  read_times
  read_memory_peak
  [ "${memory_tool[*]}" ] && {
    while read -r memory_line; do memory_peak=$memory_line; done < "$own_file.m"
    rm -f "$own_file.m"
  } 2> /dev/null
  [[ $memory_peak =~ ^[0-9]+$ ]] || memory_peak=
  end_file=$own_file.e$task_status${time_before:+.$(((time_since_boot - time_before) * 10))${processor_time:+.c$(((processor_time - processor_time_before) * 10))}${memory_peak:+.m$memory_peak}}
}
