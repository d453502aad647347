#!/bin/bash
# What a task leaves in the output_directory (lib/grid/task_outputs.hpp). Its files begin with <task>, or <task>.<attempt> from the second
# attempt on, and are in a folder for each 1000 tasks from the task 1000 on:
#
#   ….out, ….err                               stdout and stderr
#   ….file.<path>                              an output file: a hard link, or a copy where the file system is another one
#   ….long.<n>                                 one whose name would be longer than a file's may be, the n-th;
#   ….path.<n>.<part>.<parts>.<piece of it>    its path, in the names of empty files, which are made first

# Before the command: makes the folder, and sends stdout and stderr into it. Where that fails nothing is run, and the job ends as one that
# could not claim its attempt.
open_outputs() {
  task_folder=$output_directory
  (($1 > 999)) && task_folder=$output_directory/$(($1 / 1000 * 1000))
  output_begin=$task_folder/$1
  [ "$2" = 0 ] || output_begin=$output_begin.$2
  { : >> "$output_begin.out" && : >> "$output_begin.err"; } 2> /dev/null ||
    failure_reason=$({ mkdir -p "$task_folder" && : >> "$output_begin.out" && : >> "$output_begin.err"; } 2>&1) ||
    end_unclaimed "its output directory cannot be used, nothing was run: $failure_reason"
  exec >> "$output_begin.out" 2>> "$output_begin.err"
}

#@ if output_files
# If a file cannot be gathered, a task that succeeded ends with 74 (grid::kNotGathered).
fail_to_gather() {
  echo "$message_begin $1" >&2
  ((task_status)) || task_status=74
}

# After the command, and before its end is noted, so that the files of a task that is done are all there.
#
# - A name has only characters that OAR's API can read; the others are encoded, byte by byte (LC_ALL=C).
# - A link needs no room. It is made of what a symbolic link leads to.
# - A copy that is not whole is removed.
gather_outputs() {
  shopt -s nullglob globstar
  output_count=0
  set_output_paths "$@"
  local LC_ALL=C
  for output_path in "${output_paths[@]}"; do
    [ -f "$output_path" ] || continue
    ((++output_count > 1000)) && {
      fail_to_gather "more than 1000 files match output_files, the others were not gathered"
      break
    }
    file_name=${output_path#"$PWD/"} file_name=${file_name#./} file_name=${file_name#/} encoded_name=
    for ((byte_place = 0; byte_place < ${#file_name}; byte_place++)); do
      name_byte=${file_name:byte_place:1}
      case $name_byte in
        [A-Za-z0-9._,=+@-]) ;;
        *) printf -v name_byte '%%%02X' "'$name_byte" ;;
      esac
      encoded_name+=$name_byte
    done
    gathered_file=$output_begin.file.$encoded_name failure_reason=
    gathered_name=${gathered_file##*/}
    ((${#gathered_name} > 255)) && {
      gathered_file=$output_begin.long.$output_count
      rm -f -- "$output_begin.path.$output_count".*
      part_count=$(((${#encoded_name} + 199) / 200))
      failure_reason=$(for ((byte_place = 0; byte_place < part_count; byte_place++)); do : > "$output_begin.path.$output_count.$byte_place.$part_count.${encoded_name:byte_place*200:200}"; done 2>&1)
    }
    { [ ! "$failure_reason" ] && { ln -fLT -- "$output_path" "$gathered_file" 2> /dev/null || failure_reason=$(cp -fLT -- "$output_path" "$gathered_file" 2>&1); }; } || {
      rm -f -- "$gathered_file" 2> /dev/null
      fail_to_gather "its output file $output_path cannot be gathered: $failure_reason"
    }
  done
}
#@ end
