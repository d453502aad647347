#include "api/cancellation.hpp"

#include <vector>

#include <fmt/format.h>

#include "api/answers.hpp"
#include "api/dependencies.hpp"
#include "lib/store/views.hpp"
#include "lib/store/views_cancellation.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

/// A campaign that is to be cancelled, with its jobs, of one moment.
struct Cancellation {
  views::Campaign campaign;
  std::vector<views::JobsToKill> clusters;
  std::vector<store::InVain> in_vain;  ///< campaigns that would wait for it in vain

  [[nodiscard]] std::int64_t in_flight() const { return campaign.tasks.launching + campaign.tasks.submitted + campaign.tasks.running; }
  [[nodiscard]] std::int64_t jobs() const {
    std::int64_t jobs = 0;
    for (const auto& one : clusters) jobs += one.jobs;
    return jobs;
  }
};

bool is_live(grid::CampaignState state) { return state == grid::CampaignState::in_treatment || state == grid::CampaignState::paused; }

std::string counted_objects(std::int64_t count, std::string_view one) { return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s"); }

std::string text_of(const Cancellation& of) {
  const auto& tasks = of.campaign.tasks;
  std::string killed;
  for (const auto& one : of.clusters) {
    if (one.jobs > 0) killed += fmt::format("{}{} on {}", killed.empty() ? "" : ", ", one.jobs, one.cluster_name);
  }
  auto text =
      fmt::format("Campaign {}: {} would be killed{}, and {} cancelled at once", of.campaign.id.value(), counted_objects(of.jobs(), "job"),
                  killed.empty() ? "" : fmt::format(" ({})", killed), counted_objects(tasks.waiting, "waiting task"));
  if (of.in_flight() > 0)
    text += fmt::format("; {} in flight would be cancelled as {} jobs end", counted_objects(of.in_flight(), "task"),
                        of.in_flight() == 1 ? "its" : "their");
  text += fmt::format("; {} stay done, and {} failed", tasks.done, tasks.failed);
  return text + waiting_in_vain_text(of.in_vain);
}

void write_cancellation(text::JsonWriter& json, const Cancellation& of) {
  const auto& tasks = of.campaign.tasks;
  json.field("dry_run", true);
  json.field("message", text_of(of));
  json.field("jobs", of.jobs());
  json.key("clusters").array(of.clusters, [&](const views::JobsToKill& one) {
    json.object([&] {
      json.field("cluster_id", one.cluster);
      json.field("cluster_name", one.cluster_name);
      json.field("jobs", one.jobs);
      json.field("unsent_jobs", one.unsent);
    });
  });
  json.key("tasks").object([&] {
    json.field("waiting", tasks.waiting);
    json.field("in_flight", of.in_flight());
    json.field("done", tasks.done);
    json.field("failed", tasks.failed);
    json.field("cancelled", tasks.cancelled);
  });
  json.key("waiting_in_vain").array(of.in_vain, [&](const store::InVain& one) { json.value(one.campaign.value()); });
}

}  // namespace

std::optional<http::Response> show_cancellation(const Call& call, grid::CampaignId id) {
  const auto found = call.connections.read([&](store::Transaction& transaction) -> std::optional<Cancellation> {
    auto campaign = views::campaign(transaction, id);
    if (!campaign || !is_live(campaign->state)) return std::nullopt;
    return Cancellation{std::move(*campaign), views::jobs_to_kill(transaction, id), store::waiting_in_vain(transaction, id)};
  });
  if (!found) return std::nullopt;
  text::JsonWriter json;
  json.object([&] { write_cancellation(json, *found); });
  return answer(json);
}

}  // namespace gleaner::api
