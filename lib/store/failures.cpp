#include "lib/store/failures.hpp"

#include <ranges>

#include "lib/store/detail.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;

std::vector<grid::TaskNumber> read_numbers(std::string_view text) {
  std::vector<grid::TaskNumber> numbers;
  for (const auto part : std::views::split(text, ',')) {
    if (const auto number = text::whole_number<std::int64_t>(std::string_view{part.begin(), part.end()})) numbers.emplace_back(*number);
  }
  return numbers;
}

}  // namespace

void group_failures(Transaction& transaction, std::span<const Verdict> verdicts) {
  Array jobs, lines;
  bool any = false;
  for (const auto& verdict : verdicts) {
    if (verdict.settlement.state != grid::TaskState::failed) continue;
    any = true;
    jobs.add(verdict.left.id.value());
    lines.add(verdict.stderr_line);
  }
  if (!any) return;
  exec(transaction, sql::failures_forget_empty{.jobs = jobs});
  exec(transaction, sql::failures_note{.jobs = jobs, .lines = lines});
}

std::vector<FailureGroup> failure_groups(Transaction& transaction, grid::CampaignId campaign) {
  std::vector<FailureGroup> groups;
  for (const auto& row : exec(transaction, sql::failures_list{.campaign = campaign})) {
    FailureGroup group{.id = *row.id,
                       .cluster = *row.cluster_id,
                       .cluster_name = *row.cluster,
                       .ending = *row.ending,
                       .exit_status = row.exit_status,
                       .pattern = *row.pattern,
                       .stderr_line = *row.stderr_line,
                       .tasks = *row.tasks,
                       .first_tasks = read_numbers(row.numbers.as<std::string>())};
    groups.push_back(std::move(group));
  }
  return groups;
}

std::optional<std::int64_t> lock_failed_tasks(Transaction& transaction, grid::CampaignId campaign, std::optional<std::int64_t> group) {
  const auto locked = exec(transaction, sql::failures_lock{.campaign = campaign});
  if (locked.empty()) return std::nullopt;
  if (!group) return locked[0].failed.as<std::int64_t>();
  const auto counted = exec(transaction, sql::failures_count{.failure = *group, .campaign = campaign});
  return counted.empty() ? std::nullopt : std::optional{counted[0].tasks.as<std::int64_t>()};
}

}  // namespace gleaner::store
