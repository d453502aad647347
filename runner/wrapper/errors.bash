#!/bin/bash
# What a failed task wrote: one line of its stderr follows in the name of its end, after `.x`, so that failures can be grouped by it
# (lib/grid/stderr_line.hpp): a blank as a comma, bytes other than letters, digits and ._=+- as %XX.

# The first line with a word in it; the last one if that line opens a traceback of Python, which ends with the error itself. Nothing that a
# task has written may keep its end from being noted: stderr is read anew where it is a file, for some bytes and seconds at most. Tasks that
# were killed have no line: their shell writes of the signal.
add_error() {
  local LC_ALL=C
  error_text='' error_words=''
  {
    [ -f /proc/self/fd/3 ] && error_text=$(timeout -s KILL 5 head -c 2000 /proc/self/fd/3)
    error_text=${error_text#"${error_text%%[![:space:]]*}"}
    [[ $error_text = 'Traceback '* ]] && {
      error_text=$(timeout -s KILL 5 tail -c 2000 /proc/self/fd/3)
      error_text=${error_text##*$'\n'}
    }
  } 3>&2 2> /dev/null
  error_line=${error_text%%$'\n'*}
  error_line=${error_line#"${error_line%%[![:space:]]*}"}
  error_line=${error_line%"${error_line##*[![:space:]]}"}
  for ((error_place = 0; error_place < ${#error_line} && ${#error_words} < 98; error_place++)); do
    error_byte=${error_line:error_place:1}
    case $error_byte in
      [A-Za-z0-9._=+-]) ;;
      [[:space:]]) error_byte=, ;;
      *) printf -v error_byte '%%%02X' "'$error_byte" ;;
    esac
    error_words+=$error_byte
  done
  end_file+=${error_words:+.x$error_words}
}
