#include "sim/world/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "sim/world/promises.hpp"

namespace gleaner::world {
namespace {

struct Campaign {
  std::string user;
  bool has_replicas = false;
  bool is_test = false;
  bool is_given_up = false;
};
using Campaigns = std::map<std::int64_t, Campaign>;

Campaigns campaigns_of(WorldDatabase& database) {
  Campaigns campaigns;
  for (const auto& row : database.query(sql::promises_campaigns{}))
    campaigns.emplace(*row.id, Campaign{*row.user_name, row.replicas.as<bool>(), row.is_test.as<bool>(), row.given_up.as<bool>()});
  return campaigns;
}

/// A job of OAR that carries out works.
struct Job {
  std::int64_t campaign;
  std::int64_t task;  ///< the first one
  int cores;
  bool is_given_up = false;
  /// Whether a limit holds it. Scripts count, and are never held back.
  [[nodiscard]] bool is_bounded() const { return !is_script() && !is_given_up; }
  [[nodiscard]] bool is_script() const { return task < 0; }
};
using Jobs = std::map<std::pair<std::string, minioar::JobNumber>, Job>;

void judge_copies(const std::vector<Work>& works, const Campaigns& campaigns, std::vector<std::string>& broken) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const Work*>> copies;
  for (const auto& work : works) copies[{work.campaign, work.task}].push_back(&work);
  for (const auto& [task, found] : copies) {
    const auto campaign = campaigns.find(task.first);
    if (campaign == campaigns.end() || campaign->second.is_given_up) continue;
    if (found.size() <= (campaign->second.has_replicas && task.second >= 0 ? 2U : 1U)) continue;
    std::string where;
    for (const auto* work : found) where += fmt::format(" attempt {} in job {} of {}", work->attempt, work->job, work->cluster);
    broken.push_back(
        fmt::format("task {} of campaign {} is carried out {} times at once:{}", task.second, task.first, found.size(), where));
  }
}

void judge_limit(const Jobs& jobs, const Campaigns& campaigns, const Administrator::Bound& bound, std::vector<std::string>& broken) {
  struct Use {
    int jobs = 0, cores = 0;
  };
  std::map<std::string, Use> used;  // by user, where each has a limit
  for (const auto& [place, job] : jobs) {
    const auto campaign = campaigns.find(job.campaign);
    if (!job.is_bounded() || campaign == campaigns.end() || (!bound.user.empty() && campaign->second.user != bound.user)) continue;
    auto& use = used[bound.for_each_user ? campaign->second.user : std::string{}];
    ++use.jobs;
    use.cores += job.cores;
  }
  for (const auto& [user, use] : used) {
    const auto whose = user.empty() ? std::string{} : fmt::format(" of {}", user);
    if (bound.jobs > 0 && use.jobs > bound.jobs)
      broken.push_back(fmt::format("{} jobs{} run, under a limit of {}", use.jobs, whose, bound.jobs));
    if (bound.resources > 0 && use.cores > bound.resources)
      broken.push_back(fmt::format("jobs{} hold {} resources, under a limit of {}", whose, use.cores, bound.resources));
  }
}

void judge_headroom(const Jobs& jobs, const Campaigns& campaigns, int all, int kept, std::vector<std::string>& broken) {
  std::map<std::string, std::pair<int, std::string>> held;
  for (const auto& [place, job] : jobs) {
    const auto campaign = campaigns.find(job.campaign);
    // Scripts and tests take it: they go to full clusters, too.
    if (job.is_script() || (campaign != campaigns.end() && campaign->second.is_test)) continue;
    auto& [cores, holders] = held[place.first];
    cores += job.cores;
    holders += fmt::format(" {} by task {} of campaign {}", job.cores, job.task, job.campaign);
  }
  for (const auto& [name, one] : held) {
    const auto& [cores, holders] = one;
    if (cores > all - kept)
      broken.push_back(fmt::format("jobs hold {} of {} cores of {}, whose headroom is {}:{}", cores, all, name, kept, holders));
  }
}

}  // namespace

std::vector<std::string> exceeded_bounds(WorldDatabase& database, Clusters& clusters, const Administrator& administrator,
                                         const Settings& settings) {
  std::vector<std::string> broken;
  std::vector<Work> works;
  Jobs jobs;
  const auto given_up = given_up_jobs(database);
  for (auto& [name, cluster] : clusters.all()) {
    for (auto& work : cluster->under_way()) {
      auto& job = jobs.try_emplace({name, work.job}, Job{work.campaign, work.task, work.cores}).first->second;
      if (given_up.contains(work.grid_job)) job.is_given_up = true;
      works.push_back(std::move(work));
    }
    std::ranges::move(cluster->unseen(), std::back_inserter(works));
  }
  if (works.empty()) return broken;
  const auto campaigns = campaigns_of(database);
  judge_copies(works, campaigns, broken);
  if (const auto bound = administrator.bound()) judge_limit(jobs, campaigns, *bound, broken);
  const int all = settings.nodes * settings.cores;
  if (const int kept = administrator.kept_resources(all); kept > 0) judge_headroom(jobs, campaigns, all, kept, broken);
  for (const auto& row : database.query(sql::promises_most_jobs{})) {
    const std::int64_t campaign = *row.campaign_id;
    const std::string name = *row.name;
    const auto count = std::ranges::count_if(
        jobs, [&](const auto& job) { return job.first.first == name && job.second.campaign == campaign && job.second.is_bounded(); });
    if (count > row.max_jobs.as<int>())
      broken.push_back(
          fmt::format("{} jobs of campaign {} run on {}, whose max_jobs is {}", count, campaign, name, row.max_jobs.as<int>()));
  }
  return broken;
}

std::vector<std::string> planned_in_vain(WorldDatabase& database, const Administrator& administrator, grid::Instant now) {
  std::vector<std::string> broken;
  for (const auto& away : administrator.withdrawals()) {
    for (const auto& row :
         database.query(sql::promises_planned_between{.cluster = away.cluster, .begin = away.begin, .end = away.end.value_or(now)}))
      broken.push_back(fmt::format("{} launches of campaign {} were planned for {}, which was disabled or retired",
                                   row.launches.value_or(""), row.campaign_id.value_or(""), away.cluster));
  }
  for (const auto& row : database.query(sql::promises_planned_while_braked{}))
    broken.push_back(fmt::format("a launch of campaign {} was planned for {}, where a brake holds it: {}", row.campaign_id.value_or(""),
                                 row.name.value_or(""), row.reason.value_or("")));
  return broken;
}

}  // namespace gleaner::world
