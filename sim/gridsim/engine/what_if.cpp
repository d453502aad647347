#include "sim/gridsim/engine/what_if.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "lib/jdl/problem.hpp"
#include "sim/gridsim/engine/scenario_file.hpp"
#include "sim/gridsim/engine/simulation.hpp"

namespace gleaner::gridsim {
namespace {

constexpr double kShortest = 1.0;                 ///< seconds of a pool, at least
constexpr double kUnsure = 0.3;                   ///< variation of the mean of durations of which one was seen
constexpr std::string_view kUnknown{"walltime"};  ///< evidence of a campaign of which no duration is known
constexpr double kWidthOfBucket = 1.1;            ///< the greatest duration of a bucket by its least one

double mean_of(const Seen& seen) {
  double jobs = 0, seconds = 0;
  for (const auto& bucket : seen.buckets) {
    jobs += bucket.jobs;
    seconds += bucket.jobs * bucket.seconds;
  }
  return jobs > 0 ? seconds / jobs : 0;
}

double mean_of(const CampaignSpec& campaign) {
  const auto* seen = std::get_if<Seen>(&campaign.duration);
  return seen != nullptr && !seen->buckets.empty() ? mean_of(*seen) : longest(campaign.duration);
}

double width_of(const CampaignSpec& campaign) { return campaign.clusters.empty() ? 1.0 : campaign.clusters.front().width; }

double jobs_at_once(const Scenario& scenario, const CampaignSpec& campaign) {
  double jobs = 0;
  for (const auto& pair : campaign.clusters)
    jobs +=
        std::floor((scenario.clusters[pair.cluster].resources() - scenario.clusters[pair.cluster].held) / static_cast<double>(pair.width));
  return std::max(1.0, jobs);
}

/// Seconds until all work is done, without any obstacle.
double least_time(const Scenario& scenario) {
  double work = 0, resources = 0, longest_alone = 0;
  for (const auto& cluster : scenario.clusters) resources += cluster.resources() - cluster.held;
  for (const auto& campaign : scenario.campaigns) {
    const double own = static_cast<double>(campaign.live + (campaign.tasks - campaign.live) * campaign.group) * mean_of(campaign);
    work += own * width_of(campaign);
    longest_alone = std::max(longest_alone, own / jobs_at_once(scenario, campaign));
  }
  return std::max({60.0, longest_alone, work / std::max(1.0, resources)});
}

/// Jobs of OAR that a group's tasks have: in a pool, one for as many as fill its duration.
double starts_of(const CampaignSpec& campaign, const process::Config& config) {
  if (!grid::is_grouped(campaign.grouping)) return static_cast<double>(campaign.group);
  const double pool = std::chrono::duration<double>{config.pool_duration}.count();
  const double each = static_cast<double>(campaign.group) * std::min(1.0, mean_of(campaign) / std::max(pool, kShortest));
  return std::max(1.0, campaign.side_by_side ? each / width_of(campaign) : each);
}

std::int64_t bag_of(const CampaignSpec& campaign) { return campaign.tasks - campaign.live; }

/// Divides the limit among the bags: small ones whole, the others in equal parts.
std::vector<double> parts_of(const Scenario& scenario, std::int64_t limit) {
  std::vector<std::size_t> order(scenario.campaigns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t place) { return bag_of(scenario.campaigns[place]); });
  std::vector<double> parts(order.size());
  auto left = static_cast<double>(limit);
  auto others = static_cast<double>(order.size());
  for (const auto place : order) {
    parts[place] = std::min(static_cast<double>(bag_of(scenario.campaigns[place])), left / others);
    left -= parts[place];
    --others;
  }
  return parts;
}

/// Simulates bags that are too big in groups: one job carries out several tasks, one after the other. There are as many groups as make a
/// hundred rounds on the campaign's clusters, or as the limit allows.
void group(Scenario& scenario, std::int64_t limit) {
  std::int64_t all = 0;
  for (const auto& campaign : scenario.campaigns) all += bag_of(campaign);
  if (all <= limit) return;
  const auto parts = parts_of(scenario, limit);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto& campaign = scenario.campaigns[i];
    const auto bag = bag_of(campaign);
    const double groups = std::max(1.0, std::min(parts[i], 100.0 * jobs_at_once(scenario, campaign)));
    campaign.group = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(static_cast<double>(bag) / groups)));
    campaign.tasks = campaign.live + (bag + campaign.group - 1) / campaign.group;
    campaign.starts = starts_of(campaign, scenario.config);
  }
}

/// The simulated time, and the period of the grid's cycles: a campaign of weeks needs no cycle every five seconds.
void set_clock(Scenario& scenario) {
  constexpr double kLooks = 5000;
  const double least = least_time(scenario);
  double braked = 0;
  for (const auto& cluster : scenario.clusters) braked = std::max(braked, cluster.braked);
  for (const auto& campaign : scenario.campaigns) {
    braked = std::max(braked, campaign.braked);
    for (const auto& pair : campaign.clusters) braked = std::max(braked, pair.state.braked);
  }
  const double period = std::max(std::chrono::duration<double>{scenario.config.cycle_period}.count(), least / kLooks);
  scenario.config.cycle_period = std::chrono::duration_cast<process::Duration>(std::chrono::duration<double>{period});
  // A job that represents many tasks waits for as many others' tasks.
  std::int64_t most = 1;
  for (const auto& campaign : scenario.campaigns) most = std::max(most, campaign.group);
  scenario.config.remote_waiting_timeout *= most;
  scenario.config.waiting_grace *= most;
  double latest = 0;
  for (const auto& campaign : scenario.campaigns) latest = std::max(latest, campaign.at);
  scenario.length = latest + 20 * least + braked + 86400;
  scenario.give_up = latest + std::max(3600.0, 20 * period) + braked;
}

double normal_draw(Random& random) {
  return std::sqrt(-2.0 * std::log(random.uniform())) * std::cos(2.0 * std::numbers::pi * random.uniform());
}

/// Resamples the observed durations.
void resample(CampaignSpec& campaign, Random random) {
  constexpr std::int64_t kMost = 400;
  const auto* seen = std::get_if<Seen>(&campaign.duration);
  if (seen == nullptr || campaign.evidence == kUnknown) return;
  const auto jobs = std::max<std::int64_t>(1, campaign.seen);
  const double factor = std::exp(kUnsure / std::sqrt(static_cast<double>(jobs)) * normal_draw(random));
  Draws draws{*seen, Random{random.next()}};
  Seen again;
  again.are_alike = true;
  // Values drawn again from these are shorter by half a bucket on average.
  constexpr double kHalfBucket = 2.2 / 2.1;
  for (std::int64_t i = 0; i < std::min(jobs, kMost); ++i) again.buckets.push_back({draws.next() * factor * kHalfBucket, 1});
  campaign.duration = std::move(again);
}

struct Run {
  std::vector<std::optional<double>> starts, ends;
  std::vector<bool> behind_walltimes;
  std::optional<double> stopped_at;  ///< simulated seconds; empty: it is whole
};

/// The first jobs of unknown duration on a cluster, by when they got their resources.
struct FirstUnknown {
  double held = std::numeric_limits<double>::infinity();
  int campaign = kNone;
  double other = std::numeric_limits<double>::infinity();  ///< of another campaign

  void add(int of, double at) {
    if (of == campaign) {
      held = std::min(held, at);
    } else if (at < held) {
      other = held;
      held = at;
      campaign = of;
    } else {
      other = std::min(other, at);
    }
  }
  [[nodiscard]] double without(int of) const { return of == campaign ? other : held; }
};

/// Whether a campaign did not start in the first cycle, and jobs of others of unknown duration held resources of its clusters before.
std::vector<bool> behind_walltimes(const Scenario& scenario, const Outcome& outcome, const Run& run) {
  std::vector<FirstUnknown> first(scenario.clusters.size());
  for (const auto& job : outcome.jobs) {
    if (job.held && scenario.campaigns[static_cast<std::size_t>(job.campaign)].evidence == kUnknown)
      first[static_cast<std::size_t>(job.cluster)].add(job.campaign, seconds_of(*job.held));
  }
  const double cycle = std::chrono::duration<double>{scenario.config.cycle_period}.count();
  std::vector<bool> behind;
  for (std::size_t i = 0; i < scenario.campaigns.size(); ++i) {
    const auto start = run.starts[i];
    behind.push_back(start && *start > cycle && std::ranges::any_of(scenario.campaigns[i].clusters, [&](const CampaignOnCluster& pair) {
                       return first[pair.cluster].without(static_cast<int>(i)) < *start;
                     }));
  }
  return behind;
}

Run run_once(Scenario scenario, std::uint64_t seed, const GoesOn& goes_on) {
  scenario.seed = seed;
  for (std::size_t i = 0; i < scenario.campaigns.size(); ++i) resample(scenario.campaigns[i], Random{seed, 3'000'000 + i});
  const auto outcome = simulate(scenario, goes_on);
  Run run;
  if (outcome.stopped) run.stopped_at = outcome.end;
  run.starts.resize(scenario.campaigns.size());
  for (const auto& job : outcome.jobs) {
    if (!job.held) continue;
    auto& start = run.starts[static_cast<std::size_t>(job.campaign)];
    start = std::min(start.value_or(seconds_of(*job.held)), seconds_of(*job.held));
  }
  for (const auto& campaign : outcome.campaigns) run.ends.push_back(campaign.ended);
  run.behind_walltimes = behind_walltimes(scenario, outcome, run);
  return run;
}

/// The quantile of n runs: the k-th value is that of k / (n + 1), with linear interpolation.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = std::clamp(share * static_cast<double>(sorted.size() + 1) - 1.0, 0.0, static_cast<double>(sorted.size() - 1));
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

/// The times of the runs in which the event happens. Empty: it does not in most runs.
std::optional<Times> times_of(const std::vector<Run>& runs, std::vector<std::optional<double>> Run::*which, std::size_t campaign) {
  std::vector<double> values;
  for (const auto& run : runs) {
    if (const auto& value = (run.*which)[campaign]) values.push_back(std::max(0.0, *value));
  }
  if (2 * values.size() <= runs.size()) return std::nullopt;
  std::ranges::sort(values);
  return Times{.expected = quantile(values, 0.5), .earliest = quantile(values, 0.1), .latest = quantile(values, 0.9)};
}

/// Seconds that the tasks of a bag take at least, with all resources that others do not hold for ever: the 10 % quantile, by the mean of
/// the durations seen.
double least_of_bag(const Scenario& scenario, const CampaignSpec& campaign) {
  constexpr double kTenPercent = -1.28;
  const auto tasks = static_cast<double>(bag_of(campaign) * campaign.group);
  const double seen = std::max(1.0, static_cast<double>(campaign.seen));
  double fastest = 0;
  for (const auto& pair : campaign.clusters) fastest = std::max(fastest, pair.speed.value_or(scenario.clusters[pair.cluster].speed));
  const double mean = mean_of(campaign) / kWidthOfBucket * std::exp(kTenPercent * kUnsure / std::sqrt(seen));
  return tasks * mean / jobs_at_once(scenario, campaign) / std::max(fastest, 1e-6);
}

/// Why no task of its bag is sent to any cluster when the simulation begins; empty: some are, or none is left there.
std::string obstacle_of(const Scenario& scenario, const CampaignSpec& campaign) {
  if (campaign.paused) return "paused";
  if (campaign.stuck) return "awaits";
  if (campaign.on_hold_tasks > 0) return "held";
  if (bag_of(campaign) <= 0) return {};
  const auto takes_tasks = [](const CampaignOnCluster& pair) { return pair.facts.max_jobs != 0; };
  const auto is_braked = [&](const CampaignOnCluster& pair) { return pair.state.braked > 0 || scenario.clusters[pair.cluster].braked > 0; };
  const auto is_open = [&](const CampaignOnCluster& pair) { return takes_tasks(pair) && !is_braked(pair); };
  if (std::ranges::none_of(campaign.clusters, takes_tasks)) return "closed";
  return campaign.braked > 0 || std::ranges::none_of(campaign.clusters, is_open) ? "braked" : "";
}

Prospect prospect_of(const Scenario& scenario, std::size_t index, const std::vector<Run>& runs) {
  const auto& campaign = scenario.campaigns[index];
  Prospect prospect;
  prospect.id = campaign.id.value();
  prospect.name = campaign.name;
  prospect.user = campaign.user;
  prospect.paused = campaign.paused;
  prospect.evidence = campaign.evidence;
  prospect.seen = campaign.seen;
  prospect.group = campaign.group;
  for (const auto& pair : campaign.clusters)
    prospect.started = prospect.started || !pair.state.running.empty() || pair.facts.concluded_jobs > 0 || pair.facts.done > 0;
  prospect.blocked = obstacle_of(scenario, campaign);
  if (!prospect.blocked.empty()) return prospect;
  if (!prospect.started && campaign.tasks > 0) prospect.start = times_of(runs, &Run::starts, index);
  const auto behind = std::ranges::count_if(runs, [&](const Run& run) { return run.behind_walltimes[index]; });
  prospect.behind_walltimes = prospect.start && 2 * behind > std::ssize(runs);
  prospect.end = times_of(runs, &Run::ends, index);
  // The last group ends as a whole, whereas its tasks would be spread over several jobs.
  if (prospect.end && campaign.group > 1) {
    const double spread = prospect.end->earliest - static_cast<double>(campaign.group - 1) * mean_of(campaign);
    prospect.end->earliest = std::clamp(least_of_bag(scenario, campaign), spread, prospect.end->earliest);
  }
  return prospect;
}

double host_seconds() { return std::chrono::duration<double>{std::chrono::steady_clock::now().time_since_epoch()}.count(); }

/// The real time that a simulation takes.
class Stopwatch {
 public:
  explicit Stopwatch(const Effort& effort) : effort_{effort}, begin_{now()} {}

  [[nodiscard]] double spent() const { return now() - begin_; }
  /// Whether another run begins after so many.
  [[nodiscard]] bool one_more(std::ptrdiff_t runs) const {
    if (runs < effort_.least_runs) return runs == 0 || spent() < effort_.most_seconds;
    return runs < effort_.most_runs && spent() < effort_.seconds;
  }
  /// Whether the present run goes on; reports how far it has come.
  [[nodiscard]] bool goes_on(std::size_t runs, double simulated) {
    const double seconds = spent();
    constexpr double kEvery = 0.1;
    if (effort_.report && seconds >= reported_ + kEvery) {
      reported_ = seconds;
      effort_.report({.runs = static_cast<int>(runs), .simulated = simulated, .spent = seconds});
    }
    return seconds < effort_.most_seconds;
  }

 private:
  [[nodiscard]] double now() const { return effort_.clock ? effort_.clock() : host_seconds(); }
  const Effort& effort_;
  double begin_;
  double reported_ = 0;
};

/// As many runs as the time allows. One that is not whole is the only one.
std::vector<Run> runs_of(const Scenario& scenario, const Effort& effort) {
  Stopwatch watch{effort};
  std::vector<Run> runs;
  while (watch.one_more(std::ssize(runs))) {
    auto run = run_once(scenario, scenario.seed + runs.size(), [&](double simulated) { return watch.goes_on(runs.size(), simulated); });
    const bool is_whole = !run.stopped_at;
    if (is_whole || runs.empty()) runs.push_back(std::move(run));
    if (!is_whole) break;
  }
  return runs;
}

}  // namespace

tl::expected<Prospects, std::string> what_if(std::string_view text, const Effort& effort) {
  auto scenario = read_scenario(text, ".");
  if (!scenario) return tl::unexpected{jdl::render(scenario.error(), "the state of the grid")};
  group(*scenario, effort.tasks);
  set_clock(*scenario);
  Prospects prospects;
  prospects.horizon = *scenario->length;
  for (const auto& cluster : scenario->clusters) prospects.clusters.push_back({cluster.name, cluster.held, cluster.resources()});
  const auto runs = scenario->campaigns.empty() ? std::vector<Run>{} : runs_of(*scenario, effort);
  prospects.runs = static_cast<int>(runs.size());
  if (!runs.empty()) prospects.known_until = runs.front().stopped_at;
  prospects.out_of_time = prospects.known_until || (!runs.empty() && prospects.runs < std::min(effort.least_runs, effort.most_runs));
  for (std::size_t i = 0; i < scenario->campaigns.size(); ++i) prospects.campaigns.push_back(prospect_of(*scenario, i, runs));
  return prospects;
}

}  // namespace gleaner::gridsim
