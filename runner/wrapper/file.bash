#!/bin/bash
# The program as a file in a user's home, ~/.gleaner/programs/<its SHA-256> (lib/grid/program_file.hpp). A job is
#
#   bash <file> <facts of the launch> <mark> <parameter line>
#
# - The whole file is one group, which the build puts around it: bash carries out nothing of a file that was cut.
# - A file that is damaged, or another one, is not carried out either: its name is the SHA-256 of what must be in it.
# - The facts (facts.bash) are one word of the command: `+` and two hexadecimal digits stand for a byte that shells interpret.
#
# What could not begin leaves no file of its own, so that its task keeps its attempt (JobEnd::never_began).

[ "$(sha256sum < "$0")" = "${0##*/}  -" ] || {
  echo "gleaner: $0 is damaged, nothing was run" >&2
  exit 114
}
printf -v launch_facts %b "${1//+/\\x}"
eval "$launch_facts"
shift 2
