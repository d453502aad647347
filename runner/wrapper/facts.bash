#!/bin/bash
# The facts of a launch, as the runner writes them for the program (runner/command/command.cpp). These are examples, which are not a part
# of the program: the build takes the names from here, and shellcheck their kinds.

# The campaign's folder; the shell expands the tilde.
campaign_folder=~/.gleaner/grid/12
campaign_number=12
# exec_file: shell text, for a shell of its own.
exec_file='simulate --fast'
export CIGRI_CLUSTER=alpha CIGRI_USER=griduser1 CIGRI_WORKDIR="$HOME/work" CIGRI_RESOURCES=/core=1 CIGRI_WALLTIME=1:0:0 CIGRI_WALLTIME_SECONDS=3600
# The words that start the command of a task, of which these are the arguments (runner/command/command_words.hpp).
set_command() {
  command_words=(bash -c "$exec_file \"\$@\"" gleaner.12 "$@")
}

#@ if pool
# The launch's folder in the campaign's, which holds the list.
pool_folder=7
# The seconds for which a carrier takes tasks.
pool_duration=3600
# The seconds after which a task is ended.
task_walltime=60
# The least id of the carriers, and their number.
first_carrier=345
carrier_count=4
# Not empty: a carrier carries out as many tasks at a time as it has cores on its first node.
side_by_side=1
#@ end

#@ if checkpoints
checkpoint_signal=USR2
#@ end

#@ if inputs
# The bytes of a piece (grid::kInputPiece).
input_piece=4194304
# The paths of the task's input files, with words of its parameter, which are in task_arguments.
set_input_names() {
  input_names=(data.txt "${task_arguments[0]}")
}
#@ end

#@ if output_directory
output_directory="$HOME/results"
# The paths that match the patterns; the task and its attempt are the arguments.
set_output_paths() {
  output_paths=(*.csv "result.$1.$2.$campaign_number.${task_arguments[0]}")
}
#@ end
