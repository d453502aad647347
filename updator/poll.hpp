#pragma once
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "lib/fleet/fleet.hpp"
#include "lib/grid/evidence.hpp"
#include "lib/grid/node_sizes.hpp"
#include "lib/store/jobs.hpp"

/// Gathering: what one cluster says in one turn. Only this part of the updator talks to OAR.
namespace gleaner::updator {

/// What the files in one fence's folder show; the error says why they could not be read in this turn.
using Reading = tl::expected<grid::EvidenceIndex, std::string>;

/// What was not asked is not in it, and what was not answered neither: it is asked for in the next turn.
struct Poll {
  grid::Instant began;                                         ///< by the database's clock
  std::optional<int> usable_resources = {};                    ///< when they were asked for
  grid::NodeSizes nodes = {};                                  ///< with them
  std::vector<oar::RemoteJob> occupying = {};                  ///< of everybody; what either of the two lists shows to hold resources
  std::map<grid::RemoteJobId, oar::RemoteJob> ours = {};       ///< each of our live jobs that OAR knows
  std::set<grid::RemoteJobId> leaving = {};                    ///< jobs of this grid that are over for us, and still occupy resources
  std::set<grid::RemoteJobId> reused = {};                     ///< ids of our live jobs under which OAR shows somebody else's
  std::map<grid::LaunchId, Reading> evidence = {};             ///< by fence
  std::map<grid::RemoteJobId, oar::JobDetails> details = {};   ///< of jobs in Error
  std::set<grid::RemoteJobId> unexplained = {};                ///< jobs in Error whose details were asked for, and did not come
  std::map<grid::RemoteJobId, std::string> stderr_tails = {};  ///< of the first few whose command failed; made by text::clean_text
  int latency_ms = 0;
  std::optional<double> stress = {};    ///< OAR's stress factor, when it told
  std::optional<int> response_ms = {};  ///< of that small question alone
};

/// How long the parts of a turn may take after the lists. Each asks a few at a time, and checks the clock in between.
struct GatherTimes {
  std::chrono::milliseconds evidence{5000};
  std::chrono::milliseconds tails{3000};
  std::chrono::milliseconds details{10000};
  std::chrono::milliseconds one_tail{2000};  ///< patience with one file
};

/// Asks the cluster what this turn needs: the lists, without which nothing is known; then the evidence of ambiguous ends, the last
/// words of failed jobs, and the causes of errors, as many as fit in their times.
/// @param began  the database's time
[[nodiscard]] oar::Result<Poll> poll_cluster(fleet::Visit& visit, const std::vector<store::LiveJob>& live, const std::string& grid_token,
                                             grid::Instant began, const GatherTimes& times = {});

/// Puts the jobs that OAR lists under our ids where they belong: `ours` when name and command are those that we gave them, else `reused`.
void recognise(Poll& poll, const std::vector<store::LiveJob>& live, std::vector<oar::RemoteJob> listed);

/// Of two lists of different moments: what the second one shows to hold resources holds them too.
void join_occupying(Poll& poll, std::span<const oar::RemoteJob> listed_by_id);

}  // namespace gleaner::updator
