#pragma once
#include <optional>
#include <span>
#include <string>

#include "lib/grid/settle.hpp"
#include "lib/oar/job.hpp"
#include "lib/store/jobs.hpp"

/// Translates OAR's states and events into the terms of grid::settle (lib/grid/settle.hpp), and its results into sentences for users.
namespace gleaner::updator {

/// OAR's record of a job in state Error, by its events.
[[nodiscard]] grid::Record record_of(std::span<const oar::RemoteEvent> events);
/// Whether OAR gave up waiting for a node and set the job to Error: the node may have started it all the same.
[[nodiscard]] bool gave_up_launch(std::span<const oar::RemoteEvent> events);

/// When OAR last sent the job the signal for a checkpoint: before its walltime, before it preempted it, or because somebody asked for one
/// (nikita's signals are no such events). Empty: it did not, or could not.
[[nodiscard]] std::optional<grid::Instant> checkpoint_of(std::span<const oar::RemoteEvent> events);

/// Why a job is in Error, in OAR's own words: the texts of its events, each in quotes and with its type, without those that only note what
/// somebody asked for, or what followed. At most three, in OAR's order, each cut after 300 bytes; empty: there is none.
[[nodiscard]] std::string words_of(std::span<const oar::RemoteEvent> events);

/// OAR's record of a job that is over. Empty: the job is in Error, only its details show the cause, and `details` is null.
[[nodiscard]] std::optional<grid::RemoteEnd> remote_end(const oar::RemoteJob& job, const oar::JobDetails* details);

/// The end of a job for describe_end(): its record and evidence, and how it was settled.
struct EndWords {
  grid::JobEnd end = grid::JobEnd::done;
  grid::RemoteEnd record = {};
  grid::Evidence evidence = {};
  std::string cluster_words = {};  ///< of words_of()
  grid::Seconds walltime{};
  std::optional<grid::Seconds> max_walltime = {};
  grid::Settlement settlement = {};
  std::string exec_directory = {};  ///< of its campaign there; empty: not known
  std::string login = {};           ///< of its user there; empty: not known
  bool lacked_program = false;      ///< it called a program in its user's home there, and its status is that of a shell without it
  bool without_identity = false;    ///< its files were not read, as the cluster takes no token of its user
};
/// One sentence for the user: `exit status 3`, `killed by its walltime of 0:10:00: …`. It names the source if OAR's record disagrees, or if
/// the evidence could not be read. OAR's own words follow where the cluster could not run the job. Empty: a success that OAR recorded too.
[[nodiscard]] std::string describe_end(const EndWords& words);

}  // namespace gleaner::updator
