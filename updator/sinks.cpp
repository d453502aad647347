#include "updator/sinks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "lib/grid/sink.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/events.hpp"
#include "lib/store/sinks.hpp"
#include "lib/text/ranges.hpp"

namespace gleaner::updator {
namespace {

/// The most ranges of tasks that an event names; the rest is counted. A sink gets a few tasks at a time, so these are all of them; but
/// where jobs of many tasks became empty late, there may be any number.
constexpr std::size_t kMostRanges = 2000;
/// The most ends of one pair that are read when all of the last ones are empty.
constexpr int kMostEnds = 1'000'000;

/// Cheap filter before the durations on other clusters are read: most campaigns' last ends take as long as all others.
bool is_odd(const store::EndsOfPair& pair) {
  if (pair.suspected) return true;
  if (std::ssize(pair.seconds) < grid::kMinEnds) return false;
  const auto longest = std::ranges::max(std::span{pair.seconds}.first(grid::kMinEnds));
  // find_sink compares with a tenth of the median; half of the slowest cluster's mean is a safe bound.
  return (pair.min_duration && longest < *pair.min_duration) || (pair.slowest_elsewhere && longest < *pair.slowest_elsewhere / 2);
}

std::string compared(const grid::Sink& sink) {
  if (sink.by == grid::Sink::By::min_duration) return fmt::format("the JDL's min_duration is {:g} s", sink.usual);
  return fmt::format("they take {:.1f} s elsewhere", sink.usual);
}

void brake(store::Transaction& transaction, const fleet::Visit& visit, const store::EndsOfPair& pair, const grid::Sink& sink,
           grid::Instant now) {
  const store::Target target{.campaign = pair.campaign, .cluster = visit.cluster.id};
  const auto reason = fmt::format("the last {} jobs there ended without an error after {:.1f} s, and {}: they may have done nothing",
                                  sink.ends, sink.mean, compared(sink));
  const auto open = [&](const std::string& message, std::int64_t occurrences) {
    return store::open_event(transaction, {.code = "SINK", .target = target, .job = {}, .message = message, .occurrences = occurrences},
                             now);
  };
  // The event's id selects the tasks that it has named so far.
  const auto event = open(reason, static_cast<std::int64_t>(sink.ends));
  if (!event) return;
  store::mark_swallowed(transaction, *event, std::span{pair.jobs}.first(sink.ends));
  const auto tasks = store::swallowed_tasks(transaction, *event);
  open(fmt::format("{}. {} task{}, {}: 'gridsub --retry {} --sink {}' runs them again. If tasks may end at once: 'gridsub --edit {} "
                   "min_duration=0', then 'gridsub --fix {}'",
                   reason, tasks.size(), tasks.size() == 1 ? "" : "s", text::ranges_text(tasks, kMostRanges), pair.campaign.value(),
                   visit.cluster.name, pair.campaign.value(), pair.campaign.value()),
       0);
  const auto seconds = [](process::Duration time) { return std::chrono::duration_cast<grid::Seconds>(time); };
  store::set_brake(transaction, target, reason, {seconds(visit.config.brake_time), seconds(visit.config.brake_time_max)}, now);
  store::suspect(transaction, pair.campaign, visit.cluster.id, store::Suspicion::raised);
}

/// Brakes the pair if it is a sink, and clears the suspicion if it is none.
void judge_one(store::Transaction& transaction, const fleet::Visit& visit, store::EndsOfPair& pair, const store::EndsElsewhere& elsewhere,
               grid::Instant now) {
  const auto cluster = visit.cluster.id;
  grid::LastEnds last{
      .here = pair.seconds, .elsewhere = {}, .min_duration = pair.min_duration, .start_cost = pair.start_cost, .suspected = pair.suspected};
  if (const auto found = elsewhere.find(pair.campaign); found != elsewhere.end()) last.elsewhere = found->second;
  auto sink = grid::find_sink(last);
  if (!sink) {
    if (pair.suspected && grid::shows_work(last)) store::suspect(transaction, pair.campaign, cluster, store::Suspicion::cleared);
    return;
  }
  if (sink->ends == pair.jobs.size()) {
    pair = store::last_ends(transaction, cluster, {}, std::array{pair.campaign}, kMostEnds).at(0);
    grid::lengthen(*sink, pair.seconds);
  }
  brake(transaction, visit, pair, *sink, now);
}

}  // namespace

void brake_sinks(store::Transaction& transaction, const fleet::Visit& visit, std::span<const grid::JobId> done, grid::Instant now) {
  const auto cluster = visit.cluster.id;
  auto pairs = store::last_ends(transaction, cluster, done, store::judged_late(transaction, cluster), grid::kLastEnds);
  std::erase_if(pairs, [](const auto& pair) { return !is_odd(pair); });
  std::vector<grid::CampaignId> campaigns;
  std::ranges::transform(pairs, std::back_inserter(campaigns), &store::EndsOfPair::campaign);
  const auto elsewhere = store::ends_elsewhere(transaction, cluster, campaigns, grid::kLastEnds);
  for (auto& pair : pairs) {
    store::write_or_note(transaction, {.campaign = pair.campaign, .cluster = cluster}, "whether the cluster is a sink", now,
                         [&] { judge_one(transaction, visit, pair, elsewhere, now); });
  }
  store::write_or_note(transaction, {.campaign = {}, .cluster = cluster}, "which carriers did something", now,
                       [&] { store::mark_carriers(transaction, done); });
}

}  // namespace gleaner::updator
