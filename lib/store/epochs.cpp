#include "lib/store/epochs.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "lib/grid/job_identity.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "lib/store/launches.hpp"
#include "lib/store/lease.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;

constexpr std::string_view kRestored{"DATABASE_RESTORED"};

grid::Epochs all_epochs(Transaction& transaction) {
  std::vector<grid::Epoch> epochs;
  for (const auto& row : exec_prepared(transaction, sql::epochs_all{}))
    epochs.push_back({.token = *row.token, .first_campaign = *row.first_campaign, .first_launch = *row.first_launch});
  return grid::Epochs{std::move(epochs)};
}

/// The grid may have sent them after the dump, under this tag.
void search_for_planned(Transaction& transaction, const grid::Epochs& before, grid::Instant known_until) {
  const auto holder = lease_holder(transaction);
  for (const auto& row : exec(transaction, sql::epochs_planned{})) {
    const grid::LaunchId launch{*row.id};
    const auto tag = grid::launch_tag(before.of(launch), *row.campaign_id, launch);
    (void)begin_launch(transaction, {.launch = launch, .tag = tag, .login = *row.login}, holder ? holder->term : 0, known_until);
  }
}

void report(Transaction& transaction, const grid::Epoch& epoch, grid::Instant known_until, grid::Instant now) {
  const auto until = text::utc(known_until);
  open_event(
      transaction,
      {.code = kRestored,
       .target = {},
       .job = {},
       .message = fmt::format("the database was restored: it knows nothing after {}. Ids from campaign {} and launch {} on are given "
                              "again, as those of epoch {}; files of before are not believed for them. On each cluster the grid "
                              "first looks for jobs of its campaigns that were submitted since; what it cannot find runs again",
                              until, epoch.first_campaign.value(), epoch.first_launch.value(), epoch.token)},
      now);
  for (const auto& row : exec(transaction, sql::epochs_live_campaigns{})) {
    const std::int64_t tasks = *row.tasks;
    open_event(
        transaction,
        {.code = kRestored,
         .target = {.campaign = *row.id, .cluster = {}},
         .job = {},
         .message = fmt::format("the grid's database was restored, and knows nothing after {}: {} of the campaign's tasks were not "
                                "over then. Jobs that were submitted since are followed if their cluster still lists them; the tasks of "
                                "others, tasks that were appended, and changes that were made since are lost, or run again",
                                until, tasks)},
        now);
  }
}

std::optional<grid::Epoch> begin(Transaction& transaction, bool only_if_other, std::string_view cause, grid::Instant now) {
  const auto before = all_epochs(transaction);
  const auto begun = exec(transaction, sql::epochs_begin{.only_if_other = only_if_other, .now = now, .cause = cause});
  if (begun.empty()) return std::nullopt;
  grid::Epoch epoch{.token = *begun[0].token, .first_campaign = *begun[0].first_campaign, .first_launch = *begun[0].first_launch};
  const grid::Instant known_until = *begun[0].known_until;
  search_for_planned(transaction, before, known_until);
  report(transaction, epoch, known_until, now);
  return epoch;
}

}  // namespace

bool is_recovering(Transaction& transaction, grid::Instant now) {
  const auto rows = exec_prepared(transaction, sql::epochs_state{});
  const std::optional<bool> same = rows[0].same;
  if (!same) exec(transaction, sql::epochs_note_database{});
  else if (!*same) return begin(transaction, true, "this is another database than before", now).has_value() || *rows[0].recovering;
  return *rows[0].recovering;
}

grid::Epochs current_epochs(Transaction& transaction, grid::Instant now) {
  (void)is_recovering(transaction, now);
  return all_epochs(transaction);
}

grid::Epoch begin_epoch(Transaction& transaction, grid::Instant now) { return *begin(transaction, false, "gridctl db restored", now); }

std::optional<grid::Instant> recover_from(Transaction& transaction, grid::ClusterId cluster) {
  const auto rows = exec_prepared(transaction, sql::epochs_recover_from{.cluster = cluster});
  if (rows.empty()) return std::nullopt;
  return rows[0].since;
}

void note_recovered(Transaction& transaction, grid::ClusterId cluster) { exec(transaction, sql::epochs_recovered{.cluster = cluster}); }

std::vector<std::string> logins_to_recover(Transaction& transaction, grid::ClusterId cluster) {
  std::vector<std::string> logins;
  for (const auto& row : exec(transaction, sql::epochs_logins{.cluster = cluster})) logins.push_back(*row.login);
  return logins;
}

std::set<grid::LaunchId> known_launches(Transaction& transaction, std::span<const grid::LaunchId> launches) {
  std::set<grid::LaunchId> known;
  for (const auto& row : exec(transaction, sql::epochs_known_launches{.launches = detail::ids_of(launches)})) known.insert(*row.id);
  return known;
}

std::vector<bool> may_be_taken_over(Transaction& transaction, grid::ClusterId cluster, std::span<const UnknownLaunch* const> launches) {
  detail::Array campaigns, logins;
  for (const auto* launch : launches) {
    campaigns.add(launch->campaign.value());
    logins.add(launch->login);
  }
  std::vector<bool> may(launches.size(), true);
  for (const auto& row : exec(transaction, sql::epochs_foreign{.campaigns = campaigns, .logins = logins, .cluster = cluster}))
    may[static_cast<std::size_t>(row.at.as<std::int64_t>() - 1)] = false;
  return may;
}

int take_over(Transaction& transaction, grid::ClusterId cluster, const UnknownLaunch& launch, grid::Instant since, grid::Instant now) {
  const auto campaign = exec(transaction, sql::epochs_lock{.campaign = launch.campaign, .cluster = cluster, .login = launch.login});
  if (campaign.empty()) return 0;
  detail::Array jobs, tasks, attempts, fences, pooled;
  for (const auto& one : launch.jobs) {
    if (one.job.task.value() < 0) continue;
    jobs.add(one.job.job.value());
    tasks.add(one.job.task.value());
    attempts.add(std::int64_t{one.job.attempt});
    fences.add(one.fence ? std::optional{one.fence->value()} : std::nullopt);
    pooled.add(std::string_view{one.pooled ? "t" : "f"});
  }
  if (jobs.empty()) return 0;
  if (*campaign[0].differing) exec(transaction, sql::epochs_pass_by_request{.campaign = launch.campaign, .tasks = tasks, .now = now});
  else exec(transaction, sql::epochs_pass{.campaign = launch.campaign, .tasks = tasks, .now = now});
  const auto written = exec(transaction, sql::epochs_take_over{.jobs = jobs,
                                                               .tasks = tasks,
                                                               .attempts = attempts,
                                                               .fences = fences,
                                                               .pooled = pooled,
                                                               .campaign = launch.campaign,
                                                               .cluster = cluster,
                                                               .launch = launch.launch,
                                                               .since = since});
  if (written.empty()) return 0;
  const auto holder = lease_holder(transaction);
  (void)begin_launch(transaction, {.launch = launch.launch, .tag = launch.tag, .login = launch.login}, holder ? holder->term : 0, since);
  return *written[0].jobs;
}

}  // namespace gleaner::store
