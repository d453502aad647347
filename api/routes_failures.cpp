// The route of the failed tasks of a campaign, by groups that failed alike.
#include <algorithm>
#include <array>
#include <optional>

#include "api/answers.hpp"
#include "api/router.hpp"
#include "api/task_json.hpp"
#include "lib/store/failures.hpp"
#include "lib/store/views.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

struct Failures {
  std::int64_t failed = 0;
  bool has_lines = false;  ///< the caller may read the outputs of its tasks
  std::vector<store::FailureGroup> groups;
};

void write_group(text::JsonWriter& json, const store::FailureGroup& group, bool has_line) {
  json.field("id", group.id);
  json.field("tasks", group.tasks);
  json.field("ending", group.ending);
  json.field("exit_code", group.exit_status ? std::optional{exit_code(*group.exit_status)} : std::nullopt);
  json.field("cluster_id", group.cluster);
  json.field("cluster_name", group.cluster_name);
  json.field("stderr_line", has_line ? std::optional{group.stderr_line} : std::nullopt);
  json.field("stderr_pattern", has_line ? std::optional{group.pattern} : std::nullopt);
  json.key("first_tasks").array(group.first_tasks, [&](grid::TaskNumber task) { json.value(task); });
}

http::Response show_failures(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_campaign(call);
  const auto found = call.connections.read([&](store::Transaction& transaction) -> std::optional<Failures> {
    const auto campaign = views::campaign(transaction, grid::CampaignId{*id});
    if (!campaign) return std::nullopt;
    return Failures{.failed = campaign->tasks.failed,
                    .has_lines = may_change(call, campaign->user),
                    .groups = store::failure_groups(transaction, campaign->id)};
  });
  if (!found) return no_campaign(call);
  auto others = found->failed;
  for (const auto& group : found->groups) others -= group.tasks;
  text::JsonWriter json;
  json.object([&] {
    json.field("failed", found->failed);
    json.field("others", std::max<std::int64_t>(0, others));
    json.key("items").array(found->groups, [&](const auto& group) { json.object([&] { write_group(json, group, found->has_lines); }); });
  });
  return answer(json);
}

}  // namespace

std::span<const Route> failure_routes() {
  static constexpr std::array kRoutes{Route{"GET", "/v1/campaigns/:id/failures", Access::identified, show_failures, ""}};
  return kRoutes;
}

}  // namespace gleaner::api
