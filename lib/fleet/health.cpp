#include "lib/fleet/health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace gleaner::fleet {
namespace {

using std::chrono::milliseconds;

/// A lease of an almighty that conducts one cycle after the other.
bool is_service(const store::Conduct& conduct) {
  return conduct.holder.starts_with("almighty ") && !conduct.holder.starts_with("almighty --once");
}

std::string of_service(const store::Conduct& conduct) {
  return fmt::format("{} {}: nobody conducts the grid", conduct.holder,
                     conduct.expires_at ? "let its lease run out: it died, hangs, or does not reach the database" : "was stopped");
}

/// Failures in a row of a module: one may be an accident.
constexpr std::int64_t kAgain = 3;

std::optional<Trouble> nearly_full(store::Transaction& transaction, const process::Config& config) {
  constexpr double kNearly = 0.9;
  constexpr double kMebibyte = 1024.0 * 1024.0;
  if (config.database_size_max == 0) return std::nullopt;
  const auto bytes = static_cast<double>(store::database_size(transaction));
  const auto most = static_cast<double>(config.database_size_max);
  if (bytes < kNearly * most) return std::nullopt;
  return Trouble{.kind = "size",
                 .subject = "database",
                 .since = {},
                 .message = fmt::format("the database has {:.0f} MiB of the {:.0f} MiB that it may have (database_size_max)",
                                        bytes / kMebibyte, most / kMebibyte),
                 .remedy =
                     "'gridctl prune' removes campaigns that ended long ago (retention); or give PostgreSQL more room, and raise "
                     "database_size_max"};
}

std::string remedy_of(const store::Fault& fault) {
  if (fault.kind == "database")
    return "let the grid use a database that takes writes: `database` in the configuration, or default_transaction_read_only in PostgreSQL";
  if (fault.kind == "module") return "its message names the cause; see the log too: 'journalctl -u gleaner-almighty'";
  if (fault.kind == "law") return "'gridctl db check' names the rows, and whether they can be repaired";
  if (fault.kind == "herald")
    return "start it: 'systemctl start gleaner-herald', or 'herald --once' from cron; what happens is kept for 30 days meanwhile";
  if (fault.kind == "outbox")
    return "is the mail server there (mail_server), are the webhooks? 'gridnotify --list' has each subscription's last error, the log all: "
           "'journalctl -u gleaner-herald'";
  if (fault.kind == "cluster")
    return fmt::format("'gridctl check' asks it now, and says what to do; 'gridctl cluster disable {}' leaves it out", fault.subject);
  return "'gridevents -g' shows its event; it ends by itself, or with 'gridevents -f -e ID'";
}

}  // namespace

std::optional<Trouble> standstill(const store::Conduct& conduct, const process::Config& config, grid::Instant now) {
  constexpr int kModules = 5;
  constexpr int kPeriods = 3;
  constexpr milliseconds kLeastRestart = std::chrono::seconds{15};
  constexpr milliseconds kLeastStop = std::chrono::minutes{1};
  const auto period = std::max<milliseconds>(config.cycle_period, config.idle_period);
  const auto between = kPeriods * std::max<milliseconds>(period, std::chrono::minutes{1});
  const auto since = conduct.last_end.value_or(conduct.schema_made);
  Trouble trouble{.kind = "conductor",
                  .subject = "conductor",
                  .since = since,
                  .message = conduct.last_end ? "nobody conducts the grid" : "no cycle has ever ended",
                  .remedy = "start it: 'systemctl start gleaner-almighty', or 'almighty --once' from cron"};
  auto quiet_since = since;
  milliseconds patience = between;
  if (conduct.is_held || !conduct.last_end) {
    patience = between + kModules * config.module_time_limit;
    if (conduct.is_held) {
      trouble.message = fmt::format("{} conducts, and its cycle does not end", conduct.holder);
      trouble.remedy = "see its log: 'journalctl -u gleaner-almighty'; then start it again: 'systemctl restart gleaner-almighty'";
    }
  } else if (is_service(conduct)) {
    trouble.message = of_service(conduct);
    if (conduct.expires_at) quiet_since = std::max(since, *conduct.expires_at);
    patience = conduct.expires_at ? std::max<milliseconds>(config.lease_duration, kLeastRestart)
                                  : std::max<milliseconds>(kPeriods * period, kLeastStop);
  }
  return now - quiet_since > patience ? std::optional{std::move(trouble)} : std::nullopt;
}

std::vector<Trouble> troubles(store::Transaction& transaction, const process::Config& config, grid::Instant now) {
  std::vector<Trouble> all;
  if (auto stands = standstill(store::conduct(transaction), config, now)) all.push_back(std::move(*stands));
  if (auto full = nearly_full(transaction, config)) all.push_back(std::move(*full));
  for (const auto& fault : store::faults(transaction, now)) {
    const auto by = fault.set_by ? fmt::format(", by {}", *fault.set_by) : std::string{};
    all.push_back({.kind = fault.kind,
                   .subject = fault.subject,
                   .since = fault.since,
                   .message = fault.message + by,
                   .remedy = remedy_of(fault),
                   .is_wanted = fault.set_by.has_value(),
                   .fails_again = fault.kind == "module" && fault.times >= kAgain});
  }
  return all;
}

}  // namespace gleaner::fleet
