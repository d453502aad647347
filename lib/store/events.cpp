#include "lib/store/events.hpp"

#include <fmt/format.h>

#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "lib/text/clean.hpp"

namespace gleaner::store {
namespace {

using detail::exec;

}  // namespace

std::optional<std::int64_t> open_event(Transaction& transaction, const Event& event, grid::Instant now) {
  const auto open = [&](std::string_view code, const Target& target, const std::string& message) -> std::int64_t {
    const auto rows = exec(transaction, sql::events_open{
                                            .code = code,
                                            .campaign = target.campaign,
                                            .cluster = target.cluster,
                                            .job = event.job,
                                            .message = message,
                                            .now = now,
                                            .occurrences = event.occurrences,
                                        });
    return *rows[0].id;
  };
  const auto message = text::clean_text(event.message, {.lines = text::Lines::kept});
  std::int64_t opened = 0;
  const auto why = attempt(transaction, [&] { opened = open(event.code, event.target, message); });
  if (!why) return opened;
  const auto shown = [](const auto& id) { return id ? std::to_string(id->value()) : std::string{"none"}; };
  open("EVENT_REFUSED", {},
       text::clean_text(fmt::format("event {} (campaign {}, cluster {}) was not written, {}; its message: {}", event.code,
                                    shown(event.target.campaign), shown(event.target.cluster), *why, message)));
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

bool close_event(Transaction& transaction, std::string_view code, const Target& target, grid::Instant now) {
  return !exec(transaction, sql::events_close{.now = now, .code = code, .campaign = target.campaign, .cluster = target.cluster}).empty();
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

}  // namespace gleaner::store
