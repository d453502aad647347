#include "api/what_if_json.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gleaner::api {
namespace {

using gridsim::Prospect;
using gridsim::Prospects;
using gridsim::Times;

constexpr double kNothing = 60;         ///< seconds
constexpr double kNothingOfAll = 0.01;  ///< of the time until the end

std::int64_t whole_seconds(double seconds) { return static_cast<std::int64_t>(std::llround(seconds)); }

void write_band(text::JsonWriter& json, std::string_view key, const std::optional<Times>& times) {
  json.key(key);
  if (!times) {
    json.null();
    return;
  }
  json.object([&] {
    json.field("expected", whole_seconds(times->expected));
    json.field("earliest", whole_seconds(times->earliest));
    json.field("latest", whole_seconds(times->latest));
  });
}

void write_outlook(text::JsonWriter& json, std::string_view key, const Prospect* one) {
  json.key(key);
  if (one == nullptr) {
    json.null();
    return;
  }
  json.object([&] {
    json.field("started", one->started);
    write_band(json, "starts_in", one->start);
    write_band(json, "ends_in", one->end);
    json.field("if_others_run_to_their_walltimes", one->behind_walltimes);
    json.field("blocked", one->blocked.empty() ? std::nullopt : std::optional{one->blocked});
    json.field("evidence", one->evidence);
    json.field("seen_jobs", one->seen);
    json.field("tasks_played_as_one", one->group);
  });
}

void write_play(text::JsonWriter& json, std::string_view key, const Prospects& played) {
  json.key(key).object([&] {
    json.field("runs", played.runs);
    json.field("out_of_time", played.out_of_time);
    json.field("known_until", played.known_until ? std::optional{whole_seconds(*played.known_until)} : std::nullopt);
  });
}

const Prospect* before_of(const WhatIfAnswer& answer, std::size_t index) {
  return index < answer.before.campaigns.size() ? &answer.before.campaigns[index] : nullptr;
}

bool any(const Prospects& played, bool (*holds)(const Prospect& one)) { return std::ranges::any_of(played.campaigns, holds); }

std::string extent_of(std::string_view which, const Prospects& played) {
  if (played.known_until)
    return fmt::format(
        "The time of the server was over in the first run of the grid {}: ends later than {} h from now are not known. "
        "gridsub --what-if takes more time on your own machine.",
        which, std::ceil(*played.known_until / 3600));
  return fmt::format("The time of the server was over after {} {} of the grid {}: too seldom for times that hold in 8 of 10 cases.",
                     played.runs, played.runs == 1 ? "run" : "runs", which);
}

}  // namespace

std::string_view effect_of(const Prospect* before, const Prospect& after, bool is_known) {
  if (before == nullptr) return "new";
  if (before->end && after.end) {
    const double change = after.end->expected - before->end->expected;
    if (std::abs(change) < std::max(kNothing, kNothingOfAll * before->end->expected)) return "same";
    return change < 0 ? "gains" : "pays";
  }
  if (!is_known || (!before->end && !after.end)) return "unknown";
  return after.end ? "gains" : "pays";
}

std::vector<std::string> assumptions_of(const WhatIfAnswer& answer) {
  const auto& after = answer.after;
  std::vector<std::string> all{
      "Future jobs of local users, and campaigns that are submitted later, are not known. Local users keep the resources that they use now."};
  if (!answer.changes.clusters_off.empty()) {
    const auto hours = static_cast<double>(answer.changes.off_after.count()) / 3600;
    const auto names = fmt::format("{}", fmt::join(answer.changes.clusters_off, ", "));
    all.push_back(
        hours > 0 ? fmt::format("{} would get no further job from {:.3g} h after this picture of the grid on; the jobs that run or wait "
                                "there then would go on.",
                                names, hours)
                  : fmt::format("{} would get no further job; the jobs that run there would go on.", names));
  }
  for (const auto& out : answer.left_out) all.push_back(fmt::format("Cluster {} is not simulated: it is {}.", out.cluster, out.why));
  if (answer.before.out_of_time) all.push_back(extent_of("as it is", answer.before));
  if (after.out_of_time && answer.before.runs != 0) all.push_back(extent_of("with the change", after));
  if (any(after, [](const Prospect& one) { return one.evidence == "walltime"; }))
    all.emplace_back(
        "Evidence 'walltime': no duration of a campaign's tasks is known. Each is assumed to take its whole walltime, so that its end is a bound.");
  if (any(after, [](const Prospect& one) { return one.behind_walltimes; }))
    all.emplace_back(
        "Some starts wait for others' jobs of which no duration is known: they are that late if these run to their walltimes.");
  std::int64_t group = 1;
  for (const auto& one : after.campaigns) group = std::max(group, one.group);
  if (group > 1)
    all.push_back(
        fmt::format("Big campaigns are simulated with fewer, longer jobs: one job runs up to {} tasks, one after the other.", group));
  if (answer.follows)
    all.emplace_back(
        "Tasks of after_each are simulated on any cluster of their campaign. On the grid each one follows the task that it comes after to its "
        "cluster, unless after_each_cluster is any, so that these campaigns may end later.");
  if (any(after, [](const Prospect& one) { return one.blocked == "braked"; }))
    all.emplace_back("Braked campaigns have no forecast until their brakes are over. The others' times assume that they go on then.");
  return all;
}

std::string what_if_json(const WhatIfAnswer& answer) {
  const auto& after = answer.after.campaigns;
  const bool is_known = !answer.before.known_until && !answer.after.known_until;
  text::JsonWriter json;
  json.object([&] {
    json.field("time", answer.time);
    json.field("age", answer.age);
    write_play(json, "before", answer.before);
    write_play(json, "after", answer.after);
    json.key("campaigns").begin_array();
    for (std::size_t i = 0; i < std::min(after.size(), answer.campaigns.size()); ++i) {
      const auto& campaign = answer.campaigns[i];
      const auto* before = before_of(answer, i);
      const bool has_both = before != nullptr && before->end && after[i].end;
      json.object([&] {
        json.field("id", campaign.id);
        json.field("name", campaign.name);
        json.field("user", campaign.user);
        write_outlook(json, "before", before);
        write_outlook(json, "after", &after[i]);
        json.field("difference",
                   has_both ? std::optional{whole_seconds(after[i].end->expected) - whole_seconds(before->end->expected)} : std::nullopt);
        json.field("effect", effect_of(before, after[i], is_known));
      });
    }
    json.end_array();
    json.key("clusters").array(answer.after.clusters, [&](const gridsim::Held& held) {
      json.object([&] {
        json.field("cluster", held.cluster);
        json.field("held_by_others", held.held);
        json.field("resources", held.resources);
      });
    });
    json.key("left_out").array(answer.left_out, [&](const LeftOut& one) {
      json.object([&] {
        json.field("cluster_name", one.cluster);
        json.field("why", one.why);
      });
    });
    json.key("assumptions").array(assumptions_of(answer));
    json.key("warnings").array(answer.warnings);
  });
  return json.text();
}

}  // namespace gleaner::api
