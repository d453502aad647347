#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"

namespace gleaner::runner {

enum class JournalWord {
  start,      ///< the attempt is claimed, the command starts
  end,        ///< it has ended, with a status
  duplicate,  ///< a twin has the claim: this job ran nothing
  unclaimed   ///< the claim could not be made: this job ran nothing
};

/// One line of a launch's journal: `<unix time> <word> <task> <attempt> <job> <OAR job> [status]`.
struct JournalEntry {
  grid::Instant date;
  JournalWord word;
  grid::TaskNumber task;
  int attempt;
  grid::JobId job;
  grid::RemoteJobId remote;
  std::optional<int> status;  ///< of an end, as a shell says it
};

/// The whole lines that make sense, in their order: a line cut in the middle, or mixed with
/// another one by a network file system, is left out.
[[nodiscard]] std::vector<JournalEntry> parse_journal(std::string_view text);

}  // namespace gleaner::runner
