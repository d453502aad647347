#include "lib/store/views_brakes.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "lib/store/detail.hpp"

namespace gleaner::store::views {
namespace {

using store::detail::exec;

std::optional<std::string> reader_name(const std::optional<Readers>& readers) {
  return readers ? std::optional{readers->user} : std::nullopt;
}
std::string project_array(const std::optional<Readers>& readers) {
  return store::detail::text_array(readers ? readers->projects : std::vector<std::string>{});
}

}  // namespace

std::string how_it_ends(const BrakeInForce& brake) {
  const auto until = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", std::chrono::floor<std::chrono::seconds>(brake.until));
  if (brake.event) return fmt::format("at {}, or when event {} is closed", until, *brake.event);
  if (brake.campaign && brake.cluster && !brake.set_by) return fmt::format("at {}, or when a job of the campaign succeeds there", until);
  return fmt::format("at {}", until);
}

Page<BrakeInForce> brakes(Transaction& transaction, const std::optional<Readers>& readers, grid::Instant now, Window window) {
  const auto reader = reader_name(readers);
  const auto projects = project_array(readers);
  Page<BrakeInForce> page;
  for (const auto& row :
       exec(transaction,
            sql::brakes_list{.now = now, .reader = reader, .projects = projects, .limit = window.limit, .offset = window.offset}))
    page.items.push_back({.id = *row.id,
                          .campaign = row.campaign_id,
                          .campaign_name = row.name.value_or(""),
                          .user = row.user_name.value_or(""),
                          .cluster = row.cluster_id,
                          .cluster_name = row.cluster.value_or(""),
                          .reason = *row.reason,
                          .set_by = row.set_by,
                          .since = *row.since,
                          .until = *row.until,
                          .event = row.event});
  page.total = *exec(transaction, sql::brakes_total{.now = now, .reader = reader, .projects = projects})[0].brakes;
  return page;
}

Page<DoubtfulLaunch> doubtful_launches(Transaction& transaction, const std::optional<Readers>& readers, Window window) {
  const auto reader = reader_name(readers);
  const auto projects = project_array(readers);
  Page<DoubtfulLaunch> page;
  for (const auto& row :
       exec(transaction, sql::launches_doubtful{.reader = reader, .projects = projects, .limit = window.limit, .offset = window.offset}))
    page.items.push_back({.id = *row.id,
                          .campaign = *row.campaign_id,
                          .campaign_name = *row.name,
                          .user = *row.user_name,
                          .cluster_name = *row.cluster,
                          .state = row.state.as<std::string>(),
                          .jobs = *row.jobs,
                          .tasks = *row.tasks,
                          .looks = *row.looks,
                          .sent = row.launching_at,
                          .since = row.since,
                          .last_look = row.last_look_at,
                          .error = row.error.value_or("")});
  page.total = *exec(transaction, sql::launches_doubtful_total{.reader = reader, .projects = projects})[0].launches;
  return page;
}

}  // namespace gleaner::store::views
