#include "sim/world/oracle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "lib/decisions/stored.hpp"
#include "lib/store/checks.hpp"
#include "lib/store/database.hpp"

namespace gleaner::world {
namespace {

constexpr std::size_t kMostFaults = 20;
constexpr std::chrono::milliseconds kNoLimit{0};

}  // namespace

Oracle::Oracle(WorldDatabase& database, Clusters& clusters, Trace& trace)
    : database_{database}, clusters_{clusters}, trace_{trace}, laws_{database.conninfo_of("laws")} {}

void Oracle::find(std::string what) {
  trace_.note("FAULT " + what);
  if (faults_.size() < kMostFaults) faults_.push_back(std::move(what));
}

void Oracle::judge_work() {
  for (auto& [name, cluster] : clusters_.all()) {
    for (const auto& work : cluster->take_works()) {
      const auto where = fmt::format("job {} of {}", work.job, name);
      const auto [place, is_first] = done_by_.emplace(std::tuple{work.campaign, work.task, work.attempt}, where);
      if (!is_first)
        find(fmt::format("task {} of campaign {} was executed twice in its attempt {}: by {} and by {}", work.task, work.campaign,
                         work.attempt, place->second, where));
    }
  }
}

void Oracle::judge_laws(store::Weight most) {
  for (const auto& law : store::laws()) {
    if (law.weight != store::Weight::law && law.weight != most) continue;
    const auto checked = store::check_law(laws_, law, store::Reach::all, kNoLimit);
    if (checked.result != store::Checked::Result::broken) continue;
    const auto& rows = checked.breaches.rows;
    find(fmt::format("{} is broken {} times: {}", law.name, checked.breaches.count, rows.empty() ? std::string{} : rows.front().text));
  }
}

bool Oracle::is_all_over() { return database_.query(sql::oracle_live{}).one().live.as<std::int64_t>() == 0; }

std::vector<std::int64_t> Oracle::awaiting_users() {
  std::vector<std::int64_t> waiting;
  if (database_.query(sql::oracle_live_jobs{}).one().jobs.as<std::int64_t>() > 0) return waiting;
  for (const auto& row : database_.query(sql::oracle_awaiting_users{})) waiting.push_back(*row.id);
  return waiting;
}

std::vector<std::string> Oracle::waits() {
  std::vector<std::string> found;
  const auto add = [&](const auto& query) {
    for (const auto& row : database_.query(query)) found.push_back(row.text.value_or(""));
  };
  add(sql::oracle_campaigns{});
  for (const auto& row : database_.query(sql::oracle_decisions{})) {
    const auto rendered = decisions::rendered({.stage = row.stage.value_or(""),
                                               .reason = row.reason.value_or(""),
                                               .figures = row.figures.value_or("{}"),
                                               .jobs = row.jobs.as<int>(),
                                               .cluster = row.name.value_or("")});
    found.push_back(fmt::format("campaign {} on {}: {} {}: {}", row.campaign_id.value_or(""), row.name.value_or(""), row.stage.value_or(""),
                                row.reason.value_or(""), rendered.sentence));
  }
  add(sql::oracle_jobs{});
  add(sql::oracle_events{});
  return found;
}

/// Checkpoints are signalled before our own preemption, and the one job of a test campaign keeps its place in the queue.
void Oracle::judge_kills() {
  for (const auto& row : database_.query(sql::oracle_preempted_unsignalled{}))
    find(fmt::format("job {} of campaign {} was preempted by the grid without a signal for its checkpoint", row.job_id.value_or(""),
                     row.campaign_id.value_or("")));
  for (const auto& row : database_.query(sql::oracle_tests_taken_back{}))
    find(fmt::format("job {} of test campaign {} was taken back, and loses its place", row.job_id.value_or(""),
                     row.campaign_id.value_or("")));
}

/// A brake judges the cluster: tasks that failed before, there or elsewhere, are no reason for one.
void Oracle::judge_brakes() {
  constexpr std::size_t kFailures = 3;
  constexpr std::int64_t kMostInVain = 60;
  for (const auto& row : database_.query(sql::oracle_braked{})) {
    const std::int64_t campaign = *row.campaign_id;
    const std::string name = *row.name;
    std::set<std::int64_t> failed;
    std::map<std::int64_t, std::pair<int, std::string>> first;  // of each task, its first attempt that failed, and where
    for (auto& [where, cluster] : clusters_.all()) {
      for (const auto& work : cluster->works()) {
        if (work.campaign != campaign || !work.is_whole || work.status == 0) continue;
        const auto [known, is_new] = first.try_emplace(work.task, work.attempt, where);
        if (!is_new && work.attempt < known->second.first) known->second = {work.attempt, where};
      }
    }
    for (const auto& [task, one] : first) {
      if (one.second == name) failed.insert(task);
    }
    if (failed.size() < kFailures)
      find(fmt::format("campaign {} is braked on {}, where {} of its tasks failed for the first time", campaign, name, failed.size()));
  }
  for (const auto& row : database_.query(sql::oracle_never_began{.most = kMostInVain}))
    find(fmt::format("{} jobs of campaign {} never began on {}: no brake holds it", row.jobs.value_or(""), row.campaign_id.value_or(""),
                     row.name.value_or("")));
}

void Oracle::judge_waits_in_vain() {
  for (const auto& row : database_.query(sql::oracle_waits_in_vain{}))
    find(fmt::format("campaign {} waits in vain for campaign {}, and no event says so", row.campaign_id.value_or(""),
                     row.on_campaign.value_or("")));
}

void Oracle::judge_running(grid::Instant now, std::chrono::minutes longest) {
  std::set<std::pair<std::int64_t, std::int64_t>> carried_out;
  std::vector<std::int64_t> jobs;
  for (auto& [name, cluster] : clusters_.all()) {
    for (const auto& work : cluster->under_way()) {
      carried_out.emplace(work.campaign, work.task);
      jobs.push_back(work.grid_job);
    }
  }
  std::set<std::int64_t> pools;
  for (const auto& row : database_.query(sql::oracle_launches{.jobs = fmt::format("{{{}}}", fmt::join(jobs, ","))}))
    pools.insert(row.launch.as<std::int64_t>());
  std::map<std::int64_t, grid::Instant> idle;
  for (const auto& row : database_.query(sql::oracle_running{})) {
    const std::pair<std::int64_t, std::int64_t> task{*row.campaign_id, *row.number};
    // The outcome of a pool's task may be unknown as long as one of the pool's jobs carries out others.
    if (carried_out.contains(task) || (row.pool.has_value() && pools.contains(row.pool.as<std::int64_t>()))) continue;
    // Another job begins anew: OAR may fail to launch the next one too.
    const std::int64_t job = *row.job;
    const auto known = idle_since_.find(job);
    const auto since = idle.emplace(job, known == idle_since_.end() ? now : known->second).first->second;
    if (now - since > longest)
      find(fmt::format("task {} of campaign {} is said to run, and nobody has carried it out for {} min", task.second, task.first,
                       std::chrono::duration_cast<std::chrono::minutes>(now - since).count()));
  }
  idle_since_ = std::move(idle);
}

void Oracle::judge_task(const Task& task, const std::vector<Work>& works, const std::set<std::int64_t>& unread) {
  const auto what = fmt::format("task {} of campaign {} ({})", task.number, task.campaign, task.parameter);
  const auto succeeded = [](const Work& work) { return work.is_whole && work.status == 0; };
  const bool has_succeeded = std::ranges::any_of(works, succeeded);
  const bool was_told = std::ranges::any_of(works, [&](const Work& work) { return succeeded(work) && !unread.contains(work.grid_job); });
  if (task.state == "done" && !has_succeeded) find(what + " is done, and was never executed to its end with status 0");
  if (task.state == "failed" && was_told) find(what + " failed, and was executed to its end with status 0");
  if (task.state == "failed" && works.empty()) find(what + " failed, and never began");
}

/// A cluster that did nothing of a campaign's tasks is reported, if another cluster did work to compare with.
void Oracle::judge_sinks() {
  constexpr int kFew = 10;
  constexpr int kCompared = 3;
  std::map<std::int64_t, std::map<std::string, std::pair<int, int>>> tasks;  // swallowed, and done, by campaign and cluster
  for (auto& [name, cluster] : clusters_.all()) {
    for (const auto& work : cluster->works()) {
      auto& [swallowed, done] = tasks[work.campaign][name];
      (work.is_swallowed ? swallowed : done) += work.is_whole && work.status == 0 && work.task >= 0 ? 1 : 0;
    }
  }
  for (const auto& [campaign, by_cluster] : tasks) {
    for (const auto& [name, counts] : by_cluster) {
      const bool is_compared = std::ranges::any_of(by_cluster, [&](const auto& other) {
        return other.first != name && other.second.second >= kCompared && other.second.first == 0;
      });
      if (counts.first < kFew || !is_compared) continue;
      const auto events = database_.query(sql::oracle_sink_reports{.campaign = campaign, .cluster = name}).one().events.as<std::int64_t>();
      if (events == 0)
        find(fmt::format("{} did nothing of {} tasks of campaign {} that count as done: no event", name, counts.first, campaign));
    }
  }
}

void Oracle::judge_end() {
  judge_work();
  judge_laws(store::Weight::leftover);
  judge_sinks();
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Work>> works;
  for (auto& [name, cluster] : clusters_.all()) {
    for (const auto& work : cluster->works()) works[{work.campaign, work.task}].push_back(work);
    for (const auto& [job, state, is_launched_badly, history] : cluster->unfinished()) {
      // OAR may fail to launch a job, and have it until its walltime or for ever; one of a request that was doubled is unknown to the grid.
      const bool is_known = database_.query(sql::oracle_known{.cluster = name, .remote = job}).one().jobs.as<int>() > 0;
      if (is_known || !is_launched_badly)
        find(fmt::format("{} still has job {} of the grid ({}; {})", name, job, minioar::name_of(state), history));
    }
  }
  std::set<std::int64_t> unread;
  for (const auto& row : database_.query(sql::oracle_read_in_vain{})) unread.insert(*row.id);
  for (const auto& row : database_.query(sql::oracle_tasks{})) {
    const Task task{*row.campaign_id, *row.number, *row.state, *row.parameter};
    judge_task(task, works[{task.campaign, task.number}], unread);
  }
}

}  // namespace gleaner::world
