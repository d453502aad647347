#!/bin/bash
# How a job takes the attempt of its task, once for all jobs that have the same one: the own file and the claim (wrapper.bash).
#
# - Only one job can make the hard link, over NFS too. NFS may lose the answer of a link that was made, and report that it exists already:
#   then the own file has two names, and the claim is this job's.
# - The own file is never overwritten (set -C): OAR can run a job twice under one id, and the first run may hold the claim by that very file.
# - After any failure, everything is tried a second time, so that the message can state the reason.

# Of the task's files: where they are, their names, the line in the own file, and how the messages about it begin.
name_files() {
  fence_folder=$campaign_folder/$4
  claim_file=$fence_folder/$1.$2.claim
  own_file=$fence_folder/$1.$2.$3.$oar_job
  own_line="$HOSTNAME $3 $oar_job"
  message_begin="gleaner: task $1, attempt $2:"
}

write_own_file() {
  printf '%(%s)T %s\n' -1 "$own_line" > "$own_file.s"
}

claim_attempt() {
  ln "$own_file.s" "$claim_file" || [ "$(stat -c %h "$own_file.s")" = 2 ]
}

#@ if noted
# Writes the end, $1, as the second line of the own file, and so of the claim, which is another name of it: an API that lists no folder
# shows it there. The file has its block already, so that a full disk does not prevent it.
write_end() {
  [ -e "$own_file.s" ] && { echo "$1" >> "$own_file.s"; } 2> /dev/null
}
#@ end

# Ends a job that has run nothing.
end_without_run() {
  echo "$message_begin $1" >&2
  #@ if pool
  [ "${other_workers[*]}" ] && [ "$BASHPID" = $$ ] && end_other_workers
  #@ end
  exit 113
}

# The same for one whose claim, or whose task's files, could not be made.
end_unclaimed() {
  #@ if noted
  write_end u
  #@ end
  mv "$own_file.s" "$own_file.u"
  end_without_run "$1"
}

# The same if another job holds the claim, or another run of this one.
end_if_claimed() {
  [ -e "$claim_file" ] || return 0
  {
    read -r _ holder_host holder_job holder_oar_job _ < "$claim_file"
    [ "$own_file_made" ] && mv "$own_file.s" "$own_file.d.${holder_job:-0}"
  } 2> /dev/null
  end_without_run "claimed by job ${holder_job:-?} (OAR job ${holder_oar_job:-?} on host ${holder_host:-?}), nothing to run"
}

claim_own_task() {
  name_files "$@"
  own_file_made=
  set -C
  if ! {
    { write_own_file || { [ ! -d "$fence_folder" ] && mkdir -p "$fence_folder" && write_own_file; }; } 2> /dev/null &&
      own_file_made=1 && claim_attempt 2> /dev/null
  }; then
    end_if_claimed
    [ ! "$own_file_made" ] && [ -s "$own_file.s" ] && end_without_run "begun before by this very job, nothing to run"
    own_file_made=1
    set +C
    if ! failure_reason=$({ mkdir -p "$fence_folder" && write_own_file && claim_attempt; } 2>&1); then
      end_if_claimed
      { mv "$own_file.s" "$own_file.u" || : > "$own_file.u"; } 2> /dev/null
      end_without_run "cannot be claimed, nothing was run: $failure_reason"
    fi
  fi
  set +C
}
