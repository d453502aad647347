#!/bin/bash
# The times that a task took and the bytes that it moved, for the name of its end (wrapper.bash).

# Of the processes that this shell has waited for: the time that they had of the processors, in hundredths of a second, and the bytes that
# they, and this shell, had read from file systems and written to them. The kernel adds a process to its parent when that has waited for it.
# Then the time since the node's start, in hundredths: the clock of the day may be set meanwhile. Each is empty where /proc does not have it.
read_times() {
  processor_time='' time_since_boot='' moved_bytes=''
  {
    read -ra stat_fields < /proc/self/stat && processor_time=$((stat_fields[15] + stat_fields[16]))
    read -r time_since_boot _ < /proc/uptime
    while read -r io_counter io_bytes; do
      case $io_counter in read_bytes: | write_bytes:) moved_bytes=$((moved_bytes + io_bytes)) ;; esac
    done < /proc/self/io
  } 2> /dev/null
  time_since_boot=${time_since_boot/./}
}

begin_times() {
  read_times
  processor_time_before=$processor_time time_before=$time_since_boot moved_before=$moved_bytes
}

# What a task took, from begin_times on: `.<milliseconds>`, `.c<milliseconds of the processors>`, `.m<KiB>` if the memory is known, `.i<KiB>`.
name_times() {
  times_words=${time_before:+.$(((time_since_boot - time_before) * 10))${processor_time:+.c$(((processor_time - processor_time_before) * 10))}${memory_peak:+.m$memory_peak}${moved_bytes:+.i$(((moved_bytes - moved_before) / 1024))}}
}
