#pragma once
#include <optional>
#include <span>
#include <string>

#include "lib/grid/settle.hpp"
#include "lib/oar/job.hpp"
#include "lib/store/jobs.hpp"

/// OAR's words in the words of the rule (lib/grid/settle.hpp), and the rule's in a user's.
namespace gleaner::updator {

/// What OAR's record says of a job in Error: by its events.
[[nodiscard]] grid::Record record_of(std::span<const oar::RemoteEvent> events);
/// Whether OAR waited for a node too long and called the job an Error: the node may have begun it.
[[nodiscard]] bool gave_up_launch(std::span<const oar::RemoteEvent> events);

/// What OAR's record says of a job that is over. Nothing when only its details tell: it is in Error, and `details` is null.
[[nodiscard]] std::optional<grid::RemoteEnd> remote_end(const oar::RemoteJob& job, const oar::JobDetails* details);

/// What a record and its evidence say, and what the rule made of it.
struct EndWords {
  grid::JobEnd end = grid::JobEnd::done;
  grid::RemoteEnd record = {};
  grid::Evidence evidence = {};
  grid::Seconds walltime{};
  std::optional<grid::Seconds> max_walltime = {};
  grid::Settlement settlement = {};
};
/// One sentence for the user: `exit status 3`, `killed by its walltime of 0:10:00: …`; it adds whose word that is when OAR's record
/// says otherwise, or when nobody could look. Empty for a success that OAR recorded.
[[nodiscard]] std::string describe_end(const EndWords& words);

}  // namespace gleaner::updator
