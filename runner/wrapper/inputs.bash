#!/bin/bash
# Input files (lib/grid/input_files.hpp). In the folder `inputs`, the grid puts pieces of a fixed size, named by their number, and `index`:
#
#   <SHA-256> <first byte> <bytes>[:<mode>] <path>
#
# for each file. The wrapper puts the files of its task below inputs/f, CIGRI_INPUTS, before the command runs. A file gets its name when it
# is whole, so that one with this name always is; other jobs may do the same at the same time. Until then it is `.<name of the own file>`.

# Puts the file $1 there; failure_reason: why it cannot be used.
get_input_file() {
  local file_hash first_byte byte_count file_mode file_path= part_file piece_number folder_below inputs_folder=$campaign_folder/inputs
  [ -e "$inputs_folder/f/$1" ] && return
  { while read -r file_hash first_byte byte_count file_path; do [ "$file_path" = "$1" ] && break; done < "$inputs_folder/index"; } 2> /dev/null
  [ "$file_path" = "$1" ] || {
    failure_reason="it is not among the files that were brought here"
    return 1
  }
  file_mode=${byte_count#*:}
  [ "$file_mode" = "$byte_count" ] && file_mode=444
  byte_count=${byte_count%:*}
  part_file=$inputs_folder/.${own_file##*/}
  failure_reason=$({
    folder_below=${1%/*}
    [ "$folder_below" = "$1" ] && folder_below=
    mkdir -p "$inputs_folder/f/$folder_below" &&
      for ((piece_number = first_byte / input_piece; piece_number * input_piece < first_byte + byte_count; piece_number++)); do
        cat "$inputs_folder/$piece_number" || exit
      done | tail -c +$((first_byte % input_piece + 1)) | head -c "$byte_count" > "$part_file"
  } 2>&1)
  [ "$(sha256sum < "$part_file" 2> /dev/null)" = "$file_hash  -" ] &&
    chmod "$file_mode" "$part_file" && mv "$part_file" "$inputs_folder/f/$1" && return
  rm -f "$part_file"
  failure_reason="it is damaged or incomplete here: its SHA-256 is not $file_hash${failure_reason:+: $failure_reason}"
  return 1
}

# Before the command. If a file cannot be used, the job ends as one that could not claim its attempt.
get_input_files() {
  export CIGRI_INPUTS=$campaign_folder/inputs/f
  set_input_names
  for input_name in "${input_names[@]}"; do
    get_input_file "$input_name" || end_unclaimed "its input file $input_name cannot be used, nothing was run: $failure_reason"
  done
}
