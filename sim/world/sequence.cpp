#include "sim/world/sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lib/grid/script.hpp"
#include "sim/world/array.hpp"

namespace gleaner::world {
namespace {

/// The events of the scripts and tasks of a pair. At one moment, in this order.
struct Happening {
  grid::Instant at;
  enum class Kind { prologue_ends, task_ends, epilogue_begins, task_begins } kind;
  const Work* work;
};

std::vector<Happening> happenings_of(const std::vector<Work>& works, std::int64_t campaign) {
  using Kind = Happening::Kind;
  std::vector<Happening> found;
  for (const auto& work : works) {
    if (work.campaign != campaign) continue;
    const auto script = grid::script_of(grid::TaskNumber{work.task});
    if (script == grid::Script::epilogue) found.push_back({work.began, Kind::epilogue_begins, &work});
    if (script == grid::Script::prologue && work.is_whole && work.status == 0) found.push_back({work.ended, Kind::prologue_ends, &work});
    if (script) continue;
    found.push_back({work.began, Kind::task_begins, &work});
    if (work.is_whole) found.push_back({work.ended, Kind::task_ends, &work});
  }
  std::ranges::stable_sort(found, {}, [](const Happening& one) { return std::pair{one.at, one.kind}; });
  return found;
}

}  // namespace

std::vector<std::string> misplaced_scripts(WorldDatabase& database, Clusters& clusters) {
  using Kind = Happening::Kind;
  std::vector<std::string> broken;
  for (const auto& row : database.query(sql::promises_scripts{})) {
    const std::int64_t campaign = *row.campaign_id;
    const std::string name = *row.name;
    bool is_prepared = !row.prologue.as<bool>();
    std::set<const Work*> whole;  // under way, and to end by themselves
    for (const auto& one : happenings_of(clusters.at(name).works(), campaign)) {
      if (one.kind == Kind::prologue_ends) is_prepared = true;
      if (one.kind == Kind::task_ends) whole.erase(one.work);
      if (one.kind == Kind::epilogue_begins) {
        if (!whole.empty())
          broken.push_back(fmt::format("the epilogue of campaign {} began on {}, where its task {} was carried out", campaign, name,
                                       (*whole.begin())->task));
        is_prepared = !row.prologue.as<bool>();
      }
      if (one.kind != Kind::task_begins) continue;
      if (!is_prepared)
        broken.push_back(fmt::format("task {} of campaign {} began on {} without a prologue", one.work->task, campaign, name));
      if (one.work->is_whole && one.work->ended > one.work->began) whole.insert(one.work);
    }
  }
  return broken;
}

std::vector<std::string> premature_tasks(WorldDatabase& database, Clusters& clusters) {
  std::map<std::pair<std::int64_t, std::int64_t>, grid::Instant> done;  // (campaign, task): when it was done first
  for (auto& [name, cluster] : clusters.all()) {
    for (const auto& work : cluster->works()) {
      if (!work.is_whole || work.status != 0) continue;
      const auto [known, is_new] = done.try_emplace({work.campaign, work.task}, work.ended);
      if (!is_new) known->second = std::min(known->second, work.ended);
    }
  }
  std::vector<std::string> broken;
  for (const auto& row : database.query(sql::promises_waits_for{.name = kNameOfBefore})) {
    const std::int64_t follower = *row.campaign_id;
    const std::int64_t before = *row.on_campaign;
    const std::int64_t total = *row.total;
    const auto is_done = [&](std::int64_t task, grid::Instant at) {
      const auto known = done.find({before, task});
      return known != done.end() && known->second <= at;
    };
    for (auto& [name, cluster] : clusters.all()) {
      for (const auto& work : cluster->works()) {
        if (work.campaign != follower || work.task < 0) continue;
        for (std::int64_t task = row.each.as<bool>() ? work.task : 0; task < (row.each.as<bool>() ? work.task + 1 : total); ++task) {
          if (is_done(task, work.began)) continue;
          broken.push_back(fmt::format("task {} of campaign {} began on {} before task {} of campaign {} was done", work.task, follower,
                                       name, task, before));
          break;
        }
      }
    }
  }
  return broken;
}

std::vector<std::string> failures_beyond_retries(WorldDatabase& database, Clusters& clusters, const std::vector<std::int64_t>& given_back) {
  std::set<std::int64_t> unseen;  // they cost no retry
  for (const auto& row : database.query(sql::oracle_read_in_vain{})) unseen.insert(*row.id);
  std::map<std::pair<std::int64_t, std::int64_t>, int> failures;
  for (auto& [name, cluster] : clusters.all()) {
    for (const auto& work : cluster->works())
      failures[{work.campaign, work.task}] += work.is_whole && work.status != 0 && !unseen.contains(work.grid_job) ? 1 : 0;
  }
  std::vector<std::string> broken;
  for (const auto& row : database.query(sql::promises_campaigns{})) {
    const std::int64_t campaign = *row.id;
    // A job that was given up may run on, and fail unseen.
    if (!row.retries.has_value() || row.replicas.as<bool>() || row.given_up.as<bool>() ||
        std::ranges::find(given_back, campaign) != given_back.end())
      continue;
    const int most = row.retries.as<int>() + 1;
    for (auto task = failures.lower_bound({campaign, 0}); task != failures.end() && task->first.first == campaign; ++task) {
      if (task->second > most)
        broken.push_back(
            fmt::format("task {} of campaign {} failed {} times, with {} retries", task->first.second, campaign, task->second, most - 1));
    }
  }
  return broken;
}

}  // namespace gleaner::world
