#!/bin/sh
# greet.sh NAME WORDS…: writes its arguments, one a line, to greetings/NAME.txt in the task's folder.
set -eu
mkdir -p greetings
printf '%s\n' "$@" > "greetings/$1.txt"
