#pragma once
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "lib/fleet/fleet.hpp"
#include "lib/grid/advance_reservation.hpp"
#include "lib/grid/availability.hpp"
#include "lib/grid/epochs.hpp"
#include "lib/grid/evidence.hpp"
#include "lib/grid/level_sizes.hpp"
#include "lib/grid/node_memory.hpp"
#include "lib/grid/node_sizes.hpp"
#include "lib/grid/out_of_use.hpp"
#include "lib/store/jobs.hpp"

/// Reads from one cluster what one turn needs. Only this part of the updator sends requests to OAR.
namespace gleaner::updator {

/// The content of one fence's folder. Error: why it could not be read in this turn.
using Reading = tl::expected<grid::EvidenceIndex, std::string>;

/// The load that the nodes of a cluster report.
struct LoadReading {
  std::string unknown = {};               ///< why it is not known for some of them; an empty text: it is
  bool failed = false;                    ///< they could not be asked, and what was read last still counts
  std::vector<grid::NodeUse> nodes = {};  ///< each with an alive resource
  bool held_known = false;                ///< whether `dedicated` of the nodes is known, which the policy `combined` asks for
};

/// The answers of one turn. Whatever was not requested or not answered is missing here, and is requested in the next turn.
struct Poll {
  grid::Instant began;                                                     ///< by the database's clock
  std::optional<int> usable_resources = {};                                ///< if they were requested in this turn
  grid::OutOfUse out = {};                                                 ///< requested with usable_resources
  std::optional<grid::NodeMemory> memory = {};                             ///< requested with usable_resources, if a property states it
  grid::NodeSizes nodes = {};                                              ///< requested with usable_resources
  int reserved = 0;                                                        ///< requested with usable_resources: those of no best-effort job
  grid::NodeSizes reserved_nodes = {};                                     ///< of these
  grid::LevelSizes levels = {};                                            ///< requested with usable_resources
  int others = 0;                                                          ///< requested with usable_resources: those that are no cores
  std::vector<oar::Node> listed = {};                                      ///< requested with usable_resources
  std::optional<std::vector<grid::AdvanceReservation>> reservations = {};  ///< requested with usable_resources
  std::optional<std::vector<oar::NodeHold>> holds = {};                    ///< by node, where they were asked for
  std::optional<LoadReading> load = {};                                    ///< requested with usable_resources, where the load counts
  std::vector<oar::RemoteJob> occupying = {};                 ///< jobs of all users that either of the two lists shows to hold resources
  std::map<grid::RemoteJobId, oar::RemoteJob> ours = {};      ///< our live jobs that OAR lists
  std::set<grid::RemoteJobId> leaving = {};                   ///< jobs of ours that we settled, and that still occupy resources
  std::set<grid::RemoteJobId> reused = {};                    ///< ids of our live jobs that OAR now lists for foreign jobs
  std::set<grid::RemoteJobId> renamed = {};                   ///< of `ours`, those with another name than they were given
  std::map<grid::LaunchId, Reading> evidence = {};            ///< by fence
  std::set<grid::JobId> unread = {};                          ///< jobs that a reading of their fence does not cover
  std::set<grid::JobId> unreadable = {};                      ///< jobs whose own evidence could not be read in a fence that could
  std::set<std::string> without_identity = {};                ///< logins whose files were not read, as the cluster takes no token of them
  std::map<grid::RemoteJobId, oar::JobDetails> details = {};  ///< of jobs in Error, and of earlier runs that hold a claim
  std::set<grid::RemoteJobId> unexplained = {};               ///< jobs in Error whose details were requested and not received
  std::map<grid::JobId, std::string> stderr_tails = {};       ///< of the first few failed jobs, by text::clean_text
  int latency_ms = 0;
  std::optional<double> stress = {};    ///< OAR's stress factor; empty: not reported
  std::optional<int> response_ms = {};  ///< the time in which OAR answered the request of the stress factor alone
};

/// Time limits of the parts of a turn after the lists. Each part sends a few requests at a time, and checks the clock in between.
struct GatherTimes {
  std::chrono::milliseconds evidence{10000};
  std::chrono::milliseconds tails{3000};
  std::chrono::milliseconds details{10000};
  std::chrono::milliseconds one_tail{2000};  ///< limit for one file
};

/// Reads what this turn needs: the lists; then the evidence of jobs that are over, the last lines of failed jobs' stderr, and the causes of
/// errors, as many as fit in their times. Error: the lists could not be read.
/// @param began  the time of the database's clock
[[nodiscard]] oar::Result<Poll> poll_cluster(fleet::Visit& visit, const std::vector<store::LiveJob>& live,
                                             std::span<const store::Pool> pools, const grid::Epochs& epochs, grid::Instant began,
                                             const GatherTimes& times = {});

/// Sorts the jobs that OAR lists under our ids: into `ours` if their owner, name and command are ours, else into `reused`. A job of ours
/// whose name was changed is also in `renamed`.
void recognise(Poll& poll, const std::vector<store::LiveJob>& live, std::vector<oar::RemoteJob> listed);

/// Adds to `occupying` the jobs that only the second list, of a later moment, shows to hold resources.
void join_occupying(Poll& poll, std::span<const oar::RemoteJob> listed_by_id);

}  // namespace gleaner::updator
