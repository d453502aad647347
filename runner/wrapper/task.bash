#!/bin/bash
# A claimed task: its arguments, its command, its end.

# From the fifth word of the parameter line on: `-`, base64, or `=` and words. Arguments in base64 are decoded through a pipe: in bash, the
# status of a process substitution gets lost about once in some thousand times (`wait` returns -1).
decode_arguments() {
  task_arguments=()
  case $1 in
    -) ;;
    =) task_arguments=("${@:2}") ;;
    *)
      base64 -d <<< "$1" | mapfile -d '' -t task_arguments
      ((!PIPESTATUS[0]))
      ;;
  esac
}

#@ if !pool && !measured && !checkpoints
run_command() {
  "${command_words[@]}"
}
#@ end

# The program outlives the signals of OAR (checkpoint, end of walltime), and takes no other task then.
note_signals() {
  trap signal_came=1 HUP INT TERM USR1 USR2
}

#@ if noted
write_end_anew() {
  mkdir -p "$fence_folder" && write_own_file || return
  write_end "$end_words"
  mv "$own_file.s" "$end_file" && ln "$end_file" "$claim_file"
}
#@ end

put_end() {
  #@ if pool
  { : > "$end_file"; } 2> /dev/null && return
  #@ end
  mv "$own_file.s" "$end_file" 2> /dev/null || [ -e "$end_file" ]
}

# A command may have removed the folder, and a file system may take no name as long as one with a line of stderr: the end is still noted.
note_end() {
  #@ if pool || measured
  name_end
  #@ end
  #@ if !pool && !measured
  end_file=$own_file.e$task_status
  #@ end
  short_end=$end_file
  ((task_status && task_status != 137 && task_status != 143)) && [ "$end_kind" != w ] && add_error
  #@ if gives
  ((task_status)) || add_given
  #@ end
  #@ if noted
  end_words=${end_file#"$own_file".}
  write_end "$end_words"
  #@ end
  put_end && return
  [ "$end_file" != "$short_end" ] && ((task_status)) && {
    end_file=$short_end
    put_end && return
  }
  #@ if noted
  write_end_anew 2> /dev/null
  #@ end
  #@ if !noted
  { mkdir -p "$fence_folder" && write_own_file && mv "$own_file.s" "$end_file" && ln "$end_file" "$claim_file"; } 2> /dev/null
  #@ end
}

# Runs the command of the task, and notes its end.
run_task() {
  export CIGRI_NODE_FILE=$OAR_NODEFILE CIGRI_NODEFILE=$OAR_NODEFILE CIGRI_JOB_ID=$3 CIGRI_JOBID=$3 \
    CIGRI_CAMPAIGN_ID=$campaign_number CIGRI_CAMPAIGNID=$campaign_number \
    CIGRI_JOB_NAME=${task_arguments[0]} CIGRI_JOBNAME=${task_arguments[0]} \
    CIGRI_WORKING_DIRECTORY=$CIGRI_WORKDIR CIGRI_ATTEMPT=$2
  #@ if inputs
  get_input_files
  #@ end
  #@ if checkpoints
  make_checkpoint_folder "$1"
  #@ end
  #@ if gives
  make_given_file "$@"
  #@ end
  #@ if output_directory
  open_outputs "$@"
  #@ end
  #@ if streams && !pool
  open_streams
  #@ end
  #@ if streams && pool
  # Pooled tasks have theirs already.
  [ "$3" = "$carrier_job" ] && open_streams
  #@ end
  set_command "${task_arguments[@]}"
  run_command
  task_status=$?
  trap '' HUP INT TERM USR1 USR2
  #@ if output_files
  gather_outputs "$@"
  #@ end
  note_end
}
