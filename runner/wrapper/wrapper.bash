#!/bin/bash
# The program of every job on a cluster: it claims the attempt of its task, gives the task its files, environment and arguments, runs its
# command, and notes its start and its end. Its arguments are the job's parameter line:
#
#   <task> <attempt> <job> <fence> <arguments in base64, or ->
#
# All functions of a task get them as $1 to $4. The files on the cluster are in ~/.gleaner/<grid>/<campaign> (lib/grid/campaign_folder.hpp),
# and each has one writer. What each of them means:
#
#   <fence>/                                  a folder for each launch, or more precisely for each place of claims (grid::fence_name):
#     <task>.<attempt>.<job>.<OAR job>.s      the job's own file, from its start on; one line: unix time, host, job, OAR job
#     <task>.<attempt>.claim                  the attempt is taken: a hard link to the own file of the job that holds it; in a pool, for
#                                             pooled tasks, a file with the same line
#     ….e<status>                             the command ended. Further numbers follow where the job has measured: .<milliseconds>, then
#                                             .c<milliseconds of the processors>, then .m<KiB of memory> (measure.bash), then .i<KiB read
#                                             and written> (times.bash). Last of all comes what the task gives to others,
#                                             .g<name>=<number>,… (given.bash), or a line that it wrote to stderr, .x<line> (errors.bash)
#     ….w.<milliseconds>…                     the walltime of a pooled task ended its command (pool.bash)
#     ….d.<holder>                            nothing was run: the job <holder> has the claim, or another run of this very job
#     ….u                                     nothing was run: no claim could be made, or the task could not be given what it needs
#     ….f                                     nothing was run: exec_directory cannot be used (folder.bash)
#                                             With WrapperParts::noted, the own file, and so the claim, has the same end as its second line
#     ….m                                     while the command runs: what GNU time has measured (measure.bash)
#     pool                                    the list of the launch's pooled tasks (pool.bash)
#   checkpoints/<task>/                       what the command left to go on from (checkpoints.bash)
#   given/<task>.<attempt>                    what the command gives to the tasks that come after its own (given.bash)
#   inputs/                                   input files: pieces, their index, and the files in inputs/f (inputs.bash)
#
# Outside of it: <task>.out, .err, .file.* and others in the output_directory (outputs.bash), and OAR.cigri.<campaign>.<OAR job>[.<task>].stdout
# and .stderr in exec_directory (folder.bash, pool.bash).
#
# At its end a job renames its own file, which needs no room on the disk: `.s` becomes one of the others. In a pool, the end is a file of its
# own beside it. The job exits with the status of its command, or with 113 (grid::kRanNothing) if it ran nothing.
#
# OAR begins the job in the home. Until a file of the task's is open, the program's own words are in OAR's stderr.
#
# How it comes to the cluster: the runner puts it into the home of the job's user, once for each kind of launch, and a job is a call of it
# (file.bash). Until it is there, and where it cannot be put, a job's command has the whole program in it. OAR keeps the command in the
# job's record and sends it in every list, so the build (embed) makes a short form of these files for that: no comments, no indentation,
# names of one letter. The facts of the launch (facts.bash) come first, in either form.
#
# The lines from `#@ if` to `#@ end` are left out where a launch does not need them. Their words are the members of WrapperParts; `file` is
# the form.
#
# Names: lower case, at least two words. The command gets a shell of its own, so that it sees none of them.
#
# bash 4.4 is the oldest that can run it (mapfile -d).

#@ if file
. ./file.bash
#@ end
. ./facts.bash
. ./claim.bash
#@ if pool || measured
. ./times.bash
. ./memory.bash
#@ end
. ./errors.bash
#@ if measured
. ./measure.bash
#@ end
#@ if checkpoints
. ./checkpoints.bash
#@ end
#@ if inputs
. ./inputs.bash
#@ end
#@ if output_directory
. ./outputs.bash
#@ end
#@ if folder
. ./folder.bash
#@ end
#@ if gives
. ./given.bash
#@ end
#@ if pool
. ./pool.bash
#@ end
. ./task.bash

#@ if pool
other_workers=()
#@ end
oar_job=${OAR_JOB_ID:-0}
#@ if streams || pool
streams_begin=OAR.cigri.$campaign_number.$oar_job
#@ end
claim_own_task "$@"
signal_came=
note_signals
shopt -s lastpipe
decode_arguments "$5" || end_unclaimed "cannot decode the arguments, nothing was run"
#@ if folder
enter_folder
#@ end
#@ if pool
begin_pool "$3"
#@ end
run_task "$@"
#@ if checkpoints
remove_checkpoint
#@ end
#@ if pool
take_pooled_tasks
#@ end
exit "$task_status"
