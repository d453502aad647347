#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/fleet/fleet.hpp"
#include "lib/store/jobs.hpp"

namespace gleaner::updator {

/// What one cluster said in one poll. Nothing of it is written when any question failed: what was
/// not answered stays as it was.
struct Poll {
  grid::Instant began;
  std::optional<int> usable_resources;          ///< when they were asked for
  std::vector<oar::RemoteJob> occupying;        ///< of everybody
  std::map<grid::RemoteJobId, oar::RemoteJob> ours;  ///< each of our live jobs that OAR knows
  std::map<grid::RemoteJobId, oar::JobDetails> details;  ///< of those that ended badly
  std::map<grid::RemoteJobId, std::string> stderr_tails;  ///< of the first few whose command failed
  int latency_ms = 0;
  std::optional<double> stress;     ///< OAR's stress factor, when it told
  std::optional<int> response_ms;   ///< of that small question alone
};

/// Asks the cluster everything that this cycle needs: a few bulk requests, and one more for each
/// job that ended badly.
[[nodiscard]] oar::Result<Poll> poll_cluster(fleet::Visit& visit, const std::vector<store::LiveJob>& live);

}  // namespace gleaner::updator
