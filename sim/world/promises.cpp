#include "sim/world/promises.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/world/campaigns.hpp"

namespace gleaner::world {
namespace {

std::set<std::int64_t> jobs_planned_after(WorldDatabase& database, std::int64_t campaign, grid::Instant instant) {
  std::set<std::int64_t> jobs;
  for (const auto& row : database.query(sql::promises_jobs_planned_after{.campaign = campaign, .instant = instant})) jobs.insert(*row.id);
  return jobs;
}

}  // namespace

std::set<std::int64_t> given_up_jobs(WorldDatabase& database) {
  std::set<std::int64_t> jobs;
  for (const auto& row : database.query(sql::promises_given_up{})) jobs.insert(*row.id);
  return jobs;
}

std::vector<std::string> exceeded_licences(WorldDatabase& database, Clusters& clusters, double most) {
  std::map<std::int64_t, double> needs;
  for (const auto& row : database.query(sql::promises_needs{.consumable = kConsumable})) needs.emplace(*row.id, *row.most);
  if (needs.empty()) return {};
  const auto given_up = given_up_jobs(database);
  double used = 0;
  std::string users;
  for (auto& [name, cluster] : clusters.all()) {
    for (const auto& work : cluster->under_way()) {
      const auto need = needs.find(work.campaign);
      if (need == needs.end() || work.task < 0 || given_up.contains(work.grid_job)) continue;
      used += need->second;
      users += fmt::format(" {}.{} on {}", work.campaign, work.task, name);
    }
  }
  if (used <= most) return {};
  return {fmt::format("{} of {} licences are in use:{}", used, most, users)};
}

std::vector<std::string> broken_edits(WorldDatabase& database, Clusters& clusters, const std::vector<Edit>& edits) {
  std::vector<std::string> broken;
  for (const auto& edit : edits) {
    if (edit.cluster.empty() || !edit.end) continue;
    const auto later = jobs_planned_after(database, edit.campaign, *edit.end);
    for (const auto& work : clusters.at(edit.cluster).works()) {
      if (work.campaign == edit.campaign && work.task >= 0 && later.contains(work.grid_job))
        broken.push_back(fmt::format("job {} of campaign {} was planned for {}, which the user had turned off", work.grid_job,
                                     work.campaign, edit.cluster));
    }
  }
  return broken;
}

std::vector<std::string> repeated_arrays(WorldDatabase& database) {
  constexpr int kMost = 4;  // users lift the bound by what they do
  std::vector<std::string> broken;
  for (const auto& row : database.query(sql::promises_sent_again{.most = kMost}))
    broken.push_back(fmt::format("an array of {} jobs of campaign {} is too large for {}, and was sent {} times", row.jobs.value_or(""),
                                 row.campaign_id.value_or(""), row.name.value_or(""), row.times.value_or("")));
  return broken;
}

std::vector<std::string> strayed_followers(WorldDatabase& database, Clusters& clusters, const std::vector<Edit>& edits,
                                           const std::vector<Withdrawal>& withdrawals) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::string>> common;  // homes, by follower and whom it follows
  for (const auto& row : database.query(sql::promises_followers{})) common[{*row.id, *row.on_campaign}].insert(row.home.value_or(""));
  std::map<std::string, std::string> home_of;
  for (const auto& row : database.query(sql::promises_homes{})) home_of.emplace(*row.name, *row.home);
  std::vector<std::string> broken;
  for (const auto& [pair, names] : common) {
    const auto [follower, followed] = pair;
    const bool is_edited = std::ranges::any_of(
        edits, [&](const Edit& edit) { return !edit.cluster.empty() && (edit.campaign == follower || edit.campaign == followed); });
    if (is_edited) continue;
    std::map<std::int64_t, std::set<std::string>> done;  // in which homes each task was done
    for (auto& [name, cluster] : clusters.all()) {
      for (const auto& work : cluster->works()) {
        if (work.campaign == followed && work.is_whole && work.status == 0) done[work.task].insert(home_of.at(name));
      }
    }
    for (auto& [name, cluster] : clusters.all()) {
      for (const auto& work : cluster->works()) {
        const auto known = work.campaign == follower && work.task >= 0 ? done.find(work.task) : done.end();
        if (known == done.end() || known->second.contains(home_of.at(name))) continue;
        // If two copies were done, the grid counts one. Where that is no home of the follower, its task is free.
        if (!std::ranges::includes(names, known->second)) continue;
        if (std::ranges::any_of(withdrawals, [&](const Withdrawal& away) {
              return known->second.contains(home_of.at(away.cluster)) && work.began >= away.begin;
            }))
          continue;
        broken.push_back(fmt::format("task {} of campaign {} began on {}, and follows that of campaign {}, which was done on {}", work.task,
                                     follower, name, followed, *known->second.begin()));
      }
    }
  }
  return broken;
}

std::vector<std::string> unexplained_waits(WorldDatabase& database, grid::Instant before) {
  std::vector<std::string> broken;
  for (const auto& row : database.query(sql::promises_unexplained{.before = before}))
    broken.push_back(fmt::format("campaign {} waits, and nothing says for what", row.id.value_or("")));
  return broken;
}

}  // namespace gleaner::world
