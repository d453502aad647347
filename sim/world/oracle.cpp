#include "sim/world/oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

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

void Oracle::judge_laws() {
  for (const auto& law : store::laws()) {
    if (law.weight != store::Weight::law) continue;
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

void Oracle::judge_end() {
  judge_work();
  judge_laws();
  std::map<std::pair<std::int64_t, std::int64_t>, bool> succeeded;  // of each task that was executed
  for (auto& [name, cluster] : clusters_.all()) {
    for (const auto& work : cluster->works()) {
      auto& once = succeeded[{work.campaign, work.task}];
      once = once || (work.is_whole && work.status == 0);
    }
    if (const auto left = cluster->unfinished(); left > 0) find(fmt::format("{} still has {} jobs of the grid", name, left));
  }
  for (const auto& row : database_.query("SELECT campaign_id, number, state, parameter FROM tasks ORDER BY campaign_id, number")) {
    const auto campaign = std::stoll(row[0].value_or("0"));
    const auto task = std::stoll(row[1].value_or("0"));
    const auto& state = row[2].value_or("");
    const auto executed = succeeded.find({campaign, task});
    const bool has_succeeded = executed != succeeded.end() && executed->second;
    const auto what = fmt::format("task {} of campaign {} ({})", task, campaign, row[3].value_or(""));
    if (state == "done" && !has_succeeded) find(what + " is done, and was never executed to its end with status 0");
    if (state == "failed" && has_succeeded) find(what + " failed, and was executed to its end with status 0");
  }
}

}  // namespace gleaner::world
