#include "lib/store/chosen_tasks.hpp"

#include <fmt/format.h>

#include "lib/store/batch.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;

/// `max_fails` as its user would write it: `5`, `10%`.
std::string limit_text(double max_fails) {
  return max_fails > 0 && max_fails < 1 ? fmt::format("{:.10g}%", max_fails * 100) : fmt::format("{:.0f}", max_fails);
}

std::string sentence(const sql::campaigns_pause_failing::Row& row, bool was_resumed) {
  const auto fails = row.fails.as<std::int64_t>();
  const auto limit = limit_text(*row.max_fails);
  const auto allowed = row.allowed.as<std::int64_t>();
  const auto meaning = limit.ends_with('%') ? fmt::format("max_fails: {}, which is {} of {}", limit, allowed, row.total.as<std::int64_t>())
                                            : fmt::format("max_fails: {}", limit);
  return fmt::format(
      "{} task{} failed{}, more than it allows ({}): it is paused, and its jobs continue. 'gridsub --resume {}' goes on, and counts from 0 "
      "again",
      fails, fails == 1 ? "" : "s", was_resumed ? " since it was resumed" : "", meaning, row.id.as<std::int64_t>());
}

CancelledTasks cancel_range(Transaction& transaction, grid::CampaignId campaign, text::Range range, bool differing) {
  const auto& [first, last] = range;
  const auto in_flight = exec(transaction, sql::campaigns_cancel_in_flight{.campaign = campaign, .first = first, .last = last});
  const auto returned = exec(transaction, sql::campaigns_cancel_returned_tasks{.campaign = campaign, .first = first, .last = last});
  // Tasks that wait now were never taken.
  const std::int64_t untaken =
      differing ? *exec(transaction, sql::campaigns_cancel_ahead_by_request{.campaign = campaign, .first = first, .last = last})[0].tasks
                : *exec(transaction, sql::campaigns_cancel_ahead{.campaign = campaign, .first = first, .last = last})[0].tasks;
  return {static_cast<std::int64_t>(returned.size()) + untaken, static_cast<std::int64_t>(in_flight.size())};
}

}  // namespace

std::optional<CancelledTasks> cancel_tasks(Transaction& transaction, grid::CampaignId campaign, std::span<const text::Range> ranges) {
  // Tasks before the campaign, as the triggers of those that settle jobs lock them.
  for (const auto& [first, last] : ranges)
    exec(transaction, sql::campaigns_lock_in_flight{.campaign = campaign, .first = first, .last = last});
  const auto live = exec(transaction, sql::campaigns_lock_live{.campaign = campaign});
  if (live.empty()) return std::nullopt;
  CancelledTasks all;
  for (const auto& range : ranges) {
    const auto part = cancel_range(transaction, campaign, range, *live[0].differing);
    all.waiting += part.waiting;
    all.in_flight += part.in_flight;
  }
  if (all.waiting + all.in_flight > 0) wake_up(transaction);
  return all;
}

std::optional<HeldTasks> hold_tasks(Transaction& transaction, grid::CampaignId campaign, std::span<const text::Range> ranges,
                                    const std::string& user, grid::Instant now) {
  if (exec(transaction, sql::campaigns_lock_live{.campaign = campaign}).empty()) return std::nullopt;
  HeldTasks all;
  for (const auto& [first, last] : ranges) {
    const auto rows =
        exec(transaction, sql::campaigns_hold_tasks{.campaign = campaign, .user = user, .now = now, .first = first, .last = last});
    all.held += rows[0].held.as<std::int64_t>();
    all.in_flight += rows[0].in_flight.as<std::int64_t>();
    all.over += rows[0].over.as<std::int64_t>();
    all.before += rows[0].before.as<std::int64_t>();
  }
  if (all.held > 0) wake_up(transaction);
  return all;
}

std::optional<std::int64_t> release_held_tasks(Transaction& transaction, grid::CampaignId campaign, std::span<const text::Range> ranges,
                                               grid::Instant now) {
  if (exec(transaction, sql::campaigns_lock_live{.campaign = campaign}).empty()) return std::nullopt;
  std::int64_t released = 0;
  for (const auto& [first, last] : ranges) {
    const auto rows = exec(transaction, sql::campaigns_release_tasks{.first = first, .last = last, .campaign = campaign, .now = now});
    released += rows[0].tasks.as<std::int64_t>();
    if (rows[0].first.has_value())
      exec(transaction, sql::dependencies_scan_released{.first = rows[0].first.as<std::int64_t>(), .campaign = campaign});
  }
  if (released > 0) wake_up(transaction);
  return released;
}

std::int64_t held_tasks(Transaction& transaction, grid::CampaignId campaign) {
  const auto rows = exec(transaction, sql::campaigns_held_tasks{.campaign = campaign});
  return rows.empty() ? 0 : rows[0].tasks.as<std::int64_t>();
}

std::int64_t pause_failing_campaigns(Transaction& transaction, grid::Instant now) {
  std::int64_t paused = 0;
  for (const auto& failing : exec_prepared(transaction, sql::campaigns_failing{})) {
    const Target target{.campaign = failing.id, .cluster = {}};
    std::string message;
    write_or_note(transaction, target, "the pause of the campaign by its max_fails", now, [&] {
      for (const auto& row : exec(transaction, sql::campaigns_pause_failing{.campaign = *target.campaign}))
        message = sentence(row, *row.was_resumed);
    });
    if (message.empty()) continue;
    open_event(transaction, {.code = "MAX_FAILS", .target = target, .job = {}, .message = message}, now);
    ++paused;
  }
  return paused;
}

}  // namespace gleaner::store
