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
using detail::micros;

/// The rows of a law that are to be repaired.
struct Task {
  Transaction& transaction;
  const Breaches& breaches;
  const grid::Limits& limits;
  std::string_view author;
  grid::Instant now;
};
using Repair = std::int64_t (*)(const Task& task);

std::int64_t count_of(const pqxx::result& rows) { return rows[0][0].as<std::int64_t>(); }

using Column = std::optional<std::int64_t> Breach::*;
std::string array_of(const Breaches& breaches, Column column) {
  detail::Array array;
  for (const auto& breach : breaches.rows) array.add(breach.*column);
  return array.literal();
}

// A repair of all rows that break the law; of the campaigns, or rows, that were found.
template <const std::string_view& Query>
std::int64_t everywhere(const Task& task) {
  return count_of(exec(task.transaction, Query));
}
template <const std::string_view& Query>
std::int64_t everywhere_now(const Task& task) {
  return count_of(exec(task.transaction, Query, micros(task.now)));
}
template <const std::string_view& Query>
std::int64_t by_campaign(const Task& task) {
  return count_of(exec(task.transaction, Query, array_of(task.breaches, &Breach::campaign)));
}
template <const std::string_view& Query>
std::int64_t by_campaign_now(const Task& task) {
  return count_of(exec(task.transaction, Query, array_of(task.breaches, &Breach::campaign), micros(task.now)));
}
template <const std::string_view& Query>
std::int64_t by_id(const Task& task) {
  return count_of(exec(task.transaction, Query, array_of(task.breaches, &Breach::id)));
}
template <const std::string_view& Query>
std::int64_t by_id_now(const Task& task) {
  return count_of(exec(task.transaction, Query, array_of(task.breaches, &Breach::id), micros(task.now)));
}
template <const std::string_view& Query>
std::int64_t by_task(const Task& task) {
  return count_of(exec(task.transaction, Query, array_of(task.breaches, &Breach::campaign), array_of(task.breaches, &Breach::id)));
}
template <const std::string_view& Query>
std::int64_t by_task_now(const Task& task) {
  return count_of(exec(task.transaction, Query, array_of(task.breaches, &Breach::campaign), array_of(task.breaches, &Breach::id), micros(task.now)));
}

std::int64_t by_loss(const Task& task) {
  std::vector<grid::JobId> jobs;
  for (const auto& breach : task.breaches.rows) jobs.emplace_back(breach.id.value());
  const Declarer author{.name = std::string{task.author}, .reason = "db check --repair"};
  return lose_jobs(task.transaction, live_jobs_among(task.transaction, jobs), task.limits, author, task.now);
}

/// What a law's query takes, and whether it is worth its cost when only what lives is checked.
enum class Scope { fixed, by_reach, all_only };

struct Entry {
  std::string_view query;
  Scope scope;
  Repair repair;  ///< none: an administrator must judge
  Weight weight = Weight::law;
};

constexpr auto kEntries = std::to_array<Entry>({
    {sql::checks_grid, Scope::fixed, nullptr},
    {sql::checks_triggers, Scope::fixed, nullptr},
    {sql::checks_lease, Scope::fixed, everywhere<sql::checks_mend_lease>},
    // Jobs and launches.
    {sql::checks_stray_job, Scope::fixed, by_id_now<sql::checks_end_stray_jobs>},
    {sql::checks_live_job_with_end, Scope::fixed, by_id<sql::checks_clear_ends>},
    {sql::checks_job_without_remote_id, Scope::fixed, by_loss},
    {sql::checks_remote_id_twice, Scope::fixed, nullptr},
    {sql::checks_job_of_launch, Scope::fixed, by_loss},
    {sql::checks_retired_cluster, Scope::fixed, by_loss},
    {sql::checks_job_fence, Scope::fixed, nullptr},
    {sql::checks_launch_tag, Scope::fixed, nullptr},
    {sql::checks_open_launch, Scope::fixed, by_id_now<sql::checks_void_launches>},
    {sql::checks_unwanted_job, Scope::fixed, by_id_now<sql::checks_kill_unwanted>},
    // Tasks.
    {sql::checks_replica, Scope::by_reach, by_task<sql::checks_keep_one_copy>},
    {sql::checks_task_without_job, Scope::by_reach, by_task_now<sql::checks_return_tasks>},
    {sql::checks_attempt_behind, Scope::by_reach, by_task<sql::checks_raise_attempts>},
    {sql::checks_over_with_tasks, Scope::fixed, by_campaign<sql::checks_reopen>},
    // The bag.
    {sql::checks_cursor, Scope::fixed, by_campaign<sql::checks_mend_cursors>},
    {sql::checks_request_bags, Scope::by_reach, by_campaign<sql::checks_count_bags>},
    {sql::checks_bag_entry, Scope::fixed, by_task<sql::checks_drop_bag_entries>},
    {sql::checks_bag_request, Scope::fixed, everywhere<sql::checks_mend_bag_requests>},
    {sql::checks_claim, Scope::fixed, by_task<sql::checks_release_claims>},
    {sql::checks_lost_from_bag, Scope::by_reach, by_task_now<sql::checks_put_back>},
    // Campaigns and their pairs.
    {sql::checks_campaign_end, Scope::fixed, by_campaign_now<sql::checks_mend_campaign_ends>},
    {sql::checks_cleaned_pair, Scope::fixed, by_campaign<sql::checks_uncleaned>},
    {sql::checks_asked, Scope::fixed, by_campaign<sql::checks_mend_asked>},
    {sql::checks_inactive_pair, Scope::fixed, by_campaign<sql::checks_activate>},
    {sql::checks_pair_counters, Scope::fixed, by_campaign<sql::checks_count_pairs>},
    {sql::checks_pair_results, Scope::by_reach, nullptr},
    // Time, outages, use.
    {sql::checks_usage, Scope::fixed, everywhere<sql::checks_mend_usage>},
    {sql::checks_future_brake, Scope::fixed, everywhere<sql::checks_mend_brakes>},
    {sql::checks_future_status, Scope::fixed, everywhere<sql::checks_drop_future_status>},
    {sql::checks_future_probe, Scope::fixed, everywhere<sql::checks_probe_now>},
    {sql::checks_stale_outage, Scope::fixed, everywhere_now<sql::checks_close_outages>},
    // What is only in the way.
    {sql::checks_leftover_kills, Scope::fixed, everywhere<sql::checks_drop_kills>, Weight::leftover},
    {sql::checks_leftover_brakes, Scope::fixed, everywhere<sql::checks_drop_brakes>, Weight::leftover},
    {sql::checks_leftover_events, Scope::fixed, everywhere_now<sql::checks_close_events>, Weight::leftover},
    {sql::checks_leftover_forecasts, Scope::fixed, everywhere<sql::checks_drop_forecasts>, Weight::leftover},
    {sql::checks_leftover_decisions, Scope::fixed, everywhere<sql::checks_drop_decisions>, Weight::leftover},
    // Those that read every task of a campaign.
    {sql::checks_campaign_counters, Scope::by_reach, by_campaign<sql::checks_count_tasks>},
    {sql::checks_missing_tasks, Scope::all_only, nullptr},
    {sql::checks_taken_ahead, Scope::all_only, nullptr},
    {sql::checks_done_twice, Scope::all_only, nullptr},
    {sql::checks_done_by_a_job, Scope::all_only, nullptr},
    {sql::checks_ended_job, Scope::all_only, nullptr},
});

/// A line of a query's comment, from 0: its name, the law, perhaps its repair.
std::string_view comment_line(std::string_view query, int line) {
  for (; line > 0; --line) query.remove_prefix(std::min(query.size(), query.find('\n') + 1));
  query = query.substr(0, query.find('\n'));
  return query.starts_with("-- ") ? query.substr(3) : std::string_view{};
}

Law law_of(const Entry& entry) {
  constexpr std::string_view kGroup{"checks."};
  constexpr std::string_view kRepair{"Repair: "};
  const auto repair = comment_line(entry.query, 2);
  return {.name = comment_line(entry.query, 0).substr(kGroup.size()),
          .sentence = comment_line(entry.query, 1),
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

Breaches read(const pqxx::result& rows) {
  Breaches found;
  for (const auto& row : rows) {
    detail::Columns columns{row};
    Breach breach;
    breach.campaign = columns.maybe<std::int64_t>();
    breach.cluster = columns.maybe<std::int64_t>();
    breach.id = columns.maybe<std::int64_t>();
    breach.text = columns.words();
    found.count = columns.take<std::int64_t>();
    found.rows.push_back(std::move(breach));
  }
  return found;
}

/// Nothing when the statement's time was over.
std::optional<Breaches> find(Transaction& transaction, const Entry& entry, Reach reach) {
  auto& work = transaction.implementation().work;
  const std::string query{entry.query};
  try {
    return read(entry.scope == Scope::by_reach ? work.exec_params(query, reach == Reach::all) : work.exec_params(query));
  } catch (const pqxx::sql_error& error) {
    if (constexpr std::string_view kCanceled{"57014"}; error.sqlstate() == kCanceled) return std::nullopt;
    detail::rethrow(entry.query);
  } catch (...) {
    detail::rethrow(entry.query);
  }
}

std::string event_code(const Law& law) { return fmt::format("LAW_BROKEN_{}", law.name); }

std::string description(const Law& law, const Breaches& breaches) {
  constexpr std::size_t kExamples = 3;
  std::string text = fmt::format("{} is broken {} time{} (\"{}\"): ", law.name, breaches.count, breaches.count == 1 ? "" : "s", law.sentence);
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
  exec(transaction, sql::checks_limit_time, fmt::format("{}ms", limit.count()));
  auto found = find(transaction, entry, reach);
  if (!found) return {Checked::Result::unchecked};
  const auto result = found->count == 0 ? Checked::Result::holds : Checked::Result::broken;
  return {result, std::move(*found)};
}

std::int64_t repair_law(Database& database, const Law& law, const Breaches& breaches, const grid::Limits& limits, std::string_view author, grid::Instant now) {
  const auto& entry = entry_of(law);
  if (entry.repair == nullptr) return 0;
  std::int64_t repaired = 0;
  transact(database, std::nullopt, [&](Transaction& transaction) {
    exec(transaction, sql::checks_limit_time, "0");
    hold_lease(transaction);
    repaired = entry.repair({transaction, breaches, limits, author, now});
    if (repaired == 0) return;
    const auto message = fmt::format("{} repaired {} row{} that broke the law {} (\"{}\"): {}", author, repaired, repaired == 1 ? "" : "s", law.name,
                                     law.sentence, law.repair);
    declare(transaction, {.what = "repair", .subject = std::string{law.name}, .author = {.name = std::string{author}}, .message = message}, now);
    // Closed at once: it is a note, and nothing is to be done about it.
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
  return !exec(transaction, sql::checks_due, static_cast<std::int64_t>(period.count())).empty();
}

}  // namespace gleaner::store
