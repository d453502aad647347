#include "lib/store/sinks.hpp"

#include <algorithm>
#include <set>

#include "lib/grid/sink.hpp"
#include "lib/store/chosen_tasks.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::exec_prepared;

template <class Id>
std::string literal_of(std::span<const Id> ids) {
  Array array;
  for (const auto id : ids) array.add(id.value());
  return array.literal();
}

}  // namespace

JudgedLate judged_late(Transaction& transaction, grid::ClusterId cluster, int most, grid::Instant now) {
  JudgedLate late;
  for (const auto& row : exec_prepared(transaction, sql::sinks_judged_late{.most = most,
                                                    .now = now,
                                                    .cluster = cluster,
                                                    .min_done = grid::kMinEnds,
                                                    .last = grid::kLastEnds,
                                                    .some = grid::kSomeWork,
                                                    .least = grid::kLeastElsewhere})) {
    late.campaigns.push_back(*row.campaign_id);
    if (*row.stretches) late.stretches.push_back(*row.campaign_id);
  }
  return late;
}

std::vector<EndsOfPair> last_ends(Transaction& transaction, grid::ClusterId cluster, std::span<const grid::JobId> ended,
                                  const JudgedLate& late, EndsRead read) {
  std::vector<EndsOfPair> pairs;
  if (ended.empty() && late.campaigns.empty()) return pairs;
  for (const auto& row :
       exec_prepared(transaction, sql::sinks_last_ends{.late = literal_of(std::span<const grid::CampaignId>{late.stretches}),
                                  .jobs = literal_of(ended),
                                  .campaigns = literal_of(std::span<const grid::CampaignId>{late.campaigns}),
                                  .cluster = cluster,
                                  .min_done = grid::kMinEnds,
                                  .before_late = read.late,
                                  .before = read.usual})) {
    const grid::CampaignId campaign = *row.campaign_id;
    if (pairs.empty() || pairs.back().campaign != campaign) pairs.push_back({.campaign = campaign});
    auto& pair = pairs.back();
    pair.jobs.push_back(*row.id);
    pair.seconds.push_back(*row.seconds);
    pair.began.push_back(*row.began);
    pair.named.push_back(*row.named);
    pair.min_duration = row.min_duration_s;
    pair.suspected = *row.suspected;
    pair.slowest_elsewhere = row.slowest;
    pair.start_cost = *row.start_cost;
    pair.others = *row.others;
    pair.compared_at = row.compared_at;
  }
  return pairs;
}

std::vector<RunningJob> running_since(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, double since) {
  std::vector<RunningJob> jobs;
  for (const auto& row : exec(transaction, sql::sinks_running{.campaign = campaign, .cluster = cluster, .since = since}))
    jobs.push_back({.id = *row.id, .began = *row.began});
  return jobs;
}

EndsElsewhere ends_elsewhere(Transaction& transaction, grid::ClusterId cluster, std::span<const grid::CampaignId> campaigns, int last) {
  EndsElsewhere ends;
  if (campaigns.empty()) return ends;
  std::optional<std::pair<grid::CampaignId, grid::ClusterId>> of;
  for (const auto& row :
       exec_prepared(transaction, sql::sinks_ends_elsewhere{.last = last, .campaigns = literal_of(campaigns), .cluster = cluster})) {
    const grid::CampaignId campaign = *row.campaign_id;
    const grid::ClusterId other = *row.cluster_id;
    auto& clusters = ends[campaign];
    if (of != std::pair{campaign, other}) clusters.emplace_back();
    of = std::pair{campaign, other};
    clusters.back().push_back(*row.seconds);
  }
  return ends;
}

void mark_swallowed(Transaction& transaction, std::int64_t event, std::span<const grid::JobId> jobs) {
  exec(transaction, sql::sinks_mark_swallowed{.event = event, .jobs = literal_of(jobs)});
}

void leave_unmarked(Transaction& transaction, std::int64_t event, double bound, grid::Instant now) {
  exec(transaction, sql::sinks_leave_unmarked{.event = event, .bound_s = bound, .now = now});
}

std::vector<UnmarkedEnds> unmarked_ends(Transaction& transaction, grid::ClusterId cluster, int most) {
  std::vector<UnmarkedEnds> events;
  for (const auto& row : exec_prepared(transaction, sql::sinks_unmarked{.cluster = cluster, .most = most}))
    events.push_back({.event = *row.event, .campaign = *row.campaign_id, .bound = *row.bound_s});
  return events;
}

std::vector<grid::JobId> mark_more(Transaction& transaction, std::int64_t event, int most, grid::Instant now) {
  auto jobs = detail::ids_in<grid::JobId>(exec(transaction, sql::sinks_mark_more{.event = event, .most = most, .now = now}));
  if (std::ssize(jobs) < most) exec(transaction, sql::sinks_all_marked{.event = event});
  return jobs;
}

void mark_carriers(Transaction& transaction, std::span<const grid::JobId> jobs) {
  if (!jobs.empty()) exec_prepared(transaction, sql::sinks_mark_carriers{.jobs = literal_of(jobs)});
}

std::vector<std::int64_t> swallowed_tasks(Transaction& transaction, std::int64_t event) {
  std::vector<std::int64_t> tasks;
  for (const auto& row : exec(transaction, sql::sinks_swallowed_tasks{.event = event})) tasks.push_back(*row.task);
  return tasks;
}

void suspect(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, Suspicion suspicion) {
  exec(transaction, sql::sinks_suspect{.suspected = suspicion == Suspicion::raised, .campaign = campaign, .cluster = cluster});
}

GivenBack retry_swallowed_tasks(Transaction& transaction, grid::CampaignId campaign, const SinkName& sink, BrakeLength brake,
                                grid::Instant now, grid::TaskNumber first) {
  if (exec(transaction, sql::sinks_lock{.campaign = campaign}).empty()) return {};
  const auto tasks =
      exec(transaction,
           sql::sinks_retry_swallowed_tasks{
               .campaign = campaign, .first = first, .event = sink.event, .cluster = sink.cluster, .most = kTasksOfPiece, .now = now});
  const bool is_last = std::ssize(tasks) < kTasksOfPiece;
  if (is_last && (first.value() > 0 || !tasks.empty()))
    exec(transaction, sql::sinks_close{.now = now, .campaign = campaign, .event = sink.event, .cluster = sink.cluster});
  if (tasks.empty()) return {};
  exec(transaction, sql::sinks_forget_durations{.campaign = campaign});
  exec(transaction, sql::sinks_reopen{.campaign = campaign});
  exec(transaction, sql::campaigns_uncleaned{.campaign = campaign});
  std::set<grid::ClusterId> clusters;
  for (const auto& row : tasks) clusters.insert(*row.cluster_id);
  for (const auto& cluster : clusters)
    set_brake(transaction, {.campaign = campaign, .cluster = cluster}, "the tasks that did nothing there run again elsewhere first", brake,
              now);
  std::vector<grid::TaskNumber> numbers;
  for (const auto& row : tasks) numbers.push_back(*row.number);
  const auto held = hold_again(transaction, campaign, numbers);
  wake_up(transaction);
  GivenBack given{.tasks = static_cast<std::int64_t>(tasks.size()), .after = held, .next = {}};
  if (!is_last) given.next = grid::TaskNumber{std::ranges::max(numbers).value() + 1};
  return given;
}

}  // namespace gleaner::store
