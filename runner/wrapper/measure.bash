#!/bin/bash
# A measured launch: its ends show what a start costs and what the task took: the milliseconds of the command, those that it had of the
# processors, the KiB of memory that it took at most, and the KiB that it read from file systems and wrote, where the node can tell them.
#
# - OAR may give the job a memory cgroup of its own (memory.bash).
# - Else GNU time, if it is there, tells the peak of the greatest process, in the file <own file>.m. A signal of OAR's ends time, but not the
#   command: so time ignores them, and the command, which would inherit that, does not (env, coreutils 8.31). The first call shows whether
#   all of this works.
# - A task with checkpoints is not run by time, which would stand between the signal and the command. Its shell (checkpoints.bash) reads the
#   time of the processors and the bytes.

#@ if !checkpoints
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
#@ end

name_end() {
  read_times
  #@ if checkpoints
  processor_time=$command_time processor_time_before=0 moved_bytes=$command_bytes moved_before=0
  #@ end
  read_memory_peak
  #@ if !checkpoints
  [ "${memory_tool[*]}" ] && {
    while read -r memory_line; do memory_peak=$memory_line; done < "$own_file.m"
    rm -f "$own_file.m"
  } 2> /dev/null
  [[ $memory_peak =~ ^[0-9]+$ ]] || memory_peak=
  #@ end
  name_times
  end_file=$own_file.e$task_status$times_words
}
