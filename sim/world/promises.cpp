#include "sim/world/promises.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "sim/world/campaigns.hpp"

namespace gleaner::world {
namespace {

std::set<std::int64_t> jobs_planned_after(WorldDatabase& database, std::int64_t campaign, grid::Instant instant) {
  std::set<std::int64_t> jobs;
  for (const auto& row : database.query(sql::promises_jobs_planned_after{.campaign = campaign, .instant = instant})) jobs.insert(*row.id);
  return jobs;
}

}  // namespace

std::vector<std::string> exceeded_licences(WorldDatabase& database, Clusters& clusters, double most) {
  std::map<std::int64_t, double> needs;
  for (const auto& row : database.query(sql::promises_needs{.consumable = kConsumable})) needs.emplace(*row.id, *row.most);
  if (needs.empty()) return {};
  double used = 0;
  std::string users;
  for (auto& [name, cluster] : clusters.all()) {
    for (const auto& work : cluster->under_way()) {
      const auto need = needs.find(work.campaign);
      if (need == needs.end() || work.task < 0) continue;
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

}  // namespace gleaner::world
