#!/bin/bash
# The times that a task took, for the name of its end (wrapper.bash).

# The time that the processes which this shell has waited for had of the processors, and the time since the node's start, both in hundredths
# of a second; empty without /proc. The clock of the day may be set meanwhile.
read_times() {
  processor_time='' time_since_boot=''
  {
    read -ra stat_fields < /proc/self/stat && processor_time=$((stat_fields[15] + stat_fields[16]))
    read -r time_since_boot _ < /proc/uptime
  } 2> /dev/null
  time_since_boot=${time_since_boot/./}
}

begin_times() {
  read_times
  processor_time_before=$processor_time time_before=$time_since_boot
}
