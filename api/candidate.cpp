#include "api/candidate.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "api/admission.hpp"
#include "api/campaign_inputs.hpp"
#include "api/dependencies.hpp"
#include "lib/intake/groups.hpp"
#include "lib/intake/submitters.hpp"
#include "lib/store/tokens.hpp"

namespace gleaner::api {
namespace {

/// Campaigns are of persons.
Asked<void> allow_user(const Call& call) {
  const auto refused = intake::why_refused(call.caller.user, {call.config.refused_users, call.config.least_uid});
  if (!refused)
    return tl::unexpected{error(Code::unavailable, fmt::format("this server cannot look you up ({}): try again later", refused.error()))};
  if (*refused) return tl::unexpected{error(Code::refused_user, fmt::format("{}: submit under your own name", **refused))};
  return {};
}

}  // namespace

Asked<std::vector<std::string>> allow(const Call& call, Submission& submission, const SubmissionLimits& limits) {
  const auto& file = submission.file;
  if (auto wrong = wrong_sources(call, file)) return tl::unexpected{std::move(*wrong)};
  if (auto allowed = allow_campaign(limits); !allowed) return tl::unexpected{allowed.error()};
  if (auto allowed = allow_user(call); !allowed) return tl::unexpected{allowed.error()};
  auto groups = intake::groups_of(call.caller.user);
  if (!groups)
    return tl::unexpected{
        error(Code::unavailable, fmt::format("this server cannot look up your unix groups ({}): try again later", groups.error()))};
  if (auto wrong = wrong_numbers(file)) return tl::unexpected{std::move(*wrong)};
  if (const auto tasks = known_tasks(file)) {
    if (*tasks > limits.tasks) return tl::unexpected{too_many_tasks(limits.tasks)};
    if (auto admitted = admit(call, submission, *tasks); !admitted) return tl::unexpected{admitted.error()};
  }
  return std::move(*groups);
}

std::int64_t CheckedCampaign::number_of_requests() const {
  std::set<int> numbers;
  for (const auto& one : requests) numbers.insert(one.request);
  return std::ssize(numbers);
}

Candidate CheckedCampaign::candidate(const Call& call, const jdl::CampaignFile& file, const std::vector<std::string>& groups) const {
  return {.file = file,
          .user = call.caller.user,
          .tasks = tasks,
          .requests = requests,
          .input_mb = input_mb,
          .known = durations,
          .clusters = simulated,
          .known_clusters = clusters,
          .dependencies = dependencies,
          .groups = groups};
}

Asked<CheckedCampaign> check_whole(const Call& call, Submission& submission, const SubmissionLimits& limits, ParameterBody* following) {
  const auto& file = submission.file;
  auto requests = requests_of(submission);
  if (!requests) return tl::unexpected{requests.error()};
  if (*requests && (*requests)->lacks_inputs()) {
    submission.warnings.emplace_back("what input_mb gives is not checked: the sizes of the input files are known when they are uploaded");
    requests->reset();
  }
  TaskIntake intake{file, nullptr, address_of(*requests), limits.tasks};
  const auto tasks = intake.take_all(following);
  if (!tasks) return tl::unexpected{tasks.error()};
  note(submission, intake);
  if (const auto admitted = admit(call, submission, *tasks); !admitted) return tl::unexpected{admitted.error()};
  CheckedCampaign checked{.tasks = *tasks, .first_parameter = intake.first_parameter()};
  if (*requests) checked.requests = (*requests)->different();
  checked.input_mb = (*requests ? (*requests)->mean_input_mb() : jdl::constant_input_mb(file)).value_or(0);
  std::vector<std::string> commands;
  for (const auto& section : file.clusters) commands.push_back(section.exec_file);
  auto wrong = call.connections.read([&](store::Transaction& transaction) -> std::optional<http::Response> {
    auto found = dependencies_of(call, transaction, file, *tasks, SubmissionMode::check_only);
    if (!found) return std::move(found.error());
    checked.dependencies = std::move(*found);
    return std::nullopt;
  });
  if (wrong) return tl::unexpected{std::move(*wrong)};
  note_stuck(submission, checked.dependencies);
  checked.durations = call.connections.read([&](store::Transaction& transaction) {
    checked.simulated.clear();
    checked.clusters = store::planning_clusters(transaction, {.flood = call.config.flood,
                                                              .array_size = call.config.array_size,
                                                              .headroom = call.config.headroom,
                                                              .availability = call.config.availability});
    for (const auto& cluster : checked.clusters) {
      if (is_simulated(cluster)) checked.simulated.push_back(cluster.name);
    }
    checked.without_token = store::clusters_without_token(transaction, call.caller.user, call.now);
    std::erase_if(checked.simulated,
                  [&](const auto& name) { return std::ranges::find(checked.without_token, name) != checked.without_token.end(); });
    return store::durations_of(transaction, call.caller.user, commands);
  });
  note_tokens(submission, checked.without_token);
  return checked;
}

void note(Submission& submission, const TaskIntake& intake) {
  for (auto& warning : intake.warnings()) submission.warnings.push_back(std::move(warning));
}

void note_stuck(Submission& submission, const std::vector<store::NewDependency>& dependencies) {
  for (const auto& one : dependencies) {
    if (!one.stuck) continue;
    const std::string_view held = one.kind == grid::DependencyKind::after_each
                                      ? "the tasks that come after these start when they are done, and the others do not wait for them"
                                      : "this campaign starts when all are done";
    submission.warnings.push_back(fmt::format("{0}: some tasks of campaign {1} failed or were cancelled: {2} (gridsub --retry {1})",
                                              name_of(one.kind), one.on.value(), held));
  }
}

void note_tokens(Submission& submission, const std::vector<std::string>& without) {
  for (const auto& section : submission.file.clusters) {
    if (std::ranges::find(without, section.name) == without.end()) continue;
    submission.warnings.push_back(
        fmt::format("clusters.{0}: {0} wants a token of each of its users, and has none of yours that works: no task starts there before "
                    "'gridtoken add {0}' gives one",
                    section.name));
  }
}

}  // namespace gleaner::api
