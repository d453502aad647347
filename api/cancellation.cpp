#include "api/cancellation.hpp"

#include <vector>

#include <fmt/format.h>

#include "api/answers.hpp"
#include "api/pieces.hpp"
#include "lib/store/views.hpp"
#include "lib/store/views_cancellation.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

/// A campaign that is to be cancelled, with its jobs, of one moment.
struct Cancellation {
  views::Campaign campaign;
  std::vector<views::JobsToKill> clusters;

  [[nodiscard]] std::int64_t in_flight() const { return campaign.tasks.launching + campaign.tasks.submitted + campaign.tasks.running; }
  [[nodiscard]] std::int64_t jobs() const {
    std::int64_t jobs = 0;
    for (const auto& one : clusters) jobs += one.jobs;
    return jobs;
  }
};

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
  return text;
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
}

}  // namespace

http::Response show_cancellation(const Call& call) {
  for (const auto* other : {"purge", "hold", "resume"}) {
    if (flag(call, other))
      return error(Code::bad_value, fmt::format("dry_run is for the cancellation of a campaign: it does not go with {}", other));
  }
  const auto own = changeable_campaign(call);
  if (!own) return own.error();
  const auto found = call.connections.read([&](store::Transaction& transaction) -> std::optional<Cancellation> {
    auto campaign = views::campaign(transaction, own->id);
    if (!campaign) return std::nullopt;
    return Cancellation{std::move(*campaign), views::jobs_to_kill(transaction, own->id)};
  });
  if (!found) return no_campaign(call);
  const auto state = found->campaign.state;
  if (state != grid::CampaignState::in_treatment && state != grid::CampaignState::paused)
    return error(Code::wrong_state, fmt::format("campaign {} is {} already", own->id.value(), grid::name_of(state)));
  text::JsonWriter json;
  json.object([&] { write_cancellation(json, *found); });
  return answer(json);
}

}  // namespace gleaner::api
