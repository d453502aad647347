#include "almighty/conductor.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <systemd/sd-daemon.h>

#include <algorithm>

#include "almighty/cycle.hpp"
#include "lib/fleet/held_lease.hpp"
#include "lib/process/log.hpp"
#include "lib/process/stop.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/migrations.hpp"

namespace gleaner::almighty {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// Cycles that the notifications of a burst of submissions start are not closer than this.
constexpr Milliseconds kLeastPause{200};

class Conductor {
 public:
  explicit Conductor(const process::Config& config) : config_{config}, modules_{config} {}

  /// Until a stop, or until the database or the lease is lost (thrown).
  void conduct();
  void stop() { modules_.stop(); }

 private:
  void stand_by(store::Database& database);
  void rest(store::Database& database, Clock::time_point began);
  [[nodiscard]] Milliseconds period(store::Database& database) const;

  const process::Config& config_;
  Modules modules_;
  store::Term term_ = 0;
};

void Conductor::stand_by(store::Database& database) {
  bool said = false;
  while (!process::stop_requested()) {
    if (const auto term = store::acquire_lease(database, fleet::holder_name("almighty"), config_.lease_duration)) {
      term_ = *term;
      process::log::info("conducting", {{"term", term_}});
      sd_notify(0, "READY=1\nSTATUS=conducting");
      return;
    }
    if (!said) {
      process::log::info("another almighty conducts, standing by");
      sd_notify(0, "READY=1\nSTATUS=standing by");
    }
    said = true;
    process::wait_for_stop(config_.lease_duration / 5);
  }
}

Milliseconds Conductor::period(store::Database& database) const {
  auto transaction = database.begin();
  return store::is_busy(transaction) ? config_.cycle_period : config_.idle_period;
}

/// Waits for the next cycle, keeping the lease; a notification, or a stop, ends it at once.
void Conductor::rest(store::Database& database, Clock::time_point began) {
  const auto until = began + period(database);
  process::wait_for_stop(kLeastPause);
  while (!process::stop_requested() && Clock::now() < until) {
    if (!store::renew_lease(database, term_, config_.lease_duration)) throw store::LeaseLost{"the lease was taken over"};
    sd_notify(0, "WATCHDOG=1");
    const auto left = std::chrono::duration_cast<Milliseconds>(until - Clock::now());
    const auto at_most = std::max(Milliseconds{0}, std::min(left, config_.lease_duration / 3));
    if (database.wait_for_notification(at_most, process::stop_descriptor())) return;
  }
}

void Conductor::conduct() {
  store::Database database{config_.database};
  store::check_schema(database);
  database.listen(store::kWakeUp);
  stand_by(database);
  while (!process::stop_requested()) {
    const auto began = Clock::now();
    if (!store::renew_lease(database, term_, config_.lease_duration)) throw store::LeaseLost{"the lease was taken over"};
    run_cycle(config_, database, term_, modules_);
    rest(database, began);
  }
  modules_.stop();
  if (term_ != 0) store::release_lease(database, term_);
}

}  // namespace

process::Outcome run_once(const process::Config& config) {
  store::Database database{config.database};
  store::check_schema(database);
  const fleet::HeldLease lease{database, std::nullopt, fleet::holder_name("almighty --once")};
  Modules modules{config};
  run_cycle(config, database, lease.term(), modules);
  // What still waits for a slow cluster ends before the lease does.
  for (const auto deadline = Clock::now() + config.module_time_limit; modules.busy() && Clock::now() < deadline && !process::stop_requested();) {
    process::wait_for_stop(Milliseconds{100});
    static_cast<void>(modules.collect());
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
      wait = kFirstWait;
    } catch (const grid::Unavailable& error) {
      process::log::warning("waiting for the database", {{"error", error.what()}});
      sd_notify(0, "STATUS=waiting for the database");
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
