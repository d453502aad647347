#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "lib/grid/epochs.hpp"
#include "lib/oar/submit_request.hpp"
#include "lib/store/launches.hpp"
#include "runner/command/command.hpp"

namespace gleaner::runner {

/// The POST of a launch and, before it, the file with its pooled tasks.
struct Submission {
  oar::SubmitRequest request;
  std::string pool;  ///< the content of its file `pool` (pool_list); empty: it has no pooled task
  /// The command of the request if its jobs may call their program as a file.
  struct Call {
    std::string command;
    ProgramFile program;
  };
  std::optional<Call> call = {};  ///< empty: the program must be in the command
};
/// A condition on OAR's resources that leaves these nodes out. Empty: one of the names cannot be that of a node.
[[nodiscard]] std::optional<std::string> condition_without(std::span<const std::string> nodes);

/// Where the jobs of a launch note their ends: in the names of their files, or, for an API that lists no folder, in their claims too.
enum class EndsIn { names, claims };

/// `notice`: how long before a job's end OAR may signal it (grid::margin_before_end). Error: which part of the campaign cannot be
/// submitted.
[[nodiscard]] tl::expected<Submission, std::string> submission_of(const store::LaunchToMake& launch,
                                                                  const std::vector<store::LaunchLine>& lines, std::string_view cluster,
                                                                  const grid::Epochs& epochs, grid::Seconds notice,
                                                                  EndsIn ends = EndsIn::names);

}  // namespace gleaner::runner
