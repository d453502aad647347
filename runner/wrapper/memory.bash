#!/bin/bash
# The memory that a job took so far, for the name of an end (wrapper.bash): OAR may give the job a memory cgroup of its own, `/oar/USER_JOB`,
# whose peak is that of all its processes together, the file cache included.

# The peak of the job's cgroup, in KiB; empty: it has none.
read_memory_peak() {
  memory_peak=
  {
    while IFS=: read -r _ cgroup_kinds cgroup_path; do
      [[ $cgroup_path =~ /[^/]+_$OAR_JOB_ID(/|$) ]] || continue
      case $cgroup_kinds in
        '') read -r memory_peak < "/sys/fs/cgroup$cgroup_path/memory.peak" ;;
        *memory*) read -r memory_peak < "/sys/fs/cgroup/memory$cgroup_path/memory.max_usage_in_bytes" ;;
      esac
    done < /proc/self/cgroup
  } 2> /dev/null
  if [[ $memory_peak =~ ^[0-9]+$ ]]; then memory_peak=$((memory_peak / 1024)); else memory_peak=; fi
}
