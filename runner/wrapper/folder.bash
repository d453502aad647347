#!/bin/bash
# The folder in which tasks run, CIGRI_WORKDIR, if it is not the home. OAR begins each job in the home: a folder that is given to OAR is read
# by a shell of the front end (OAR 2.6), which would carry out what stands in it. The job goes there after its claim, once for all tasks of a
# pool. Where that fails nothing is run, and the job notes it (`.f`).

# The reason is what the shell says at the second time, without its own name and the folder's.
end_without_folder() {
  #@ if noted
  write_end f
  #@ end
  mv "$own_file.s" "$own_file.f"
  end_without_run "its exec_directory $CIGRI_WORKDIR cannot be used, nothing was run: ${failure_reason##*: }"
}

# No variable of the user's (CDPATH) leads elsewhere, and no folder is an option.
change_folder() {
  CDPATH='' cd -- "$CIGRI_WORKDIR" || return
}

enter_folder() {
  change_folder 2> /dev/null || { failure_reason=$(change_folder 2>&1) && change_folder; } || end_without_folder
  export OAR_WORKDIR=$CIGRI_WORKDIR OAR_O_WORKDIR=$CIGRI_WORKDIR OAR_WORKING_DIRECTORY=$CIGRI_WORKDIR
}

#@ if streams
# Right before the command: stdout and stderr become files of the folder, with the names that OAR gives its own (grid::stream_name).
open_streams() {
  { : >> "$streams_begin.stdout" && : >> "$streams_begin.stderr"; } 2> /dev/null ||
    failure_reason=$({ : >> "$streams_begin.stdout" && : >> "$streams_begin.stderr"; } 2>&1) ||
    end_without_folder
  exec >> "$streams_begin.stdout" 2>> "$streams_begin.stderr"
}
#@ end
