#include "sim/world/oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

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

bool Oracle::is_all_over() {
  const auto live = database_.number(
      "SELECT (SELECT count(*) FROM campaigns WHERE state IN ('in_treatment', 'paused')) + (SELECT count(*) FROM jobs WHERE is_live(state))"
      " + (SELECT count(*) FROM launches WHERE state IN ('planned', 'launching', 'unknown'))");
  return live == 0;
}

std::vector<std::int64_t> Oracle::awaiting_users() {
  judge_waits_in_vain();
  constexpr auto kWaiting =
      "SELECT id FROM campaigns c WHERE state = 'paused' OR (state = 'in_treatment' AND EXISTS ("
      " SELECT FROM dependencies d JOIN campaigns o ON o.id = d.on_campaign"
      " WHERE d.campaign_id = c.id AND NOT is_live(o.state) AND (o.failed > 0 OR o.cancelled > 0 OR o.state = 'cancelled'))) ORDER BY id";
  std::vector<std::int64_t> waiting;
  if (database_.number("SELECT count(*) FROM jobs WHERE is_live(state)") > 0) return waiting;
  for (const auto& row : database_.query(kWaiting)) waiting.push_back(std::stoll(row[0].value_or("0")));
  return waiting;
}

std::vector<std::string> Oracle::waits() {
  std::vector<std::string> found;
  for (
      const auto& row : database_.query(
          "SELECT format('campaign %s is %s: %s waiting, %s launching, %s submitted, %s running, %s done, %s failed, %s cancelled of %s', id,"
          " state, waiting, launching, submitted, running, done, failed, cancelled, total) FROM campaigns"
          " WHERE state IN ('in_treatment', 'paused') ORDER BY id LIMIT 10"))
    found.push_back(row[0].value_or(""));
  for (const auto& row : database_.query(
           "SELECT format('campaign %s on %s: %s %s: %s', d.campaign_id, c.name, d.stage, d.reason, d.sentence) FROM decisions d"
           " JOIN clusters c ON c.id = d.cluster_id JOIN campaigns k ON k.id = d.campaign_id WHERE k.state = 'in_treatment'"
           " ORDER BY d.campaign_id, d.cluster_id LIMIT 20"))
    found.push_back(row[0].value_or(""));
  for (
      const auto& row : database_.query(
          "SELECT format('job %s (task %s of campaign %s, attempt %s) is %s, job %s of OAR, launch %s', id, task, campaign_id, attempt, state,"
          " remote_id, launch_id) FROM jobs WHERE is_live(state) ORDER BY id LIMIT 10"))
    found.push_back(row[0].value_or(""));
  for (
      const auto& row : database_.query(
          "SELECT format('event %s of campaign %s, cluster %s: %s', code, campaign_id, cluster_id, message) FROM events WHERE state = 'open'"
          " ORDER BY id LIMIT 20"))
    found.push_back(row[0].value_or(""));
  return found;
}

/// Checkpoints are signalled before our own preemption, and the one job of a test campaign keeps its place in the queue.
void Oracle::judge_kills() {
  constexpr auto kUnsignalled =
      "SELECT k.job_id, j.campaign_id FROM kill_requests k JOIN jobs j ON j.id = k.job_id JOIN campaigns c ON c.id = j.campaign_id"
      " WHERE k.reason = 'preempted' AND k.sent_at < k.requested_at + (60 + 2 * c.checkpoint_cost_s) * interval '1 second'"
      " AND j.state = 'running' AND j.started_at < k.requested_at AND NOT is_script(j.task)"
      " AND coalesce(j.signalled_at < k.requested_at, true)";
  for (const auto& row : database_.query(kUnsignalled))
    find(fmt::format("job {} of campaign {} was preempted by the grid without a signal for its checkpoint", row[0].value_or(""),
                     row[1].value_or("")));
  constexpr auto kTakenBack =
      "SELECT k.job_id, j.campaign_id FROM kill_requests k JOIN jobs j ON j.id = k.job_id JOIN campaigns c ON c.id = j.campaign_id"
      " WHERE k.reason = 'excess' AND c.type = 'test'";
  for (const auto& row : database_.query(kTakenBack))
    find(fmt::format("job {} of test campaign {} was taken back, and loses its place", row[0].value_or(""), row[1].value_or("")));
}

/// A brake judges the cluster: tasks that failed before, there or elsewhere, are no reason for one. Judged where the order of failures is
/// that of attempts: two copies of a task may both fail before the first is known, and a job that OAR ended may have failed by itself
/// before.
void Oracle::judge_brakes() {
  constexpr std::size_t kFailures = 3;
  constexpr std::int64_t kMostInVain = 60;
  constexpr auto kBraked =
      "SELECT b.campaign_id, k.name FROM brakes b JOIN clusters k ON k.id = b.cluster_id JOIN campaigns c ON c.id = b.campaign_id"
      " WHERE b.reason LIKE '%jobs in a row failed there (%' AND NOT c.replicas AND NOT EXISTS (SELECT FROM jobs j"
      " WHERE j.campaign_id = b.campaign_id AND j.ending NOT IN ('done', 'task_error')"
      " AND (j.started_at IS NOT NULL OR j.ending NOT IN ('preempted', 'killed_by_us')))";
  for (const auto& row : database_.query(kBraked)) {
    const auto campaign = std::stoll(row[0].value_or("0"));
    const auto& name = row[1].value_or("");
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
  for (const auto& row : database_.query(fmt::format(
           "SELECT j.campaign_id, k.name, count(*) FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE j.ending = 'never_began'"
           " GROUP BY 1, 2 HAVING count(*) > {}",
           kMostInVain)))
    find(fmt::format("{} jobs of campaign {} never began on {}: no brake holds it", row[2].value_or(""), row[0].value_or(""),
                     row[1].value_or("")));
}

/// What was cancelled is told to those that wait for it.
void Oracle::judge_waits_in_vain() {
  constexpr auto kUntold =
      "SELECT d.campaign_id, d.on_campaign FROM dependencies d JOIN campaigns c ON c.id = d.campaign_id"
      " JOIN campaigns o ON o.id = d.on_campaign"
      " WHERE is_live(c.state) AND d.met_at IS NULL AND d.kind <> 'after_any_end' AND o.state = 'cancelled'"
      " AND NOT EXISTS (SELECT FROM events e WHERE e.campaign_id = c.id AND e.code = 'AWAITS_IN_VAIN')";
  for (const auto& row : database_.query(kUntold))
    find(fmt::format("campaign {} waits in vain for campaign {}, and no event says so", row[0].value_or(""), row[1].value_or("")));
}

void Oracle::judge_task(const Task& task, const std::vector<Work>& works) {
  const auto what = fmt::format("task {} of campaign {} ({})", task.number, task.campaign, task.parameter);
  const bool has_succeeded = std::ranges::any_of(works, [](const Work& work) { return work.is_whole && work.status == 0; });
  if (task.state == "done" && !has_succeeded) find(what + " is done, and was never executed to its end with status 0");
  if (task.state == "failed" && has_succeeded) find(what + " failed, and was executed to its end with status 0");
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
      const auto events = database_.number(
          fmt::format("SELECT count(*) FROM events e JOIN clusters k ON k.id = e.cluster_id JOIN campaigns c ON c.id = {0}"
                      " WHERE (e.campaign_id = {0} AND k.name = '{1}' AND e.code = 'SINK') OR c.temporal_grouping <> 'false'",
                      campaign, name));
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
    if (const auto left = cluster->unfinished(); left > 0) find(fmt::format("{} still has {} jobs of the grid", name, left));
  }
  for (const auto& row : database_.query("SELECT campaign_id, number, state, parameter FROM tasks ORDER BY campaign_id, number")) {
    const Task task{std::stoll(row[0].value_or("0")), std::stoll(row[1].value_or("0")), row[2].value_or(""), row[3].value_or("")};
    judge_task(task, works[{task.campaign, task.number}]);
  }
}

}  // namespace gleaner::world
