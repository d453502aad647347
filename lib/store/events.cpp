#include "lib/store/events.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;

}  // namespace

std::optional<std::int64_t> open_event(Transaction& transaction, const Event& event, grid::Instant now) {
  const auto open = [&](std::string_view code, const Target& target, const std::string& message, const std::string& output,
                        const std::string& user) -> std::int64_t {
    const auto rows = exec(transaction, sql::events_open{
                                            .code = code,
                                            .campaign = target.campaign,
                                            .cluster = target.cluster,
                                            .user = user,
                                            .job = event.job,
                                            .message = message,
                                            .output = output,
                                            .now = now,
                                            .occurrences = event.occurrences,
                                        });
    return *rows[0].id;
  };
  const auto message = text::clean_text(event.message, {.lines = text::Lines::kept});
  const auto output = text::clean_text(event.output, {.lines = text::Lines::kept, .keep = text::Keep::end});
  std::int64_t opened = 0;
  const auto why = attempt(transaction, [&] { opened = open(event.code, event.target, message, output, event.user); });
  if (!why) return opened;
  const auto shown = [](const auto& id) { return id ? std::to_string(id->value()) : std::string{"none"}; };
  open("EVENT_REFUSED", {},
       text::clean_text(fmt::format("event {} (campaign {}, cluster {}) was not written, {}; its message: {}", event.code,
                                    shown(event.target.campaign), shown(event.target.cluster), *why, message)),
       {}, {});
  return std::nullopt;
}

void note_refused(Transaction& transaction, const Target& target, std::string_view what, std::string_view why, grid::Instant now) {
  open_event(transaction,
             {.code = "WRITE_REFUSED",
              .target = target,
              .job = {},
              .message = fmt::format("the database refused {}, which is left out: {}", what, why)},
             now);
}

bool write_or_note(Transaction& transaction, const Target& target, std::string_view what, grid::Instant now,
                   const std::function<void()>& work) {
  const auto why = attempt(transaction, work);
  if (why) note_refused(transaction, target, what, *why, now);
  return !why;
}

bool close_event(Transaction& transaction, std::string_view code, const Target& target, grid::Instant now) {
  return !exec_prepared(transaction, sql::events_close{.now = now, .code = code, .campaign = target.campaign, .cluster = target.cluster})
              .empty();
}

std::vector<grid::ClusterId> clusters_with_open_event(Transaction& transaction, std::string_view code) {
  std::vector<grid::ClusterId> clusters;
  for (const auto& row : detail::exec_prepared(transaction, sql::events_clusters_with_open{.code = code}))
    clusters.push_back(*row.cluster_id);
  return clusters;
}

std::optional<grid::Instant> set_brake(Transaction& transaction, const Target& target, std::string_view reason, BrakeLength length,
                                       grid::Instant now) {
  const auto rows = exec(transaction, sql::brakes_set{
                                          .now = now,
                                          .most_s = static_cast<double>(length.most.count()),
                                          .campaign = target.campaign,
                                          .cluster = target.cluster,
                                          .first_s = static_cast<double>(length.first.count()),
                                          .reason = text::clean_text(reason),
                                      });
  if (rows.empty()) return std::nullopt;
  return rows[0].expires_at;
}

void clear_brake(Transaction& transaction, const Target& target) {
  exec(transaction, sql::brakes_clear{.campaign = target.campaign, .cluster = target.cluster});
}

void release_brake(Transaction& transaction, const Target& pair) {
  exec(transaction, sql::brakes_release{.campaign = pair.campaign, .cluster = pair.cluster});
}

std::optional<std::int64_t> blacklist(Transaction& transaction, const Blacklisting& blacklisting, grid::Instant now) {
  const auto& [target, reason, user, expires_at] = blacklisting;
  const auto why = text::clean_text(reason);
  exec(transaction,
       sql::brakes_impose{
           .campaign = target.campaign, .cluster = target.cluster, .reason = why, .now = now, .expires = expires_at, .user = user});
  const auto message = fmt::format("{} (by {}); nothing is sent until {:%Y-%m-%d %H:%M:%S} UTC, or until this event is closed", why, user,
                                   std::chrono::floor<grid::Seconds>(expires_at));
  const auto event = open_event(transaction, {.code = kBlacklisted, .target = target, .job = {}, .message = message}, now);
  wake_up(transaction);
  return event;
}

std::int64_t close_expired_blacklistings(Transaction& transaction, grid::Instant now) {
  return static_cast<std::int64_t>(exec_prepared(transaction, sql::events_close_expired{.now = now, .code = kBlacklisted}).size());
}

}  // namespace gleaner::store
