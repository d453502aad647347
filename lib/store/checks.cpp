#include "lib/store/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/store/declarations.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"

namespace gleaner::store {
namespace {

using detail::exec;

/// The tasks of a law that are to be repaired.
struct Task {
  Transaction& transaction;
  const Breaches& breaches;
  const grid::Limits& limits;
  std::string_view author;
  grid::Instant now;
};
using Repair = std::int64_t (*)(const Task& task);

/// Runs the query of a repair, and returns the number of rows that it changed.
template <class Query>
std::int64_t changed(Transaction& transaction, const Query& query) {
  return *exec(transaction, query)[0].changed;
}

detail::Array array_of(const Breaches& breaches, std::optional<std::int64_t> Breach::*column) {
  detail::Array array;
  for (const auto& breach : breaches.rows) array.add(breach.*column);
  return array;
}
detail::Array campaigns(const Task& task) { return array_of(task.breaches, &Breach::campaign); }
detail::Array ids(const Task& task) { return array_of(task.breaches, &Breach::id); }

// Repairs of all rows that break the law, of campaigns, or of single rows.
template <class Query>
std::int64_t everywhere(const Task& task) {
  return changed(task.transaction, Query{});
}
template <class Query>
std::int64_t everywhere_now(const Task& task) {
  return changed(task.transaction, Query{.now = task.now});
}
template <class Query>
std::int64_t by_campaign(const Task& task) {
  return changed(task.transaction, Query{.campaigns = campaigns(task)});
}
template <class Query>
std::int64_t by_campaign_now(const Task& task) {
  return changed(task.transaction, Query{.now = task.now, .campaigns = campaigns(task)});
}
template <class Query>
std::int64_t by_job(const Task& task) {
  return changed(task.transaction, Query{.jobs = ids(task)});
}
template <class Query>
std::int64_t by_job_now(const Task& task) {
  return changed(task.transaction, Query{.now = task.now, .jobs = ids(task)});
}
template <class Query>
std::int64_t by_launch_now(const Task& task) {
  return changed(task.transaction, Query{.now = task.now, .launches = ids(task)});
}
template <class Query>
std::int64_t by_task(const Task& task) {
  return changed(task.transaction, Query{.campaigns = campaigns(task), .tasks = ids(task)});
}
template <class Query>
std::int64_t by_task_now(const Task& task) {
  return changed(task.transaction, Query{.campaigns = campaigns(task), .tasks = ids(task), .now = task.now});
}

std::int64_t by_loss(const Task& task) {
  std::vector<grid::JobId> jobs;
  for (const auto& breach : task.breaches.rows) jobs.emplace_back(breach.id.value());
  const Declarer author{.name = std::string{task.author}, .reason = "db check --repair"};
  return lose_jobs(task.transaction, live_jobs_among(task.transaction, jobs), task.limits, author, task.now);
}

/// all_only: no live row can break the law, so it is checked only with campaigns that are over.
enum class Scope { live, all_only };

struct Entry {
  std::string_view name;
  std::string_view text;
  Breaches (*read)(Transaction& transaction, Reach reach);
  Repair repair;  ///< none: an administrator must decide
  Scope scope;
  Weight weight;
};

template <class Query>
Query query_of(Reach reach) {
  if constexpr (requires(Query query) { query.all; }) return {.all = reach == Reach::all};
  else return {};
}

template <class Query>
Breaches read_law(Transaction& transaction, Reach reach) {
  Breaches found;
  for (const auto& row : exec(transaction, query_of<Query>(reach))) {
    found.count = *row.breaches;
    found.rows.push_back({.campaign = row.campaign_id, .cluster = row.cluster_id, .id = row.id, .text = *row.breach});
  }
  return found;
}

template <class Query>
constexpr Entry law(Repair repair) {
  return {Query::kName, Query::kText, read_law<Query>, repair, Scope::live, Weight::law};
}
template <class Query>
constexpr Entry leftover(Repair repair) {
  return {Query::kName, Query::kText, read_law<Query>, repair, Scope::live, Weight::leftover};
}
template <class Query>
constexpr Entry law_of_all(Repair repair = nullptr) {
  return {Query::kName, Query::kText, read_law<Query>, repair, Scope::all_only, Weight::law};
}

constexpr auto kEntries = std::to_array<Entry>({
    law<sql::checks_grid>(nullptr),
    law<sql::checks_triggers>(nullptr),
    law<sql::checks_lease>(everywhere<sql::checks_mend_lease>),
    // Jobs and launches.
    law<sql::checks_stray_job>(by_job_now<sql::checks_end_stray_jobs>),
    law<sql::checks_live_job_with_end>(by_job<sql::checks_clear_ends>),
    law<sql::checks_job_without_remote_id>(by_loss),
    law<sql::checks_remote_id_twice>(nullptr),
    law<sql::checks_job_of_launch>(by_loss),
    law<sql::checks_retired_cluster>(by_loss),
    law<sql::checks_job_fence>(nullptr),
    law<sql::checks_launch_tag>(nullptr),
    law<sql::checks_open_launch>(by_launch_now<sql::checks_void_launches>),
    law<sql::checks_unwanted_job>(by_job_now<sql::checks_kill_unwanted>),
    // Tasks.
    law<sql::checks_replica>(by_task<sql::checks_keep_one_copy>),
    law<sql::checks_task_without_job>(by_task_now<sql::checks_return_tasks>),
    law<sql::checks_attempt_behind>(by_task<sql::checks_raise_attempts>),
    law<sql::checks_over_with_tasks>(by_campaign<sql::checks_reopen>),
    // The bag.
    law<sql::checks_cursor>(by_campaign<sql::checks_mend_cursors>),
    law<sql::checks_skipped>(by_campaign<sql::checks_count_skipped>),
    law<sql::checks_held>(by_campaign<sql::checks_count_held>),
    law<sql::checks_cancelling>(by_task<sql::checks_unmark_cancelling>),
    law<sql::checks_request_bags>(by_campaign<sql::checks_count_bags>),
    law<sql::checks_bag_entry>(by_task<sql::checks_drop_bag_entries>),
    law<sql::checks_bag_request>(everywhere<sql::checks_mend_bag_requests>),
    law<sql::checks_claim>(by_task<sql::checks_release_claims>),
    law<sql::checks_lost_from_bag>(by_task_now<sql::checks_put_back>),
    // Campaigns and their pairs.
    law<sql::checks_campaign_end>(by_campaign_now<sql::checks_mend_campaign_ends>),
    law<sql::checks_cleaned_pair>(by_campaign<sql::checks_uncleaned>),
    law<sql::checks_requested>(by_campaign<sql::checks_mend_requested>),
    law<sql::checks_inputs_there>(by_campaign<sql::checks_send_inputs_again>),
    law<sql::checks_inactive_pair>(by_campaign<sql::checks_activate>),
    law<sql::checks_pair_counters>(by_campaign<sql::checks_count_pairs>),
    law<sql::checks_pair_results>(nullptr),
    // Time, outages, use.
    law<sql::checks_usage>(everywhere<sql::checks_mend_usage>),
    law<sql::checks_future_brake>(everywhere<sql::checks_mend_brakes>),
    law<sql::checks_future_status>(everywhere<sql::checks_drop_future_status>),
    law<sql::checks_future_probe>(everywhere<sql::checks_probe_now>),
    law<sql::checks_forecast_history>(everywhere<sql::checks_drop_new_history>),
    law<sql::checks_decision_history>(everywhere<sql::checks_drop_future_reasons>),
    law<sql::checks_stale_outage>(everywhere_now<sql::checks_close_outages>),
    // Leftovers.
    leftover<sql::checks_leftover_kills>(everywhere<sql::checks_drop_kills>),
    leftover<sql::checks_leftover_brakes>(everywhere<sql::checks_drop_brakes>),
    leftover<sql::checks_leftover_events>(everywhere_now<sql::checks_close_events>),
    leftover<sql::checks_leftover_forecasts>(everywhere<sql::checks_drop_forecasts>),
    leftover<sql::checks_leftover_decisions>(everywhere<sql::checks_drop_decisions>),
    // Laws that read every task of a campaign.
    law<sql::checks_campaign_counters>(by_campaign<sql::checks_count_tasks>),
    law<sql::checks_task_blocks>(by_campaign<sql::checks_count_blocks>),
    law<sql::checks_failure_groups>(by_campaign<sql::checks_count_failures>),
    law_of_all<sql::checks_missing_tasks>(),
    law_of_all<sql::checks_taken_ahead>(),
    law_of_all<sql::checks_done_twice>(),
    law_of_all<sql::checks_done_by_a_job>(),
    law_of_all<sql::checks_ended_job>(),
    law_of_all<sql::checks_plan_quality>(everywhere<sql::checks_count_plans>),
});

/// A line of a query's comment, from 0: its name, the law, its repair if there is one.
std::string_view comment_line(std::string_view query, int line) {
  for (; line > 0; --line) query.remove_prefix(std::min(query.size(), query.find('\n') + 1));
  query = query.substr(0, query.find('\n'));
  return query.starts_with("-- ") ? query.substr(3) : std::string_view{};
}

Law law_of(const Entry& entry) {
  constexpr std::string_view kGroup{"checks."};
  constexpr std::string_view kRepair{"Repair: "};
  const auto repair = comment_line(entry.text, 2);
  return {.name = entry.name.substr(kGroup.size()),
          .sentence = comment_line(entry.text, 1),
          .repair = repair.starts_with(kRepair) ? repair.substr(kRepair.size()) : std::string_view{},
          .weight = entry.weight};
}

std::array<Law, kEntries.size()> all_laws() {
  std::array<Law, kEntries.size()> known;
  std::ranges::transform(kEntries, known.begin(), law_of);
  return known;
}

const Entry& entry_of(const Law& law) {
  const auto known = laws();
  const auto found = std::ranges::find(known, law.name, &Law::name);
  if (found == known.end()) throw std::logic_error{fmt::format("there is no law '{}'", law.name)};
  return kEntries[static_cast<std::size_t>(found - known.begin())];
}

/// Empty when the statement exceeded its time limit.
std::optional<Breaches> find(Transaction& transaction, const Entry& entry, Reach reach) {
  try {
    return entry.read(transaction, reach);
  } catch (const TimedOut&) {
    return std::nullopt;
  }
}

std::string event_code(const Law& law) { return fmt::format("LAW_BROKEN_{}", law.name); }

std::string description(const Law& law, const Breaches& breaches) {
  constexpr std::size_t kExamples = 3;
  std::string text =
      fmt::format("{} is broken {} time{} (\"{}\"): ", law.name, breaches.count, breaches.count == 1 ? "" : "s", law.sentence);
  for (std::size_t i = 0; i < std::min(kExamples, breaches.rows.size()); ++i) text += (i == 0 ? "" : "; ") + breaches.rows[i].text;
  if (breaches.rows.size() > kExamples) text += "; …";
  return text + (law.repair.empty() ? ". 'gridctl db check' lists the rows" : ". 'gridctl db check --repair' repairs it");
}

}  // namespace

std::span<const Law> laws() {
  static const auto kLaws = all_laws();
  return kLaws;
}

Checked check_law(Database& database, const Law& law, Reach reach, std::chrono::milliseconds limit) {
  const auto& entry = entry_of(law);
  if (entry.scope == Scope::all_only && reach == Reach::live) return {Checked::Result::unchecked};
  auto transaction = database.begin();
  exec(transaction, sql::checks_limit_time{.limit = fmt::format("{}ms", limit.count())});
  auto found = find(transaction, entry, reach);
  if (!found) return {Checked::Result::unchecked};
  const auto result = found->count == 0 ? Checked::Result::holds : Checked::Result::broken;
  return {result, std::move(*found)};
}

std::int64_t repair_law(Database& database, const Law& law, const Breaches& breaches, const grid::Limits& limits, std::string_view author,
                        grid::Instant now) {
  const auto& entry = entry_of(law);
  if (entry.repair == nullptr) return 0;
  std::int64_t repaired = 0;
  transact(database, std::nullopt, [&](Transaction& transaction) {
    exec(transaction, sql::checks_limit_time{.limit = "0"});
    hold_lease(transaction);
    repaired = entry.repair({transaction, breaches, limits, author, now});
    if (repaired == 0) return;
    const auto message = fmt::format("{} repaired {} row{} that broke the law {} (\"{}\"): {}", author, repaired, repaired == 1 ? "" : "s",
                                     law.name, law.sentence, law.repair);
    declare(transaction, {.what = "repair", .subject = std::string{law.name}, .author = {.name = std::string{author}}, .message = message},
            now);
    // Closed at once: it is a note that requires no action.
    open_event(transaction, {.code = "REPAIRED", .target = {}, .job = {}, .message = message}, now);
    close_event(transaction, "REPAIRED", {}, now);
  });
  return repaired;
}

void note_checked(Transaction& transaction, const Law& law, const Checked& verdict, grid::Instant now) {
  if (law.weight == Weight::leftover || verdict.result == Checked::Result::unchecked) return;
  if (verdict.result == Checked::Result::holds) {
    close_event(transaction, event_code(law), {}, now);
    return;
  }
  open_event(transaction, {.code = event_code(law), .target = {}, .job = {}, .message = description(law, verdict.breaches)}, now);
}

bool check_is_due(Transaction& transaction, std::chrono::milliseconds period) {
  return !exec(transaction, sql::checks_due{.period_ms = period.count()}).empty();
}

}  // namespace gleaner::store
