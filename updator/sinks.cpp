#include "updator/sinks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
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
/// The most ends of one pair that are marked in a turn, which settles everybody's jobs. The others follow in the next turns.
constexpr std::size_t kMostEnds = 2000;
/// The most pairs whose marks go on in one turn.
constexpr int kMostGoingOn = 2;
/// The most pairs of which ends that others followed are looked for in one turn: grid::kLateEnds of each are read.
constexpr int kMostLate = 20;

/// Cheap filter before the durations on other clusters are read: most campaigns' last ends take as long as all others.
bool is_odd(const store::EndsOfPair& pair) {
  if (pair.suspected) return true;
  if (std::ssize(pair.seconds) < grid::kMinEnds) return false;
  // Ends that others followed are looked for anywhere.
  if (pair.compared_at) return true;
  const auto longest = std::ranges::max(std::span{pair.seconds}.first(grid::kMinEnds));
  if (!pair.slowest_elsewhere && pair.others && longest < grid::kSomeWork + pair.start_cost) return true;
  // find_sink compares with a tenth of the median; half of the slowest cluster's mean is a safe bound.
  return (pair.min_duration && longest < *pair.min_duration) || (pair.slowest_elsewhere && longest < *pair.slowest_elsewhere / 2);
}

std::string compared(const grid::Sink& sink) {
  if (sink.by == grid::Sink::By::min_duration) return fmt::format("the JDL's min_duration is {:g} s", sink.usual);
  if (sink.by == grid::Sink::By::before) return fmt::format("the ones before took {:.1f} s", sink.usual);
  return fmt::format("they take {:.1f} s elsewhere", sink.usual);
}

/// The end of an event's message: the tasks that it names, and how they run again.
std::string named(const std::vector<std::int64_t>& tasks, grid::CampaignId campaign, const std::string& cluster) {
  return fmt::format(
      "{} task{}, {}: 'gridsub --retry {} --sink {}' runs them again. If tasks may end at once: 'gridsub --edit {} "
      "min_duration=0', then 'gridsub --fix {}'",
      tasks.size(), tasks.size() == 1 ? "" : "s", text::ranges_text(tasks, kMostRanges), campaign.value(), cluster, campaign.value(),
      campaign.value());
}

void brake(store::Transaction& transaction, const fleet::Visit& visit, const store::EndsOfPair& pair, const grid::Sink& sink,
           grid::Instant now) {
  const auto first = pair.named.begin() + static_cast<std::ptrdiff_t>(sink.first);
  const auto more = std::count(first, first + static_cast<std::ptrdiff_t>(sink.ends), false);
  if (more == 0) return;
  const store::Target target{.campaign = pair.campaign, .cluster = visit.cluster.id};
  const auto reason = fmt::format("{} {} jobs {} ended without an error after {:.1f} s, and {}: they may have done nothing",
                                  sink.is_over ? "some time ago," : "the last", sink.ends, sink.is_over ? "in a row there" : "there",
                                  sink.mean, compared(sink));
  const auto open = [&](const std::string& message, std::int64_t occurrences) {
    return store::open_event(transaction, {.code = "SINK", .target = target, .job = {}, .message = message, .occurrences = occurrences},
                             now);
  };
  // The event's id selects the tasks that it has named so far.
  const auto event = open(reason, more);
  if (!event) return;
  const auto swallowed = std::span<const grid::JobId>{pair.jobs}.subspan(sink.first, sink.ends);
  store::mark_swallowed(transaction, *event, swallowed);
  store::mark_carriers(transaction, swallowed);
  const bool is_whole = sink.ends < kMostEnds;
  if (!is_whole) store::leave_unmarked(transaction, *event, sink.bound, now);
  open(fmt::format("{}. {}{}", reason, named(store::swallowed_tasks(transaction, *event), pair.campaign, visit.cluster.name),
                   is_whole ? "" : ". The tasks before these are still being looked at"),
       0);
  // The cluster works again.
  if (sink.is_over) return;
  const auto seconds = [](process::Duration time) { return std::chrono::duration_cast<grid::Seconds>(time); };
  store::set_brake(transaction, target, reason, {seconds(visit.config.brake_time), seconds(visit.config.brake_time_max)}, now);
  store::suspect(transaction, pair.campaign, visit.cluster.id, store::Suspicion::raised);
}

/// Marks more of what a sink swallowed; the event's message names all when none is left.
void mark_on(store::Transaction& transaction, const fleet::Visit& visit, const store::UnmarkedEnds& rest, grid::Instant now) {
  const auto jobs = store::mark_more(transaction, rest.event, static_cast<int>(kMostEnds), now);
  store::mark_carriers(transaction, jobs);
  if (jobs.size() == kMostEnds) return;
  const auto tasks = store::swallowed_tasks(transaction, rest.event);
  const auto reason =
      fmt::format("the last jobs there ended without an error after less than {:.1f} s each: they may have done nothing", rest.bound);
  open_event(transaction,
             {.code = "SINK",
              .target = {.campaign = rest.campaign, .cluster = visit.cluster.id},
              .job = {},
              .message = fmt::format("{}. {}", reason, named(tasks, rest.campaign, visit.cluster.name)),
              .occurrences = 0},
             now);
}

/// The jobs that run beside the ends of a sink, and began when the first of these did, or later.
std::vector<grid::Runs> running_beside(store::Transaction& transaction, const fleet::Visit& visit, const store::EndsOfPair& pair,
                                       const grid::Sink& sink, grid::Instant now) {
  std::vector<grid::Runs> beside;
  std::size_t younger = 0;
  const double since = pair.began[sink.first + sink.ends - 1];
  for (const auto& job : store::running_since(transaction, pair.campaign, visit.cluster.id, since)) {
    const auto began_after = [&](std::size_t end) { return std::pair{pair.began[end], pair.jobs[end]} > std::pair{job.began, job.id}; };
    while (younger < pair.jobs.size() && began_after(younger)) ++younger;
    beside.push_back({.seconds = std::chrono::duration<double>(now.time_since_epoch()).count() - job.began, .younger = younger});
  }
  return beside;
}

/// Brakes the pair if it is a sink, and clears the suspicion if it is none.
void judge_one(store::Transaction& transaction, const fleet::Visit& visit, store::EndsOfPair& pair, const store::EndsElsewhere& elsewhere,
               grid::Instant now) {
  const auto cluster = visit.cluster.id;
  grid::LastEnds last{.here = pair.seconds,
                      .running = {},
                      .elsewhere = {},
                      .min_duration = pair.min_duration,
                      .start_cost = pair.start_cost,
                      .suspected = pair.suspected,
                      .others_may_judge = pair.others,
                      .uncompared_from = {}};
  if (const auto found = elsewhere.find(pair.campaign); found != elsewhere.end()) last.elsewhere = found->second;
  if (pair.compared_at) {
    const auto before = std::ranges::find_if(pair.began, [&](double began) { return began < *pair.compared_at; });
    last.uncompared_from = static_cast<std::size_t>(before - pair.began.begin());
  }
  auto sink = grid::find_sink(last);
  if (sink) {
    last.running = running_beside(transaction, visit, pair, *sink, now);
    if (!last.running.empty()) sink = grid::find_sink(last);
  }
  if (!sink) {
    if (pair.suspected && grid::shows_work(last)) store::suspect(transaction, pair.campaign, cluster, store::Suspicion::cleared);
    return;
  }
  if (sink->ends == pair.jobs.size()) {
    constexpr int kAll{kMostEnds};
    pair = store::last_ends(transaction, cluster, {}, {.campaigns = {pair.campaign}}, {.usual = kAll, .late = kAll}).at(0);
    grid::lengthen(*sink, pair.seconds);
  }
  brake(transaction, visit, pair, *sink, now);
}

}  // namespace

void brake_sinks(store::Transaction& transaction, const fleet::Visit& visit, std::span<const grid::JobId> done, grid::Instant now) {
  const auto cluster = visit.cluster.id;
  for (const auto& rest : store::unmarked_ends(transaction, cluster, kMostGoingOn)) {
    store::write_or_note(transaction, {.campaign = rest.campaign, .cluster = cluster}, "what a sink swallowed before", now,
                         [&] { mark_on(transaction, visit, rest, now); });
  }
  auto pairs = store::last_ends(transaction, cluster, done, store::judged_late(transaction, cluster, kMostLate, now),
                                {.usual = grid::kLastEnds, .late = grid::kLateEnds});
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
