#include "api/grid_metrics.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "lib/oar/traffic.hpp"
#include "lib/store/totals.hpp"

namespace gleaner::api {
namespace {

using Type = MetricsPage::Type;
using store::metrics::Cluster;
using store::metrics::Total;

double number(std::int64_t value) { return static_cast<double>(value); }

/// Seconds from then to now. The clocks of hosts differ: at least 0.
double age(grid::Instant now, grid::Instant then) { return std::max(0.0, std::chrono::duration<double>(now - then).count()); }

class GridPage {
 public:
  GridPage(MetricsPage& page, const Figures::Reading& reading, const process::Config& config)
      : page_{page}, figures_{reading.figures}, grid_{reading.figures.grid}, reading_{reading}, config_{config} {}

  void write() {
    write_troubles();
    write_conduct();
    write_cycles();
    write_herald();
    write_work();
    write_clusters();
    write_unknown_launches();
    write_ends();
    write_harvest();
    write_quality();
    write_requests();
    write_brakes();
    write_database();
  }

 private:
  void write_troubles();
  void write_conduct();
  void write_cycles();
  void write_herald();
  void write_work();
  void write_clusters();
  void write_jobs();
  void write_resources();
  void write_unknown_launches();
  void write_ends();
  void write_harvest();
  void write_quality();
  void write_requests();
  void write_brakes();
  void write_database();

  void one(std::string_view name, std::string_view help, double value) {
    page_.family(name, Type::gauge, help);
    page_.sample(value);
  }

  /// A gauge of each cluster of which `value` says something.
  template <class Value>
  void of_clusters(std::string_view name, std::string_view help, Value value) {
    page_.family(name, Type::gauge, help);
    for (const auto& cluster : figures_.clusters) {
      if (const std::optional<double> known = value(cluster)) page_.sample({{"cluster", cluster.name}}, *known);
    }
  }

  template <class Write>
  void totals(std::string_view kind, Write write) {
    for (const auto& total : figures_.totals) {
      if (total.kind == kind) write(total);
    }
  }

  MetricsPage& page_;
  const store::metrics::Figures& figures_;
  const store::metrics::Grid& grid_;
  const Figures::Reading& reading_;
  const process::Config& config_;
};

void GridPage::write_troubles() {
  constexpr std::array<std::string_view, 9> kKinds{"conductor", "database", "size",   "module", "law",
                                                   "cluster",   "brake",    "herald", "outbox"};
  page_.family("gleaner_troubles", Type::gauge, "What keeps the grid from its work, as /health names it, by kind.");
  for (const auto kind : kKinds) page_.sample({{"kind", kind}}, number(std::ranges::count(reading_.troubles, kind, &fleet::Trouble::kind)));
  page_.family("gleaner_module_failing", Type::gauge,
               "Whether a module's last turns failed, everywhere or on a cluster; healthy ones are missing.");
  for (const auto& trouble : reading_.troubles) {
    if (trouble.kind == "module") page_.sample({{"module", trouble.subject}}, 1);
  }
}

void GridPage::write_conduct() {
  one("gleaner_lease_held", "Whether somebody holds the lease, and so conducts the grid.", grid_.is_held ? 1 : 0);
  if (grid_.is_held) {
    page_.family("gleaner_lease_info", Type::gauge, "Who holds the lease.");
    page_.sample({{"holder", grid_.holder}}, 1);
    if (grid_.taken_at) one("gleaner_lease_age_seconds", "Time since the lease was taken.", age(grid_.now, *grid_.taken_at));
  }
  one("gleaner_lease_term", "The term of the lease: how often it was taken.", number(grid_.term));
}

void GridPage::write_cycles() {
  one("gleaner_cycle_period_seconds", "The configured time between two cycles while campaigns are in treatment.",
      std::chrono::duration<double>(config_.cycle_period).count());
  one("gleaner_idle_period_seconds", "The configured time between two cycles while there is nothing to do.",
      std::chrono::duration<double>(config_.idle_period).count());
  if (grid_.cycle) {
    one("gleaner_last_cycle_age_seconds", "Time since a cycle ended.", age(grid_.now, grid_.cycle->ended));
    one("gleaner_last_cycle_duration_seconds", "How long the last cycle that ended took.", grid_.cycle->seconds);
  }
  page_.family("gleaner_cycle_duration_seconds", Type::histogram, "How long cycles took.");
  totals("cycle", [&](const Total& total) { page_.histogram({}, store::kTurnBounds, total.buckets, total.amount); });
  page_.family("gleaner_module_turn_duration_seconds", Type::histogram, "How long the turns of the modules took, by how they ended.");
  totals("turn", [&](const Total& total) {
    page_.histogram({{"module", total.name}, {"result", total.result}}, store::kTurnBounds, total.buckets, total.amount);
  });
  page_.family("gleaner_module_last_success_age_seconds", Type::gauge, "Time since a turn of the module succeeded.");
  totals("turn", [&](const Total& total) {
    if (total.result == "succeeded" && total.last_at) page_.sample({{"module", total.name}}, age(grid_.now, *total.last_at));
  });
}

void GridPage::write_herald() {
  page_.family("gleaner_herald_last_turn_age_seconds", Type::gauge, "Time since the herald was seen at work; missing: it has never run.");
  totals("herald", [&](const Total& total) {
    if (total.last_at) page_.sample(age(grid_.now, *total.last_at));
  });
}

void GridPage::write_work() {
  page_.family("gleaner_campaigns", Type::gauge, "Campaigns that are not over, by state.");
  page_.sample({{"state", "in_treatment"}}, number(grid_.in_treatment));
  page_.sample({{"state", "paused"}}, number(grid_.paused));
  page_.family("gleaner_campaigns_submitted", Type::counter, "Campaigns that were submitted.");
  totals("campaign", [&](const Total& total) {
    if (total.result == "submitted") page_.sample(number(total.times));
  });
  page_.family("gleaner_campaigns_ended", Type::counter, "Campaigns that ended, each time that they did, by how.");
  totals("campaign", [&](const Total& total) {
    if (total.result != "submitted") page_.sample({{"state", total.result}}, number(total.times));
  });
  page_.family("gleaner_tasks", Type::gauge, "Tasks of the campaigns that are not over, by state.");
  const std::array<std::pair<std::string_view, std::int64_t>, 7> states{{{"waiting", grid_.waiting},
                                                                         {"launching", grid_.launching},
                                                                         {"submitted", grid_.submitted},
                                                                         {"running", grid_.running},
                                                                         {"done", grid_.done},
                                                                         {"failed", grid_.failed},
                                                                         {"cancelled", grid_.cancelled}}};
  for (const auto& [state, tasks] : states) page_.sample({{"state", state}}, number(tasks));
}

void GridPage::write_clusters() {
  using Known = std::optional<double>;
  of_clusters("gleaner_cluster_enabled", "Whether the cluster gets jobs of the grid.",
              [](const Cluster& cluster) -> Known { return cluster.is_enabled ? 1 : 0; });
  of_clusters("gleaner_cluster_reachable", "Whether the cluster answered at the last poll; missing: it was never polled.",
              [](const Cluster& cluster) -> Known { return cluster.is_reachable ? Known{*cluster.is_reachable ? 1 : 0} : std::nullopt; });
  of_clusters("gleaner_cluster_unreachable_seconds", "Time since the cluster answers no more; 0: it answers.",
              [&](const Cluster& cluster) -> Known { return cluster.unreachable_since ? age(grid_.now, *cluster.unreachable_since) : 0; });
  of_clusters("gleaner_cluster_braked", "Whether a brake is on the whole cluster.",
              [](const Cluster& cluster) -> Known { return cluster.is_braked ? 1 : 0; });
  of_clusters(
      "gleaner_cluster_status_age_seconds", "Time since the poll that the cluster's resources are from.",
      [&](const Cluster& cluster) -> Known { return cluster.resources ? Known{age(grid_.now, cluster.resources->time)} : std::nullopt; });
  of_clusters("gleaner_cluster_stress", "The stress factor that the cluster states: from 0, idle, to 1 and more.",
              [](const Cluster& cluster) -> Known { return cluster.resources ? cluster.resources->stress : std::nullopt; });
  write_resources();
  write_jobs();
}

void GridPage::write_resources() {
  page_.family("gleaner_resources", Type::gauge,
               "Resources of the cluster at its last poll: held by jobs of ours, held by local jobs, free, and down.");
  for (const auto& cluster : figures_.clusters) {
    if (!cluster.resources) continue;
    const auto& known = *cluster.resources;
    const std::array<std::pair<std::string_view, int>, 4> states{
        {{"ours", known.ours}, {"local", std::max(0, known.used - known.ours)}, {"free", known.free}, {"down", cluster.down}}};
    for (const auto& [state, resources] : states) page_.sample({{"cluster", cluster.name}, {"state", state}}, resources);
  }
  of_clusters("gleaner_resources_waited_for", "Resources that our waiting jobs of the cluster ask for.",
              [](const Cluster& cluster) { return cluster.resources ? std::optional<double>{cluster.resources->waiting} : std::nullopt; });
}

void GridPage::write_jobs() {
  page_.family("gleaner_jobs", Type::gauge, "Our jobs on the cluster, by state.");
  for (const auto& cluster : figures_.clusters) {
    const std::array<std::pair<std::string_view, std::int64_t>, 4> states{
        {{"launching", cluster.launching}, {"waiting", cluster.waiting}, {"running", cluster.running}, {"unknown", cluster.unknown}}};
    for (const auto& [state, jobs] : states) page_.sample({{"cluster", cluster.name}, {"state", state}}, number(jobs));
  }
}

void GridPage::write_unknown_launches() {
  of_clusters("gleaner_unknown_launches", "Launches of which it is not known whether the cluster took them.",
              [](const Cluster& cluster) { return std::optional{number(cluster.unknown_launches)}; });
  of_clusters("gleaner_unknown_launches_oldest_seconds", "How long the oldest of them has been unknown; 0: there are none.",
              [&](const Cluster& cluster) { return std::optional{cluster.unknown_since ? age(grid_.now, *cluster.unknown_since) : 0.0}; });
}

void GridPage::write_ends() {
  page_.family("gleaner_jobs_ended", Type::counter, "Jobs that ended, by how (done, walltime, killed_by_us…), of tasks and of scripts.");
  totals("ending", [&](const Total& total) {
    page_.sample({{"cluster", total.cluster}, {"ending", total.result}, {"kind", total.name}}, number(total.times));
  });
  page_.family("gleaner_kills", Type::counter, "Jobs that the grid decided to kill, by why.");
  totals("kill", [&](const Total& total) { page_.sample({{"cluster", total.cluster}, {"reason", total.name}}, number(total.times)); });
}

void GridPage::write_harvest() {
  page_.family(
      "gleaner_job_resource_seconds", Type::counter,
      "Resource-seconds that our jobs held until they ended: useful, failed (by their tasks), lost (killed, or ended by the cluster).");
  totals("use", [&](const Total& total) { page_.sample({{"cluster", total.cluster}, {"use", total.result}}, total.amount); });
  page_.family("gleaner_resource_seconds", Type::counter, "Resource-seconds between polls, by the state of the resources (free: idle).");
  totals("resource", [&](const Total& total) { page_.sample({{"cluster", total.cluster}, {"state", total.result}}, total.amount); });
}

/// By cluster and by the algorithm of the ratio; `first`: the ratio of the campaign's request.
void GridPage::write_quality() {
  const auto labels = [](const Total& total, std::string_view key) {
    const std::string_view algorithm = total.name.empty() ? std::string_view{"first"} : std::string_view{total.name};
    return MetricsPage::Labels{{"cluster", total.cluster}, {"algorithm", algorithm}, {key, total.result}};
  };
  page_.family(
      "gleaner_planned_jobs_ended", Type::counter,
      "Jobs that were planned for tasks and are over, by their fate: done, failed, walltime, preempted, killed, taken_back, unsent, lost.");
  totals("plan", [&](const Total& total) { page_.sample(labels(total, "fate"), number(total.times)); });
  page_.family("gleaner_planned_jobs_started", Type::counter, "Of these, those that started: promptly, or after they waited.");
  totals("start", [&](const Total& total) { page_.sample(labels(total, "start"), number(total.times)); });
  page_.family("gleaner_planned_jobs_wait_seconds", Type::counter, "How long the jobs that started had waited, all together.");
  totals("start", [&](const Total& total) { page_.sample(labels(total, "start"), total.amount); });
  page_.family("gleaner_ratio_turns", Type::counter,
               "Cycles in which a campaign was sent jobs by a ratio, by what the next one found: too_big, too_small, right.");
  totals("ratio", [&](const Total& total) { page_.sample(labels(total, "verdict"), number(total.times)); });
  page_.family("gleaner_end_forecasts", Type::counter,
               "Forecasts of the ends of campaigns that have ended, by method: the end was within their interval, or outside.");
  totals("forecast", [&](const Total& total) {
    if (total.result != "error") page_.sample({{"method", total.name}, {"result", total.result}}, number(total.times));
  });
  page_.family("gleaner_end_forecast_error_seconds", Type::counter, "Seconds between these forecasts and the ends, all together.");
  totals("forecast", [&](const Total& total) {
    if (total.result == "error") page_.sample({{"method", total.name}}, total.amount);
  });
}

void GridPage::write_requests() {
  page_.family("gleaner_cluster_requests", Type::counter,
               "Requests of the modules to the cluster's API, by method and by the class of the status (or not_sent, no_answer).");
  const auto labels = [](const Total& total) {
    return MetricsPage::Labels{{"cluster", total.cluster}, {"method", total.name}, {"status", total.result}};
  };
  totals("request", [&](const Total& total) { page_.sample(labels(total), number(total.times)); });
  page_.family("gleaner_cluster_request_duration_seconds", Type::histogram,
               "Time until the whole answer, or until the request was given up.");
  totals("request", [&](const Total& total) { page_.histogram(labels(total), oar::Traffic::kBounds, total.buckets, total.amount); });
}

void GridPage::write_brakes() {
  page_.family("gleaner_brakes", Type::gauge,
               "Brakes by what they hold back (a cluster, a campaign, or one on the other), and by who set them.");
  for (const auto& some : figures_.brakes)
    page_.sample({{"target", some.target}, {"set_by", some.by_hand ? "hand" : "grid"}}, number(some.brakes));
  page_.family("gleaner_open_events", Type::gauge, "Open events by code.");
  for (const auto& some : figures_.events) page_.sample({{"code", some.code}}, number(some.events));
}

void GridPage::write_database() {
  one("gleaner_schema_version", "The number of the database's last migration.", number(grid_.schema));
  one("gleaner_database_size_bytes", "The size of the database.", number(grid_.bytes));
  if (config_.database_size_max > 0)
    one("gleaner_database_size_max_bytes", "The size to which it may grow (database_size_max).",
        static_cast<double>(config_.database_size_max));
  one("gleaner_figures_read_seconds", "How long the database took for these figures.", reading_.seconds);
}

}  // namespace

void write_health(MetricsPage& page, std::string_view word) {
  page.family("gleaner_health", Type::gauge, "The status that /health answers: 1 for the one that holds.");
  for (const std::string_view one : {"ok", "degraded", "standstill", "unavailable"}) page.sample({{"status", one}}, word == one ? 1 : 0);
}

void write_grid(MetricsPage& page, const Figures::Reading& reading, const process::Config& config) {
  GridPage{page, reading, config}.write();
}

}  // namespace gleaner::api
