#include "almighty/conductor.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <optional>

#include "almighty/check.hpp"
#include "almighty/cycle.hpp"
#include "lib/fleet/fleet.hpp"
#include "lib/fleet/held_lease.hpp"
#include "lib/fleet/kept_database.hpp"
#include "lib/grid/clock.hpp"
#include "lib/process/log.hpp"
#include "lib/process/stop.hpp"
#include "lib/store/calls.hpp"
#include "lib/store/events.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/migrations.hpp"
#include "lib/store/policies.hpp"

namespace gleaner::almighty {
namespace {

using Clock = grid::SteadyClock;
using Milliseconds = std::chrono::milliseconds;

/// A period in which the database cannot be used: it does not answer, takes no writes (read-only, a standby, a full disk), or takes too
/// long. Its beginning logs one warning; its end writes one event.
class Outage {
 public:
  /// True for the first failure of an outage.
  bool note(const std::string& why) {
    const bool begins = !began_;
    if (begins) began_ = fleet::now();
    if (why != why_) process::log::warning("waiting for the database", {{"error", why}});
    why_ = why;
    sd_notify(0, "STATUS=waiting for the database");
    return begins;
  }

  /// The database takes writes again.
  void end(store::Database& database, store::Term term) {
    if (!began_) return;
    const auto now = fleet::now();
    const auto seconds = std::chrono::duration<double>(now - *began_).count();
    process::log::info("the database can be used again", {{"after_s", seconds}});
    store::transact(database, term, [&](store::Transaction& transaction) {
      store::open_event(
          transaction,
          {.code = kEvent,
           .target = {},
           .job = {},
           .message = fmt::format("the grid stood still for {:.0f} s, because the database could not be used: {}", seconds, why_)},
          *began_);
      store::close_event(transaction, kEvent, {}, now);
    });
    forget();
  }

  /// Without an event: another almighty conducts meanwhile.
  void forget() {
    began_.reset();
    why_.clear();
  }

 private:
  static constexpr const char* kEvent = "DATABASE_UNAVAILABLE";
  std::optional<grid::Instant> began_;
  std::string why_;
};

/// The shortest pause between two cycles, so that a burst of submissions does not start one cycle each.
constexpr Milliseconds kLeastPause{200};
/// The shortest time between the beginnings of two cycles, where clusters call: they may do so for each job that begins or ends.
constexpr Milliseconds kLeastForCalls{1000};

class Conductor {
 public:
  explicit Conductor(const process::Config& config) : config_{config}, modules_{config} {}

  /// Returns when a stop is requested. Throws when the database or the lease is lost.
  void conduct();
  [[nodiscard]] bool note_outage(const std::string& why) { return outage_.note(why); }
  void stop() { modules_.stop(); }

 private:
  void stand_by(store::Database& database);
  void rest(store::Database& database, Clock::time_point began, Clock::time_point until);
  [[nodiscard]] Clock::time_point next_cycle(store::Database& database, Clock::time_point began, grid::Instant planned_from) const;

  const process::Config& config_;
  Modules modules_;
  Outage outage_;
  store::Term term_ = 0;
};

void Conductor::stand_by(store::Database& database) {
  // After an outage the lease may still be ours.
  if (term_ != 0 && store::renew_lease(database, term_, config_.lease_duration)) return;
  bool said = false;
  while (!process::stop_requested()) {
    if (const auto term = store::acquire_lease(database, fleet::holder_name("almighty"), config_.lease_duration)) {
      term_ = *term;
      process::log::info("conducting", {{"term", term_}});
      sd_notify(0, "READY=1\nSTATUS=conducting");
      return;
    }
    outage_.forget();
    if (!said) {
      process::log::info("another almighty conducts, standing by");
      sd_notify(0, "READY=1\nSTATUS=standing by");
    }
    said = true;
    // Releasing the lease sends a notification.
    static_cast<void>(database.wait_for_notification(config_.lease_duration / 5, process::stop_descriptor()));
  }
}

/// When the next cycle begins by itself: after a period, or when a keep begins or ends, if that is sooner.
/// @param planned_from  a time before the last plan was made: a keep that changed since may not be in it
Clock::time_point Conductor::next_cycle(store::Database& database, Clock::time_point began, grid::Instant planned_from) const {
  auto transaction = database.begin();
  const auto regular = began + (store::is_busy(transaction) ? config_.cycle_period : config_.idle_period);
  const auto change = store::next_change_of_keeps(transaction, planned_from);
  if (!change) return regular;
  const auto left = std::clamp<grid::Instant::duration>(*change - fleet::now(), {}, config_.idle_period);
  return std::min(regular, Clock::now() + std::chrono::ceil<Milliseconds>(left));
}

/// Waits for the next cycle, keeping the lease; a notification, or a stop, ends it at once, and a call of a cluster soon.
void Conductor::rest(store::Database& database, Clock::time_point began, Clock::time_point until) {
  process::wait_for_stop(kLeastPause);
  while (!process::stop_requested() && Clock::now() < until) {
    if (!store::renew_lease(database, term_, config_.lease_duration)) throw store::LeaseLost{"the lease was taken over"};
    sd_notify(0, "WATCHDOG=1");
    const auto left = std::chrono::duration_cast<Milliseconds>(until - Clock::now());
    const auto at_most = std::max(Milliseconds{0}, std::min(left, config_.lease_duration / 3));
    const auto channel = database.wait_for_notification(at_most, process::stop_descriptor());
    if (channel == store::kCall) until = std::min(until, began + kLeastForCalls);
    else if (channel) return;
  }
}

void Conductor::conduct() {
  store::Database database{config_.database, fleet::connection_limits(config_)};
  store::check_schema(database);
  database.listen(store::kWakeUp);
  database.listen(store::kCall);
  stand_by(database);
  if (term_ != 0) outage_.end(database, term_);
  while (!process::stop_requested()) {
    const auto began = Clock::now();
    const auto planned_from = fleet::now();
    if (!store::renew_lease(database, term_, config_.lease_duration)) throw store::LeaseLost{"the lease was taken over"};
    run_cycle(config_, database, term_, modules_);
    check_laws(config_, database, term_);
    rest(database, began, next_cycle(database, began, planned_from));
  }
  modules_.stop();
  if (term_ != 0) store::release_lease(database, term_);
}

}  // namespace

process::Outcome run_once(const process::Config& config) {
  store::Database database{config.database, fleet::connection_limits(config)};
  store::check_schema(database);
  const fleet::HeldLease lease{database, std::nullopt, fleet::holder_name("almighty --once")};
  Modules modules{config};
  run_cycle(config, database, lease.term(), modules);
  check_laws(config, database, lease.term());
  // Modules left running still write under this lease.
  const auto alive = keeper_of_lease(config, database, lease.term());
  for (const auto deadline = Clock::now() + config.module_time_limit;
       modules.busy() && Clock::now() < deadline && !process::stop_requested();) {
    process::wait_for_stop(Milliseconds{100});
    alive();
    report_over(database, lease.term(), modules);
  }
  modules.stop();
  return "one cycle";
}

process::Outcome run_service(const process::Config& config) {
  constexpr Milliseconds kFirstWait{500};
  constexpr Milliseconds kLongestWait{5000};
  auto wait = kFirstWait;
  Conductor conductor{config};
  while (!process::stop_requested()) {
    try {
      conductor.conduct();
    } catch (const grid::Unavailable& error) {
      if (conductor.note_outage(error.what())) wait = kFirstWait;
      process::wait_for_stop(wait);
      wait = std::min(wait * 2, kLongestWait);
    } catch (const store::LeaseLost& error) {
      process::log::warning("lease lost", {{"error", error.what()}});
    }
  }
  conductor.stop();
  sd_notify(0, "STOPPING=1");
  return "stopped";
}

}  // namespace gleaner::almighty
