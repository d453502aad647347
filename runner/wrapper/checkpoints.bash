#!/bin/bash
# Checkpoints (lib/grid/checkpoint.hpp): the folder checkpoints/<task> belongs to the task, whatever its attempt, and is removed when its
# command has ended with status 0. OAR's signal goes to the command.

# Before the command. Where it fails nothing is run, and the job ends as one that could not claim its attempt.
make_checkpoint_folder() {
  export CIGRI_CHECKPOINT=$campaign_folder/checkpoints/$1
  failure_reason=$(mkdir -p "$CIGRI_CHECKPOINT" 2>&1) || end_unclaimed "its checkpoint folder cannot be made, nothing was run: $failure_reason"
}

# OAR signals this shell alone. A shell beside it starts the command, and reports its process and its status through a pipe: a signal that
# comes while a shell waits for the command could lose its status (bash 5.2 forgets it if the command ends at that moment), and one that
# comes while it reads a pipe loses nothing. The command has the files of this shell. Where the launch is measured, that shell, which waited for
# the command, reports the time of the processors and the bytes, too.
run_command() {
  command_process='' task_status=''
  note_signals
  trap 'signal_came=1;kill -$checkpoint_signal $command_process 2>/dev/null' "$checkpoint_signal"
  #@ if measured
  begin_times
  #@ end
  exec 7<&0 8>&1
  exec 9< <(
    trap : HUP INT TERM USR1 USR2
    "${command_words[@]}" <&7 >&8 7<&- 8>&- &
    echo $!
    wait $!
    task_status=$?
    #@ if measured
    read_times
    echo "$processor_time"
    echo "$moved_bytes"
    #@ end
    echo "$task_status"
  )
  read -r command_process <&9
  #@ if measured
  read -r command_time <&9
  read -r command_bytes <&9
  #@ end
  read -r task_status <&9
  exec 7<&- 8>&- 9<&-
  return "${task_status:-137}"
}

# After the end is noted.
remove_checkpoint() {
  [ "$task_status" = 0 ] && rm -rf -- "$CIGRI_CHECKPOINT"
}
