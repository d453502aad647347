#include "api/scenario_json.hpp"

#include <algorithm>
#include <map>

#include "lib/process/options.hpp"

namespace gleaner::api {
namespace {

double seconds_until(grid::Instant time, grid::Instant now) { return std::max(0.0, std::chrono::duration<double>{time - now}.count()); }

std::string why_left_out(const store::PlanningCluster& cluster) {
  if (cluster.retired) return "retired";
  if (!cluster.enabled) return "disabled";
  if (!cluster.reachable) return "not reachable";
  return cluster.max_resources > 0 ? "" : "without any resource";
}

/// Resources of one job: as asked, or as OAR gave them.
std::int64_t width_of(const store::PlanningPair& pair) {
  if (pair.resources_per_job) return std::max(1, *pair.resources_per_job);
  if (pair.resources_jobs > 0) return std::max<std::int64_t>(1, (pair.resources_sum + pair.resources_jobs / 2) / pair.resources_jobs);
  return 1;
}

void write_counts(Json& json, const store::DurationCounts& counts) {
  json.array(counts, [&](const store::DurationCount& count) {
    const std::vector<double> pair{count.seconds, static_cast<double>(count.jobs)};
    json.array(pair, [&](double number) { json.value(number); });
  });
}

/// Durations, and what they rest on: what is known, or else the walltime.
void write_durations(Json& json, const store::DurationCounts& own, const store::DurationCounts& earlier, double walltime) {
  const store::DurationCounts bound{{walltime, 1}};
  const auto& counts = !own.empty() ? own : !earlier.empty() ? earlier : bound;
  std::int64_t jobs = 0;
  for (const auto& count : counts) jobs += count.jobs;
  json.field("evidence", !own.empty() ? "own" : !earlier.empty() ? "history" : "walltime");
  json.field("seen", &counts == &bound ? 0 : jobs);
  json.key("durations");
  write_counts(json, counts);
}

void configuration(Json& json, const process::Config& config) {
  json.object([&] {
    for (const auto& option : process::options()) {
      if (option.scope == process::Option::Scope::plan) json.field(option.key, option.value.write(config));
    }
  });
}

/// Writes the parts of a state.
class Writer {
 public:
  Writer(Json& json, const store::GridState& state, grid::Instant now) : json_{json}, state_{state}, now_{now} {
    for (const auto& cluster : state.planning.clusters) {
      if (why_left_out(cluster).empty()) names_.emplace(cluster.id, cluster.name);
    }
    for (const auto& running : state.running) {
      ours_[running.cluster] += running.resources;
      ages_[{running.campaign, running.cluster}].push_back({running.age, running.jobs});
    }
    for (const auto& pair : state.planning.pairs) pairs_[pair.campaign].push_back(&pair);
  }

  void clusters() {
    json_.object([&] {
      for (const auto& cluster : state_.planning.clusters) {
        if (!names_.contains(cluster.id)) continue;
        json_.key(cluster.name).object([&] {
          json_.field("nodes", 1);
          json_.field("cores", std::min(cluster.max_resources, 100'000));
          json_.field("power", cluster.power);
          json_.field("cost", cluster.cost);
          json_.field("transfer_mb_s", cluster.transfer_mb_s);
          if (cluster.job_limit) json_.field("job_limit", *cluster.job_limit);
          json_.field("speed", 1);
          json_.field("flood", cluster.flood);
          json_.field("array_size", cluster.array_size);
          json_.field("held", std::clamp<std::int64_t>(cluster.max_resources - cluster.free - ours_[cluster.id], 0, cluster.max_resources));
          if (cluster.brake) json_.field("braked", seconds_until(cluster.brake->until, now_));
        });
      }
    });
  }

  void campaigns() {
    json_.array(state_.planning.campaigns, [&](const store::PlanningCampaign& campaign) { json_.object([&] { write(campaign); }); });
  }

  void policies() {
    const auto& policies = state_.planning.policies;
    json_.object([&] {
      json_.key("usage").array(policies.usage, [&](const store::UsageOfDay& usage) {
        json_.object([&] {
          perhaps("user", usage.user);
          perhaps("project", usage.project);
          json_.field("days_ago", std::max(0, usage.days_ago));
          json_.field("resource_seconds", usage.resource_seconds);
        });
      });
      json_.key("shares").array(policies.shares, [&](const store::Share& share) {
        json_.object([&] {
          json_.field("id", share.id);
          json_.field("name", share.name);
          json_.field("is_user", share.is_user);
          if (share.parent) json_.field("parent", *share.parent);
          json_.field("shares", share.shares);
        });
      });
      json_.key("user_priorities").array(policies.priorities, [&](const store::UserPriority& one) {
        json_.object([&] {
          json_.field("user", one.user);
          json_.field("priority", one.priority);
        });
      });
      json_.key("affinities").object_list(policies.couples, [&](const store::Couple& couple) {
        json_.field("user", couple.user);
        json_.field("cluster", couple.cluster_name);
      }, [&](const store::Couple& couple) { return names_.contains(couple.cluster); });
      json_.key("limits").object_list(policies.limits, [&](const store::StoredLimit& limit) { write(limit); },
                                      [&](const store::StoredLimit& limit) { return !limit.target.cluster || names_.contains(*limit.target.cluster); });
    });
  }

 private:
  void perhaps(std::string_view key, const std::string& text) {
    if (!text.empty()) json_.field(key, text);
  }

  void write(const store::StoredLimit& limit) {
    json_.field("id", limit.id);
    json_.field("kind", limit.kind);
    json_.field("most", limit.most);
    json_.field("used", std::max(0.0, limit.used));
    json_.field("days", std::max(1, limit.days));
    perhaps("user", limit.target.user.value_or(""));
    perhaps("project", limit.target.project.value_or(""));
    perhaps("cluster", limit.target.cluster ? limit.cluster_name : "");
    if (limit.target.campaign) json_.field("campaign", *limit.target.campaign);
  }

  void write(const store::PlanningCampaign& campaign) {
    json_.field("id", campaign.id);
    if (const auto name = state_.names.find(campaign.id); name != state_.names.end()) perhaps("name", name->second);
    json_.field("user", campaign.user);
    perhaps("project", campaign.project);
    json_.field("priority", campaign.priority);
    json_.field("test_mode", campaign.type == grid::CampaignType::test);
    json_.field("paused", campaign.state == grid::CampaignState::paused);
    perhaps("scheduler", campaign.scheduler.value_or(""));
    if (campaign.replicas_allowed) json_.field("replicas", true);
    if (campaign.min_duration) json_.field("min_duration", *campaign.min_duration);
    if (const auto found = state_.max_attempts.find(campaign.id); found != state_.max_attempts.end()) json_.field("max_attempts", found->second);
    if (campaign.input_mb > 0) json_.field("input_mb", campaign.input_mb);
    json_.field("age", seconds_until(now_, campaign.submitted_at));
    if (campaign.brake) json_.field("braked", seconds_until(campaign.brake->until, now_));
    json_.field("waiting", campaign.waiting);
    double walltime = 1;
    std::int64_t done = 0;
    double seconds = 0;
    const auto& pairs = pairs_[campaign.id];
    for (const auto* pair : pairs) {
      walltime = std::max(walltime, pair->walltime);
      done += pair->done;
      seconds += pair->duration_sum;
    }
    const store::DurationCounts none;
    const auto own = state_.durations.find(campaign.id);
    const auto earlier = state_.earlier.find(campaign.id);
    write_durations(json_, own == state_.durations.end() ? none : own->second, earlier == state_.earlier.end() ? none : earlier->second, walltime);
    const double mean = done > 0 ? seconds / static_cast<double>(done) : 0;
    json_.key("clusters").object_list(pairs, [&](const store::PlanningPair* pair) { write(*pair, mean); },
                                      [&](const store::PlanningPair* pair) { return names_.contains(pair->cluster) && (pair->fitting != 0 || pair->running > 0); });
  }

  void write(const store::PlanningPair& pair, double mean) {
    constexpr std::int64_t kTelling = 5;
    json_.field("name", names_.at(pair.cluster));
    json_.field("width", width_of(pair));
    if (pair.resources_per_job) json_.field("resources_per_job", *pair.resources_per_job);
    json_.field("walltime", std::max(1.0, pair.walltime));
    if (pair.max_jobs) json_.field("max_jobs", *pair.max_jobs);
    json_.field("priority", pair.priority);
    const auto kind = state_.best_effort.find({pair.campaign, pair.cluster});
    json_.field("best_effort", kind == state_.best_effort.end() || kind->second);
    // How fast its tasks are there, against all of them.
    json_.field("speed", pair.done >= kTelling && pair.duration_sum > 0 ? mean / (pair.duration_sum / static_cast<double>(pair.done)) : 1.0);
    if (pair.job_ratio) json_.field("job_ratio", *pair.job_ratio);
    json_.field("done", pair.done);
    json_.field("duration_sum", std::max(0.0, pair.duration_sum));
    json_.field("concluded", pair.concluded);
    json_.field("resources_sum", pair.resources_sum);
    json_.field("resources_jobs", pair.resources_jobs);
    json_.field("failures_in_a_row", pair.failures_in_a_row);
    if (pair.brake) json_.field("braked", seconds_until(pair.brake->until, now_));
    json_.field("queued", pair.launching + pair.waiting + pair.unknown);
    json_.key("running");
    write_counts(json_, ages_[{pair.campaign, pair.cluster}]);
  }

  Json& json_;
  const store::GridState& state_;
  grid::Instant now_;
  std::map<grid::ClusterId, std::string> names_;  ///< of those that play a part
  std::map<grid::ClusterId, std::int64_t> ours_;  ///< resources that our jobs hold
  std::map<grid::CampaignId, std::vector<const store::PlanningPair*>> pairs_;
  std::map<std::pair<grid::CampaignId, grid::ClusterId>, store::DurationCounts> ages_;  ///< of the jobs that run
};

}  // namespace

bool plays_a_part(const store::PlanningCluster& cluster) { return why_left_out(cluster).empty(); }

std::vector<LeftOut> left_out(const store::GridState& state) {
  std::vector<LeftOut> out;
  for (const auto& cluster : state.planning.clusters) {
    if (auto why = why_left_out(cluster); !why.empty()) out.push_back({cluster.name, std::move(why)});
  }
  return out;
}

void write_scenario(Json& json, const store::GridState& state, const process::Config& config, grid::Instant now) {
  Writer writer{json, state, now};
  json.object([&] {
    json.key("configuration");
    configuration(json, config);
    json.key("clusters");
    writer.clusters();
    json.key("live");
    writer.campaigns();
    json.key("policies");
    writer.policies();
  });
}

void write_candidate(Json& json, const Candidate& candidate) {
  const auto& file = candidate.file;
  const auto walltime_of = [](const jdl::ClusterSection& section) { return static_cast<double>(std::max(section.walltime, section.max_walltime.value_or(grid::Seconds{0})).count()); };
  double walltime = 1;
  for (const auto& section : file.clusters) walltime = std::max(walltime, walltime_of(section));
  json.object([&] {
    json.field("name", file.name);
    json.field("user", candidate.user);
    if (!file.project.empty()) json.field("project", file.project);
    json.field("priority", file.scheduling.priority);
    json.field("test_mode", file.type == grid::CampaignType::test);
    if (file.scheduling.scheduler && !file.scheduling.scheduler->empty()) json.field("scheduler", *file.scheduling.scheduler);
    if (file.scheduling.min_duration) json.field("min_duration", static_cast<double>(file.scheduling.min_duration->count()));
    if (file.scheduling.max_attempts) json.field("max_attempts", *file.scheduling.max_attempts);
    if (candidate.input_mb > 0) json.field("input_mb", candidate.input_mb);
    json.field("waiting", candidate.tasks);
    write_durations(json, {}, candidate.known, walltime);
    json.key("clusters").object_list(file.clusters, [&](const jdl::ClusterSection& section) {
      json.field("name", section.name);
      json.field("width", std::max(1, section.resources.resources().value_or(1)));
      if (const auto asked = section.resources.resources()) json.field("resources_per_job", *asked);
      json.field("walltime", std::max(1.0, walltime_of(section)));
      if (section.max_jobs) json.field("max_jobs", *section.max_jobs);
      json.field("priority", section.priority);
      json.field("best_effort", section.kind == jdl::JobKind::best_effort);
    }, [&](const jdl::ClusterSection& section) { return std::ranges::find(candidate.clusters, section.name) != candidate.clusters.end(); });
  });
}

}  // namespace gleaner::api
