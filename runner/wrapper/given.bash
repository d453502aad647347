#!/bin/bash
# Numbers that a task gives to the ones that come after it (lib/grid/given.hpp): it writes words such as size=100 into the file
# given/<task>.<attempt>, whose path is $CIGRI_GIVES. Those of a task that succeeded follow in the name of its end, after `.g`, with commas
# between them: bytes other than letters, digits and ._=+- as %XX.

# Before the command: an empty file. Where that fails nothing is run, and the job ends as one that could not claim its attempt.
make_given_file() {
  export CIGRI_GIVES=$campaign_folder/given/$1.$2
  { : > "$CIGRI_GIVES"; } 2> /dev/null ||
    failure_reason=$({ mkdir -p "$campaign_folder/given" && : > "$CIGRI_GIVES"; } 2>&1) ||
    end_unclaimed "the file for what it gives cannot be made, nothing was run: $failure_reason"
}

# A text of more than 150 bytes (grid::kLongestGiven), which would not fit into a name, is noted as one.
add_given() {
  local LC_ALL=C
  given_text='' given_words=''
  { IFS='' read -r -d '' -n 401 given_text < "$CIGRI_GIVES"; } 2> /dev/null
  for ((given_place = 0; given_place < ${#given_text}; given_place++)); do
    given_byte=${given_text:given_place:1}
    case $given_byte in
      [A-Za-z0-9._=+-]) ;;
      [[:space:]]) given_byte=${given_words:+,} ;;
      *) printf -v given_byte '%%%02X' "'$given_byte" ;;
    esac
    [ "$given_byte" = , ] && [ "${given_words%,}" != "$given_words" ] || given_words+=$given_byte
  done
  given_words=${given_words%,}
  ((${#given_text} > 400 || ${#given_words} > 150)) && given_words=%long
  end_file+=${given_words:+.g$given_words}
}
