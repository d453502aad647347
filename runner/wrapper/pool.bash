#!/bin/bash
# A pool: its jobs, the carriers, take pooled tasks besides their own. The list of these is the file `pool` in the launch's folder, a line
# for each task, as a job's parameter line, or `<task> <attempt> <job> <fence> = <words>`; the last line is a dot. A list without it was not
# written to its end, and is not used.
#
# A carrier takes tasks until none is left, the pool's time is over, a signal came, or three tasks in a row failed. Where tasks run side by
# side, it has as many workers as cores on its first node. One is the shell itself. Each begins at its own share of the lines, so that they
# seldom contend for one.
#
# - The claim of a pooled task is made by creating the file: one creator wins, over NFS too. If the answer is lost, nobody runs the attempt,
#   and it comes back when the carriers are over.
# - A task whose stdout and stderr cannot be opened is not run.
# - Who removed the folder removed the claims too: then nothing else is taken.
# - The end is an empty file of its own, which needs no process. OAR cannot list a folder in which a file changes its name meanwhile, and in
#   a pool, one always does. A rename, which a full disk allows, comes second.

# OAR's walltime is that of the pool: the wrapper applies the task's.
run_command() {
  begin_times
  seconds_before=$SECONDS
  timeout -k 30 "$task_walltime" "${command_words[@]}"
}

# With `.w` instead of the status if the walltime ended the task. The peak of the job's memory is that of one task only for the carrier's own
# one, before any other has run in the job.
name_end() {
  read_times
  memory_peak=
  ((worker_count == 1)) && [ ! "$failed_in_row" ] && read_memory_peak
  end_kind=e$task_status
  ((task_status == 124 || task_status == 137)) && ((SECONDS - seconds_before >= task_walltime)) && end_kind=w task_status=113
  name_times
  end_file=$own_file.$end_kind$times_words
}

# Makes the other workers end after their tasks, and waits for them: a job does not end before its workers. A worker that notes an end
# ignores signals, as its programs must not be killed then. So it gets another one each second.
end_other_workers() {
  while
    running_workers=$(jobs -rp)
    [ "$running_workers" ]
  do
    for worker_process in $running_workers; do kill "$worker_process" 2> /dev/null; done
    sleep 1
  done
}

# Takes tasks. $1: the number of the worker, $2: how many tasks in a row have failed.
work_in_pool() {
  note_signals
  failed_in_row=$2 first_line=$((line_count ? ((carrier_job - first_carrier) * worker_count + $1) * line_count / carrier_count / worker_count % line_count : 0))
  for ((lines_seen = 0; lines_seen < line_count && failed_in_row < 3 && SECONDS < pool_duration; lines_seen++)); do
    { [ ! "$signal_came" ] && [ -e "$campaign_folder/$pool_folder/pool" ]; } || break
    # Most lines are claimed already: only the words of the others are taken apart.
    pool_line=${pool_lines[(first_line + lines_seen) % line_count]}
    after_task=${pool_line#* } after_job=${pool_line#* * * }
    [ -e "$campaign_folder/${after_job%% *}/${pool_line%% *}.${after_task%% *}.claim" ] && continue
    line_words=()
    for line_word in $pool_line; do line_words+=("$line_word"); done
    set -- "${line_words[@]}"
    name_files "$@"
    decode_arguments "${@:5}" || continue
    set -C
    { printf '%(%s)T %s\n' -1 "$own_line" > "$claim_file"; } 2> /dev/null || {
      set +C
      continue
    }
    set +C
    write_own_file 2> /dev/null || break
    end_file=
    #@ if output_directory
    run_task "$@"
    #@ end
    #@ if !output_directory
    run_task "$@" > "$streams_begin.$1.stdout" 2> "$streams_begin.$1.stderr"
    #@ end
    note_signals
    [ "$end_file" ] || {
      mv "$own_file.s" "$own_file.u"
      break
    }
    failed_in_row=$((task_status ? failed_in_row + 1 : 0))
  done
}

# Before the carrier's own task, $1: reads the list, and starts the other workers.
begin_pool() {
  carrier_job=$1 failed_in_row=
  { mapfile -t pool_lines < "$campaign_folder/$pool_folder/pool"; } 2> /dev/null
  line_count=${#pool_lines[@]}
  if ((line_count)) && [ "${pool_lines[line_count - 1]}" = . ]; then ((--line_count)); else line_count=0; fi
  worker_count=0
  [ "$side_by_side" ] && {
    mapfile -t node_lines < "$OAR_NODEFILE"
    for node_line in "${node_lines[@]}"; do [ "$node_line" = "${node_lines[0]}" ] && ((++worker_count)); done
  } 2> /dev/null
  ((worker_count)) || worker_count=1
  for ((worker_number = 1; worker_number < worker_count; worker_number++)); do
    work_in_pool "$worker_number" 0 &
    other_workers+=($!)
  done
}

# After it: takes pooled tasks itself, and waits for its other workers. The status stays that of its own task.
take_pooled_tasks() {
  own_status=$task_status
  work_in_pool 0 $((task_status ? 1 : 0))
  until [ "$signal_came" ] || wait; do :; done
  end_other_workers
  task_status=$own_status
}
