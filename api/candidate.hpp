#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/limits.hpp"
#include "api/scenario_json.hpp"
#include "api/submission.hpp"
#include "api/task_intake.hpp"
#include "lib/jdl/parameter.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/scenario.hpp"

/// The checks of a submission, for those that store nothing too, and what a simulation gets of a campaign that passed them.
namespace gleaner::api {

/// All that is checked before the tasks are counted: its sources, the user and the limits, the numbers, and the admission rules if the
/// number of its tasks is known. Returns the unix groups of the user. Errors: answers, as to a submission.
[[nodiscard]] Asked<std::vector<std::string>> allow(const Call& call, Submission& submission, const SubmissionLimits& limits);

/// The facts of a campaign that may be submitted, and is not.
struct CheckedCampaign {
  std::int64_t tasks = 0;
  std::optional<jdl::Parameter> first_parameter{};
  std::vector<jdl::TaskRequest> requests{};  ///< the different ones of its tasks; empty: all have the file's
  double input_mb = 0;                       ///< input of one task, on average
  store::DurationCounts durations{};         ///< of the user's earlier campaigns of the same commands
  std::vector<std::string> simulated{};      ///< clusters that a scenario has, and on which its tasks may start
  std::vector<std::string> without_token{};  ///< clusters that want a token of the user, and have none that works
  std::vector<grid::ClusterFacts> clusters{};
  std::vector<store::NewDependency> dependencies{};

  [[nodiscard]] std::int64_t number_of_requests() const;
  /// It refers to this object and to its arguments.
  [[nodiscard]] Candidate candidate(const Call& call, const jdl::CampaignFile& file, const std::vector<std::string>& groups) const;
};

/// The checks after allow(): the tasks and what they request, the admission rules, and the campaigns that it comes after. Warnings go to
/// the submission. Errors: answers, as to a submission.
[[nodiscard]] Asked<CheckedCampaign> check_whole(const Call& call, Submission& submission, const SubmissionLimits& limits,
                                                 ParameterBody* following);

/// Adds the warnings about the tasks to those of the submission.
void note(Submission& submission, const TaskIntake& intake);
/// Adds a warning for each campaign that will not let this one start.
void note_stuck(Submission& submission, const std::vector<store::NewDependency>& dependencies);
/// Adds a warning for each cluster of the campaign that takes none of its tasks, as it has no token of the user.
/// @param without  the clusters that have none
void note_tokens(Submission& submission, const std::vector<std::string>& without);

template <class Value>
[[nodiscard]] Value* address_of(std::optional<Value>& value) {
  return value ? &*value : nullptr;
}

}  // namespace gleaner::api
