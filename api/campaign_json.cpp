#include "api/campaign_json.hpp"

#include <cmath>

#include <fmt/format.h>

#include "api/answers.hpp"
#include "lib/grid/durations.hpp"

namespace gleaner::api {
namespace {

void write_counts(text::JsonWriter& json, const store::views::Campaign& campaign) {
  const auto& tasks = campaign.tasks;
  json.field("total_tasks", campaign.total);
  json.key("tasks").object([&] {
    json.field("waiting", tasks.waiting);
    json.field("launching", tasks.launching);
    json.field("submitted", tasks.submitted);
    json.field("running", tasks.running);
    json.field("done", tasks.done);
    json.field("failed", tasks.failed);
    json.field("cancelled", tasks.cancelled);
  });
  json.field("held_tasks", campaign.held_tasks);
}

void write_request(text::JsonWriter& json, const store::views::CampaignCluster& cluster) {
  json.field("priority", cluster.priority);
  json.field("exec_file", cluster.exec_file);
  json.field("exec_directory", cluster.exec_directory);
  json.field("resources", cluster.resources);
  json.field("resources_per_job", cluster.resources_per_job);
  json.field("walltime", cluster.walltime);
  json.field("properties", cluster.properties);
  json.field("project", cluster.project);
  json.field("best_effort", cluster.best_effort);
  json.field("max_jobs", cluster.max_jobs);
  json.field("max_walltime", cluster.max_walltime);
}

/// The duration within which most jobs that were done ended.
void write_most_durations(text::JsonWriter& json, const store::views::CampaignCluster& cluster) {
  if (!cluster.most_durations) {
    json.null();
    return;
  }
  json.object([&] {
    json.field("share", store::views::kMostJobs);
    json.field("jobs", cluster.durations);
    json.field("seconds", *cluster.most_durations);
  });
}

/// The processors, memory and file servers that its tasks took.
void write_profile(text::JsonWriter& json, const store::views::CampaignCluster& cluster) {
  json.object([&] {
    json.field("cpu_jobs", cluster.cpu_jobs);
    json.field("cpu_seconds", cluster.cpu_seconds);
    json.field("command_seconds", cluster.cpu_wall_seconds);
    json.field("memory_jobs", cluster.memory_jobs);
    json.field("peak_memory_mb", cluster.peak_memory);
    json.field("io_jobs", cluster.io_jobs);
    json.field("io_mb", cluster.io_mb);
    json.field("io_seconds", cluster.io_wall_seconds);
    json.field("memory_mb", cluster.memory_mb);
    json.field("cluster_states_memory", cluster.states_memory);
  });
}

void write_interval(text::JsonWriter& json, std::string_view earliest, std::string_view latest,
                    const std::optional<grid::Interval>& between) {
  json.field(earliest, between ? std::optional{between->earliest} : std::nullopt);
  json.field(latest, between ? std::optional{between->latest} : std::nullopt);
}

void write_ratio_change(text::JsonWriter& json, const std::optional<store::views::RatioChange>& change) {
  if (!change) {
    json.null();
    return;
  }
  json.object([&] {
    json.field("time", change->at);
    json.field("job_ratio_before", change->before);
    json.field("predictor_algorithm", change->algorithm);
    json.field("verdict", change->verdict);
    json.field("submitted_jobs", change->submitted);
    json.field("offered_resources", change->offered);
    json.field("waiting_jobs", change->waiting);
    json.field("free_resources", change->free);
  });
}

}  // namespace

std::string campaign_path(grid::CampaignId id) { return fmt::format("/v1/campaigns/{}", id.value()); }

void write_forecast(text::JsonWriter& json, const store::views::Forecast& forecast) {
  json.field("forecast_time", forecast.made);
  json.field("forecast_start", forecast.start);
  write_interval(json, "forecast_start_earliest", "forecast_start_latest", forecast.start_between);
  json.field("forecast_end", forecast.end);
  write_interval(json, "forecast_end_earliest", "forecast_end_latest", forecast.end_between);
  json.field("forecast_method", forecast.method);
}

void write_kept_forecast(text::JsonWriter& json, const store::KeptForecast& forecast) {
  json.field("forecast_time", forecast.made);
  json.field("forecast_end", forecast.end);
  write_interval(json, "forecast_end_earliest", "forecast_end_latest", forecast.end_between);
  json.field("forecast_method", forecast.method);
  json.key("clusters").array(forecast.pairs, [&](const store::KeptPair& pair) {
    json.object([&] {
      json.field("cluster_name", pair.cluster);
      json.field("job_ratio", pair.job_ratio);
      json.field("predictor_algorithm", pair.algorithm);
      json.field("jobs_throughput", pair.throughput);
      json.field("submitted_jobs", pair.submitted);
      json.field("active_jobs", pair.running);
    });
  });
}

void write_campaign(text::JsonWriter& json, const store::views::Campaign& campaign) {
  json.field("id", campaign.id);
  json.field("name", campaign.name);
  json.field("user", campaign.user);
  json.field("type", campaign.type);
  json.field("state", grid::name_of(campaign.state));
  json.field("has_events", campaign.has_events);
  json.field("submission_time", campaign.submitted_at);
  json.field("first_start_time", campaign.first_start_at);
  json.field("end_time", campaign.ended_at);
  write_counts(json, campaign);
  json.key("dependencies").array(campaign.dependencies, [&](const store::ShownDependency& one) {
    json.object([&] {
      json.field("campaign_id", one.on);
      json.field("name", one.name);
      json.field("kind", name_of(one.kind));
      json.field("met", one.met);
    });
  });
  write_forecast(json, campaign.forecast);
  const auto path = campaign_path(campaign.id);
  write_links(json, {{"self", path},
                     {"parent", "/v1/campaigns"},
                     {"collection", path + "/tasks", "tasks"},
                     {"collection", path + "/events", "events"},
                     {"collection", path + "/decisions", "decisions"},
                     {"collection", path + "/decisions/history", "history"},
                     {"collection", path + "/failures", "failures"},
                     {"collection", path + "/forecasts", "forecasts"},
                     {"item", path + "/jdl", "jdl"},
                     {"item", path + "/stats", "stats"}});
}

void write_progress(text::JsonWriter& json, const store::views::Campaign& campaign) {
  json.field("id", campaign.id);
  json.field("name", campaign.name);
  json.field("user", campaign.user);
  json.field("state", grid::name_of(campaign.state));
  json.field("end_time", campaign.ended_at);
  write_counts(json, campaign);
}

void write_campaign_cluster(text::JsonWriter& json, const store::views::CampaignCluster& cluster) {
  json.field("cluster_name", cluster.name);
  json.field("enabled", cluster.enabled);
  json.field("retired", cluster.retired);
  json.field("reachable", cluster.reachable);
  json.field("no_resources_since", cluster.no_resources_since);
  json.field("active_jobs", cluster.running);
  json.field("queued_jobs", cluster.launching + cluster.waiting);
  json.field("launching_jobs", cluster.launching);
  json.field("waiting_jobs", cluster.waiting);
  json.field("unknown_jobs", cluster.unknown);
  json.field("done_jobs", cluster.done);
  json.field("concluded_jobs", cluster.concluded);
  write_request(json, cluster);
  const grid::Durations durations{cluster.done, cluster.duration_sum, cluster.duration_squares};
  json.field("average_jobs_duration", durations.mean());
  json.field("stddev_jobs_duration", durations.deviation());
  json.key("most_durations");
  write_most_durations(json, cluster);
  json.key("profile");
  write_profile(json, cluster);
  json.field("failures_in_a_row", cluster.failures_in_a_row);
  json.field("job_ratio", cluster.job_ratio);
  json.field("jobs_throughput", cluster.throughput);
  json.key("ratio_change");
  write_ratio_change(json, cluster.ratio_change);
  json.field("prologue", cluster.prologue);
  json.field("epilogue", cluster.epilogue);
  json.key("brake");
  write_brake(json, cluster.brake);
}

decisions::Rendered rendered_decision(const store::views::Decision& decision) {
  auto name = decision.cluster_name;
  if (decision.cluster && name.empty()) name = fmt::format("cluster {}", decision.cluster->value());
  return decisions::rendered({.stage = decision.stage,
                              .reason = decision.reason,
                              .figures = decision.figures,
                              .jobs = decision.jobs,
                              .cluster = decision.cluster ? std::move(name) : std::string{}});
}

void write_brake(text::JsonWriter& json, const std::optional<store::views::Brake>& brake) {
  if (!brake) {
    json.null();
    return;
  }
  json.object([&] {
    json.field("reason", brake->reason);
    json.field("expires", brake->expires_at);
  });
}

}  // namespace gleaner::api
