#include "sim/world/promises.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "sim/world/campaigns.hpp"

namespace gleaner::world {
namespace {

/// The jobs of a campaign that were planned after an instant, but those of tasks that may be bound to their cluster.
std::set<std::int64_t> jobs_planned_after(WorldDatabase& database, std::int64_t campaign, grid::Instant instant) {
  std::set<std::int64_t> jobs;
  for (const auto& row : database.query(
           fmt::format("SELECT j.id FROM jobs j JOIN launches l ON l.id = j.launch_id JOIN campaigns c ON c.id = j.campaign_id"
                       " WHERE j.campaign_id = {} AND micros(l.planned_at) > {} AND l.beside IS NULL AND c.checkpoint_cost_s IS NULL"
                       " AND NOT EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = c.id AND d.kind = 'after_each')",
                       campaign, instant.time_since_epoch().count())))
    jobs.insert(std::stoll(row[0].value_or("0")));
  return jobs;
}

}  // namespace

std::vector<std::string> exceeded_licences(WorldDatabase& database, Clusters& clusters, double most) {
  std::map<std::int64_t, double> needs;
  for (const auto& row :
       database.query(fmt::format("SELECT id, jdl -> 'needs' ->> '{0}' FROM campaigns WHERE jdl -> 'needs' ? '{0}'", kConsumable)))
    needs.emplace(std::stoll(row[0].value_or("0")), std::stod(row[1].value_or("0")));
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
