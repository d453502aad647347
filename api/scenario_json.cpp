#include "api/scenario_json.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "lib/grid/planning_facts.hpp"
#include "lib/jdl/facts_of.hpp"
#include "lib/process/options.hpp"

namespace gleaner::api {
namespace {

double seconds_until(grid::Instant time, grid::Instant now) { return std::max(0.0, std::chrono::duration<double>{time - now}.count()); }

std::string why_left_out(const grid::ClusterFacts& cluster) {
  if (cluster.retired) return "retired";
  if (!cluster.enabled) return "disabled";
  if (!cluster.reachable) return cluster.status_at ? "not reachable" : "not reached yet";
  return cluster.max_resources > 0 ? "" : "without live resources";
}

/// Resources of one job: as requested, else as OAR assigned, else as many of the cluster's biggest nodes.
std::int64_t width_of(const grid::PairFacts& pair, const grid::ClusterFacts* cluster) {
  if (pair.resources_per_job) return std::max(1, *pair.resources_per_job);
  if (pair.resources_jobs > 0) return std::max<std::int64_t>(1, (pair.resources_sum + pair.resources_jobs / 2) / pair.resources_jobs);
  if (cluster != nullptr && pair.nodes_per_job)
    return std::clamp<std::int64_t>(std::llround(grid::whole_nodes(pair, *cluster)), 1, 1'000'000);
  return 1;
}

template <class Number>
Number bounded(Number number, grid::FieldBounds bounds) {
  return static_cast<Number>(std::clamp(static_cast<double>(number), bounds.least, bounds.most));
}
void write_field(text::JsonWriter& json, std::string_view name, bool truth, grid::FieldBounds) { json.field(name, truth); }
void write_field(text::JsonWriter& json, std::string_view name, const std::string& text, grid::FieldBounds) {
  if (!text.empty()) json.field(name, text);
}
void write_field(text::JsonWriter& json, std::string_view name, const grid::Needs& needs, grid::FieldBounds) {
  if (needs.empty()) return;
  json.key(name).object([&] {
    for (const auto& [consumable, count] : needs) json.field(consumable, count);
  });
}
void write_field(text::JsonWriter& json, std::string_view name, grid::Grouping grouping, grid::FieldBounds) {
  if (grid::is_grouped(grouping)) json.field(name, std::string{grid::name_of(grouping)});
}
template <class Number>
void write_field(text::JsonWriter& json, std::string_view name, Number number, grid::FieldBounds bounds) {
  json.field(name, bounded(number, bounds));
}
template <class Number>
void write_field(text::JsonWriter& json, std::string_view name, std::optional<Number> number, grid::FieldBounds bounds) {
  if (number) json.field(name, bounded(*number, bounds));
}

/// Writes the facts that a scenario contains; empty ones are omitted.
template <class Facts, class... Fields>
void write_facts(text::JsonWriter& json, const Facts& facts, const std::tuple<Fields...>& fields) {
  grid::for_each_scenario_field(fields, [&](const auto& field) { write_field(json, field.name, facts.*field.member, field.bounds); });
}

void write_counts(text::JsonWriter& json, const store::DurationCounts& counts) {
  json.array(counts, [&](const store::DurationCount& count) {
    const std::vector<double> pair{count.seconds, static_cast<double>(count.jobs)};
    json.array(pair, [&](double number) { json.value(number); });
  });
}

/// Writes durations and their basis: the observed ones, else the walltime.
void write_durations(text::JsonWriter& json, const store::DurationCounts& own, const store::DurationCounts& earlier, double walltime) {
  const store::DurationCounts bound{{walltime, 1}};
  const auto& counts = !own.empty() ? own : !earlier.empty() ? earlier : bound;
  std::int64_t jobs = 0;
  for (const auto& count : counts) jobs += count.jobs;
  json.field("evidence", !own.empty() ? "own" : !earlier.empty() ? "history" : "walltime");
  json.field("seen", &counts == &bound ? 0 : jobs);
  json.key("durations");
  write_counts(json, counts);
}

/// The campaigns that come first, by their ids.
template <class Range, class KindOf, class IdOf>
void write_dependencies(text::JsonWriter& json, const Range& dependencies, KindOf&& kind_of, IdOf&& id_of) {
  for (const auto kind : grid::kDependencyKinds) {
    if (std::ranges::none_of(dependencies, [&](const auto& one) { return kind_of(one) == kind; })) continue;
    json.key(name_of(kind)).begin_array();
    for (const auto& one : dependencies) {
      if (kind_of(one) == kind) json.value(id_of(one));
    }
    json.end_array();
  }
}

void configuration(text::JsonWriter& json, const process::Config& config) {
  json.object([&] {
    for (const auto& option : process::options()) {
      if (option.is_simulated()) json.field(option.key, option.value.write(config));
    }
  });
}

/// Writes the parts of a scenario.
class Writer {
 public:
  Writer(text::JsonWriter& json, const store::GridState& state, grid::Instant now) : json_{json}, state_{state}, now_{now} {
    for (const auto& cluster : state.planning.clusters) {
      if (!why_left_out(cluster).empty()) continue;
      names_.emplace(cluster.id, cluster.name);
      clusters_.emplace(cluster.id, &cluster);
    }
    for (const auto& running : state.running) {
      ours_[running.cluster] += running.resources;
      ages_[{running.campaign, running.cluster}].push_back({running.age, running.jobs});
    }
    for (const auto& pair : state.planning.pairs) pairs_[pair.campaign].push_back(&pair);
    for (const auto& one : state.dependencies) dependencies_[one.campaign].push_back(&one.awaited);
  }

  void clusters() {
    json_.object([&] {
      for (const auto& cluster : state_.planning.clusters) {
        if (!names_.contains(cluster.id)) continue;
        json_.key(cluster.name).object([&] {
          json_.field("nodes", 1);
          json_.field("cores", std::min(cluster.max_resources, 100'000));
          write_facts(json_, cluster, grid::kClusterFields);
          json_.field("speed", 1);
          json_.field("flood", cluster.flood);
          json_.field("array_size", cluster.array_size);
          json_.field("headroom", cluster.kept_resources());
          json_.field("held", std::clamp<std::int64_t>(cluster.max_resources - cluster.available_resources() - ours_[cluster.id], 0,
                                                       cluster.max_resources));
          write_brake(cluster.brake);
        });
      }
    });
  }

  void campaigns(const Candidate* candidate) {
    json_.begin_array();
    for (const auto& campaign : state_.planning.campaigns) json_.object([&] { write(campaign); });
    if (candidate != nullptr) write_candidate(json_, *candidate);
    json_.end_array();
  }

  void policies() {
    const auto& policies = state_.planning.policies;
    json_.object([&] {
      json_.key("usage").array(policies.usage, [&](const grid::UsageOfDay& usage) {
        json_.object([&] {
          perhaps("user", usage.user);
          perhaps("project", usage.project);
          if (!usage.groups.empty()) json_.key("groups").array(usage.groups);
          json_.field("days_ago", std::max(0, usage.days_ago));
          json_.field("resource_seconds", usage.resource_seconds);
        });
      });
      json_.key("shares").array(policies.shares, [&](const grid::Share& share) {
        json_.object([&] {
          json_.field("id", share.id);
          json_.field("name", share.name);
          json_.field("is_user", share.is_user);
          if (share.is_group) json_.field("is_group", true);
          if (share.parent) json_.field("parent", *share.parent);
          json_.field("shares", share.shares);
        });
      });
      json_.key("user_priorities").array(policies.priorities, [&](const grid::UserPriority& one) {
        json_.object([&] {
          json_.field("user", one.user);
          json_.field("priority", one.priority);
        });
      });
      for (const auto& [key, priorities] :
           {std::pair{"project_priorities", &policies.project_priorities}, std::pair{"group_priorities", &policies.group_priorities}}) {
        json_.key(key).array(*priorities, [&](const grid::DeclaredPriority& one) {
          json_.object([&] {
            json_.field("name", one.name);
            json_.field("priority", one.priority);
          });
        });
      }
      json_.key("affinities")
          .object_list(
              policies.affinities,
              [&](const grid::Affinity& affinity) {
                json_.field("user", affinity.user);
                json_.field("cluster", affinity.cluster_name);
              },
              [&](const grid::Affinity& affinity) { return names_.contains(affinity.cluster); });
      json_.key("limits").object_list(
          policies.limits, [&](const grid::Limit& limit) { write(limit); },
          [&](const grid::Limit& limit) { return !limit.cluster || names_.contains(*limit.cluster); });
      json_.key("keeps").object_list(
          policies.keeps, [&](const grid::Keep& keep) { write(keep); },
          [&](const grid::Keep& keep) { return names_.contains(keep.cluster) && (!keep.until || *keep.until > now_); });
      json_.key("first_campaigns").array(policies.first_campaigns, [&](const grid::FirstCampaign& one) {
        json_.object([&] {
          json_.field("user", one.user);
          json_.field("age", seconds_until(now_, one.submitted));
        });
      });
    });
  }

 private:
  void perhaps(std::string_view key, const std::string& text) {
    if (!text.empty()) json_.field(key, text);
  }

  void write_brake(const std::optional<grid::Brake>& brake) {
    if (brake && brake->until) json_.field("braked", seconds_until(*brake->until, now_));
  }

  void write(const grid::Limit& limit) {
    json_.field("id", limit.id);
    json_.field("kind", grid::name_of(limit.kind));
    json_.field("most", limit.most);
    json_.field("used", std::max(0.0, limit.used));
    json_.field("days", std::max(1, limit.days));
    perhaps("consumable", limit.consumable);
    perhaps("user", limit.user.value_or(""));
    perhaps("group", limit.group.value_or(""));
    perhaps("project", limit.project.value_or(""));
    perhaps("cluster", limit.cluster ? limit.cluster_name : "");
    if (limit.campaign) json_.field("campaign", *limit.campaign);
    if (!limit.each) return;
    json_.field("each", grid::name_of(*limit.each));
    json_.key("used_by").array(limit.used_by, [&](const auto& one) {
      json_.object([&] {
        json_.field("name", one.first);
        json_.field("used", std::max(0.0, one.second));
      });
    });
  }

  static constexpr double kFarAway = 36500.0 * 86400;
  /// Its times count from now, when the simulation begins.
  void write(const grid::Keep& keep) {
    json_.field("name", keep.name);
    json_.field("cluster", keep.cluster_name);
    json_.field("resources", keep.part.text());
    perhaps("user", keep.user.value_or(""));
    perhaps("group", keep.group.value_or(""));
    perhaps("project", keep.project.value_or(""));
    if (keep.campaign) json_.field("campaign", *keep.campaign);
    if (keep.type) json_.field("type", grid::name_of(*keep.type));
    if (keep.new_users) json_.field("new_users", *keep.new_users);
    if (keep.hours) json_.field("hours", grid::counted_from(*keep.hours, now_).text());
    if (keep.from && *keep.from > now_) json_.field("from", std::min(kFarAway, seconds_until(*keep.from, now_)));
    if (keep.until) json_.field("until", std::min(kFarAway, seconds_until(*keep.until, now_)));
  }

  /// The campaigns that a campaign waits for. `stuck`: no campaign of the scenario ends it.
  void write(const std::vector<const grid::Awaited*>& waits, std::int64_t held) {
    if (held > 0) json_.field("held", held);
    json_.field("stuck", std::ranges::any_of(waits, [](const auto* one) { return is_stuck(*one); }));
    std::vector<const grid::Awaited*> simulated;
    std::ranges::copy_if(waits, std::back_inserter(simulated), [&](const auto* one) { return is_simulated(one->campaign); });
    write_dependencies(
        json_, simulated, [](const auto* one) { return one->kind; }, [](const auto* one) { return one->campaign; });
  }
  [[nodiscard]] bool is_simulated(grid::CampaignId id) const {
    return std::ranges::find(state_.planning.campaigns, id, &grid::CampaignFacts::id) != state_.planning.campaigns.end();
  }

  void write(const grid::CampaignFacts& campaign) {
    json_.field("id", campaign.id);
    if (const auto name = state_.names.find(campaign.id); name != state_.names.end()) perhaps("name", name->second);
    auto facts = campaign;
    // Simulated pools begin with the launches of the simulation: what present ones have not done is in the bag.
    if (const auto pooled = state_.pooled.find(campaign.id); pooled != state_.pooled.end()) facts.waiting_tasks += pooled->second;
    write_facts(json_, facts, grid::kCampaignFields);
    if (!campaign.groups.empty()) json_.key("groups").array(campaign.groups);
    json_.field("test_mode", campaign.type == grid::CampaignType::test);
    json_.field("paused", campaign.state == grid::CampaignState::paused);
    if (const auto waits = dependencies_.find(campaign.id); waits != dependencies_.end()) write(waits->second, campaign.held_tasks);
    if (const auto found = state_.max_attempts.find(campaign.id); found != state_.max_attempts.end())
      json_.field("max_attempts", found->second);
    json_.field("age", seconds_until(now_, campaign.submitted));
    write_brake(campaign.brake);
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
    write_durations(json_, own == state_.durations.end() ? none : own->second, earlier == state_.earlier.end() ? none : earlier->second,
                    walltime);
    const double mean = done > 0 ? seconds / static_cast<double>(done) : 0;
    json_.key("clusters")
        .object_list(
            pairs, [&](const grid::PairFacts* pair) { write(*pair, mean); },
            [&](const grid::PairFacts* pair) { return names_.contains(pair->cluster) && (pair->fitting_tasks != 0 || pair->running > 0); });
  }

  void write(const grid::PairFacts& pair, double mean) {
    constexpr std::int64_t kTelling = 5;
    json_.field("name", names_.at(pair.cluster));
    json_.field("width", width_of(pair, clusters_.at(pair.cluster)));
    auto asked = pair;
    if (!grid::takes_tasks_now(pair)) asked.max_jobs = 0;
    write_facts(json_, asked, grid::kAskedFields);
    write_facts(json_, pair, grid::kCountedFields);
    write_facts(json_, pair, grid::kMemoryFields);
    const auto kind = state_.best_effort.find({pair.campaign, pair.cluster});
    json_.field("best_effort", kind == state_.best_effort.end() || kind->second);
    // The speed of its tasks there, relative to all clusters.
    json_.field("speed",
                pair.done >= kTelling && pair.duration_sum > 0 ? mean / (pair.duration_sum / static_cast<double>(pair.done)) : 1.0);
    write_brake(pair.brake);
    json_.field("queued", pair.launching + pair.waiting + pair.unknown);
    json_.key("running");
    write_counts(json_, ages_[{pair.campaign, pair.cluster}]);
  }

  text::JsonWriter& json_;
  const store::GridState& state_;
  grid::Instant now_;
  std::map<grid::ClusterId, const grid::ClusterFacts*> clusters_;  ///< those in the scenario
  std::map<grid::ClusterId, std::string> names_;                   ///< of the clusters in the scenario
  std::map<grid::ClusterId, std::int64_t> ours_;                   ///< resources that our jobs hold
  std::map<grid::CampaignId, std::vector<const grid::PairFacts*>> pairs_;
  std::map<grid::CampaignId, std::vector<const grid::Awaited*>> dependencies_;
  std::map<std::pair<grid::CampaignId, grid::ClusterId>, store::DurationCounts> ages_;  ///< of running jobs
};

}  // namespace

bool is_simulated(const grid::ClusterFacts& cluster) { return why_left_out(cluster).empty(); }

std::vector<LeftOut> left_out(const store::GridState& state) {
  std::vector<LeftOut> out;
  for (const auto& cluster : state.planning.clusters) {
    if (auto why = why_left_out(cluster); !why.empty()) out.push_back({cluster.name, std::move(why)});
  }
  return out;
}

store::GridState read_grid_state(store::Transaction& transaction, const process::Config& config, grid::Instant now) {
  return store::grid_state(
      transaction,
      {.flood = config.flood, .array_size = config.array_size, .headroom = config.headroom, .availability = config.availability},
      config.fairshare_window, now);
}

void write_scenario(text::JsonWriter& json, const store::GridState& state, const process::Config& config, grid::Instant now,
                    const Candidate* candidate) {
  Writer writer{json, state, now};
  json.object([&] {
    json.key("configuration");
    configuration(json, config);
    json.key("clusters");
    writer.clusters();
    json.key("live");
    writer.campaigns(candidate);
    json.key("policies");
    writer.policies();
  });
}

namespace {

/// The requests of the candidate's tasks on a cluster.
template <class Work>
void for_each_request(const Candidate& candidate, const jdl::ClusterSection& section, Work&& work) {
  const auto index = static_cast<std::size_t>(&section - candidate.file.clusters.data());
  for (const auto& one : candidate.requests) {
    if (one.cluster == index) work(one);
  }
}

}  // namespace

void write_candidate(text::JsonWriter& json, const Candidate& candidate) {
  const auto& file = candidate.file;
  // Where an expression states it, the section has none: the greatest of its tasks bounds them all.
  const auto walltime_of = [&](const jdl::ClusterSection& section) {
    auto walltime = std::max(section.walltime, section.max_walltime.value_or(grid::Seconds{0}));
    for_each_request(candidate, section, [&](const jdl::TaskRequest& one) { walltime = std::max(walltime, one.walltime); });
    return static_cast<double>(walltime.count());
  };
  /// The widest of its requests.
  const auto widest_of = [&](const jdl::ClusterSection& section, std::int64_t width) {
    for_each_request(candidate, section,
                     [&](const jdl::TaskRequest& one) { width = std::max<std::int64_t>(width, one.resources_per_job.value_or(1)); });
    return width;
  };
  double walltime = 1;
  for (const auto& section : file.clusters) walltime = std::max(walltime, walltime_of(section));
  json.object([&] {
    json.field("name", file.name);
    if (candidate.after > grid::Seconds{0}) json.field("at", candidate.after);
    auto facts = jdl::facts_of(file);
    facts.user = candidate.user;
    facts.input_mb = candidate.input_mb;
    facts.waiting_tasks = candidate.tasks;
    write_facts(json, facts, grid::kCampaignFields);
    if (!candidate.groups.empty()) json.key("groups").array(candidate.groups);
    json.field("test_mode", file.type == grid::CampaignType::test);
    const auto is_each = [](const auto& one) { return one.kind == grid::DependencyKind::after_each; };
    if (std::ranges::any_of(candidate.dependencies, is_each)) json.field("held", candidate.tasks);
    json.field("stuck", std::ranges::any_of(candidate.dependencies, &store::NewDependency::stuck));
    write_dependencies(
        json, candidate.dependencies, [](const auto& one) { return one.kind; }, [](const auto& one) { return one.on; });
    if (file.scheduling.max_attempts) json.field("max_attempts", *file.scheduling.max_attempts);
    write_durations(json, {}, candidate.known, walltime);
    json.key("clusters")
        .object_list(
            file.clusters,
            [&](const jdl::ClusterSection& section) {
              json.field("name", section.name);
              auto asked = jdl::facts_of(section);
              const auto cluster = std::ranges::find(candidate.known_clusters, section.name, &grid::ClusterFacts::name);
              const bool is_known = cluster != candidate.known_clusters.end();
              if (is_known) grid::fit_to_nodes(asked, *cluster);
              json.field("width", widest_of(section, width_of(asked, is_known ? &*cluster : nullptr)));
              asked.walltime = walltime_of(section);
              write_facts(json, asked, grid::kAskedFields);
              json.field("best_effort", section.kind == jdl::JobKind::best_effort);
            },
            [&](const jdl::ClusterSection& section) {
              return std::ranges::find(candidate.clusters, section.name) != candidate.clusters.end();
            });
  });
}

}  // namespace gleaner::api
