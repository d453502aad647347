#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"

namespace gleaner::oar {

/// OAR sends its jobs a signal some time before their walltime. OAR also does so when a local job takes the resources of a
/// best-effort one: it signals in each pass of its scheduler, kills the job when this time is over since its first event CHECKPOINT, and
/// lets the local job wait. A request for a checkpoint is such an event, too.
struct CheckpointRequest {
  int signal = 0;            ///< its number
  grid::Seconds before_end;  ///< above 0
};

/// One POST: one job for each of `lines`, or one job when there are none.
struct SubmitRequest {
  std::string user;                ///< of the cluster; OAR keeps only word characters, so other names are refused here
  std::string name;                ///< OAR's job name: the launch's tag
  std::string resources;           ///< the value of `-l`, without the walltime: `/nodes=1/core=4`
  std::string walltime;            ///< h:m:s; empty: the cluster's default
  std::string command;             ///< read by a shell at submission: escape `$`, the back-quote and `\` once
  std::vector<std::string> lines;  ///< appended to the command, one job each; none is blank or starts with #
  std::vector<std::string> types;  ///< besteffort, idempotent...
  std::string properties;          ///< SQL over the resources' properties
  std::string project;
  std::string stdout_file;  ///< may hold %jobid%; empty: OAR's choice
  std::string stderr_file;
  std::optional<CheckpointRequest> checkpoint{};  ///< empty: none is sent before the walltime
};

/// The jobs of an accepted POST.
struct Submitted {
  std::vector<grid::RemoteJobId> ids;  ///< in the order of the lines
  grid::RemoteJobId array{0};
};

}  // namespace gleaner::oar
